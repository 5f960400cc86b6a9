//! A desktop OpenGL context of the system's driver, without a window: what the pixel code is
//! compared with.

use std::ffi::c_void;
use std::marker::PhantomData;

use khronos_egl as egl;

const EGL_PLATFORM_SURFACELESS_MESA: egl::Enum = 0x31DD;

type Egl = egl::DynamicInstance<egl::EGL1_5>;

/// Loads the entry points that the comparison needs, each with its C signature.
macro_rules! entry_points {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)*) => {
        #[allow(non_snake_case)]
        struct EntryPoints {
            $($name: unsafe extern "system" fn($($ty),*) $(-> $ret)?,)*
        }

        impl EntryPoints {
            fn load(egl: &Egl) -> EntryPoints {
                EntryPoints {
                    $($name: {
                        let address = egl
                            .get_proc_address(stringify!($name))
                            .expect(concat!("the driver has ", stringify!($name)));
                        // SAFETY: the address is the function of that name, whose signature the
                        // OpenGL registry fixes as it is written above.
                        unsafe {
                            std::mem::transmute::<
                                extern "system" fn(),
                                unsafe extern "system" fn($($ty),*) $(-> $ret)?,
                            >(address)
                        }
                    },)*
                }
            }
        }

        #[allow(non_snake_case, clippy::too_many_arguments, dead_code)]
        impl Oracle {
            $(
                /// Calls the function of that name; pointers must be good for what it does.
                pub fn $name(&self, $($arg: $ty),*) $(-> $ret)? {
                    // SAFETY: the context of this oracle is current on this thread (`Oracle` is
                    // neither `Send` nor `Sync`, and only one is made a thread); the tests pass
                    // null or pointers into buffers that they have measured for the call.
                    unsafe { (self.gl.$name)($($arg),*) }
                }
            )*
        }
    };
}

entry_points! {
    fn glGetError() -> u32;
    fn glGetString(name: u32) -> *const u8;
    fn glGenTextures(n: i32, names: *mut u32);
    fn glDeleteTextures(n: i32, names: *const u32);
    fn glBindTexture(target: u32, name: u32);
    fn glPixelStorei(name: u32, value: i32);
    fn glTexImage2D(target: u32, level: i32, internal: i32, width: i32, height: i32, border: i32,
        format: u32, ty: u32, pixels: *const c_void);
    fn glTexImage3D(target: u32, level: i32, internal: i32, width: i32, height: i32, depth: i32,
        border: i32, format: u32, ty: u32, pixels: *const c_void);
    fn glCompressedTexImage2D(target: u32, level: i32, internal: u32, width: i32, height: i32,
        border: i32, size: i32, data: *const c_void);
    fn glGetTexImage(target: u32, level: i32, format: u32, ty: u32, pixels: *mut c_void);
    fn glGetTexLevelParameteriv(target: u32, level: i32, name: u32, value: *mut i32);
    fn glTexStorage2D(target: u32, levels: i32, internal: u32, width: i32, height: i32);
    fn glGenRenderbuffers(n: i32, names: *mut u32);
    fn glBindRenderbuffer(target: u32, name: u32);
    fn glRenderbufferStorage(target: u32, internal: u32, width: i32, height: i32);
    fn glGenFramebuffers(n: i32, names: *mut u32);
    fn glBindFramebuffer(target: u32, name: u32);
    fn glFramebufferTexture2D(target: u32, attachment: u32, texture_target: u32, name: u32,
        level: i32);
    fn glCheckFramebufferStatus(target: u32) -> u32;
    fn glReadBuffer(source: u32);
    fn glReadPixels(x: i32, y: i32, width: i32, height: i32, format: u32, ty: u32,
        pixels: *mut c_void);
    fn glClampColor(target: u32, clamp: u32);
}

/// A current desktop OpenGL context.
pub struct Oracle {
    gl: EntryPoints,
    egl: Egl,
    display: egl::Display,
    context: egl::Context,
    /// A context is current on one thread.
    not_send: PhantomData<*const ()>,
}

impl Oracle {
    /// Makes a 3.3 context current, of the compatibility profile or of the core profile.
    pub fn new(compatibility: bool) -> Oracle {
        // SAFETY: loading the system's libEGL runs its initialisers, which any program that uses
        // EGL runs.
        let egl = unsafe { Egl::load_required() }.expect("the system has libEGL");
        // SAFETY: the platform takes no native display.
        let display = unsafe {
            egl.get_platform_display(
                EGL_PLATFORM_SURFACELESS_MESA,
                std::ptr::null_mut(),
                &[egl::ATTRIB_NONE],
            )
        }
        .expect("the surfaceless platform exists");
        egl.initialize(display).expect("the display initialises");
        egl.bind_api(egl::OPENGL_API)
            .expect("the driver has desktop OpenGL");
        let profile = if compatibility {
            egl::CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT
        } else {
            egl::CONTEXT_OPENGL_CORE_PROFILE_BIT
        };
        let attributes = [
            egl::CONTEXT_MAJOR_VERSION,
            3,
            egl::CONTEXT_MINOR_VERSION,
            3,
            egl::CONTEXT_OPENGL_PROFILE_MASK,
            profile,
            egl::NONE,
        ];
        // SAFETY: EGL allows a context without a config where EGL_KHR_no_config_context is
        // present; null is what it is named by.
        let no_config = unsafe { egl::Config::from_ptr(std::ptr::null_mut()) };
        let context = egl
            .create_context(display, no_config, None, &attributes)
            .expect("the driver makes a 3.3 context");
        egl.make_current(display, None, None, Some(context))
            .expect("the context becomes current");
        let gl = EntryPoints::load(&egl);
        Oracle {
            gl,
            egl,
            display,
            context,
            not_send: PhantomData,
        }
    }

    /// The error that the last calls left, and no other: all are fetched.
    pub fn error(&self) -> u32 {
        let first = self.glGetError();
        if first != 0 {
            while self.glGetError() != 0 {}
        }
        first
    }

    /// A parameter of level 0 of the bound texture.
    pub fn level_parameter(&self, target: u32, name: u32) -> i32 {
        let mut value = -1;
        self.glGetTexLevelParameteriv(target, 0, name, &mut value);
        value
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // A failure to clean up says nothing about pixels.
        let _ = self.egl.make_current(self.display, None, None, None);
        let _ = self.egl.destroy_context(self.display, self.context);
    }
}
