//! Magma as the back end of the shared tests, with the validation layers on.

use mgl_replay::magma::{Magma, MagmaOptions, PipelineCache};

/// The back end.
pub type Lane = Magma;

/// The software device, validated.
pub fn options() -> MagmaOptions {
    MagmaOptions {
        device: None,
        debug: true,
        cache: PipelineCache::None,
    }
}

/// Without a window system.
pub fn headless() -> Lane {
    lacking(&[])
}

/// As above, without some of the device's features.
pub fn lacking(features: &[&str]) -> Lane {
    let be = Magma::lacking(options(), features)
        .expect("these tests need a Vulkan device (see mgl doctor)");
    assert!(
        be.is_validated(),
        "these tests need the Vulkan validation layers"
    );
    be
}

/// On an X server.
#[allow(dead_code)] // not all tests show windows
pub fn on_display(_display: &str) -> Lane {
    headless()
}
