//! Read-backs: `glGetTexImage` and `glReadPixels` against [`pack`].

use super::noise::Noise;
use super::oracle::Oracle;
use super::*;
use mgl::pixel::{
    ClientLayout, PackRules, PixelStore, Profile, Resolved, pack, resolve, unpack, validate,
};
use mgl_core::format::ComponentClass;

const WIDTH: u32 = 11;
const HEIGHT: u32 = 4;
/// What memory holds where nothing is written.
const FILL: u8 = 0x5a;

/// A texture of an internal format, and its texels in the transfer layout.
struct Stored {
    resolved: Resolved,
    texels: Vec<u8>,
    row: usize,
    name: u32,
}

/// Pixels that the driver stores without loss: those of the transfer layout, or of the same
/// component types in the formats that the pipe has no equal of.
fn store(gl: &Oracle, noise: &mut Noise, internal: u32) -> Option<Stored> {
    let resolved = resolve(internal, Profile::Compatibility).expect("it is listed");
    if resolved.compressed.is_some()
        || resolved.internal_format != internal
        || STORED_OTHERWISE.contains(&internal)
    {
        return None;
    }
    let info = resolved.format.info().expect("a format of the pipe");
    // Luminance and its kin have the components of their storage under other names.
    let format = match (resolved.base_format, resolved.is_integer()) {
        (GL_ALPHA, false) => GL_ALPHA,
        (GL_ALPHA, true) => GL_ALPHA_INTEGER,
        (GL_LUMINANCE, false) => GL_LUMINANCE,
        (GL_LUMINANCE, true) => GL_LUMINANCE_INTEGER_EXT,
        (GL_LUMINANCE_ALPHA, false) => GL_LUMINANCE_ALPHA,
        (GL_LUMINANCE_ALPHA, true) => GL_LUMINANCE_ALPHA_INTEGER_EXT,
        _ => info.transfer_format,
    };
    let ty = info.transfer_type;
    let unpack_store = PixelStore::tight();
    let layout = ClientLayout::new(format, ty).expect("a defined pair");
    let range = layout
        .geometry(&unpack_store, WIDTH, HEIGHT, 1)
        .expect("a small image")
        .range;
    let mut source = vec![0; range.end + SLACK];
    noise.fill(ty, false, &mut source);
    if resolved.class() == ComponentClass::Snorm {
        // The driver takes the lowest value for a little less than -1.
        for byte in &mut source {
            *byte = if *byte == 0x80 { 0x81 } else { *byte };
        }
    }
    let name = bind_new_texture(gl, GL_TEXTURE_2D);
    set_store(gl, &unpack_store, false);
    let (w, h, pixels) = (WIDTH as i32, HEIGHT as i32, source.as_ptr().cast());
    gl.glTexImage2D(
        GL_TEXTURE_2D,
        0,
        internal as i32,
        w,
        h,
        0,
        format,
        ty,
        pixels,
    );
    assert_eq!(gl.error(), 0, "{internal:#x} {format:#x} {ty:#x}");
    let row = resolved
        .format
        .row_bytes(WIDTH)
        .expect("a format of the pipe") as usize;
    let mut texels = vec![0; row * HEIGHT as usize];
    let extent = [WIDTH, HEIGHT, 1];
    unpack(
        &source[range],
        &unpack_store,
        extent,
        format,
        ty,
        &resolved,
        &mut texels,
        row,
        0,
    )
    .expect("a legal combination");
    Some(Stored {
        resolved,
        texels,
        row,
        name,
    })
}

/// Storage modes that the driver gets right when it writes.
fn store_for(noise: &mut Noise, ty: u32) -> PixelStore {
    let store = noise.store(WIDTH);
    // The driver swaps only half of each row of these.
    let swap_bytes = store.swap_bytes && ty != GL_FLOAT_32_UNSIGNED_INT_24_8_REV;
    PixelStore {
        swap_bytes,
        ..store
    }
}

/// Components of client memory as numbers, and the bytes around them.
fn numbers(
    layout: &ClientLayout,
    format: u32,
    ty: u32,
    store: &PixelStore,
    memory: &[u8],
) -> Vec<f64> {
    let range = layout
        .geometry(store, WIDTH, HEIGHT, 1)
        .expect("a small image")
        .range;
    // Formats of the pipe that hold every value of client memory.
    let (internal, words) = match format {
        GL_DEPTH_COMPONENT | GL_DEPTH_STENCIL => (GL_DEPTH_COMPONENT32F, 1),
        GL_STENCIL_INDEX => (GL_STENCIL_INDEX8, 0),
        _ if layout.integer && matches!(ty, GL_BYTE | GL_SHORT | GL_INT) => (GL_RGBA32I, 4),
        _ if layout.integer => (GL_RGBA32UI, 4),
        _ => (GL_RGBA32F, 4),
    };
    let resolved = resolve(internal, Profile::Core).expect("a sized format");
    let row = resolved
        .format
        .row_bytes(WIDTH)
        .expect("a format of the pipe") as usize;
    let mut out = vec![0; row * HEIGHT as usize];
    let extent = [WIDTH, HEIGHT, 1];
    unpack(
        &memory[range],
        store,
        extent,
        format,
        ty,
        &resolved,
        &mut out,
        row,
        0,
    )
    .expect("client memory reads back");
    if words == 0 {
        return out.iter().map(|&b| f64::from(b)).collect();
    }
    super::words(&out)
        .map(|word| match resolved.class() {
            ComponentClass::Sint => f64::from(i32::from_le_bytes(word)),
            ComponentClass::Uint => f64::from(u32::from_le_bytes(word)),
            _ => f64::from(f32::from_le_bytes(word)),
        })
        .collect()
}

/// One step of a component in client memory, the largest there is in the type.
fn step(ty: u32, value: f64) -> f64 {
    match ty {
        GL_UNSIGNED_BYTE => 1.0 / 255.0,
        // The driver narrows by dropping bits.
        GL_BYTE => 2.0 / 127.0,
        GL_UNSIGNED_SHORT => 1.0 / 65535.0,
        GL_SHORT => 1.0 / 32767.0,
        GL_HALF_FLOAT => (value.abs() / 1024.0).max(1e-7),
        GL_UNSIGNED_BYTE_3_3_2 | GL_UNSIGNED_BYTE_2_3_3_REV => 1.0 / 3.0,
        GL_UNSIGNED_SHORT_5_6_5 | GL_UNSIGNED_SHORT_5_6_5_REV => 1.0 / 31.0,
        GL_UNSIGNED_SHORT_4_4_4_4 | GL_UNSIGNED_SHORT_4_4_4_4_REV => 1.0 / 15.0,
        GL_UNSIGNED_SHORT_5_5_5_1 | GL_UNSIGNED_SHORT_1_5_5_5_REV => 1.0,
        GL_UNSIGNED_INT_8_8_8_8 | GL_UNSIGNED_INT_8_8_8_8_REV => 1.0 / 255.0,
        GL_UNSIGNED_INT_10_10_10_2 | GL_UNSIGNED_INT_2_10_10_10_REV => 1.0 / 3.0,
        GL_UNSIGNED_INT_10F_11F_11F_REV => (value.abs() / 32.0).max(6.2e-5),
        GL_UNSIGNED_INT_5_9_9_9_REV => value.abs() / 256.0 + 1e-7,
        _ => 1e-6,
    }
}

/// Compares what both wrote; describes the first difference.
fn difference(
    layout: &ClientLayout,
    format: u32,
    ty: u32,
    store: &PixelStore,
    ours: &[u8],
    theirs: &[u8],
) -> Option<String> {
    let geometry = layout
        .geometry(store, WIDTH, HEIGHT, 1)
        .expect("a small image");
    let inside = |at: usize| {
        at.checked_sub(geometry.range.start)
            .is_some_and(|at| at % geometry.row_stride < geometry.row_bytes)
            && at < geometry.range.end
    };
    for (name, memory) in [("ours", ours), ("theirs", theirs)] {
        let stray = (0..memory.len()).find(|&at| !inside(at) && memory[at] != FILL);
        if let Some(at) = stray {
            return Some(format!("{name} writes to byte {at}, which is not its own"));
        }
    }
    let ours = numbers(layout, format, ty, store, ours);
    let theirs = numbers(layout, format, ty, store, theirs);
    let exact = layout.integer || format == GL_STENCIL_INDEX;
    for (i, (a, b)) in ours.iter().zip(&theirs).enumerate() {
        let allowed = if exact { 0.0 } else { step(ty, *a) + 1e-6 };
        if *a == 1.0 && matches!(ty, GL_INT | GL_UNSIGNED_INT) && (*b == 0.0 || *b == -1.0) {
            // The driver makes one of 2^32 or 2^31, and wraps.
            continue;
        }
        let apart = (a - b).abs();
        if a != b && (apart.is_nan() || apart > allowed) && !(a.is_nan() && b.is_nan()) {
            return Some(format!("component {i}: {a}, theirs {b}"));
        }
    }
    None
}

#[test]
fn texture_images_read_the_same() {
    let gl = Oracle::new(true);
    let mut noise = Noise(0x7654_3210_fedc_ba98);
    let mut compared = 0;
    let mut unexplained = Vec::new();
    for internal in resolve::texture_formats(Profile::Compatibility) {
        let Some(stored) = store(&gl, &mut noise, internal) else {
            continue;
        };
        for &format in FORMATS {
            for &ty in TYPES {
                let Ok(layout) =
                    validate::read(&stored.resolved, format, ty, Profile::Compatibility)
                else {
                    continue;
                };
                if format == GL_STENCIL_INDEX && ty != GL_UNSIGNED_BYTE {
                    // The driver writes bytes, whatever the type, and never returns from bitmaps.
                    continue;
                }
                let pack_store = store_for(&mut noise, ty);
                let range = layout
                    .geometry(&pack_store, WIDTH, HEIGHT, 1)
                    .expect("small")
                    .range;
                let mut theirs = vec![FILL; range.end + SLACK];
                let mut ours = theirs.clone();
                set_store(&gl, &pack_store, true);
                gl.glGetTexImage(GL_TEXTURE_2D, 0, format, ty, theirs.as_mut_ptr().cast());
                let error = gl.error();
                if error != 0 {
                    unexplained.push(format!("{internal:#x} {format:#x} {ty:#x}: {error:#x}"));
                    continue;
                }
                pack(
                    &stored.texels,
                    stored.row,
                    0,
                    &stored.resolved,
                    [WIDTH, HEIGHT, 1],
                    &pack_store,
                    format,
                    ty,
                    &mut ours[range],
                    PackRules::default(),
                )
                .expect("it can be read");
                compared += 1;
                let found = difference(&layout, format, ty, &pack_store, &ours, &theirs);
                if let Some(found) = found {
                    unexplained.push(format!(
                        "{internal:#x} ({}) as {format:#x} {ty:#x}: {found}, {pack_store:?}",
                        stored.resolved.format
                    ));
                }
            }
        }
        gl.glDeleteTextures(1, &stored.name);
    }
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    assert!(compared > 10_000, "{compared}");
}

/// The driver clamps for all types but floats (and signed ones of signed values), whatever `GL_CLAMP_READ_COLOR` says; OpenGL clamps to
/// what the type can hold, which differs for signed types, for shared exponents and for sums.
fn driver_clamps(resolved: &Resolved, ty: u32) -> bool {
    match ty {
        GL_FLOAT | GL_HALF_FLOAT | GL_UNSIGNED_INT_10F_11F_11F_REV => false,
        GL_BYTE | GL_SHORT | GL_INT => resolved.class() != ComponentClass::Snorm,
        _ => true,
    }
}

#[test]
fn framebuffers_read_the_same() {
    let gl = Oracle::new(true);
    let mut noise = Noise(0x1357_9bdf_0246_8ace);
    let mut framebuffer = 0;
    gl.glGenFramebuffers(1, &mut framebuffer);
    gl.glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    let mut compared = 0;
    let mut unexplained = Vec::new();
    for internal in resolve::texture_formats(Profile::Compatibility) {
        let Some(stored) = store(&gl, &mut noise, internal) else {
            continue;
        };
        let attachment = match stored.resolved.class() {
            ComponentClass::Depth => GL_DEPTH_ATTACHMENT,
            ComponentClass::Stencil => GL_STENCIL_ATTACHMENT,
            ComponentClass::DepthStencil => GL_DEPTH_STENCIL_ATTACHMENT,
            _ if stored.resolved.color_renderable() => GL_COLOR_ATTACHMENT0,
            _ => continue,
        };
        for other in [GL_COLOR_ATTACHMENT0, GL_DEPTH_STENCIL_ATTACHMENT] {
            gl.glFramebufferTexture2D(GL_FRAMEBUFFER, other, GL_TEXTURE_2D, 0, 0);
        }
        gl.glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, stored.name, 0);
        let color = attachment == GL_COLOR_ATTACHMENT0;
        gl.glReadBuffer(if color { GL_COLOR_ATTACHMENT0 } else { GL_NONE });
        if gl.glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE {
            unexplained.push(format!("{internal:#x} is not complete"));
            continue;
        }
        for &format in FORMATS {
            for &ty in TYPES {
                let Ok(layout) =
                    validate::read(&stored.resolved, format, ty, Profile::Compatibility)
                else {
                    continue;
                };
                if ty == GL_BITMAP {
                    // The driver never returns from a bitmap of stencil values.
                    continue;
                }
                let luminance = matches!(
                    format,
                    GL_LUMINANCE_INTEGER_EXT | GL_LUMINANCE_ALPHA_INTEGER_EXT
                );
                if luminance
                    && stored
                        .resolved
                        .format
                        .info()
                        .is_some_and(|i| i.bits.green > 0)
                {
                    // The driver writes four components of such pixels, over the next ones.
                    continue;
                }
                let clamp = color && noise.below(2) == 0;
                gl.glClampColor(GL_CLAMP_READ_COLOR, u32::from(clamp));
                let pack_store = store_for(&mut noise, ty);
                let range = layout
                    .geometry(&pack_store, WIDTH, HEIGHT, 1)
                    .expect("small")
                    .range;
                let mut theirs = vec![FILL; range.end + SLACK];
                let mut ours = theirs.clone();
                set_store(&gl, &pack_store, true);
                let (w, h, pixels) = (WIDTH as i32, HEIGHT as i32, theirs.as_mut_ptr().cast());
                gl.glReadPixels(0, 0, w, h, format, ty, pixels);
                let error = gl.error();
                if error != 0 {
                    unexplained.push(format!("{internal:#x} {format:#x} {ty:#x}: {error:#x}"));
                    continue;
                }
                pack(
                    &stored.texels,
                    stored.row,
                    0,
                    &stored.resolved,
                    [WIDTH, HEIGHT, 1],
                    &pack_store,
                    format,
                    ty,
                    &mut ours[range],
                    PackRules {
                        clamp: clamp || driver_clamps(&stored.resolved, ty),
                        sum_luminance: true,
                    },
                )
                .expect("it can be read");
                compared += 1;
                let found = difference(&layout, format, ty, &pack_store, &ours, &theirs);
                if let Some(found) = found {
                    unexplained.push(format!(
                        "{internal:#x} ({}) as {format:#x} {ty:#x}: clamp {clamp} {found}, {pack_store:?}",
                        stored.resolved.format
                    ));
                }
            }
        }
        gl.glDeleteTextures(1, &stored.name);
    }
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    assert!(compared > 10_000, "{compared}");
}
