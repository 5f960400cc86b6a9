//! `mgl doctor`: what is here, what is missing, and the exit code for it.

use crate::common::{Run, finish, mgl_with_driver};

fn doctor(environment: &[(&str, &str)], options: &[&str]) -> Run {
    let mut command = mgl_with_driver();
    command.arg("doctor").args(options).env_remove("DISPLAY");
    finish(command.envs(environment.iter().copied()))
}

fn status<'a>(report: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    let items = report["items"].as_array().expect("a list");
    let item = items.iter().find(|item| item["name"] == name);
    &item.expect("the item is there")["status"]
}

#[test]
fn a_machine_with_opengl_es_is_found_fit() {
    let call = doctor(&[], &["--json"]);
    call.expect_code(0);
    let report = call.json();
    assert_eq!(report["espryt"], true);
    assert_eq!(status(&report, "OpenGL ES 3.1"), "ok");
    let version = report["gles"]["version"].as_str().expect("a version");
    assert!(version.starts_with("OpenGL ES 3."), "{version}");
    assert!(
        report["gles"]["renderer"]
            .as_str()
            .is_some_and(|r| !r.is_empty())
    );
    assert_eq!(status(&report, "X display"), "absent");
}

#[test]
fn vulkan_devices_are_listed_with_what_they_lack() {
    let call = doctor(&[], &["--json"]);
    call.expect_code(0);
    let report = call.json();
    assert_eq!(report["magma"], true);
    assert_eq!(status(&report, "Vulkan 1.1"), "ok");
    let device = &report["vulkan"][0];
    for field in ["name", "version", "driver"] {
        assert!(
            device[field].as_str().is_some_and(|s| !s.is_empty()),
            "{device}"
        );
    }
    let features = device["features"].as_array().expect("a list");
    assert!(
        features
            .iter()
            .any(|f| f["name"] == "dynamicRendering" && f["present"] == true)
    );
    let call = doctor(&[], &[]);
    for text in ["Magma can draw", "features that Magma uses"] {
        assert!(call.stdout.contains(text), "{text}:\n{}", call.stdout);
    }
}

#[test]
fn a_machine_without_vulkan_driver_is_told_what_to_install() {
    // The loader reads no other list of drivers then.
    let broken = [
        ("VK_ICD_FILENAMES", "/nonexistent.json"),
        ("VK_DRIVER_FILES", "/nonexistent.json"),
    ];
    let call = doctor(&broken, &[]);
    call.expect_code(0);
    for text in [
        "absent",
        "mesa-vulkan-drivers",
        "Magma cannot draw",
        "Espryt can draw",
    ] {
        assert!(call.stdout.contains(text), "{text}:\n{}", call.stdout);
    }
    let call = doctor(&broken, &["--json"]);
    assert_eq!(call.json()["vulkan"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_machine_without_driver_exits_with_3_and_says_what_to_install() {
    let broken = [("MGL_REAL_LIBEGL", "/nonexistent/libEGL.so.1")];
    let call = doctor(&broken, &[]);
    call.expect_code(3);
    for text in ["MISSING", "apt-get install libegl1", "Espryt cannot draw"] {
        assert!(call.stdout.contains(text), "{text}:\n{}", call.stdout);
    }
    let call = doctor(&broken, &["--json"]);
    call.expect_code(3);
    assert!(call.json()["gles"].is_null());
}

#[test]
fn a_display_that_does_not_answer_is_named() {
    let call = doctor(&[("DISPLAY", ":54321")], &["--json"]);
    call.expect_code(0);
    let report = call.json();
    assert_eq!(status(&report, "X display"), "absent");
    assert!(call.stdout.contains(":54321"), "{}", call.stdout);
}
