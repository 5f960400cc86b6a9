//! Which combinations of internal format, format and type are legal, and which error OpenGL demands
//! for the others.

use super::layout::{Channel, ClientLayout};
use super::resolve::resolve_for_pixels;
use super::{PixelError, Profile, Resolved};
use crate::consts::gl::*;
use mgl_core::format::ComponentClass;

/// What kind of values a pixel format holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Color,
    Integer,
    Depth,
    Stencil,
    DepthStencil,
}

fn kind(layout: &ClientLayout) -> Kind {
    match layout.channels() {
        [Channel::Depth, Channel::Stencil] => Kind::DepthStencil,
        [Channel::Depth] => Kind::Depth,
        [Channel::Stencil] => Kind::Stencil,
        _ if layout.integer => Kind::Integer,
        _ => Kind::Color,
    }
}

/// Whether pixels of a layout can go into a format, or come from it, at all (OpenGL 4.6, 8.5 and
/// 8.11).
pub(super) fn fits(layout: &ClientLayout, resolved: &Resolved) -> bool {
    let class = resolved.class();
    match kind(layout) {
        Kind::Color => matches!(
            class,
            ComponentClass::Unorm | ComponentClass::Snorm | ComponentClass::Float
        ),
        Kind::Integer => matches!(class, ComponentClass::Sint | ComponentClass::Uint),
        Kind::Depth | Kind::DepthStencil => {
            matches!(class, ComponentClass::Depth | ComponentClass::DepthStencil)
        }
        Kind::Stencil => matches!(
            class,
            ComponentClass::Stencil | ComponentClass::DepthStencil
        ),
    }
}

/// Whether a format has all that a layout is to be filled with.
pub(super) fn can_read(layout: &ClientLayout, resolved: &Resolved) -> bool {
    kind(layout) != Kind::DepthStencil || resolved.class() == ComponentClass::DepthStencil
}

/// Whether a format is one of the deprecated ones.
fn is_old_format(format: u32) -> bool {
    matches!(
        format,
        GL_COLOR_INDEX
            | GL_ALPHA
            | GL_LUMINANCE
            | GL_LUMINANCE_ALPHA
            | GL_ALPHA_INTEGER
            | GL_LUMINANCE_INTEGER_EXT
            | GL_LUMINANCE_ALPHA_INTEGER_EXT
    )
}

/// Checks a (format, type) pair (OpenGL 4.6, 8.4.4 and tables 8.2, 8.3 and 8.5).
///
/// # Errors
///
/// [`PixelError::InvalidEnum`] where one of the two is not defined in the profile, or where
/// components of the format cannot have the type; [`PixelError::InvalidOperation`] where a packed
/// type belongs to other formats.
pub fn transfer(format: u32, ty: u32, profile: Profile) -> Result<ClientLayout, PixelError> {
    // Unsigned bytes and packed depth-stencil words exist for every format of their kind.
    let known_type = [GL_UNSIGNED_BYTE, GL_UNSIGNED_INT_24_8]
        .into_iter()
        .find_map(|simple| ClientLayout::new(format, simple));
    let Some(some) = known_type else {
        return Err(PixelError::InvalidEnum("not a pixel format"));
    };
    let old = is_old_format(format) || ty == GL_BITMAP;
    if old && profile == Profile::Core {
        return Err(PixelError::InvalidEnum("not in the core profile"));
    }
    if let Some(layout) = ClientLayout::new(format, ty) {
        return Ok(layout);
    }
    match ty {
        GL_UNSIGNED_BYTE_3_3_2
        | GL_UNSIGNED_BYTE_2_3_3_REV
        | GL_UNSIGNED_SHORT_5_6_5
        | GL_UNSIGNED_SHORT_5_6_5_REV
        | GL_UNSIGNED_SHORT_4_4_4_4
        | GL_UNSIGNED_SHORT_4_4_4_4_REV
        | GL_UNSIGNED_SHORT_5_5_5_1
        | GL_UNSIGNED_SHORT_1_5_5_5_REV
        | GL_UNSIGNED_INT_8_8_8_8
        | GL_UNSIGNED_INT_8_8_8_8_REV
        | GL_UNSIGNED_INT_10_10_10_2
        | GL_UNSIGNED_INT_2_10_10_10_REV
        | GL_UNSIGNED_INT_24_8
        | GL_UNSIGNED_INT_10F_11F_11F_REV
        | GL_UNSIGNED_INT_5_9_9_9_REV
        | GL_FLOAT_32_UNSIGNED_INT_24_8_REV
            if kind(&some) != Kind::DepthStencil =>
        {
            Err(PixelError::InvalidOperation(
                "a packed type of other formats",
            ))
        }
        _ => Err(PixelError::InvalidEnum("not a type of this format")),
    }
}

/// Checks the formats of `glTexImage*`, and resolves the internal format (OpenGL 4.6, 8.5).
///
/// # Errors
///
/// In the order in which implementations report them: [`PixelError::InvalidEnum`] and
/// [`PixelError::InvalidOperation`] as for [`transfer`], [`PixelError::InvalidValue`] for an unknown
/// internal format, [`PixelError::InvalidOperation`] where integers, depth or stencil values would
/// have to become something else.
pub fn tex_image(
    internal_format: u32,
    format: u32,
    ty: u32,
    profile: Profile,
) -> Result<(Resolved, ClientLayout), PixelError> {
    let layout = transfer(format, ty, profile)?;
    let resolved = resolve_for_pixels(internal_format, format, ty, profile)?;
    sub_image_of(&layout, &resolved)?;
    Ok((resolved, layout))
}

/// Checks the formats of `glTexSubImage*` (OpenGL 4.6, 8.6).
///
/// # Errors
///
/// As for [`tex_image`].
pub fn tex_sub_image(
    resolved: &Resolved,
    format: u32,
    ty: u32,
    profile: Profile,
) -> Result<ClientLayout, PixelError> {
    let layout = transfer(format, ty, profile)?;
    sub_image_of(&layout, resolved)?;
    Ok(layout)
}

fn sub_image_of(layout: &ClientLayout, resolved: &Resolved) -> Result<(), PixelError> {
    // Stencil values alone go into stencil textures only; the other direction is `fits`.
    let alone = kind(layout) == Kind::Stencil && resolved.class() != ComponentClass::Stencil;
    if alone || !fits(layout, resolved) {
        return Err(PixelError::InvalidOperation(
            "pixels of another kind than the internal format",
        ));
    }
    Ok(())
}

/// Checks the formats of `glGetTexImage` and `glReadPixels` against what is read (OpenGL 4.6, 8.11
/// and 18.2.2).
///
/// # Errors
///
/// As for [`transfer`]; [`PixelError::InvalidOperation`] where what is read lacks the values asked
/// for, or where integers would have to become something else.
pub fn read(
    resolved: &Resolved,
    format: u32,
    ty: u32,
    profile: Profile,
) -> Result<ClientLayout, PixelError> {
    let layout = transfer(format, ty, profile)?;
    if format == GL_COLOR_INDEX {
        return Err(PixelError::InvalidOperation("there are no colour indices"));
    }
    if !fits(&layout, resolved) || !can_read(&layout, resolved) {
        return Err(PixelError::InvalidOperation(
            "values of another kind than what is read",
        ));
    }
    Ok(layout)
}
