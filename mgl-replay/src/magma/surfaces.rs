//! Surfaces: the storage of default framebuffers.
//!
//! A surface's buffers are images of our own, made when a context first draws to or reads them, zero at first; a window
//! only gets a copy when a frame is shown. The back buffer keeps its content then. A front buffer exists from the first
//! time that it is asked for, and gets each shown frame from then on; a single-buffered surface has one buffer for both.

use super::Magma;
use super::images::Shape;
use super::objects::ImageId;
use super::present::Shown;
use mgl_core::format::Format;
use mgl_core::handle::SurfaceHandle;
use mgl_core::pipe::backend::{NativeWindow, Pace};
use mgl_core::pipe::{BackendError, Box3, SurfaceDesc};

/// A surface.
pub struct Surface {
    /// As last specified.
    pub desc: SurfaceDesc,
    /// Back buffer.
    back: Option<ImageId>,
    /// Front buffer.
    front: Option<ImageId>,
    /// Depth and stencil.
    depth_stencil: Option<ImageId>,
    /// Where it is shown.
    pub window: Option<Shown>,
    /// Frames a swap.
    pub interval: i32,
    /// The front was bound to be drawn to: a flush shows it.
    pub front_drawn: bool,
}

impl Surface {
    /// How fast it is shown, where a Present does not wait itself.
    pub fn pace(&self) -> Option<Pace> {
        let window = self.window.as_ref().filter(|w| w.is_there())?;
        let refresh = window.refresh.filter(|_| self.interval != 0)?;
        Some(Pace {
            refresh,
            interval: self.interval,
        })
    }

    /// One of its buffers that were made.
    pub fn made(&self) -> Option<ImageId> {
        self.back.or(self.front).or(self.depth_stencil)
    }

    /// Nothing is made yet.
    pub fn new(desc: SurfaceDesc, window: Option<NativeWindow>) -> Self {
        Self {
            desc,
            back: None,
            front: None,
            depth_stencil: None,
            window: window.map(Shown::new),
            interval: 1,
            front_drawn: false,
        }
    }

    /// Takes all storage out.
    pub fn take_images(&mut self) -> [Option<ImageId>; 3] {
        [
            self.back.take(),
            self.front.take(),
            self.depth_stencil.take(),
        ]
    }

    fn shape(&self, format: Format) -> Shape {
        Shape {
            samples: self.desc.samples,
            zero: true,
            flip: true,
            ..Shape::plain(format, self.desc.width, self.desc.height)
        }
    }
}

impl Magma {
    pub(super) fn surface(&mut self, h: SurfaceHandle) -> Result<&mut Surface, BackendError> {
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
    pub(super) fn surface_image(
        &mut self,
        h: SurfaceHandle,
        depth: bool,
        layer: u32,
    ) -> Result<ImageId, BackendError> {
        let surface = self.surface(h)?;
        let desc = surface.desc;
        if depth {
            if let Some(image) = surface.depth_stencil {
                return Ok(image);
            }
            let shape = surface.shape(desc.depth_stencil);
            let image = self.make_image(&shape)?;
            self.surface(h)?.depth_stencil = Some(image);
            return Ok(image);
        }
        let front = layer == 1 && desc.double_buffered.get();
        let there = if front { surface.front } else { surface.back };
        if let Some(image) = there {
            return Ok(image);
        }
        let shape = surface.shape(desc.color);
        let image = self.make_image(&shape)?;
        if front {
            self.surface(h)?.front = Some(image);
            // Nobody has looked at the front before, so the last frame shown is what the back still holds.
            let back = self.surface_image(h, false, 0)?;
            self.copy_whole(back, image)?;
        } else {
            self.surface(h)?.back = Some(image);
        }
        Ok(image)
    }

    /// Copies all of an image to another of the same shape.
    fn copy_whole(&mut self, from: ImageId, to: ImageId) -> Result<(), BackendError> {
        let window = |m: &Self, id| {
            m.obj.images.get(id).map(|i| super::objects::Window {
                image: id,
                plan: i.plan,
                first_level: 0,
                levels: 1,
                first_layer: 0,
                layers: 1,
            })
        };
        let (a, b) = (window(self, from)?, window(self, to)?);
        let e = self.obj.images.get(from)?.extent(0);
        let area = Box3 {
            width: e.width,
            height: e.height,
            depth: 1,
            ..Box3::default()
        };
        self.copy_on_gpu(&a, 0, &area, &b, 0, &area)
    }

    /// Ends all storage of a surface.
    pub(super) fn end_surface_images(&mut self, images: [Option<ImageId>; 3]) {
        for image in images.into_iter().flatten() {
            self.end_image(image);
        }
        self.obj.moved();
    }

    /// Shows a surface: in its window if it has one that still exists, and in its front buffer if that was asked for.
    ///
    /// # Errors
    ///
    /// As for any storage; a window that is gone is no error.
    pub(super) fn show(&mut self, h: SurfaceHandle) -> Result<(), BackendError> {
        let surface = self.surface(h)?;
        if let (Some(back), Some(front)) = (surface.back, surface.front) {
            self.copy_whole(back, front)?;
        }
        self.show_buffer(h, 0)?;
        self.end_frame()
    }

    /// Shows the front of a double-buffered surface, which was drawn to (GL 4.6 §17.4.1), in its window.
    ///
    /// # Errors
    ///
    /// As for any storage.
    pub(super) fn show_front(&mut self, h: SurfaceHandle) -> Result<(), BackendError> {
        if self.surface(h)?.front.is_none() {
            return Ok(());
        }
        self.show_buffer(h, 1)
    }

    fn show_buffer(&mut self, h: SurfaceHandle, layer: u32) -> Result<(), BackendError> {
        let in_window = self
            .surface(h)?
            .window
            .as_ref()
            .is_some_and(Shown::is_there);
        if in_window {
            self.show_in_window(h, layer)
        } else {
            self.submit()
        }
    }
}
