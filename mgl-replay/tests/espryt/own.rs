//! What only Espryt has: its API, and framebuffer objects.

use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::pipe::*;

#[test]
fn the_context_is_an_opengl_es_one() {
    let mut rig = Rig::new(4, 4);
    let api = rig.be.api_strings().expect("strings");
    assert_eq!(api.client_api, 0x30A0, "EGL_OPENGL_ES_API");
    assert!(api.version.starts_with("OpenGL ES 3."), "{}", api.version);
    let caps = rig.be.caps();
    assert_eq!(
        (caps.backend.as_str(), &caps.version),
        ("espryt", &api.version)
    );
    assert!(caps.max_texture_size >= 2048 && caps.max_vertex_attribs >= 16);
    assert!(caps.takes(Op::DrawVbo) && !caps.takes(Op::MapPersistent));
    assert!(caps.features.is_sorted(), "has() searches by halves");
}

#[test]
fn framebuffer_objects_are_found_again() {
    let mut rig = Rig::new(4, 4);
    let textures: Vec<_> = (0..3)
        .map(|_| rig.texture_2d(Format::RGBA8, 4, 4, 1))
        .collect();
    rig.default_framebuffer();
    rig.clear([0.0; 4]);
    let before = rig.be.framebuffer_objects();
    for _ in 0..5 {
        for t in &textures {
            let a = rig.attachment(*t, 0, 0);
            rig.framebuffer(&[a], None);
            rig.clear([0.0, 1.0, 0.0, 1.0]);
        }
    }
    assert_eq!(rig.be.framebuffer_objects(), before + 3);
    // A texture's end ends what holds it.
    rig.call(&Call::ResourceDestroy {
        p: &ResourceOnly {
            resource: textures[0].into(),
            ..ResourceOnly::default()
        },
    });
    rig.default_framebuffer();
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    assert_eq!(rig.be.framebuffer_objects(), before + 2);
    assert_eq!(rig.image().count(RED), 16);
}
