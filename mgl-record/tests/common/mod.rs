//! What the tests of the window-system side share: the built library, C programs, a display.

#![allow(dead_code)]

pub mod xvfb;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Where cargo put this test: the profile directory holds the library in `deps`, the shims in
/// `shims`.
fn profile_dir() -> PathBuf {
    let exe = std::env::current_exe().expect("a test has a path");
    exe.ancestors()
        .nth(2)
        .expect("tests lie in <profile>/deps")
        .to_owned()
}

/// The library as it was built for this test run.
pub fn library() -> PathBuf {
    profile_dir().join("deps/libmgl.so")
}

/// The directory of the shims.
pub fn shims() -> PathBuf {
    profile_dir().join("shims")
}

/// The environment that `mgl run` prepares, with the given back end.
pub fn on_driver(command: &mut Command, backend: &str) {
    let deps = profile_dir().join("deps");
    let path = format!("{}:{}", shims().display(), deps.display());
    command
        .env("LD_LIBRARY_PATH", path)
        .env("MGL_BACKEND", backend)
        .env_remove("LD_PRELOAD")
        .env_remove("EGL_PLATFORM");
}

/// Compiles one of `tests/programs`; `tag` keeps variants apart.
pub fn compile(name: &str, tag: &str, flags: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/programs/{name}.c"));
    let out =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{tag}-{}", std::process::id()));
    let mut command = Command::new("cc");
    command
        .args(["-O1", "-g", "-Wall", "-Wextra", "-o"])
        .arg(&out)
        .arg(&source)
        .args(flags)
        // Linked against the shims, as a program is against the system's libraries.
        .arg(format!("-L{}", shims().display()))
        .arg(format!(
            "-Wl,-rpath-link,{}",
            profile_dir().join("deps").display()
        ))
        .arg("-Wl,--no-as-needed")
        .args(["-l:libGL.so.1", "-l:libEGL.so.1"])
        .arg(library())
        .args(["-l:libX11.so.6", "-lpthread"]);
    let result = command.output().expect("cc is installed");
    assert!(
        result.status.success(),
        "{name}.c: {}",
        String::from_utf8_lossy(&result.stderr)
    );
    out
}

/// Runs to the end, or kills it after a minute.
pub fn run(command: &mut Command) -> Output {
    use std::process::Stdio;
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let pid = child.id() as i32;
    let (done, finished) = std::sync::mpsc::channel::<()>();
    let watchdog = std::thread::spawn(move || {
        let deadline = Instant::now() + Duration::from_secs(60);
        if finished.recv_timeout(deadline - Instant::now()).is_err() {
            // SAFETY: the child has not been waited for yet, so the pid is its own.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
    });
    let output = child
        .wait_with_output()
        .expect("the program can be waited for");
    let _ = done.send(());
    watchdog.join().expect("the watchdog does not panic");
    output
}

/// Runs a program that prints `ok` at its end.
pub fn run_ok(command: &mut Command) -> Output {
    let output = run(command);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{out}{err}",
        output.status
    );
    assert!(out.ends_with("ok\n"), "{command:?}\n{out}{err}");
    output
}

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Symbols of an object, by nm.
pub fn nm(object: &Path, kind: &str) -> Vec<String> {
    let output = Command::new("nm")
        .args(["-D", kind])
        .arg(object)
        .output()
        .expect("nm (binutils) is installed");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut names: Vec<String> = text(&output.stdout)
        .lines()
        .filter_map(|l| l.split_whitespace().last())
        // Versioned names are another library's.
        .map(|n| n.split('@').next().unwrap_or(n).to_owned())
        .collect();
    names.sort();
    names
}
