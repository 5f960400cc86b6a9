//! Copies a trace chunk by chunk and gives the copy an index: mends files that were cut, and leaves images out.

use super::error::TraceError;
use super::format::ChunkKind;
use super::reader::TraceFile;
use super::writer::{TraceWriter, WriterOptions, Written};
use std::io::Write;
use std::path::Path;

/// What to leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RepairOptions {
    /// Frame images.
    pub drop_images: bool,
    /// Replies and events.
    pub drop_replies: bool,
}

/// Writes what is whole of `file` to `out`, with an index. Chunks are copied as they are, checksums compared; `path` is
/// the copy's, for messages.
pub fn repair<W: Write>(
    file: &TraceFile,
    out: W,
    path: &Path,
    options: RepairOptions,
) -> Result<(W, Written), TraceError> {
    let writer = WriterOptions {
        first_frame: file.frames().start,
        ..WriterOptions::default()
    };
    // Records stay what they are: an older file's copy is of its version.
    let schema = file.schema().ok().filter(|text| !text.is_empty());
    let schema = schema.unwrap_or_else(crate::layout::schema_text);
    let mut w =
        TraceWriter::create_like(file.header(), &schema, out, path, file.provenance(), writer)?;
    for c in file.chunks() {
        match c.header.kind {
            // The writer has written these.
            ChunkKind::Provenance | ChunkKind::Schema => continue,
            ChunkKind::Image if options.drop_images => continue,
            ChunkKind::Replies if options.drop_replies => continue,
            _ => {}
        }
        w.copy_chunk(&c.header, &file.stored_bytes(c)?)?;
    }
    w.finish()
}
