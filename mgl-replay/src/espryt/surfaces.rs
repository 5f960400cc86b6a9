//! Surfaces: the storage of default framebuffers, and showing it in windows.
//!
//! A surface's buffers are images of our own, made when a context first draws to or reads them, zero at first; a window
//! only gets a copy when a frame is shown. The back buffer keeps its content then. A front buffer exists from the first
//! time that it is asked for, and gets each shown frame from then on; a single-buffered surface has one buffer for both.

use super::copy::raw_name;
use super::egl::WindowSurface;
use super::objects::Image;
use super::read::blit_mask;
use super::storage::Shape;
use super::work::Work;
use crate::xcb::Notice;
use mgl_core::format::Format;
use mgl_core::handle::SurfaceHandle;
use mgl_core::pipe::backend::{NativeWindow, Pace};
use mgl_core::pipe::event::LogLevel;
use mgl_core::pipe::{BackendError, PushedState, SurfaceDesc};
use std::time::Duration;

/// A surface.
pub struct Surface {
    /// As last specified.
    pub desc: SurfaceDesc,
    /// Back buffer.
    back: Option<Image>,
    /// Front buffer.
    front: Option<Image>,
    /// Depth and stencil.
    depth_stencil: Option<Image>,
    /// Single-sampled copy of a multisampled buffer.
    resolved: Option<Image>,
    /// Where it is shown.
    pub window: Option<Window>,
    /// Frames a swap.
    pub interval: i32,
    /// The front was bound to be drawn to: a flush shows it.
    pub front_drawn: bool,
}

/// A window of the program.
pub struct Window {
    /// As attached.
    pub native: NativeWindow,
    /// EGL's surface, made when a frame is first shown.
    pub surface: Option<WindowSurface>,
    /// The window no longer exists.
    pub gone: bool,
    /// How long its display shows a frame, where a Present does not wait for it.
    pub refresh: Option<Duration>,
}

impl Surface {
    /// How fast it is shown, where a Present does not wait itself.
    pub fn pace(&self) -> Option<Pace> {
        let window = self.window.as_ref().filter(|w| !w.gone)?;
        let refresh = window.refresh.filter(|_| self.interval != 0)?;
        Some(Pace {
            refresh,
            interval: self.interval,
        })
    }

    /// Samples that its buffers have, those that were made.
    pub fn samples(&self) -> Option<u32> {
        let made = self.back.or(self.front).or(self.depth_stencil);
        made.map(|i| i.samples)
    }

    /// Nothing is made yet.
    pub fn new(desc: SurfaceDesc, window: Option<NativeWindow>) -> Self {
        Self {
            desc,
            back: None,
            front: None,
            depth_stencil: None,
            resolved: None,
            window: window.map(|native| Window {
                native,
                surface: None,
                gone: false,
                refresh: None,
            }),
            interval: 1,
            front_drawn: false,
        }
    }

    /// Takes all storage out.
    pub fn take_images(&mut self) -> impl Iterator<Item = Image> + use<> {
        [
            self.back.take(),
            self.front.take(),
            self.depth_stencil.take(),
            self.resolved.take(),
        ]
        .into_iter()
        .flatten()
    }

    fn shape(&self, format: Format, samples: u32) -> Shape {
        Shape {
            target: if samples > 1 {
                glow::RENDERBUFFER
            } else {
                glow::TEXTURE_2D
            },
            format,
            width: self.desc.width.max(1),
            height: self.desc.height.max(1),
            depth: 1,
            levels: 1,
            samples,
            fixed_locations: true,
            zero: true,
        }
    }
}

impl Work<'_> {
    fn surface(&mut self, h: SurfaceHandle) -> Result<&mut Surface, BackendError> {
        self.obj
            .surfaces
            .get_mut(h)
            .map_err(|e| BackendError::Driver(e.to_string()))
    }

    /// A buffer of a surface, made now if it is not there: depth and stencil, or colour of the back (`layer` 0) or the
    /// front (1).
    ///
    /// # Errors
    ///
    /// As for any storage.
    pub fn surface_image(
        &mut self,
        _s: &PushedState,
        h: SurfaceHandle,
        depth: bool,
        layer: u32,
    ) -> Result<Image, BackendError> {
        let surface = self.surface(h)?;
        let desc = surface.desc;
        if depth {
            if let Some(image) = surface.depth_stencil {
                return Ok(image);
            }
            let shape = surface.shape(desc.depth_stencil, desc.samples);
            let shape = Shape {
                target: glow::RENDERBUFFER,
                ..shape
            };
            let image = self.make_surface_image(&shape)?;
            self.surface(h)?.depth_stencil = Some(image);
            return Ok(image);
        }
        let front = layer == 1 && desc.double_buffered.get();
        let there = if front { surface.front } else { surface.back };
        if let Some(image) = there {
            return Ok(image);
        }
        let shape = surface.shape(desc.color, desc.samples);
        let image = self.make_surface_image(&shape)?;
        if front {
            self.surface(h)?.front = Some(image);
            // Nobody has looked at the front before, so the last frame shown is what the back still holds.
            let back = self.surface_image(_s, h, false, 0)?;
            self.copy_image(&back, &image)?;
        } else {
            self.surface(h)?.back = Some(image);
        }
        Ok(image)
    }

    fn make_surface_image(&mut self, shape: &Shape) -> Result<Image, BackendError> {
        // Nothing has been drawn yet; what zeroes new storage does not care which way up it is.
        let image = self.make_image(shape)?;
        Ok(Image {
            of_surface: true,
            ..image
        })
    }

    /// Copies all of an image to another of the same format, size and samples.
    fn copy_image(&mut self, from: &Image, to: &Image) -> Result<(), BackendError> {
        let size = (from.width as i32, from.height as i32);
        if from.samples > 1 && self.dev.gl.has.copy_image {
            let (a, b) = (raw_name(from), raw_name(to));
            self.dev.tally.copy_calls.one();
            // SAFETY: a context is current; both images live and have the same size.
            unsafe {
                self.dev.gl.es.CopyImageSubData(
                    a.0, a.1, 0, 0, 0, 0, b.0, b.1, 0, 0, 0, 0, size.0, size.1, 1,
                );
            }
            return Ok(());
        }
        self.blit_images(from, to, size)
    }

    /// Resolves a multisampled image into a single-sampled one of the same format and size.
    ///
    /// # Errors
    ///
    /// When one of them cannot be attached.
    pub fn resolve_image(&mut self, from: &Image, to: &Image) -> Result<(), BackendError> {
        self.blit_images(from, to, (from.width as i32, from.height as i32))
    }

    /// Copies or resolves `from` to `to`, both of at least `size`.
    fn blit_images(
        &mut self,
        from: &Image,
        to: &Image,
        (w, h): (i32, i32),
    ) -> Result<(), BackendError> {
        let fb = &mut self.ctx.framebuffers;
        fb.bind_scratch(self.dev, glow::READ_FRAMEBUFFER, from, 0, 0)?;
        fb.bind_scratch(self.dev, glow::DRAW_FRAMEBUFFER, to, 0, 0)?;
        self.ctx.plain_output_state(self.dev);
        self.dev.tally.copy_calls.one();
        // SAFETY: both framebuffers are complete.
        unsafe {
            glow::HasContext::blit_framebuffer(
                &self.dev.gl.glow,
                0,
                0,
                w,
                h,
                0,
                0,
                w,
                h,
                blit_mask(from.plan.info),
                glow::NEAREST,
            );
        }
        Ok(())
    }

    /// The single-sampled colour of what a Present would show now.
    ///
    /// # Errors
    ///
    /// As for any storage.
    pub fn shown_image(
        &mut self,
        s: &PushedState,
        h: SurfaceHandle,
    ) -> Result<Image, BackendError> {
        self.shown_buffer(s, h, 0)
    }

    /// The same of the back (`layer` 0) or the front (1).
    fn shown_buffer(
        &mut self,
        s: &PushedState,
        h: SurfaceHandle,
        layer: u32,
    ) -> Result<Image, BackendError> {
        let image = self.surface_image(s, h, false, layer)?;
        if image.samples <= 1 {
            return Ok(image);
        }
        let surface = self.surface(h)?;
        let resolved = match surface.resolved {
            Some(r) => r,
            None => {
                let shape = surface.shape(surface.desc.color, 0);
                let r = self.make_surface_image(&shape)?;
                self.surface(h)?.resolved = Some(r);
                r
            }
        };
        self.blit_images(&image, &resolved, (image.width as i32, image.height as i32))?;
        Ok(resolved)
    }

    /// Shows a surface: in its window if it has one that still exists, and in its front buffer if that was asked for.
    ///
    /// # Errors
    ///
    /// As for any storage; a window that is gone is no error.
    pub fn show(&mut self, s: &PushedState, h: SurfaceHandle) -> Result<(), BackendError> {
        let surface = self.surface(h)?;
        if let (Some(back), Some(front)) = (surface.back, surface.front) {
            self.copy_image(&back, &front)?;
        }
        self.show_buffer(s, h, 0)
    }

    /// Shows the front of a double-buffered surface, which was drawn to (GL 4.6 §17.4.1), in its window.
    ///
    /// # Errors
    ///
    /// As for any storage.
    pub fn show_front(&mut self, s: &PushedState, h: SurfaceHandle) -> Result<(), BackendError> {
        if self.surface(h)?.front.is_none() {
            return Ok(());
        }
        self.show_buffer(s, h, 1)
    }

    fn show_buffer(
        &mut self,
        s: &PushedState,
        h: SurfaceHandle,
        layer: u32,
    ) -> Result<(), BackendError> {
        self.retire_windows();
        let surface = self.surface(h)?;
        let in_window = surface.window.as_ref().is_some_and(|w| !w.gone);
        if !in_window {
            // SAFETY: a context is current.
            unsafe { glow::HasContext::flush(&self.dev.gl.glow) };
            return Ok(());
        }
        let image = self.shown_buffer(s, h, layer)?;
        // Taken out for the time being, because the rest of this object is needed too.
        let Some(mut window) = self.surface(h)?.window.take() else {
            return Ok(());
        };
        let interval = self.surface(h)?.interval;
        let done = self.show_in(&image, &mut window, interval);
        self.surface(h)?.window = Some(window);
        done
    }

    fn show_in(
        &mut self,
        image: &Image,
        window: &mut Window,
        interval: i32,
    ) -> Result<(), BackendError> {
        let dev = self.dev;
        let Some(x) = &dev.egl.x else {
            return Ok(());
        };
        if window.surface.is_none() {
            let n = &window.native;
            // Drivers trust the window that they are given.
            if !x.watch(n.window) || !x.window_exists(n.window) {
                self.lose(window, "it does not exist");
                return Ok(());
            }
            match dev.egl.create_window(n.window, n.visual, n.depth) {
                Ok(made) => {
                    window.surface = Some(made);
                    let at_once = self.obj.at_once;
                    window.refresh = at_once.then(|| x.refresh_of(n.window)).flatten();
                }
                Err(e @ BackendError::Unsupported(_)) => return Err(e),
                Err(e) => {
                    self.lose(window, &e.to_string());
                    return Ok(());
                }
            }
        }
        let Some(surface) = &mut window.surface else {
            return Ok(());
        };
        if !dev.egl.is_current_window(surface) {
            dev.egl.make_current(&mut self.ctx.egl, Some(surface))?;
            self.ctx.restore_rectangles(dev);
        }
        let (_, wh) = dev.egl.window_size(surface);
        let (w, h) = (image.width as i32, image.height as i32);
        let fb = &mut self.ctx.framebuffers;
        fb.bind_scratch(dev, glow::READ_FRAMEBUFFER, image, 0, 0)?;
        fb.bind(dev, glow::DRAW_FRAMEBUFFER, None);
        self.ctx.plain_output_state(dev);
        // The upper left corners meet while a resize is under way.
        dev.tally.copy_calls.one();
        // SAFETY: the window is current, and the read framebuffer is complete.
        unsafe {
            glow::HasContext::blit_framebuffer(
                &dev.gl.glow,
                0,
                0,
                w,
                h,
                0,
                wh - h,
                w,
                wh,
                glow::COLOR_BUFFER_BIT,
                glow::NEAREST,
            );
        }
        // Where the display's rate is not known, nobody else waits for it.
        let interval = match window.refresh {
            Some(_) => 0,
            None => interval,
        };
        if let Err(e) = dev.egl.swap(surface, interval) {
            self.lose(window, &e.to_string());
            return Ok(());
        }
        // Whoever looks at the window next sees the frame.
        x.round_trip();
        Ok(())
    }

    fn lose(&mut self, window: &mut Window, why: &str) {
        window.gone = true;
        self.dev.events.log(
            LogLevel::Warn,
            format!(
                "window {:#x} is no longer shown to: {why}",
                window.native.window
            ),
        );
        if let Some(surface) = window.surface.take() {
            self.close_window(&surface);
        }
    }

    /// Ends a window surface, whichever window this thread has current.
    pub fn close_window(&mut self, surface: &WindowSurface) {
        if self.dev.egl.is_current_window(surface) {
            let _ = self.dev.egl.make_current(&mut self.ctx.egl, None);
        }
        self.dev.egl.destroy_window(surface);
    }

    /// Lets go of windows that the X server says are destroyed.
    fn retire_windows(&mut self) {
        let dev = self.dev;
        let Some(x) = &dev.egl.x else { return };
        let mut destroyed = Vec::new();
        x.drain(|notice| {
            if let Notice::Destroyed(window) = notice {
                destroyed.push(window);
            }
        });
        if destroyed.is_empty() {
            return;
        }
        let mut closed = Vec::new();
        for (_, s) in self.obj.surfaces.iter_mut() {
            if let Some(w) = &mut s.window
                && destroyed.contains(&w.native.window)
            {
                w.gone = true;
                closed.extend(w.surface.take());
            }
        }
        for surface in closed {
            self.close_window(&surface);
        }
    }
}
