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
