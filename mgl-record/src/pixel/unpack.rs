//! Pixels in: application memory to the transfer layout.

use super::convert::{Rules, Side, convert};
use super::layout::ClientLayout;
use super::{PixelError, PixelStore, Resolved};

/// Converts pixels as `glTexImage*` and `glTexSubImage*` do (OpenGL 4.6, 8.4.4 and 8.5).
///
/// `source` is the bytes of [`source_range`](super::source_range) for the same arguments: its first
/// byte is the first that the transfer touches. `target` receives rows of texels of
/// [`Resolved::format`] in the transfer layout, `row_stride` and `image_stride` bytes apart; bytes
/// between rows are left alone. For one- and two-dimensional images pass
/// [`PixelStore::without_images`].
///
/// Depth without stencil values, put into a format with both, leaves the stencil values that are in
/// `target`.
///
/// # Errors
///
/// [`PixelError::InvalidOperation`] where the pair is not defined or does not fit the format (which
/// [`validate`](super::validate) tells apart), [`PixelError::TooLarge`] and
/// [`PixelError::OutOfBounds`] for sizes that memory does not have.
#[allow(clippy::too_many_arguments)]
pub fn unpack(
    source: &[u8],
    store: &PixelStore,
    extent: [u32; 3],
    format: u32,
    ty: u32,
    resolved: &Resolved,
    target: &mut [u8],
    row_stride: usize,
    image_stride: usize,
) -> Result<(), PixelError> {
    // OpenGL 3.3, 3.9.1: depth components are clamped, whatever the format. Later versions clamp
    // only for fixed-point formats; drivers went on clamping.
    let rules = Rules {
        clamp_depth: true,
        ..Rules::default()
    };
    unpack_by(
        rules,
        source,
        store,
        extent,
        format,
        ty,
        resolved,
        target,
        row_stride,
        image_stride,
    )
}

/// [`unpack`] by given rules.
#[allow(clippy::too_many_arguments)]
pub(super) fn unpack_by(
    rules: Rules,
    source: &[u8],
    store: &PixelStore,
    extent: [u32; 3],
    format: u32,
    ty: u32,
    resolved: &Resolved,
    target: &mut [u8],
    row_stride: usize,
    image_stride: usize,
) -> Result<(), PixelError> {
    let [width, height, depth] = extent;
    let layout = ClientLayout::new(format, ty).ok_or(PixelError::InvalidOperation(
        "format and type do not go together",
    ))?;
    if !super::validate::fits(&layout, resolved) {
        return Err(PixelError::InvalidOperation(
            "pixels do not fit the internal format",
        ));
    }
    let geometry = layout
        .geometry(store, width, height, depth)
        .ok_or(PixelError::TooLarge)?;
    let to_layout = ClientLayout::of_format(resolved.format, resolved.store_channels())
        .ok_or(PixelError::InvalidOperation("not a format of the pipe"))?;
    let from = Side::client(layout, &geometry, store);
    let to =
        Side::transfer(to_layout, width, row_stride, image_stride).ok_or(PixelError::TooLarge)?;
    convert(source, &from, target, &to, extent, rules)
}
