//! Block formats: `glCompressedTexImage2D` against [`Compression::decode`].

use super::noise::Noise;
use super::oracle::Oracle;
use super::*;
use mgl::pixel::compressed::Compression;
use mgl::pixel::{PackRules, PixelStore, Profile, pack, resolve};

const WIDTH: u32 = 61;
const HEIGHT: u32 = 42;

#[test]
fn blocks_decode_to_the_same_texels() {
    let gl = Oracle::new(true);
    let mut noise = Noise(0x0bad_cafe_1234_5678);
    let mut compared = 0;
    let mut unexplained = Vec::new();
    let mut exact = 0.0;
    for internal in resolve::texture_formats(Profile::Compatibility) {
        let resolved = resolve(internal, Profile::Compatibility).expect("it is listed");
        let Some(compression) = resolved.compressed else {
            continue;
        };
        let size = compression
            .image_bytes(WIDTH, HEIGHT, 1)
            .expect("a small image");
        let mut blocks = vec![0; size];
        noise.fill(GL_UNSIGNED_BYTE, false, &mut blocks);
        let name = bind_new_texture(&gl, GL_TEXTURE_2D);
        let (width, height) = (WIDTH as i32, HEIGHT as i32);
        let data = blocks.as_ptr().cast();
        gl.glCompressedTexImage2D(
            GL_TEXTURE_2D,
            0,
            internal,
            width,
            height,
            0,
            size as i32,
            data,
        );
        assert_eq!(gl.error(), 0, "{internal:#x}");
        let tight = PixelStore::tight();
        set_store(&gl, &tight, true);
        let mut theirs = vec![0u8; (16 * WIDTH * HEIGHT) as usize];
        gl.glGetTexImage(
            GL_TEXTURE_2D,
            0,
            GL_RGBA,
            GL_FLOAT,
            theirs.as_mut_ptr().cast(),
        );
        assert_eq!(gl.error(), 0, "{internal:#x}");
        gl.glDeleteTextures(1, &name);

        let extent = [WIDTH, HEIGHT, 1];
        let row = resolved
            .format
            .row_bytes(WIDTH)
            .expect("a format of the pipe") as usize;
        let image = row * HEIGHT as usize;
        let mut decoded = vec![0; image];
        compression
            .decode(&blocks, extent, &mut decoded, row, image)
            .expect("whole blocks");
        let mut ours = vec![0; theirs.len()];
        let rules = PackRules::default();
        pack(
            &decoded, row, image, &resolved, extent, &tight, GL_RGBA, GL_FLOAT, &mut ours, rules,
        )
        .expect("it can be read");
        compared += 1;
        let same = words(&ours)
            .zip(words(&theirs))
            .filter(|(a, b)| a == b)
            .count();
        exact += same as f64 / (4 * WIDTH * HEIGHT) as f64;
        let differs = words(&ours)
            .zip(words(&theirs))
            .enumerate()
            .find(|(_, (a, b))| {
                let (a, b) = (f32::from_le_bytes(*a), f32::from_le_bytes(*b));
                // The driver's sampler interpolates S3TC and RGTC with weights of eight bits, which may
                // be up to two steps off; the ends of blocks and all of BPTC are exact.
                let allowed = match resolved.format.info().map(|info| info.class) {
                    _ if matches!(compression, Compression::Bc7) => 1e-6,
                    Some(ComponentClass::Unorm) => 2.0 / 255.0 + 1e-6,
                    Some(ComponentClass::Snorm) => 2.0 / 127.0 + 1e-6,
                    _ => 0.0,
                };
                let apart = (a - b).abs();
                a != b && (apart.is_nan() || apart > allowed) && !(a.is_nan() && b.is_nan())
            });
        if let Some((i, (a, b))) = differs {
            unexplained.push(format!(
                "{internal:#x} {compression:?}: component {} of texel {}: {}, theirs {}",
                i % 4,
                i / 4,
                f32::from_le_bytes(a),
                f32::from_le_bytes(b),
            ));
        }
    }
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    assert_eq!(compared, 20);
    assert!(exact / 20.0 > 0.7, "{exact} of 20");
}
