//! The first vertex as provoking vertex (GL 4.6 §13.6.1), which OpenGL ES does not know.
//!
//! Strips, fans and loops become lists, and the vertices of each primitive are turned around until the one that flat
//! outputs come from is the last; winding and order stay. Indices are made on the CPU for each draw.

use super::indices::Indices;
use super::memory;
use super::work::Work;
use mgl_core::pipe::*;

/// Indices of one draw that are made here, at most.
const MOST: u64 = 1 << 26;

/// Appends one run of vertices (between restarts) as a list whose provoking vertices are last.
fn append(mode: Primitive, run: &[u32], out: &mut Vec<u32>) {
    let n = run.len();
    match mode {
        Primitive::LINES => {
            for l in run.chunks_exact(2) {
                out.extend([l[1], l[0]]);
            }
        }
        Primitive::LINE_STRIP | Primitive::LINE_LOOP => {
            for l in run.windows(2) {
                out.extend([l[1], l[0]]);
            }
            if mode == Primitive::LINE_LOOP && n > 1 {
                out.extend([run[0], run[n - 1]]);
            }
        }
        Primitive::TRIANGLES => {
            for t in run.chunks_exact(3) {
                out.extend([t[1], t[2], t[0]]);
            }
        }
        Primitive::TRIANGLE_STRIP => {
            for (i, t) in run.windows(3).enumerate() {
                // Odd triangles have their last two vertices exchanged.
                let (b, c) = if i % 2 == 0 {
                    (t[1], t[2])
                } else {
                    (t[2], t[1])
                };
                out.extend([b, c, t[0]]);
            }
        }
        Primitive::TRIANGLE_FAN if n > 2 => {
            for t in run[1..].windows(2) {
                // A fan's first vertex is all triangles'; the second of each provokes.
                out.extend([t[1], run[0], t[0]]);
            }
        }
        _ => {}
    }
}

/// The list mode of a primitive mode, if its vertices have to be turned around.
pub fn list_mode(mode: Primitive) -> Option<Primitive> {
    match mode {
        Primitive::LINES | Primitive::LINE_STRIP | Primitive::LINE_LOOP => Some(Primitive::LINES),
        Primitive::TRIANGLES | Primitive::TRIANGLE_STRIP | Primitive::TRIANGLE_FAN => {
            Some(Primitive::TRIANGLES)
        }
        _ => None,
    }
}

impl Work<'_> {
    /// Draws with the first vertex of each primitive as provoking vertex.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for draws whose vertices the CPU does not know, or whose order shows.
    pub fn draw_first_provokes(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
        list: Primitive,
    ) -> Result<(), BackendError> {
        let refuse = |what: &str| {
            Err(BackendError::Unsupported(format!(
                "the first vertex as provoking vertex in {what}"
            )))
        };
        let info = d.info;
        if info.flags.has(DrawFlags::INDIRECT) {
            return refuse("an indirect draw");
        }
        if info.flags.has(DrawFlags::CAPTURING) {
            return refuse("a captured draw");
        }
        let source = self.source_indices(s, d)?;
        for r in d.ranges.iter().filter(|r| r.count > 0) {
            if u64::from(r.count) > MOST {
                return refuse("a draw of that many vertices");
            }
            let bytes = list_of(info, r, source.as_deref())?;
            if bytes.is_empty() {
                continue;
            }
            let place = self.stream_arrays(bytemuck::cast_slice(&bytes), 4, 0)?;
            let indices = Indices::of_words(&place);
            self.bind_index_buffer(s, indices.name, indices.serial);
            self.set_restart(false);
            let range = DrawRange {
                start: 0,
                count: bytes.len() as u32,
                ..*r
            };
            let info = DrawInfo {
                mode: list,
                index_size: 4,
                ..*info
            };
            self.draw_range(&info, &range, &indices)?;
        }
        if let (Some(bytes), false) = (source, info.flags.has(DrawFlags::USER_INDICES)) {
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
    r: &DrawRange,
    source: Option<&[u8]>,
) -> Result<Vec<u32>, BackendError> {
    let run = numbers(info, r, source)?;
    let mut out = Vec::new();
    let restart = info.index_size != 0 && info.flags.has(DrawFlags::RESTART);
    if restart {
        for part in run.split(|v| *v == info.restart_index) {
            append(info.mode, part, &mut out);
        }
    } else {
        append(info.mode, &run, &mut out);
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
        append(mode, run, &mut out);
        out
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
            list_of(&info, &range, Some(&bytes)),
            Ok(vec![2, 1, 4, 3, 5, 4])
        );
        let far = DrawRange {
            start: u32::MAX,
            count: u32::MAX,
            ..DrawRange::default()
        };
        assert_eq!(list_of(&info, &far, Some(&bytes)), Ok(vec![]));
    }
}
