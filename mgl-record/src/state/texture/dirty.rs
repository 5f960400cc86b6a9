//! Which boxes of an image the application changed since they were last sent (design: pipe contract 3.5).
//!
//! Up to [`MAX_BOXES`] boxes are kept apart; a further one is merged into the box that grows least by it. As soon as the
//! boxes cover three quarters of their union, the union replaces them. Both say more than what was changed, which is
//! right only as long as the shadow holds the rest as well: images that the GPU wrote into keep every box
//! ([`DirtyRegions::add_exact`]).

use mgl_core::pipe::Box3;

/// Boxes kept apart.
pub const MAX_BOXES: usize = 96;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirtyRegions {
    boxes: Vec<Box3>,
    union: Box3,
    /// Sum of the boxes' volumes; what overlaps counts twice.
    volume: u64,
}

/// Texels of a box.
#[must_use]
pub fn volume(b: &Box3) -> u64 {
    u64::from(b.width) * u64::from(b.height) * u64::from(b.depth)
}

/// Whether `a` holds all of `b`.
fn holds(a: &Box3, b: &Box3) -> bool {
    let within = |at: u32, n: u32, to: u32, m: u32| at <= to && to + m <= at + n;
    within(a.x, a.width, b.x, b.width)
        && within(a.y, a.height, b.y, b.height)
        && within(a.z, a.depth, b.z, b.depth)
}

/// The smallest box around two.
fn around(a: &Box3, b: &Box3) -> Box3 {
    let span = |p: u32, n: u32, q: u32, m: u32| {
        let start = p.min(q);
        (start, (p + n).max(q + m) - start)
    };
    let (x, width) = span(a.x, a.width, b.x, b.width);
    let (y, height) = span(a.y, a.height, b.y, b.height);
    let (z, depth) = span(a.z, a.depth, b.z, b.depth);
    Box3 {
        x,
        y,
        z,
        width,
        height,
        depth,
    }
}

impl DirtyRegions {
    /// Whether nothing was changed.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.boxes.is_empty()
    }
    /// The boxes, in no order.
    #[must_use]
    pub fn boxes(&self) -> &[Box3] {
        &self.boxes
    }
    /// The smallest box around all; zero when nothing was changed.
    #[must_use]
    pub fn union(&self) -> Box3 {
        self.union
    }
    /// Forgets all boxes, and keeps their memory.
    pub fn clear(&mut self) {
        self.boxes.clear();
        self.union = Box3::default();
        self.volume = 0;
    }
    /// Replaces everything by one box.
    pub fn set(&mut self, b: Box3) {
        self.clear();
        self.add(b);
    }

    /// Adds a box; texels around it may be counted as changed too.
    pub fn add(&mut self, b: Box3) {
        if !self.push(b) {
            return;
        }
        if self.boxes.len() > MAX_BOXES {
            self.merge_last();
        }
        let whole = volume(&self.union);
        if self.volume.saturating_mul(4) >= whole.saturating_mul(3) {
            self.boxes.clear();
            self.boxes.push(self.union);
            self.volume = whole;
        }
    }

    /// Adds a box and nothing around it.
    pub fn add_exact(&mut self, b: Box3) {
        self.push(b);
    }

    /// Adds a box unless it is empty or covered already.
    fn push(&mut self, b: Box3) -> bool {
        if volume(&b) == 0 || self.boxes.iter().any(|k| holds(k, &b)) {
            return false;
        }
        self.union = if self.boxes.is_empty() {
            b
        } else {
            around(&self.union, &b)
        };
        self.boxes.push(b);
        self.volume += volume(&b);
        true
    }

    /// Merges the last box into the one that grows least by it.
    fn merge_last(&mut self) {
        let Some(b) = self.boxes.pop() else { return };
        let growth = |k: &Box3| volume(&around(k, &b)) - volume(k);
        if let Some(k) = self.boxes.iter_mut().min_by_key(|k| growth(k)) {
            *k = around(k, &b);
        }
        self.volume = self.boxes.iter().map(volume).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIDE: u32 = 24;

    fn cells(boxes: &[Box3]) -> Vec<bool> {
        let mut map = vec![false; (SIDE * SIDE) as usize];
        for b in boxes {
            for y in b.y..b.y + b.height {
                for x in b.x..b.x + b.width {
                    map[(y * SIDE + x) as usize] = true;
                }
            }
        }
        map
    }

    fn boxes() -> impl Strategy<Value = Vec<Box3>> {
        let side = (0..SIDE).prop_flat_map(|at| (Just(at), 0..=(SIDE - at).min(5)));
        let one = (side.clone(), side).prop_map(|((x, width), (y, height))| Box3 {
            x,
            y,
            width,
            height,
            depth: 1,
            z: 0,
        });
        proptest::collection::vec(one, 0..220)
    }

    fn bounds(map: &[bool]) -> Option<(u32, u32, u32, u32)> {
        let on = |i: &usize| map[*i];
        let all = || (0..map.len()).filter(on).map(|i| i as u32);
        let x0 = all().map(|i| i % SIDE).min()?;
        let x1 = all().map(|i| i % SIDE).max()?;
        let y0 = all().map(|i| i / SIDE).min()?;
        let y1 = all().map(|i| i / SIDE).max()?;
        Some((x0, y0, x1 + 1 - x0, y1 + 1 - y0))
    }

    proptest! {
        #[test]
        fn a_bitmap_agrees(list in boxes()) {
            let truth = cells(&list);
            let (mut merged, mut exact) = (DirtyRegions::default(), DirtyRegions::default());
            for b in &list {
                merged.add(*b);
                exact.add_exact(*b);
                prop_assert!(merged.boxes().len() <= MAX_BOXES);
                let covered: u64 = merged.boxes().iter().map(volume).sum();
                let one = merged.boxes().len() == 1;
                prop_assert!(one || merged.is_empty() || covered * 4 < volume(&merged.union()) * 3);
            }
            prop_assert_eq!(cells(exact.boxes()), truth.clone(), "exact boxes cover what changed");
            let said = cells(merged.boxes());
            prop_assert!(truth.iter().zip(&said).all(|(t, s)| *s || !*t), "nothing changed is missing");
            for d in [&merged, &exact] {
                let u = d.union();
                prop_assert_eq!(bounds(&truth), (!d.is_empty()).then_some((u.x, u.y, u.width, u.height)));
            }
            let few = list.iter().filter(|b| volume(b) > 0).count() <= MAX_BOXES;
            let sum: u64 = list.iter().map(volume).sum();
            if few && sum * 4 < volume(&merged.union()) * 3 {
                // Neither rule could have been used at any time if it is not usable for all together and the union
                // never shrinks; a prefix may be dense, so only an upper bound holds there.
                let dense_prefix = (1..=list.len()).any(|n| {
                    let mut d = DirtyRegions::default();
                    for b in &list[..n] { d.add_exact(*b); }
                    d.boxes().len() > 1
                        && d.boxes().iter().map(volume).sum::<u64>() * 4 >= volume(&d.union()) * 3
                });
                if !dense_prefix {
                    prop_assert_eq!(said, truth, "boxes that neither rule merges stay exact");
                }
            }
        }
    }

    fn cell(x: u32, y: u32) -> Box3 {
        Box3 {
            x,
            y,
            z: 0,
            width: 1,
            height: 1,
            depth: 1,
        }
    }

    #[test]
    fn the_union_takes_over_at_three_quarters() {
        let mut d = DirtyRegions::default();
        d.add(cell(0, 0));
        d.add(cell(1, 1));
        assert_eq!(d.boxes().len(), 2, "two cells of four");
        d.add(cell(1, 0));
        assert_eq!(d.boxes(), [d.union()], "three cells of four");
        assert_eq!((d.union().width, d.union().height), (2, 2));
        d.add(cell(0, 1));
        assert_eq!(d.boxes().len(), 1, "covered already");
        d.clear();
        assert!(d.is_empty() && d.union() == Box3::default());
    }

    #[test]
    fn the_ninety_seventh_box_merges_with_its_neighbour() {
        let mut d = DirtyRegions::default();
        for i in 0..MAX_BOXES as u32 {
            d.add(cell(10 * i, 0));
        }
        assert_eq!(d.boxes().len(), MAX_BOXES);
        d.add(cell(953, 0));
        assert_eq!(d.boxes().len(), MAX_BOXES);
        assert!(d.boxes().iter().any(|b| b.x == 950 && b.width == 4));
        assert_eq!(d.union().width, 954);
    }
}
