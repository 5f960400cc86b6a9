//! Replays that must not pass: nothing to replay, too much of it, a back end that did not do its part, a driver that
//! crashes; and small files that ask for much time or memory.

use std::path::{Path, PathBuf};

use crate::common::{Run, arg, run};
use crate::scene::{Files, Lies, write_trace};

/// A stored text trace with some of its text replaced, assembled.
fn altered(files: &Files, name: &str, replace: &[(&str, &str)]) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../traces/text")
        .join(name);
    let mut text = std::fs::read_to_string(path).expect("a stored trace");
    for (from, to) in replace {
        assert!(text.contains(from), "no {from}");
        text = text.replacen(from, to, 1);
    }
    let json = files.path("altered.json");
    std::fs::write(&json, text).expect("write");
    let trace = files.path("altered.mgltrace");
    run(["assemble", arg(&json), "-o", arg(&trace)]).expect_code(0);
    trace
}

/// Replays with the null back end, which takes whatever it gets.
fn on_null(trace: &Path, options: &[&str]) -> Run {
    run([&["replay", "--backend", "null", arg(trace)], options].concat())
}

#[track_caller]
fn says(call: &Run, code: i32, words: &[&str]) {
    call.expect_code(code);
    for words in words {
        assert!(
            call.stderr.contains(words) || call.stdout.contains(words),
            "{words}: {} {}",
            call.stdout,
            call.stderr
        );
    }
}

#[test]
fn draws_that_cost_too_much_are_named_and_not_drawn() {
    let files = Files::new();
    let nothing = "\"instances\": 1, \"ranges\": []";
    for (to, words) in [
        (
            "\"instances\": 1, \"ranges\": [{\"count\": 4294967295}]",
            "4294967295 vertices in 1 instances",
        ),
        (
            "\"instances\": 16777216, \"ranges\": [{\"count\": 3}]",
            "3 vertices in 16777216 instances",
        ),
    ] {
        let trace = altered(&files, "empty-draw.json", &[(nothing, to)]);
        let call = on_null(&trace, &[]);
        says(&call, 2, &["verb 0:1", words, "--limit"]);
        for options in [["--limit", "1000"], ["--limit", "none"]] {
            on_null(&trace, &options).expect_code(0);
        }
        says(&on_null(&trace, &["--limit", "0"]), 2, &["none"]);
        let call = run(["uploads", "--backend", "null", arg(&trace)]);
        says(&call, 2, &["--limit"]);
    }
    // Many small ones that add up.
    let draw =
        "{\"op\": \"DrawVbo\", \"mode\": \"GL_TRIANGLES\", \"instances\": 1, \"ranges\": []},";
    let large = draw.replace("[]", "[{\"count\": 100000000}]");
    let trace = altered(&files, "empty-draw.json", &[(draw, &large.repeat(40))]);
    says(&on_null(&trace, &[]), 2, &["are spent", "--limit"]);
}

#[test]
fn an_indirect_draw_costs_what_its_buffer_says() {
    let files = Files::new();
    let present = "  {\"op\": \"Present\", \"surface\": {\"slot\": 0, \"generation\": 1}}\n]}";
    let buffer = "{\"slot\": 0, \"generation\": 1}";
    for (counts, words) in [
        ("00000001", "indirect draws would cost"),
        ("00000000", "never pushed"),
    ] {
        // As many vertices as that in as many instances; a draw that is passed on finds no program.
        let counts = counts.repeat(2) + "0000000000000000";
        let records = format!(
            "  {{\"op\": \"ResourceCreate\", \"resource\": {{\"kind\": \"GL_BUFFER\", \"handle\": {buffer}}}, \
             \"target\": \"GL_BUFFER\", \"size\": 16}},\n  \
             {{\"op\": \"ResourceSubData\", \"resource\": {{\"kind\": \"GL_BUFFER\", \"handle\": {buffer}}}, \
             \"bytes\": {{\"hex\": \"{counts}\"}}}},\n  \
             {{\"op\": \"SetIndirectBuffers\", \"draw\": {buffer}}},\n  \
             {{\"op\": \"DrawVbo\", \"mode\": \"GL_TRIANGLES\", \"instances\": 1, \"flags\": \"INDIRECT\", \
             \"indirect_draws\": 1}},\n"
        );
        let trace = altered(
            &files,
            "clear-and-present.json",
            &[(present, &(records + present))],
        );
        for back_end in ["espryt", "magma"] {
            let call = run(["replay", "--backend", back_end, arg(&trace)]);
            says(&call, 2, &["DrawVbo", words]);
        }
    }
}

#[test]
fn storage_and_read_backs_are_bounded() {
    let files = Files::new();
    let buffer =
        "\"handle\": {\"slot\": 0, \"generation\": 1}}, \"target\": \"GL_BUFFER\", \"size\": 256";
    let large = buffer.replace("256", "4294967296");
    let trace = altered(&files, "respecify.json", &[(buffer, &large)]);
    says(&on_null(&trace, &[]), 2, &["ResourceCreate", "--limit 2"]);
    on_null(&trace, &["--limit", "2"]).expect_code(0);
}

#[test]
fn a_trace_without_anything_to_replay_does_not_pass() {
    let files = Files::new();
    let whole = std::fs::metadata(files.path("good.mgltrace")).expect("there");
    // Cut within its first records.
    files.cut("cut.mgltrace", whole.len() as usize - 200);
    for command in ["replay", "stats", "uploads", "dump"] {
        let call = files.run(command, "cut.mgltrace", &[]);
        says(&call, 2, &["cut.mgltrace", "holds no"]);
    }
    let out = files.path("mended.mgltrace");
    let call = files.run("repair", "cut.mgltrace", &["-o", arg(&out)]);
    says(&call, 2, &["nothing to keep"]);
    assert!(!out.exists());
    // Records, but no verb.
    let clear = "  {\"op\": \"Clear\"";
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/text/no-present.json"),
    )
    .expect("a stored trace");
    let line = text.lines().find(|l| l.starts_with(clear));
    let line = line.expect("it clears").to_owned();
    let trace = altered(
        &files,
        "no-present.json",
        &[(&line, "  {\"op\": \"SetSamplerViews\"}")],
    );
    for back_end in ["null", "espryt"] {
        let call = run(["replay", "--backend", back_end, arg(&trace)]);
        says(&call, 2, &["it holds no verb"]);
    }
}

#[test]
fn the_null_back_end_writes_no_images_and_says_so() {
    let files = Files::new();
    let out = files.path("out");
    let call = files.run(
        "replay",
        "good.mgltrace",
        &["--backend", "null", "--out", arg(&out)],
    );
    says(&call, 2, &["draws nothing"]);
    assert!(!out.exists());
    let call = files.run("replay", "good.mgltrace", &["--backend", "null"]);
    says(&call, 0, &["nothing was drawn, and nothing compared"]);
    let call = run(["verify", arg(files.dir.path()), "--backend", "null"]);
    says(&call, 2, &["draws nothing"]);
}

#[test]
fn a_call_on_which_the_back_end_fails_is_named() {
    let files = Files::new();
    // A program that no driver can compile.
    let trace = altered(&files, "empty-draw.json", &[]);
    for back_end in ["espryt", "magma"] {
        let call = run(["replay", "--backend", back_end, arg(&trace)]);
        // Espryt compiles at once, Magma when it draws.
        let (verb, record) = match back_end {
            "espryt" => ("verb 0:0 (before)", "record 7: CreateShaderState"),
            _ => ("verb 0:3", "record 21: DrawVbo"),
        };
        says(&call, 1, &["FAIL", verb, record]);
        let call = run(["--json", "replay", "--backend", back_end, arg(&trace)]);
        call.expect_code(1);
        assert_eq!(call.json()["pass"], false);
        let out = files.path("out");
        let dump = ["--dump-verb", "0:3", "--out", arg(&out)];
        let call = run([&["replay", "--backend", back_end, arg(&trace)], &dump[..]].concat());
        says(&call, 1, &["FAIL", record]);
    }
}

/// A copy that no back end does, between texels of different sizes; what follows it are events of the recording.
fn left_out(files: &Files, events: &str) -> PathBuf {
    let present = "  {\"op\": \"Present\", \"surface\": {\"slot\": 0, \"generation\": 1}}\n]}";
    let texture = |slot: u32| {
        format!("{{\"kind\": \"GL_TEXTURE\", \"handle\": {{\"slot\": {slot}, \"generation\": 1}}}}")
    };
    let create = |slot: u32, format: &str| {
        let texture = texture(slot);
        format!(
            "  {{\"op\": \"ResourceCreate\", \"resource\": {texture}, \"target\": \"GL_TEXTURE_2D\", \
             \"format\": \"{format}\", \"width\": 16, \"height\": 16, \"depth\": 1, \"layers\": 1, \
             \"levels\": 1, \"bind\": \"SAMPLED|RENDER_TARGET\"}},\n"
        )
    };
    let (from, to) = (texture(0), texture(1));
    let copy = format!(
        "  {{\"op\": \"ResourceCopyRegion\", \"src\": {from}, \"dst\": {to}, \
         \"src_box\": {{\"width\": 4, \"height\": 4, \"depth\": 1}}}},\n"
    );
    let records = create(0, "RGBA8") + &create(1, "R8") + &copy;
    let with = present.replace("\n]}", &format!("{events}\n]}}"));
    altered(
        files,
        "clear-and-present.json",
        &[(present, &(records + &with))],
    )
}

#[test]
fn what_the_back_end_left_out_fails_unless_the_recording_had_it_too() {
    let files = Files::new();
    for back_end in ["espryt", "magma"] {
        let trace = left_out(&files, "");
        let call = run(["--json", "replay", "--backend", back_end, arg(&trace)]);
        call.expect_code(1);
        let report = call.json();
        let error = report["errors"][0].as_str().expect("an error").to_owned();
        let (_, what) = error.split_once(": not supported: ").expect("a value");
        // The recording says of each value how often it was refused.
        let event = |times: u32| {
            let text = serde_json::json!(format!("{what} refused {times} times"));
            format!(",\n{{\"event\": {{\"Log\": {{\"level\": \"Warn\", \"text\": {text}}}}}}}")
        };
        let trace = left_out(&files, &event(1));
        let call = run(["replay", "--backend", back_end, arg(&trace)]);
        says(&call, 0, &["as in the recording"]);
        let trace = left_out(&files, &event(0));
        let call = run(["replay", "--backend", back_end, arg(&trace)]);
        says(&call, 1, &["FAIL: back end: ResourceCopyRegion"]);
    }
}

#[test]
fn selections_that_select_nothing_are_errors() {
    let files = Files::new();
    let good = files.path("good.mgltrace");
    for (args, words) in [
        (vec!["stats", arg(&good), "--calls", "Claer"], "'Claer'"),
        (vec!["dump", arg(&good), "--calls", "Claer"], "'Claer'"),
        (
            vec!["diff", arg(&good), arg(&good), "--fields", "Clear.colour"],
            "no field",
        ),
        (
            vec!["compare", arg(&good), arg(&good), "--min-ssim", "nan"],
            "min_ssim",
        ),
    ] {
        says(&run(&args), 2, &[words]);
    }
    let args = ["diff", arg(&good), arg(&good), "--fields", "Clear.color*"];
    run(args).expect_code(0);
}

#[test]
fn frames_of_one_side_are_runs() {
    let files = Files::new();
    write_trace(&files.path("long.mgltrace"), 6, Lies::default());
    let (good, long) = (files.path("good.mgltrace"), files.path("long.mgltrace"));
    let call = run(["diff", arg(&good), arg(&long)]);
    says(&call, 1, &["frames 3 to 5 are only in the right trace"]);
}

#[test]
fn an_image_of_too_many_pixels_is_not_decoded() {
    // A PNG's signature and the header of an image of 20000 x 20000 pixels; the rest need not be there.
    let files = Files::new();
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    png.extend(20000_u32.to_be_bytes());
    png.extend(20000_u32.to_be_bytes());
    png.extend([8, 6, 0, 0, 0]);
    let crc = crc32(&png[12..]);
    png.extend(crc.to_be_bytes());
    png.extend(b"\0\0\0\x08IDAT\x78\x9c\x03\x00\x00\x00\x00\x01");
    let crc = crc32(&png[png.len() - 12..]);
    png.extend(crc.to_be_bytes());
    let path = files.path("large.png");
    std::fs::write(&path, png).expect("write");
    let call = run(["compare", arg(&path), arg(&path)]);
    says(&call, 2, &["20000x20000 pixels are more than", "large.png"]);
}

/// The checksum of PNG chunks.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}
