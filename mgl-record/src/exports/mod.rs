//! Everything that leaves the library: the table of exported functions, refusals, lookup.
//!
//! Implements design page 5.1. The build script reads the registry and the crate's `gl_entry!` and
//! `api_entry!` declarations and generates, for every name, one of three things: nothing (it is
//! implemented), a forward to an implemented name of the same alias group, or a refusal. May touch
//! the current context only to raise an error on it.

pub(crate) mod types {
    //! The types that generated signatures are written in.
    pub use crate::gl::types::*;
    pub use crate::winsys::types::*;
    pub use core::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};
}

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

#[allow(
    missing_docs,
    unused_imports,
    non_snake_case,
    non_camel_case_types,
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    clippy::unnecessary_cast
)]
mod generated {
    use super::{Address, Export, Kind, refuse, types};
    include!(concat!(env!("OUT_DIR"), "/exports.rs"));

    /// The refused names; the index is the number that [`refuse`] gets.
    pub(super) fn refused() -> &'static [&'static str] {
        &REFUSED
    }
    pub(super) const REFUSED_COUNT: usize = REFUSED.len();
}

pub use generated::{TABLE, sig};

/// What stands behind an exported name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Declared by `gl_entry!` or `api_entry!`.
    Implemented,
    /// Forwards to an implemented function.
    Alias,
    /// Refuses by name.
    Refused,
}

/// The address of an exported function.
#[derive(Clone, Copy, Debug)]
pub struct Address(*const ());

// SAFETY: the address of code; nothing is read or written through it here.
unsafe impl Sync for Address {}
// SAFETY: as above.
unsafe impl Send for Address {}

impl Address {
    /// The address as the window-system interfaces hand it out.
    pub fn as_ptr(self) -> *const c_void {
        self.0.cast()
    }
}

/// One exported function.
#[derive(Clone, Copy, Debug)]
pub struct Export {
    /// Its symbol.
    pub name: &'static str,
    /// What stands behind it.
    pub kind: Kind,
    /// Where it is.
    pub address: Address,
}

/// Finds an exported function by name; `None` for a name that no registry knows.
///
/// A refused function is found as well: programs that ask for it and call it without need get an
/// error with its name instead of a jump to zero.
pub fn lookup(name: &str) -> Option<&'static Export> {
    TABLE
        .binary_search_by(|e| e.name.cmp(name))
        .ok()
        .map(|i| &TABLE[i])
}

static COUNTS: [AtomicU64; generated::REFUSED_COUNT] =
    [const { AtomicU64::new(0) }; generated::REFUSED_COUNT];

/// The body of every refusal: counts, reports the first one, raises the error.
#[cold]
#[inline(never)]
pub(crate) fn refuse(index: usize) {
    let name = generated::refused()[index];
    if COUNTS[index].fetch_add(1, Ordering::Relaxed) == 0 {
        eprintln!("mgl: {name} is not implemented; calls to it are refused");
    }
    if name.starts_with("egl") {
        crate::winsys::refused_egl_call();
    } else if !name.starts_with("glX") {
        crate::gl::entry::raise_invalid_operation(name);
    }
}

/// Every refused function that has been called, with its number of calls, sorted by name.
pub fn refusals() -> Vec<(&'static str, u64)> {
    generated::refused()
        .iter()
        .zip(&COUNTS)
        .map(|(name, count)| (*name, count.load(Ordering::Relaxed)))
        .filter(|(_, count)| *count > 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_and_has_every_kind_of_name() {
        assert!(TABLE.windows(2).all(|w| w[0].name < w[1].name));
        assert!(TABLE.len() > 3500);
        for name in [
            "glClear",
            "glBegin",
            "glXSwapBuffers",
            "eglInitialize",
            "glClearColorx",
        ] {
            assert!(lookup(name).is_some(), "{name}");
        }
        assert!(lookup("glNoSuchFunction").is_none());
        assert!(lookup("").is_none());
    }

    #[test]
    fn a_refusal_is_counted_under_its_own_name() {
        let export = lookup("glAccum").expect("in the registry");
        assert_eq!(export.kind, Kind::Refused);
        // SAFETY: a refusal takes no notice of its arguments.
        let call: unsafe extern "system" fn(u32, f32) =
            unsafe { std::mem::transmute(export.address.as_ptr()) };
        for _ in 0..3 {
            // SAFETY: as above.
            unsafe { call(0x100, 1.0) };
        }
        assert!(refusals().contains(&("glAccum", 3)));
    }
}
