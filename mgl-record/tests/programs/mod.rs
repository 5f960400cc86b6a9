//! GLSL programs for the road tests: each must compile, link, convert to ESSL and be accepted by the
//! driver. One function a language version.

use mgl_core::program::ShaderStage::{self, Fragment, Geometry, Vertex};

/// A program: its name and its shaders.
pub type Program = (&'static str, &'static [(ShaderStage, &'static str)]);

const PASS_110: &str = "attribute vec4 pos; void main() { gl_Position = pos; }";
const PASS_330: &str = "#version 330\nin vec4 pos; void main() { gl_Position = pos; }";
const RED_330: &str = "#version 330\nout vec4 c; void main() { c = vec4(1, 0, 0, 1); }";

pub const GLSL_110: &[Program] = &[
    ("110 plain", &[(Vertex, PASS_110), (Fragment, "void main() { gl_FragColor = vec4(1.0); }")]),
    (
        "110 varyings and textures",
        &[
            (
                Vertex,
                "attribute vec3 pos; attribute vec2 uv; uniform mat4 mvp; varying vec2 tc; varying vec3 n;
                 void main() { tc = uv; n = normalize(pos); gl_Position = mvp * vec4(pos, 1.0); }",
            ),
            (
                Fragment,
                "uniform sampler1D t1; uniform sampler2D t2; uniform sampler3D t3; uniform samplerCube tc0;
                 varying vec2 tc; varying vec3 n;
                 void main() {
                   gl_FragColor = texture1D(t1, tc.x) + texture2D(t2, tc) + texture3D(t3, n)
                     + textureCube(tc0, n) + texture2D(t2, tc, 0.5) + texture2DProj(t2, n)
                     + texture2DProj(t2, vec4(n, 1.0)) + texture1DProj(t1, tc) + texture1DProj(t1, vec4(n, 2.0))
                     + texture3DProj(t3, vec4(n, 1.0)); }",
            ),
        ],
    ),
    (
        "110 vertex texture with level",
        &[
            (
                Vertex,
                "attribute vec4 pos; uniform sampler2D h; uniform samplerCube k; varying float v;
                 void main() { v = texture2DLod(h, pos.xy, 1.0).r + texture2DProjLod(h, pos.xyw, 0.0).g
                   + textureCubeLod(k, pos.xyz, 0.0).b + texture2D(h, pos.xy).a; gl_Position = pos; }",
            ),
            (Fragment, "varying float v; void main() { gl_FragColor = vec4(v); }"),
        ],
    ),
    (
        "110 shadow look-ups",
        &[
            (Vertex, "attribute vec4 pos; varying vec4 p; void main() { p = pos; gl_Position = pos; }"),
            (
                Fragment,
                "uniform sampler2DShadow s2; uniform sampler1DShadow s1; varying vec4 p;
                 void main() { gl_FragColor = shadow2D(s2, p.xyz) + shadow2DProj(s2, p)
                   + shadow1D(s1, p.xyz) + shadow1DProj(s1, p) + shadow2D(s2, p.xyz, 0.25); }",
            ),
        ],
    ),
    (
        "110 names that became words later",
        &[
            (
                Vertex,
                "attribute vec4 pos; uniform float uint; uniform vec2 smooth, flat; varying float sample;
                 float texture(float layout) { return layout * 2.0; }
                 void main() { float shared = texture(uint) + smooth.x + flat.y; sample = shared; gl_Position = pos; }",
            ),
            (
                Fragment,
                "uniform sampler2D texture; uniform sampler2D sampler; varying float sample;
                 struct common { float filter; vec2 active; };
                 uniform common partition;
                 void main() { float buffer = partition.filter + partition.active.x; float patch = buffer;
                   gl_FragColor = texture2D(texture, vec2(sample)) + texture2D(sampler, vec2(patch)); }",
            ),
        ],
    ),
    (
        "110 draw buffers",
        &[
            (Vertex, PASS_110),
            (
                Fragment,
                "uniform float k; void main() { gl_FragData[0] = vec4(k); gl_FragData[2] = vec4(1.0, k, 0.0, 1.0); }",
            ),
        ],
    ),
    (
        "110 control flow",
        &[
            (Vertex, PASS_110),
            (
                Fragment,
                "uniform int n; uniform float f[4]; uniform bool on;
                 float sum(in float a[4], out float most, inout float least) {
                   float s = 0.0; most = a[0];
                   for (int i = 0; i < 4; i++) { s += a[i]; if (a[i] > most) most = a[i]; least = min(least, a[i]); }
                   return s; }
                 void main() { float most; float least = 100.0; float s = sum(f, most, least);
                   int i = 0; while (i < n) { s *= 1.5; if (s > 100.0) break; i++; }
                   do { s -= 1.0; } while (s > 10.0);
                   if (!on) discard;
                   gl_FragColor = on ? vec4(s, most, least, 1.0) : vec4(0.0); }",
            ),
        ],
    ),
    (
        "110 ES guards and macros",
        &[
            (
                Vertex,
                "#ifdef GL_ES\nprecision mediump float;\n#define HIGH highp\n#else\n#define HIGH\n#endif
                 #define SCALE(v, s) ((v) * (s))\nattribute HIGH vec4 pos; varying HIGH vec2 uv;
                 void main() { uv = SCALE(pos.xy, 0.5); gl_Position = pos; }",
            ),
            (
                Fragment,
                "#ifdef GL_ES\nprecision mediump float;\n#endif\n#if __VERSION__ == 110 && defined(GL_ARB_texture_rectangle)
                 #extension GL_ARB_texture_rectangle : enable\n#endif
                 uniform sampler2DRect r; varying vec2 uv;
                 void main() { gl_FragColor = texture2DRect(r, uv) + texture2DRectProj(r, vec3(uv, 1.0)); }",
            ),
        ],
    ),
    (
        "110 depth range and constants",
        &[
            (Vertex, "attribute vec4 pos; void main() { gl_Position = pos; gl_PointSize = gl_DepthRange.diff; }"),
            (
                Fragment,
                "void main() { float d = gl_DepthRange.near + gl_DepthRange.far;
                   gl_FragColor = vec4(d, float(gl_MaxDrawBuffers), float(gl_MaxTextureUnits), float(gl_MaxVaryingFloats));
                   gl_FragDepth = d * 0.5; }",
            ),
        ],
    ),
    (
        "110 old functions of no effect and user functions of new names",
        &[
            (
                Vertex,
                "attribute vec4 pos; mat3 transpose(mat3 m) { return mat3(m[0].x, m[1].x, m[2].x, m[0].y, m[1].y, m[2].y, m[0].z, m[1].z, m[2].z); }
                 float round(float x) { return floor(x + 0.5); } float trunc(float x) { return x; }
                 uniform mat3 m; varying float v;
                 void main() { v = (transpose(m) * pos.xyz).x + round(pos.y) + trunc(pos.x) + noise1(pos.x) + noise3(pos.xy).y; gl_Position = pos; }",
            ),
            (Fragment, "varying float v; float inverse(float x) { return 1.0 / x; } void main() { gl_FragColor = vec4(inverse(v)); }"),
        ],
    ),
];

pub const GLSL_120: &[Program] = &[
    (
        "120 arrays and initialisers",
        &[
            (Vertex, "#version 120\nattribute vec4 pos; uniform vec2 off = vec2(0.5, -0.5); void main() { gl_Position = pos + vec4(off, 0, 0); }"),
            (
                Fragment,
                "#version 120\nuniform float w[3] = float[3](1.0, 2.0, 3.0); const vec3 k[2] = vec3[](vec3(1), vec3(2));
                 void main() { float s = 0; for (int i = 0; i < w.length(); ++i) s += w[i]; gl_FragColor = vec4(k[1] * s, 1); }",
            ),
        ],
    ),
    (
        "120 non-square matrices",
        &[
            (
                Vertex,
                "#version 120\nattribute vec4 pos; uniform mat2x3 a; uniform mat4x2 b; uniform mat3x4 c; attribute mat3 basis;
                 void main() { vec3 x = a * pos.xy; vec2 y = b * pos; vec4 z = c * x; gl_Position = z + vec4(y, transpose(basis)[0].xy); }",
            ),
            (Fragment, "#version 120\nvoid main() { gl_FragColor = vec4(outerProduct(vec2(1), vec2(2))[0], 0, 1); }"),
        ],
    ),
    (
        "120 centroid and invariant",
        &[
            (Vertex, "#version 120\nattribute vec4 pos; centroid varying vec2 a; invariant varying vec3 b; invariant gl_Position;
              void main() { a = pos.xy; b = pos.xyz; gl_Position = pos; }"),
            (Fragment, "#version 120\ncentroid varying vec2 a; invariant varying vec3 b; void main() { gl_FragColor = vec4(a, b.z, gl_PointCoord.x); }"),
        ],
    ),
    (
        "120 structs, samplers in structs",
        &[
            (Vertex, "#version 120\nattribute vec4 pos; varying vec2 uv; void main() { uv = pos.xy; gl_Position = pos; }"),
            (
                Fragment,
                "#version 120\nstruct Light { vec3 pos; float power; sampler2D map; };
                 uniform Light lights[2]; uniform struct { vec4 tint; bool on; } look; varying vec2 uv;
                 vec4 shade(Light l) { return vec4(l.pos * l.power, 1); }
                 void main() { vec4 c = texture2D(lights[0].map, uv) + texture2D(lights[1].map, uv);
                   for (int i = 0; i < 2; i++) c += vec4(lights[i].pos * lights[i].power, 1);
                   if (look.on) c *= look.tint; gl_FragColor = c; }",
            ),
        ],
    ),
    (
        "120 texture LOD extension, gradients",
        &[
            (Vertex, "#version 120\nattribute vec4 pos; varying vec2 uv; void main() { uv = pos.xy; gl_Position = pos; }"),
            (
                Fragment,
                "#version 120\n#extension GL_ARB_shader_texture_lod : require\n#extension GL_EXT_texture_array : enable
                 uniform sampler2D t; uniform sampler2DArray a; varying vec2 uv;
                 void main() { gl_FragColor = texture2DLod(t, uv, 2.0) + texture2DGradARB(t, uv, dFdx(uv), dFdy(uv))
                   + texture2DArray(a, vec3(uv, 1)); }",
            ),
        ],
    ),
    (
        "120 instancing extension",
        &[
            (Vertex, "#version 120\n#extension GL_ARB_draw_instanced : enable\nattribute vec4 pos; void main() { gl_Position = pos + vec4(float(gl_InstanceIDARB)); }"),
            (Fragment, "#version 120\nvoid main() { gl_FragColor = vec4(gl_FrontFacing ? 1 : 0); }"),
        ],
    ),
    (
        "120 line directives and splices",
        &[
            (Vertex, "#version 120\n#line 7 1\nattribute vec4 \\\npos;\nvoid main() { gl_Position = pos * float(__LINE__); }"),
            (Fragment, "#version 120\n#pragma optimize(on)\n#pragma STDGL invariant(all)\nvoid main() { gl_FragColor = vec4(__VERSION__); }"),
        ],
    ),
    (
        "120 sampler arrays",
        &[
            (Vertex, "#version 120\nattribute vec4 pos; varying vec2 uv; void main() { uv = pos.xy; gl_Position = pos; }"),
            (Fragment, "#version 120\nuniform sampler2D maps[3]; varying vec2 uv;
              void main() { gl_FragColor = texture2D(maps[0], uv) + texture2D(maps[2], uv); }"),
        ],
    ),
    (
        "120 sampler arrays indexed by variables",
        &[
            (Vertex, "#version 120\nattribute vec4 pos; varying vec2 uv; void main() { uv = pos.xy; gl_Position = pos; }"),
            (Fragment, "#version 120\nuniform sampler2D maps[3]; varying vec2 uv; float sample = 1.0;
              void main() { gl_FragColor = vec4(0.0); for (int i = 0; i < 3; i++) gl_FragColor += texture2D(maps[i], uv) * sample; }"),
        ],
    ),
];

pub const GLSL_130: &[Program] = &[
    (
        "130 in and out",
        &[
            (Vertex, "#version 130\nin vec4 pos; in ivec2 id; flat out ivec2 fid; smooth out vec2 uv; noperspective out vec3 n; centroid out float c;
              void main() { fid = id; uv = pos.xy; n = pos.xyz; c = pos.w; gl_Position = pos; }"),
            (Fragment, "#version 130\nflat in ivec2 fid; smooth in vec2 uv; noperspective in vec3 n; centroid in float c; out vec4 color;
              void main() { color = vec4(fid, uv) + vec4(n, c); }"),
        ],
    ),
    (
        "130 integers and switch",
        &[
            (Vertex, "#version 130\nin vec4 pos; uniform uint mask; flat out uint m; void main() { m = (mask << 2) ^ 0xFFu; gl_Position = pos; }"),
            (Fragment, "#version 130\nflat in uint m; uniform int mode; out vec4 c;
              void main() { switch (mode) { case 0: c = vec4(m & 3u); break; case 1: case 2: c = vec4(float(m % 7u)); break; default: c = vec4(~mode); } }"),
        ],
    ),
    (
        "130 new texture functions",
        &[
            (Vertex, "#version 130\nin vec4 pos; out vec3 uv; void main() { uv = pos.xyz; gl_Position = pos; }"),
            (Fragment, "#version 130\nin vec3 uv; uniform sampler2D t; uniform isampler2D it; uniform usampler3D ut; uniform sampler2DArray a; uniform sampler1DArray b; uniform sampler2DArrayShadow s; uniform samplerCubeShadow cs; out vec4 c;
              void main() { c = textureLod(t, uv.xy, 1.0) + textureGrad(t, uv.xy, uv.xy, uv.yz) + texelFetch(t, ivec2(uv.xy), 0)
                + vec4(texelFetch(it, ivec2(1), 0)) + vec4(texture(ut, uv)) + texture(a, uv) + texture(b, uv.xy) + textureOffset(t, uv.xy, ivec2(1, -2))
                + vec4(texture(s, vec4(uv, 0.5))) + vec4(texture(cs, vec4(uv, 0.5))) + vec4(textureSize(t, 0), textureSize(a, 0).z, textureSize(b, 0).y); }"),
        ],
    ),
    (
        "130 old names still there",
        &[
            (Vertex, "#version 130\nattribute vec4 pos; varying vec2 uv; void main() { uv = pos.xy; gl_Position = pos; }"),
            (Fragment, "#version 130\nprecision highp float;\nvarying vec2 uv; uniform sampler2D t; void main() { gl_FragColor = texture2D(t, uv) + texture(t, uv); }"),
        ],
    ),
    (
        "130 clip distances",
        &[
            (Vertex, "#version 130\nin vec4 pos; uniform vec4 plane; void main() { gl_ClipDistance[0] = dot(pos, plane); gl_ClipDistance[1] = 1.0; gl_Position = pos; }"),
            (Fragment, "#version 130\nout vec4 c; void main() { c = vec4(1); }"),
        ],
    ),
    (
        "130 vertex identity and hyperbolics",
        &[
            (Vertex, "#version 130\nout float v; void main() { v = sinh(float(gl_VertexID)) + trunc(1.5) + roundEven(2.5) + float(isnan(1.0)); gl_Position = vec4(gl_VertexID & 1, gl_VertexID >> 1, 0, 1); }"),
            (Fragment, "#version 130\nin float v; out vec4 c; void main() { float w; c = vec4(modf(v, w), w, acosh(2.0), 1); }"),
        ],
    ),
    (
        "130 multiple outputs",
        &[
            (Vertex, "#version 130\nin vec4 pos; void main() { gl_Position = pos; }"),
            (Fragment, "#version 130\nout vec4 a; out ivec2 b; out uvec4 d; out float e; void main() { a = vec4(1); b = ivec2(-1); d = uvec4(7u); e = 0.5; }"),
        ],
    ),
];

pub const GLSL_140: &[Program] = &[
    (
        "140 blocks",
        &[
            (Vertex, "#version 140\nlayout(std140) uniform Camera { mat4 view; mat4 proj; }; layout(shared, row_major) uniform Model { mat3 normal; mat2x3 k; } model; in vec4 pos; out vec3 n;
              void main() { n = model.normal * pos.xyz + vec3(model.k[1]); gl_Position = proj * view * pos; }"),
            (Fragment, "#version 140\nlayout(std140) uniform Camera { mat4 view; mat4 proj; }; layout(packed) uniform Unread { vec4 x; }; in vec3 n; out vec4 c; void main() { c = view * vec4(n, 1); }"),
        ],
    ),
    (
        "140 block arrays",
        &[
            (Vertex, "#version 150\nuniform Bone { mat4 m; float w; } bones[3]; in vec4 pos; void main() { gl_Position = bones[0].m * pos * bones[0].w + bones[2].m * pos; }"),
            (Fragment, "#version 150\nuniform Bone { mat4 m; float w; } bones[3]; out vec4 c; void main() { c = vec4(bones[1].w); }"),
        ],
    ),
    (
        "140 rectangle and buffer textures",
        &[
            (Vertex, "#version 140\nuniform samplerBuffer b; uniform isamplerBuffer ib; in vec4 pos; out vec2 uv; void main() { uv = pos.xy; gl_Position = texelFetch(b, gl_VertexID) + vec4(texelFetch(ib, textureSize(ib) - 1)); }"),
            (Fragment, "#version 140\nuniform sampler2DRect r; uniform isampler2DRect ir; uniform sampler2DRectShadow rs; in vec2 uv; out vec4 c;
              void main() { c = texture(r, uv) + vec4(texelFetch(ir, ivec2(uv))) + vec4(texture(rs, vec3(uv, 0.5))) + textureProj(r, vec3(uv, 2)) + vec4(textureSize(r), textureSize(rs)) + textureOffset(r, uv, ivec2(1)) + textureGrad(r, uv, uv, uv); }"),
        ],
    ),
    (
        "140 instance identity, inverse",
        &[
            (Vertex, "#version 140\nin vec4 pos; uniform mat4 m; void main() { gl_Position = inverse(m) * pos + vec4(gl_InstanceID); }"),
            (Fragment, "#version 140\nout vec4 c; void main() { c = vec4(determinant(mat2(1.0))); }"),
        ],
    ),
    (
        "140 structs in blocks",
        &[
            (Vertex, "#version 140\nstruct L { vec3 p; float r; bool on; }; uniform Lights { L l[3]; int n; vec2 odd[2]; }; in vec4 pos; out float v;
              void main() { v = 0.0; for (int i = 0; i < n; i++) if (l[i].on) v += l[i].p.x * l[i].r; gl_Position = pos + vec4(odd[1], 0, 0); }"),
            (Fragment, "#version 140\nin float v; out vec4 c; struct L { vec3 p; float r; bool on; }; uniform Lights { L l[3]; int n; vec2 odd[2]; }; void main() { L one = l[1]; c = vec4(one.p, v); }"),
        ],
    ),
];

pub const GLSL_150: &[Program] = &[
    (
        "150 geometry shader",
        &[
            (Vertex, "#version 150\nin vec4 pos; out vec3 vcolor; void main() { vcolor = pos.xyz; gl_Position = pos; }"),
            (Geometry, "#version 150\nlayout(points) in; layout(triangle_strip, max_vertices = 4) out; in vec3 vcolor[]; out vec3 gcolor; uniform vec2 size;
              void main() { for (int i = 0; i < 4; i++) { gcolor = vcolor[0]; gl_PrimitiveID = gl_PrimitiveIDIn; gl_Position = gl_in[0].gl_Position + vec4(size * vec2(i & 1, i >> 1), 0, 0); EmitVertex(); } EndPrimitive(); }"),
            (Fragment, "#version 150\nin vec3 gcolor; out vec4 c; uniform vec2 size; void main() { c = vec4(gcolor, size.x + float(gl_PrimitiveID)); }"),
        ],
    ),
    (
        "150 geometry with lines, adjacency and layer",
        &[
            (Vertex, PASS_330),
            (Geometry, "#version 150\nlayout(lines_adjacency) in; layout(line_strip, max_vertices = 2) out;
              void main() { gl_Layer = 1; gl_Position = gl_in[1].gl_Position; EmitVertex(); gl_Layer = 1; gl_Position = gl_in[2].gl_Position; EmitVertex(); EndPrimitive(); }"),
            (Fragment, RED_330),
        ],
    ),
    (
        "150 interface blocks",
        &[
            (Vertex, "#version 150\nin vec4 pos; out Data { vec3 n; flat int id; vec2 uv[2]; } o; void main() { o.n = pos.xyz; o.id = gl_VertexID; o.uv[0] = pos.xy; o.uv[1] = pos.zw; gl_Position = pos; }"),
            (Fragment, "#version 150\nin Data { vec3 n; flat int id; vec2 uv[2]; } i; out vec4 c; void main() { c = vec4(i.n, float(i.id)) + vec4(i.uv[0], i.uv[1]); }"),
        ],
    ),
    (
        "150 interface blocks through geometry",
        &[
            (Vertex, "#version 150\nin vec4 pos; out Data { vec3 n; vec2 uv; }; void main() { n = pos.xyz; uv = pos.xy; gl_Position = pos; }"),
            (Geometry, "#version 150\nlayout(triangles) in; layout(triangle_strip, max_vertices = 3) out; in Data { vec3 n; vec2 uv; } v[]; out Data { vec3 n; vec2 uv; } g;
              void main() { for (int i = 0; i < gl_in.length(); i++) { g.n = v[i].n; g.uv = v[i].uv; gl_Position = gl_in[i].gl_Position; EmitVertex(); } }"),
            (Fragment, "#version 150\nin Data { vec3 n; vec2 uv; } f; out vec4 c; void main() { c = vec4(f.n, f.uv.x); }"),
        ],
    ),
    (
        "150 multisample textures",
        &[
            (Vertex, PASS_330),
            (Fragment, "#version 150\nuniform sampler2DMS m; uniform isampler2DMSArray im; out vec4 c; void main() { c = texelFetch(m, ivec2(gl_FragCoord.xy), 1) + vec4(texelFetch(im, ivec3(0), 2)) + vec4(textureSize(m), 0, 0); }"),
        ],
    ),
    (
        "150 redeclared vertex blocks",
        &[
            (Vertex, PASS_330),
            (Geometry, "\u{feff}#version 150\nlayout(triangles) in; layout(points, max_vertices = 3) out; in gl_PerVertex { vec4 gl_Position; } gl_in[]; out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };
              gl_DepthRangeParameters range() { return gl_DepthRange; } void main() { for (int i = 0; i < 3; ++i) { gl_Position = gl_in[i].gl_Position; gl_PointSize = range().far; EmitVertex(); } }"),
            (Fragment, RED_330),
        ],
    ),
    (
        "150 compatibility",
        &[
            (Vertex, "#version 150 compatibility\nattribute vec4 pos; varying vec2 uv; void main() { uv = pos.xy; gl_Position = pos; }"),
            (Fragment, "#version 150 compatibility\nvarying vec2 uv; uniform sampler2D t; void main() { gl_FragColor = texture2D(t, uv); }"),
        ],
    ),
    (
        "150 redeclared fragment coordinate",
        &[(Vertex, PASS_330), (Fragment, "#version 150\nin vec4 gl_FragCoord; out vec4 c; void main() { c = gl_FragCoord; }")],
    ),
];

pub const GLSL_330: &[Program] = &[
    ("330 plain", &[(Vertex, PASS_330), (Fragment, RED_330)]),
    (
        "330 explicit locations",
        &[
            (Vertex, "#version 330 core\nlayout(location = 3) in vec4 pos; layout(location = 0) in vec2 uv; layout(location = 5) in mat3 m; out vec2 tc; void main() { tc = uv; gl_Position = vec4(m * pos.xyz, 1); }"),
            (Fragment, "#version 330 core\nin vec2 tc; layout(location = 1) out vec4 b; layout(location = 0) out vec4 a; void main() { a = vec4(tc, 0, 1); b = vec4(1); }"),
        ],
    ),
    (
        "330 dual source",
        &[
            (Vertex, PASS_330),
            (Fragment, "#version 330\nlayout(location = 0, index = 0) out vec4 c; layout(location = 0, index = 1) out vec4 m; void main() { c = vec4(1); m = vec4(0.5); }"),
        ],
    ),
    (
        "330 bit casts",
        &[
            (Vertex, "#version 330\nin vec4 pos; flat out int bits; void main() { bits = floatBitsToInt(pos.x); gl_Position = uintBitsToFloat(floatBitsToUint(pos)); }"),
            (Fragment, "#version 330\nflat in int bits; out vec4 c; void main() { c = vec4(intBitsToFloat(bits)); }"),
        ],
    ),
    (
        "330 boolean uniforms",
        &[
            (Vertex, "#version 330\nuniform bool a; uniform bvec3 b[2]; struct S { bvec2 c; int d; }; uniform S s; in vec4 pos; void main() { gl_Position = a && b[1].z && s.c.y ? pos : vec4(s.d); }"),
            (Fragment, "#version 330\nuniform bool a; uniform B { bool x; bvec4 y; }; out vec4 c; void main() { c = vec4(a, x, any(y), all(y)); }"),
        ],
    ),
    (
        "330 vertex only",
        &[(Vertex, "#version 330\nin vec4 pos; out vec4 captured; void main() { captured = pos * 2.0; gl_Position = pos; }")],
    ),
    (
        "330 fragment without outputs",
        &[(Vertex, PASS_330), (Fragment, "#version 330\nuniform float k; void main() { if (gl_FragCoord.x < k) discard; }")],
    ),
    (
        "330 unused everything",
        &[
            (Vertex, "#version 330\nuniform float unused; in vec4 pos; in vec3 never; out vec2 ignored; uniform sampler2D none; float f() { return unused; } void main() { ignored = pos.xy; gl_Position = pos; }"),
            (Fragment, "#version 330\nin vec2 other; uniform mat4 nothing[4]; out vec4 c; vec4 g() { return nothing[1][0] + vec4(other, 0, 0); } void main() { c = vec4(1); }"),
        ],
    ),
    (
        "330 struct varyings",
        &[
            (Vertex, "#version 330\nstruct V { vec3 a; vec2 b; }; in vec4 pos; out V v; out mat3 m; out vec2 list[3]; void main() { v.a = pos.xyz; v.b = pos.xy; m = mat3(1); list[0] = list[1] = list[2] = pos.zw; gl_Position = pos; }"),
            (Fragment, "#version 330\nstruct V { vec3 a; vec2 b; }; in V v; in mat3 m; in vec2 list[3]; out vec4 c; void main() { c = vec4(m * v.a, v.b.x) + vec4(list[1], list[2]); }"),
        ],
    ),
    (
        "330 attribute arrays",
        &[
            (Vertex, "#version 330\nin vec4 pos; in vec2 list[3]; in float f[2]; uniform int n; out vec2 v; void main() { v = list[n] + list[0] * f[1]; gl_Position = pos; }"),
            (Fragment, "#version 330\nin vec2 v; out vec4 c; void main() { c = vec4(v, 0, 1); }"),
        ],
    ),
    (
        "330 several shaders of a stage",
        &[
            (Vertex, "#version 330\nin vec4 pos; vec4 place(vec4 p); void main() { gl_Position = place(pos); }"),
            (Vertex, "#version 330\nuniform mat4 mvp; vec4 place(vec4 p) { return mvp * p; }"),
            (Fragment, "#version 330\nout vec4 c; vec4 shade(); void main() { c = shade(); }"),
            (Fragment, "#version 330\nuniform vec4 tint; uniform mat4 mvp; vec4 shade() { return tint * mvp[0]; }"),
        ],
    ),
    (
        "330 420pack and gather",
        &[
            (Vertex, "#version 330\n#extension GL_ARB_shading_language_420pack : require\nlayout(binding = 2) uniform U { vec4 x; }; in vec4 pos; void main() { gl_Position = pos + x; }"),
            (Fragment, "#version 330\n#extension GL_ARB_shading_language_420pack : enable\n#extension GL_ARB_texture_gather : enable\nlayout(binding = 3) uniform sampler2D t; out vec4 c; void main() { const vec4 k = { 1.0, 2.0, 3.0, 4.0 }; c = textureGather(t, gl_FragCoord.xy) * k; }"),
        ],
    ),
    (
        "330 cube arrays",
        &[
            (Vertex, PASS_330),
            (Fragment, "#version 330\n#extension GL_ARB_texture_cube_map_array : require\nuniform samplerCubeArray t; uniform samplerCubeArrayShadow s; out vec4 c; void main() { c = texture(t, vec4(1)) + vec4(texture(s, vec4(1), 0.5)); }"),
        ],
    ),
    (
        "330 one-dimensional textures in all ways",
        &[
            (Vertex, PASS_330),
            (Fragment, "#version 330\nuniform sampler1D t; uniform isampler1D it; uniform sampler1DArray a; uniform sampler1DShadow s; uniform sampler1DArrayShadow sa; out vec4 c;
              void main() { float x = gl_FragCoord.x; c = texture(t, x) + texture(t, x, 1.0) + textureLod(t, x, 1.0) + textureGrad(t, x, 0.5, 0.25) + textureOffset(t, x, 1) + texelFetch(t, 1, 0) + texelFetchOffset(t, 1, 0, 1)
                + textureProj(t, vec2(x, 2)) + textureProj(t, vec4(x, 0, 0, 2)) + vec4(texelFetch(it, 0, 0)) + texture(a, vec2(x, 1)) + texelFetch(a, ivec2(0, 1), 0) + textureGrad(a, vec2(x, 1), 0.5, 0.5)
                + vec4(texture(s, vec3(x, 0, 0.5))) + vec4(textureProj(s, vec4(x, 0, 0.5, 2))) + vec4(texture(sa, vec3(x, 1, 0.5))) + vec4(textureSize(t, 0), textureSize(a, 0), 0) + textureLodOffset(t, x, 1.0, 1) + textureGradOffset(t, x, 1.0, 1.0, 1) + vec4(textureLod(s, vec3(x, 0, 0.5), 0.0)); }"),
        ],
    ),
    (
        "330 global initialisers",
        &[
            (Vertex, "#version 330\nuniform float k; in vec4 pos; vec4 doubled = pos * 2.0; float list[2] = float[](k, 3.0); const int N = 2; void main() { float s = 0.0; for (int i = 0; i < N; ++i) s += list[i]; gl_Position = doubled * s; }"),
            (Fragment, RED_330),
        ],
    ),
    (
        "330 overloads and recursion-free calls",
        &[
            (Vertex, PASS_330),
            (Fragment, "#version 330\nout vec4 c; float f(int x) { return float(x); } float f(float x) { return x * 2.0; } float f(vec2 x) { return x.x + f(x.y) + f(3); } void swap(inout vec2 a, inout vec2 b) { vec2 t = a; a = b; b = t; }
              void main() { vec2 a = vec2(1, 2), b = vec2(3, 4); swap(a, b); c = vec4(f(a), f(b), f(1), f(1.0)); }"),
        ],
    ),
    (
        "330 redefined built-in functions",
        &[
            (Vertex, PASS_330),
            (Fragment, "#version 330\nout vec4 c; float mix(float a, float b, float t) { return a; }
 vec2 max(vec2 a, vec2 b) { return a; }
 float clamp(float x) { return clamp(x, 0.0, 1.0); }
              void main() { c = vec4(mix(1.0, 2.0, 0.5), max(vec2(1), vec2(2)), clamp(7.0)); }"),
        ],
    ),
    (
        "330 matrix work",
        &[
            (Vertex, "#version 330\nin vec4 pos; uniform mat4 a; uniform mat3x4 b; uniform mat2 c; void main() { mat4 m = transpose(a) * matrixCompMult(a, a); m[1] = vec4(c[0], c[1]); m[2].xy += pos.xy; gl_Position = (m * b) * pos.xyz; }"),
            (Fragment, RED_330),
        ],
    ),
    (
        "330 swizzles and ternaries",
        &[
            (Vertex, PASS_330),
            (Fragment, "#version 330\nuniform ivec4 i; uniform float f; out vec4 c; void main() { vec4 v = vec4(i).wzyx; v.xz = v.zx; v.rgb *= f; c = mix(v.stpq, v.bgra, lessThan(v, vec4(f))); c[i.x & 3] = f > 0.0 ? v[1] : v[i.y & 3]; }"),
        ],
    ),
    (
        "330 uniform arrays of everything",
        &[
            (Vertex, "#version 330\nin vec4 pos; uniform vec3 a[5]; uniform mat3 b[2]; uniform mat4x3 d[2]; uniform ivec2 e[3]; uniform uint g[4]; uniform int n; void main() { gl_Position = pos + vec4(b[n] * a[n + 1], d[1][2].x) + vec4(e[n], g[n], g[3]); }"),
            (Fragment, RED_330),
        ],
    ),
    (
        "330 depth output",
        &[(Vertex, PASS_330), (Fragment, "#version 330\n#extension GL_ARB_conservative_depth : enable\nlayout(depth_less) out float gl_FragDepth; out vec4 c; void main() { gl_FragDepth = 0.25; c = vec4(1); }")],
    ),
    (
        "330 samplers passed to functions",
        &[
            (Vertex, PASS_330),
            (Fragment, "#version 330\nuniform sampler2D a, b; uniform sampler2DRect r; uniform sampler1D d; out vec4 c; vec4 get(sampler2D s, vec2 p) { return texture(s, p); } vec4 getr(sampler2DRect s, vec2 p) { return texture(s, p); } vec4 get1(sampler1D s, float p) { return texture(s, p); }
              void main() { c = get(a, vec2(0)) + get(b, vec2(1)) + getr(r, vec2(2)) + get1(d, 0.5); }"),
        ],
    ),
    (
        "330 names the target language reserves",
        &[
            (Vertex, "#version 330\nin vec4 pos; uniform float half_, input1, sample, patch, buffer, precise, subroutine, resource, coherent; out float image; vec4 fma(vec4 a) { return a; }
              void main() { image = sample + patch + buffer + precise + subroutine + resource + coherent + half_ + input1; gl_Position = fma(pos); }"),
            (Fragment, "#version 330\nin float image; out vec4 texture2D; float bitCount(float x) { return x; } void main() { float mix_ = image; texture2D = vec4(bitCount(mix_)); }"),
        ],
    ),
    (
        "330 large default block",
        &[
            (Vertex, "#version 330\nin vec4 pos; uniform mat4 bones[60]; uniform int n; void main() { gl_Position = bones[n] * pos; }"),
            (Fragment, "#version 330\nuniform vec4 palette[100]; uniform int n; out vec4 c; void main() { c = palette[n]; }"),
        ],
    ),
];
