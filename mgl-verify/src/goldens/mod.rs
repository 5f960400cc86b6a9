//! Goldens: what traces must give, stored, compared, and changed only by hand (design: product, goldens; verification).
//!
//! A golden is a folder ([`store`]): settings that people write ([`settings`]), images, pushed state, upload shapes,
//! counters. [`verify()`] compares traces, or recordings made of the goldens' sources, with them; what differs is left
//! beside the golden as *pending* ([`pending`]), and [`pending::accept`] or [`pending::reject`] decide. Replays run in
//! processes of their own ([`worker`]), so that a crash of a driver is a failed case.

pub mod blessing;
mod case;
mod images;
mod paths;
pub mod pending;
pub mod report;
pub mod select;
pub mod settings;
pub mod store;
pub mod verdict;
mod verify;
pub mod worker;

pub use verify::{Mode, VerifyOptions, verify};
