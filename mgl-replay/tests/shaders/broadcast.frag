#version 120
uniform vec4 tint;
void main() { gl_FragColor = tint; }
