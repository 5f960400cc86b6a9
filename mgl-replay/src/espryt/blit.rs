//! Blits between the pushed framebuffers (GL 4.6 §18.3.1).
//!
//! OpenGL ES resolves only in place and between equal formats, never blits to samples, and refuses an image as both
//! ends. Where a blit asks for more, its source goes to a single-sampled copy first, or it is drawn ([`super::painter`]).

use super::framebuffers::Bound;
use super::objects::Image;
use super::read::blit_mask;
use super::storage::Shape;
use super::work::Work;
use glow::HasContext;
use mgl_core::pipe::render_state::Scissor;
use mgl_core::pipe::*;

/// A slice of an image: level, layer (`u32::MAX` for all, of which the first counts).
pub type Place = (Image, u32, u32);

/// One kind of buffer of a blit.
struct Pass {
    bits: u32,
    from: Place,
    to: Place,
    filter: u32,
    /// The target is one of several draw buffers, each of which is bound by itself.
    alone: bool,
}

impl Work<'_> {
    /// Blits.
    ///
    /// # Errors
    ///
    /// As for binding, copying and drawing.
    pub fn blit(&mut self, s: &PushedState, b: &Blit) -> Result<(), BackendError> {
        self.bind_framebuffers(s)?;
        self.follow_dynamic(s)?;
        let colors = if b.buffers.has(BufferMask::COLOR0) {
            self.draw_colors(s)?
        } else {
            Vec::new()
        };
        let (read, draw) = (
            self.ctx.framebuffers.read_bound,
            self.ctx.framebuffers.draw_bound,
        );
        for pass in passes(b, &read, &draw, &colors) {
            self.blit_pass(s, b, &pass)?;
        }
        if read.color.is_some() && !colors.is_empty() {
            self.restore_alpha(s, &b.dst)?;
        }
        Ok(())
    }

    fn blit_pass(&mut self, s: &PushedState, b: &Blit, p: &Pass) -> Result<(), BackendError> {
        let (from, to) = (&p.from.0, &p.to.0);
        let color = from.plan.info.is_color();
        if to.samples > 1 {
            return self.blit_samples(s, b, p);
        }
        let resolve = from.samples > 1;
        let same_format = from.plan.internal == to.plan.internal;
        let in_place = b.src == b.dst && same_format;
        let same = from.serial == to.serial && (p.from.1, p.from.2) == (p.to.1, p.to.2);
        if !color && !same_format {
            // Formats of depth and stencil may be alike in the part that is blitted alone.
            return self.paint_pass(s, b, p);
        }
        if !same && (!resolve || in_place) {
            self.bind_target(s, p)?;
            self.bind_read_framebuffer(s)?;
            self.follow_dynamic(s)?;
            self.blit_bound(b, p.bits, p.filter);
            return self.dev.gl.check("a blit");
        }
        let copy = self.single_copy(&p.from, glow::RENDERBUFFER)?;
        let done = self.blit_from_copy(s, b, p, &copy);
        self.end_image(&copy);
        // The bound read framebuffer is another than the pushed one now.
        done
    }

    /// Binds what a pass writes to GL_DRAW_FRAMEBUFFER.
    fn bind_target(&mut self, s: &PushedState, p: &Pass) -> Result<(), BackendError> {
        if !p.alone {
            return self.bind_framebuffers(s);
        }
        let (image, level, layer) = &p.to;
        let layer = if *layer == u32::MAX { 0 } else { *layer };
        let fb = &mut self.ctx.framebuffers;
        fb.bind_scratch(self.dev, glow::DRAW_FRAMEBUFFER, image, *level, layer)
    }

    /// Draws a pass.
    fn paint_pass(&mut self, s: &PushedState, b: &Blit, p: &Pass) -> Result<(), BackendError> {
        let d = &self.context(s)?.values.dynamic;
        let scissor = intersect(&d.scissors[0], &b.dst);
        let scissor = Scissor {
            enable: true.into(),
            ..scissor
        };
        // Texels of sRGB formats are decoded when they are read.
        let srgb = p.from.0.plan.info.srgb || d.output.framebuffer_srgb.get();
        self.paint_blit((&b.src, &b.dst), p.bits, &p.from, &p.to, scissor, srgb)
    }

    /// A single-sampled copy of all of a slice, as a texture or a renderbuffer.
    ///
    /// # Errors
    ///
    /// As for storage and binding.
    pub fn single_copy(
        &mut self,
        (image, level, layer): &Place,
        target: u32,
    ) -> Result<Image, BackendError> {
        let (w, h) = (
            image.width.checked_shr(*level).unwrap_or(0).max(1),
            image.height.checked_shr(*level).unwrap_or(0).max(1),
        );
        let copy = self.make_image(&Shape {
            target,
            format: image.plan.info.format,
            width: w,
            height: h,
            depth: 1,
            levels: 1,
            samples: 0,
            fixed_locations: true,
            zero: false,
        })?;
        let done = self.copy_slice((image, *level, *layer), &copy, (w as i32, h as i32));
        if let Err(e) = done {
            self.end_image(&copy);
            return Err(e);
        }
        Ok(copy)
    }

    fn copy_slice(
        &mut self,
        (image, level, layer): (&Image, u32, u32),
        copy: &Image,
        (w, h): (i32, i32),
    ) -> Result<(), BackendError> {
        let layer = if layer == u32::MAX { 0 } else { layer };
        let fb = &mut self.ctx.framebuffers;
        fb.bind_scratch(self.dev, glow::READ_FRAMEBUFFER, image, level, layer)?;
        fb.bind_scratch(self.dev, glow::DRAW_FRAMEBUFFER, copy, 0, 0)?;
        self.ctx.plain_output_state(self.dev);
        self.dev.tally.copy_calls.one();
        // SAFETY: both framebuffers are complete.
        unsafe {
            self.dev.gl.glow.blit_framebuffer(
                0,
                0,
                w,
                h,
                0,
                0,
                w,
                h,
                blit_mask(image.plan.info),
                glow::NEAREST,
            );
        }
        self.dev.gl.check("a copy of a framebuffer")
    }

    fn blit_from_copy(
        &mut self,
        s: &PushedState,
        b: &Blit,
        p: &Pass,
        copy: &Image,
    ) -> Result<(), BackendError> {
        self.bind_target(s, p)?;
        self.follow_dynamic(s)?;
        let fb = &mut self.ctx.framebuffers;
        fb.bind_scratch(self.dev, glow::READ_FRAMEBUFFER, copy, 0, 0)?;
        self.blit_bound(b, p.bits, p.filter);
        self.dev.gl.check("a blit")
    }

    fn blit_bound(&self, b: &Blit, bits: u32, filter: u32) {
        self.dev.check_errors("before a blit");
        self.dev.tally.copy_calls.one();
        // SAFETY: both framebuffers are complete.
        unsafe {
            self.dev.gl.glow.blit_framebuffer(
                b.src.x0, b.src.y0, b.src.x1, b.src.y1, b.dst.x0, b.dst.y0, b.dst.x1, b.dst.y1,
                bits, filter,
            );
        }
    }

    /// A blit to samples: where it copies whole samples one to one, they are copied raw; otherwise it is drawn.
    fn blit_samples(&mut self, s: &PushedState, b: &Blit, p: &Pass) -> Result<(), BackendError> {
        let (from, to) = (&p.from.0, &p.to.0);
        let scissor = self.context(s)?.values.dynamic.scissors[0];
        let size = |r: &Rect| (r.x1.wrapping_sub(r.x0), r.y1.wrapping_sub(r.y0));
        let (w, h) = size(&b.src);
        let turned = from.of_surface != to.of_surface && self.dev.gl.has.flip_y;
        let raw = from.samples == to.samples
            && from.serial != to.serial
            && from.plan.internal == to.plan.internal
            && [from, to].iter().all(|i| blit_mask(i.plan.info) == p.bits)
            && size(&b.dst) == (w, h)
            && w >= 0
            && h >= 0
            && !turned
            && self.dev.gl.has.copy_image;
        if !raw {
            return self.paint_pass(s, b, p);
        }
        let clip = |n: i32, limits: [(i64, i64); 3]| {
            let (mut low, mut high) = (0i64, i64::from(n));
            for (from, to) in limits {
                low = low.max(from);
                high = high.min(to);
            }
            (high > low).then_some((low as u32, (high - low) as u32))
        };
        let axis =
            |src: i32, dst: i32, n: i32, src_size: u32, dst_size: u32, sc: Option<(i32, u32)>| {
                let (s0, d0) = (i64::from(src), i64::from(dst));
                let sc = sc.map_or((i64::MIN / 4, i64::MAX / 4), |(at, n)| {
                    (i64::from(at), i64::from(at) + i64::from(n))
                });
                clip(
                    n,
                    [
                        (-s0, i64::from(src_size) - s0),
                        (-d0, i64::from(dst_size) - d0),
                        (sc.0 - d0, sc.1 - d0),
                    ],
                )
            };
        let on = scissor.enable.get();
        let x = axis(
            b.src.x0,
            b.dst.x0,
            w,
            from.width,
            to.width,
            on.then_some((scissor.x, scissor.width)),
        );
        let y = axis(
            b.src.y0,
            b.dst.y0,
            h,
            from.height,
            to.height,
            on.then_some((scissor.y, scissor.height)),
        );
        let (Some((dx, w)), Some((dy, h))) = (x, y) else {
            return Ok(());
        };
        let layer = |l: u32| if l == u32::MAX { 0 } else { l };
        let area = Box3 {
            x: (b.src.x0 as i64 + i64::from(dx)) as u32,
            y: (b.src.y0 as i64 + i64::from(dy)) as u32,
            z: layer(p.from.2),
            width: w,
            height: h,
            depth: 1,
        };
        let at = (
            (b.dst.x0 as i64 + i64::from(dx)) as u32,
            (b.dst.y0 as i64 + i64::from(dy)) as u32,
            layer(p.to.2),
        );
        // Raw copies count rows as they lie in memory.
        let row = |image: &Image, y: u32| {
            if image.of_surface && self.dev.gl.has.flip_y {
                image.height - y - h
            } else {
                y
            }
        };
        let area = Box3 {
            y: row(from, area.y),
            ..area
        };
        let at = (at.0, row(to, at.1), at.2);
        self.copy_on_gpu(from, p.from.1, &area, to, p.to.1, at)
    }

    /// An added fourth component is one again after a blit has written it.
    fn restore_alpha(&mut self, s: &PushedState, dst: &Rect) -> Result<(), BackendError> {
        let masks = self.ctx.framebuffers.draw_bound.masks;
        let count = self.ctx.framebuffers.draw_bound.draw_buffers;
        let widened = |i: u32| masks >> (4 * i) & 0xF == 0b0111;
        if !(0..count).any(widened) {
            return Ok(());
        }
        let mut dynamic = self.context(s)?.values.dynamic;
        let pushed = dynamic.scissors[0];
        dynamic.scissors[0] = Scissor {
            enable: true.into(),
            ..intersect(&pushed, dst)
        };
        let mut pipeline = self.ctx.shadow.pipeline;
        for b in &mut pipeline.blend {
            b.mask = ColorMask::A;
        }
        pipeline.rasterizer_discard = false.into();
        self.bind_draw_framebuffer(s)?;
        self.ctx.set_pipeline(self.dev, &pipeline);
        self.ctx.set_dynamic(self.dev, &dynamic, false);
        self.ctx.seen.render_state = Default::default();
        self.ctx.seen.groups[Group::Dynamic as usize] = 0;
        let f = &self.context(s)?.values.draw_framebuffer;
        let classes = f.draw_buffers.map(|index| {
            let color = f.color.get(index as usize);
            color.and_then(|a| a.format.info()).map(|i| i.class)
        });
        for i in (0..count).filter(|i| widened(*i)) {
            use mgl_core::format::ComponentClass;
            let gl = &self.dev.gl.glow;
            self.dev.tally.clear_calls.one();
            // SAFETY: the context is current with a complete framebuffer.
            unsafe {
                match classes[i as usize] {
                    Some(ComponentClass::Sint) => {
                        gl.clear_buffer_i32_slice(glow::COLOR, i, &[0, 0, 0, 1])
                    }
                    Some(ComponentClass::Uint) => {
                        gl.clear_buffer_u32_slice(glow::COLOR, i, &[0, 0, 0, 1])
                    }
                    _ => gl.clear_buffer_f32_slice(glow::COLOR, i, &[0.0, 0.0, 0.0, 1.0]),
                }
            }
        }
        Ok(())
    }
}

fn passes(b: &Blit, read: &Bound, draw: &Bound, colors: &[Place]) -> Vec<Pass> {
    let mut out = Vec::with_capacity(2);
    if let Some(from) = read.color {
        out.extend(colors.iter().map(|to| Pass {
            bits: glow::COLOR_BUFFER_BIT,
            from,
            to: *to,
            filter: b.filter.0,
            alone: colors.len() > 1,
        }));
    }
    let mut add = |bits: u32, from: Option<Place>, to: Option<Place>| {
        if let (Some(from), Some(to)) = (from, to) {
            out.push(Pass {
                bits,
                from,
                to,
                filter: glow::NEAREST,
                alone: false,
            });
        }
    };
    let (depth, stencil) = (
        b.buffers.has(BufferMask::DEPTH),
        b.buffers.has(BufferMask::STENCIL),
    );
    let one = |b: &Bound| match (b.depth, b.stencil) {
        (Some(d), Some(s)) => d.0.serial == s.0.serial,
        _ => false,
    };
    if depth && stencil && one(read) && one(draw) {
        let both = glow::DEPTH_BUFFER_BIT | glow::STENCIL_BUFFER_BIT;
        add(both, read.depth, draw.depth);
    } else {
        if depth {
            add(glow::DEPTH_BUFFER_BIT, read.depth, draw.depth);
        }
        if stencil {
            add(glow::STENCIL_BUFFER_BIT, read.stencil, draw.stencil);
        }
    }
    out
}

/// The part of a rectangle that a scissor lets through.
fn intersect(s: &Scissor, r: &Rect) -> Scissor {
    let axis = |a: i32, b: i32, at: i32, n: u32| {
        let (mut low, mut high) = (i64::from(a.min(b)), i64::from(a.max(b)));
        if s.enable.get() {
            low = low.max(i64::from(at));
            high = high.min(i64::from(at) + i64::from(n));
        }
        (low as i32, (high - low).max(0) as u32)
    };
    let (x, width) = axis(r.x0, r.x1, s.x, s.width);
    let (y, height) = axis(r.y0, r.y1, s.y, s.height);
    Scissor {
        enable: s.enable,
        x,
        y,
        width,
        height,
    }
}
