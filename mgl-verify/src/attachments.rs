//! [`save`]: the attachments of a framebuffer as files, for `mgl replay --dump-verb`.
//!
//! Colours of at most eight bits a channel, and stencils, become PNG. Everything else is written as it is: numbers of 32
//! bits, little-endian, row by row from the top, without a header; depth gets a picture beside its numbers.

use std::io;
use std::path::{Path, PathBuf};

use mgl_core::files;
use mgl_core::format::{ComponentClass, FormatInfo};
use mgl_replay::attachments::{AttachmentImage, FramebufferImage};
use mgl_replay::texels::{Texel, decode};
use serde::Serialize;

use crate::image::{Image, ImageError};

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SavedAttachment {
    /// `color0` to `color7`, `depth`, `stencil`.
    pub name: String,
    /// OpenGL's name of its format.
    pub format: String,
    pub width: u32,
    pub height: u32,
    pub samples: u32,
    #[serde(serialize_with = "files::lossy")]
    pub file: PathBuf,
    /// `png`, or the numbers a raw file holds: `f32`, `i32` or `u32`.
    pub kind: &'static str,
    /// Numbers a pixel of a raw file.
    pub components: u32,
}

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Image(#[from] ImageError),
}

/// Writes the attachments into a folder as `FRAME-VERB-NAME.png`, `.f32`, `.i32` or `.u32`.
///
/// # Errors
/// A file cannot be written.
pub fn save(
    image: &FramebufferImage,
    frame: u64,
    verb: u32,
    folder: &Path,
) -> Result<Vec<SavedAttachment>, SaveError> {
    std::fs::create_dir_all(folder).map_err(|source| SaveError::Io {
        path: folder.to_owned(),
        source,
    })?;
    let mut out = Vec::new();
    for a in &image.attachments {
        let stem = folder.join(format!("{frame:06}-{verb:05}-{}", a.name));
        save_one(a, &stem, &mut out)?;
    }
    Ok(out)
}

fn save_one(
    a: &AttachmentImage,
    stem: &Path,
    out: &mut Vec<SavedAttachment>,
) -> Result<(), SaveError> {
    let Some(info) = a.format.info() else {
        return Ok(());
    };
    let row = a.width as usize * info.bytes as usize;
    let texels: Vec<Texel> = a
        .bytes
        .chunks_exact(row.max(1))
        .rev()
        .flat_map(|row| row.chunks_exact(info.bytes as usize))
        .map(|texel| decode(info, texel))
        .collect();
    let mut add = |kind: &'static str, components: u32| {
        let file = stem.with_extension(kind);
        out.push(SavedAttachment {
            name: a.name.clone(),
            format: info.name.to_owned(),
            width: a.width,
            height: a.height,
            samples: a.samples,
            file: file.clone(),
            kind,
            components,
        });
        file
    };
    let picture = |pixel: &dyn Fn(&Texel) -> [u8; 4]| {
        Image::new(a.width, a.height, texels.iter().flat_map(pixel).collect())
    };
    match a.name.as_str() {
        "depth" => {
            raw(
                &add("f32", 1),
                texels.iter().map(|t| (t[0] as f32).to_le_bytes()),
            )?;
            // Depths crowd together: the picture shows them from the least to the greatest.
            let depths = || texels.iter().map(|t| t[0]).filter(|d| d.is_finite());
            let low = depths().fold(f64::INFINITY, f64::min);
            let high = depths().fold(f64::NEG_INFINITY, f64::max);
            let scale = if high > low {
                255.0 / (high - low)
            } else {
                0.0
            };
            let grey = |t: &Texel| {
                let v = ((t[0] - low) * scale).round() as u8;
                [v, v, v, 255]
            };
            picture(&grey)?.save(&add("png", 0))?;
        }
        "stencil" => {
            let grey = |t: &Texel| [t[1] as u8, t[1] as u8, t[1] as u8, 255];
            picture(&grey)?.save(&add("png", 0))?;
        }
        _ if is_eight_bit(info) => {
            let byte = |v: f64| (v * 255.0).round() as u8;
            picture(&|t| t.map(byte))?.save(&add("png", 0))?;
        }
        _ => {
            let n = info.color_components();
            let each = texels.iter().flat_map(|t| t[..n as usize].iter());
            match info.class {
                ComponentClass::Sint => {
                    raw(&add("i32", n), each.map(|v| (*v as i32).to_le_bytes()))?
                }
                ComponentClass::Uint => {
                    raw(&add("u32", n), each.map(|v| (*v as u32).to_le_bytes()))?
                }
                _ => raw(&add("f32", n), each.map(|v| (*v as f32).to_le_bytes()))?,
            }
        }
    }
    Ok(())
}

/// Whether a PNG of eight bits a channel holds all of it.
fn is_eight_bit(info: &FormatInfo) -> bool {
    let b = info.bits;
    let most = b.red.max(b.green).max(b.blue).max(b.alpha);
    info.class == ComponentClass::Unorm && most <= 8
}

fn raw(path: &Path, numbers: impl Iterator<Item = [u8; 4]>) -> Result<(), SaveError> {
    let bytes: Vec<u8> = numbers.flatten().collect();
    files::write(path, &bytes).map_err(|source| SaveError::Io {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgl_core::format::Format;
    use mgl_core::pipe::Op;

    fn saved(
        name: &str,
        format: Format,
        bytes: Vec<u8>,
    ) -> (Vec<SavedAttachment>, tempfile::TempDir) {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let image = FramebufferImage {
            op: Op::Clear,
            attachments: vec![AttachmentImage {
                name: name.to_owned(),
                format,
                width: 1,
                height: 2,
                samples: 0,
                bytes,
            }],
            unread: Vec::new(),
        };
        let files = save(&image, 3, 14, dir.path()).expect("written");
        (files, dir)
    }

    #[test]
    fn eight_bits_are_a_picture_from_the_top() {
        let (files, _dir) = saved("color0", Format::RGBA8, vec![1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(files[0].file.ends_with("000003-00014-color0.png"));
        let image = Image::load(&files[0].file).expect("a picture");
        assert_eq!(image.pixels(), [[5, 6, 7, 8], [1, 2, 3, 4]]);
    }

    #[test]
    fn other_numbers_are_written_as_they_are() {
        let bytes: Vec<u8> = [1.5_f32, -2.0]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        let (files, _dir) = saved("color1", Format::R32F, bytes);
        assert_eq!((files[0].kind, files[0].components), ("f32", 1));
        let read = std::fs::read(&files[0].file).expect("written");
        let expected: Vec<u8> = [-2.0_f32, 1.5]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        assert_eq!(read, expected);
        let (files, _dir) = saved(
            "color0",
            Format::R32I,
            [7_i32, -9].map(i32::to_le_bytes).concat(),
        );
        assert_eq!(files[0].kind, "i32");
        assert_eq!(
            std::fs::read(&files[0].file).expect("written"),
            [-9_i32, 7].map(i32::to_le_bytes).concat()
        );
    }

    #[test]
    fn depth_is_numbers_and_a_picture() {
        let bytes = [0.25_f32, 0.5].map(f32::to_le_bytes).concat();
        let (files, _dir) = saved("depth", Format::DEPTH_COMPONENT32F, bytes);
        assert_eq!(
            files.iter().map(|f| f.kind).collect::<Vec<_>>(),
            ["f32", "png"]
        );
        let read = std::fs::read(&files[0].file).expect("written");
        assert_eq!(read, [0.5_f32, 0.25].map(f32::to_le_bytes).concat());
        let picture = Image::load(&files[1].file).expect("a picture");
        assert_eq!(picture.pixels(), [[255, 255, 255, 255], [0, 0, 0, 255]]);
    }
}
