//! Tables of live objects, indexed by slot.

use crate::handle::{HandleKind, SLOT_LIMIT, TypedHandle};

/// Why a handle was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HandleError {
    /// Null where an object is needed.
    #[error("null {0:?} handle")]
    Null(HandleKind),
    /// Never made, or gone.
    #[error("{kind:?} {{{slot},{generation}}} is not live")]
    NotLive {
        /// Kind.
        kind: HandleKind,
        /// Slot.
        slot: u32,
        /// Generation asked for.
        generation: u32,
    },
    /// The slot lives on under a later generation.
    #[error("{kind:?} {{{slot},{generation}}} is stale: the slot's generation is {live}")]
    Stale {
        /// Kind.
        kind: HandleKind,
        /// Slot.
        slot: u32,
        /// Generation asked for.
        generation: u32,
        /// Generation that lives.
        live: u32,
    },
    /// Made twice.
    #[error(
        "{kind:?} {{{slot},{generation}}} is made although the slot is live with generation {live}"
    )]
    Occupied {
        /// Kind.
        kind: HandleKind,
        /// Slot.
        slot: u32,
        /// Generation to be made.
        generation: u32,
        /// Generation that lives.
        live: u32,
    },
    /// A generation that does not rise.
    #[error(
        "{kind:?} {{{slot},{generation}}} is made although the slot has seen generation {seen}"
    )]
    Backwards {
        /// Kind.
        kind: HandleKind,
        /// Slot.
        slot: u32,
        /// Generation to be made.
        generation: u32,
        /// Last generation seen.
        seen: u32,
    },
    /// A resource handle of a kind that the call does not take.
    #[error("a {0:?} handle where the call takes none")]
    WrongKind(HandleKind),
}

/// Live objects of one kind. Back ends use it for their native objects too.
#[derive(Debug, Clone)]
pub struct Table<H, T> {
    slots: Vec<Slot<T>>,
    live: usize,
    kind: std::marker::PhantomData<fn(H)>,
}

#[derive(Debug, Clone)]
struct Slot<T> {
    /// Generation of the entry, or the last one seen.
    generation: u32,
    entry: Option<Box<T>>,
}

impl<H: TypedHandle, T> Default for Table<H, T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            live: 0,
            kind: std::marker::PhantomData,
        }
    }
}

/// Equal when the live entries are: generations of dead slots are history, not state.
impl<H: TypedHandle, T: PartialEq> PartialEq for Table<H, T> {
    fn eq(&self, other: &Self) -> bool {
        self.live == other.live && self.iter().eq(other.iter())
    }
}

impl<H: TypedHandle, T> Table<H, T> {
    /// Whether a new handle can be given an entry: its slot is free, and its generation above all that the slot has seen.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn vacant(&self, handle: H) -> Result<(), HandleError> {
        let h = handle.raw();
        if h.is_null() || h.generation == 0 {
            return Err(HandleError::Null(H::KIND));
        }
        let (kind, slot, generation) = (H::KIND, h.slot, h.generation);
        if slot >= SLOT_LIMIT {
            return Err(HandleError::NotLive {
                kind,
                slot,
                generation,
            });
        }
        match self.slots.get(slot as usize) {
            Some(s) if s.entry.is_some() => Err(HandleError::Occupied {
                kind,
                slot,
                generation,
                live: s.generation,
            }),
            Some(s) if generation <= s.generation => Err(HandleError::Backwards {
                kind,
                slot,
                generation,
                seen: s.generation,
            }),
            _ => Ok(()),
        }
    }

    /// Adds the entry of a new handle.
    ///
    /// # Errors
    ///
    /// As [`Table::vacant`].
    pub fn insert(&mut self, handle: H, value: T) -> Result<&mut T, HandleError> {
        self.vacant(handle)?;
        let h = handle.raw();
        if self.slots.len() <= h.slot as usize {
            self.slots.resize_with(h.slot as usize + 1, || Slot {
                generation: 0,
                entry: None,
            });
        }
        let s = &mut self.slots[h.slot as usize];
        s.generation = h.generation;
        self.live += 1;
        Ok(s.entry.insert(Box::new(value)))
    }

    /// The entry of a live handle.
    #[inline]
    pub fn get(&self, handle: H) -> Result<&T, HandleError> {
        let h = handle.raw();
        match self.slots.get(h.slot as usize) {
            Some(Slot {
                generation,
                entry: Some(e),
            }) if *generation == h.generation => Ok(e),
            _ => Err(self.refusal(handle)),
        }
    }

    /// The entry of a live handle.
    #[inline]
    pub fn get_mut(&mut self, handle: H) -> Result<&mut T, HandleError> {
        let h = handle.raw();
        if self.get(handle).is_err() {
            return Err(self.refusal(handle));
        }
        self.slots[h.slot as usize]
            .entry
            .as_deref_mut()
            .ok_or(HandleError::Null(H::KIND))
    }

    /// Takes the entry of a live handle out.
    pub fn remove(&mut self, handle: H) -> Result<T, HandleError> {
        self.get(handle)?;
        let s = &mut self.slots[handle.raw().slot as usize];
        self.live -= 1;
        s.entry.take().map(|b| *b).ok_or(HandleError::Null(H::KIND))
    }

    /// Whether the handle is live.
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.get(handle).is_ok()
    }

    /// Live entries in slot order.
    pub fn iter(&self) -> impl Iterator<Item = (H, &T)> {
        self.slots.iter().enumerate().filter_map(|(i, s)| {
            let h = crate::handle::Handle {
                slot: i as u32,
                generation: s.generation,
            };
            s.entry.as_deref().map(|e| (H::from_raw(h), e))
        })
    }

    /// Live entries in slot order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (H, &mut T)> {
        self.slots.iter_mut().enumerate().filter_map(|(i, s)| {
            let h = crate::handle::Handle {
                slot: i as u32,
                generation: s.generation,
            };
            s.entry.as_deref_mut().map(|e| (H::from_raw(h), e))
        })
    }

    /// Live entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether nothing lives.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Slots ever used.
    #[must_use]
    pub fn high_water(&self) -> usize {
        self.slots.len()
    }

    fn refusal(&self, handle: H) -> HandleError {
        let h = handle.raw();
        let (kind, slot, generation) = (H::KIND, h.slot, h.generation);
        if h.is_null() {
            return HandleError::Null(kind);
        }
        match self.slots.get(slot as usize) {
            Some(s) if s.entry.is_some() => HandleError::Stale {
                kind,
                slot,
                generation,
                live: s.generation,
            },
            _ => HandleError::NotLive {
                kind,
                slot,
                generation,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::{BufferHandle, SlotAllocator, TypedHandle};

    const ROUNDS: u32 = 48;
    const MANY: u32 = 16;

    /// Makes and ends objects in rounds; the objects of a round hold its number. `lookup` is asked for every handle of
    /// the rounds before, while their slots are used again: whether it refuses them all.
    fn refuses_old_handles(
        lookup: impl Fn(&Table<BufferHandle, u32>, BufferHandle) -> bool,
    ) -> bool {
        let mut slots = SlotAllocator::for_kind(BufferHandle::KIND);
        let mut table = Table::default();
        let mut old: Vec<BufferHandle> = Vec::new();
        let mut refused = true;
        for round in 0..ROUNDS {
            let handles: Vec<BufferHandle> = (0..MANY)
                .map(|_| BufferHandle::from_raw(slots.alloc().expect("a slot is free")))
                .collect();
            for &h in &handles {
                table.insert(h, round).expect("a fresh handle");
            }
            refused &= !old.iter().any(|&h| lookup(&table, h));
            for &h in &handles {
                assert_eq!(table.get(h), Ok(&round));
                assert_eq!(table.remove(h), Ok(round));
                assert!(slots.free(h.raw()));
                assert!(!slots.free(h.raw()), "once");
            }
            old.extend(handles);
            assert_eq!((table.len(), slots.live()), (0, 0), "round {round}");
            let slots_used = (table.high_water(), slots.high_water());
            assert_eq!(slots_used, (MANY as usize, MANY as usize), "round {round}");
        }
        refused
    }

    #[test]
    fn old_handles_are_refused_when_their_slots_are_used_again() {
        assert!(refuses_old_handles(|table, h| table.get(h).is_ok()));
        // Were slots all that counts, each of them would lead to an object of another round.
        assert!(!refuses_old_handles(|table, h| {
            table.iter().any(|(live, _)| live.0.slot == h.0.slot)
        }));
    }
}
