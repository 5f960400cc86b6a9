//! What draws read stays as it is until they have read it, and draws that read nothing.

use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::pipe::*;

#[test]
fn buffers_change_behind_draws_into_new_framebuffers() {
    let mut rig = Rig::new(4, 4);
    let p = rig.program("flat");
    rig.uniform(&p, "place", &[1.0f32, 1.0, 0.0, 0.0]);
    rig.uniform(&p, "tint", &[1.0f32, 0.0, 0.0, 1.0]);
    let ve = rig.elements(
        &[attrib(0, 0, 2, AttribType::FLOAT, 0)],
        &[binding(0, 8, 0)],
    );
    rig.bind_elements(ve);
    let buffer = rig.buffer(&bytes(&COVER));
    rig.vertex_buffers(&[VertexBuffer {
        buffer,
        stride: 8,
        ..VertexBuffer::default()
    }]);
    let nowhere = [9.0f32; 6];
    // Each framebuffer is new, so that rendering to it begins behind a barrier.
    let textures: Vec<_> = (0..3)
        .map(|n| {
            let t = rig.texture_2d(Format::RGBA8, 4, 4, 1);
            let a = rig.attachment(t, 0, 0);
            rig.framebuffer(&[a], None);
            let content = if n == 1 { nowhere } else { COVER };
            rig.write_buffer(buffer, 0, &bytes(&content));
            rig.draw(Primitive::TRIANGLES, 0, 3);
            rig.write_buffer(buffer, 0, &bytes(&nowhere));
            t
        })
        .collect();
    for (n, t) in textures.into_iter().enumerate() {
        let want = if n == 1 { [0; 4] } else { RED };
        assert_eq!(rig.read_texture(t, 0), want.repeat(16), "framebuffer {n}");
    }
}

#[test]
fn draws_need_no_attributes() {
    let mut rig = Rig::new(4, 4);
    rig.program("corners");
    let ve = rig.elements(&[], &[]);
    rig.bind_elements(ve);
    rig.vertex_buffers(&[]);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(rig.image().count(GREEN), 16);
}
