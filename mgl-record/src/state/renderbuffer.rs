//! Renderbuffers (GL 4.6 §9.2.4).

use super::{Token, dirty};
use crate::pipe::Pipe;
use crate::pixel::Resolved;
use mgl_core::handle::RenderbufferHandle;
use mgl_core::pipe::{BindMask, Call, ResourceDesc, ResourceOnly, StorageKind, Target};

/// Storage of a renderbuffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storage {
    /// Pixels; 0 is legal and incomplete.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Samples a pixel, 0 for one.
    pub samples: u32,
    /// Format.
    pub resolved: Resolved,
    /// As asked for: what `GL_RENDERBUFFER_INTERNAL_FORMAT` reports.
    pub internal_format: u32,
}

/// A renderbuffer.
pub struct Renderbuffer {
    name: u32,
    handle: RenderbufferHandle,
    storage: Option<Storage>,
}

impl Renderbuffer {
    /// A renderbuffer without storage.
    pub fn new(name: u32, pipe: &mut Pipe) -> Self {
        Self {
            name,
            handle: pipe.mint(),
            storage: None,
        }
    }
    /// The application's name.
    #[must_use]
    pub fn name(&self) -> u32 {
        self.name
    }
    /// Its handle.
    #[must_use]
    pub fn handle(&self) -> RenderbufferHandle {
        self.handle
    }
    /// Its storage, once it has some.
    #[must_use]
    pub fn storage(&self) -> Option<&Storage> {
        self.storage.as_ref()
    }
    /// Gives it storage.
    pub fn set_storage(&mut self, storage: Storage, _: Token<dirty::Attachments>) {
        self.storage = Some(storage);
    }

    /// What it is on the pipe; `None` without storage, or with an empty one.
    #[must_use]
    pub fn desc(&self) -> Option<ResourceDesc> {
        let s = self.storage.filter(|s| s.width > 0 && s.height > 0)?;
        Some(ResourceDesc {
            resource: self.handle.into(),
            target: Target::RENDERBUFFER,
            storage: StorageKind::MUTABLE,
            bind: if s.resolved.is_color() {
                BindMask::RENDER_TARGET
            } else {
                BindMask::DEPTH_STENCIL
            },
            format: s.resolved.format,
            width: s.width,
            height: s.height,
            depth: 1,
            layers: 1,
            levels: 1,
            samples: s.samples,
            gl_name: self.name,
            ..ResourceDesc::default()
        })
    }

    /// Makes or remakes it on the pipe, if what is there is not this.
    pub fn flush(&self, pipe: &mut Pipe) {
        let Some(desc) = self.desc() else { return };
        match pipe.resource(self.handle) {
            Some(live) if *live == desc => {}
            Some(_) => pipe.push(Call::ResourceRespecify { p: &desc }),
            None => pipe.push(Call::ResourceCreate { p: &desc }),
        }
    }

    /// Ends it on the pipe.
    pub fn destroy(self, pipe: &mut Pipe) {
        if pipe.resource(self.handle).is_some() {
            pipe.push(Call::ResourceDestroy {
                p: &ResourceOnly {
                    resource: self.handle.into(),
                    ..ResourceOnly::default()
                },
            });
        }
        pipe.release(self.handle);
    }
}
