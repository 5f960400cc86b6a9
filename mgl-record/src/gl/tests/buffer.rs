//! Buffer objects.

use super::spy::{key, log, store_of, uploads_of};
use super::*;
use crate::gl::draw::*;
use mgl_core::pipe::SubDataFlags;
use std::ptr::{null, null_mut};

const TARGETS: [GLenum; 9] = [
    GL_ARRAY_BUFFER,
    GL_PIXEL_PACK_BUFFER,
    GL_PIXEL_UNPACK_BUFFER,
    GL_UNIFORM_BUFFER,
    GL_TEXTURE_BUFFER,
    GL_TRANSFORM_FEEDBACK_BUFFER,
    GL_COPY_READ_BUFFER,
    GL_COPY_WRITE_BUFFER,
    GL_ELEMENT_ARRAY_BUFFER,
];

fn parameter(target: GLenum, pname: GLenum) -> GLint {
    let mut v = -1;
    // SAFETY: room for one value.
    unsafe { glGetBufferParameteriv(target, pname, &mut v) };
    v
}

fn read(target: GLenum, offset: isize, size: usize) -> Vec<u8> {
    let mut out = vec![0; size];
    // SAFETY: room for the bytes.
    unsafe { glGetBufferSubData(target, offset, size as isize, out.as_mut_ptr().cast()) };
    out
}

/// Maps a range and gives its bytes to `f`.
fn mapped(target: GLenum, offset: isize, length: usize, access: u32, f: impl FnOnce(&mut [u8])) {
    // SAFETY: the mapped range has `length` bytes.
    unsafe {
        let p = glMapBufferRange(target, offset, length as isize, access).cast::<u8>();
        assert!(!p.is_null());
        f(std::slice::from_raw_parts_mut(p, length));
    }
}

#[test]
fn names_live_from_their_first_binding() {
    let _c = Current::new(Profile::Core);
    let mut names = [0; 3];
    // SAFETY: room for the names.
    unsafe {
        glGenBuffers(3, names.as_mut_ptr());
        assert_eq!(glIsBuffer(names[0]), 0, "reserved only");
        for t in TARGETS {
            glBindBuffer(t, names[0]);
        }
        assert_eq!(glIsBuffer(names[0]), 1);
        assert_eq!(glIsBuffer(0), 0);
        no_error();
        raises(GL_INVALID_OPERATION, || glBindBuffer(GL_ARRAY_BUFFER, 4242));
        raises(GL_INVALID_ENUM, || glBindBuffer(GL_TEXTURE_2D, names[0]));
        raises(GL_INVALID_VALUE, || glGenBuffers(-1, null_mut()));
        raises(GL_INVALID_VALUE, || glDeleteBuffers(-1, null()));
        glDeleteBuffers(3, names.as_ptr());
        assert_eq!(glIsBuffer(names[0]), 0);
        // Deleted while bound: the bindings of this context are gone.
        raises(GL_INVALID_OPERATION, || {
            glBufferData(GL_ARRAY_BUFFER, 4, null(), GL_STATIC_DRAW);
        });
    }
}

#[test]
fn the_compatibility_profile_takes_any_name() {
    let _c = Current::new(Profile::Compatibility);
    // SAFETY: no pointers.
    unsafe {
        glBindBuffer(GL_ARRAY_BUFFER, 4242);
        assert_eq!(glIsBuffer(4242), 1);
    }
    no_error();
}

#[test]
fn content_goes_up_at_the_call() {
    let _c = Current::new(Profile::Core);
    let name = buffer(GL_ARRAY_BUFFER, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let h = handle_of(name);
    assert_eq!(store_of(h), Some(vec![1, 2, 3, 4, 5, 6, 7, 8]));
    // SAFETY: the bytes are there.
    unsafe {
        glBufferSubData(GL_ARRAY_BUFFER, 2, 3, [9u8, 9, 9].as_ptr().cast());
        glBufferSubData(GL_ARRAY_BUFFER, 8, 0, null());
    }
    assert_eq!(store_of(h), Some(vec![1, 2, 9, 9, 9, 6, 7, 8]));
    assert_eq!(read(GL_ARRAY_BUFFER, 1, 3), [2, 9, 9]);
    assert_eq!(
        uploads_of(h),
        [(0, 8, SubDataFlags::DISCARD), (2, 3, SubDataFlags::NONE)],
        "an empty range goes nowhere"
    );
    assert_eq!(parameter(GL_ARRAY_BUFFER, GL_BUFFER_SIZE), 8);
    assert_eq!(
        parameter(GL_ARRAY_BUFFER, GL_BUFFER_USAGE),
        GL_STATIC_DRAW as i32
    );
    // SAFETY: no data.
    unsafe { glBufferData(GL_ARRAY_BUFFER, 16, null(), GL_STREAM_READ) };
    assert_eq!(handle_of(name), h, "a new store keeps the handle");
    assert_eq!(uploads_of(h).len(), 2, "no data, no upload");
    gl(|gl| {
        let d = gl.pipe.server().state.buffers.get(h).expect("live").desc;
        assert_eq!((d.size, d.usage.0, d.gl_name), (16, GL_STREAM_READ, name));
    });
    no_error();
    assert!(
        log().reads.iter().all(|&r| r != h),
        "the client's copy was enough"
    );
}

#[test]
fn data_errors() {
    let _c = Current::new(Profile::Core);
    // SAFETY: refused calls read nothing.
    unsafe {
        raises(GL_INVALID_ENUM, || {
            glBufferData(0, 4, null(), GL_STATIC_DRAW)
        });
        raises(GL_INVALID_OPERATION, || {
            glBufferData(GL_ARRAY_BUFFER, 4, null(), GL_STATIC_DRAW);
        });
        buffer(GL_ARRAY_BUFFER, &[0; 8]);
        raises(GL_INVALID_ENUM, || {
            glBufferData(GL_ARRAY_BUFFER, 4, null(), GL_READ_ONLY)
        });
        raises(GL_INVALID_ENUM, || {
            glBufferData(GL_ARRAY_BUFFER, 4, null(), 0)
        });
        raises(GL_INVALID_VALUE, || {
            glBufferData(GL_ARRAY_BUFFER, -1, null(), GL_STATIC_DRAW);
        });
        raises(GL_OUT_OF_MEMORY, || {
            glBufferData(GL_ARRAY_BUFFER, isize::MAX, null(), GL_STATIC_DRAW);
        });
        assert_eq!(
            parameter(GL_ARRAY_BUFFER, GL_BUFFER_SIZE),
            8,
            "the old store is there"
        );
        let mut byte = [0u8; 16];
        for (offset, size) in [(-1, 1), (0, -1), (8, 1), (1, isize::MAX), (0, 9)] {
            let p = byte.as_mut_ptr().cast();
            raises(GL_INVALID_VALUE, || {
                glBufferSubData(GL_ARRAY_BUFFER, offset, size, p)
            });
            raises(GL_INVALID_VALUE, || {
                glGetBufferSubData(GL_ARRAY_BUFFER, offset, size, p)
            });
        }
        let p = byte.as_mut_ptr().cast();
        raises(GL_INVALID_ENUM, || glBufferSubData(GL_TEXTURE_2D, 0, 1, p));
        raises(GL_INVALID_ENUM, || {
            glGetBufferSubData(GL_TEXTURE_2D, 0, 1, p)
        });
        raises(GL_INVALID_OPERATION, || {
            glBufferSubData(GL_UNIFORM_BUFFER, 0, 1, p)
        });
        raises(GL_INVALID_OPERATION, || {
            glGetBufferSubData(GL_UNIFORM_BUFFER, 0, 1, p)
        });
        assert!(!glMapBuffer(GL_ARRAY_BUFFER, GL_READ_WRITE).is_null());
        raises(GL_INVALID_OPERATION, || {
            glBufferSubData(GL_ARRAY_BUFFER, 0, 1, p)
        });
        raises(GL_INVALID_OPERATION, || {
            glGetBufferSubData(GL_ARRAY_BUFFER, 0, 1, p)
        });
        let mut v = 0;
        raises(GL_INVALID_ENUM, || {
            glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_SIZE_TEST, &mut v)
        });
        raises(GL_INVALID_ENUM, || {
            glGetBufferParameteriv(GL_TEXTURE_2D, GL_BUFFER_SIZE, &mut v)
        });
        raises(GL_INVALID_OPERATION, || {
            glGetBufferParameteriv(GL_UNIFORM_BUFFER, GL_BUFFER_SIZE, &mut v);
        });
        let mut at = null_mut();
        raises(GL_INVALID_ENUM, || {
            glGetBufferPointerv(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &mut at);
        });
    }
}

/// A pname that no buffer has.
const GL_SIZE_TEST: GLenum = GL_TEXTURE_WIDTH;

#[test]
fn a_written_range_goes_up_once_at_unmap() {
    let _c = Current::new(Profile::Core);
    let name = buffer(GL_ARRAY_BUFFER, &[0; 32]);
    let h = handle_of(name);
    mapped(GL_ARRAY_BUFFER, 8, 8, GL_MAP_WRITE_BIT, |b| b.fill(7));
    assert_eq!(parameter(GL_ARRAY_BUFFER, GL_BUFFER_MAPPED), 1);
    assert_eq!(
        parameter(GL_ARRAY_BUFFER, GL_BUFFER_ACCESS),
        GL_WRITE_ONLY as i32
    );
    assert_eq!(parameter(GL_ARRAY_BUFFER, GL_BUFFER_ACCESS_FLAGS), 2);
    assert_eq!(parameter(GL_ARRAY_BUFFER, GL_BUFFER_MAP_OFFSET), 8);
    let (mut wide, mut at) = (0, null_mut());
    // SAFETY: room for the values.
    unsafe {
        glGetBufferParameteri64v(GL_ARRAY_BUFFER, GL_BUFFER_MAP_LENGTH, &mut wide);
        glGetBufferPointerv(GL_ARRAY_BUFFER, GL_BUFFER_MAP_POINTER, &mut at);
    }
    assert_eq!((wide, at as usize % 8), (8, 0));
    let mut by_name = null_mut();
    // SAFETY: room for one pointer.
    unsafe { glGetNamedBufferPointerv(name, GL_BUFFER_MAP_POINTER, &mut by_name) };
    assert_eq!(by_name, at);
    // SAFETY: as above; what is wrong writes nothing.
    raises(GL_INVALID_ENUM, || unsafe {
        glGetNamedBufferPointerv(name, GL_BUFFER_SIZE, &mut by_name);
    });
    // SAFETY: as above.
    raises(GL_INVALID_OPERATION, || unsafe {
        glGetNamedBufferPointerv(name + 1000, GL_BUFFER_MAP_POINTER, &mut by_name);
    });
    assert_eq!(by_name, at);
    assert_eq!(uploads_of(h).len(), 1);
    // SAFETY: no pointers.
    unsafe { assert_eq!(glUnmapBuffer(GL_ARRAY_BUFFER), 1) };
    assert_eq!(uploads_of(h)[1..], [(8, 8, SubDataFlags::NONE)]);
    assert_eq!(parameter(GL_ARRAY_BUFFER, GL_BUFFER_MAPPED), 0);
    assert_eq!(
        parameter(GL_ARRAY_BUFFER, GL_BUFFER_ACCESS),
        GL_READ_WRITE as i32
    );
    assert_eq!(parameter(GL_ARRAY_BUFFER, GL_BUFFER_ACCESS_FLAGS), 0);
    // Reading pushes nothing.
    mapped(GL_ARRAY_BUFFER, 0, 16, GL_MAP_READ_BIT, |b| {
        assert_eq!(b[7..9], [0, 7])
    });
    // SAFETY: no pointers.
    unsafe { assert_eq!(glUnmapBuffer(GL_ARRAY_BUFFER), 1) };
    assert_eq!(uploads_of(h).len(), 2);
    // A whole write replaces the store.
    mapped(GL_ARRAY_BUFFER, 0, 32, GL_MAP_WRITE_BIT, |b| b.fill(9));
    // SAFETY: no pointers.
    unsafe { assert_eq!(glUnmapBuffer(GL_ARRAY_BUFFER), 1) };
    assert_eq!(uploads_of(h)[2..], [(0, 32, SubDataFlags::DISCARD)]);
    assert_eq!(store_of(h), Some(vec![9; 32]));
    no_error();
}

#[test]
fn of_an_explicit_mapping_only_flushed_ranges_go_up() {
    let _c = Current::new(Profile::Core);
    let h = handle_of(buffer(GL_ARRAY_BUFFER, &[0; 32]));
    let access = GL_MAP_WRITE_BIT | GL_MAP_FLUSH_EXPLICIT_BIT;
    mapped(GL_ARRAY_BUFFER, 4, 24, access, |b| b.fill(5));
    // SAFETY: no pointers.
    unsafe {
        glFlushMappedBufferRange(GL_ARRAY_BUFFER, 16, 4);
        glFlushMappedBufferRange(GL_ARRAY_BUFFER, 0, 2);
        glFlushMappedBufferRange(GL_ARRAY_BUFFER, 2, 2);
        raises(GL_INVALID_VALUE, || {
            glFlushMappedBufferRange(GL_ARRAY_BUFFER, 21, 4)
        });
        raises(GL_INVALID_VALUE, || {
            glFlushMappedBufferRange(GL_ARRAY_BUFFER, -1, 4)
        });
        raises(GL_INVALID_VALUE, || {
            glFlushMappedBufferRange(GL_ARRAY_BUFFER, 0, -4)
        });
        glUnmapBuffer(GL_ARRAY_BUFFER);
    }
    assert_eq!(
        uploads_of(h)[1..],
        [(4, 4, SubDataFlags::NONE), (20, 4, SubDataFlags::NONE)]
    );
}

#[test]
fn mapping_errors() {
    let _c = Current::new(Profile::Core);
    // SAFETY: refused calls map nothing.
    unsafe {
        let map = |offset, length, access| {
            assert!(glMapBufferRange(GL_ARRAY_BUFFER, offset, length, access).is_null());
        };
        raises(GL_INVALID_OPERATION, || map(0, 1, GL_MAP_READ_BIT));
        raises(GL_INVALID_OPERATION, || {
            assert!(glMapBuffer(GL_ARRAY_BUFFER, GL_READ_ONLY).is_null());
        });
        raises(GL_INVALID_OPERATION, || {
            assert_eq!(glUnmapBuffer(GL_ARRAY_BUFFER), 0)
        });
        raises(GL_INVALID_OPERATION, || {
            glFlushMappedBufferRange(GL_ARRAY_BUFFER, 0, 1)
        });
        buffer(GL_ARRAY_BUFFER, &[0; 16]);
        for (o, n) in [(-1, 1), (0, -1), (16, 1), (isize::MAX, isize::MAX)] {
            raises(GL_INVALID_VALUE, || map(o, n, GL_MAP_READ_BIT));
        }
        raises(GL_INVALID_VALUE, || map(0, 1, GL_MAP_READ_BIT | 0x8000));
        for access in [
            0,
            GL_MAP_UNSYNCHRONIZED_BIT,
            GL_MAP_READ_BIT | GL_MAP_INVALIDATE_RANGE_BIT,
            GL_MAP_READ_BIT | GL_MAP_INVALIDATE_BUFFER_BIT,
            GL_MAP_READ_BIT | GL_MAP_UNSYNCHRONIZED_BIT,
            GL_MAP_READ_BIT | GL_MAP_FLUSH_EXPLICIT_BIT,
        ] {
            raises(GL_INVALID_OPERATION, || map(0, 1, access));
        }
        raises(GL_INVALID_OPERATION, || map(0, 0, GL_MAP_READ_BIT));
        raises(GL_INVALID_ENUM, || {
            assert!(glMapBuffer(GL_ARRAY_BUFFER, GL_STATIC_DRAW).is_null());
        });
        raises(GL_INVALID_ENUM, || {
            assert!(glMapBuffer(GL_TEXTURE_2D, GL_READ_ONLY).is_null());
        });
        raises(GL_INVALID_ENUM, || {
            assert_eq!(glUnmapBuffer(GL_TEXTURE_2D), 0)
        });
        raises(GL_INVALID_OPERATION, || {
            assert_eq!(glUnmapBuffer(GL_ARRAY_BUFFER), 0)
        });
        assert!(!glMapBuffer(GL_ARRAY_BUFFER, GL_WRITE_ONLY).is_null());
        raises(GL_INVALID_OPERATION, || map(0, 1, GL_MAP_READ_BIT));
        raises(GL_INVALID_OPERATION, || {
            glFlushMappedBufferRange(GL_ARRAY_BUFFER, 0, 1)
        });
        // A new store ends the mapping.
        glBufferData(GL_ARRAY_BUFFER, 16, null(), GL_STATIC_DRAW);
        raises(GL_INVALID_OPERATION, || {
            assert_eq!(glUnmapBuffer(GL_ARRAY_BUFFER), 0)
        });
    }
}

#[test]
fn copies_are_mirrored() {
    let _c = Current::new(Profile::Core);
    let a = handle_of(buffer(GL_COPY_READ_BUFFER, &[1, 2, 3, 4, 5, 6, 7, 8]));
    let b = handle_of(buffer(GL_COPY_WRITE_BUFFER, &[0; 8]));
    let copy = |from, to, size| {
        // SAFETY: no pointers.
        unsafe { glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, from, to, size) }
    };
    copy(2, 0, 4);
    assert_eq!(store_of(b), Some(vec![3, 4, 5, 6, 0, 0, 0, 0]));
    assert_eq!(read(GL_COPY_WRITE_BUFFER, 0, 5), [3, 4, 5, 6, 0]);
    // SAFETY: no pointers.
    unsafe {
        let within = |from, to, size| {
            glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER, from, to, size);
        };
        within(0, 4, 4);
        raises(GL_INVALID_VALUE, || within(0, 3, 4));
    }
    assert_eq!(store_of(a), Some(vec![1, 2, 3, 4, 1, 2, 3, 4]));
    assert_eq!(read(GL_COPY_READ_BUFFER, 0, 8), [1, 2, 3, 4, 1, 2, 3, 4]);
    for (from, to, size) in [(-1, 0, 1), (0, -1, 1), (0, 0, -1), (5, 0, 4), (0, 5, 4)] {
        raises(GL_INVALID_VALUE, || copy(from, to, size));
    }
    // SAFETY: no pointers.
    unsafe {
        raises(GL_INVALID_ENUM, || {
            glCopyBufferSubData(GL_TEXTURE_2D, GL_COPY_WRITE_BUFFER, 0, 0, 1);
        });
        raises(GL_INVALID_OPERATION, || {
            glCopyBufferSubData(GL_ARRAY_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, 1);
        });
        glMapBuffer(GL_COPY_READ_BUFFER, GL_READ_ONLY);
    }
    raises(GL_INVALID_OPERATION, || copy(0, 0, 1));
}

#[test]
fn what_the_gpu_wrote_is_read_back_when_asked_for() {
    let _c = Current::new(Profile::Core);
    let name = buffer(GL_ARRAY_BUFFER, &[0; 8]);
    let h = handle_of(name);
    let gpu_writes = |byte: u8| {
        log().stores.insert(key(h), vec![byte; 8]);
        gl(|gl| {
            let t = gl.gens.touch();
            gl.share.buffers.get_mut(name).expect("live").gpu_wrote(t);
        });
    };
    let reads = || log().reads.iter().filter(|&&r| r == h).count();
    gpu_writes(3);
    assert_eq!(read(GL_ARRAY_BUFFER, 0, 2), [3, 3]);
    assert_eq!(read(GL_ARRAY_BUFFER, 2, 2), [3, 3]);
    assert_eq!(reads(), 1, "once");
    // Writing a part by a mapping must not lose the rest.
    gpu_writes(4);
    mapped(GL_ARRAY_BUFFER, 0, 4, GL_MAP_WRITE_BIT, |b| b[0] = 1);
    // SAFETY: no pointers.
    unsafe { glUnmapBuffer(GL_ARRAY_BUFFER) };
    assert_eq!(store_of(h), Some(vec![1, 4, 4, 4, 4, 4, 4, 4]));
    assert_eq!(reads(), 2);
    // Dropped content is not waited for.
    gpu_writes(5);
    let drop_all = GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT;
    mapped(GL_ARRAY_BUFFER, 0, 8, drop_all, |b| b.fill(6));
    // SAFETY: no pointers.
    unsafe { glUnmapBuffer(GL_ARRAY_BUFFER) };
    assert_eq!((reads(), store_of(h)), (2, Some(vec![6; 8])));
    // A copy spreads the mark.
    gpu_writes(7);
    buffer(GL_COPY_WRITE_BUFFER, &[0; 8]);
    // SAFETY: no pointers.
    unsafe { glCopyBufferSubData(GL_ARRAY_BUFFER, GL_COPY_WRITE_BUFFER, 0, 4, 4) };
    assert_eq!(read(GL_COPY_WRITE_BUFFER, 0, 8), [0, 0, 0, 0, 7, 7, 7, 7]);
}

#[test]
fn indexed_bindings() {
    let _c = Current::new(Profile::Core);
    let a = buffer(GL_ARRAY_BUFFER, &[0; 64]);
    // SAFETY: no pointers.
    unsafe {
        glBindBufferBase(GL_UNIFORM_BUFFER, 2, a);
        glBindBufferRange(GL_UNIFORM_BUFFER, 4, a, 16, 8);
        gl(|gl| {
            let id = gl.share.buffers.id(a);
            let u = gl.ctx.buffers.uniform_bindings();
            assert_eq!(u.len(), 5, "up to the mark");
            assert_eq!((u[2].buffer, u[2].range), (id, None));
            assert_eq!((u[4].buffer, u[4].range), (id, Some((16, 8))));
            assert_eq!(u[3].buffer, None);
        });
        raises(GL_INVALID_ENUM, || glBindBufferBase(GL_ARRAY_BUFFER, 0, a));
        raises(GL_INVALID_VALUE, || {
            glBindBufferBase(GL_UNIFORM_BUFFER, 1000, a)
        });
        raises(GL_INVALID_VALUE, || {
            glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 4, a)
        });
        raises(GL_INVALID_VALUE, || {
            glBindBufferRange(GL_UNIFORM_BUFFER, 0, a, 0, 0)
        });
        raises(GL_INVALID_VALUE, || {
            glBindBufferRange(GL_UNIFORM_BUFFER, 0, a, -16, 8)
        });
        raises(GL_INVALID_VALUE, || {
            glBindBufferRange(GL_UNIFORM_BUFFER, 0, a, 8, 8)
        });
        raises(GL_INVALID_VALUE, || {
            glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, a, 2, 4);
        });
        raises(GL_INVALID_VALUE, || {
            glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, a, 4, 5);
        });
        raises(GL_INVALID_OPERATION, || {
            glBindBufferBase(GL_UNIFORM_BUFFER, 0, 4242)
        });
        glBindBufferRange(GL_UNIFORM_BUFFER, 4, 0, 3, -1);
        no_error();
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 1, a);
        glDeleteBuffers(1, &a);
    }
    gl(|gl| {
        let b = &gl.ctx.buffers;
        let all = b.uniform_bindings().iter().chain(b.feedback_bindings());
        assert!(
            all.into_iter().all(|b| b.buffer.is_none()),
            "deleted while bound"
        );
    });
}

#[test]
fn a_deleted_buffer_lives_as_long_as_another_vertex_array_holds_it() {
    let c = Current::new(Profile::Core);
    let (first, second) = (vertex_array(), vertex_array());
    let name = buffer(GL_ARRAY_BUFFER, &[1; 16]);
    let h = handle_of(name);
    // SAFETY: offsets into the buffer.
    unsafe {
        glBindVertexArray(first);
        glVertexAttribPointer(0, 4, GL_FLOAT, 0, 0, null());
        glBindVertexArray(second);
        glVertexAttribPointer(1, 4, GL_FLOAT, 0, 0, null());
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, name);
        glDeleteBuffers(1, &name);
        let mut v = -1;
        glGetVertexAttribiv(1, GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, &mut v);
        assert_eq!(v, 0, "the bound array lets go");
        gl(|gl| assert!(gl.ctx.vertex.current().element_buffer().is_none()));
        glBindVertexArray(first);
        glGetVertexAttribiv(0, GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, &mut v);
        assert_eq!(v, name as i32, "the other keeps it");
    }
    context::swap_buffers(&c.surface).expect("swap");
    assert!(store_of(h).is_some());
    // SAFETY: one name.
    unsafe { glDeleteVertexArrays(1, &first) };
    context::swap_buffers(&c.surface).expect("swap");
    assert!(store_of(h).is_none(), "the last reference went");
    no_error();
}

#[test]
fn shared_buffers_outlive_the_context_that_made_them() {
    let one = Current::new(Profile::Core);
    let name = buffer(GL_ARRAY_BUFFER, &[5; 4]);
    let h = handle_of(name);
    let two = Current::shared(Profile::Core, Some(&one.context));
    // SAFETY: one name.
    unsafe {
        glBindBuffer(GL_COPY_READ_BUFFER, name);
        assert_eq!(read(GL_COPY_READ_BUFFER, 0, 4), [5; 4]);
        glDeleteBuffers(1, &name);
        raises(GL_INVALID_OPERATION, || {
            glBindBuffer(GL_COPY_READ_BUFFER, name)
        });
    }
    context::swap_buffers(&two.surface).expect("swap");
    assert!(store_of(h).is_some(), "bound in the other context");
    one.make_current();
    assert_eq!(read(GL_ARRAY_BUFFER, 0, 4), [5; 4]);
    drop(one);
    two.make_current();
    context::swap_buffers(&two.surface).expect("swap");
    assert!(store_of(h).is_none());
}

#[test]
fn mapped_buffers_are_not_drawn_from() {
    let _c = Current::new(Profile::Core);
    vertex_array();
    buffer(GL_ARRAY_BUFFER, &[0; 64]);
    buffer(GL_ELEMENT_ARRAY_BUFFER, &[0; 6]);
    // SAFETY: offsets into the buffers.
    unsafe {
        glVertexAttribPointer(0, 4, GL_FLOAT, 0, 0, null());
        glEnableVertexAttribArray(0);
        glMapBuffer(GL_ARRAY_BUFFER, GL_READ_ONLY);
        raises(GL_INVALID_OPERATION, || glDrawArrays(GL_POINTS, 0, 1));
        raises(GL_INVALID_OPERATION, || {
            glDrawElements(GL_POINTS, 1, GL_UNSIGNED_SHORT, null())
        });
        glUnmapBuffer(GL_ARRAY_BUFFER);
        glMapBuffer(GL_ELEMENT_ARRAY_BUFFER, GL_READ_ONLY);
        raises(GL_INVALID_OPERATION, || {
            glDrawElements(GL_POINTS, 1, GL_UNSIGNED_SHORT, null())
        });
    }
}
