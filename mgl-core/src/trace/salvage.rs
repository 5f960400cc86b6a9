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
    let other = || {
        let error = "it is not as the program left it";
        io("finishing")(io::Error::new(io::ErrorKind::InvalidData, error))
    };
    let start = remains.start().map_err(io("reading its start"))?;
    let there = file.metadata().map_err(io("opening"))?.len();
    let mut same = vec![0; start.len().min(there as usize)];
    file.read_exact_at(&mut same, 0).map_err(io("reading"))?;
    if !start.starts_with(&same) {
        return Err(other());
    }
    if remains.is_at_start() && same.len() < start.len() {
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
        return Err(other());
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

#[cfg(test)]
mod tests {
    use super::super::arena::Arena;
    use super::super::batch::{Batch, room_of};
    use super::super::provenance::Provenance;
    use super::*;
    use crate::codec::encode;
    use crate::pipe::{Call, DebugMarker, Present, Reply};
    use std::io::Write;
    use std::sync::Arc;

    /// A recorder's memory and file, without the recorder.
    struct Dead {
        arena: Arc<Arena>,
        memory: File,
        free: Vec<Batch>,
        trace: File,
        path: PathBuf,
        start: Vec<u8>,
        _folder: tempfile::TempDir,
    }

    impl Dead {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("dead.mgltrace");
            let about = Provenance::of_tool("test");
            let mut w = TraceWriter::create(Vec::new(), &path, &about, WriterOptions::default())
                .expect("a Vec takes everything");
            let start = std::mem::take(w.get_mut());
            let made = Arena::create(&start).expect("memory");
            let free = made.slots.into_iter().enumerate();
            let free = free.map(|(slot, memory)| Batch::shared(&made.arena, slot, memory));
            Self {
                free: free.rev().collect(),
                arena: made.arena,
                memory: made.file,
                trace: File::create(&path).expect("a new file"),
                path,
                start,
                _folder: folder,
            }
        }

        /// A batch with two frames, a text in each that says which.
        fn batch(&mut self, number: u64) -> Batch {
            let mut batch = self.free.pop().expect("a slot");
            batch.begin(number);
            for n in [number * 2, number * 2 + 1] {
                let text = format!("frame {n}");
                for call in [
                    Call::DebugMarker {
                        p: &DebugMarker::default(),
                        text: text.as_bytes(),
                    },
                    Call::Present {
                        p: &Present::default(),
                    },
                ] {
                    let (words, bytes) = room_of(&call);
                    batch.make_room(words, bytes).expect("memory");
                    assert!(batch.push(&call, words));
                }
            }
            batch
        }

        /// The file with so many batches, as the recorder writes them, and where each ends.
        fn written(&self, batches: &[&Batch]) -> (Vec<u8>, Vec<usize>) {
            let start = TraceFile::from_bytes("start", self.start.clone()).expect("opens");
            let n = start.chunks().len();
            let options = WriterOptions::default();
            let mut w = TraceWriter::resume(self.start.clone(), &self.path, &start, n, options)
                .expect("resumes");
            let mut ends = vec![self.start.len()];
            for b in batches {
                let (words, data) = b.content();
                w.parts(words, data).expect("a Vec takes everything");
                w.flush().expect("a Vec takes everything");
                ends.push(w.get_mut().len());
            }
            (std::mem::take(w.get_mut()), ends)
        }

        fn salvage(&self) -> Result<Option<Salvaged>, TraceError> {
            salvage(&self.memory, &self.trace, &self.path)
        }

        /// The texts in the file, which is whole.
        #[track_caller]
        fn texts(&self) -> Vec<String> {
            let f = TraceFile::open(&self.path).expect("opens");
            assert_eq!(f.recovered(), None);
            let (mut texts, mut cursor) = (Vec::new(), f.records(..).expect("records"));
            while let Some(r) = cursor.next().expect("reads") {
                if let Call::DebugMarker { text, .. } = r.call {
                    texts.push(String::from_utf8_lossy(text).into_owned());
                }
            }
            texts
        }
    }

    fn frames(of: std::ops::Range<u64>) -> Vec<String> {
        of.map(|n| format!("frame {n}")).collect()
    }

    #[test]
    fn every_point_of_writing_gives_every_record_once() {
        let mut dead = Dead::new();
        let batches = [1, 2, 3].map(|n| dead.batch(n));
        let (file, ends) = dead.written(&batches.each_ref());
        // Wherever within the second batch the writer was: in its chunks, or between the last and saying so.
        for cut in 0..=file.len() {
            let done = match cut {
                _ if cut <= ends[1] => 0,
                _ if cut <= ends[2] => 1,
                _ => 2,
            };
            // Every place would take long; these are all kinds of it.
            let near = ends.iter().any(|e| e.abs_diff(cut) < 70);
            if !near && cut % 13 != 0 {
                continue;
            }
            dead.trace.set_len(0).expect("emptied");
            dead.trace.write_all_at(&file[..cut], 0).expect("written");
            dead.arena.done(done, ends[done as usize] as u64);
            let salvaged = dead.salvage().expect("salvaged").expect("something");
            assert_eq!(salvaged.frames, 6 - 2 * done, "cut at {cut}");
            assert_eq!(salvaged.damaged, None, "cut at {cut}");
            assert_eq!(dead.texts(), frames(2..8), "cut at {cut}");
            // Finished is finished.
            assert_eq!(dead.salvage().expect("looked at"), None);
        }
    }

    #[test]
    fn what_is_over_is_left_alone() {
        let mut dead = Dead::new();
        let batch = dead.batch(1);
        let (file, _) = dead.written(&[&batch]);
        dead.trace.write_all_at(&file, 0).expect("written");
        dead.arena.over();
        assert_eq!(dead.salvage().expect("looked at"), None);
        assert_eq!(std::fs::read(&dead.path).expect("there"), file);
    }

    #[test]
    fn a_file_that_is_another_stays_as_it_is() {
        let mut dead = Dead::new();
        let batch = dead.batch(1);
        let (file, ends) = dead.written(&[&batch]);
        let about = Provenance::of_tool("else");
        let path = Path::new("memory");
        let another = TraceWriter::create(Vec::new(), path, &about, WriterOptions::default());
        let (another, _) = another.and_then(TraceWriter::finish).expect("in memory");
        for done in [0, 1] {
            dead.arena.done(done, ends[done as usize] as u64);
            for other in [&b"something else"[..], &another, &file[..ends[0] + 16]] {
                // A part of its first batch is what it may be until that is done.
                if done == 0 && other.len() == ends[0] + 16 {
                    continue;
                }
                dead.trace.set_len(0).expect("emptied");
                dead.trace.write_all_at(other, 0).expect("written");
                assert!(dead.salvage().is_err());
                assert_eq!(std::fs::read(&dead.path).expect("there"), other);
            }
        }
        (&dead.memory).write_all(&[0; 8]).expect("written");
        assert!(dead.salvage().is_err(), "no arena");
    }

    #[test]
    fn a_missing_batch_ends_it() {
        let mut dead = Dead::new();
        let batches = [1, 2, 4].map(|n| dead.batch(n));
        dead.trace.write_all_at(&dead.start, 0).expect("written");
        let salvaged = dead.salvage().expect("salvaged").expect("something");
        assert_eq!((salvaged.frames, dead.texts()), (4, frames(2..6)));
        drop(batches);
    }

    #[test]
    fn a_record_counts_when_it_is_there() {
        let mut dead = Dead::new();
        let mut batch = dead.batch(1);
        let before = batch.content().0.len() as u64;
        let (mut words, mut bytes) = (Vec::new(), Vec::new());
        let call = Call::DebugMarker {
            p: &DebugMarker::default(),
            text: b"late",
        };
        encode(&call, &mut words, &mut bytes);
        batch.make_room(words.len(), bytes.len()).expect("memory");
        let mut seen = 0;
        let blobs = |visit: &mut dyn FnMut(&[u8])| {
            let remains = Remains::read(&dead.memory).expect("an arena");
            let left = remains.batch(0).expect("read").expect("whole");
            seen = left.words.len() as u64;
            visit(b"late");
        };
        assert!(batch.push_record(call.op(), &words, blobs));
        assert_eq!(seen, before, "it does not count while it is copied");
        let remains = Remains::read(&dead.memory).expect("an arena");
        let left = remains.batch(0).expect("read").expect("whole");
        assert_eq!((&*left.words, &*left.data), batch.content());
    }

    #[test]
    fn replies_that_no_reader_takes_end_it() {
        for (kind, bytes, good) in [
            (entry::VALUE, &b""[..], true),
            (entry::CAPS, b"", false),
            (entry::EVENT, b"", false),
            (99, b"", false),
        ] {
            let mut dead = Dead::new();
            let mut batch = dead.batch(1);
            let (words, room) = Batch::note_room(bytes.len());
            batch.make_room(words, room).expect("memory");
            assert!(batch.note(
                NoteKind::Reply {
                    kind,
                    value: 3,
                    behind: 0
                },
                bytes
            ));
            let next = dead.batch(2);
            let salvaged = dead.salvage().expect("salvaged").expect("something");
            assert_eq!(salvaged.damaged.is_none(), good, "{kind}");
            assert_eq!(salvaged.frames, if good { 4 } else { 2 });
            let f = TraceFile::open(&dead.path).expect("opens");
            let reply = f.reply(3).expect("reads");
            assert_eq!(reply, good.then_some(Reply::Value(3)));
            drop(next);
        }
    }
}
