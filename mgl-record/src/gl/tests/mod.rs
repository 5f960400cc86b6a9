//! Tests of entry points as a program calls them: contexts of their own, a back end that remembers what it was told.
//!
//! The driver is one for the process and tests run side by side, so everything is asked by the test's own context and
//! buffer handles.

mod buffer;
mod churn;
mod draw;
mod emission;
mod ext;
mod features;
mod fork;
mod framebuffer;
mod legacy;
mod link;
mod lost;
mod query;
mod spy;
mod sync;
mod texture;
mod vertex;
mod xfb;

use super::types::*;
use crate::config::Config;
use crate::consts::gl::*;
use crate::context::{
    self, ContextConfig, ContextRef, Gl, Profile, SurfaceConfig, SurfaceRef, with_current,
};
use crate::driver;
use crate::gl::buffer::*;
use crate::gl::program::*;
use crate::gl::vertex::*;
use crate::pipe::Pipe;
use mgl_core::handle::{BufferHandle, ContextHandle};
use mgl_core::pipe::Group;
use mgl_replay::BackendKind;
use spy::Spy;

/// A context that is current in this thread, with a surface and a program that reads attributes 0 to 3.
struct Current {
    context: ContextRef,
    surface: SurfaceRef,
}

impl Current {
    fn new(profile: Profile) -> Self {
        Self::shared(profile, None)
    }

    fn config(profile: Profile) -> ContextConfig {
        ContextConfig {
            profile,
            major: 3,
            minor: 3,
            debug: false,
            forward_compatible: false,
            robust: false,
            lose_on_reset: false,
            no_error: false,
            flush_on_release: true,
        }
    }

    fn shared(profile: Profile, with: Option<&ContextRef>) -> Self {
        install_spy();
        let config = Self::config(profile);
        let context = context::create(&config, with).expect("the null back end makes contexts");
        let surface = context::create_surface(&SurfaceConfig {
            native: None,
            width: 8,
            height: 8,
            alpha: true,
            depth_bits: 24,
            stencil_bits: 8,
            samples: 0,
            double_buffered: true,
            srgb: false,
        });
        let this = Self { context, surface };
        this.make_current();
        this
    }

    fn make_current(&self) {
        let s = Some(&self.surface);
        context::make_current(Some(&self.context), s, s).expect("nobody else has it");
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let _ = context::make_current(None, None, None);
        context::destroy_context(&self.context);
        context::destroy_surface(&self.surface);
    }
}

fn install_spy() {
    let mut d = driver::lock();
    let there = d
        .pipe
        .as_ref()
        .is_some_and(|p| p.caps().renderer == spy::NAME);
    if there {
        return;
    }
    match &mut d.pipe {
        Some(p) => p.replace_backend(Box::new(Spy::new())),
        none => {
            let config = Config {
                backend: BackendKind::Null,
                record: None,
                ..Config::from_env()
            };
            *none = Some(Pipe::with_backend(&config, Box::new(Spy::new())));
        }
    }
}

/// Runs `f` in a child, which has a driver of its own that may break; its answer is 0 when all is well.
fn in_child(f: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child touches memory, locks of its own and the allocator, which libc makes usable there.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: a child that hangs is ended by the signal, any other one here.
        unsafe {
            libc::alarm(30);
            libc::_exit(f());
        }
    }
    let mut status = 0;
    // SAFETY: room for the status.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert!(libc::WIFEXITED(status), "status {status:#x}");
    libc::WEXITSTATUS(status)
}

/// Runs `f` on the current context.
fn gl<R>(f: impl FnOnce(&mut Gl<'_>) -> R) -> R {
    with_current("test", f).expect("a context is current")
}

/// What would be emitted of the whole driver differs from what its server has: the first difference, in words.
fn emission_difference() -> Option<String> {
    crate::check::difference(&mut driver::lock())
}

/// The context's error, taken. Errors that pushes leave are the whole process's and not asked for.
fn error() -> GLenum {
    gl(|gl| std::mem::take(&mut gl.ctx.error))
}

#[track_caller]
fn no_error() {
    assert_eq!(error(), GL_NO_ERROR);
}

#[track_caller]
fn raises(code: GLenum, f: impl FnOnce()) {
    no_error();
    f();
    assert_eq!(error(), code);
}

fn handle_of(name: GLuint) -> BufferHandle {
    gl(|gl| gl.share.buffers.get(name).expect("an object").handle())
}

fn context_handle() -> ContextHandle {
    gl(|gl| gl.ctx.handle)
}

/// How often a group of the current context was pushed or scrubbed.
fn generation(g: Group) -> u64 {
    gl(|gl| {
        let c = gl.pipe.server().state.contexts.get(gl.ctx.handle);
        c.map_or(0, |c| c.generation(g))
    })
}

fn gen_buffer() -> GLuint {
    let mut name = 0;
    // SAFETY: room for one name.
    unsafe { glGenBuffers(1, &mut name) };
    name
}

/// A buffer on a target, with content.
fn buffer(target: GLenum, bytes: &[u8]) -> GLuint {
    let name = gen_buffer();
    // SAFETY: the bytes are there.
    unsafe {
        glBindBuffer(target, name);
        glBufferData(
            target,
            bytes.len() as isize,
            bytes.as_ptr().cast(),
            GL_STATIC_DRAW,
        );
    }
    name
}

fn vertex_array() -> GLuint {
    let mut name = 0;
    // SAFETY: room for one name.
    unsafe {
        glGenVertexArrays(1, &mut name);
        glBindVertexArray(name);
    }
    name
}

/// A program that reads attributes 0 to 3, in use.
fn use_program() -> GLuint {
    let vertex = b"#version 330\n\
        layout(location = 0) in vec4 a; layout(location = 1) in vec4 b;\n\
        layout(location = 2) in vec4 c; layout(location = 3) in vec4 d;\n\
        void main() { gl_Position = a + b + c + d; }\0";
    let fragment = b"#version 330\nout vec4 color; void main() { color = vec4(1.0); }\0";
    // SAFETY: the sources end in zero.
    unsafe {
        let program = glCreateProgram();
        for (stage, text) in [
            (GL_VERTEX_SHADER, &vertex[..]),
            (GL_FRAGMENT_SHADER, &fragment[..]),
        ] {
            let shader = glCreateShader(stage);
            let source = text.as_ptr().cast();
            glShaderSource(shader, 1, &source, std::ptr::null());
            glCompileShader(shader);
            glAttachShader(program, shader);
        }
        glLinkProgram(program);
        glUseProgram(program);
        no_error();
        program
    }
}
