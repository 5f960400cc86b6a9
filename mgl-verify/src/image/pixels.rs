//! [`Image`]: pixels in memory, and PNG files as their form on disk.

use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Seek, Write};
use std::path::{Path, PathBuf};

use ::image::codecs::png::{CompressionType, FilterType, PngEncoder};
use ::image::{
    ColorType, DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder, ImageFormat,
    ImageReader, Limits,
};

use mgl_core::files;

use super::options::Size;

/// Largest side of an image that is read, in pixels.
const MAX_SIDE: u32 = 32_768;
/// Most pixels of an image that is read: 8192 x 8192.
const MAX_PIXELS: u64 = mgl_replay::player::MAX_PIXELS;
/// Most memory that decoding one image may take, in bytes.
const MAX_DECODE_BYTES: u64 = 512 << 20;
/// What a file starts with when a large-file store left a pointer in its place.
const POINTER_PREFIX: &[u8] = b"version https://git-lfs";

/// Why an image could not be made, read or written.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The file cannot be opened or read.
    #[error("{}: cannot read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// The file is not a PNG, is damaged, or exceeds the limits on size and memory.
    #[error("{}: not a readable PNG image: {source}", path.display())]
    Decode {
        path: PathBuf,
        source: ::image::ImageError,
    },
    /// The image is larger than any that is compared.
    #[error("{}: {size} pixels are more than {MAX_PIXELS}", path.display())]
    Large { path: PathBuf, size: Size },
    /// The file is a PNG of a kind that does not fit 8 bits a channel without loss.
    #[error("{}: {kind} pixels are not compared: 8 bits a channel are needed", path.display())]
    Depth { path: PathBuf, kind: String },
    /// The file holds the address of an image and not the image.
    #[error("{}: a pointer of a large-file store, not the image: fetch the real file", path.display())]
    Pointer { path: PathBuf },
    /// The file cannot be created or written.
    #[error("{}: cannot write: {source}", path.display())]
    Write {
        path: PathBuf,
        source: ::image::ImageError,
    },
    /// The bytes given do not make an image of the size given.
    #[error("{got} bytes are not {size} pixels of 4 bytes")]
    Bytes { size: Size, got: usize },
}

/// An 8-bit RGBA image; rows from top to bottom without padding.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    size: Size,
    rgba: Vec<u8>,
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({})", self.size)
    }
}

impl Image {
    /// An image of `width` x `height` pixels from its bytes, `width * height * 4` of them.
    ///
    /// # Errors
    /// [`ImageError::Bytes`] when the number of bytes is another.
    pub fn new(width: u32, height: u32, rgba: Vec<u8>) -> Result<Self, ImageError> {
        let size = Size { width, height };
        if size.pixels().checked_mul(4) != Some(rgba.len() as u64) {
            return Err(ImageError::Bytes {
                size,
                got: rgba.len(),
            });
        }
        Ok(Self { size, rgba })
    }

    /// An image from rows that come from bottom to top, as OpenGL gives them.
    ///
    /// # Errors
    /// As [`Image::new`].
    pub fn from_bottom_up(width: u32, height: u32, rgba: &[u8]) -> Result<Self, ImageError> {
        let rows = rgba.chunks(width.max(1) as usize * 4).rev();
        Self::new(width, height, rows.flatten().copied().collect())
    }

    /// An image whose pixel at (x, y) is `f(x, y)`.
    pub fn from_fn(width: u32, height: u32, mut f: impl FnMut(u32, u32) -> [u8; 4]) -> Self {
        let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
        for y in 0..height {
            for x in 0..width {
                rgba.extend_from_slice(&f(x, y));
            }
        }
        Self {
            size: Size { width, height },
            rgba,
        }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> Size {
        self.size
    }

    /// All pixels, row by row from the top.
    pub fn pixels(&self) -> &[[u8; 4]] {
        bytemuck::cast_slice(&self.rgba)
    }

    /// All pixels, to be changed in place.
    pub fn pixels_mut(&mut self) -> &mut [[u8; 4]] {
        bytemuck::cast_slice_mut(&mut self.rgba)
    }

    /// Row `y`; panics when there is no such row.
    pub fn row(&self, y: u32) -> &[[u8; 4]] {
        let width = self.size.width as usize;
        &self.pixels()[y as usize * width..][..width]
    }

    /// The bytes: R, G, B, A of each pixel in turn.
    pub fn as_bytes(&self) -> &[u8] {
        &self.rgba
    }

    /// xxh3-128 over the size and all bytes; equal images, and in practice no others, share it.
    pub fn digest(&self) -> u128 {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        hash.update(&self.size.width.to_le_bytes());
        hash.update(&self.size.height.to_le_bytes());
        hash.update(&self.rgba);
        hash.digest128()
    }

    /// Reads a PNG file. Grey, palette and RGB images are widened to RGBA with alpha 255.
    ///
    /// # Errors
    /// All of [`ImageError`] but `Write` and `Bytes`; each names the file.
    pub fn load(path: &Path) -> Result<Self, ImageError> {
        let read = |source| ImageError::Read {
            path: path.to_owned(),
            source,
        };
        let mut file = BufReader::new(files::open(path).map_err(read)?);
        if file.fill_buf().map_err(read)?.starts_with(POINTER_PREFIX) {
            return Err(ImageError::Pointer {
                path: path.to_owned(),
            });
        }
        Self::decode(file, path)
    }

    /// Decodes a PNG file held in memory; `name` stands for the file in errors.
    ///
    /// # Errors
    /// As [`Image::load`].
    pub fn from_png(bytes: &[u8], name: &Path) -> Result<Self, ImageError> {
        Self::decode(Cursor::new(bytes), name)
    }

    fn decode(source: impl BufRead + Seek, path: &Path) -> Result<Self, ImageError> {
        let mut reader = ImageReader::with_format(source, ImageFormat::Png);
        let mut limits = Limits::default();
        limits.max_image_width = Some(MAX_SIDE);
        limits.max_image_height = Some(MAX_SIDE);
        limits.max_alloc = Some(MAX_DECODE_BYTES);
        reader.limits(limits.clone());
        let damaged = |source| ImageError::Decode {
            path: path.to_owned(),
            source,
        };
        let mut decoder = reader.into_decoder().map_err(damaged)?;
        let (width, height) = decoder.dimensions();
        let size = Size { width, height };
        if size.pixels() > MAX_PIXELS {
            let path = path.to_owned();
            return Err(ImageError::Large { path, size });
        }
        decoder.set_limits(limits).map_err(damaged)?;
        let decoded = DynamicImage::from_decoder(decoder).map_err(damaged)?;
        match decoded.color() {
            ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8 => {}
            other => {
                return Err(ImageError::Depth {
                    path: path.to_owned(),
                    kind: format!("{other:?}"),
                });
            }
        }
        let rgba = decoded.into_rgba8();
        Self::new(rgba.width(), rgba.height(), rgba.into_raw())
    }

    /// Writes the image as a PNG file, replacing what was there.
    ///
    /// # Errors
    /// [`ImageError::Write`], naming the file.
    pub fn save(&self, path: &Path) -> Result<(), ImageError> {
        let write = |source| ImageError::Write {
            path: path.to_owned(),
            source,
        };
        let file = files::create(path, files::PATIENCE).map_err(|e| write(e.into()))?;
        let mut file = BufWriter::new(file);
        self.encode(&mut file).map_err(write)?;
        file.flush().map_err(|e| write(e.into()))
    }

    /// The bytes of a PNG file.
    ///
    /// # Errors
    /// [`ImageError::Write`]: the image has no pixels.
    pub fn to_png(&self) -> Result<Vec<u8>, ImageError> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes)
            .map_err(|source| ImageError::Write {
                path: PathBuf::from("PNG"),
                source,
            })?;
        Ok(bytes)
    }

    fn encode(&self, to: impl Write) -> Result<(), ::image::ImageError> {
        // Frames are written by the hundred: speed counts for more than the last tenth of size.
        PngEncoder::new_with_quality(to, CompressionType::Fast, FilterType::Adaptive).write_image(
            &self.rgba,
            self.size.width,
            self.size.height,
            ExtendedColorType::Rgba8,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Image {
        Image::from_fn(19, 7, |x, y| [x as u8 * 13, y as u8 * 30, 7, 200 - x as u8])
    }

    #[test]
    fn png_round_trip_keeps_every_byte() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("a.png");
        sample().save(&path).expect("save");
        let back = Image::load(&path).expect("load");
        assert_eq!(back, sample());
        assert_eq!(back.digest(), sample().digest());
        let bytes = std::fs::read(&path).expect("read");
        assert_eq!(Image::from_png(&bytes, &path).expect("decode"), sample());
    }

    #[test]
    fn digest_sees_size_and_pixels() {
        let flat = |w, h| Image::from_fn(w, h, |_, _| [9; 4]);
        assert_ne!(flat(4, 6).digest(), flat(6, 4).digest());
        let mut changed = sample();
        changed.pixels_mut()[40][2] ^= 1;
        assert_ne!(changed.digest(), sample().digest());
    }

    #[test]
    fn wrong_byte_count_is_refused() {
        let error = Image::new(3, 2, vec![0; 23]).expect_err("23 bytes are no 3x2 image");
        assert_eq!(error.to_string(), "23 bytes are not 3x2 pixels of 4 bytes");
        assert!(Image::new(u32::MAX, u32::MAX, vec![]).is_err());
    }

    #[test]
    fn rows_from_the_bottom_are_turned() {
        let rgba: Vec<u8> = (0..24).collect();
        let image = Image::from_bottom_up(2, 3, &rgba).expect("24 bytes are 2x3 pixels");
        assert_eq!(image.row(0), [[16, 17, 18, 19], [20, 21, 22, 23]]);
        assert_eq!(image.row(2), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert!(Image::from_bottom_up(2, 3, &rgba[..20]).is_err());
        assert!(Image::from_bottom_up(0, 0, &[]).is_ok());
    }

    #[test]
    fn unreadable_files_are_named() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let missing = dir.path().join("none.png");
        let error = Image::load(&missing).expect_err("no such file");
        assert!(matches!(error, ImageError::Read { .. }), "{error}");
        assert!(error.to_string().contains("none.png"), "{error}");

        let pointer = dir.path().join("pointer.png");
        std::fs::write(&pointer, "version https://git-lfs.github.com/spec/v1\noid").expect("write");
        let error = Image::load(&pointer).expect_err("a pointer is no image");
        assert!(matches!(error, ImageError::Pointer { .. }), "{error}");

        let cut = dir.path().join("cut.png");
        sample().save(&cut).expect("save");
        let bytes = std::fs::read(&cut).expect("read");
        for keep in [0, 7, 20, bytes.len() / 2] {
            std::fs::write(&cut, &bytes[..keep]).expect("write");
            let error = Image::load(&cut).expect_err("cut file");
            assert!(
                matches!(error, ImageError::Decode { .. }),
                "{keep}: {error}"
            );
        }
    }

    #[test]
    fn sixteen_bit_files_are_refused_not_rounded() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = dir.path().join("deep.png");
        let mut bytes = Vec::new();
        PngEncoder::new(&mut bytes)
            .write_image(&[0; 8], 2, 2, ExtendedColorType::L16)
            .expect("encode");
        std::fs::write(&path, bytes).expect("write");
        let error = Image::load(&path).expect_err("16 bits a channel");
        assert!(matches!(error, ImageError::Depth { .. }), "{error}");
    }
}
