//! Queries and sync objects of an unmodified C program, drawn by the system's OpenGL ES.

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
