//! Uploads: `glTexImage2D` against [`unpack`].

use super::noise::Noise;
use super::oracle::Oracle;
use super::*;
use mgl::pixel::{
    ClientLayout, PackRules, PixelStore, Profile, Resolved, pack, resolve, unpack, validate,
};
use mgl_core::format::{ComponentClass, Format};

const WIDTH: u32 = 13;
const HEIGHT: u32 = 4;

/// Whether a combination cannot be compared.
fn incomparable(internal: u32, format: u32, ty: u32, resolved: &Resolved) -> bool {
    // The driver compresses; here uncompressed pixels stay as they are.
    resolved.compressed.is_some()
        || resolved.internal_format != internal
        || STORED_OTHERWISE.contains(&internal)
        // The driver reads colour indices past the maps that it has none of.
        || format == GL_COLOR_INDEX
        // The driver never returns from a bitmap of stencil values.
        || ty == GL_BITMAP
        // The driver takes 3, 3 and 2 bits, and 5 each, for these.
        || internal == GL_RGB && (resolved.format == Format::RGB16
            || matches!(ty, GL_UNSIGNED_BYTE_3_3_2 | GL_UNSIGNED_BYTE_2_3_3_REV
                | GL_UNSIGNED_SHORT_5_5_5_1))
}

/// Storage modes that the driver gets right for a combination.
fn store_for(noise: &mut Noise, resolved: &Resolved, plain: Format, ty: u32) -> PixelStore {
    let store = noise.store(WIDTH);
    if resolved.format != plain {
        // The driver keeps the precision of pixels only if they are not swapped.
        return PixelStore {
            swap_bytes: false,
            ..store
        };
    }
    if resolved.format == Format::DEPTH32F_STENCIL8 {
        // The driver counts rows of it in whole units of eight bytes.
        return PixelStore {
            alignment: 8,
            swap_bytes: false,
            ..store
        };
    }
    if resolved.format == Format::DEPTH_COMPONENT16 && ty == GL_UNSIGNED_INT {
        // The driver takes the high half before it swaps.
        return PixelStore {
            swap_bytes: false,
            ..store
        };
    }
    store
}

/// How far apart the two may be in a component of `bits` bits.
fn tolerance(resolved: &Resolved, ty: u32, bits: u8, value: f64) -> f64 {
    let steps = |bits: u8| ((1u64 << bits) - 1) as f64;
    let signed_type = match ty {
        GL_BYTE => 8,
        GL_SHORT => 16,
        GL_INT => 32,
        _ => 0,
    };
    let slack = 1e-6;
    match resolved.class() {
        // The driver widens by repeating bits and rounds floats twice.
        ComponentClass::Unorm if resolved.format == Format::RGB10_A2 && ty != GL_FLOAT => {
            // It goes through eight bits with some types, and widens those.
            2.0 / steps(bits.max(8)).min(steps(bits)) + slack
        }
        ComponentClass::Unorm => 1.0 / steps(bits) + slack,
        // The driver narrows by dropping bits.
        ComponentClass::Snorm => 2.0 / steps(bits - 1) + slack,
        // The driver reads signed depth by the rule of OpenGL 3.3, (2c + 1) / (2^b - 1).
        ComponentClass::Depth | ComponentClass::DepthStencil if signed_type > 0 => {
            1.0 / steps(signed_type) + 1.0 / steps(bits.min(24)) + slack
        }
        ComponentClass::Depth | ComponentClass::DepthStencil if bits < 32 => {
            1.0 / steps(bits) + 1e-7
        }
        // The driver goes through floats.
        ComponentClass::Depth | ComponentClass::DepthStencil => 1e-7,
        // The driver rounds halves towards zero, and widens small components by repeating bits.
        ComponentClass::Float if bits == 16 => (value.abs() / 1024.0).max(1e-7),
        // The driver makes the smallest of these zero.
        ComponentClass::Float if bits < 16 => (value.abs() * 1e-6).max(6.2e-5),
        ComponentClass::Float => value.abs() * 1e-6,
        ComponentClass::Sint | ComponentClass::Uint | ComponentClass::Stencil => 0.0,
    }
}

#[test]
fn uploads_store_the_same() {
    let gl = Oracle::new(true);
    let mut noise = Noise(0x1234_5678_9abc_def1);
    let mut compared = 0;
    let mut exact = 0;
    let mut unexplained = Vec::new();
    for internal in resolve::texture_formats(Profile::Compatibility) {
        for &format in FORMATS {
            for &ty in TYPES {
                let legal = validate::tex_image(internal, format, ty, Profile::Compatibility);
                let Ok((resolved, layout)) = legal else {
                    continue;
                };
                if incomparable(internal, format, ty, &resolved) {
                    continue;
                }
                compared += 1;
                let plain = resolve(internal, Profile::Compatibility).expect("it is listed");
                let store = store_for(&mut noise, &resolved, plain.format, ty);
                let found = compare(
                    &gl, &mut noise, internal, format, ty, &resolved, &layout, &store,
                );
                exact += usize::from(found == Ok(true));
                if let Err(difference) = found {
                    unexplained.push(format!(
                        "{internal:#x} ({}) from {format:#x} {ty:#x}: {difference}, {store:?}",
                        resolved.format
                    ));
                }
            }
        }
    }
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    assert!(compared > 15_000, "{compared}");
    // Were roundings wrong here, few would still be exact.
    assert!(exact * 100 > compared * 80, "{exact} exact of {compared}");
}

/// The same pixels through both: whether all are exactly the same, or a description of the first
/// that differs by more than it may.
#[allow(clippy::too_many_arguments)]
fn compare(
    gl: &Oracle,
    noise: &mut Noise,
    internal: u32,
    format: u32,
    ty: u32,
    resolved: &Resolved,
    layout: &ClientLayout,
    store: &PixelStore,
) -> Result<bool, String> {
    let (width, height) = (WIDTH as i32, HEIGHT as i32);
    let extent = [WIDTH, HEIGHT, 1];
    let range = layout
        .geometry(store, WIDTH, HEIGHT, 1)
        .expect("a small image")
        .range;
    let mut source = vec![0; range.end + SLACK];
    noise.fill(ty, store.swap_bytes, &mut source[range.clone()]);

    let name = bind_new_texture(gl, GL_TEXTURE_2D);
    set_store(gl, store, false);
    let pixels = source.as_ptr().cast();
    gl.glTexImage2D(
        GL_TEXTURE_2D,
        0,
        internal as i32,
        width,
        height,
        0,
        format,
        ty,
        pixels,
    );
    assert_eq!(gl.error(), 0, "{internal:#x} {format:#x} {ty:#x}");
    let (read_format, read_type, count) = readable(resolved);
    let tight = PixelStore::tight();
    set_store(gl, &tight, true);
    let texels = (WIDTH * HEIGHT) as usize;
    let bytes = if read_type == GL_UNSIGNED_BYTE {
        texels
    } else {
        4 * texels * count
    };
    let mut theirs = vec![0u8; bytes];
    gl.glGetTexImage(
        GL_TEXTURE_2D,
        0,
        read_format,
        read_type,
        theirs.as_mut_ptr().cast(),
    );
    assert_eq!(gl.error(), 0, "{internal:#x}");
    gl.glDeleteTextures(1, &name);

    let row = resolved
        .format
        .row_bytes(WIDTH)
        .expect("a format of the pipe") as usize;
    let image = row * HEIGHT as usize;
    let mut stored = vec![0; image];
    unpack(
        &source[range],
        store,
        extent,
        format,
        ty,
        resolved,
        &mut stored,
        row,
        image,
    )
    .expect("a legal combination");
    let mut ours = vec![0; bytes];
    let rules = PackRules::default();
    pack(
        &stored,
        row,
        image,
        resolved,
        extent,
        &tight,
        read_format,
        read_type,
        &mut ours,
        rules,
    )
    .expect("it can be read");

    if read_type != GL_FLOAT {
        return if ours == theirs {
            Ok(true)
        } else {
            Err(format!("ours {ours:?}, theirs {theirs:?}"))
        };
    }
    let s = resolved.sizes;
    let first = s.red.max(s.luminance).max(s.intensity).max(s.depth);
    let bits = [first, s.green, s.blue, s.alpha];
    let mut exact = true;
    for (i, (a, b)) in words(&ours).zip(words(&theirs)).enumerate() {
        let (a, b) = (f32::from_le_bytes(a), f32::from_le_bytes(b));
        let bits = bits[i % count];
        let apart = f64::from((a - b).abs());
        let allowed = if bits == 0 {
            0.0
        } else {
            tolerance(resolved, ty, bits, f64::from(a))
        };
        // The last bit of a quotient is a matter of how it is computed.
        exact &= a == b || apart <= f64::from(a.abs()) * 1e-6;
        if a != b && (apart.is_nan() || apart > allowed) {
            let (texel, component) = (i / count, i % count);
            return Err(format!(
                "component {component} of texel {texel}: {a}, theirs {b}"
            ));
        }
    }
    Ok(exact)
}
