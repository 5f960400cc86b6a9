//! Buffer objects: storage, updates, maps, copies, names (GL 3.3 §2.9).

use crate::bindings::consts::gl::*;
use crate::rig::{Rig, data};

fn contents<const N: usize>(t: &Rig, target: u32) -> [u8; N] {
    let mut out = [0xCC; N];
    t.GetBufferSubData(target, 0, N as isize, out.as_mut_ptr().cast());
    out
}

fn parameter(t: &Rig, target: u32, name: u32) -> i32 {
    let mut v = -1;
    t.GetBufferParameteriv(target, name, &mut v);
    v
}

const TARGETS: [(u32, u32); 9] = [
    (GL_ARRAY_BUFFER, GL_ARRAY_BUFFER_BINDING),
    (GL_ELEMENT_ARRAY_BUFFER, GL_ELEMENT_ARRAY_BUFFER_BINDING),
    (GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING),
    (GL_PIXEL_UNPACK_BUFFER, GL_PIXEL_UNPACK_BUFFER_BINDING),
    (GL_UNIFORM_BUFFER, GL_UNIFORM_BUFFER_BINDING),
    (GL_TEXTURE_BUFFER, GL_TEXTURE_BUFFER),
    (GL_TRANSFORM_FEEDBACK_BUFFER, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING),
    (GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER),
    (GL_COPY_WRITE_BUFFER, GL_COPY_WRITE_BUFFER),
];

scenarios! {
    /// Every target binds, holds data, and gives it back.
    fn targets(t) {
        for (target, binding) in TARGETS {
            let b = t.buffer(target, &[1u8, 2, 3, 4, 5]);
            t.eq(&format!("binding of {target:#x}"), t.int(binding) as u32 == b, true);
            t.eq(&format!("contents of {target:#x}"), contents::<5>(t, target), [1, 2, 3, 4, 5]);
            t.BindBuffer(target, 0);
        }
        t.wrong(&[
            ("a target that is none", GL_INVALID_ENUM, &|t| t.BindBuffer(GL_TEXTURE_2D, 0)),
            ("no buffer", GL_INVALID_OPERATION, &|t| t.BufferData(GL_ARRAY_BUFFER, 4, std::ptr::null(), GL_STATIC_DRAW)),
            ("a name that was not made", GL_INVALID_OPERATION, &|t| t.BindBuffer(GL_ARRAY_BUFFER, 4711)),
        ]);
    }

    /// glBufferSubData and glGetBufferSubData, and their ranges.
    fn sub_data(t) {
        t.buffer(GL_ARRAY_BUFFER, &[0u8, 1, 2, 3, 4, 5, 6, 7]);
        t.BufferSubData(GL_ARRAY_BUFFER, 3, 2, data(&[30u8, 40]));
        t.eq("middle", contents::<8>(t, GL_ARRAY_BUFFER), [0, 1, 2, 30, 40, 5, 6, 7]);
        t.BufferSubData(GL_ARRAY_BUFFER, 8, 0, std::ptr::null());
        t.ok("nothing at the end");
        let mut out = [0u8; 8];
        let p = out.as_mut_ptr();
        t.wrong(&[
            ("beyond", GL_INVALID_VALUE, &|t| t.BufferSubData(GL_ARRAY_BUFFER, 7, 2, data(&[9u8, 9]))),
            ("negative offset", GL_INVALID_VALUE, &|t| t.BufferSubData(GL_ARRAY_BUFFER, -1, 2, data(&[9u8, 9]))),
            ("negative size", GL_INVALID_VALUE, &|t| t.BufferSubData(GL_ARRAY_BUFFER, 0, -2, data(&[9u8, 9]))),
            ("reading beyond", GL_INVALID_VALUE, &|t| t.GetBufferSubData(GL_ARRAY_BUFFER, 4, 8, p.cast())),
            ("a target that is none", GL_INVALID_ENUM, &|t| t.BufferSubData(GL_ARRAY_BUFFER_BINDING, 0, 1, data(&[0u8]))),
        ]);
        t.eq("unchanged", contents::<8>(t, GL_ARRAY_BUFFER), [0, 1, 2, 30, 40, 5, 6, 7]);
    }

    /// Sizes, usages and access as parameters.
    fn parameters(t) {
        t.buffer(GL_ARRAY_BUFFER, &[0u8; 100]);
        let get = |name| parameter(t, GL_ARRAY_BUFFER, name);
        t.eq("fresh", [GL_BUFFER_SIZE, GL_BUFFER_USAGE, GL_BUFFER_ACCESS, GL_BUFFER_MAPPED, GL_BUFFER_ACCESS_FLAGS, GL_BUFFER_MAP_OFFSET, GL_BUFFER_MAP_LENGTH].map(get),
            [100, GL_STATIC_DRAW as i32, GL_READ_WRITE as i32, 0, 0, 0, 0]);
        for usage in [GL_STREAM_DRAW, GL_STREAM_READ, GL_STREAM_COPY, GL_STATIC_READ, GL_STATIC_COPY, GL_DYNAMIC_DRAW, GL_DYNAMIC_READ, GL_DYNAMIC_COPY] {
            t.BufferData(GL_ARRAY_BUFFER, 8, std::ptr::null(), usage);
            t.eq(&format!("usage {usage:#x}"), get(GL_BUFFER_USAGE) as u32, usage);
        }
        t.MapBufferRange(GL_ARRAY_BUFFER, 2, 4, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT);
        t.eq("mapped", [GL_BUFFER_ACCESS, GL_BUFFER_MAPPED, GL_BUFFER_ACCESS_FLAGS, GL_BUFFER_MAP_OFFSET, GL_BUFFER_MAP_LENGTH].map(get),
            [GL_WRITE_ONLY as i32, 1, (GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT) as i32, 2, 4]);
        let mut pointer = std::ptr::null_mut();
        t.GetBufferPointerv(GL_ARRAY_BUFFER, GL_BUFFER_MAP_POINTER, &mut pointer);
        t.is("pointer", !pointer.is_null());
        t.UnmapBuffer(GL_ARRAY_BUFFER);
        t.GetBufferPointerv(GL_ARRAY_BUFFER, GL_BUFFER_MAP_POINTER, &mut pointer);
        t.is("no pointer", pointer.is_null());
        let mut big = 0i64;
        t.GetBufferParameteri64v(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &mut big);
        t.eq("64 bits", big, 8);
        t.wrong(&[
            ("a usage that is none", GL_INVALID_ENUM, &|t| t.BufferData(GL_ARRAY_BUFFER, 8, std::ptr::null(), GL_READ_ONLY)),
            ("a negative size", GL_INVALID_VALUE, &|t| t.BufferData(GL_ARRAY_BUFFER, -8, std::ptr::null(), GL_STATIC_DRAW)),
            ("a parameter that is none", GL_INVALID_ENUM, &|t| t.GetBufferParameteriv(GL_ARRAY_BUFFER, GL_ARRAY_BUFFER, &mut 0)),
            ("a pointer that is none", GL_INVALID_ENUM, &|t| t.GetBufferPointerv(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &mut std::ptr::null_mut())),
        ]);
    }

    /// Maps for reading and writing, of all and of ranges.
    fn maps(t) {
        t.buffer(GL_ARRAY_BUFFER, &[1u8, 2, 3, 4, 5, 6, 7, 8]);
        let p = t.MapBuffer(GL_ARRAY_BUFFER, GL_READ_ONLY).cast::<u8>();
        // SAFETY: eight bytes are mapped, for as long as they are used here; so below.
        t.eq("read", unsafe { std::slice::from_raw_parts(p, 8) }.to_vec(), vec![1, 2, 3, 4, 5, 6, 7, 8]);
        t.eq("unmapped", t.UnmapBuffer(GL_ARRAY_BUFFER), 1);
        let p = t.MapBufferRange(GL_ARRAY_BUFFER, 2, 3, GL_MAP_WRITE_BIT).cast::<u8>();
        // SAFETY: three bytes are mapped.
        unsafe { std::slice::from_raw_parts_mut(p, 3) }.copy_from_slice(&[30, 40, 50]);
        t.UnmapBuffer(GL_ARRAY_BUFFER);
        t.eq("a range written", contents::<8>(t, GL_ARRAY_BUFFER), [1, 2, 30, 40, 50, 6, 7, 8]);
        let p = t.MapBufferRange(GL_ARRAY_BUFFER, 4, 4, GL_MAP_READ_BIT | GL_MAP_WRITE_BIT).cast::<u8>();
        // SAFETY: four bytes are mapped.
        unsafe { *p += 1; *p.add(3) += 1 };
        t.UnmapBuffer(GL_ARRAY_BUFFER);
        t.eq("read and written", contents::<8>(t, GL_ARRAY_BUFFER), [1, 2, 30, 40, 51, 6, 7, 9]);
        let p = t.MapBuffer(GL_ARRAY_BUFFER, GL_WRITE_ONLY).cast::<u8>();
        // SAFETY: eight bytes are mapped.
        unsafe { *p = 99 };
        t.UnmapBuffer(GL_ARRAY_BUFFER);
        t.eq("written", contents::<8>(t, GL_ARRAY_BUFFER), [99, 2, 30, 40, 51, 6, 7, 9]);
    }

    /// Explicit flushes: the flushed ranges arrive.
    fn flushed_ranges(t) {
        t.buffer(GL_ARRAY_BUFFER, &[0u8; 16]);
        let p = t.MapBufferRange(GL_ARRAY_BUFFER, 4, 12, GL_MAP_WRITE_BIT | GL_MAP_FLUSH_EXPLICIT_BIT | GL_MAP_UNSYNCHRONIZED_BIT).cast::<u8>();
        // SAFETY: twelve bytes are mapped.
        unsafe { std::slice::from_raw_parts_mut(p, 8) }.copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
        t.FlushMappedBufferRange(GL_ARRAY_BUFFER, 0, 2);
        t.FlushMappedBufferRange(GL_ARRAY_BUFFER, 4, 4);
        t.wrong(&[
            ("beyond the range", GL_INVALID_VALUE, &|t| t.FlushMappedBufferRange(GL_ARRAY_BUFFER, 8, 5)),
            ("negative", GL_INVALID_VALUE, &|t| t.FlushMappedBufferRange(GL_ARRAY_BUFFER, -1, 1)),
        ]);
        t.UnmapBuffer(GL_ARRAY_BUFFER);
        let got = contents::<16>(t, GL_ARRAY_BUFFER);
        t.eq("flushed", [got[4], got[5], got[8], got[9], got[10], got[11]], [1u8, 2, 5, 6, 7, 8]);
        t.wrong(&[("not mapped", GL_INVALID_OPERATION, &|t| t.FlushMappedBufferRange(GL_ARRAY_BUFFER, 0, 1))]);
        t.MapBuffer(GL_ARRAY_BUFFER, GL_WRITE_ONLY);
        t.wrong(&[("mapped without explicit flushes", GL_INVALID_OPERATION, &|t| t.FlushMappedBufferRange(GL_ARRAY_BUFFER, 0, 1))]);
        t.UnmapBuffer(GL_ARRAY_BUFFER);
    }

    /// Invalidating maps: what is written is there; orphaning keeps earlier draws whole.
    fn orphans(t) {
        t.target(GL_RGBA8, (8, 1));
        t.program("in float x; in float v; out float w; void main() { w = v; gl_Position = vec4((x + 0.5) / 4.0 - 1.0, 0, 0, 1); }",
            "in float w; out vec4 c; void main() { c = vec4(w / 255.0); }");
        let (x, v) = (t.attribute("x"), t.attribute("v"));
        t.VertexAttrib1f(x, 0.0);
        t.buffer(GL_ARRAY_BUFFER, &[0f32]);
        t.EnableVertexAttribArray(v);
        t.VertexAttribPointer(v, 1, GL_FLOAT, 0, 0, std::ptr::null());
        for i in 0..8 {
            let value = [10.0 * (i + 1) as f32];
            t.VertexAttrib1f(x, i as f32);
            match i % 4 {
                0 => t.BufferData(GL_ARRAY_BUFFER, 4, data(&value), GL_STREAM_DRAW),
                1 => t.BufferSubData(GL_ARRAY_BUFFER, 0, 4, data(&value)),
                2 => {
                    let p = t.MapBufferRange(GL_ARRAY_BUFFER, 0, 4, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT).cast::<f32>();
                    // SAFETY: four bytes are mapped, aligned to 64.
                    unsafe { *p = value[0] };
                    t.UnmapBuffer(GL_ARRAY_BUFFER);
                }
                _ => {
                    t.BufferData(GL_ARRAY_BUFFER, 4, std::ptr::null(), GL_STREAM_DRAW);
                    t.BufferSubData(GL_ARRAY_BUFFER, 0, 4, data(&value));
                }
            }
            t.DrawArrays(GL_POINTS, 0, 1);
        }
        let row: Vec<u8> = t.pixels(0, 0, 8, 1).iter().map(|p| p[0]).collect();
        t.eq("each draw has its value", row, vec![10, 20, 30, 40, 50, 60, 70, 80]);
    }

    /// What maps must not ask for.
    fn map_errors(t) {
        t.buffer(GL_ARRAY_BUFFER, &[0u8; 16]);
        let range = |offset, length, access| move |t: &Rig| { t.MapBufferRange(GL_ARRAY_BUFFER, offset, length, access); };
        t.wrong(&[
            ("no access", GL_INVALID_OPERATION, &range(0, 4, 0)),
            ("reading what is invalidated", GL_INVALID_OPERATION, &range(0, 4, GL_MAP_READ_BIT | GL_MAP_INVALIDATE_RANGE_BIT)),
            ("reading unsynchronised", GL_INVALID_OPERATION, &range(0, 4, GL_MAP_READ_BIT | GL_MAP_UNSYNCHRONIZED_BIT)),
            ("flushing what is read", GL_INVALID_OPERATION, &range(0, 4, GL_MAP_READ_BIT | GL_MAP_FLUSH_EXPLICIT_BIT)),
            ("beyond", GL_INVALID_VALUE, &range(8, 9, GL_MAP_WRITE_BIT)),
            ("negative", GL_INVALID_VALUE, &range(-1, 4, GL_MAP_WRITE_BIT)),
            ("bits that are none", GL_INVALID_VALUE, &range(0, 4, 0x8000)),
            ("an access that is none", GL_INVALID_ENUM, &|t| { t.MapBuffer(GL_ARRAY_BUFFER, GL_MAP_READ_BIT); }),
            ("unmapping what is not mapped", GL_INVALID_OPERATION, &|t| { t.UnmapBuffer(GL_ARRAY_BUFFER); }),
            ("no buffer", GL_INVALID_OPERATION, &|t| { t.MapBuffer(GL_COPY_READ_BUFFER, GL_READ_ONLY); }),
        ]);
        t.MapBuffer(GL_ARRAY_BUFFER, GL_READ_WRITE);
        t.wrong(&[
            ("twice", GL_INVALID_OPERATION, &|t| { t.MapBuffer(GL_ARRAY_BUFFER, GL_READ_ONLY); }),
            ("writing while mapped", GL_INVALID_OPERATION, &|t| t.BufferSubData(GL_ARRAY_BUFFER, 0, 1, data(&[1u8]))),
            ("reading while mapped", GL_INVALID_OPERATION, &|t| t.GetBufferSubData(GL_ARRAY_BUFFER, 0, 1, (&raw mut *Box::leak(Box::new(0u8))).cast())),
        ]);
        // New storage ends the map.
        t.BufferData(GL_ARRAY_BUFFER, 4, std::ptr::null(), GL_STATIC_DRAW);
        t.eq("not mapped any more", parameter(t, GL_ARRAY_BUFFER, GL_BUFFER_MAPPED), 0);
    }

    /// Copies between buffers and within one.
    fn copies(t) {
        t.buffer(GL_COPY_READ_BUFFER, &[1u8, 2, 3, 4, 5, 6, 7, 8]);
        t.buffer(GL_COPY_WRITE_BUFFER, &[0u8; 8]);
        t.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 2, 4, 3);
        t.eq("between two", contents::<8>(t, GL_COPY_WRITE_BUFFER), [0, 0, 0, 0, 3, 4, 5, 0]);
        t.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER, 0, 4, 4);
        t.eq("within one", contents::<8>(t, GL_COPY_READ_BUFFER), [1, 2, 3, 4, 1, 2, 3, 4]);
        t.wrong(&[
            ("overlapping", GL_INVALID_VALUE, &|t| t.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER, 0, 2, 4)),
            ("beyond the source", GL_INVALID_VALUE, &|t| t.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 6, 0, 4)),
            ("beyond the destination", GL_INVALID_VALUE, &|t| t.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 6, 4)),
            ("negative", GL_INVALID_VALUE, &|t| t.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, -1)),
            ("no buffer", GL_INVALID_OPERATION, &|t| t.CopyBufferSubData(GL_ARRAY_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, 1)),
        ]);
    }

    /// Names: made, bound, deleted, used again; deleting unbinds.
    fn names(t) {
        let mut names = [0u32; 3];
        t.GenBuffers(3, names.as_mut_ptr());
        t.is("different", names[0] != names[1] && names[1] != names[2] && !names.contains(&0));
        t.eq("not an object before it is bound", t.IsBuffer(names[0]), 0);
        t.BindBuffer(GL_ARRAY_BUFFER, names[0]);
        t.eq("an object", t.IsBuffer(names[0]), 1);
        t.BindBuffer(GL_UNIFORM_BUFFER, names[0]);
        t.BindBufferBase(GL_UNIFORM_BUFFER, 2, names[0]);
        t.DeleteBuffers(3, names.as_ptr());
        t.eq("unbound", (t.int(GL_ARRAY_BUFFER_BINDING), t.int(GL_UNIFORM_BUFFER_BINDING), t.IsBuffer(names[0])), (0, 0, 0));
        t.DeleteBuffers(2, [0u32, 99999].as_ptr());
        t.ok("names that are none are ignored");
        t.wrong(&[
            ("glGenBuffers", GL_INVALID_VALUE, &|t| t.GenBuffers(-1, &mut 0)),
            ("glDeleteBuffers", GL_INVALID_VALUE, &|t| t.DeleteBuffers(-1, &0)),
        ]);
    }

    /// A buffer that a vertex array uses lives on after its name is deleted in another vertex array's time.
    fn deleted_while_used(t) {
        t.target(GL_RGBA32F, (1, 1));
        t.program("in vec4 a; out vec4 v; void main() { v = a; gl_Position = vec4(0, 0, 0, 1); }", "in vec4 v; out vec4 c; void main() { c = v; }");
        let a = t.attribute("a");
        let b = t.buffer(GL_ARRAY_BUFFER, &[1f32, 2.0, 3.0, 4.0]);
        let first = t.int(GL_VERTEX_ARRAY_BINDING) as u32;
        t.EnableVertexAttribArray(a);
        t.VertexAttribPointer(a, 4, GL_FLOAT, 0, 0, std::ptr::null());
        t.array();
        t.DeleteBuffers(1, &b);
        let mut again = 0;
        t.GenBuffers(1, &mut again);
        t.BindBuffer(GL_ARRAY_BUFFER, again);
        t.BufferData(GL_ARRAY_BUFFER, 16, data(&[9f32; 4]), GL_STATIC_DRAW);
        t.BindVertexArray(first);
        t.DrawArrays(GL_POINTS, 0, 1);
        t.near("its contents", &t.pixel_f32(0, 0), &[1.0, 2.0, 3.0, 4.0], 0.0);
    }
}
