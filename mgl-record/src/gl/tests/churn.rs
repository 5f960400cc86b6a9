//! Names that are given out again, and programs that never show a frame (design: verification 6.8). What comes and goes
//! in frames is `tests/churn.rs`'s affair.
//!
//! Handles are counted for the whole process, so each test runs in one of its own.

use super::*;
use crate::gl::draw::*;
use crate::gl::renderbuffer::*;
use crate::gl::sampler::*;
use crate::gl::texture::image::*;
use crate::gl::texture::params::*;
use crate::gl::texture::*;
use mgl_core::handle::HandleKind;
use std::process::Command;

/// Runs a test by its name in a process of its own.
fn alone(name: &str, test: impl FnOnce()) {
    const ALONE: &str = "MGL_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return test();
    }
    let module = module_path!().split_once("::").map_or("", |m| m.1);
    let program = std::env::current_exe().expect("this test's program");
    let output = Command::new(program)
        .args(["--exact", &format!("{module}::{name}"), "--nocapture"])
        .env(ALONE, "1")
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Live handles and slots ever used.
fn counts(kind: HandleKind) -> (usize, usize) {
    gl(|gl| gl.pipe.handle_counts(kind))
}

fn draw() {
    // SAFETY: no pointers.
    unsafe { glDrawArrays(GL_TRIANGLES, 0, 3) };
    no_error();
}

/// Objects that end before a group is swept in the middle of a frame, and some.
const ROUNDS: usize = 700;
/// Handles that may wait for a sweep: some more than names that make one due.
const WAITING: usize = 256;

/// Rounds of a program that never shows a frame: what it deletes ends all the same. A round gets a program to go back to.
fn never_shown(kind: HandleKind, round: impl Fn(GLuint)) {
    let _c = Current::new(Profile::Core);
    vertex_array();
    let base = use_program();
    draw();
    for _ in 0..ROUNDS {
        round(base);
    }
    let (live, slots) = counts(kind);
    assert!(live <= WAITING, "{kind:?}: {live} live");
    assert!(slots <= WAITING, "{kind:?}: {slots} slots");
    draw();
    assert!(gl(|gl| gl.pipe.faults().is_empty()));
}

#[test]
fn buffers_end_without_frames() {
    alone("buffers_end_without_frames", || {
        never_shown(HandleKind::BUFFER, |_| {
            let name = buffer(GL_ARRAY_BUFFER, &[0; 48]);
            // SAFETY: an offset into the bound buffer, and one name.
            unsafe {
                glVertexAttribPointer(0, 4, GL_FLOAT, 0, 16, std::ptr::null());
                glEnableVertexAttribArray(0);
                draw();
                glDisableVertexAttribArray(0);
                glDeleteBuffers(1, &name);
            }
        });
    });
}

fn linked(fragment: &[u8]) -> GLuint {
    let vertex = b"#version 330\nvoid main() { gl_Position = vec4(0.0); }\0";
    // SAFETY: the sources end in zero.
    unsafe {
        let program = glCreateProgram();
        for (stage, text) in [
            (GL_VERTEX_SHADER, &vertex[..]),
            (GL_FRAGMENT_SHADER, fragment),
        ] {
            let shader = glCreateShader(stage);
            let source = text.as_ptr().cast();
            glShaderSource(shader, 1, &source, std::ptr::null());
            glCompileShader(shader);
            glAttachShader(program, shader);
            glDeleteShader(shader);
        }
        glLinkProgram(program);
        no_error();
        program
    }
}

const SAMPLES: &[u8] =
    b"#version 330\nuniform sampler2D t; out vec4 c; void main() { c = texture(t, vec2(0.5)); }\0";

/// A texture of one value, bound.
fn texture(value: u8) -> GLuint {
    let mut name = 0;
    // SAFETY: room for one name; the pixels are as many as the image has.
    unsafe {
        glGenTextures(1, &mut name);
        glBindTexture(GL_TEXTURE_2D, name);
        glTexImage2D(
            GL_TEXTURE_2D,
            0,
            GL_RGBA8 as GLint,
            4,
            4,
            0,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            [value; 64].as_ptr().cast(),
        );
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST as GLint);
    }
    no_error();
    name
}

#[test]
fn textures_and_their_views_end_without_frames() {
    alone("textures_and_their_views_end_without_frames", || {
        never_shown(HandleKind::TEXTURE, |base| {
            let p = linked(SAMPLES);
            // SAFETY: one name.
            unsafe {
                glUseProgram(p);
                let t = texture(1);
                draw();
                glDeleteTextures(1, &t);
                glUseProgram(base);
                glDeleteProgram(p);
            }
        });
    });
}

#[test]
fn views_end_with_their_textures() {
    alone("views_end_with_their_textures", || {
        never_shown(HandleKind::SAMPLER_VIEW, |_| {
            if gl(|gl| gl.pipe.server().state.views.is_empty()) {
                let p = linked(SAMPLES);
                // SAFETY: no pointers.
                unsafe { glUseProgram(p) };
            }
            let t = texture(1);
            draw();
            // SAFETY: one name.
            unsafe { glDeleteTextures(1, &t) };
        });
    });
}

#[test]
fn renderbuffers_end_without_frames() {
    alone("renderbuffers_end_without_frames", || {
        never_shown(HandleKind::RENDERBUFFER, |_| {
            let mut name = 0;
            // SAFETY: room for one name.
            unsafe {
                glGenRenderbuffers(1, &mut name);
                glBindRenderbuffer(GL_RENDERBUFFER, name);
                glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 4, 4);
                glDeleteRenderbuffers(1, &name);
            }
        });
    });
}

/// Sampler objects have no handle of their own; what waits is counted.
#[test]
fn samplers_end_without_frames() {
    let _c = Current::new(Profile::Core);
    for _ in 0..ROUNDS {
        let mut name = 0;
        // SAFETY: room for one name.
        unsafe {
            glGenSamplers(1, &mut name);
            glBindSampler(0, name);
            glDeleteSamplers(1, &name);
        }
    }
    let waiting = gl(|gl| gl.share.samplers.zombies().len());
    assert!(waiting < WAITING, "{waiting}");
}

#[test]
fn programs_end_without_frames() {
    alone("programs_end_without_frames", || {
        let made = std::cell::Cell::new(0);
        never_shown(HandleKind::SHADER, |base| {
            // Three objects a round: compiled once, since their sources are known.
            if made.replace(made.get() + 1) > ROUNDS / 2 {
                return;
            }
            let p = linked(SAMPLES);
            // SAFETY: no pointers.
            unsafe {
                glUseProgram(p);
                glUseProgram(base);
                glDeleteProgram(p);
            }
        });
    });
}

/// What something still refers to is kept, however many objects end.
#[test]
fn what_is_in_use_is_kept() {
    alone("what_is_in_use_is_kept", || {
        let _c = Current::new(Profile::Core);
        use_program();
        let array = vertex_array();
        let kept = buffer(GL_ARRAY_BUFFER, &[7; 48]);
        let handle = handle_of(kept);
        // SAFETY: an offset into the bound buffer, and one name.
        unsafe {
            glVertexAttribPointer(0, 4, GL_FLOAT, 0, 16, std::ptr::null());
            glEnableVertexAttribArray(0);
            // Deleted while a vertex array that is not bound refers to it (GL 4.6 §5.1.3).
            vertex_array();
            glDeleteBuffers(1, &kept);
        }
        for _ in 0..ROUNDS {
            let name = buffer(GL_ARRAY_BUFFER, &[0; 4]);
            delete(name);
        }
        assert_eq!(spy::store_of(handle), Some(vec![7; 48]));
        // SAFETY: no pointers.
        unsafe { glBindVertexArray(array) };
        draw();
        let c = context_handle();
        let drawn = spy::draws_of(c);
        assert_eq!(drawn.last().expect("a draw").buffers[0].buffer, handle);
    });
}

fn delete(name: GLuint) {
    // SAFETY: one name.
    unsafe { glDeleteBuffers(1, &name) };
}

/// A name, and a handle's slot, that are used again are another object.
#[test]
fn a_name_that_is_used_again_is_another_object() {
    alone("a_name_that_is_used_again_is_another_object", || {
        let c = Current::new(Profile::Core);
        let first = buffer(GL_ARRAY_BUFFER, &[1; 16]);
        let old = handle_of(first);
        delete(first);
        context::swap_buffers(&c.surface).expect("it lives");
        let second = buffer(GL_ARRAY_BUFFER, &[2; 16]);
        let new = handle_of(second);
        assert_eq!(first, second, "the name is given out again");
        assert_eq!(
            (new.0.slot, new.0.generation),
            (old.0.slot, old.0.generation + 1)
        );
        assert_eq!(spy::store_of(old), None);
        assert_eq!(spy::store_of(new), Some(vec![2; 16]));
    });
}
