//! Render targets: the pushed framebuffers resolved to images and views, and the rendering that is under way.

use super::Magma;
use super::formats::Plan;
use super::images::{IDENTITY, ViewKey};
use super::objects::ImageId;
use ash::vk;
use mgl_core::handle::*;
use mgl_core::pipe::{
    Attachment, BackendError, FramebufferState, Group, MAX_COLOR_ATTACHMENTS, NO_BUFFER,
    PushedState,
};

/// A slice, or all layers, of an image.
#[derive(Debug, Clone, Copy)]
pub struct Slice {
    /// The image.
    pub image: ImageId,
    /// Format that it is seen as.
    pub plan: Plan,
    /// Level.
    pub level: u32,
    /// First layer, or slice of a three-dimensional image.
    pub layer: u32,
    /// Layers.
    pub layers: u32,
}

/// A framebuffer, resolved.
#[derive(Debug, Clone, Copy, Default)]
pub struct Targets {
    /// By draw buffer; of a read framebuffer the first is the read colour.
    pub color: [Option<Slice>; MAX_COLOR_ATTACHMENTS],
    /// Depth.
    pub depth: Option<Slice>,
    /// Stencil.
    pub stencil: Option<Slice>,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Layers drawn to.
    pub layers: u32,
    /// Samples, 1 for single-sampled.
    pub samples: u32,
    /// Rows lie from the top.
    pub flip: bool,
    /// sRGB encoding of writes is on.
    pub srgb: bool,
    /// Identity: differs from that of any other targets; 0 for none.
    pub id: u64,
}

impl Targets {
    /// Draw buffers up to the last that is written.
    pub fn draw_buffers(&self) -> u32 {
        self.color
            .iter()
            .rposition(Option::is_some)
            .map_or(0, |i| i as u32 + 1)
    }

    /// Draw buffers without an attachment, a bit each.
    pub fn unattached(&self) -> u32 {
        let bit = |(i, c): (usize, &Option<Slice>)| u32::from(c.is_none()) << i;
        self.color.iter().enumerate().map(bit).sum()
    }

    /// All slices.
    pub fn slices(&self) -> impl Iterator<Item = &Slice> {
        self.color
            .iter()
            .chain([&self.depth, &self.stencil])
            .flatten()
    }

    /// Formats as pipelines and rendering have them: colours, depth, stencil.
    pub fn formats(&self) -> ([vk::Format; MAX_COLOR_ATTACHMENTS], vk::Format, vk::Format) {
        let of = |s: &Option<Slice>| {
            s.as_ref().map_or(vk::Format::UNDEFINED, |s| {
                if self.srgb {
                    s.plan.format
                } else {
                    s.plan.plain
                }
            })
        };
        let mut color = [vk::Format::UNDEFINED; MAX_COLOR_ATTACHMENTS];
        for (to, from) in color.iter_mut().zip(&self.color) {
            *to = of(from);
        }
        (color, of(&self.depth), of(&self.stencil))
    }

    /// The rectangle of GL's pixels as it lies in the images.
    pub fn rect(&self, x: i32, y: i32, width: u32, height: u32) -> vk::Rect2D {
        let clip = |at: i32, n: u32, most: u32| {
            let low = i64::from(at).clamp(0, i64::from(most));
            let high = (i64::from(at) + i64::from(n)).clamp(low, i64::from(most));
            (low as u32, (high - low) as u32)
        };
        let (x, width) = clip(x, width, self.width);
        let (y, height) = clip(y, height, self.height);
        let y = if self.flip {
            self.height - y - height
        } else {
            y
        };
        vk::Rect2D {
            offset: vk::Offset2D {
                x: x as i32,
                y: y as i32,
            },
            extent: vk::Extent2D { width, height },
        }
    }

    /// All of the pixels.
    pub fn whole(&self) -> vk::Rect2D {
        self.rect(0, 0, self.width, self.height)
    }
}

/// The image views of targets.
#[derive(Debug, Clone, Copy, Default)]
pub struct TargetViews {
    color: [vk::ImageView; MAX_COLOR_ATTACHMENTS],
    depth: vk::ImageView,
    stencil: vk::ImageView,
}

/// Rendering that is under way.
#[derive(Debug, Clone, Copy)]
pub struct Rendering {
    /// [`Targets::id`].
    pub targets: u64,
}

impl Magma {
    fn resolve(&mut self, a: &Attachment) -> Result<Option<Slice>, BackendError> {
        let h = a.resource.handle;
        let gone = || BackendError::Driver(format!("{:?} has no storage", a.resource));
        let window = match a.resource.kind {
            HandleKind::NONE => return Ok(None),
            HandleKind::SURFACE => {
                let depth = a.format.info().is_some_and(|f| !f.is_color());
                let image = self.surface_image(SurfaceHandle(h), depth, a.layer)?;
                let plan = self.obj.images.get(image)?.plan;
                return Ok(Some(Slice {
                    image,
                    plan,
                    level: 0,
                    layer: 0,
                    layers: 1,
                }));
            }
            HandleKind::RENDERBUFFER => *self
                .obj
                .renderbuffers
                .get(RenderbufferHandle(h))
                .map_err(|_| gone())?,
            _ => self.texture_window(TextureHandle(h)).map_err(|_| gone())?,
        };
        let (slices, levels) = {
            let image = self.obj.images.get(window.image)?;
            let solid = image.kind == vk::ImageType::TYPE_3D;
            let level = window.first_level.saturating_add(a.level);
            (
                if solid {
                    image.extent(level).depth
                } else {
                    window.layers
                },
                window.levels,
            )
        };
        if a.level >= levels || a.layer >= slices {
            return Err(BackendError::Unsupported(format!(
                "a framebuffer with level {}, layer {} of a texture that has {levels} and {slices}",
                a.level, a.layer
            )));
        }
        let layers = match a.layers {
            0 => 1,
            n => {
                let image = self.obj.images.get(window.image)?;
                if image.kind == vk::ImageType::TYPE_3D {
                    image.extent(window.first_level + a.level).depth
                } else {
                    n.min(window.layers)
                }
            }
        };
        Ok(Some(Slice {
            image: window.image,
            plan: window.plan,
            level: window.first_level + a.level,
            layer: window.first_layer + if a.layers > 0 { 0 } else { a.layer },
            layers,
        }))
    }

    fn targets_of(
        &mut self,
        f: &FramebufferState,
        color: [Option<Slice>; MAX_COLOR_ATTACHMENTS],
        depth: Option<Slice>,
        stencil: Option<Slice>,
        srgb: bool,
    ) -> Result<Targets, BackendError> {
        let mut t = Targets {
            color,
            depth,
            stencil,
            width: f.width,
            height: f.height,
            layers: f.layers.max(1),
            samples: f.samples.max(1),
            srgb,
            id: self.obj.serial(),
            ..Targets::default()
        };
        let mut first = true;
        let mut layers = u32::MAX;
        for slice in color.iter().chain([&depth, &stencil]).flatten() {
            let image = self.obj.images.get(slice.image)?;
            if first {
                (t.samples, t.flip) = (image.samples, image.flip);
            } else if t.samples != image.samples || t.flip != image.flip {
                return Err(BackendError::Unsupported(
                    "a framebuffer whose attachments have different numbers of samples".into(),
                ));
            }
            first = false;
            layers = layers.min(slice.layers);
            let e = image.extent(slice.level);
            (t.width, t.height) = (t.width.min(e.width), t.height.min(e.height));
        }
        if !first {
            t.layers = if f.layers > 0 { layers.max(1) } else { 1 };
        }
        Ok(t)
    }

    /// The pushed draw framebuffer.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for combinations that Vulkan lacks.
    pub(super) fn draw_targets(&mut self, s: &PushedState) -> Result<Targets, BackendError> {
        let c = context(s)?;
        let srgb = c.values.dynamic.output.framebuffer_srgb.get();
        let generation = c.generation(Group::DrawFramebuffer) + 1;
        let epoch = self.obj.epoch;
        let ctx = self.ctx(s)?;
        let seen = (generation, epoch, srgb);
        if ctx.draw_seen == seen && ctx.draw.id != 0 {
            return Ok(ctx.draw);
        }
        let f = &c.values.draw_framebuffer;
        let mut color = [None; MAX_COLOR_ATTACHMENTS];
        for (place, &index) in color.iter_mut().zip(&f.draw_buffers) {
            if index != NO_BUFFER
                && let Some(a) = f.color.get(index as usize)
            {
                if (a.resource.kind, a.layer) == (HandleKind::SURFACE, 1)
                    && let Ok(x) = self.obj.surfaces.get_mut(SurfaceHandle(a.resource.handle))
                {
                    x.front_drawn = true;
                }
                *place = self.resolve(a)?;
            }
        }
        let (depth, stencil) = (self.resolve(&f.depth)?, self.resolve(&f.stencil)?);
        if let (Some(d), Some(st)) = (&depth, &stencil)
            && (d.image, d.level, d.layer) != (st.image, st.level, st.layer)
        {
            return Err(BackendError::Unsupported(
                "a framebuffer with depth and stencil in different images".into(),
            ));
        }
        let t = self.targets_of(f, color, depth, stencil, srgb)?;
        // Storage may have been made on the way.
        let seen = (generation, self.obj.epoch, srgb);
        let ctx = self.ctx(s)?;
        (ctx.draw, ctx.draw_seen) = (t, seen);
        Ok(t)
    }

    /// The pushed read framebuffer.
    ///
    /// # Errors
    ///
    /// As for drawing.
    pub(super) fn read_targets(&mut self, s: &PushedState) -> Result<Targets, BackendError> {
        let f = &context(s)?.values.read_framebuffer;
        let mut color = [None; MAX_COLOR_ATTACHMENTS];
        color[0] = self.resolve(&f.read)?;
        let (depth, stencil) = (self.resolve(&f.depth)?, self.resolve(&f.stencil)?);
        self.targets_of(f, color, depth, stencil, false)
    }

    fn target_view(
        &mut self,
        s: &Slice,
        t: &Targets,
        layered: bool,
    ) -> Result<vk::ImageView, BackendError> {
        let image = self.obj.images.get(s.image)?;
        let layers = if layered { t.layers } else { 1 };
        let kind = match (image.kind, layers) {
            (vk::ImageType::TYPE_1D, 1) => vk::ImageViewType::TYPE_1D,
            (vk::ImageType::TYPE_1D, _) => vk::ImageViewType::TYPE_1D_ARRAY,
            (_, 1) => vk::ImageViewType::TYPE_2D,
            _ => vk::ImageViewType::TYPE_2D_ARRAY,
        };
        let key = ViewKey {
            format: if t.srgb { s.plan.format } else { s.plan.plain },
            kind,
            aspects: image.plan.aspects,
            first_level: s.level,
            levels: 1,
            first_layer: s.layer,
            layers,
            swizzle: IDENTITY,
            attach: true,
        };
        self.obj.images.view(&self.gpu, s.image, &key)
    }

    /// Begins to render to targets, unless that is under way. The images are in layouts for it, or `feedback` images in
    /// the general layout. A colour can be cleared on the way in.
    ///
    /// # Errors
    ///
    /// Vulkan's.
    pub(super) fn begin_rendering(
        &mut self,
        t: &Targets,
        feedback: &[ImageId],
    ) -> Result<(), BackendError> {
        if self.rendering.is_some_and(|r| r.targets == t.id)
            && feedback.iter().all(|f| {
                self.obj
                    .images
                    .get(*f)
                    .is_ok_and(|i| i.layout == vk::ImageLayout::GENERAL)
            })
        {
            return Ok(());
        }
        self.end_rendering();
        self.resume_queries()?;
        let layout_of = |s: &Slice| {
            if feedback.contains(&s.image) {
                vk::ImageLayout::GENERAL
            } else if s.plan.info.is_color() {
                vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL
            } else {
                vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL
            }
        };
        let mut uses = std::mem::take(&mut self.uses);
        uses.clear();
        for slice in t.slices() {
            if !uses.iter().any(|u| u.0 == slice.image) {
                uses.push((slice.image, layout_of(slice), true));
            }
        }
        let synced = self.sync(&uses, &[]);
        self.uses = uses;
        synced?;
        let layered = t.layers > 1;
        let mut views = TargetViews::default();
        for (i, c) in t.color.iter().enumerate() {
            if let Some(c) = c {
                views.color[i] = self.target_view(c, t, layered)?;
            }
        }
        if let Some(d) = &t.depth {
            views.depth = self.target_view(d, t, layered)?;
        }
        if let Some(d) = &t.stencil {
            views.stencil = self.target_view(d, t, layered)?;
        }
        let attachment = |view: vk::ImageView, s: &Slice| {
            vk::RenderingAttachmentInfo::default()
                .image_view(view)
                .image_layout(layout_of(s))
                .load_op(vk::AttachmentLoadOp::LOAD)
                .store_op(vk::AttachmentStoreOp::STORE)
        };
        let mut colors = [vk::RenderingAttachmentInfo::default(); MAX_COLOR_ATTACHMENTS];
        for (i, c) in t.color.iter().enumerate() {
            if let Some(c) = c {
                colors[i] = attachment(views.color[i], c);
            }
        }
        let depth = t.depth.as_ref().map(|s| attachment(views.depth, s));
        let stencil = t.stencil.as_ref().map(|s| attachment(views.stencil, s));
        let mut info = vk::RenderingInfo::default()
            .render_area(t.whole())
            .layer_count(t.layers)
            .color_attachments(&colors[..t.draw_buffers() as usize]);
        if let Some(d) = &depth {
            info = info.depth_attachment(d);
        }
        if let Some(s) = &stencil {
            info = info.stencil_attachment(s);
        }
        let cmd = self.rec.cmd();
        // SAFETY: nothing is rendered now; views and layouts are as said.
        unsafe { self.gpu.begin_rendering(cmd, &info) };
        self.counters.renderings += 1;
        self.rendering = Some(Rendering { targets: t.id });
        Ok(())
    }

    /// Ends rendering, if any is under way.
    pub(super) fn end_rendering(&mut self) {
        if self.rendering.is_none() {
            return;
        }
        self.stop_capture();
        self.rendering = None;
        let cmd = self.rec.cmd();
        // SAFETY: rendering is under way.
        unsafe { self.gpu.end_rendering(cmd) };
    }

    /// An image ends: rendering to it is over, and targets are resolved anew.
    pub(super) fn forget_attachment(&mut self, _image: ImageId) {
        self.end_rendering();
        self.obj.moved();
    }
}

/// The pushed state of the current context.
///
/// # Errors
///
/// [`BackendError::Driver`] when there is none, which `apply` has ruled out for verbs.
pub fn context(s: &PushedState) -> Result<&mgl_core::pipe::ContextState, BackendError> {
    s.context()
        .ok_or_else(|| BackendError::Driver("no context is bound".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_are_clipped_and_turned() {
        let mut t = Targets {
            width: 100,
            height: 50,
            ..Targets::default()
        };
        let rect = |t: &Targets, x, y, w, h| {
            let r = t.rect(x, y, w, h);
            (r.offset.x, r.offset.y, r.extent.width, r.extent.height)
        };
        assert_eq!(rect(&t, 10, 5, 20, 10), (10, 5, 20, 10));
        assert_eq!(rect(&t, -10, -5, 20, 10), (0, 0, 10, 5));
        assert_eq!(rect(&t, 90, 45, u32::MAX, u32::MAX), (90, 45, 10, 5));
        assert_eq!(rect(&t, 200, 60, 1, 1), (100, 50, 0, 0));
        t.flip = true;
        assert_eq!(rect(&t, 10, 5, 20, 10), (10, 35, 20, 10));
        assert_eq!(rect(&t, 0, 0, 100, 50), (0, 0, 100, 50));
    }
}
