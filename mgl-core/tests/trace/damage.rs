//! Damaged and hostile files: a clear error or a recovery, never a panic, quickly.

use crate::scene::{self, FRAME_RECORDS, PRELUDE_RECORDS};
use crate::schema::Random;
use mgl_core::trace::format::*;
use mgl_core::trace::*;
use std::path::Path;
use std::time::{Duration, Instant};

fn open(bytes: Vec<u8>) -> Result<TraceFile, TraceError> {
    TraceFile::from_bytes("damaged", bytes)
}

/// Reads everything there is. An error is fine, a panic is not.
fn read_all(f: &TraceFile) -> Result<u64, TraceError> {
    let mut n = 0;
    let mut c = f.records(..)?;
    while let Some(r) = c.next()? {
        f.reply(r.place.ordinal)?;
        f.events(r.place.ordinal)?;
        n += 1;
    }
    for frame in f.image_frames() {
        f.images(frame)?;
    }
    f.schema()?;
    Ok(n)
}

#[test]
fn a_file_cut_anywhere_keeps_its_whole_chunks() {
    let whole = scene::file(3);
    let f = open(whole.clone()).expect("opens");
    let all = scene::calls(&f).expect("reads");
    let records: Vec<_> = f
        .chunks()
        .iter()
        .filter(|c| c.header.kind == ChunkKind::Records)
        .copied()
        .collect();
    for n in 0..whole.len() {
        let cut = open(whole[..n].to_vec());
        if n < FILE_HEADER_BYTES {
            let e = cut.expect_err("there is no header");
            let text = e.to_string();
            assert!(
                text.contains("empty") || text.contains("recording was cut off at once"),
                "{n}: {text}"
            );
            continue;
        }
        let cut = cut.unwrap_or_else(|e| panic!("{n} bytes: {e}"));
        let r = cut
            .recovered()
            .unwrap_or_else(|| panic!("{n} bytes: no trailer"));
        let kept: Vec<_> = records.iter().filter(|c| c.end() <= n as u64).collect();
        let frames: u64 = kept.iter().map(|c| u64::from(c.header.frames)).sum();
        let count: u64 = kept.iter().map(|c| u64::from(c.header.count)).sum();
        assert_eq!((r.frames, cut.record_count()), (frames, count), "{n} bytes");
        assert_eq!(
            scene::calls(&cut).expect("what is whole reads"),
            all[..count as usize],
            "{n} bytes"
        );
        let end = f
            .chunks()
            .iter()
            .map(index::ChunkInfo::end)
            .filter(|e| *e <= n as u64)
            .max()
            .unwrap_or(FILE_HEADER_BYTES as u64);
        // An index without its trailer counts as unfinished.
        assert_eq!(r.ignored_bytes, n as u64 - end, "{n} bytes");
        assert!(read_all(&cut).is_ok(), "{n} bytes");
    }
}

#[test]
fn every_flipped_byte_is_noticed_or_means_nothing() {
    let whole = scene::file(2);
    let f = open(whole.clone()).expect("opens");
    let expected = scene::calls(&f).expect("reads");
    let padding: Vec<usize> = f
        .chunks()
        .iter()
        .flat_map(|c| {
            c.offset as usize + CHUNK_HEADER_BYTES + c.header.stored as usize..c.end() as usize
        })
        .collect();
    for at in 0..whole.len() {
        for bits in [1u8, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= bits;
            match open(bytes) {
                Err(e) => {
                    let text = e.to_string();
                    assert!(text.starts_with("damaged: "), "{at}: {text}");
                }
                Ok(f) => match read_all(&f) {
                    // The index and the trailer may be lost without loss.
                    Ok(n) if f.recovered().is_none() => {
                        assert!(
                            padding.contains(&at)
                                || at as u64 >= f.chunks().last().map_or(0, |c| c.end()),
                            "byte {at} was changed and nobody noticed"
                        );
                        assert_eq!(n, expected.len() as u64);
                    }
                    Ok(n) => assert!(n <= expected.len() as u64),
                    Err(e) => {
                        let text = e.to_string();
                        assert!(
                            text.contains(" chunk at offset "),
                            "{at}: '{text}' names no chunk"
                        );
                    }
                },
            }
        }
    }
}

/// Gives the chunk at `offset` other header fields, with a right checksum.
fn forge(bytes: &mut [u8], offset: usize, change: impl FnOnce(&mut ChunkHeader)) {
    let head: [u8; CHUNK_HEADER_BYTES] = bytes[offset..offset + CHUNK_HEADER_BYTES]
        .try_into()
        .expect("a header");
    let mut h = ChunkHeader::from_bytes(&head).expect("a chunk");
    let stored = h.stored as usize;
    change(&mut h);
    let content = bytes[offset + CHUNK_HEADER_BYTES..][..stored].to_vec();
    bytes[offset..offset + CHUNK_HEADER_BYTES].copy_from_slice(&h.to_bytes(&content));
}

#[test]
fn forged_sizes_and_numbers_are_refused() {
    let whole = scene::file(3);
    let f = open(whole.clone()).expect("opens");
    let end = f.chunks().last().expect("chunks").end() as usize;
    // Without an index, headers are all there is to believe.
    let cut = whole[..end].to_vec();
    let of = |kind| {
        f.chunks()
            .iter()
            .find(|c| c.header.kind == kind)
            .expect("of every kind")
            .offset as usize
    };
    type Change = fn(&mut ChunkHeader);
    let changes: &[(ChunkKind, Change)] = &[
        (ChunkKind::Records, |h| h.real = MAX_CONTENT as u32),
        (ChunkKind::Records, |h| h.real = 8),
        (ChunkKind::Records, |h| h.codec = Codec::Zstd),
        (ChunkKind::Records, |h| h.count += 1),
        (ChunkKind::Records, |h| h.count = u32::MAX),
        (ChunkKind::Records, |h| h.frames = 0),
        (ChunkKind::Records, |h| h.kind = ChunkKind::Blobs),
        (ChunkKind::Blobs, |h| h.real = MAX_CONTENT as u32),
        (ChunkKind::Blobs, |h| h.codec = Codec::Lz4),
        (ChunkKind::Blobs, |h| h.kind = ChunkKind::Unknown(77)),
        (ChunkKind::Replies, |h| h.record = MAX_NUMBER),
        (ChunkKind::Replies, |h| h.real = 1 << 20),
        (ChunkKind::Image, |h| h.kind = ChunkKind::Replies),
        (ChunkKind::Image, |h| h.kind = ChunkKind::Records),
        (ChunkKind::Provenance, |h| h.kind = ChunkKind::Schema),
        (ChunkKind::Schema, |h| h.kind = ChunkKind::Provenance),
    ];
    for (i, (kind, change)) in changes.iter().enumerate() {
        let mut bytes = cut.clone();
        forge(&mut bytes, of(*kind), change);
        let e = open(bytes).and_then(|f| {
            let n = read_all(&f)?;
            // A forged number may end the walk there, or take a whole chunk out.
            if n < PRELUDE_RECORDS + 3 * FRAME_RECORDS
                || f.image_frames().len() < 3
                || f.reply(0)?.is_none()
            {
                return Ok(());
            }
            panic!("change {i} went unnoticed");
        });
        if let Err(e) = e {
            assert!(e.to_string().contains(" chunk at offset "), "{i}: {e}");
        }
    }
}

#[test]
fn a_small_file_cannot_ask_for_much_memory() {
    // 64 MiB of zeros in a few kilobytes, over and over: each is decompressed on its own, and only when it is read.
    let mut w = TraceWriter::create(
        Vec::new(),
        Path::new("memory"),
        &Provenance::default(),
        WriterOptions::default(),
    )
    .expect("creates");
    let zeros = vec![0u8; 30 << 20];
    for n in 0..20u64 {
        let mut bytes = zeros.clone();
        bytes[..8].copy_from_slice(&n.to_le_bytes());
        w.push(&mgl_core::pipe::Call::ResourceSubData {
            p: &mgl_core::pipe::SubData::default(),
            bytes: &bytes,
            regions: &[],
        })
        .expect("pushes");
    }
    let (bytes, _) = w.finish().expect("finishes");
    assert!(bytes.len() < 1 << 20);
    let start = Instant::now();
    let f = open(bytes).expect("opens");
    assert_eq!(f.info().records, 20);
    assert!(start.elapsed() < Duration::from_secs(1));
    assert_eq!(read_all(&f).expect("reads"), 20);
}

#[test]
fn what_is_no_trace_is_told_from_one() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    for (bytes, text) in [
        (Vec::new(), "the file is empty"),
        (png, "not an mgl trace: it starts with a PNG signature"),
        (b"\x7fELF\x02\x01".to_vec(), "an ELF signature"),
        (b"{\"mgl_trace\": 1}".to_vec(), "`mgl assemble`"),
        (vec![0; 1000], "it starts with zeros"),
        (b"hello".to_vec(), "unknown bytes"),
        (MAGIC[..5].to_vec(), "recording was cut off at once"),
    ] {
        let e = open(bytes).expect_err("no trace");
        assert!(e.to_string().contains(text), "{e}");
    }
    let e = TraceFile::open(Path::new("/nonexistent/x.mgltrace")).expect_err("no file");
    assert!(
        e.to_string().contains("/nonexistent/x.mgltrace: opening"),
        "{e}"
    );
    let e = TraceFile::open(Path::new("/")).expect_err("a folder");
    assert!(e.to_string().contains("it is a folder"), "{e}");
}

#[test]
fn versions_are_told_apart() {
    let whole = scene::file(1);
    let with = |h: FileHeader| {
        let mut b = whole.clone();
        b[..FILE_HEADER_BYTES].copy_from_slice(&h.to_bytes());
        open(b)
    };
    let now = FileHeader::current();
    let e = with(FileHeader {
        version: 9,
        oldest_reader: 9,
        ..now
    })
    .expect_err("newer");
    assert!(e.to_string().contains("use a newer mgl"), "{e}");
    assert!(e.is_of_another_version());
    // Written by a later version, for readers of this one too.
    assert!(with(FileHeader { version: 2, ..now }).is_ok());
    // The schema that the file holds says what its records are, and has to be the header's.
    let e = with(FileHeader { layout: 1, ..now }).expect_err("another layout");
    assert!(e.to_string().contains("not the one of its header"), "{e}");
    assert!(e.is_of_another_version());
    let e = with(FileHeader {
        rkyv: *b"0.9\0\0\0\0\0",
        ..now
    })
    .expect_err("another series");
    assert!(e.to_string().contains("rkyv 0.9"), "{e}");
}

#[test]
fn chunks_of_later_versions_are_passed_over() {
    let whole = scene::file(2);
    let f = open(whole.clone()).expect("opens");
    let end = f.chunks().last().expect("chunks").end() as usize;
    let mut bytes = whole[..end].to_vec();
    let h = ChunkHeader {
        kind: ChunkKind::Unknown(500),
        codec: Codec::None,
        stored: 5,
        real: 5,
        ordinal: 0,
        frame: 0,
        record: 0,
        count: 0,
        frames: 0,
        verb: 0,
    };
    bytes.extend_from_slice(&h.to_bytes(b"later"));
    bytes.extend_from_slice(b"later\0\0\0\0\0\0\0\0\0\0\0");
    let f = open(bytes).expect("opens");
    assert_eq!(f.recovered().expect("no trailer").ignored_bytes, 0);
    assert_eq!(
        scene::calls(&f).expect("reads"),
        scene::calls(&open(whole).expect("opens")).expect("reads")
    );
    assert!(f.info().chunks.iter().any(|k| k.kind == "kind-500"));
}

#[test]
fn noise_in_a_file_is_never_a_panic() {
    let whole = scene::file(4);
    let f = open(whole.clone()).expect("opens");
    let heads: Vec<usize> = f.chunks().iter().map(|c| c.offset as usize).collect();
    let mut r = Random(42);
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 4000 && (rounds < 500 || start.elapsed() < Duration::from_secs(10)) {
        rounds += 1;
        let mut bytes = whole.clone();
        for _ in 0..=r.below(4) {
            let at = r.below(bytes.len());
            let n = r.below(16).min(bytes.len() - at);
            match r.below(6) {
                0 => bytes[at] = r.next() as u8,
                1 => bytes[at..at + n].fill(0),
                2 => bytes[at..at + n].fill(0xff),
                3 => bytes.truncate(at.max(1)),
                4 => drop(bytes.drain(at..at + n)),
                _ => {
                    let from = r.below(bytes.len());
                    let part = bytes[from..(from + 64).min(bytes.len())].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
        // Half of the time behind right checksums, where the checks of contents are.
        if r.below(2) == 0 {
            for &at in &heads {
                let Some(head) = bytes.get(at..at + CHUNK_HEADER_BYTES) else {
                    break;
                };
                let head: [u8; CHUNK_HEADER_BYTES] = head.try_into().expect("a header");
                if let Ok(h) = ChunkHeader::from_bytes(&head)
                    && at + CHUNK_HEADER_BYTES + h.stored as usize <= bytes.len()
                {
                    forge(&mut bytes, at, |_| {});
                }
            }
        }
        if let Ok(f) = open(bytes) {
            let _ = f.info();
            let _ = read_all(&f);
            let _ = stats(&f, ..);
        }
    }
}

#[test]
fn noise_in_records_is_never_a_panic() {
    // Whole chunks with right checksums around words that are not records.
    let mut r = Random(1);
    for _ in 0..2000 {
        let (op, seed) = (r.below(mgl_core::pipe::Op::ALL.len()), r.next());
        let schema = crate::schema::Schema::shared();
        let (mut words, blobs) = schema.sample(mgl_core::pipe::Op::ALL[op], &mut Random(seed));
        for _ in 0..=r.below(3) {
            let at = r.below(words.len());
            words[at] = match r.below(3) {
                0 => r.next(),
                1 => words[at] ^ 1 << r.below(64),
                _ => 0,
            };
        }
        let mut w = TraceWriter::create(
            Vec::new(),
            Path::new("memory"),
            &Provenance::default(),
            WriterOptions::default(),
        )
        .expect("creates");
        // The writer refuses what it cannot split; what it takes, the reader may refuse.
        if w.push_words(&words, &blobs).is_ok() {
            let f = open(w.finish().expect("finishes").0).expect("opens");
            if let Err(e) = read_all(&f) {
                assert!(e.to_string().contains("record 0: record "), "{e}");
            }
        }
    }
}

#[test]
fn garbage_is_answered_at_once() {
    let mut r = Random(3);
    let mut bytes: Vec<u8> = (0..8 << 20).map(|_| r.next() as u8).collect();
    let start = Instant::now();
    assert!(open(bytes.clone()).is_err());
    bytes[..FILE_HEADER_BYTES].copy_from_slice(&FileHeader::current().to_bytes());
    let f = open(bytes.clone()).expect("a header and nothing more");
    assert_eq!((f.info().records, f.info().frames), (0, 0));
    // Millions of empty chunks.
    let h = ChunkHeader {
        kind: ChunkKind::Unknown(99),
        codec: Codec::None,
        stored: 0,
        real: 0,
        ordinal: 0,
        frame: 0,
        record: 0,
        count: 0,
        frames: 0,
        verb: 0,
    }
    .to_bytes(&[]);
    for c in bytes[FILE_HEADER_BYTES..].chunks_exact_mut(CHUNK_HEADER_BYTES) {
        c.copy_from_slice(&h);
    }
    assert!(open(bytes).is_err(), "the first chunk is not provenance");
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}

/// A file of a later version says what it is, whatever in it cannot be read here.
#[test]
fn a_later_version_s_file_is_surveyed() {
    let whole = scene::file(3);
    let survey = |b: &[u8]| {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("x.mgltrace");
        std::fs::write(&path, b).expect("written");
        TraceFile::survey(&path)
    };
    let today = survey(&whole).expect("today's");
    assert_eq!((today.frames, today.unreadable), (3, None));
    let now = FileHeader::current();
    let later = FileHeader {
        version: now.version + 1,
        oldest_reader: now.version + 1,
        ..now
    };
    let other_archives = FileHeader {
        rkyv: *b"0.9\0\0\0\0\0",
        ..later
    };
    for header in [later, other_archives] {
        let mut b = whole.clone();
        b[..FILE_HEADER_BYTES].copy_from_slice(&header.to_bytes());
        let info = survey(&b).expect("says what it is");
        assert_eq!((info.version, info.frames), (now.version + 1, 3));
        assert_eq!(info.records, today.records);
        let why = info.unreadable.expect("why not");
        assert!(why.contains("use a newer mgl"), "{why}");
        // Also where it was cut off.
        let info = survey(&b[..b.len() - 40]).expect("says what it is");
        assert_eq!(info.frames, 3);
    }
    // What is damaged is no other version.
    let mut b = whole.clone();
    let at = b.len() - 100;
    b[at] ^= 1;
    assert!(survey(&b).is_err_and(|e| !e.is_of_another_version()));
}
