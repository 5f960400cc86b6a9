//! Framebuffers, renderbuffers, read-back, copies and blits, as programs call them.

use super::texture::log::{Seen, spy};
use super::{Current, error, gl as on};
use crate::consts::gl::*;
use crate::context::{self, Profile};
use crate::gl::blit::*;
use crate::gl::framebuffer::*;
use crate::gl::framebuffer_query::*;
use crate::gl::read::*;
use crate::gl::renderbuffer::*;
use crate::gl::texture::copy::*;
use crate::gl::texture::image::*;
use crate::gl::texture::readback::*;
use crate::gl::texture::storage::*;
use crate::gl::texture::*;
use crate::tracker::framebuffer::{mark_drawn, validate};
use mgl_core::handle::{FramebufferHandle, HandleKind};
use mgl_core::pipe::{BufferMask, Group, NO_BUFFER};
use std::ptr::null;

macro_rules! fails {
    ($( $error:ident: $call:expr; )*) => { $(
        // SAFETY: no pointer is followed: sizes are small, or the pointers are null.
        #[allow(unused_unsafe)]
        unsafe { $call };
        assert_eq!(error(), $error, "{}", stringify!($call));
    )* };
}

/// A colour texture of 2D, bound.
fn color(width: i32, height: i32, internal: u32, format: u32) -> u32 {
    let mut name = 0;
    // SAFETY: room for one name; no pixels.
    unsafe {
        glGenTextures(1, &mut name);
        glBindTexture(GL_TEXTURE_2D, name);
        let ty = if format == GL_DEPTH_STENCIL {
            GL_UNSIGNED_INT_24_8
        } else {
            GL_UNSIGNED_BYTE
        };
        glTexImage2D(
            GL_TEXTURE_2D,
            0,
            internal as i32,
            width,
            height,
            0,
            format,
            ty,
            null(),
        );
    }
    name
}

fn renderbuffer(internal: u32, samples: i32, width: i32, height: i32) -> u32 {
    let mut name = 0;
    // SAFETY: room for one name.
    unsafe {
        glGenRenderbuffers(1, &mut name);
        glBindRenderbuffer(GL_RENDERBUFFER, name);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, internal, width, height);
    }
    name
}

fn framebuffer() -> u32 {
    let mut name = 0;
    // SAFETY: room for one name.
    unsafe {
        glGenFramebuffers(1, &mut name);
        glBindFramebuffer(GL_FRAMEBUFFER, name);
    }
    name
}

fn attach(point: u32, texture: u32) {
    // SAFETY: no pointers.
    unsafe { glFramebufferTexture2D(GL_FRAMEBUFFER, point, GL_TEXTURE_2D, texture, 0) }
}

fn attach_buffer(point: u32, name: u32) {
    // SAFETY: no pointers.
    unsafe { glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, name) }
}

fn status() -> u32 {
    // SAFETY: no pointers.
    unsafe { glCheckFramebufferStatus(GL_FRAMEBUFFER) }
}

#[test]
fn completeness_by_rule() {
    let _c = Current::new(Profile::Core);
    assert_eq!(status(), GL_FRAMEBUFFER_COMPLETE, "the default framebuffer");
    framebuffer();
    assert_eq!(status(), GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT);
    let t = color(8, 8, GL_RGBA8, GL_RGBA);
    attach(GL_COLOR_ATTACHMENT0, t);
    assert_eq!(status(), GL_FRAMEBUFFER_COMPLETE);
    attach(GL_DEPTH_ATTACHMENT, t);
    assert_eq!(
        status(),
        GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT,
        "colours are no depth"
    );
    let ds = renderbuffer(GL_DEPTH24_STENCIL8, 0, 8, 8);
    attach_buffer(GL_DEPTH_STENCIL_ATTACHMENT, ds);
    assert_eq!(status(), GL_FRAMEBUFFER_COMPLETE);
    attach_buffer(
        GL_STENCIL_ATTACHMENT,
        renderbuffer(GL_STENCIL_INDEX8, 0, 8, 8),
    );
    assert_eq!(
        status(),
        GL_FRAMEBUFFER_UNSUPPORTED,
        "depth and stencil apart"
    );
    attach_buffer(
        GL_DEPTH_STENCIL_ATTACHMENT,
        renderbuffer(GL_DEPTH24_STENCIL8, 4, 8, 8),
    );
    assert_eq!(status(), GL_FRAMEBUFFER_INCOMPLETE_MULTISAMPLE);
    attach_buffer(GL_DEPTH_STENCIL_ATTACHMENT, 0);
    attach(GL_COLOR_ATTACHMENT3, color(4, 4, GL_RGBA8, GL_RGBA));
    assert_eq!(status(), GL_FRAMEBUFFER_COMPLETE, "sizes may differ");
    let mut empty = 0;
    // SAFETY: room for one name.
    unsafe {
        glGenTextures(1, &mut empty);
        glBindTexture(GL_TEXTURE_2D, empty);
    }
    attach(GL_COLOR_ATTACHMENT3, empty);
    assert_eq!(status(), GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT, "no image");
    attach(GL_COLOR_ATTACHMENT3, color(4, 4, GL_RGB9_E5, GL_RGB));
    assert_eq!(
        status(),
        GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT,
        "not renderable"
    );
    attach(GL_COLOR_ATTACHMENT3, 0);
    let mut array = 0;
    // SAFETY: room for one name; no pixels.
    unsafe {
        glGenTextures(1, &mut array);
        glBindTexture(GL_TEXTURE_2D_ARRAY, array);
        glTexImage3D(
            GL_TEXTURE_2D_ARRAY,
            0,
            GL_RGBA8 as i32,
            8,
            8,
            2,
            0,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            null(),
        );
        glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, array, 0);
        assert_eq!(status(), GL_FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS);
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, array, 0, 1);
        assert_eq!(status(), GL_FRAMEBUFFER_COMPLETE);
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, array, 0, 2);
        assert_eq!(
            status(),
            GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT,
            "no such layer"
        );
    }
    assert_eq!(error(), GL_NO_ERROR);
}

#[test]
fn without_a_surface_there_is_no_default_framebuffer() {
    let c = Current::new(Profile::Core);
    context::make_current(Some(&c.context), None, None).expect("nobody else has it");
    assert_eq!(status(), GL_FRAMEBUFFER_UNDEFINED);
    let r = on(|gl| validate(gl, true, false));
    assert_eq!(r, Err(GL_INVALID_FRAMEBUFFER_OPERATION));
    // SAFETY: nothing is read.
    unsafe { glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null_mut()) };
    assert_eq!(error(), GL_INVALID_FRAMEBUFFER_OPERATION);
    framebuffer();
    attach(GL_COLOR_ATTACHMENT0, color(8, 8, GL_RGBA8, GL_RGBA));
    assert_eq!(on(|gl| validate(gl, true, true)), Ok(()));
}

#[test]
fn the_state_is_resolved_and_pushed_on_change_only() {
    let _c = Current::new(Profile::Core);
    let name = framebuffer();
    let (a, b) = (
        color(8, 4, GL_RGBA8, GL_RGBA),
        color(4, 8, GL_RGBA8UI, GL_RGBA_INTEGER),
    );
    attach(GL_COLOR_ATTACHMENT0, a);
    attach(GL_COLOR_ATTACHMENT1, b);
    attach_buffer(
        GL_DEPTH_STENCIL_ATTACHMENT,
        renderbuffer(GL_DEPTH24_STENCIL8, 0, 8, 8),
    );
    // SAFETY: three enumerants.
    unsafe {
        glDrawBuffers(
            3,
            [GL_COLOR_ATTACHMENT1, GL_NONE, GL_COLOR_ATTACHMENT0].as_ptr(),
        );
        glReadBuffer(GL_COLOR_ATTACHMENT1);
    }
    on(|gl| {
        let before = gl.pipe.server().counters;
        validate(gl, true, false).expect("complete");
        let c = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("live");
        let s = c.values.draw_framebuffer;
        assert_eq!(s, c.values.read_framebuffer, "both bindings at once");
        assert_eq!((s.width, s.height, s.layers, s.samples), (4, 4, 0, 0));
        assert_eq!(s.draw_buffers[..4], [1, NO_BUFFER, 0, NO_BUFFER]);
        assert_eq!(s.read, s.color[1]);
        assert_eq!(s.depth.resource.kind, HandleKind::RENDERBUFFER);
        assert_eq!(s.depth, s.stencil);
        validate(gl, true, true).expect("complete");
        validate(gl, false, true).expect("complete");
        assert_eq!(
            gl.pipe
                .server()
                .counters
                .since(&before)
                .framebuffer_emissions,
            1
        );
    });
    // SAFETY: no pointers.
    unsafe {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, name);
    }
    on(|gl| {
        let before = gl.pipe.server().counters;
        validate(gl, true, true).expect("complete");
        assert_eq!(
            gl.pipe
                .server()
                .counters
                .since(&before)
                .framebuffer_emissions,
            1
        );
        let c = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("live");
        let s = c.values.read_framebuffer;
        assert_eq!(s.framebuffer, FramebufferHandle::DEFAULT);
        assert_eq!((s.width, s.height), (8, 8));
        assert_eq!(
            (s.read.resource.kind, s.read.layer),
            (HandleKind::SURFACE, 0)
        );
    });
    // SAFETY: one name.
    unsafe { glDeleteFramebuffers(1, &name) };
    on(|gl| {
        validate(gl, true, true).expect("complete");
        let c = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("live");
        assert_eq!(
            c.values.draw_framebuffer.framebuffer,
            FramebufferHandle::DEFAULT
        );
        assert!(c.was_pushed(Group::DrawFramebuffer));
    });
    assert_eq!(error(), GL_NO_ERROR);
}

#[test]
fn names_attachments_and_buffers() {
    let _c = Current::new(Profile::Core);
    let t = color(8, 8, GL_RGBA8, GL_RGBA);
    let fb = GL_FRAMEBUFFER;
    let (c0, d2) = (GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D);
    fails! {
        GL_INVALID_VALUE: glGenFramebuffers(-1, std::ptr::null_mut());
        GL_INVALID_OPERATION: glBindFramebuffer(fb, 99);
        GL_INVALID_ENUM: glBindFramebuffer(GL_TEXTURE_2D, 0);
        GL_INVALID_ENUM: glCheckFramebufferStatus(0);
        GL_INVALID_OPERATION: glFramebufferTexture2D(fb, c0, d2, t, 0);
        GL_INVALID_OPERATION: glDrawBuffer(c0);
        GL_INVALID_ENUM: glDrawBuffer(GL_TEXTURE_2D);
        GL_INVALID_OPERATION: glDrawBuffer(GL_FRONT_RIGHT);
        GL_NO_ERROR: glDrawBuffer(GL_BACK_LEFT);
        GL_INVALID_ENUM: glDrawBuffers(1, [GL_FRONT].as_ptr());
        GL_INVALID_VALUE: glDrawBuffers(-1, null());
        GL_INVALID_VALUE: glDrawBuffers(9, [GL_NONE; 9].as_ptr());
        GL_INVALID_ENUM: glReadBuffer(GL_FRONT_AND_BACK);
        GL_NO_ERROR: glReadBuffer(GL_FRONT);
    }
    framebuffer();
    fails! {
        GL_INVALID_ENUM: glFramebufferTexture2D(GL_TEXTURE_2D, c0, d2, t, 0);
        GL_INVALID_ENUM: glFramebufferTexture2D(fb, GL_DEPTH, d2, t, 0);
        GL_INVALID_OPERATION: glFramebufferTexture2D(fb, GL_COLOR_ATTACHMENT8, d2, t, 0);
        GL_INVALID_OPERATION: glFramebufferTexture2D(fb, c0, d2, 99, 0);
        GL_INVALID_OPERATION: glFramebufferTexture2D(fb, c0, GL_TEXTURE_CUBE_MAP_POSITIVE_X, t, 0);
        GL_INVALID_ENUM: glFramebufferTexture2D(fb, c0, 0, t, 0);
        GL_INVALID_VALUE: glFramebufferTexture2D(fb, c0, d2, t, -1);
        GL_INVALID_OPERATION: glFramebufferTexture1D(fb, c0, d2, t, 0);
        GL_INVALID_OPERATION: glFramebufferTextureLayer(fb, c0, t, 0, 0);
        GL_INVALID_VALUE: glFramebufferTexture(fb, c0, 99, 0);
        GL_INVALID_ENUM: glFramebufferRenderbuffer(fb, c0, GL_TEXTURE_2D, 1);
        GL_INVALID_OPERATION: glFramebufferRenderbuffer(fb, c0, GL_RENDERBUFFER, 99);
        GL_INVALID_OPERATION: glDrawBuffer(GL_BACK);
        GL_INVALID_OPERATION: glDrawBuffers(2, [c0, c0].as_ptr());
        GL_INVALID_OPERATION: glReadBuffer(GL_BACK);
        GL_NO_ERROR: glReadBuffer(GL_COLOR_ATTACHMENT7);
    }
    fails! {
        GL_INVALID_ENUM: glBindRenderbuffer(fb, 0);
        GL_INVALID_OPERATION: glBindRenderbuffer(GL_RENDERBUFFER, 99);
        GL_NO_ERROR: glBindRenderbufferEXT(GL_RENDERBUFFER, 99);
        GL_INVALID_ENUM: glRenderbufferStorage(GL_RENDERBUFFER, GL_RGB9_E5, 4, 4);
        GL_INVALID_VALUE: glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, -1, 4);
        GL_INVALID_VALUE: glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 8193, 4);
        GL_INVALID_VALUE: glRenderbufferStorageMultisample(GL_RENDERBUFFER, 64, GL_RGBA8, 4, 4);
        GL_NO_ERROR: glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, 6, 4);
    }
    let get = |pname| {
        let mut v = -1;
        // SAFETY: room for one value.
        unsafe { glGetRenderbufferParameteriv(GL_RENDERBUFFER, pname, &mut v) };
        v
    };
    assert_eq!(get(GL_RENDERBUFFER_WIDTH), 6);
    assert_eq!(get(GL_RENDERBUFFER_SAMPLES), 4);
    assert_eq!(get(GL_RENDERBUFFER_ALPHA_SIZE), 8);
    assert_eq!(get(GL_RENDERBUFFER_INTERNAL_FORMAT), GL_RGBA8 as i32);
    assert_eq!(error(), GL_NO_ERROR);
    assert_eq!(get(GL_TEXTURE_WIDTH), -1);
    assert_eq!(error(), GL_INVALID_ENUM);
}

#[test]
fn deleting_detaches_from_what_is_bound() {
    let _c = Current::new(Profile::Core);
    framebuffer();
    let (t, r) = (
        color(8, 8, GL_RGBA8, GL_RGBA),
        renderbuffer(GL_RGBA8, 0, 8, 8),
    );
    attach(GL_COLOR_ATTACHMENT0, t);
    attach_buffer(GL_COLOR_ATTACHMENT1, r);
    // SAFETY: one name each.
    unsafe {
        glDeleteRenderbuffers(1, &r);
        assert_eq!(status(), GL_FRAMEBUFFER_COMPLETE);
        glDeleteTextures(1, &t);
    }
    assert_eq!(status(), GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT);
}

#[test]
fn attachments_answer() {
    let _c = Current::new(Profile::Core);
    let ask = |attachment, pname| {
        let mut v = -1;
        // SAFETY: room for one value.
        unsafe { glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, attachment, pname, &mut v) };
        (v, error())
    };
    let kind = GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE;
    assert_eq!(ask(GL_BACK_LEFT, kind), (GL_FRAMEBUFFER_DEFAULT as i32, 0));
    assert_eq!(ask(GL_BACK_RIGHT, kind), (GL_NONE as i32, 0));
    assert_eq!(ask(GL_DEPTH, GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE), (24, 0));
    assert_eq!(
        ask(GL_STENCIL, GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE),
        (8, 0)
    );
    assert_eq!(ask(GL_COLOR_ATTACHMENT0, kind), (-1, GL_INVALID_ENUM));
    framebuffer();
    let t = color(8, 8, GL_SRGB8_ALPHA8, GL_RGBA);
    attach(GL_COLOR_ATTACHMENT2, t);
    attach_buffer(
        GL_DEPTH_ATTACHMENT,
        renderbuffer(GL_DEPTH_COMPONENT16, 0, 8, 8),
    );
    let c2 = GL_COLOR_ATTACHMENT2;
    assert_eq!(ask(c2, kind), (GL_TEXTURE as i32, 0));
    assert_eq!(
        ask(c2, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME),
        (t as i32, 0)
    );
    assert_eq!(ask(c2, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL), (0, 0));
    assert_eq!(ask(c2, GL_FRAMEBUFFER_ATTACHMENT_LAYERED), (0, 0));
    assert_eq!(
        ask(c2, GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING),
        (GL_SRGB as i32, 0)
    );
    assert_eq!(ask(c2, GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE), (8, 0));
    assert_eq!(ask(GL_DEPTH_ATTACHMENT, kind), (GL_RENDERBUFFER as i32, 0));
    assert_eq!(
        ask(GL_DEPTH_ATTACHMENT, GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE),
        (16, 0)
    );
    assert_eq!(ask(GL_COLOR_ATTACHMENT0, kind), (GL_NONE as i32, 0));
    let level = GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL;
    assert_eq!(ask(GL_COLOR_ATTACHMENT0, level), (-1, GL_INVALID_OPERATION));
    assert_eq!(
        ask(GL_DEPTH_STENCIL_ATTACHMENT, kind),
        (-1, GL_INVALID_OPERATION)
    );
    assert_eq!(ask(GL_BACK, kind), (-1, GL_INVALID_ENUM));
}

#[test]
fn reading_is_clipped_and_leaves_the_rest_alone() {
    let _c = Current::new(Profile::Core);
    let mut out = [1u8; 4 * 4 * 4];
    // SAFETY: sixteen pixels of four bytes.
    unsafe {
        glReadPixels(
            6,
            -1,
            4,
            4,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            out.as_mut_ptr().cast(),
        )
    };
    assert_eq!(error(), GL_NO_ERROR);
    for (i, p) in out.chunks_exact(4).enumerate() {
        let inside = i % 4 < 2 && i / 4 >= 1;
        assert_eq!(p == [1; 4], !inside, "pixel {i}: {p:?}");
    }
    fails! {
        GL_INVALID_VALUE: glReadPixels(0, 0, -1, 1, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null_mut());
        GL_INVALID_ENUM: glReadPixels(0, 0, 1, 1, 0, GL_UNSIGNED_BYTE, std::ptr::null_mut());
        GL_INVALID_OPERATION: glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, std::ptr::null_mut());
        GL_INVALID_OPERATION: glReadnPixels(0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, 15, out.as_mut_ptr().cast());
        GL_NO_ERROR: glReadnPixels(0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, 16, out.as_mut_ptr().cast());
        GL_NO_ERROR: glReadPixels(0, 0, 2, 2, GL_DEPTH_COMPONENT, GL_FLOAT, out.as_mut_ptr().cast());
        GL_NO_ERROR: glReadPixels(0, 0, 2, 2, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, out.as_mut_ptr().cast());
    }
    framebuffer();
    attach(GL_COLOR_ATTACHMENT0, color(8, 8, GL_RGBA8, GL_RGBA));
    fails! {
        GL_INVALID_OPERATION: glReadPixels(0, 0, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, out.as_mut_ptr().cast());
        GL_NO_ERROR: glReadBuffer(GL_NONE);
        GL_INVALID_OPERATION: glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, out.as_mut_ptr().cast());
    }
    framebuffer();
    attach_buffer(GL_COLOR_ATTACHMENT0, renderbuffer(GL_RGBA8, 4, 8, 8));
    fails! {
        GL_INVALID_OPERATION: glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, out.as_mut_ptr().cast());
    }
}

#[test]
fn what_was_drawn_is_read_back_from_the_gpu() {
    let _c = Current::new(Profile::Core);
    framebuffer();
    let t = color(4, 4, GL_RGBA8, GL_RGBA);
    attach(GL_COLOR_ATTACHMENT0, t);
    let written = || {
        on(|gl| {
            let id = gl.share.textures.id(t).expect("a texture");
            let t = &gl.share.textures.objects[id];
            t.image(0, 0).expect("an image").is_gpu_written()
        })
    };
    assert!(!written());
    on(|gl| {
        validate(gl, true, false).expect("complete");
        mark_drawn(gl);
    });
    assert!(written());
    let mut out = [9u8; 64];
    // SAFETY: sixteen texels of four bytes.
    unsafe {
        glGetTexImage(
            GL_TEXTURE_2D,
            0,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            out.as_mut_ptr().cast(),
        )
    };
    assert_eq!(out, [0; 64], "the null back end answers zeros");
    assert!(!written());
    assert_eq!(error(), GL_NO_ERROR);
}

#[test]
fn copies_go_by_the_gpu_where_formats_allow() {
    let _c = Current::new(Profile::Compatibility);
    let t = color(8, 8, GL_RGBA8, GL_RGBA);
    let ((), seen) = spy(0x40, |gl| {
        copy_sub(gl, (1, 2), (-1, 6), (4, 4)).expect("legal");
    });
    let Some(Seen::CopyPixels(c)) = seen.last() else {
        panic!("{seen:?}");
    };
    // One column is left of the framebuffer, two rows above it.
    assert_eq!((c.x, c.y, c.area.x, c.area.y), (0, 6, 2, 2));
    assert_eq!((c.area.width, c.area.height, c.area.depth), (3, 2, 1));
    on(|gl| {
        let id = gl.share.textures.id(t).expect("a texture");
        let t = &gl.share.textures.objects[id];
        assert!(t.image(0, 0).expect("an image").is_gpu_written());
    });
    // Alpha is stored as red: the back end cannot know.
    color(8, 8, GL_ALPHA8, GL_ALPHA);
    let ((), seen) = spy(0x40, |gl| {
        copy_sub(gl, (0, 0), (0, 0), (2, 2)).expect("legal");
        let id = gl.bound_texture(crate::state::texture::TextureTarget::D2);
        let i = gl.share.textures.objects[id].image(0, 0).expect("an image");
        assert_eq!((i.shadow()[0], i.shadow()[2]), (0x40, 0));
    });
    assert!(matches!(&seen[..], [Seen::ReadPixels(_)]), "{seen:?}");
    fails! {
        GL_INVALID_OPERATION: glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8UI, 0, 0, 4, 4, 0);
        GL_INVALID_ENUM: glCopyTexImage2D(GL_TEXTURE_2D, 0, 4, 0, 0, 4, 4, 0);
        GL_INVALID_VALUE: glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 0, 0, 4, 4, 1);
        GL_INVALID_VALUE: glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 6, 0, 0, 0, 4, 4);
        GL_INVALID_OPERATION: glCopyTexSubImage2D(GL_TEXTURE_2D, 1, 0, 0, 0, 0, 1, 1);
        GL_NO_ERROR: glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 2, 2, 4, 4, 0);
        GL_NO_ERROR: glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, 2, 2, 4, 4, 0);
    }
}

#[test]
fn blits_are_checked_and_mark_the_destination() {
    let _c = Current::new(Profile::Core);
    let name = framebuffer();
    let t = color(8, 8, GL_RGBA8, GL_RGBA);
    attach(GL_COLOR_ATTACHMENT0, t);
    // SAFETY: no pointers.
    unsafe { glBindFramebuffer(GL_READ_FRAMEBUFFER, 0) };
    let (color_bit, nearest) = (GL_COLOR_BUFFER_BIT, GL_NEAREST);
    fails! {
        GL_INVALID_VALUE: glBlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, 1 << 20, nearest);
        GL_INVALID_ENUM: glBlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, color_bit, GL_REPEAT);
        GL_INVALID_OPERATION: glBlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, GL_DEPTH_BUFFER_BIT, GL_LINEAR);
        GL_NO_ERROR: glBlitFramebuffer(0, 0, 8, 8, 8, 8, 0, 0, color_bit | GL_DEPTH_BUFFER_BIT, nearest);
    }
    on(|gl| {
        let id = gl.share.textures.id(t).expect("a texture");
        let t = &gl.share.textures.objects[id];
        assert!(t.image(0, 0).expect("an image").is_gpu_written());
    });
    let ((), seen) = spy(0, |gl| {
        use mgl_core::pipe::Rect;
        let (src, dst) = (
            Rect {
                x1: 8,
                y1: 8,
                ..Rect::default()
            },
            Rect {
                x1: 4,
                y1: 4,
                ..Rect::default()
            },
        );
        blit(gl, src, dst, color_bit | GL_STENCIL_BUFFER_BIT, nearest).expect("legal");
    });
    let [Seen::Blit(b)] = &seen[..] else {
        panic!("{seen:?}");
    };
    assert_eq!(
        b.buffers,
        BufferMask::COLOR0,
        "stencil is ignored: the destination has none"
    );
    // Multisample sources are resolved at their own size.
    framebuffer();
    attach_buffer(GL_COLOR_ATTACHMENT0, renderbuffer(GL_RGBA8, 4, 8, 8));
    // SAFETY: no pointers.
    unsafe { glBindFramebuffer(GL_DRAW_FRAMEBUFFER, name) };
    fails! {
        GL_INVALID_OPERATION: glBlitFramebuffer(0, 0, 8, 8, 0, 0, 4, 4, color_bit, nearest);
        GL_NO_ERROR: glBlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, color_bit, nearest);
    }
    attach(
        GL_COLOR_ATTACHMENT0,
        color(8, 8, GL_RGBA8UI, GL_RGBA_INTEGER),
    );
    fails! {
        GL_INVALID_OPERATION: glBlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, color_bit, nearest);
        GL_NO_ERROR: glInvalidateFramebuffer(GL_FRAMEBUFFER, 1, [GL_COLOR_ATTACHMENT0].as_ptr());
        GL_INVALID_ENUM: glInvalidateFramebuffer(GL_FRAMEBUFFER, 1, [GL_DEPTH].as_ptr());
    }
}

#[test]
fn depth_is_blitted_between_equal_depths() {
    let _c = Current::new(Profile::Core);
    let both = GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT;
    for (format, ok) in [
        (GL_DEPTH_COMPONENT24, true),
        (GL_DEPTH24_STENCIL8, true),
        (GL_DEPTH_COMPONENT16, false),
        (GL_DEPTH_COMPONENT32F, false),
    ] {
        framebuffer();
        attach_buffer(GL_COLOR_ATTACHMENT0, renderbuffer(GL_RGBA8, 0, 8, 8));
        attach_buffer(GL_DEPTH_ATTACHMENT, renderbuffer(format, 0, 8, 8));
        // SAFETY: no pointers.
        unsafe {
            glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
            glBlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, both, GL_NEAREST);
        }
        let expected = if ok {
            GL_NO_ERROR
        } else {
            GL_INVALID_OPERATION
        };
        assert_eq!(error(), expected, "{format:#x} to 24 bits with stencil");
    }
}

#[test]
fn a_texture_level_made_by_drawing_and_mipmaps_can_be_attached() {
    let _c = Current::new(Profile::Core);
    framebuffer();
    let t = color(8, 8, GL_RGBA8, GL_RGBA);
    // SAFETY: no pointers.
    unsafe {
        glGenerateMipmap(GL_TEXTURE_2D);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 2);
    }
    assert_eq!(status(), GL_FRAMEBUFFER_COMPLETE);
    on(|gl| {
        let faults = gl.pipe.faults().clone();
        validate(gl, true, true).expect("complete");
        let c = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("live");
        let s = c.values.draw_framebuffer;
        assert_eq!((s.color[0].level, s.width), (2, 2));
        assert_eq!(*gl.pipe.faults(), faults);
    });
    assert_eq!(error(), GL_NO_ERROR);
}
