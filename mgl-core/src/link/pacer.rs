//! When the frames of a surface are shown, on a link whose server waits for no display: what gives the credit of a Present
//! back, a surface at a time, so that the vertical retrace of one window stops nobody else.
//!
//! The applying thread says that a frame is ready; who sent it waits until the frame's turn, holding nothing.

use crate::handle::SurfaceHandle;
use crate::pipe::backend::Pace;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Frames of a surface that are remembered: more than are ever waited for.
const REMEMBERED: usize = 4;
/// Frames that may be shown in one turn of a display, should a program ask for an interval beyond all sense.
const LONGEST: Duration = Duration::from_secs(10);

/// Frames of one surface: numbers of their records, and when they are shown.
#[derive(Default)]
struct Shown(VecDeque<(u64, Instant)>);

impl Shown {
    /// A frame is ready at `now`: its turn.
    fn turn(&mut self, ordinal: u64, now: Instant, pace: Option<Pace>) -> Instant {
        let before = self.0.back().map(|f| f.1);
        let at = match (before, pace) {
            (Some(before), Some(pace)) => pace.next(before, now),
            _ => now,
        };
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back((ordinal, at));
        at
    }
}

impl Pace {
    /// When a frame is shown that is ready at `now`, behind one that was shown `before`.
    fn next(&self, before: Instant, now: Instant) -> Instant {
        let stays = self.refresh.saturating_mul(self.interval.unsigned_abs());
        let earliest = before + stays.min(LONGEST);
        if now <= earliest {
            return earliest;
        }
        // A late frame waits for the next retrace, unless it may tear (EXT_swap_control_tear).
        if self.interval < 0 || self.refresh.is_zero() {
            return now;
        }
        let late = now - earliest;
        let turns = late.as_nanos().div_ceil(self.refresh.as_nanos());
        let more = self
            .refresh
            .saturating_mul(u32::try_from(turns).unwrap_or(u32::MAX));
        earliest.checked_add(more).unwrap_or(now)
    }
}

/// See the module.
#[derive(Default)]
pub(super) struct Pacer {
    surfaces: Mutex<Vec<(SurfaceHandle, Shown)>>,
}

impl Pacer {
    fn with<T>(&self, f: impl FnOnce(&mut Vec<(SurfaceHandle, Shown)>) -> T) -> T {
        // Whole between any two statements.
        f(&mut self.surfaces.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A frame of a surface is ready.
    pub fn ready(&self, surface: SurfaceHandle, ordinal: u64, pace: Option<Pace>) {
        let now = Instant::now();
        self.with(|all| {
            let at = all.iter().position(|s| s.0 == surface).unwrap_or_else(|| {
                all.push((surface, Shown::default()));
                all.len() - 1
            });
            all[at].1.turn(ordinal, now, pace);
        });
    }

    /// A surface has ended: nobody waits for its frames any more.
    pub fn forget(&self, surface: SurfaceHandle) {
        self.with(|all| all.retain(|s| s.0 != surface));
    }

    /// Waits until a frame that is ready is shown.
    pub fn wait_shown(&self, surface: SurfaceHandle, ordinal: u64) {
        let turn = self.with(|all| {
            let (_, shown) = all.iter().find(|s| s.0 == surface)?;
            shown.0.iter().find(|f| f.0 == ordinal).map(|f| f.1)
        });
        if let Some(turn) = turn {
            std::thread::sleep(turn.saturating_duration_since(Instant::now()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Duration = Duration::from_millis(10);

    fn pace(interval: i32) -> Option<Pace> {
        Some(Pace {
            refresh: FRAME,
            interval,
        })
    }

    /// The turns of frames that are ready at these milliseconds, in milliseconds.
    fn turns(pace: Option<Pace>, ready: &[u64]) -> Vec<u128> {
        let start = Instant::now();
        let mut shown = Shown::default();
        let at = |(i, ms): (usize, &u64)| {
            let now = start + Duration::from_millis(*ms);
            (shown.turn(i as u64, now, pace) - start).as_millis()
        };
        ready.iter().enumerate().map(at).collect()
    }

    #[test]
    fn a_frame_has_its_turn_behind_the_one_before() {
        let early = [0, 1, 2, 3];
        assert_eq!(turns(pace(1), &early), [0, 10, 20, 30]);
        assert_eq!(turns(pace(2), &early), [0, 20, 40, 60]);
        assert_eq!(turns(None, &early), [0, 1, 2, 3]);
    }

    #[test]
    fn a_late_frame_waits_for_the_next_retrace_unless_it_may_tear() {
        assert_eq!(turns(pace(1), &[0, 14, 15, 45]), [0, 20, 30, 50]);
        assert_eq!(turns(pace(2), &[0, 14, 45]), [0, 20, 50]);
        assert_eq!(turns(pace(-1), &[0, 14, 15]), [0, 14, 24]);
        assert_eq!(turns(pace(i32::MAX), &[0, 1])[1], LONGEST.as_millis());
    }

    #[test]
    fn surfaces_do_not_wait_for_each_other_and_few_frames_are_remembered() {
        let pacer = Pacer::default();
        let h = |slot| {
            SurfaceHandle(crate::handle::Handle {
                slot,
                generation: 1,
            })
        };
        for ordinal in 0..100 {
            pacer.ready(h(0), ordinal, None);
        }
        pacer.ready(h(1), 100, pace(1));
        assert_eq!(pacer.with(|all| all[0].1.0.len()), REMEMBERED);
        // Of neither is anything waited for: shown, forgotten, never made.
        pacer.wait_shown(h(0), 99);
        pacer.wait_shown(h(0), 1);
        pacer.wait_shown(h(7), 1);
        pacer.forget(h(0));
        assert_eq!(pacer.with(|all| all.len()), 1);
    }
}
