//! The process-wide driver: share groups, contexts, surfaces and the pipe, behind one lock.
//!
//! One lock, not one a share group: the record stream has one order for the whole process, handles are unique across
//! share groups, and a push has to hold the pipe anyway. Uncontended it costs a few nanoseconds an entry point.

use crate::config::Config;
use crate::context::{ContextState, SurfaceState};
use crate::pipe::Pipe;
use crate::state::{Generations, Share};
use parking_lot::{Mutex, MutexGuard};
use std::sync::LazyLock;

/// Things by index. An index is never given out twice, so that a reference to something gone finds nothing.
pub struct Slots<T>(Vec<Option<Box<T>>>);

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Slots<T> {
    /// Adds a thing.
    pub fn insert(&mut self, v: T) -> usize {
        self.0.push(Some(Box::new(v)));
        self.0.len() - 1
    }
    /// The thing at an index.
    #[inline]
    #[must_use]
    pub fn get(&self, i: usize) -> Option<&T> {
        self.0.get(i)?.as_deref()
    }
    /// The thing at an index.
    #[inline]
    pub fn get_mut(&mut self, i: usize) -> Option<&mut T> {
        self.0.get_mut(i)?.as_deref_mut()
    }
    /// Takes a thing out.
    pub fn remove(&mut self, i: usize) -> Option<T> {
        self.0.get_mut(i)?.take().map(|b| *b)
    }
    /// All things.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().filter_map(Option::as_deref)
    }
    /// All things.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().filter_map(Option::as_deref_mut)
    }
    /// All things with their indices.
    pub fn iter_mut_indexed(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        self.0
            .iter_mut()
            .enumerate()
            .filter_map(|(i, v)| v.as_deref_mut().map(|v| (i, v)))
    }
}

/// Everything that entry points share.
#[derive(Default)]
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

static DRIVER: LazyLock<Mutex<Driver>> = LazyLock::new(Mutex::default);

/// Takes the driver lock.
pub fn lock() -> MutexGuard<'static, Driver> {
    DRIVER.lock()
}

/// Takes the driver lock unless that takes too long.
pub fn try_lock_for(time: std::time::Duration) -> Option<MutexGuard<'static, Driver>> {
    DRIVER.try_lock_for(time)
}

impl Driver {
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
