//! Draw calls: instances, base vertices, ranges, restart, index types, and their errors (GL 3.3 §2.8).

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, Rig, at, data};
use core::ffi::c_void;

/// Vertex `i` of a quad covers cell `cell` of sixteen in a row of 64 by 4 pixels.
const CELLS: &str = "in float cell; uniform int base; out vec4 tint; void main() {
    float n = cell + float(gl_InstanceID); vec2 uv = vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1);
    tint = vec4(float(gl_InstanceID + 1) / 16.0, float(gl_VertexID - base) / 255.0, 1, 1);
    gl_Position = vec4((n + uv.x) / 8.0 - 1.0, uv.y * 2.0 - 1.0, 0, 1); }";
const TINT: &str = "in vec4 tint; out vec4 c; void main() { c = tint; }";

/// Which of the sixteen cells are not black.
fn cells(t: &Rig) -> String {
    let row = t.pixels(0, 1, 64, 1);
    (0..16).map(|i| if row[4 * i + 1][2] != 0 { '#' } else { '.' }).collect()
}

/// A 64 by 4 target and one vertex a cell corner: strips of four vertices for each cell.
fn cell_scene(t: &Rig) {
    t.target(GL_RGBA8, (64, 4));
    t.program(CELLS, TINT);
    let values: Vec<f32> = (0..64).map(|i| (i / 4) as f32).collect();
    t.buffer(GL_ARRAY_BUFFER, &values);
    let a = t.attribute("cell");
    t.EnableVertexAttribArray(a);
    t.VertexAttribPointer(a, 1, GL_FLOAT, 0, 0, std::ptr::null());
    t.clear([0.0; 4]);
}

fn elements<T>(t: &Rig, ids: &[T]) {
    t.buffer(GL_ELEMENT_ARRAY_BUFFER, ids);
}

scenarios! {
    /// glDrawArrays from a first vertex; gl_VertexID counts from there.
    fn first_vertex(t) {
        cell_scene(t);
        t.DrawArrays(GL_TRIANGLE_STRIP, 8, 4);
        t.eq("cells", cells(t), "..#.............".into());
        t.pixel_is("gl_VertexID", 8, 0, [16, 8, 255, 255]);
    }

    /// Instances repeat the vertices and count.
    fn instances(t) {
        cell_scene(t);
        t.DrawArraysInstanced(GL_TRIANGLE_STRIP, 4, 4, 3);
        t.eq("arrays", cells(t), ".###............".into());
        t.pixel_is("gl_InstanceID", 13, 1, [48, 5, 255, 255]);
        t.clear([0.0; 4]);
        elements(t, &[8u16, 9, 10, 11]);
        t.DrawElementsInstanced(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, std::ptr::null(), 5);
        t.eq("elements", cells(t), "..#####.........".into());
        t.clear([0.0; 4]);
        t.DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 0);
        t.eq("none", cells(t), "................".into());
        t.wrong(&[
            ("a negative count of instances", GL_INVALID_VALUE, &|t| t.DrawArraysInstanced(GL_TRIANGLES, 0, 3, -1)),
            ("and of indexed ones", GL_INVALID_VALUE, &|t| t.DrawElementsInstanced(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, std::ptr::null(), -1)),
        ]);
    }

    /// Divisors: an attribute moves on once in so many instances.
    fn divisors(t) {
        t.target(GL_RGBA8, (64, 4));
        t.program("in float slow; in float cell; in vec3 tone; out vec4 tint; void main() { vec2 uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
            tint = vec4(tone, slow / 255.0); gl_Position = vec4((cell + uv.x) / 8.0 - 1.0, uv.y * 2.0 - 1.0, 0, 1); }", TINT);
        t.clear([0.0; 4]);
        let set = |name: &str, n: i32, values: &[f32], divisor: u32| {
            t.buffer(GL_ARRAY_BUFFER, values);
            let a = t.attribute(name);
            t.EnableVertexAttribArray(a);
            t.VertexAttribPointer(a, n, GL_FLOAT, 0, 0, std::ptr::null());
            t.VertexAttribDivisor(a, divisor);
            let mut v = 0;
            t.GetVertexAttribiv(a, GL_VERTEX_ATTRIB_ARRAY_DIVISOR, &mut v);
            t.eq(&format!("divisor of {name}"), v as u32, divisor);
        };
        set("cell", 1, &[1.0, 3.0, 5.0, 7.0, 9.0, 11.0], 1);
        set("slow", 1, &[10.0, 20.0, 30.0], 2);
        set("tone", 3, &[0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0], 0);
        t.DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 6);
        t.eq("cells", cells(t), ".#.#.#.#.#.#....".into());
        for (i, want) in [10u8, 10, 20, 20, 30, 30].into_iter().enumerate() {
            t.eq(&format!("instance {i}"), t.pixel(8 * i as i32 + 5, 1)[3], want);
        }
        t.wrong(&[("no such attribute", GL_INVALID_VALUE, &|t| t.VertexAttribDivisor(t.int(GL_MAX_VERTEX_ATTRIBS) as u32, 1))]);
    }

    /// All index types, from an offset.
    fn index_types(t) {
        cell_scene(t);
        elements(t, &[0u8, 0, 4, 5, 6, 7]);
        t.DrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_BYTE, at(2));
        elements(t, &[0u16, 12, 13, 14, 15]);
        t.DrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, at(2));
        elements(t, &[0u32, 20, 21, 22, 23]);
        t.DrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_INT, at(4));
        t.eq("cells", cells(t), ".#.#.#..........".into());
        t.wrong(&[
            ("a type of no indices", GL_INVALID_ENUM, &|t| t.DrawElements(GL_TRIANGLES, 3, GL_FLOAT, std::ptr::null())),
            ("a mode that is none", GL_INVALID_ENUM, &|t| t.DrawElements(0x40, 3, GL_UNSIGNED_INT, std::ptr::null())),
            ("a negative count", GL_INVALID_VALUE, &|t| t.DrawElements(GL_TRIANGLES, -3, GL_UNSIGNED_INT, std::ptr::null())),
        ]);
    }

    /// A base vertex is added to indices; gl_VertexID includes it.
    fn base_vertex(t) {
        cell_scene(t);
        t.Uniform1i(t.at("base"), 24);
        elements(t, &[0u16, 1, 2, 3]);
        t.DrawElementsBaseVertex(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, std::ptr::null(), 24);
        t.eq("cells", cells(t), "......#.........".into());
        t.pixel_is("gl_VertexID", 24, 0, [16, 0, 255, 255]);
        elements(t, &[100u8, 101, 102, 103]);
        t.DrawElementsBaseVertex(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_BYTE, std::ptr::null(), -100);
        t.DrawRangeElementsBaseVertex(GL_TRIANGLE_STRIP, 100, 103, 4, GL_UNSIGNED_BYTE, std::ptr::null(), -92);
        t.DrawElementsInstancedBaseVertex(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_BYTE, std::ptr::null(), 2, -60);
        t.eq("more", cells(t), "#.#...#...##....".into());
    }

    /// glDrawRangeElements draws as glDrawElements does.
    fn range_elements(t) {
        cell_scene(t);
        elements(t, &[4u16, 5, 6, 7]);
        t.DrawRangeElements(GL_TRIANGLE_STRIP, 4, 7, 4, GL_UNSIGNED_SHORT, std::ptr::null());
        t.eq("cells", cells(t), ".#..............".into());
        t.wrong(&[("an end before the start", GL_INVALID_VALUE, &|t| t.DrawRangeElements(GL_TRIANGLE_STRIP, 7, 4, 4, GL_UNSIGNED_SHORT, std::ptr::null()))]);
    }

    /// Many ranges in one call.
    fn multi_draw(t) {
        cell_scene(t);
        t.MultiDrawArrays(GL_TRIANGLE_STRIP, [0, 8, 40].as_ptr(), [4, 4, 4].as_ptr(), 3);
        t.eq("arrays", cells(t), "#.#.......#.....".into());
        t.clear([0.0; 4]);
        elements(t, &[0u16, 1, 2, 3, 4, 5, 6, 7]);
        let offsets: [*const c_void; 2] = [at(0), at(8)];
        t.MultiDrawElements(GL_TRIANGLE_STRIP, [4, 4].as_ptr(), GL_UNSIGNED_SHORT, offsets.as_ptr(), 2);
        t.eq("elements", cells(t), "##..............".into());
        t.MultiDrawElementsBaseVertex(GL_TRIANGLE_STRIP, [4, 4].as_ptr(), GL_UNSIGNED_SHORT, offsets.as_ptr(), 2, [32, 40].as_ptr());
        t.eq("base vertices", cells(t), "##......#..#....".into());
        t.wrong(&[
            ("a negative number of draws", GL_INVALID_VALUE, &|t| t.MultiDrawArrays(GL_TRIANGLES, [0].as_ptr(), [3].as_ptr(), -1)),
            ("a negative count among them", GL_INVALID_VALUE, &|t| t.MultiDrawArrays(GL_TRIANGLES, [0, 0].as_ptr(), [3, -1].as_ptr(), 2)),
        ]);
    }

    /// An index ends one strip and begins the next; any value can be it.
    fn primitive_restart(t) {
        cell_scene(t);
        t.Enable(GL_PRIMITIVE_RESTART);
        t.eq("initially", t.int(GL_PRIMITIVE_RESTART_INDEX), 0);
        for (what, index) in [("the largest", 0xFFFFu32), ("another", 60), ("zero", 0)] {
            t.clear([0.0; 4]);
            t.PrimitiveRestartIndex(index);
            elements(t, &[4u16, 5, 6, 7, index as u16, 16, 17, 18, 19]);
            t.DrawElements(GL_TRIANGLE_STRIP, 9, GL_UNSIGNED_SHORT, std::ptr::null());
            t.eq(what, cells(t), ".#..#...........".into());
        }
        // An index that the type cannot hold never matches.
        t.clear([0.0; 4]);
        t.PrimitiveRestartIndex(0x1_0004);
        elements(t, &[4u16, 5, 6, 7]);
        t.DrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, std::ptr::null());
        t.eq("out of the type's range", cells(t), ".#..............".into());
        // Restart compares before the base vertex is added.
        t.clear([0.0; 4]);
        t.PrimitiveRestartIndex(9);
        elements(t, &[0u8, 1, 2, 3, 9, 8, 5, 6, 7]);
        t.DrawElementsBaseVertex(GL_TRIANGLES, 9, GL_UNSIGNED_BYTE, std::ptr::null(), 0);
        t.Disable(GL_PRIMITIVE_RESTART);
        elements(t, &[8u8, 9, 10, 11]);
        t.DrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_BYTE, std::ptr::null());
        t.eq("off", &cells(t)[2..3], "#");
    }

    /// Restart in fans and line loops, with 8-bit and 32-bit indices.
    fn primitive_restart_in_other_modes(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program("in vec2 p; void main() { gl_Position = vec4(p / 4.0 - 1.0, 0, 1); }", PLAIN);
        let grid: Vec<[f32; 2]> = (0..81).map(|i| [(i % 9) as f32, (i / 9) as f32]).collect();
        t.buffer(GL_ARRAY_BUFFER, &grid);
        let p = t.attribute("p");
        t.EnableVertexAttribArray(p);
        t.VertexAttribPointer(p, 2, GL_FLOAT, 0, 0, std::ptr::null());
        t.Enable(GL_PRIMITIVE_RESTART);
        t.PrimitiveRestartIndex(255);
        t.clear([0.0; 4]);
        elements(t, &[0u8, 2, 20, 18, 255, 40, 42, 60, 58]);
        t.DrawElements(GL_TRIANGLE_FAN, 9, GL_UNSIGNED_BYTE, std::ptr::null());
        t.eq("fans", t.shape([0, 0, 8, 8]), "......../......../....##../....##../......../......../##....../##......".into());
        t.PrimitiveRestartIndex(0xFFFF_FFFF);
        t.clear([0.0; 4]);
        elements(t, &[0u32, 8, 80, 72, u32::MAX, 20, 24, 60, 56]);
        t.DrawElements(GL_LINE_LOOP, 9, GL_UNSIGNED_INT, std::ptr::null());
        let shape = t.shape([0, 0, 8, 8]);
        t.saw("loops", &shape);
        t.is("two loops", shape.matches('#').count() > 20);
    }

    /// Draws without a program, with an incomplete framebuffer, or without vertices.
    fn nothing_to_draw_with(t) {
        t.target(GL_RGBA8, (4, 4));
        t.paint(PLAIN);
        t.clear([0.0; 4]);
        t.DrawArrays(GL_TRIANGLES, 0, 0);
        t.ok("a count of zero");
        t.wrong(&[
            ("a negative count", GL_INVALID_VALUE, &|t| t.DrawArrays(GL_TRIANGLES, 0, -1)),
            ("a mode that is none", GL_INVALID_ENUM, &|t| t.DrawArrays(0x99, 0, 3)),
            ("quads", GL_INVALID_ENUM, &|t| t.DrawArrays(GL_QUADS, 0, 4)),
        ]);
        t.framebuffer();
        t.wrong(&[("an incomplete framebuffer", GL_INVALID_FRAMEBUFFER_OPERATION, &|t| t.strip())]);
    }

    /// In the core profile a vertex array object must be bound.
    fn no_vertex_array(t) {
        t.target(GL_RGBA8, (4, 4));
        t.paint(PLAIN);
        t.BindVertexArray(0);
        t.wrong(&[
            ("glDrawArrays", GL_INVALID_OPERATION, &|t| t.strip()),
            ("glVertexAttribPointer", GL_INVALID_OPERATION, &|t| t.VertexAttribPointer(0, 4, GL_FLOAT, 0, 0, std::ptr::null())),
        ]);
        // Mesa lets this pass.
        if !t.is_oracle() {
            t.wrong(&[("glEnableVertexAttribArray", GL_INVALID_OPERATION, &|t| t.EnableVertexAttribArray(0))]);
        }
    }

    /// A mapped buffer must not be drawn from.
    fn mapped_buffers(t) {
        cell_scene(t);
        let pointer = t.MapBuffer(GL_ARRAY_BUFFER, GL_READ_WRITE);
        t.is("mapped", !pointer.is_null());
        // Mesa draws from what is mapped.
        if !t.is_oracle() { t.wrong(&[("mapped vertices", GL_INVALID_OPERATION, &|t| t.DrawArrays(GL_TRIANGLE_STRIP, 0, 4))]) }
        t.eq("unmapped", t.UnmapBuffer(GL_ARRAY_BUFFER), 1);
        elements(t, &[0u16, 1, 2, 3]);
        t.MapBuffer(GL_ELEMENT_ARRAY_BUFFER, GL_WRITE_ONLY);
        if !t.is_oracle() { t.wrong(&[("mapped indices", GL_INVALID_OPERATION, &|t| t.DrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, std::ptr::null()))]) }
        t.UnmapBuffer(GL_ELEMENT_ARRAY_BUFFER);
        t.DrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, std::ptr::null());
        t.eq("cells", cells(t), "#...............".into());
    }

    /// Vertices and indices in the program's own memory.
    [Compatibility] fn client_arrays(t) {
        t.target(GL_RGBA8, (64, 4));
        t.BindVertexArray(0);
        t.program(CELLS, TINT);
        t.clear([0.0; 4]);
        let mut values: Vec<f32> = (0..64).map(|i| (i / 4) as f32).collect();
        let a = t.attribute("cell");
        t.EnableVertexAttribArray(a);
        t.VertexAttribPointer(a, 1, GL_FLOAT, 0, 0, data(&values));
        t.DrawArrays(GL_TRIANGLE_STRIP, 4, 4);
        // The memory is read at the draw.
        values[8..12].fill(3.0);
        t.DrawArrays(GL_TRIANGLE_STRIP, 8, 4);
        t.DrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, data(&[20u16, 21, 22, 23]));
        t.DrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_BYTE, data(&[28u8, 29, 30, 31]));
        t.DrawArraysInstanced(GL_TRIANGLE_STRIP, 36, 4, 2);
        t.DrawElementsBaseVertex(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_INT, data(&[0u32, 1, 2, 3]), 52);
        t.eq("cells", cells(t), ".#.#.#.#.##..#..".into());
        let indices: [*const c_void; 2] = [data(&[0u16, 1, 2, 3]), data(&[60u16, 61, 62, 63])];
        t.MultiDrawElements(GL_TRIANGLE_STRIP, [4, 4].as_ptr(), GL_UNSIGNED_SHORT, indices.as_ptr(), 2);
        t.eq("and two more", cells(t), "##.#.#.#.##..#.#".into());
        let mut pointer = std::ptr::null_mut();
        t.GetVertexAttribPointerv(a, GL_VERTEX_ATTRIB_ARRAY_POINTER, &mut pointer);
        t.is("the pointer comes back", pointer.cast_const() == data(&values));
    }

    /// Client arrays with a stride, beside attributes in buffers, and with a divisor.
    [Compatibility] fn mixed_arrays(t) {
        t.target(GL_RGBA8, (64, 4));
        t.BindVertexArray(0);
        t.program("in float cell; in vec3 tone; in float step; out vec4 tint; void main() { vec2 uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
            tint = vec4(tone, 1); gl_Position = vec4((cell + step + uv.x) / 8.0 - 1.0, uv.y * 2.0 - 1.0, 0, 1); }", TINT);
        t.clear([0.0; 4]);
        let (cell, tone, step) = (t.attribute("cell"), t.attribute("tone"), t.attribute("step"));
        let packed: Vec<[f32; 2]> = (0..4).map(|_| [2.0, 99.0]).collect();
        let tones = vec![[64u8, 128, 255, 0]; 4];
        for a in [cell, tone, step] { t.EnableVertexAttribArray(a) }
        t.buffer(GL_ARRAY_BUFFER, &[0.0f32, 4.0, 8.0]);
        t.VertexAttribPointer(step, 1, GL_FLOAT, 0, 0, std::ptr::null());
        t.VertexAttribDivisor(step, 1);
        t.BindBuffer(GL_ARRAY_BUFFER, 0);
        t.VertexAttribPointer(cell, 1, GL_FLOAT, 0, 8, data(&packed));
        t.VertexAttribPointer(tone, 3, GL_UNSIGNED_BYTE, 1, 4, data(&tones));
        t.DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 3);
        t.eq("cells", cells(t), "..#...#...#.....".into());
        t.pixel_is("tone", 9, 1, [64, 128, 255, 255]);
    }
}
