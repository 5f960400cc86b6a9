//! Vertex arrays and current values.

use super::*;
use crate::gl::vertex_value::*;
use mgl_core::pipe::{AttribValue, ValueType};
use std::ptr::{null, null_mut};

fn get(index: GLuint, pname: GLenum) -> GLint {
    let mut v = -1;
    // SAFETY: room for one value.
    unsafe { glGetVertexAttribiv(index, pname, &mut v) };
    v
}

fn value(index: usize) -> AttribValue {
    gl(|gl| gl.ctx.vertex.values()[index])
}

fn floats(index: usize) -> [f32; 4] {
    let v = value(index);
    assert_eq!(v.ty, ValueType::FLOAT);
    std::array::from_fn(|i| f32::from_bits(v.bits[i]))
}

#[test]
fn vertex_array_names() {
    let _c = Current::new(Profile::Core);
    let mut names = [0; 2];
    // SAFETY: room for the names.
    unsafe {
        glGenVertexArrays(2, names.as_mut_ptr());
        assert_eq!(glIsVertexArray(names[0]), 0, "reserved only");
        glBindVertexArray(names[0]);
        assert_eq!(glIsVertexArray(names[0]), 1);
        raises(GL_INVALID_OPERATION, || glBindVertexArray(4242));
        raises(GL_INVALID_VALUE, || glGenVertexArrays(-1, null_mut()));
        raises(GL_INVALID_VALUE, || glDeleteVertexArrays(-1, null()));
        glDeleteVertexArrays(2, names.as_ptr());
        assert_eq!(glIsVertexArray(names[0]), 0);
        gl(|gl| assert!(gl.ctx.vertex.is_default_bound(), "deleted while bound"));
        raises(GL_INVALID_OPERATION, || glBindVertexArray(names[0]));
    }
}

#[test]
fn the_element_binding_belongs_to_the_array() {
    let _c = Current::new(Profile::Core);
    let first = vertex_array();
    let b = buffer(GL_ELEMENT_ARRAY_BUFFER, &[0; 4]);
    let bound = || gl(|gl| gl.ctx.vertex.current().element_buffer());
    vertex_array();
    assert_eq!(bound(), None);
    // SAFETY: no pointers.
    unsafe { glBindVertexArray(first) };
    assert_eq!(bound(), gl(|gl| gl.share.buffers.id(b)));
}

#[test]
fn pointers_are_kept_as_set() {
    let _c = Current::new(Profile::Core);
    vertex_array();
    let b = buffer(GL_ARRAY_BUFFER, &[0; 64]);
    // SAFETY: offsets; room for the answers.
    unsafe {
        glVertexAttribPointer(1, 3, GL_SHORT, 1, 12, 4 as *const _);
        glVertexAttribIPointer(2, 2, GL_UNSIGNED_INT, 0, null());
        glVertexAttribPointer(3, GL_BGRA as i32, GL_UNSIGNED_BYTE, 1, 0, null());
        glVertexAttribPointer(4, 4, GL_INT_2_10_10_10_REV, 0, 0, null());
        glVertexAttribDivisor(1, 3);
        glEnableVertexAttribArray(1);
        let mut at = null_mut();
        glGetVertexAttribPointerv(1, GL_VERTEX_ATTRIB_ARRAY_POINTER, &mut at);
        assert_eq!(at as usize, 4);
    }
    no_error();
    let all = [
        GL_VERTEX_ATTRIB_ARRAY_ENABLED,
        GL_VERTEX_ATTRIB_ARRAY_SIZE,
        GL_VERTEX_ATTRIB_ARRAY_STRIDE,
        GL_VERTEX_ATTRIB_ARRAY_TYPE,
        GL_VERTEX_ATTRIB_ARRAY_NORMALIZED,
        GL_VERTEX_ATTRIB_ARRAY_INTEGER,
        GL_VERTEX_ATTRIB_ARRAY_DIVISOR,
        GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING,
    ];
    let answers = |i| all.map(|p| get(i, p) as u32);
    assert_eq!(answers(0), [0, 4, 0, GL_FLOAT, 0, 0, 0, 0], "initial");
    assert_eq!(answers(1), [1, 3, 12, GL_SHORT, 1, 0, 3, b]);
    assert_eq!(answers(2), [0, 2, 0, GL_UNSIGNED_INT, 0, 1, 0, b]);
    assert_eq!(answers(3), [0, GL_BGRA, 0, GL_UNSIGNED_BYTE, 1, 0, 0, b]);
    // SAFETY: no pointers.
    unsafe { glDisableVertexAttribArray(1) };
    assert_eq!(get(1, GL_VERTEX_ATTRIB_ARRAY_ENABLED), 0);
}

#[test]
fn pointer_errors() {
    let _c = Current::new(Profile::Core);
    // SAFETY: refused calls keep no pointer.
    unsafe {
        // The core profile has no vertex array 0.
        raises(GL_INVALID_OPERATION, || glEnableVertexAttribArray(0));
        raises(GL_INVALID_OPERATION, || glDisableVertexAttribArray(0));
        raises(GL_INVALID_OPERATION, || glVertexAttribDivisor(0, 1));
        raises(GL_INVALID_OPERATION, || {
            glVertexAttribPointer(0, 4, GL_FLOAT, 0, 0, null())
        });
        vertex_array();
        let p = |i, size, ty, normalized, stride| {
            glVertexAttribPointer(i, size, ty, normalized, stride, null());
        };
        raises(GL_INVALID_VALUE, || p(16, 4, GL_FLOAT, 0, 0));
        raises(GL_INVALID_VALUE, || p(0, 0, GL_FLOAT, 0, 0));
        raises(GL_INVALID_VALUE, || p(0, 5, GL_FLOAT, 0, 0));
        raises(GL_INVALID_VALUE, || p(0, 4, GL_FLOAT, 0, -1));
        raises(GL_INVALID_ENUM, || p(0, 4, GL_UNSIGNED_INT_24_8, 0, 0));
        raises(GL_INVALID_OPERATION, || {
            p(0, 4, GL_UNSIGNED_INT_10F_11F_11F_REV, 0, 0)
        });
        raises(GL_INVALID_OPERATION, || {
            let bgra = GL_BGRA as i32;
            p(0, bgra, GL_UNSIGNED_INT_10F_11F_11F_REV, 1, 0)
        });
        p(0, 3, GL_UNSIGNED_INT_10F_11F_11F_REV, 0, 0);
        p(0, 2, GL_FIXED, 0, 0);
        raises(GL_INVALID_OPERATION, || {
            p(0, GL_BGRA as i32, GL_FLOAT, 1, 0)
        });
        raises(GL_INVALID_OPERATION, || {
            p(0, GL_BGRA as i32, GL_UNSIGNED_BYTE, 0, 0)
        });
        raises(GL_INVALID_OPERATION, || {
            p(0, 3, GL_INT_2_10_10_10_REV, 0, 0)
        });
        raises(GL_INVALID_OPERATION, || {
            glVertexAttribPointer(0, 4, GL_FLOAT, 0, 0, 4 as *const _);
        });
        let ip = |i, size, ty, stride| glVertexAttribIPointer(i, size, ty, stride, null());
        raises(GL_INVALID_VALUE, || ip(16, 4, GL_INT, 0));
        raises(GL_INVALID_VALUE, || {
            ip(0, GL_BGRA as i32, GL_UNSIGNED_BYTE, 0)
        });
        raises(GL_INVALID_VALUE, || ip(0, 4, GL_INT, -4));
        raises(GL_INVALID_ENUM, || ip(0, 4, GL_FLOAT, 0));
        raises(GL_INVALID_VALUE, || glEnableVertexAttribArray(16));
        raises(GL_INVALID_VALUE, || glDisableVertexAttribArray(16));
        raises(GL_INVALID_VALUE, || glVertexAttribDivisor(16, 1));
        raises(GL_INVALID_VALUE, || {
            assert_eq!(get(16, GL_VERTEX_ATTRIB_ARRAY_SIZE), -1)
        });
        raises(GL_INVALID_ENUM, || assert_eq!(get(0, GL_FLOAT), -1));
        let mut at = null_mut();
        raises(GL_INVALID_ENUM, || {
            glGetVertexAttribPointerv(0, GL_FLOAT, &mut at)
        });
        raises(GL_INVALID_VALUE, || {
            glGetVertexAttribPointerv(16, GL_VERTEX_ATTRIB_ARRAY_POINTER, &mut at);
        });
        raises(GL_INVALID_VALUE, || {
            glVertexAttrib4f(16, 0.0, 0.0, 0.0, 0.0)
        });
        raises(GL_INVALID_VALUE, || glVertexAttribI1i(16, 0));
        raises(GL_INVALID_ENUM, || {
            glVertexAttribP4ui(0, GL_UNSIGNED_INT, 0, 0)
        });
        raises(GL_INVALID_VALUE, || {
            glVertexAttribP4ui(16, GL_INT_2_10_10_10_REV, 0, 0)
        });
    }
}

#[test]
fn client_pointers_need_vertex_array_0() {
    let _c = Current::new(Profile::Compatibility);
    let data = [0f32; 4];
    // SAFETY: the data is there.
    unsafe {
        glVertexAttribPointer(0, 4, GL_FLOAT, 0, 0, data.as_ptr().cast());
        no_error();
        vertex_array();
        raises(GL_INVALID_OPERATION, || {
            glVertexAttribPointer(0, 4, GL_FLOAT, 0, 0, data.as_ptr().cast());
        });
    }
}

#[test]
fn values_of_every_form() {
    let _c = Current::new(Profile::Core);
    assert_eq!(floats(5), [0.0, 0.0, 0.0, 1.0], "initial");
    // SAFETY: the vectors are there.
    unsafe {
        glVertexAttrib1f(1, 2.0);
        glVertexAttrib2d(2, 2.0, 3.0);
        glVertexAttrib3sv(3, [1i16, -2, 3].as_ptr());
        glVertexAttrib4Nub(4, 0, 51, 102, 255);
        glVertexAttrib4Nbv(5, [127i8, -127, -128, 0].as_ptr());
        glVertexAttrib4usv(6, [1u16, 2, 3, 65535].as_ptr());
        glVertexAttribI4i(7, -1, 2, 3, 4);
        glVertexAttribI2uiv(8, [u32::MAX, 7].as_ptr());
        glVertexAttribI4bv(9, [-1i8, 2, 3, 4].as_ptr());
        glVertexAttribP3ui(10, GL_UNSIGNED_INT_2_10_10_10_REV, 0, 5 | 6 << 10 | 7 << 20);
        glVertexAttrib4Niv(11, [i32::MAX, i32::MIN, 0, 0].as_ptr());
    }
    no_error();
    assert_eq!(floats(1), [2.0, 0.0, 0.0, 1.0]);
    assert_eq!(floats(2), [2.0, 3.0, 0.0, 1.0]);
    assert_eq!(floats(3), [1.0, -2.0, 3.0, 1.0]);
    assert_eq!(floats(4), [0.0, 0.2, 0.4, 1.0]);
    assert_eq!(floats(5), [1.0, -1.0, -1.0, 0.0]);
    assert_eq!(floats(6), [1.0, 2.0, 3.0, 65535.0]);
    assert_eq!(floats(10), [5.0, 6.0, 7.0, 1.0]);
    assert_eq!(floats(11), [1.0, -1.0, 0.0, 0.0]);
    assert_eq!(
        (value(7).ty, value(7).bits[..4].to_vec()),
        (ValueType::INT, vec![u32::MAX, 2, 3, 4])
    );
    assert_eq!(
        (value(8).ty, value(8).bits[..4].to_vec()),
        (ValueType::UINT, vec![u32::MAX, 7, 0, 1])
    );
    assert_eq!((value(9).ty, value(9).bits[0]), (ValueType::INT, u32::MAX));
    let (mut f, mut d, mut i, mut u) = ([0f32; 4], [0f64; 4], [0i32; 4], [0u32; 4]);
    // SAFETY: room for four values each.
    unsafe {
        glGetVertexAttribfv(2, GL_CURRENT_VERTEX_ATTRIB, f.as_mut_ptr());
        glGetVertexAttribdv(3, GL_CURRENT_VERTEX_ATTRIB, d.as_mut_ptr());
        glGetVertexAttribIiv(7, GL_CURRENT_VERTEX_ATTRIB, i.as_mut_ptr());
        glGetVertexAttribIuiv(8, GL_CURRENT_VERTEX_ATTRIB, u.as_mut_ptr());
    }
    assert_eq!((f, d), ([2.0, 3.0, 0.0, 1.0], [1.0, -2.0, 3.0, 1.0]));
    assert_eq!((i, u), ([-1, 2, 3, 4], [u32::MAX, 7, 0, 1]));
    let mut rounded = [0i32; 4];
    // SAFETY: room for four values.
    unsafe { glGetVertexAttribiv(4, GL_CURRENT_VERTEX_ATTRIB, rounded.as_mut_ptr()) };
    assert_eq!(rounded, [0, 0, 0, 1]);
    assert_eq!(get(0, GL_CURRENT_VERTEX_ATTRIB), 0, "core has a value 0");
    no_error();
}

#[test]
fn attribute_0_has_no_current_value_in_compatibility() {
    let _c = Current::new(Profile::Compatibility);
    raises(GL_INVALID_OPERATION, || {
        assert_eq!(get(0, GL_CURRENT_VERTEX_ATTRIB), -1)
    });
}
