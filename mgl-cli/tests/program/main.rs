//! Runs the `mgl` program as its users do.

mod bounds;
mod common;
mod compare;
mod doctor;
mod general;
mod inspect;
mod paths;
mod pty;
mod replay;
mod scene;
mod signals;
mod start;
mod uploads;
