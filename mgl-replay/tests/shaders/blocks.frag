#version 330 core
layout(std140) uniform Tint { vec4 a; vec4 b; };
uniform vec4 more;
out vec4 color;
void main() { color = a + b + more; }
