//! The loader, the instance and its messages (design: driver 5.6).

use crate::events::Events;
use ash::vk;
use mgl_core::pipe::BackendError;
use mgl_core::pipe::event::LogLevel;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The validation layer of the Vulkan SDK.
pub const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// See the module.
pub struct Instance {
    /// Functions that need no instance. Keeps the loader open.
    pub entry: ash::Entry,
    /// Functions of the instance.
    pub raw: ash::Instance,
    /// Version that the instance takes.
    pub version: u32,
    /// Window surfaces on X11 can be made.
    pub xcb: bool,
    /// Messages of layers and drivers.
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// Objects and commands can be labelled (VK_EXT_debug_utils).
    pub utils: bool,
    /// Validation is on.
    pub validated: bool,
    /// Where messages go; the messenger points to it.
    sink: Box<Sink>,
}

/// Where messages go.
struct Sink {
    events: Arc<Events>,
    /// Objections to filters of formats that the device does not tell of are dropped: a probe found them to work.
    filters_muted: AtomicBool,
}

/// A Vulkan error as the pipe has it.
pub fn error(what: &str, e: vk::Result) -> BackendError {
    match e {
        vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => {
            BackendError::OutOfMemory(what.into())
        }
        vk::Result::ERROR_DEVICE_LOST => BackendError::Lost(what.into()),
        e => BackendError::Driver(format!("{what}: {e}")),
    }
}

/// Names in a list of properties.
fn names<'a>(list: impl Iterator<Item = &'a [c_char]>) -> Vec<String> {
    list.map(|n| {
        n.iter()
            .take_while(|c| **c != 0)
            .map(|c| *c as u8 as char)
            .collect()
    })
    .collect()
}

impl Instance {
    /// Opens the loader and makes an instance. With `debug` the validation layer is on, where it is installed.
    ///
    /// # Errors
    ///
    /// In words that say what is missing: the loader, a driver, version 1.1.
    pub fn open(debug: bool, events: &Arc<Events>) -> Result<Self, BackendError> {
        // SAFETY: the loader is the system's; it runs its own initialisers only.
        let entry = unsafe { ash::Entry::load() }.map_err(|e| {
            BackendError::Driver(format!("there is no Vulkan loader (libvulkan.so.1: {e})"))
        })?;
        // SAFETY: plain questions.
        let (version, layers, extensions) = unsafe {
            (
                entry
                    .try_enumerate_instance_version()
                    .ok()
                    .flatten()
                    .unwrap_or(vk::API_VERSION_1_0),
                entry.enumerate_instance_layer_properties(),
                entry.enumerate_instance_extension_properties(None),
            )
        };
        let layers = layers.map_err(|e| error("listing Vulkan's layers", e))?;
        let extensions = extensions.map_err(|e| error("listing Vulkan's extensions", e))?;
        let layers = names(layers.iter().map(|l| &l.layer_name[..]));
        let mut present = names(extensions.iter().map(|e| &e.extension_name[..]));
        if version < vk::API_VERSION_1_1 {
            return Err(BackendError::Driver(
                "the Vulkan loader is older than 1.1".into(),
            ));
        }
        let validated = debug
            && layers
                .iter()
                .any(|l| l.as_bytes() == VALIDATION_LAYER.to_bytes());
        if validated {
            // SAFETY: a plain question.
            if let Ok(more) =
                unsafe { entry.enumerate_instance_extension_properties(Some(VALIDATION_LAYER)) }
            {
                present.extend(names(more.iter().map(|e| &e.extension_name[..])));
            }
        }
        let has = |n: &CStr| present.iter().any(|p| p.as_bytes() == n.to_bytes());
        let xcb = has(ash::khr::surface::NAME) && has(ash::khr::xcb_surface::NAME);
        let utils = has(ash::ext::debug_utils::NAME);
        let messages = debug && utils;
        let features = validated && has(ash::ext::validation_features::NAME);
        let mut wanted: Vec<*const c_char> = Vec::new();
        if xcb {
            wanted.push(ash::khr::surface::NAME.as_ptr());
            wanted.push(ash::khr::xcb_surface::NAME.as_ptr());
        }
        if utils {
            wanted.push(ash::ext::debug_utils::NAME.as_ptr());
        }
        if features {
            wanted.push(ash::ext::validation_features::NAME.as_ptr());
        }
        let mut flags = vk::InstanceCreateFlags::empty();
        if has(ash::khr::portability_enumeration::NAME) {
            wanted.push(ash::khr::portability_enumeration::NAME.as_ptr());
            flags |= vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
        }
        let version = version.min(vk::API_VERSION_1_3);
        let app = vk::ApplicationInfo::default()
            .application_name(c"mgl")
            .engine_name(c"mgl")
            .api_version(version);
        let on_layers: Vec<*const c_char> = validated
            .then(|| VALIDATION_LAYER.as_ptr())
            .into_iter()
            .collect();
        let enables = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut validation =
            vk::ValidationFeaturesEXT::default().enabled_validation_features(&enables);
        let mut info = vk::InstanceCreateInfo::default()
            .flags(flags)
            .application_info(&app)
            .enabled_layer_names(&on_layers)
            .enabled_extension_names(&wanted);
        if features {
            info = info.push_next(&mut validation);
        }
        // SAFETY: all pointers live until the call returns.
        let raw = unsafe { entry.create_instance(&info, None) }.map_err(|e| match e {
            vk::Result::ERROR_INCOMPATIBLE_DRIVER => {
                BackendError::Driver("there is no Vulkan driver".into())
            }
            e => error("making a Vulkan instance", e),
        })?;
        let mut instance = Self {
            entry,
            raw,
            version,
            xcb,
            messenger: None,
            utils,
            validated,
            sink: Box::new(Sink {
                events: Arc::clone(events),
                filters_muted: AtomicBool::new(false),
            }),
        };
        if messages {
            let debug_utils = ash::ext::debug_utils::Instance::new(&instance.entry, &instance.raw);
            let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
                .message_severity(
                    vk::DebugUtilsMessageSeverityFlagsEXT::WARNING
                        | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
                )
                .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
                .pfn_user_callback(Some(on_message))
                .user_data(std::ptr::from_ref::<Sink>(&instance.sink).cast_mut().cast());
            // SAFETY: the sink lives as long as the instance, at the same place.
            let made = unsafe { debug_utils.create_debug_utils_messenger(&info, None) };
            if let Ok(m) = made {
                instance.messenger = Some((debug_utils, m));
            }
        }
        Ok(instance)
    }
}

impl Instance {
    /// Drops the layers' objections to filters of formats that the device does not tell of, or lets them through.
    pub fn mute_filters(&self, on: bool) {
        self.sink.filters_muted.store(on, Ordering::Relaxed);
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: everything made from the instance has ended.
        unsafe {
            if let Some((utils, m)) = self.messenger.take() {
                utils.destroy_debug_utils_messenger(m, None);
            }
            self.raw.destroy_instance(None);
        }
    }
}

unsafe extern "system" fn on_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    sink: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: Vulkan passes a valid struct whose text is a C string or null; the user data is what was given with the
    // callback and outlives the instance.
    unsafe {
        let text = (*data).p_message;
        let text = if text.is_null() {
            "".into()
        } else {
            CStr::from_ptr(text).to_string_lossy()
        };
        let sink = &*sink.cast::<Sink>();
        let filters = ["magFilter-04553", "mipmapMode-04770"];
        if sink.filters_muted.load(Ordering::Relaxed) && filters.iter().any(|f| text.contains(f)) {
            return vk::FALSE;
        }
        sink.events.log(LogLevel::Error, format!("Vulkan: {text}"));
    }
    vk::FALSE
}
