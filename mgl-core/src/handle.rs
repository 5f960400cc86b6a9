//! Handles: how both sides of the pipe name objects (design: pipe contract 3.1).
//!
//! The client mints handles from a [`SlotAllocator`] a kind, so creation never waits for an answer and server tables
//! are arrays. `generation` rises only when a slot is used again: a stale handle is told from its successor.

use crate::pod::{Field, FieldError};
use bytemuck::{Pod, Zeroable};

/// Slots a kind has; a handle with a larger slot is refused before any table grows.
pub const SLOT_LIMIT: u32 = 1 << 20;

/// First of the Shader slots that are kept for programs composed from a program pipeline (the top sixteenth).
pub const SHADER_COMPOSITE_SLOTS: u32 = SLOT_LIMIT - SLOT_LIMIT / 16;

crate::gl_enum! {
    /// What a handle names. Not GL values: positions, never reordered.
    pub enum HandleKind {
        NONE = 0, BUFFER = 1, TEXTURE = 2, RENDERBUFFER = 3, FRAMEBUFFER = 4, STREAM_OUTPUT = 5, RENDER_STATE = 6,
        VERTEX_ELEMENTS = 7, SAMPLER = 8, SAMPLER_VIEW = 9, SHADER = 10, FENCE = 11, QUERY = 12, CONTEXT = 13, SURFACE = 14,
    }
}

impl HandleKind {
    /// Number of kinds, `NONE` included: the length of a table indexed by kind.
    pub const COUNT: usize = 15;
}

crate::pod! {
    /// A slot and its generation. `{0,0}` is null; a live handle has a generation of at least 1.
    pub struct Handle: 8 {
        /// Index into the server's table of the kind.
        slot: u32,
        /// Use count of the slot, from 1; 0 only in the null handle.
        generation: u32,
    }
}

impl Ord for Handle {
    fn cmp(&self, o: &Self) -> std::cmp::Ordering {
        (self.slot, self.generation).cmp(&(o.slot, o.generation))
    }
}
impl PartialOrd for Handle {
    fn partial_cmp(&self, o: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(o))
    }
}

impl Handle {
    /// `{0,0}`.
    pub const NULL: Self = Self {
        slot: 0,
        generation: 0,
    };
    /// Whether this is `{0,0}`.
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.slot == 0 && self.generation == 0
    }
}

/// Range check shared by all handle types.
fn check_handle(h: Handle) -> Result<(), FieldError> {
    if h.slot >= SLOT_LIMIT {
        return Err(FieldError::new(
            "slot",
            format!("{} is not below {SLOT_LIMIT}", h.slot),
        ));
    }
    if h.generation == 0 && h.slot != 0 {
        return Err(FieldError::new(
            "generation",
            "0 in a handle that is not null",
        ));
    }
    Ok(())
}

/// A handle whose kind is known from its type.
pub trait TypedHandle: Field + Default + PartialEq {
    /// The kind.
    const KIND: HandleKind;
    /// The bare handle.
    fn raw(self) -> Handle;
    /// From a bare handle.
    fn from_raw(h: Handle) -> Self;
}

macro_rules! handle_types {
    ($( $(#[$m:meta])* $name:ident = $kind:ident ),* $(,)?) => { $(
        $(#[$m])*
        #[repr(transparent)]
        // Not serde's `transparent`: a serialiser that wants to know a handle's kind sees it by the type's name.
        #[derive(Clone, Copy, PartialEq, Eq, Pod, Zeroable, Default, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub Handle);
        impl $name {
            /// `{0,0}`.
            pub const NULL: Self = Self(Handle::NULL);
            /// Whether this is `{0,0}`.
            #[must_use]
            pub const fn is_null(self) -> bool { self.0.is_null() }
        }
        impl TypedHandle for $name {
            const KIND: HandleKind = HandleKind::$kind;
            fn raw(self) -> Handle { self.0 }
            fn from_raw(h: Handle) -> Self { Self(h) }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}{{{},{}}}", stringify!($name).trim_end_matches("Handle"), self.0.slot, self.0.generation)
            }
        }
        impl Field for $name {
            const TYPE: &'static str = stringify!($name);
            fn check(&self) -> Result<(), FieldError> { check_handle(self.0) }
        }
        impl crate::pod::MaybeNested for $name {
            fn visit_nested(_: &mut dyn FnMut(&'static str, &'static [crate::pod::FieldInfo])) {}
        }
    )* };
}

handle_types! {
    /// A buffer object's storage.
    BufferHandle = BUFFER,
    /// A texture.
    TextureHandle = TEXTURE,
    /// A renderbuffer.
    RenderbufferHandle = RENDERBUFFER,
    /// A framebuffer object; `{0,1}` is the default framebuffer.
    FramebufferHandle = FRAMEBUFFER,
    /// A transform feedback object.
    StreamOutputHandle = STREAM_OUTPUT,
    /// A render-state CSO.
    RenderStateHandle = RENDER_STATE,
    /// A vertex-elements CSO.
    VertexElementsHandle = VERTEX_ELEMENTS,
    /// A sampler CSO.
    SamplerHandle = SAMPLER,
    /// A sampler view.
    SamplerViewHandle = SAMPLER_VIEW,
    /// A linked program.
    ShaderHandle = SHADER,
    /// A fence.
    FenceHandle = FENCE,
    /// A query.
    QueryHandle = QUERY,
    /// A GL context.
    ContextHandle = CONTEXT,
    /// A window or pbuffer: the default framebuffer's storage.
    SurfaceHandle = SURFACE,
}

impl FramebufferHandle {
    /// The default framebuffer.
    pub const DEFAULT: Self = Self(Handle {
        slot: 0,
        generation: 1,
    });
}

crate::pod! {
    /// A handle with its kind: what generic resource calls name (buffer, texture, renderbuffer or surface).
    pub struct ResourceHandle: 12 {
        /// The kind; `NONE` with a null handle.
        kind: HandleKind,
        /// The handle.
        handle: Handle,
    }
}

impl ResourceHandle {
    /// Names nothing.
    pub const NULL: Self = Self {
        kind: HandleKind::NONE,
        handle: Handle::NULL,
    };

    /// A typed handle as a resource.
    pub fn of<H: TypedHandle>(h: H) -> Self {
        if h.raw().is_null() {
            Self::NULL
        } else {
            Self {
                kind: H::KIND,
                handle: h.raw(),
            }
        }
    }

    /// Whether it names nothing.
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.kind.0 == HandleKind::NONE.0
    }

    /// The typed handle, if the kind is `H`'s.
    #[must_use]
    pub fn typed<H: TypedHandle>(self) -> Option<H> {
        (self.kind == H::KIND).then(|| H::from_raw(self.handle))
    }
}

impl From<BufferHandle> for ResourceHandle {
    fn from(h: BufferHandle) -> Self {
        Self::of(h)
    }
}
impl From<TextureHandle> for ResourceHandle {
    fn from(h: TextureHandle) -> Self {
        Self::of(h)
    }
}
impl From<RenderbufferHandle> for ResourceHandle {
    fn from(h: RenderbufferHandle) -> Self {
        Self::of(h)
    }
}
impl From<SurfaceHandle> for ResourceHandle {
    fn from(h: SurfaceHandle) -> Self {
        Self::of(h)
    }
}

/// Mints the handles of one kind: a free list and a high-water mark.
#[derive(Debug)]
pub struct SlotAllocator {
    /// Generation of each slot and whether it is live.
    slots: Vec<(u32, bool)>,
    free: Vec<u32>,
    live: usize,
    first: u32,
    limit: u32,
}

impl SlotAllocator {
    /// An allocator over the slots `first..limit`. Slot 0 of most kinds is usable: the null handle is told by its
    /// generation; Framebuffer starts at 1 because `{0,1}` is the default framebuffer.
    #[must_use]
    pub fn new(first: u32, limit: u32) -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            live: 0,
            first,
            limit: limit.min(SLOT_LIMIT),
        }
    }

    /// The allocator for the common slots of `kind`.
    #[must_use]
    pub fn for_kind(kind: HandleKind) -> Self {
        match kind {
            HandleKind::FRAMEBUFFER => Self::new(1, SLOT_LIMIT),
            HandleKind::SHADER => Self::new(0, SHADER_COMPOSITE_SLOTS),
            _ => Self::new(0, SLOT_LIMIT),
        }
    }

    /// A fresh handle, or `None` when all slots are live.
    pub fn alloc(&mut self) -> Option<Handle> {
        let (slot, generation) = if let Some(slot) = self.free.pop() {
            let s = &mut self.slots[(slot - self.first) as usize];
            *s = (s.0 + 1, true);
            (slot, s.0)
        } else {
            let slot = self
                .first
                .checked_add(u32::try_from(self.slots.len()).ok()?)?;
            if slot >= self.limit {
                return None;
            }
            self.slots.push((1, true));
            (slot, 1)
        };
        self.live += 1;
        Some(Handle { slot, generation })
    }

    /// Gives a slot back. Returns false (and changes nothing) for a handle that is not live.
    pub fn free(&mut self, h: Handle) -> bool {
        if !self.is_live(h) {
            return false;
        }
        self.slots[(h.slot - self.first) as usize].1 = false;
        self.live -= 1;
        // A slot whose generations are used up is retired: another use would bring an old handle back to life.
        if h.generation < u32::MAX {
            self.free.push(h.slot);
        }
        true
    }

    /// Whether `h` is live.
    #[must_use]
    pub fn is_live(&self, h: Handle) -> bool {
        h.slot >= self.first
            && self.slots.get((h.slot - self.first) as usize) == Some(&(h.generation, true))
    }

    /// Slots ever used at once.
    #[must_use]
    pub fn high_water(&self) -> usize {
        self.slots.len()
    }

    /// Live handles.
    #[must_use]
    pub fn live(&self) -> usize {
        self.live
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generation_rises_only_on_reuse() {
        let mut a = SlotAllocator::for_kind(HandleKind::BUFFER);
        let h = a.alloc().expect("slot");
        let k = a.alloc().expect("slot");
        assert_eq!(
            (h, k),
            (
                Handle {
                    slot: 0,
                    generation: 1
                },
                Handle {
                    slot: 1,
                    generation: 1
                }
            )
        );
        assert!(a.free(h) && !a.free(h), "a second free is refused");
        let r = a.alloc().expect("slot");
        assert_eq!(
            r,
            Handle {
                slot: 0,
                generation: 2
            }
        );
        assert!(!a.is_live(h) && a.is_live(r) && a.is_live(k));
        assert_eq!((a.live(), a.high_water()), (2, 2));
    }

    #[test]
    fn slots_run_out_without_wrapping() {
        let mut a = SlotAllocator::new(3, 5);
        assert_eq!(a.alloc().map(|h| h.slot), Some(3));
        assert_eq!(a.alloc().map(|h| h.slot), Some(4));
        assert_eq!(a.alloc(), None);
    }

    #[test]
    fn churn_brings_marks_back() {
        for kind in 1..HandleKind::COUNT as u32 {
            let mut a = SlotAllocator::for_kind(HandleKind(kind));
            for _ in 0..48 {
                let hs: Vec<_> = (0..100).map(|_| a.alloc().expect("slot")).collect();
                assert_eq!((a.live(), a.high_water()), (100, 100));
                for h in hs {
                    assert!(a.free(h));
                }
                assert_eq!(a.live(), 0);
            }
        }
    }
}
