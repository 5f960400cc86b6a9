#version 330 core
layout(location = 0) in vec2 position;
layout(std140) uniform Place { vec4 scale; };
void main() { gl_Position = vec4(position * scale.xy, 0.0, 1.0); }
