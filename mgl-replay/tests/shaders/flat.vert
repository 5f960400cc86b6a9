#version 330 core
layout(location = 0) in vec2 position;
uniform vec4 place; // scale, offset
void main() { gl_Position = vec4(position * place.xy + place.zw, 0.0, 1.0); }
