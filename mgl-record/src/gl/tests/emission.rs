//! The check of what is emitted against the server (`MGL_CHECK=repush`): it finds what it is there for.

use super::*;
use crate::gl::texture::image::glTexImage2D;
use crate::gl::texture::{glBindTexture, glGenTextures};
use mgl_core::handle::*;
use mgl_core::pipe::emission::{KeepingBackend, Part};
use mgl_core::pipe::{Box3, Call, ResourceDesc, ResourceOnly, SubData, SubRegion, Target};

/// A context whose server keeps content, in a process of its own.
fn keeping(f: impl FnOnce() -> Result<(), String>) {
    let wrong = in_child(|| {
        let config = Config {
            backend: BackendKind::Null,
            record: None,
            ..Config::from_env()
        };
        let backend = Box::new(KeepingBackend::default());
        driver::lock().pipe = Some(Pipe::with_backend(&config, backend));
        let Ok(context) = context::create(&Current::config(Profile::Core), None) else {
            return 2;
        };
        if context::make_current(Some(&context), None, None).is_err() {
            return 3;
        }
        match f() {
            Ok(()) => 0,
            Err(text) => {
                eprintln!("{text}");
                1
            }
        }
    });
    assert_eq!(wrong, 0);
}

/// Whether the check finds nothing, or a text that begins so.
fn finds(what: Option<&str>) -> Result<(), String> {
    match (emission_difference(), what) {
        (None, None) => Ok(()),
        (Some(text), Some(start)) if text.starts_with(start) => Ok(()),
        (found, _) => Err(format!("{found:?} and not {what:?}")),
    }
}

/// A buffer of 16 bytes with data, and its handle.
fn buffer() -> BufferHandle {
    let mut name = 0;
    // SAFETY: room for one name, 16 bytes of data.
    unsafe {
        glGenBuffers(1, &mut name);
        glBindBuffer(GL_ARRAY_BUFFER, name);
        glBufferData(
            GL_ARRAY_BUFFER,
            16,
            [7u8; 16].as_ptr().cast(),
            GL_STATIC_DRAW,
        );
    }
    gl(|gl| gl.share.buffers.get(name).expect("live").handle())
}

/// A texture of 4 x 4 texels with data, which a draw has sent, and its handle.
fn texture() -> TextureHandle {
    let mut name = 0;
    // SAFETY: room for one name, 64 bytes of texels.
    unsafe {
        glGenTextures(1, &mut name);
        glBindTexture(GL_TEXTURE_2D, name);
        glTexImage2D(
            GL_TEXTURE_2D,
            0,
            GL_RGBA8 as i32,
            4,
            4,
            0,
            GL_RGBA,
            GL_UNSIGNED_BYTE,
            [9u8; 64].as_ptr().cast(),
        );
    }
    gl(|gl| {
        let id = gl.bound_texture(crate::state::texture::TextureTarget::D2);
        assert!(crate::tracker::textures::flush_for_attachment(gl, id));
        gl.share.textures.objects[id].handle()
    })
}

/// Changes a byte at the server without the client.
fn behind_the_clients_back(call: &Call<'_>) {
    gl(|gl| {
        let done = gl.pipe.server_mut().apply_uncounted(call);
        done.expect("legal");
    });
}

#[test]
fn a_byte_that_only_the_server_has_is_named() {
    keeping(|| {
        let b = buffer();
        finds(None)?;
        behind_the_clients_back(&Call::ResourceSubData {
            p: &SubData {
                resource: b.into(),
                offset: 5,
                ..SubData::default()
            },
            bytes: &[8],
            regions: &[],
        });
        finds(Some(&format!("{}: byte 5: ", Part::Buffer(b))))
    });
}

#[test]
fn a_texel_that_only_the_server_has_is_named() {
    keeping(|| {
        let t = texture();
        finds(None)?;
        let area = Box3 {
            x: 3,
            y: 2,
            width: 1,
            height: 1,
            depth: 1,
            ..Box3::default()
        };
        behind_the_clients_back(&Call::ResourceSubData {
            p: &SubData {
                resource: t.into(),
                union_box: area,
                row_stride: 4,
                image_stride: 4,
                ..SubData::default()
            },
            bytes: &[9, 9, 1, 9],
            regions: &[SubRegion { area, offset: 0 }],
        });
        let place = Part::Level(t, 0);
        finds(Some(&format!("{place}: texel (3, 2, 0), byte 2: ")))
    });
}

#[test]
fn what_the_gpu_wrote_is_read_back() {
    keeping(|| {
        let b = buffer();
        gl(|gl| {
            let id = gl
                .share
                .buffers
                .objects
                .iter()
                .find(|(_, x)| x.handle() == b);
            let id = id.expect("live").0;
            let token = gl.gens.touch();
            gl.share.buffers.objects[id].gpu_wrote(token);
        });
        behind_the_clients_back(&Call::ResourceSubData {
            p: &SubData {
                resource: b.into(),
                ..SubData::default()
            },
            bytes: &[1; 16],
            regions: &[],
        });
        // The client knows that it does not know: no difference, and the server's bytes were emitted.
        finds(None)
    });
}

#[test]
fn objects_that_one_end_has_alone_are_named() {
    keeping(|| {
        let stranger: BufferHandle = gl(|gl| gl.pipe.mint());
        let desc = ResourceDesc {
            resource: stranger.into(),
            target: Target::BUFFER,
            size: 16,
            ..ResourceDesc::default()
        };
        gl(|gl| gl.pipe.push(Call::ResourceCreate { p: &desc }));
        finds(Some(&format!("{stranger:?}: the client does not know it")))?;
        gl(|gl| gl.pipe.release(stranger));
        finds(Some(&format!("{stranger:?}: the client has given it back")))?;
        let p = &ResourceOnly {
            resource: stranger.into(),
            ..ResourceOnly::default()
        };
        gl(|gl| gl.pipe.push(Call::ResourceDestroy { p }));
        finds(None)
    });
}
