//! Goldens whose sources are recorded now.

use crate::place::{NAME, Place, project, with_verdict};
use crate::road::{finish, mgl_with_driver};

#[test]
fn the_driver_pushes_what_the_golden_says() {
    let place = Place::new();
    let report = place.verify(&["traces", "--live"], 0);
    // Nothing is a constant here: the front end has just pushed it.
    assert_eq!(with_verdict(&report, "constant"), []);
    let passed = with_verdict(&report, "pass");
    for what in [
        "recording",
        "state",
        "uploads",
        "counters",
        "image 3 espryt",
    ] {
        assert!(passed.iter().any(|(w, _)| w == what), "{what}: {passed:?}");
    }
}

#[test]
fn a_push_that_is_left_out_is_named_by_field_and_verb() {
    let place = Place::new();
    let args = ["traces", "--live", "--leave-out", "SetSamplerViews:100"];
    let report = place.verify(&args, 1);
    let failed = with_verdict(&report, "fail");
    let (_, state) = failed
        .iter()
        .find(|(what, _)| what == "state")
        .expect("the state differs");
    assert!(
        state.contains("1 differences in 1 frames")
            && state.contains("1:103 DrawVbo, SamplerViews[0].texture"),
        "{state}"
    );
    let (_, counters) = failed
        .iter()
        .find(|(what, _)| what == "counters")
        .expect("a counter differs");
    assert!(counters.contains("client."), "{counters}");
    assert!(!place.golden().pending().folder().exists());
}

#[test]
fn a_recording_that_differs_waits_with_its_trace() {
    let place = Place::new();
    place.alter_state("DrawVbo", 10, "\"count\":6", "\"count\":9");
    place.run(false, &["verify", "traces", "--live"], 1);
    let list = place.run(false, &["golden", "list"], 0);
    assert!(list.stdout.contains("trace.mgltrace"), "{}", list.stdout);
    let trace = place.path(&format!("traces/{NAME}.mgltrace"));
    std::fs::remove_file(&trace).expect("removed");
    place.run(false, &["golden", "accept", NAME], 0);
    assert!(trace.is_file());
    place.verify(&["traces"], 0);
}

#[test]
fn a_golden_is_made_from_its_source_alone() {
    let place = Place::new();
    let golden = place.golden();
    for file in [
        "state.mglstate",
        "uploads.toml",
        "counters.toml",
        "frames",
        "blessing.toml",
    ] {
        golden.remove(file).expect("removed");
    }
    let trace = place.path(&format!("traces/{NAME}.mgltrace"));
    std::fs::remove_file(&trace).expect("removed");
    let golden_path = format!("goldens/{NAME}");
    let new = format!("traces/{NAME}.mgltrace");
    place.run(false, &["verify", &new, "--live", "--update"], 0);
    assert!(trace.is_file());
    place.verify(&["traces"], 0);
    place.verify(&[&golden_path, "--live"], 0);
}

/// The project's own sources, recorded and drawn over both links: their goldens say the same of them.
#[test]
fn the_projects_sources_are_as_their_goldens_say_over_both_links() {
    let traces = std::fs::read_dir(project().join("traces")).expect("a folder");
    let traces: Vec<_> = traces
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "mgltrace"))
        .collect();
    assert!(traces.len() >= 9, "{} traces", traces.len());
    for link in ["direct", "thread"] {
        let mut command = mgl_with_driver();
        command
            .current_dir(project())
            .env("CI", "1")
            .env("MGL_LINK", link);
        command.args(["--json", "verify", "--live", "--goldens", "goldens"]);
        command.args(["--backend", "espryt,magma"]).args(&traces);
        let run = finish(&mut command);
        run.expect_code(0);
        let cases = run.json()["cases"].as_array().expect("cases").len();
        assert!(cases >= 3 * traces.len(), "{link}: {cases} cases");
    }
}
