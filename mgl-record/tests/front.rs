//! What is drawn to the front of a window is seen without a swap (GL 4.6 §17.4.1).

mod common;

use common::xvfb::Xvfb;
use common::{compile, on_driver, run_ok};
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
