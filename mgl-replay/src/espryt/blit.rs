//! Blits between the pushed framebuffers (GL 4.6 §18.3.1).
//!
//! OpenGL ES resolves only in place and between equal formats, never draws to samples, and refuses an image as both
//! ends. Where a blit asks for more, its source goes to a single-sampled copy first.

use super::framebuffers::Bound;
use super::objects::Image;
use super::read::blit_mask;
use super::storage::Shape;
use super::work::Work;
use glow::HasContext;
use mgl_core::pipe::render_state::Scissor;
use mgl_core::pipe::*;

/// One kind of buffer of a blit.
struct Pass {
    bits: u32,
    from: (Image, u32, u32),
    to: (Image, u32, u32),
    filter: u32,
}

impl Work<'_> {
    /// Blits.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for a multisampled destination that is no plain copy.
    pub fn blit(&mut self, s: &PushedState, b: &Blit) -> Result<(), BackendError> {
        self.bind_draw_framebuffer(s)?;
        self.bind_read_framebuffer(s)?;
        self.follow_dynamic(s)?;
        let (read, draw) = (
            self.ctx.framebuffers.read_bound,
            self.ctx.framebuffers.draw_bound,
        );
        for pass in passes(b, &read, &draw) {
            self.blit_pass(s, b, &pass)?;
        }
        if b.buffers.has(BufferMask::COLOR0) && read.color.is_some() {
            self.restore_alpha(s, &b.dst)?;
        }
        Ok(())
    }

    fn blit_pass(&mut self, s: &PushedState, b: &Blit, p: &Pass) -> Result<(), BackendError> {
        let (from, to) = (&p.from.0, &p.to.0);
        if to.samples > 1 {
            return self.blit_samples(s, b, p);
        }
        let resolve = from.samples > 1;
        let in_place = b.src == b.dst && from.plan.internal == to.plan.internal;
        let same = from.serial == to.serial && (p.from.1, p.from.2) == (p.to.1, p.to.2);
        if !same && (!resolve || in_place) {
            self.bind_read_framebuffer(s)?;
            self.blit_bound(b, p.bits, p.filter);
            return self.dev.gl.check("a blit");
        }
        let copy = self.single_copy(&p.from)?;
        let done = self.blit_from_copy(s, b, p, &copy);
        self.end_image(&copy);
        // The bound read framebuffer is another than the pushed one now.
        done
    }

    /// A single-sampled copy of all of a slice.
    fn single_copy(
        &mut self,
        (image, level, layer): &(Image, u32, u32),
    ) -> Result<Image, BackendError> {
        let (w, h) = (
            image.width.checked_shr(*level).unwrap_or(0).max(1),
            image.height.checked_shr(*level).unwrap_or(0).max(1),
        );
        let copy = self.make_image(&Shape {
            target: glow::RENDERBUFFER,
            format: image.plan.info.format,
            width: w,
            height: h,
            depth: 1,
            levels: 1,
            samples: 0,
            fixed_locations: true,
            zero: false,
        })?;
        let layer = if *layer == u32::MAX { 0 } else { *layer };
        let fb = &mut self.ctx.framebuffers;
        fb.bind_scratch(self.dev, glow::READ_FRAMEBUFFER, image, *level, layer)?;
        fb.bind_scratch(self.dev, glow::DRAW_FRAMEBUFFER, &copy, 0, 0)?;
        self.ctx.plain_output_state(self.dev);
        let (w, h) = (w as i32, h as i32);
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
        Ok(copy)
    }

    fn blit_from_copy(
        &mut self,
        s: &PushedState,
        b: &Blit,
        p: &Pass,
        copy: &Image,
    ) -> Result<(), BackendError> {
        self.bind_draw_framebuffer(s)?;
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

    /// A blit to samples: where it copies samples one to one, they are copied raw.
    fn blit_samples(&mut self, s: &PushedState, b: &Blit, p: &Pass) -> Result<(), BackendError> {
        let refuse = |what: &str| Err(BackendError::Unsupported(what.to_owned()));
        let (from, to) = (&p.from.0, &p.to.0);
        let scissor = self.context(s)?.values.dynamic.scissors[0];
        if from.samples != to.samples || from.plan.internal != to.plan.internal {
            return refuse("a blit to samples from another number of samples or another format");
        }
        let size = |r: &Rect| (r.x1.wrapping_sub(r.x0), r.y1.wrapping_sub(r.y0));
        let (w, h) = size(&b.src);
        if size(&b.dst) != (w, h) || w < 0 || h < 0 {
            return refuse("a scaled blit to samples");
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
        if from.of_surface != to.of_surface && self.dev.gl.has.flip_y && h > 1 {
            return refuse("a blit to samples between a surface and another framebuffer");
        }
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
        let color = self.ctx.framebuffers.draw_bound.color;
        let class = color.map(|c| c.0.plan.info.class);
        for i in (0..count).filter(|i| widened(*i)) {
            use mgl_core::format::ComponentClass;
            let gl = &self.dev.gl.glow;
            self.dev.tally.clear_calls.one();
            // SAFETY: the context is current with a complete framebuffer.
            unsafe {
                match class {
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

fn passes(b: &Blit, read: &Bound, draw: &Bound) -> Vec<Pass> {
    let linear = b.filter.0;
    let mut out = Vec::with_capacity(2);
    let mut add =
        |bits: u32, from: Option<(Image, u32, u32)>, to: Option<(Image, u32, u32)>, filter: u32| {
            if let (Some(from), Some(to)) = (from, to) {
                out.push(Pass {
                    bits,
                    from,
                    to,
                    filter,
                });
            }
        };
    if b.buffers.has(BufferMask::COLOR0) {
        add(glow::COLOR_BUFFER_BIT, read.color, draw.color, linear);
    }
    let (depth, stencil) = (
        b.buffers.has(BufferMask::DEPTH),
        b.buffers.has(BufferMask::STENCIL),
    );
    let one = |b: &Bound| match (b.depth, b.stencil) {
        (Some(d), Some(s)) => d.0.serial == s.0.serial,
        _ => false,
    };
    if depth && stencil && one(read) && one(draw) {
        add(
            glow::DEPTH_BUFFER_BIT | glow::STENCIL_BUFFER_BIT,
            read.depth,
            draw.depth,
            glow::NEAREST,
        );
    } else {
        if depth {
            add(
                glow::DEPTH_BUFFER_BIT,
                read.depth,
                draw.depth,
                glow::NEAREST,
            );
        }
        if stencil {
            add(
                glow::STENCIL_BUFFER_BIT,
                read.stencil,
                draw.stencil,
                glow::NEAREST,
            );
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
