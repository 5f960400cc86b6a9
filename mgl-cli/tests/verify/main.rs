//! `mgl verify` and `mgl golden` on the project's own traces and goldens: everything equal is found equal, and everything
//! that is altered is found by its name.

#[path = "../road/road.rs"]
#[allow(dead_code)]
mod road;

mod golden;
mod live;
mod place;
mod stored;
