//! Values that belong to one process: a forked child finds none of its parent's.
//!
//! A child inherits the parent's memory but none of its threads: locks that those held stay locked, and native contexts,
//! connections and files of the parent are not the child's to use. So the child makes everything anew, and leaves what
//! it inherited where it is, without dropping it. Which process this is, is counted by a fork handler: no access asks
//! the kernel.

use std::ops::Deref;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// Forks between the process that loaded the library and this one.
static GENERATION: AtomicUsize = AtomicUsize::new(0);

/// How many forks away from the process that loaded the library this one is.
#[must_use]
pub fn generation() -> usize {
    GENERATION.load(Ordering::Relaxed)
}

/// Runs in the child, which has one thread, and possibly in the middle of anything: an atomic is all that it may touch.
extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

fn watch_forks() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if WATCHED.swap(true, Ordering::Relaxed) {
        return;
    }
    // SAFETY: the handler is a function of this library, which is never unloaded (-z nodelete), and only touches an
    // atomic.
    if unsafe { libc::pthread_atfork(None, None, Some(in_child)) } != 0 {
        eprintln!("mgl: forks cannot be noticed: children of this process must not use GL");
    }
}

struct Made<T> {
    generation: usize,
    value: T,
}

/// A value that every process makes for itself, at first use.
pub struct PerProcess<T: 'static> {
    made: AtomicPtr<Made<T>>,
    make: fn() -> T,
}

impl<T: Send + Sync> PerProcess<T> {
    /// A value that `make` makes. Threads that come first at once may each make one; one of them is kept.
    #[must_use]
    pub const fn new(make: fn() -> T) -> Self {
        Self {
            made: AtomicPtr::new(ptr::null_mut()),
            make,
        }
    }

    #[cold]
    fn make(&self, mut old: *mut Made<T>) -> &'static T {
        watch_forks();
        let fresh = Box::into_raw(Box::new(Made {
            generation: generation(),
            value: (self.make)(),
        }));
        loop {
            match self
                .made
                .compare_exchange(old, fresh, Ordering::AcqRel, Ordering::Acquire)
            {
                // SAFETY: from a box that nobody frees once it is stored.
                Ok(_) => return unsafe { &(*fresh).value },
                Err(other) => {
                    // SAFETY: not null, since nobody stores null; stored boxes are never freed.
                    let theirs = unsafe { &*other };
                    if theirs.generation == generation() {
                        // SAFETY: from the box above, which nobody else has seen.
                        drop(unsafe { Box::from_raw(fresh) });
                        return &theirs.value;
                    }
                    old = other;
                }
            }
        }
    }
}

impl<T: Send + Sync> Deref for PerProcess<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        let made = self.made.load(Ordering::Acquire);
        // SAFETY: null, or from a box that is never freed once it is stored.
        match unsafe { made.as_ref() } {
            Some(m) if m.generation == generation() => &m.value,
            _ => self.make(made),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once_a_process() {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        static VALUE: PerProcess<usize> =
            PerProcess::new(|| 10 + MADE.fetch_add(1, Ordering::Relaxed));
        assert_eq!((*VALUE, *VALUE), (10, 10));
        // SAFETY: the child calls nothing but what is async-signal-safe, and ends at once.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let twice = (*VALUE, *VALUE);
            let anew = twice == (11, 11) && generation() > 0;
            // SAFETY: ends the child.
            unsafe { libc::_exit(if anew { 5 } else { 6 }) };
        }
        let mut status = 0;
        // SAFETY: room for the status.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert!(libc::WIFEXITED(status));
        assert_eq!(libc::WEXITSTATUS(status), 5);
        assert_eq!(*VALUE, 10, "the parent keeps its own");
    }
}
