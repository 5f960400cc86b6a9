//! Making goldens, and deciding on what is pending.

use mgl_verify::goldens::store::{BLESSING, FRAMES, SETTINGS};

use crate::place::{NAME, Place, with_verdict};

#[test]
fn what_differs_is_pending_until_it_is_decided_on() {
    let place = Place::new();
    place.edit(
        "counters.toml",
        "draws = { total = 2430",
        "draws = { total = 2431",
    );
    place.alter_state("DrawVbo", 10, "\"count\":6", "\"count\":9");
    // Never on a CI server.
    place.run(true, &["verify", "traces"], 1);
    assert!(!place.golden().pending().folder().exists());

    place.run(false, &["verify", "traces"], 1);
    let list = place.run(false, &["--json", "golden", "list"], 0).json();
    let files: Vec<&str> = list
        .as_array()
        .expect("a list")
        .iter()
        .map(|i| i["file"].as_str().expect("text"))
        .collect();
    assert_eq!(files, ["counters.toml", "state.mglstate"]);
    let review = place.run(false, &["golden", "review"], 0);
    for words in [
        "DrawVbo.ranges[0].count",
        "client.draws.total",
        "2431",
        "2430",
    ] {
        assert!(review.stdout.contains(words), "{words}: {}", review.stdout);
    }

    place.run(false, &["golden", "accept", &format!("{NAME}:counters")], 0);
    let report = place.verify(&["traces"], 1);
    assert_eq!(with_verdict(&report, "fail").len(), 1);
    place.run(false, &["golden", "reject", NAME], 0);
    assert!(!place.golden().pending().folder().exists());
    let report = place.verify(&["traces"], 1);
    assert_eq!(with_verdict(&report, "fail").len(), 1);
    // What is right again is pending no more.
    place.run(false, &["verify", "traces"], 1);
    assert!(place.golden().pending().folder().exists());
    place.run(false, &["verify", "traces", "--update"], 0);
    assert!(!place.golden().pending().folder().exists());
    place.verify(&["traces"], 0);
}

#[test]
fn a_new_golden_is_made_by_update_or_by_accepting_it() {
    let place = Place::new();
    place.golden().remove("").expect("removed");
    place.run(false, &["verify", "traces"], 1);
    let list = place.run(false, &["golden", "list"], 0);
    for file in [
        SETTINGS,
        "state.mglstate",
        "uploads.toml",
        "frames/000001.png",
    ] {
        assert!(list.stdout.contains(file), "{file}: {}", list.stdout);
    }
    place.run(false, &["golden", "accept", NAME], 0);
    place.verify(&["traces"], 0);

    place.golden().remove("").expect("removed");
    let run = place.run(false, &["verify", "traces", "--update"], 0);
    assert!(run.stdout.contains("names no source"), "{}", run.stdout);
    place.verify(&["traces"], 0);
}

#[test]
fn an_image_that_is_not_the_systems_is_not_written() {
    let place = Place::new();
    // With the source drawn by the system, the replayed image is found to be the same and is blessed.
    place.golden().remove("frames/000003.png").expect("removed");
    place.golden().remove(BLESSING).expect("removed");
    let run = place.run(false, &["verify", "traces", "--update"], 0);
    assert!(run.stdout.contains("SSIM 1.0000"), "{}", run.stdout);
    let blessing = std::fs::read_to_string(place.golden().folder().join(BLESSING));
    let blessing = blessing.expect("written");
    assert!(
        blessing.contains("frames/000003.png") && blessing.contains("ssim = "),
        "{blessing}"
    );
    // Another program's frames are not what this trace shows.
    place.golden().remove("frames/000003.png").expect("removed");
    let other = crate::place::project().join("traces/gl/raylib-instancing.trace");
    let own = format!("../../traces/gl/{NAME}.trace");
    place.edit(SETTINGS, &own, other.to_str().expect("UTF-8"));
    let run = place.run(false, &["verify", "traces", "--update"], 1);
    assert!(
        run.stdout.contains("not as the system shows it"),
        "{}",
        run.stdout
    );
    assert!(place.golden().image(FRAMES, 3).is_err());
}

/// Paints a corner of a golden image, and gives the image.
fn spoil(place: &Place, folder: &str, frame: u64) -> mgl_verify::image::Image {
    let mut image = place.golden().image(FRAMES, frame).expect("an image");
    let width = image.size().width as usize;
    for (i, pixel) in image.pixels_mut().iter_mut().enumerate() {
        if i % width < 64 && i / width < 64 {
            *pixel = [255, 0, 255, 255];
        }
    }
    place
        .golden()
        .write_image(folder, frame, &image)
        .expect("written");
    image
}

#[test]
fn an_image_that_back_ends_share_is_replaced_only_when_all_show_the_new_one() {
    let place = Place::new();
    let right = place.golden().image(FRAMES, 3).expect("an image");
    let spoilt = spoil(&place, FRAMES, 3);
    let shared = |backends: &str, code: i32| {
        let args = ["verify", "traces", "--backend", backends, "--update"];
        place.run(false, &args, code).stdout
    };
    let told = shared("magma", 1);
    for words in [
        "not written, since espryt has frames/000003.png too",
        "espryt,magma",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(place.golden().image(FRAMES, 3).expect("there"), spoilt);
    // It waits, and whoever accepts it hears whom it is for.
    let pending = place.golden().pending().image(FRAMES, 3);
    assert_eq!(pending.expect("pending").size(), right.size());
    let told = shared("espryt", 1);
    assert!(
        told.contains("since magma has frames/000003.png too"),
        "{told}"
    );
    // Where both show it, it is written.
    let told = shared("espryt,magma", 0);
    assert!(told.contains("written"), "{told}");
    assert_ne!(place.golden().image(FRAMES, 3).expect("there"), spoilt);
    assert!(!place.golden().pending().folder().exists());
    place.verify(&["traces", "--backend", "espryt,magma"], 0);
}

#[test]
fn a_back_end_with_images_of_its_own_is_updated_alone() {
    let place = Place::new();
    let settings = std::fs::read_to_string(place.golden().folder().join(SETTINGS));
    let settings = settings.expect("readable")
        + "\n[[override]]\nbackend = \"magma\"\nfolder = \"frames-magma\"\nreason = \"a test\"\norigin = \"here\"\n";
    place
        .golden()
        .write(SETTINGS, settings.as_bytes())
        .expect("written");
    let before = place.golden().image(FRAMES, 3).expect("an image");
    spoil(&place, "frames-magma", 3);
    let args = ["verify", "traces", "--backend", "magma", "--update"];
    place.run(false, &args, 0);
    assert_eq!(place.golden().image(FRAMES, 3).expect("there"), before);
    // Espryt is alone with frame 3 now, and not with the others.
    spoil(&place, FRAMES, 3);
    let args = ["verify", "traces", "--backend", "espryt", "--update"];
    place.run(false, &args, 0);
    place.verify(&["traces", "--backend", "espryt,magma"], 0);
}

#[test]
fn back_ends_that_differ_leave_a_shared_image_as_it_is() {
    // A worker that is this program, but for one frame of Magma's.
    let place = Place::new();
    let spoilt = spoil(&place, FRAMES, 3);
    let script = place.path("worker.sh");
    let mgl = place.mgl(false);
    let mgl = mgl.get_program().to_str().expect("UTF-8");
    let text = format!(
        "#!/bin/sh\n{mgl} replay-worker \"$1\" || exit\n\
         case $1 in */magma) cp \"$1/000001.png\" \"$1/000003.png\";; esac\n"
    );
    std::fs::write(&script, text).expect("written");
    let options = mgl_verify::goldens::VerifyOptions {
        goldens: place.path("goldens"),
        backends: vec![
            mgl_replay::BackendKind::Espryt,
            mgl_replay::BackendKind::Magma,
        ],
        mode: mgl_verify::goldens::Mode::Stored,
        update: true,
        write_pending: true,
        jobs: 1,
        limit: std::time::Duration::from_secs(300),
        worker: mgl_verify::goldens::worker::WorkerCommand {
            program: "sh".into(),
            args: vec![script.into()],
        },
        debug: false,
        device: None,
        cost: mgl_replay::Limit::default(),
    };
    let report = mgl_verify::goldens::verify(&[place.path("traces")], &options, &|_, _| {});
    let report = report.expect("there is a trace");
    assert!(!report.pass);
    let detail = |what: &str| {
        let check = report.checks().find(|c| c.what == what);
        check.expect("a check").detail.clone()
    };
    assert!(detail("image 3 espryt").contains("the back ends differ"));
    assert!(detail("image 3 magma").contains("the back ends differ"));
    assert_eq!(place.golden().image(FRAMES, 3).expect("there"), spoilt);
}

#[test]
fn a_trace_that_is_cut_off_makes_no_golden() {
    let place = Place::new();
    place.golden().remove("").expect("removed");
    let trace = place.path(&format!("traces/{NAME}.mgltrace"));
    let whole = std::fs::read(&trace).expect("readable");
    for end in [whole.len() - 1, whole.len() / 2, 200] {
        std::fs::write(&trace, &whole[..end]).expect("written");
        let run = place.run(false, &["verify", "traces", "--update"], 1);
        assert!(run.stdout.contains("not whole"), "{end}: {}", run.stdout);
        assert!(!place.golden().folder().exists(), "{end}");
    }
}

#[test]
fn a_golden_that_names_no_frame_is_skipped() {
    let place = Place::new();
    let settings = std::fs::read_to_string(place.golden().folder().join(SETTINGS));
    let settings = settings.expect("readable");
    let line = settings.lines().find(|l| l.starts_with("frames = "));
    let none = settings.replace(line.expect("frames"), "frames = []");
    place
        .golden()
        .write(SETTINGS, none.as_bytes())
        .expect("written");
    let report = place.verify(&["traces"], 1);
    let skipped = with_verdict(&report, "skipped");
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    let (what, detail) = &skipped[0];
    assert!(
        what == "images espryt" && detail.contains("names no frame"),
        "{skipped:?}"
    );
}

#[test]
fn pending_files_that_are_not_what_they_seem_are_refused() {
    let place = Place::new();
    let pending = place.golden().pending();
    let state = std::fs::read(place.golden().folder().join("state.mglstate"));
    pending.write("state.mglstate", b"x").expect("written");
    let run = place.run(false, &["golden", "accept", NAME], 2);
    assert!(run.stderr.contains("state.mglstate"), "{}", run.stderr);
    let review = place.run(false, &["golden", "review"], 2);
    assert!(review.stdout.contains("no state log"), "{}", review.stdout);
    let now = std::fs::read(place.golden().folder().join("state.mglstate"));
    assert_eq!(now.expect("there"), state.expect("there"));
    // A recording whose note leads elsewhere.
    pending.remove("").expect("removed");
    let trace = std::fs::read(place.path(&format!("traces/{NAME}.mgltrace")));
    let trace = trace.expect("readable");
    pending.write("trace.mgltrace", &trace).expect("written");
    let out = place.path("out").join(format!("{NAME}.mgltrace"));
    for to in [
        out.display().to_string(),
        format!("../{NAME}.mgltrace"),
        "traces/other.mgltrace".to_owned(),
    ] {
        let note = format!("trace = {to:?}\n[found]\n");
        pending
            .write("pending.toml", note.as_bytes())
            .expect("written");
        let run = place.run(false, &["golden", "accept", NAME], 2);
        assert!(run.stderr.contains("belongs to"), "{}", run.stderr);
    }
    assert!(!out.exists());
    let args = ["golden", "accept", NAME, "--traces", "out"];
    place.run(false, &args, 0);
    assert_eq!(std::fs::read(out).expect("written"), trace);
}

#[test]
fn what_is_pending_for_a_new_golden_is_no_golden() {
    let place = Place::new();
    place.golden().remove("").expect("removed");
    place.run(false, &["verify", "traces"], 1);
    let report = place.verify(&["traces"], 1);
    assert_eq!(with_verdict(&report, "unreferenced"), []);
    let list = place.run(false, &["--json", "golden", "list"], 0).json();
    let list = list.as_array().expect("a list");
    assert!(list.iter().all(|item| item["name"] == NAME), "{list:?}");
    place.run(false, &["golden", "review"], 0);
}
