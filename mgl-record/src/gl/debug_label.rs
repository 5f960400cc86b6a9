//! Labels of objects (GL 4.6 §20.7 to §20.9, KHR_debug, EXT_debug_label).
//!
//! A label belongs to a name of the program and ends with it. On the pipe it belongs to the object's handle, and goes out
//! as soon as there is one. Shaders, vertex arrays and sampler objects have no handle there: their labels stay here.

use super::debug::text_of;
use super::entry::gl_entry;
use super::text::copy_text;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::state::NameTable;
use crate::state::debug::MAX_LABEL_LENGTH;
use mgl_core::handle::{Handle, HandleKind, TypedHandle};

/// What can have a label. Objects of later versions (transform feedbacks, program pipelines) have names here as well, none
/// of which is anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Labelled {
    /// GL_BUFFER.
    Buffer,
    /// GL_SHADER.
    Shader,
    /// GL_PROGRAM.
    Program,
    /// GL_VERTEX_ARRAY.
    VertexArray,
    /// GL_QUERY.
    Query,
    /// GL_SAMPLER.
    Sampler,
    /// GL_TEXTURE.
    Texture,
    /// GL_RENDERBUFFER.
    Renderbuffer,
    /// GL_FRAMEBUFFER.
    Framebuffer,
    /// A sync object, by its name in the group.
    Sync,
    /// A kind of objects that this version lacks.
    Absent,
}

impl Labelled {
    /// By glObjectLabel's identifier (GL 4.6 table 20.4).
    fn of(identifier: GLenum) -> Option<Self> {
        Some(match identifier {
            GL_BUFFER => Self::Buffer,
            GL_SHADER => Self::Shader,
            GL_PROGRAM => Self::Program,
            GL_VERTEX_ARRAY => Self::VertexArray,
            GL_QUERY => Self::Query,
            GL_SAMPLER => Self::Sampler,
            GL_TEXTURE => Self::Texture,
            GL_RENDERBUFFER => Self::Renderbuffer,
            GL_FRAMEBUFFER => Self::Framebuffer,
            GL_TRANSFORM_FEEDBACK | GL_PROGRAM_PIPELINE => Self::Absent,
            _ => return None,
        })
    }

    /// By glLabelObjectEXT's type.
    fn of_ext(kind: GLenum) -> Option<Self> {
        Some(match kind {
            GL_BUFFER_OBJECT_EXT => Self::Buffer,
            GL_SHADER_OBJECT_EXT => Self::Shader,
            GL_PROGRAM_OBJECT_EXT => Self::Program,
            GL_VERTEX_ARRAY_OBJECT_EXT => Self::VertexArray,
            GL_QUERY_OBJECT_EXT => Self::Query,
            GL_SAMPLER | GL_TEXTURE | GL_RENDERBUFFER | GL_FRAMEBUFFER | GL_TRANSFORM_FEEDBACK => {
                return Self::of(kind);
            }
            GL_PROGRAM_PIPELINE_OBJECT_EXT => Self::Absent,
            _ => return None,
        })
    }

    /// Whether objects of the kind get a handle on the pipe at some time.
    fn has_handle(self) -> bool {
        !matches!(
            self,
            Self::Shader | Self::VertexArray | Self::Sampler | Self::Absent
        )
    }
}

/// A handle with its kind, unless it is null.
fn known<H: TypedHandle>(h: H) -> Option<(HandleKind, Handle)> {
    (!h.raw().is_null()).then(|| (H::KIND, h.raw()))
}

/// Does `$do` with the table of the objects of a kind.
macro_rules! with_table {
    ($gl:expr, $kind:expr, $table:ident => $do:expr) => {
        match $kind {
            Labelled::Buffer => Some({
                let $table = &mut $gl.share.buffers;
                $do
            }),
            Labelled::Shader => Some({
                let $table = &mut $gl.share.shaders;
                $do
            }),
            Labelled::Program => Some({
                let $table = &mut $gl.share.programs;
                $do
            }),
            Labelled::VertexArray => Some({
                let $table = $gl.ctx.vertex.table_mut();
                $do
            }),
            Labelled::Query => Some({
                let $table = $gl.ctx.queries.table_mut();
                $do
            }),
            Labelled::Sampler => Some({
                let $table = &mut $gl.share.samplers;
                $do
            }),
            Labelled::Texture => Some({
                let $table = &mut $gl.share.textures;
                $do
            }),
            Labelled::Renderbuffer => Some({
                let $table = &mut $gl.share.renderbuffers;
                $do
            }),
            Labelled::Framebuffer => Some({
                let $table = $gl.ctx.framebuffers.table_mut();
                $do
            }),
            Labelled::Sync => Some({
                let $table = &mut $gl.share.syncs;
                $do
            }),
            Labelled::Absent => None,
        }
    };
}

fn has_object<T>(table: &NameTable<T>, name: GLuint) -> bool {
    table.id(name).is_some()
}

impl Gl<'_> {
    /// Whether a name can have a label. Names of most kinds can before their first use makes the object, as in other
    /// drivers; textures, shaders and programs are what their making says.
    fn can_have_label(&mut self, kind: Labelled, name: GLuint) -> bool {
        let made = matches!(
            kind,
            Labelled::Texture | Labelled::Shader | Labelled::Program | Labelled::Sync
        );
        with_table!(self, kind, table => if made {
            has_object(table, name)
        } else {
            table.is_reserved(name) || has_object(table, name)
        })
        .unwrap_or(false)
    }

    /// The handle of a name's object, once it has one.
    fn handle_of(&self, kind: Labelled, name: GLuint) -> Option<(HandleKind, Handle)> {
        match kind {
            Labelled::Buffer => known(self.share.buffers.get(name)?.minted()),
            Labelled::Program => known(self.share.programs.get(name)?.handle()),
            Labelled::Query => known(self.ctx.queries.get(name)?.handle()),
            Labelled::Texture => known(self.share.textures.get(name)?.handle()),
            Labelled::Renderbuffer => known(self.share.renderbuffers.get(name)?.handle()),
            Labelled::Framebuffer => known(self.ctx.framebuffers.table().get(name)?.handle()),
            Labelled::Sync => known(self.share.syncs.get(name)?.handle()),
            Labelled::Shader | Labelled::VertexArray | Labelled::Sampler | Labelled::Absent => None,
        }
    }

    /// Sends a name's label, if it has one, to its object on the pipe; later, if there is none yet. A program gets a new
    /// object at each link.
    pub(super) fn push_label(&mut self, kind: Labelled, name: GLuint) {
        let label = with_table!(self, kind, table => table.label(name).map(<[u8]>::to_vec));
        let Some(text) = label.flatten() else { return };
        match self.handle_of(kind, name) {
            Some((kind, handle)) => self.pipe.label(kind, handle, &text),
            // A link sends it.
            None if kind == Labelled::Program => {}
            None => self.ctx.debug.label_later(kind, name),
        }
    }

    /// Sends the labels whose objects have been made since.
    #[cold]
    pub fn push_late_labels(&mut self) {
        for (kind, name) in self.ctx.debug.take_late_labels() {
            self.push_label(kind, name);
        }
    }

    /// Labels a name, or with `None` takes its label away.
    fn label(&mut self, kind: Labelled, name: GLuint, text: Option<&[u8]>) {
        let had = with_table!(self, kind, table => table.label(name).is_some());
        with_table!(self, kind, table => table.set_label(name, text));
        if text.is_some() {
            if kind.has_handle() {
                self.push_label(kind, name);
            }
        } else if had == Some(true)
            && let Some((kind, handle)) = self.handle_of(kind, name)
        {
            self.pipe.label(kind, handle, &[]);
        }
    }

    fn label_checked(&mut self, kind: Labelled, name: GLuint, text: Option<&[u8]>) {
        if text.is_some_and(|t| t.len() >= MAX_LABEL_LENGTH) {
            return self.raise(GL_INVALID_VALUE);
        }
        self.label(kind, name, text);
    }

    /// A name's label where the program wants it.
    ///
    /// # Safety
    ///
    /// `out` is null or has room for `size` characters; `length` is null or writable.
    unsafe fn get_label(
        &mut self,
        kind: Labelled,
        name: GLuint,
        size: GLsizei,
        length: *mut GLsizei,
        out: *mut GLchar,
    ) {
        let text = with_table!(self, kind, table => table.label(name).unwrap_or_default());
        let text = text.unwrap_or_default();
        // SAFETY: by this function's contract.
        unsafe {
            if out.is_null() {
                // The length of the label, rather than of what was written (GL 4.6 §20.9).
                if !length.is_null() {
                    length.write_unaligned(text.len() as GLsizei);
                }
            } else {
                copy_text(text, size, length, out);
            }
        }
    }
}

/// A sync object's name. A GLsync is its name, as a pointer.
fn sync_name(ptr: *const core::ffi::c_void) -> GLuint {
    u32::try_from(ptr as usize).unwrap_or(0)
}

gl_entry! {
    /// Labels an object (GL 4.6 §20.7); a null label takes it away.
    fn glObjectLabel(gl, identifier: GLenum, name: GLuint, length: GLsizei, label: *const GLchar) {
        let Some(kind) = Labelled::of(identifier) else { return gl.raise(GL_INVALID_ENUM) };
        if !gl.can_have_label(kind, name) { return gl.raise(GL_INVALID_VALUE) }
        // SAFETY: the program gives a text of that length, or a zero-terminated one.
        let text = (!label.is_null()).then(|| unsafe { text_of(length, label) });
        gl.label_checked(kind, name, text)
    }
    /// An object's label (GL 4.6 §20.9).
    fn glGetObjectLabel(gl, identifier: GLenum, name: GLuint, size: GLsizei, length: *mut GLsizei, label: *mut GLchar) {
        let Some(kind) = Labelled::of(identifier) else { return gl.raise(GL_INVALID_ENUM) };
        if size < 0 || !gl.can_have_label(kind, name) { return gl.raise(GL_INVALID_VALUE) }
        // SAFETY: the program gives `size` characters.
        unsafe { gl.get_label(kind, name, size, length, label) }
    }
    /// Labels a sync object (GL 4.6 §20.8); a null label takes it away.
    fn glObjectPtrLabel(gl, ptr: *const core::ffi::c_void, length: GLsizei, label: *const GLchar) {
        let name = sync_name(ptr);
        if !gl.can_have_label(Labelled::Sync, name) { return gl.raise(GL_INVALID_VALUE) }
        // SAFETY: the program gives a text of that length, or a zero-terminated one.
        let text = (!label.is_null()).then(|| unsafe { text_of(length, label) });
        gl.label_checked(Labelled::Sync, name, text)
    }
    /// A sync object's label (GL 4.6 §20.9).
    fn glGetObjectPtrLabel(gl, ptr: *const core::ffi::c_void, size: GLsizei, length: *mut GLsizei, label: *mut GLchar) {
        let name = sync_name(ptr);
        if size < 0 || !gl.can_have_label(Labelled::Sync, name) { return gl.raise(GL_INVALID_VALUE) }
        // SAFETY: the program gives `size` characters.
        unsafe { gl.get_label(Labelled::Sync, name, size, length, label) }
    }
    /// Labels an object (EXT_debug_label); a length of 0 means a zero-terminated text.
    fn glLabelObjectEXT(gl, kind: GLenum, object: GLuint, length: GLsizei, label: *const GLchar) {
        let Some(kind) = Labelled::of_ext(kind) else { return gl.raise(GL_INVALID_ENUM) };
        if length < 0 { return gl.raise(GL_INVALID_VALUE) }
        if !gl.can_have_label(kind, object) { return gl.raise(GL_INVALID_OPERATION) }
        // SAFETY: the program gives a text of that length, or a zero-terminated one.
        let text = (!label.is_null()).then(|| unsafe { text_of(if length == 0 { -1 } else { length }, label) });
        // The extension knows no longest label.
        let text = text.map(|t| &t[..t.len().min(MAX_LABEL_LENGTH - 1)]);
        gl.label(kind, object, text)
    }
    /// An object's label (EXT_debug_label).
    fn glGetObjectLabelEXT(gl, kind: GLenum, object: GLuint, size: GLsizei, length: *mut GLsizei, label: *mut GLchar) {
        let Some(kind) = Labelled::of_ext(kind) else { return gl.raise(GL_INVALID_ENUM) };
        if size < 0 { return gl.raise(GL_INVALID_VALUE) }
        if !gl.can_have_label(kind, object) { return gl.raise(GL_INVALID_OPERATION) }
        // SAFETY: the program gives `size` characters.
        unsafe { gl.get_label(kind, object, size, length, label) }
    }
}
