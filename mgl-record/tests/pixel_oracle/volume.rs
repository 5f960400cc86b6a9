//! Three-dimensional images, whose storage modes have images too.

use super::noise::Noise;
use super::oracle::Oracle;
use super::*;
use mgl::pixel::{ClientLayout, PackRules, PixelStore, Profile, pack, resolve, unpack};

const EXTENT: [u32; 3] = [5, 3, 4];

#[test]
fn images_of_a_volume_are_found() {
    let gl = Oracle::new(true);
    let mut noise = Noise(0x2468_ace0_1357_9bdf);
    let [width, height, depth] = EXTENT;
    let sizes = EXTENT.map(|n| n as i32);
    for (format, ty) in [
        (GL_RGBA, GL_UNSIGNED_BYTE),
        (GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV),
        (GL_RGB, GL_UNSIGNED_BYTE),
        (GL_RED, GL_UNSIGNED_BYTE),
        (GL_BGR, GL_FLOAT),
    ] {
        for _ in 0..20 {
            let mut store = || PixelStore {
                alignment: 1 << noise.below(4),
                row_length: if noise.below(2) == 0 {
                    0
                } else {
                    width + noise.below(4)
                },
                image_height: if noise.below(2) == 0 {
                    0
                } else {
                    height + noise.below(4)
                },
                skip_pixels: noise.below(3),
                skip_rows: noise.below(3),
                skip_images: noise.below(3),
                ..PixelStore::default()
            };
            let (unpack_store, pack_store) = (store(), store());
            let layout = ClientLayout::new(format, ty).expect("a defined pair");
            let geometry = |store| layout.geometry(store, width, height, depth).expect("small");
            let range = geometry(&unpack_store).range;
            let mut source = vec![0; range.end];
            noise.fill(GL_UNSIGNED_BYTE, false, &mut source);
            if ty == GL_FLOAT {
                // Tame floats: no byte of an exponent is large.
                for element in source[range.clone()].chunks_exact_mut(4) {
                    element[3] = 0x3e;
                }
            }
            let name = bind_new_texture(&gl, GL_TEXTURE_3D);
            set_store(&gl, &unpack_store, false);
            let [w, h, d] = sizes;
            let (internal, pixels) = (GL_RGBA8, source.as_ptr().cast());
            gl.glTexImage3D(
                GL_TEXTURE_3D,
                0,
                internal as i32,
                w,
                h,
                d,
                0,
                format,
                ty,
                pixels,
            );
            assert_eq!(gl.error(), 0);

            let resolved = resolve(internal, Profile::Core).expect("a sized format");
            let (row, image) = (width as usize * 4, (width * height) as usize * 4);
            let mut stored = vec![0; image * depth as usize];
            let texels = &source[range];
            unpack(
                texels,
                &unpack_store,
                EXTENT,
                format,
                ty,
                &resolved,
                &mut stored,
                row,
                image,
            )
            .expect("a legal combination");

            set_store(&gl, &pack_store, true);
            let range = geometry(&pack_store).range;
            let mut theirs = vec![0x5a; range.end + 64];
            let mut ours = theirs.clone();
            gl.glGetTexImage(GL_TEXTURE_3D, 0, format, ty, theirs.as_mut_ptr().cast());
            assert_eq!(gl.error(), 0);
            pack(
                &stored,
                row,
                image,
                &resolved,
                EXTENT,
                &pack_store,
                format,
                ty,
                &mut ours[range],
                PackRules::default(),
            )
            .expect("it can be read");
            if ty == GL_FLOAT {
                for (a, b) in words(&ours).zip(words(&theirs)) {
                    let (a, b) = (f32::from_le_bytes(a), f32::from_le_bytes(b));
                    assert!(
                        a == b || (a - b).abs() <= 1.001 / 255.0,
                        "{a} {b} {pack_store:?}"
                    );
                }
            } else {
                assert_eq!(
                    ours, theirs,
                    "{format:#x} {ty:#x} {unpack_store:?} {pack_store:?}"
                );
            }
            gl.glDeleteTextures(1, &name);
        }
    }
}
