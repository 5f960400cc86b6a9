//! What the ring is synchronised with: the system's atomics and futex, or loom's under the unit tests of this crate.
//!
//! Under `cfg(test)` everything here works inside of `loom::model` only, and each step of the doorbell can be left out,
//! which shows that the models see a wake-up that gets lost. Tests with real threads live in `mgl-core/tests/link`.

/// A step of the doorbell that a model can leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code))]
pub enum Step {
    /// The fence between what was published and the look whether somebody is parked.
    FenceOfRing,
    /// The fence between saying that one parks and the look whether there is something.
    FenceOfPark,
    /// That look.
    Recheck,
}

#[cfg(not(test))]
pub use native::*;
#[cfg(not(test))]
mod native {
    use std::sync::atomic::{AtomicU32, Ordering};
    pub use std::sync::atomic::{AtomicU64, fence};
    use std::time::Duration;

    /// How long an end looks again and again before it parks.
    const SPIN: Duration = Duration::from_micros(50);

    /// Processors from which on an end may look again and again: one each for the two ends, and one for what the back end's
    /// driver runs beside them, a software rasteriser above all. With fewer, spinning keeps those from running that are waited for.
    const ENOUGH: usize = 3;

    /// [`SPIN`], or nothing on a machine with few processors.
    pub fn spin_time() -> Duration {
        match std::thread::available_parallelism() {
            Ok(n) if n.get() >= ENOUGH => SPIN,
            _ => Duration::ZERO,
        }
    }

    /// Whether a model leaves the step out.
    #[inline]
    pub const fn left_out(_: super::Step) -> bool {
        false
    }

    /// A word that threads, of several processes too, sleep on.
    #[derive(Default)]
    #[repr(transparent)]
    pub struct Word(AtomicU32);

    impl Word {
        #[inline]
        pub fn load(&self) -> u32 {
            self.0.load(Ordering::Relaxed)
        }
        #[inline]
        pub fn fetch_or(&self, bits: u32) -> u32 {
            self.0.fetch_or(bits, Ordering::Relaxed)
        }
        #[inline]
        pub fn replace(&self, old: u32, new: u32) -> bool {
            let (ok, failed) = (Ordering::Relaxed, Ordering::Relaxed);
            self.0.compare_exchange(old, new, ok, failed).is_ok()
        }
        /// Sleeps while the word is `expected`; may return early.
        pub fn sleep(&self, expected: u32) {
            // SAFETY: the address is that of a live, aligned u32; FUTEX_WAIT without a time-out reads nothing else.
            unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    self.0.as_ptr(),
                    libc::FUTEX_WAIT,
                    expected,
                    std::ptr::null::<libc::timespec>(),
                );
            }
        }
        /// Wakes all that sleep on it.
        pub fn wake(&self) {
            // SAFETY: as in `sleep`; FUTEX_WAKE reads no memory at all.
            unsafe {
                libc::syscall(libc::SYS_futex, self.0.as_ptr(), libc::FUTEX_WAKE, i32::MAX);
            }
        }
    }
}

#[cfg(test)]
pub use model::*;
#[cfg(test)]
mod model {
    use super::Step;
    use loom::sync::atomic::{AtomicU32, Ordering};
    pub use loom::sync::atomic::{AtomicU64, fence};
    use loom::sync::{Condvar, Mutex};
    use std::cell::Cell;
    use std::time::Duration;

    /// A model does not spin: looking again is the same as being scheduled later.
    pub fn spin_time() -> Duration {
        Duration::ZERO
    }

    std::thread_local! {
        /// All threads of a model run on the operating system's thread that started it.
        static LEFT_OUT: Cell<Option<Step>> = const { Cell::new(None) };
    }

    pub fn leave_out(step: Option<Step>) {
        LEFT_OUT.set(step);
    }

    pub fn left_out(step: Step) -> bool {
        LEFT_OUT.get() == Some(step)
    }

    /// The word of a futex, with the lock of its queue as the kernel has it.
    #[derive(Default)]
    pub struct Word {
        word: AtomicU32,
        queue: Mutex<()>,
        sleepers: Condvar,
    }

    impl Word {
        pub fn load(&self) -> u32 {
            self.word.load(Ordering::Relaxed)
        }
        pub fn fetch_or(&self, bits: u32) -> u32 {
            self.word.fetch_or(bits, Ordering::Relaxed)
        }
        pub fn replace(&self, old: u32, new: u32) -> bool {
            let (ok, failed) = (Ordering::Relaxed, Ordering::Relaxed);
            self.word.compare_exchange(old, new, ok, failed).is_ok()
        }
        pub fn sleep(&self, expected: u32) {
            let queue = self.queue.lock().unwrap();
            if self.word.load(Ordering::Relaxed) == expected {
                drop(self.sleepers.wait(queue).unwrap());
            }
        }
        pub fn wake(&self) {
            drop(self.queue.lock().unwrap());
            self.sleepers.notify_all();
        }
    }
}
