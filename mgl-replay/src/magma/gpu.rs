//! The device and its functions, and which of several devices is taken.

use super::features::{Facts, Has, Limits};
use super::formats::Plan;
use super::instance::{Instance, error};
use crate::events::Events;
use ash::vk;
use mgl_core::pipe::BackendError;
use std::cell::Cell;
use std::sync::Arc;

/// See the module.
pub struct Gpu {
    /// Physical device.
    pub physical: vk::PhysicalDevice,
    /// Functions of the device.
    pub device: ash::Device,
    /// The one queue.
    pub queue: vk::Queue,
    /// Its family.
    pub family: u32,
    /// Optional abilities.
    pub has: Has,
    /// Numbers.
    pub limits: Limits,
    /// Whether vertices of a format are read, as far as is known; by the format's number.
    vertex_formats: Vec<Cell<Option<bool>>>,
    /// Nanoseconds a step of time stamps; 0 where there are none.
    pub tick: f64,
    /// Name, vendor and version as told by the driver.
    pub properties: vk::PhysicalDeviceProperties,
    /// VK_KHR_dynamic_rendering, where it is not core.
    rendering: Option<ash::khr::dynamic_rendering::Device>,
    /// Dynamic states.
    pub eds: ash::ext::extended_dynamic_state::Device,
    /// More dynamic states.
    pub eds2: ash::ext::extended_dynamic_state2::Device,
    /// Transform feedback.
    pub xfb: ash::ext::transform_feedback::Device,
    /// Labels for tools, where the instance has them.
    pub debug: Option<ash::ext::debug_utils::Device>,
    /// Swap chains.
    pub swapchain: ash::khr::swapchain::Device,
    /// Window surfaces.
    pub surface: ash::khr::surface::Instance,
    /// Window surfaces of X11.
    pub xcb_surface: ash::khr::xcb_surface::Instance,
    /// Version, as far as instance and device have it.
    pub version: u32,
    /// The driver.
    pub driver: vk::DriverId,
    /// Instance; ends after the device.
    pub instance: Instance,
    /// Log; the instance's callback points into it.
    pub events: Arc<Events>,
}

/// Formats of Vulkan 1.0, which are numbered from 0.
const CORE_FORMATS: usize = 185;

/// Order of preference of a kind of device.
fn rank(kind: vk::PhysicalDeviceType) -> u32 {
    match kind {
        vk::PhysicalDeviceType::DISCRETE_GPU => 0,
        vk::PhysicalDeviceType::INTEGRATED_GPU => 1,
        vk::PhysicalDeviceType::VIRTUAL_GPU => 2,
        vk::PhysicalDeviceType::CPU => 4,
        _ => 3,
    }
}

/// Which device is asked for, among names: by number, or by a part of the name in any case.
fn choose(names: &[(String, u32)], asked: Option<&str>) -> Result<usize, String> {
    let listed = || {
        let all: Vec<String> = names
            .iter()
            .enumerate()
            .map(|(i, n)| format!("{i}: {}", n.0))
            .collect();
        all.join("; ")
    };
    if names.is_empty() {
        return Err("there is no Vulkan device".into());
    }
    let Some(asked) = asked.filter(|a| !a.is_empty()) else {
        let best = names.iter().enumerate().min_by_key(|(_, n)| n.1);
        return Ok(best.map_or(0, |b| b.0));
    };
    if let Ok(number) = asked.parse::<usize>()
        && number < names.len()
    {
        return Ok(number);
    }
    let small = asked.to_lowercase();
    names
        .iter()
        .position(|n| n.0.to_lowercase().contains(&small))
        .ok_or_else(|| {
            format!(
                "there is no Vulkan device '{asked}'; there are {}",
                listed()
            )
        })
}

impl Gpu {
    /// Opens a device: the one asked for by number or name, else the first discrete, integrated, virtual or software one.
    ///
    /// # Errors
    ///
    /// In words that say what is missing.
    pub fn open(asked: Option<&str>, debug: bool, lacking: &[&str]) -> Result<Self, BackendError> {
        let events = Arc::new(Events::default());
        let instance = Instance::open(debug, &events)?;
        // SAFETY: plain questions.
        let all = unsafe { instance.raw.enumerate_physical_devices() }
            .map_err(|e| error("listing Vulkan devices", e))?;
        let named: Vec<(String, u32)> = all
            .iter()
            .map(|pd| {
                // SAFETY: the handle is the instance's.
                let p = unsafe { instance.raw.get_physical_device_properties(*pd) };
                let name = p
                    .device_name_as_c_str()
                    .map(|n| n.to_string_lossy().into_owned());
                (name.unwrap_or_default(), rank(p.device_type))
            })
            .collect();
        let physical = all[choose(&named, asked).map_err(BackendError::Driver)?];
        let facts = Facts::read(&instance, physical, lacking)?;
        // SAFETY: the handle is the instance's.
        let (families, properties) = unsafe {
            (
                instance
                    .raw
                    .get_physical_device_queue_family_properties(physical),
                instance.raw.get_physical_device_properties(physical),
            )
        };
        let family = families
            .iter()
            .position(|f| f.queue_flags.contains(vk::QueueFlags::GRAPHICS))
            .ok_or_else(|| BackendError::Driver("the Vulkan device draws nothing".into()))?;
        let tick = if families[family].timestamp_valid_bits == 0 {
            0.0
        } else {
            f64::from(facts.limits.core.timestamp_period)
        };
        let family = family as u32;
        let device = facts.make(&instance, physical, family)?;
        // SAFETY: the device was made with one queue of the family.
        let queue = unsafe { device.get_device_queue(family, 0) };
        let raw = &instance.raw;
        Ok(Self {
            physical,
            queue,
            family,
            has: facts.has,
            limits: facts.limits,
            vertex_formats: vec![Cell::new(None); CORE_FORMATS],
            tick,
            properties,
            rendering: facts
                .dynamic_rendering_extension
                .then(|| ash::khr::dynamic_rendering::Device::new(raw, &device)),
            eds: ash::ext::extended_dynamic_state::Device::new(raw, &device),
            eds2: ash::ext::extended_dynamic_state2::Device::new(raw, &device),
            xfb: ash::ext::transform_feedback::Device::new(raw, &device),
            debug: instance
                .utils
                .then(|| ash::ext::debug_utils::Device::new(raw, &device)),
            swapchain: ash::khr::swapchain::Device::new(raw, &device),
            surface: ash::khr::surface::Instance::new(&instance.entry, raw),
            xcb_surface: ash::khr::xcb_surface::Instance::new(&instance.entry, raw),
            version: facts.version,
            driver: facts.driver,
            device,
            instance,
            events,
        })
    }

    /// vkCmdBeginRendering.
    ///
    /// # Safety
    ///
    /// As Vulkan says.
    pub unsafe fn begin_rendering(&self, cmd: vk::CommandBuffer, info: &vk::RenderingInfo<'_>) {
        // SAFETY: as the caller promises.
        unsafe {
            match &self.rendering {
                Some(r) => r.cmd_begin_rendering(cmd, info),
                None => self.device.cmd_begin_rendering(cmd, info),
            }
        }
    }

    /// vkCmdEndRendering.
    ///
    /// # Safety
    ///
    /// As Vulkan says.
    pub unsafe fn end_rendering(&self, cmd: vk::CommandBuffer) {
        // SAFETY: as the caller promises.
        unsafe {
            match &self.rendering {
                Some(r) => r.cmd_end_rendering(cmd),
                None => self.device.cmd_end_rendering(cmd),
            }
        }
    }

    /// Whether vertices of a format are read. Asked of the driver once.
    pub fn reads_vertices(&self, format: vk::Format) -> bool {
        let ask = || {
            self.format_features(format)
                .buffer_features
                .contains(vk::FormatFeatureFlags::VERTEX_BUFFER)
        };
        let Some(known) = self.vertex_formats.get(format.as_raw() as usize) else {
            return ask();
        };
        known.get().unwrap_or_else(|| {
            let reads = ask();
            known.set(Some(reads));
            reads
        })
    }

    /// Features of a format with optimal tiling.
    pub fn format_features(&self, format: vk::Format) -> vk::FormatProperties {
        // SAFETY: the handle is the instance's.
        unsafe {
            self.instance
                .raw
                .get_physical_device_format_properties(self.physical, format)
        }
    }

    /// How a format is stored.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] with the format's name.
    pub fn plan(&self, format: mgl_core::format::Format) -> Result<Plan, BackendError> {
        Plan::of(format, &|f| self.format_features(f).optimal_tiling_features)
    }

    /// Whether vkCmdBlitImage reads and writes a format.
    pub fn blits(&self, format: vk::Format) -> bool {
        self.format_features(format)
            .optimal_tiling_features
            .contains(vk::FormatFeatureFlags::BLIT_SRC | vk::FormatFeatureFlags::BLIT_DST)
    }

    /// Name of the device.
    pub fn name(&self) -> String {
        self.properties
            .device_name_as_c_str()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default()
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: everything made from the device has ended.
        unsafe { self.device.destroy_device(None) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_chosen_by_kind_number_or_name() {
        let kinds = [
            ("llvmpipe (LLVM)", vk::PhysicalDeviceType::CPU),
            ("Small GPU", vk::PhysicalDeviceType::INTEGRATED_GPU),
            ("Big GPU", vk::PhysicalDeviceType::DISCRETE_GPU),
        ];
        let names: Vec<(String, u32)> = kinds
            .iter()
            .map(|(n, k)| ((*n).to_owned(), rank(*k)))
            .collect();
        assert_eq!(choose(&names, None), Ok(2));
        assert_eq!(choose(&names[..2], Some("")), Ok(1));
        assert_eq!(choose(&names, Some("0")), Ok(0));
        assert_eq!(choose(&names, Some("LLVMPIPE")), Ok(0));
        assert_eq!(choose(&names, Some("small")), Ok(1));
        let refused = choose(&names, Some("other")).expect_err("no such device");
        assert!(refused.contains("1: Small GPU"), "{refused}");
        assert!(choose(&[], None).is_err());
    }
}
