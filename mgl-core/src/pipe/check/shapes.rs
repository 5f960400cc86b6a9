//! What payloads must fulfil beside live handles: shapes, ranges and boxes.

use super::super::error::ApplyError;
use super::super::limits::{MAX_BUFFER_BYTES, MAX_EXTENT, MAX_IMAGE_BYTES, level_extent};
use super::super::payload::*;
use super::super::pushed::PushedState;
use super::super::table::HandleError;
use super::checker::Checker;
use crate::handle::*;

pub(super) fn desc(cx: Checker, s: &PushedState, d: &ResourceDesc) -> Result<(), ApplyError> {
    let kind_fits = match d.resource.kind {
        HandleKind::BUFFER => d.target == Target::BUFFER,
        HandleKind::RENDERBUFFER => d.target == Target::RENDERBUFFER,
        HandleKind::TEXTURE => !matches!(
            d.target,
            Target::NONE | Target::BUFFER | Target::RENDERBUFFER
        ),
        _ => false,
    };
    if !kind_fits {
        return cx.field(
            "target",
            format!(
                "{:?} does not go with a {:?} handle",
                d.target, d.resource.kind
            ),
        );
    }
    if d.target == Target::BUFFER {
        if d.size > MAX_BUFFER_BYTES {
            return cx.field("size", format!("{} is above {MAX_BUFFER_BYTES}", d.size));
        }
        return Ok(());
    }
    let Some(f) = d.format.info() else {
        return cx.field("format", "none");
    };
    if d.target == Target::TEXTURE_BUFFER {
        let size = if d.buffer.is_null() {
            0
        } else {
            cx.handle("buffer", s.buffers.get(d.buffer))?.desc.size
        };
        return cx.range("offset", d.offset, d.size, size);
    }
    cx.live_or_null("view_of", &s.textures, d.view_of)?;
    for (name, v) in [
        ("width", d.width),
        ("height", d.height),
        ("depth", d.depth),
        ("layers", d.layers),
    ] {
        if v == 0 || v > MAX_EXTENT {
            return cx.field(name, format!("{v} is not 1 to {MAX_EXTENT}"));
        }
    }
    let longest = d
        .width
        .max(d.height)
        .max(if d.target == Target::TEXTURE_3D {
            d.depth
        } else {
            1
        });
    if d.levels == 0 || d.levels > 32 - longest.leading_zeros() {
        return cx.field(
            "levels",
            format!("{} of at most {}", d.levels, 32 - longest.leading_zeros()),
        );
    }
    if d.samples > 64 {
        return cx.field("samples", format!("{} is above 64", d.samples));
    }
    let texels = u64::from(d.width) * u64::from(d.height);
    let bytes = texels
        .saturating_mul(u64::from(d.depth) * u64::from(d.layers))
        .saturating_mul(u64::from(d.samples.max(1)) * u64::from(f.bytes));
    if bytes > MAX_IMAGE_BYTES {
        return cx.field(
            "width",
            format!("{bytes} bytes are above {MAX_IMAGE_BYTES}"),
        );
    }
    Ok(())
}

pub(super) fn surface(cx: Checker, d: &SurfaceDesc) -> Result<(), ApplyError> {
    if d.width == 0 || d.height == 0 || d.width > MAX_EXTENT || d.height > MAX_EXTENT {
        return cx.field(
            "width",
            format!("{}x{} is not 1 to {MAX_EXTENT} a side", d.width, d.height),
        );
    }
    if d.samples > 64 {
        return cx.field("samples", format!("{} is above 64", d.samples));
    }
    if u64::from(d.width) * u64::from(d.height) * 4 * u64::from(d.samples.max(1)) > MAX_IMAGE_BYTES
    {
        return cx.field("width", format!("{}x{} is too large", d.width, d.height));
    }
    if !d.color.info().is_some_and(|f| f.is_color()) {
        return cx.field("color", format!("{} is not a colour format", d.color));
    }
    if d.depth_stencil.0 != 0 && d.depth_stencil.info().is_none_or(|f| f.is_color()) {
        return cx.field(
            "depth_stencil",
            format!("{} is not a depth or stencil format", d.depth_stencil),
        );
    }
    Ok(())
}

pub(super) fn elements(
    cx: Checker,
    attribs: &[VertexAttrib],
    bindings: &[VertexBinding],
) -> Result<(), ApplyError> {
    let (mut seen, mut bound) = (0u32, 0u32);
    for b in bindings {
        if bound >> b.binding & 1 != 0 {
            return cx.field("bindings", format!("binding {} twice", b.binding));
        }
        bound |= 1 << b.binding;
    }
    for (i, a) in attribs.iter().enumerate() {
        if seen >> a.location & 1 != 0 {
            return cx.field(
                format!("attribs[{i}].location"),
                format!("{} twice", a.location),
            );
        }
        seen |= 1 << a.location;
        if bound >> a.binding & 1 == 0 {
            return cx.field(
                format!("attribs[{i}].binding"),
                format!("binding point {} is not described", a.binding),
            );
        }
    }
    Ok(())
}

pub(super) fn framebuffer(
    cx: Checker,
    s: &PushedState,
    p: &FramebufferState,
) -> Result<(), ApplyError> {
    let check = |field: std::fmt::Arguments<'_>, a: &Attachment| -> Result<(), ApplyError> {
        if a.resource.is_null() {
            return Ok(());
        }
        let h = a.resource.handle;
        match a.resource.kind {
            HandleKind::SURFACE => cx
                .handle(field, s.surfaces.get(SurfaceHandle(h)))
                .map(|_| ()),
            HandleKind::RENDERBUFFER => cx
                .handle(field, s.renderbuffers.get(RenderbufferHandle(h)))
                .map(|_| ()),
            HandleKind::TEXTURE => {
                let d = cx.handle(field, s.textures.get(TextureHandle(h)))?.desc;
                let (_, _, z) = level_extent(&d, a.level);
                if a.level >= d.levels.max(1) || a.layer >= z {
                    return cx.field(
                        field.to_string(),
                        format!(
                            "level {} layer {} of {} levels, {z} layers",
                            a.level, a.layer, d.levels
                        ),
                    );
                }
                Ok(())
            }
            k => cx.handle(field, Err(HandleError::WrongKind(k))),
        }
    };
    for (i, a) in p.color.iter().enumerate() {
        check(format_args!("color[{i}].resource"), a)?;
    }
    check(format_args!("depth.resource"), &p.depth)?;
    check(format_args!("stencil.resource"), &p.stencil)?;
    check(format_args!("read.resource"), &p.read)?;
    if p.width > MAX_EXTENT || p.height > MAX_EXTENT {
        return cx.field(
            "width",
            format!("{}x{} is above {MAX_EXTENT}", p.width, p.height),
        );
    }
    Ok(())
}

pub(super) fn buffer_ranges(
    cx: Checker,
    s: &PushedState,
    list: &str,
    ranges: &[BufferBinding],
) -> Result<(), ApplyError> {
    for (i, b) in ranges.iter().enumerate() {
        let size = cx
            .handle(format_args!("{list}[{i}].buffer"), s.buffers.get(b.buffer))?
            .desc
            .size;
        cx.range(format_args!("{list}[{i}].offset"), b.offset, b.size, size)?;
    }
    Ok(())
}

pub(super) fn sub_data(
    cx: Checker,
    d: &ResourceDesc,
    p: &SubData,
    bytes: &[u8],
    regions: &[SubRegion],
) -> Result<(), ApplyError> {
    if d.target == Target::BUFFER {
        if !regions.is_empty() {
            return cx.field("regions", "a buffer upload has none");
        }
        return cx.range("offset", p.offset, bytes.len() as u64, d.size);
    }
    if d.target == Target::TEXTURE_BUFFER || d.target == Target::RENDERBUFFER {
        return cx.field("resource", format!("{:?} takes no upload", d.target));
    }
    sample(cx, p.sample, d.samples)?;
    cx.inside("union_box", d, p.level, &p.union_box)?;
    let u = &p.union_box;
    let texel = d.format.info().map_or(0, |f| f.bytes as u64);
    let needs = |b: &Box3| -> Option<u64> {
        if b.width == 0 || b.height == 0 || b.depth == 0 {
            return Some(0);
        }
        (u64::from(b.depth) - 1)
            .checked_mul(p.image_stride)?
            .checked_add((u64::from(b.height) - 1) * u64::from(p.row_stride))?
            .checked_add(u64::from(b.width) * texel)
    };
    if u64::from(p.row_stride) < u64::from(u.width) * texel && u.height > 1 {
        return cx.field("row_stride", format!("{} is less than a row", p.row_stride));
    }
    if p.image_stride < u64::from(p.row_stride) * u64::from(u.height) && u.depth > 1 {
        return cx.field(
            "image_stride",
            format!("{} is less than a slice", p.image_stride),
        );
    }
    let fits = |n: Option<u64>, at: u64| {
        n.and_then(|n| n.checked_add(at))
            .is_some_and(|e| e <= bytes.len() as u64)
    };
    if !fits(needs(u), 0) {
        return cx.field(
            "bytes",
            format!("{} bytes are too few for the union box", bytes.len()),
        );
    }
    let ok = |at: u32, n: u32, lo: u32, len: u32| {
        at >= lo && u64::from(at) + u64::from(n) <= u64::from(lo) + u64::from(len)
    };
    for (i, r) in regions.iter().enumerate() {
        let a = &r.area;
        if !ok(a.x, a.width, u.x, u.width)
            || !ok(a.y, a.height, u.y, u.height)
            || !ok(a.z, a.depth, u.z, u.depth)
        {
            return cx.field(format!("regions[{i}].area"), "is outside the union box");
        }
        if !fits(needs(a), r.offset) {
            return cx.field(format!("regions[{i}].offset"), "is outside the blob");
        }
    }
    Ok(())
}

/// A sample that texels have.
fn sample(cx: Checker, sample: u32, samples: u32) -> Result<(), ApplyError> {
    if sample < samples.max(1) {
        return Ok(());
    }
    cx.field("sample", format!("{sample} of {}", samples.max(1)))
}

pub(super) fn texture_read(
    cx: Checker,
    d: &ResourceDesc,
    p: &GetTextureImage,
) -> Result<(), ApplyError> {
    if d.target == Target::TEXTURE_BUFFER {
        return cx.field("texture", format!("{:?} cannot be read", d.target));
    }
    sample(cx, p.sample, d.samples)?;
    if p.format != d.format {
        return cx.field(
            "format",
            format!("{} is not the texture's {}", p.format, d.format),
        );
    }
    cx.inside("area", d, p.level, &p.area)
}

/// Samples of what is attached.
fn samples(s: &PushedState, r: ResourceHandle) -> u32 {
    let h = r.handle;
    match r.kind {
        HandleKind::SURFACE => s.surfaces.get(SurfaceHandle(h)).map_or(0, |d| d.samples),
        HandleKind::TEXTURE => (s.textures.get(TextureHandle(h))).map_or(0, |t| t.desc.samples),
        HandleKind::RENDERBUFFER => {
            (s.renderbuffers.get(RenderbufferHandle(h))).map_or(0, |r| r.desc.samples)
        }
        _ => 0,
    }
}

/// The restrictions of a sampler view lie inside its texture.
pub(super) fn view(cx: Checker, s: &PushedState, p: &SamplerView) -> Result<(), ApplyError> {
    let d = cx.handle("texture", s.textures.get(p.texture))?.desc;
    let inside =
        |first: u32, n: u32, limit: u32| n > 0 && first.checked_add(n).is_some_and(|e| e <= limit);
    if d.target == Target::TEXTURE_BUFFER {
        return Ok(());
    }
    if !inside(p.first_level, p.levels, d.levels.max(1)) {
        let problem = format!("{}+{} of {}", p.first_level, p.levels, d.levels);
        return cx.field("levels", problem);
    }
    if !inside(p.first_layer, p.layers, d.layers.max(1)) {
        let problem = format!("{}+{} of {}", p.first_layer, p.layers, d.layers);
        return cx.field("layers", problem);
    }
    Ok(())
}

/// A part of a default uniform block.
pub(super) fn constants(
    cx: Checker,
    p: &SetGlobalConstants,
    bytes: &[u8],
) -> Result<(), ApplyError> {
    if p.block_size > 1 << 20 {
        return cx.field("block_size", format!("{} is above 1 MiB", p.block_size));
    }
    let (at, size) = (p.offset as usize, p.block_size as usize);
    if at.checked_add(bytes.len()).is_none_or(|e| e > size) {
        let problem = format!("bytes {at}+{} are outside the block of {size}", bytes.len());
        return cx.field("offset", problem);
    }
    Ok(())
}

/// Both ends of a copy between resources.
pub(super) fn copy(cx: Checker, s: &PushedState, p: &CopyRegion) -> Result<(), ApplyError> {
    let a = cx.resource("src", s, p.src)?.desc;
    let b = cx.resource("dst", s, p.dst)?.desc;
    let to = Box3 {
        x: p.dst_x,
        y: p.dst_y,
        z: p.dst_z,
        ..p.src_box
    };
    match (a.target == Target::BUFFER, b.target == Target::BUFFER) {
        (true, true) => {
            let bytes = u64::from(p.src_box.width);
            cx.range("src_box", u64::from(p.src_box.x), bytes, a.size)?;
            cx.range("dst_x", u64::from(p.dst_x), bytes, b.size)
        }
        (false, false) => {
            cx.inside("src_box", &a, p.src_level, &p.src_box)?;
            cx.inside("dst_x", &b, p.dst_level, &to)
        }
        _ => cx.field(
            "dst",
            "a buffer and a texture cannot be copied into each other",
        ),
    }
}

/// A rectangle that is read lies inside the read framebuffer, and a sample is one of what is read.
pub(super) fn pixels(
    cx: Checker,
    s: &PushedState,
    fb: &FramebufferState,
    p: &ReadPixels,
) -> Result<(), ApplyError> {
    if p.by_sample.get() {
        let read = if p.buffers.has(BufferMask::COLOR0) {
            &fb.read
        } else if p.buffers.has(BufferMask::DEPTH) {
            &fb.depth
        } else {
            &fb.stencil
        };
        sample(cx, p.sample, samples(s, read.resource))?;
    } else if p.sample != 0 {
        return cx.field("sample", "is none that is asked for");
    }
    let ok =
        |at: i32, n: u32, limit: u32| at >= 0 && i64::from(at) + i64::from(n) <= i64::from(limit);
    if !ok(p.x, p.width, fb.width) || !ok(p.y, p.height, fb.height) {
        let problem = format!(
            "the rectangle is outside the framebuffer of {}x{}",
            fb.width, fb.height
        );
        return cx.field("width", problem);
    }
    if p.format.info().is_none() {
        return cx.field("format", "none");
    }
    Ok(())
}
