//! What belongs to a file's records: blobs, replies, events, images.

use super::blobs::{MAX_BLOB, RecordBlobs};
use super::chunk::{ImageRows, Replies, ReplyEntry, WordContent, entry};
use super::error::TraceError;
use super::format::ChunkKind;
use super::reader::TraceFile;
use crate::codec::{self, BlobSource, RecordView};
use crate::handle::{Handle, SurfaceHandle};
use crate::pipe::payload::BlobRef;
use crate::pipe::{Event, Reply};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

/// Bytes of a frame's image, 8192 x 8192 pixels; a larger one is refused.
const MAX_IMAGE: u64 = 256 << 20;
/// Bytes of all images of a frame.
const MAX_IMAGES: u64 = 2 * MAX_IMAGE;

/// A frame's image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameImage {
    /// The frame.
    pub frame: u64,
    /// The surface that it shows.
    pub surface: SurfaceHandle,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// RGBA, one byte each, bottom row first as ReadPixels gives them.
    pub rgba: Vec<u8>,
}

/// A replies chunk, validated.
pub(super) struct ReplyChunk {
    /// Position in the file's chunks.
    chunk: usize,
    entries: Vec<ReplyEntry>,
    bytes: Vec<u8>,
}

/// Gets kind, value and bytes of an entry.
type VisitEntry<'v> = dyn FnMut(u32, u64, &[u8]) -> Result<(), String> + 'v;

/// Gets records pushed so far, value and bytes of an entry.
type VisitAll<'v> = dyn FnMut(u64, u64, &[u8]) -> Result<(), String> + 'v;

impl TraceFile {
    /// The reply to a record, if one was recorded.
    pub fn reply(&self, record: u64) -> Result<Option<Reply>, TraceError> {
        let mut found = None;
        let next = record.saturating_add(1);
        self.entries(next, &mut |kind, value, bytes| {
            if kind != entry::EVENT && kind & entry::LATE == 0 {
                found = Some(reply_of(kind, value, bytes)?);
            }
            Ok(())
        })?;
        if found.is_none()
            && let Some(&now) = self.late_replies()?.get(&record)
        {
            self.entries(now, &mut |kind, value, bytes| {
                if kind & entry::LATE != 0 {
                    let (of, bytes) = late_part(now, bytes)?;
                    if of == record {
                        found = Some(reply_of(kind & !entry::LATE, value, bytes)?);
                    }
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// Records whose replies came when more had been pushed, and how many had by then.
    fn late_replies(&self) -> Result<&BTreeMap<u64, u64>, TraceError> {
        if let Some(known) = self.late.get() {
            return Ok(known);
        }
        let mut late = BTreeMap::new();
        self.visit_entries(|kind| kind & entry::LATE != 0, &mut |now, _, bytes| {
            late.insert(late_part(now, bytes)?.0, now);
            Ok(())
        })?;
        Ok(self.late.get_or_init(|| late))
    }

    /// The events that came when `record` records had been pushed, in order.
    pub fn events(&self, record: u64) -> Result<Vec<Event>, TraceError> {
        let mut found = Vec::new();
        self.entries(record, &mut |kind, _, bytes| {
            if kind == entry::EVENT {
                found.push(event_of(bytes)?);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Every event of the file, in order; what is the same place's twice is given once.
    ///
    /// # Errors
    /// A chunk is damaged.
    pub fn visit_events(&self, visit: &mut dyn FnMut(u64, Event)) -> Result<(), TraceError> {
        self.visit_entries(|kind| kind == entry::EVENT, &mut |now, _, bytes| {
            visit(now, event_of(bytes)?);
            Ok(())
        })
    }

    /// Visits all entries of some kinds: how many records had been pushed, value, bytes.
    fn visit_entries(
        &self,
        wanted: impl Fn(u32) -> bool,
        visit: &mut VisitAll<'_>,
    ) -> Result<(), TraceError> {
        let mut done = None;
        for &i in &self.replies {
            let chunk = self.reply_chunk(i)?;
            for now in chunk.entries.iter().filter(|e| wanted(e.kind)) {
                let now = now.record;
                if done < Some(now) {
                    done = Some(now);
                    self.entries(now, &mut |kind, value, bytes| {
                        if wanted(kind) {
                            visit(now, value, bytes)?;
                        }
                        Ok(())
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Whether there are any replies or events.
    #[must_use]
    pub fn has_replies(&self) -> bool {
        !self.replies.is_empty()
    }

    /// Visits the entries that came when `wanted` records had been pushed: kind, value, bytes.
    fn entries(&self, wanted: u64, visit: &mut VisitEntry<'_>) -> Result<(), TraceError> {
        // One place's entries may lie in several chunks: from the last that starts before it.
        let first = self
            .replies
            .partition_point(|i| self.chunks[*i].header.record < wanted)
            .saturating_sub(1);
        // Bytes of an entry that goes on in the next chunk.
        let mut open: Option<(u64, u32, Vec<u8>)> = None;
        for &i in &self.replies[first..] {
            let info = self.chunks[i];
            if info.header.record > wanted {
                break;
            }
            let damaged = |p: String| self.damaged(ChunkKind::Replies, info.offset, p);
            let r = self.reply_chunk(i)?;
            let from = r.entries.partition_point(|e| e.record < wanted);
            for e in r.entries[from..].iter().take_while(|e| e.record == wanted) {
                let ReplyEntry {
                    record,
                    kind,
                    value,
                    total,
                    offset: at,
                    size,
                } = *e;
                let part = at
                    .checked_add(size)
                    .and_then(|end| r.bytes.as_slice().get(at as usize..end as usize))
                    .ok_or_else(|| {
                        damaged(format!("entry of record {record} is outside the chunk"))
                    })?;
                if size > total || total > MAX_BLOB {
                    return Err(damaged(format!(
                        "entry of record {record} has a wrong size"
                    )));
                }
                if size == total {
                    visit(kind, value, part).map_err(damaged)?;
                    continue;
                }
                let (r, k, mut bytes) = open.take().unwrap_or((record, kind, Vec::new()));
                if (r, k) != (record, kind) || bytes.len() as u64 + size > total {
                    return Err(damaged(format!("entry of record {record} does not go on")));
                }
                bytes.extend_from_slice(part);
                if bytes.len() as u64 == total {
                    visit(kind, value, &bytes).map_err(damaged)?;
                } else {
                    open = Some((r, k, bytes));
                }
            }
        }
        Ok(())
    }

    fn reply_chunk(&self, chunk: usize) -> Result<Arc<ReplyChunk>, TraceError> {
        let mut cache = self
            .reply_cache
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(c) = cache.as_ref().filter(|c| c.chunk == chunk) {
            return Ok(Arc::clone(c));
        }
        let info = &self.chunks[chunk];
        let content = self.content(info)?;
        let r = content
            .access::<Replies>()
            .map_err(|p| self.damaged(ChunkKind::Replies, info.offset, p))?;
        let entries: Vec<ReplyEntry> = r
            .entries
            .iter()
            .map(|e| ReplyEntry {
                record: e.record.to_native(),
                kind: e.kind.to_native(),
                value: e.value.to_native(),
                total: e.total.to_native(),
                offset: e.offset.to_native(),
                size: e.size.to_native(),
            })
            .collect();
        if !entries.is_sorted_by_key(|e| e.record) {
            let p = "its entries are out of order".to_owned();
            return Err(self.damaged(ChunkKind::Replies, info.offset, p));
        }
        let c = Arc::new(ReplyChunk {
            chunk,
            entries,
            bytes: r.bytes.to_vec(),
        });
        *cache = Some(Arc::clone(&c));
        Ok(c)
    }

    /// The frames that have an image, in file order.
    #[must_use]
    pub fn image_frames(&self) -> Vec<u64> {
        let mut frames: Vec<u64> = self
            .images
            .iter()
            .map(|i| self.chunks[*i].header.frame)
            .collect();
        frames.dedup();
        frames
    }

    /// The images of a frame: one a surface that was recorded in it.
    pub fn images(&self, frame: u64) -> Result<Vec<FrameImage>, TraceError> {
        let mut out: Vec<FrameImage> = Vec::new();
        let mut total = 0;
        let first = self
            .images
            .partition_point(|i| self.chunks[*i].header.frame < frame);
        for &i in &self.images[first..] {
            let info = self.chunks[i];
            if info.header.frame != frame {
                break;
            }
            let damaged = |p: &str| self.damaged(ChunkKind::Image, info.offset, p.into());
            let content = self.content(&info)?;
            let rows = content.access::<ImageRows>().map_err(|p| damaged(&p))?;
            let (width, height) = (rows.width.to_native(), rows.height.to_native());
            let bytes = u64::from(width) * u64::from(height) * 4;
            if bytes == 0 || bytes > MAX_IMAGE {
                return Err(damaged("its extent is out of range"));
            }
            total += rows.rgba.len() as u64;
            if total > MAX_IMAGES {
                return Err(damaged("the images of its frame are too large together"));
            }
            let surface = SurfaceHandle(Handle {
                slot: rows.surface_slot.to_native(),
                generation: rows.surface_generation.to_native(),
            });
            if rows.first_row.to_native() == 0 {
                out.push(FrameImage {
                    frame,
                    surface,
                    width,
                    height,
                    rgba: Vec::new(),
                });
            }
            let image = out
                .last_mut()
                .filter(|m| (m.width, m.height, m.surface) == (width, height, surface))
                .ok_or_else(|| damaged("its first rows are missing"))?;
            let at = u64::from(rows.first_row.to_native()) * u64::from(width) * 4;
            if image.rgba.len() as u64 != at || at + rows.rgba.len() as u64 > bytes {
                return Err(damaged("its rows do not follow one another"));
            }
            image.rgba.extend_from_slice(&rows.rgba);
        }
        for m in &out {
            if m.rgba.len() as u64 != u64::from(m.width) * u64::from(m.height) * 4 {
                return Err(self.damaged(
                    ChunkKind::Image,
                    0,
                    format!("the image of frame {frame} is not whole"),
                ));
            }
        }
        Ok(out)
    }

    /// The image of a frame, the last one if several surfaces were recorded in it.
    pub fn image(&self, frame: u64) -> Result<Option<FrameImage>, TraceError> {
        Ok(self.images(frame)?.pop())
    }

    /// The blob chunk of an ordinal, from memory if it was used lately.
    fn blob_chunk(&self, seg: u32) -> Result<Option<WordContent>, TraceError> {
        let mut cache = self
            .blob_cache
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(c) = cache.get(seg) {
            return Ok(Some(c));
        }
        let Some(&i) = self.blobs.get(seg as usize) else {
            return Ok(None);
        };
        let c = self.words(&self.chunks[i])?;
        cache.keep(seg, &c);
        Ok(Some(c))
    }

    /// Gets the blob chunks of a record; those already held are kept.
    pub(super) fn hold_blobs(
        &self,
        view: &RecordView<'_>,
        held: &mut RecordBlobs,
    ) -> Result<(), TraceError> {
        held.large.clear();
        // A record that is too short for its references is refused by its decoder.
        let refs = codec::blob_refs(view).unwrap_or(&[]);
        for r in refs.iter().filter(|r| r.size > 0) {
            if !held.chunks.iter().any(|(s, _)| *s == r.seg) {
                if held.chunks.len() > 2 * refs.len() {
                    // Not one that this very record names too.
                    let idle = |(seg, _): &(u32, _)| !refs.iter().any(|r| r.seg == *seg);
                    if let Some(oldest) = held.chunks.iter().position(idle) {
                        held.chunks.remove(oldest);
                    }
                }
                match self.blob_chunk(r.seg)? {
                    Some(c) => held.chunks.push((r.seg, c)),
                    None => continue,
                }
            }
            let first = held
                .chunks
                .iter()
                .find(|(s, _)| *s == r.seg)
                .map_or(0, |(_, c)| c.bytes().len());
            if r.offset == 0 && r.size > first as u64 && r.size <= MAX_BLOB {
                self.hold_large(r, held)?;
            }
        }
        Ok(())
    }

    /// Puts a blob together that runs over several chunks.
    fn hold_large(&self, r: &BlobRef, held: &mut RecordBlobs) -> Result<(), TraceError> {
        // Whether the chunks have that many bytes is known from their headers, before anything is allocated.
        let mut have = 0;
        for &i in self.blobs.iter().skip(r.seg as usize) {
            have += u64::from(self.chunks[i].header.real);
            if have >= r.size {
                break;
            }
        }
        if have < r.size {
            return Ok(());
        }
        let mut whole = Vec::with_capacity(r.size as usize);
        let mut seg = r.seg;
        while (whole.len() as u64) < r.size {
            let Some(c) = self.blob_chunk(seg)? else {
                return Ok(());
            };
            let n = c.bytes().len().min(r.size as usize - whole.len());
            if n == 0 {
                return Ok(());
            }
            whole.extend_from_slice(&c.bytes()[..n]);
            seg += 1;
        }
        held.large.push((r.seg, whole));
        Ok(())
    }

    /// The bytes of one blob.
    pub fn blob(&self, r: &BlobRef) -> Result<Vec<u8>, TraceError> {
        let mut held = RecordBlobs::default();
        if r.size > 0
            && let Some(c) = self.blob_chunk(r.seg)?
        {
            let large = r.offset == 0 && r.size > c.bytes().len() as u64 && r.size <= MAX_BLOB;
            held.chunks.push((r.seg, c));
            if large {
                self.hold_large(r, &mut held)?;
            }
        }
        held.get(r)
            .map(<[u8]>::to_vec)
            .map_err(|p| self.damaged(ChunkKind::Blobs, 0, p))
    }
}

fn reply_of(kind: u32, value: u64, bytes: &[u8]) -> Result<Reply, String> {
    Ok(match kind {
        entry::NONE => Reply::None,
        entry::VALUE => Reply::Value(value),
        entry::BYTES => Reply::Bytes(bytes.to_vec()),
        entry::CAPS => Reply::Caps(Box::new(
            postcard::from_bytes(bytes).map_err(|e| format!("caps: {e}"))?,
        )),
        k => return Err(format!("{k} is no kind of reply")),
    })
}

/// The record of a late reply, and the reply's own bytes.
fn late_part(now: u64, bytes: &[u8]) -> Result<(u64, &[u8]), String> {
    let (behind, rest) = bytes
        .split_first_chunk()
        .ok_or("a late reply without its record")?;
    let behind = u64::from_le_bytes(*behind).saturating_add(1);
    let record = now.checked_sub(behind).ok_or("a late reply to no record")?;
    Ok((record, rest))
}

fn event_of(bytes: &[u8]) -> Result<Event, String> {
    postcard::from_bytes(bytes).map_err(|e| format!("event: {e}"))
}
