//! Blending, colour masks, logic operations, dual-source blending (GL 3.3 §4.1.7 to §4.1.10, §4.2.2).

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, Rig, SIZE, cstr};

const SOURCE: [f32; 4] = [0.8, 0.4, 0.2, 0.6];
const UNDER: [f32; 4] = [0.2, 0.6, 1.0, 0.4];
const CONSTANT: [f32; 4] = [0.1, 0.7, 0.3, 0.9];

fn bytes(c: [f32; 4]) -> [u8; 4] {
    c.map(|v| (v.clamp(0.0, 1.0) * 255.0).round() as u8)
}

/// A factor as GL 3.3 table 4.2 gives it.
fn factor(f: u32) -> [f32; 4] {
    let (s, d, c) = (SOURCE, UNDER, CONSTANT);
    let one = |v: [f32; 4]| v.map(|x| 1.0 - x);
    match f {
        GL_ZERO => [0.0; 4],
        GL_ONE => [1.0; 4],
        GL_SRC_COLOR => s,
        GL_ONE_MINUS_SRC_COLOR => one(s),
        GL_DST_COLOR => d,
        GL_ONE_MINUS_DST_COLOR => one(d),
        GL_SRC_ALPHA => [s[3]; 4],
        GL_ONE_MINUS_SRC_ALPHA => [1.0 - s[3]; 4],
        GL_DST_ALPHA => [d[3]; 4],
        GL_ONE_MINUS_DST_ALPHA => [1.0 - d[3]; 4],
        GL_CONSTANT_COLOR => c,
        GL_ONE_MINUS_CONSTANT_COLOR => one(c),
        GL_CONSTANT_ALPHA => [c[3]; 4],
        GL_ONE_MINUS_CONSTANT_ALPHA => [1.0 - c[3]; 4],
        GL_SRC_ALPHA_SATURATE => {
            let f = s[3].min(1.0 - d[3]);
            [f, f, f, 1.0]
        }
        _ => unreachable!("a factor of the table"),
    }
}

const FACTORS: [u32; 15] = [
    GL_ZERO, GL_ONE, GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_DST_COLOR, GL_ONE_MINUS_DST_COLOR, GL_SRC_ALPHA,
    GL_ONE_MINUS_SRC_ALPHA, GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA, GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_COLOR,
    GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA, GL_SRC_ALPHA_SATURATE,
];

fn over(t: &Rig) {
    t.Disable(GL_BLEND);
    t.clear(UNDER);
    t.Enable(GL_BLEND);
    t.color(SOURCE);
    t.strip();
}

/// Two colour attachments of RGBA8 and a program that writes 0.5 of all to both.
fn two_buffers(t: &Rig) {
    t.framebuffer();
    for i in 0..2 {
        let name = t.rgba((4, 4), &[]);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D, name, 0);
    }
    t.DrawBuffers(2, [GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1].as_ptr());
    t.complete();
    t.Viewport(0, 0, 4, 4);
    t.program_with(
        &[
            (GL_VERTEX_SHADER, crate::rig::RECT),
            (GL_FRAGMENT_SHADER, "out vec4 a; out vec4 b; void main() { a = vec4(0.5); b = vec4(0.5); }"),
        ],
        |p| {
            t.BindFragDataLocation(p, 0, cstr("a").as_ptr());
            t.BindFragDataLocation(p, 1, cstr("b").as_ptr());
        },
    );
}

fn two_are(t: &Rig, what: &str, a: [u8; 4], b: [u8; 4]) {
    t.ReadBuffer(GL_COLOR_ATTACHMENT0);
    t.pixel_is(&format!("{what}, first"), 1, 1, a);
    t.ReadBuffer(GL_COLOR_ATTACHMENT1);
    t.pixel_is(&format!("{what}, second"), 1, 1, b);
}

scenarios! {
    /// Every source factor, with nothing of the destination.
    fn source_factors(t) {
        t.target(GL_RGBA8, (4, 4));
        t.paint(PLAIN);
        t.BlendColor(CONSTANT[0], CONSTANT[1], CONSTANT[2], CONSTANT[3]);
        for f in FACTORS {
            t.BlendFunc(f, GL_ZERO);
            over(t);
            let k = factor(f);
            t.pixel_is(&format!("source factor {f:#x}"), 1, 1, bytes(std::array::from_fn(|i| SOURCE[i] * k[i])));
        }
    }

    /// Every destination factor, with nothing of the source.
    fn destination_factors(t) {
        t.target(GL_RGBA8, (4, 4));
        t.paint(PLAIN);
        t.BlendColor(CONSTANT[0], CONSTANT[1], CONSTANT[2], CONSTANT[3]);
        for f in FACTORS {
            if f == GL_SRC_ALPHA_SATURATE {
                // Not a destination factor before GL 4 (ARB_blend_func_extended allows it).
                continue;
            }
            t.BlendFunc(GL_ZERO, f);
            over(t);
            let k = factor(f);
            t.pixel_is(&format!("destination factor {f:#x}"), 1, 1, bytes(std::array::from_fn(|i| UNDER[i] * k[i])));
        }
    }

    /// Add, subtract, reverse subtract, least and largest.
    fn equations(t) {
        t.target(GL_RGBA8, (4, 4));
        t.paint(PLAIN);
        t.BlendFunc(GL_ONE, GL_ONE);
        let rows: [(u32, fn(f32, f32) -> f32); 5] = [
            (GL_FUNC_ADD, |s, d| s + d),
            (GL_FUNC_SUBTRACT, |s, d| s - d),
            (GL_FUNC_REVERSE_SUBTRACT, |s, d| d - s),
            (GL_MIN, f32::min),
            (GL_MAX, f32::max),
        ];
        for (equation, f) in rows {
            t.BlendEquation(equation);
            over(t);
            t.pixel_is(&format!("equation {equation:#x}"), 1, 1, bytes(std::array::from_fn(|i| f(SOURCE[i], UNDER[i]))));
        }
    }

    /// Colour and alpha have factors and equations of their own.
    fn separate_colour_and_alpha(t) {
        t.target(GL_RGBA8, (4, 4));
        t.paint(PLAIN);
        t.BlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
        over(t);
        let mix = |i: usize| SOURCE[i] * SOURCE[3] + UNDER[i] * (1.0 - SOURCE[3]);
        t.pixel_is("functions", 1, 1, bytes([mix(0), mix(1), mix(2), UNDER[3]]));
        t.BlendFunc(GL_ONE, GL_ONE);
        t.BlendEquationSeparate(GL_MAX, GL_MIN);
        over(t);
        t.pixel_is("equations", 1, 1, bytes([0.8, 0.6, 1.0, 0.4]));
        t.eq("GL_BLEND_EQUATION_RGB", t.int(GL_BLEND_EQUATION_RGB), GL_MAX as i32);
        t.eq("GL_BLEND_EQUATION_ALPHA", t.int(GL_BLEND_EQUATION_ALPHA), GL_MIN as i32);
    }

    /// Blending in the default framebuffer, several layers over each other.
    fn default_framebuffer(t) {
        t.paint(PLAIN);
        t.clear([0.0, 0.0, 0.0, 1.0]);
        t.Enable(GL_BLEND);
        t.BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        for (i, c) in [[1.0, 0.0, 0.0, 0.5], [0.0, 1.0, 0.0, 0.5], [0.0, 0.0, 1.0, 0.5]].into_iter().enumerate() {
            t.color(c);
            let x = -1.0 + 0.5 * i as f32;
            t.rect([x, -1.0, x + 1.0, 1.0], 0.0);
        }
        t.pixel_is("one layer", 8, 8, [128, 0, 0, 191]);
        t.pixel_is("two layers", 24, 8, [64, 128, 0, 159]);
        t.pixel_is("two other layers", 40, 8, [0, 64, 128, 159]);
        t.image("layers", SIZE, SIZE);
    }

    /// The sum of a float buffer is not clamped.
    fn float_buffers_are_not_clamped(t) {
        t.target(GL_RGBA16F, (4, 4));
        t.paint(PLAIN);
        t.clear([3.0, -2.0, 0.5, 1.0]);
        t.Enable(GL_BLEND);
        t.BlendFunc(GL_ONE, GL_ONE);
        t.color([2.0, -1.0, 0.25, 1.0]);
        t.strip();
        t.near("sum", &t.pixel_f32(1, 1), &[5.0, -3.0, 0.75, 2.0], 0.01);
    }

    /// Integer buffers are written as if blending were off.
    fn integer_buffers_are_not_blended(t) {
        t.target(GL_RGBA8I, (4, 4));
        t.paint("out ivec4 c; void main() { c = ivec4(5, -6, 7, -8); }");
        t.ClearBufferiv(GL_COLOR, 0, [1, 1, 1, 1].as_ptr());
        t.Enable(GL_BLEND);
        t.BlendFunc(GL_ONE, GL_ONE);
        t.strip();
        t.eq("written", t.pixel_i32(1, 1), [5, -6, 7, -8]);
    }

    /// Blending can be on for one buffer and off for another; the index-less query is of the first.
    fn switched_by_buffer(t) {
        two_buffers(t);
        t.clear([0.25, 0.25, 0.25, 0.25]);
        t.BlendFunc(GL_ONE, GL_ONE);
        t.Enablei(GL_BLEND, 1);
        t.strip();
        two_are(t, "second only", [128; 4], [191; 4]);
        t.eq("glIsEnabled", t.IsEnabled(GL_BLEND), 0);
        t.eq("glIsEnabledi", (t.IsEnabledi(GL_BLEND, 0), t.IsEnabledi(GL_BLEND, 1)), (0, 1));
        t.Enable(GL_BLEND);
        t.Disablei(GL_BLEND, 1);
        t.clear([0.25, 0.25, 0.25, 0.25]);
        t.strip();
        two_are(t, "first only", [191; 4], [128; 4]);
        t.wrong(&[
            ("glEnablei of a buffer too many", GL_INVALID_VALUE, &|t| t.Enablei(GL_BLEND, t.int(GL_MAX_DRAW_BUFFERS) as u32)),
            ("glEnablei of what has no index", GL_INVALID_ENUM, &|t| t.Enablei(GL_DEPTH_TEST, 0)),
            ("glIsEnabledi", GL_INVALID_ENUM, &|t| { t.IsEnabledi(GL_DEPTH_TEST, 0); }),
        ]);
    }

    /// Colour masks, of all buffers and of each; clears obey them.
    fn colour_masks(t) {
        two_buffers(t);
        t.clear([0.0, 0.0, 0.0, 0.0]);
        t.ColorMask(1, 0, 1, 0);
        t.strip();
        two_are(t, "both", [128, 0, 128, 0], [128, 0, 128, 0]);
        t.ColorMask(1, 1, 1, 1);
        t.clear([0.0, 0.0, 0.0, 0.0]);
        t.ColorMaski(0, 1, 0, 0, 0);
        t.ColorMaski(1, 0, 0, 0, 1);
        t.strip();
        two_are(t, "each", [128, 0, 0, 0], [0, 0, 0, 128]);
        t.clear([1.0, 1.0, 1.0, 1.0]);
        two_are(t, "clear", [255, 0, 0, 0], [0, 0, 0, 255]);
        let mut mask = [9u8; 4];
        t.GetBooleani_v(GL_COLOR_WRITEMASK, 1, mask.as_mut_ptr());
        t.eq("mask of 1", mask, [0, 0, 0, 1]);
        t.GetBooleanv(GL_COLOR_WRITEMASK, mask.as_mut_ptr());
        t.eq("mask", mask, [1, 0, 0, 0]);
        t.wrong(&[("a buffer too many", GL_INVALID_VALUE, &|t| t.ColorMaski(t.int(GL_MAX_DRAW_BUFFERS) as u32, 0, 0, 0, 0))]);
    }

    /// A second colour of the fragment shader is a blend factor.
    fn dual_source(t) {
        t.target(GL_RGBA8, (4, 4));
        t.program_with(
            &[
                (GL_VERTEX_SHADER, crate::rig::RECT),
                (GL_FRAGMENT_SHADER, "out vec4 first; out vec4 second;
                  void main() { first = vec4(0.5, 0.25, 1.0, 0.5); second = vec4(1.0, 0.5, 0.0, 0.25); }"),
            ],
            |p| {
                t.BindFragDataLocationIndexed(p, 0, 0, cstr("first").as_ptr());
                t.BindFragDataLocationIndexed(p, 0, 1, cstr("second").as_ptr());
            },
        );
        let p = t.int(GL_CURRENT_PROGRAM) as u32;
        t.eq("index", t.GetFragDataIndex(p, cstr("second").as_ptr()), 1);
        t.eq("location", t.GetFragDataLocation(p, cstr("second").as_ptr()), 0);
        t.Disable(GL_BLEND);
        t.clear([0.5, 0.5, 0.5, 0.5]);
        t.Enable(GL_BLEND);
        // Sub-pixel text: source times the second colour and destination times the rest.
        t.BlendFunc(GL_SRC1_COLOR, GL_ONE_MINUS_SRC1_COLOR);
        t.strip();
        t.pixel_is("colour", 1, 1, bytes([0.5, 0.375, 0.5, 0.5]));
        t.BlendFunc(GL_SRC1_ALPHA, GL_ONE_MINUS_SRC1_ALPHA);
        t.clear([1.0, 1.0, 1.0, 1.0]);
        t.strip();
        t.pixel_is("alpha", 1, 1, bytes([0.875, 0.8125, 1.0, 0.875]));
        t.eq("GL_BLEND_SRC", t.int(GL_BLEND_SRC_RGB), GL_SRC1_ALPHA as i32);
    }

    /// Second colours by layout(index).
    fn dual_source_by_layout(t) {
        t.target(GL_RGBA8, (4, 4));
        t.paint("layout(location = 0, index = 0) out vec4 color; layout(location = 0, index = 1) out vec4 mask;
            void main() { color = vec4(1.0, 1.0, 0.0, 1.0); mask = vec4(0.25, 0.5, 0.75, 1.0); }");
        t.clear([0.0, 0.0, 1.0, 1.0]);
        t.Enable(GL_BLEND);
        t.BlendFunc(GL_SRC1_COLOR, GL_ONE_MINUS_SRC1_COLOR);
        t.strip();
        t.pixel_is("mix", 1, 1, bytes([0.25, 0.5, 0.25, 1.0]));
    }

    /// All sixteen logic operations, on the bits of an unsigned normalised buffer.
    fn logic_operations(t) {
        t.target(GL_RGBA8, (4, 4));
        t.paint(PLAIN);
        let rows: [(u32, fn(u8, u8) -> u8); 16] = [
            (GL_CLEAR, |_, _| 0),
            (GL_AND, |s, d| s & d),
            (GL_AND_REVERSE, |s, d| s & !d),
            (GL_COPY, |s, _| s),
            (GL_AND_INVERTED, |s, d| !s & d),
            (GL_NOOP, |_, d| d),
            (GL_XOR, |s, d| s ^ d),
            (GL_OR, |s, d| s | d),
            (GL_NOR, |s, d| !(s | d)),
            (GL_EQUIV, |s, d| !(s ^ d)),
            (GL_INVERT, |_, d| !d),
            (GL_OR_REVERSE, |s, d| s | !d),
            (GL_COPY_INVERTED, |s, _| !s),
            (GL_OR_INVERTED, |s, d| !s | d),
            (GL_NAND, |s, d| !(s & d)),
            (GL_SET, |_, _| 255),
        ];
        let (s, d) = ([0x0Fu8, 0xF0, 0x33, 0xFF], [0x55u8, 0xAA, 0xFF, 0x01]);
        let unit = |c: [u8; 4]| c.map(|v| f32::from(v) / 255.0);
        // Blending is off while the operation is on.
        t.Enable(GL_BLEND);
        t.BlendFunc(GL_ONE, GL_ONE);
        t.color(unit(s));
        for (op, f) in rows {
            t.Disable(GL_COLOR_LOGIC_OP);
            t.clear(unit(d));
            t.Enable(GL_COLOR_LOGIC_OP);
            t.LogicOp(op);
            t.strip();
            t.eq(&format!("operation {op:#x}"), t.pixel(1, 1), std::array::from_fn(|i| f(s[i], d[i])));
        }
    }

    /// A rectangle drawn twice with XOR leaves what was there: selection boxes.
    fn xor_twice_is_nothing(t) {
        t.both(|t, what| {
            t.paint(PLAIN);
            t.clear([0.25, 0.5, 0.75, 1.0]);
            t.Enable(GL_COLOR_LOGIC_OP);
            t.LogicOp(GL_XOR);
            t.rect([-0.5, -0.5, 0.5, 0.5], 0.0);
            t.pixel_is(&format!("{what}, once"), 32, 32, [191, 127, 64, 0]);
            t.pixel_is(&format!("{what}, beside"), 2, 2, [64, 128, 191, 255]);
            t.rect([-0.5, -0.5, 0.5, 0.5], 0.0);
            t.pixel_is(&format!("{what}, twice"), 32, 32, [64, 128, 191, 255]);
            t.Disable(GL_COLOR_LOGIC_OP);
        });
    }

    /// Logic operations do not touch float buffers.
    fn logic_operations_leave_floats_alone(t) {
        t.target(GL_RGBA16F, (4, 4));
        t.paint(PLAIN);
        t.clear([0.5, 0.5, 0.5, 0.5]);
        t.Enable(GL_COLOR_LOGIC_OP);
        t.LogicOp(GL_XOR);
        t.color([0.25, 2.0, 0.0, 1.0]);
        t.strip();
        t.near("written", &t.pixel_f32(1, 1), &[0.25, 2.0, 0.0, 1.0], 0.001);
    }

    /// Values that are none.
    fn errors(t) {
        t.wrong(&[
            ("glBlendFunc", GL_INVALID_ENUM, &|t| t.BlendFunc(GL_FUNC_ADD, GL_ONE)),
            ("glBlendFunc, destination", GL_INVALID_ENUM, &|t| t.BlendFunc(GL_ONE, GL_REPEAT)),
            ("glBlendFuncSeparate", GL_INVALID_ENUM, &|t| t.BlendFuncSeparate(GL_ONE, GL_ONE, GL_ONE, 3)),
            ("glBlendEquation", GL_INVALID_ENUM, &|t| t.BlendEquation(GL_ONE)),
            ("glBlendEquationSeparate", GL_INVALID_ENUM, &|t| t.BlendEquationSeparate(GL_FUNC_ADD, GL_ZERO)),
            ("glLogicOp", GL_INVALID_ENUM, &|t| t.LogicOp(GL_FUNC_ADD)),
        ]);
    }
}
