//! Framebuffer objects of one context, found by what is attached (design: pipe contract 3.3, FramebufferState).
//!
//! OpenGL ES wants draw buffer i to be attachment i, so the attachments of a pushed framebuffer are placed by the draw
//! buffers that write them. What no draw buffer writes is left out.

use super::context::Serial;
use super::device::Device;
use super::objects::Image;
use super::storage::{attach, own_point};
use super::work::Work;
use bytemuck::{Pod, Zeroable};
use glow::HasContext;
use mgl_core::handle::*;
use mgl_core::pipe::{
    Attachment, BackendError, FramebufferState, Group, MAX_COLOR_ATTACHMENTS, NO_BUFFER,
    PushedState,
};

/// A slice of storage on an attachment point.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
struct Slot {
    /// 0 where nothing is attached.
    serial: Serial,
    level: u32,
    /// `u32::MAX`: all layers.
    layer: u32,
}

/// What makes two framebuffers the same.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
struct Key {
    color: [Slot; MAX_COLOR_ATTACHMENTS],
    depth: Slot,
    stencil: Slot,
    /// Size and samples, where nothing is attached.
    width: u32,
    height: u32,
    samples: u32,
    pad: u32,
}

impl Key {
    fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.color.iter().chain([&self.depth, &self.stencil])
    }
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    key: Key,
    name: glow::Framebuffer,
    /// What glCheckFramebufferStatus said.
    status: u32,
}

/// An object whose one attachment changes with every use.
#[derive(Debug, Clone, Copy)]
struct Scratch {
    name: glow::Framebuffer,
    slot: Slot,
    point: u32,
    /// Rows are turned, as a surface's are.
    turned: bool,
}

/// A pushed framebuffer as it is bound.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bound {
    /// The object; none while nothing is resolved.
    pub name: Option<glow::Framebuffer>,
    /// Components of each draw buffer that may be written, four bits each.
    pub masks: u32,
    /// Draw buffers up to the last that is written.
    pub draw_buffers: u32,
    /// Samples, 0 for single-sampled.
    pub samples: u32,
    /// Colour of draw buffer 0, or the read colour.
    pub color: Option<(Image, u32, u32)>,
    /// A draw buffer holds integers.
    pub integers: bool,
    /// Depth.
    pub depth: Option<(Image, u32, u32)>,
    /// Stencil.
    pub stencil: Option<(Image, u32, u32)>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Framebuffers {
    entries: Vec<Entry>,
    scratch: [Option<Scratch>; 2],
    /// What GL has bound, where that is known.
    draw: Option<Option<glow::Framebuffer>>,
    read: Option<Option<glow::Framebuffer>>,
    dead: Vec<glow::Framebuffer>,
    /// The pushed draw framebuffer.
    pub draw_bound: Bound,
    /// The pushed read framebuffer.
    pub read_bound: Bound,
}

impl Framebuffers {
    /// Binds an object, or the window with none, to GL_DRAW_FRAMEBUFFER or GL_READ_FRAMEBUFFER.
    #[inline]
    pub fn bind(&mut self, dev: &Device, target: u32, name: Option<glow::Framebuffer>) {
        let place = if target == glow::DRAW_FRAMEBUFFER {
            &mut self.draw
        } else {
            &mut self.read
        };
        if *place != Some(name) {
            *place = Some(name);
            dev.tally.framebuffer_binds.one();
            // SAFETY: the context is current, and the object is its own and lives.
            unsafe { dev.gl.glow.bind_framebuffer(target, name) };
        }
    }

    /// What is attached may have changed in another context: objects are bound anew (ES 3.2 §5.3).
    pub fn distrust(&mut self) {
        (self.draw, self.read) = (None, None);
    }

    /// Binds an object whose only attachment is this slice.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] when the slice cannot be attached.
    pub fn bind_scratch(
        &mut self,
        dev: &Device,
        target: u32,
        image: &Image,
        level: u32,
        layer: u32,
    ) -> Result<(), BackendError> {
        let at = usize::from(target == glow::READ_FRAMEBUFFER);
        let (point, slot) = (
            own_point(image),
            Slot {
                serial: image.serial,
                level,
                layer,
            },
        );
        let (name, old) = match &self.scratch[at] {
            Some(s) => (s.name, Some((s.slot, s.point, s.turned))),
            None => {
                // SAFETY: the context is current.
                let name = unsafe { dev.gl.glow.create_framebuffer() };
                let name = name.map_err(BackendError::Driver)?;
                dev.tally.framebuffers_made.one();
                (name, None)
            }
        };
        self.bind(dev, target, Some(name));
        let turned = image.of_surface;
        if old != Some((slot, point, turned)) {
            if let Some((_, old_point, _)) = old.filter(|o| o.1 != point) {
                // SAFETY: the context and the object are current.
                unsafe {
                    dev.gl.glow.framebuffer_renderbuffer(
                        target,
                        old_point,
                        glow::RENDERBUFFER,
                        None,
                    );
                }
            }
            attach(dev, target, point, image, level, Some(layer));
            if old.is_some_and(|o| o.2 != turned) {
                // Mesa looks at which way rows lie when an object is bound.
                // SAFETY: the context and the object are current.
                unsafe {
                    dev.gl.glow.bind_framebuffer(target, None);
                    dev.gl.glow.bind_framebuffer(target, Some(name));
                }
            }
        }
        self.scratch[at] = Some(Scratch {
            name,
            slot,
            point,
            turned,
        });
        // SAFETY: the context is current.
        let status = unsafe { dev.gl.glow.check_framebuffer_status(target) };
        complete(status, image.plan.info.name)
    }

    /// Storage is about to end: the objects of own passes that hold it are bound no longer, since they lose their only
    /// attachment.
    pub fn let_go(&mut self, dev: &Device, serial: Serial) {
        for s in self
            .scratch
            .into_iter()
            .flatten()
            .filter(|s| s.slot.serial == serial)
        {
            for target in [glow::DRAW_FRAMEBUFFER, glow::READ_FRAMEBUFFER] {
                let bound = match target {
                    glow::DRAW_FRAMEBUFFER => self.draw,
                    _ => self.read,
                };
                if bound == Some(Some(s.name)) {
                    self.bind(dev, target, None);
                }
            }
        }
    }

    /// Storage ended: objects that hold it go when the context is current next.
    pub fn forget(&mut self, serial: Serial) {
        let dead = &mut self.dead;
        self.entries.retain(|e| {
            let holds = e.key.slots().any(|s| s.serial == serial);
            if holds {
                dead.push(e.name);
            }
            !holds
        });
        for s in &mut self.scratch {
            if s.as_ref().is_some_and(|s| s.slot.serial == serial) {
                dead.extend(s.take().map(|s| s.name));
            }
        }
    }

    /// Deletes what was forgotten; the context is current.
    pub fn bury(&mut self, dev: &Device) {
        for name in self.dead.drain(..) {
            // SAFETY: the context is current, and the object is its own.
            unsafe { dev.gl.glow.delete_framebuffer(name) };
            dev.tally.framebuffers_ended.one();
            for place in [&mut self.draw, &mut self.read] {
                if *place == Some(Some(name)) {
                    *place = Some(None);
                }
            }
            for b in [&mut self.draw_bound, &mut self.read_bound] {
                if b.name == Some(name) {
                    *b = Bound::default();
                }
            }
        }
    }

    /// Framebuffers of the client's that live.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// GL objects that live, those of Espryt's own passes and those that wait for their end among them.
    pub fn objects(&self) -> usize {
        self.entries.len() + self.scratch.iter().flatten().count() + self.dead.len()
    }
}

fn complete(status: u32, what: &str) -> Result<(), BackendError> {
    if status == glow::FRAMEBUFFER_COMPLETE {
        return Ok(());
    }
    Err(BackendError::Unsupported(format!(
        "a framebuffer of {what} (status {status:#06x})"
    )))
}

/// An attachment, resolved: storage, level, layer (`u32::MAX` for all).
pub type Resolved = (Image, u32, u32);

impl Work<'_> {
    fn resolve(
        &mut self,
        s: &PushedState,
        a: &Attachment,
    ) -> Result<Option<Resolved>, BackendError> {
        let h = a.resource.handle;
        let gone = || BackendError::Driver(format!("{:?} has no storage", a.resource));
        let image = match a.resource.kind {
            HandleKind::NONE => return Ok(None),
            HandleKind::SURFACE => {
                let depth = a.format.info().is_some_and(|f| !f.is_color());
                let image = self.surface_image(s, SurfaceHandle(h), depth, a.layer)?;
                return Ok(Some((image, 0, 0)));
            }
            HandleKind::RENDERBUFFER => *self
                .obj
                .renderbuffers
                .get(RenderbufferHandle(h))
                .map_err(|_| gone())?,
            _ => {
                self.obj
                    .textures
                    .get(TextureHandle(h))
                    .map_err(|_| gone())?
                    .image
            }
        };
        let layer = if a.layers > 0 { u32::MAX } else { a.layer };
        Ok(Some((image, a.level, layer)))
    }

    /// Binds both pushed framebuffers.
    ///
    /// # Errors
    ///
    /// As for each of them.
    pub fn bind_framebuffers(&mut self, s: &PushedState) -> Result<(), BackendError> {
        self.bind_draw_framebuffer(s)?;
        self.bind_read_framebuffer(s)?;
        // Storage that a surface lacked may have been made and filled through a framebuffer of its own on the way. By now
        // everything is there, so that finding either binds nothing else.
        self.bind_draw_framebuffer(s)?;
        self.bind_read_framebuffer(s)
    }

    /// Binds the pushed draw framebuffer to GL_DRAW_FRAMEBUFFER.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] when OpenGL ES finds it incomplete.
    pub fn bind_draw_framebuffer(&mut self, s: &PushedState) -> Result<(), BackendError> {
        let c = self.context(s)?;
        let generation = c.generation(Group::DrawFramebuffer);
        let moved = self.ctx.seen.moved(Group::DrawFramebuffer, generation);
        if moved
            || self.ctx.seen.framebuffer_epoch != self.obj.epoch
            || self.ctx.framebuffers.draw_bound.name.is_none()
        {
            self.ctx.framebuffers.draw_bound = Bound::default();
            let bound = self.find_draw(s, &c.values.draw_framebuffer)?;
            self.ctx.framebuffers.draw_bound = bound;
            // Storage may have been made on the way.
            self.ctx.seen.framebuffer_epoch = self.obj.epoch;
            self.ctx.seen.groups[Group::ReadFramebuffer as usize] = 0;
        }
        let name = self.ctx.framebuffers.draw_bound.name;
        self.ctx
            .framebuffers
            .bind(self.dev, glow::DRAW_FRAMEBUFFER, name);
        Ok(())
    }

    /// Binds the pushed read framebuffer to GL_READ_FRAMEBUFFER.
    ///
    /// # Errors
    ///
    /// As for drawing.
    pub fn bind_read_framebuffer(&mut self, s: &PushedState) -> Result<(), BackendError> {
        let c = self.context(s)?;
        let generation = c.generation(Group::ReadFramebuffer);
        let moved = self.ctx.seen.moved(Group::ReadFramebuffer, generation);
        if moved
            || self.ctx.seen.framebuffer_epoch != self.obj.epoch
            || self.ctx.framebuffers.read_bound.name.is_none()
        {
            self.ctx.framebuffers.read_bound = Bound::default();
            let bound = self.find_read(s, &c.values.read_framebuffer)?;
            self.ctx.framebuffers.read_bound = bound;
            if self.ctx.seen.framebuffer_epoch != self.obj.epoch {
                self.ctx.seen.framebuffer_epoch = self.obj.epoch;
                self.ctx.seen.groups[Group::DrawFramebuffer as usize] = 0;
            }
        }
        let name = self.ctx.framebuffers.read_bound.name;
        self.ctx
            .framebuffers
            .bind(self.dev, glow::READ_FRAMEBUFFER, name);
        Ok(())
    }

    /// Colours that the pushed draw buffers write.
    ///
    /// # Errors
    ///
    /// As for binding them.
    pub fn draw_colors(&mut self, s: &PushedState) -> Result<Vec<Resolved>, BackendError> {
        let f = &self.context(s)?.values.draw_framebuffer;
        let mut all = Vec::with_capacity(1);
        for &index in &f.draw_buffers {
            if index != NO_BUFFER
                && let Some(a) = f.color.get(index as usize)
            {
                all.extend(self.resolve(s, a)?);
            }
        }
        Ok(all)
    }

    fn find_draw(&mut self, s: &PushedState, f: &FramebufferState) -> Result<Bound, BackendError> {
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
                *place = self.resolve(s, a)?;
            }
        }
        let (depth, stencil) = (self.resolve(s, &f.depth)?, self.resolve(s, &f.stencil)?);
        self.find(f, &color, depth, stencil)
    }

    fn find_read(&mut self, s: &PushedState, f: &FramebufferState) -> Result<Bound, BackendError> {
        let mut color = [None; MAX_COLOR_ATTACHMENTS];
        color[0] = self.resolve(s, &f.read)?;
        let (depth, stencil) = (self.resolve(s, &f.depth)?, self.resolve(s, &f.stencil)?);
        self.find(f, &color, depth, stencil)
    }

    fn find(
        &mut self,
        f: &FramebufferState,
        color: &[Option<Resolved>; MAX_COLOR_ATTACHMENTS],
        depth: Option<Resolved>,
        stencil: Option<Resolved>,
    ) -> Result<Bound, BackendError> {
        let slot = |r: &Option<Resolved>| {
            r.as_ref()
                .map_or(Slot::default(), |(i, level, layer)| Slot {
                    serial: i.serial,
                    level: *level,
                    layer: *layer,
                })
        };
        let all = || color.iter().chain([&depth, &stencil]).flatten();
        let mut key = Key {
            color: std::array::from_fn(|i| slot(&color[i])),
            depth: slot(&depth),
            stencil: slot(&stencil),
            ..Key::default()
        };
        if all().next().is_none() {
            (key.width, key.height, key.samples) = (f.width, f.height, f.samples);
        }
        let hash = xxhash_rust::xxh3::xxh3_64(bytemuck::bytes_of(&key));
        let found = self
            .ctx
            .framebuffers
            .entries
            .iter()
            .find(|e| e.hash == hash && e.key == key)
            .map(|e| (e.name, e.status));
        let (name, status) = match found {
            Some(found) => found,
            None => {
                let (name, status) = self.make(&key, color, &depth, &stencil)?;
                self.ctx.framebuffers.entries.push(Entry {
                    hash,
                    key,
                    name,
                    status,
                });
                (name, status)
            }
        };
        if status != glow::FRAMEBUFFER_COMPLETE {
            let formats: Vec<&str> = all().map(|r| r.0.plan.info.name).collect();
            complete(status, &formats.join(", "))?;
        }
        let masks = color.iter().enumerate().fold(0, |m, (i, c)| {
            m | c.as_ref().map_or(0xF, |c| c.0.plan.write_mask()) << (4 * i)
        });
        Ok(Bound {
            name: Some(name),
            masks,
            draw_buffers: color
                .iter()
                .rposition(Option::is_some)
                .map_or(0, |i| i as u32 + 1),
            samples: all().map(|r| r.0.samples).max().unwrap_or(f.samples),
            color: color[0],
            integers: color.iter().flatten().any(|c| c.0.plan.info.is_integer()),
            depth,
            stencil,
        })
    }

    fn make(
        &mut self,
        key: &Key,
        color: &[Option<Resolved>; MAX_COLOR_ATTACHMENTS],
        depth: &Option<Resolved>,
        stencil: &Option<Resolved>,
    ) -> Result<(glow::Framebuffer, u32), BackendError> {
        let (dev, gl) = (self.dev, &self.dev.gl.glow);
        let target = glow::DRAW_FRAMEBUFFER;
        if !dev.gl.has.geometry
            && color
                .iter()
                .flatten()
                .chain(depth)
                .chain(stencil)
                .any(|r| r.2 == u32::MAX)
        {
            return Err(BackendError::Unsupported("layered framebuffers".into()));
        }
        // The draw buffers are those of GL_DRAW_FRAMEBUFFER; what is bound there comes back.
        let before = self.ctx.framebuffers.draw;
        // SAFETY: the context is current.
        let name = unsafe { gl.create_framebuffer() }.map_err(BackendError::Driver)?;
        dev.tally.framebuffers_made.one();
        self.ctx.framebuffers.bind(dev, target, Some(name));
        let put = |point: u32, r: &Resolved| {
            let layer = (r.2 != u32::MAX).then_some(r.2);
            attach(dev, target, point, &r.0, r.1, layer);
        };
        let mut buffers = [glow::NONE; MAX_COLOR_ATTACHMENTS];
        for (i, r) in color.iter().enumerate() {
            if let Some(r) = r {
                let point = glow::COLOR_ATTACHMENT0 + i as u32;
                put(point, r);
                buffers[i] = point;
            }
        }
        match (depth, stencil) {
            (Some(d), Some(_)) if key.depth == key.stencil => {
                put(glow::DEPTH_STENCIL_ATTACHMENT, d);
            }
            _ => {
                if let Some(d) = depth {
                    put(glow::DEPTH_ATTACHMENT, d);
                }
                if let Some(s) = stencil {
                    put(glow::STENCIL_ATTACHMENT, s);
                }
            }
        }
        let count = (dev.gl.limits.draw_buffers as usize).min(MAX_COLOR_ATTACHMENTS);
        // SAFETY: the context and the object are current.
        let status = unsafe {
            gl.draw_buffers(&buffers[..count]);
            if key.slots().all(|s| s.serial == 0) {
                for (what, value) in [
                    (glow::FRAMEBUFFER_DEFAULT_WIDTH, key.width.max(1)),
                    (glow::FRAMEBUFFER_DEFAULT_HEIGHT, key.height.max(1)),
                    (glow::FRAMEBUFFER_DEFAULT_SAMPLES, key.samples),
                ] {
                    dev.gl.es.FramebufferParameteri(target, what, value as i32);
                }
            }
            gl.check_framebuffer_status(target)
        };
        if let Some(before) = before {
            self.ctx.framebuffers.bind(dev, target, before);
        }
        Ok((name, status))
    }
}
