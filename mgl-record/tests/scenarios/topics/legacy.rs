//! State of the fixed function in compatibility contexts: kept, and without influence on what shaders draw
//! (GL 3.3 compatibility profile §2.7 to §2.13, §6.1.21).

use crate::bindings::consts::gl::*;
use crate::rig::PLAIN;

const IDENTITY: [f32; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// All of the window, in clip space.
const ALL: [f32; 4] = [-1.0, -1.0, 1.0, 1.0];

scenarios! {
    /// What a toolkit sets around its drawing and that of others changes nothing that a shader draws.
    [Compatibility] fn a_painters_frame(t) {
        t.paint(PLAIN);
        t.PushAttrib(GL_ALL_ATTRIB_BITS);
        t.PushClientAttrib(GL_CLIENT_ALL_ATTRIB_BITS);
        t.MatrixMode(GL_PROJECTION);
        t.PushMatrix();
        t.LoadIdentity();
        t.Ortho(0.0, 64.0, 64.0, 0.0, -999999.0, 999999.0);
        t.MatrixMode(GL_MODELVIEW);
        t.PushMatrix();
        t.LoadMatrixf(IDENTITY.as_ptr());
        t.Translatef(10.0, 20.0, 0.0);
        t.ShadeModel(GL_FLAT);
        t.Color4f(0.0, 0.0, 0.0, 0.0);
        t.TexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE as i32);
        t.AlphaFunc(GL_ALWAYS, 0.0);
        for cap in [GL_TEXTURE_2D, GL_LIGHTING, GL_FOG, GL_NORMALIZE, GL_COLOR_MATERIAL] {
            t.Enable(cap);
            t.is("enabled", t.IsEnabled(cap) != 0);
        }
        t.EnableClientState(GL_VERTEX_ARRAY);
        t.ok("what a painter sets");
        t.color([0.0, 1.0, 0.0, 1.0]);
        t.rect(ALL, 0.0);
        t.pixel_is("drawn as ever", 3, 3, [0, 255, 0, 255]);
        t.PopMatrix();
        t.MatrixMode(GL_PROJECTION);
        t.PopMatrix();
        t.PopClientAttrib();
        t.PopAttrib();
        t.ok("and takes back");
        t.is("switches are back", t.IsEnabled(GL_LIGHTING) == 0 && t.IsEnabled(GL_VERTEX_ARRAY) == 0);
        t.eq("mode is back", t.int(GL_MATRIX_MODE) as u32, GL_MODELVIEW);
        t.eq("matrix is back", t.floats::<16>(GL_PROJECTION_MATRIX), IDENTITY);
    }

    /// Stacks have the depth that they say, and errors at both ends.
    [Compatibility] fn stacks_end(t) {
        for (mode, depth, limit) in [
            (GL_MODELVIEW, GL_MODELVIEW_STACK_DEPTH, GL_MAX_MODELVIEW_STACK_DEPTH),
            (GL_PROJECTION, GL_PROJECTION_STACK_DEPTH, GL_MAX_PROJECTION_STACK_DEPTH),
            (GL_TEXTURE, GL_TEXTURE_STACK_DEPTH, GL_MAX_TEXTURE_STACK_DEPTH),
        ] {
            t.MatrixMode(mode);
            t.eq("one matrix", t.int(depth), 1);
            (1..t.int(limit)).for_each(|_| t.PushMatrix());
            t.ok("up to the limit");
            t.PushMatrix();
            t.error("beyond it", GL_STACK_OVERFLOW);
            (1..t.int(limit)).for_each(|_| t.PopMatrix());
            t.PopMatrix();
            t.error("below the last", GL_STACK_UNDERFLOW);
        }
        t.PopAttrib();
        t.error("no attributes", GL_STACK_UNDERFLOW);
        (0..t.int(GL_MAX_ATTRIB_STACK_DEPTH)).for_each(|_| t.PushAttrib(GL_CURRENT_BIT));
        t.ok("as many as there is room for");
        t.PushAttrib(0);
        t.error("one more", GL_STACK_OVERFLOW);
        (0..t.int(GL_MAX_ATTRIB_STACK_DEPTH)).for_each(|_| t.PopAttrib());
        t.PopClientAttrib();
        t.error("no client attributes", GL_STACK_UNDERFLOW);
        t.wrong(&[
            ("a mode that is none", GL_INVALID_ENUM, &|t| t.MatrixMode(GL_BLEND)),
            ("an empty volume", GL_INVALID_VALUE, &|t| t.Ortho(1.0, 1.0, 0.0, 1.0, 0.0, 1.0)),
            ("a volume behind the eye", GL_INVALID_VALUE, &|t| t.Frustum(0.0, 1.0, 0.0, 1.0, -1.0, 1.0)),
        ]);
    }

    /// What draws is among what glPopAttrib brings back.
    [Compatibility] fn groups_of_state_come_back(t) {
        t.paint(PLAIN);
        t.clear([0.0, 0.0, 1.0, 1.0]);
        t.PushAttrib(GL_COLOR_BUFFER_BIT | GL_SCISSOR_BIT | GL_DEPTH_BUFFER_BIT | GL_VIEWPORT_BIT);
        t.Enable(GL_BLEND);
        t.BlendFunc(GL_ZERO, GL_ONE);
        t.ColorMask(0, 0, 0, 0);
        t.Enable(GL_SCISSOR_TEST);
        t.Scissor(0, 0, 1, 1);
        t.Viewport(0, 0, 1, 1);
        t.DepthFunc(GL_NEVER);
        t.Enable(GL_DEPTH_TEST);
        t.color([1.0, 0.0, 0.0, 1.0]);
        t.rect(ALL, 0.0);
        t.pixel_is("nothing is drawn", 3, 3, [0, 0, 255, 255]);
        t.PopAttrib();
        t.ok("groups");
        t.color([1.0, 0.0, 0.0, 1.0]);
        t.rect(ALL, 0.0);
        t.pixel_is("all of it is", 3, 3, [255, 0, 0, 255]);
        t.eq("depth", t.int(GL_DEPTH_FUNC) as u32, GL_LESS);
    }

    /// Current values and parameters read back as they were set.
    [Compatibility] fn values_read_back(t) {
        t.Color3ub(255, 0, 0);
        t.eq("colour", t.floats::<4>(GL_CURRENT_COLOR), [1.0, 0.0, 0.0, 1.0]);
        t.MultiTexCoord2f(GL_TEXTURE0, 3.0, 4.0);
        t.eq("coordinates", t.floats::<4>(GL_CURRENT_TEXTURE_COORDS), [3.0, 4.0, 0.0, 1.0]);
        t.Normal3f(1.0, 0.0, 0.0);
        t.eq("normal", t.floats::<3>(GL_CURRENT_NORMAL), [1.0, 0.0, 0.0]);
        t.Fogf(GL_FOG_DENSITY, 0.5);
        t.eq("fog", t.floats::<1>(GL_FOG_DENSITY), [0.5]);
        t.AlphaFunc(GL_GREATER, 0.25);
        t.eq("alpha", (t.int(GL_ALPHA_TEST_FUNC) as u32, t.floats::<1>(GL_ALPHA_TEST_REF)), (GL_GREATER, [0.25]));
        let mut v = [0f32; 4];
        t.Lightfv(GL_LIGHT0, GL_POSITION, [1f32, 2.0, 3.0, 0.0].as_ptr());
        t.GetLightfv(GL_LIGHT0, GL_POSITION, v.as_mut_ptr());
        t.eq("light", v, [1.0, 2.0, 3.0, 0.0]);
        t.ClipPlane(GL_CLIP_PLANE0, [1.0, 2.0, 3.0, 4.0].as_ptr());
        let mut d = [0f64; 4];
        t.GetClipPlane(GL_CLIP_PLANE0, d.as_mut_ptr());
        t.eq("plane", d, [1.0, 2.0, 3.0, 4.0]);
        t.TexGeni(GL_S, GL_TEXTURE_GEN_MODE, GL_SPHERE_MAP as i32);
        let mut mode = 0;
        t.GetTexGeniv(GL_S, GL_TEXTURE_GEN_MODE, &mut mode);
        t.eq("generation", mode as u32, GL_SPHERE_MAP);
        t.ok("all of it");
        t.wrong(&[
            ("a light that is none", GL_INVALID_ENUM, &|t| t.Lightf(GL_LIGHT0 + 100, GL_SPOT_CUTOFF, 1.0)),
            ("a cone too wide", GL_INVALID_VALUE, &|t| t.Lightf(GL_LIGHT0, GL_SPOT_CUTOFF, 91.0)),
            ("negative fog", GL_INVALID_VALUE, &|t| t.Fogf(GL_FOG_DENSITY, -1.0)),
            ("an environment that is none", GL_INVALID_ENUM, &|t| t.TexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_LESS as i32)),
            ("an array that is none", GL_INVALID_ENUM, &|t| t.EnableClientState(GL_BLEND)),
        ]);
    }
}
