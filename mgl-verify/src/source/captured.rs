//! What the library that keeps frames of the system's GL left in its folder (mgl-record/capture/capture.c).

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::image::Image;

use super::SourceError;

/// Appears when every frame asked for is there.
pub(super) const DONE: &str = "done";

/// Names of the system's GL driver, as it gives them itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemDriver {
    /// GL_VENDOR.
    pub vendor: String,
    /// GL_RENDERER.
    pub renderer: String,
    /// GL_VERSION of the program's context.
    pub version: String,
}

/// Images that were made on the system's GL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemImages {
    pub driver: SystemDriver,
    /// The frames and the PNG files of their images, in the order that they were asked for.
    pub frames: Vec<(u64, PathBuf)>,
}

fn raw(folder: &Path, frame: u64) -> PathBuf {
    folder.join(format!("{frame:06}.frame"))
}

/// The frames that are not there.
pub(super) fn missing(folder: &Path, frames: &[u64]) -> Vec<u64> {
    let absent = |frame: &u64| !raw(folder, *frame).exists();
    frames.iter().copied().filter(absent).collect()
}

/// Makes PNG files in `out` of the frames in `folder`.
pub(super) fn collect(
    folder: &Path,
    frames: &[u64],
    out: &Path,
) -> Result<SystemImages, SourceError> {
    fs::create_dir_all(out).map_err(|e| SourceError::io(out, e))?;
    let strings = folder.join("driver.txt");
    let text = fs::read_to_string(&strings).map_err(|e| SourceError::io(&strings, e))?;
    let mut lines = text.lines().map(str::to_owned);
    let mut next = || lines.next().unwrap_or_default();
    let driver = SystemDriver {
        vendor: next(),
        renderer: next(),
        version: next(),
    };
    let frames = frames.par_iter().map(|&frame| {
        let path = raw(folder, frame);
        let bytes = fs::read(&path).map_err(|e| SourceError::io(&path, e))?;
        let image = parse(&bytes).map_err(|what| {
            SourceError::io(
                &path,
                std::io::Error::new(std::io::ErrorKind::InvalidData, what),
            )
        })?;
        let png = out.join(format!("{frame:06}.png"));
        image.save(&png)?;
        Ok((frame, png))
    });
    let frames = frames.collect::<Result<_, SourceError>>()?;
    Ok(SystemImages { driver, frames })
}

/// A frame as the library writes it.
fn parse(bytes: &[u8]) -> Result<Image, String> {
    let Some((header, rgba)) = bytes.split_first_chunk::<16>() else {
        return Err("cut short".to_owned());
    };
    if &header[..8] != b"MGLFRAME" {
        return Err("not a kept frame".to_owned());
    }
    let word = |at: usize| {
        u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    let mut image = Image::from_bottom_up(word(8), word(12), rgba).map_err(|e| e.to_string())?;
    // What a window shows has no alpha; what lies in that channel differs from driver to driver.
    for pixel in image.pixels_mut() {
        pixel[3] = 255;
    }
    Ok(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(width: u32, height: u32, rgba: &[u8]) -> Vec<u8> {
        let mut bytes = b"MGLFRAME".to_vec();
        bytes.extend(width.to_le_bytes());
        bytes.extend(height.to_le_bytes());
        bytes.extend(rgba);
        bytes
    }

    #[test]
    fn rows_are_turned_over_and_alpha_is_dropped() {
        let image = parse(&frame(1, 2, &[1, 2, 3, 4, 5, 6, 7, 8])).expect("a frame");
        assert_eq!(image.pixels(), [[5, 6, 7, 255], [1, 2, 3, 255]]);
    }

    #[test]
    fn damaged_frames_are_refused() {
        let whole = frame(1, 2, &[0; 8]);
        for len in 0..whole.len() {
            assert!(parse(&whole[..len]).is_err(), "{len} bytes");
        }
        assert!(parse(&frame(u32::MAX, u32::MAX, &[0; 8])).is_err());
        assert!(parse(&[0; 24]).is_err());
    }

    #[test]
    fn missing_frames_are_named() {
        let folder = tempfile::tempdir().expect("temporary folder");
        fs::write(raw(folder.path(), 7), frame(1, 1, &[9; 4])).expect("write");
        assert_eq!(missing(folder.path(), &[3, 7, 8]), [3, 8]);
        let out = folder.path().join("out");
        assert!(collect(folder.path(), &[7], &out).is_err(), "driver.txt");
        fs::write(folder.path().join("driver.txt"), "a\nb\nc\n").expect("write");
        let images = collect(folder.path(), &[7], &out).expect("collected");
        assert_eq!(images.driver.version, "c");
        let image = Image::load(&images.frames[0].1).expect("a PNG file");
        assert_eq!(image.pixels(), [[9, 9, 9, 255]]);
        assert!(out.join("000007.png").exists());
        assert!(collect(folder.path(), &[3], &out).is_err());
    }
}
