//! Reading depth and stencil through a shader, for drivers that do not read them (NV_read_depth, NV_read_stencil).
//!
//! The pixels are copied into a texture of the same format and drawn as words into an unsigned integer one, which every
//! OpenGL ES reads: the bits of the depth as a float, or the stencil value.

use super::context::Seen;
use super::device::Device;
use super::objects::{Image, Params};
use super::read::{Area, blit_mask};
use super::storage::Shape;
use super::views::Sampled;
use super::work::Work;
use glow::HasContext;
use mgl_core::format::{ComponentClass, Format, FormatInfo};
use mgl_core::pipe::render_state::{DynamicState, PipelineState};
use mgl_core::pipe::{BackendError, Group};
use mgl_core::pod::F32;

const VERTEX: &str = "#version 310 es
void main() {
    gl_Position = vec4(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}
";

const DEPTH: &str = "#version 310 es
precision highp float;
layout(binding = 0) uniform highp sampler2D source;
layout(location = 0) out highp uint word;
void main() { word = floatBitsToUint(texelFetch(source, ivec2(gl_FragCoord.xy), 0).r); }
";

const STENCIL: &str = "#version 310 es
precision highp float;
layout(binding = 0) uniform highp usampler2D source;
layout(location = 0) out highp uint word;
void main() { word = texelFetch(source, ivec2(gl_FragCoord.xy), 0).r; }
";

/// The two programs, made when first used.
#[derive(Debug, Default)]
pub struct DepthReaders {
    depth: Option<glow::Program>,
    stencil: Option<glow::Program>,
}

impl DepthReaders {
    /// Ends them.
    pub fn clear(&mut self, dev: &Device) {
        for p in self.depth.take().into_iter().chain(self.stencil.take()) {
            // SAFETY: a context of the share group is current.
            unsafe { dev.gl.glow.delete_program(p) };
            dev.tally.programs_ended.one();
        }
    }
}

fn build(dev: &Device, fragment: &str) -> Result<glow::Program, BackendError> {
    let gl = &dev.gl.glow;
    // SAFETY: a context is current; what is made here is deleted or returned.
    unsafe {
        let program = gl.create_program().map_err(BackendError::Driver)?;
        for (stage, text) in [
            (glow::VERTEX_SHADER, VERTEX),
            (glow::FRAGMENT_SHADER, fragment),
        ] {
            let shader = gl.create_shader(stage).map_err(BackendError::Driver)?;
            gl.shader_source(shader, text);
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
        Err(BackendError::Driver(format!("the depth reader: {log}")))
    }
}

/// Depths as GL would give them for a format, from the bits of floats: 32-bit fixed point, or the floats.
fn fixed_point(info: &FormatInfo, words: &mut [u8]) {
    let bits = match info.format {
        Format::DEPTH_COMPONENT16 => 16,
        Format::DEPTH_COMPONENT24 | Format::DEPTH24_STENCIL8 => 24,
        _ => return,
    };
    let most = f64::from((1u32 << bits) - 1);
    for w in words.chunks_exact_mut(4) {
        let d = f32::from_le_bytes([w[0], w[1], w[2], w[3]]);
        let v = (f64::from(d.clamp(0.0, 1.0)) * most).round() as u32;
        // The upper bits again below, as a wider fixed-point value has them.
        let wide = v << (32 - bits) | (v >> (2 * bits - 32));
        w.copy_from_slice(&wide.to_le_bytes());
    }
}

impl Work<'_> {
    /// Depths (words, as glReadPixels would give them: fixed point or floats) and stencil values of an area of a slice;
    /// what is not asked for is empty.
    ///
    /// # Errors
    ///
    /// When the slice cannot be attached, or the driver refuses the programs.
    pub fn depth_by_shader(
        &mut self,
        (image, level, layer): (&Image, u32, u32),
        a: &Area,
        depth: bool,
        stencil: bool,
    ) -> Result<(Vec<u8>, Vec<u8>), BackendError> {
        let shape = |format| Shape {
            target: glow::TEXTURE_2D,
            format,
            width: a.width,
            height: a.height,
            depth: 1,
            levels: 1,
            samples: 0,
            fixed_locations: true,
            zero: false,
        };
        let copy = self.make_image(&shape(image.plan.info.format))?;
        let words = match self.make_image(&shape(Format::R32UI)) {
            Ok(w) => w,
            Err(e) => {
                self.end_image(&copy);
                return Err(e);
            }
        };
        let done = self.depth_of_copy((image, level, layer), a, &copy, &words, depth, stencil);
        self.end_image(&copy);
        self.end_image(&words);
        done
    }

    fn depth_of_copy(
        &mut self,
        (image, level, layer): (&Image, u32, u32),
        a: &Area,
        copy: &Image,
        words: &Image,
        depth: bool,
        stencil: bool,
    ) -> Result<(Vec<u8>, Vec<u8>), BackendError> {
        let fb = &mut self.ctx.framebuffers;
        fb.bind_scratch(self.dev, glow::READ_FRAMEBUFFER, image, level, layer)?;
        fb.bind_scratch(self.dev, glow::DRAW_FRAMEBUFFER, copy, 0, 0)?;
        self.ctx.plain_output_state(self.dev);
        let (w, h) = (a.width as i32, a.height as i32);
        self.dev.tally.copy_calls.one();
        // SAFETY: both framebuffers are complete.
        unsafe {
            self.dev.gl.glow.blit_framebuffer(
                a.x,
                a.y,
                a.x + w,
                a.y + h,
                0,
                0,
                w,
                h,
                blit_mask(image.plan.info),
                glow::NEAREST,
            );
        }
        let mut read = (Vec::new(), Vec::new());
        if depth {
            read.0 = self.words_of(copy, words, false)?;
            fixed_point(image.plan.info, &mut read.0);
        }
        if stencil {
            let all = self.words_of(copy, words, true)?;
            read.1 = all.chunks_exact(4).map(|w| w[0]).collect();
        }
        Ok(read)
    }

    /// Draws one word a pixel and reads them.
    fn words_of(
        &mut self,
        copy: &Image,
        words: &Image,
        stencil: bool,
    ) -> Result<Vec<u8>, BackendError> {
        let readers = &mut self.obj.depth_readers;
        let (place, text) = if stencil {
            (&mut readers.stencil, STENCIL)
        } else {
            (&mut readers.depth, DEPTH)
        };
        let program = match *place {
            Some(p) => p,
            None => *place.insert(build(self.dev, text)?),
        };
        let from = Params {
            stencil: false,
            ..Params::INITIAL
        };
        let both = copy.plan.info.class == ComponentClass::DepthStencil;
        let to = Params {
            stencil: stencil && both,
            ..from
        };
        self.set_params(copy, &from, &to);
        let Some((name, target)) = copy.texture() else {
            return Err(BackendError::Driver("a copy that is no texture".into()));
        };
        let sampler = self.nearest_sampler()?;
        let sampled = Sampled {
            name,
            target,
            serial: copy.serial,
            plan: copy.plan,
        };
        self.bind_unit(0, &sampled, sampler.name, sampler.serial);
        let fb = &mut self.ctx.framebuffers;
        fb.bind_scratch(self.dev, glow::DRAW_FRAMEBUFFER, words, 0, 0)?;
        self.own_draw_state(words.width, words.height);
        self.ctx.vertex.bind(self.dev, None);
        let serial = self.obj.serial();
        if let Some(c) = &mut self.ctx.capture {
            c.pause(self.dev);
        }
        self.ctx.shadow.program = serial;
        self.dev.tally.program_binds.one();
        self.dev.tally.draw_calls.one();
        // SAFETY: the context is current with a complete framebuffer, and the program is linked.
        unsafe {
            self.dev.gl.glow.use_program(Some(program));
            self.dev.gl.glow.draw_arrays(glow::TRIANGLES, 0, 3);
        }
        self.set_params(copy, &to, &from);
        let area = Area {
            x: 0,
            y: 0,
            width: words.width,
            height: words.height,
        };
        self.read_slice(words, 0, 0, &area)
    }

    /// State for a draw of the back end's own over a framebuffer of this size. The next verb sets its own again.
    fn own_draw_state(&mut self, width: u32, height: u32) {
        let mut dynamic = DynamicState::initial();
        let v = &mut dynamic.viewports[0];
        (v.width, v.height) = (F32(width as f32), F32(height as f32));
        self.ctx.set_pipeline(self.dev, &PipelineState::initial());
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
    fn every_depth_of_24_bits_comes_back() {
        let info = Format::DEPTH24_STENCIL8.info().expect("a format");
        for v in (0..1u32 << 24)
            .step_by(61)
            .chain([0xFF_FFFF, 0xFF_FFFE, 0x80_0000])
        {
            let d = (f64::from(v) / f64::from(0xFF_FFFFu32)) as f32;
            let mut words = d.to_le_bytes();
            fixed_point(info, &mut words);
            assert_eq!(u32::from_le_bytes(words), v << 8 | v >> 16, "{v:#x}");
        }
    }
}
