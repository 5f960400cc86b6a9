//! Depth and stencil tests (GL 3.3 §4.1.4, §4.1.5, §4.2).

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, Rig};

const ALL: [f32; 4] = [-1.0, -1.0, 1.0, 1.0];

/// Draws with a stencil function and gives whether the pixel was drawn.
fn passes(t: &Rig) -> bool {
    t.Clear(GL_COLOR_BUFFER_BIT);
    t.rect(ALL, 0.0);
    t.pixel(8, 8)[0] != 0
}

scenarios! {
    /// Every depth function, against nearer, equal and farther.
    fn depth_functions(t) {
        t.both(|t, what| {
            t.paint(PLAIN);
            t.Enable(GL_DEPTH_TEST);
            for (func, want) in [
                (GL_NEVER, [false, false, false]), (GL_LESS, [true, false, false]), (GL_EQUAL, [false, true, false]),
                (GL_LEQUAL, [true, true, false]), (GL_GREATER, [false, false, true]), (GL_NOTEQUAL, [true, false, true]),
                (GL_GEQUAL, [false, true, true]), (GL_ALWAYS, [true, true, true]),
            ] {
                let seen = [-0.5f32, 0.0, 0.5].map(|z| {
                    t.ClearDepth(0.5);
                    t.clear([0.0; 4]);
                    t.DepthFunc(func);
                    t.rect(ALL, z);
                    t.pixel(8, 8)[0] != 0
                });
                t.eq(&format!("{what}, {func:#x}"), seen, want);
            }
            t.Disable(GL_DEPTH_TEST);
            t.ClearDepth(1.0);
        });
        t.wrong(&[("glDepthFunc", GL_INVALID_ENUM, &|t| t.DepthFunc(GL_ONE))]);
    }

    /// Depth is written only where the test is on, the mask lets it, and the fragment passes.
    fn depth_writes(t) {
        t.both(|t, what| {
            t.paint(PLAIN);
            t.clear([0.0; 4]);
            t.rect(ALL, -0.5);
            t.near(&format!("{what}: test off"), &[t.depth_at(8, 8)], &[1.0], 1e-5);
            t.Enable(GL_DEPTH_TEST);
            t.DepthMask(0);
            t.rect(ALL, -0.5);
            t.near(&format!("{what}: mask off"), &[t.depth_at(8, 8)], &[1.0], 1e-5);
            t.Clear(GL_DEPTH_BUFFER_BIT);
            t.DepthMask(1);
            t.rect(ALL, -0.5);
            t.near(&format!("{what}: written"), &[t.depth_at(8, 8)], &[0.25], 1e-5);
            t.DepthFunc(GL_GREATER);
            t.rect(ALL, -0.9);
            t.near(&format!("{what}: failed"), &[t.depth_at(8, 8)], &[0.25], 1e-5);
            t.DepthFunc(GL_LESS);
            t.Disable(GL_DEPTH_TEST);
        });
    }

    /// glDepthRange maps -1..1 to what it says, also the wrong way round.
    fn depth_range(t) {
        t.both(|t, what| {
            t.paint(PLAIN);
            t.Enable(GL_DEPTH_TEST);
            t.DepthFunc(GL_ALWAYS);
            t.clear([0.0; 4]);
            for (near, far, z, want) in [(0.0, 1.0, 0.5, 0.75), (0.25, 0.75, 0.5, 0.625), (1.0, 0.0, 0.5, 0.25), (0.5, 0.5, -1.0, 0.5)] {
                t.DepthRange(near, far);
                t.rect(ALL, z);
                t.near(&format!("{what}: {near} to {far}"), &[t.depth_at(8, 8)], &[want], 1e-5);
            }
            t.DepthRange(-3.0, 7.0);
            t.eq(&format!("{what}: clamped"), t.floats::<2>(GL_DEPTH_RANGE), [0.0, 1.0]);
            t.DepthFunc(GL_LESS);
            t.Disable(GL_DEPTH_TEST);
        });
    }

    /// Depth clamping keeps what near and far planes would cut.
    fn depth_clamp(t) {
        t.full_target();
        t.program("uniform vec4 rect = vec4(-1.0, -1.0, 1.0, 1.0); uniform float z; void main() {
            gl_Position = vec4(mix(rect.xy, rect.zw, vec2(gl_VertexID & 1, gl_VertexID >> 1)), z, 1.0); }", PLAIN);
        t.Enable(GL_DEPTH_TEST);
        t.DepthFunc(GL_ALWAYS);
        for (z, depth) in [(-3.0, 0.0), (2.0, 1.0)] {
            t.ClearDepth(0.5);
            t.clear([0.0; 4]);
            t.rect(ALL, z);
            t.pixel_is("cut", 8, 8, [0; 4]);
            t.Enable(GL_DEPTH_CLAMP);
            t.rect(ALL, z);
            t.Disable(GL_DEPTH_CLAMP);
            t.pixel_is("kept", 8, 8, [255; 4]);
            t.near("depth", &[t.depth_at(8, 8)], &[depth], 1e-5);
        }
    }

    /// gl_FragDepth replaces the depth.
    fn shader_depth(t) {
        t.full_target();
        t.paint("out vec4 c; void main() { c = vec4(1); gl_FragDepth = gl_FragCoord.x / 64.0; }");
        t.Enable(GL_DEPTH_TEST);
        t.clear([0.0; 4]);
        t.rect(ALL, -1.0);
        t.near("depths", &[t.depth_at(0, 4), t.depth_at(31, 4)], &[0.5 / 64.0, 31.5 / 64.0], 1e-5);
    }

    /// Every stencil function, by reference and mask.
    fn stencil_functions(t) {
        t.both(|t, what| {
            t.paint(PLAIN);
            t.Enable(GL_STENCIL_TEST);
            t.ClearStencil(5);
            t.clear([0.0; 4]);
            for (func, want) in [
                (GL_NEVER, [false, false, false]), (GL_LESS, [true, false, false]), (GL_EQUAL, [false, true, false]),
                (GL_LEQUAL, [true, true, false]), (GL_GREATER, [false, false, true]), (GL_NOTEQUAL, [true, false, true]),
                (GL_GEQUAL, [false, true, true]), (GL_ALWAYS, [true, true, true]),
            ] {
                // The reference is on the left of the comparison.
                let seen = [4, 5, 6].map(|reference| { t.StencilFunc(func, reference, 0xFF); passes(t) });
                t.eq(&format!("{what}, {func:#x}"), seen, want);
            }
            t.StencilFunc(GL_EQUAL, 0xFD, 0x07);
            t.eq(&format!("{what}, masked"), passes(t), true);
            t.StencilFunc(GL_EQUAL, 0x300, 0xFFFF);
            t.eq(&format!("{what}, a reference too large is clamped"), passes(t), false);
            t.Disable(GL_STENCIL_TEST);
        });
    }

    /// Every stencil operation, at its ends too.
    fn stencil_operations(t) {
        t.both(|t, what| {
            t.paint(PLAIN);
            t.Enable(GL_STENCIL_TEST);
            t.StencilFunc(GL_ALWAYS, 7, 0xFF);
            for (op, start, want) in [
                (GL_KEEP, 3, 3), (GL_ZERO, 3, 0), (GL_REPLACE, 3, 7), (GL_INCR, 3, 4), (GL_INCR, 255, 255), (GL_DECR, 3, 2), (GL_DECR, 0, 0),
                (GL_INVERT, 0x0F, 0xF0), (GL_INCR_WRAP, 255, 0), (GL_DECR_WRAP, 0, 255),
            ] {
                t.ClearStencil(start);
                t.Clear(GL_STENCIL_BUFFER_BIT);
                t.StencilOp(GL_KEEP, GL_KEEP, op);
                t.rect(ALL, 0.0);
                t.eq(&format!("{what}, {op:#x} of {start}"), t.stencil_at(8, 8), want);
            }
            t.Disable(GL_STENCIL_TEST);
            t.ClearStencil(0);
        });
    }

    /// The operation is chosen by what fails first: stencil, then depth.
    fn stencil_and_depth(t) {
        t.full_target();
        t.paint(PLAIN);
        t.Enable(GL_STENCIL_TEST);
        t.StencilOp(GL_INCR, GL_INVERT, GL_ZERO);
        for (func, depth_test, z, want) in [(GL_NEVER, true, 0.0, 11), (GL_ALWAYS, true, 0.9, 0xF5), (GL_ALWAYS, true, -0.9, 0), (GL_ALWAYS, false, 0.9, 0)] {
            t.ClearStencil(10);
            t.ClearDepth(0.5);
            t.clear([0.0; 4]);
            t.StencilFunc(func, 0, 0xFF);
            if depth_test { t.Enable(GL_DEPTH_TEST) } else { t.Disable(GL_DEPTH_TEST) }
            t.rect(ALL, z);
            t.eq(&format!("{func:#x}, depth {depth_test}, {z}"), t.stencil_at(8, 8), want);
        }
    }

    /// Front and back faces have functions, operations and masks of their own: shadow volumes.
    fn stencil_faces(t) {
        t.full_target();
        t.paint(PLAIN);
        t.Enable(GL_STENCIL_TEST);
        t.StencilFuncSeparate(GL_FRONT, GL_ALWAYS, 1, 0xFF);
        t.StencilFuncSeparate(GL_BACK, GL_ALWAYS, 2, 0xFF);
        t.StencilOpSeparate(GL_FRONT, GL_KEEP, GL_KEEP, GL_INCR_WRAP);
        t.StencilOpSeparate(GL_BACK, GL_KEEP, GL_KEEP, GL_DECR_WRAP);
        t.ClearStencil(5);
        t.clear([0.0; 4]);
        // The strip of `rect` winds counter-clockwise when left is left of right.
        t.rect(ALL, 0.0);
        t.eq("front", t.stencil_at(8, 8), 6);
        t.rect([1.0, -1.0, -1.0, 1.0], 0.0);
        t.rect([1.0, -1.0, -1.0, 1.0], 0.0);
        t.eq("back", t.stencil_at(8, 8), 4);
        t.StencilOpSeparate(GL_FRONT_AND_BACK, GL_KEEP, GL_KEEP, GL_REPLACE);
        t.rect(ALL, 0.0);
        t.eq("front's reference", t.stencil_at(8, 8), 1);
        t.rect([1.0, -1.0, -1.0, 1.0], 0.0);
        t.eq("back's reference", t.stencil_at(8, 8), 2);
        t.StencilMaskSeparate(GL_BACK, 0xF0);
        t.StencilMaskSeparate(GL_FRONT, 0x0F);
        t.StencilFunc(GL_ALWAYS, 0xFF, 0xFF);
        t.rect([1.0, -1.0, -1.0, 1.0], 0.0);
        t.eq("back's mask", t.stencil_at(8, 8), 0xF2);
        t.eq("masks", (t.int(GL_STENCIL_WRITEMASK), t.int(GL_STENCIL_BACK_WRITEMASK)), (0x0F, 0xF0));
        t.wrong(&[
            ("face", GL_INVALID_ENUM, &|t| t.StencilFuncSeparate(GL_LEFT, GL_LESS, 0, 0)),
            ("function", GL_INVALID_ENUM, &|t| t.StencilFunc(GL_KEEP, 0, 0)),
            ("operation", GL_INVALID_ENUM, &|t| t.StencilOp(GL_KEEP, GL_KEEP, GL_LESS)),
            ("operation's face", GL_INVALID_ENUM, &|t| t.StencilOpSeparate(GL_CW, GL_KEEP, GL_KEEP, GL_KEEP)),
            ("mask's face", GL_INVALID_ENUM, &|t| t.StencilMaskSeparate(GL_CW, 0)),
        ]);
    }

    /// The front face's mask holds for clears.
    fn stencil_mask_and_clear(t) {
        t.both(|t, what| {
            t.StencilMask(0xFF);
            t.ClearStencil(0xA5);
            t.Clear(GL_STENCIL_BUFFER_BIT);
            t.StencilMask(0x0F);
            t.ClearStencil(0x00);
            t.Clear(GL_STENCIL_BUFFER_BIT);
            t.eq(what, t.stencil_at(3, 3), 0xA0);
            t.StencilMask(0xFF);
        });
    }

    /// A hole cut by stencil: draw where the stencil is not.
    fn stencil_cut_out(t) {
        t.both(|t, what| {
            t.paint(PLAIN);
            t.ClearStencil(0);
            t.clear([0.0; 4]);
            t.Enable(GL_STENCIL_TEST);
            t.ColorMask(0, 0, 0, 0);
            t.StencilFunc(GL_ALWAYS, 1, 0xFF);
            t.StencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
            t.rect([-0.5, -0.5, 0.5, 0.5], 0.0);
            t.ColorMask(1, 1, 1, 1);
            t.StencilFunc(GL_NOTEQUAL, 1, 0xFF);
            t.StencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
            t.rect(ALL, 0.0);
            t.Disable(GL_STENCIL_TEST);
            t.pixel_is(&format!("{what}, hole"), 32, 32, [0; 4]);
            t.pixel_is(&format!("{what}, around"), 4, 32, [255; 4]);
            t.image(what, 64, 64);
        });
    }

    /// Depth and stencil formats: what is written comes back.
    fn formats(t) {
        for (internal, depth, stencil) in [
            (GL_DEPTH_COMPONENT16, true, false), (GL_DEPTH_COMPONENT24, true, false), (GL_DEPTH_COMPONENT32F, true, false),
            (GL_DEPTH24_STENCIL8, true, true), (GL_DEPTH32F_STENCIL8, true, true), (GL_STENCIL_INDEX8, false, true),
        ] {
            t.target(GL_RGBA8, (8, 8));
            let r = t.renderbuffer(internal, (8, 8), 0);
            if depth { t.attach(GL_DEPTH_ATTACHMENT, r) }
            if stencil { t.attach(GL_STENCIL_ATTACHMENT, r) }
            t.complete();
            t.ClearDepth(0.375);
            t.ClearStencil(0x5A);
            t.clear([0.0; 4]);
            if depth { t.near(&format!("depth of {internal:#x}"), &[t.depth_at(2, 2)], &[0.375], 1e-4) }
            if stencil { t.eq(&format!("stencil of {internal:#x}"), t.stencil_at(2, 2), 0x5A) }
        }
    }
}
