//! Vertex attributes: types, normalisation, integers, defaults, queries, errors (GL 3.3 §2.7, §2.8).

use crate::bindings::consts::gl::*;
use crate::rig::{Rig, at, data, size};

/// A point whose attribute goes out as a float, captured exactly by a 1x1 float target.
fn float_scene(t: &Rig) -> u32 {
    t.target(GL_RGBA32F, (1, 1));
    t.program("in vec4 a; out vec4 v; void main() { v = a; gl_Position = vec4(0, 0, 0, 1); }",
        "in vec4 v; out vec4 c; void main() { c = v; }");
    t.attribute("a")
}

fn draw_point(t: &Rig) -> [f32; 4] {
    t.DrawArrays(GL_POINTS, 0, 1);
    t.pixel_f32(0, 0)
}

fn half(v: f32) -> u16 {
    // Only values whose halves are exact are used.
    let bits = v.to_bits();
    if v == 0.0 { return (bits >> 16) as u16 }
    ((bits >> 16 & 0x8000) | (((bits >> 23 & 0xFF) - 112) << 10) | (bits >> 13 & 0x3FF)) as u16
}

scenarios! {
    /// Every type of glVertexAttribPointer, as a number and normalised. Signed values are normalised by GL 3.3 equation 2.3
    /// ((2c + 1) / (2^b - 1)) or by the later c / (2^(b-1) - 1): both are within the tolerance.
    fn types(t) {
        let a = float_scene(t);
        t.EnableVertexAttribArray(a);
        type Row<'a> = (&'a str, u32, &'a [u8], [f32; 4], Option<[f32; 4]>);
        let shorts: Vec<u8> = [-32767i16, -1000, 0, 32767].iter().flat_map(|v| v.to_le_bytes()).collect();
        let ushorts: Vec<u8> = [0u16, 1000, 32768, 65535].iter().flat_map(|v| v.to_le_bytes()).collect();
        let ints: Vec<u8> = [-5i32, 7, i32::MAX, -i32::MAX].iter().flat_map(|v| v.to_le_bytes()).collect();
        let uints: Vec<u8> = [5u32, 0, u32::MAX, 1 << 31].iter().flat_map(|v| v.to_le_bytes()).collect();
        let floats: Vec<u8> = [0.5f32, -2.0, 1e6, 0.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        let doubles: Vec<u8> = [0.5f64, -2.0, 1e6, 0.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        let halves: Vec<u8> = [0.5f32, -2.0, 1024.0, 0.0].iter().flat_map(|v| half(*v).to_le_bytes()).collect();
        let packed: i32 = 511 | (-512i32 & 0x3FF) << 10 | 100 << 20 | 1 << 30;
        let upacked: u32 = 1023 | 512 << 20 | 3 << 30;
        let rows: [Row<'_>; 11] = [
            ("byte", GL_BYTE, &[0x81, 0, 64, 127], [-127.0, 0.0, 64.0, 127.0], Some([-1.0, 0.0, 64.0 / 127.0, 1.0])),
            ("ubyte", GL_UNSIGNED_BYTE, &[0, 1, 128, 255], [0.0, 1.0, 128.0, 255.0], Some([0.0, 1.0 / 255.0, 128.0 / 255.0, 1.0])),
            ("short", GL_SHORT, &shorts, [-32767.0, -1000.0, 0.0, 32767.0], Some([-1.0, -1000.0 / 32767.0, 0.0, 1.0])),
            ("ushort", GL_UNSIGNED_SHORT, &ushorts, [0.0, 1000.0, 32768.0, 65535.0], Some([0.0, 1000.0 / 65535.0, 32768.0 / 65535.0, 1.0])),
            ("int", GL_INT, &ints, [-5.0, 7.0, 2147483648.0, -2147483648.0], Some([0.0, 0.0, 1.0, -1.0])),
            ("uint", GL_UNSIGNED_INT, &uints, [5.0, 0.0, 4294967296.0, 2147483648.0], Some([0.0, 0.0, 1.0, 0.5])),
            ("float", GL_FLOAT, &floats, [0.5, -2.0, 1e6, 0.0], None),
            ("double", GL_DOUBLE, &doubles, [0.5, -2.0, 1e6, 0.0], None),
            ("half", GL_HALF_FLOAT, &halves, [0.5, -2.0, 1024.0, 0.0], None),
            ("2_10_10_10", GL_INT_2_10_10_10_REV, &packed.to_le_bytes(), [511.0, -512.0, 100.0, 1.0], Some([1.0, -1.0, 100.0 / 511.0, 1.0])),
            ("u2_10_10_10", GL_UNSIGNED_INT_2_10_10_10_REV, &upacked.to_le_bytes(), [1023.0, 0.0, 512.0, 3.0], Some([1.0, 0.0, 512.0 / 1023.0, 1.0])),
        ];
        for (what, ty, bytes, plain, normalized) in rows {
            t.buffer(GL_ARRAY_BUFFER, bytes);
            t.VertexAttribPointer(a, 4, ty, 0, 0, std::ptr::null());
            t.near(what, &draw_point(t), &plain, 0.0);
            if let Some(want) = normalized {
                t.VertexAttribPointer(a, 4, ty, 1, 0, std::ptr::null());
                let step = match ty { GL_BYTE => 0.0045, GL_INT_2_10_10_10_REV => 0.67, _ => 0.0005 };
                t.near(&format!("{what}, normalised"), &draw_point(t), &want, step);
            }
        }
    }

    /// Components that an array lacks are 0, 0, 1.
    fn missing_components(t) {
        let a = float_scene(t);
        t.EnableVertexAttribArray(a);
        t.buffer(GL_ARRAY_BUFFER, &[5.0f32, 6.0, 7.0, 8.0]);
        for (n, want) in [(1, [5.0, 0.0, 0.0, 1.0]), (2, [5.0, 6.0, 0.0, 1.0]), (3, [5.0, 6.0, 7.0, 1.0]), (4, [5.0, 6.0, 7.0, 8.0])] {
            t.VertexAttribPointer(a, n, GL_FLOAT, 0, 0, std::ptr::null());
            t.near(&format!("{n} components"), &draw_point(t), &want, 0.0);
        }
    }

    /// Strides and offsets.
    fn strides_and_offsets(t) {
        let a = float_scene(t);
        t.EnableVertexAttribArray(a);
        let bytes: Vec<u8> = (0..64).collect();
        t.buffer(GL_ARRAY_BUFFER, &bytes);
        t.VertexAttribPointer(a, 4, GL_UNSIGNED_BYTE, 0, 13, at(3));
        t.near("first", &draw_point(t), &[3.0, 4.0, 5.0, 6.0], 0.0);
        t.DrawArrays(GL_POINTS, 2, 1);
        t.near("third", &t.pixel_f32(0, 0), &[29.0, 30.0, 31.0, 32.0], 0.0);
        t.VertexAttribPointer(a, 3, GL_UNSIGNED_BYTE, 0, 0, std::ptr::null());
        t.DrawArrays(GL_POINTS, 5, 1);
        t.near("tight threes", &t.pixel_f32(0, 0), &[15.0, 16.0, 17.0, 1.0], 0.0);
        t.buffer(GL_ARRAY_BUFFER, &(0..40).map(|i| i as i16).collect::<Vec<_>>());
        t.VertexAttribPointer(a, 2, GL_SHORT, 0, 6, at(2));
        t.DrawArrays(GL_POINTS, 3, 1);
        t.near("shorts", &t.pixel_f32(0, 0), &[10.0, 11.0, 0.0, 1.0], 0.0);
    }

    /// GL_BGRA as a size: bytes and packed values in the order of Direct3D.
    fn bgra(t) {
        let a = float_scene(t);
        t.EnableVertexAttribArray(a);
        t.buffer(GL_ARRAY_BUFFER, &[51u8, 102, 153, 255]);
        t.VertexAttribPointer(a, GL_BGRA as i32, GL_UNSIGNED_BYTE, 1, 0, std::ptr::null());
        t.near("bytes", &draw_point(t), &[0.6, 0.4, 0.2, 1.0], 0.001);
        t.buffer(GL_ARRAY_BUFFER, &[(3u32 << 30) | (1023 << 20)]);
        t.VertexAttribPointer(a, GL_BGRA as i32, GL_UNSIGNED_INT_2_10_10_10_REV, 1, 0, std::ptr::null());
        t.near("packed", &draw_point(t), &[1.0, 0.0, 0.0, 1.0], 0.001);
        t.wrong(&[
            ("not normalised", GL_INVALID_OPERATION, &|t| t.VertexAttribPointer(0, GL_BGRA as i32, GL_UNSIGNED_BYTE, 0, 0, std::ptr::null())),
            ("of floats", GL_INVALID_OPERATION, &|t| t.VertexAttribPointer(0, GL_BGRA as i32, GL_FLOAT, 1, 0, std::ptr::null())),
        ]);
    }

    /// Integer attributes keep all bits.
    fn integers(t) {
        t.target(GL_RGBA32I, (1, 1));
        t.program("in ivec4 a; in uvec2 b; flat out ivec4 v; void main() { v = a + ivec4(0, 0, b); gl_Position = vec4(0, 0, 0, 1); }",
            "flat in ivec4 v; out ivec4 c; void main() { c = v; }");
        let (a, b) = (t.attribute("a"), t.attribute("b"));
        for (what, ty, bytes, want) in [
            ("byte", GL_BYTE, vec![0x80u8, 0x7F, 0xFF, 1], [-128, 127, -1, 1]),
            ("short", GL_SHORT, [i16::MIN, i16::MAX, -1, 1].iter().flat_map(|v| v.to_le_bytes()).collect(), [-32768, 32767, -1, 1]),
            ("int", GL_INT, [i32::MIN, i32::MAX, 16777217, -16777217].iter().flat_map(|v| v.to_le_bytes()).collect(), [i32::MIN, i32::MAX, 16777217, -16777217]),
        ] {
            t.buffer(GL_ARRAY_BUFFER, &bytes);
            t.EnableVertexAttribArray(a);
            t.VertexAttribIPointer(a, 4, ty, 0, std::ptr::null());
            t.DisableVertexAttribArray(b);
            t.VertexAttribI2ui(b, 0, 0);
            t.DrawArrays(GL_POINTS, 0, 1);
            t.eq(what, t.pixel_i32(0, 0), want);
        }
        t.DisableVertexAttribArray(a);
        t.VertexAttribI4i(a, -1, -2, -3, -4);
        t.VertexAttribI2ui(b, 10, u32::MAX);
        t.DrawArrays(GL_POINTS, 0, 1);
        t.eq("defaults", t.pixel_i32(0, 0), [-1, -2, 7, -5]);
        let mut v = [0; 4];
        t.GetVertexAttribIiv(a, GL_CURRENT_VERTEX_ATTRIB, v.as_mut_ptr());
        t.eq("current", v, [-1, -2, -3, -4]);
        let mut integer = 0;
        t.GetVertexAttribiv(a, GL_VERTEX_ATTRIB_ARRAY_INTEGER, &mut integer);
        t.eq("integer", integer, 1);
        t.wrong(&[
            ("floats as integers", GL_INVALID_ENUM, &|t| t.VertexAttribIPointer(0, 4, GL_FLOAT, 0, std::ptr::null())),
            ("five of them", GL_INVALID_VALUE, &|t| t.VertexAttribIPointer(0, 5, GL_INT, 0, std::ptr::null())),
        ]);
    }

    /// What a disabled array gives: the current value, set by any of the glVertexAttrib functions.
    fn current_values(t) {
        let a = float_scene(t);
        t.near("initially", &draw_point(t), &[0.0, 0.0, 0.0, 1.0], 0.0);
        let cases: [(&str, &dyn Fn(&Rig), [f32; 4]); 15] = [
            ("1f", &|t| t.VertexAttrib1f(a, 2.0), [2.0, 0.0, 0.0, 1.0]),
            ("2f", &|t| t.VertexAttrib2f(a, 2.0, 3.0), [2.0, 3.0, 0.0, 1.0]),
            ("3f", &|t| t.VertexAttrib3f(a, 2.0, 3.0, 4.0), [2.0, 3.0, 4.0, 1.0]),
            ("4f", &|t| t.VertexAttrib4f(a, 2.0, 3.0, 4.0, 5.0), [2.0, 3.0, 4.0, 5.0]),
            ("2fv", &|t| t.VertexAttrib2fv(a, [6.0, 7.0].as_ptr()), [6.0, 7.0, 0.0, 1.0]),
            ("4fv", &|t| t.VertexAttrib4fv(a, [6.0, 7.0, 8.0, 9.0].as_ptr()), [6.0, 7.0, 8.0, 9.0]),
            ("3d", &|t| t.VertexAttrib3d(a, 0.5, 0.25, 0.125), [0.5, 0.25, 0.125, 1.0]),
            ("4s", &|t| t.VertexAttrib4s(a, -1, -2, 3, 4), [-1.0, -2.0, 3.0, 4.0]),
            ("4bv", &|t| t.VertexAttrib4bv(a, [-1i8, -2, 3, 4].as_ptr()), [-1.0, -2.0, 3.0, 4.0]),
            ("4ubv", &|t| t.VertexAttrib4ubv(a, [1u8, 2, 3, 255].as_ptr()), [1.0, 2.0, 3.0, 255.0]),
            ("4Nub", &|t| t.VertexAttrib4Nub(a, 255, 0, 51, 102), [1.0, 0.0, 0.2, 0.4]),
            ("4Nusv", &|t| t.VertexAttrib4Nusv(a, [65535u16, 0, 13107, 0].as_ptr()), [1.0, 0.0, 0.2, 0.0]),
            ("4iv", &|t| t.VertexAttrib4iv(a, [1, -2, 3, -4].as_ptr()), [1.0, -2.0, 3.0, -4.0]),
            ("P4ui", &|t| t.VertexAttribP4ui(a, GL_UNSIGNED_INT_2_10_10_10_REV, 0, 1 | 2 << 10 | 3 << 20 | 1 << 30), [1.0, 2.0, 3.0, 1.0]),
            ("P2ui", &|t| t.VertexAttribP2ui(a, GL_UNSIGNED_INT_2_10_10_10_REV, 1, 1023), [1.0, 0.0, 0.0, 1.0]),
        ];
        for (what, set, want) in cases {
            set(t);
            t.near(what, &draw_point(t), &want, 0.0001);
            let mut v = [0.0; 4];
            t.GetVertexAttribfv(a, GL_CURRENT_VERTEX_ATTRIB, v.as_mut_ptr());
            t.near(&format!("{what}, queried"), &v, &want, 0.0001);
        }
        let last = t.int(GL_MAX_VERTEX_ATTRIBS) as u32;
        t.is("sixteen at least", last >= 16);
        t.wrong(&[("no such attribute", GL_INVALID_VALUE, &|t| t.VertexAttrib4f(last, 0.0, 0.0, 0.0, 0.0))]);
    }

    /// Matrix attributes take a location a column.
    fn matrices(t) {
        t.target(GL_RGBA32F, (1, 1));
        t.program("in mat4 m; uniform int column; out vec4 v; void main() { v = m[column]; gl_Position = vec4(0, 0, 0, 1); }",
            "in vec4 v; out vec4 c; void main() { c = v; }");
        let m = t.attribute("m");
        let values: Vec<f32> = (0..16).map(|i| i as f32).collect();
        t.buffer(GL_ARRAY_BUFFER, &values);
        for i in 0..4 {
            t.EnableVertexAttribArray(m + i);
            t.VertexAttribPointer(m + i, 4, GL_FLOAT, 0, 64, at(16 * i as usize));
        }
        for i in 0..4 {
            t.Uniform1i(t.at("column"), i);
            let b = 4.0 * i as f32;
            t.near(&format!("column {i}"), &draw_point(t), &[b, b + 1.0, b + 2.0, b + 3.0], 0.0);
        }
    }

    /// A vertex array object keeps arrays, enables and the element buffer, but not GL_ARRAY_BUFFER.
    fn vertex_array_objects(t) {
        let a = float_scene(t);
        let first = t.int(GL_VERTEX_ARRAY_BINDING) as u32;
        let b1 = t.buffer(GL_ARRAY_BUFFER, &[1.0f32, 2.0, 3.0, 4.0]);
        t.EnableVertexAttribArray(a);
        t.VertexAttribPointer(a, 4, GL_FLOAT, 0, 0, std::ptr::null());
        let e1 = t.buffer(GL_ELEMENT_ARRAY_BUFFER, &[0u16]);
        let second = t.array();
        t.eq("a new one has no elements", t.int(GL_ELEMENT_ARRAY_BUFFER_BINDING), 0);
        t.eq("the array buffer stays", t.int(GL_ARRAY_BUFFER_BINDING) as u32, b1);
        t.buffer(GL_ARRAY_BUFFER, &[5.0f32, 6.0, 7.0, 8.0]);
        t.EnableVertexAttribArray(a);
        t.VertexAttribPointer(a, 4, GL_FLOAT, 0, 0, std::ptr::null());
        t.near("second", &draw_point(t), &[5.0, 6.0, 7.0, 8.0], 0.0);
        t.BindVertexArray(first);
        t.near("first", &draw_point(t), &[1.0, 2.0, 3.0, 4.0], 0.0);
        t.eq("elements", t.int(GL_ELEMENT_ARRAY_BUFFER_BINDING) as u32, e1);
        // Deleting the bound one binds zero.
        t.DeleteVertexArrays(1, &first);
        t.eq("deleted", (t.int(GL_VERTEX_ARRAY_BINDING), t.IsVertexArray(first), t.IsVertexArray(second)), (0, 0, 1));
        t.wrong(&[
            ("a name that is none", GL_INVALID_OPERATION, &|t| t.BindVertexArray(first)),
            ("a negative number", GL_INVALID_VALUE, &|t| t.GenVertexArrays(-1, &mut 0)),
        ]);
    }

    /// Fixed point and packed floats, which came with extensions (ARB_ES2_compatibility, ARB_vertex_type_10f_11f_11f_rev).
    fn types_of_extensions(t) {
        let a = float_scene(t);
        t.EnableVertexAttribArray(a);
        let fixed = [0x8000i32, -0x2_0000, 0x1_0000, 0];
        t.buffer(GL_ARRAY_BUFFER, &fixed);
        t.VertexAttribPointer(a, 4, GL_FIXED, 0, 0, std::ptr::null());
        // Sixteen bits behind the point; Mesa's software driver divides by 65535.
        t.near("fixed", &draw_point(t), &[0.5, -2.0, 1.0, 0.0], if t.is_oracle() { 4e-5 } else { 0.0 });
        let packed = [15u32 << 6 | (14 << 6) << 11 | (16 << 5 | 16) << 22];
        t.buffer(GL_ARRAY_BUFFER, &packed);
        t.VertexAttribPointer(a, 3, GL_UNSIGNED_INT_10F_11F_11F_REV, 0, 0, std::ptr::null());
        t.near("packed floats", &draw_point(t), &[1.0, 0.5, 3.0, 1.0], 0.0);
        t.DisableVertexAttribArray(a);
        t.VertexAttribP3ui(a, GL_UNSIGNED_INT_10F_11F_11F_REV, 0, packed[0]);
        t.near("a value of packed floats", &draw_point(t), &[1.0, 0.5, 3.0, 1.0], 0.0);
        t.ok("none of it");
        t.wrong(&[
            ("packed floats of four", GL_INVALID_OPERATION, &|t| {
                t.VertexAttribPointer(0, 4, GL_UNSIGNED_INT_10F_11F_11F_REV, 0, 0, std::ptr::null());
            }),
            ("integers of fixed point", GL_INVALID_ENUM, &|t| t.VertexAttribIPointer(0, 4, GL_FIXED, 0, std::ptr::null())),
        ]);
    }

    /// Queries of arrays, and errors of their setters.
    fn queries_and_errors(t) {
        let b = t.buffer(GL_ARRAY_BUFFER, &[0u8; 64]);
        t.VertexAttribPointer(3, 2, GL_SHORT, 1, 20, at(8));
        t.EnableVertexAttribArray(3);
        let get = |name| { let mut v = -1; t.GetVertexAttribiv(3, name, &mut v); v };
        t.eq("queries", [GL_VERTEX_ATTRIB_ARRAY_ENABLED, GL_VERTEX_ATTRIB_ARRAY_SIZE, GL_VERTEX_ATTRIB_ARRAY_STRIDE, GL_VERTEX_ATTRIB_ARRAY_TYPE,
            GL_VERTEX_ATTRIB_ARRAY_NORMALIZED].map(get), [1, 2, 20, GL_SHORT as i32, 1]);
        t.eq("buffer", get(GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING) as u32, b);
        let mut pointer = std::ptr::null_mut();
        t.GetVertexAttribPointerv(3, GL_VERTEX_ATTRIB_ARRAY_POINTER, &mut pointer);
        t.eq("offset", pointer as usize, 8);
        t.BindBuffer(GL_ARRAY_BUFFER, 0);
        let memory = [0f32; 4];
        t.wrong(&[
            ("size 0", GL_INVALID_VALUE, &|t| t.VertexAttribPointer(0, 0, GL_FLOAT, 0, 0, std::ptr::null())),
            ("size 5", GL_INVALID_VALUE, &|t| t.VertexAttribPointer(0, 5, GL_FLOAT, 0, 0, std::ptr::null())),
            ("a negative stride", GL_INVALID_VALUE, &|t| t.VertexAttribPointer(0, 4, GL_FLOAT, 0, -4, std::ptr::null())),
            ("a type that is none", GL_INVALID_ENUM, &|t| t.VertexAttribPointer(0, 4, GL_RGBA, 0, 0, std::ptr::null())),
            ("packed of three", GL_INVALID_OPERATION, &|t| t.VertexAttribPointer(0, 3, GL_INT_2_10_10_10_REV, 0, 0, std::ptr::null())),
            ("no such attribute", GL_INVALID_VALUE, &|t| t.VertexAttribPointer(1000, 4, GL_FLOAT, 0, 0, std::ptr::null())),
            ("client memory in core", GL_INVALID_OPERATION, &|t| t.VertexAttribPointer(0, 4, GL_FLOAT, 0, 0, data(&memory))),
            ("glEnableVertexAttribArray", GL_INVALID_VALUE, &|t| t.EnableVertexAttribArray(1000)),
            ("glDisableVertexAttribArray", GL_INVALID_VALUE, &|t| t.DisableVertexAttribArray(1000)),
            ("glGetVertexAttribiv", GL_INVALID_ENUM, &|t| t.GetVertexAttribiv(0, GL_FLOAT, &mut 0)),
            ("glGetVertexAttribiv of none", GL_INVALID_VALUE, &|t| t.GetVertexAttribiv(1000, GL_VERTEX_ATTRIB_ARRAY_SIZE, &mut 0)),
        ]);
        t.eq("unchanged", get(GL_VERTEX_ATTRIB_ARRAY_SIZE), 2);
        let _ = size(&memory);
    }
}
