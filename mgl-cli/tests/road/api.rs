//! Which OpenGL a program really runs on: contexts of OpenGL ES alone, and none of the system's desktop libraries.

use std::path::{Path, PathBuf};
use std::process::Command;

use mgl_replay::espryt::loader;

use crate::road::{Place, arg, finish, mgl_with_driver};

const OPENGL_ES: &str = "0x30a0";
const DESKTOP: &str = "0x30a2";

/// What a process asked of the system's EGL.
#[derive(Default)]
struct Asked {
    apis: Vec<String>,
    contexts: Vec<String>,
}

impl Asked {
    fn read(log: &Path) -> Self {
        let text = std::fs::read_to_string(log).expect("the spy's log");
        let mut asked = Self::default();
        for line in text.lines() {
            match line.split_once(' ') {
                Some(("api", api)) => asked.apis.push(api.to_owned()),
                Some(("context", kind)) => asked.contexts.push(kind.to_owned()),
                _ => panic!("a line of the spy: {line}"),
            }
        }
        asked
    }

    /// At least one context, and every one of OpenGL ES.
    fn opengl_es_only(&self) -> bool {
        !self.contexts.is_empty()
            && self.contexts.iter().all(|kind| kind == OPENGL_ES)
            && !self.apis.iter().any(|api| api == DESKTOP)
    }
}

/// Puts the spy before the system's libEGL.
fn spied(place: &Place, command: &mut Command) -> PathBuf {
    let spy = place.compile(
        "egl_spy",
        &["-shared", "-fPIC", "-fvisibility=hidden", "-ldl"],
    );
    let log = place.path("spy.log");
    let real = loader::real_libegl().expect("libegl1 is installed");
    command
        .env("MGL_REAL_LIBEGL", &spy)
        .env("EGL_SPY_REAL", real)
        .env("EGL_SPY_LOG", &log);
    log
}

#[test]
fn a_program_on_the_driver_has_contexts_of_opengl_es_alone() {
    let place = Place::new();
    let program = place.compile("frames", &[]);
    let mut command = mgl_with_driver();
    let log = spied(&place, place.on_display(&mut command));
    let call = finish(command.args(["run", "--", arg(&program), "maps"]));
    call.expect_code(0);
    // The program itself has a desktop context: ours.
    let version = call.stdout.lines().find_map(|l| l.strip_prefix("version "));
    assert!(version.is_some_and(|v| v.starts_with("3.3")), "{version:?}");
    let asked = Asked::read(&log);
    assert!(
        asked.opengl_es_only(),
        "{:?} {:?}",
        asked.apis,
        asked.contexts
    );

    // Nor is any of the system's desktop libraries there to make one.
    let ours = Path::new(env!("CARGO_BIN_EXE_mgl")).with_file_name("shims");
    let mut seen_ours = false;
    for map in call.stdout.lines().filter_map(|l| l.strip_prefix("map ")) {
        let map = Path::new(map);
        let name = map.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let desktop = ["libGL.so", "libGLX", "libOpenGL.so", "libOSMesa"];
        if desktop.iter().any(|d| name.starts_with(d)) {
            assert!(map.starts_with(&ours), "{}", map.display());
            seen_ours = true;
        }
    }
    assert!(seen_ours, "the program has the driver's libGL mapped");
}

/// The spy notices what the test above says is not there.
#[test]
fn a_desktop_context_would_be_noticed() {
    let place = Place::new();
    let program = place.compile("desktop", &["-ldl"]);
    let mut command = Command::new(program);
    let log = spied(&place, place.on_display(&mut command));
    let spy = place.path("egl_spy");
    let status = command.arg(spy).env_remove("LD_LIBRARY_PATH").status();
    assert!(status.expect("it starts").success());
    let asked = Asked::read(&log);
    assert_eq!(asked.apis, [DESKTOP]);
    assert_eq!(asked.contexts, [DESKTOP]);
    assert!(!asked.opengl_es_only());
}
