#version 330 core
flat in int which;
out vec4 color;
void main() { color = vec4(float(which) / 255.0, 1.0, 0.0, 1.0); }
