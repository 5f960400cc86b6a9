//! Which context a requested version and profile mean; the same for GLX and EGL.

use crate::context::{self, ContextConfig, ContextRef, CreateError, Profile};
use std::sync::Once;

/// What a program gets that asks for nothing: compatibility, of any version.
pub fn unversioned() -> ContextConfig {
    ContextConfig {
        profile: Profile::Compatibility,
        major: 1,
        minor: 0,
        debug: false,
        forward_compatible: false,
        robust: false,
        lose_on_reset: false,
        no_error: false,
        flush_on_release: true,
    }
}

/// A requested profile mask, in the bits that GLX_ARB_create_context_profile and EGL 1.5 share:
/// 1 is core, 2 is compatibility.
pub const CORE: i32 = 1;
/// See [`CORE`].
pub const COMPATIBILITY: i32 = 2;

/// Sets the profile that version, flags and mask mean together; `None` when the version does not
/// exist or the combination is not allowed.
pub fn resolve(mut config: ContextConfig, profiles: i32) -> Option<ContextConfig> {
    let version = (config.major, config.minor);
    if !exists(version) || (config.forward_compatible && config.major < 3) {
        return None;
    }
    // Profiles exist from 3.2 on; below, everything is compatible unless it asks not to be.
    config.profile = match profiles {
        _ if version < (3, 2) && config.forward_compatible => Profile::Core,
        _ if version < (3, 2) => Profile::Compatibility,
        CORE => Profile::Core,
        COMPATIBILITY => Profile::Compatibility,
        _ => return None,
    };
    Some(config)
}

/// Whether there is such a version of OpenGL.
fn exists((major, minor): (u32, u32)) -> bool {
    match major {
        1 => minor <= 5,
        2 => minor <= 1,
        3 => minor <= 3,
        4 => minor <= 6,
        _ => false,
    }
}

/// Says once that OpenGL ES contexts are not offered.
pub fn refuse_es() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| eprintln!("mgl: OpenGL ES contexts are refused; mgl offers desktop OpenGL"));
}

/// Makes the driver's context; that there is no driver at all is said once.
///
/// # Errors
///
/// Those of [`context::create`].
pub fn create(
    config: &ContextConfig,
    share: Option<&ContextRef>,
) -> Result<ContextRef, CreateError> {
    let result = context::create(config, share);
    if let Err(error @ CreateError::NoDriver(_)) = &result {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| eprintln!("mgl: {error}"));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_count_from_3_2_on() {
        let of = |major, minor, forward_compatible, profiles| {
            let config = ContextConfig {
                major,
                minor,
                forward_compatible,
                ..unversioned()
            };
            resolve(config, profiles).map(|c| c.profile)
        };
        assert_eq!(of(1, 0, false, CORE), Some(Profile::Compatibility));
        assert_eq!(of(3, 3, false, CORE), Some(Profile::Core));
        assert_eq!(of(3, 3, false, COMPATIBILITY), Some(Profile::Compatibility));
        assert_eq!(of(3, 1, false, CORE), Some(Profile::Compatibility));
        assert_eq!(of(3, 0, true, CORE), Some(Profile::Core));
        assert_eq!(of(2, 1, true, CORE), None);
        assert_eq!(of(3, 4, false, CORE), None);
        assert_eq!(of(5, 0, false, CORE), None);
        assert_eq!(of(3, 3, false, CORE | COMPATIBILITY), None);
    }
}
