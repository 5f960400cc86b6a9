//! Progress on standard error: a bar on a terminal, a plain line now and then elsewhere.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::shows_unicode;

/// Time between two plain lines; short work prints none.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Counts steps of a known number.
pub struct Progress {
    bar: ProgressBar,
    plain: bool,
    what: &'static str,
    total: u64,
    done: u64,
    last_line: Instant,
}

impl Progress {
    /// `what` is the word for the steps, as in "frames".
    pub fn new(total: u64, what: &'static str) -> Self {
        let plain = !io::stderr().is_terminal();
        let target = if plain {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg} {eta}")
            .expect("the template is valid");
        let style = match shows_unicode(&io::stderr()) {
            true => style,
            false => style.progress_chars("#>-"),
        };
        let bar = ProgressBar::with_draw_target(Some(total), target)
            .with_style(style)
            .with_message(what);
        Self {
            bar,
            plain,
            what,
            total,
            done: 0,
            last_line: Instant::now(),
        }
    }

    /// One more step is done.
    pub fn step(&mut self) {
        self.done += 1;
        self.bar.inc(1);
        if self.plain && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            eprintln!("{}/{} {}", self.done, self.total, self.what);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
