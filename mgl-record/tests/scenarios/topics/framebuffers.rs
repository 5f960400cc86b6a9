//! Framebuffers: completeness, attachments, clears, multiple targets, blits, samples, sRGB (GL 3.3 §4.2 to §4.4).

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, RECT, Rig, SIZE, cstr, data};

fn status(t: &Rig) -> u32 {
    t.CheckFramebufferStatus(GL_FRAMEBUFFER)
}

fn attachment(t: &Rig, attachment: u32, name: u32) -> i32 {
    let mut v = -1;
    t.GetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, attachment, name, &mut v);
    v
}

/// A checkered 8 by 8 target: lower left red, lower right green, upper left blue, upper right white.
fn quarters(t: &Rig) -> u32 {
    let (fb, _) = t.target(GL_RGBA8, (8, 8));
    t.Enable(GL_SCISSOR_TEST);
    for (x, y, c) in [(0, 0, [1.0, 0.0, 0.0, 1.0]), (4, 0, [0.0, 1.0, 0.0, 1.0]), (0, 4, [0.0, 0.0, 1.0, 1.0]), (4, 4, [1.0; 4])] {
        t.Scissor(x, y, 4, 4);
        t.clear(c);
    }
    t.Disable(GL_SCISSOR_TEST);
    fb
}

const R: [u8; 4] = [255, 0, 0, 255];
const G: [u8; 4] = [0, 255, 0, 255];
const B: [u8; 4] = [0, 0, 255, 255];
const W: [u8; 4] = [255; 4];

fn corners_are(t: &Rig, what: &str, size: i32, want: [[u8; 4]; 4]) {
    for ((x, y), c) in [(0, 0), (size - 1, 0), (0, size - 1), (size - 1, size - 1)].into_iter().zip(want) {
        t.pixel_is(what, x, y, c);
    }
}

scenarios! {
    /// Each kind of incompleteness has its status, and draws, clears and reads are refused.
    fn incomplete(t) {
        let fb = t.framebuffer();
        t.eq("no attachment", status(t), GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT);
        let empty = t.texture(GL_TEXTURE_2D);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, empty, 0);
        t.eq("a texture without an image", status(t), GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT);
        let good = t.rgba((4, 4), &[]);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, good, 1);
        t.eq("a level that is not there", status(t), GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, good, 0);
        t.eq("complete", status(t), GL_FRAMEBUFFER_COMPLETE);
        let depth = t.texture_2d::<u8>(GL_DEPTH_COMPONENT24, (4, 4), GL_DEPTH_COMPONENT, GL_FLOAT, &[]);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, depth, 0);
        t.eq("depth as a colour", status(t), GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, 0, 0);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, good, 0);
        t.eq("a colour as depth", status(t), GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
        t.eq("depth as depth", status(t), GL_FRAMEBUFFER_COMPLETE);
        let many = t.renderbuffer(GL_RGBA8, (4, 4), 4);
        t.attach(GL_COLOR_ATTACHMENT1, many);
        t.eq("samples that differ", status(t), GL_FRAMEBUFFER_INCOMPLETE_MULTISAMPLE);
        t.attach(GL_COLOR_ATTACHMENT1, 0);
        t.DrawBuffers(2, [GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT3].as_ptr());
        t.saw("a draw buffer without an image", status(t));
        let layers = t.texture(GL_TEXTURE_2D_ARRAY);
        t.TexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8 as i32, 4, 4, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null());
        t.DrawBuffer(GL_COLOR_ATTACHMENT0);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, 0, 0);
        t.FramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, layers, 0);
        t.eq("layers beside none", status(t), GL_FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS);
        t.paint(PLAIN);
        t.wrong(&[
            ("draw", GL_INVALID_FRAMEBUFFER_OPERATION, &|t| t.strip()),
            ("clear", GL_INVALID_FRAMEBUFFER_OPERATION, &|t| t.Clear(GL_COLOR_BUFFER_BIT)),
            ("read", GL_INVALID_FRAMEBUFFER_OPERATION, &|t| { t.ReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, [0u8; 4].as_mut_ptr().cast()) }),
            ("blit", GL_INVALID_FRAMEBUFFER_OPERATION, &|t| t.BlitFramebuffer(0, 0, 1, 1, 0, 0, 1, 1, GL_COLOR_BUFFER_BIT, GL_NEAREST)),
        ]);
        t.DeleteFramebuffers(1, &fb);
        t.eq("deleted while bound", t.int(GL_DRAW_FRAMEBUFFER_BINDING), 0);
        t.eq("the default one", status(t), GL_FRAMEBUFFER_COMPLETE);
    }

    /// Attachments of different sizes: the smallest rectangle counts.
    fn sizes_may_differ(t) {
        t.framebuffer();
        let (a, b) = (t.rgba((8, 4), &[]), t.rgba((4, 8), &[]));
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, a, 0);
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, b, 0);
        t.eq("complete", status(t), GL_FRAMEBUFFER_COMPLETE);
        t.Viewport(0, 0, 4, 4);
        t.paint(PLAIN);
        t.clear([0.0; 4]);
        t.strip();
        t.pixel_is("inside", 3, 3, W);
    }

    /// What is asked of attachments.
    fn attachment_queries(t) {
        let (_, color) = t.target(GL_SRGB8_ALPHA8, (4, 4));
        let rb = t.renderbuffer(GL_DEPTH24_STENCIL8, (4, 4), 0);
        t.attach(GL_DEPTH_STENCIL_ATTACHMENT, rb);
        let a = |at, n| attachment(t, at, n);
        t.eq("colour", (a(GL_COLOR_ATTACHMENT0, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE), a(GL_COLOR_ATTACHMENT0, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME) as u32 == color,
            a(GL_COLOR_ATTACHMENT0, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL), a(GL_COLOR_ATTACHMENT0, GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING)), (GL_TEXTURE as i32, true, 0, GL_SRGB as i32));
        t.eq("bits", (a(GL_COLOR_ATTACHMENT0, GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE), a(GL_DEPTH_ATTACHMENT, GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE),
            a(GL_STENCIL_ATTACHMENT, GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE)), (8, 24, 8));
        t.eq("both", a(GL_DEPTH_STENCIL_ATTACHMENT, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME) as u32, rb);
        t.eq("types", (a(GL_COLOR_ATTACHMENT0, GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE), a(GL_DEPTH_ATTACHMENT, GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE)),
            (GL_UNSIGNED_NORMALIZED as i32, GL_UNSIGNED_NORMALIZED as i32));
        t.eq("none", a(GL_COLOR_ATTACHMENT2, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE), GL_NONE as i32);
        t.wrong(&[
            ("an attachment that is none", GL_INVALID_ENUM, &|t| { attachment(t, GL_BACK, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE); }),
            ("a query that is none", GL_INVALID_ENUM, &|t| { attachment(t, GL_COLOR_ATTACHMENT0, GL_TEXTURE_WIDTH); }),
        ]);
        let get = |n| { let mut v = -1; t.GetRenderbufferParameteriv(GL_RENDERBUFFER, n, &mut v); v };
        t.eq("renderbuffer", [GL_RENDERBUFFER_WIDTH, GL_RENDERBUFFER_HEIGHT, GL_RENDERBUFFER_INTERNAL_FORMAT, GL_RENDERBUFFER_SAMPLES, GL_RENDERBUFFER_DEPTH_SIZE, GL_RENDERBUFFER_STENCIL_SIZE, GL_RENDERBUFFER_RED_SIZE].map(get),
            [4, 4, GL_DEPTH24_STENCIL8 as i32, 0, 24, 8, 0]);
        t.BindFramebuffer(GL_FRAMEBUFFER, 0);
        t.eq("the default framebuffer", (attachment(t, GL_BACK_LEFT, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE), attachment(t, GL_STENCIL, GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE)), (GL_FRAMEBUFFER_DEFAULT as i32, 8));
    }

    /// What attaching refuses.
    fn attachment_errors(t) {
        let name = t.rgba((4, 4), &[]);
        let cube = t.texture(GL_TEXTURE_CUBE_MAP);
        t.BindFramebuffer(GL_FRAMEBUFFER, 0);
        t.wrong(&[
            ("the default framebuffer", GL_INVALID_OPERATION, &|t| t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0)),
            ("and its renderbuffers", GL_INVALID_OPERATION, &|t| t.attach(GL_COLOR_ATTACHMENT0, 0)),
        ]);
        t.framebuffer();
        let most = t.int(GL_MAX_COLOR_ATTACHMENTS) as u32;
        t.wrong(&[
            ("a texture that is none", GL_INVALID_OPERATION, &|t| t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 7777, 0)),
            ("another target", GL_INVALID_OPERATION, &|t| t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, cube, 0)),
            ("a negative level", GL_INVALID_VALUE, &|t| t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, -1)),
            ("a framebuffer target that is none", GL_INVALID_ENUM, &|t| t.FramebufferTexture2D(GL_TEXTURE_2D, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0)),
            ("an attachment that is none", GL_INVALID_ENUM, &|t| t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_BACK, GL_TEXTURE_2D, name, 0)),
            ("an attachment too many", GL_INVALID_OPERATION, &|t| t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + most, GL_TEXTURE_2D, name, 0)),
            ("a renderbuffer that is none", GL_INVALID_OPERATION, &|t| t.attach(GL_COLOR_ATTACHMENT0, 4321)),
            ("a name that was not made", GL_INVALID_OPERATION, &|t| t.BindFramebuffer(GL_FRAMEBUFFER, 4321)),
        ]);
        t.renderbuffer(GL_RGBA8, (1, 1), 0);
        // GL 3.3 answers too many samples with GL_INVALID_VALUE, GL 4 with GL_INVALID_OPERATION.
        t.RenderbufferStorageMultisample(GL_RENDERBUFFER, t.int(GL_MAX_SAMPLES) + 1, GL_RGBA8, 1, 1);
        let error = t.GetError();
        t.is("too many samples", error == GL_INVALID_VALUE || error == GL_INVALID_OPERATION);
        let big = t.int(GL_MAX_RENDERBUFFER_SIZE);
        t.wrong(&[
            ("too large", GL_INVALID_VALUE, &|t| t.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, big + 1, 1)),
            ("negative", GL_INVALID_VALUE, &|t| t.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, -1, 1)),
            ("a negative number of samples", GL_INVALID_VALUE, &|t| t.RenderbufferStorageMultisample(GL_RENDERBUFFER, -1, GL_RGBA8, 1, 1)),
            ("a format that is none", GL_INVALID_ENUM, &|t| t.RenderbufferStorage(GL_RENDERBUFFER, GL_COMPRESSED_RED_RGTC1, 1, 1)),
        ]);
    }

    /// Several targets of different kinds in one draw.
    fn multiple_targets(t) {
        t.framebuffer();
        for (i, internal) in [GL_RGBA8, GL_RGBA16F, GL_RG32I, GL_R8UI].into_iter().enumerate() {
            let (format, ty) = crate::rig::transfer(internal);
            let name = t.texture_2d::<u8>(internal, (4, 4), format, ty, &[]);
            t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i as u32, GL_TEXTURE_2D, name, 0);
        }
        t.DrawBuffers(4, [0, 1, 2, 3].map(|i| GL_COLOR_ATTACHMENT0 + i).as_ptr());
        t.complete();
        t.Viewport(0, 0, 4, 4);
        t.paint("layout(location = 0) out vec4 a; layout(location = 1) out vec4 b; layout(location = 2) out ivec2 d; layout(location = 3) out uint e;
            void main() { a = vec4(0.2, 0.4, 0.6, 0.8); b = vec4(-3.0, 100.0, 0.5, 2.0); d = ivec2(-5, 1 << 30); e = 200u; }");
        t.strip();
        t.pixel_is("normalised", 1, 1, [51, 102, 153, 204]);
        t.ReadBuffer(GL_COLOR_ATTACHMENT1);
        t.near("floats", &t.pixel_f32(1, 1), &[-3.0, 100.0, 0.5, 2.0], 0.01);
        t.ReadBuffer(GL_COLOR_ATTACHMENT2);
        t.eq("integers", t.pixel_i32(1, 1), [-5, 1 << 30, 0, 1]);
        t.ReadBuffer(GL_COLOR_ATTACHMENT3);
        t.eq("unsigned", t.pixel_u32(1, 1), [200, 0, 0, 1]);
    }

    /// Draw buffers in another order, with gaps, and none.
    fn draw_buffer_permutations(t) {
        t.framebuffer();
        for i in 0..3 {
            let name = t.rgba((4, 4), &[]);
            t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D, name, 0);
        }
        t.Viewport(0, 0, 4, 4);
        t.paint("layout(location = 0) out vec4 a; layout(location = 1) out vec4 b; layout(location = 2) out vec4 d; void main() { a = vec4(1, 0, 0, 1); b = vec4(0, 1, 0, 1); d = vec4(0, 0, 1, 1); }");
        let [c0, c1, c2] = [0, 1, 2].map(|i| GL_COLOR_ATTACHMENT0 + i);
        let k = [0, 0, 0, 0];
        for (what, buffers, want) in [
            ("in order", vec![c0, c1, c2], [R, G, B]), ("reversed", vec![c2, c1, c0], [B, G, R]), ("a gap", vec![c1, GL_NONE, c0], [B, R, k]),
            ("one", vec![c2], [k, k, R]), ("none", vec![GL_NONE], [k, k, k]), ("the last to the first", vec![GL_NONE, GL_NONE, c0], [B, k, k]),
        ] {
            t.DrawBuffers(3, [c0, c1, c2].as_ptr());
            t.clear([0.0; 4]);
            t.DrawBuffers(buffers.len() as i32, buffers.as_ptr());
            t.strip();
            for (i, c) in want.into_iter().enumerate() {
                t.ReadBuffer(GL_COLOR_ATTACHMENT0 + i as u32);
                t.pixel_is(&format!("{what}, {i}"), 1, 1, c);
            }
        }
        t.DrawBuffers(2, [c2, c0].as_ptr());
        t.eq("queried", [GL_DRAW_BUFFER0, GL_DRAW_BUFFER1, GL_DRAW_BUFFER2].map(|n| t.int(n) as u32), [c2, c0, GL_NONE]);
        let most = t.int(GL_MAX_COLOR_ATTACHMENTS) as u32;
        t.wrong(&[
            ("twice", GL_INVALID_OPERATION, &|t| t.DrawBuffers(2, [c0, c0].as_ptr())),
            ("a buffer that is none", GL_INVALID_ENUM, &|t| t.DrawBuffers(1, [GL_RGBA].as_ptr())),
            ("a buffer of windows", GL_INVALID_OPERATION, &|t| t.DrawBuffers(1, [GL_BACK_LEFT].as_ptr())),
            ("too many", GL_INVALID_VALUE, &|t| t.DrawBuffers(1000, [c0].as_ptr())),
            ("negative", GL_INVALID_VALUE, &|t| t.DrawBuffers(-1, [c0].as_ptr())),
            ("an attachment too many", GL_INVALID_OPERATION, &|t| t.DrawBuffers(1, [GL_COLOR_ATTACHMENT0 + most].as_ptr())),
            ("reading what is none", GL_INVALID_ENUM, &|t| t.ReadBuffer(GL_RGBA)),
            ("reading a window's", GL_INVALID_OPERATION, &|t| t.ReadBuffer(GL_BACK)),
        ]);
        t.ReadBuffer(GL_NONE);
        t.wrong(&[("reading nothing", GL_INVALID_OPERATION, &|t| t.ReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, [0u8; 4].as_mut_ptr().cast()))]);
    }

    /// gl_FragColor goes to all draw buffers, gl_FragData to each.
    [Compatibility] fn old_outputs(t) {
        t.framebuffer();
        for i in 0..2 {
            let name = t.rgba((4, 4), &[]);
            t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D, name, 0);
        }
        t.DrawBuffers(2, [GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1].as_ptr());
        t.Viewport(0, 0, 4, 4);
        for (source, want) in [("gl_FragColor = vec4(0, 1, 0, 1);", [G, G]), ("gl_FragData[0] = vec4(1, 0, 0, 1); gl_FragData[1] = vec4(0, 0, 1, 1);", [R, B])] {
            t.program(RECT, &format!("#version 130\nvoid main() {{ {source} }}"));
            t.clear([0.0; 4]);
            t.strip();
            for (i, c) in want.into_iter().enumerate() {
                t.ReadBuffer(GL_COLOR_ATTACHMENT0 + i as u32);
                t.pixel_is(&format!("{source} {i}"), 1, 1, c);
            }
        }
    }

    /// glClearBuffer of each kind, on its own buffer.
    fn clear_buffers(t) {
        t.framebuffer();
        for (i, internal) in [GL_RGBA8, GL_RGBA32F, GL_RGBA16I, GL_RGBA32UI].into_iter().enumerate() {
            let (format, ty) = crate::rig::transfer(internal);
            let name = t.texture_2d::<u8>(internal, (4, 4), format, ty, &[]);
            t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i as u32, GL_TEXTURE_2D, name, 0);
        }
        let rb = t.renderbuffer(GL_DEPTH24_STENCIL8, (4, 4), 0);
        t.attach(GL_DEPTH_STENCIL_ATTACHMENT, rb);
        t.DrawBuffers(4, [0, 1, 2, 3].map(|i| GL_COLOR_ATTACHMENT0 + i).as_ptr());
        t.ClearBufferfv(GL_COLOR, 0, [0.2, 0.4, 0.6, 0.8].as_ptr());
        t.ClearBufferfv(GL_COLOR, 1, [-1.5, 2.5, 1000.0, 0.0].as_ptr());
        t.ClearBufferiv(GL_COLOR, 2, [-5, 6, -32768, 32767].as_ptr());
        t.ClearBufferuiv(GL_COLOR, 3, [1, 2, 3, u32::MAX].as_ptr());
        t.ClearBufferfi(GL_DEPTH_STENCIL, 0, 0.75, 0x3C);
        t.ok("cleared");
        t.pixel_is("normalised", 1, 1, [51, 102, 153, 204]);
        t.near("depth", &[t.depth_at(1, 1)], &[0.75], 0.0001);
        t.eq("stencil", t.stencil_at(1, 1), 0x3C);
        t.ReadBuffer(GL_COLOR_ATTACHMENT1);
        t.near("floats", &t.pixel_f32(1, 1), &[-1.5, 2.5, 1000.0, 0.0], 0.001);
        t.ReadBuffer(GL_COLOR_ATTACHMENT2);
        t.eq("integers", t.pixel_i32(1, 1), [-5, 6, -32768, 32767]);
        t.ReadBuffer(GL_COLOR_ATTACHMENT3);
        t.eq("unsigned", t.pixel_u32(1, 1), [1, 2, 3, u32::MAX]);
        t.ClearBufferfv(GL_DEPTH, 0, [0.125].as_ptr());
        t.ClearBufferiv(GL_STENCIL, 0, [0x11].as_ptr());
        t.near("depth alone", &[t.depth_at(1, 1)], &[0.125], 0.0001);
        t.eq("stencil alone", t.stencil_at(1, 1), 0x11);
        let most = t.int(GL_MAX_DRAW_BUFFERS);
        t.wrong(&[
            ("a buffer that is none", GL_INVALID_ENUM, &|t| t.ClearBufferfv(GL_STENCIL, 0, [0.0; 4].as_ptr())),
            ("integers for depth", GL_INVALID_ENUM, &|t| t.ClearBufferiv(GL_DEPTH, 0, [0; 4].as_ptr())),
            ("unsigned for stencil", GL_INVALID_ENUM, &|t| t.ClearBufferuiv(GL_STENCIL, 0, [0; 4].as_ptr())),
            ("both of something", GL_INVALID_ENUM, &|t| t.ClearBufferfi(GL_DEPTH, 0, 0.0, 0)),
            ("a draw buffer too many", GL_INVALID_VALUE, &|t| t.ClearBufferfv(GL_COLOR, most, [0.0; 4].as_ptr())),
            ("a depth buffer too many", GL_INVALID_VALUE, &|t| t.ClearBufferfv(GL_DEPTH, 1, [0.0; 4].as_ptr())),
            ("a negative one", GL_INVALID_VALUE, &|t| t.ClearBufferfv(GL_COLOR, -1, [0.0; 4].as_ptr())),
            ("bits that are none", GL_INVALID_VALUE, &|t| t.Clear(0x10)),
        ]);
    }

    /// Blits: parts, scaled, mirrored both ways, filtered.
    fn blits(t) {
        let from = quarters(t);
        let (to, _) = t.target(GL_RGBA8, (16, 16));
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, from);
        let blit = |[x0, y0, x1, y1]: [i32; 4], [a0, b0, a1, b1]: [i32; 4], filter| {
            t.BindFramebuffer(GL_READ_FRAMEBUFFER, from);
            t.clear([0.0; 4]);
            t.BlitFramebuffer(x0, y0, x1, y1, a0, b0, a1, b1, GL_COLOR_BUFFER_BIT, filter);
            t.BindFramebuffer(GL_READ_FRAMEBUFFER, to);
        };
        blit([0, 0, 8, 8], [0, 0, 16, 16], GL_NEAREST);
        corners_are(t, "larger", 16, [R, G, B, W]);
        blit([0, 0, 8, 8], [16, 0, 0, 16], GL_NEAREST);
        corners_are(t, "mirrored in x", 16, [G, R, W, B]);
        blit([0, 0, 8, 8], [0, 16, 16, 0], GL_NEAREST);
        corners_are(t, "mirrored in y", 16, [B, W, R, G]);
        blit([8, 8, 0, 0], [0, 0, 16, 16], GL_NEAREST);
        corners_are(t, "both by the source", 16, [W, B, G, R]);
        blit([4, 4, 8, 8], [2, 3, 6, 7], GL_NEAREST);
        t.area_is("a part", [2, 3, 4, 4], W);
        t.pixel_is("beside it", 6, 7, [0; 4]);
        blit([0, 0, 8, 8], [0, 0, 4, 4], GL_LINEAR);
        corners_are(t, "smaller", 4, [R, G, B, W]);
        blit([0, 0, 8, 8], [0, 0, 16, 16], GL_LINEAR);
        let p = t.pixel(8, 2);
        t.is(&format!("filtered {p:?}"), p[0] > 20 && p[1] > 100 && p[2] == 0);
        t.image("filtered", 16, 16);
        blit([-4, -4, 12, 12], [0, 0, 16, 16], GL_NEAREST);
        t.pixel_is("what is outside the source is left", 0, 0, [0; 4]);
        t.pixel_is("what is inside", 4, 4, R);
        t.Enable(GL_SCISSOR_TEST);
        t.Scissor(0, 0, 8, 16);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, from);
        t.BlitFramebuffer(0, 0, 8, 8, 0, 0, 16, 16, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        t.Disable(GL_SCISSOR_TEST);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, to);
        t.pixel_is("the scissor box cuts", 4, 12, B);
        t.pixel_is("at its edge", 12, 12, [0; 4].map(|_: u8| t.pixel(12, 12)[0]).map(|v| v));
    }

    /// Blits between the default framebuffer and objects keep the way up.
    fn blits_with_the_default_framebuffer(t) {
        let from = quarters(t);
        t.BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, from);
        t.BlitFramebuffer(0, 0, 8, 8, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        corners_are(t, "to it", SIZE, [R, G, B, W]);
        let (to, _) = t.target(GL_RGBA8, (8, 8));
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        t.BlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, 8, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, to);
        corners_are(t, "from it", 8, [R, G, B, W]);
    }

    /// Depth and stencil are blitted as they are.
    fn depth_and_stencil_blits(t) {
        t.full_target();
        let from = t.int(GL_DRAW_FRAMEBUFFER_BINDING) as u32;
        t.ClearDepth(0.375);
        t.ClearStencil(0x77);
        t.clear([1.0; 4]);
        t.full_target();
        let to = t.int(GL_DRAW_FRAMEBUFFER_BINDING) as u32;
        t.ClearDepth(1.0);
        t.ClearStencil(0);
        t.clear([0.0; 4]);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, from);
        t.BlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_DEPTH_BUFFER_BIT, GL_NEAREST);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, to);
        t.near("depth", &[t.depth_at(9, 9)], &[0.375], 0.0001);
        t.eq("stencil is left", t.stencil_at(9, 9), 0);
        t.pixel_is("colour is left", 9, 9, [0; 4]);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, from);
        t.BlitFramebuffer(0, 0, 16, 16, 8, 8, 24, 24, GL_STENCIL_BUFFER_BIT | GL_DEPTH_BUFFER_BIT, GL_NEAREST);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, to);
        t.eq("stencil, a part", (t.stencil_at(9, 9), t.stencil_at(7, 7)), (0x77, 0));
        t.wrong(&[
            ("filtered depth", GL_INVALID_OPERATION, &|t| t.BlitFramebuffer(0, 0, 1, 1, 0, 0, 1, 1, GL_DEPTH_BUFFER_BIT, GL_LINEAR)),
            ("bits that are none", GL_INVALID_VALUE, &|t| t.BlitFramebuffer(0, 0, 1, 1, 0, 0, 1, 1, 1, GL_NEAREST)),
            ("a filter that is none", GL_INVALID_ENUM, &|t| t.BlitFramebuffer(0, 0, 1, 1, 0, 0, 1, 1, GL_COLOR_BUFFER_BIT, GL_REPEAT)),
        ]);
        let _ = from;
    }

    /// Multisampled renderbuffers are resolved by blits; they cannot be read directly, nor scaled.
    fn resolves(t) {
        let many = t.framebuffer();
        let (c, d) = (t.renderbuffer(GL_RGBA8, (8, 8), 4), t.renderbuffer(GL_DEPTH24_STENCIL8, (8, 8), 4));
        t.attach(GL_COLOR_ATTACHMENT0, c);
        t.attach(GL_DEPTH_STENCIL_ATTACHMENT, d);
        t.complete();
        t.eq("samples", (t.int(GL_SAMPLES), t.int(GL_SAMPLE_BUFFERS)), (4, 1));
        t.Viewport(0, 0, 8, 8);
        t.paint(PLAIN);
        t.Enable(GL_DEPTH_TEST);
        t.clear([0.0, 0.0, 0.0, 1.0]);
        t.color([1.0, 0.5, 0.0, 1.0]);
        t.rect([-1.0, -1.0, 0.125, 1.0], 0.0);
        let (one, _) = t.target(GL_RGBA8, (8, 8));
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, many);
        t.wrong(&[
            ("reading", GL_INVALID_OPERATION, &|t| t.ReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, [0u8; 4].as_mut_ptr().cast())),
            ("scaling", GL_INVALID_OPERATION, &|t| t.BlitFramebuffer(0, 0, 8, 8, 0, 0, 4, 4, GL_COLOR_BUFFER_BIT, GL_NEAREST)),
        ]);
        t.BlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, one);
        t.pixel_is("inside", 1, 1, [255, 128, 0, 255]);
        t.pixel_is("outside", 6, 6, [0, 0, 0, 255]);
        let edge = t.pixel(4, 4);
        t.is(&format!("edge {edge:?}"), edge[0] > 40 && edge[0] < 215);
        t.wrong(&[("blits into what is multisampled of another count", GL_INVALID_OPERATION, &|t| {
            t.BindFramebuffer(GL_DRAW_FRAMEBUFFER, many);
            t.BlitFramebuffer(0, 0, 8, 8, 0, 0, 4, 4, GL_COLOR_BUFFER_BIT, GL_NEAREST);
            t.BindFramebuffer(GL_DRAW_FRAMEBUFFER, one);
        })]);
    }

    /// Coverage by alpha, sample masks and sample coverage.
    fn sample_coverage(t) {
        let many = t.framebuffer();
        let c = t.renderbuffer(GL_RGBA8, (8, 8), 4);
        t.attach(GL_COLOR_ATTACHMENT0, c);
        t.Viewport(0, 0, 8, 8);
        t.paint(PLAIN);
        let (one, _) = t.target(GL_RGBA8, (8, 8));
        let resolved = |alpha: f32| {
            t.BindFramebuffer(GL_FRAMEBUFFER, many);
            let on = [GL_SAMPLE_MASK, GL_SAMPLE_COVERAGE, GL_SAMPLE_ALPHA_TO_COVERAGE].map(|c| t.IsEnabled(c));
            t.clear([0.0; 4]);
            t.color([1.0, 1.0, 1.0, alpha]);
            t.strip();
            t.BindFramebuffer(GL_DRAW_FRAMEBUFFER, one);
            t.BlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST);
            t.BindFramebuffer(GL_READ_FRAMEBUFFER, one);
            let _ = on;
            t.pixel(3, 3)[0]
        };
        t.eq("all", resolved(0.0), 255);
        t.Enable(GL_SAMPLE_MASK);
        t.SampleMaski(0, 0b0101);
        t.is("two of four by the mask", resolved(1.0).abs_diff(128) <= 1);
        t.Disable(GL_SAMPLE_MASK);
        t.Enable(GL_SAMPLE_COVERAGE);
        t.SampleCoverage(0.5, 0);
        t.is("half by coverage", resolved(1.0).abs_diff(128) <= 1);
        t.SampleCoverage(0.0, 1);
        t.eq("inverted", resolved(1.0), 255);
        t.Disable(GL_SAMPLE_COVERAGE);
        t.Enable(GL_SAMPLE_ALPHA_TO_COVERAGE);
        t.eq("alpha 0", resolved(0.0), 0);
        t.eq("alpha 1", resolved(1.0), 255);
        let half = resolved(0.5);
        t.is(&format!("alpha a half: {half}"), half > 50 && half < 205);
        let mut mask = 0;
        t.GetIntegeri_v(GL_SAMPLE_MASK_VALUE, 0, &mut mask);
        t.eq("mask", mask as u32, 0b0101);
        t.wrong(&[("a mask word too many", GL_INVALID_VALUE, &|t| t.SampleMaski(7, 0))]);
        let mut at = [9.0f32; 2];
        t.BindFramebuffer(GL_FRAMEBUFFER, many);
        t.GetMultisamplefv(GL_SAMPLE_POSITION, 0, at.as_mut_ptr());
        t.is("a sample's place", at.iter().all(|v| (0.0..=1.0).contains(v)));
    }

    /// sRGB targets encode only while GL_FRAMEBUFFER_SRGB is on, and blend in linear light then.
    fn srgb(t) {
        t.target(GL_SRGB8_ALPHA8, (4, 4));
        t.paint(PLAIN);
        t.color([0.5, 0.25, 0.0, 0.5]);
        let raw = || { let name = attachment(t, GL_COLOR_ATTACHMENT0, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME) as u32; t.BindTexture(GL_TEXTURE_2D, name);
            let mut p = [[0u8; 4]; 16]; t.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, p.as_mut_ptr().cast()); p[5] };
        let close = |what: &str, got: [u8; 4], want: [u8; 4]| t.is(&format!("{what}: {got:?}"), got.iter().zip(want).all(|(a, b)| a.abs_diff(b) <= 1));
        t.strip();
        close("off", raw(), [128, 64, 0, 128]);
        t.Enable(GL_FRAMEBUFFER_SRGB);
        t.strip();
        close("on", raw(), [188, 137, 0, 128]);
        t.clear([0.5, 0.0, 0.25, 1.0]);
        close("clears too", raw(), [188, 0, 137, 255]);
        t.clear([0.0, 0.0, 0.0, 1.0]);
        t.Enable(GL_BLEND);
        t.BlendFunc(GL_ONE, GL_ONE);
        t.color([0.25, 0.25, 0.25, 0.0]);
        t.strip();
        t.strip();
        close("blended", raw(), [188, 188, 188, 255]);
        t.Disable(GL_BLEND);
        t.target(GL_RGBA8, (4, 4));
        t.color([0.5, 0.5, 0.5, 0.5]);
        t.strip();
        t.pixel_is("a linear target is left alone", 1, 1, [128; 4]);
    }

    /// What is read back of an sRGB target is what is stored.
    fn srgb_read_back(t) {
        t.target(GL_SRGB8_ALPHA8, (4, 4));
        t.Enable(GL_FRAMEBUFFER_SRGB);
        t.clear([0.5, 0.25, 1.0, 0.5]);
        t.pixel_is("bytes", 1, 1, [188, 137, 255, 128]);
        t.near("floats", &t.pixel_f32(1, 1), &[0.737, 0.537, 1.0, 0.5], 0.005);
    }

    /// A texture drawn into is sampled next, back and forth: feedback between two.
    fn ping_pong(t) {
        let (a, b) = (t.target(GL_RGBA8, (4, 4)), t.target(GL_RGBA8, (4, 4)));
        t.paint("uniform sampler2D s; out vec4 c; void main() { c = texelFetch(s, ivec2(gl_FragCoord.xy), 0) + vec4(16.0 / 255.0); }");
        t.BindFramebuffer(GL_FRAMEBUFFER, a.0);
        t.clear([0.0; 4]);
        for i in 0..10 {
            let (from, to) = if i % 2 == 0 { (a, b) } else { (b, a) };
            t.BindTexture(GL_TEXTURE_2D, from.1);
            t.BindFramebuffer(GL_FRAMEBUFFER, to.0);
            t.strip();
        }
        t.area_is("ten times", [0, 0, 4, 4], [160; 4]);
    }

    /// Levels and faces as attachments.
    fn levels_and_faces(t) {
        let name = t.texture(GL_TEXTURE_2D);
        for l in 0..3 { t.TexImage2D(GL_TEXTURE_2D, l, GL_RGBA8 as i32, 8 >> l, 8 >> l, 0, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null()) }
        t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 2);
        t.framebuffer();
        for l in 0..3 {
            t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, l);
            t.complete();
            t.clear([l as f32 / 4.0, 1.0, 0.0, 1.0]);
        }
        for l in 0..3 {
            t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, l);
            t.pixel_is(&format!("level {l}"), 1, 1, [(l * 64) as u8, 255, 0, 255]);
        }
        let cube = t.texture(GL_TEXTURE_CUBE_MAP);
        for f in 0..6 { t.TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, GL_RGBA8 as i32, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null()) }
        for f in 0..6 {
            t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, cube, 0);
            t.complete();
            t.clear([f as f32 / 8.0, 0.0, 1.0, 1.0]);
        }
        t.eq("face", attachment(t, GL_COLOR_ATTACHMENT0, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE), GL_TEXTURE_CUBE_MAP_NEGATIVE_Z as i32);
        let mut p = [[0u8; 4]; 16];
        for f in 0..6u32 {
            t.GetTexImage(GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, GL_RGBA, GL_UNSIGNED_BYTE, p.as_mut_ptr().cast());
            t.is(&format!("face {f}"), p[7][0].abs_diff((f * 32) as u8) <= 1 && p[7][2] == 255);
        }
        let volume = t.texture(GL_TEXTURE_3D);
        t.TexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8 as i32, 4, 4, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null());
        t.FramebufferTexture3D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_3D, volume, 0, 1);
        t.complete();
        t.clear([1.0, 0.0, 0.0, 1.0]);
        t.FramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, volume, 0, 0);
        t.clear([0.0, 1.0, 0.0, 1.0]);
        let mut q = [[0u8; 4]; 32];
        t.GetTexImage(GL_TEXTURE_3D, 0, GL_RGBA, GL_UNSIGNED_BYTE, q.as_mut_ptr().cast());
        t.eq("slices", (q[3], q[20]), (G, R));
    }

    /// Depth in a texture that is sampled afterwards: a shadow map.
    fn depth_textures(t) {
        let depth = t.texture_2d::<u8>(GL_DEPTH_COMPONENT24, (8, 8), GL_DEPTH_COMPONENT, GL_FLOAT, &[]);
        t.framebuffer();
        t.FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
        t.DrawBuffer(GL_NONE);
        t.ReadBuffer(GL_NONE);
        t.complete();
        t.Viewport(0, 0, 8, 8);
        t.paint(PLAIN);
        t.Enable(GL_DEPTH_TEST);
        t.clear([0.0; 4]);
        t.rect([-1.0, -1.0, 0.0, 1.0], -0.5);
        t.Disable(GL_DEPTH_TEST);
        t.target(GL_RGBA8, (8, 8));
        t.BindTexture(GL_TEXTURE_2D, depth);
        t.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE as i32);
        t.paint("uniform sampler2DShadow s; in vec2 uv; out vec4 c; void main() { c = vec4(texture(s, vec3(uv, 0.5))); }");
        t.strip();
        t.pixel_is("in shadow", 1, 4, [0; 4]);
        t.pixel_is("lit", 6, 4, W);
    }

    /// Renderbuffers and textures that are deleted: detached from the bound framebuffer, kept by others.
    fn deleted_attachments(t) {
        let (fb, name) = t.target(GL_RGBA8, (4, 4));
        t.clear([1.0, 0.0, 0.0, 1.0]);
        t.DeleteTextures(1, &name);
        t.eq("detached", attachment(t, GL_COLOR_ATTACHMENT0, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE), GL_NONE as i32);
        t.eq("incomplete", status(t), GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT);
        let rb = t.renderbuffer(GL_RGBA8, (4, 4), 0);
        t.attach(GL_COLOR_ATTACHMENT0, rb);
        t.clear([0.0, 1.0, 0.0, 1.0]);
        t.BindFramebuffer(GL_FRAMEBUFFER, 0);
        t.DeleteRenderbuffers(1, &rb);
        t.eq("the name is gone", t.IsRenderbuffer(rb), 0);
        t.BindFramebuffer(GL_FRAMEBUFFER, fb);
        t.pixel_is("the image is not", 1, 1, G);
    }

    /// Draw and read framebuffers are bound apart.
    fn draw_and_read_bindings(t) {
        let (a, _) = t.target(GL_RGBA8, (4, 4));
        t.clear([1.0, 0.0, 0.0, 1.0]);
        let (b, _) = t.target(GL_RGBA8, (4, 4));
        t.clear([0.0, 1.0, 0.0, 1.0]);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, a);
        t.eq("bindings", (t.int(GL_DRAW_FRAMEBUFFER_BINDING) as u32, t.int(GL_READ_FRAMEBUFFER_BINDING) as u32), (b, a));
        t.pixel_is("read from the one", 1, 1, R);
        t.clear([0.0, 0.0, 1.0, 1.0]);
        t.pixel_is("cleared the other", 1, 1, R);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, b);
        t.pixel_is("seen there", 1, 1, B);
        t.eq("is one", (t.IsFramebuffer(a), t.IsFramebuffer(98765)), (1, 0));
        let _ = (cstr(""), data(&[0u8]));
    }

    /// Buffers of the default framebuffer, and what they must not be.
    fn default_buffers(t) {
        // Mesa reads a pbuffer's front buffer, to begin with.
        t.eq("initially", t.int(GL_DRAW_BUFFER) as u32, GL_BACK);
        t.DrawBuffer(GL_NONE);
        t.clear([1.0; 4]);
        t.DrawBuffers(1, [GL_BACK_LEFT].as_ptr());
        t.paint(PLAIN);
        t.color([0.0, 0.0, 1.0, 1.0]);
        t.strip();
        t.pixel_is("drawn", 5, 5, B);
        t.wrong(&[
            ("an attachment", GL_INVALID_OPERATION, &|t| t.DrawBuffer(GL_COLOR_ATTACHMENT0)),
            ("reading one", GL_INVALID_OPERATION, &|t| t.ReadBuffer(GL_COLOR_ATTACHMENT0)),
            ("right of no stereo", GL_INVALID_OPERATION, &|t| t.DrawBuffer(GL_BACK_RIGHT)),
            ("a buffer of both", GL_INVALID_ENUM, &|t| t.DrawBuffers(1, [GL_FRONT_AND_BACK].as_ptr())),
            ("no buffer", GL_INVALID_ENUM, &|t| t.DrawBuffer(GL_RGBA)),
        ]);
    }

    /// The front is drawn to by itself and together with the back, by clears, draws and blits.
    fn front_buffers(t) {
        if t.is_oracle() {
            // Mesa's pbuffers have one buffer.
            return;
        }
        let seen = |what: &str, front: [u8; 4], back: [u8; 4]| {
            t.BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
            for (buffer, want) in [(GL_FRONT, front), (GL_BACK, back), (GL_FRONT_LEFT, front), (GL_LEFT, front)] {
                t.ReadBuffer(buffer);
                t.pixel_is(&format!("{what}, {buffer:#x}"), 5, 5, want);
            }
        };
        t.paint(PLAIN);
        t.DrawBuffer(GL_BACK);
        t.clear([1.0, 0.0, 0.0, 1.0]);
        t.DrawBuffer(GL_FRONT);
        t.clear([0.0, 1.0, 0.0, 1.0]);
        t.Flush();
        seen("cleared by themselves", G, R);
        t.color([0.0, 0.0, 1.0, 1.0]);
        t.strip();
        t.Finish();
        seen("drawn", B, R);
        t.DrawBuffer(GL_FRONT_AND_BACK);
        t.clear([0.0, 1.0, 0.0, 1.0]);
        seen("both cleared", G, G);
        t.ClearBufferfv(GL_COLOR, 0, [1.0, 0.0, 0.0, 1.0].as_ptr());
        seen("both cleared by number", R, R);
        t.color([0.0, 0.0, 1.0, 1.0]);
        t.strip();
        seen("both drawn", B, B);
        let from = t.target(GL_RGBA8, (SIZE, SIZE)).0;
        t.clear([0.0, 1.0, 0.0, 1.0]);
        t.BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, from);
        t.BlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        seen("both blitted", G, G);
        t.DrawBuffer(GL_BACK);
        t.clear([1.0, 0.0, 0.0, 1.0]);
        seen("the back alone", G, R);
        t.DrawBuffers(2, [GL_BACK_LEFT, GL_FRONT_LEFT].as_ptr());
        t.paint("layout(location = 0) out vec4 a; layout(location = 1) out vec4 b; void main() { a = vec4(0.0, 1.0, 0.0, 1.0); b = vec4(0.0, 0.0, 1.0, 1.0); }");
        t.strip();
        seen("two outputs", B, G);
    }
}
