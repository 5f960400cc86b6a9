//! Making texel storage: textures, renderbuffers and views (design: driver 5.5).
//!
//! All storage is immutable; a respecified texture gets new storage. Storage whose content nothing defines starts as
//! zero (a fourth component that was added as one), so that a replay shows the same as the live run.

use super::context::NativeContext;
use super::device::Device;
use super::formats::{Plan, attachment_point};
use super::objects::{Image, Name};
use super::work::Work;
use glow::HasContext;
use mgl_core::format::{ComponentClass, Format};
use mgl_core::pipe::{BackendError, ResourceDesc, ResourceFlags, Target};

/// The native target of a texture.
pub fn native_target(target: Target) -> u32 {
    match target {
        Target::TEXTURE_1D | Target::TEXTURE_RECTANGLE => glow::TEXTURE_2D,
        Target::TEXTURE_1D_ARRAY => glow::TEXTURE_2D_ARRAY,
        t => t.0,
    }
}

/// What is to be made.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Native target, or GL_RENDERBUFFER.
    pub target: u32,
    /// Format.
    pub format: Format,
    /// Texels.
    pub width: u32,
    /// Texels.
    pub height: u32,
    /// Slices, layers or faces.
    pub depth: u32,
    /// Levels.
    pub levels: u32,
    /// Samples, 0 or 1 for single-sampled.
    pub samples: u32,
    /// Multisample locations are fixed.
    pub fixed_locations: bool,
    /// Content is filled with zero.
    pub zero: bool,
}

impl Shape {
    /// Of a texture or renderbuffer.
    pub fn of(d: &ResourceDesc) -> Self {
        let (height, depth) = match d.target {
            Target::TEXTURE_1D => (1, 1),
            Target::TEXTURE_1D_ARRAY => (1, d.layers),
            Target::TEXTURE_3D => (d.height, d.depth),
            _ => (d.height, d.layers),
        };
        Self {
            target: native_target(d.target),
            format: d.format,
            width: d.width.max(1),
            height: height.max(1),
            depth: depth.max(1),
            levels: d.levels.max(1),
            samples: d.samples,
            fixed_locations: d.flags.has(ResourceFlags::FIXED_SAMPLE_LOCATIONS),
            zero: !d.flags.has(ResourceFlags::DEFINED),
        }
    }
}

impl Work<'_> {
    /// Makes storage of a shape.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for a format or target that the context lacks, [`BackendError::OutOfMemory`].
    pub fn make_image(&mut self, shape: &Shape) -> Result<Image, BackendError> {
        let (dev, gl) = (self.dev, &self.dev.gl.glow);
        let plan = Plan::of(shape.format, &dev.gl.has)?;
        let refuse = |what: &str| Err(BackendError::Unsupported(what.into()));
        match shape.target {
            glow::TEXTURE_CUBE_MAP_ARRAY if !dev.gl.has.cube_map_array => {
                return refuse("cube map arrays");
            }
            glow::TEXTURE_2D_MULTISAMPLE_ARRAY if !dev.gl.has.multisample_array => {
                return refuse("multisample array textures");
            }
            _ => {}
        }
        if shape.samples > 1 && !plan.renderable {
            return Err(BackendError::Unsupported(format!(
                "{} with samples",
                shape.format
            )));
        }
        let serial = self.obj.serial();
        let samples = self.samples_for(&plan, shape.samples);
        let [w, h, d, levels] =
            [shape.width, shape.height, shape.depth, shape.levels].map(|v| v as i32);
        let driver = BackendError::Driver;
        // Errors that an earlier call left behind would be taken for ours.
        dev.check_errors("storage");
        // SAFETY: a context is current; the object is new, and its sizes are those that `apply` has checked.
        let name = unsafe {
            if shape.target == glow::RENDERBUFFER {
                let name = gl.create_renderbuffer().map_err(driver)?;
                dev.tally.renderbuffers_made.one();
                gl.bind_renderbuffer(glow::RENDERBUFFER, Some(name));
                gl.renderbuffer_storage_multisample(
                    glow::RENDERBUFFER,
                    samples as i32,
                    plan.internal,
                    w,
                    h,
                );
                Name::Renderbuffer(name)
            } else {
                let name = gl.create_texture().map_err(driver)?;
                dev.tally.textures_made.one();
                self.ctx.bind_for_work(dev, shape.target, name, serial);
                match shape.target {
                    glow::TEXTURE_2D_MULTISAMPLE => gl.tex_storage_2d_multisample(
                        shape.target,
                        samples.max(1) as i32,
                        plan.internal,
                        w,
                        h,
                        shape.fixed_locations,
                    ),
                    glow::TEXTURE_2D_MULTISAMPLE_ARRAY => dev.gl.es.TexStorage3DMultisample(
                        shape.target,
                        samples.max(1) as i32,
                        plan.internal,
                        w,
                        h,
                        d,
                        shape.fixed_locations.into(),
                    ),
                    glow::TEXTURE_3D | glow::TEXTURE_2D_ARRAY | glow::TEXTURE_CUBE_MAP_ARRAY => {
                        gl.tex_storage_3d(shape.target, levels, plan.internal, w, h, d);
                    }
                    _ => gl.tex_storage_2d(shape.target, levels, plan.internal, w, h),
                }
                Name::Texture(name, shape.target)
            }
        };
        let image = Image {
            name,
            serial,
            plan,
            width: shape.width,
            height: shape.height,
            depth: shape.depth,
            levels: shape.levels,
            samples,
            of_surface: false,
        };
        if let Err(e) = dev.gl.check(&format!(
            "{} of {}x{}x{}, {} samples",
            shape.format, shape.width, shape.height, shape.depth, shape.samples
        )) {
            image.delete(dev);
            return Err(e);
        }
        if shape.zero {
            self.zero(&image)?;
        }
        Ok(image)
    }

    /// The sample count that the driver makes for a wanted one; 0 for single-sampled. Asked of the driver once a format.
    fn samples_for(&mut self, plan: &Plan, wanted: u32) -> u32 {
        if wanted <= 1 {
            return 0;
        }
        let mut counts = [0i32; 16];
        // SAFETY: a context is current; at most sixteen integers are written.
        unsafe {
            self.dev.gl.es.GetInternalformativ(
                glow::RENDERBUFFER,
                plan.internal,
                glow::SAMPLES,
                counts.len() as i32,
                counts.as_mut_ptr(),
            );
        }
        // In descending order: the smallest that is enough, or the largest.
        let offered = counts.iter().copied().filter(|c| *c > 1);
        offered
            .clone()
            .filter(|c| *c >= wanted as i32)
            .min()
            .or(offered.max())
            .map_or(wanted, |c| c as u32)
    }

    /// Fills all of an image with zero.
    fn zero(&mut self, image: &Image) -> Result<(), BackendError> {
        let one = one_alpha(&image.plan);
        self.dev.check_errors("before clearing new storage");
        if let (Name::Texture(name, _), true) = (image.name, self.dev.gl.has.clear_texture) {
            for level in 0..image.levels {
                self.dev.tally.clear_calls.one();
                // SAFETY: a context is current; the value has the bytes of one texel.
                unsafe {
                    self.dev.gl.es.ClearTexImageEXT(
                        name.0.get(),
                        level as i32,
                        image.plan.upload_format,
                        image.plan.upload_type,
                        one.as_ptr().cast(),
                    );
                }
            }
            return self.dev.gl.check("clearing new storage");
        }
        if !image.plan.renderable {
            // Only uploads can define it, and they do before it is read.
            return Ok(());
        }
        let slices = |level: u32| match image.name {
            Name::Texture(_, glow::TEXTURE_3D) => (image.depth >> level).max(1),
            _ => image.depth,
        };
        for level in 0..image.levels {
            for layer in 0..slices(level) {
                self.clear_attachment(image, level, layer, image.plan.widen.is_some())?;
            }
        }
        Ok(())
    }

    /// Clears one slice through a framebuffer: colour to zero (alpha to one if `opaque`), depth and stencil to zero.
    fn clear_attachment(
        &mut self,
        image: &Image,
        level: u32,
        layer: u32,
        opaque: bool,
    ) -> Result<(), BackendError> {
        let gl = &self.dev.gl.glow;
        self.ctx.framebuffers.bind_scratch(
            self.dev,
            glow::DRAW_FRAMEBUFFER,
            image,
            level,
            layer,
        )?;
        self.ctx.plain_output_state(self.dev);
        self.dev.tally.clear_calls.one();
        // SAFETY: a context and a complete framebuffer are current.
        unsafe {
            match image.plan.info.class {
                ComponentClass::Depth => gl.clear_buffer_f32_slice(glow::DEPTH, 0, &[0.0]),
                ComponentClass::Stencil => gl.clear_buffer_i32_slice(glow::STENCIL, 0, &[0]),
                ComponentClass::DepthStencil => {
                    gl.clear_buffer_depth_stencil(glow::DEPTH_STENCIL, 0, 0.0, 0);
                }
                ComponentClass::Sint => {
                    gl.clear_buffer_i32_slice(glow::COLOR, 0, &[0, 0, 0, opaque.into()]);
                }
                ComponentClass::Uint => {
                    gl.clear_buffer_u32_slice(glow::COLOR, 0, &[0, 0, 0, opaque.into()]);
                }
                _ => {
                    let alpha = if opaque { 1.0 } else { 0.0 };
                    gl.clear_buffer_f32_slice(glow::COLOR, 0, &[0.0, 0.0, 0.0, alpha]);
                }
            }
        }
        self.dev.gl.check("clearing new storage")
    }
}

/// One texel as uploaded: zero, with an added fourth component of one.
fn one_alpha(plan: &Plan) -> [u8; 16] {
    let mut texel = [0; 16];
    if let Some(widen) = plan.widen {
        let mut wide = Vec::with_capacity(16);
        widen.row(&[0; 12][..plan.info.bytes as usize], &mut wide);
        texel[..wide.len()].copy_from_slice(&wide);
    }
    texel
}

/// GL_FRAMEBUFFER_FLIP_Y_MESA (MESA_framebuffer_flip_y).
const FRAMEBUFFER_FLIP_Y: u32 = 0x8BBB;

/// Attaches a slice of an image to the bound framebuffer.
pub fn attach(
    dev: &Device,
    target: u32,
    point: u32,
    image: &Image,
    level: u32,
    layer: Option<u32>,
) {
    let gl = &dev.gl.glow;
    // SAFETY: a context is current, a framebuffer object is bound to `target`, and the image lives.
    unsafe {
        if dev.gl.has.flip_y {
            dev.gl.es.FramebufferParameteri(
                target,
                FRAMEBUFFER_FLIP_Y,
                i32::from(image.of_surface),
            );
        }
        match (image.name, layer) {
            (Name::Renderbuffer(name), _) => {
                gl.framebuffer_renderbuffer(target, point, glow::RENDERBUFFER, Some(name));
            }
            (Name::Texture(name, _), None) => {
                gl.framebuffer_texture(target, point, Some(name), level as i32);
            }
            (Name::Texture(name, native), Some(layer)) => match native {
                glow::TEXTURE_2D | glow::TEXTURE_2D_MULTISAMPLE => {
                    gl.framebuffer_texture_2d(target, point, native, Some(name), level as i32);
                }
                glow::TEXTURE_CUBE_MAP => gl.framebuffer_texture_2d(
                    target,
                    point,
                    glow::TEXTURE_CUBE_MAP_POSITIVE_X + layer,
                    Some(name),
                    level as i32,
                ),
                _ => gl.framebuffer_texture_layer(
                    target,
                    point,
                    Some(name),
                    level as i32,
                    layer as i32,
                ),
            },
        }
    }
}

/// The attachment point of an image's own kind.
pub fn own_point(image: &Image) -> u32 {
    attachment_point(image.plan.info)
}

impl NativeContext {
    /// Writes to the draw framebuffer are neither masked, nor clipped by the scissor, nor encoded. The next verb sets
    /// its own state again.
    pub fn plain_output_state(&mut self, dev: &Device) {
        let mut pipeline = self.shadow.pipeline;
        for b in &mut pipeline.blend {
            b.mask = mgl_core::pipe::ColorMask::ALL;
        }
        pipeline.depth_write = true.into();
        pipeline.rasterizer_discard = false.into();
        let mut dynamic = self.shadow.dynamic;
        dynamic.scissors[0].enable = false.into();
        for s in &mut dynamic.stencil {
            s.write_mask = u32::MAX;
        }
        dynamic.output.framebuffer_srgb = false.into();
        self.set_pipeline(dev, &pipeline);
        self.set_dynamic(dev, &dynamic, false);
        self.seen.render_state = Default::default();
        self.seen.groups[mgl_core::pipe::Group::Dynamic as usize] = 0;
    }
}
