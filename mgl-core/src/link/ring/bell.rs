//! The doorbell: one end sleeps until the other has published something, and no wake-up gets lost.
//!
//! ```text
//! who waits                                  who rings
//! say so in the word                         publish (release)
//! fence (sequentially consistent)            fence (sequentially consistent)
//! look again; sleep while the word stands    look at the word; somebody waits: change it and wake
//! ```
//!
//! Of the two looks at least one sees what the other end wrote before its fence.

use super::sync::{Step, Word, fence, left_out};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Bit 0: somebody waits. The others count rings, so that who is about to sleep does not take a later wait of another
/// for its own.
#[derive(Default)]
pub struct Doorbell {
    word: Word,
}

const WAITING: u32 = 1;

impl Doorbell {
    /// Wakes who waits; what they wait for was stored before. Returns whether somebody did.
    #[inline]
    pub fn ring(&self) -> bool {
        if !left_out(Step::FenceOfRing) {
            fence(Ordering::SeqCst);
        }
        let word = self.word.load();
        // Where the word changes in between, another one rang after it had seen the same waiters.
        let rung = word & WAITING != 0 && self.word.replace(word, word.wrapping_add(1));
        if rung {
            self.word.wake();
        }
        rung
    }

    /// Returns what `ready` gives as soon as it gives something: looks for `spin`, then sleeps between looks. Adds one to
    /// `parks` for each sleep.
    pub fn wait<T>(
        &self,
        spin: Duration,
        parks: &mut u64,
        mut ready: impl FnMut() -> Option<T>,
    ) -> T {
        if let Some(found) = ready() {
            return found;
        }
        if !spin.is_zero() {
            let begin = Instant::now();
            while begin.elapsed() < spin {
                for _ in 0..32 {
                    std::hint::spin_loop();
                    if let Some(found) = ready() {
                        return found;
                    }
                }
            }
        }
        loop {
            let word = self.word.fetch_or(WAITING) | WAITING;
            if !left_out(Step::FenceOfPark) {
                fence(Ordering::SeqCst);
            }
            if !left_out(Step::Recheck)
                && let Some(found) = ready()
            {
                return found;
            }
            *parks += 1;
            self.word.sleep(word);
            if let Some(found) = ready() {
                return found;
            }
        }
    }
}
