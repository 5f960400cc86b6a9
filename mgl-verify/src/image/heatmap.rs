//! [`heatmap`]: a picture of where two images differ.

use super::clusters::clusters;
use super::difference::difference;
use super::options::{Masked, Options, Rect};
use super::pixels::Image;

/// Colours from the smallest difference to the largest.
const RAMP: [[f32; 3]; 5] = [
    [40.0, 40.0, 160.0],
    [130.0, 40.0, 170.0],
    [225.0, 60.0, 80.0],
    [250.0, 165.0, 40.0],
    [255.0, 255.0, 190.0],
];
const OUTLINE: [u8; 4] = [0, 255, 255, 255];
const HATCH: [u8; 4] = [70, 110, 70, 255];
/// Brightness of the picture below the colours.
const DIM: f32 = 0.3;

/// Draws the difference of two images: `left` in dim grey, each differing pixel in a colour from blue
/// (1/255) over red to light yellow (255/255), a cyan box around each cluster of mismatching pixels,
/// masked parts hatched. Nothing when the sizes differ.
pub fn heatmap(left: &Image, right: &Image, options: &Options) -> Option<Image> {
    let size = left.size();
    if size != right.size() {
        return None;
    }
    let (masked, _) = Masked::new(&options.masks, size);
    let (map, _) = difference(left, &masked.cover(left, right), options);
    let mut picture = Image::from_fn(size.width, size.height, |x, y| {
        let is_masked = masked.row(y as usize).is_some_and(|row| row[x as usize]);
        match map.row(y as usize)[x as usize] {
            _ if is_masked && (x + y) % 6 < 2 => HATCH,
            0 => dimmed(left.row(y)[x as usize]),
            difference => heat(difference),
        }
    });
    for cluster in clusters(&map, options.tolerance).largest {
        outline(&mut picture, cluster.rect);
    }
    Some(picture)
}

fn dimmed([r, g, b, _]: [u8; 4]) -> [u8; 4] {
    let luma = 0.2126 * f32::from(r) + 0.7152 * f32::from(g) + 0.0722 * f32::from(b);
    let grey = (luma * DIM) as u8;
    [grey, grey, grey, 255]
}

/// The colour of a difference; small ones are spread out, since they are the ones hard to see.
fn heat(difference: u8) -> [u8; 4] {
    let position = (f32::from(difference) / 255.0).sqrt() * (RAMP.len() - 1) as f32;
    let below = (position as usize).min(RAMP.len() - 2);
    let part = position - below as f32;
    let channel = |c: usize| (RAMP[below][c] * (1.0 - part) + RAMP[below + 1][c] * part) as u8;
    [channel(0), channel(1), channel(2), 255]
}

/// A box two pixels outside `rect`, where the image has room for it.
fn outline(picture: &mut Image, rect: Rect) {
    let size = picture.size();
    let (left, top) = (rect.x.saturating_sub(2), rect.y.saturating_sub(2));
    let right = (rect.x + rect.width + 1).min(size.width - 1);
    let bottom = (rect.y + rect.height + 1).min(size.height - 1);
    let at = |x: u32, y: u32| (y * size.width + x) as usize;
    let pixels = picture.pixels_mut();
    for x in left..=right {
        pixels[at(x, top)] = OUTLINE;
        pixels[at(x, bottom)] = OUTLINE;
    }
    for y in top..=bottom {
        pixels[at(left, y)] = OUTLINE;
        pixels[at(right, y)] = OUTLINE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::options::Mask;

    #[test]
    fn differences_stand_out_and_sizes_must_agree() {
        let left = Image::from_fn(60, 40, |_, _| [255; 4]);
        let mut right = left.clone();
        right.pixels_mut()[20 * 60 + 30] = [0, 0, 0, 255];
        let options = Options {
            masks: vec![Mask {
                name: "clock".into(),
                reason: "shows the time".into(),
                rect: Rect {
                    x: 0,
                    y: 30,
                    width: 12,
                    height: 10,
                },
            }],
            ..Options::default()
        };
        let picture = heatmap(&left, &right, &options).expect("sizes agree");
        let at = |x: usize, y: usize| picture.pixels()[y * 60 + x];
        assert_eq!(at(30, 20), [255, 255, 190, 255], "full difference");
        assert_eq!(at(50, 5), [76, 76, 76, 255], "dim background");
        assert_eq!((at(28, 18), at(32, 22)), (OUTLINE, OUTLINE), "box corners");
        assert_eq!(at(0, 30), HATCH, "mask");
        let small = Image::from_fn(59, 40, |_, _| [255; 4]);
        assert!(heatmap(&left, &small, &options).is_none());
    }

    #[test]
    fn outlines_stay_inside() {
        let left = Image::from_fn(3, 2, |_, _| [0; 4]);
        let right = Image::from_fn(3, 2, |_, _| [9; 4]);
        let picture = heatmap(&left, &right, &Options::default()).expect("sizes agree");
        assert_eq!(picture.pixels()[0], OUTLINE);
        assert_eq!(picture.pixels()[5], OUTLINE);
    }

    #[test]
    fn colours_grow_brighter_with_the_difference() {
        let brightness = |d: u8| heat(d).iter().map(|&c| u32::from(c)).sum::<u32>();
        let steps: Vec<u32> = (1..=255).step_by(16).map(brightness).collect();
        assert!(steps.is_sorted_by(|a, b| a < b), "{steps:?}");
    }
}
