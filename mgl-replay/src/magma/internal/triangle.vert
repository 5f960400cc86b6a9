// Covers the viewport with one triangle at the pushed depth.
layout(push_constant) uniform Constants {
    layout(offset = 48) float depth;
};

void main() {
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0;
    gl_Position = vec4(corner, depth, 1.0);
}
