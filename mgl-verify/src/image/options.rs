//! What to compare: sizes, rectangles, masks and [`Options`].

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::pixels::Image;

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl Size {
    /// Number of pixels.
    pub fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A rectangle in pixels; the origin is the image's top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rect {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

impl Rect {
    /// The part of the rectangle inside an image of `size`, as column and row ranges.
    pub(super) fn clip(self, size: Size) -> (std::ops::Range<u32>, std::ops::Range<u32>) {
        let end = |start: u32, len: u32, limit: u32| start.saturating_add(len).min(limit);
        let x = self.x.min(size.width)..end(self.x, self.width, size.width);
        let y = self.y.min(size.height)..end(self.y, self.height, size.height);
        (x, y)
    }
}

impl fmt::Display for Rect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}+{}+{}", self.width, self.height, self.x, self.y)
    }
}

/// A rectangle that is left out of every measure, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "MaskFields")]
pub struct Mask {
    /// Short name, as shown in results.
    pub name: String,
    /// Why this part of the image cannot be compared.
    pub reason: String,
    #[serde(flatten)]
    pub rect: Rect,
}

/// A mask as files have it: a flattened struct takes keys that nobody knows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MaskFields {
    name: String,
    reason: String,
    x: u32,
    y: u32,
    width: u32,
    height: u32,
}

impl From<MaskFields> for Mask {
    fn from(fields: MaskFields) -> Self {
        let MaskFields {
            name,
            reason,
            x,
            y,
            width,
            height,
        } = fields;
        Self {
            name,
            reason,
            rect: Rect {
                x,
                y,
                width,
                height,
            },
        }
    }
}

/// A mask together with what it covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MaskUse {
    #[serde(flatten)]
    pub mask: Mask,
    /// Pixels of the image inside the mask; 0 says that the mask lies outside the image.
    pub pixels: u64,
}

/// How two images are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// A pixel mismatches when one of its channels differs by more than this, in steps of 1/255.
    pub tolerance: u8,
    /// Compare the alpha channel too.
    pub alpha: bool,
    /// Compute FLIP, which costs more than all other measures together.
    pub flip: bool,
    /// Parts of the image that are left out.
    pub masks: Vec<Mask>,
}

impl Options {
    /// Number of channels compared, from red on.
    pub(super) fn channels(&self) -> usize {
        if self.alpha { 4 } else { 3 }
    }
}

/// The union of all masks as one flag a pixel; empty when nothing is masked.
#[derive(Default)]
pub(super) struct Masked {
    flags: Vec<bool>,
    width: usize,
}

impl Masked {
    /// Draws `masks` for an image of `size`, and says what each of them covers.
    pub(super) fn new(masks: &[Mask], size: Size) -> (Self, Vec<MaskUse>) {
        let mut masked = Self {
            flags: Vec::new(),
            width: size.width as usize,
        };
        let mut uses = Vec::with_capacity(masks.len());
        for mask in masks {
            let (columns, rows) = mask.rect.clip(size);
            let pixels = u64::from(columns.end - columns.start) * u64::from(rows.end - rows.start);
            if pixels > 0 {
                masked.flags.resize(size.pixels() as usize, false);
                for y in rows {
                    let row = y as usize * masked.width;
                    masked.flags[row + columns.start as usize..row + columns.end as usize]
                        .fill(true);
                }
            }
            uses.push(MaskUse {
                mask: mask.clone(),
                pixels,
            });
        }
        (masked, uses)
    }

    /// The flags of row `y`, or nothing when no pixel of the image is masked.
    pub(super) fn row(&self, y: usize) -> Option<&[bool]> {
        (!self.flags.is_empty()).then(|| &self.flags[y * self.width..][..self.width])
    }

    /// The right image with the left one's pixels where masked, so that no difference is left there.
    pub(super) fn cover<'a>(&self, left: &Image, right: &'a Image) -> Cow<'a, Image> {
        let mut covered = Cow::Borrowed(right);
        for y in 0..left.size().height as usize {
            let Some(flags) = self.row(y) else { break };
            let row = &mut covered.to_mut().pixels_mut()[y * self.width..][..self.width];
            for ((to, from), flag) in row.iter_mut().zip(left.row(y as u32)).zip(flags) {
                if *flag {
                    *to = *from;
                }
            }
        }
        covered
    }

    /// Number of pixels of an image of `size` that are not masked.
    pub(super) fn visible(&self, size: Size) -> u64 {
        size.pixels() - self.flags.iter().filter(|&&masked| masked).count() as u64
    }

    /// Number of masked pixels among columns `x` of row `y`.
    pub(super) fn count(&self, y: usize, x: std::ops::Range<usize>) -> u64 {
        match self.row(y) {
            Some(flags) => flags[x].iter().filter(|&&masked| masked).count() as u64,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(name: &str, x: u32, y: u32, width: u32, height: u32) -> Mask {
        Mask {
            name: name.into(),
            reason: "test".into(),
            rect: Rect {
                x,
                y,
                width,
                height,
            },
        }
    }

    #[test]
    fn masks_are_clipped_united_and_counted() {
        let size = Size {
            width: 10,
            height: 4,
        };
        let masks = [
            mask("edge", 8, 2, 100, u32::MAX),
            mask("over", 7, 2, 2, 1),
            mask("outside", 10, 0, 5, 5),
        ];
        let (masked, uses) = Masked::new(&masks, size);
        let pixels: Vec<u64> = uses.iter().map(|u| u.pixels).collect();
        assert_eq!(pixels, [4, 2, 0]);
        let rows: Vec<u64> = (0..4).map(|y| masked.count(y, 0..10)).collect();
        assert_eq!(rows, [0, 0, 3, 2]);
        assert_eq!(masked.count(2, 0..8), 1);
        assert_eq!(masked.visible(size), 35);
    }

    #[test]
    fn no_mask_costs_no_memory() {
        let size = Size {
            width: 10,
            height: 4,
        };
        let (masked, _) = Masked::new(&[mask("outside", 0, 9, 5, 5)], size);
        assert!(masked.row(0).is_none());
    }
}
