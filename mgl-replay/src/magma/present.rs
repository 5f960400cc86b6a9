//! Windows: showing surfaces in them, through swap chains on an own connection to the X server.
//!
//! A surface's rows lie as a window's do, so a frame is one blit into the swap chain's image. The upper left corners meet
//! while a resize is under way. A window that is gone is no error: it is told once, and no longer shown to.

use super::Magma;
use super::instance::error;
use super::targets::Slice;
use crate::xcb::Connection;
use ash::vk;
use mgl_core::handle::SurfaceHandle;
use mgl_core::pipe::BackendError;
use mgl_core::pipe::backend::NativeWindow;
use mgl_core::pipe::event::LogLevel;

/// A window of the program.
pub struct Shown {
    /// As attached.
    pub native: NativeWindow,
    /// The window no longer exists.
    gone: bool,
    surface: vk::SurfaceKHR,
    chain: Option<Chain>,
}

impl Shown {
    /// Nothing is made yet.
    pub fn new(native: NativeWindow) -> Self {
        Self {
            native,
            gone: false,
            surface: vk::SurfaceKHR::null(),
            chain: None,
        }
    }

    /// Whether it still exists, as far as is known.
    pub fn is_there(&self) -> bool {
        !self.gone
    }
}

/// A swap chain.
struct Chain {
    raw: vk::SwapchainKHR,
    images: Vec<vk::Image>,
    extent: vk::Extent2D,
    /// Swap interval that it was made for.
    interval: i32,
    /// sRGB encoding that it was made for.
    srgb: bool,
    /// Semaphores of acquired images, used in turn.
    acquired: Vec<vk::Semaphore>,
    next: usize,
    /// Semaphores of finished frames, by image.
    done: Vec<vk::Semaphore>,
    /// It no longer fits the window.
    stale: bool,
}

/// Connections to X servers, by display string.
#[derive(Default)]
pub struct Displays {
    open: Vec<(Option<String>, Connection)>,
}

impl Displays {
    /// Opens the connection of a display string, unless it is open.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] with the reason.
    pub fn open(&mut self, display: &Option<String>) -> Result<(), BackendError> {
        if self.open.iter().all(|d| d.0 != *display) {
            let c = Connection::open(display.as_deref())
                .map_err(|e| BackendError::Unsupported(format!("a window, since {e}")))?;
            self.open.push((display.clone(), c));
        }
        Ok(())
    }

    fn of(&self, display: &Option<String>) -> Option<&Connection> {
        self.open.iter().find(|d| d.0 == *display).map(|d| &d.1)
    }
}

/// What became of an attempt to show a frame.
enum Outcome {
    /// It is shown.
    Shown,
    /// The swap chain no longer fits.
    Stale,
    /// The window cannot be shown to, for this reason.
    Lost(String),
}

fn present_mode(
    offered: &[vk::PresentModeKHR],
    interval: i32,
    software: bool,
) -> vk::PresentModeKHR {
    // A software device has no display to wait for.
    if interval == 0 || software {
        for mode in [vk::PresentModeKHR::IMMEDIATE, vk::PresentModeKHR::MAILBOX] {
            if offered.contains(&mode) {
                return mode;
            }
        }
    }
    if interval < 0 && offered.contains(&vk::PresentModeKHR::FIFO_RELAXED) {
        return vk::PresentModeKHR::FIFO_RELAXED;
    }
    vk::PresentModeKHR::FIFO
}

impl Magma {
    /// Shows the back buffer of a surface in its window.
    ///
    /// # Errors
    ///
    /// As for any storage; a window that is gone is no error.
    pub(super) fn show_in_window(&mut self, h: SurfaceHandle) -> Result<(), BackendError> {
        self.retire_windows();
        let image = self.surface_image(h, false, 0)?;
        let plan = self.obj.images.get(image)?.plan;
        let slice = self.single_sampled(&Slice {
            image,
            plan,
            level: 0,
            layer: 0,
            layers: 1,
        })?;
        for _ in 0..3 {
            // Taken out for the time being, because the rest of this object is needed too.
            let surface = self.surface(h)?;
            let interval = surface.interval;
            let Some(mut window) = surface.window.take().filter(Shown::is_there) else {
                break;
            };
            let outcome = self.show_in(&slice, &mut window, interval);
            if let Ok(Outcome::Lost(why)) = &outcome {
                window.gone = true;
                self.gpu.events.log(
                    LogLevel::Warn,
                    format!(
                        "window {:#x} is no longer shown to: {why}",
                        window.native.window
                    ),
                );
                self.end_window(&mut window);
            }
            self.surface(h)?.window = Some(window);
            match outcome? {
                Outcome::Stale => {}
                Outcome::Shown | Outcome::Lost(_) => break,
            }
        }
        self.submit()
    }

    fn show_in(
        &mut self,
        from: &Slice,
        window: &mut Shown,
        interval: i32,
    ) -> Result<Outcome, BackendError> {
        let srgb = from.plan.info.srgb;
        let fits = |c: &Chain| !c.stale && c.interval == interval && c.srgb == srgb;
        if !window.chain.as_ref().is_some_and(fits)
            && let Some(lost) = self.make_chain(window, interval, srgb)?
        {
            return Ok(lost);
        }
        let Some(chain) = &mut window.chain else {
            // The window has no area now.
            return Ok(Outcome::Shown);
        };
        let acquired = chain.acquired[chain.next];
        // SAFETY: the semaphore is in no other wait: as many frames as there are semaphores are never under way.
        let index = match unsafe {
            self.gpu
                .swapchain
                .acquire_next_image(chain.raw, u64::MAX, acquired, vk::Fence::null())
        } {
            Ok((index, suboptimal)) => {
                chain.stale |= suboptimal;
                index
            }
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => {
                chain.stale = true;
                return Ok(Outcome::Stale);
            }
            Err(e) => return self.surface_failed(e),
        };
        chain.next = (chain.next + 1) % chain.acquired.len();
        let to = chain.images[index as usize];
        let (extent, done, raw) = (chain.extent, chain.done[index as usize], chain.raw);
        self.copy_to_window(from, to, extent)?;
        self.submit_with(Some(acquired), Some(done))?;
        let (waits, chains, indices) = ([done], [raw], [index]);
        let info = vk::PresentInfoKHR::default()
            .wait_semaphores(&waits)
            .swapchains(&chains)
            .image_indices(&indices);
        // SAFETY: the image was acquired, and is in the layout for presenting.
        let shown = unsafe { self.gpu.swapchain.queue_present(self.gpu.queue, &info) };
        let stale = match shown {
            Ok(suboptimal) => suboptimal,
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => true,
            Err(e) => return self.surface_failed(e),
        };
        if let Some(c) = &mut window.chain {
            c.stale |= stale;
        }
        // Whoever looks at the window next sees the frame.
        if let Some(x) = self.displays.of(&window.native.display) {
            x.round_trip();
        }
        Ok(Outcome::Shown)
    }

    fn surface_failed(&self, e: vk::Result) -> Result<Outcome, BackendError> {
        match e {
            vk::Result::ERROR_SURFACE_LOST_KHR => Ok(Outcome::Lost("its surface is lost".into())),
            e => Err(error("showing a frame", e)),
        }
    }

    /// Blits a frame into an image of a swap chain, which is ready to be shown afterwards.
    fn copy_to_window(
        &mut self,
        from: &Slice,
        to: vk::Image,
        extent: vk::Extent2D,
    ) -> Result<(), BackendError> {
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        self.transfer(&[(from.image, layout, false)], &[])?;
        let (source, size) = {
            let i = self.obj.images.get(from.image)?;
            (i.raw.image, i.extent(from.level))
        };
        let (w, h) = (
            size.width.min(extent.width) as i32,
            size.height.min(extent.height) as i32,
        );
        let change = |old: vk::ImageLayout, new: vk::ImageLayout| {
            [vk::ImageMemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
                .old_layout(old)
                .new_layout(new)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(to)
                .subresource_range(vk::ImageSubresourceRange {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    level_count: 1,
                    layer_count: 1,
                    ..vk::ImageSubresourceRange::default()
                })]
        };
        let into = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        self.rec
            .barrier(&self.gpu, &change(vk::ImageLayout::UNDEFINED, into));
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: 0,
            base_array_layer: 0,
            layer_count: 1,
        };
        let corners = [vk::Offset3D::default(), vk::Offset3D { x: w, y: h, z: 1 }];
        let regions = [vk::ImageBlit {
            src_subresource: layers,
            src_offsets: corners,
            dst_subresource: layers,
            dst_offsets: corners,
        }];
        let cmd = self.rec.cmd();
        // SAFETY: nothing is rendered; both images are in these layouts, and the rectangle is inside both.
        unsafe {
            self.gpu.device.cmd_blit_image(
                cmd,
                source,
                layout,
                to,
                into,
                &regions,
                vk::Filter::NEAREST,
            );
        }
        self.rec
            .barrier(&self.gpu, &change(into, vk::ImageLayout::PRESENT_SRC_KHR));
        Ok(())
    }

    /// Makes the surface and the swap chain of a window, or the latter anew. None is made while the window has no area.
    fn make_chain(
        &mut self,
        window: &mut Shown,
        interval: i32,
        srgb: bool,
    ) -> Result<Option<Outcome>, BackendError> {
        let lost = |why: &str| Ok(Some(Outcome::Lost(why.into())));
        let gpu = &self.gpu;
        if window.surface == vk::SurfaceKHR::null() {
            let Some(x) = self.displays.of(&window.native.display) else {
                return lost("its display is not open");
            };
            // Drivers trust the window that they are given.
            if !x.watch(window.native.window) || !x.window_exists(window.native.window) {
                return lost("it does not exist");
            }
            let info = vk::XcbSurfaceCreateInfoKHR::default()
                .connection(x.as_ptr().cast())
                .window(window.native.window);
            // SAFETY: the connection lives as long as the surface.
            window.surface = unsafe { gpu.xcb_surface.create_xcb_surface(&info, None) }
                .map_err(|e| error("a window's surface", e))?;
        }
        let surface = window.surface;
        // SAFETY: the surface lives.
        let (supported, capabilities, formats, modes) = unsafe {
            (
                gpu.surface
                    .get_physical_device_surface_support(gpu.physical, gpu.family, surface),
                gpu.surface
                    .get_physical_device_surface_capabilities(gpu.physical, surface),
                gpu.surface
                    .get_physical_device_surface_formats(gpu.physical, surface),
                gpu.surface
                    .get_physical_device_surface_present_modes(gpu.physical, surface),
            )
        };
        if !supported.unwrap_or(false) {
            return lost("the Vulkan device does not show on its visual");
        }
        let (Ok(capabilities), Ok(formats), Ok(modes)) = (capabilities, formats, modes) else {
            return lost("it cannot be asked for its properties");
        };
        let wanted = if srgb {
            [vk::Format::B8G8R8A8_SRGB, vk::Format::R8G8B8A8_SRGB]
        } else {
            [vk::Format::B8G8R8A8_UNORM, vk::Format::R8G8B8A8_UNORM]
        };
        let Some(format) = wanted
            .iter()
            .find_map(|w| formats.iter().find(|f| f.format == *w))
            .or(formats.first())
        else {
            return lost("it has no format");
        };
        let extent = capabilities.current_extent;
        let old = window.chain.take();
        if extent.width == 0 || extent.height == 0 || extent.width == u32::MAX {
            if let Some(old) = old {
                self.end_chain(old);
            }
            return Ok(None);
        }
        if !capabilities
            .supported_usage_flags
            .contains(vk::ImageUsageFlags::TRANSFER_DST)
        {
            return lost("its images cannot be copied to");
        }
        let most = match capabilities.max_image_count {
            0 => u32::MAX,
            n => n,
        };
        let software = gpu.properties.device_type == vk::PhysicalDeviceType::CPU;
        let alpha = [
            vk::CompositeAlphaFlagsKHR::OPAQUE,
            vk::CompositeAlphaFlagsKHR::INHERIT,
        ]
        .into_iter()
        .find(|a| capabilities.supported_composite_alpha.contains(*a))
        .unwrap_or(vk::CompositeAlphaFlagsKHR::OPAQUE);
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count(capabilities.min_image_count.max(3).min(most))
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
            .image_sharing_mode(vk::SharingMode::EXCLUSIVE)
            .pre_transform(capabilities.current_transform)
            .composite_alpha(alpha)
            .present_mode(present_mode(&modes, interval, software))
            .clipped(true)
            .old_swapchain(old.as_ref().map_or(vk::SwapchainKHR::null(), |c| c.raw));
        // SAFETY: the surface lives; the old swap chain is retired by this.
        let made = unsafe { gpu.swapchain.create_swapchain(&info, None) };
        if let Some(old) = old {
            self.end_chain(old);
        }
        let raw = match made {
            Ok(raw) => raw,
            Err(
                vk::Result::ERROR_SURFACE_LOST_KHR | vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR,
            ) => {
                return lost("it takes no swap chain");
            }
            Err(e) => return Err(error("a swap chain", e)),
        };
        let mut chain = Chain {
            raw,
            images: Vec::new(),
            extent,
            interval,
            srgb,
            acquired: Vec::new(),
            next: 0,
            done: Vec::new(),
            stale: false,
        };
        if let Err(e) = self.fill_chain(&mut chain) {
            self.end_chain(chain);
            return Err(e);
        }
        window.chain = Some(chain);
        Ok(None)
    }

    fn fill_chain(&self, chain: &mut Chain) -> Result<(), BackendError> {
        let what = |e| error("a swap chain", e);
        let gpu = &self.gpu;
        // SAFETY: the swap chain lives.
        unsafe {
            chain.images = gpu
                .swapchain
                .get_swapchain_images(chain.raw)
                .map_err(what)?;
            let info = vk::SemaphoreCreateInfo::default();
            for _ in 0..=chain.images.len() + super::FRAMES_AHEAD {
                chain
                    .acquired
                    .push(gpu.device.create_semaphore(&info, None).map_err(what)?);
            }
            for _ in 0..chain.images.len() {
                chain
                    .done
                    .push(gpu.device.create_semaphore(&info, None).map_err(what)?);
            }
        }
        Ok(())
    }

    fn end_chain(&mut self, chain: Chain) {
        // A resize is rare enough to wait for what is under way.
        let _ = self.finish();
        // SAFETY: nothing that uses them is under way, on a lost device neither.
        unsafe {
            let _ = self.gpu.device.queue_wait_idle(self.gpu.queue);
            for s in chain.acquired.into_iter().chain(chain.done) {
                self.gpu.device.destroy_semaphore(s, None);
            }
            self.gpu.swapchain.destroy_swapchain(chain.raw, None);
        }
    }

    fn end_window(&mut self, window: &mut Shown) {
        if let Some(chain) = window.chain.take() {
            self.end_chain(chain);
        }
        if window.surface != vk::SurfaceKHR::null() {
            // SAFETY: its swap chain has ended.
            unsafe { self.gpu.surface.destroy_surface(window.surface, None) };
            window.surface = vk::SurfaceKHR::null();
        }
    }

    /// The window of a surface is shown to no longer.
    pub(super) fn close_window(&mut self, h: SurfaceHandle) {
        if let Ok(s) = self.obj.surfaces.get_mut(h)
            && let Some(mut window) = s.window.take()
        {
            self.end_window(&mut window);
        }
    }

    /// No window is shown to any longer.
    pub(super) fn close_windows(&mut self) {
        let all: Vec<SurfaceHandle> = self.obj.surfaces.iter().map(|s| s.0).collect();
        for h in all {
            self.close_window(h);
        }
    }

    /// Lets go of windows that the X server says are destroyed.
    fn retire_windows(&mut self) {
        let mut destroyed = Vec::new();
        for (display, x) in &self.displays.open {
            x.drain(|window| destroyed.push((display.clone(), window)));
        }
        if destroyed.is_empty() {
            return;
        }
        let all: Vec<SurfaceHandle> = self.obj.surfaces.iter().map(|s| s.0).collect();
        for h in all {
            let Ok(s) = self.obj.surfaces.get_mut(h) else {
                continue;
            };
            let dead = s.window.as_ref().is_some_and(|w| {
                destroyed
                    .iter()
                    .any(|d| d.0 == w.native.display && d.1 == w.native.window)
            });
            if dead && let Some(mut window) = s.window.take() {
                window.gone = true;
                self.end_window(&mut window);
                if let Ok(s) = self.obj.surfaces.get_mut(h) {
                    s.window = Some(window);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_present_mode_follows_the_interval() {
        use vk::PresentModeKHR as M;
        let all = [M::FIFO, M::MAILBOX, M::IMMEDIATE, M::FIFO_RELAXED];
        assert_eq!(present_mode(&all, 1, false), M::FIFO);
        assert_eq!(present_mode(&all, 0, false), M::IMMEDIATE);
        assert_eq!(present_mode(&all, -1, false), M::FIFO_RELAXED);
        assert_eq!(present_mode(&all, 1, true), M::IMMEDIATE);
        assert_eq!(present_mode(&[M::FIFO], 0, true), M::FIFO);
        assert_eq!(present_mode(&[M::FIFO, M::MAILBOX], 0, false), M::MAILBOX);
    }
}
