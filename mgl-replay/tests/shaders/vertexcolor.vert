#version 330 core
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 tint;
layout(location = 2) in vec2 shift;
out vec4 through;
void main() { through = tint; gl_Position = vec4(position + shift, 0.0, 1.0); }
