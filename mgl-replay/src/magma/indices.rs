//! Indices: where they are, and what is rewritten because Vulkan lacks it (design: pipe contract 3.7).
//!
//! Line loops become strips; a restart index other than the largest value becomes it; eight-bit indices are widened where
//! the device lacks them; restart in lists, and provoking vertices that the device lacks, become plain lists. The CPU
//! needs the index buffer's bytes for that: a copy is kept from then on, up to a budget.

use super::Magma;
use super::targets::context;
use ash::vk;
use mgl_core::handle::BufferHandle;
use mgl_core::pipe::*;

/// Bytes of buffers of which copies are kept.
const MIRROR_BUDGET: u64 = 64 << 20;
/// Indices of one draw that are made here, at most.
const MOST: u64 = 1 << 26;

/// Where the indices of a draw are.
#[derive(Debug, Clone, Copy)]
pub struct Indices {
    /// The buffer.
    pub buffer: vk::Buffer,
    /// First byte of index 0.
    pub offset: u64,
    /// Type.
    pub ty: vk::IndexType,
    /// The largest value restarts.
    pub restart: bool,
}

/// What must be done to a draw's vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewrite {
    /// Nothing.
    None,
    /// Other values of the same primitives: a wider type, another restart index.
    Values,
    /// Line loops become strips.
    Loop,
    /// Lists without restart, in order.
    List,
    /// Lists whose provoking vertex, the last in GL, comes first.
    LastFirst,
}

/// The largest value of an index of `size` bytes.
fn largest(size: u32) -> u32 {
    match size {
        1 => 0xFF,
        2 => 0xFFFF,
        _ => u32::MAX,
    }
}

/// What a draw needs on a device. `last` says that GL's last vertex provokes and the device knows the first only.
pub fn needed(info: &DrawInfo, index_u8: bool, list_restart: bool, last: bool) -> Rewrite {
    let size = info.index_size;
    let restart = size != 0 && info.flags.has(DrawFlags::RESTART);
    let restart = restart && info.restart_index <= largest(size);
    let list = matches!(
        info.mode,
        Primitive::POINTS
            | Primitive::LINES
            | Primitive::TRIANGLES
            | Primitive::LINES_ADJACENCY
            | Primitive::TRIANGLES_ADJACENCY
            | Primitive::PATCHES
    );
    if last && list_of(info.mode).is_some() {
        return Rewrite::LastFirst;
    }
    if info.mode == Primitive::LINE_LOOP {
        return Rewrite::Loop;
    }
    if restart && list && !list_restart {
        return Rewrite::List;
    }
    if size == 1 && !index_u8 || restart && info.restart_index != largest(size) {
        return Rewrite::Values;
    }
    Rewrite::None
}

/// The list that primitives of a mode are, if they can be one.
pub fn list_of(mode: Primitive) -> Option<Primitive> {
    match mode {
        Primitive::LINES | Primitive::LINE_STRIP | Primitive::LINE_LOOP => Some(Primitive::LINES),
        Primitive::TRIANGLES | Primitive::TRIANGLE_STRIP | Primitive::TRIANGLE_FAN => {
            Some(Primitive::TRIANGLES)
        }
        _ => None,
    }
}

/// Vertices of a primitive of a list mode.
fn list_size(mode: Primitive, patch: u32) -> usize {
    match mode {
        Primitive::LINES => 2,
        Primitive::TRIANGLES => 3,
        Primitive::LINES_ADJACENCY => 4,
        Primitive::TRIANGLES_ADJACENCY => 6,
        Primitive::PATCHES => patch.max(1) as usize,
        _ => 1,
    }
}

/// Appends one run of vertices (between restarts) as a list whose provoking vertex, GL's last, is first.
fn append_last_first(mode: Primitive, run: &[u32], out: &mut Vec<u32>) {
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
                out.extend([t[2], t[0], t[1]]);
            }
        }
        Primitive::TRIANGLE_STRIP => {
            for (i, t) in run.windows(3).enumerate() {
                let (a, b) = if i % 2 == 0 {
                    (t[0], t[1])
                } else {
                    (t[1], t[0])
                };
                out.extend([t[2], a, b]);
            }
        }
        Primitive::TRIANGLE_FAN if n > 2 => {
            for t in run[1..].windows(2) {
                out.extend([t[1], run[0], t[0]]);
            }
        }
        _ => {}
    }
}

/// Indices rewritten, as words; restarts are the largest word.
fn rewritten(
    how: Rewrite,
    mode: Primitive,
    patch: u32,
    run: &[u32],
    restart: Option<u32>,
    out: &mut Vec<u32>,
) {
    let mut parts: Vec<&[u32]> = Vec::new();
    match restart {
        Some(r) if how != Rewrite::Values => parts.extend(run.split(|v| *v == r)),
        _ => parts.push(run),
    }
    match how {
        Rewrite::None => out.extend_from_slice(run),
        Rewrite::Values => {
            out.extend(
                run.iter()
                    .map(|v| if Some(*v) == restart { u32::MAX } else { *v }),
            );
        }
        Rewrite::Loop => {
            for p in parts.into_iter().filter(|p| p.len() > 1) {
                if !out.is_empty() {
                    out.push(u32::MAX);
                }
                out.extend_from_slice(p);
                out.push(p[0]);
            }
        }
        Rewrite::List => {
            let n = list_size(mode, patch);
            for p in parts {
                out.extend_from_slice(&p[..p.len() / n * n]);
            }
        }
        Rewrite::LastFirst => {
            for p in parts {
                append_last_first(mode, p, out);
            }
        }
    }
}

/// The mode that a rewritten draw has.
pub fn mode_after(how: Rewrite, mode: Primitive) -> Primitive {
    match how {
        Rewrite::Loop => Primitive::LINE_STRIP,
        Rewrite::LastFirst => list_of(mode).unwrap_or(mode),
        _ => mode,
    }
}

fn numbers(bytes: &[u8], size: usize) -> Vec<u32> {
    bytes
        .chunks_exact(size)
        .map(|b| {
            let mut word = [0; 4];
            word[..size].copy_from_slice(b);
            u32::from_le_bytes(word)
        })
        .collect()
}

impl Magma {
    /// Where the indices of a draw are that needs no rewriting.
    ///
    /// # Errors
    ///
    /// When the index buffer has no storage.
    pub(super) fn plain_indices(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
    ) -> Result<Indices, BackendError> {
        let (info, size) = (d.info, d.info.index_size);
        let ty = match size {
            1 => vk::IndexType::UINT8_EXT,
            2 => vk::IndexType::UINT16,
            _ => vk::IndexType::UINT32,
        };
        let restart = info.flags.has(DrawFlags::RESTART) && info.restart_index <= largest(size);
        if info.flags.has(DrawFlags::USER_INDICES) {
            let place = self.put(d.indices, 16, 0)?;
            return Ok(Indices {
                buffer: place.buffer,
                offset: place.offset,
                ty,
                restart,
            });
        }
        let buffer = self.buffer(context(s)?.values.index_buffer.buffer)?;
        Ok(Indices {
            buffer: buffer.raw.buffer,
            offset: 0,
            ty,
            restart,
        })
    }

    /// Rewrites the vertices of a draw; the ranges count in the new indices.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for draws whose vertices the CPU does not know.
    pub(super) fn rewrite_indices(
        &mut self,
        s: &PushedState,
        d: &DrawCall<'_>,
        how: Rewrite,
        ranges: &mut Vec<DrawRange>,
    ) -> Result<Indices, BackendError> {
        let info = d.info;
        let refuse = |what: &str| Err(BackendError::Unsupported(what.into()));
        if info.flags.has(DrawFlags::INDIRECT)
            || info.flags.has(DrawFlags::COUNT_FROM_STREAM_OUTPUT)
        {
            return refuse("an indirect draw whose vertices must be rewritten");
        }
        let size = info.index_size;
        let user = info.flags.has(DrawFlags::USER_INDICES);
        let restart = (size != 0
            && info.flags.has(DrawFlags::RESTART)
            && info.restart_index <= largest(size))
        .then_some(info.restart_index);
        let patch = context(s)?.values.patch.vertices;
        let source = match (size, user) {
            (0, _) => None,
            (_, true) => Some(d.indices.to_vec()),
            _ => Some(self.take_bytes(context(s)?.values.index_buffer.buffer)?),
        };
        ranges.clear();
        let mut all: Vec<u32> = Vec::new();
        let total: u64 = d.ranges.iter().map(|r| u64::from(r.count)).sum();
        if total > MOST {
            return refuse("a draw of that many vertices that must be rewritten");
        }
        for r in d.ranges {
            let run: Vec<u32> = match &source {
                None => (r.start..r.start.saturating_add(r.count)).collect(),
                Some(bytes) => {
                    let from = (r.start as usize)
                        .saturating_mul(size as usize)
                        .min(bytes.len());
                    let part = &bytes[from..];
                    numbers(
                        &part[..part.len().min(r.count as usize * size as usize)],
                        size as usize,
                    )
                }
            };
            let mut out = Vec::new();
            rewritten(how, info.mode, patch, &run, restart, &mut out);
            ranges.push(DrawRange {
                start: all.len() as u32,
                count: out.len() as u32,
                ..*r
            });
            all.extend_from_slice(&out);
        }
        if let (Some(bytes), false) = (source, user) {
            self.keep_mirror(context(s)?.values.index_buffer.buffer, bytes);
        }
        let place = self.put(bytemuck::cast_slice(&all), 16, 0)?;
        Ok(Indices {
            buffer: place.buffer,
            offset: place.offset,
            ty: vk::IndexType::UINT32,
            restart: matches!(how, Rewrite::Loop) || how == Rewrite::Values && restart.is_some(),
        })
    }

    /// All bytes of a buffer: its mirror, taken out, or read back.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub(super) fn take_bytes(&mut self, h: BufferHandle) -> Result<Vec<u8>, BackendError> {
        let b = self.buffer_mut(h)?;
        if let Some(m) = b.mirror.take() {
            return Ok(m);
        }
        let size = b.size;
        self.read_buffer(&BufferRange {
            buffer: h,
            offset: 0,
            size,
        })
    }

    /// Keeps the bytes of a buffer as its mirror, as far as the budget goes.
    pub(super) fn keep_mirror(&mut self, h: BufferHandle, bytes: Vec<u8>) {
        let kept: u64 = self
            .obj
            .buffers
            .iter()
            .filter_map(|(_, b)| b.mirror.as_ref())
            .map(|m| m.len() as u64)
            .sum();
        if kept + bytes.len() as u64 <= MIRROR_BUDGET
            && let Ok(b) = self.obj.buffers.get_mut(h)
        {
            b.mirror = Some(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(how: Rewrite, mode: Primitive, run: &[u32], restart: Option<u32>) -> Vec<u32> {
        let mut out = Vec::new();
        rewritten(how, mode, 3, run, restart, &mut out);
        out
    }

    #[test]
    fn loops_are_closed() {
        let m = Primitive::LINE_LOOP;
        assert_eq!(run(Rewrite::Loop, m, &[4, 5, 6], None), [4, 5, 6, 4]);
        assert_eq!(
            run(Rewrite::Loop, m, &[1, 2, 9, 3, 9, 4, 5, 6], Some(9)),
            [1, 2, 1, u32::MAX, 4, 5, 6, 4],
            "a single vertex makes no loop"
        );
    }

    #[test]
    fn lists_lose_restarts_and_incomplete_primitives() {
        let v = run(
            Rewrite::List,
            Primitive::TRIANGLES,
            &[0, 1, 2, 3, 9, 4, 5, 6],
            Some(9),
        );
        assert_eq!(v, [0, 1, 2, 4, 5, 6]);
        let v = run(
            Rewrite::Values,
            Primitive::TRIANGLES,
            &[0, 7, 0xFF],
            Some(7),
        );
        assert_eq!(v, [0, u32::MAX, 0xFF]);
    }

    #[test]
    fn the_last_vertex_of_each_primitive_becomes_the_first() {
        let f = |mode, v: &[u32]| run(Rewrite::LastFirst, mode, v, None);
        assert_eq!(f(Primitive::TRIANGLES, &[1, 2, 3]), [3, 1, 2]);
        assert_eq!(
            f(Primitive::TRIANGLE_STRIP, &[1, 2, 3, 4]),
            [3, 1, 2, 4, 3, 2]
        );
        assert_eq!(
            f(Primitive::TRIANGLE_FAN, &[1, 2, 3, 4]),
            [3, 1, 2, 4, 1, 3]
        );
        assert_eq!(f(Primitive::LINE_LOOP, &[1, 2, 3]), [2, 1, 3, 2, 1, 3]);
    }

    #[test]
    fn only_what_a_device_lacks_is_rewritten() {
        let info = |mode, index_size, flags, restart_index| DrawInfo {
            mode,
            index_size,
            flags,
            restart_index,
            ..DrawInfo::default()
        };
        let none = DrawFlags::default();
        let restart = DrawFlags::RESTART;
        let t = Primitive::TRIANGLES;
        assert_eq!(
            needed(&info(t, 2, none, 0), false, false, false),
            Rewrite::None
        );
        assert_eq!(
            needed(&info(t, 1, none, 0), false, false, false),
            Rewrite::Values
        );
        assert_eq!(
            needed(&info(t, 1, none, 0), true, false, false),
            Rewrite::None
        );
        assert_eq!(
            needed(&info(t, 2, restart, 0xFFFF), true, false, false),
            Rewrite::List
        );
        assert_eq!(
            needed(&info(t, 2, restart, 0xFFFF), true, true, false),
            Rewrite::None
        );
        assert_eq!(
            needed(&info(t, 2, restart, 7), true, true, false),
            Rewrite::Values
        );
        assert_eq!(
            needed(&info(t, 2, restart, 0x1_0000), true, true, false),
            Rewrite::None,
            "an index that the type cannot hold never restarts"
        );
        assert_eq!(
            needed(&info(t, 0, none, 0), true, true, true),
            Rewrite::LastFirst
        );
    }
}
