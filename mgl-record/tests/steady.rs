//! A draw allocates nothing on the thread that draws, whatever changes before it that needs no new object.

mod common;

use common::xvfb::Xvfb;
use common::{compile, on_driver, run_ok, text};
use std::process::Command;

/// Waits of a frame's end, which own what they wait with: a few each.
const FRAME_ENDS: u64 = 8 * 8;

#[test]
fn draws_allocate_nothing() {
    let server = Xvfb::start();
    let program = compile("steady", "all", &["-rdynamic"]);
    let allocations = |link: &str, broken: bool| -> u64 {
        let mut command = Command::new(&program);
        on_driver(&mut command, "null");
        command
            .env("DISPLAY", server.display())
            .env("MGL_LINK", link)
            .args(broken.then_some("broken"));
        let output = run_ok(&mut command);
        let out = text(&output.stdout);
        let number = out.lines().next().expect("a line");
        number.parse().expect("a number")
    };
    for link in ["direct", "thread"] {
        let steady = allocations(link, false);
        assert!(steady <= FRAME_ENDS, "{link}: {steady}");
        let broken = allocations(link, true);
        assert!(
            broken > 512,
            "{link}: a new object a draw is seen: {broken}"
        );
    }
}
