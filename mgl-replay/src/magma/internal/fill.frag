// One value for all pixels.
layout(push_constant) uniform Constants {
    layout(offset = 0) VEC4 value;
};
layout(location = 0) out VEC4 color;

void main() {
    color = value;
}
