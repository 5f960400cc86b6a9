//! Programs that are recorded again: the sources of goldens, the system's images of them, and whether two recordings of
//! one program are equal.

#[path = "../road/road.rs"]
#[allow(dead_code)]
mod road;

mod determinism;
mod sources;
