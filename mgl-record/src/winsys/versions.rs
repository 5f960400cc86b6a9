//! Which context a requested version and profile mean; the same for GLX and EGL.

use super::refusal::Refusal;
use crate::context::{self, ContextConfig, ContextRef, CreateError, Profile};

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

/// Sets the profile that version, flags and mask mean together.
///
/// # Errors
///
/// A version that does not exist, or a combination that is not allowed.
pub fn resolve(mut config: ContextConfig, profiles: i32) -> Result<ContextConfig, Refusal> {
    let version = (config.major, config.minor);
    if !exists(version) {
        return Err(Refusal::NoSuchVersion(version.0.into(), version.1.into()));
    }
    if config.forward_compatible && config.major < 3 {
        return Err(Refusal::ForwardCompatible(version.0, version.1));
    }
    // GLX_ARB_create_context_no_error and EGL_KHR_create_context_no_error.
    if config.no_error && (config.debug || config.robust) {
        return Err(Refusal::NoError);
    }
    // Profiles exist from 3.2 on; below, everything is compatible unless it asks not to be.
    config.profile = match profiles {
        _ if version < (3, 2) && config.forward_compatible => Profile::Core,
        _ if version < (3, 2) => Profile::Compatibility,
        CORE => Profile::Core,
        COMPATIBILITY => Profile::Compatibility,
        mask => return Err(Refusal::Profile(mask)),
    };
    Ok(config)
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

/// Makes the driver's context.
///
/// # Errors
///
/// Those of [`context::create`].
pub fn create(config: &ContextConfig, share: Option<&ContextRef>) -> Result<ContextRef, Refusal> {
    context::create(config, share).map_err(|error| match error {
        CreateError::BadVersion(major, minor) => Refusal::NotOffered(major, minor),
        CreateError::BadProfile => Refusal::Profile(0),
        CreateError::NoDriver(_) => Refusal::Driver(error.to_string()),
    })
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
            resolve(config, profiles).ok().map(|c| c.profile)
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
        let both = ContextConfig {
            no_error: true,
            debug: true,
            ..unversioned()
        };
        assert_eq!(resolve(both, CORE).err(), Some(Refusal::NoError));
    }
}
