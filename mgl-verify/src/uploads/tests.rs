//! The stored trace `uploads.json`, on the client's side and on Espryt; the file's text; what differs.

use std::path::{Path, PathBuf};

use mgl_core::handle::{BufferHandle, Handle, ResourceHandle, TextureHandle};
use mgl_core::pipe::{UploadReport, UploadShape};
use mgl_core::trace::{TraceError, TraceFile, WriterOptions, assemble};
use mgl_replay::player::{PlayOptions, play};
use mgl_replay::{BackendKind, BackendOptions, make_backend};

use super::*;
use crate::difference::Difference;
use crate::toml_text::TomlError;

/// A stored text trace, changed by `change`.
fn trace(name: &str, change: impl FnOnce(String) -> String) -> TraceFile {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "traces", "text", name]
        .iter()
        .collect();
    let text = change(std::fs::read_to_string(path).expect("a stored trace"));
    let options = WriterOptions::default();
    let (bytes, _) = assemble(&text, Path::new(name), Vec::new(), options).expect("assembles");
    TraceFile::from_bytes(name, bytes).expect("opens")
}

fn uploads_trace() -> TraceFile {
    trace("uploads.json", |text| text)
}

fn client_of(file: &TraceFile) -> ClientUploads {
    client(file).expect("reads")
}

/// All that a replay on Espryt reports.
fn espryt_of(file: &TraceFile, client: &ClientUploads) -> ServerUploads {
    let options = BackendOptions::headless(true);
    let mut back_end = make_backend(BackendKind::Espryt, &options)
        .expect("this test needs OpenGL ES 3.1 (see mgl doctor)");
    let options = PlayOptions {
        uploads: true,
        ..PlayOptions::default()
    };
    let mut server = ServerUploads::default();
    play(file, back_end.as_mut(), &options, &mut |frame| {
        server
            .add_frame(frame.frame, &frame.uploads, client)
            .map_err(|e| e.to_string())
    })
    .expect("replays");
    server
}

fn level(texture: u32, level: u32) -> TextureLevel {
    TextureLevel { texture, level }
}

#[test]
fn the_client_side_is_counted_a_texture_level_and_frame() {
    let client = client_of(&uploads_trace());
    assert_eq!(client.frames, 0..7);
    let rows: Vec<_> = client
        .levels
        .iter()
        .map(|((frame, at), l)| {
            let counts = (l.emissions, l.regions, l.union_whole);
            (
                *frame,
                at.texture,
                at.level,
                counts,
                l.box_bytes,
                l.region_bytes,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            (0, 0, 0, (1, 0, 1), 1024, 1024),
            (0, 1, 1, (1, 0, 1), 96, 96),
            (1, 0, 0, (1, 2, 1), 256, 32),
            (2, 0, 0, (1, 2, 1), 256, 32),
            (3, 0, 0, (1, 2, 1), 256, 224),
            (4, 0, 0, (6, 1, 5), 384, 384),
            (5, 2, 0, (1, 0, 1), 64, 64),
            (6, 2, 0, (1, 0, 1), 128, 128),
        ]
    );
    let boxes = |frame, at| &client.levels[&(frame, at)].boxes;
    assert_eq!(boxes(0, level(1, 1)), &["4x4x2+0+0+1"]);
    assert_eq!(boxes(1, level(0, 0)), &["8x8+4+4"]);
    let many = boxes(4, level(0, 0));
    assert_eq!(many[..4], ["1x16+0+0", "1x16+1+0", "1x16+2+0", "1x16+3+0"]);
    assert!(many.len() == 5 && many[4].starts_with("+2 "), "{many:?}");
    let buffers: Vec<_> = client
        .buffers
        .iter()
        .map(|(f, b)| (*f, b.emissions, b.bytes))
        .collect();
    assert_eq!(buffers, [(0, 1, 64), (4, 2, 32)]);
    assert_eq!(
        client.totals(),
        UploadTotals {
            uploads: 13,
            regions: 7,
            box_bytes: 2464,
            region_bytes: 1984,
            buffer_uploads: 3,
            buffer_bytes: 96,
        }
    );
}

#[test]
fn textures_are_counted_by_first_upload_and_described() {
    let client = client_of(&uploads_trace());
    let known: Vec<_> = client
        .textures
        .iter()
        .map(|t| (t.texture, t.since, t.name, &*t.format, &*t.extent))
        .collect();
    assert_eq!(
        known,
        [
            (0, 0, 5, "GL_RGBA8", "16x16"),
            (1, 0, 6, "GL_RGB8", "8x8x3"),
            // The slot and the GL name of texture 0, and another texture; respecified once.
            (2, 5, 5, "GL_RGBA8", "4x4"),
            (2, 6, 5, "GL_RGBA8", "8x4"),
        ]
    );
    assert_eq!(client.textures[0].target, "GL_TEXTURE_2D");
    assert_eq!(client.texture_name(0), "texture 0 'glyphs'");
    assert_eq!(
        client.texture_name(2),
        "texture 2",
        "the label died with its texture"
    );
    assert_eq!(client.info(2, 5).map(|t| &*t.extent), Some("4x4"));
    assert_eq!(client.info(2, 9).map(|t| &*t.extent), Some("8x4"));
    let handle = |slot, generation| TextureHandle(Handle { slot, generation }).into();
    assert_eq!(client.ordinal(handle(0, 1)), Some(0));
    assert_eq!(client.ordinal(handle(0, 2)), Some(2));
    assert_eq!(client.ordinal(handle(0, 3)), None);
}

#[test]
fn ordinals_do_not_depend_on_the_frames_asked_for() {
    let file = uploads_trace();
    let part = client_of_frames(&file, 5..6).expect("reads");
    let keys: Vec<_> = part.levels.keys().copied().collect();
    assert_eq!(keys, [(5, level(2, 0))]);
    assert_eq!(part.frames, 5..6);
    assert_eq!(part.buffers.len(), 0);
    let error = client_of_frames(&file, 5..60).expect_err("no such frames");
    assert!(matches!(error, TraceError::NoFrames { .. }), "{error}");
}

#[test]
fn espryt_reports_shape_calls_and_bytes() {
    let file = uploads_trace();
    let client = client_of(&file);
    let server = espryt_of(&file, &client);
    let rows: Vec<_> = server
        .levels
        .iter()
        .map(|((frame, at), l)| (*frame, at.texture, at.level, l.shape(), l.jobs, l.bytes))
        .collect();
    let row = |frame, texture, level, shape: &str, jobs, bytes| {
        (frame, texture, level, shape.to_owned(), jobs, bytes)
    };
    // What is widened from three components to four has more bytes, or not: that is the driver's formats' affair.
    let rgb = server.levels[&(0, level(1, 1))].bytes;
    assert!(rgb == 96 || rgb == 128, "{rgb}");
    assert_eq!(
        rows,
        [
            row(0, 0, 0, "box", 1, 1024),
            row(0, 1, 1, "box", 1, rgb),
            row(1, 0, 0, "regions", 2, 32),
            row(2, 0, 0, "regions", 2, 32),
            row(3, 0, 0, "box", 1, 256),
            row(4, 0, 0, "5 box, 1 regions", 6, 384),
            row(5, 2, 0, "box", 1, 64),
            row(6, 2, 0, "box", 1, 128),
        ]
    );
    let buffers: Vec<_> = server
        .buffers
        .iter()
        .map(|(f, b)| (*f, b.jobs, b.bytes))
        .collect();
    assert_eq!(buffers, [(0, 1, 64), (4, 2, 32)]);
    assert_eq!(server.frames, 0..7);
    assert_eq!(
        server,
        espryt_of(&file, &client),
        "the choice follows from the records"
    );
}

#[test]
fn reports_of_another_trace_are_refused() {
    let client = client_of(&uploads_trace());
    let report = |resource: ResourceHandle| UploadReport {
        resource,
        level: 0,
        shape: UploadShape::Box,
        jobs: 1,
        bytes: 4,
    };
    let handle = Handle {
        slot: 77,
        generation: 1,
    };
    let mut server = ServerUploads::default();
    let foreign = report(TextureHandle(handle).into());
    let error = server
        .add_frame(3, &[foreign], &client)
        .expect_err("foreign");
    assert!(error.to_string().starts_with("frame 3: "), "{error}");
    let buffer = report(BufferHandle(handle).into());
    server
        .add_frame(4, &[buffer], &client)
        .expect("buffers have no ordinals");
    assert_eq!(server.buffers[&4].bytes, 4);
}

fn both() -> Uploads {
    let file = uploads_trace();
    let client = client_of(&file);
    Uploads {
        espryt: Some(espryt_of(&file, &client)),
        client: Some(client),
        magma: None,
    }
}

#[test]
fn the_file_comes_back_and_is_small() {
    let uploads = both();
    let text = uploads.to_toml();
    let back = Uploads::from_toml(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(back.to_toml(), text);
    assert!(Uploads::compare(&uploads, &back).is_empty());
    assert!(Uploads::compare(&back, &uploads).is_empty());
    // Frames 1 and 2 are one row.
    let line = "    { texture = 0, level = 0, frames = \"1..3\", emissions = 1, regions = 2, \
                boxes = [\"8x8+4+4\"], box_bytes = 256, region_bytes = 32, union_whole = 1 },";
    assert!(text.lines().any(|l| l == line), "{text}");
    let line = "    { texture = 0, level = 0, frames = \"1..3\", boxes = 0, regions = 1, \
                jobs = 2, bytes = 32 },";
    assert!(text.lines().any(|l| l == line), "{text}");
    assert!(!text.contains("[magma]"), "{text}");
    assert_eq!(
        Uploads::from_toml("").expect("empty").to_toml(),
        Uploads::default().to_toml()
    );
}

#[test]
fn files_that_are_wrong_are_refused_by_place() {
    let text = both().to_toml();
    let form = |text: &str| match Uploads::from_toml(text).expect_err("refused") {
        TomlError::Form { line, problem } => (line, problem),
        e => panic!("{e}"),
    };
    let (line, problem) =
        form("[client]\nframes = \"0..1\"\nbuffers = [\n  { frame = \"0\" },\n]\n");
    assert!(line == 4 && problem.contains("frame"), "{line}: {problem}");
    let (line, problem) = form("[client]\nframes = \"0..1\"\n\n[expryt]\n");
    assert!(line == 4 && problem.contains("expryt"), "{line}: {problem}");
    let value = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        match Uploads::from_toml(&changed).expect_err("refused") {
            TomlError::Value { place, problem } => format!("{place}: {problem}"),
            e => panic!("{e}"),
        }
    };
    assert_eq!(
        value("frames = \"1..3\"", "frames = \"1..300\""),
        "client.uploads[1].frames: 1..300 is not among the frames 0..7"
    );
    assert_eq!(
        value("frames = \"1..3\"", "frames = \"0..3\""),
        "client.uploads[1].frames: frame 0 is in an earlier row too"
    );
    assert_eq!(
        value("frames = \"1..3\"", "frames = \"1-3\""),
        "client.uploads[1].frames: '1-3' is neither N nor A..B"
    );
    assert_eq!(
        value("frames = \"0..7\"", "frames = \"0..18446744073709551615\""),
        "client.frames: more than 1048576 frames"
    );
}

/// Golden and run of the trace with other texts, on the client's side.
fn differences(from: &str, to: &str) -> Vec<Difference> {
    let changed = trace("uploads.json", |text| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    });
    let of = |file: &TraceFile| Uploads {
        client: Some(client_of(file)),
        ..Uploads::default()
    };
    Uploads::compare(&of(&uploads_trace()), &of(&changed))
}

fn difference(place: &str, field: &str, golden: Option<&str>, actual: Option<&str>) -> Difference {
    Difference {
        place: place.to_owned(),
        field: field.to_owned(),
        golden: golden.map(str::to_owned),
        actual: actual.map(str::to_owned),
    }
}

#[test]
fn every_field_of_the_client_side_can_go_red() {
    let second = ", {\"area\": {\"x\": 10, \"y\": 10, \"z\": 0, \"width\": 2, \"height\": 2, \
                  \"depth\": 1}, \"offset\": 216}";
    let glyphs = "frame 1, texture 0 'glyphs' level 0";
    assert_eq!(
        differences(second, ""),
        [
            difference(glyphs, "regions", Some("2"), Some("1")),
            difference(glyphs, "region_bytes", Some("32"), Some("16")),
        ]
    );
    assert_eq!(
        differences(
            "\"UNION_WHOLE\", \"bytes\": {\"fill\": 9",
            "\"\", \"bytes\": {\"fill\": 9"
        ),
        [difference(glyphs, "union_whole", Some("1"), Some("0"))]
    );
    assert_eq!(
        differences("\"gl_name\": 6", "\"gl_name\": 60"),
        [difference(
            "frame 0, texture 1",
            "name",
            Some("6"),
            Some("60")
        )]
    );
    assert_eq!(
        differences("676c79706873", "676c79706874"),
        [difference(
            "frame 0, texture 0 'glypht'",
            "label",
            Some("glyphs"),
            Some("glypht")
        )]
    );
    let moved = "\"union_box\": {\"x\": 5, \"y\": 0";
    let rows = differences(moved, "\"union_box\": {\"x\": 4, \"y\": 0");
    assert!(
        rows.len() == 1 && rows[0].field == "boxes" && rows[0].place.starts_with("frame 4, "),
        "a box behind those that are kept: {rows:?}"
    );
}

#[test]
fn buffers_and_missing_rows_are_differences() {
    let golden = both();
    let mut actual = golden.clone();
    let client = actual.client.as_mut().expect("measured");
    client.buffers.remove(&4);
    client.levels.remove(&(5, level(2, 0)));
    let rows = Uploads::compare(&golden, &actual);
    assert_eq!(
        rows,
        [
            difference("frame 4, buffers", "emissions", Some("2"), None),
            difference("frame 4, buffers", "bytes", Some("32"), None),
            difference(
                "frame 5, texture 2 level 0",
                "uploads",
                Some("1 uploads, 0 regions, 64 B"),
                None
            ),
        ]
    );
    let reverse = Uploads::compare(&actual, &golden);
    assert!(
        reverse
            .iter()
            .all(|d| d.golden.is_none() && d.actual.is_some())
    );
    assert_eq!(reverse.len(), 3);
}

#[test]
fn the_back_ends_side_is_compared_where_it_was_measured() {
    let golden = both();
    let mut actual = golden.clone();
    let espryt = actual.espryt.as_mut().expect("measured");
    let row = espryt.levels.get_mut(&(1, level(0, 0))).expect("a row");
    (row.boxes, row.regions, row.jobs, row.bytes) = (1, 0, 1, 256);
    espryt.buffers.get_mut(&0).expect("a row").jobs = 3;
    let place = "frame 1, texture 0 'glyphs' level 0";
    let expected = [
        difference("frame 0, buffers", "espryt.jobs", Some("1"), Some("3")),
        difference(place, "espryt.shape", Some("regions"), Some("box")),
        difference(place, "espryt.jobs", Some("2"), Some("1")),
        difference(place, "espryt.bytes", Some("32"), Some("256")),
    ];
    assert_eq!(Uploads::compare(&golden, &actual), expected);
    // The golden's names do where the client's side was not measured.
    actual.client = None;
    assert_eq!(Uploads::compare(&golden, &actual), expected);
    let [(_, bytes), _] = golden.espryt.as_ref().expect("measured").totals();
    let line = format!(
        "atlas  espryt jobs -1 [15 -> 14]  bytes +224 B [{bytes} B -> {} B]  buffer jobs +2 [3 -> 5]",
        bytes + 224
    );
    assert_eq!(Uploads::delta_lines("atlas", &golden, &actual), [line]);
    // Not measured, not compared; measured without a golden, a difference.
    actual.espryt = None;
    assert!(Uploads::compare(&golden, &actual).is_empty());
    let rows = Uploads::compare(&actual, &golden);
    let fields: Vec<&str> = rows.iter().map(|d| &*d.field).collect();
    assert_eq!(fields, ["client", "espryt"]);
    assert!(rows.iter().all(|d| d.golden.is_none()));
}

#[test]
fn frames_that_one_side_lacks_are_one_difference() {
    let file = uploads_trace();
    let of = |frames| Uploads {
        client: Some(client_of_frames(&file, frames).expect("reads")),
        ..Uploads::default()
    };
    let rows = Uploads::compare(&of(0..4), &of(0..6));
    assert_eq!(
        rows[0],
        difference("", "client.frames", Some("0..4"), Some("0..6"))
    );
    // Texture 2 appears in the frames that the golden lacks; uploads of these frames are not compared.
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[1].field, "texture");
}

#[test]
fn deltas_are_lines_for_a_pull_request() {
    let golden = both();
    assert!(Uploads::delta_lines("atlas", &golden, &golden).is_empty());
    let mut actual = golden.clone();
    let client = actual.client.as_mut().expect("measured");
    let row = client.levels.get_mut(&(4, level(0, 0))).expect("a row");
    row.emissions = 1;
    assert_eq!(
        Uploads::delta_lines("atlas-scroll", &golden, &actual),
        ["atlas-scroll  uploads -5 [13 -> 8]  box bytes +0 B"]
    );
}

#[test]
fn rows_of_many_frames_take_no_more_memory_than_they_may() {
    let row = |n: u32| {
        format!(
            "    {{ texture = {n}, level = 0, frames = \"0..1000000\", emissions = 1, regions = 0, boxes = [], \
             box_bytes = 0, region_bytes = 0, union_whole = 0 }},\n"
        )
    };
    let file = |rows: u32| {
        let rows: String = (0..rows).map(row).collect();
        format!("[client]\nframes = \"0..1000000\"\nuploads = [\n{rows}]\n")
    };
    assert!(Uploads::from_toml(&file(1)).is_ok());
    let error = Uploads::from_toml(&file(9)).expect_err("too much");
    assert!(error.to_string().contains("memory"), "{error}");
}
