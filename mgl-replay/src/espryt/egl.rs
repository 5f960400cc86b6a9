//! EGL: the display, native contexts and window surfaces, and which context each thread has current.
//!
//! Contexts are OpenGL ES ones without a config, all in one share group; they draw into framebuffer objects and need a
//! window surface only while a frame is shown. The library is opened by path ([`super::loader`]), never linked.

use super::loader;
use crate::xcb::Connection;
use khronos_egl as egl;
use mgl_core::pipe::BackendError;
use std::cell::Cell;
use std::collections::HashSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

type Instance = egl::DynamicInstance<egl::EGL1_4>;

const PLATFORM_DEVICE: u32 = 0x313F;
const PLATFORM_SURFACELESS: u32 = 0x31DD;
const PLATFORM_XCB: u32 = 0x31DC;
const PLATFORM_XCB_SCREEN: i32 = 0x31DE;
const CONTEXT_MAJOR: i32 = 0x3098;
const CONTEXT_MINOR: i32 = 0x30FB;
const CONTEXT_FLAGS: i32 = 0x30FC;
const CONTEXT_DEBUG_BIT: i32 = 1;
const OPENGL_ES3_BIT: i32 = 0x40;

/// Where contexts live.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DisplayChoice {
    /// No window system.
    Surfaceless,
    /// An X server, by its display string or the one of the environment.
    X11 {
        /// `:0`, or the environment's.
        display: Option<String>,
    },
    /// The environment's X server when one answers, else no window system.
    #[default]
    Auto,
}

/// What a thread has current: a native context's [`Context::id`] and a window surface's address, 0 for none.
type Current = (u64, usize);

thread_local! {
    static CURRENT: Cell<Current> = const { Cell::new((0, 0)) };
    static THREAD: Cell<u64> = const { Cell::new(0) };
}
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

fn next_id() -> u64 {
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

/// A number for this thread that no other thread of the process ever has.
pub fn thread_token() -> u64 {
    THREAD.with(|t| {
        if t.get() == 0 {
            t.set(next_id());
        }
        t.get()
    })
}

/// The native context that this thread has current, 0 for none.
pub fn current_id() -> u64 {
    CURRENT.with(Cell::get).0
}

/// A native context.
pub struct Context {
    raw: egl::Context,
    /// Unique in the process.
    pub id: u64,
    /// [`thread_token`] of the thread that has it current, 0 for none.
    pub holder: u64,
}

// SAFETY: an EGL context's handle may be used from any thread; EGL refuses what would clash.
unsafe impl Send for Context {}

/// A window surface.
pub struct WindowSurface {
    raw: egl::Surface,
    /// Swap interval last set, which is per surface.
    interval: Option<i32>,
}

// SAFETY: as for contexts.
unsafe impl Send for WindowSurface {}

type GetPlatformDisplay = unsafe extern "system" fn(u32, *mut c_void, *const i32) -> *mut c_void;
type CreatePlatformWindowSurface =
    unsafe extern "system" fn(*mut c_void, *mut c_void, *mut c_void, *const i32) -> *mut c_void;
type QueryDevices = unsafe extern "system" fn(i32, *mut *mut c_void, *mut i32) -> u32;

/// The library and its display.
pub struct Egl {
    instance: Instance,
    display: egl::Display,
    /// Own connection to the X server, when the display is one.
    pub x: Option<Connection>,
    debug: bool,
    /// Client version of the contexts made, found with the first.
    version: Cell<(i32, i32)>,
    /// Whether this display is ours alone and ends with us.
    owned: bool,
}

// SAFETY: EGL may be called from any thread; the raw handles inside are process-wide names. The `Cell` is only touched
// under the exclusive access that callers of `create_context` have.
unsafe impl Send for Egl {}

fn driver(what: &str, error: impl std::fmt::Display) -> BackendError {
    BackendError::Driver(format!("{what}: {error}"))
}

impl Egl {
    /// Opens the library and a display.
    ///
    /// # Errors
    ///
    /// [`BackendError::Driver`] in the words of what failed: the library, the X server, the display, or a missing
    /// extension.
    pub fn open(choice: &DisplayChoice, debug: bool) -> Result<Self, BackendError> {
        let (path, library) = loader::open().map_err(|e| driver("libEGL", e))?;
        pin(&path);
        // SAFETY: the loader has checked that this is a libEGL.
        let instance = unsafe { Instance::load_required_from(library) }
            .map_err(|e| driver(&path.display().to_string(), e))?;
        let client = instance
            .query_string(None, egl::EXTENSIONS)
            .map(|s| words(&s.to_string_lossy()))
            .unwrap_or_default();
        let (display, x, owned) = match choice {
            DisplayChoice::Surfaceless => surfaceless(&instance, &client)?,
            DisplayChoice::X11 { display } => x11(&instance, &client, display.as_deref())?,
            DisplayChoice::Auto => match std::env::var_os("DISPLAY") {
                Some(_) => {
                    x11(&instance, &client, None).or_else(|_| surfaceless(&instance, &client))?
                }
                None => surfaceless(&instance, &client)?,
            },
        };
        instance
            .initialize(display)
            .map_err(|e| driver("eglInitialize", e))?;
        let extensions = instance
            .query_string(Some(display), egl::EXTENSIONS)
            .map(|s| words(&s.to_string_lossy()))
            .map_err(|e| driver("eglQueryString", e))?;
        for needed in ["EGL_KHR_surfaceless_context", "EGL_KHR_create_context"] {
            if !extensions.contains(needed) {
                return Err(BackendError::Unsupported(format!("{needed} is missing")));
            }
        }
        if !extensions.contains("EGL_KHR_no_config_context")
            && !extensions.contains("EGL_MESA_configless_context")
        {
            return Err(BackendError::Unsupported(
                "EGL_KHR_no_config_context is missing".into(),
            ));
        }
        Ok(Self {
            instance,
            display,
            x,
            debug,
            version: Cell::new((0, 0)),
            owned,
        })
    }

    /// Whether windows can be shown.
    pub fn has_windows(&self) -> bool {
        self.x.is_some()
    }

    /// Whether a window of an X display can be shown: the screen part of the string does not matter.
    pub fn shows_on(&self, display: &str) -> bool {
        let server = |d: &str| match d.rsplit_once(':') {
            Some((host, number)) => {
                let number = number.split('.').next().unwrap_or(number);
                format!("{}:{number}", host.strip_prefix("unix").unwrap_or(host))
            }
            None => d.to_owned(),
        };
        self.x
            .as_ref()
            .is_some_and(|x| server(x.name()) == server(display))
    }

    /// Where contexts live, in words.
    pub fn display_name(&self) -> String {
        self.x
            .as_ref()
            .map_or_else(|| "no window system".into(), |x| x.name().to_owned())
    }

    /// Address of a function, or null.
    pub fn address(&self, name: &str) -> *const c_void {
        self.instance
            .get_proc_address(name)
            .map_or(std::ptr::null(), |f| f as *const c_void)
    }

    /// Makes an OpenGL ES context, of version 3.2 or else 3.1.
    ///
    /// # Errors
    ///
    /// [`BackendError::Driver`] with EGL's reason.
    pub fn create_context(&self, share: Option<&Context>) -> Result<Context, BackendError> {
        self.instance
            .bind_api(egl::OPENGL_ES_API)
            .map_err(|e| driver("eglBindAPI", e))?;
        let versions: &[(i32, i32)] = match self.version.get() {
            (0, 0) => &[(3, 2), (3, 1)],
            known => &[known],
        };
        let mut last = BackendError::Unsupported("no OpenGL ES 3.1".into());
        for &(major, minor) in versions {
            let flags = if self.debug { CONTEXT_DEBUG_BIT } else { 0 };
            let attributes = [
                CONTEXT_MAJOR,
                major,
                CONTEXT_MINOR,
                minor,
                CONTEXT_FLAGS,
                flags,
                egl::NONE,
            ];
            // SAFETY: EGL_NO_CONFIG_KHR, which the display takes.
            let config = unsafe { egl::Config::from_ptr(std::ptr::null_mut()) };
            let made = self.instance.create_context(
                self.display,
                config,
                share.map(|c| c.raw),
                &attributes,
            );
            match made {
                Ok(raw) => {
                    self.version.set((major, minor));
                    return Ok(Context {
                        raw,
                        id: next_id(),
                        holder: 0,
                    });
                }
                Err(e) => last = driver("eglCreateContext", e),
            }
        }
        Err(last)
    }

    /// Client API of the current context of this thread, as EGL itself says.
    pub fn client_api(&self, context: &Context) -> Option<i32> {
        self.instance
            .query_context(self.display, context.raw, egl::CONTEXT_CLIENT_TYPE)
            .ok()
    }

    /// Ends a context; this thread, or none, has it current.
    pub fn destroy_context(&self, context: &mut Context) {
        if current_id() == context.id {
            self.release();
        }
        let _ = self.instance.destroy_context(self.display, context.raw);
    }

    /// Makes a context current on this thread, with a window or with none; nothing happens when it is.
    ///
    /// # Errors
    ///
    /// [`BackendError::Driver`] with EGL's reason, for instance when another thread has the context.
    pub fn make_current(
        &self,
        context: &mut Context,
        window: Option<&WindowSurface>,
    ) -> Result<(), BackendError> {
        let wanted = (context.id, window.map_or(0, |w| w.raw.as_ptr() as usize));
        if CURRENT.with(Cell::get) == wanted {
            return Ok(());
        }
        let surface = window.map(|w| w.raw);
        self.instance
            .make_current(self.display, surface, surface, Some(context.raw))
            .map_err(|e| driver("eglMakeCurrent", e))?;
        CURRENT.with(|c| c.set(wanted));
        context.holder = thread_token();
        Ok(())
    }

    /// This thread has no context current afterwards. The caller clears the holder.
    pub fn release(&self) {
        if current_id() == 0 {
            return;
        }
        let _ = self.instance.bind_api(egl::OPENGL_ES_API);
        let _ = self.instance.make_current(self.display, None, None, None);
        CURRENT.with(|c| c.set((0, 0)));
    }

    /// A surface for an X window, by a config of its visual or else of its depth.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] when the display is not X11 or has no config for the depth,
    /// [`BackendError::Driver`] when the window is refused (it may be gone).
    pub fn create_window(
        &self,
        window: u32,
        visual: u32,
        depth: u8,
    ) -> Result<WindowSurface, BackendError> {
        if self.x.is_none() {
            return Err(BackendError::Unsupported(
                "a window, since the back end's display is not an X server".into(),
            ));
        }
        let config = self.window_config(visual, depth)?;
        let create = self.address("eglCreatePlatformWindowSurfaceEXT");
        if create.is_null() {
            return Err(BackendError::Unsupported("EGL_EXT_platform_base".into()));
        }
        // SAFETY: the function has this signature (EGL_EXT_platform_base).
        let create: CreatePlatformWindowSurface = unsafe { std::mem::transmute(create) };
        let mut window = window;
        // SAFETY: the native window of the XCB platform is a pointer to an xcb_window_t, read during the call.
        let raw = unsafe {
            create(
                self.display.as_ptr(),
                config.as_ptr(),
                (&raw mut window).cast(),
                std::ptr::null(),
            )
        };
        if raw.is_null() {
            let error = self
                .instance
                .get_error()
                .map_or_else(|| "no reason given".to_owned(), |e| e.to_string());
            return Err(driver("eglCreatePlatformWindowSurface", error));
        }
        Ok(WindowSurface {
            // SAFETY: EGL made it just now.
            raw: unsafe { egl::Surface::from_ptr(raw) },
            interval: None,
        })
    }

    fn window_config(&self, visual: u32, depth: u8) -> Result<egl::Config, BackendError> {
        let wanted = [
            egl::SURFACE_TYPE,
            egl::WINDOW_BIT,
            egl::RENDERABLE_TYPE,
            OPENGL_ES3_BIT,
            egl::NONE,
        ];
        let count = self
            .instance
            .matching_config_count(self.display, &wanted)
            .map_err(|e| driver("eglChooseConfig", e))?;
        let mut configs = Vec::with_capacity(count);
        self.instance
            .choose_config(self.display, &wanted, &mut configs)
            .map_err(|e| driver("eglChooseConfig", e))?;
        let get = |c, a| {
            self.instance
                .get_config_attrib(self.display, c, a)
                .unwrap_or(0)
        };
        configs
            .into_iter()
            .filter(|c| get(*c, egl::BUFFER_SIZE) == i32::from(depth))
            .min_by_key(|c| {
                let extra = get(*c, egl::SAMPLES) * 1000
                    + get(*c, egl::DEPTH_SIZE)
                    + get(*c, egl::STENCIL_SIZE);
                (get(*c, egl::NATIVE_VISUAL_ID) != visual as i32, extra)
            })
            .ok_or_else(|| {
                BackendError::Unsupported(format!("a window of depth {depth} (visual {visual:#x})"))
            })
    }

    /// Size of a window surface as EGL knows it, pixels.
    pub fn window_size(&self, w: &WindowSurface) -> (i32, i32) {
        let get = |a| {
            self.instance
                .query_surface(self.display, w.raw, a)
                .unwrap_or(0)
        };
        (get(egl::WIDTH), get(egl::HEIGHT))
    }

    /// Shows what was drawn into the window surface that is current with `interval`.
    ///
    /// # Errors
    ///
    /// [`BackendError::Driver`] with EGL's reason.
    pub fn swap(&self, w: &mut WindowSurface, interval: i32) -> Result<(), BackendError> {
        if w.interval != Some(interval) {
            let _ = self.instance.swap_interval(self.display, interval);
            w.interval = Some(interval);
        }
        self.instance
            .swap_buffers(self.display, w.raw)
            .map_err(|e| driver("eglSwapBuffers", e))
    }

    /// Ends a window surface; no thread has it current.
    pub fn destroy_window(&self, w: &WindowSurface) {
        let _ = self.instance.destroy_surface(self.display, w.raw);
    }

    /// Whether this thread has the window surface current.
    pub fn is_current_window(&self, w: &WindowSurface) -> bool {
        CURRENT.with(Cell::get).1 == w.raw.as_ptr() as usize
    }
}

impl Drop for Egl {
    fn drop(&mut self) {
        // The surfaceless display is the process's: another back end may use it.
        if self.owned {
            let _ = self.instance.terminate(self.display);
        }
    }
}

/// The library stays in the process: threads that used it run its destructors when they end, which may be later than the
/// last use of it.
fn pin(path: &std::path::Path) {
    use std::os::unix::ffi::OsStrExt;
    if let Ok(name) = std::ffi::CString::new(path.as_os_str().as_bytes()) {
        // SAFETY: the library is open already; this only adds a reference that is never given back.
        unsafe {
            libc::dlopen(
                name.as_ptr(),
                libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE,
            )
        };
    }
}

fn words(s: &str) -> HashSet<String> {
    s.split_ascii_whitespace().map(str::to_owned).collect()
}

type Opened = (egl::Display, Option<Connection>, bool);

fn platform_display(
    instance: &Instance,
    client: &HashSet<String>,
    platform: u32,
    native: *mut c_void,
    attributes: &[i32],
) -> Result<egl::Display, BackendError> {
    let get = instance.get_proc_address("eglGetPlatformDisplayEXT");
    let Some(get) = get.filter(|_| client.contains("EGL_EXT_platform_base")) else {
        return Err(BackendError::Unsupported("EGL_EXT_platform_base".into()));
    };
    // SAFETY: the function has this signature (EGL_EXT_platform_base).
    let get: GetPlatformDisplay = unsafe { std::mem::transmute(get) };
    // SAFETY: `native` fits the platform, and the attribute list is terminated.
    let display = unsafe { get(platform, native, attributes.as_ptr()) };
    if display.is_null() {
        return Err(BackendError::Driver(format!(
            "eglGetPlatformDisplay gives no display for platform {platform:#x}"
        )));
    }
    // SAFETY: EGL gave it.
    Ok(unsafe { egl::Display::from_ptr(display) })
}

fn x11(
    instance: &Instance,
    client: &HashSet<String>,
    display: Option<&str>,
) -> Result<Opened, BackendError> {
    if !client.contains("EGL_EXT_platform_xcb") {
        return Err(BackendError::Unsupported("EGL_EXT_platform_xcb".into()));
    }
    let connection =
        Connection::open(display).map_err(|e| BackendError::Driver(format!("X display: {e}")))?;
    let attributes = [PLATFORM_XCB_SCREEN, connection.screen(), egl::NONE];
    let d = platform_display(
        instance,
        client,
        PLATFORM_XCB,
        connection.as_ptr(),
        &attributes,
    )?;
    Ok((d, Some(connection), true))
}

fn surfaceless(instance: &Instance, client: &HashSet<String>) -> Result<Opened, BackendError> {
    let default = std::ptr::null_mut();
    if client.contains("EGL_MESA_platform_surfaceless") {
        let d = platform_display(
            instance,
            client,
            PLATFORM_SURFACELESS,
            default,
            &[egl::NONE],
        )?;
        return Ok((d, None, false));
    }
    let query = instance.get_proc_address("eglQueryDevicesEXT");
    let Some(query) = query.filter(|_| client.contains("EGL_EXT_platform_device")) else {
        return Err(BackendError::Unsupported(
            "a display without a window system (EGL_MESA_platform_surfaceless, EGL_EXT_platform_device)".into(),
        ));
    };
    // SAFETY: the function has this signature (EGL_EXT_device_enumeration).
    let query: QueryDevices = unsafe { std::mem::transmute(query) };
    let (mut device, mut count) = (std::ptr::null_mut(), 0);
    // SAFETY: at most one device is written.
    let ok = unsafe { query(1, &mut device, &mut count) };
    if ok == 0 || count < 1 {
        return Err(BackendError::Driver("EGL knows no device".into()));
    }
    let d = platform_display(instance, client, PLATFORM_DEVICE, device, &[egl::NONE])?;
    Ok((d, None, false))
}
