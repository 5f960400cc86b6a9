#version 330
flat in int instance;
layout(location = 0) out vec4 color;
void main() {
    color = vec4(float(instance) / 255.0, gl_FragCoord.y / 255.0, gl_PointCoord.y, 1.0);
}
