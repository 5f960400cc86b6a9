//! Errors, hints, flushes, and switches of the fixed function that change nothing.

use super::entry::gl_entry;
use super::types::*;
use crate::consts::gl::*;
use mgl_core::pipe::{Call, Flush, FlushFlags};
use std::collections::BTreeMap;

/// Values that no draw depends on.
pub struct MiscState {
    hints: BTreeMap<GLenum, GLenum>,
    /// GL_POINT_FADE_THRESHOLD_SIZE.
    pub point_fade_threshold: f32,
    refused: BTreeMap<(&'static str, GLenum), u64>,
    strings: BTreeMap<GLenum, std::ffi::CString>,
}

impl Default for MiscState {
    fn default() -> Self {
        Self {
            hints: BTreeMap::new(),
            point_fade_threshold: 1.0,
            refused: BTreeMap::new(),
            strings: BTreeMap::new(),
        }
    }
}

impl MiscState {
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
}
