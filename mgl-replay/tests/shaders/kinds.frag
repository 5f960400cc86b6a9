#version 330 core
uniform usampler2D unsigned_2d;
uniform isampler2D signed_2d;
uniform sampler2DArray layers;
uniform sampler3D slices;
uniform samplerCube cube;
uniform samplerBuffer texels;
uniform sampler1D line;
uniform sampler2DRect rect;
uniform sampler2DShadow shadow;
uniform int which;
out vec4 color;
void main() {
    vec4 c = vec4(0.0);
    if (which == 0) c = vec4(texelFetch(unsigned_2d, ivec2(0), 0)) / 255.0;
    if (which == 1) c = vec4(-texelFetch(signed_2d, ivec2(0), 0)) / 255.0;
    if (which == 2) c = texture(layers, vec3(0.5, 0.5, 2.0));
    if (which == 3) c = texture(slices, vec3(0.5, 0.5, 0.875));
    if (which == 4) c = texture(cube, vec3(0.0, 0.0, 1.0));
    if (which == 5) c = texelFetch(texels, 3);
    if (which == 6) c = texture(line, 0.75);
    if (which == 7) c = texture(rect, vec2(1.5, 0.5));
    if (which == 8) c = vec4(texture(shadow, vec3(0.5, 0.5, 0.5)));
    color = c;
}
