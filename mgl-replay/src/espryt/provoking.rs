//! Lists of each primitive's vertices: for the first vertex as provoking vertex (GL 4.6 §13.6.1), which OpenGL ES does not
//! know, and for primitives with neighbours, which a geometry shader of our own does not take.
//!
//! Strips, fans and loops become lists, and the vertices of each primitive are turned around until the one that flat
//! outputs come from is the last; winding and order stay. Indices are made on the CPU for each draw.

use super::indices::Indices;
use super::memory;
use super::work::Work;
use crate::approximation::Approximation;
use mgl_core::pipe::*;

/// Indices of one draw that are made here, at most.
const MOST: u64 = 1 << 26;

/// The vertices of each primitive of one run (between restarts), in the order in which it winds, the last one provoking
/// (GL 4.6 §10.1, table 13.2).
fn each(mode: Primitive, run: &[u32], mut give: impl FnMut(&[u32])) {
    let n = run.len();
    match mode {
        Primitive::LINES => run.chunks_exact(2).for_each(give),
        Primitive::LINE_STRIP => run.windows(2).for_each(give),
        Primitive::LINE_LOOP if n > 1 => {
            run.windows(2).for_each(&mut give);
            give(&[run[n - 1], run[0]]);
        }
        Primitive::LINES_ADJACENCY => run.chunks_exact(4).for_each(|l| give(&l[1..3])),
        Primitive::LINE_STRIP_ADJACENCY => run.windows(4).for_each(|l| give(&l[1..3])),
        Primitive::TRIANGLES => run.chunks_exact(3).for_each(give),
        Primitive::TRIANGLE_STRIP => strip(run, give),
        Primitive::TRIANGLE_FAN if n > 2 => {
            run[1..]
                .windows(2)
                .for_each(|t| give(&[run[0], t[0], t[1]]));
        }
        Primitive::TRIANGLES_ADJACENCY => {
            run.chunks_exact(6).for_each(|t| give(&[t[0], t[2], t[4]]));
        }
        Primitive::TRIANGLE_STRIP_ADJACENCY => {
            // Every other vertex is a neighbour; the last triangle has its own.
            let inner: Vec<u32> = run[..n & !1].iter().copied().step_by(2).collect();
            strip(&inner, give);
        }
        _ => {}
    }
}

fn strip(run: &[u32], mut give: impl FnMut(&[u32])) {
    for (i, t) in run.windows(3).enumerate() {
        // Odd triangles have their first two vertices exchanged.
        if i % 2 == 0 {
            give(t);
        } else {
            give(&[t[1], t[0], t[2]]);
        }
    }
}

/// Appends one run of vertices as a list whose primitives have the provoking vertex last: their last one, or their first.
fn append(mode: Primitive, first: bool, run: &[u32], out: &mut Vec<u32>) {
    let strip = matches!(
        mode,
        Primitive::TRIANGLE_STRIP | Primitive::TRIANGLE_STRIP_ADJACENCY
    );
    let fan = mode == Primitive::TRIANGLE_FAN;
    let mut odd = false;
    each(mode, run, |p| {
        match *p {
            [a, b] if first => out.extend([b, a]),
            // A fan's first vertex is all triangles'; the second of each provokes.
            [a, b, c] if first && fan => out.extend([c, a, b]),
            // The first of an odd triangle of a strip is the second as it winds.
            [a, b, c] if first && strip && odd => out.extend([c, a, b]),
            [a, b, c] if first => out.extend([b, c, a]),
            _ => out.extend_from_slice(p),
        }
        odd = !odd;
    });
}

/// The list mode of a primitive mode that is no list already.
pub fn list_mode(mode: Primitive) -> Option<Primitive> {
    match mode {
        Primitive::LINES
        | Primitive::LINE_STRIP
        | Primitive::LINE_LOOP
        | Primitive::LINES_ADJACENCY
        | Primitive::LINE_STRIP_ADJACENCY => Some(Primitive::LINES),
        Primitive::TRIANGLES
        | Primitive::TRIANGLE_STRIP
        | Primitive::TRIANGLE_FAN
        | Primitive::TRIANGLES_ADJACENCY
        | Primitive::TRIANGLE_STRIP_ADJACENCY => Some(Primitive::TRIANGLES),
        _ => None,
    }
}

impl Work<'_> {
    /// Draws a list of each primitive's vertices: with the `first` of them as provoking vertex, or the last.
    ///
    /// Draws whose vertices the CPU does not know are drawn as they are.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub(super) fn draw_as_lists(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
        list: Primitive,
        first: bool,
    ) -> Result<(), BackendError> {
        let info = d.info;
        let unknown = info.flags.has(DrawFlags::INDIRECT)
            || d.ranges.iter().any(|r| u64::from(r.count) > MOST);
        if unknown {
            self.dev.near(Approximation::ProvokingVertex);
            return match info.index_size {
                0 => self.draw_arrays(s, d),
                _ => self.draw_elements(s, d),
            };
        }
        let source = self.source_indices(s, d)?;
        for r in d.ranges.iter().filter(|r| r.count > 0) {
            let words = list_of(info, first, r, source.as_deref())?;
            self.draw_words(s, info, r, list, words, false)?;
        }
        self.keep_source(s, d, source)
    }

    /// Draws by index, the base vertices added here: for contexts whose draws have none.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub(super) fn draw_with_bases_added(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
    ) -> Result<(), BackendError> {
        let info = d.info;
        let restart = info.flags.has(DrawFlags::RESTART);
        let source = self.source_indices(s, d)?;
        for r in d.ranges.iter().filter(|r| r.count > 0) {
            let mut words = numbers(info, r, source.as_deref())?;
            for w in words
                .iter_mut()
                .filter(|w| restart && **w == info.restart_index)
            {
                // It stays the restart index when the base is added.
                *w = u32::MAX.wrapping_add_signed(r.base_vertex.wrapping_neg());
            }
            self.draw_words(s, info, r, info.mode, words, restart)?;
        }
        self.keep_source(s, d, source)
    }

    /// Draws a range by indices that were made for it.
    fn draw_words(
        &mut self,
        s: &PushedState,
        info: &DrawInfo,
        r: &DrawRange,
        mode: Primitive,
        mut words: Vec<u32>,
        restart: bool,
    ) -> Result<(), BackendError> {
        if words.is_empty() {
            return Ok(());
        }
        let mut base_vertex = r.base_vertex;
        if !self.dev.gl.has.base_vertex {
            for w in &mut words {
                *w = w.wrapping_add_signed(base_vertex);
            }
            base_vertex = 0;
        }
        let place = self.stream_arrays(bytemuck::cast_slice(&words), 4, 0)?;
        let indices = Indices::of_words(&place);
        self.bind_index_buffer(s, indices.name, indices.serial);
        self.set_restart(restart);
        let range = DrawRange {
            start: 0,
            count: words.len() as u32,
            base_vertex,
            ..*r
        };
        let info = DrawInfo {
            mode,
            index_size: 4,
            ..*info
        };
        self.draw_range(&info, &range, &indices);
        Ok(())
    }

    /// Keeps what was read of the index buffer.
    fn keep_source(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
        source: Option<Vec<u8>>,
    ) -> Result<(), BackendError> {
        if let (Some(bytes), false) = (source, d.info.flags.has(DrawFlags::USER_INDICES)) {
            let buffer = self.context(s)?.values.index_buffer.buffer;
            self.keep_mirror(buffer, bytes);
        }
        Ok(())
    }

    /// Bytes of the indices that a draw counts in; `None` for a draw without.
    fn source_indices(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
    ) -> Result<Option<Vec<u8>>, BackendError> {
        if d.info.index_size == 0 {
            return Ok(None);
        }
        if d.info.flags.has(DrawFlags::USER_INDICES) {
            return Ok(Some(d.indices.to_vec()));
        }
        let buffer = self.context(s)?.values.index_buffer.buffer;
        self.index_bytes(buffer).map(Some)
    }
}

/// The list of a range.
fn list_of(
    info: &DrawInfo,
    first: bool,
    r: &DrawRange,
    source: Option<&[u8]>,
) -> Result<Vec<u32>, BackendError> {
    let run = numbers(info, r, source)?;
    let mut out = Vec::new();
    let restart = info.index_size != 0 && info.flags.has(DrawFlags::RESTART);
    if restart {
        for part in run.split(|v| *v == info.restart_index) {
            append(info.mode, first, part, &mut out);
        }
    } else {
        append(info.mode, first, &run, &mut out);
    }
    Ok(out)
}

/// The vertex numbers of a range, in order; indices behind the buffer's end are left out.
fn numbers(
    info: &DrawInfo,
    r: &DrawRange,
    source: Option<&[u8]>,
) -> Result<Vec<u32>, BackendError> {
    let Some(bytes) = source else {
        let _ = memory::reserve(r.count as usize * 4)?;
        return Ok((r.start..r.start.saturating_add(r.count)).collect());
    };
    let size = info.index_size as usize;
    let from = (r.start as usize).saturating_mul(size).min(bytes.len());
    let part = &bytes[from..];
    let part = &part[..part.len().min(r.count as usize * size)];
    Ok(part
        .chunks_exact(size)
        .map(|b| {
            let mut word = [0; 4];
            word[..size].copy_from_slice(b);
            u32::from_le_bytes(word)
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(mode: Primitive, run: &[u32]) -> Vec<u32> {
        let mut out = Vec::new();
        append(mode, true, run, &mut out);
        out
    }

    fn in_order(mode: Primitive, run: &[u32]) -> Vec<u32> {
        let mut out = Vec::new();
        append(mode, false, run, &mut out);
        out
    }

    #[test]
    fn neighbours_are_left_out() {
        let run: Vec<u32> = (0..8).collect();
        assert_eq!(in_order(Primitive::LINES_ADJACENCY, &run), [1, 2, 5, 6]);
        assert_eq!(
            in_order(Primitive::LINE_STRIP_ADJACENCY, &run),
            [1, 2, 2, 3, 3, 4, 4, 5, 5, 6]
        );
        assert_eq!(in_order(Primitive::TRIANGLES_ADJACENCY, &run), [0, 2, 4]);
        assert_eq!(
            in_order(Primitive::TRIANGLE_STRIP_ADJACENCY, &run),
            [0, 2, 4, 4, 2, 6]
        );
        assert_eq!(list(Primitive::TRIANGLES_ADJACENCY, &run), [2, 4, 0]);
        assert_eq!(
            in_order(Primitive::TRIANGLE_STRIP, &[1, 2, 3, 4]),
            [1, 2, 3, 3, 2, 4]
        );
        assert_eq!(in_order(Primitive::LINE_LOOP, &[1, 2]), [1, 2, 2, 1]);
    }

    #[test]
    fn the_first_vertex_of_each_primitive_becomes_the_last() {
        // GL 4.6 table 13.2, first vertex convention.
        assert_eq!(list(Primitive::LINES, &[1, 2, 3, 4, 5]), [2, 1, 4, 3]);
        assert_eq!(list(Primitive::LINE_STRIP, &[1, 2, 3]), [2, 1, 3, 2]);
        assert_eq!(list(Primitive::LINE_LOOP, &[1, 2, 3]), [2, 1, 3, 2, 1, 3]);
        assert_eq!(list(Primitive::TRIANGLES, &[1, 2, 3, 4]), [2, 3, 1]);
        assert_eq!(
            list(Primitive::TRIANGLE_STRIP, &[1, 2, 3, 4]),
            [2, 3, 1, 4, 3, 2]
        );
        assert_eq!(
            list(Primitive::TRIANGLE_FAN, &[1, 2, 3, 4]),
            [3, 1, 2, 4, 1, 3]
        );
        assert!(list(Primitive::TRIANGLE_FAN, &[1, 2]).is_empty());
    }

    #[test]
    fn indices_are_read_split_and_bounded() {
        let info = DrawInfo {
            mode: Primitive::LINE_STRIP,
            index_size: 2,
            restart_index: 9,
            flags: DrawFlags::RESTART,
            ..DrawInfo::default()
        };
        let bytes: Vec<u8> = [7u16, 1, 2, 9, 3, 4, 5]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        let range = DrawRange {
            start: 1,
            count: 100,
            ..DrawRange::default()
        };
        assert_eq!(
            list_of(&info, true, &range, Some(&bytes)),
            Ok(vec![2, 1, 4, 3, 5, 4])
        );
        let far = DrawRange {
            start: u32::MAX,
            count: u32::MAX,
            ..DrawRange::default()
        };
        assert_eq!(list_of(&info, true, &far, Some(&bytes)), Ok(vec![]));
    }
}
