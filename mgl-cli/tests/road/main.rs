//! The whole road: unmodified programs run on the driver, what they draw is recorded, and the recordings are
//! replayed without them. Every test starts an X server of its own and works in a folder of its own.

mod api;
mod calls;
mod failures;
mod killed;
mod nothing;
#[path = "../program/pty.rs"]
mod pty;
#[allow(dead_code)]
mod road;
mod scenes;
mod signals;
