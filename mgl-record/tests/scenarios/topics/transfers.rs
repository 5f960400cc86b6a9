//! Pixel transfers: uploads with every unpack state, pixel buffers, copies from framebuffers, read-back with every pack
//! state, formats and types (GL 3.3 §3.7, §3.8.2, §4.3).

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, Rig, SIZE, at, data, size};

/// The texels of the bound 2D texture's level.
fn texels(t: &Rig, target: u32, level: i32, n: usize) -> Vec<[u8; 4]> {
    let mut out = vec![[0xEE; 4]; n];
    t.GetTexImage(target, level, GL_RGBA, GL_UNSIGNED_BYTE, out.as_mut_ptr().cast());
    out
}

fn gray(values: &[u8]) -> Vec<[u8; 4]> {
    values.iter().map(|v| [*v, *v, *v, 255]).collect()
}

const STORE: [(u32, i32); 8] = [
    (GL_UNPACK_ALIGNMENT, 4), (GL_UNPACK_ROW_LENGTH, 0), (GL_UNPACK_SKIP_PIXELS, 0), (GL_UNPACK_SKIP_ROWS, 0),
    (GL_UNPACK_IMAGE_HEIGHT, 0), (GL_UNPACK_SKIP_IMAGES, 0), (GL_UNPACK_SWAP_BYTES, 0), (GL_UNPACK_LSB_FIRST, 0),
];

/// A target whose pixel (x, y) is (x, y, 7, 255).
fn gradient(t: &Rig) {
    t.target(GL_RGBA8, (16, 16));
    t.paint("out vec4 c; void main() { c = vec4(floor(gl_FragCoord.xy) / 255.0, 7.0 / 255.0, 1); }");
    t.strip();
}

scenarios! {
    /// Row length, skips and alignment of uploads.
    fn unpack_state(t) {
        let bytes: Vec<u8> = (0..200).map(|i| i as u8).collect();
        let upload = |states: &[(u32, i32)], w: i32, h: i32| {
            t.texture(GL_TEXTURE_2D);
            for (name, value) in states { t.PixelStorei(*name, *value) }
            t.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8 as i32, w, h, 0, GL_RED, GL_UNSIGNED_BYTE, data(&bytes));
            for (name, value) in STORE { t.PixelStorei(name, value) }
            texels(t, GL_TEXTURE_2D, 0, (w * h) as usize).iter().map(|p| p[0]).collect::<Vec<u8>>()
        };
        t.eq("defaults", STORE.map(|(n, _)| t.int(n)), STORE.map(|(_, v)| v));
        t.eq("rows of four", upload(&[], 3, 2), vec![0, 1, 2, 4, 5, 6]);
        t.eq("tight rows", upload(&[(GL_UNPACK_ALIGNMENT, 1)], 3, 2), vec![0, 1, 2, 3, 4, 5]);
        t.eq("rows of eight", upload(&[(GL_UNPACK_ALIGNMENT, 8)], 3, 2), vec![0, 1, 2, 8, 9, 10]);
        t.eq("a row length", upload(&[(GL_UNPACK_ROW_LENGTH, 12)], 3, 2), vec![0, 1, 2, 12, 13, 14]);
        t.eq("skipped pixels", upload(&[(GL_UNPACK_ROW_LENGTH, 12), (GL_UNPACK_SKIP_PIXELS, 5)], 3, 2), vec![5, 6, 7, 17, 18, 19]);
        t.eq("skipped rows", upload(&[(GL_UNPACK_ROW_LENGTH, 12), (GL_UNPACK_SKIP_PIXELS, 1), (GL_UNPACK_SKIP_ROWS, 3)], 2, 2), vec![37, 38, 49, 50]);
        t.wrong(&[
            ("an alignment that is none", GL_INVALID_VALUE, &|t| t.PixelStorei(GL_UNPACK_ALIGNMENT, 3)),
            ("a negative length", GL_INVALID_VALUE, &|t| t.PixelStorei(GL_UNPACK_ROW_LENGTH, -1)),
            ("a state that is none", GL_INVALID_ENUM, &|t| t.PixelStorei(GL_RGBA, 1)),
        ]);
    }

    /// Image heights and skipped images of 3D uploads.
    fn unpack_state_of_volumes(t) {
        let bytes: Vec<u8> = (0..200).map(|i| i as u8).collect();
        t.texture(GL_TEXTURE_3D);
        t.PixelStorei(GL_UNPACK_ALIGNMENT, 1);
        t.PixelStorei(GL_UNPACK_ROW_LENGTH, 5);
        t.PixelStorei(GL_UNPACK_IMAGE_HEIGHT, 4);
        t.PixelStorei(GL_UNPACK_SKIP_IMAGES, 1);
        t.PixelStorei(GL_UNPACK_SKIP_ROWS, 1);
        t.PixelStorei(GL_UNPACK_SKIP_PIXELS, 2);
        t.TexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8 as i32, 2, 2, 2, 0, GL_RED, GL_UNSIGNED_BYTE, data(&bytes));
        let got: Vec<u8> = texels(t, GL_TEXTURE_3D, 0, 8).iter().map(|p| p[0]).collect();
        t.eq("texels", got, vec![27, 28, 32, 33, 47, 48, 52, 53]);
    }

    /// Swapped bytes and bit order.
    fn swapped_bytes(t) {
        t.texture(GL_TEXTURE_2D);
        t.PixelStorei(GL_UNPACK_SWAP_BYTES, 1);
        t.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8 as i32, 1, 1, 0, GL_RGBA, GL_UNSIGNED_SHORT, data(&[0x00FFu16, 0xFF00, 0x3333, 0xFFFF].map(u16::to_le)));
        let got = texels(t, GL_TEXTURE_2D, 0, 1)[0];
        t.is(&format!("shorts {got:?}"), got[0] >= 254 && got[1] <= 1 && got[2] == 51 && got[3] == 255);
        t.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8 as i32, 1, 1, 0, GL_RGBA, GL_UNSIGNED_INT_8_8_8_8, data(&[0x1122_3344u32]));
        t.eq("packed", texels(t, GL_TEXTURE_2D, 0, 1)[0], [0x44, 0x33, 0x22, 0x11]);
    }

    /// Formats and types of client pixels.
    fn client_formats(t) {
        type Row<'a> = (&'a str, u32, u32, &'a [u8], [u8; 4]);
        let rows: [Row<'_>; 16] = [
            ("RGBA", GL_RGBA, GL_UNSIGNED_BYTE, &[1, 2, 3, 4], [1, 2, 3, 4]), ("BGRA", GL_BGRA, GL_UNSIGNED_BYTE, &[1, 2, 3, 4], [3, 2, 1, 4]),
            ("RGB", GL_RGB, GL_UNSIGNED_BYTE, &[1, 2, 3], [1, 2, 3, 255]), ("BGR", GL_BGR, GL_UNSIGNED_BYTE, &[1, 2, 3], [3, 2, 1, 255]),
            ("RG", GL_RG, GL_UNSIGNED_BYTE, &[1, 2], [1, 2, 0, 255]), ("RED", GL_RED, GL_UNSIGNED_BYTE, &[9], [9, 0, 0, 255]),
            ("8888", GL_RGBA, GL_UNSIGNED_INT_8_8_8_8, &[4, 3, 2, 1], [1, 2, 3, 4]), ("8888_REV", GL_RGBA, GL_UNSIGNED_INT_8_8_8_8_REV, &[1, 2, 3, 4], [1, 2, 3, 4]),
            ("BGRA 8888_REV", GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, &[1, 2, 3, 4], [3, 2, 1, 4]), ("565", GL_RGB, GL_UNSIGNED_SHORT_5_6_5, &[0x00, 0xF8], [255, 0, 0, 255]),
            ("565_REV", GL_RGB, GL_UNSIGNED_SHORT_5_6_5_REV, &[0x00, 0xF8], [0, 0, 255, 255]), ("4444", GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, &[0x34, 0x12], [17, 34, 51, 68]),
            ("5551", GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, &[0x01, 0xF8], [255, 0, 0, 255]), ("1555_REV", GL_BGRA, GL_UNSIGNED_SHORT_1_5_5_5_REV, &[0x00, 0xFC], [255, 0, 0, 255]),
            ("332", GL_RGB, GL_UNSIGNED_BYTE_3_3_2, &[0xE3], [255, 0, 255, 255]), ("2_10_10_10_REV", GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, &[0xFF, 0x03, 0x00, 0xC0], [255, 0, 0, 255]),
        ];
        for (what, format, ty, bytes, want) in rows {
            t.texture_2d(GL_RGBA8, (1, 1), format, ty, &[bytes, &[0; 8]].concat());
            t.eq(what, texels(t, GL_TEXTURE_2D, 0, 1)[0], want);
        }
        for (what, ty, bytes) in [
            ("floats", GL_FLOAT, [0.2f32, 0.4, 2.0, -1.0].iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>()),
            ("halves", GL_HALF_FLOAT, [0x3266u16, 0x3666, 0x4000, 0xBC00].iter().flat_map(|v| v.to_le_bytes()).collect()),
            ("shorts", GL_SHORT, [6553i16, 13107, 32767, -32768].iter().flat_map(|v| v.to_le_bytes()).collect()),
            ("uints", GL_UNSIGNED_INT, [858993459u32, 1717986918, u32::MAX, 0].iter().flat_map(|v| v.to_le_bytes()).collect()),
        ] {
            t.texture_2d(GL_RGBA8, (1, 1), GL_RGBA, ty, &bytes);
            let got = texels(t, GL_TEXTURE_2D, 0, 1)[0];
            t.is(&format!("{what} {got:?}"), got.iter().zip([51u8, 102, 255, 0]).all(|(a, b)| a.abs_diff(b) <= 1));
        }
    }

    /// What uploads refuse.
    fn upload_errors(t) {
        t.rgba((4, 4), &[]);
        let pixels = [0u8; 256];
        let image = |internal: u32, w: i32, h: i32, border: i32, format: u32, ty: u32| {
            move |t: &Rig| t.TexImage2D(GL_TEXTURE_2D, 0, internal as i32, w, h, border, format, ty, std::ptr::null())
        };
        let huge = t.int(GL_MAX_TEXTURE_SIZE) + 1;
        t.wrong(&[
            ("a target", GL_INVALID_ENUM, &|t| t.TexImage2D(GL_TEXTURE_3D, 0, GL_RGBA8 as i32, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null())),
            ("an internal format", GL_INVALID_VALUE, &image(0x1234, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE)),
            ("a negative size", GL_INVALID_VALUE, &image(GL_RGBA8, -1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE)),
            ("too large", GL_INVALID_VALUE, &image(GL_RGBA8, huge, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE)),
            ("a border", GL_INVALID_VALUE, &image(GL_RGBA8, 3, 3, 1, GL_RGBA, GL_UNSIGNED_BYTE)),
            ("a format", GL_INVALID_ENUM, &image(GL_RGBA8, 1, 1, 0, GL_RGBA8, GL_UNSIGNED_BYTE)),
            ("a type", GL_INVALID_ENUM, &image(GL_RGBA8, 1, 1, 0, GL_RGBA, GL_RGBA)),
            ("packed of another format", GL_INVALID_OPERATION, &image(GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_SHORT_5_6_5)),
            ("integers for normalised", GL_INVALID_OPERATION, &image(GL_RGBA8, 1, 1, 0, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE)),
            ("normalised for integers", GL_INVALID_OPERATION, &image(GL_RGBA8UI, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE)),
            ("colours for depth", GL_INVALID_OPERATION, &image(GL_DEPTH_COMPONENT24, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE)),
            ("depth for colours", GL_INVALID_OPERATION, &image(GL_RGBA8, 1, 1, 0, GL_DEPTH_COMPONENT, GL_FLOAT)),
            ("a negative level", GL_INVALID_VALUE, &|t| t.TexImage2D(GL_TEXTURE_2D, -1, GL_RGBA8 as i32, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null())),
            ("a level too many", GL_INVALID_VALUE, &|t| t.TexImage2D(GL_TEXTURE_2D, 30, GL_RGBA8 as i32, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null())),
            ("a cube face that is not square", GL_INVALID_VALUE, &|t| t.TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0, GL_RGBA8 as i32, 2, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null())),
            ("a part beyond", GL_INVALID_VALUE, &|t| t.TexSubImage2D(GL_TEXTURE_2D, 0, 3, 0, 2, 1, GL_RGBA, GL_UNSIGNED_BYTE, data(&pixels))),
            ("a negative corner", GL_INVALID_VALUE, &|t| t.TexSubImage2D(GL_TEXTURE_2D, 0, -1, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data(&pixels))),
            ("a level that is not there", GL_INVALID_OPERATION, &|t| t.TexSubImage2D(GL_TEXTURE_2D, 1, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data(&pixels))),
        ]);
        t.BindTexture(GL_TEXTURE_2D, 0);
    }

    /// Sub-images overwrite their rectangles alone, many of them too, and between draws.
    fn sub_images(t) {
        t.target(GL_RGBA8, (8, 8));
        t.rgba((8, 8), &[[0, 0, 0, 255]; 64]);
        t.paint("uniform sampler2D s; out vec4 c; void main() { c = texelFetch(s, ivec2(gl_FragCoord.xy), 0); }");
        for i in 0..8 {
            t.TexSubImage2D(GL_TEXTURE_2D, 0, i, (i * 3) % 8, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data(&[[255u8; 4]]));
        }
        t.strip();
        t.eq("dots", t.shape([0, 0, 8, 8]), ".....#../..#...../.......#/....#.../.#....../......#./...#..../#.......".into());
        t.TexSubImage2D(GL_TEXTURE_2D, 0, 2, 2, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, data(&[[255u8; 4]; 16]));
        t.TexSubImage2D(GL_TEXTURE_2D, 0, 3, 3, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, data(&[[0u8, 0, 0, 255]; 4]));
        t.strip();
        t.eq("later ones are over earlier ones", t.shape([3, 2, 3, 4]), "###/..#/..#/###".into());
    }

    /// Uploads out of a pixel unpack buffer, at an offset; beyond its end they are refused.
    fn unpack_buffers(t) {
        let bytes: Vec<u8> = (0..64).collect();
        let b = t.buffer(GL_PIXEL_UNPACK_BUFFER, &bytes);
        t.texture(GL_TEXTURE_2D);
        t.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8 as i32, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, at(8));
        t.eq("from 8", texels(t, GL_TEXTURE_2D, 0, 4)[1], [12, 13, 14, 15]);
        t.TexSubImage2D(GL_TEXTURE_2D, 0, 1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, at(40));
        t.eq("a part", texels(t, GL_TEXTURE_2D, 0, 4)[3], [40, 41, 42, 43]);
        t.wrong(&[("beyond its end", GL_INVALID_OPERATION, &|t| t.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, at(52)))]);
        t.wrong(&[("not aligned to the type", GL_INVALID_OPERATION, &|t| t.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_FLOAT, at(2)))]);
        t.MapBuffer(GL_PIXEL_UNPACK_BUFFER, GL_WRITE_ONLY);
        t.wrong(&[("mapped", GL_INVALID_OPERATION, &|t| t.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, at(0)))]);
        t.UnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
        t.DeleteBuffers(1, &b);
    }

    /// glReadPixels into a pixel pack buffer, which is read by the program or used as vertices.
    fn pack_buffers(t) {
        gradient(t);
        let b = t.buffer(GL_PIXEL_PACK_BUFFER, &[0xABu8; 64]);
        t.ReadPixels(3, 5, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, at(16).cast_mut());
        let mut out = [0u8; 64];
        t.GetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, 64, out.as_mut_ptr().cast());
        t.eq("written", out[16..32].to_vec(), vec![3, 5, 7, 255, 4, 5, 7, 255, 3, 6, 7, 255, 4, 6, 7, 255]);
        t.eq("and nothing else", (out[15], out[32]), (0xAB, 0xAB));
        let p = t.MapBuffer(GL_PIXEL_PACK_BUFFER, GL_READ_ONLY).cast::<u8>();
        // SAFETY: 64 bytes are mapped.
        t.eq("mapped", unsafe { *p.add(20) }, 4);
        t.wrong(&[("reading into what is mapped", GL_INVALID_OPERATION, &|t| t.ReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null_mut()))]);
        t.UnmapBuffer(GL_PIXEL_PACK_BUFFER);
        t.wrong(&[("beyond its end", GL_INVALID_OPERATION, &|t| t.ReadPixels(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, at(4).cast_mut()))]);
        // What was read becomes vertices.
        t.ReadPixels(9, 2, 1, 1, GL_RGBA, GL_FLOAT, std::ptr::null_mut());
        t.BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
        t.target(GL_RGBA32F, (1, 1));
        t.program("in vec4 a; out vec4 v; void main() { v = a; gl_Position = vec4(0, 0, 0, 1); }", "in vec4 v; out vec4 c; void main() { c = v; }");
        t.BindBuffer(GL_ARRAY_BUFFER, b);
        let a = t.attribute("a");
        t.EnableVertexAttribArray(a);
        t.VertexAttribPointer(a, 4, GL_FLOAT, 0, 0, std::ptr::null());
        t.DrawArrays(GL_POINTS, 0, 1);
        t.near("vertices", &t.pixel_f32(0, 0), &[9.0 / 255.0, 2.0 / 255.0, 7.0 / 255.0, 1.0], 0.001);
    }

    /// glGetTexImage into a buffer, and a buffer as both ends of a copy.
    fn texture_images_through_buffers(t) {
        t.rgba((2, 1), &[[1, 2, 3, 4], [5, 6, 7, 8]]);
        t.buffer(GL_PIXEL_PACK_BUFFER, &[0u8; 16]);
        t.GetTexImage(GL_TEXTURE_2D, 0, GL_BGRA, GL_UNSIGNED_BYTE, at(4).cast_mut());
        let mut out = [0u8; 16];
        t.GetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, 16, out.as_mut_ptr().cast());
        t.eq("as BGRA", out[..12].to_vec(), vec![0, 0, 0, 0, 3, 2, 1, 4, 7, 6, 5, 8]);
        t.BindBuffer(GL_PIXEL_UNPACK_BUFFER, t.int(GL_PIXEL_PACK_BUFFER_BINDING) as u32);
        t.BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
        t.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, at(8));
        t.BindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        t.eq("and back", texels(t, GL_TEXTURE_2D, 0, 2), vec![[7, 6, 5, 8], [5, 6, 7, 8]]);
    }

    /// Pack state of glReadPixels: row length, skips, alignment.
    fn pack_state(t) {
        gradient(t);
        let read = |states: &[(u32, i32)], w: i32, h: i32| {
            for (n, v) in states { t.PixelStorei(*n, *v) }
            let mut out = vec![0xEEu8; 64];
            t.ReadPixels(4, 2, w, h, GL_RED, GL_UNSIGNED_BYTE, out.as_mut_ptr().cast());
            for (n, v) in [(GL_PACK_ALIGNMENT, 4), (GL_PACK_ROW_LENGTH, 0), (GL_PACK_SKIP_PIXELS, 0), (GL_PACK_SKIP_ROWS, 0)] { t.PixelStorei(n, v) }
            out.truncate(16);
            out
        };
        let e = 0xEE;
        t.eq("rows of four", read(&[], 3, 2), vec![4, 5, 6, e, 4, 5, 6, e, e, e, e, e, e, e, e, e]);
        t.eq("tight", read(&[(GL_PACK_ALIGNMENT, 1)], 3, 2), vec![4, 5, 6, 4, 5, 6, e, e, e, e, e, e, e, e, e, e]);
        t.eq("a row length", read(&[(GL_PACK_ROW_LENGTH, 8)], 3, 2), vec![4, 5, 6, e, e, e, e, e, 4, 5, 6, e, e, e, e, e]);
        t.eq("skips", read(&[(GL_PACK_ROW_LENGTH, 4), (GL_PACK_SKIP_PIXELS, 1), (GL_PACK_SKIP_ROWS, 2)], 2, 1), vec![e, e, e, e, e, e, e, e, e, 4, 5, e, e, e, e, e]);
    }

    /// Read-back in formats and types.
    fn read_formats(t) {
        t.target(GL_RGBA8, (4, 4));
        t.clear([0.2, 0.4, 0.6, 0.8]);
        let read = |format: u32, ty: u32| { let mut out = [0u8; 16]; t.ReadPixels(1, 1, 1, 1, format, ty, out.as_mut_ptr().cast()); t.ok("read"); out };
        t.eq("RGB", read(GL_RGB, GL_UNSIGNED_BYTE)[..4].to_vec(), vec![51, 102, 153, 0]);
        t.eq("BGRA", read(GL_BGRA, GL_UNSIGNED_BYTE)[..4].to_vec(), vec![153, 102, 51, 204]);
        t.eq("BGR", read(GL_BGR, GL_UNSIGNED_BYTE)[..4].to_vec(), vec![153, 102, 51, 0]);
        t.eq("RED", read(GL_RED, GL_UNSIGNED_BYTE)[..2].to_vec(), vec![51, 0]);
        t.eq("BLUE", read(GL_BLUE, GL_UNSIGNED_BYTE)[..2].to_vec(), vec![153, 0]);
        t.eq("RG", read(GL_RG, GL_UNSIGNED_BYTE)[..3].to_vec(), vec![51, 102, 0]);
        t.eq("8888", read(GL_RGBA, GL_UNSIGNED_INT_8_8_8_8)[..4].to_vec(), vec![204, 153, 102, 51]);
        t.eq("8888_REV", read(GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV)[..4].to_vec(), vec![153, 102, 51, 204]);
        let short = |b: [u8; 16], i: usize| u16::from_le_bytes([b[2 * i], b[2 * i + 1]]);
        t.eq("shorts", [0, 1, 2, 3].map(|i| short(read(GL_RGBA, GL_UNSIGNED_SHORT), i)), [13107, 26214, 39321, 52428]);
        t.eq("565", short(read(GL_RGB, GL_UNSIGNED_SHORT_5_6_5), 0), 6 << 11 | 25 << 5 | 19);
        let float = |b: [u8; 16], i: usize| f32::from_le_bytes([b[4 * i], b[4 * i + 1], b[4 * i + 2], b[4 * i + 3]]);
        t.near("floats", &[0, 1, 2, 3].map(|i| float(read(GL_RGBA, GL_FLOAT), i)), &[0.2, 0.4, 0.6, 0.8], 0.001);
        t.wrong(&[
            ("a format that is none", GL_INVALID_ENUM, &|t| t.ReadPixels(0, 0, 1, 1, GL_RGBA8, GL_UNSIGNED_BYTE, [0u8; 16].as_mut_ptr().cast())),
            ("a type that is none", GL_INVALID_ENUM, &|t| t.ReadPixels(0, 0, 1, 1, GL_RGBA, GL_RGBA, [0u8; 16].as_mut_ptr().cast())),
            ("packed of another format", GL_INVALID_OPERATION, &|t| t.ReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_SHORT_5_6_5, [0u8; 16].as_mut_ptr().cast())),
            ("integers of normalised", GL_INVALID_OPERATION, &|t| t.ReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_INT, [0u8; 16].as_mut_ptr().cast())),
            ("no depth there", GL_INVALID_OPERATION, &|t| t.ReadPixels(0, 0, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, [0u8; 16].as_mut_ptr().cast())),
            ("a negative size", GL_INVALID_VALUE, &|t| t.ReadPixels(0, 0, -1, 1, GL_RGBA, GL_UNSIGNED_BYTE, std::ptr::null_mut())),
        ]);
    }

    /// What lies outside the framebuffer is not written.
    fn reading_outside(t) {
        gradient(t);
        let mut out = [0xEEu8; 16];
        t.ReadPixels(-1, 15, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, out.as_mut_ptr().cast());
        t.ok("no error");
        t.eq("the one inside", out[4..8].to_vec(), vec![0, 15, 7, 255]);
    }

    /// Rows come from the bottom, in both kinds of framebuffers.
    fn orientation(t) {
        t.both(|t, what| {
            t.paint(PLAIN);
            t.clear([0.0; 4]);
            t.rect([-1.0, -1.0, 0.0, 0.0], 0.0);
            let rows = t.pixels(0, 0, SIZE, SIZE);
            t.eq(what, [rows[0][0], rows[(SIZE * SIZE - SIZE) as usize][0], rows[SIZE as usize - 1][0]], [255, 0, 0]);
        });
    }

    /// Colours that are read are clamped or not, as glClampColor says.
    fn clamped_reads(t) {
        t.target(GL_RGBA16F, (2, 2));
        t.clear([2.0, -1.0, 0.5, 1.0]);
        t.near("fixed only, of floats", &t.pixel_f32(0, 0), &[2.0, -1.0, 0.5, 1.0], 0.001);
        t.ClampColor(GL_CLAMP_READ_COLOR, GL_TRUE);
        t.near("always", &t.pixel_f32(0, 0), &[1.0, 0.0, 0.5, 1.0], 0.001);
        t.eq("state", t.int(GL_CLAMP_READ_COLOR), 1);
        t.ClampColor(GL_CLAMP_READ_COLOR, GL_FALSE);
        t.near("never", &t.pixel_f32(0, 0), &[2.0, -1.0, 0.5, 1.0], 0.001);
        t.wrong(&[
            ("a target that is gone", GL_INVALID_ENUM, &|t| t.ClampColor(GL_CLAMP_VERTEX_COLOR, GL_TRUE)),
            ("a value that is none", GL_INVALID_ENUM, &|t| t.ClampColor(GL_CLAMP_READ_COLOR, GL_LINEAR)),
        ]);
    }

    /// glGetTexImage of targets, levels and formats.
    fn texture_images(t) {
        t.texture(GL_TEXTURE_CUBE_MAP);
        for f in 0..6u8 { t.TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + u32::from(f), 0, GL_RGBA8 as i32, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[[f; 4]])) }
        t.eq("a face", texels(t, GL_TEXTURE_CUBE_MAP_NEGATIVE_Z, 0, 1)[0], [5; 4]);
        t.texture(GL_TEXTURE_2D_ARRAY);
        t.TexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_R8 as i32, 2, 1, 2, 0, GL_RED, GL_UNSIGNED_BYTE, data(&[1u8, 2, 0, 0, 3, 4, 0, 0]));
        t.eq("all layers", texels(t, GL_TEXTURE_2D_ARRAY, 0, 4).iter().map(|p| p[0]).collect::<Vec<_>>(), vec![1, 2, 3, 4]);
        t.texture_2d(GL_R32F, (1, 1), GL_RED, GL_FLOAT, &[1234.5f32]);
        let mut f = 0f32;
        t.GetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_FLOAT, (&raw mut f).cast());
        t.eq("a float", f, 1234.5);
        t.texture_2d(GL_RGBA32I, (1, 1), GL_RGBA_INTEGER, GL_INT, &[1, -2, 3, i32::MIN]);
        let mut i = [0; 4];
        t.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA_INTEGER, GL_INT, i.as_mut_ptr().cast());
        t.eq("integers", i, [1, -2, 3, i32::MIN]);
        t.texture_2d(GL_DEPTH_COMPONENT32F, (1, 1), GL_DEPTH_COMPONENT, GL_FLOAT, &[0.625f32]);
        t.GetTexImage(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT, GL_FLOAT, (&raw mut f).cast());
        t.eq("depth", f, 0.625);
        t.wrong(&[
            ("a target that is none", GL_INVALID_ENUM, &|t| t.GetTexImage(GL_TEXTURE_CUBE_MAP, 0, GL_RGBA, GL_UNSIGNED_BYTE, [0u8; 64].as_mut_ptr().cast())),
            ("a format of another kind", GL_INVALID_OPERATION, &|t| t.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, [0u8; 64].as_mut_ptr().cast())),
            ("a negative level", GL_INVALID_VALUE, &|t| t.GetTexImage(GL_TEXTURE_2D, -1, GL_DEPTH_COMPONENT, GL_FLOAT, [0u8; 64].as_mut_ptr().cast())),
        ]);
    }

    /// What was drawn into a texture is what glGetTexImage gives.
    fn drawn_textures_come_back(t) {
        let (_, name) = t.target(GL_RGBA8, (4, 4));
        t.paint("out vec4 c; void main() { c = vec4(floor(gl_FragCoord.xy) / 255.0, 0, 1); }");
        t.strip();
        t.BindTexture(GL_TEXTURE_2D, name);
        let got = texels(t, GL_TEXTURE_2D, 0, 16);
        t.eq("texel 6", got[6], [2, 1, 0, 255]);
        t.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data(&[[9u8; 4]]));
        let got = texels(t, GL_TEXTURE_2D, 0, 16);
        t.eq("after a part was uploaded", (got[0], got[5]), ([9; 4], [1, 1, 0, 255]));
    }

    /// Textures copied from framebuffers, whole and in parts, also beyond the framebuffer.
    fn copies_to_textures(t) {
        gradient(t);
        t.texture(GL_TEXTURE_2D);
        t.CopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 3, 4, 4, 4, 0);
        t.eq("image", texels(t, GL_TEXTURE_2D, 0, 16)[5], [4, 5, 7, 255]);
        t.CopyTexSubImage2D(GL_TEXTURE_2D, 0, 2, 2, 10, 11, 2, 1);
        let got = texels(t, GL_TEXTURE_2D, 0, 16);
        t.eq("part", (got[10], got[11], got[9], got[14]), ([10, 11, 7, 255], [11, 11, 7, 255], [4, 6, 7, 255], [5, 7, 7, 255]));
        t.CopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, 0, 0, 2, 2, 0);
        t.eq("without alpha", texels(t, GL_TEXTURE_2D, 0, 4)[3], [1, 1, 7, 255]);
        t.CopyTexImage2D(GL_TEXTURE_2D, 0, GL_R8, 2, 0, 2, 2, 0);
        t.eq("of red alone", texels(t, GL_TEXTURE_2D, 0, 4)[1], [3, 0, 0, 255]);
        t.texture(GL_TEXTURE_3D);
        t.TexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8 as i32, 2, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, data(&[[0u8; 4]; 8]));
        t.CopyTexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 1, 6, 6, 2, 2);
        let got = texels(t, GL_TEXTURE_3D, 0, 8);
        t.eq("a slice", (got[0], got[4], got[7]), ([0; 4], [6, 6, 7, 255], [7, 7, 7, 255]));
        t.texture(GL_TEXTURE_1D);
        t.CopyTexImage1D(GL_TEXTURE_1D, 0, GL_RGBA8, 5, 9, 4, 0);
        t.eq("a line", texels(t, GL_TEXTURE_1D, 0, 4)[2], [7, 9, 7, 255]);
        t.texture_2d(GL_RGBA32I, (1, 1), GL_RGBA_INTEGER, GL_INT, &[0; 4]);
        t.wrong(&[
            ("integers of normalised", GL_INVALID_OPERATION, &|t| t.CopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32I, 0, 0, 1, 1, 0)),
            ("depth where there is none", GL_INVALID_OPERATION, &|t| t.CopyTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, 0, 0, 1, 1, 0)),
            ("a part beyond", GL_INVALID_VALUE, &|t| t.CopyTexSubImage2D(GL_TEXTURE_2D, 0, 1, 0, 0, 0, 1, 1)),
        ]);
    }

    /// Copies from the default framebuffer: right way up, and depth too.
    fn copies_from_the_default_framebuffer(t) {
        t.paint(PLAIN);
        t.ClearDepth(0.25);
        t.clear([0.0, 0.0, 0.0, 1.0]);
        t.color([0.0, 1.0, 0.0, 1.0]);
        t.rect([-1.0, -1.0, 1.0, 0.0], 0.0);
        t.texture(GL_TEXTURE_2D);
        t.CopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 0, 0, SIZE, SIZE, 0);
        let got = texels(t, GL_TEXTURE_2D, 0, (SIZE * SIZE) as usize);
        t.eq("lower and upper row", (got[0], got[(SIZE * (SIZE - 1)) as usize]), ([0, 255, 0, 255], [0, 0, 0, 255]));
        t.texture(GL_TEXTURE_2D);
        t.CopyTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, 0, 0, 4, 4, 0);
        let mut depth = [0f32; 16];
        t.GetTexImage(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depth.as_mut_ptr().cast());
        t.near("depth", &depth[..1], &[0.25], 0.001);
    }

    /// Compressed textures: uploaded, told of, and given back as they came.
    fn compressed_textures(t) {
        t.target(GL_RGBA32F, (1, 1));
        // One block of RGTC1: two endpoints, all texels the first.
        let block = [200u8, 10, 0, 0, 0, 0, 0, 0];
        t.texture(GL_TEXTURE_2D);
        t.CompressedTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RED_RGTC1, 4, 4, 0, 8, data(&block));
        t.paint("uniform sampler2D s; out vec4 c; void main() { c = texture(s, vec2(0.5)); }");
        t.strip();
        t.near("sampled", &t.pixel_f32(0, 0), &[200.0 / 255.0, 0.0, 0.0, 1.0], 0.005);
        let get = |name| { let mut v = -1; t.GetTexLevelParameteriv(GL_TEXTURE_2D, 0, name, &mut v); v };
        t.eq("told of", (get(GL_TEXTURE_COMPRESSED), get(GL_TEXTURE_COMPRESSED_IMAGE_SIZE), get(GL_TEXTURE_INTERNAL_FORMAT)), (1, 8, GL_COMPRESSED_RED_RGTC1 as i32));
        let mut back = [0u8; 8];
        t.GetCompressedTexImage(GL_TEXTURE_2D, 0, back.as_mut_ptr().cast());
        t.eq("given back", back, block);
        t.wrong(&[
            ("a size that does not fit", GL_INVALID_VALUE, &|t| t.CompressedTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RED_RGTC1, 4, 4, 0, 7, data(&block))),
            ("a format that is none", GL_INVALID_ENUM, &|t| t.CompressedTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, 8, data(&block))),
        ]);
        t.rgba((1, 1), &[[1; 4]]);
        t.wrong(&[("what is not compressed", GL_INVALID_OPERATION, &|t| t.GetCompressedTexImage(GL_TEXTURE_2D, 0, [0u8; 64].as_mut_ptr().cast()))]);
        let _ = (size(&block), gray(&[]));
    }
}
