//! Starting programs on the driver.
//!
//! The driver is never linked by the tools: it is found as a file beside them, and programs are
//! started in an environment in which the loader finds its shims under the system's names (design
//! pages 1 and 5; no compiler is needed). Two ways to start: `mgl run` becomes the program,
//! `mgl record` watches it.

mod elf;
mod inherited;
mod notes;
mod reason;
mod sentinel;
mod supervise;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use notes::{Note, Notes};
pub(crate) use reason::reason_of;
pub use reason::{Reason, Watcher};
pub use supervise::supervise;

/// Names the directory of `libmgl.so`, when it is not beside the program `mgl`.
pub const LIBRARY_DIR: &str = "MGL_LIB_DIR";

const LIBRARY: &str = "libmgl.so";

/// The names that programs load OpenGL under; each has a shim.
pub const SHIMS: [&str; 11] = [
    "libGL.so.1",
    "libGLX.so.0",
    "libOpenGL.so.0",
    "libEGL.so.1",
    "libGLESv2.so.2",
    "libGLESv1_CM.so.1",
    "libGL.so",
    "libGLX.so",
    "libOpenGL.so",
    "libEGL.so",
    "libGLESv2.so",
];

/// The shims that a preload list names: those that programs link to.
const PRELOADED: [&str; 5] = [
    "libGL.so.1",
    "libGLX.so.0",
    "libOpenGL.so.0",
    "libEGL.so.1",
    "libGLESv2.so.2",
];

/// Why a program cannot be started on the driver.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The driver is in none of the places it is looked for.
    #[error(
        "{LIBRARY} not found in {}; build it (`cargo build`), install it (`scripts/install PREFIX`) \
         or set {LIBRARY_DIR}",
        list(searched)
    )]
    NoLibrary {
        /// The places.
        searched: Vec<PathBuf>,
    },
    /// The driver is there, its shims are not or not whole.
    #[error(
        "{path} is missing or damaged: the shims belong beside {LIBRARY} or in `shims` below it; \
         build again (`cargo build -p mgl-record`) or run `scripts/install PREFIX`",
        path = path.display()
    )]
    NoShim {
        /// The first shim that is not as it should be.
        path: PathBuf,
    },
    /// A directory that cannot be put on a search path.
    #[error("{path} contains `:`, `;` or a space, which library search paths cannot express", path = path.display())]
    BadPath {
        /// The directory.
        path: PathBuf,
    },
    /// The program itself cannot be started.
    #[error("cannot start {}: {source}", program.to_string_lossy())]
    Program {
        /// Its name as given.
        program: OsString,
        /// The system's words.
        source: std::io::Error,
    },
    /// The running program cannot be watched.
    #[error("cannot wait for the program: {0}")]
    Wait(std::io::Error),
}

fn list(paths: &[PathBuf]) -> String {
    let texts: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
    texts.join(", ")
}

/// Whether the shims are also preloaded, which catches programs that carry a DT_RPATH: that beats
/// LD_LIBRARY_PATH.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preload {
    /// When the program's own file has a DT_RPATH.
    #[default]
    Auto,
    /// Always: for programs started by scripts and wrappers.
    Always,
    /// Never.
    Never,
}

/// The driver's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    library: PathBuf,
    shims: PathBuf,
}

impl Launcher {
    /// Finds the driver: in `MGL_LIB_DIR` if that is set, else beside the running program, else in
    /// `../lib/mgl` of its directory.
    ///
    /// # Errors
    ///
    /// [`LaunchError::NoLibrary`], [`LaunchError::NoShim`] or [`LaunchError::BadPath`].
    pub fn locate() -> Result<Self, LaunchError> {
        if let Some(dir) = std::env::var_os(LIBRARY_DIR) {
            return Self::at(Path::new(&dir));
        }
        let exe = std::env::current_exe().unwrap_or_default();
        let dir = exe.parent().unwrap_or(Path::new("."));
        let places = [dir.to_owned(), dir.join("../lib/mgl")];
        match places.iter().find(|p| p.join(LIBRARY).is_file()) {
            Some(place) => Self::at(place),
            None => Err(LaunchError::NoLibrary {
                searched: places.into(),
            }),
        }
    }

    /// The driver in a directory, with its shims there or in `shims` below.
    ///
    /// # Errors
    ///
    /// As [`Launcher::locate`].
    pub fn at(dir: &Path) -> Result<Self, LaunchError> {
        let missing = || LaunchError::NoLibrary {
            searched: vec![dir.to_owned()],
        };
        // Absolute, because programs change their directory.
        let dir = dir.canonicalize().map_err(|_| missing())?;
        let library = dir.join(LIBRARY);
        if !library.is_file() {
            return Err(missing());
        }
        let below = dir.join("shims");
        let shims = if below.is_dir() { below } else { dir };
        for name in SHIMS {
            let path = shims.join(name);
            let soname = elf::facts(&path).and_then(|f| f.soname);
            if !soname.is_some_and(|s| s == *name || s.starts_with(&format!("{name}."))) {
                return Err(LaunchError::NoShim { path });
            }
        }
        let text = shims.to_string_lossy();
        if text.contains([':', ';', ' ']) {
            return Err(LaunchError::BadPath { path: shims });
        }
        Ok(Self { library, shims })
    }

    /// The driver's file.
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// The directory that goes onto LD_LIBRARY_PATH.
    pub fn shims(&self) -> &Path {
        &self.shims
    }

    /// A command that runs `program` on the driver, with standard streams inherited.
    pub fn command(&self, program: &OsStr, args: &[OsString], preload: Preload) -> Command {
        let mut command = Command::new(program);
        command.args(args);
        self.prepare(&mut command, preload);
        command
    }

    /// Sets the environment of an existing command.
    pub fn prepare(&self, command: &mut Command, preload: Preload) {
        let mut dirs = vec![self.shims.clone()];
        // Also the library's own directory, so that a copy elsewhere on the path cannot get between.
        dirs.extend(self.library.parent().map(Path::to_owned));
        dirs.dedup();
        let path = prepend(&dirs, "LD_LIBRARY_PATH", ":");
        command.env("LD_LIBRARY_PATH", path);
        let wanted = match preload {
            Preload::Always => true,
            Preload::Never => false,
            Preload::Auto => find_program(command.get_program())
                .and_then(|file| elf::facts(&file))
                .is_some_and(|facts| facts.has_rpath),
        };
        if wanted {
            let files: Vec<PathBuf> = PRELOADED.iter().map(|n| self.shims.join(n)).collect();
            let value = prepend(&files, "LD_PRELOAD", " ");
            command.env("LD_PRELOAD", value);
        }
    }
}

/// Replaces this process by the program, which inherits what this process was started with. Returns only when that
/// fails.
pub fn replace(mut command: Command) -> LaunchError {
    inherited::pass_on(&mut command);
    let source = command.exec();
    LaunchError::Program {
        program: command.get_program().to_owned(),
        source,
    }
}

/// `items` before what the variable holds already.
fn prepend(items: &[PathBuf], variable: &str, separator: &str) -> OsString {
    let mut value = OsString::new();
    let old = std::env::var_os(variable).filter(|v| !v.is_empty());
    for item in items.iter().map(|p| p.as_os_str()).chain(old.as_deref()) {
        if !value.is_empty() {
            value.push(separator);
        }
        value.push(item);
    }
    value
}

/// The file that execvp would start.
fn find_program(name: &OsStr) -> Option<PathBuf> {
    if name.as_encoded_bytes().contains(&b'/') {
        return Some(name.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn shim(soname: &str) -> Vec<u8> {
        elf::tests::shared_object(&[(14, soname)])
    }

    fn layout(dir: &Path, shims: &Path) {
        fs::create_dir_all(shims).expect("temporary directory");
        fs::write(dir.join(LIBRARY), b"").expect("temporary directory");
        for name in SHIMS {
            let soname = SHIMS
                .iter()
                .find(|n| n.starts_with(&format!("{name}.")))
                .unwrap_or(&name);
            fs::write(shims.join(name), shim(soname)).expect("temporary directory");
        }
    }

    #[test]
    fn both_layouts_are_found_and_checked() {
        let tmp = tempfile::tempdir().expect("temporary directory");
        let installed = tmp.path().join("installed");
        layout(&installed, &installed);
        let found = Launcher::at(&installed).expect("whole");
        assert!(found.shims().ends_with("installed"));
        let built = tmp.path().join("built");
        layout(&built, &built.join("shims"));
        let found = Launcher::at(&built).expect("whole");
        assert!(found.shims().ends_with("built/shims"));

        fs::write(built.join("shims/libEGL.so.1"), b"\x7fELF").expect("writable");
        match Launcher::at(&built) {
            Err(LaunchError::NoShim { path }) => assert!(path.ends_with("libEGL.so.1")),
            other => panic!("{other:?}"),
        }
        fs::remove_file(installed.join(LIBRARY)).expect("writable");
        let error = Launcher::at(&installed).expect_err("no library");
        assert!(error.to_string().contains("scripts/install"), "{error}");
        assert!(Launcher::at(&tmp.path().join("nowhere")).is_err());
    }

    #[test]
    fn a_directory_that_search_paths_cannot_name_is_refused() {
        let tmp = tempfile::tempdir().expect("temporary directory");
        let dir = tmp.path().join("with space");
        layout(&dir, &dir);
        assert!(matches!(
            Launcher::at(&dir),
            Err(LaunchError::BadPath { .. })
        ));
    }

    #[test]
    fn the_environment_leads_to_the_shims_first() {
        let tmp = tempfile::tempdir().expect("temporary directory");
        let dir = tmp.path().join("lib");
        layout(&dir, &dir.join("shims"));
        let launcher = Launcher::at(&dir).expect("whole");
        let value = |command: &Command, name: &str| {
            command
                .get_envs()
                .find(|(n, _)| *n == name)
                .and_then(|(_, v)| v)
                .map(|v| v.to_string_lossy().into_owned())
        };
        let command = launcher.command(OsStr::new("true"), &[], Preload::Never);
        let path = value(&command, "LD_LIBRARY_PATH").expect("set");
        let mut parts = path.split(':').map(Path::new);
        assert_eq!(parts.next(), Some(launcher.shims()));
        assert_eq!(parts.next(), launcher.library().parent());
        assert!(value(&command, "LD_PRELOAD").is_none());

        let command = launcher.command(OsStr::new("true"), &[], Preload::Always);
        let list = value(&command, "LD_PRELOAD").expect("set");
        assert!(list.split(' ').take(5).all(|f| Path::new(f).is_file()));

        let rpath = tmp.path().join("has-rpath");
        fs::write(&rpath, elf::tests::shared_object(&[(15, "/opt/lib")])).expect("writable");
        let command = launcher.command(rpath.as_os_str(), &[], Preload::Auto);
        assert!(value(&command, "LD_PRELOAD").is_some());
    }

    #[test]
    fn a_program_that_does_not_exist_is_named() {
        let error = replace(Command::new("/nowhere/no-such-program"));
        assert!(
            error.to_string().contains("/nowhere/no-such-program"),
            "{error}"
        );
    }
}
