// A rectangle of an image, scaled and mirrored onto a rectangle of the target (GL 4.6 18.3.1). Both are
// given by two opposite corners in texels, as the rows lie in memory. Pixels whose place in the source
// lies outside the image are left alone.
//
// SAMPLES reads a multisampled image into one of as many samples, sample by sample, and SAMPLE reads one
// sample of such an image; what becomes of samples in a pixel is no business of this shader's.
layout(set = 0, binding = 0) uniform SAMPLER source;
layout(push_constant) uniform Constants {
    layout(offset = 0) vec4 from;
    layout(offset = 16) vec4 to;
    // The slice of a three-dimensional image.
    layout(offset = 32) int slice;
#if defined(SAMPLE)
    layout(offset = 36) int one;
#endif
    // 1 where the image is filtered, 0 where the nearest texel is taken.
    layout(offset = 40) int filtered;
    // Stencil is drawn a bit at a time: pixels whose source lacks this bit are left alone. 0 draws all.
    layout(offset = 44) uint bit;
#if defined(DEPTH)
    // Depths of 24 bits are told back to what they are parts of: this much of the product with 2^24 is too much.
    // Negative where depths are taken as they are read.
    layout(offset = 52) float unit;
#endif
};

#if defined(DEPTH)
#define VALUE vec4
#elif defined(STENCIL)
#define VALUE uvec4
#else
#define VALUE VEC4
layout(location = 0) out VEC4 color;
#endif

#if defined(DIM1)
#define SIZE ivec2(textureSize(source, 0).x, 1)
#define NEAREST(at) texelFetch(source, ivec2((at).x, 0), 0)
#define LINEAR(at) textureLod(source, vec2((at).x, 0.0), 0.0)
#elif defined(DIM3)
#define SIZE textureSize(source, 0).xy
#define NEAREST(at) texelFetch(source, ivec3(at, slice), 0)
#define LINEAR(at) textureLod(source, vec3(at, (float(slice) + 0.5) / float(textureSize(source, 0).z)), 0.0)
#elif defined(SAMPLES)
#define SIZE textureSize(source).xy
#define NEAREST(at) texelFetch(source, ivec3(at, 0), gl_SampleID)
#define LINEAR(at) NEAREST(ivec2((at) * vec2(SIZE)))
#elif defined(SAMPLE)
#define SIZE textureSize(source).xy
#define NEAREST(at) texelFetch(source, ivec3(at, 0), one)
#define LINEAR(at) NEAREST(ivec2((at) * vec2(SIZE)))
#else
#define SIZE textureSize(source, 0).xy
#define NEAREST(at) texelFetch(source, ivec3(at, 0), 0)
#define LINEAR(at) textureLod(source, vec3(at, 0.0), 0.0)
#endif

void main() {
#if defined(SAMPLES)
    // A fragment of one sample lies at it.
    vec2 center = floor(gl_FragCoord.xy) + 0.5;
#else
    vec2 center = gl_FragCoord.xy;
#endif
    vec2 part = (center - to.xy) / (to.zw - to.xy);
    vec2 place = from.xy + part * (from.zw - from.xy);
    vec2 size = vec2(SIZE);
    if (any(lessThan(place, vec2(0.0))) || any(greaterThanEqual(place, size))) {
        discard;
    }
#if defined(FILTERS)
    VALUE value = filtered != 0 ? LINEAR(place / size) : NEAREST(ivec2(place));
#else
    VALUE value = NEAREST(ivec2(place));
#endif
#if defined(DEPTH)
    float depth = value.x;
    if (unit >= 0.0 && depth < 1.0) {
        float part = depth * 16777216.0;
        depth = roundEven(part - part * unit) / 16777216.0;
        depth += depth * 6.0e-8;
    }
    gl_FragDepth = depth;
#elif defined(STENCIL)
    if (bit != 0u && (value.x & bit) == 0u) {
        discard;
    }
#else
    color = value;
#endif
}
