//! Tests of pixel transfer as a whole; those of single parts stand beside them.

mod resolved;
mod sweep;
mod vectors;

use super::*;

/// Rows of `width` texels of a resolved format, tight: stride and bytes of the whole.
fn tight_rows(resolved: &Resolved, width: u32, height: u32, depth: u32) -> (usize, usize, Vec<u8>) {
    let row = resolved
        .format
        .row_bytes(width)
        .expect("a format of the pipe") as usize;
    let image = row * height as usize;
    (row, image, vec![0; image * depth as usize])
}

/// Unpacks one row of `width` texels from tight memory.
fn unpack_row(
    internal: u32,
    format: u32,
    ty: u32,
    width: u32,
    source: &[u8],
) -> Result<Vec<u8>, PixelError> {
    let (resolved, _) = validate::tex_image(internal, format, ty, Profile::Compatibility)?;
    let (row, image, mut out) = tight_rows(&resolved, width, 1, 1);
    let store = PixelStore::tight();
    unpack(
        source,
        &store,
        [width, 1, 1],
        format,
        ty,
        &resolved,
        &mut out,
        row,
        image,
    )?;
    Ok(out)
}

/// Packs one row of `width` texels to tight memory.
fn pack_row(
    internal: u32,
    format: u32,
    ty: u32,
    width: u32,
    source: &[u8],
    rules: PackRules,
) -> Result<Vec<u8>, PixelError> {
    let resolved = resolve(internal, Profile::Compatibility)?;
    let store = PixelStore::tight();
    let range = source_range(&store, width, 1, 1, format, ty).ok_or(PixelError::TooLarge)?;
    let mut out = vec![0; range.end];
    let row = source.len();
    pack(
        source,
        row,
        row,
        &resolved,
        [width, 1, 1],
        &store,
        format,
        ty,
        &mut out,
        rules,
    )?;
    Ok(out)
}
