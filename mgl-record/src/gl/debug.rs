//! Debug messages and groups (GL 4.6 §20.2 to §20.9, KHR_debug), and the markers of EXT_debug_marker and
//! GREMEDY_string_marker.
//!
//! What a program says goes to the pipe too, in order with what it draws, whatever the volume control lets through: tools
//! that look at a trace, and tools below the back end, see the program's own words.

use super::entry::gl_entry;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::state::Share;
use crate::state::debug::{MAX_MESSAGE_LENGTH, Message, is_severity, is_source, is_type};
use mgl_core::pipe::{
    Call, DebugGroup, DebugGroupEnd, DebugMarker, DebugMessage, DebugSeverity, DebugSource,
    DebugType,
};

/// `length` characters, or a zero-terminated text where that is negative. Null is the empty text.
///
/// # Safety
///
/// `text` is null or has what `length` says.
pub(super) unsafe fn text_of<'a>(length: GLsizei, text: *const GLchar) -> &'a [u8] {
    if text.is_null() {
        return &[];
    }
    // SAFETY: by this function's contract.
    unsafe {
        match usize::try_from(length) {
            Ok(n) => std::slice::from_raw_parts(text.cast::<u8>(), n),
            Err(_) => std::ffi::CStr::from_ptr(text).to_bytes(),
        }
    }
}

/// The text of EXT_debug_marker and GREMEDY_string_marker: a length of 0 means a zero-terminated one.
///
/// # Safety
///
/// As [`text_of`].
unsafe fn marker_text<'a>(length: GLsizei, text: *const GLchar) -> &'a [u8] {
    // SAFETY: by this function's contract.
    unsafe { text_of(if length == 0 { -1 } else { length }, text) }
}

/// A program speaks for itself or for a library, and for nobody else (GL 4.6 §20.5).
fn is_own_source(source: GLenum) -> bool {
    matches!(
        source,
        GL_DEBUG_SOURCE_APPLICATION | GL_DEBUG_SOURCE_THIRD_PARTY
    )
}

/// An error's name, and what it says of a call (GL 4.6 table 2.3).
fn error_in_words(code: GLenum) -> (&'static str, &'static str) {
    match code {
        GL_INVALID_ENUM => ("GL_INVALID_ENUM", "an enumeration is none that it takes"),
        GL_INVALID_VALUE => (
            "GL_INVALID_VALUE",
            "a number is out of range, or names nothing",
        ),
        GL_INVALID_OPERATION => (
            "GL_INVALID_OPERATION",
            "the current state does not allow it",
        ),
        GL_INVALID_FRAMEBUFFER_OPERATION => (
            "GL_INVALID_FRAMEBUFFER_OPERATION",
            "the framebuffer is not complete",
        ),
        GL_OUT_OF_MEMORY => ("GL_OUT_OF_MEMORY", "there is not enough memory"),
        GL_STACK_OVERFLOW => ("GL_STACK_OVERFLOW", "the stack is full"),
        GL_STACK_UNDERFLOW => ("GL_STACK_UNDERFLOW", "the stack is empty"),
        _ => ("an error", "see its number"),
    }
}

impl Gl<'_> {
    /// Makes a message of an error of the current entry point. Its id is the error's number.
    #[cold]
    pub fn tell_error(&mut self, code: GLenum) {
        if !self.ctx.debug.is_on() {
            return;
        }
        let (name, why) = error_in_words(code);
        let text = format!("{name} in {}: {why}", self.entry);
        self.ctx.debug.message(Message {
            source: GL_DEBUG_SOURCE_API,
            kind: GL_DEBUG_TYPE_ERROR,
            id: code,
            severity: GL_DEBUG_SEVERITY_HIGH,
            text: text.into_bytes(),
        });
    }

    /// Makes a message of what the shader compiler or linker objected to, if anything.
    pub(super) fn tell_compiler(&mut self, id: GLuint, log: impl FnOnce(&Share) -> Option<&str>) {
        if !self.ctx.debug.is_on() {
            return;
        }
        if let Some(text) = log(self.share) {
            self.ctx.debug.message(Message {
                source: GL_DEBUG_SOURCE_SHADER_COMPILER,
                kind: GL_DEBUG_TYPE_ERROR,
                id,
                severity: GL_DEBUG_SEVERITY_HIGH,
                text: text.as_bytes().to_vec(),
            });
        }
    }

    fn control(
        &mut self,
        [source, kind, severity]: [GLenum; 3],
        ids: &mut dyn ExactSizeIterator<Item = GLuint>,
        on: bool,
    ) {
        let any = GL_DONT_CARE;
        let known = (source == any || is_source(source))
            && (kind == any || is_type(kind))
            && (severity == any || is_severity(severity));
        if !known {
            return self.raise(GL_INVALID_ENUM);
        }
        if ids.len() == 0 {
            return self.ctx.debug.control(source, kind, severity, on);
        }
        // Ids are those of one source and type, whatever their severity.
        if source == any || kind == any || severity != any {
            return self.raise(GL_INVALID_OPERATION);
        }
        for id in ids {
            self.ctx.debug.control_id(source, kind, id, on);
        }
    }

    fn insert(&mut self, m: DebugMessage, text: &[u8]) {
        self.pipe.push(Call::DebugMessage { p: &m, text });
        if self.ctx.debug.is_on() {
            self.ctx.debug.message(Message {
                source: m.source.0,
                kind: m.kind.0,
                id: m.id,
                severity: m.severity.0,
                text: text.to_vec(),
            });
        }
    }

    fn marker(&mut self, kind: u32, text: &[u8]) {
        let p = &DebugMarker { kind, id: 0 };
        self.pipe.push(Call::DebugMarker { p, text });
    }

    /// A message of the program's own, if it is not too long.
    fn own_text<'t>(&mut self, text: &'t [u8]) -> Option<&'t [u8]> {
        if text.len() >= MAX_MESSAGE_LENGTH {
            self.raise(GL_INVALID_VALUE);
            return None;
        }
        Some(text)
    }
}

/// Where glGetDebugMessageLog writes; each pointer may be null.
struct LogRoom {
    sources: *mut GLenum,
    kinds: *mut GLenum,
    ids: *mut GLuint,
    severities: *mut GLenum,
    lengths: *mut GLsizei,
    text: *mut GLchar,
    /// Characters at `text`.
    room: usize,
}

impl LogRoom {
    /// Takes up to `count` messages out of the log, until one does not fit; gives their number.
    ///
    /// # Safety
    ///
    /// The pointers are null or have room for `count` values, and `text` for `room` characters.
    unsafe fn fill(self, gl: &mut Gl<'_>, count: GLuint) -> GLuint {
        let mut used = 0;
        for n in 0..count {
            let length = match gl.ctx.debug.first_logged() {
                Some(m) => m.text.len() + 1,
                None => return n,
            };
            if !self.text.is_null() && length > self.room - used {
                return n;
            }
            let Some(m) = gl.ctx.debug.take_logged() else {
                return n;
            };
            let i = n as usize;
            // SAFETY: the n-th of `count` values, and `length` characters that were found to fit.
            unsafe {
                if !self.text.is_null() {
                    let to = self.text.add(used);
                    std::ptr::copy_nonoverlapping(m.text.as_ptr(), to.cast::<u8>(), length - 1);
                    *to.add(length - 1) = 0;
                }
                let put = |at: *mut u32, value: u32| {
                    if !at.is_null() {
                        at.add(i).write_unaligned(value);
                    }
                };
                put(self.sources, m.source);
                put(self.kinds, m.kind);
                put(self.ids, m.id);
                put(self.severities, m.severity);
                put(self.lengths.cast(), length as u32);
            }
            used += length;
        }
        count
    }
}

gl_entry! {
    /// Where debug messages go (GL 4.6 §20.2). They come in the thread that made them, when its entry point holds no lock.
    fn glDebugMessageCallback(gl, callback: GLDEBUGPROC, user: *const core::ffi::c_void) {
        gl.ctx.debug.set_callback(callback, user as usize)
    }
    /// Which debug messages are wanted (GL 4.6 §20.4).
    fn glDebugMessageControl(gl, source: GLenum, kind: GLenum, severity: GLenum, count: GLsizei, ids: *const GLuint, enabled: GLboolean) {
        let Ok(count) = usize::try_from(count) else { return gl.raise(GL_INVALID_VALUE) };
        let count = if ids.is_null() { 0 } else { count };
        // SAFETY: the program gives `count` ids.
        let mut ids = (0..count).map(|i| unsafe { ids.add(i).read_unaligned() });
        gl.control([source, kind, severity], &mut ids, enabled != 0)
    }
    /// A message of the program's own (GL 4.6 §20.5).
    fn glDebugMessageInsert(gl, source: GLenum, kind: GLenum, id: GLuint, severity: GLenum, length: GLsizei, buf: *const GLchar) {
        if !(is_own_source(source) && is_type(kind) && is_severity(severity)) { return gl.raise(GL_INVALID_ENUM) }
        // SAFETY: the program gives a text of that length, or a zero-terminated one.
        let Some(text) = gl.own_text(unsafe { text_of(length, buf) }) else { return };
        let m = DebugMessage { source: DebugSource(source), kind: DebugType(kind), severity: DebugSeverity(severity), id };
        gl.insert(m, text)
    }
    /// Opens a debug group (GL 4.6 §20.6).
    fn glPushDebugGroup(gl, source: GLenum, id: GLuint, length: GLsizei, message: *const GLchar) {
        if !is_own_source(source) { return gl.raise(GL_INVALID_ENUM) }
        // SAFETY: the program gives a text of that length, or a zero-terminated one.
        let Some(text) = gl.own_text(unsafe { text_of(length, message) }) else { return };
        if !gl.ctx.debug.push_group(source, id, text) { return gl.raise(GL_STACK_OVERFLOW) }
        gl.pipe.push(Call::PushDebugGroup { p: &DebugGroup { source: DebugSource(source), id }, text })
    }
    /// Closes a debug group (GL 4.6 §20.6).
    fn glPopDebugGroup(gl) {
        if !gl.ctx.debug.pop_group() { return gl.raise(GL_STACK_UNDERFLOW) }
        gl.pipe.push(Call::PopDebugGroup { p: &DebugGroupEnd::default() })
    }
    /// Takes messages out of the log, the oldest first (GL 4.6 §20.9); gives their number.
    fn glGetDebugMessageLog(
        gl, count: GLuint, size: GLsizei, sources: *mut GLenum, types: *mut GLenum, ids: *mut GLuint,
        severities: *mut GLenum, lengths: *mut GLsizei, log: *mut GLchar,
    ) -> GLuint {
        let room = match usize::try_from(size) {
            Ok(n) => n,
            Err(_) if log.is_null() => 0,
            Err(_) => {
                gl.raise(GL_INVALID_VALUE);
                return 0;
            }
        };
        let place = LogRoom { sources, kinds: types, ids, severities, lengths, text: log, room };
        // SAFETY: the program gives room for `count` values at each pointer that is not null, and `size` characters.
        unsafe { place.fill(gl, count) }
    }
    /// A marker (EXT_debug_marker); a length of 0 means a zero-terminated text.
    fn glInsertEventMarkerEXT(gl, length: GLsizei, marker: *const GLchar) {
        if length < 0 { return gl.raise(GL_INVALID_VALUE) }
        // SAFETY: the program gives a text of that length, or a zero-terminated one.
        gl.marker(0, unsafe { marker_text(length, marker) })
    }
    /// Opens a group of markers (EXT_debug_marker), apart from debug groups; a length of 0 means a zero-terminated text.
    /// Without a name it is a group all the same.
    fn glPushGroupMarkerEXT(gl, length: GLsizei, marker: *const GLchar) {
        if length < 0 { return gl.raise(GL_INVALID_VALUE) }
        gl.ctx.debug.push_marker_group();
        // SAFETY: the program gives a text of that length, or a zero-terminated one.
        gl.marker(1, unsafe { marker_text(length, marker) })
    }
    /// Closes a group of markers (EXT_debug_marker); one that was not opened is no error.
    fn glPopGroupMarkerEXT(gl) {
        if gl.ctx.debug.pop_marker_group() { gl.marker(2, &[]) }
    }
    /// A marker for tracers (GREMEDY_string_marker); a length of 0 means a zero-terminated text.
    fn glStringMarkerGREMEDY(gl, len: GLsizei, string: *const core::ffi::c_void) {
        // SAFETY: the program gives a text of that length, or a zero-terminated one.
        gl.marker(0, unsafe { marker_text(len, string.cast()) })
    }
}
