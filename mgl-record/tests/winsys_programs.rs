//! Programs of the distribution start on the library and find their way around.

mod common;

use common::xvfb::Xvfb;
use common::{on_driver, run, text};
use std::process::Command;

fn program(name: &str, server: &Xvfb) -> Command {
    let mut command = Command::new(name);
    on_driver(&mut command, "null");
    command.env("DISPLAY", server.display());
    command
}

#[test]
fn eglinfo_reads_everything() {
    let server = Xvfb::start();
    let output = run(&mut program("eglinfo", &server));
    let out = text(&output.stdout);
    assert!(output.status.success(), "{}\n{out}", text(&output.stderr));
    assert!(out.contains("EGL vendor string: mgl"), "{out}");
    assert!(out.contains("Surfaceless platform"), "{out}");
}

#[test]
fn glxgears_runs_until_it_is_stopped() {
    let server = Xvfb::start();
    let mut command = Command::new("timeout");
    on_driver(&mut command, "null");
    command
        .args(["2", "glxgears"])
        .env("DISPLAY", server.display());
    let output = run(&mut command);
    // Fixed function is refused by name; the program itself goes on until timeout ends it.
    assert_eq!(output.status.code(), Some(124), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("glBegin is not implemented"));
}
