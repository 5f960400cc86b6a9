//! OpenGL by name: the functions and enumerants of the registry, as the build script writes them.

#[path = "../../src/gl/types.rs"]
#[allow(dead_code, clippy::upper_case_acronyms)]
pub mod types;

/// Enumerants of the registry.
#[allow(dead_code)]
pub mod consts {
    include!(concat!(env!("OUT_DIR"), "/consts.rs"));
}

#[allow(unused_imports)]
use core::ffi::{c_char, c_void};
use types::*;

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));

impl Functions {
    /// Looks every name up; those that the OpenGL lacks are null.
    pub fn load(look_up: impl Fn(&str) -> *const c_void) -> Self {
        Self {
            addresses: NAMES.iter().map(|n| look_up(n)).collect(),
        }
    }

    fn address(&self, index: usize) -> *const c_void {
        let address = self.addresses[index];
        assert!(!address.is_null(), "{} is not offered", NAMES[index]);
        address
    }

    /// Whether a function (by its full name) was found.
    pub fn has(&self, name: &str) -> bool {
        let at = NAMES
            .iter()
            .position(|n| *n == name)
            .expect("a name of the registry");
        !self.addresses[at].is_null()
    }
}
