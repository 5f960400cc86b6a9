//! Blits that OpenGL ES has no words for, drawn texel by texel: to samples from a single one, between samples in other
//! places, formats or aspects than a raw copy has, and between depth formats that differ.
//!
//! The source is a texture of its own that holds a copy of the slice. What is drawn is not scaled: blits that are go
//! from and to single samples, which OpenGL ES does itself.

use super::blit::Place;
use super::context::{Seen, Serial};
use super::device::Device;
use super::objects::{Image, Params};
use super::storage::Shape;
use super::views::Sampled;
use super::work::Work;
use crate::depth_unit::AS_READ;
use glow::HasContext;
use mgl_core::format::ComponentClass;
use mgl_core::pipe::render_state::{DynamicState, PipelineState, Scissor};
use mgl_core::pipe::{BackendError, Box3, ColorMask, CompareFunc, Group, Rect, StencilOp};
use mgl_core::pod::F32;

const VERTEX: &str = "void main() {
    gl_Position = vec4(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}
";

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    Float,
    Sint,
    Uint,
    Depth,
    Stencil,
}

/// Which samples are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Samples {
    /// Each goes to its like; the first of several goes to a single one, and a single one to all.
    Like,
    /// One of several is read, exactly.
    From(u32),
    /// Those of a mask are written, exactly, with the fourth component that a format hides.
    To(u32),
}

/// How a draw goes.
#[derive(Debug, Clone, Copy)]
pub struct Painting {
    /// What is written.
    pub values: Values,
    /// A pixel times the first two plus the last two is its source pixel.
    pub place: [i32; 4],
    /// Pixels that may be written.
    pub scissor: Scissor,
    /// Colours are encoded for formats of sRGB.
    pub srgb: bool,
    /// Samples.
    pub samples: Samples,
}

/// What makes two programs the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    values: Values,
    /// The source has samples.
    samples: bool,
    /// Each sample of the target is a fragment of its own.
    each: bool,
}

/// The programs, made when first used.
#[derive(Debug, Default)]
pub struct Painter {
    made: Vec<(Key, glow::Program, Serial)>,
    /// See [`super::depth_unit`]; known when it was first asked for.
    pub depth_unit: Option<f32>,
}

impl Painter {
    /// Ends them.
    pub fn clear(&mut self, dev: &Device) {
        for (_, program, _) in self.made.drain(..) {
            // SAFETY: a context of the share group is current.
            unsafe { dev.gl.glow.delete_program(program) };
            dev.tally.programs_ended.one();
        }
    }
}

/// Locations of the uniforms.
const PLACE: u32 = 0;
const EXTENT: u32 = 1;
const BIT: u32 = 2;
const INSIDE: u32 = 3;
const SAMPLE: u32 = 4;
const UNIT: u32 = 5;

/// Depths of 24 bits are told back to what they are parts of.
const DEPTH: &str = "float depth = texel.r;
    if (unit >= 0.0 && depth < 1.0) {
        float part = depth * 16777216.0;
        depth = roundEven(part - part * unit) / 16777216.0;
        depth += depth * 6.0e-8;
    }
    gl_FragDepth = depth;";

fn fragment(key: Key, head: &str, extension: bool) -> String {
    let (prefix, vector) = match key.values {
        Values::Float | Values::Depth => ("", "vec4"),
        Values::Sint => ("i", "ivec4"),
        Values::Uint | Values::Stencil => ("u", "uvec4"),
    };
    let kind = if key.samples { "2DMS" } else { "2D" };
    let third = match (key.samples, key.each) {
        (true, true) => "gl_SampleID",
        (true, false) => "one",
        (false, _) => "0",
    };
    let enable = if extension && third == "gl_SampleID" {
        "#extension GL_OES_sample_variables : require\n"
    } else {
        ""
    };
    let (out, body) = match key.values {
        Values::Depth => ("", DEPTH),
        Values::Stencil => ("", "if (bit != 0u && (texel.r & bit) == 0u) discard;"),
        _ => (
            "layout(location = 0) out highp TEXEL color;\n",
            "color = texel;",
        ),
    };
    format!(
        "{head}{enable}precision highp float;\nprecision highp int;
layout(binding = 0) uniform highp {prefix}sampler{kind} source;
layout(location = {PLACE}) uniform ivec4 place;
layout(location = {EXTENT}) uniform ivec2 extent;
layout(location = {BIT}) uniform uint bit;
layout(location = {INSIDE}) uniform ivec4 inside;
layout(location = {SAMPLE}) uniform int one;
layout(location = {UNIT}) uniform float unit;
{}void main() {{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    if (any(lessThan(pixel, inside.xy)) || any(greaterThanEqual(pixel, inside.zw))) discard;
    ivec2 at = pixel * place.xy + place.zw;
    if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, extent))) discard;
    {vector} texel = texelFetch(source, at, {third});
    {body}
}}
",
        out.replace("TEXEL", vector)
    )
}

fn build(dev: &Device, key: Key) -> Result<glow::Program, BackendError> {
    let gl = &dev.gl.glow;
    let head = format!("#version {} es\n", dev.gl.version.min(320));
    let fragment = fragment(key, &head, dev.gl.version < 320);
    // SAFETY: a context is current; what is made here is deleted or returned.
    unsafe {
        let program = gl.create_program().map_err(BackendError::Driver)?;
        for (stage, text) in [
            (glow::VERTEX_SHADER, format!("{head}{VERTEX}")),
            (glow::FRAGMENT_SHADER, fragment),
        ] {
            let shader = gl.create_shader(stage).map_err(BackendError::Driver)?;
            gl.shader_source(shader, &text);
            gl.compile_shader(shader);
            gl.attach_shader(program, shader);
            gl.delete_shader(shader);
        }
        gl.link_program(program);
        if gl.get_program_link_status(program) {
            dev.tally.programs_linked.one();
            return Ok(program);
        }
        let log = gl.get_program_info_log(program);
        gl.delete_program(program);
        Err(BackendError::Driver(format!(
            "the program of a blit: {log}"
        )))
    }
}

/// One axis: a target's pixel times the first plus the second is its source pixel.
fn axis((s0, s1): (i32, i32), (d0, d1): (i32, i32)) -> (i32, i32) {
    let mirrored = (s0 > s1) != (d0 > d1);
    let (s, d) = (s0.min(s1), d0.min(d1));
    if mirrored {
        (-1, s0.max(s1).wrapping_sub(1).wrapping_add(d))
    } else {
        (1, s.wrapping_sub(d))
    }
}

impl Work<'_> {
    /// Draws one kind of buffer of an unscaled blit, under a scissor.
    ///
    /// # Errors
    ///
    /// When an image cannot be attached or copied, or the driver refuses a program.
    pub fn paint_blit(
        &mut self,
        (src, dst): (&Rect, &Rect),
        bits: u32,
        from: &Place,
        to: &Place,
        scissor: Scissor,
        srgb: bool,
    ) -> Result<(), BackendError> {
        let (source, upside_down) = self.paint_source(from)?;
        let mut done = Ok(());
        for (bit, depth) in [
            (glow::COLOR_BUFFER_BIT, false),
            (glow::DEPTH_BUFFER_BIT, true),
            (glow::STENCIL_BUFFER_BIT, false),
        ] {
            if bits & bit == 0 || done.is_err() {
                continue;
            }
            let values = match (bit, depth, source.plan.info.class) {
                (_, true, _) => Values::Depth,
                (glow::STENCIL_BUFFER_BIT, ..) => Values::Stencil,
                (.., ComponentClass::Sint) => Values::Sint,
                (.., ComponentClass::Uint) => Values::Uint,
                _ => Values::Float,
            };
            let (x, y) = (
                axis((src.x0, src.x1), (dst.x0, dst.x1)),
                axis((src.y0, src.y1), (dst.y0, dst.y1)),
            );
            let last = source.height as i32 - 1;
            let y = if upside_down {
                (-y.0, last.wrapping_sub(y.1))
            } else {
                y
            };
            let place = [x.0, y.0, x.1, y.1];
            let painting = Painting {
                values,
                place,
                scissor,
                srgb,
                samples: Samples::Like,
            };
            done = self.paint_values(&source, to, &painting);
        }
        self.end_image(&source);
        done
    }

    /// A texture that holds a slice, and whether its rows are the other way up.
    ///
    /// # Errors
    ///
    /// As for storage and copies.
    pub fn paint_source(&mut self, from: &Place) -> Result<(Image, bool), BackendError> {
        let (image, level, layer) = from;
        if image.samples <= 1 {
            return Ok((self.single_copy(from, glow::TEXTURE_2D)?, false));
        }
        let copy = self.make_image(&Shape {
            target: glow::TEXTURE_2D_MULTISAMPLE,
            format: image.plan.info.format,
            width: image.width,
            height: image.height,
            depth: 1,
            levels: 1,
            samples: image.samples,
            fixed_locations: true,
            zero: false,
        })?;
        let area = Box3 {
            z: if *layer == u32::MAX { 0 } else { *layer },
            width: image.width,
            height: image.height,
            depth: 1,
            ..Box3::default()
        };
        match self.copy_on_gpu(image, *level, &area, &copy, 0, (0, 0, 0)) {
            Ok(()) => Ok((copy, image.of_surface && self.dev.gl.has.flip_y)),
            Err(e) => {
                self.end_image(&copy);
                Err(e)
            }
        }
    }

    /// Draws over a slice.
    ///
    /// # Errors
    ///
    /// When it cannot be attached, or the driver refuses a program.
    pub fn paint_values(
        &mut self,
        source: &Image,
        to: &Place,
        p: &Painting,
    ) -> Result<(), BackendError> {
        let Painting {
            values,
            place,
            scissor,
            ..
        } = *p;
        let unit = match (values, p.samples) {
            (Values::Depth, Samples::From(_) | Samples::To(_)) => self.depth_unit(source)?,
            _ => AS_READ,
        };
        let key = Key {
            values,
            samples: source.samples > 1,
            each: source.samples > 1 && to.0.samples > 1 && self.dev.gl.has.sample_variables,
        };
        let found = self.obj.painter.made.iter().find(|m| m.0 == key);
        let (program, serial) = match found {
            Some(m) => (m.1, m.2),
            None => {
                let program = build(self.dev, key)?;
                let serial = self.obj.serial();
                self.obj.painter.made.push((key, program, serial));
                (program, serial)
            }
        };
        let stencil = values == Values::Stencil;
        let both = source.plan.info.class == ComponentClass::DepthStencil;
        let plain = Params::INITIAL;
        let params = Params {
            stencil: stencil && both,
            ..plain
        };
        self.set_params(source, &plain, &params);
        let Some((name, target)) = source.texture() else {
            return Err(BackendError::Driver("a copy that is no texture".into()));
        };
        let sampler = self.nearest_sampler()?;
        let sampled = Sampled {
            name,
            target,
            serial: source.serial,
            plan: source.plan,
        };
        self.bind_unit(0, &sampled, sampler.name, sampler.serial);
        let (image, level, layer) = to;
        let layer = if *layer == u32::MAX { 0 } else { *layer };
        let fb = &mut self.ctx.framebuffers;
        fb.bind_scratch(self.dev, glow::DRAW_FRAMEBUFFER, image, *level, layer)?;
        self.ctx.vertex.bind(self.dev, None);
        if let Some(c) = &mut self.ctx.capture {
            c.pause(self.dev);
        }
        if self.ctx.shadow.program != serial {
            self.ctx.shadow.program = serial;
            self.dev.tally.program_binds.one();
            // SAFETY: the context is current, its capture is paused, and the program is linked.
            unsafe { self.dev.gl.glow.use_program(Some(program)) };
        }
        let gl = &self.dev.gl.glow;
        let at = glow::NativeUniformLocation;
        // SAFETY: the program is in use; uniforms that it lacks are GL's to refuse, so they are not set.
        unsafe {
            let [x, y, z, w] = place;
            gl.uniform_4_i32(Some(&at(PLACE)), x, y, z, w);
            gl.uniform_2_i32(Some(&at(EXTENT)), source.width as i32, source.height as i32);
            // Mesa's software rasteriser lets samples beside a scissor box through.
            let end = |at: i32, n: u32| at.saturating_add(n.min(i32::MAX as u32) as i32);
            let (right, top) = (
                end(scissor.x, scissor.width),
                end(scissor.y, scissor.height),
            );
            gl.uniform_4_i32(Some(&at(INSIDE)), scissor.x, scissor.y, right, top);
            if values == Values::Depth {
                gl.uniform_1_f32(Some(&at(UNIT)), unit);
            }
            if key.samples && !key.each {
                let one = match p.samples {
                    Samples::From(n) => n as i32,
                    _ => 0,
                };
                gl.uniform_1_i32(Some(&at(SAMPLE)), one);
            }
        }
        let size = |n: u32| n.checked_shr(*level).unwrap_or(0).max(1);
        let size = (size(image.width), size(image.height));
        if !stencil {
            self.paint_state(size, image, p, None);
            self.paint_triangle();
        } else {
            // Zero first, then each bit where the source has it.
            for bit in std::iter::once(0).chain((0..8).map(|n| 1u32 << n)) {
                let write = if bit == 0 { 0xFF } else { bit };
                self.paint_state(size, image, p, Some((write, bit)));
                // SAFETY: the program is in use, and has an unsigned integer there.
                unsafe { self.dev.gl.glow.uniform_1_u32(Some(&at(BIT)), bit) };
                self.paint_triangle();
            }
        }
        self.set_params(source, &params, &plain);
        self.dev.gl.check("a blit that is drawn")
    }

    fn paint_triangle(&self) {
        self.dev.tally.draw_calls.one();
        // SAFETY: the context is current with a complete framebuffer and a linked program.
        unsafe { self.dev.gl.glow.draw_arrays(glow::TRIANGLES, 0, 3) };
    }

    /// State of a draw of the back end's own; the next verb sets its own again. `stencil` is the bits that are written
    /// and their values.
    fn paint_state(
        &mut self,
        (width, height): (u32, u32),
        to: &Image,
        p: &Painting,
        stencil: Option<(u32, u32)>,
    ) {
        let depth = p.values == Values::Depth;
        let mask = match p.samples {
            Samples::To(_) => ColorMask::ALL,
            _ => ColorMask(to.plan.write_mask()),
        };
        let mut pipeline = PipelineState::initial();
        for b in &mut pipeline.blend {
            b.mask = mask;
        }
        pipeline.depth_test = depth.into();
        pipeline.depth_write = depth.into();
        pipeline.depth_func = CompareFunc::ALWAYS;
        pipeline.stencil_test = stencil.is_some().into();
        for face in &mut pipeline.stencil {
            face.func = CompareFunc::ALWAYS;
            face.pass = StencilOp::REPLACE;
            face.depth_fail = StencilOp::REPLACE;
        }
        let mut dynamic = DynamicState::initial();
        let v = &mut dynamic.viewports[0];
        (v.width, v.height) = (F32(width as f32), F32(height as f32));
        dynamic.scissors[0] = p.scissor;
        dynamic.output.framebuffer_srgb = p.srgb.into();
        if let Samples::To(mask) = p.samples {
            dynamic.multisample.mask_enable = true.into();
            dynamic.multisample.mask = mask;
        }
        if let Some((write_mask, reference)) = stencil {
            for face in &mut dynamic.stencil {
                (face.write_mask, face.reference) = (write_mask, reference);
            }
        }
        self.ctx.set_pipeline(self.dev, &pipeline);
        self.ctx.set_dynamic(self.dev, &dynamic, false);
        let seen = &mut self.ctx.seen;
        seen.render_state = Default::default();
        seen.groups[Group::Dynamic as usize] = 0;
        seen.textures_epoch = Seen::NEVER;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_pixels_follow_from_corners() {
        let at = |(scale, offset): (i32, i32), p: i32| p * scale + offset;
        let plain = axis((2, 6), (10, 14));
        assert_eq!((at(plain, 10), at(plain, 13)), (2, 5));
        let mirrored = axis((2, 6), (14, 10));
        assert_eq!((at(mirrored, 10), at(mirrored, 13)), (5, 2));
        assert_eq!(axis((6, 2), (14, 10)), plain);
        assert_eq!(axis((6, 2), (10, 14)), mirrored);
    }
}
