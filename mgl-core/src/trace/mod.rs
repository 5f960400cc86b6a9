//! Trace files (design: trace file).
//!
//! - [`format`]: the fixed bytes: header, chunk headers, trailer. The file's specification.
//! - [`chunk`]: what is inside a chunk, archived and compressed.
//! - [`provenance`], [`blobs`], [`index`]: where a trace comes from, its bulk bytes, its chunks.
//! - [`writer`]: calls in, a file out; synchronous. [`recorder`]: the same from a game's thread, asynchronous.
//! - [`keeper`]: memory of recorders that outlives their processes; [`salvage`]: what is in it gets into the file.
//! - [`reader`]: opens files, damaged ones too. [`cursor`]: walks their records. [`consumer`]: one visitor, many tools.
//! - [`CallValue`]: a call for serialisers. [`align`]: pairs two sequences.
//! - [`text`]: the text form, written and read. [`stats`], [`diff`], [`repair`]: what tools want to know or do.

pub mod align;
mod arena;
mod batch;
pub mod blobs;
mod bytes_text;
mod call_text;
mod call_value;
pub mod chunk;
pub mod consumer;
mod contents;
pub mod cursor;
pub mod diff;
pub mod error;
mod fork;
pub mod format;
pub mod index;
pub mod keeper;
pub(crate) mod older;
pub mod outcomes;
pub mod provenance;
pub mod reader;
pub mod recorder;
pub mod repair;
pub mod salvage;
mod segment;
pub mod stats;
mod storage;
pub mod text;
pub mod writer;

pub use call_value::{BlobDigest, CallValue};
pub use chunk::Pack;
pub use consumer::{Consumer, Flow, drive};
pub use contents::FrameImage;
pub use cursor::{Cursor, RawRecord, Record};
pub use diff::{Diff, DiffOptions, DiffRow, FrameRun, diff, has_field};
pub use error::TraceError;
pub use fork::with_signals_blocked;
pub use format::{ChunkKind, Codec};
pub use keeper::{Keeper, Rescue};
pub use provenance::{FullProvenance, Provenance};
pub use reader::{Info, Recovery, TraceFile};
pub use recorder::{RecorderOptions, Status, TraceRecorder};
pub use repair::{RepairOptions, repair};
pub use salvage::Salvaged;
pub use stats::{Stats, stats};
pub use text::{DumpOptions, assemble, dump};
pub use writer::{TraceWriter, WriterOptions, Written};
