//! Rasterisation: primitives, culling, points, clipping, offsets, and what fragments know (GL 3.3 §2.19, chapter 3).

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, RECT, Rig, SIZE};

/// Vertices by two floats in clip space.
const POSITIONS: &str = "in vec2 p; void main() { gl_Position = vec4(p, 0.0, 1.0); gl_PointSize = 1.0; }";

/// Positions at the centres of an 8 by 8 target's pixels.
fn pixel_centres(points: &[(i32, i32)]) -> Vec<[f32; 2]> {
    points
        .iter()
        .map(|(x, y)| [(*x as f32 + 0.5) / 4.0 - 1.0, (*y as f32 + 0.5) / 4.0 - 1.0])
        .collect()
}

fn vertices(t: &Rig, points: &[[f32; 2]]) {
    t.buffer(GL_ARRAY_BUFFER, points);
    let p = t.attribute("p");
    t.EnableVertexAttribArray(p);
    t.VertexAttribPointer(p, 2, GL_FLOAT, 0, 0, std::ptr::null());
}

/// Draws white primitives between pixel centres of an 8 by 8 target, and gives the shape.
fn shape(t: &Rig, mode: u32, points: &[(i32, i32)]) -> String {
    t.clear([0.0; 4]);
    vertices(t, &pixel_centres(points));
    t.DrawArrays(mode, 0, points.len() as i32);
    t.shape([0, 0, 8, 8])
}

/// A triangle pair over all of the target, with a flat colour a vertex.
const FLAT_VS: &str = "in vec2 p; flat out vec3 f; out vec3 s;
const vec3 colors[6] = vec3[](vec3(1,0,0), vec3(0,1,0), vec3(0,0,1), vec3(1,1,0), vec3(0,1,1), vec3(1,0,1));
void main() { f = colors[gl_VertexID]; s = f; gl_Position = vec4(p, 0.0, 1.0); }";
const FLAT_FS: &str = "flat in vec3 f; out vec4 c; void main() { c = vec4(f, 1.0); }";

scenarios! {
    /// Points, and the three kinds of lines.
    fn points_and_lines(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program(POSITIONS, PLAIN);
        t.eq("points", shape(t, GL_POINTS, &[(1, 1), (6, 3), (3, 6)]).matches('#').count(), 3);
        let square = [(1, 1), (6, 1), (6, 6), (1, 6)];
        // The last pixel of a line is not drawn (diamond exit).
        t.eq("lines", shape(t, GL_LINES, &square).matches('#').count(), 10);
        t.eq("strip", shape(t, GL_LINE_STRIP, &square).matches('#').count(), 15);
        let closed = shape(t, GL_LINE_LOOP, &square);
        // Whether a corner belongs to one of its lines is a matter of rounding.
        t.is(&closed, (19..=20).contains(&closed.matches('#').count()) && closed.ends_with("/.######./........"));
    }

    /// Triangles, strips and fans cover each pixel once.
    fn triangles(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program(POSITIONS, "out vec4 c; void main() { c = vec4(0.25); }");
        t.Enable(GL_BLEND);
        t.BlendFunc(GL_ONE, GL_ONE);
        let corners = [[-1.0f32, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let pick = |order: &[usize]| -> Vec<[f32; 2]> { order.iter().map(|i| corners[*i]).collect() };
        for (what, mode, order) in [
            ("triangles", GL_TRIANGLES, &[0, 1, 2, 0, 2, 3][..]),
            ("strip", GL_TRIANGLE_STRIP, &[0, 1, 3, 2]),
            ("fan", GL_TRIANGLE_FAN, &[0, 1, 2, 3]),
        ] {
            t.clear([0.0; 4]);
            vertices(t, &pick(order));
            t.DrawArrays(mode, 0, order.len() as i32);
            t.area_is(what, [0, 0, 8, 8], [64; 4]);
        }
    }

    /// Incomplete primitives are ignored.
    fn incomplete_primitives(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program(POSITIONS, PLAIN);
        for (mode, n) in [(GL_LINES, 1), (GL_LINE_STRIP, 1), (GL_LINE_LOOP, 1), (GL_TRIANGLES, 2), (GL_TRIANGLE_STRIP, 2), (GL_TRIANGLE_FAN, 2)] {
            let s = shape(t, mode, &[(1, 1), (6, 6), (1, 6)][..n]);
            t.eq(&format!("mode {mode}"), s.contains('#'), false);
        }
    }

    /// Adjacency primitives without a geometry shader are drawn without their neighbours.
    fn adjacency_is_ignored_without_geometry_shader(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program(POSITIONS, PLAIN);
        let plain = shape(t, GL_LINES, &[(1, 4), (6, 4)]);
        t.eq("lines", shape(t, GL_LINES_ADJACENCY, &[(0, 0), (1, 4), (6, 4), (7, 7)]), plain.clone());
        t.eq("line strip", shape(t, GL_LINE_STRIP_ADJACENCY, &[(0, 0), (1, 4), (6, 4), (7, 7)]), plain);
        let plain = shape(t, GL_TRIANGLES, &[(0, 0), (7, 0), (0, 7)]);
        let points = [(0, 0), (7, 7), (7, 0), (7, 7), (0, 7), (7, 7)];
        t.eq("triangles", shape(t, GL_TRIANGLES_ADJACENCY, &points), plain.clone());
        t.eq("triangle strip", shape(t, GL_TRIANGLE_STRIP_ADJACENCY, &points), plain);
    }

    /// A geometry shader sees the neighbours.
    fn adjacency_reaches_the_geometry_shader(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program_with(&[
            (GL_VERTEX_SHADER, POSITIONS),
            (GL_GEOMETRY_SHADER, "layout(lines_adjacency) in; layout(points, max_vertices = 2) out;
              void main() { for (int i = 0; i < 4; i += 3) { gl_Position = gl_in[i].gl_Position; gl_PointSize = 1.0; EmitVertex(); EndPrimitive(); } }"),
            (GL_FRAGMENT_SHADER, PLAIN),
        ], |_| {});
        t.eq("the first and the last", shape(t, GL_LINES_ADJACENCY, &[(0, 0), (1, 4), (6, 4), (7, 7)]),
            ".......#/......../......../......../......../......../......../#.......".into());
        t.eq("a mode of another primitive", { t.DrawArrays(GL_TRIANGLES, 0, 3); t.GetError() }, GL_INVALID_OPERATION);
    }

    /// Culling by winding.
    fn culling(t) {
        t.both(|t, what| {
            t.program(POSITIONS, PLAIN);
            vertices(t, &[[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]);
            t.Enable(GL_CULL_FACE);
            // The first triangle winds counter-clockwise, the second clockwise.
            for (face, front, lower, upper) in [
                (GL_BACK, GL_CCW, true, false), (GL_FRONT, GL_CCW, false, true), (GL_BACK, GL_CW, false, true),
                (GL_FRONT, GL_CW, true, false), (GL_FRONT_AND_BACK, GL_CCW, false, false),
            ] {
                t.clear([0.0; 4]);
                t.CullFace(face);
                t.FrontFace(front);
                t.DrawArrays(GL_TRIANGLES, 0, 6);
                let lit = |x, y| t.pixel(x, y)[0] != 0;
                t.eq(&format!("{what}, {face:#x}, {front:#x}"), (lit(4, 4), lit(60, 60)), (lower, upper));
            }
            t.Disable(GL_CULL_FACE);
            t.FrontFace(GL_CCW);
        });
        t.wrong(&[
            ("glCullFace", GL_INVALID_ENUM, &|t| t.CullFace(GL_CCW)),
            ("glFrontFace", GL_INVALID_ENUM, &|t| t.FrontFace(GL_FRONT)),
        ]);
    }

    /// gl_FrontFacing follows winding and glFrontFace, in both kinds of framebuffers.
    fn front_facing(t) {
        t.both(|t, what| {
            t.program(POSITIONS, "out vec4 c; void main() { c = gl_FrontFacing ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1); }");
            vertices(t, &[[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]);
            t.DrawArrays(GL_TRIANGLES, 0, 6);
            t.pixel_is(&format!("{what}, counter-clockwise"), 4, 4, [0, 255, 0, 255]);
            t.pixel_is(&format!("{what}, clockwise"), 60, 60, [255, 0, 0, 255]);
            t.FrontFace(GL_CW);
            t.DrawArrays(GL_TRIANGLES, 0, 6);
            t.pixel_is(&format!("{what}, the other way"), 4, 4, [255, 0, 0, 255]);
            t.FrontFace(GL_CCW);
        });
    }

    /// gl_FragCoord counts from the lower left in both kinds of framebuffers, at pixel centres; its w is 1/w.
    fn fragment_coordinates(t) {
        t.both(|t, what| {
            t.program("uniform vec4 rect = vec4(-1, -1, 1, 1); void main() { vec2 uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
                gl_Position = vec4(mix(rect.xy, rect.zw, uv), 0.5, 1.0) * 4.0; }",
                "out vec4 c; void main() { c = vec4(gl_FragCoord.xy / 255.0, gl_FragCoord.z, gl_FragCoord.w); }");
            t.strip();
            // x is 10.5 of 255 parts; rounding may go either way.
            for (x, y) in [(10, 20), (0, 0), (63, 1), (5, 62)] {
                let p = t.pixel(x, y);
                t.is(&format!("{what}: x, y at {x}, {y}: {p:?}"), i32::from(p[0]) - x <= 1 && i32::from(p[1]) - y <= 1
                    && i32::from(p[0]) >= x && i32::from(p[1]) >= y);
                t.is(&format!("{what}: z {p:?}"), p[2].abs_diff(191) <= 1 && p[3] == 64);
            }
        });
    }

    /// layout(origin_upper_left) and layout(pixel_center_integer) move gl_FragCoord.
    fn fragment_coordinate_conventions(t) {
        t.both(|t, what| {
            let height = SIZE;
            t.program(RECT, "layout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord; out vec4 c;
                void main() { c = vec4(gl_FragCoord.xy / 255.0, 0, 1); }");
            t.strip();
            t.pixel_is(what, 10, 20, [10, (height - 1 - 20) as u8, 0, 255]);
        });
    }

    /// Derivatives grow to the right and upwards, in both kinds of framebuffers.
    fn derivatives(t) {
        t.both(|t, what| {
            t.program(RECT, "in vec2 uv; out vec4 c; void main() {
                c = vec4(dFdx(uv.x) * 32.0, dFdy(uv.y) * 32.0, step(0.0, -dFdy(uv.y)), fwidth(uv.x) * 32.0); }");
            t.strip();
            t.pixel_is(what, 20, 20, [128, 128, 0, 128]);
        });
    }

    /// Points have the size that the state says, or that the shader says.
    fn point_sizes(t) {
        t.both(|t, what| {
            let p = t.program("uniform float size; void main() { gl_Position = vec4(0, 0, 0, 1); gl_PointSize = size; }", PLAIN);
            t.Uniform1f(t.at("size"), 16.0);
            t.PointSize(6.0);
            let lit = |t: &Rig| { t.clear([0.0; 4]); t.DrawArrays(GL_POINTS, 0, 1); t.shape([0, 0, SIZE, SIZE]).matches('#').count() };
            t.eq(&format!("{what}, of the state"), lit(t), 36);
            t.Enable(GL_PROGRAM_POINT_SIZE);
            t.eq(&format!("{what}, of the shader"), lit(t), 256);
            t.Disable(GL_PROGRAM_POINT_SIZE);
            t.PointSize(1.0);
            t.eq(&format!("{what}, one pixel"), lit(t), 1);
            t.DeleteProgram(p);
        });
        t.eq("glPointSize(0)", { t.PointSize(0.0); t.GetError() }, GL_INVALID_VALUE);
        t.eq("GL_POINT_SIZE", t.floats::<1>(GL_POINT_SIZE), [1.0]);
    }

    /// gl_PointCoord has its origin at the upper left, or where GL_POINT_SPRITE_COORD_ORIGIN puts it.
    fn point_coordinates(t) {
        t.both(|t, what| {
            t.program("void main() { gl_Position = vec4(0, 0, 0, 1); }", "out vec4 c; void main() { c = vec4(gl_PointCoord, 0, 1); }");
            t.PointSize(32.0);
            t.DrawArrays(GL_POINTS, 0, 1);
            t.pixel_is(&format!("{what}, upper left"), 16, 47, [4, 4, 0, 255]);
            t.pixel_is(&format!("{what}, lower right"), 47, 16, [251, 251, 0, 255]);
            t.PointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, GL_LOWER_LEFT as i32);
            t.DrawArrays(GL_POINTS, 0, 1);
            t.pixel_is(&format!("{what}, lower left origin"), 16, 16, [4, 4, 0, 255]);
            t.PointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, GL_UPPER_LEFT as i32);
        });
        t.wrong(&[
            ("glPointParameteri", GL_INVALID_ENUM, &|t| t.PointParameteri(GL_POINT_SIZE, 1)),
            ("a negative threshold", GL_INVALID_VALUE, &|t| t.PointParameterf(GL_POINT_FADE_THRESHOLD_SIZE, -1.0)),
        ]);
    }

    /// A flat input has the value of the provoking vertex, whichever convention there is.
    fn provoking_vertex(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program(FLAT_VS, FLAT_FS);
        vertices(t, &[[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]);
        let (red, blue, yellow, magenta) = ([255, 0, 0, 255], [0, 0, 255, 255], [255, 255, 0, 255], [255, 0, 255, 255]);
        let green = [0, 255, 0, 255];
        t.eq("initially the last", t.int(GL_PROVOKING_VERTEX), GL_LAST_VERTEX_CONVENTION as i32);
        for (convention, triangles, strip, fan) in [
            (GL_LAST_VERTEX_CONVENTION, (blue, magenta), (blue, yellow), blue),
            // GL 3.3 table 2.16: a fan's first convention takes the vertex after the centre.
            (GL_FIRST_VERTEX_CONVENTION, (red, yellow), (red, green), green),
        ] {
            t.ProvokingVertex(convention);
            let what = |s: &str| format!("{s}, {convention:#x}");
            t.DrawArrays(GL_TRIANGLES, 0, 6);
            t.pixel_is(&what("first triangle"), 1, 1, triangles.0);
            t.pixel_is(&what("second triangle"), 6, 6, triangles.1);
            t.clear([0.0; 4]);
            t.DrawArrays(GL_TRIANGLE_FAN, 0, 3);
            t.pixel_is(&what("fan"), 1, 1, fan);
            let ids: [u8; 6] = [0, 1, 2, 3, 4, 5];
            t.buffer(GL_ELEMENT_ARRAY_BUFFER, &ids);
            t.DrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, std::ptr::null());
            t.pixel_is(&what("indexed"), 6, 6, triangles.1);
            vertices(t, &[[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]);
            t.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
            t.pixel_is(&what("strip, first"), 1, 1, strip.0);
            t.pixel_is(&what("strip, second"), 6, 6, strip.1);
            vertices(t, &[[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]);
        }
        t.wrong(&[("glProvokingVertex", GL_INVALID_ENUM, &|t| t.ProvokingVertex(GL_FLAT))]);
    }

    /// Smooth values go through w, noperspective ones do not.
    fn interpolation(t) {
        t.target(GL_RGBA8, (64, 4));
        t.program("smooth out float s; noperspective out float n; void main() {
              vec2 uv = vec2(gl_VertexID & 1, gl_VertexID >> 1); s = uv.x; n = uv.x;
              gl_Position = vec4(uv * 2.0 - 1.0, 0, 1) * (uv.x > 0.5 ? 4.0 : 1.0); }",
            "smooth in float s; noperspective in float n; out vec4 c; void main() { c = vec4(s, n, 0, 1); }");
        t.strip();
        // In the middle: n is 1/2, s is (1/2 * 1/4) / (1/2 + 1/2 * 1/4) = 1/5.
        let (a, b) = (t.pixel(31, 1), t.pixel(32, 1));
        t.is(&format!("smooth {a:?} {b:?}"), a[0] < 52 && b[0] > 50);
        t.is(&format!("linear {a:?} {b:?}"), a[1] < 128 && b[1] > 127);
    }

    /// Clip distances cut where they are on, in vertex shaders.
    fn clip_distances(t) {
        t.both(|t, what| {
            t.program("out vec2 uv; out float gl_ClipDistance[2]; void main() { uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
                gl_ClipDistance[0] = uv.x - 0.5; gl_ClipDistance[1] = 0.5 - uv.y; gl_Position = vec4(uv * 2.0 - 1.0, 0, 1); }", PLAIN);
            let corners = |t: &Rig| [(4, 4), (60, 4), (4, 60), (60, 60)].map(|(x, y)| t.pixel(x, y)[0] != 0);
            // With none of them on nothing is to be cut; the system's llvmpipe cuts by all that are written, so that
            // case is not looked at.
            t.Enable(GL_CLIP_DISTANCE0);
            t.clear([0.0; 4]);
            t.strip();
            t.eq(&format!("{what}, first"), corners(t), [false, true, false, true]);
            t.Enable(GL_CLIP_DISTANCE1);
            t.clear([0.0; 4]);
            t.strip();
            t.eq(&format!("{what}, both"), corners(t), [false, true, false, false]);
            t.Disable(GL_CLIP_DISTANCE0);
            t.Disable(GL_CLIP_DISTANCE1);
        });
    }

    /// Polygon offset moves filled polygons by the smallest resolvable difference, and by slope.
    fn polygon_offset(t) {
        t.full_target();
        t.paint(PLAIN);
        t.Enable(GL_DEPTH_TEST);
        t.DepthFunc(GL_LESS);
        t.clear([0.0; 4]);
        t.color([1.0, 0.0, 0.0, 1.0]);
        t.rect([-1.0, -1.0, 1.0, 1.0], 0.0);
        t.color([0.0, 1.0, 0.0, 1.0]);
        t.rect([-1.0, -1.0, 1.0, 1.0], 0.0);
        t.pixel_is("at the same depth", 8, 8, [255, 0, 0, 255]);
        t.PolygonOffset(-1.0, -4.0);
        t.rect([-1.0, -1.0, 1.0, 1.0], 0.0);
        t.pixel_is("switched off", 8, 8, [255, 0, 0, 255]);
        t.Enable(GL_POLYGON_OFFSET_FILL);
        t.rect([-1.0, -1.0, 1.0, 1.0], 0.0);
        t.pixel_is("nearer", 8, 8, [0, 255, 0, 255]);
        t.is("by little", (t.depth_at(8, 8) - 0.5).abs() < 1e-5);
        t.eq("factor and units", (t.floats::<1>(GL_POLYGON_OFFSET_FACTOR), t.floats::<1>(GL_POLYGON_OFFSET_UNITS)), ([-1.0], [-4.0]));
    }

    /// Polygons as lines: only their edges are drawn.
    fn polygon_mode_lines(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program(POSITIONS, PLAIN);
        t.PolygonMode(GL_FRONT_AND_BACK, GL_LINE);
        let s = shape(t, GL_TRIANGLES, &[(1, 1), (6, 1), (1, 6)]);
        t.eq("the inside is empty", s.split('/').nth(4).map(|r| &r[2..3] == "." ), Some(true));
        t.eq("edges", s.matches('#').count() >= 14, true);
        t.saw("shape", &s);
        let quad = shape(t, GL_TRIANGLE_STRIP, &[(0, 0), (7, 0), (0, 7), (7, 7)]);
        t.saw("strip with its diagonal", quad);
        let fan = shape(t, GL_TRIANGLE_FAN, &[(0, 0), (7, 0), (7, 7), (0, 7)]);
        t.saw("fan", fan);
        let ids: [u16; 6] = [0, 1, 2, 0, 2, 3];
        t.clear([0.0; 4]);
        t.buffer(GL_ELEMENT_ARRAY_BUFFER, &ids);
        t.DrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, std::ptr::null());
        t.saw("indexed", t.shape([0, 0, 8, 8]));
        t.PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    }

    /// Polygons as points: their vertices are drawn.
    fn polygon_mode_points(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program(POSITIONS, PLAIN);
        t.PolygonMode(GL_FRONT_AND_BACK, GL_POINT);
        t.eq("corners", shape(t, GL_TRIANGLES, &[(1, 1), (6, 1), (1, 6)]),
            "......../.#....../......../......../......../......../.#....#./........".into());
        t.eq("corners of a strip", shape(t, GL_TRIANGLE_STRIP, &[(1, 1), (6, 1), (1, 6), (6, 6)]).matches('#').count(), 4);
    }

    /// Wireframe culls as filled polygons do, and varyings run along the edges.
    fn polygon_mode_lines_are_culled_and_shaded(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program("in vec2 p; out vec3 s; void main() { s = vec3(gl_VertexID == 0, gl_VertexID == 1, gl_VertexID == 2); gl_Position = vec4(p, 0, 1); }",
            "in vec3 s; out vec4 c; void main() { c = vec4(s, 1); }");
        t.PolygonMode(GL_FRONT_AND_BACK, GL_LINE);
        t.Enable(GL_CULL_FACE);
        t.eq("back faces are not there", shape(t, GL_TRIANGLES, &[(1, 1), (1, 6), (6, 1)]).contains('#'), false);
        t.is("front faces are", shape(t, GL_TRIANGLES, &[(1, 1), (6, 1), (1, 6)]).contains('#'));
        let p = t.pixel(3, 1);
        t.is(&format!("between red and green: {p:?}"), p[0] > 100 && p[1] > 60 && p[2] < 20);
        t.image("edges", 8, 8);
    }

    /// Values that are none. In the core profile both faces have one mode.
    fn polygon_mode_errors(t) {
        t.eq("initially", t.ints::<1>(GL_POLYGON_MODE), [GL_FILL as i32]);
        t.wrong(&[
            ("one face", GL_INVALID_ENUM, &|t| t.PolygonMode(GL_FRONT, GL_LINE)),
            ("a mode that is none", GL_INVALID_ENUM, &|t| t.PolygonMode(GL_FRONT_AND_BACK, GL_LINES)),
        ]);
        t.eq("unchanged", t.ints::<1>(GL_POLYGON_MODE), [GL_FILL as i32]);
    }

    /// The scissor box cuts draws and clears.
    fn scissor(t) {
        t.both(|t, what| {
            t.paint(PLAIN);
            t.clear([0.0; 4]);
            t.Enable(GL_SCISSOR_TEST);
            for (i, [x, y, w, h]) in [[0, 0, 4, 4], [10, 20, 5, 6], [60, 60, 100, 100], [30, 30, 0, 10]].into_iter().enumerate() {
                t.Scissor(x, y, w, h);
                if i % 2 == 0 { t.strip() } else { t.clear([1.0; 4]) }
            }
            t.Disable(GL_SCISSOR_TEST);
            let s = t.shape([0, 0, SIZE, SIZE]);
            t.eq(&format!("{what}, pixels"), s.matches('#').count(), 16 + 30 + 16);
            t.eq(&format!("{what}, corners"), [(0, 0), (3, 3), (4, 3), (10, 20), (14, 25), (15, 25), (63, 63), (30, 35)]
                .map(|(x, y)| t.pixel(x, y)[0] != 0), [true, true, false, true, true, false, true, false]);
        });
        t.eq("negative", { t.Scissor(0, 0, -1, 1); t.GetError() }, GL_INVALID_VALUE);
        t.eq("unchanged", t.ints::<4>(GL_SCISSOR_BOX), [30, 30, 0, 10]);
    }

    /// The viewport maps clip space; what is outside is clipped.
    fn viewport(t) {
        t.both(|t, what| {
            t.paint(PLAIN);
            t.clear([0.0; 4]);
            t.Viewport(8, 16, 20, 10);
            t.rect([-3.0, -3.0, 3.0, 3.0], 0.0);
            t.Viewport(-16, 40, 32, 8);
            t.strip();
            t.Viewport(0, 0, SIZE, SIZE);
            t.eq(&format!("{what}, pixels"), t.shape([0, 0, SIZE, SIZE]).matches('#').count(), 200 + 16 * 8);
            t.eq(&format!("{what}, corners"), [(8, 16), (27, 25), (7, 16), (28, 25), (15, 40), (16, 40)].map(|(x, y)| t.pixel(x, y)[0] != 0),
                [true, true, false, false, true, false]);
        });
        t.wrong(&[("negative", GL_INVALID_VALUE, &|t| t.Viewport(0, 0, -1, 4))]);
    }

    /// An edge that runs through pixel centres belongs to one of the sides, the same on all lanes, and polygons that
    /// share it leave no gap.
    fn edges_on_pixel_centres(t) {
        t.both(|t, what| {
            t.paint(PLAIN);
            t.clear([0.0; 4]);
            let at = |p: f32| p / 32.0 - 1.0;
            t.rect([at(10.5), at(20.5), at(14.5), at(30.5)], 0.0);
            t.saw(&format!("{what}, alone"), t.shape([8, 18, 10, 15]));
            t.clear([0.0; 4]);
            t.Enable(GL_BLEND);
            t.BlendFunc(GL_ONE, GL_ONE);
            t.color([0.25; 4]);
            t.rect([at(10.5), at(20.5), at(14.5), at(30.5)], 0.0);
            t.rect([at(10.5), at(30.5), at(14.5), at(40.5)], 0.0);
            t.area_is(&format!("{what}, two"), [11, 22, 3, 16], [64; 4]);
            t.Disable(GL_BLEND);
            t.UseProgram(0);
        });
    }

    /// Nothing is drawn with the rasteriser off, and clears are not affected.
    fn rasterizer_discard(t) {
        t.target(GL_RGBA8, (8, 8));
        t.paint(PLAIN);
        t.clear([0.0, 0.0, 1.0, 1.0]);
        t.Enable(GL_RASTERIZER_DISCARD);
        t.strip();
        t.Disable(GL_RASTERIZER_DISCARD);
        t.area_is("nothing drawn", [0, 0, 8, 8], [0, 0, 255, 255]);
        t.strip();
        t.pixel_is("drawn again", 1, 1, [255; 4]);
    }

    /// Fragments that are discarded leave colour and depth alone.
    fn discard(t) {
        t.full_target();
        t.program(RECT, "in vec2 uv; out vec4 c; void main() { if (uv.x < 0.5) discard; c = vec4(1.0); }");
        t.Enable(GL_DEPTH_TEST);
        t.clear([0.0; 4]);
        t.rect([-1.0, -1.0, 1.0, 1.0], 0.0);
        t.pixel_is("left", 8, 8, [0; 4]);
        t.pixel_is("right", 56, 8, [255; 4]);
        t.near("depths", &[t.depth_at(8, 8), t.depth_at(56, 8)], &[1.0, 0.5], 0.001);
    }

    /// Wide lines are refused or drawn as GL_ALIASED_LINE_WIDTH_RANGE says; a width of zero is an error.
    fn line_width(t) {
        t.eq("initially", t.floats::<1>(GL_LINE_WIDTH), [1.0]);
        t.wrong(&[("zero", GL_INVALID_VALUE, &|t| t.LineWidth(0.0)), ("negative", GL_INVALID_VALUE, &|t| t.LineWidth(-2.0))]);
        let range = t.floats::<2>(GL_ALIASED_LINE_WIDTH_RANGE);
        t.is("1 is in the range", range[0] <= 1.0 && range[1] >= 1.0);
    }

    /// Geometry shaders multiply primitives, pass varyings, and see gl_PrimitiveIDIn.
    fn geometry_shader(t) {
        t.target(GL_RGBA8, (8, 8));
        t.program_with(&[
            (GL_VERTEX_SHADER, "in vec2 p; out vec2 at; void main() { at = p; gl_Position = vec4(p, 0, 1); }"),
            (GL_GEOMETRY_SHADER, "layout(points) in; layout(triangle_strip, max_vertices = 4) out; in vec2 at[]; out vec4 tint;
              void main() { for (int i = 0; i < 4; i++) { vec2 o = vec2(i & 1, i >> 1) * 0.5; tint = vec4(gl_PrimitiveIDIn == 1, gl_PrimitiveIDIn == 0, 0, 1);
                gl_PrimitiveID = gl_PrimitiveIDIn + 7; gl_Position = vec4(at[0] + o, 0, 1); EmitVertex(); } EndPrimitive(); }"),
            (GL_FRAGMENT_SHADER, "in vec4 tint; out vec4 c; void main() { c = tint + vec4(0, 0, float(gl_PrimitiveID) / 255.0, 0); }"),
        ], |_| {});
        t.clear([0.0; 4]);
        vertices(t, &[[-1.0, -1.0], [0.0, 0.0]]);
        t.DrawArrays(GL_POINTS, 0, 2);
        t.pixel_is("first", 0, 0, [0, 255, 7, 255]);
        t.pixel_is("second", 5, 5, [255, 0, 8, 255]);
        t.eq("pixels", t.shape([0, 0, 8, 8]).matches('#').count(), 8);
    }

    /// A geometry shader that chooses the layer draws into slices of an array texture.
    fn layered_rendering(t) {
        let name = t.texture(GL_TEXTURE_2D_ARRAY);
        t.TexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8 as i32, 4, 4, 3, 0, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null());
        let fb = t.framebuffer();
        t.FramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, name, 0);
        t.complete();
        t.Viewport(0, 0, 4, 4);
        t.program_with(&[
            (GL_VERTEX_SHADER, "void main() { gl_Position = vec4(0); }"),
            (GL_GEOMETRY_SHADER, "layout(points) in; layout(triangle_strip, max_vertices = 12) out; flat out vec4 tint;
              void main() { for (int l = 0; l < 3; l++) { for (int i = 0; i < 4; i++) { gl_Layer = l; tint = vec4(l == 0, l == 1, l == 2, 1);
                gl_Position = vec4(vec2(i & 1, i >> 1) * 2.0 - 1.0, 0, 1); EmitVertex(); } EndPrimitive(); } }"),
            (GL_FRAGMENT_SHADER, "flat in vec4 tint; out vec4 c; void main() { c = tint; }"),
        ], |_| {});
        t.clear([0.5; 4]);
        t.DrawArrays(GL_POINTS, 0, 1);
        let mut seen = [[0u8; 4]; 48];
        t.GetTexImage(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen.as_mut_ptr().cast());
        t.eq("layers", [seen[5], seen[21], seen[37]], [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]);
        t.BindFramebuffer(GL_FRAMEBUFFER, 0);
        t.DeleteFramebuffers(1, &fb);
    }

    /// Multisampled lines and triangles are smoothed at their edges when resolved.
    fn multisampled_edges(t) {
        let many = t.framebuffer();
        let color = t.renderbuffer(GL_RGBA8, (8, 8), 4);
        t.attach(GL_COLOR_ATTACHMENT0, color);
        t.complete();
        t.Viewport(0, 0, 8, 8);
        t.program(POSITIONS, PLAIN);
        t.clear([0.0; 4]);
        vertices(t, &[[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]);
        t.DrawArrays(GL_TRIANGLES, 0, 3);
        t.target(GL_RGBA8, (8, 8));
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, many);
        t.BlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        t.BindFramebuffer(GL_READ_FRAMEBUFFER, t.int(GL_DRAW_FRAMEBUFFER_BINDING) as u32);
        t.pixel_is("inside", 1, 1, [255; 4]);
        t.pixel_is("outside", 6, 6, [0; 4]);
        let edge = t.pixel(4, 3);
        t.is(&format!("edge {edge:?}"), edge[0] > 32 && edge[0] < 224);
    }

    /// Smooth hints and other switches are state.
    fn switches(t) {
        for (what, cap, initially) in [
            ("blend", GL_BLEND, 0), ("logic", GL_COLOR_LOGIC_OP, 0), ("cull", GL_CULL_FACE, 0), ("depth clamp", GL_DEPTH_CLAMP, 0),
            ("depth", GL_DEPTH_TEST, 0), ("dither", GL_DITHER, 1), ("srgb", GL_FRAMEBUFFER_SRGB, 0), ("line smooth", GL_LINE_SMOOTH, 0),
            ("multisample", GL_MULTISAMPLE, 1), ("fill", GL_POLYGON_OFFSET_FILL, 0), ("line", GL_POLYGON_OFFSET_LINE, 0),
            ("point", GL_POLYGON_OFFSET_POINT, 0), ("polygon smooth", GL_POLYGON_SMOOTH, 0), ("restart", GL_PRIMITIVE_RESTART, 0),
            ("discard", GL_RASTERIZER_DISCARD, 0), ("a2c", GL_SAMPLE_ALPHA_TO_COVERAGE, 0), ("a2o", GL_SAMPLE_ALPHA_TO_ONE, 0),
            ("coverage", GL_SAMPLE_COVERAGE, 0), ("mask", GL_SAMPLE_MASK, 0), ("scissor", GL_SCISSOR_TEST, 0),
            ("stencil", GL_STENCIL_TEST, 0), ("seamless", GL_TEXTURE_CUBE_MAP_SEAMLESS, 0), ("point size", GL_PROGRAM_POINT_SIZE, 0),
            ("clip 5", GL_CLIP_DISTANCE5, 0),
        ] {
            t.eq(&format!("{what}, initially"), t.IsEnabled(cap), initially);
            t.Enable(cap);
            t.eq(&format!("{what}, on"), (t.IsEnabled(cap), t.int(cap)), (1, 1));
            t.Disable(cap);
            t.eq(&format!("{what}, off"), t.IsEnabled(cap), 0);
        }
        t.wrong(&[
            ("glEnable", GL_INVALID_ENUM, &|t| t.Enable(GL_TEXTURE_2D_ARRAY)),
            ("glDisable", GL_INVALID_ENUM, &|t| t.Disable(0x1234)),
            ("glIsEnabled", GL_INVALID_ENUM, &|t| { t.IsEnabled(GL_ARRAY_BUFFER_BINDING); }),
        ]);
    }
}
