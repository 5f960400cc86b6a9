//! GLX against a real X server, by unmodified C programs.

mod common;

use common::xvfb::Xvfb;
use common::{compile, on_driver, run_ok};
use std::process::Command;

#[test]
fn programs_get_what_glx_promises() {
    let program = compile("glx", "path", &[]);
    // Also where the server itself knows no GLX.
    for arguments in [&[][..], &["-extension", "GLX"][..]] {
        let server = Xvfb::with(arguments);
        let mut command = Command::new(&program);
        on_driver(&mut command, "null");
        run_ok(command.env("DISPLAY", server.display()));
    }
}

#[test]
fn children_of_a_process_that_draws() {
    let server = Xvfb::start();
    let program = compile("fork", "path", &[]);
    let mut command = Command::new(&program);
    on_driver(&mut command, "null");
    run_ok(command.env("DISPLAY", server.display()));
}
