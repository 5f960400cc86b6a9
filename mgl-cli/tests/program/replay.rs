//! `mgl replay`: equal frames, differing frames and replies, images, and what cannot be replayed.

use mgl_verify::image::Image;

use crate::common::{arg, finish, mgl};
use crate::scene::{Files, HEIGHT, Lies, WIDTH, colour, write_trace};

#[test]
fn a_replay_equals_its_recorded_images() {
    let files = Files::new();
    let call = files.run("replay", "good.mgltrace", &[]);
    call.expect_code(0);
    for text in [
        "3 frames replayed: espryt on",
        "images: 3 compared",
        "replies: 3 compared",
    ] {
        assert!(call.stdout.contains(text), "{text}:\n{}", call.stdout);
    }
    let call = files.run("replay", "good.mgltrace", &["--json", "--debug"]);
    call.expect_code(0);
    let report = call.json();
    assert_eq!(
        (&report["pass"], &report["images_compared"]),
        (&true.into(), &3.into())
    );
    assert_eq!(report["frames"][2]["check"], "equal");
    assert_eq!(report["errors"], serde_json::json!([]));
    assert_eq!(report["frames"][1]["counters"]["clears"], 1);
}

#[test]
fn replayed_frames_are_written_upright_and_selected() {
    let files = Files::new();
    let out = files.path("out");
    files
        .run(
            "replay",
            "good.mgltrace",
            &["--out", arg(&out), "--frames", "1.."],
        )
        .expect_code(0);
    assert!(!out.join("000000.png").exists());
    for n in [1, 2] {
        let image = Image::load(&out.join(format!("00000{n}.png"))).expect("a PNG");
        assert_eq!(image.size().to_string(), format!("{WIDTH}x{HEIGHT}"));
        assert!(
            image.pixels().iter().all(|p| *p == colour(n)),
            "{:?}",
            image.pixels()[0]
        );
    }
}

#[test]
fn an_image_that_differs_fails_and_is_shown() {
    let files = Files::new();
    let lies = Lies {
        image: Some(1),
        ..Lies::default()
    };
    write_trace(&files.path("lie.mgltrace"), 3, lies);
    let out = files.path("out");
    let call = files.run("replay", "lie.mgltrace", &["--out", arg(&out)]);
    call.expect_code(1);
    let text = format!("{} pixels differ, by up to 246", WIDTH * HEIGHT);
    assert!(call.stdout.contains(&text), "{}", call.stdout);
    for folder in ["recorded", "differences"] {
        assert!(out.join(folder).join("000001.png").exists(), "{folder}");
        assert!(!out.join(folder).join("000000.png").exists(), "{folder}");
    }
    files
        .run("replay", "lie.mgltrace", &["--frames", "2"])
        .expect_code(0);
}

#[test]
fn what_a_null_back_end_answered_is_not_compared() {
    let files = Files::new();
    let lies = Lies {
        image: Some(1),
        reply: Some(1),
        on_null: true,
    };
    write_trace(&files.path("null.mgltrace"), 3, lies);
    let call = files.run("replay", "null.mgltrace", &[]);
    call.expect_code(0);
    for text in [
        "recorded on the null back end",
        "images: 0 compared",
        "replies: 0 compared",
    ] {
        assert!(call.stdout.contains(text), "{text}:\n{}", call.stdout);
    }
}

#[test]
fn a_reply_that_differs_fails_and_is_named() {
    let files = Files::new();
    let lies = Lies {
        reply: Some(2),
        ..Lies::default()
    };
    write_trace(&files.path("lie.mgltrace"), 3, lies);
    let call = files.run("replay", "lie.mgltrace", &[]);
    call.expect_code(1);
    assert!(
        call.stdout.contains("FAIL: reply to ReadPixels at 2:1"),
        "{}",
        call.stdout
    );
}

#[test]
fn the_null_back_end_draws_nothing_and_checks_nothing() {
    let files = Files::new();
    let call = files.run("replay", "good.mgltrace", &["--backend", "null", "--json"]);
    call.expect_code(0);
    let report = call.json();
    assert_eq!(
        (&report["images_compared"], &report["replies_compared"]),
        (&0.into(), &0.into())
    );
    assert_eq!(report["counters"]["presents"], 3);
    let call = files.run(
        "replay",
        "good.mgltrace",
        &["--backend", "null", "--bench", "--stats"],
    );
    call.expect_code(0);
    assert!(call.stdout.contains("records a second") && call.stdout.contains("presents"));
}

#[test]
fn replays_that_cannot_be_made_have_their_own_exit_codes() {
    let files = Files::new();
    files
        .run("replay", "good.mgltrace", &["--frames", "7..9"])
        .expect_code(2);
    files
        .run("replay", "good.mgltrace", &["--frames", "x"])
        .expect_code(2);
    files
        .run("replay", "good.mgltrace", &["--backend", "metal"])
        .expect_code(2);
    files.run("replay", "missing.mgltrace", &[]).expect_code(2);
    let file = files.path("file");
    std::fs::write(&file, "").expect("write");
    let call = files.run("replay", "good.mgltrace", &["--out", arg(&file)]);
    call.expect_code(2);
    assert!(call.stderr.contains(arg(&file)), "{}", call.stderr);

    let call = finish(
        mgl()
            .env("MGL_REAL_LIBEGL", "/nonexistent/libEGL.so.1")
            .args(["replay", arg(&files.path("good.mgltrace"))]),
    );
    call.expect_code(3);
    assert!(call.stderr.contains("mgl doctor"), "{}", call.stderr);
}

#[test]
fn a_cut_trace_replays_up_to_the_cut() {
    let files = Files::new();
    files.cut("cut.mgltrace", 20);
    let call = files.run("replay", "cut.mgltrace", &["--json"]);
    call.expect_code(0);
    assert_eq!(call.json()["frames"].as_array().map(Vec::len), Some(3));
}

/// A trace of the project that draws into four attachments of different formats, with depth.
fn deferred() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/moderngl-deferred.mgltrace")
}

#[test]
fn attachments_after_a_verb_are_the_same_on_both_back_ends() {
    let files = Files::new();
    let dump = |back_end: &str, verb: &str| {
        let out = files.path(&format!("{back_end}-{}", verb.replace(':', "-")));
        let mut command = mgl();
        command.args([
            "--json",
            "replay",
            "--backend",
            back_end,
            "--dump-verb",
            verb,
        ]);
        let run = finish(command.arg(deferred()).arg("--out").arg(&out));
        run.expect_code(0);
        let document = run.json();
        let read = |name: &str| std::fs::read(out.join(name)).expect("written");
        let kinds: Vec<String> = document["files"]
            .as_array()
            .expect("files")
            .iter()
            .map(|f| {
                let text = |key: &str| f[key].as_str().expect("text").to_owned();
                format!("{} {} {}", text("name"), text("format"), text("kind"))
            })
            .collect();
        assert_eq!(
            kinds,
            [
                "color0 GL_RGBA32F f32",
                "color1 GL_RGB16F f32",
                "color2 GL_RGBA8 png",
                "color3 GL_R32UI u32",
                "depth GL_DEPTH_COMPONENT24 f32",
                "depth GL_DEPTH_COMPONENT24 png",
            ],
        );
        let stem = format!("000003-{:05}", verb[2..].parse::<u32>().expect("a verb"));
        let floats = |name: &str| -> Vec<f32> {
            let bytes = read(&format!("{stem}-{name}.f32"));
            let words = bytes.chunks_exact(4);
            words
                .map(|w| f32::from_le_bytes([w[0], w[1], w[2], w[3]]))
                .collect()
        };
        (
            floats("color0"),
            floats("depth"),
            read(&format!("{stem}-color3.u32")),
        )
    };
    let near = |a: &[f32], b: &[f32]| {
        assert_eq!(a.len(), b.len());
        let far = a.iter().zip(b).filter(|(a, b)| (*a - *b).abs() > 1e-4);
        far.count()
    };
    let (color, depth, ids) = dump("espryt", "3:10");
    assert_eq!(depth.len(), 480 * 270);
    assert!(depth.iter().any(|d| *d < 0.99) && depth.contains(&1.0));
    let (other_color, other_depth, other_ids) = dump("magma", "3:10");
    assert!(near(&color, &other_color) < 40 && near(&depth, &other_depth) < 10);
    assert_eq!(ids, other_ids);
    // One draw later there is more.
    let (_, _, later) = dump("espryt", "3:12");
    assert_ne!(ids, later);
}

#[test]
fn a_verb_that_is_not_there_is_said_to_be() {
    let files = Files::new();
    let out = files.path("out");
    for (verb, words) in [
        ("3:9999", "frame 3 has"),
        ("99:0", "99"),
        ("3", "F:N"),
        ("a:b", "F:N"),
    ] {
        let mut command = mgl();
        command.args(["replay", "--dump-verb", verb]);
        let run = finish(command.arg(deferred()).arg("--out").arg(&out));
        run.expect_code(2);
        assert!(run.stderr.contains(words), "{verb}: {}", run.stderr);
    }
}
