#version 330
layout(location = 0) in vec2 pos;
flat out int instance;
void main() {
    instance = gl_InstanceID;
    gl_Position = vec4(pos, 0.0, 1.0);
}
