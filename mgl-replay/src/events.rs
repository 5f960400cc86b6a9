//! Events on their way from a back end to the client, in order.

use mgl_core::pipe::event::{Event, LogLevel};
use std::sync::{Mutex, PoisonError};

/// Events since they were last taken. Drivers' debug callbacks add to it too, hence the lock.
#[derive(Debug, Default)]
pub struct Events(Mutex<Vec<Event>>);

impl Events {
    /// Adds one.
    pub fn push(&self, event: Event) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(event);
    }

    /// Adds a line of log.
    pub fn log(&self, level: LogLevel, text: impl Into<String>) {
        self.push(Event::Log {
            level,
            text: text.into(),
        });
    }

    /// All since the last call.
    pub fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
