//! A writer that goes on where a file ends.

use super::{Position, TraceWriter, WriterOptions};
use crate::codec;
use crate::pipe::{Class, Op};
use crate::trace::error::TraceError;
use crate::trace::format::{ChunkKind, FILE_HEADER_BYTES};
use crate::trace::reader::TraceFile;
use std::io::Write;
use std::path::Path;

impl<W: Write> TraceWriter<W> {
    /// Goes on behind the first `chunks` chunks of a file; `out` stands there. What blobs the file has is not known: one
    /// that comes again is stored again.
    ///
    /// # Errors
    /// The last records among them are damaged.
    pub(in crate::trace) fn resume(
        out: W,
        path: &Path,
        file: &TraceFile,
        chunks: usize,
        options: WriterOptions,
    ) -> Result<Self, TraceError> {
        let mut w = Self::new(out, path, options);
        w.at = FILE_HEADER_BYTES as u64;
        let chunks = &file.chunks()[..chunks];
        for c in chunks {
            w.at = c.end();
            w.index.push(c.to_entry());
            if let Some(n) = w.ordinals.get_mut(usize::from(c.header.kind.to_u16())) {
                *n = c.header.ordinal + 1;
            }
        }
        let blobs = w.ordinals[usize::from(ChunkKind::Blobs.to_u16())];
        w.blobs.next_chunk = u32::try_from(blobs).map_err(|e| TraceError::text("blobs", e))?;
        let last = chunks.iter().rfind(|c| c.header.kind == ChunkKind::Records);
        if let Some(last) = last {
            w.options.first_frame = file.frames().start;
            let h = last.header;
            w.here = Position {
                record: h.record + u64::from(h.count),
                frame: h.frame + u64::from(h.frames),
                verb: h.verb,
            };
            let content = file.words(last)?;
            let mut rest = content.words();
            while !rest.is_empty() {
                let (view, more) = codec::split(rest).map_err(|e| w.refused(e))?;
                match (view.op, view.op.info().class) {
                    (Op::Present, _) => w.here.verb = 0,
                    (_, Class::Verb) => w.here.verb += 1,
                    _ => {}
                }
                rest = more;
            }
        }
        w.start = w.here;
        Ok(w)
    }
}
