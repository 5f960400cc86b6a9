//! Pixels out: the transfer layout to application memory.

use super::convert::{Rules, Side, convert};
use super::layout::ClientLayout;
use super::{PixelError, PixelStore, Resolved};

/// What the two ways of reading pixels do differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackRules {
    /// Clamp colours to 0 and 1: `glReadPixels` with `GL_CLAMP_READ_COLOR` in effect (OpenGL 4.6
    /// compatibility, 18.2.6). `GL_FIXED_ONLY` is resolved by the caller.
    pub clamp: bool,
    /// Luminance is the sum of red, green and blue, as for `glReadPixels` (OpenGL 4.6
    /// compatibility, 18.2.5), and not red alone, as for `glGetTexImage`.
    pub sum_luminance: bool,
}

/// Converts pixels as `glReadPixels` and `glGetTexImage` do (OpenGL 4.6, 18.2 and 8.11).
///
/// `source` holds rows of texels of [`Resolved::format`] in the transfer layout, `row_stride` and
/// `image_stride` bytes apart. `target` is the bytes of [`source_range`](super::source_range) for
/// the same arguments; bytes between rows are left alone. For framebuffers and renderbuffers
/// [`Resolved::of_format`] gives `resolved`.
///
/// # Errors
///
/// As for [`unpack`](super::unpack()).
#[allow(clippy::too_many_arguments)]
pub fn pack(
    source: &[u8],
    row_stride: usize,
    image_stride: usize,
    resolved: &Resolved,
    extent: [u32; 3],
    store: &PixelStore,
    format: u32,
    ty: u32,
    target: &mut [u8],
    rules: PackRules,
) -> Result<(), PixelError> {
    let rules = Rules {
        clamp: rules.clamp,
        sum_luminance: rules.sum_luminance,
        ..Rules::default()
    };
    pack_by(
        rules,
        source,
        row_stride,
        image_stride,
        resolved,
        extent,
        store,
        format,
        ty,
        target,
    )
}

/// [`pack`] by given rules.
#[allow(clippy::too_many_arguments)]
pub(super) fn pack_by(
    rules: Rules,
    source: &[u8],
    row_stride: usize,
    image_stride: usize,
    resolved: &Resolved,
    extent: [u32; 3],
    store: &PixelStore,
    format: u32,
    ty: u32,
    target: &mut [u8],
) -> Result<(), PixelError> {
    let [width, height, depth] = extent;
    let layout = ClientLayout::new(format, ty).ok_or(PixelError::InvalidOperation(
        "format and type do not go together",
    ))?;
    if !super::validate::fits(&layout, resolved) || !super::validate::can_read(&layout, resolved) {
        return Err(PixelError::InvalidOperation(
            "the format lacks what is to be read",
        ));
    }
    let geometry = layout
        .geometry(store, width, height, depth)
        .ok_or(PixelError::TooLarge)?;
    let from_layout = ClientLayout::of_format(resolved.format, resolved.load_channels())
        .ok_or(PixelError::InvalidOperation("not a format of the pipe"))?;
    let from =
        Side::transfer(from_layout, width, row_stride, image_stride).ok_or(PixelError::TooLarge)?;
    let to = Side::client(layout, &geometry, store);
    // A sum is a different value only where there is more than red to add.
    let adds = from_layout.channels().contains(&super::layout::Channel::G);
    let rules = Rules {
        sum_luminance: rules.sum_luminance && adds && layout.has_luminance(),
        ..rules
    };
    convert(source, &from, target, &to, extent, rules)
}
