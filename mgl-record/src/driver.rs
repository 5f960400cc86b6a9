//! The process-wide driver: share groups, contexts, surfaces and the pipe, behind one lock.
//!
//! One lock, not one a share group: the record stream has one order for the whole process, handles are unique across
//! share groups, and a push has to hold the pipe anyway. Uncontended it costs a few nanoseconds an entry point.
//!
//! A forked child has a driver of its own, which knows nothing of its parent's contexts: calls on them do nothing.

use crate::config::Config;
use crate::context::{ContextState, SurfaceState};
use crate::pipe::Pipe;
use crate::process::{self, PerProcess};
use crate::state::{Generations, Share};
use parking_lot::{Mutex, MutexGuard};

/// Things by index. An index is never given out twice, in no process that came from this one either: a reference to
/// something gone, or to a parent's, finds nothing.
pub struct Slots<T> {
    first: usize,
    things: Vec<Option<Box<T>>>,
}

impl<T> Slots<T> {
    /// An empty table with indices of this process's own.
    fn of_process(generation: usize) -> Self {
        Self {
            first: generation.wrapping_shl(usize::BITS / 2),
            things: Vec::new(),
        }
    }
    /// Adds a thing.
    pub fn insert(&mut self, v: T) -> usize {
        self.things.push(Some(Box::new(v)));
        self.first + self.things.len() - 1
    }
    /// The thing at an index.
    #[inline]
    #[must_use]
    pub fn get(&self, i: usize) -> Option<&T> {
        self.things.get(i.wrapping_sub(self.first))?.as_deref()
    }
    /// The thing at an index.
    #[inline]
    pub fn get_mut(&mut self, i: usize) -> Option<&mut T> {
        self.things
            .get_mut(i.wrapping_sub(self.first))?
            .as_deref_mut()
    }
    /// Takes a thing out.
    pub fn remove(&mut self, i: usize) -> Option<T> {
        self.things
            .get_mut(i.wrapping_sub(self.first))?
            .take()
            .map(|b| *b)
    }
    /// All things.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.things.iter().filter_map(Option::as_deref)
    }
    /// All things.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.things.iter_mut().filter_map(Option::as_deref_mut)
    }
    /// All things with their indices.
    pub fn iter_mut_indexed(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        let first = self.first;
        self.things
            .iter_mut()
            .enumerate()
            .filter_map(move |(i, v)| v.as_deref_mut().map(|v| (first + i, v)))
    }
}

/// Everything that entry points share.
pub struct Driver {
    /// Contexts.
    pub contexts: Slots<ContextState>,
    /// Share groups.
    pub shares: Slots<Share>,
    /// Window-system surfaces.
    pub surfaces: Slots<SurfaceState>,
    /// The pipe; made with the first context or surface.
    pub pipe: Option<Pipe>,
    /// Dirty generations.
    pub generations: Generations,
}

static DRIVER: PerProcess<Mutex<Driver>> = PerProcess::new(|| Mutex::new(Driver::new()));

/// Takes the driver lock.
pub fn lock() -> MutexGuard<'static, Driver> {
    DRIVER.lock()
}

/// Takes the driver lock unless that takes too long.
pub fn try_lock_for(time: std::time::Duration) -> Option<MutexGuard<'static, Driver>> {
    DRIVER.try_lock_for(time)
}

impl Driver {
    /// A driver without contexts, for this process.
    fn new() -> Self {
        let generation = process::generation();
        Self {
            contexts: Slots::of_process(generation),
            shares: Slots::of_process(generation),
            surfaces: Slots::of_process(generation),
            pipe: None,
            generations: Generations::default(),
        }
    }

    /// The pipe, made now if there is none yet.
    ///
    /// # Errors
    ///
    /// No back end can be made: the text says why and what to install.
    pub fn pipe(&mut self) -> Result<&mut Pipe, String> {
        if self.pipe.is_none() {
            self.pipe = Some(Pipe::new(&Config::from_env())?);
        }
        self.pipe.as_mut().ok_or_else(|| "no pipe".to_owned())
    }
}
