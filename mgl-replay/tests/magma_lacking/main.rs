//! What stands in for features that a Vulkan device may lack, on a device that has them: the tests that all back ends
//! share, on Magma without these features.

#[path = "../backend/basics.rs"]
mod basics;
#[path = "../backend/captures.rs"]
mod captures;
#[path = "../backend/draws.rs"]
mod draws;
#[path = "../backend/framebuffers.rs"]
mod framebuffers;
mod lane;
#[allow(dead_code)] // not all of it is used here
#[path = "../backend/rig.rs"]
mod rig;
#[path = "../backend/textures.rs"]
mod textures;

use mgl_core::pipe::Backend;

#[test]
fn a_feature_that_is_none_is_refused_by_name() {
    use mgl_replay::magma::{Magma, MagmaOptions};
    let Err(e) = Magma::lacking(MagmaOptions::default(), &["warp_drive"]) else {
        panic!("there is no such feature");
    };
    assert!(e.to_string().contains("warp_drive"), "{e}");
    assert!(!lane::headless().caps().has("dynamic_state"));
}
