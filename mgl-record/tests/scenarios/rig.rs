//! What a scenario works with: a current context, and short ways to draw, read back and assert.
//!
//! Assertions are noted and the scenario goes on, so that one run shows all that is wrong. Every asserted value is also
//! told to the parent, which compares it with the oracle's.

use crate::bindings::Functions;
use crate::bindings::consts::gl::*;
use crate::context::{Place, Profile};
use core::ffi::{c_char, c_void};
use khronos_egl as egl;
use std::ffi::CString;
use std::fmt::Debug;
use std::ops::Deref;

/// Width and height of the default framebuffer, and of [`Rig::target`]'s.
pub const SIZE: i32 = 64;

/// The context that a scenario starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    Core,
    Compatibility,
}

impl Flavour {
    fn profile(self) -> Profile {
        match self {
            Self::Core => Profile::Core,
            Self::Compatibility => Profile::Compatibility,
        }
    }
}

/// Draws the rectangle `rect` (left, bottom, right, top in clip space) as a strip of four vertices without attributes;
/// `uv` goes from 0 to 1 in it.
pub const RECT: &str = "uniform vec4 rect = vec4(-1.0, -1.0, 1.0, 1.0); uniform float z = 0.0; out vec2 uv;
void main() { uv = vec2(gl_VertexID & 1, gl_VertexID >> 1); gl_Position = vec4(mix(rect.xy, rect.zw, uv), z, 1.0); }";

/// A fragment shader of one colour, `color`.
pub const PLAIN: &str = "uniform vec4 color = vec4(1.0); out vec4 c; void main() { c = color; }";

/// Another context of the scenario.
#[derive(Clone, Copy)]
pub struct Other {
    context: egl::Context,
    surface: egl::Surface,
}

/// See the module.
pub struct Rig {
    gl: Functions,
    place: Place,
    first: Other,
    flavour: Flavour,
    lane: String,
}

impl Deref for Rig {
    type Target = Functions;
    fn deref(&self) -> &Functions {
        &self.gl
    }
}

/// The name of an error code.
pub fn error_name(code: u32) -> String {
    match code {
        GL_NO_ERROR => "GL_NO_ERROR".into(),
        GL_INVALID_ENUM => "GL_INVALID_ENUM".into(),
        GL_INVALID_VALUE => "GL_INVALID_VALUE".into(),
        GL_INVALID_OPERATION => "GL_INVALID_OPERATION".into(),
        GL_INVALID_FRAMEBUFFER_OPERATION => "GL_INVALID_FRAMEBUFFER_OPERATION".into(),
        GL_OUT_OF_MEMORY => "GL_OUT_OF_MEMORY".into(),
        other => format!("{other:#06x}"),
    }
}

/// An erroneous call: what it is, the code it must leave, and the call.
pub type Wrong<'a> = (&'a str, u32, &'a dyn Fn(&Rig));

/// An address for a function that takes any data.
pub fn data<T>(values: &[T]) -> *const c_void {
    values.as_ptr().cast()
}

/// The bytes of values.
pub fn size<T>(values: &[T]) -> isize {
    std::mem::size_of_val(values) as isize
}

/// A zero-terminated name.
pub fn cstr(text: &str) -> CString {
    CString::new(text).expect("no zero in a name")
}

/// A place in a bound buffer.
pub fn at(offset: usize) -> *const c_void {
    offset as *const c_void
}

impl Rig {
    pub fn new(lane: &str, flavour: Flavour) -> Self {
        let place = Place::open();
        let first = Other {
            context: place.context(flavour.profile(), None),
            surface: place.pbuffer(SIZE, SIZE),
        };
        place.make_current(Some(first.surface), Some(first.context));
        let gl = place.functions();
        let rig = Self {
            gl,
            place,
            first,
            flavour,
            lane: lane.to_owned(),
        };
        rig.array();
        rig
    }

    /// Ends the scenario: an error that nobody asked for is a failure.
    pub fn finish(&self) {
        self.ok("at the end");
    }

    // ---- what is told ----

    /// Notes a failure.
    pub fn fail(&self, text: &str) {
        println!("fail {}", text.replace('\n', "\\n"));
    }

    /// Ends the scenario without a result, for a reason that must hold on the oracle too.
    pub fn skip(&self, why: &str) {
        println!("skip {why}");
    }

    /// Whether this is the system's own OpenGL: Mesa deviates from the specification here and there, and a scenario says
    /// so where it does.
    pub fn is_oracle(&self) -> bool {
        self.lane == "system"
    }

    /// The back end of the lane, over whichever link.
    fn backend(&self) -> &str {
        self.lane.trim_end_matches("-direct")
    }

    /// Says that the driver has to refuse this: its name in the report.
    pub fn refuses(&self, name: &str) {
        if !self.is_oracle() {
            println!("refused {name}");
        }
    }

    /// Says that a lane draws something only nearly: its name in the report. Nothing else may be approximated.
    pub fn approximates(&self, lane: &str, name: &str) {
        if self.backend() == lane {
            println!("approximated {name}");
        }
    }

    /// Tells a value, to be compared with the oracle's.
    pub fn saw(&self, key: &str, value: impl Debug) {
        let text = format!("{value:?}").replace('\n', " ");
        println!("saw {}\t{text}", key.replace(['\t', '\n'], " "));
    }

    /// Whether Vulkan draws.
    pub fn is_vulkan(&self) -> bool {
        self.backend() == "magma"
    }

    /// Demands a value.
    pub fn eq<T: PartialEq + Debug>(&self, what: &str, got: T, want: T) {
        if got == want {
            self.saw(what, got);
        } else {
            self.fail(&format!("{what}: {got:?}, not {want:?}"));
        }
    }

    /// Demands that something holds; `what` may tell measured values.
    pub fn is(&self, what: &str, holds: bool) {
        if !holds {
            self.fail(&format!("{what}: false"));
        }
    }

    /// Demands values within a tolerance, and a step of a float's own.
    pub fn near(&self, what: &str, got: &[f32], want: &[f32], tolerance: f32) {
        let close = got.len() == want.len()
            && got
                .iter()
                .zip(want)
                .all(|(a, b)| (a - b).abs() <= tolerance + 1e-6 * b.abs());
        if !close {
            self.fail(&format!("{what}: {got:?}, not {want:?} (+-{tolerance})"));
        }
    }

    /// Demands an error, which is taken.
    pub fn error(&self, what: &str, want: u32) {
        let got = self.GetError();
        if got != want {
            self.fail(&format!(
                "{what}: {}, not {}",
                error_name(got),
                error_name(want)
            ));
        }
    }

    /// Demands that there was no error.
    pub fn ok(&self, what: &str) {
        self.error(what, GL_NO_ERROR);
    }

    /// Makes wrong calls: each must leave its error and change nothing.
    pub fn wrong(&self, calls: &[Wrong<'_>]) {
        self.ok("before the wrong calls");
        let before = self.snapshot();
        for (what, want, call) in calls {
            call(self);
            self.error(what, *want);
        }
        let after = self.snapshot();
        for (a, b) in before.iter().zip(&after) {
            if a != b {
                self.fail(&format!(
                    "after wrong calls {:#06x} is {:?}, was {:?}",
                    a.0, b.1, a.1
                ));
            }
        }
    }

    fn snapshot(&self) -> Vec<(u32, [i32; 4])> {
        const STATE: [u32; 62] = [
            GL_ACTIVE_TEXTURE,
            GL_ARRAY_BUFFER_BINDING,
            GL_BLEND,
            GL_BLEND_DST_ALPHA,
            GL_BLEND_DST_RGB,
            GL_BLEND_EQUATION_ALPHA,
            GL_BLEND_EQUATION_RGB,
            GL_BLEND_SRC_ALPHA,
            GL_BLEND_SRC_RGB,
            GL_COLOR_WRITEMASK,
            GL_CULL_FACE,
            GL_CULL_FACE_MODE,
            GL_CURRENT_PROGRAM,
            GL_DEPTH_FUNC,
            GL_DEPTH_TEST,
            GL_DEPTH_WRITEMASK,
            GL_DITHER,
            GL_DRAW_BUFFER0,
            GL_DRAW_FRAMEBUFFER_BINDING,
            GL_ELEMENT_ARRAY_BUFFER_BINDING,
            GL_FRONT_FACE,
            GL_FRAMEBUFFER_SRGB,
            GL_LOGIC_OP_MODE,
            GL_PACK_ALIGNMENT,
            GL_PACK_ROW_LENGTH,
            GL_PACK_SKIP_PIXELS,
            GL_PACK_SKIP_ROWS,
            GL_PACK_SWAP_BYTES,
            GL_PIXEL_PACK_BUFFER_BINDING,
            GL_PIXEL_UNPACK_BUFFER_BINDING,
            GL_PRIMITIVE_RESTART,
            GL_PRIMITIVE_RESTART_INDEX,
            GL_PROVOKING_VERTEX,
            GL_READ_BUFFER,
            GL_READ_FRAMEBUFFER_BINDING,
            GL_RENDERBUFFER_BINDING,
            GL_SCISSOR_BOX,
            GL_SCISSOR_TEST,
            GL_STENCIL_BACK_FUNC,
            GL_STENCIL_FAIL,
            GL_STENCIL_FUNC,
            GL_STENCIL_REF,
            GL_STENCIL_TEST,
            GL_STENCIL_VALUE_MASK,
            GL_STENCIL_WRITEMASK,
            GL_TEXTURE_BINDING_1D,
            GL_TEXTURE_BINDING_2D,
            GL_TEXTURE_BINDING_2D_ARRAY,
            GL_TEXTURE_BINDING_3D,
            GL_TEXTURE_BINDING_BUFFER,
            GL_TEXTURE_BINDING_CUBE_MAP,
            GL_TEXTURE_BINDING_RECTANGLE,
            GL_UNIFORM_BUFFER_BINDING,
            GL_UNPACK_ALIGNMENT,
            GL_UNPACK_IMAGE_HEIGHT,
            GL_UNPACK_ROW_LENGTH,
            GL_UNPACK_SKIP_IMAGES,
            GL_UNPACK_SKIP_PIXELS,
            GL_UNPACK_SKIP_ROWS,
            GL_UNPACK_SWAP_BYTES,
            GL_VERTEX_ARRAY_BINDING,
            GL_VIEWPORT,
        ];
        STATE.iter().map(|s| (*s, self.ints::<4>(*s))).collect()
    }

    // ---- queries ----

    pub fn ints<const N: usize>(&self, name: u32) -> [i32; N] {
        let mut v = [0; 16];
        self.GetIntegerv(name, v.as_mut_ptr());
        std::array::from_fn(|i| v[i])
    }

    /// The first integer of a state.
    pub fn int(&self, name: u32) -> i32 {
        // GL_VIEWPORT's first two are its corner; its width says more.
        let v = self.ints::<4>(name);
        if name == GL_VIEWPORT { v[2] } else { v[0] }
    }

    pub fn floats<const N: usize>(&self, name: u32) -> [f32; N] {
        let mut v = [0.0; 16];
        self.GetFloatv(name, v.as_mut_ptr());
        std::array::from_fn(|i| v[i])
    }

    // ---- contexts ----

    /// Another context, which shares objects with the first one; not current yet.
    pub fn other(&self, shared: bool) -> Other {
        let share = shared.then_some(self.first.context);
        Other {
            context: self.place.context(self.flavour.profile(), share),
            surface: self.place.pbuffer(SIZE, SIZE),
        }
    }

    /// Makes a context current.
    pub fn switch(&self, to: Other) {
        self.place.make_current(Some(to.surface), Some(to.context));
    }

    /// The first context.
    pub fn first(&self) -> Other {
        self.first
    }

    /// Ends a context that is not current.
    pub fn end(&self, other: Other) {
        let e = &self.place.egl;
        e.destroy_context(self.place.display, other.context)
            .expect("destroyed");
        e.destroy_surface(self.place.display, other.surface)
            .expect("destroyed");
    }

    /// Shows the frame.
    pub fn swap(&self) {
        let e = &self.place.egl;
        e.swap_buffers(self.place.display, self.first.surface)
            .expect("swapped");
    }

    // ---- objects ----

    /// A new vertex array, bound.
    pub fn array(&self) -> u32 {
        let mut name = 0;
        self.GenVertexArrays(1, &mut name);
        self.BindVertexArray(name);
        name
    }

    /// A new buffer with contents, bound.
    pub fn buffer<T>(&self, target: u32, contents: &[T]) -> u32 {
        let mut name = 0;
        self.GenBuffers(1, &mut name);
        self.BindBuffer(target, name);
        self.BufferData(target, size(contents), data(contents), GL_STATIC_DRAW);
        name
    }

    /// A new texture, bound, with the nearest texels of level 0 (where its target has such parameters).
    pub fn texture(&self, target: u32) -> u32 {
        let mut name = 0;
        self.GenTextures(1, &mut name);
        self.BindTexture(target, name);
        if ![
            GL_TEXTURE_2D_MULTISAMPLE,
            GL_TEXTURE_2D_MULTISAMPLE_ARRAY,
            GL_TEXTURE_BUFFER,
        ]
        .contains(&target)
        {
            self.TexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST as i32);
            self.TexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST as i32);
        }
        name
    }

    /// A new 2D texture with texels, bound.
    pub fn texture_2d<T>(
        &self,
        internal: u32,
        (w, h): (i32, i32),
        format: u32,
        ty: u32,
        texels: &[T],
    ) -> u32 {
        let name = self.texture(GL_TEXTURE_2D);
        let texels = if texels.is_empty() {
            std::ptr::null()
        } else {
            data(texels)
        };
        self.TexImage2D(
            GL_TEXTURE_2D,
            0,
            internal as i32,
            w,
            h,
            0,
            format,
            ty,
            texels,
        );
        name
    }

    /// A new 2D texture of RGBA8 texels, bound.
    pub fn rgba(&self, size: (i32, i32), texels: &[[u8; 4]]) -> u32 {
        self.texture_2d(GL_RGBA8, size, GL_RGBA, GL_UNSIGNED_BYTE, texels)
    }

    /// A framebuffer with a 2D colour texture of an internal format, bound, with the viewport on all of it.
    pub fn target(&self, internal: u32, (w, h): (i32, i32)) -> (u32, u32) {
        let name = self.texture(GL_TEXTURE_2D);
        let (format, ty) = transfer(internal);
        self.TexImage2D(
            GL_TEXTURE_2D,
            0,
            internal as i32,
            w,
            h,
            0,
            format,
            ty,
            std::ptr::null(),
        );
        self.BindTexture(GL_TEXTURE_2D, 0);
        let fb = self.framebuffer();
        self.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
        self.Viewport(0, 0, w, h);
        self.complete();
        (fb, name)
    }

    /// A new framebuffer, bound.
    pub fn framebuffer(&self) -> u32 {
        let mut fb = 0;
        self.GenFramebuffers(1, &mut fb);
        self.BindFramebuffer(GL_FRAMEBUFFER, fb);
        fb
    }

    /// A new renderbuffer, bound.
    pub fn renderbuffer(&self, internal: u32, (w, h): (i32, i32), samples: i32) -> u32 {
        let mut name = 0;
        self.GenRenderbuffers(1, &mut name);
        self.BindRenderbuffer(GL_RENDERBUFFER, name);
        self.RenderbufferStorageMultisample(GL_RENDERBUFFER, samples, internal, w, h);
        name
    }

    /// Attaches a renderbuffer.
    pub fn attach(&self, attachment: u32, renderbuffer: u32) {
        self.FramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, renderbuffer);
    }

    /// A complete RGBA8 framebuffer of [`SIZE`] with depth and stencil, bound.
    pub fn full_target(&self) -> (u32, u32) {
        let made = self.target(GL_RGBA8, (SIZE, SIZE));
        let depth = self.renderbuffer(GL_DEPTH24_STENCIL8, (SIZE, SIZE), 0);
        self.attach(GL_DEPTH_STENCIL_ATTACHMENT, depth);
        self.complete();
        made
    }

    /// Demands that the bound framebuffer is complete.
    pub fn complete(&self) {
        let status = self.CheckFramebufferStatus(GL_FRAMEBUFFER);
        if status != GL_FRAMEBUFFER_COMPLETE {
            self.fail(&format!("a framebuffer is incomplete: {status:#06x}"));
        }
    }

    /// Runs `f` on the default framebuffer and on a framebuffer object of the same size and buffers.
    pub fn both(&self, mut f: impl FnMut(&Self, &str)) {
        f(self, "default framebuffer");
        self.full_target();
        f(self, "framebuffer object");
    }

    // ---- programs ----

    /// A shader with a source, compiled; it must have compiled. A source without a version is of 3.30.
    pub fn shader(&self, stage: u32, source: &str) -> u32 {
        let s = self.shader_unchecked(stage, source);
        if self.shader_int(s, GL_COMPILE_STATUS) == 0 {
            self.fail(&format!(
                "a shader does not compile: {}\n{source}",
                self.shader_log(s)
            ));
        }
        s
    }

    /// A shader with a source, compiled with or without success.
    pub fn shader_unchecked(&self, stage: u32, source: &str) -> u32 {
        let s = self.CreateShader(stage);
        let text = if source.trim_start().starts_with("#version") {
            source.to_owned()
        } else {
            format!("#version 330 core\n{source}")
        };
        let text = cstr(&text);
        let pointer: *const c_char = text.as_ptr();
        self.ShaderSource(s, 1, &pointer, std::ptr::null());
        self.CompileShader(s);
        s
    }

    pub fn shader_int(&self, shader: u32, name: u32) -> i32 {
        let mut v = -1;
        self.GetShaderiv(shader, name, &mut v);
        v
    }

    pub fn program_int(&self, program: u32, name: u32) -> i32 {
        let mut v = -1;
        self.GetProgramiv(program, name, &mut v);
        v
    }

    pub fn shader_log(&self, shader: u32) -> String {
        let mut text = vec![0u8; self.shader_int(shader, GL_INFO_LOG_LENGTH).max(1) as usize];
        let mut length = 0;
        self.GetShaderInfoLog(
            shader,
            text.len() as i32,
            &mut length,
            text.as_mut_ptr().cast(),
        );
        String::from_utf8_lossy(&text[..length as usize]).into_owned()
    }

    pub fn program_log(&self, program: u32) -> String {
        let mut text = vec![0u8; self.program_int(program, GL_INFO_LOG_LENGTH).max(1) as usize];
        let mut length = 0;
        self.GetProgramInfoLog(
            program,
            text.len() as i32,
            &mut length,
            text.as_mut_ptr().cast(),
        );
        String::from_utf8_lossy(&text[..length as usize]).into_owned()
    }

    /// A program of stages, with what is to be set before it is linked; not checked.
    pub fn link(&self, stages: &[(u32, &str)], before: impl FnOnce(u32)) -> u32 {
        let p = self.CreateProgram();
        for (stage, source) in stages {
            let s = self.shader(*stage, source);
            self.AttachShader(p, s);
            self.DeleteShader(s);
        }
        before(p);
        self.LinkProgram(p);
        p
    }

    /// As [`Rig::link`]; it must have linked, and is in use afterwards.
    pub fn program_with(&self, stages: &[(u32, &str)], before: impl FnOnce(u32)) -> u32 {
        let p = self.link(stages, before);
        if self.program_int(p, GL_LINK_STATUS) == 0 {
            self.fail(&format!("a program does not link: {}", self.program_log(p)));
        }
        self.UseProgram(p);
        p
    }

    /// A vertex and a fragment shader, in use.
    pub fn program(&self, vertex: &str, fragment: &str) -> u32 {
        self.program_with(
            &[(GL_VERTEX_SHADER, vertex), (GL_FRAGMENT_SHADER, fragment)],
            |_| {},
        )
    }

    /// A program that fills rectangles, in use.
    pub fn paint(&self, fragment: &str) -> u32 {
        self.program(RECT, fragment)
    }

    /// A uniform's location in the program in use.
    pub fn at(&self, name: &str) -> i32 {
        let name = cstr(name);
        self.GetUniformLocation(self.int(GL_CURRENT_PROGRAM) as u32, name.as_ptr())
    }

    pub fn attribute(&self, name: &str) -> u32 {
        let name = cstr(name);
        self.GetAttribLocation(self.int(GL_CURRENT_PROGRAM) as u32, name.as_ptr()) as u32
    }

    pub fn color(&self, [r, g, b, a]: [f32; 4]) {
        self.Uniform4f(self.at("color"), r, g, b, a);
    }

    // ---- drawing and reading ----

    /// Four vertices of a strip.
    pub fn strip(&self) {
        self.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }

    /// A rectangle at a depth, both in clip space.
    pub fn rect(&self, [l, b, r, t]: [f32; 4], z: f32) {
        self.Uniform4f(self.at("rect"), l, b, r, t);
        self.Uniform1f(self.at("z"), z);
        self.strip();
    }

    pub fn clear(&self, [r, g, b, a]: [f32; 4]) {
        self.ClearColor(r, g, b, a);
        self.Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    }

    pub fn pixels(&self, x: i32, y: i32, w: i32, h: i32) -> Vec<[u8; 4]> {
        let mut out = vec![[0u8; 4]; (w * h) as usize];
        self.ReadPixels(
            x,
            y,
            w,
            h,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            out.as_mut_ptr().cast(),
        );
        out
    }

    pub fn pixel(&self, x: i32, y: i32) -> [u8; 4] {
        self.pixels(x, y, 1, 1)[0]
    }

    pub fn pixel_f32(&self, x: i32, y: i32) -> [f32; 4] {
        let mut out = [0f32; 4];
        self.ReadPixels(x, y, 1, 1, GL_RGBA, GL_FLOAT, out.as_mut_ptr().cast());
        out
    }

    pub fn pixel_i32(&self, x: i32, y: i32) -> [i32; 4] {
        let mut out = [0i32; 4];
        self.ReadPixels(x, y, 1, 1, GL_RGBA_INTEGER, GL_INT, out.as_mut_ptr().cast());
        out
    }

    pub fn pixel_u32(&self, x: i32, y: i32) -> [u32; 4] {
        let mut out = [0u32; 4];
        self.ReadPixels(
            x,
            y,
            1,
            1,
            GL_RGBA_INTEGER,
            GL_UNSIGNED_INT,
            out.as_mut_ptr().cast(),
        );
        out
    }

    pub fn depth_at(&self, x: i32, y: i32) -> f32 {
        let mut out = -1f32;
        self.ReadPixels(
            x,
            y,
            1,
            1,
            GL_DEPTH_COMPONENT,
            GL_FLOAT,
            (&raw mut out).cast(),
        );
        out
    }

    pub fn stencil_at(&self, x: i32, y: i32) -> u8 {
        let mut out = 0xEEu8;
        self.ReadPixels(
            x,
            y,
            1,
            1,
            GL_STENCIL_INDEX,
            GL_UNSIGNED_BYTE,
            (&raw mut out).cast(),
        );
        out
    }

    /// Demands a colour, but for one step of rounding.
    pub fn pixel_is(&self, what: &str, x: i32, y: i32, want: [u8; 4]) {
        let got = self.pixel(x, y);
        if got.iter().zip(want).any(|(a, b)| a.abs_diff(b) > 1) {
            self.fail(&format!("{what}: ({x}, {y}) is {got:?}, not {want:?}"));
        }
    }

    /// Demands one colour of a whole rectangle.
    pub fn area_is(&self, what: &str, [x, y, w, h]: [i32; 4], want: [u8; 4]) {
        for (i, got) in self.pixels(x, y, w, h).into_iter().enumerate() {
            if got.iter().zip(want).any(|(a, b)| a.abs_diff(b) > 1) {
                let (px, py) = (x + i as i32 % w, y + i as i32 / w);
                return self.fail(&format!("{what}: ({px}, {py}) is {got:?}, not {want:?}"));
            }
        }
    }

    /// The pixels of a rectangle that are not black, as characters, rows from the top: for shapes.
    pub fn shape(&self, [x, y, w, h]: [i32; 4]) -> String {
        let pixels = self.pixels(x, y, w, h);
        let row = |r: usize| -> String {
            let line = &pixels[r * w as usize..(r + 1) * w as usize];
            line.iter()
                .map(|p| if p[..3] == [0; 3] { '.' } else { '#' })
                .collect()
        };
        (0..h as usize).rev().map(row).collect::<Vec<_>>().join("/")
    }

    /// Shows the parent what the read framebuffer holds, to be compared with the oracle's.
    pub fn image(&self, key: &str, w: i32, h: i32) {
        let hex: String = self
            .pixels(0, 0, w, h)
            .iter()
            .flatten()
            .map(|b| format!("{b:02x}"))
            .collect();
        println!("image {} {w} {h} {hex}", key.replace(' ', "_"));
    }
}

/// A format and type of client pixels that an internal format can be specified with.
pub fn transfer(internal: u32) -> (u32, u32) {
    match internal {
        GL_R8I | GL_R16I | GL_R32I => (GL_RED_INTEGER, GL_INT),
        GL_R8UI | GL_R16UI | GL_R32UI => (GL_RED_INTEGER, GL_UNSIGNED_INT),
        GL_RG8I | GL_RG16I | GL_RG32I => (GL_RG_INTEGER, GL_INT),
        GL_RG8UI | GL_RG16UI | GL_RG32UI => (GL_RG_INTEGER, GL_UNSIGNED_INT),
        GL_RGBA8I | GL_RGBA16I | GL_RGBA32I => (GL_RGBA_INTEGER, GL_INT),
        GL_RGBA8UI | GL_RGBA16UI | GL_RGBA32UI | GL_RGB10_A2UI => {
            (GL_RGBA_INTEGER, GL_UNSIGNED_INT)
        }
        GL_DEPTH_COMPONENT16 | GL_DEPTH_COMPONENT24 | GL_DEPTH_COMPONENT32F => {
            (GL_DEPTH_COMPONENT, GL_FLOAT)
        }
        GL_DEPTH24_STENCIL8 => (GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8),
        GL_DEPTH32F_STENCIL8 => (GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV),
        _ => (GL_RGBA, GL_FLOAT),
    }
}
