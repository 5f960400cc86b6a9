//! Types of the GLX and EGL interfaces and the few of Xlib that they mention, as C programs on
//! 64-bit Linux pass them.

#![allow(non_camel_case_types)]

use core::ffi::{c_char, c_int, c_uint, c_ulong, c_void};

/// The program's Xlib connection; never read by us, only handed back to libX11.
#[repr(C)]
pub struct Display {
    _opaque: [u8; 0],
}

pub type XID = c_ulong;
pub type Window = XID;
pub type Pixmap = XID;
pub type Font = XID;
pub type Colormap = XID;
pub type VisualID = c_ulong;
pub type Bool = c_int;
pub type Status = c_int;

/// Xutil.h's description of a visual; allocated by us with malloc, freed by the program's XFree.
#[repr(C)]
#[derive(Debug)]
pub struct XVisualInfo {
    pub visual: *mut c_void,
    pub visualid: VisualID,
    pub screen: c_int,
    pub depth: c_int,
    pub class: c_int,
    pub red_mask: c_ulong,
    pub green_mask: c_ulong,
    pub blue_mask: c_ulong,
    pub colormap_size: c_int,
    pub bits_per_rgb: c_int,
}

pub type GLXContext = *mut c_void;
pub type GLXFBConfig = *mut c_void;
pub type GLXFBConfigSGIX = GLXFBConfig;
pub type GLXDrawable = XID;
pub type GLXWindow = XID;
pub type GLXPixmap = XID;
pub type GLXPbuffer = XID;
pub type GLXPbufferSGIX = XID;
pub type GLXContextID = XID;
pub type GLXVideoCaptureDeviceNV = XID;
pub type GLXVideoDeviceNV = c_uint;
pub type GLXVideoSourceSGIX = XID;
/// A function found by name, to be cast to its own type.
pub type __GLXextFuncPtr = *const c_void;

pub type EGLint = i32;
pub type EGLenum = c_uint;
pub type EGLBoolean = c_uint;
pub type EGLAttrib = isize;
pub type EGLAttribKHR = isize;
pub type EGLTime = u64;
pub type EGLTimeKHR = u64;
pub type EGLTimeNV = u64;
pub type EGLuint64KHR = u64;
pub type EGLuint64NV = u64;
pub type EGLnsecsANDROID = i64;
pub type EGLDisplay = *mut c_void;
pub type EGLConfig = *mut c_void;
pub type EGLContext = *mut c_void;
pub type EGLSurface = *mut c_void;
pub type EGLSync = *mut c_void;
pub type EGLSyncKHR = *mut c_void;
pub type EGLSyncNV = *mut c_void;
pub type EGLImage = *mut c_void;
pub type EGLImageKHR = *mut c_void;
pub type EGLClientBuffer = *mut c_void;
pub type EGLDeviceEXT = *mut c_void;
pub type EGLOutputLayerEXT = *mut c_void;
pub type EGLOutputPortEXT = *mut c_void;
pub type EGLStreamKHR = *mut c_void;
pub type EGLLabelKHR = *mut c_void;
pub type EGLObjectKHR = *mut c_void;
pub type EGLNativeFileDescriptorKHR = c_int;
pub type EGLNativeDisplayType = *mut c_void;
/// A window of X11: an XID in a pointer-sized word.
pub type EGLNativeWindowType = c_ulong;
pub type EGLNativePixmapType = c_ulong;
pub type __eglMustCastToProperFunctionPointerType = *const c_void;
pub type EGLSetBlobFuncANDROID =
    Option<unsafe extern "C" fn(*const c_void, isize, *const c_void, isize)>;
pub type EGLGetBlobFuncANDROID =
    Option<unsafe extern "C" fn(*const c_void, isize, *mut c_void, isize) -> isize>;
/// EGL_KHR_debug's callback: error, command, message type, thread and object labels, message.
pub type EGLDEBUGPROCKHR = Option<
    unsafe extern "C" fn(EGLenum, *const c_char, EGLint, EGLLabelKHR, EGLLabelKHR, *const c_char),
>;
