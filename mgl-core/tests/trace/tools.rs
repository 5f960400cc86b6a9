//! Statistics, differences, repair.

use crate::scene::{self, FRAME_RECORDS, PRELUDE_RECORDS};
use mgl_core::trace::format::CHUNK_HEADER_BYTES;
use mgl_core::trace::*;
use std::ops::Bound;
use std::path::Path;

fn open(bytes: Vec<u8>) -> TraceFile {
    TraceFile::from_bytes("memory", bytes).expect("opens")
}

fn assembled(text: &str) -> TraceFile {
    let (bytes, _) = assemble(
        text,
        Path::new("text"),
        Vec::new(),
        WriterOptions::default(),
    )
    .expect("assembles");
    open(bytes)
}

#[test]
fn statistics_add_up() {
    let f = open(scene::file(6));
    let s = stats(&f, ..).expect("reads");
    assert_eq!(s.records, PRELUDE_RECORDS + 6 * FRAME_RECORDS + 1);
    assert_eq!(s.records, s.calls.iter().map(|c| c.count).sum::<u64>());
    assert_eq!(s.records, s.frames.iter().map(|f| f.records).sum::<u64>());
    assert_eq!(
        s.record_bytes,
        s.calls.iter().map(|c| c.record_bytes).sum::<u64>()
    );
    assert_eq!(
        s.blobs.referenced_bytes,
        s.frames.iter().map(|f| f.blob_bytes).sum::<u64>()
    );
    assert_eq!(
        s.blobs.different_bytes,
        s.frames.iter().map(|f| f.new_blob_bytes).sum::<u64>()
    );
    assert_eq!(s.frames.len(), 7);
    assert!(s.frames[..6].iter().all(|f| f.whole && f.verbs == 3) && !s.frames[6].whole);
    assert_eq!(
        (s.counters.clears, s.counters.presents, s.refused),
        (6, 6, 0)
    );
    assert_eq!((s.replies, s.events), (7, 6));
    // Three of the program's, and four of the uploads'.
    assert_eq!((s.blobs.different, s.blobs.references), (7, 9));
    let part = stats(&f, 2..4).expect("reads");
    assert_eq!((part.records, part.frames.len()), (2 * FRAME_RECORDS, 2));
    assert!(part.refused > 0, "frame 2 alone lacks what came before it");
}

#[test]
fn equal_traces_have_no_differences() {
    let a = open(scene::file(4));
    // Cut and packed otherwise, which means nothing.
    let options = WriterOptions {
        records: Pack::None,
        ..WriterOptions::default()
    };
    let b = open(scene::build(4, options).expect("builds").0);
    let d = diff(&a, &b, &DiffOptions::default()).expect("reads");
    assert!(d.is_equal(), "{d:?}");
    assert_eq!(d.frames, 5);
}

#[test]
fn differences_are_named_by_verb_and_field() {
    let a = open(scene::file(4));
    let text = crate::text::dumped(&a);
    // Frame 2 clears to another colour; frame 3 has one more push, and one more verb before its Present.
    let other = text
        .replace(r#""color":[2,0,0,0]"#, r#""color":[2,7,0,0]"#)
        .replace(
            r#"{"op":"Clear","verb":"3:0""#,
            "{\"op\":\"SetPatchState\",\"vertices\":3},\n{\"op\":\"MemoryBarrier\",\"barriers\":\"COMMAND\"},\n{\"op\":\"Clear\",\"verb\":\"3:0\"",
        )
        .replace(r#""gl_name":3"#, r#""gl_name":4"#);
    let b = assembled(&other);
    let d = diff(&a, &b, &DiffOptions::default()).expect("reads");
    assert_eq!((d.frames, d.different_frames, d.total), (5, 2, 3));
    let row = |i: usize| {
        let r = &d.rows[i];
        (
            r.verb.as_str(),
            r.call,
            r.path.as_str(),
            r.left.as_deref(),
            r.right.as_deref(),
        )
    };
    assert_eq!(row(0), ("2:0", "Clear", "color[1]", Some("0"), Some("7")));
    assert_eq!(row(1), ("3:0", "SetPatchState", "", None, Some("pushed")));
    assert_eq!(row(2), ("3:0", "MemoryBarrier", "", None, Some("pushed")));
    assert_eq!(d.summary.len(), 3);
    assert!(
        d.summary
            .iter()
            .any(|f| f.field == "Clear.color" && f.count == 1)
    );

    let narrowed = diff(
        &a,
        &b,
        &DiffOptions {
            frames: (Bound::Included(3), Bound::Unbounded),
            fields: &|f| f.starts_with("Set"),
            limit: 0,
        },
    )
    .expect("reads");
    assert_eq!(
        (narrowed.total, narrowed.rows.len(), narrowed.frames),
        (1, 0, 2)
    );
}

#[test]
fn a_blob_is_compared_by_content() {
    let a = open(scene::file(2));
    let text = crate::text::dumped(&a);
    let zeros = "A".repeat(136);
    let at = text.find(&zeros[..133]).expect("frame 0 uploads zeros");
    let mut other = text.clone();
    other.replace_range(at..at + 1, "B");
    let d = diff(&a, &assembled(&other), &DiffOptions::default()).expect("reads");
    assert_eq!(d.total, 1, "{d:?}");
    let r = &d.rows[0];
    assert_eq!(
        (r.frame, r.call, r.path.as_str()),
        (0, "ResourceSubData", "bytes.xxh3")
    );
}

#[test]
fn frames_of_one_side_are_told() {
    let d = diff(
        &open(scene::file(2)),
        &open(scene::file(4)),
        &DiffOptions::default(),
    )
    .expect("reads");
    assert_eq!(
        (d.only_left.len(), d.only_right.as_slice()),
        (0, &[FrameRun { first: 3, last: 4 }][..])
    );
    assert!(!d.is_equal());
}

#[test]
fn frames_that_only_a_header_claims_cost_nothing() {
    // The last records chunk says that it holds as many frames as it may have records.
    let whole = scene::file(3);
    let file = open(whole.clone());
    let last = *file
        .chunks()
        .iter()
        .rfind(|c| c.header.kind == ChunkKind::Records)
        .expect("there are records");
    let lie = |count: u32, frames: u32| {
        let mut header = last.header;
        (header.count, header.frames) = (count, frames);
        let at = last.offset as usize;
        let stored = &whole[at + CHUNK_HEADER_BYTES..][..header.stored as usize];
        let mut bytes = whole[..last.end() as usize].to_vec();
        bytes[at..at + CHUNK_HEADER_BYTES].copy_from_slice(&header.to_bytes(stored));
        open(bytes)
    };
    // More records than the chunk has room for: it is not read at all.
    let cut = lie(u32::MAX, u32::MAX);
    assert_eq!(cut.frames().end, last.header.frame);
    // As many as it has room for: the first of them that is not there is an error.
    let most = last.header.real / 8;
    let claims = lie(most, most);
    assert_eq!(claims.frames().end, last.header.frame + u64::from(most));
    let d = diff(&claims, &open(whole.clone()), &DiffOptions::default());
    let damaged = matches!(d, Err(TraceError::Chunk { .. } | TraceError::Record { .. }));
    assert!(damaged, "{d:?}");
}

#[test]
fn a_selection_of_fields_that_are_not_there_is_told() {
    let file = open(scene::file(2));
    let all = (std::ops::Bound::Unbounded, std::ops::Bound::Unbounded);
    let has = |field: &str| has_field(&file, all, &|f| f == field).expect("reads");
    assert!(has("Clear.buffers") && has("Present"));
    assert!(!has("Clear.bufers"));
}

#[test]
fn repair_gives_a_cut_file_its_index() {
    let whole = scene::file(6);
    let f = open(whole.clone());
    // In the middle of the records of frame 4.
    let chunk = f
        .chunks()
        .iter()
        .find(|c| c.header.kind == ChunkKind::Records && c.header.frame == 4)
        .expect("a chunk a frame");
    let cut = open(whole[..chunk.offset as usize + 70].to_vec());
    let r = cut.recovered().expect("recovered");
    assert_eq!(r.frames, 4);
    assert!(r.to_string().contains("recovered, 4 frames, "), "{r}");
    for options in [
        RepairOptions::default(),
        RepairOptions {
            drop_images: true,
            drop_replies: true,
        },
    ] {
        let (bytes, written) =
            repair(&cut, Vec::new(), Path::new("memory"), options).expect("repairs");
        assert_eq!((written.frames, written.bytes), (4, bytes.len() as u64));
        let mended = open(bytes);
        assert_eq!(mended.recovered(), None);
        assert_eq!(
            scene::calls(&mended).expect("reads"),
            scene::calls(&cut).expect("reads")
        );
        assert_eq!(mended.image_frames().is_empty(), options.drop_images);
        assert_eq!(mended.has_replies(), !options.drop_replies);
        assert_eq!(mended.provenance(), f.provenance());
    }
}

#[test]
fn repair_of_a_whole_file_copies_it() {
    let options = WriterOptions {
        first_frame: 30,
        ..WriterOptions::default()
    };
    let f = open(scene::build(3, options).expect("builds").0);
    let (bytes, _) = repair(
        &f,
        Vec::new(),
        Path::new("memory"),
        RepairOptions::default(),
    )
    .expect("repairs");
    let copy = open(bytes);
    assert_eq!(copy.frames(), 30..33);
    assert_eq!(copy.info().chunks, f.info().chunks);
    assert_eq!(
        scene::calls(&copy).expect("reads"),
        scene::calls(&f).expect("reads")
    );
}
