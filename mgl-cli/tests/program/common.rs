//! Runs the built `mgl` and looks at what came back.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

/// What a run of `mgl` left behind.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The program with a clean environment as far as its own switches go.
pub fn mgl() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mgl"));
    command.env_remove("NO_COLOR").env("COLUMNS", "100");
    command
}

/// Runs `mgl` with arguments.
pub fn run<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Run {
    finish(mgl().args(args))
}

/// Runs a prepared command to its end.
pub fn finish(command: &mut Command) -> Run {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("mgl starts");
    Run {
        code: status.code(),
        stdout: String::from_utf8(stdout).expect("standard output is UTF-8"),
        stderr: String::from_utf8(stderr).expect("standard error is UTF-8"),
    }
}

impl Run {
    /// The one JSON document that standard output holds.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("one JSON document: {e}\n{}", self.stdout))
    }

    /// Asserts the exit code, and shows everything when it is another.
    #[track_caller]
    pub fn expect_code(&self, code: i32) -> &Self {
        assert_eq!(
            self.code,
            Some(code),
            "exit code\nstdout: {}\nstderr: {}",
            self.stdout,
            self.stderr
        );
        self
    }
}

/// The program, where the driver lies beside it: tests that start programs on it call this first.
pub fn mgl_with_driver() -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_mgl"));
    let library = program.with_file_name("libmgl.so");
    assert!(
        library.is_file(),
        "{} is missing: `cargo build --workspace` comes before these tests",
        library.display()
    );
    let mut command = mgl();
    command.env_remove("MGL_LIB_DIR");
    command
}

/// A path as an argument.
pub fn arg(path: &Path) -> &str {
    path.to_str().expect("temporary paths are UTF-8")
}
