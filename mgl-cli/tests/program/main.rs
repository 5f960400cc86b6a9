//! Runs the `mgl` program as its users do.

mod common;
mod compare;
mod doctor;
mod general;
mod inspect;
mod replay;
mod scene;
mod start;
mod uploads;
