//! Internal formats: from what applications ask for to what crosses the pipe.
//!
//! OpenGL lets an implementation choose the storage of most internal formats. The choices below
//! follow what Mesa's llvmpipe stores wherever the pipe has that format, and take the next more
//! precise one where it has not (`GL_RGB4`, `GL_R3_G3_B2`, `GL_RGB10`).

mod table;

use std::sync::LazyLock;

use mgl_core::format::{ComponentClass, Format};

use super::compressed::Compression;
use super::layout::Channel;
use super::{PixelError, Profile};
use crate::consts::gl::*;
use table::{BLOCKS, BUF, GENERIC, OLD, PLAIN, Row, SIZED, TEX};

/// Bits that OpenGL reports for the components of a texture (`GL_TEXTURE_RED_SIZE` and so on) or
/// renderbuffer; 0 for components that it lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComponentSizes {
    /// `GL_TEXTURE_RED_SIZE`
    pub red: u8,
    /// `GL_TEXTURE_GREEN_SIZE`
    pub green: u8,
    /// `GL_TEXTURE_BLUE_SIZE`
    pub blue: u8,
    /// `GL_TEXTURE_ALPHA_SIZE`
    pub alpha: u8,
    /// `GL_TEXTURE_LUMINANCE_SIZE`
    pub luminance: u8,
    /// `GL_TEXTURE_INTENSITY_SIZE`
    pub intensity: u8,
    /// `GL_TEXTURE_DEPTH_SIZE`
    pub depth: u8,
    /// `GL_TEXTURE_STENCIL_SIZE`
    pub stencil: u8,
    /// `GL_TEXTURE_SHARED_SIZE`
    pub shared: u8,
}

/// What an internal format becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The format that crosses the pipe.
    pub format: Format,
    /// The base internal format as the application sees it: one of those of
    /// [`mgl_core::format::FormatInfo::base_format`], or `GL_ALPHA`, `GL_LUMINANCE`,
    /// `GL_LUMINANCE_ALPHA` or `GL_INTENSITY`.
    pub base_format: u32,
    /// What `GL_TEXTURE_INTERNAL_FORMAT` reports.
    pub internal_format: u32,
    /// What sampling must yield for red, green, blue and alpha, in terms of the components of
    /// [`Resolved::format`]: `GL_RED` to `GL_ALPHA`, `GL_ZERO` or `GL_ONE`. It lies beneath the
    /// application's own swizzle, see [`Resolved::compose_swizzle`].
    pub swizzle: [u32; 4],
    /// The sizes that OpenGL reports.
    pub sizes: ComponentSizes,
    /// The block format, for compressed internal formats.
    pub compressed: Option<Compression>,
}

impl Resolved {
    /// What a format of the pipe is as an internal format of its own; `None` where the value is not
    /// a format of the pipe.
    pub fn of_format(format: Format) -> Option<Resolved> {
        let base = format.info()?.base_format();
        Resolved::build(
            &Row {
                internal: format.0,
                base,
                format,
                uses: 0,
            },
            None,
        )
    }

    fn build(row: &Row, compressed: Option<Compression>) -> Option<Resolved> {
        let bits = row.format.info()?.bits;
        let (first, last) = (
            bits.red,
            if bits.alpha != 0 {
                bits.alpha
            } else {
                bits.green
            },
        );
        let none = ComponentSizes::default();
        let mut sizes = match row.base {
            GL_ALPHA => ComponentSizes {
                alpha: first,
                ..none
            },
            GL_LUMINANCE => ComponentSizes {
                luminance: first,
                ..none
            },
            GL_INTENSITY => ComponentSizes {
                intensity: first,
                ..none
            },
            GL_LUMINANCE_ALPHA => ComponentSizes {
                luminance: first,
                alpha: last,
                ..none
            },
            _ => ComponentSizes {
                red: bits.red,
                green: bits.green,
                blue: bits.blue,
                alpha: bits.alpha,
                depth: bits.depth,
                stencil: bits.stencil,
                shared: bits.shared,
                ..none
            },
        };
        if compressed.is_some_and(Compression::is_s3tc) {
            // Four bits is what implementations say of these, for want of a better answer.
            let four = |size: u8| size.min(4);
            sizes.red = four(sizes.red);
            sizes.green = four(sizes.green);
            sizes.blue = four(sizes.blue);
            sizes.alpha = four(sizes.alpha);
        }
        let (r, g, b, a) = (GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA);
        // Where alpha is stored behind a luminance: the fourth component of sRGB storage.
        let luminance_alpha = if bits.alpha != 0 { a } else { g };
        let swizzle = match row.base {
            GL_ALPHA => [GL_ZERO, GL_ZERO, GL_ZERO, r],
            GL_LUMINANCE => [r, r, r, GL_ONE],
            GL_LUMINANCE_ALPHA => [r, r, r, luminance_alpha],
            GL_INTENSITY => [r, r, r, r],
            _ => [r, g, b, a],
        };
        Some(Resolved {
            format: row.format,
            base_format: row.base,
            internal_format: row.internal,
            swizzle,
            sizes,
            compressed,
        })
    }

    /// How components are stored; [`ComponentClass::Unorm`] should the format be unknown.
    pub fn class(&self) -> ComponentClass {
        self.format
            .info()
            .map_or(ComponentClass::Unorm, |info| info.class)
    }

    /// Whether texels are colours, and not depth or stencil values.
    pub fn is_color(&self) -> bool {
        !matches!(
            self.class(),
            ComponentClass::Depth | ComponentClass::Stencil | ComponentClass::DepthStencil
        )
    }

    /// Whether the components are integers that are not normalised.
    pub fn is_integer(&self) -> bool {
        matches!(self.class(), ComponentClass::Sint | ComponentClass::Uint)
    }

    /// The type that OpenGL reports for a component (`GL_TEXTURE_RED_TYPE` and so on) whose size
    /// is `size` bits: `GL_NONE` for none.
    pub fn component_type(&self, size: u8) -> u32 {
        match (size, self.class()) {
            (0, _) => GL_NONE,
            (_, ComponentClass::Unorm) => GL_UNSIGNED_NORMALIZED,
            (_, ComponentClass::Snorm) => GL_SIGNED_NORMALIZED,
            (_, ComponentClass::Float) => GL_FLOAT,
            (_, ComponentClass::Sint) => GL_INT,
            (_, ComponentClass::Uint | ComponentClass::Stencil) => GL_UNSIGNED_INT,
            (_, ComponentClass::Depth | ComponentClass::DepthStencil) => {
                if self.sizes.depth == 32 {
                    GL_FLOAT
                } else {
                    GL_UNSIGNED_NORMALIZED
                }
            }
        }
    }

    /// The application's swizzle over the emulation's: what to tell the driver.
    pub fn compose_swizzle(&self, application: [u32; 4]) -> [u32; 4] {
        application.map(|source| match source {
            GL_RED => self.swizzle[0],
            GL_GREEN => self.swizzle[1],
            GL_BLUE => self.swizzle[2],
            GL_ALPHA => self.swizzle[3],
            constant => constant,
        })
    }

    /// Whether it can be a colour attachment. Alpha and luminance-alpha cannot: their storage does
    /// not take the components where a fragment shader puts them.
    pub fn color_renderable(&self) -> bool {
        self.compressed.is_none()
            && !matches!(self.base_format, GL_ALPHA | GL_LUMINANCE_ALPHA)
            // Luminance in sRGB storage takes three components of which one is the truth.
            && !(self.base_format == GL_LUMINANCE && self.format == Format::SRGB8)
            && self.format.info().is_some_and(|info| info.color_renderable)
    }

    /// What the components of the storage take from red, green, blue and alpha.
    pub(super) fn store_channels(&self) -> &'static [Channel] {
        use Channel::{A, B, Depth, G, R, Stencil};
        let wide = self.format.info().map_or(0, |info| info.color_components());
        match (self.base_format, wide) {
            (GL_ALPHA, _) => &[A],
            (GL_LUMINANCE, 3) => &[R, R, R],
            (GL_LUMINANCE | GL_INTENSITY | GL_RED, _) => &[R],
            (GL_LUMINANCE_ALPHA, 4) => &[R, R, R, A],
            (GL_LUMINANCE_ALPHA, _) => &[R, A],
            (GL_RG, _) => &[R, G],
            (GL_RGB, _) => &[R, G, B],
            (GL_DEPTH_COMPONENT, _) => &[Depth],
            (GL_DEPTH_STENCIL, _) => &[Depth, Stencil],
            (GL_STENCIL_INDEX, _) => &[Stencil],
            _ => &[R, G, B, A],
        }
    }

    /// What the components of the storage are when a texture is read back: luminance and intensity
    /// become red (OpenGL 4.6 compatibility, table 8.24).
    pub(super) fn load_channels(&self) -> &'static [Channel] {
        use Channel::{A, Hidden, R};
        match self.store_channels() {
            [R, R, R] => &[R, Hidden, Hidden],
            [R, R, R, A] => &[R, Hidden, Hidden, A],
            plain => plain,
        }
    }
}

/// Everything by internal format, in rising order.
static BY_INTERNAL: LazyLock<Vec<(u32, u8, Resolved)>> = LazyLock::new(|| {
    let reported = |internal: u32| {
        GENERIC
            .iter()
            .find(|g| g.0 == internal)
            .map_or(internal, |g| g.1)
    };
    let plain = PLAIN.iter().flat_map(|&(uses, rows)| {
        rows.iter().filter_map(move |&(internal, base, format)| {
            let row = Row {
                internal: reported(internal),
                base,
                format,
                uses,
            };
            Some((internal, uses, Resolved::build(&row, None)?))
        })
    });
    let blocks = BLOCKS
        .iter()
        .filter_map(|&(internal, base, format, compression, old)| {
            let row = Row {
                internal,
                base,
                format,
                uses: TEX | SIZED | old,
            };
            Some((
                internal,
                row.uses,
                Resolved::build(&row, Some(compression))?,
            ))
        });
    let mut all: Vec<_> = plain.chain(blocks).collect();
    all.sort_unstable_by_key(|entry| entry.0);
    all
});

/// Finds an internal format that a profile has, with its uses.
fn find(internal_format: u32, profile: Profile) -> Option<(u8, &'static Resolved)> {
    let all = &*BY_INTERNAL;
    let at = all
        .binary_search_by_key(&internal_format, |entry| entry.0)
        .ok()?;
    let (_, uses, resolved) = &all[at];
    (profile == Profile::Compatibility || uses & OLD == 0).then_some((*uses, resolved))
}

/// Every internal format that a profile accepts for textures, in rising order of its value.
pub fn texture_formats(profile: Profile) -> impl Iterator<Item = u32> {
    BY_INTERNAL
        .iter()
        .filter(move |e| e.1 & TEX != 0 && (profile == Profile::Compatibility || e.1 & OLD == 0))
        .map(|e| e.0)
}

/// What `glTexImage*` makes of an internal format, or `GL_INVALID_VALUE` (OpenGL 4.6, 8.5).
pub fn resolve(internal_format: u32, profile: Profile) -> Result<Resolved, PixelError> {
    match find(internal_format, profile) {
        Some((uses, resolved)) if uses & TEX != 0 => Ok(*resolved),
        _ => Err(PixelError::InvalidValue("not an internal format")),
    }
}

/// The same for an unsized internal format, whose precision may follow the pixels that come with
/// it. Sized formats resolve as by [`resolve`].
///
/// Sixteen-bit components keep their bits, packed pixels that equal a format of the pipe keep
/// theirs; that is what Mesa does for the same pairs.
pub fn resolve_for_pixels(
    internal_format: u32,
    format: u32,
    ty: u32,
    profile: Profile,
) -> Result<Resolved, PixelError> {
    let mut resolved = resolve(internal_format, profile)?;
    let precise = match (internal_format, format, ty) {
        (GL_RED, GL_RED, GL_UNSIGNED_SHORT)
        | (GL_LUMINANCE, GL_LUMINANCE, GL_UNSIGNED_SHORT)
        | (GL_ALPHA, GL_ALPHA, GL_UNSIGNED_SHORT) => Format::R16,
        (GL_RG, GL_RG, GL_UNSIGNED_SHORT)
        | (GL_LUMINANCE_ALPHA, GL_LUMINANCE_ALPHA, GL_UNSIGNED_SHORT) => Format::RG16,
        (GL_RGBA, GL_RGBA, GL_UNSIGNED_SHORT) => Format::RGBA16,
        (
            GL_RGBA,
            GL_RGBA | GL_BGRA | GL_ABGR_EXT,
            GL_UNSIGNED_SHORT_4_4_4_4 | GL_UNSIGNED_SHORT_4_4_4_4_REV,
        ) => Format::RGBA4,
        (GL_RGBA, GL_RGBA | GL_BGRA, GL_UNSIGNED_SHORT_5_5_5_1 | GL_UNSIGNED_SHORT_1_5_5_5_REV) => {
            Format::RGB5_A1
        }
        (
            GL_RGBA,
            GL_RGBA | GL_BGRA,
            GL_UNSIGNED_INT_10_10_10_2 | GL_UNSIGNED_INT_2_10_10_10_REV,
        ) => Format::RGB10_A2,
        (GL_RGB, GL_RGB, GL_UNSIGNED_SHORT_5_6_5 | GL_UNSIGNED_SHORT_5_6_5_REV) => Format::RGB565,
        (GL_RGB, GL_RGBA | GL_BGRA, GL_UNSIGNED_INT_2_10_10_10_REV) => Format::RGB16,
        (GL_DEPTH_COMPONENT, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT) => Format::DEPTH_COMPONENT16,
        _ => return Ok(resolved),
    };
    let row = Row {
        internal: internal_format,
        base: resolved.base_format,
        format: precise,
        uses: 0,
    };
    if let Some(better) = Resolved::build(&row, None) {
        resolved = better;
    }
    Ok(resolved)
}

/// What `glTexStorage*` makes of an internal format: `GL_INVALID_ENUM` for all but the sized ones
/// (OpenGL 4.6, 8.19).
pub fn resolve_storage(internal_format: u32, profile: Profile) -> Result<Resolved, PixelError> {
    match find(internal_format, profile) {
        Some((uses, resolved)) if uses & (TEX | SIZED) == TEX | SIZED => Ok(*resolved),
        _ => Err(PixelError::InvalidEnum("not a sized internal format")),
    }
}

/// What `glRenderbufferStorage*` makes of an internal format: `GL_INVALID_ENUM` for all that cannot
/// be rendered to (OpenGL 4.6, 9.2.4).
pub fn resolve_renderbuffer(
    internal_format: u32,
    profile: Profile,
) -> Result<Resolved, PixelError> {
    match find(internal_format, profile) {
        Some((uses, resolved))
            if uses & BUF != 0 && (!resolved.is_color() || resolved.color_renderable()) =>
        {
            Ok(*resolved)
        }
        _ => Err(PixelError::InvalidEnum("not a renderable internal format")),
    }
}
