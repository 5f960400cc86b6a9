//! Stored traces against goldens.

use std::time::Duration;

use mgl_replay::BackendKind;
use mgl_verify::goldens::store::{FRAMES, STATE};
use mgl_verify::goldens::verdict::{Report, Verdict};
use mgl_verify::goldens::worker::WorkerCommand;
use mgl_verify::goldens::{Mode, VerifyOptions, verify};

use crate::place::{NAME, Place, only_wrong, project, with_verdict};
use crate::road::{finish, mgl_with_driver};

#[test]
fn the_projects_own_traces_are_as_their_goldens_say() {
    let mut command = mgl_with_driver();
    command.current_dir(project()).env("CI", "1");
    command.args(["--json", "verify", "traces", "--goldens", "goldens"]);
    // Validation layers and KHR_debug have nothing to say.
    let run = finish(command.args(["--backend", "espryt,magma", "--debug"]));
    run.expect_code(0);
    let report = run.json();
    let cases = report["cases"].as_array().expect("cases");
    assert!(cases.len() >= 27, "{} cases", cases.len());
    // What the trace alone says cannot pass; what a replay says was measured.
    for case in cases {
        let replayed = !case["backend"].is_null();
        let expected = if replayed { "pass" } else { "constant" };
        for check in case["checks"].as_array().expect("checks") {
            assert_eq!(check["verdict"], expected, "{check}");
        }
        if replayed {
            let proof = &case["proof"];
            assert!(!proof["renderer"].as_str().expect("text").is_empty());
            assert_eq!(proof["trace"].as_str().expect("text").len(), 32);
            assert!(proof["records"].as_u64() > Some(0) && proof["frames"].as_u64() > Some(0));
        }
    }
}

#[test]
fn an_altered_state_field_is_named_with_its_verb() {
    let place = Place::new();
    // Before this draw of the first frame, the golden saw another number of vertices.
    place.alter_state("DrawVbo", 10, "\"count\":6", "\"count\":9");
    let report = place.verify(&["traces"], 1);
    let detail = only_wrong(&report, "state", "fail");
    assert!(
        detail.contains("1:13 DrawVbo, DrawVbo.ranges[0].count: 9 expected, 6 found"),
        "{detail}"
    );
    assert!(detail.starts_with("1 differences in 1 frames"), "{detail}");
}

#[test]
fn altered_content_of_an_upload_is_a_difference_of_state() {
    let place = Place::new();
    // The texture that changes in every frame had the next frame's texels in frame 2.
    let text = place.text();
    let blob = |line: &str| {
        line.split("\"blob\":\"")
            .nth(1)
            .map(|rest| rest[..32].to_owned())
    };
    let uploads: Vec<&str> = text
        .lines()
        .filter(|l| l.contains("\"op\":\"ResourceSubData\"") && l.contains("GL_TEXTURE"))
        .collect();
    let same_shape = |l: &&str| l.split("\"bytes\"").next().map(str::to_owned);
    let last = uploads[uploads.len() - 1];
    let before = uploads[uploads.len() - 2];
    assert_eq!(same_shape(&last), same_shape(&before));
    let (last, before) = (blob(last).expect("a blob"), blob(before).expect("a blob"));
    let start = text
        .find(&format!("\"blob\":\"{before}"))
        .expect("it is there");
    let altered = format!(
        "{}{}",
        &text[..start],
        text[start..].replacen(&before, &last, 1)
    );
    place.take_state_of(&altered);
    let report = place.verify(&["traces"], 1);
    let detail = only_wrong(&report, "state", "fail");
    assert!(detail.contains("ResourceSubData.bytes.xxh3"), "{detail}");
}

#[test]
fn what_is_for_messages_only_is_no_difference() {
    let place = Place::new();
    place.alter_state("BindRenderState", 3, "\"version\":", "\"version\":9");
    place.verify(&["traces"], 0);
}

#[test]
fn an_altered_image_is_named_with_its_worst_tile() {
    let place = Place::new();
    let mut image = place.golden().image(FRAMES, 3).expect("a golden image");
    let width = image.size().width as usize;
    for (i, pixel) in image.pixels_mut().iter_mut().enumerate() {
        if (64..96).contains(&(i % width)) && (32..64).contains(&(i / width)) {
            *pixel = [255, 0, 255, 255];
        }
    }
    place
        .golden()
        .write_image(FRAMES, 3, &image)
        .expect("written");
    let report = place.verify(&["traces"], 1);
    let detail = only_wrong(&report, "image 3 espryt", "fail");
    assert!(
        detail.contains("32x32+64+32") && detail.contains("PSNR"),
        "{detail}"
    );
}

#[test]
fn an_altered_upload_shape_is_named_with_its_texture() {
    let place = Place::new();
    place.edit(
        "uploads.toml",
        "boxes = 1, regions = 0",
        "boxes = 0, regions = 1",
    );
    let report = place.verify(&["traces"], 1);
    let detail = only_wrong(&report, "uploads espryt", "fail");
    assert!(
        detail.contains("frame 1, texture 0") && detail.contains("espryt.shape"),
        "{detail}"
    );

    let place = Place::new();
    place.edit(
        "uploads.toml",
        "emissions = 1, regions = 1",
        "emissions = 1, regions = 4",
    );
    let report = place.verify(&["traces"], 1);
    let detail = only_wrong(&report, "uploads", "fail");
    assert!(detail.contains("regions: 4 expected, 1 found"), "{detail}");
}

#[test]
fn an_altered_counter_is_named_with_both_values() {
    let place = Place::new();
    place.edit(
        "counters.toml",
        "draws = { total = 2430",
        "draws = { total = 2431",
    );
    let report = place.verify(&["traces"], 1);
    let detail = only_wrong(&report, "counters", "fail");
    assert!(
        detail.contains("client.draws.total: 2431 expected, 2430 found"),
        "{detail}"
    );
}

#[test]
fn missing_unreferenced_pointer_and_skipped_are_no_pass() {
    let place = Place::new();
    let golden = place.golden();
    golden.remove(STATE).expect("removed");
    let report = place.verify(&["traces"], 1);
    only_wrong(&report, "state", "missing");

    golden
        .write(STATE, b"version https://git-lfs.github.com/spec/v1\n")
        .expect("written");
    let report = place.verify(&["traces"], 1);
    only_wrong(&report, "state", "pointer");

    let place = Place::new();
    std::fs::rename(
        place.golden().folder(),
        place.path("goldens").join("another"),
    )
    .expect("renamed");
    let report = place.verify(&["traces"], 1);
    assert_eq!(with_verdict(&report, "unreferenced").len(), 1, "{report:#}");
    let missing = with_verdict(&report, "missing");
    assert!(
        missing.iter().any(|(what, _)| what == "golden"),
        "{missing:?}"
    );
    // A trace by its name says nothing of other goldens.
    let trace = format!("traces/{NAME}.mgltrace");
    let report = place.verify(&[&trace], 1);
    assert_eq!(with_verdict(&report, "unreferenced"), []);

    // A golden without a source cannot be drawn.
    let place = Place::new();
    place.edit("golden.toml", "[source]\ngl-trace", "# gl-trace");
    let report = place.verify(&["traces", "--live"], 1);
    only_wrong(&report, "recording", "skipped");
}

#[test]
fn wrong_usage_and_wrong_files_are_told_apart() {
    let place = Place::new();
    std::fs::create_dir(place.path("empty")).expect("made");
    for (args, words) in [
        (vec!["verify", "empty"], "there is no trace"),
        (vec!["verify", "nowhere"], "nowhere"),
        (vec!["verify", "traces", "--backend", "other"], "other"),
        (vec!["verify", "traces", "--jobs", "0"], "at least 1"),
        (vec!["verify", "traces", "--report", "pdf=a"], "pdf"),
        (vec!["verify", "traces", "--update"], "CI"),
        (vec!["golden", "accept", "unknown"], "unknown"),
        (vec!["golden", "list", "--goldens", "nowhere"], "nowhere"),
    ] {
        let run = place.run(true, &args, 2);
        assert!(run.stderr.contains(words), "{args:?}: {}", run.stderr);
    }
    // A trace that cannot be read is a case that failed, and does not end the run.
    std::fs::write(place.path("traces/broken.mgltrace"), b"nonsense").expect("written");
    let report = place.verify(&["traces"], 1);
    assert!(
        with_verdict(&report, "error")[0]
            .1
            .contains("broken.mgltrace")
    );
    assert!(with_verdict(&report, "pass").len() > 5);
    // So is a setting that is misspelt.
    let place = Place::new();
    place.edit("golden.toml", "frames = ", "frame = ");
    let report = place.verify(&["traces"], 1);
    let detail = only_wrong(&report, "golden", "error");
    assert!(
        detail.contains("golden.toml") && detail.contains("frame"),
        "{detail}"
    );
}

#[test]
fn masks_and_thresholds_are_those_of_the_golden() {
    let place = Place::new();
    let mut image = place.golden().image(FRAMES, 3).expect("a golden image");
    let width = image.size().width as usize;
    for (i, pixel) in image.pixels_mut().iter_mut().enumerate() {
        if i % width < 16 && i / width < 16 {
            *pixel = [255, 0, 255, 255];
        }
    }
    place
        .golden()
        .write_image(FRAMES, 3, &image)
        .expect("written");
    place.verify(&["traces"], 1);
    let mask = "[[images.mask]]\nname = \"corner\"\nreason = \"a test\"\nx = 0\ny = 0\nwidth = 16\nheight = 16\n";
    place.edit("golden.toml", "[images]\n", "[images]\n# mask\n");
    let settings = std::fs::read_to_string(place.golden().folder().join("golden.toml"));
    let settings = settings.expect("readable") + mask;
    place
        .golden()
        .write("golden.toml", settings.as_bytes())
        .expect("written");
    place.verify(&["traces"], 0);
    // A limit that is stricter than the default one is kept too.
    let strict =
        settings.replace("width = 16", "width = 15") + "[images.thresholds]\nmax_mismatching = 0\n";
    place
        .golden()
        .write("golden.toml", strict.as_bytes())
        .expect("written");
    let report = place.verify(&["traces"], 1);
    let detail = only_wrong(&report, "image 3 espryt", "fail");
    assert!(
        detail.contains("16 mismatching pixels, 0 allowed"),
        "{detail}"
    );
}

#[test]
fn reports_for_other_programs_say_the_same() {
    let place = Place::new();
    place.edit(
        "counters.toml",
        "draws = { total = 2430",
        "draws = { total = 2431",
    );
    place.run(
        true,
        &[
            "verify",
            "traces",
            "--report",
            "junit=out/r.xml",
            "--report",
            "json=out/r.json",
            "--report",
            "md=out/r.md",
        ],
        1,
    );
    let read = |name: &str| std::fs::read_to_string(place.path(name)).expect("written");
    let junit = read("out/r.xml");
    assert!(
        junit.contains("failures=\"1\"") && junit.contains("2431 expected"),
        "{junit}"
    );
    assert!(junit.contains("constant: "), "{junit}");
    let json: serde_json::Value = serde_json::from_str(&read("out/r.json")).expect("JSON");
    assert_eq!(json["pass"], false);
    assert!(read("out/r.md").contains(&format!("| {NAME} | all | FAIL |")));
}

/// A run whose workers are this script.
fn with_worker(place: &Place, script: &str, limit: Duration) -> Report {
    let options = VerifyOptions {
        goldens: place.path("goldens"),
        backends: vec![BackendKind::Espryt],
        mode: Mode::Stored,
        update: false,
        write_pending: false,
        jobs: 1,
        limit,
        worker: WorkerCommand {
            program: "sh".into(),
            args: vec!["-c".into(), script.into(), "sh".into()],
        },
        debug: false,
        device: None,
        cost: mgl_replay::Limit::default(),
    };
    verify(&[place.path("traces")], &options, &|_, _| {}).expect("there is a trace")
}

#[test]
fn a_replay_that_crashes_or_hangs_is_a_failed_case_with_its_last_verb() {
    let place = Place::new();
    // Three records begun; frame 2, verb 7, a DrawVbo.
    let words = [3_u64, 2, 7, mgl_core::pipe::Op::DrawVbo as u64];
    let bytes: Vec<String> = words
        .iter()
        .flat_map(|w| w.to_ne_bytes())
        .map(|b| format!("\\{b:03o}"))
        .collect();
    let progress = format!("printf '{}' > \"$1/progress\"", bytes.concat());
    let minute = Duration::from_secs(60);
    let crashed = with_worker(
        &place,
        &format!("{progress}; echo oops >&2; kill -SEGV $$"),
        minute,
    );
    let check = crashed.checks().find(|c| c.verdict == Verdict::Crashed);
    let detail = &check.expect("a crash").detail;
    assert!(
        detail.contains("signal 11") && detail.contains("2:7") && detail.contains("DrawVbo"),
        "{detail}"
    );
    assert!(detail.contains("oops"), "{detail}");
    // What the trace itself says was still compared.
    assert!(crashed.count(Verdict::Constant) >= 3 && !crashed.pass);

    let hung = with_worker(&place, "exec sleep 600", Duration::from_millis(300));
    assert_eq!(hung.count(Verdict::TimedOut), 1);
    let silent = with_worker(&place, "exit 0", minute);
    let check = silent.checks().find(|c| c.verdict == Verdict::Crashed);
    assert!(
        check
            .expect("no result")
            .detail
            .contains("without a result")
    );
}
