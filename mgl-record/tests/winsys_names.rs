//! Every way to a GL library ends in ours, also after the system's libEGL is in the process.

mod common;

use common::xvfb::Xvfb;
use common::{compile, on_driver, run, run_ok, shims, text};
use std::process::Command;

/// Each line of `names` must name our file.
fn assert_ours(out: &str, lines: usize) {
    let reports: Vec<&str> = out.lines().filter(|l| !l.starts_with("context")).collect();
    assert_eq!(reports.len(), lines, "{out}");
    for line in reports {
        assert!(line.ends_with(" libmgl.so"), "{line}\n{out}");
    }
    assert!(out.contains("context made"), "{out}");
}

#[test]
fn by_search_path() {
    let server = Xvfb::start();
    let program = compile("names", "path", &[]);
    for backend in ["null", "espryt"] {
        let mut command = Command::new(&program);
        on_driver(&mut command, backend);
        let output = run(command.env("DISPLAY", server.display()));
        assert!(text(&output.stderr).is_empty(), "{}", text(&output.stderr));
        assert_ours(&text(&output.stdout), 23);
    }
}

#[test]
fn by_preload_when_the_program_has_a_search_path_of_its_own() {
    let server = Xvfb::start();
    let dir = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let rpath = format!("-Wl,--disable-new-dtags,-rpath,{dir}");
    let program = compile("names", "rpath", &[&rpath]);
    let preload: Vec<String> = [
        "libGL.so.1",
        "libGLX.so.0",
        "libOpenGL.so.0",
        "libEGL.so.1",
        "libGLESv2.so.2",
    ]
    .iter()
    .map(|n| shims().join(n).display().to_string())
    .collect();
    let mut command = Command::new(&program);
    on_driver(&mut command, "null");
    command
        .arg("versioned")
        .env("DISPLAY", server.display())
        .env("LD_PRELOAD", preload.join(" "));
    let output = run(&mut command);
    assert_ours(&text(&output.stdout), 11);
}

#[test]
fn globals_called_like_functions_do_not_get_between() {
    for (tag, flags) in [("plain", &[][..]), ("rdynamic", &["-rdynamic"][..])] {
        let program = compile("pointers", tag, flags);
        let mut command = Command::new(&program);
        on_driver(&mut command, "null");
        let output = run_ok(&mut command);
        let err = text(&output.stderr);
        assert_eq!(err.matches("glAccum").count(), 1, "{err}");
    }
}

#[test]
fn unloading_leaves_it_in_place() {
    let program = compile("unload", "path", &[]);
    let mut command = Command::new(&program);
    on_driver(&mut command, "null");
    run_ok(&mut command);
}
