//! Finishes the file of a recorder whose process died, from the memory that it left.
//!
//! The file is cut to where the last batch ended that was in it as a whole; the batches that were not, and every complete
//! record of the open one, are written behind it; then come index and trailer. The program that died may have written
//! anywhere in its memory: all that is taken is checked as a reader checks it, and nothing is taken behind the first part
//! that is damaged.

use super::arena::Remains;
use super::batch::{NoteKind, Part, PartError, split};
use super::chunk::entry;
use super::error::TraceError;
use super::reader::TraceFile;
use super::writer::{TraceWriter, WriterOptions, Written};
use crate::codec;
use crate::pipe::{Caps, Event};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// What was salvaged.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Salvaged {
    /// Records that were in memory and not in the file.
    pub records: u64,
    /// Frames that ended among them.
    pub frames: u64,
    /// The whole file.
    pub written: Written,
    /// Why not everything in memory could be taken.
    pub damaged: Option<String>,
}

impl std::fmt::Display for Salvaged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "recovered, {} frames: {} of them and {} records came from the memory of the program, which ended before \
             they were written",
            self.written.frames, self.frames, self.records
        )?;
        match &self.damaged {
            Some(why) => write!(f, "; more was damaged there ({why})"),
            None => Ok(()),
        }
    }
}

/// Finishes a file that was not finished; `None` where there is nothing to do. `name` is for messages.
pub(super) fn salvage(
    memory: &File,
    trace: &File,
    name: &Path,
) -> Result<Option<Salvaged>, TraceError> {
    let io = |action| TraceError::io(name, action);
    let remains = Remains::read(memory).map_err(io("reading what the program left of it"))?;
    if remains.over {
        return Ok(None);
    }
    // The recorder opened it to write only.
    let path = PathBuf::from(format!("/proc/self/fd/{}", trace.as_raw_fd()));
    let mut file = File::options()
        .read(true)
        .write(true)
        .open(&path)
        .map_err(io("opening it again"))?;
    if remains.is_at_start() && file.metadata().map_err(io("opening"))?.len() < remains.length {
        let start = remains.start().map_err(io("reading its start"))?;
        file.write_all_at(&start, 0).map_err(io("writing"))?;
    }
    let found = TraceFile::open(&path)?;
    if found.recovered().is_none() {
        // Ended between the trailer and saying so.
        return Ok(None);
    }
    let chunks = found
        .chunks()
        .partition_point(|c| c.end() <= remains.length);
    let whole = found.chunks()[..chunks].last().map(|c| c.end());
    if whole != Some(remains.length) {
        let error = io::Error::new(
            io::ErrorKind::InvalidData,
            "it is not as the program left it",
        );
        return Err(io("finishing")(error));
    }
    file.set_len(remains.length)
        .and_then(|()| file.seek(SeekFrom::Start(remains.length)))
        .map_err(io("cutting"))?;
    let options = WriterOptions::default();
    let mut writer = TraceWriter::resume(file, name, &found, chunks, options)?;
    drop(found);
    let before = writer.written();
    let mut damaged = None;
    let taken = take(&remains, &mut writer, &mut damaged);
    let whole = writer.written().bytes;
    let cut = |writer: &mut TraceWriter<File>| {
        let file = writer.get_mut();
        file.set_len(whole)
            .and_then(|()| file.seek(SeekFrom::Start(whole)))
    };
    if let Err(e) = taken {
        // Full, most likely: what is whole stays, with its index if that finds room.
        if cut(&mut writer).is_ok() && writer.close().is_err() {
            let _ = cut(&mut writer);
        }
        return Err(e);
    }
    let written = writer.close().inspect_err(|_| {
        let _ = cut(&mut writer);
    });
    let written = written?;
    Ok(Some(Salvaged {
        records: written.records - before.records,
        frames: written.frames - before.frames,
        written,
        damaged,
    }))
}

/// Writes what was left, up to what is damaged.
fn take(
    remains: &Remains<'_>,
    writer: &mut TraceWriter<File>,
    damaged: &mut Option<String>,
) -> Result<(), TraceError> {
    for i in 0..remains.count() {
        let left = match remains.batch(i) {
            Ok(Some(left)) => left,
            Ok(None) => {
                *damaged = Some("its extent".to_owned());
                break;
            }
            Err(e) => {
                *damaged = Some(e.to_string());
                break;
            }
        };
        let mut rest = &left.words[..];
        while !rest.is_empty() {
            let part = split(rest, &left.data).and_then(|(part, more)| {
                check(&part, &left.data)?;
                Ok((part, more))
            });
            let written = match part {
                Ok((part, more)) => {
                    rest = more;
                    writer.part(&part, &left.data)
                }
                Err(e) => {
                    *damaged = Some(e.to_string());
                    break;
                }
            };
            match written {
                Ok(()) => {}
                Err(e @ TraceError::Io { .. }) => return Err(e),
                Err(e) => {
                    *damaged = Some(e.to_string());
                    break;
                }
            }
        }
        if damaged.is_some() {
            break;
        }
    }
    writer.flush()
}

/// Whether a reader would take it.
fn check(part: &Part<'_>, data: &[u8]) -> Result<(), PartError> {
    match part {
        Part::Record(view) => drop(codec::decode(view, data)?),
        Part::Note(NoteKind::Reply { kind, .. }, bytes) => match *kind {
            entry::NONE | entry::VALUE | entry::BYTES => {}
            entry::CAPS => drop(postcard::from_bytes::<Caps>(bytes).map_err(|_| PartError::Note)?),
            _ => return Err(PartError::Note),
        },
        Part::Note(NoteKind::Event, bytes) => {
            drop(postcard::from_bytes::<Event>(bytes).map_err(|_| PartError::Note)?);
        }
        // Its extent is checked where it is written.
        Part::Note(NoteKind::Image { .. }, _) => {}
    }
    Ok(())
}
