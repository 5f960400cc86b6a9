#version 330 core
layout(location = 0) in vec2 position;
flat out int which;
void main() { which = gl_VertexID; gl_Position = vec4(position, 0.0, 1.0); gl_PointSize = 3.0; }
