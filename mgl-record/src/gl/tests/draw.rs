//! Draws: what reaches the back end, and what does not.

use super::spy::{Drawn, draws_of};
use super::*;
use crate::gl::draw::*;
use crate::gl::vertex_value::*;
use mgl_core::pipe::{DrawFlags, Primitive};
use std::ptr::null;

/// A context with a program, and a vertex array of two float pairs in one buffer on attributes 0 and 1.
fn ready() -> (Current, GLuint) {
    let c = Current::new(Profile::Core);
    use_program();
    vertex_array();
    let vertices: Vec<u8> = (0..16u32).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let b = buffer(GL_ARRAY_BUFFER, &vertices);
    // SAFETY: offsets into the buffer.
    unsafe {
        glVertexAttribPointer(0, 2, GL_FLOAT, 0, 16, null());
        glVertexAttribPointer(1, 2, GL_FLOAT, 0, 16, at(8));
        glEnableVertexAttribArray(0);
        glEnableVertexAttribArray(1);
    }
    no_error();
    (c, b)
}

fn draws() -> Vec<Drawn> {
    draws_of(context_handle())
}

fn last() -> Drawn {
    draws().pop().expect("something was drawn")
}

fn ranges(d: &Drawn) -> Vec<(u32, u32, i32, u32)> {
    let tuple = |r: &mgl_core::pipe::DrawRange| (r.start, r.count, r.base_vertex, r.draw_id);
    d.ranges.iter().map(tuple).collect()
}

/// An offset into a buffer, as GL wants it.
fn at(offset: usize) -> *const core::ffi::c_void {
    std::ptr::without_provenance(offset)
}

fn shorts(v: &[u16]) -> Vec<u8> {
    v.iter().flat_map(|i| i.to_le_bytes()).collect()
}

#[test]
fn a_draw_sees_its_arrays_and_values() {
    let (_c, b) = ready();
    // SAFETY: no pointers.
    unsafe {
        glVertexAttrib4f(2, 1.0, 2.0, 3.0, 4.0);
        glEnableVertexAttribArray(9);
        glDrawArrays(GL_TRIANGLES, 1, 3);
    }
    no_error();
    let d = last();
    assert_eq!(
        (d.info.mode, d.info.index_size, d.info.instances),
        (Primitive::TRIANGLES, 0, 1)
    );
    assert_eq!(ranges(&d), [(1, 3, 0, 0)]);
    let locations: Vec<u32> = d.attribs.iter().map(|a| a.location).collect();
    assert_eq!(locations, [0, 1], "the program does not read attribute 9");
    let h = handle_of(b);
    let bound: Vec<_> = d
        .buffers
        .iter()
        .map(|v| (v.binding, v.buffer, v.offset, v.stride))
        .collect();
    assert_eq!(bound, [(0, h, 0, 16), (1, h, 8, 16)]);
    let values: Vec<_> = d
        .values
        .iter()
        .map(|v| (v.location, f32::from_bits(v.bits[0])))
        .collect();
    assert_eq!(values, [(2, 1.0), (3, 0.0)]);
}

#[test]
fn what_did_not_change_is_not_sent_again() {
    let (_c, b) = ready();
    let groups = [
        Group::VertexElements,
        Group::VertexBuffers,
        Group::AttribDefaults,
    ];
    let all = || groups.map(generation);
    let draw = || {
        // SAFETY: no pointers.
        unsafe { glDrawArrays(GL_POINTS, 0, 4) }
    };
    draw();
    let first = all();
    draw();
    // SAFETY: offsets; the byte is there.
    unsafe {
        // The same again, and an upload: looked at, found equal.
        glVertexAttribPointer(0, 2, GL_FLOAT, 0, 16, null());
        glVertexAttrib4f(2, 0.0, 0.0, 0.0, 1.0);
        glBindBuffer(GL_ARRAY_BUFFER, b);
        glBufferSubData(GL_ARRAY_BUFFER, 0, 1, [1u8].as_ptr().cast());
        draw();
        assert_eq!(all(), first);
        // Another offset is another buffer list, but the same elements.
        glVertexAttribPointer(0, 2, GL_FLOAT, 0, 16, at(4));
        draw();
        assert_eq!(all(), [first[0], first[1] + 1, first[2]]);
        glVertexAttrib1f(3, 5.0);
        draw();
        assert_eq!(all(), [first[0], first[1] + 1, first[2] + 1]);
        // Another divisor is other elements over the same buffers; back again finds the CSO.
        glVertexAttribDivisor(1, 1);
        draw();
        glVertexAttribDivisor(1, 0);
        draw();
        assert_eq!(all(), [first[0] + 2, first[1] + 1, first[2] + 1]);
    }
    assert_eq!(draws().len(), 7);
    no_error();
}

#[test]
fn a_recycled_buffer_is_sent_again() {
    let (c, b) = ready();
    // SAFETY: offsets; one name.
    unsafe {
        glDrawArrays(GL_POINTS, 0, 1);
        let old = handle_of(b);
        glDeleteBuffers(1, &b);
        context::swap_buffers(&c.surface).expect("swap");
        glDrawArrays(GL_POINTS, 0, 1);
        assert!(
            last().buffers.is_empty(),
            "the attributes take their values"
        );
        assert_eq!(last().values.len(), 4);
        let new = buffer(GL_ARRAY_BUFFER, &[0; 64]);
        glVertexAttribPointer(0, 2, GL_FLOAT, 0, 16, null());
        glDrawArrays(GL_POINTS, 0, 1);
        assert_eq!(last().buffers[0].buffer, handle_of(new));
        assert_ne!(handle_of(new), old, "the generation tells them apart");
    }
    no_error();
}

#[test]
fn indexed_draws() {
    let (_c, _) = ready();
    let e = buffer(GL_ELEMENT_ARRAY_BUFFER, &shorts(&[0, 1, 2, 3, 2, 1]));
    // SAFETY: offsets into the buffer.
    unsafe {
        glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, at(6));
        let d = last();
        assert_eq!((d.info.index_size, d.index_buffer), (2, handle_of(e)));
        assert_eq!(ranges(&d), [(3, 3, 0, 0)], "counted in indices");
        assert!(d.indices.is_empty() && !d.info.flags.has(DrawFlags::USER_INDICES));
        let before = generation(Group::IndexBuffer);
        glDrawRangeElementsBaseVertex(GL_LINES, 0, 3, 2, GL_UNSIGNED_SHORT, null(), -1);
        assert_eq!(ranges(&last()), [(0, 2, -1, 0)]);
        glDrawElementsInstancedBaseVertex(GL_LINES, 2, GL_UNSIGNED_SHORT, null(), 7, 5);
        assert_eq!(
            (last().info.instances, ranges(&last())),
            (7, vec![(0, 2, 5, 0)])
        );
        glDrawElementsInstanced(GL_LINES, 2, GL_UNSIGNED_SHORT, null(), 3);
        assert_eq!(last().info.instances, 3);
        glDrawElementsInstancedBaseVertexBaseInstance(
            GL_LINES,
            2,
            GL_UNSIGNED_SHORT,
            null(),
            3,
            1,
            9,
        );
        assert_eq!(last().info.base_instance, 9);
        assert_eq!(generation(Group::IndexBuffer), before, "sent once");
        // An odd offset: the indices cross with the draw.
        glDrawElements(GL_POINTS, 2, GL_UNSIGNED_SHORT, at(1));
        let d = last();
        assert!(d.info.flags.has(DrawFlags::USER_INDICES));
        assert_eq!(d.indices, [0, 1, 0, 2]);
        assert_eq!(ranges(&d), [(0, 2, 0, 0)]);
    }
    no_error();
}

#[test]
fn restart_is_resolved_for_the_index_type() {
    let (_c, _) = ready();
    buffer(GL_ELEMENT_ARRAY_BUFFER, &shorts(&[0, 0xffff, 1]));
    let flags = |ty| {
        // SAFETY: an offset.
        unsafe { glDrawElements(GL_LINE_STRIP, 3, ty, null()) };
        let i = last().info;
        (i.flags.has(DrawFlags::RESTART), i.restart_index)
    };
    // SAFETY: no pointers.
    unsafe { glPrimitiveRestartIndex(0xffff) };
    assert_eq!(flags(GL_UNSIGNED_SHORT), (false, 0), "off");
    gl(|gl| {
        let t = gl.gens.touch();
        gl.ctx.vertex.set_restart(t, true);
    });
    assert_eq!(flags(GL_UNSIGNED_SHORT), (true, 0xffff));
    assert_eq!(flags(GL_UNSIGNED_BYTE), (false, 0), "no byte can be it");
    // SAFETY: no pointers.
    unsafe { glDrawArrays(GL_POINTS, 0, 1) };
    assert!(!last().info.flags.has(DrawFlags::RESTART), "indices only");
}

#[test]
fn multi_draws_are_one_draw() {
    let (_c, _) = ready();
    buffer(GL_ELEMENT_ARRAY_BUFFER, &shorts(&[0, 1, 2, 3, 2, 1]));
    // SAFETY: the lists are there.
    unsafe {
        glMultiDrawArrays(GL_POINTS, [0, 1, 2].as_ptr(), [1, 0, 2].as_ptr(), 3);
        assert_eq!(ranges(&last()), [(0, 1, 0, 0), (2, 2, 0, 2)]);
        let both = [at(2), at(6)];
        glMultiDrawElements(
            GL_POINTS,
            [2, 3].as_ptr(),
            GL_UNSIGNED_SHORT,
            both.as_ptr(),
            2,
        );
        assert_eq!(ranges(&last()), [(1, 2, 0, 0), (3, 3, 0, 1)]);
        let bases = [4, -4];
        glMultiDrawElementsBaseVertex(
            GL_POINTS,
            [2, 3].as_ptr(),
            GL_UNSIGNED_SHORT,
            both.as_ptr(),
            2,
            bases.as_ptr(),
        );
        assert_eq!(ranges(&last()), [(1, 2, 4, 0), (3, 3, -4, 1)]);
        let n = draws().len();
        glMultiDrawArrays(GL_POINTS, null(), null(), 0);
        assert_eq!(draws().len(), n);
    }
    no_error();
}

#[test]
fn draw_errors() {
    let (_c, _) = ready();
    let n = draws().len();
    // SAFETY: refused draws read nothing.
    unsafe {
        for mode in [GL_QUADS, GL_QUAD_STRIP, GL_POLYGON, GL_PATCHES, 0x1234] {
            raises(GL_INVALID_ENUM, || glDrawArrays(mode, 0, 3));
            raises(GL_INVALID_ENUM, || {
                glDrawElements(mode, 3, GL_UNSIGNED_SHORT, null())
            });
        }
        raises(GL_INVALID_VALUE, || glDrawArrays(GL_POINTS, -1, 3));
        raises(GL_INVALID_VALUE, || glDrawArrays(GL_POINTS, 0, -1));
        raises(GL_INVALID_VALUE, || {
            glDrawArraysInstanced(GL_POINTS, 0, 1, -1)
        });
        raises(GL_INVALID_VALUE, || {
            glMultiDrawArrays(GL_POINTS, null(), null(), -1)
        });
        raises(GL_INVALID_VALUE, || {
            glMultiDrawArrays(GL_POINTS, [0, 0].as_ptr(), [1, -1].as_ptr(), 2);
        });
        let e = |count, ty| glDrawElements(GL_POINTS, count, ty, null());
        raises(GL_INVALID_OPERATION, || e(1, GL_UNSIGNED_SHORT)); // no element buffer
        buffer(GL_ELEMENT_ARRAY_BUFFER, &[0; 8]);
        raises(GL_INVALID_VALUE, || e(-1, GL_UNSIGNED_SHORT));
        raises(GL_INVALID_ENUM, || e(1, GL_SHORT));
        raises(GL_INVALID_ENUM, || e(1, GL_FLOAT));
        raises(GL_INVALID_VALUE, || {
            glDrawRangeElements(GL_POINTS, 3, 2, 1, GL_UNSIGNED_SHORT, null());
        });
        raises(GL_INVALID_VALUE, || {
            glDrawElementsInstanced(GL_POINTS, 1, GL_UNSIGNED_SHORT, null(), -1);
        });
        raises(GL_INVALID_VALUE, || {
            glMultiDrawElements(GL_POINTS, null(), GL_UNSIGNED_SHORT, null(), -1);
        });
        // Nothing to draw is no error.
        glDrawArrays(GL_POINTS, 0, 0);
        glDrawArraysInstanced(GL_POINTS, 0, 1, 0);
        e(0, GL_UNSIGNED_SHORT);
        no_error();
        glBindVertexArray(0);
        raises(GL_INVALID_OPERATION, || glDrawArrays(GL_POINTS, 0, 1));
        raises(GL_INVALID_OPERATION, || e(1, GL_UNSIGNED_SHORT));
    }
    assert_eq!(draws().len(), n);
}

#[test]
fn client_arrays_and_indices_cross_as_bytes() {
    let _c = Current::new(Profile::Compatibility);
    use_program();
    let vertices: Vec<f32> = (0..40).map(|i| i as f32).collect();
    let indices = [9u8, 5, 6, 255, 7];
    // SAFETY: the arrays are there.
    unsafe {
        glVertexAttribPointer(0, 2, GL_FLOAT, 0, 16, vertices.as_ptr().cast());
        glVertexAttribPointer(1, 2, GL_FLOAT, 0, 16, vertices.as_ptr().add(2).cast());
        glEnableVertexAttribArray(0);
        glEnableVertexAttribArray(1);
        glDrawArrays(GL_TRIANGLES, 2, 3);
    }
    let d = last();
    let floats = |d: &Drawn| -> Vec<f32> {
        let word = |c: &[u8]| f32::from_le_bytes([c[0], c[1], c[2], c[3]]);
        d.arrays.chunks_exact(4).map(word).collect()
    };
    assert_eq!(floats(&d), vertices[8..20], "one region for both");
    let user = |d: &Drawn| -> Vec<(u32, u32, u64, u64)> {
        d.user_arrays
            .iter()
            .map(|u| (u.binding, u.first, u.offset, u.size))
            .collect()
    };
    assert_eq!(user(&d), [(0, 2, 0, 40), (1, 2, 8, 40)]);
    assert!(
        d.buffers
            .iter()
            .all(|b| b.buffer.is_null() && b.stride == 16)
    );
    // Indexed, with restart and a base: 5 to 9 less 3.
    gl(|gl| {
        let t = gl.gens.touch();
        gl.ctx.vertex.set_restart(t, true);
    });
    // SAFETY: the indices are there.
    unsafe {
        glPrimitiveRestartIndex(255);
        glDrawElementsBaseVertex(GL_POINTS, 5, GL_UNSIGNED_BYTE, indices.as_ptr().cast(), -3);
    }
    let d = last();
    assert_eq!(d.indices, indices);
    assert_eq!(ranges(&d), [(0, 5, -3, 0)]);
    assert_eq!((d.info.min_index, d.info.max_index), (5, 9));
    assert!(
        d.info
            .flags
            .has(DrawFlags::INDEX_BOUNDS.with(DrawFlags::USER_INDICES, true))
    );
    assert_eq!(user(&d), [(0, 2, 0, 72), (1, 2, 8, 72)]);
    assert_eq!(floats(&d), vertices[8..28]);
    // Indices in a buffer are scanned there.
    buffer(GL_ELEMENT_ARRAY_BUFFER, &[1, 4, 3]);
    // SAFETY: an offset.
    unsafe { glDrawElements(GL_POINTS, 2, GL_UNSIGNED_BYTE, at(1)) };
    let d = last();
    assert_eq!((d.info.min_index, d.info.max_index), (3, 4));
    assert!(d.indices.is_empty());
    assert_eq!(floats(&d), vertices[12..20]);
    // Nothing but restarts reads nothing.
    let n = draws().len();
    buffer(GL_ELEMENT_ARRAY_BUFFER, &[255, 255]);
    // SAFETY: an offset.
    unsafe { glDrawElements(GL_POINTS, 2, GL_UNSIGNED_BYTE, null()) };
    assert_eq!(draws().len(), n);
    no_error();
}

#[test]
fn legacy_modes_become_triangles() {
    let _c = Current::new(Profile::Compatibility);
    use_program();
    buffer(GL_ARRAY_BUFFER, &[0; 256]);
    // SAFETY: an offset; the indices are there.
    unsafe {
        glVertexAttribPointer(0, 4, GL_FLOAT, 0, 0, null());
        glEnableVertexAttribArray(0);
        glDrawArrays(GL_QUADS, 4, 5);
        let d = last();
        let words: Vec<u8> = [4u32, 5, 7, 5, 6, 7]
            .iter()
            .flat_map(|i| i.to_le_bytes())
            .collect();
        assert_eq!((d.info.mode, d.info.index_size), (Primitive::TRIANGLES, 4));
        assert_eq!((d.indices, d.ranges[0].count), (words, 6));
        let quad = [3u16, 2, 1, 0];
        glDrawElementsBaseVertex(GL_QUADS, 4, GL_UNSIGNED_SHORT, quad.as_ptr().cast(), 2);
        let d = last();
        let words: Vec<u8> = [3u32, 2, 0, 2, 1, 0]
            .iter()
            .flat_map(|i| i.to_le_bytes())
            .collect();
        assert_eq!((d.indices.clone(), ranges(&d)), (words, vec![(0, 6, 2, 0)]));
        glDrawArrays(GL_QUAD_STRIP, 0, 7);
        assert_eq!(
            (last().info.mode, ranges(&last())),
            (Primitive::TRIANGLE_STRIP, vec![(0, 6, 0, 0)])
        );
        glDrawArrays(GL_POLYGON, 0, 5);
        assert_eq!(last().info.mode, Primitive::TRIANGLE_FAN);
        let n = draws().len();
        glDrawArrays(GL_QUADS, 0, 3);
        assert_eq!(draws().len(), n, "less than one quadrilateral");
    }
    no_error();
}

#[test]
fn instanced_draws() {
    let (_c, _) = ready();
    // SAFETY: no pointers.
    unsafe {
        glVertexAttribDivisor(1, 2);
        glDrawArraysInstanced(GL_POINTS, 0, 2, 5);
        let d = last();
        assert_eq!((d.info.instances, d.info.base_instance), (5, 0));
        assert_eq!(
            d.bindings.iter().map(|b| b.divisor).collect::<Vec<_>>(),
            [0, 2]
        );
        glDrawArraysInstancedBaseInstance(GL_POINTS, 0, 2, 5, 3);
        assert_eq!(last().info.base_instance, 3);
    }
    no_error();
}

#[test]
fn what_a_draw_has_pushed_is_emitted() {
    let (_c, _) = ready();
    // SAFETY: no pointers.
    unsafe { glDrawArrays(GL_POINTS, 0, 1) };
    assert_eq!(emission_difference(), None);
}
