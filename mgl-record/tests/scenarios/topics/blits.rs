//! Blits that are more than a copy (GL 4.6 §18.3.1): to and between samples, to some draw buffers, between formats; and
//! copies into textures between all pairs of formats (GL 4.6 §8.6).

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, Rig, transfer};

const R: [u8; 4] = [255, 0, 0, 255];
const G: [u8; 4] = [0, 255, 0, 255];
const B: [u8; 4] = [0, 0, 255, 255];
const ALL: u32 = GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT;

/// A framebuffer of renderbuffers of 8 by 8, bound.
fn made_of(t: &Rig, parts: &[(u32, u32)], samples: i32) -> u32 {
    let fb = t.framebuffer();
    for (point, internal) in parts {
        let r = t.renderbuffer(*internal, (8, 8), samples);
        t.attach(*point, r);
    }
    t.Viewport(0, 0, 8, 8);
    t.complete();
    fb
}

fn whole(t: &Rig, from: u32, to: u32, mask: u32) {
    part(t, from, to, [0, 0, 8, 8], [0, 0, 8, 8], mask);
}

fn part(t: &Rig, from: u32, to: u32, s: [i32; 4], d: [i32; 4], mask: u32) {
    t.BindFramebuffer(GL_READ_FRAMEBUFFER, from);
    t.BindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
    t.BlitFramebuffer(s[0], s[1], s[2], s[3], d[0], d[1], d[2], d[3], mask, GL_NEAREST);
    t.ok("a blit");
    t.BindFramebuffer(GL_FRAMEBUFFER, to);
}

/// Left half red, lower right green, upper right blue.
fn thirds(t: &Rig) {
    t.Enable(GL_SCISSOR_TEST);
    for (area, c) in [([0, 0, 4, 8], R), ([4, 0, 4, 4], G), ([4, 4, 4, 4], B)] {
        t.Scissor(area[0], area[1], area[2], area[3]);
        t.ClearColor(f32::from(c[0]) / 255.0, f32::from(c[1]) / 255.0, f32::from(c[2]) / 255.0, 1.0);
        t.Clear(GL_COLOR_BUFFER_BIT);
    }
    t.Disable(GL_SCISSOR_TEST);
}

/// A triangle whose edge crosses pixels, in white on black, with depth and stencil on both sides of it.
fn slope(t: &Rig) {
    t.program("void main() { vec2 p[3] = vec2[](vec2(-1.0, -1.0), vec2(1.0, -0.7), vec2(-0.4, 1.0)); gl_Position = vec4(p[gl_VertexID], -0.5, 1.0); }", PLAIN);
    t.Enable(GL_DEPTH_TEST);
    t.Enable(GL_STENCIL_TEST);
    t.StencilFunc(GL_ALWAYS, 0xA5, 0xFF);
    t.StencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    t.ClearDepth(1.0);
    t.ClearStencil(0x3C);
    t.clear([0.0, 0.0, 0.0, 1.0]);
    t.color([1.0; 4]);
    t.DrawArrays(GL_TRIANGLES, 0, 3);
    t.Disable(GL_DEPTH_TEST);
    t.Disable(GL_STENCIL_TEST);
}

/// A format, the bits of its components, and whether they are floats.
type Row = (&'static str, u32, [u32; 4], bool);

const COLORS: &[Row] = &[
    ("R8", GL_R8, [8, 0, 0, 0], false),
    ("RG8", GL_RG8, [8, 8, 0, 0], false),
    ("RGB8", GL_RGB8, [8, 8, 8, 0], false),
    ("RGBA8", GL_RGBA8, [8; 4], false),
    ("RGB5_A1", GL_RGB5_A1, [5, 5, 5, 1], false),
    ("RGBA4", GL_RGBA4, [4; 4], false),
    ("RGB10_A2", GL_RGB10_A2, [10, 10, 10, 2], false),
    ("RGB565", GL_RGB565, [5, 6, 5, 0], false),
    ("R16", GL_R16, [16, 0, 0, 0], false),
    ("RGB16", GL_RGB16, [16, 16, 16, 0], false),
    ("RGBA16", GL_RGBA16, [16; 4], false),
    ("R16F", GL_R16F, [10, 0, 0, 0], true),
    ("RGB16F", GL_RGB16F, [10, 10, 10, 0], true),
    ("RGBA16F", GL_RGBA16F, [10; 4], true),
    ("RG32F", GL_RG32F, [23, 23, 0, 0], true),
    ("RGB32F", GL_RGB32F, [23, 23, 23, 0], true),
    ("R11F_G11F_B10F", GL_R11F_G11F_B10F, [6, 6, 5, 0], true),
    ("SRGB8_ALPHA8", GL_SRGB8_ALPHA8, [8; 4], false),
];

/// Formats that copies go to and that nobody draws to.
const TARGETS: &[Row] = &[
    ("RGBA8_SNORM", GL_RGBA8_SNORM, [7; 4], false),
    ("R16_SNORM", GL_R16_SNORM, [15, 0, 0, 0], false),
    ("RGB9_E5", GL_RGB9_E5, [8, 8, 8, 0], false),
    ("SRGB8", GL_SRGB8, [8, 8, 8, 0], false),
    ("RGBA2", GL_RGBA2, [2; 4], false),
    ("R3_G3_B2", GL_R3_G3_B2, [3, 3, 2, 0], false),
];

const INTEGERS: &[(&str, u32, u32)] = &[
    ("R8UI", GL_R8UI, 1),
    ("RG16UI", GL_RG16UI, 2),
    ("RGBA32UI", GL_RGBA32UI, 4),
    ("RGB10_A2UI", GL_RGB10_A2UI, 4),
    ("RGBA8UI", GL_RGBA8UI, 4),
];

const DEPTHS: &[(&str, u32, bool)] = &[
    ("DEPTH_COMPONENT16", GL_DEPTH_COMPONENT16, false),
    ("DEPTH_COMPONENT24", GL_DEPTH_COMPONENT24, false),
    ("DEPTH_COMPONENT32F", GL_DEPTH_COMPONENT32F, false),
    ("DEPTH24_STENCIL8", GL_DEPTH24_STENCIL8, true),
    ("DEPTH32F_STENCIL8", GL_DEPTH32F_STENCIL8, true),
];

/// Copies the framebuffer's four pixels into a fresh texture, by an image or into a part of one.
fn copied(t: &Rig, internal: u32, by_part: bool) -> u32 {
    let name = t.texture(GL_TEXTURE_2D);
    if by_part {
        let (format, ty) = transfer(internal);
        t.TexImage2D(GL_TEXTURE_2D, 0, internal as i32, 2, 2, 0, format, ty, std::ptr::null());
        t.CopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 2, 2);
    } else {
        t.CopyTexImage2D(GL_TEXTURE_2D, 0, internal, 0, 0, 2, 2, 0);
    }
    name
}

scenarios! {
    /// A single sample goes to all samples of a pixel: turned over, cut by the scissor box, and beyond the source.
    fn to_samples(t) {
        for internal in [GL_RGBA8, GL_RGB8, GL_RGBA16F, GL_RGB565] {
            let one = made_of(t, &[(GL_COLOR_ATTACHMENT0, internal)], 0);
            thirds(t);
            let many = made_of(t, &[(GL_COLOR_ATTACHMENT0, internal)], 4);
            let back = made_of(t, &[(GL_COLOR_ATTACHMENT0, internal)], 0);
            let see = |what: &str, points: &[(i32, i32, [u8; 4])]| {
                whole(t, many, back, GL_COLOR_BUFFER_BIT);
                for (x, y, want) in points {
                    t.pixel_is(&format!("{what} ({internal:#x})"), *x, *y, *want);
                }
                t.BindFramebuffer(GL_FRAMEBUFFER, many);
                t.clear([1.0; 4]);
            };
            t.BindFramebuffer(GL_FRAMEBUFFER, many);
            t.clear([1.0; 4]);
            whole(t, one, many, GL_COLOR_BUFFER_BIT);
            see("as it is", &[(1, 1, R), (6, 1, G), (6, 6, B), (3, 7, R)]);
            part(t, one, many, [0, 0, 8, 8], [8, 0, 0, 8], GL_COLOR_BUFFER_BIT);
            see("mirrored", &[(6, 1, R), (1, 1, G), (1, 6, B), (3, 6, B), (4, 6, R)]);
            part(t, one, many, [0, 8, 8, 0], [0, 0, 8, 8], GL_COLOR_BUFFER_BIT);
            see("upside down", &[(1, 1, R), (6, 1, B), (6, 6, G), (6, 3, B), (6, 4, G)]);
            // Mesa's software rasteriser lets samples left of and below a scissor box through, by half a pixel.
            part(t, one, many, [4, 4, 6, 6], [2, 2, 4, 4], GL_COLOR_BUFFER_BIT);
            see("a part", &[(2, 2, B), (3, 3, B), (0, 2, [255; 4]), (4, 3, [255; 4]), (2, 4, [255; 4]), (2, 0, [255; 4])]);
            part(t, one, many, [4, 0, 12, 8], [0, 0, 8, 8], GL_COLOR_BUFFER_BIT);
            see("beyond", &[(1, 1, G), (3, 6, B), (4, 6, [255; 4])]);
            t.Enable(GL_SCISSOR_TEST);
            t.Scissor(2, 0, 4, 8);
            part(t, one, many, [0, 0, 8, 8], [0, 0, 8, 8], GL_COLOR_BUFFER_BIT);
            t.Disable(GL_SCISSOR_TEST);
            see("cut", &[(2, 1, R), (5, 1, G), (0, 1, [255; 4]), (6, 1, [255; 4])]);
        }
    }

    /// Integers, depth and stencil go to samples too, each alone and together.
    fn integers_and_depth_to_samples(t) {
        let one = made_of(t, &[(GL_COLOR_ATTACHMENT0, GL_RGBA32I)], 0);
        t.ClearBufferiv(GL_COLOR, 0, [-7, 2_000_000_000, 3, 4].as_ptr());
        let many = made_of(t, &[(GL_COLOR_ATTACHMENT0, GL_RGBA32I)], 4);
        t.ClearBufferiv(GL_COLOR, 0, [0; 4].as_ptr());
        whole(t, one, many, GL_COLOR_BUFFER_BIT);
        t.BindFramebuffer(GL_FRAMEBUFFER, one);
        t.ClearBufferiv(GL_COLOR, 0, [1; 4].as_ptr());
        whole(t, many, one, GL_COLOR_BUFFER_BIT);
        t.eq("integers", t.pixel_i32(3, 3), [-7, 2_000_000_000, 3, 4]);
        let one = made_of(t, &[(GL_COLOR_ATTACHMENT0, GL_R16UI)], 0);
        t.ClearBufferuiv(GL_COLOR, 0, [40_000, 0, 0, 0].as_ptr());
        let many = made_of(t, &[(GL_COLOR_ATTACHMENT0, GL_R16UI)], 4);
        whole(t, one, many, GL_COLOR_BUFFER_BIT);
        t.BindFramebuffer(GL_FRAMEBUFFER, one);
        t.ClearBufferuiv(GL_COLOR, 0, [1; 4].as_ptr());
        whole(t, many, one, GL_COLOR_BUFFER_BIT);
        t.eq("unsigned ones", t.pixel_u32(3, 3)[0], 40_000);
        for internal in [GL_DEPTH24_STENCIL8, GL_DEPTH32F_STENCIL8] {
            let parts = [(GL_DEPTH_STENCIL_ATTACHMENT, internal)];
            let source = made_of(t, &parts, 0);
            let many = made_of(t, &parts, 4);
            let back = made_of(t, &parts, 0);
            let fill = |fb, depth: f32, stencil: i32| {
                t.BindFramebuffer(GL_FRAMEBUFFER, fb);
                t.ClearBufferfi(GL_DEPTH_STENCIL, 0, depth, stencil);
            };
            fill(source, 0.375, 0xA5);
            for (mask, depth, stencil) in [(GL_DEPTH_BUFFER_BIT, 0.375, 0x12), (GL_STENCIL_BUFFER_BIT, 0.75, 0xA5), (GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT, 0.375, 0xA5)] {
                fill(many, 0.75, 0x12);
                whole(t, source, many, mask);
                fill(back, 0.0, 0);
                whole(t, many, back, GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
                t.near(&format!("depth, {mask:#x} of {internal:#x}"), &[t.depth_at(3, 3)], &[depth], 1e-6);
                t.eq("stencil", t.stencil_at(3, 3), stencil);
            }
        }
    }

    /// Between samples, sample by sample: all, one kind of buffer, other formats, turned over.
    fn between_samples(t) {
        let parts = [(GL_COLOR_ATTACHMENT0, GL_RGBA8), (GL_DEPTH_STENCIL_ATTACHMENT, GL_DEPTH24_STENCIL8)];
        let from = made_of(t, &parts, 4);
        slope(t);
        let to = made_of(t, &parts, 4);
        let one = made_of(t, &parts, 0);
        let resolved = |fb: u32| -> Vec<[u8; 4]> {
            whole(t, fb, one, GL_COLOR_BUFFER_BIT);
            t.pixels(0, 0, 8, 8)
        };
        let want = resolved(from);
        t.is("the edge crosses pixels", want.iter().any(|p| p[0] > 0 && p[0] < 255));
        let fresh = || {
            t.BindFramebuffer(GL_FRAMEBUFFER, to);
            t.ClearDepth(0.125);
            t.ClearStencil(0x77);
            t.clear([0.0, 0.0, 1.0, 1.0]);
        };
        // What a depth or stencil test lets through, sample by sample, is seen by drawing white.
        let tested = |depth: bool| -> Vec<[u8; 4]> {
            t.BindFramebuffer(GL_FRAMEBUFFER, to);
            t.ClearColor(0.0, 0.0, 0.0, 1.0);
            t.Clear(GL_COLOR_BUFFER_BIT);
            t.paint(PLAIN);
            if depth {
                t.Enable(GL_DEPTH_TEST);
                t.DepthFunc(GL_GREATER);
                t.DepthMask(0);
            } else {
                t.Enable(GL_STENCIL_TEST);
                t.StencilFunc(GL_EQUAL, 0xA5, 0xFF);
                t.StencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
            }
            t.rect([-1.0, -1.0, 1.0, 1.0], 0.0);
            t.Disable(GL_DEPTH_TEST);
            t.Disable(GL_STENCIL_TEST);
            t.DepthFunc(GL_LESS);
            t.DepthMask(1);
            resolved(to)
        };
        let near = |a: &[[u8; 4]], b: &[[u8; 4]]| a.iter().zip(b).all(|(a, b)| a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 1));
        fresh();
        whole(t, from, to, ALL);
        t.is("all: colour", near(&resolved(to), &want));
        t.is("all: depth", near(&tested(true), &want));
        t.is("all: stencil", near(&tested(false), &want));
        fresh();
        whole(t, from, to, GL_DEPTH_BUFFER_BIT);
        t.is("depth alone: depth", near(&tested(true), &want));
        t.is("depth alone: stencil is left", tested(false).iter().all(|p| p[0] == 0));
        fresh();
        whole(t, from, to, GL_STENCIL_BUFFER_BIT);
        t.is("stencil alone: stencil", near(&tested(false), &want));
        t.is("stencil alone: depth is left", tested(true).iter().all(|p| p[0] == 0 || p[0] == 255));
        fresh();
        whole(t, from, to, GL_COLOR_BUFFER_BIT);
        t.is("colour alone", near(&resolved(to), &want));
        t.is("colour alone: stencil is left", tested(false).iter().all(|p| p[0] == 0));
        fresh();
        part(t, from, to, [0, 0, 8, 8], [8, 0, 0, 8], GL_COLOR_BUFFER_BIT);
        let got = resolved(to);
        let mirrored: Vec<[u8; 4]> = (0..64).map(|i| want[i / 8 * 8 + 7 - i % 8]).collect();
        // Which way round the samples of a mirrored pixel lie is open, their number is not.
        t.is("mirrored", near(&got, &mirrored));
        let other = made_of(t, &[(GL_COLOR_ATTACHMENT0, GL_RGBA16F)], 4);
        whole(t, from, other, GL_COLOR_BUFFER_BIT);
        let half = made_of(t, &[(GL_COLOR_ATTACHMENT0, GL_RGBA16F)], 0);
        whole(t, other, half, GL_COLOR_BUFFER_BIT);
        t.is("to another format", near(&t.pixels(0, 0, 8, 8), &want));
    }

    /// Samples become pixels of another format, in another place, turned over.
    fn resolves_elsewhere(t) {
        let many = made_of(t, &[(GL_COLOR_ATTACHMENT0, GL_RGBA8)], 4);
        thirds(t);
        for internal in [GL_RGBA8, GL_RGBA16F, GL_RGB565] {
            made_of(t, &[(GL_COLOR_ATTACHMENT0, internal)], 0);
            let to = t.int(GL_DRAW_FRAMEBUFFER_BINDING) as u32;
            t.clear([1.0; 4]);
            part(t, many, to, [0, 0, 8, 8], [0, 8, 8, 0], GL_COLOR_BUFFER_BIT);
            t.pixel_is("upside down", 6, 1, B);
            t.pixel_is("upside down", 6, 6, G);
            t.clear([1.0; 4]);
            part(t, many, to, [4, 0, 8, 4], [1, 1, 5, 5], GL_COLOR_BUFFER_BIT);
            t.pixel_is("elsewhere", 1, 1, G);
            t.pixel_is("elsewhere", 4, 4, G);
            t.pixel_is("beside it", 5, 5, [255; 4]);
        }
    }

    /// All draw buffers that are on are written, whichever they are and of whichever format.
    fn draw_buffers(t) {
        let from = made_of(t, &[(GL_COLOR_ATTACHMENT0, GL_RGBA8)], 0);
        thirds(t);
        for samples in [0, 4] {
            let parts = [(GL_COLOR_ATTACHMENT0, GL_RGBA8), (GL_COLOR_ATTACHMENT1, GL_RGBA16F), (GL_COLOR_ATTACHMENT2, GL_RGB8)];
            let to = made_of(t, &parts, samples);
            let one = made_of(t, &[(GL_COLOR_ATTACHMENT0, GL_RGBA8)], 0);
            let plain = [GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2];
            let seen = |i: usize| -> [u8; 4] {
                t.BindFramebuffer(GL_READ_FRAMEBUFFER, to);
                t.ReadBuffer(plain[i]);
                t.BindFramebuffer(GL_DRAW_FRAMEBUFFER, one);
                t.BlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST);
                t.ok("a blit to look at");
                t.BindFramebuffer(GL_READ_FRAMEBUFFER, one);
                t.pixel(6, 6)
            };
            for on in [[GL_NONE, GL_COLOR_ATTACHMENT1, GL_NONE], [GL_NONE, GL_NONE, GL_COLOR_ATTACHMENT2], [GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2], [GL_COLOR_ATTACHMENT2, GL_NONE, GL_COLOR_ATTACHMENT0], [GL_NONE; 3]] {
                t.BindFramebuffer(GL_FRAMEBUFFER, to);
                t.DrawBuffers(3, plain.as_ptr());
                t.clear([1.0; 4]);
                t.DrawBuffers(3, on.as_ptr());
                whole(t, from, to, GL_COLOR_BUFFER_BIT);
                for (i, p) in plain.iter().enumerate() {
                    let want = if on.contains(p) { B } else { [255; 4] };
                    t.eq(&format!("{samples} samples, buffer {i} of {on:x?}"), seen(i), want);
                }
            }
        }
    }

    /// Depth of formats that differ in their stencil part alone.
    fn depth_formats(t) {
        let from = made_of(t, &[(GL_DEPTH_STENCIL_ATTACHMENT, GL_DEPTH24_STENCIL8)], 0);
        t.ClearBufferfi(GL_DEPTH_STENCIL, 0, 0.375, 0xA5);
        for samples in [0, 4] {
            let to = made_of(t, &[(GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT24)], samples);
            t.ClearDepth(1.0);
            t.Clear(GL_DEPTH_BUFFER_BIT);
            whole(t, from, to, GL_DEPTH_BUFFER_BIT);
            let back = made_of(t, &[(GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT24)], 0);
            whole(t, to, back, GL_DEPTH_BUFFER_BIT);
            t.near("depth", &[t.depth_at(3, 3)], &[0.375], 1e-6);
        }
    }

    /// Copies between all pairs of colour formats: a component that the framebuffer lacks is zero, alpha is one.
    fn copied_colors(t) {
        const V: [f32; 4] = [0.8, 0.6, 0.2, 0.4];
        for (i, (name, internal, bits, float)) in COLORS.iter().enumerate() {
            t.target(*internal, (2, 2));
            t.clear(V);
            for (k, (to_name, to, to_bits, to_float)) in COLORS.iter().chain(TARGETS).enumerate() {
                // Every pair one way or the other, which is many copies already.
                let by_part = (i + k) % 2 == 1;
                let texture = copied(t, *to, by_part);
                let mut got = [[9f32; 4]; 4];
                t.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, got.as_mut_ptr().cast());
                let what = format!("{name} to {to_name}, {}", if by_part { "a part" } else { "an image" });
                t.ok(&what);
                for c in 0..4 {
                    let missing = if c == 3 { 1.0 } else { 0.0 };
                    let source = if bits[c] > 0 { V[c] } else { missing };
                    let want = if to_bits[c] > 0 { source } else { missing };
                    let step = |bits: u32, float: bool| match bits {
                        0 => 0.0,
                        n if float => 1.0 / (1u32 << n) as f32,
                        n => 0.5 / ((1u32 << n) - 1) as f32,
                    };
                    let mut room = step(bits[c], *float) + step(to_bits[c], *to_float) + 2e-3;
                    if t.is_oracle() {
                        // Mesa cuts bits off where it packs few of them.
                        room += step(to_bits[c], *to_float);
                    }
                    if (got[3][c] - want).abs() > room {
                        t.fail(&format!("{what}: component {c} is {}, not {want}", got[3][c]));
                    }
                }
                t.DeleteTextures(1, &texture);
            }
        }
    }

    /// The same of integers, depth and stencil; what is of another kind is refused.
    fn copied_integers_and_depth(t) {
        for (name, internal, components) in INTEGERS {
            t.target(*internal, (2, 2));
            t.ClearBufferuiv(GL_COLOR, 0, [200, 150, 100, 3].as_ptr());
            for (to_name, to, to_components) in INTEGERS {
                for by_part in [false, true] {
                    let texture = copied(t, *to, by_part);
                    let mut got = [[9u32; 4]; 4];
                    t.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT, got.as_mut_ptr().cast());
                    t.ok(&format!("{name} to {to_name}"));
                    let want: [u32; 4] = std::array::from_fn(|c| {
                        let there = (c as u32) < *components.min(to_components);
                        if there { [200, 150, 100, 3][c] } else { u32::from(c == 3) }
                    });
                    t.eq(&format!("{name} to {to_name}, by part {by_part}"), got[3], want);
                    t.DeleteTextures(1, &texture);
                }
            }
            copied(t, GL_RGBA8, false);
            t.error("integers are not normalised", GL_INVALID_OPERATION);
        }
        for (name, internal, stencil) in DEPTHS {
            made_of(t, &[(if *stencil { GL_DEPTH_STENCIL_ATTACHMENT } else { GL_DEPTH_ATTACHMENT }, *internal)], 0);
            t.ReadBuffer(GL_NONE);
            t.DrawBuffer(GL_NONE);
            t.complete();
            t.ClearDepth(0.375);
            t.ClearStencil(0xA5);
            t.Clear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
            for (to_name, to, to_stencil) in DEPTHS {
                if *to_stencil && !*stencil {
                    continue;
                }
                for by_part in [false, true] {
                    let texture = copied(t, *to, by_part);
                    let mut got = [9f32; 4];
                    t.GetTexImage(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT, GL_FLOAT, got.as_mut_ptr().cast());
                    t.ok(&format!("{name} to {to_name}, by part {by_part}"));
                    t.near(&format!("{name} to {to_name}, by part {by_part}"), &got, &[0.375; 4], 2e-5);
                    t.DeleteTextures(1, &texture);
                }
            }
        }
    }

    /// Copies into levels that do not go with the others, and of whose texture nothing else is there.
    fn copied_levels(t) {
        made_of(t, &[(GL_COLOR_ATTACHMENT0, GL_RGBA8), (GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT24)], 0);
        thirds(t);
        t.ClearDepth(0.375);
        t.Clear(GL_DEPTH_BUFFER_BIT);
        let of = |level: i32, n: usize| -> Vec<[u8; 4]> {
            let mut out = vec![[7u8; 4]; n];
            t.GetTexImage(GL_TEXTURE_2D, level, GL_RGBA, GL_UNSIGNED_BYTE, out.as_mut_ptr().cast());
            out
        };
        t.rgba((4, 4), &[[255; 4]; 16]);
        for (level, w, h) in [(1, 8, 8), (5, 4, 2), (3, 2, 2)] {
            t.CopyTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, 3, 3, w, h, 0);
            let got = of(level, (w * h) as usize);
            t.ok(&format!("level {level}"));
            t.eq(&format!("level {level}"), (got[0], got[1]), (R, G));
            t.CopyTexSubImage2D(GL_TEXTURE_2D, level, 1, 1, 6, 6, 1, 1);
            t.eq(&format!("a part of level {level}"), of(level, (w * h) as usize)[w as usize + 1], B);
        }
        t.eq("the first is left", of(0, 16)[5], [255; 4]);
        t.texture(GL_TEXTURE_2D);
        t.CopyTexImage2D(GL_TEXTURE_2D, 2, GL_RGBA8, 0, 0, 2, 2, 0);
        t.eq("without a first", of(2, 4)[3], R);
        t.texture(GL_TEXTURE_2D);
        t.CopyTexImage2D(GL_TEXTURE_2D, 4, GL_DEPTH_COMPONENT24, 0, 0, 2, 2, 0);
        let mut depth = [9f32; 4];
        t.GetTexImage(GL_TEXTURE_2D, 4, GL_DEPTH_COMPONENT, GL_FLOAT, depth.as_mut_ptr().cast());
        t.near("depth", &depth, &[0.375; 4], 1e-6);
        t.texture(GL_TEXTURE_CUBE_MAP);
        t.CopyTexImage2D(GL_TEXTURE_CUBE_MAP_NEGATIVE_Y, 0, GL_RGBA8, 0, 0, 2, 2, 0);
        let mut face = [[7u8; 4]; 4];
        t.GetTexImage(GL_TEXTURE_CUBE_MAP_NEGATIVE_Y, 0, GL_RGBA, GL_UNSIGNED_BYTE, face.as_mut_ptr().cast());
        t.ok("one face");
        t.eq("one face", face[3], R);
    }

    /// Where samples lie, and what there are no samples of.
    fn sample_questions(t) {
        let mut at = [9.0f32; 2];
        made_of(t, &[(GL_COLOR_ATTACHMENT0, GL_RGBA8)], 0);
        t.GetMultisamplefv(GL_SAMPLE_POSITION, 0, at.as_mut_ptr());
        t.error("of a single-sampled framebuffer", GL_INVALID_VALUE);
        made_of(t, &[(GL_COLOR_ATTACHMENT0, GL_RGBA8)], 4);
        t.GetMultisamplefv(GL_SAMPLE_POSITION, 3, at.as_mut_ptr());
        t.ok("the last sample");
        t.GetMultisamplefv(GL_SAMPLE_POSITION, 4, at.as_mut_ptr());
        t.error("one beyond", GL_INVALID_VALUE);
        let asked = |target: u32, what: u32| {
            let mut v = -1;
            t.GetTexLevelParameteriv(target, 0, what, &mut v);
            v
        };
        let p = GL_PROXY_TEXTURE_2D_MULTISAMPLE;
        t.TexImage2DMultisample(p, 4, GL_RGBA8, 16, 8, 1);
        t.ok("a proxy");
        t.eq("accepted", (asked(p, GL_TEXTURE_WIDTH), asked(p, GL_TEXTURE_HEIGHT), asked(p, GL_TEXTURE_SAMPLES)), (16, 8, 4));
        t.TexImage2DMultisample(p, 1000, GL_RGBA8, 16, 8, 1);
        t.ok("too many samples are no error of a proxy");
        t.eq("refused", (asked(p, GL_TEXTURE_WIDTH), asked(p, GL_TEXTURE_SAMPLES)), (0, 0));
        t.TexImage2DMultisample(p, 4, GL_RGBA8, 1 << 20, 8, 1);
        t.ok("nor is a size");
        t.eq("too large", asked(p, GL_TEXTURE_WIDTH), 0);
        let p = GL_PROXY_TEXTURE_2D_MULTISAMPLE_ARRAY;
        t.TexImage3DMultisample(p, 4, GL_RGBA8, 16, 8, 3, 1);
        t.eq("an array", (asked(p, GL_TEXTURE_WIDTH), asked(p, GL_TEXTURE_DEPTH)), (16, 3));
        t.TexImage3DMultisample(p, 4, GL_RGBA8, 16, 8, 1 << 20, 1);
        t.ok("nor are layers");
        t.eq("too many layers", asked(p, GL_TEXTURE_WIDTH), 0);
    }
}
