//! The smallest checks, and the words of a refusal.

use super::super::calls::Op;
use super::super::error::ApplyError;
use super::super::limits::level_extent;
use super::super::payload::*;
use super::super::pushed::{PushedState, ResourceEntry};
use super::super::table::{HandleError, Table};
use crate::handle::*;
use crate::pod::FieldError;

/// The call that is checked, for messages.
#[derive(Clone, Copy)]
pub(super) struct Checker {
    pub(super) op: Op,
}

impl Checker {
    /// The field's name becomes text only when it is needed: a good call allocates nothing.
    pub(super) fn handle<T>(
        &self,
        field: impl std::fmt::Display,
        r: Result<T, HandleError>,
    ) -> Result<T, ApplyError> {
        r.map_err(|error| ApplyError::Handle {
            op: self.op.name(),
            field: field.to_string(),
            error,
        })
    }
    pub(super) fn field<T>(
        &self,
        field: impl Into<String>,
        problem: impl Into<String>,
    ) -> Result<T, ApplyError> {
        Err(ApplyError::Field {
            op: self.op.name(),
            error: FieldError::new(field, problem),
        })
    }
    /// A handle that must be live, or null.
    pub(super) fn live_or_null<H: TypedHandle, T>(
        &self,
        field: &str,
        table: &Table<H, T>,
        h: H,
    ) -> Result<(), ApplyError> {
        if h.raw().is_null() {
            Ok(())
        } else {
            self.handle(field, table.get(h)).map(|_| ())
        }
    }
    pub(super) fn resource<'s>(
        &self,
        field: &str,
        s: &'s PushedState,
        r: ResourceHandle,
    ) -> Result<&'s ResourceEntry, ApplyError> {
        match r.kind {
            HandleKind::BUFFER => self.handle(field, s.buffers.get(BufferHandle(r.handle))),
            HandleKind::TEXTURE => self.handle(field, s.textures.get(TextureHandle(r.handle))),
            HandleKind::RENDERBUFFER => {
                self.handle(field, s.renderbuffers.get(RenderbufferHandle(r.handle)))
            }
            k => self.handle(field, Err(HandleError::WrongKind(k))),
        }
    }
    pub(super) fn range(
        &self,
        field: impl std::fmt::Display,
        offset: u64,
        size: u64,
        limit: u64,
    ) -> Result<(), ApplyError> {
        match offset.checked_add(size) {
            Some(end) if end <= limit => Ok(()),
            _ => self.field(
                field.to_string(),
                format!("bytes {offset}+{size} are outside the buffer's {limit}"),
            ),
        }
    }
    /// A box inside a level of a texture; z counts slices, layers or faces.
    pub(super) fn inside(
        &self,
        field: &str,
        d: &ResourceDesc,
        level: u32,
        b: &Box3,
    ) -> Result<(), ApplyError> {
        if level >= d.levels.max(1) {
            return self.field("level", format!("{level} of {}", d.levels));
        }
        let (w, h, z) = level_extent(d, level);
        let ok = |at: u32, n: u32, limit: u32| at.checked_add(n).is_some_and(|e| e <= limit);
        if ok(b.x, b.width, w) && ok(b.y, b.height, h) && ok(b.z, b.depth, z) {
            Ok(())
        } else {
            self.field(
                field,
                format!("{b:?} is outside level {level} of {w}x{h}x{z}"),
            )
        }
    }
}
