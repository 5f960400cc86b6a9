//! Mipmaps: by GL where it makes them for the format, on the CPU where it does not (depth, unrenderable formats).

use super::context::Seen;
use super::convert::half_size;
use super::objects::{Image, Params};
use super::work::Work;
use glow::HasContext;
use mgl_core::format::ComponentClass;
use mgl_core::pipe::limits::level_extent;
use mgl_core::pipe::*;

/// Whether glGenerateMipmap takes a format (ES 3.2 §8.14.4): it can be drawn to and filtered.
fn gl_makes(image: &Image, float_linear: bool) -> bool {
    let info = image.plan.info;
    let single = info.class == ComponentClass::Float && info.bits.red == 32;
    image.plan.renderable && info.is_color() && info.filterable && (!single || float_linear)
}

impl Work<'_> {
    /// GenerateMipmap.
    ///
    /// # Errors
    ///
    /// As for reading and uploading, where GL does not make them.
    pub fn generate_mipmap(&mut self, g: &GenerateMipmap) -> Result<(), BackendError> {
        let (image, desc, old) = {
            let t = self
                .obj
                .textures
                .get(g.texture)
                .map_err(|e| BackendError::Driver(e.to_string()))?;
            (t.image, t.desc, t.params)
        };
        if g.base_level >= g.last_level {
            return Ok(());
        }
        let Some((name, target)) = image.texture() else {
            return Ok(());
        };
        if !gl_makes(&image, self.dev.gl.has.float_linear) {
            return self.make_levels(&image, &desc, g);
        }
        let range = Params {
            base: g.base_level,
            max: g.last_level,
            ..old
        };
        self.set_params(&image, &old, &range);
        if let Ok(t) = self.obj.textures.get_mut(g.texture) {
            t.params = range;
        }
        // The next draw puts the pushed levels back.
        self.ctx.seen.textures_epoch = Seen::NEVER;
        self.ctx.bind_for_work(self.dev, target, name, image.serial);
        self.dev.check_errors("before mipmaps");
        // SAFETY: the texture is bound.
        unsafe { self.dev.gl.glow.generate_mipmap(target) };
        self.dev.gl.check("mipmaps")
    }

    fn make_levels(
        &mut self,
        image: &Image,
        desc: &ResourceDesc,
        g: &GenerateMipmap,
    ) -> Result<(), BackendError> {
        if image.plan.info.is_integer() {
            return Err(BackendError::Unsupported(format!(
                "mipmaps of {}",
                image.plan.info.name
            )));
        }
        let whole = |level| {
            let (width, height, depth) = level_extent(desc, level);
            Box3 {
                width,
                height,
                depth,
                ..Box3::default()
            }
        };
        let mut bytes = self.read_box(image, g.base_level, &whole(g.base_level))?;
        for level in g.base_level + 1..=g.last_level {
            let size = level_extent(desc, level - 1);
            let slices = desc.target == Target::TEXTURE_3D;
            bytes = half_size(image.plan.info, &bytes, size, slices).0;
            self.put_tight(image, level, &whole(level), &bytes)?;
        }
        Ok(())
    }
}
