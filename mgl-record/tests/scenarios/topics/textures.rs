//! Textures: every target, formats, sampling state, completeness, samplers (GL 3.3 §3.8).

use crate::bindings::consts::gl::*;
use crate::rig::{RECT, Rig, data};

/// Paints one pixel of a float target with an expression over textures, and gives it.
fn sampled(t: &Rig, declarations: &str, expression: &str) -> [f32; 4] {
    let p = t.paint(&format!("{declarations} out vec4 c; void main() {{ c = {expression}; }}"));
    t.strip();
    let got = t.pixel_f32(0, 0);
    t.UseProgram(0);
    t.DeleteProgram(p);
    got
}

fn scene(t: &Rig) {
    t.target(GL_RGBA32F, (1, 1));
}

fn set(t: &Rig, target: u32, name: u32, value: u32) {
    t.TexParameteri(target, name, value as i32);
}

fn rgb(r: u8, g: u8, b: u8) -> [u8; 4] {
    [r, g, b, 255]
}

fn unit(c: [u8; 4]) -> [f32; 4] {
    c.map(|v| f32::from(v) / 255.0)
}

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];
const WHITE: [u8; 4] = [255; 4];

/// A texture of `size` with levels of one colour each, until 1x1.
fn levels(t: &Rig, mut size: i32, colors: &[[u8; 4]]) -> u32 {
    let name = t.texture(GL_TEXTURE_2D);
    for (i, c) in colors.iter().enumerate() {
        t.TexImage2D(GL_TEXTURE_2D, i as i32, GL_RGBA8 as i32, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&vec![*c; (size * size) as usize]));
        size = (size / 2).max(1);
    }
    set(t, GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    name
}

scenarios! {
    /// 1D textures and arrays of them.
    fn one_dimension(t) {
        scene(t);
        t.texture(GL_TEXTURE_1D);
        t.TexImage1D(GL_TEXTURE_1D, 0, GL_RGBA8 as i32, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[RED, GREEN, BLUE, WHITE]));
        for (i, c) in [RED, GREEN, BLUE, WHITE].into_iter().enumerate() {
            t.near(&format!("texel {i}"), &sampled(t, "uniform sampler1D s;", &format!("texture(s, {:?})", (i as f32 + 0.5) / 4.0)), &unit(c), 0.0);
        }
        t.TexSubImage1D(GL_TEXTURE_1D, 0, 1, 2, GL_RGBA, GL_UNSIGNED_BYTE, data(&[WHITE, RED]));
        t.near("fetched", &sampled(t, "uniform sampler1D s;", "texelFetch(s, 2, 0)"), &unit(RED), 0.0);
        t.near("size", &sampled(t, "uniform sampler1D s;", "vec4(textureSize(s, 0))"), &[4.0; 4], 0.0);
        set(t, GL_TEXTURE_1D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        t.near("clamped", &sampled(t, "uniform sampler1D s;", "texture(s, 7.0)"), &unit(WHITE), 0.0);
        t.texture(GL_TEXTURE_1D_ARRAY);
        t.TexImage2D(GL_TEXTURE_1D_ARRAY, 0, GL_RGBA8 as i32, 2, 3, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[RED, GREEN, BLUE, WHITE, GREEN, RED]));
        t.near("layer 1", &sampled(t, "uniform sampler1DArray s;", "texture(s, vec2(0.75, 1.0))"), &unit(WHITE), 0.0);
        t.near("layer 2", &sampled(t, "uniform sampler1DArray s;", "texelFetch(s, ivec2(0, 2), 0)"), &unit(GREEN), 0.0);
        t.near("array's size", &sampled(t, "uniform sampler1DArray s;", "vec4(textureSize(s, 0), 0, 0)"), &[2.0, 3.0, 0.0, 0.0], 0.0);
    }

    /// 3D textures: slices, sub-boxes, filtering between slices.
    fn three_dimensions(t) {
        scene(t);
        t.texture(GL_TEXTURE_3D);
        let texels: Vec<[u8; 4]> = (0..8).map(|i| rgb(i * 30, (i & 1) * 255, 0)).collect();
        t.TexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8 as i32, 2, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&texels));
        t.near("texel", &sampled(t, "uniform sampler3D s;", "texture(s, vec3(0.75, 0.25, 0.75))"), &unit(texels[5]), 0.0);
        t.TexSubImage3D(GL_TEXTURE_3D, 0, 1, 0, 0, 1, 2, 1, GL_RGBA, GL_UNSIGNED_BYTE, data(&[BLUE, WHITE]));
        t.near("replaced", &sampled(t, "uniform sampler3D s;", "texelFetch(s, ivec3(1, 1, 0), 0)"), &unit(WHITE), 0.0);
        t.near("kept", &sampled(t, "uniform sampler3D s;", "texelFetch(s, ivec3(0, 1, 0), 0)"), &unit(texels[2]), 0.0);
        set(t, GL_TEXTURE_3D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        let (a, b) = (unit(texels[0]), unit(texels[4]));
        t.near("between slices", &sampled(t, "uniform sampler3D s;", "texture(s, vec3(0.25, 0.25, 0.5))"), &std::array::from_fn::<f32, 4, _>(|i| (a[i] + b[i]) / 2.0), 0.01);
        set(t, GL_TEXTURE_3D, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
        t.near("clamped", &sampled(t, "uniform sampler3D s;", "texture(s, vec3(0.25, 0.25, 5.0))"), &b, 0.01);
    }

    /// Array textures: layers are rounded and clamped, and not filtered between.
    fn arrays(t) {
        scene(t);
        t.texture(GL_TEXTURE_2D_ARRAY);
        t.TexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8 as i32, 1, 1, 3, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[RED, GREEN, BLUE]));
        for (layer, want) in [("0.0", RED), ("0.4", RED), ("0.6", GREEN), ("1.0", GREEN), ("2.4", BLUE), ("9.0", BLUE), ("-3.0", RED)] {
            t.near(&format!("layer {layer}"), &sampled(t, "uniform sampler2DArray s;", &format!("texture(s, vec3(0.5, 0.5, {layer}))")), &unit(want), 0.0);
        }
        t.TexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data(&[WHITE]));
        t.near("replaced", &sampled(t, "uniform sampler2DArray s;", "texture(s, vec3(0.5, 0.5, 1.0))"), &unit(WHITE), 0.0);
    }

    /// Cube maps: each direction finds its face, and coordinates on it run as table 3.21 says.
    fn cubes(t) {
        scene(t);
        t.texture(GL_TEXTURE_CUBE_MAP);
        for f in 0..6u8 {
            let texels: Vec<[u8; 4]> = (0..4).map(|i| rgb(f * 40, i * 60, 0)).collect();
            t.TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + u32::from(f), 0, GL_RGBA8 as i32, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&texels));
        }
        let s = "uniform samplerCube s;";
        // (direction, face, texel: s + 2 t)
        for (d, face, texel) in [
            ("1.0, 0.5, 0.5", 0u8, 0u8), ("1.0, -0.5, -0.5", 0, 3), ("-1.0, 0.5, 0.5", 1, 1), ("0.5, 1.0, 0.5", 2, 3), ("0.5, -1.0, 0.5", 3, 1),
            ("0.5, 0.5, 1.0", 4, 1), ("0.5, 0.5, -1.0", 5, 0), ("-0.5, -0.5, -1.0", 5, 3),
        ] {
            t.near(d, &sampled(t, s, &format!("texture(s, vec3({d}))")), &unit(rgb(face * 40, texel * 60, 0)), 0.0);
        }
        t.near("size", &sampled(t, s, "vec4(textureSize(s, 0), 0, 0)"), &[2.0, 2.0, 0.0, 0.0], 0.0);
    }

    /// Without TEXTURE_CUBE_MAP_SEAMLESS a face is filtered alone (GL 4.6 §8.14.2): up to its edge it has its own colours,
    /// in the middle it is filtered.
    fn cube_faces_alone(t) {
        scene(t);
        let colors = [1.0, 0.8, 0.6, 0.4, 0.2, 0.0];
        let face = |f: u32| rgb((colors[f as usize] * 255.0) as u8, 0, 0);
        t.texture(GL_TEXTURE_CUBE_MAP);
        for f in 0..6 {
            let (own, other) = (face(f), rgb(0, 255, 0));
            t.TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, GL_RGBA8 as i32, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[own, other, own, other]));
        }
        set(t, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        set(t, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        for wrap in [GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R] { set(t, GL_TEXTURE_CUBE_MAP, wrap, GL_CLAMP_TO_EDGE) }
        let s = "uniform samplerCube s;";
        for look_up in ["texture(s, DIR)", "textureLod(s, DIR, 0.0)", "textureGrad(s, DIR, vec3(0.0), vec3(0.0))"] {
            let at = |v: &str| look_up.replace("DIR", v);
            t.near(&format!("{look_up}: left edge of +X"), &sampled(t, s, &at("vec3(1.0, 0.5, 0.999)")), &unit(face(0)), 0.01);
            t.near(&format!("{look_up}: right edge of +X"), &sampled(t, s, &at("vec3(1.0, 0.5, -0.999)")), &[0.0, 1.0, 0.0, 1.0], 0.01);
            t.near(&format!("{look_up}: left edge of -Z"), &sampled(t, s, &at("vec3(0.999, 0.2, -1.0)")), &unit(face(5)), 0.01);
            t.near(&format!("{look_up}: middle of +X"), &sampled(t, s, &at("vec3(1.0, 0.0, 0.0)")), &[0.5, 0.5, 0.0, 1.0], 0.02);
        }
        t.Enable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
        t.near("an edge without a seam", &sampled(t, s, "texture(s, vec3(1.0, 0.5, 0.999))"), &[0.5, 0.5, 0.0, 1.0], 0.02);
    }

    /// With seamless filtering an edge mixes two faces.
    fn seamless_cubes(t) {
        scene(t);
        t.texture(GL_TEXTURE_CUBE_MAP);
        for f in 0..6u32 {
            let c = if f == 0 { WHITE } else { [0, 0, 0, 255] };
            t.TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, GL_RGBA8 as i32, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[c; 4]));
        }
        set(t, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        for wrap in [GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R] { set(t, GL_TEXTURE_CUBE_MAP, wrap, GL_CLAMP_TO_EDGE) }
        t.Enable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
        let edge = sampled(t, "uniform samplerCube s;", "texture(s, vec3(1.0, 0.0, 0.999))");
        t.near("at the edge", &edge, &[0.5, 0.5, 0.5, 1.0], 0.01);
        t.near("in the middle", &sampled(t, "uniform samplerCube s;", "texture(s, vec3(1.0, 0.0, 0.0))"), &[1.0; 4], 0.01);
    }

    /// Rectangle textures have coordinates in texels, and neither levels nor repetition.
    fn rectangles(t) {
        scene(t);
        t.texture(GL_TEXTURE_RECTANGLE);
        let texels: Vec<[u8; 4]> = (0..6).map(|i| rgb(i * 40, 7, 9)).collect();
        t.TexImage2D(GL_TEXTURE_RECTANGLE, 0, GL_RGBA8 as i32, 3, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&texels));
        let s = "uniform sampler2DRect s;";
        t.near("texel", &sampled(t, s, "texture(s, vec2(2.5, 1.5))"), &unit(texels[5]), 0.0);
        t.near("fetched", &sampled(t, s, "texelFetch(s, ivec2(1, 1))"), &unit(texels[4]), 0.0);
        t.near("clamped", &sampled(t, s, "texture(s, vec2(-5.0, 0.5))"), &unit(texels[0]), 0.0);
        t.near("size", &sampled(t, s, "vec4(textureSize(s), 0, 0)"), &[3.0, 2.0, 0.0, 0.0], 0.0);
        set(t, GL_TEXTURE_RECTANGLE, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        let (a, b) = (unit(texels[0]), unit(texels[1]));
        t.near("filtered", &sampled(t, s, "texture(s, vec2(1.0, 0.5))"), &std::array::from_fn::<f32, 4, _>(|i| (a[i] + b[i]) / 2.0), 0.01);
        t.near("projected", &sampled(t, s, "textureProj(s, vec3(5.0, 3.0, 2.0))"), &unit(texels[5]), 0.1);
        t.wrong(&[
            ("a level", GL_INVALID_VALUE, &|t| t.TexImage2D(GL_TEXTURE_RECTANGLE, 1, GL_RGBA8 as i32, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null())),
            ("repetition", GL_INVALID_ENUM, &|t| set(t, GL_TEXTURE_RECTANGLE, GL_TEXTURE_WRAP_S, GL_REPEAT)),
            ("mip filters", GL_INVALID_ENUM, &|t| set(t, GL_TEXTURE_RECTANGLE, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR)),
            ("a base level", GL_INVALID_OPERATION, &|t| t.TexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_BASE_LEVEL, 1)),
        ]);
    }

    /// Buffer textures: a buffer's bytes as texels of a format.
    fn buffer_textures(t) {
        scene(t);
        let b = t.buffer(GL_TEXTURE_BUFFER, &[1.5f32, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5]);
        t.texture(GL_TEXTURE_BUFFER);
        t.TexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, b);
        let s = "uniform samplerBuffer s;";
        t.near("texel", &sampled(t, s, "texelFetch(s, 1)"), &[5.5, 6.5, 7.5, 8.5], 0.0);
        t.near("size", &sampled(t, s, "vec4(textureSize(s))"), &[2.0; 4], 0.0);
        t.BufferSubData(GL_TEXTURE_BUFFER, 16, 4, data(&[99.0f32]));
        t.near("written", &sampled(t, s, "texelFetch(s, 1)"), &[99.0, 6.5, 7.5, 8.5], 0.0);
        t.TexBuffer(GL_TEXTURE_BUFFER, GL_R32F, b);
        t.near("of one component", &sampled(t, s, "texelFetch(s, 3)"), &[4.5, 0.0, 0.0, 1.0], 0.0);
        t.TexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, b);
        t.BufferSubData(GL_TEXTURE_BUFFER, 0, 4, data(&[51u8, 102, 153, 255]));
        t.near("of bytes", &sampled(t, s, "texelFetch(s, 0)"), &[0.2, 0.4, 0.6, 1.0], 0.001);
        t.BufferData(GL_TEXTURE_BUFFER, 8, data(&[7i32, -8]), GL_STATIC_DRAW);
        t.TexBuffer(GL_TEXTURE_BUFFER, GL_RG32I, b);
        t.near("integers in new storage", &sampled(t, "uniform isamplerBuffer s;", "vec4(texelFetch(s, 0))"), &[7.0, -8.0, 0.0, 1.0], 0.0);
        t.wrong(&[
            ("a format that is none", GL_INVALID_ENUM, &|t| t.TexBuffer(GL_TEXTURE_BUFFER, GL_DEPTH_COMPONENT16, b)),
            ("a target that is none", GL_INVALID_ENUM, &|t| t.TexBuffer(GL_TEXTURE_2D, GL_RGBA8, b)),
            ("a buffer that is none", GL_INVALID_OPERATION, &|t| t.TexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, 12345)),
        ]);
    }

    /// Multisample textures: samples are fetched one by one.
    fn multisample_textures(t) {
        let name = t.texture(GL_TEXTURE_2D_MULTISAMPLE);
        t.TexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, 4, 4, 1);
        let mut v = 0;
        t.GetTexLevelParameteriv(GL_TEXTURE_2D_MULTISAMPLE, 0, GL_TEXTURE_SAMPLES, &mut v);
        t.eq("samples", v, 4);
        t.framebuffer();
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, name, 0);
        t.complete();
        t.Viewport(0, 0, 4, 4);
        t.clear([0.2, 0.4, 0.6, 1.0]);
        scene(t);
        for i in 0..4 {
            t.near(&format!("sample {i}"), &sampled(t, "uniform sampler2DMS s;", &format!("texelFetch(s, ivec2(1, 2), {i})")), &[0.2, 0.4, 0.6, 1.0], 0.01);
        }
        t.near("size", &sampled(t, "uniform sampler2DMS s;", "vec4(textureSize(s), 0, 0)"), &[4.0, 4.0, 0.0, 0.0], 0.0);
        let most = t.int(GL_MAX_COLOR_TEXTURE_SAMPLES).max(t.int(GL_MAX_SAMPLES));
        t.wrong(&[
            ("too many samples", GL_INVALID_OPERATION, &|t| t.TexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, most + 100, GL_RGBA8, 4, 4, 1)),
            ("filters", GL_INVALID_ENUM, &|t| set(t, GL_TEXTURE_2D_MULTISAMPLE, GL_TEXTURE_MIN_FILTER, GL_NEAREST)),
            ("a negative size", GL_INVALID_VALUE, &|t| t.TexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, -4, 4, 1)),
        ]);
    }

    /// Multisample arrays.
    fn multisample_arrays(t) {
        let name = t.texture(GL_TEXTURE_2D_MULTISAMPLE_ARRAY);
        t.TexImage3DMultisample(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, 4, GL_RGBA8, 4, 4, 2, 1);
        for layer in 0..2 {
            t.framebuffer();
            t.FramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, name, 0, layer);
            t.complete();
            t.clear([layer as f32, 0.5, 0.0, 1.0]);
        }
        scene(t);
        for layer in 0..2 {
            t.near(&format!("layer {layer}"), &sampled(t, "uniform sampler2DMSArray s;", &format!("texelFetch(s, ivec3(1, 1, {layer}), 2)")), &[layer as f32, 0.5, 0.0, 1.0], 0.01);
        }
    }

    /// Integer textures are fetched and sampled exactly.
    fn integer_textures(t) {
        scene(t);
        t.texture_2d(GL_RGBA32I, (2, 1), GL_RGBA_INTEGER, GL_INT, &[[1, -2, i32::MAX, i32::MIN], [5, 6, 7, 8]]);
        t.near("signed", &sampled(t, "uniform isampler2D s;", "vec4(texture(s, vec2(0.25, 0.5)))"), &[1.0, -2.0, 2147483648.0, -2147483648.0], 0.0);
        t.texture_2d(GL_RG16UI, (1, 1), GL_RG_INTEGER, GL_UNSIGNED_SHORT, &[65535u16, 3]);
        t.near("unsigned, missing components", &sampled(t, "uniform usampler2D s;", "vec4(texelFetch(s, ivec2(0), 0))"), &[65535.0, 3.0, 0.0, 1.0], 0.0);
        t.texture_2d(GL_R8I, (1, 1), GL_RED_INTEGER, GL_BYTE, &[-100i8, 0, 0, 0]);
        t.near("bytes", &sampled(t, "uniform isampler2D s;", "vec4(texelFetch(s, ivec2(0), 0))"), &[-100.0, 0.0, 0.0, 1.0], 0.0);
    }

    /// Depth textures: as numbers, and compared.
    fn shadow_textures(t) {
        scene(t);
        t.texture_2d(GL_DEPTH_COMPONENT24, (2, 1), GL_DEPTH_COMPONENT, GL_FLOAT, &[0.25f32, 0.75]);
        t.near("as a number", &sampled(t, "uniform sampler2D s;", "texture(s, vec2(0.75, 0.5))"), &[0.75, 0.0, 0.0, 1.0], 0.001);
        set(t, GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        let compared = |x: f32, reference: f32| sampled(t, "uniform sampler2DShadow s;", &format!("vec4(texture(s, vec3({x:?}, 0.5, {reference:?})))"))[0];
        for (func, want) in [(GL_LEQUAL, [1.0, 0.0]), (GL_GEQUAL, [0.0, 1.0]), (GL_LESS, [1.0, 0.0]), (GL_GREATER, [0.0, 1.0]), (GL_ALWAYS, [1.0, 1.0]), (GL_NEVER, [0.0, 0.0])] {
            set(t, GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, func);
            t.near(&format!("function {func:#x}"), &[compared(0.75, 0.5), compared(0.25, 0.5)], &want, 0.0);
        }
        set(t, GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
        t.near("projected", &sampled(t, "uniform sampler2DShadow s;", "vec4(textureProj(s, vec4(1.5, 1.0, 1.0, 2.0)))"), &[1.0; 4], 0.0);
        t.near("a reference above 1 is clamped", &[compared(0.75, 2.0)], &[0.0], 0.0);
        t.texture(GL_TEXTURE_2D_ARRAY);
        t.TexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_DEPTH_COMPONENT24 as i32, 1, 1, 2, 0, GL_DEPTH_COMPONENT, GL_FLOAT, data(&[0.25f32, 0.75]));
        set(t, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        t.near("array", &sampled(t, "uniform sampler2DArrayShadow s;", "vec4(texture(s, vec4(0.5, 0.5, 1.0, 0.5)), texture(s, vec4(0.5, 0.5, 0.0, 0.5)), 0, 0)"), &[1.0, 0.0, 0.0, 0.0], 0.0);
    }

    /// Swizzles, one by one and all at once.
    fn swizzles(t) {
        scene(t);
        t.rgba((1, 1), &[[51, 102, 153, 204]]);
        let s = "uniform sampler2D s;";
        t.TexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, [GL_BLUE as i32, GL_ALPHA as i32, GL_ZERO as i32, GL_ONE as i32].as_ptr());
        t.near("all", &sampled(t, s, "texture(s, vec2(0.5))"), &[0.6, 0.8, 0.0, 1.0], 0.001);
        set(t, GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_B, GL_RED);
        t.near("one", &sampled(t, s, "texture(s, vec2(0.5))"), &[0.6, 0.8, 0.2, 1.0], 0.001);
        t.near("fetched", &sampled(t, s, "texelFetch(s, ivec2(0), 0)"), &[0.6, 0.8, 0.2, 1.0], 0.001);
        t.texture_2d(GL_R8, (1, 1), GL_RED, GL_UNSIGNED_BYTE, &[128u8, 0, 0, 0]);
        t.TexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, [GL_ONE as i32, GL_ONE as i32, GL_ONE as i32, GL_RED as i32].as_ptr());
        t.near("an alpha mask", &sampled(t, s, "texture(s, vec2(0.5))"), &[1.0, 1.0, 1.0, 0.502], 0.001);
        let mut v = [0; 4];
        t.GetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, v.as_mut_ptr());
        t.eq("queried", v, [GL_ONE, GL_ONE, GL_ONE, GL_RED].map(|v| v as i32));
        t.wrong(&[("a source that is none", GL_INVALID_ENUM, &|t| set(t, GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_RGBA))]);
    }

    /// Wrap modes, beyond both ends.
    fn wrapping(t) {
        scene(t);
        t.rgba((4, 1), &[RED, GREEN, BLUE, WHITE]);
        t.TexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, [0.25, 0.5, 0.75, 1.0].as_ptr());
        let border = [64, 128, 191, 255];
        for (wrap, below, above, far) in [
            (GL_REPEAT, WHITE, RED, GREEN), (GL_MIRRORED_REPEAT, RED, WHITE, GREEN), (GL_CLAMP_TO_EDGE, RED, WHITE, WHITE), (GL_CLAMP_TO_BORDER, border, border, border),
        ] {
            set(t, GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap);
            for (x, want) in [("-0.125", below), ("1.125", above), ("0.375", GREEN)] {
                t.near(&format!("{wrap:#x} at {x}"), &sampled(t, "uniform sampler2D s;", &format!("texture(s, vec2({x}, 0.5))")), &unit(want), 0.004);
            }
            let x = if wrap == GL_MIRRORED_REPEAT { "2.375" } else { "3.375" };
            t.near(&format!("{wrap:#x} far"), &sampled(t, "uniform sampler2D s;", &format!("texture(s, vec2({x}, 0.5))")), &unit(far), 0.004);
        }
        t.wrong(&[("a mode that is none", GL_INVALID_ENUM, &|t| set(t, GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_LINEAR))]);
    }

    /// Border colours of integer and depth textures.
    fn border_colours(t) {
        scene(t);
        t.texture_2d(GL_RGBA8I, (1, 1), GL_RGBA_INTEGER, GL_BYTE, &[[1i8, 2, 3, 4]]);
        for wrap in [GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T] { set(t, GL_TEXTURE_2D, wrap, GL_CLAMP_TO_BORDER) }
        t.TexParameterIiv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, [-5, 6, -7, 8].as_ptr());
        t.near("integers", &sampled(t, "uniform isampler2D s;", "vec4(texture(s, vec2(3.0)))"), &[-5.0, 6.0, -7.0, 8.0], 0.0);
        let mut v = [0; 4];
        t.GetTexParameterIiv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, v.as_mut_ptr());
        t.eq("queried", v, [-5, 6, -7, 8]);
        t.texture_2d(GL_DEPTH_COMPONENT24, (1, 1), GL_DEPTH_COMPONENT, GL_FLOAT, &[0.1f32]);
        for wrap in [GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T] { set(t, GL_TEXTURE_2D, wrap, GL_CLAMP_TO_BORDER) }
        t.TexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, [1.0; 4].as_ptr());
        set(t, GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        t.near("outside a shadow map", &sampled(t, "uniform sampler2DShadow s;", "vec4(texture(s, vec3(3.0, 3.0, 0.9)))"), &[1.0; 4], 0.0);
    }

    /// Filters: nearest and linear, minified and magnified.
    fn filters(t) {
        scene(t);
        t.rgba((2, 1), &[[0, 0, 0, 255], WHITE]);
        let s = "uniform sampler2D s;";
        set(t, GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        t.near("nearest", &sampled(t, s, "texture(s, vec2(0.45, 0.5))"), &[0.0, 0.0, 0.0, 1.0], 0.0);
        set(t, GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        t.near("linear", &sampled(t, s, "texture(s, vec2(0.5, 0.5))"), &[0.5, 0.5, 0.5, 1.0], 0.01);
        t.near("a quarter", &sampled(t, s, "texture(s, vec2(0.375, 0.5))"), &[0.25, 0.25, 0.25, 1.0], 0.01);
        t.wrong(&[
            ("a magnifying mip filter", GL_INVALID_ENUM, &|t| set(t, GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR_MIPMAP_LINEAR)),
            ("a filter that is none", GL_INVALID_ENUM, &|t| set(t, GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_REPEAT)),
        ]);
    }

    /// Levels by textureLod, base and max level, LOD clamps.
    fn levels_of_detail(t) {
        scene(t);
        levels(t, 8, &[RED, GREEN, BLUE, WHITE]);
        let s = "uniform sampler2D s;";
        let lod = |l: f32| sampled(t, s, &format!("textureLod(s, vec2(0.5), {l:?})"));
        for (l, want) in [(0.0, RED), (0.6, GREEN), (1.0, GREEN), (2.2, BLUE), (3.0, WHITE), (9.0, WHITE), (-2.0, RED)] {
            t.near(&format!("level {l}"), &lod(l), &unit(want), 0.0);
        }
        t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
        t.near("base 1", &lod(0.0), &unit(GREEN), 0.0);
        t.near("its size", &sampled(t, s, "vec4(textureSize(s, 0), textureSize(s, 1))"), &[4.0, 4.0, 2.0, 2.0], 0.0);
        t.near("fetched from there", &sampled(t, s, "texelFetch(s, ivec2(0), 1)"), &unit(BLUE), 0.0);
        t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 2);
        t.near("max 2", &lod(5.0), &unit(BLUE), 0.0);
        t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 0);
        t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1000);
        t.TexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MIN_LOD, 1.0);
        t.near("least", &lod(0.0), &unit(GREEN), 0.0);
        t.TexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_LOD, 2.0);
        t.near("most", &lod(9.0), &unit(BLUE), 0.0);
        t.wrong(&[
            ("a negative base", GL_INVALID_VALUE, &|t| t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, -1)),
            ("a negative most", GL_INVALID_VALUE, &|t| t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, -1)),
        ]);
    }

    /// The bias of a texture, of a sampler, and of a look-up add up.
    fn bias(t) {
        scene(t);
        levels(t, 8, &[RED, GREEN, BLUE, WHITE]);
        let s = "uniform sampler2D s;";
        let plain = |what: &str, want| t.near(what, &sampled(t, s, "texture(s, gl_FragCoord.xy / 8.0)"), &unit(want), 0.0);
        plain("none", RED);
        t.TexParameterf(GL_TEXTURE_2D, GL_TEXTURE_LOD_BIAS, 1.0);
        plain("of the texture", GREEN);
        t.near("and of the look-up", &sampled(t, s, "texture(s, gl_FragCoord.xy / 8.0, 1.0)"), &unit(BLUE), 0.0);
        let mut sampler = 0;
        t.GenSamplers(1, &mut sampler);
        t.BindSampler(0, sampler);
        t.SamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST as i32);
        t.SamplerParameterf(sampler, GL_TEXTURE_LOD_BIAS, 2.0);
        plain("of the sampler", BLUE);
        t.BindSampler(0, 0);
        t.TexParameterf(GL_TEXTURE_2D, GL_TEXTURE_LOD_BIAS, -5.0);
        t.near("negative", &sampled(t, s, "texture(s, gl_FragCoord.xy / 1.0)"), &unit(RED), 0.0);
        t.is("GL_MAX_TEXTURE_LOD_BIAS", t.floats::<1>(GL_MAX_TEXTURE_LOD_BIAS)[0] >= 2.0);
    }

    /// Trilinear filtering mixes levels.
    fn trilinear(t) {
        scene(t);
        levels(t, 4, &[[0, 0, 0, 255], WHITE, [0, 0, 0, 255]]);
        set(t, GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
        t.near("half", &sampled(t, "uniform sampler2D s;", "textureLod(s, vec2(0.5), 0.5)"), &[0.5, 0.5, 0.5, 1.0], 0.01);
        t.near("a quarter of the next", &sampled(t, "uniform sampler2D s;", "textureLod(s, vec2(0.5), 1.25)"), &[0.75, 0.75, 0.75, 1.0], 0.01);
        t.near("by gradients", &sampled(t, "uniform sampler2D s;", "textureGrad(s, vec2(0.5), vec2(0.5, 0.0), vec2(0.0, 0.5))"), &[1.0; 4], 0.01);
    }

    /// What is incomplete samples as black with alpha 1 (and 0 for integers).
    fn incomplete(t) {
        scene(t);
        let s = "uniform sampler2D s;";
        let black = [0.0, 0.0, 0.0, 1.0];
        t.BindTexture(GL_TEXTURE_2D, 0);
        t.near("no texture", &sampled(t, s, "texture(s, vec2(0.5))"), &black, 0.0);
        t.rgba((4, 4), &[WHITE; 16]);
        set(t, GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_LINEAR);
        t.near("lacking levels", &sampled(t, s, "texture(s, vec2(0.5))"), &black, 0.0);
        t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
        t.near("that are not asked for", &sampled(t, s, "texture(s, vec2(0.5))"), &[1.0; 4], 0.0);
        t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 3);
        t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 5);
        t.near("a base that is not there", &sampled(t, s, "texture(s, vec2(0.5))"), &black, 0.0);
        t.rgba((4, 4), &[WHITE; 16]);
        t.TexImage2D(GL_TEXTURE_2D, 1, GL_RGBA8 as i32, 3, 3, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[WHITE; 9]));
        t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1);
        set(t, GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
        t.near("a level of a wrong size", &sampled(t, s, "texture(s, vec2(0.5))"), &black, 0.0);
        t.texture_2d(GL_RGBA8UI, (1, 1), GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, &WHITE);
        set(t, GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        // Mesa gives the bits of 1.0 for the last component.
        t.near("integers, filtered", &sampled(t, "uniform usampler2D s;", "vec4(texture(s, vec2(0.5)))")[..3], &[0.0; 3], 0.0);
        t.texture(GL_TEXTURE_CUBE_MAP);
        for f in 0..5 { t.TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, GL_RGBA8 as i32, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[WHITE])) }
        t.near("a cube of five faces", &sampled(t, "uniform samplerCube s;", "texture(s, vec3(1, 0, 0))"), &black, 0.0);
    }

    /// Sampler objects stand before the texture's own parameters.
    fn sampler_objects(t) {
        scene(t);
        t.rgba((2, 1), &[RED, BLUE]);
        let mut names = [0u32; 2];
        t.GenSamplers(2, names.as_mut_ptr());
        let s = "uniform sampler2D s;";
        t.eq("defaults", { let mut v = 0; t.GetSamplerParameteriv(names[0], GL_TEXTURE_MIN_FILTER, &mut v); v }, GL_NEAREST_MIPMAP_LINEAR as i32);
        t.BindSampler(0, names[0]);
        t.near("its filter asks for levels", &sampled(t, s, "texture(s, vec2(0.25, 0.5))"), &[0.0, 0.0, 0.0, 1.0], 0.0);
        t.SamplerParameteri(names[0], GL_TEXTURE_MIN_FILTER, GL_LINEAR as i32);
        t.SamplerParameteri(names[0], GL_TEXTURE_MAG_FILTER, GL_LINEAR as i32);
        t.near("linear", &sampled(t, s, "texture(s, vec2(0.5, 0.5))"), &[0.5, 0.0, 0.5, 1.0], 0.01);
        t.BindSampler(0, names[1]);
        t.SamplerParameteri(names[1], GL_TEXTURE_MIN_FILTER, GL_NEAREST as i32);
        t.SamplerParameteri(names[1], GL_TEXTURE_MAG_FILTER, GL_NEAREST as i32);
        t.SamplerParameteri(names[1], GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER as i32);
        t.SamplerParameterfv(names[1], GL_TEXTURE_BORDER_COLOR, [0.0, 1.0, 0.0, 0.5].as_ptr());
        t.near("border", &sampled(t, s, "texture(s, vec2(-0.5, 0.5))"), &[0.0, 1.0, 0.0, 0.5], 0.01);
        t.eq("GL_SAMPLER_BINDING", t.int(GL_SAMPLER_BINDING) as u32, names[1]);
        t.DeleteSamplers(1, &names[1]);
        t.eq("deleted", (t.int(GL_SAMPLER_BINDING), t.IsSampler(names[1]), t.IsSampler(names[0])), (0, 0, 1));
        t.near("the texture's own again", &sampled(t, s, "texture(s, vec2(-0.5, 0.5))"), &unit(BLUE), 0.0);
        let units = t.int(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS) as u32;
        t.wrong(&[
            ("a unit too many", GL_INVALID_VALUE, &|t| t.BindSampler(units, names[0])),
            ("a sampler that is none", GL_INVALID_OPERATION, &|t| t.BindSampler(0, 4444)),
            ("a parameter that is none", GL_INVALID_ENUM, &|t| t.SamplerParameteri(names[0], GL_TEXTURE_BASE_LEVEL, 0)),
            ("a value that is none", GL_INVALID_ENUM, &|t| t.SamplerParameteri(names[0], GL_TEXTURE_WRAP_S, GL_LINEAR as i32)),
        ]);
    }

    /// Mipmaps are generated from the base level, for several targets and formats.
    fn generated_mipmaps(t) {
        scene(t);
        t.rgba((4, 4), &std::array::from_fn::<[u8; 4], 16, _>(|i| if (i + i / 4) % 2 == 0 { WHITE } else { [0, 0, 0, 255] }));
        t.GenerateMipmap(GL_TEXTURE_2D);
        for l in 1..3 {
            t.near(&format!("level {l}"), &sampled(t, "uniform sampler2D s;", &format!("texelFetch(s, ivec2(0), {l})")), &[0.5, 0.5, 0.5, 1.0], 0.01);
        }
        let mut v = 0;
        t.GetTexLevelParameteriv(GL_TEXTURE_2D, 2, GL_TEXTURE_WIDTH, &mut v);
        t.eq("the last has one texel", v, 1);
        t.texture_2d(GL_RG16F, (2, 2), GL_RG, GL_FLOAT, &[[1.0f32, 8.0], [2.0, 8.0], [3.0, 8.0], [6.0, 16.0]]);
        t.GenerateMipmap(GL_TEXTURE_2D);
        t.near("floats", &sampled(t, "uniform sampler2D s;", "texelFetch(s, ivec2(0), 1)"), &[3.0, 10.0, 0.0, 1.0], 0.01);
        t.texture(GL_TEXTURE_2D_ARRAY);
        t.TexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8 as i32, 2, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[RED, RED, RED, RED, BLUE, BLUE, BLUE, BLUE]));
        t.GenerateMipmap(GL_TEXTURE_2D_ARRAY);
        t.near("layers are not mixed", &sampled(t, "uniform sampler2DArray s;", "texelFetch(s, ivec3(0, 0, 1), 1)"), &unit(BLUE), 0.0);
        t.texture(GL_TEXTURE_3D);
        t.TexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8 as i32, 2, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[RED, RED, RED, RED, BLUE, BLUE, BLUE, BLUE]));
        t.GenerateMipmap(GL_TEXTURE_3D);
        t.near("slices are", &sampled(t, "uniform sampler3D s;", "texelFetch(s, ivec3(0), 1)"), &[0.5, 0.0, 0.5, 1.0], 0.01);
        t.texture(GL_TEXTURE_CUBE_MAP);
        for f in 0..6u8 { t.TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + u32::from(f), 0, GL_RGBA8 as i32, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[rgb(f * 50, 0, 0); 4])) }
        t.GenerateMipmap(GL_TEXTURE_CUBE_MAP);
        t.near("faces", &sampled(t, "uniform samplerCube s;", "textureLod(s, vec3(0, 0, 1), 1.0)"), &unit(rgb(200, 0, 0)), 0.004);
        t.texture(GL_TEXTURE_1D);
        t.TexImage1D(GL_TEXTURE_1D, 0, GL_RGBA8 as i32, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[RED, BLUE]));
        t.GenerateMipmap(GL_TEXTURE_1D);
        t.near("1D", &sampled(t, "uniform sampler1D s;", "texelFetch(s, 0, 1)"), &[0.5, 0.0, 0.5, 1.0], 0.01);
        t.texture_2d(GL_SRGB8_ALPHA8, (2, 1), GL_RGBA, GL_UNSIGNED_BYTE, &[[0u8, 0, 0, 255], WHITE]);
        t.GenerateMipmap(GL_TEXTURE_2D);
        let srgb = sampled(t, "uniform sampler2D s;", "texelFetch(s, ivec2(0), 1)");
        t.saw("sRGB is averaged", if srgb[0] > 0.4 { "in linear light" } else { "as it is stored" });
        t.wrong(&[
            ("a target that is none", GL_INVALID_ENUM, &|t| t.GenerateMipmap(GL_TEXTURE_RECTANGLE)),
        ]);
        t.texture(GL_TEXTURE_CUBE_MAP);
        t.wrong(&[("an incomplete cube", GL_INVALID_OPERATION, &|t| t.GenerateMipmap(GL_TEXTURE_CUBE_MAP))]);
    }

    /// Internal formats: what is uploaded is sampled, with the components that the format has.
    fn formats(t) {
        scene(t);
        let value = [0.2f32, 0.4, 0.6, 0.8];
        for (internal, want, tolerance) in [
            (GL_R8, [0.2, 0.0, 0.0, 1.0], 0.003), (GL_RG8, [0.2, 0.4, 0.0, 1.0], 0.003), (GL_RGB8, [0.2, 0.4, 0.6, 1.0], 0.003), (GL_RGBA8, value, 0.003),
            (GL_R16, [0.2, 0.0, 0.0, 1.0], 0.001), (GL_RG16, [0.2, 0.4, 0.0, 1.0], 0.001), (GL_RGB16, [0.2, 0.4, 0.6, 1.0], 0.001), (GL_RGBA16, value, 0.001),
            (GL_R8_SNORM, [0.2, 0.0, 0.0, 1.0], 0.01), (GL_RG8_SNORM, [0.2, 0.4, 0.0, 1.0], 0.01), (GL_RGBA8_SNORM, value, 0.01), (GL_RGBA16_SNORM, value, 0.001),
            (GL_R16F, [0.2, 0.0, 0.0, 1.0], 0.001), (GL_RG16F, [0.2, 0.4, 0.0, 1.0], 0.001), (GL_RGB16F, [0.2, 0.4, 0.6, 1.0], 0.001), (GL_RGBA16F, value, 0.001),
            (GL_R32F, [0.2, 0.0, 0.0, 1.0], 0.0), (GL_RG32F, [0.2, 0.4, 0.0, 1.0], 0.0), (GL_RGB32F, [0.2, 0.4, 0.6, 1.0], 0.0), (GL_RGBA32F, value, 0.0),
            (GL_R11F_G11F_B10F, [0.2, 0.4, 0.6, 1.0], 0.01), (GL_RGB9_E5, [0.2, 0.4, 0.6, 1.0], 0.003), (GL_RGB10_A2, [0.2, 0.4, 0.6, 2.0 / 3.0], 0.14),
            (GL_RGBA4, value, 0.035), (GL_RGB5_A1, [0.2, 0.4, 0.6, 1.0], 0.02), (GL_RGB565, [0.2, 0.4, 0.6, 1.0], 0.02),
            (GL_SRGB8, [0.0331, 0.1329, 0.3185, 1.0], 0.005), (GL_SRGB8_ALPHA8, [0.0331, 0.1329, 0.3185, 0.8], 0.005),
            (GL_RGBA, value, 0.003), (GL_RGB, [0.2, 0.4, 0.6, 1.0], 0.003), (GL_RED, [0.2, 0.0, 0.0, 1.0], 0.003), (GL_RG, [0.2, 0.4, 0.0, 1.0], 0.003),
        ] {
            t.texture_2d(internal, (1, 1), GL_RGBA, GL_FLOAT, &value);
            t.near(&format!("format {internal:#x}"), &sampled(t, "uniform sampler2D s;", "texture(s, vec2(0.5))"), &want, tolerance);
            t.ok(&format!("format {internal:#x}"));
        }
    }

    /// Luminance, intensity and alpha formats of the compatibility flavour.
    [Compatibility] fn legacy_formats(t) {
        scene(t);
        for (internal, format, bytes, want) in [
            (GL_ALPHA, GL_ALPHA, vec![102u8, 0, 0, 0], [0.0, 0.0, 0.0, 0.4]), (GL_LUMINANCE, GL_LUMINANCE, vec![102, 0, 0, 0], [0.4, 0.4, 0.4, 1.0]),
            (GL_LUMINANCE_ALPHA, GL_LUMINANCE_ALPHA, vec![102, 51, 0, 0], [0.4, 0.4, 0.4, 0.2]), (GL_INTENSITY, GL_RED, vec![102, 0, 0, 0], [0.4; 4]),
            (GL_LUMINANCE8, GL_RGBA, vec![102, 9, 9, 9], [0.4, 0.4, 0.4, 1.0]), (GL_ALPHA8, GL_RGBA, vec![9, 9, 9, 102], [0.0, 0.0, 0.0, 0.4]), (4, GL_RGBA, vec![51, 102, 153, 204], [0.2, 0.4, 0.6, 0.8]), (3, GL_RGB, vec![51, 102, 153, 0], [0.2, 0.4, 0.6, 1.0]),
        ] {
            t.texture_2d(internal, (1, 1), format, GL_UNSIGNED_BYTE, &bytes);
            t.near(&format!("format {internal:#x}"), &sampled(t, "uniform sampler2D s;", "texture(s, vec2(0.5))"), &want, 0.003);
            t.ok(&format!("format {internal:#x}"));
        }
    }

    /// Many units, each with a texture of each target of its own.
    fn units(t) {
        scene(t);
        let n = t.int(GL_MAX_TEXTURE_IMAGE_UNITS).min(16);
        for i in 0..n {
            t.ActiveTexture(GL_TEXTURE0 + i as u32);
            t.rgba((1, 1), &[[(i * 10) as u8, 255, 0, 255]]);
        }
        let names: Vec<String> = (0..n).map(|i| format!("uniform sampler2D s{i};")).collect();
        let terms: Vec<String> = (0..n).map(|i| format!("texture(s{i}, vec2(0.5)).r * float({})", i + 1)).collect();
        let p = t.paint(&format!("{} out vec4 c; void main() {{ c = vec4({}); }}", names.join(" "), terms.join(" + ")));
        for i in 0..n { t.Uniform1i(t.at(&format!("s{i}")), i) }
        t.strip();
        let want: f32 = (0..n).map(|i| (i * 10) as f32 / 255.0 * (i + 1) as f32).sum();
        t.near("sum", &t.pixel_f32(0, 0)[..1], &[want], 0.01);
        t.eq("active", t.int(GL_ACTIVE_TEXTURE) as u32, GL_TEXTURE0 + n as u32 - 1);
        t.ActiveTexture(GL_TEXTURE0);
        t.texture(GL_TEXTURE_CUBE_MAP);
        t.is("targets of a unit are apart", t.int(GL_TEXTURE_BINDING_2D) != 0 && t.int(GL_TEXTURE_BINDING_CUBE_MAP) != 0);
        let units = t.int(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS) as u32;
        t.wrong(&[
            ("a unit too many", GL_INVALID_ENUM, &|t| t.ActiveTexture(GL_TEXTURE0 + units)),
            ("a target that is none", GL_INVALID_ENUM, &|t| t.BindTexture(GL_RGBA, 0)),
        ]);
        t.DeleteProgram(p);
    }

    /// A texture keeps the target that it was first bound to; deleting unbinds it.
    fn names(t) {
        let name = t.texture(GL_TEXTURE_2D);
        t.wrong(&[
            ("another target", GL_INVALID_OPERATION, &|t| t.BindTexture(GL_TEXTURE_3D, name)),
            ("a name that was not made", GL_INVALID_OPERATION, &|t| t.BindTexture(GL_TEXTURE_2D, 34567)),
            ("glGenTextures", GL_INVALID_VALUE, &|t| t.GenTextures(-1, &mut 0)),
        ]);
        t.eq("is a texture", t.IsTexture(name), 1);
        t.ActiveTexture(GL_TEXTURE3);
        t.BindTexture(GL_TEXTURE_2D, name);
        t.DeleteTextures(1, &name);
        t.eq("unbound here", t.int(GL_TEXTURE_BINDING_2D), 0);
        t.ActiveTexture(GL_TEXTURE0);
        t.eq("unbound there", (t.int(GL_TEXTURE_BINDING_2D), t.IsTexture(name)), (0, 0));
    }

    /// Anisotropy is a parameter where the extension is there; a magnified look-up does not change by it.
    fn anisotropy(t) {
        let n = t.int(GL_NUM_EXTENSIONS) as u32;
        // SAFETY: the strings are static and end in zero.
        let there = (0..n).any(|i| unsafe { std::ffi::CStr::from_ptr(t.GetStringi(GL_EXTENSIONS, i).cast()) } == c"GL_EXT_texture_filter_anisotropic");
        if !there { return t.skip("no GL_EXT_texture_filter_anisotropic") }
        scene(t);
        t.is("at least 2", t.floats::<1>(GL_MAX_TEXTURE_MAX_ANISOTROPY)[0] >= 2.0);
        levels(t, 8, &[RED, GREEN, BLUE, WHITE]);
        t.TexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY, 2.0);
        let mut v = 0.0;
        t.GetTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY, &mut v);
        t.eq("kept", v, 2.0);
        t.near("magnified", &sampled(t, "uniform sampler2D s;", "textureGrad(s, vec2(0.5), vec2(0.01, 0.0), vec2(0.0, 0.01))"), &unit(RED), 0.0);
        t.wrong(&[("below one", GL_INVALID_VALUE, &|t| t.TexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY, 0.5))]);
    }

    /// Immutable storage: all levels at once, and no respecification.
    fn immutable_storage(t) {
        scene(t);
        t.texture(GL_TEXTURE_2D);
        t.TexStorage2D(GL_TEXTURE_2D, 3, GL_RGBA8, 4, 4);
        set(t, GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
        for (level, size, c) in [(0, 4, RED), (1, 2, GREEN), (2, 1, BLUE)] {
            t.TexSubImage2D(GL_TEXTURE_2D, level, 0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, data(&[c; 16]));
        }
        for (l, want) in [(0, RED), (1, GREEN), (2, BLUE)] {
            t.near(&format!("level {l}"), &sampled(t, "uniform sampler2D s;", &format!("textureLod(s, vec2(0.5), {l}.0)")), &unit(want), 0.0);
        }
        let mut v = 0;
        t.GetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_IMMUTABLE_FORMAT, &mut v);
        t.eq("GL_TEXTURE_IMMUTABLE_FORMAT", v, 1);
        t.wrong(&[
            ("respecified", GL_INVALID_OPERATION, &|t| t.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8 as i32, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null())),
            ("stored again", GL_INVALID_OPERATION, &|t| t.TexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 4, 4)),
        ]);
        t.texture(GL_TEXTURE_2D);
        t.wrong(&[
            ("too many levels", GL_INVALID_OPERATION, &|t| t.TexStorage2D(GL_TEXTURE_2D, 5, GL_RGBA8, 4, 4)),
            ("no levels", GL_INVALID_VALUE, &|t| t.TexStorage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4)),
            ("an unsized format", GL_INVALID_ENUM, &|t| t.TexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA, 4, 4)),
        ]);
        let _ = RECT;
    }
}
