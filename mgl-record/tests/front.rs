//! What is drawn to the front of a window is seen without a swap (GL 4.6 §17.4.1).

mod common;

use common::xvfb::Xvfb;
use common::{compile, on_driver, run_ok, text};
use std::process::Command;

#[test]
fn the_front_is_seen_after_a_flush() {
    let server = Xvfb::start();
    for backend in ["espryt", "magma"] {
        let program = compile("front", backend, &[]);
        let mut command = Command::new(&program);
        on_driver(&mut command, backend);
        run_ok(command.env("DISPLAY", server.display()));
    }
}

#[test]
fn a_process_that_gets_no_thread_draws_in_its_own() {
    let server = Xvfb::start();
    for backend in ["espryt", "magma"] {
        let tag = format!("{backend}-no-thread");
        let program = compile("front", &tag, &["-DNO_FIRST_THREAD", "-rdynamic", "-ldl"]);
        let mut command = Command::new(&program);
        on_driver(&mut command, backend);
        command
            .env("DISPLAY", server.display())
            .env("MGL_LINK", "thread");
        let output = run_ok(&mut command);
        let said = text(&output.stderr);
        assert!(said.contains("no thread to draw in"), "{backend}: {said}");
    }
}
