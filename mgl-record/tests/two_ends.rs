//! The client never looks at the server: what is at the other end of the pipe is out of reach of the code that keeps GL's
//! state and pushes it. Visibility sees to that, and this to visibility.

use std::fs;
use std::path::{Path, PathBuf};

/// What only the pipe itself, and the check that compares both ends, may name. Both are in folders of their own.
const SERVER: [&str; 6] = [
    "PushedState",
    "at_server",
    ".server(",
    ".server_mut(",
    "dyn Backend",
    "mgl_core::link",
];

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if !path.ends_with("tests") {
                sources(&path, into);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// The code of a file without its own tests.
fn code(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text)
}

/// The names of the server's end in a file of the client.
fn offences(file: &str, text: &str) -> Vec<String> {
    let found = SERVER.iter().filter(|name| code(text).contains(**name));
    found.map(|name| format!("{file} names {name}")).collect()
}

#[test]
fn the_client_does_not_reach_the_server() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    for folder in ["gl", "state", "tracker", "winsys"] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 100, "the sources are where they were");
    let mut wrong = Vec::new();
    for path in &files {
        let file = path
            .strip_prefix(&root)
            .expect("below it")
            .to_string_lossy();
        wrong.extend(offences(&file, &fs::read_to_string(path).expect("text")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_look_at_the_server_is_found() {
    let look = "fn f(gl: &mut Gl) { gl.pipe.at_server(|s| s.state.clone()); }";
    assert_eq!(offences("gl/draw.rs", look), ["gl/draw.rs names at_server"]);
    let state = "fn f(s: &PushedState) {}";
    assert_eq!(
        offences("state/program.rs", state),
        ["state/program.rs names PushedState"]
    );
}
