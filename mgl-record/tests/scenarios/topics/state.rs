//! State: initial values, limits, conversions of queries, strings, debug output, and what tracers call (GL 3.3 chapter 6).

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, Rig, SIZE, cstr};
use std::ffi::CStr;

fn text(t: &Rig, name: u32) -> String {
    let p = t.GetString(name);
    // SAFETY: the strings of OpenGL are static and end in zero.
    if p.is_null() { String::new() } else { unsafe { CStr::from_ptr(p.cast()) }.to_string_lossy().into_owned() }
}

scenarios! {
    /// The initial values of tables 6.4 and following.
    fn initial_values(t) {
        let ints = [
            (GL_ACTIVE_TEXTURE, GL_TEXTURE0), (GL_BLEND_SRC_RGB, GL_ONE), (GL_BLEND_DST_RGB, GL_ZERO), (GL_BLEND_EQUATION_RGB, GL_FUNC_ADD), (GL_CULL_FACE_MODE, GL_BACK),
            (GL_FRONT_FACE, GL_CCW), (GL_DEPTH_FUNC, GL_LESS), (GL_DEPTH_WRITEMASK, 1), (GL_STENCIL_FUNC, GL_ALWAYS), (GL_STENCIL_REF, 0), (GL_STENCIL_FAIL, GL_KEEP), (GL_STENCIL_CLEAR_VALUE, 0),
            (GL_LOGIC_OP_MODE, GL_COPY), (GL_PROVOKING_VERTEX, GL_LAST_VERTEX_CONVENTION), (GL_PACK_ALIGNMENT, 4), (GL_UNPACK_ALIGNMENT, 4), (GL_CURRENT_PROGRAM, 0), (GL_ARRAY_BUFFER_BINDING, 0),
            (GL_DRAW_FRAMEBUFFER_BINDING, 0), (GL_RENDERBUFFER_BINDING, 0), (GL_TEXTURE_BINDING_2D, 0), (GL_SAMPLER_BINDING, 0), (GL_FRAGMENT_SHADER_DERIVATIVE_HINT, GL_DONT_CARE),
            (GL_LINE_SMOOTH_HINT, GL_DONT_CARE), (GL_CLAMP_READ_COLOR, GL_FIXED_ONLY), (GL_POINT_SPRITE_COORD_ORIGIN, GL_UPPER_LEFT), (GL_PRIMITIVE_RESTART_INDEX, 0),
        ];
        for (name, want) in ints { t.eq(&format!("{name:#x}"), t.int(name) as u32, want) }
        t.eq("stencil masks", (t.int(GL_STENCIL_WRITEMASK) as u32 & 0xFF, t.int(GL_STENCIL_VALUE_MASK) as u32 & 0xFF), (0xFF, 0xFF));
        t.eq("viewport and scissor", (t.ints::<4>(GL_VIEWPORT), t.ints::<4>(GL_SCISSOR_BOX)), ([0, 0, SIZE, SIZE], [0, 0, SIZE, SIZE]));
        t.eq("clear values", (t.floats::<4>(GL_COLOR_CLEAR_VALUE), t.floats::<1>(GL_DEPTH_CLEAR_VALUE)), ([0.0; 4], [1.0]));
        t.eq("depth range", t.floats::<2>(GL_DEPTH_RANGE), [0.0, 1.0]);
        t.eq("blend colour", t.floats::<4>(GL_BLEND_COLOR), [0.0; 4]);
        t.eq("coverage", (t.floats::<1>(GL_SAMPLE_COVERAGE_VALUE), t.int(GL_SAMPLE_COVERAGE_INVERT)), ([1.0], 0));
        t.eq("threshold", t.floats::<1>(GL_POINT_FADE_THRESHOLD_SIZE), [1.0]);
        // Whether a pbuffer has a front buffer of its own is the window system's matter.
        t.eq("buffers", (t.int(GL_STEREO), t.int(GL_SAMPLES)), (0, 0));
    }

    /// Limits are at least what table 6.39 and following demand.
    fn limits(t) {
        for (name, least) in [
            (GL_MAX_TEXTURE_SIZE, 1024), (GL_MAX_3D_TEXTURE_SIZE, 256), (GL_MAX_CUBE_MAP_TEXTURE_SIZE, 1024), (GL_MAX_ARRAY_TEXTURE_LAYERS, 256), (GL_MAX_RECTANGLE_TEXTURE_SIZE, 1024),
            (GL_MAX_RENDERBUFFER_SIZE, 1024), (GL_MAX_TEXTURE_BUFFER_SIZE, 65536), (GL_MAX_VERTEX_ATTRIBS, 16), (GL_MAX_DRAW_BUFFERS, 8), (GL_MAX_COLOR_ATTACHMENTS, 8), (GL_MAX_SAMPLES, 4),
            (GL_MAX_VERTEX_UNIFORM_COMPONENTS, 1024), (GL_MAX_FRAGMENT_UNIFORM_COMPONENTS, 1024), (GL_MAX_GEOMETRY_UNIFORM_COMPONENTS, 1024), (GL_MAX_VERTEX_UNIFORM_BLOCKS, 12),
            (GL_MAX_FRAGMENT_UNIFORM_BLOCKS, 12), (GL_MAX_COMBINED_UNIFORM_BLOCKS, 36), (GL_MAX_UNIFORM_BUFFER_BINDINGS, 36), (GL_MAX_UNIFORM_BLOCK_SIZE, 16384), (GL_MAX_TEXTURE_IMAGE_UNITS, 16),
            (GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS, 16), (GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 48), (GL_MAX_VARYING_COMPONENTS, 60), (GL_MAX_GEOMETRY_OUTPUT_VERTICES, 256),
            (GL_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS, 1024), (GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS, 64), (GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS, 4), (GL_MAX_CLIP_DISTANCES, 6),
            (GL_MAX_DUAL_SOURCE_DRAW_BUFFERS, 1), (GL_SUBPIXEL_BITS, 4), (GL_MAX_COLOR_TEXTURE_SAMPLES, 1), (GL_MAX_DEPTH_TEXTURE_SAMPLES, 1), (GL_MAX_INTEGER_SAMPLES, 1), (GL_MAX_SAMPLE_MASK_WORDS, 1),
            (GL_MAX_VERTEX_OUTPUT_COMPONENTS, 64), (GL_MAX_FRAGMENT_INPUT_COMPONENTS, 128), (GL_MAX_ELEMENTS_VERTICES, 1), (GL_MAX_ELEMENTS_INDICES, 1),
        ] {
            t.is(&format!("{name:#x} is {}", if t.int(name) >= least { "enough" } else { "too small" }), t.int(name) >= least);
        }
        t.ok("all are known");
        t.is("offsets", t.int(GL_MIN_PROGRAM_TEXEL_OFFSET) <= -8 && t.int(GL_MAX_PROGRAM_TEXEL_OFFSET) >= 7);
        t.is("viewport", t.ints::<2>(GL_MAX_VIEWPORT_DIMS).iter().all(|v| *v >= t.int(GL_MAX_TEXTURE_SIZE)));
        let mut wait = 0i64;
        t.GetInteger64v(GL_MAX_SERVER_WAIT_TIMEOUT, &mut wait);
        t.is("GL_MAX_SERVER_WAIT_TIMEOUT", wait > 0);
    }

    /// Values are converted to the type that is asked for.
    fn conversions(t) {
        t.ClearColor(1.0, 0.5, 0.0, 1.0);
        t.LineWidth(1.0);
        let mut b = [9u8; 4];
        t.GetBooleanv(GL_COLOR_CLEAR_VALUE, b.as_mut_ptr());
        t.eq("floats as booleans", b, [1, 1, 0, 1]);
        let i = t.ints::<4>(GL_COLOR_CLEAR_VALUE);
        t.is(&format!("colours as integers {i:?}"), i[0] == i32::MAX && (i[1] - (1 << 30)).abs() < 4 && i[2] == 0);
        t.eq("integers as floats", t.floats::<4>(GL_VIEWPORT), [0.0, 0.0, SIZE as f32, SIZE as f32]);
        t.eq("enumerants as floats", t.floats::<1>(GL_CULL_FACE_MODE), [GL_BACK as f32]);
        t.eq("booleans as integers", t.int(GL_DITHER), 1);
        let mut d = [0f64; 2];
        t.GetDoublev(GL_DEPTH_RANGE, d.as_mut_ptr());
        t.eq("doubles", d, [0.0, 1.0]);
        let mut l = 0i64;
        t.GetInteger64v(GL_MAX_TEXTURE_SIZE, &mut l);
        t.is("64 bits", l == i64::from(t.int(GL_MAX_TEXTURE_SIZE)));
        t.wrong(&[
            ("glGetIntegerv", GL_INVALID_ENUM, &|t| t.GetIntegerv(0x1234, [0; 4].as_mut_ptr())),
            ("glGetFloatv", GL_INVALID_ENUM, &|t| t.GetFloatv(0x1234, [0.0; 4].as_mut_ptr())),
            ("glGetBooleanv", GL_INVALID_ENUM, &|t| t.GetBooleanv(0x1234, [0; 4].as_mut_ptr())),
            ("glGetIntegeri_v", GL_INVALID_ENUM, &|t| t.GetIntegeri_v(GL_VIEWPORT + 0x10000, 0, [0; 4].as_mut_ptr())),
        ]);
    }

    /// Versions, and extensions by index.
    fn strings(t) {
        let version = text(t, GL_VERSION);
        let (major, minor) = (t.int(GL_MAJOR_VERSION), t.int(GL_MINOR_VERSION));
        t.is(&format!("{version} begins with its numbers"), version.starts_with(&format!("{major}.{minor}")));
        t.is("3.3 at least", (major, minor) >= (3, 3));
        t.is("names", !text(t, GL_VENDOR).is_empty() && !text(t, GL_RENDERER).is_empty());
        t.is("language", text(t, GL_SHADING_LANGUAGE_VERSION).split('.').next().and_then(|v| v.parse::<i32>().ok()) >= Some(3));
        let n = t.int(GL_NUM_EXTENSIONS);
        t.is("extensions", n > 0);
        let mut all: Vec<String> = (0..n as u32).map(|i| {
            // SAFETY: as above.
            unsafe { CStr::from_ptr(t.GetStringi(GL_EXTENSIONS, i).cast()) }.to_string_lossy().into_owned()
        }).collect();
        t.is("are names", all.iter().all(|e| e.starts_with("GL_")));
        all.sort();
        all.dedup();
        t.is("none twice", all.len() == n as usize);
        t.is("core", t.int(GL_CONTEXT_PROFILE_MASK) as u32 == GL_CONTEXT_CORE_PROFILE_BIT);
        t.wrong(&[
            ("one extension too many", GL_INVALID_VALUE, &|t| { t.GetStringi(GL_EXTENSIONS, n as u32); }),
            ("a string that is none", GL_INVALID_ENUM, &|t| { t.GetString(GL_BLEND); }),
            ("extensions in one string, in core", GL_INVALID_ENUM, &|t| { t.GetString(GL_EXTENSIONS); }),
            ("an indexed string that is none", GL_INVALID_ENUM, &|t| { t.GetStringi(GL_VENDOR, 0); }),
        ]);
    }

    /// The compatibility flavour has its extensions in one string.
    [Compatibility] fn extension_string(t) {
        let all = text(t, GL_EXTENSIONS);
        t.is("words", all.split(' ').filter(|w| !w.is_empty()).all(|w| w.starts_with("GL_")) && all.contains("GL_EXT_framebuffer_object"));
        t.is("no core bit", t.int(GL_CONTEXT_PROFILE_MASK) as u32 & GL_CONTEXT_CORE_PROFILE_BIT == 0);
    }

    /// Errors are kept until they are asked for, one of a kind at a time, and the first stays.
    fn errors_are_kept(t) {
        t.Enable(0x1234);
        t.Viewport(0, 0, -1, 1);
        let first = t.GetError();
        t.eq("the first", first, GL_INVALID_ENUM);
        while t.GetError() != GL_NO_ERROR {}
        t.ok("then none");
    }

    /// Hints are kept, and change nothing.
    fn hints(t) {
        for target in [GL_LINE_SMOOTH_HINT, GL_POLYGON_SMOOTH_HINT, GL_TEXTURE_COMPRESSION_HINT, GL_FRAGMENT_SHADER_DERIVATIVE_HINT] {
            t.Hint(target, GL_NICEST);
            t.eq(&format!("{target:#x}"), t.int(target) as u32, GL_NICEST);
        }
        t.wrong(&[
            ("a hint that is none", GL_INVALID_ENUM, &|t| t.Hint(GL_BLEND, GL_NICEST)),
            ("a wish that is none", GL_INVALID_ENUM, &|t| t.Hint(GL_LINE_SMOOTH_HINT, GL_LESS)),
        ]);
    }

    /// Clear colours are not clamped when they are set, depths are.
    fn clear_values(t) {
        t.ClearColor(2.0, -1.0, 0.5, 3.0);
        t.eq("colour", t.floats::<4>(GL_COLOR_CLEAR_VALUE), [2.0, -1.0, 0.5, 3.0]);
        t.ClearDepth(7.0);
        t.eq("depth", t.floats::<1>(GL_DEPTH_CLEAR_VALUE), [1.0]);
        t.ClearStencil(0x1FF);
        t.Clear(GL_STENCIL_BUFFER_BIT | GL_COLOR_BUFFER_BIT);
        t.eq("stencil is masked", t.stencil_at(1, 1), 0xFF);
        t.pixel_is("colour is clamped by its buffer", 1, 1, [255, 0, 128, 255]);
        t.BlendColor(2.0, -1.0, 0.5, 3.0);
        t.eq("blend colour", t.floats::<4>(GL_BLEND_COLOR), [2.0, -1.0, 0.5, 3.0]);
    }

    /// Texture and sampler parameters have their initial values, and levels tell of themselves.
    fn texture_state(t) {
        t.texture(GL_TEXTURE_2D);
        let mut fresh = 0;
        t.GenTextures(1, &mut fresh);
        t.BindTexture(GL_TEXTURE_2D, fresh);
        let get = |n| { let mut v = -77; t.GetTexParameteriv(GL_TEXTURE_2D, n, &mut v); v };
        for (name, want) in [
            (GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_LINEAR as i32), (GL_TEXTURE_MAG_FILTER, GL_LINEAR as i32), (GL_TEXTURE_WRAP_S, GL_REPEAT as i32), (GL_TEXTURE_WRAP_R, GL_REPEAT as i32),
            (GL_TEXTURE_BASE_LEVEL, 0), (GL_TEXTURE_MAX_LEVEL, 1000), (GL_TEXTURE_MIN_LOD, -1000), (GL_TEXTURE_MAX_LOD, 1000), (GL_TEXTURE_COMPARE_MODE, GL_NONE as i32),
            (GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL as i32), (GL_TEXTURE_SWIZZLE_R, GL_RED as i32), (GL_TEXTURE_SWIZZLE_A, GL_ALPHA as i32),
        ] { t.eq(&format!("{name:#x}"), get(name), want) }
        t.TexImage2D(GL_TEXTURE_2D, 0, GL_RGB10_A2 as i32, 8, 4, 0, GL_RGBA, GL_FLOAT, std::ptr::null());
        let level = |l, n| { let mut v = -1; t.GetTexLevelParameteriv(GL_TEXTURE_2D, l, n, &mut v); v };
        t.eq("level", [GL_TEXTURE_WIDTH, GL_TEXTURE_HEIGHT, GL_TEXTURE_DEPTH, GL_TEXTURE_INTERNAL_FORMAT, GL_TEXTURE_RED_SIZE, GL_TEXTURE_ALPHA_SIZE, GL_TEXTURE_DEPTH_SIZE, GL_TEXTURE_COMPRESSED].map(|n| level(0, n)),
            [8, 4, 1, GL_RGB10_A2 as i32, 10, 2, 0, 0]);
        t.eq("types", (level(0, GL_TEXTURE_RED_TYPE), level(0, GL_TEXTURE_DEPTH_TYPE)), (GL_UNSIGNED_NORMALIZED as i32, GL_NONE as i32));
        t.eq("a level that is not there", level(1, GL_TEXTURE_WIDTH), 0);
        t.wrong(&[
            ("a level's value that is none", GL_INVALID_ENUM, &|t| t.GetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_MIN_FILTER, &mut 0)),
            ("a negative level", GL_INVALID_VALUE, &|t| t.GetTexLevelParameteriv(GL_TEXTURE_2D, -1, GL_TEXTURE_WIDTH, &mut 0)),
            ("a parameter that is none", GL_INVALID_ENUM, &|t| t.GetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_WIDTH, &mut 0)),
            ("a target that is none", GL_INVALID_ENUM, &|t| t.TexParameteri(GL_RENDERBUFFER, GL_TEXTURE_WRAP_S, GL_REPEAT as i32)),
        ]);
    }

    /// What glretrace calls at each start: debug output where there is any, and named buffers on newer contexts only.
    fn what_tracers_call(t) {
        if t.has("glDebugMessageControl") {
            t.DebugMessageControl(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, std::ptr::null(), 1);
            t.ok("all messages");
            t.wrong(&[
                ("a source that is none", GL_INVALID_ENUM, &|t| t.DebugMessageControl(GL_BLEND, GL_DONT_CARE, GL_DONT_CARE, 0, std::ptr::null(), 1)),
                ("a negative count", GL_INVALID_VALUE, &|t| t.DebugMessageControl(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, -1, std::ptr::null(), 1)),
            ]);
        }
        if t.has("glPushDebugGroup") {
            let name = cstr("a group");
            t.PushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, name.as_ptr());
            t.PopDebugGroup();
            t.ok("a group");
            t.wrong(&[("one too few", GL_STACK_UNDERFLOW, &|t| t.PopDebugGroup())]);
        }
        t.paint(PLAIN);
        t.ValidateProgram(t.int(GL_CURRENT_PROGRAM) as u32);
        t.ClampColor(GL_CLAMP_READ_COLOR, GL_FIXED_ONLY);
        t.ok("and the rest");
    }

    /// glFlush and glFinish return.
    fn flush_and_finish(t) {
        t.clear([1.0; 4]);
        t.Flush();
        t.Finish();
        t.pixel_is("drawn", 0, 0, [255; 4]);
    }

    /// Fixed function in the core profile: refused by name, with GL_INVALID_OPERATION.
    fn fixed_function_is_gone(t) {
        // State that compatibility contexts keep: the error is the core profile's own.
        t.wrong(&[
            ("glMatrixMode", GL_INVALID_OPERATION, &|t| t.MatrixMode(GL_MODELVIEW)),
            ("glPushAttrib", GL_INVALID_OPERATION, &|t| t.PushAttrib(1)),
        ]);
        for (name, call) in [("glBegin", (|t| t.Begin(GL_TRIANGLES)) as fn(&Rig)), ("glEnd", |t| t.End())] {
            t.refuses(name);
            call(t);
            t.error(name, GL_INVALID_OPERATION);
        }
    }
}
