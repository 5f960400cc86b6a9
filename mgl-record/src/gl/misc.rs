//! Errors, hints, debug output, flushes, and switches of the fixed function that change nothing.

use super::entry::gl_entry;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use mgl_core::pipe::{Call, DebugMarker, Flush, FlushFlags};
use std::collections::BTreeMap;

/// Values that no draw depends on.
pub struct MiscState {
    hints: BTreeMap<GLenum, GLenum>,
    debug: [bool; 2],
    debug_callback: (GLDEBUGPROC, usize),
    debug_groups: Vec<String>,
    /// Open groups of EXT_debug_marker.
    marker_groups: u32,
    /// GL_POINT_FADE_THRESHOLD_SIZE.
    pub point_fade_threshold: f32,
    refused: BTreeMap<(&'static str, GLenum), u64>,
    strings: BTreeMap<GLenum, std::ffi::CString>,
}

impl Default for MiscState {
    fn default() -> Self {
        Self {
            hints: BTreeMap::new(),
            debug: [false; 2],
            debug_callback: (None, 0),
            debug_groups: Vec::new(),
            marker_groups: 0,
            point_fade_threshold: 1.0,
            refused: BTreeMap::new(),
            strings: BTreeMap::new(),
        }
    }
}

impl MiscState {
    /// Reads or sets a debug switch.
    pub fn debug_switch(&mut self, cap: GLenum, set: Option<bool>) -> bool {
        let place = &mut self.debug[usize::from(cap == GL_DEBUG_OUTPUT_SYNCHRONOUS)];
        *place = set.unwrap_or(*place);
        *place
    }
    /// Sets a hint; false for one that does not exist.
    pub fn set_hint(&mut self, target: GLenum, mode: GLenum, core: bool) -> bool {
        let ok = self.hint(target, core).is_some()
            && matches!(mode, GL_FASTEST | GL_NICEST | GL_DONT_CARE);
        if ok {
            self.hints.insert(target, mode);
        }
        ok
    }
    /// A hint's value; `None` for one that the profile lacks.
    #[must_use]
    pub fn hint(&self, target: GLenum, core: bool) -> Option<GLenum> {
        let exists = match target {
            GL_LINE_SMOOTH_HINT
            | GL_POLYGON_SMOOTH_HINT
            | GL_TEXTURE_COMPRESSION_HINT
            | GL_FRAGMENT_SHADER_DERIVATIVE_HINT => true,
            GL_PERSPECTIVE_CORRECTION_HINT
            | GL_POINT_SMOOTH_HINT
            | GL_FOG_HINT
            | GL_GENERATE_MIPMAP_HINT => !core,
            _ => false,
        };
        exists.then(|| self.hints.get(&target).copied().unwrap_or(GL_DONT_CARE))
    }
    /// Every hint that was set.
    #[must_use]
    pub fn hints(&self) -> &BTreeMap<GLenum, GLenum> {
        &self.hints
    }
    /// Replaces all hints.
    pub fn restore_hints(&mut self, hints: BTreeMap<GLenum, GLenum>) {
        self.hints = hints;
    }
    /// Counts a legal value that the driver does not lower, and says so once.
    pub fn refuse_value(&mut self, entry: &'static str, value: GLenum) {
        let n = self.refused.entry((entry, value)).or_insert(0);
        *n += 1;
        if *n == 1 {
            eprintln!("mgl: {entry}({value:#06x}) is not supported; refused");
        }
    }
    /// Counts a legal value that is kept but has no effect on what is drawn, and says so once.
    pub fn without_effect(&mut self, entry: &'static str, value: GLenum) {
        let n = self.refused.entry((entry, value)).or_insert(0);
        *n += 1;
        if *n == 1 {
            eprintln!("mgl: {entry}({value:#06x}) has no effect on what is drawn");
        }
    }
    /// GL_DEBUG_CALLBACK_FUNCTION or GL_DEBUG_CALLBACK_USER_PARAM.
    #[must_use]
    pub fn debug_pointer(&self, pname: GLenum) -> Option<usize> {
        match pname {
            GL_DEBUG_CALLBACK_FUNCTION => Some(self.debug_callback.0.map_or(0, |f| f as usize)),
            GL_DEBUG_CALLBACK_USER_PARAM => Some(self.debug_callback.1),
            _ => None,
        }
    }
    /// Refused values, with how often.
    #[must_use]
    pub fn refused(&self) -> &BTreeMap<(&'static str, GLenum), u64> {
        &self.refused
    }
    /// Keeps a string for the life of the context and gives its address: the first one given for `name` stays.
    pub fn keep_string(&mut self, name: GLenum, text: String) -> *const std::ffi::c_char {
        self.strings
            .entry(name)
            .or_insert_with(|| std::ffi::CString::new(text.replace('\0', "")).unwrap_or_default())
            .as_ptr()
    }
    /// Open debug groups.
    #[must_use]
    pub fn debug_depth(&self) -> usize {
        self.debug_groups.len()
    }
}

impl Gl<'_> {
    fn marker(&mut self, kind: u32, id: u32, length: GLsizei, text: *const GLchar) {
        if text.is_null() {
            return;
        }
        // SAFETY: the caller gives `length` characters, or a zero-terminated text where it is negative.
        let bytes = unsafe {
            match usize::try_from(length) {
                Ok(n) => std::slice::from_raw_parts(text.cast::<u8>(), n),
                Err(_) => std::ffi::CStr::from_ptr(text).to_bytes(),
            }
        };
        self.pipe.push(Call::DebugMarker {
            p: &DebugMarker { kind, id },
            text: bytes,
        });
    }
}

gl_entry! {
    /// The first error since the last call (GL 4.6 §2.3.1).
    fn glGetError(gl) -> GLenum { gl.take_error() }
    /// Hands all commands to the GPU (GL 4.6 §2.3.2).
    fn glFlush(gl) {
        crate::context::frame_ended();
        gl.pipe.push(Call::Flush { p: &Flush::default() })
    }
    /// Waits until all commands are done (GL 4.6 §2.3.3).
    fn glFinish(gl) {
        crate::context::frame_ended();
        gl.pipe.push(Call::Flush { p: &Flush { flags: FlushFlags::FINISH, ..Flush::default() } });
        gl.share.request_sweep();
    }
    /// Where debug messages go (GL 4.6 §20.2). The driver generates none of its own.
    fn glDebugMessageCallback(gl, callback: GLDEBUGPROC, user: *const core::ffi::c_void) { gl.ctx.misc.debug_callback = (callback, user as usize) }
    /// Which debug messages are wanted (GL 4.6 §20.4): checked, and without effect as there are none.
    fn glDebugMessageControl(gl, source: GLenum, kind: GLenum, severity: GLenum, count: GLsizei, _ids: *const GLuint, _enabled: GLboolean) {
        if count < 0 { return gl.raise(GL_INVALID_VALUE) }
        let known = matches!(source, GL_DONT_CARE | GL_DEBUG_SOURCE_API..=GL_DEBUG_SOURCE_OTHER)
            && matches!(kind, GL_DONT_CARE | GL_DEBUG_TYPE_ERROR..=GL_DEBUG_TYPE_OTHER | GL_DEBUG_TYPE_MARKER..=GL_DEBUG_TYPE_POP_GROUP)
            && matches!(severity, GL_DONT_CARE | GL_DEBUG_SEVERITY_HIGH..=GL_DEBUG_SEVERITY_LOW | GL_DEBUG_SEVERITY_NOTIFICATION);
        if !known { gl.raise(GL_INVALID_ENUM) }
    }
    /// A message of the program's own, which becomes a marker on the pipe (GL 4.6 §20.5).
    fn glDebugMessageInsert(gl, _source: GLenum, _kind: GLenum, id: GLuint, _severity: GLenum, length: GLsizei, buf: *const GLchar) { gl.marker(0, id, length, buf) }
    /// Opens a debug group (GL 4.6 §20.6).
    fn glPushDebugGroup(gl, _source: GLenum, id: GLuint, length: GLsizei, message: *const GLchar) {
        if gl.ctx.misc.debug_groups.len() >= 63 { return gl.raise(GL_STACK_OVERFLOW) }
        gl.ctx.misc.debug_groups.push(String::new());
        gl.marker(1, id, length, message)
    }
    /// Closes a debug group.
    fn glPopDebugGroup(gl) {
        if gl.ctx.misc.debug_groups.pop().is_none() { return gl.raise(GL_STACK_UNDERFLOW) }
        gl.pipe.push(Call::DebugMarker { p: &DebugMarker { kind: 2, id: 0 }, text: &[] })
    }
    /// A marker (EXT_debug_marker); a length of 0 means a zero-terminated text.
    fn glInsertEventMarkerEXT(gl, length: GLsizei, marker: *const GLchar) { gl.marker(0, 0, if length == 0 { -1 } else { length }, marker) }
    /// Opens a group of markers (EXT_debug_marker), apart from debug groups; a length of 0 means a zero-terminated text.
    fn glPushGroupMarkerEXT(gl, length: GLsizei, marker: *const GLchar) {
        gl.ctx.misc.marker_groups += 1;
        // Without a name it is a group all the same: every opening has its closing on the pipe.
        let marker = if marker.is_null() { c"".as_ptr() } else { marker };
        gl.marker(1, 0, if length == 0 { -1 } else { length }, marker)
    }
    /// Closes a group of markers (EXT_debug_marker); one that was not opened is no error.
    fn glPopGroupMarkerEXT(gl) {
        if gl.ctx.misc.marker_groups > 0 {
            gl.ctx.misc.marker_groups -= 1;
            gl.pipe.push(Call::DebugMarker { p: &DebugMarker { kind: 2, id: 0 }, text: &[] })
        }
    }
    /// Marks the end of a frame for tracers (GREMEDY_string_marker).
    fn glStringMarkerGREMEDY(gl, len: GLsizei, string: *const core::ffi::c_void) { gl.marker(0, 0, if len == 0 { -1 } else { len }, string.cast()) }
}
