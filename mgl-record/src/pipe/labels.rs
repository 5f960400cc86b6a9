//! Labels of what handles stand for (GL 4.6 §20.7), as they were pushed.

use super::Pipe;
use mgl_core::handle::{Handle, HandleKind};
use mgl_core::pipe::{Call, ObjectLabel};
use std::collections::BTreeMap;

/// Labels of handles that live.
pub(super) type Labels = BTreeMap<(HandleKind, Handle), Box<[u8]>>;

impl Pipe {
    /// Labels the object that a handle is or will be; an empty text takes the label away.
    #[cold]
    pub fn label(&mut self, kind: HandleKind, handle: Handle, text: &[u8]) {
        if text.is_empty() {
            if self.labels.remove(&(kind, handle)).is_none() {
                return;
            }
        } else {
            self.labels.insert((kind, handle), text.into());
        }
        self.push(label_call(&label_of(kind, handle), text));
    }
}

fn label_of(kind: HandleKind, handle: Handle) -> ObjectLabel {
    ObjectLabel {
        kind,
        handle,
        ..ObjectLabel::default()
    }
}

fn label_call<'a>(p: &'a ObjectLabel, label: &'a [u8]) -> Call<'a> {
    Call::ObjectLabel { p, label }
}
