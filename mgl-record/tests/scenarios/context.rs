//! Contexts of whichever libEGL the loader finds: without windows, on pbuffer surfaces.

use super::bindings::Functions;
use core::ffi::c_void;
use khronos_egl as egl;

const PLATFORM_SURFACELESS_MESA: egl::Enum = 0x31DD;

pub type Egl = egl::DynamicInstance<egl::EGL1_5>;

/// What kind of 3.3 context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    Core,
    Compatibility,
}

/// The display and its configuration.
pub struct Place {
    pub egl: Egl,
    pub display: egl::Display,
    pub config: egl::Config,
}

impl Place {
    pub fn open() -> Self {
        // SAFETY: loading libEGL runs its initialisers, as in any program that uses EGL.
        let egl = unsafe { Egl::load_required() }.expect("a libEGL 1.5");
        // SAFETY: the platform takes no native display.
        let display = unsafe {
            egl.get_platform_display(
                PLATFORM_SURFACELESS_MESA,
                std::ptr::null_mut(),
                &[egl::ATTRIB_NONE],
            )
        }
        .expect("the surfaceless platform");
        egl.initialize(display).expect("a display");
        egl.bind_api(egl::OPENGL_API).expect("desktop OpenGL");
        let wanted = [
            (egl::SURFACE_TYPE, egl::PBUFFER_BIT),
            (egl::RENDERABLE_TYPE, egl::OPENGL_BIT),
            (egl::RED_SIZE, 8),
            (egl::GREEN_SIZE, 8),
            (egl::BLUE_SIZE, 8),
            (egl::ALPHA_SIZE, 8),
            (egl::DEPTH_SIZE, 24),
            (egl::STENCIL_SIZE, 8),
            (egl::SAMPLES, 0),
        ];
        let mut attributes: Vec<egl::Int> = wanted.iter().flat_map(|(k, v)| [*k, *v]).collect();
        attributes.push(egl::NONE);
        let config = egl
            .choose_first_config(display, &attributes)
            .expect("configurations")
            .expect("a configuration with pbuffers, depth and stencil");
        Self {
            egl,
            display,
            config,
        }
    }

    pub fn pbuffer(&self, width: i32, height: i32) -> egl::Surface {
        let attributes = [egl::WIDTH, width, egl::HEIGHT, height, egl::NONE];
        self.egl
            .create_pbuffer_surface(self.display, self.config, &attributes)
            .expect("a pbuffer")
    }

    pub fn context(&self, profile: Profile, share: Option<egl::Context>) -> egl::Context {
        let bit = match profile {
            Profile::Core => egl::CONTEXT_OPENGL_CORE_PROFILE_BIT,
            Profile::Compatibility => egl::CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
        };
        let attributes = [
            egl::CONTEXT_MAJOR_VERSION,
            3,
            egl::CONTEXT_MINOR_VERSION,
            3,
            egl::CONTEXT_OPENGL_PROFILE_MASK,
            bit,
            egl::NONE,
        ];
        self.egl
            .create_context(self.display, self.config, share, &attributes)
            .expect("a 3.3 context")
    }

    pub fn make_current(&self, surface: Option<egl::Surface>, context: Option<egl::Context>) {
        self.egl
            .make_current(self.display, surface, surface, context)
            .expect("the context becomes current");
    }

    pub fn functions(&self) -> Functions {
        Functions::load(|name| {
            self.egl
                .get_proc_address(name)
                .map_or(std::ptr::null(), |f| f as *const c_void)
        })
    }
}
