//! Checks of the tracker against itself (`MGL_CHECK`).

use crate::driver::Driver;

/// Runs the checks that were asked for, at a Present.
pub fn at_present(_d: &mut Driver) {}
