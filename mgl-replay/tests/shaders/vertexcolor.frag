#version 330 core
in vec4 through;
out vec4 color;
void main() { color = through; }
