#version 330 core
layout(location = 0) in vec2 position;
out float value;
out vec3 three;
void main() {
    value = float(gl_VertexID) + 0.5;
    three = vec3(position, 7.0);
    gl_Position = vec4(position, 0.0, 1.0);
}
