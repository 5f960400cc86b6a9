//! EGL on each kind of display, by an unmodified C program.

mod common;

use common::xvfb::Xvfb;
use common::{compile, on_driver, run_ok};
use std::process::Command;

#[test]
fn without_a_window_system() {
    let program = compile("egl", "none", &[]);
    for kind in ["surfaceless", "device", "default"] {
        let mut command = Command::new(&program);
        on_driver(&mut command, "null");
        run_ok(command.arg(kind).env_remove("DISPLAY"));
    }
    let mut command = Command::new(&program);
    on_driver(&mut command, "null");
    command
        .env("DISPLAY", ":4321")
        .env("EGL_PLATFORM", "surfaceless");
    run_ok(command.arg("default"));
}

#[test]
fn on_x11_and_xcb() {
    let server = Xvfb::start();
    let program = compile("egl", "x11", &[]);
    for kind in ["x11", "default"] {
        let mut command = Command::new(&program);
        on_driver(&mut command, "null");
        run_ok(command.arg(kind).env("DISPLAY", server.display()));
    }
}
