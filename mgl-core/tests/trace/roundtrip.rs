//! What was written comes back.

use crate::scene::{self, FRAME_RECORDS, PRELUDE_RECORDS, SURFACE, Sink, ToWriter};
use mgl_core::pipe::*;
use mgl_core::trace::*;
use std::path::Path;

fn open(bytes: Vec<u8>) -> TraceFile {
    TraceFile::from_bytes("memory", bytes).expect("opens")
}

#[test]
fn a_finished_file_gives_everything_back() {
    let f = open(scene::file(5));
    let info = f.info();
    assert_eq!(
        (info.frames, info.first_frame, info.partial_frame),
        (5, 0, true)
    );
    assert_eq!(info.records, PRELUDE_RECORDS + 5 * FRAME_RECORDS + 1);
    assert_eq!(info.images, 5);
    assert_eq!(info.recovered, None);
    assert_eq!(f.provenance().program, "test");
    assert_eq!(f.schema().expect("schema"), mgl_core::layout::schema_text());
    assert_eq!(f.frames(), 0..5);
    assert_eq!(f.all_frames(), 0..6);

    let mut c = f.records(..).expect("all");
    let (mut n, mut presents) = (0, 0);
    while let Some(r) = c.next().expect("reads") {
        assert_eq!((r.place.ordinal, r.place.frame), (n, presents));
        if let Call::Clear { p } = r.call {
            assert_eq!(u64::from(p.color[0]), presents);
            assert_eq!(r.place.verb, Some(0));
        }
        if let Call::ResourceSubData { bytes, .. } = r.call {
            assert_eq!(bytes, [(presents % 4) as u8; 100]);
            assert_eq!((r.place.verb, r.place.next_verb), (None, 1));
        }
        if matches!(r.call, Call::Present { .. }) {
            assert_eq!(r.place.verb, Some(2));
            presents += 1;
        }
        n += 1;
    }
    assert_eq!((n, presents), (info.records, 5));

    for frame in 0..5 {
        let read = PRELUDE_RECORDS + frame * FRAME_RECORDS + 2;
        assert_eq!(
            f.reply(read).expect("reads"),
            Some(Reply::Bytes(vec![frame as u8; 8]))
        );
        assert_eq!(f.reply(read + 1).expect("reads"), None);
        let events = f.events(read + 1).expect("reads");
        assert!(
            matches!(&events[..], [Event::Log { text, .. }] if *text == format!("frame {frame}"))
        );
        let image = f.image(frame).expect("reads").expect("has one");
        assert_eq!((image.width, image.height, image.surface), (4, 2, SURFACE));
        assert_eq!(image.rgba, [frame as u8; 32]);
    }
    assert!(matches!(f.reply(0), Ok(Some(Reply::Caps(_)))));
    assert_eq!(f.image(5).expect("reads"), None);
}

#[test]
fn frames_can_be_asked_for_one_by_one() {
    let f = open(scene::file(6));
    let all = scene::calls(&f).expect("reads");
    for (from, to) in [(0, 1), (1, 2), (3, 6), (5, 7), (0, 7), (6, 7)] {
        let mut c = f.records(from..to).expect("frames");
        let mut got = Vec::new();
        while let Some(r) = c.next().expect("reads") {
            assert!((from..to).contains(&r.place.frame));
            got.push(format!("{:?} {:?}", r.place, r.call));
        }
        let start = if from == 0 {
            0
        } else {
            PRELUDE_RECORDS + from * FRAME_RECORDS
        };
        let end = (PRELUDE_RECORDS + to * FRAME_RECORDS).min(all.len() as u64);
        assert_eq!(got, all[start as usize..end as usize], "{from}..{to}");
    }
    for bad in [7..8, 3..3, 5..99] {
        let e = f.records(bad).err().expect("refused");
        assert!(e.to_string().contains("the file holds 0..7"), "{e}");
    }
}

#[test]
fn a_blob_is_stored_once_a_file() {
    let small = open(scene::file(4));
    let large = open(scene::file(40));
    let blobs = |f: &TraceFile| {
        f.info()
            .chunks
            .iter()
            .find(|k| k.kind == "blobs")
            .map(|k| k.real_bytes)
    };
    assert_eq!(blobs(&small), blobs(&large));
}

#[test]
fn large_blobs_replies_and_images_run_over_chunks() {
    let mut w = TraceWriter::create(
        Vec::new(),
        Path::new("memory"),
        &Provenance::default(),
        WriterOptions::default(),
    )
    .expect("creates");
    let mut bytes: Vec<u8> = (0..70u32 << 20).map(|i| (i >> 12) as u8).collect();
    bytes.extend_from_slice(b"odd");
    let call = Call::ResourceSubData {
        p: &SubData::default(),
        bytes: &bytes,
        regions: &[],
    };
    w.push(&call).expect("pushes");
    w.push(&call).expect("pushes");
    let read = w
        .push(&Call::QueryTimestamp {
            p: &QueryTimestamp::default(),
        })
        .expect("pushes");
    w.reply(&Reply::Bytes(bytes.clone())).expect("replies");
    let (width, height) = (4096, 4500);
    let rgba: Vec<u8> = (0..width * height * 4).map(|i| (i >> 14) as u8).collect();
    w.image(SURFACE, width, height, &rgba).expect("images");
    w.push(&Call::Present {
        p: &Present::default(),
    })
    .expect("pushes");
    let (file, _) = w.finish().expect("finishes");
    let f = open(file);
    let kind = |k: &str| {
        f.info()
            .chunks
            .iter()
            .find(|c| c.kind == k)
            .map_or(0, |c| c.chunks)
    };
    assert_eq!((kind("blobs"), kind("replies"), kind("image")), (3, 3, 3));
    let mut c = f.records(..).expect("all");
    for _ in 0..2 {
        let r = c.next().expect("reads").expect("a record");
        assert!(matches!(r.call, Call::ResourceSubData { bytes: b, .. } if b == bytes));
    }
    assert_eq!(f.reply(read).expect("reads"), Some(Reply::Bytes(bytes)));
    let image = f.image(0).expect("reads").expect("an image");
    assert!(image.rgba == rgba && image.width == width);
}

#[test]
fn a_record_may_name_the_oldest_blob_beside_the_newest() {
    let mut w = TraceWriter::create(
        Vec::new(),
        Path::new("memory"),
        &Provenance::default(),
        WriterOptions::default(),
    )
    .expect("creates");
    let info = DrawInfo::default();
    // Each fills more than a chunk.
    let large: Vec<Vec<u8>> = (0..12).map(|n| vec![n; 9 << 20]).collect();
    let draws: Vec<Call<'_>> = large
        .iter()
        .map(|arrays| Call::DrawVbo {
            p: &info,
            indices: &[7; 64],
            arrays,
            ranges: &[],
            user_arrays: &[],
        })
        .collect();
    for draw in &draws {
        w.push(draw).expect("pushes");
    }
    let (file, _) = w.finish().expect("finishes");
    let f = open(file);
    let info = f.info();
    let blobs = info.chunks.iter().find(|c| c.kind == "blobs");
    assert!(blobs.map_or(0, |c| c.chunks) >= 12, "a chunk a draw");
    let mut c = f.records(..).expect("all");
    for (n, draw) in draws.iter().enumerate() {
        let r = c.next().expect("reads").expect("a record");
        assert!(r.call == *draw, "draw {n}");
    }
}

#[test]
fn every_packing_reads_the_same() {
    let expected = scene::calls(&open(scene::file(3))).expect("reads");
    for pack in [Pack::None, Pack::Fast, Pack::Small(1), Pack::Small(9)] {
        let options = WriterOptions {
            records: pack,
            blobs: pack,
            images: pack,
            first_frame: 0,
        };
        let (bytes, _) = scene::build(3, options).expect("builds");
        assert_eq!(scene::calls(&open(bytes)).expect("reads"), expected);
    }
}

#[test]
fn frame_numbers_may_start_anywhere() {
    let options = WriterOptions {
        first_frame: 1000,
        ..WriterOptions::default()
    };
    let (bytes, written) = scene::build(2, options).expect("builds");
    assert_eq!(written.frames, 2);
    let f = open(bytes);
    assert_eq!((f.frames(), f.info().first_frame), (1000..1002, 1000));
    let mut c = f.records(1001..1002).expect("frames");
    let first = c.next().expect("reads").expect("a record");
    assert_eq!((first.place.frame, first.place.verb), (1001, Some(0)));
    assert!(f.image(1001).expect("reads").is_some());
}

#[test]
fn a_file_without_records_is_a_trace() {
    let w = TraceWriter::create(
        Vec::new(),
        Path::new("memory"),
        &Provenance::default(),
        WriterOptions::default(),
    )
    .expect("creates");
    let (bytes, _) = w.finish().expect("finishes");
    let f = open(bytes);
    assert_eq!((f.info().frames, f.info().records), (0, 0));
    assert!(
        f.records(..)
            .expect("empty")
            .next()
            .expect("reads")
            .is_none()
    );
    assert!(f.records(0..1).is_err());
}

#[test]
fn a_file_without_present_is_one_partial_frame() {
    let w = TraceWriter::create(
        Vec::new(),
        Path::new("memory"),
        &Provenance::default(),
        WriterOptions::default(),
    )
    .expect("creates");
    let mut s = ToWriter(w);
    scene::prelude(&mut s);
    s.push(&Call::Flush {
        p: &Flush::default(),
    });
    let f = open(s.0.finish().expect("finishes").0);
    assert_eq!((f.frames(), f.all_frames()), (0..0, 0..1));
    assert!(f.info().partial_frame);
}

#[test]
fn consumers_see_everything_in_order() {
    #[derive(Default)]
    struct Log(Vec<String>);
    impl Consumer for Log {
        type Error = TraceError;
        fn wants_images(&self) -> bool {
            true
        }
        fn event(&mut self, e: &Event) -> Result<(), TraceError> {
            if let Event::Log { text, .. } = e {
                self.0.push(format!("event {text}"));
            }
            Ok(())
        }
        fn record(&mut self, r: &Record<'_>, reply: Option<&Reply>) -> Result<Flow, TraceError> {
            let answered = if reply.is_some() { "!" } else { "" };
            self.0.push(format!("{}{answered}", r.call.op().name()));
            Ok(Flow::Continue)
        }
        fn image(&mut self, m: &FrameImage) -> Result<(), TraceError> {
            self.0.push(format!("image {}", m.frame));
            Ok(())
        }
        fn frame_end(&mut self, frame: u64, whole: bool) -> Result<Flow, TraceError> {
            self.0.push(format!("end {frame} {whole}"));
            Ok(Flow::Continue)
        }
    }
    let f = open(scene::file(2));
    let mut log = Log::default();
    drive(&f, 1.., &mut log).expect("drives");
    let expected = [
        "Clear",
        "ResourceSubData",
        "ReadPixels!",
        "event frame 1",
        "Present",
        "image 1",
        "end 1 true",
        "Flush",
        "end 2 false",
    ];
    assert_eq!(log.0, expected);
}

#[test]
fn an_event_may_come_before_the_reply_that_is_waited_for() {
    let mut w = TraceWriter::create(
        Vec::new(),
        Path::new("memory"),
        &Provenance::default(),
        WriterOptions::default(),
    )
    .expect("creates");
    for n in 0..3 {
        w.push(&Call::QueryTimestamp {
            p: &QueryTimestamp::default(),
        })
        .expect("pushes");
        w.event(&Event::CapsInvalidated).expect("an event");
        if n == 1 {
            // What is pending is cut between the two.
            w.flush().expect("flushes");
        }
        w.reply(&Reply::Value(n)).expect("replies");
    }
    let f = open(w.finish().expect("finishes").0);
    for n in 0..3 {
        assert_eq!(f.reply(n).expect("reads"), Some(Reply::Value(n)));
        assert_eq!(f.events(n + 1).expect("reads"), [Event::CapsInvalidated]);
    }
    assert_eq!(f.events(0).expect("reads"), []);
}

/// A thread waited for an answer while others went on.
#[test]
fn a_reply_may_come_behind_later_records() {
    let mut w = TraceWriter::create(
        Vec::new(),
        Path::new("memory"),
        &Provenance::default(),
        WriterOptions::default(),
    )
    .expect("creates");
    let large: Vec<u8> = (0..9 << 20).map(|n| (n >> 8) as u8).collect();
    for n in 0..4 {
        w.push(&Call::QueryTimestamp {
            p: &QueryTimestamp::default(),
        })
        .expect("pushes");
        if n == 2 {
            w.flush().expect("flushes");
            w.late_reply(1, &Reply::Value(1)).expect("replies");
            w.event(&Event::CapsInvalidated).expect("an event");
        }
    }
    w.reply(&Reply::Value(3)).expect("replies");
    w.late_reply(3, &Reply::Bytes(large.clone()))
        .expect("replies");
    let f = open(w.finish().expect("finishes").0);
    assert_eq!(f.reply(0).expect("reads"), Some(Reply::Bytes(large)));
    assert_eq!(f.reply(1).expect("reads"), Some(Reply::Value(1)));
    assert_eq!(f.reply(2).expect("reads"), None);
    assert_eq!(f.reply(3).expect("reads"), Some(Reply::Value(3)));
    assert_eq!(f.events(3).expect("reads"), [Event::CapsInvalidated]);

    // The text form has each by its record.
    let mut text = Vec::new();
    dump(&f, &mut text, &DumpOptions::default()).expect("printed");
    let text = String::from_utf8(text).expect("text");
    let again = assemble(
        &text,
        Path::new("again"),
        Vec::new(),
        WriterOptions::default(),
    );
    let again = open(again.expect("assembles").0);
    for n in 0..4 {
        assert_eq!(again.reply(n).expect("reads"), f.reply(n).expect("reads"));
    }
}
