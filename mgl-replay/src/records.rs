//! What follows from a record alone, for every back end: the shape of an upload, the part of a copy that exists.

use mgl_core::handle::FramebufferHandle;
use mgl_core::pipe::{
    Box3, CopyToTexture, FramebufferState, NO_BUFFER, SubData, SubDataFlags, SubRegion,
};
use mgl_core::program::Reflection;

/// Whether an upload goes up as its union box: a pure function of the record. Otherwise each region goes up. Above
/// `many_regions` one upload is cheaper than many calls.
pub fn takes_box(d: &SubData, regions: &[SubRegion], many_regions: usize) -> bool {
    if regions.is_empty() {
        return true;
    }
    if !d.flags.has(SubDataFlags::UNION_WHOLE) {
        return false;
    }
    let volume = |b: &Box3| u64::from(b.width) * u64::from(b.height) * u64::from(b.depth);
    let sum: u64 = regions.iter().map(|r| volume(&r.area)).sum();
    regions.len() > many_regions || sum * 4 >= volume(&d.union_box) * 3
}

/// Whether the one colour of a program goes to back and front of a window: GL_FRONT_AND_BACK is pushed as two draw
/// buffers (GL 4.6 §17.4.1). Where two were asked for, what a program does not write is undefined.
pub fn goes_to_both(f: &FramebufferState, r: &Reflection) -> bool {
    f.framebuffer == FramebufferHandle::DEFAULT
        && f.draw_buffers[..2] == [0, 1]
        && f.draw_buffers[2..].iter().all(|b| *b == NO_BUFFER)
        && r.outputs
            .iter()
            .all(|o| (o.location, o.size, o.index) == (0, 1, 0))
}

/// The part of a copy that is inside a framebuffer of this size: its first pixel, and where it goes.
pub fn clip(c: &CopyToTexture, width: u32, height: u32) -> Option<(i32, i32, Box3)> {
    let axis = |at: i32, n: u32, limit: u32| {
        let (from, to) = (
            i64::from(at).max(0),
            (i64::from(at) + i64::from(n)).min(i64::from(limit)),
        );
        (to > from).then(|| {
            (
                from as i32,
                (from - i64::from(at)) as u32,
                (to - from) as u32,
            )
        })
    };
    let (x, dx, w) = axis(c.x, c.area.width, width)?;
    let (y, dy, h) = axis(c.y, c.area.height, height)?;
    let area = Box3 {
        x: c.area.x + dx,
        y: c.area.y + dy,
        width: w,
        height: h,
        ..c.area
    };
    Some((x, y, area))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_clipped_to_the_framebuffer() {
        let copy = |x, y, width, height| CopyToTexture {
            x,
            y,
            area: Box3 {
                x: 10,
                y: 20,
                z: 3,
                width,
                height,
                depth: 1,
            },
            ..CopyToTexture::default()
        };
        let area = |x, y, width, height| Box3 {
            x,
            y,
            z: 3,
            width,
            height,
            depth: 1,
        };
        assert_eq!(
            clip(&copy(1, 2, 3, 4), 8, 8),
            Some((1, 2, area(10, 20, 3, 4)))
        );
        assert_eq!(
            clip(&copy(-2, 6, 4, 4), 8, 8),
            Some((0, 6, area(12, 20, 2, 2)))
        );
        assert_eq!(clip(&copy(8, 0, 1, 1), 8, 8), None);
        assert_eq!(clip(&copy(i32::MAX, 0, u32::MAX, 1), 8, 8), None);
    }
}
