//! Surfaces follow their windows at glViewport and glClear.

mod common;

use common::xvfb::Xvfb;
use common::{compile, on_driver, run_ok};
use std::process::Command;

#[test]
fn a_resized_window_is_drawn_in_its_new_size() {
    let server = Xvfb::start();
    let program = compile("resize", "espryt", &[]);
    let mut command = Command::new(&program);
    on_driver(&mut command, "espryt");
    run_ok(command.env("DISPLAY", server.display()));
}
