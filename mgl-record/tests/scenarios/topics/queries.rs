//! Queries, conditional rendering, fences (GL 3.3 §2.14, §2.18, §5.2, §6.1.7).

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, Rig};

const FULL: [f32; 4] = [-1.0, -1.0, 1.0, 1.0];

fn query(t: &Rig) -> u32 {
    let mut q = 0;
    t.GenQueries(1, &mut q);
    q
}

fn result(t: &Rig, q: u32) -> u32 {
    let mut v = 0xEEEE_EEEE;
    t.GetQueryObjectuiv(q, GL_QUERY_RESULT, &mut v);
    v
}

/// Draws a rectangle inside a query, and gives its result.
fn counted(t: &Rig, target: u32, q: u32, z: f32) -> u32 {
    t.BeginQuery(target, q);
    t.rect(FULL, z);
    t.EndQuery(target);
    result(t, q)
}

scenarios! {
    /// Samples that pass: none behind what is there, some before it.
    fn samples_passed_or_not(t) {
        t.both(|t, what| {
            t.paint(PLAIN);
            t.Enable(GL_DEPTH_TEST);
            t.clear([0.0; 4]);
            let q = query(t);
            t.is(&format!("{what}: passing"), counted(t, GL_SAMPLES_PASSED, q, 0.0) > 0);
            t.eq(&format!("{what}: hidden"), counted(t, GL_SAMPLES_PASSED, q, 0.5), 0);
            t.BeginQuery(GL_SAMPLES_PASSED, q);
            t.EndQuery(GL_SAMPLES_PASSED);
            t.eq(&format!("{what}: nothing drawn"), result(t, q), 0);
            t.DeleteQueries(1, &q);
            t.Disable(GL_DEPTH_TEST);
        });
    }

    /// The number of samples that pass.
    fn samples_passed_are_counted(t) {
        t.target(GL_RGBA8, (16, 16));
        t.paint(PLAIN);
        let q = query(t);
        t.eq("all", counted(t, GL_SAMPLES_PASSED, q, 0.0), 256);
        t.BeginQuery(GL_SAMPLES_PASSED, q);
        t.rect([-1.0, -1.0, 0.0, 0.0], 0.0);
        t.rect([0.0, 0.0, 1.0, 1.0], 0.0);
        t.EndQuery(GL_SAMPLES_PASSED);
        t.eq("two quarters", result(t, q), 128);
        let mut bits = 0;
        t.GetQueryiv(GL_SAMPLES_PASSED, GL_QUERY_COUNTER_BITS, &mut bits);
        t.is("bits", bits >= 32);
    }

    /// Behind the depth and the stencil test, behind what the shader discards, and of several samples a fragment.
    fn samples_passed_are_counted_behind_tests(t) {
        t.full_target();
        t.paint(PLAIN);
        t.Enable(GL_DEPTH_TEST);
        t.clear([0.0; 4]);
        t.rect([-1.0, -1.0, 0.0, 1.0], -0.5);
        let (q, all) = (query(t), 64 * 64);
        t.eq("half of it is hidden", counted(t, GL_SAMPLES_PASSED, q, 0.0), all / 2);
        t.eq("all of it now", counted(t, GL_SAMPLES_PASSED, q, 0.0), 0);
        t.Disable(GL_DEPTH_TEST);
        t.Enable(GL_STENCIL_TEST);
        t.StencilFunc(GL_ALWAYS, 1, 0xFF);
        t.StencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
        t.rect([-1.0, -1.0, -0.5, 1.0], 0.0);
        t.StencilFunc(GL_EQUAL, 1, 0xFF);
        t.eq("a quarter by stencil", counted(t, GL_SAMPLES_PASSED, q, 0.0), all / 4);
        t.Disable(GL_STENCIL_TEST);
        t.program(crate::rig::RECT, "in vec2 uv; out vec4 c; void main() { if (uv.x < 0.25) discard; c = vec4(1); }");
        t.eq("three quarters not discarded", counted(t, GL_SAMPLES_PASSED, q, 0.0), all / 4 * 3);
        let many = t.framebuffer();
        let color = t.renderbuffer(GL_RGBA8, (8, 8), 4);
        t.attach(GL_COLOR_ATTACHMENT0, color);
        t.complete();
        t.Viewport(0, 0, 8, 8);
        t.paint(PLAIN);
        t.eq("of four samples", counted(t, GL_SAMPLES_PASSED, q, 0.0), 8 * 8 * 4);
        t.DeleteFramebuffers(1, &many);
    }

    /// Two queries one after the other, their results asked for afterwards; one used again.
    fn counts_are_kept_apart(t) {
        t.target(GL_RGBA8, (16, 16));
        t.paint(PLAIN);
        let (a, b) = (query(t), query(t));
        for (q, r) in [(a, [-1.0, -1.0, 0.0, 0.0]), (b, FULL)] {
            t.BeginQuery(GL_SAMPLES_PASSED, q);
            t.rect(r, 0.0);
            t.EndQuery(GL_SAMPLES_PASSED);
        }
        t.eq("both", (result(t, a), result(t, b)), (64, 256));
        t.rect(FULL, 0.0);
        t.eq("drawn outside", (result(t, a), result(t, b)), (64, 256));
        t.eq("again", counted(t, GL_SAMPLES_PASSED, a, 0.0), 256);
    }

    /// Whether any samples pass.
    fn any_samples_passed(t) {
        t.full_target();
        t.paint(PLAIN);
        t.Enable(GL_DEPTH_TEST);
        t.clear([0.0; 4]);
        let q = query(t);
        t.eq("yes", counted(t, GL_ANY_SAMPLES_PASSED, q, 0.0), 1);
        t.eq("no", counted(t, GL_ANY_SAMPLES_PASSED, q, 0.5), 0);
        let mut v = -1;
        t.GetQueryObjectiv(q, GL_QUERY_RESULT_AVAILABLE, &mut v);
        t.eq("available", v, 1);
        t.GetQueryiv(GL_ANY_SAMPLES_PASSED, GL_CURRENT_QUERY, &mut v);
        t.eq("none current", v, 0);
        t.BeginQuery(GL_ANY_SAMPLES_PASSED, q);
        t.GetQueryiv(GL_ANY_SAMPLES_PASSED, GL_CURRENT_QUERY, &mut v);
        t.eq("current", v as u32, q);
        t.EndQuery(GL_ANY_SAMPLES_PASSED);
    }

    /// Primitives that reach the rasteriser, with a geometry shader too.
    fn primitives_generated(t) {
        t.target(GL_RGBA8, (8, 8));
        t.paint(PLAIN);
        let q = query(t);
        t.eq("a strip", counted(t, GL_PRIMITIVES_GENERATED, q, 0.0), 2);
        t.BeginQuery(GL_PRIMITIVES_GENERATED, q);
        t.DrawArrays(GL_POINTS, 0, 7);
        t.DrawArraysInstanced(GL_TRIANGLES, 0, 6, 3);
        t.DrawArrays(GL_LINE_LOOP, 0, 4);
        t.EndQuery(GL_PRIMITIVES_GENERATED);
        t.eq("points, instances, a loop", result(t, q), 7 + 6 + 4);
        t.program_with(&[(GL_VERTEX_SHADER, "void main() { gl_Position = vec4(0); }"),
            (GL_GEOMETRY_SHADER, "layout(points) in; layout(points, max_vertices = 3) out; void main() { for (int i = 0; i < 3; i++) { gl_Position = vec4(0); EmitVertex(); EndPrimitive(); } }"),
            (GL_FRAGMENT_SHADER, PLAIN)], |_| {});
        t.BeginQuery(GL_PRIMITIVES_GENERATED, q);
        t.DrawArrays(GL_POINTS, 0, 5);
        t.EndQuery(GL_PRIMITIVES_GENERATED);
        t.eq("of the geometry shader", result(t, q), 15);
    }

    /// Timers give times; timestamps do not go back.
    fn timers(t) {
        t.target(GL_RGBA8, (8, 8));
        t.paint(PLAIN);
        let (q, a, b) = (query(t), query(t), query(t));
        t.QueryCounter(a, GL_TIMESTAMP);
        t.BeginQuery(GL_TIME_ELAPSED, q);
        t.strip();
        t.EndQuery(GL_TIME_ELAPSED);
        t.QueryCounter(b, GL_TIMESTAMP);
        let get = |q| { let mut v = 0u64; t.GetQueryObjectui64v(q, GL_QUERY_RESULT, &mut v); v };
        let (elapsed, before, after) = (get(q), get(a), get(b));
        t.is("in order", before <= after);
        // llvmpipe's elapsed times are no times at all; that one is there must do.
        t.is("a result", elapsed > 0);
        let mut now = 0i64;
        t.GetInteger64v(GL_TIMESTAMP, &mut now);
        t.is("now", now > 0);
        let mut bits = 0;
        t.GetQueryiv(GL_TIME_ELAPSED, GL_QUERY_COUNTER_BITS, &mut bits);
        t.is("bits", bits >= 30);
    }

    /// What queries refuse.
    fn errors(t) {
        let (a, b) = (query(t), query(t));
        t.eq("not one yet", t.IsQuery(a), 0);
        t.BeginQuery(GL_SAMPLES_PASSED, a);
        t.wrong(&[
            ("a second of a target", GL_INVALID_OPERATION, &|t| t.BeginQuery(GL_SAMPLES_PASSED, b)),
            ("the same for another target", GL_INVALID_OPERATION, &|t| t.BeginQuery(GL_PRIMITIVES_GENERATED, a)),
            ("ending what is not begun", GL_INVALID_OPERATION, &|t| t.EndQuery(GL_TIME_ELAPSED)),
            ("its result", GL_INVALID_OPERATION, &|t| t.GetQueryObjectuiv(a, GL_QUERY_RESULT, &mut 0)),
            ("a name of zero", GL_INVALID_OPERATION, &|t| t.BeginQuery(GL_TIME_ELAPSED, 0)),
            ("a name that was not made", GL_INVALID_OPERATION, &|t| t.BeginQuery(GL_TIME_ELAPSED, 54321)),
            ("a target that is none", GL_INVALID_ENUM, &|t| t.BeginQuery(GL_TEXTURE_2D, b)),
            ("timestamps are not begun", GL_INVALID_ENUM, &|t| t.BeginQuery(GL_TIMESTAMP, b)),
        ]);
        t.EndQuery(GL_SAMPLES_PASSED);
        t.eq("one now", t.IsQuery(a), 1);
        t.wrong(&[
            ("another target later", GL_INVALID_OPERATION, &|t| t.BeginQuery(GL_TIME_ELAPSED, a)),
            ("a query that is none", GL_INVALID_OPERATION, &|t| t.GetQueryObjectuiv(54321, GL_QUERY_RESULT, &mut 0)),
            ("a value that is none", GL_INVALID_ENUM, &|t| t.GetQueryObjectuiv(a, GL_CURRENT_QUERY, &mut 0)),
            ("a target's value that is none", GL_INVALID_ENUM, &|t| t.GetQueryiv(GL_SAMPLES_PASSED, GL_QUERY_RESULT, &mut 0)),
            ("a counter of no time", GL_INVALID_ENUM, &|t| t.QueryCounter(b, GL_SAMPLES_PASSED)),
            ("glGenQueries", GL_INVALID_VALUE, &|t| t.GenQueries(-1, &mut 0)),
        ]);
        t.DeleteQueries(1, &a);
        t.eq("gone", t.IsQuery(a), 0);
    }

    /// Draws and clears inside a conditional are left out when nothing passed.
    fn conditional_rendering(t) {
        t.full_target();
        t.paint(PLAIN);
        t.Enable(GL_DEPTH_TEST);
        t.clear([0.0; 4]);
        let (hit, miss) = (query(t), query(t));
        counted(t, GL_SAMPLES_PASSED, hit, 0.0);
        counted(t, GL_SAMPLES_PASSED, miss, 0.5);
        t.Disable(GL_DEPTH_TEST);
        for (mode, what) in [(GL_QUERY_WAIT, "wait"), (GL_QUERY_BY_REGION_WAIT, "by region")] {
            for (q, drawn) in [(hit, true), (miss, false)] {
                t.clear([0.0; 4]);
                t.BeginConditionalRender(q, mode);
                t.rect(FULL, 0.0);
                t.EndConditionalRender();
                t.eq(&format!("{what}: drawn"), t.pixel(4, 4)[0] != 0, drawn);
                t.BeginConditionalRender(q, mode);
                t.clear([0.0, 0.0, 1.0, 1.0]);
                t.EndConditionalRender();
                t.eq(&format!("{what}: cleared"), t.pixel(4, 4) == [0, 0, 255, 255], drawn);
            }
        }
        t.wrong(&[
            ("ending what is not begun", GL_INVALID_OPERATION, &|t| t.EndConditionalRender()),
            ("a query that is none", GL_INVALID_VALUE, &|t| t.BeginConditionalRender(54321, GL_QUERY_WAIT)),
            ("a mode that is none", GL_INVALID_ENUM, &|t| t.BeginConditionalRender(hit, GL_QUERY_RESULT)),
        ]);
        t.BeginConditionalRender(hit, GL_QUERY_NO_WAIT);
        t.wrong(&[("twice", GL_INVALID_OPERATION, &|t| t.BeginConditionalRender(miss, GL_QUERY_WAIT))]);
        t.EndConditionalRender();
    }

    /// Fences become signalled, and tell what they are.
    fn fences(t) {
        t.target(GL_RGBA8, (8, 8));
        t.paint(PLAIN);
        t.strip();
        let f = t.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        t.eq("is one", t.IsSync(f), 1);
        let get = |n| { let (mut v, mut l) = (-1, 0); t.GetSynciv(f, n, 1, &mut l, &mut v); (v as u32, l) };
        t.eq("type and condition", (get(GL_OBJECT_TYPE), get(GL_SYNC_CONDITION), get(GL_SYNC_FLAGS)), ((GL_SYNC_FENCE, 1), (GL_SYNC_GPU_COMMANDS_COMPLETE, 1), (0, 1)));
        let waited = t.ClientWaitSync(f, GL_SYNC_FLUSH_COMMANDS_BIT, 5_000_000_000);
        t.is("waited", waited == GL_CONDITION_SATISFIED || waited == GL_ALREADY_SIGNALED);
        t.eq("again", t.ClientWaitSync(f, 0, 0), GL_ALREADY_SIGNALED);
        t.eq("status", get(GL_SYNC_STATUS).0, GL_SIGNALED);
        t.WaitSync(f, 0, GL_TIMEOUT_IGNORED);
        t.ok("waiting on the server");
        t.wrong(&[
            ("a condition that is none", GL_INVALID_ENUM, &|t| { t.FenceSync(GL_SYNC_FENCE, 0); }),
            ("flags", GL_INVALID_VALUE, &|t| { t.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 1); }),
            ("flags of a wait", GL_INVALID_VALUE, &|t| { t.ClientWaitSync(f, 2, 0); }),
            ("a time of a server's wait", GL_INVALID_VALUE, &|t| t.WaitSync(f, 0, 5)),
            ("a sync that is none", GL_INVALID_VALUE, &|t| { t.ClientWaitSync(0x1234_5670 as *mut _, 0, 0); }),
            ("a value that is none", GL_INVALID_ENUM, &|t| t.GetSynciv(f, GL_TEXTURE, 1, std::ptr::null_mut(), &mut 0)),
            ("deleting what is none", GL_INVALID_VALUE, &|t| t.DeleteSync(0x1234_5670 as *mut _)),
        ]);
        t.DeleteSync(f);
        t.eq("gone", t.IsSync(f), 0);
        t.DeleteSync(std::ptr::null_mut());
        t.ok("deleting nothing");
    }
}
