//! Queries, sync objects and transform feedback of unmodified C programs, drawn by the system's OpenGL ES.

mod common;

use common::{compile, on_driver, run_ok};
use std::process::Command;

#[test]
fn results_are_the_drivers_and_rendering_follows_them() {
    let program = compile("queries", "espryt", &[]);
    let mut command = Command::new(&program);
    on_driver(&mut command, "espryt");
    run_ok(&mut command);
}

#[test]
fn transform_feedback_comes_back() {
    let program = compile("feedback", "espryt", &[]);
    let mut command = Command::new(&program);
    on_driver(&mut command, "espryt");
    run_ok(&mut command);
}
