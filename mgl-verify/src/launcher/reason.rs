//! Why a program that was started on the driver recorded nothing, as far as that can be known: what the driver wrote down,
//! what was seen of the program's processes while they ran, and what its file says.

use std::ffi::{CString, OsStr};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::notes::{Note, Notes};
use super::{Launcher, elf, find_program};

/// Why nothing was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What happened.
    pub what: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Reason {
    fn new(what: String, hint: &str) -> Self {
        Self {
            what,
            hint: Some(hint.to_owned()),
        }
    }
}

const PRELOAD: &str = "`--preload always` reaches programs that scripts and wrappers start";
const SECURE: &str = "record a copy that has no such rights: `cp` makes one";

/// A process that loaded the system's GL and not the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Passed {
    program: String,
    /// Which; a process with rights of its own does not show it.
    library: Option<PathBuf>,
    /// Its loader ignores what the environment says of libraries.
    secure: bool,
    path: LibraryPath,
}

/// What the environment of a process has of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LibraryPath {
    /// It leads to the driver.
    Ours,
    /// Another one.
    Reset,
    /// None of the variables that the driver reads is there either.
    Cleared,
}

/// Looks at the processes of a program while it runs: afterwards nothing is left of them to look at.
pub struct Watcher<'n> {
    notes: Option<&'n Notes>,
    library: PathBuf,
    shims: PathBuf,
    wait: Duration,
    passed: Option<Passed>,
}

impl<'n> Watcher<'n> {
    /// One that looks until the notes say that something is recorded.
    pub fn new(launcher: &Launcher, notes: Option<&'n Notes>) -> Self {
        Self {
            notes,
            library: launcher.library().to_owned(),
            shims: launcher.shims().to_owned(),
            wait: Duration::from_millis(2),
            passed: None,
        }
    }

    /// Looks at a process and all that it started; says when to look again. Rarer and rarer: a program that draws is soon
    /// seen, and one that does not is left in peace.
    pub fn look(&mut self, process: u32) -> Option<Duration> {
        const RAREST: Duration = Duration::from_millis(500);
        let recording = |note: &Note| matches!(note, Note::Recording(_));
        if self.notes.is_some_and(|n| n.read().iter().any(recording)) {
            return None;
        }
        let mut all = vec![process];
        while let Some(pid) = all.pop() {
            self.passed = self.passed_by(pid).or(self.passed.take());
            all.extend(children(pid));
        }
        self.wait = (self.wait * 3 / 2).min(RAREST);
        Some(self.wait)
    }

    fn passed_by(&self, pid: u32) -> Option<Passed> {
        let at = |name: &str| PathBuf::from(format!("/proc/{pid}/{name}"));
        let maps = match fs::read(at("maps")) {
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return with_rights(pid),
            maps => maps.ok()?,
        };
        let files = maps
            .split(|b| *b == b'\n')
            .filter_map(|line| line.iter().position(|b| *b == b'/').map(|i| &line[i..]))
            .map(|name| Path::new(OsStr::from_bytes(name)));
        let mut library = None;
        for file in files {
            if file == self.library {
                return None;
            }
            let name = file.file_name().unwrap_or_default().as_bytes();
            let gl = ["libGL.so", "libGLX.so", "libOpenGL.so", "libEGL.so"];
            if gl.iter().any(|gl| name.starts_with(gl.as_bytes())) && !file.starts_with(&self.shims)
            {
                library = Some(file.to_owned());
            }
        }
        let exe = fs::read_link(at("exe")).unwrap_or_default();
        let environment = fs::read(at("environ")).unwrap_or_default();
        let shims = self.shims.as_os_str().as_bytes();
        let has = |name: &[u8]| environment.split(|b| *b == 0).any(|v| v.starts_with(name));
        let leads = environment.split(|b| *b == 0).any(|variable| {
            let path = variable.strip_prefix(b"LD_LIBRARY_PATH=");
            path.is_some_and(|path| path.split(|b| *b == b':').any(|folder| folder == shims))
        });
        Some(Passed {
            program: name_of(exe.as_os_str()),
            library: Some(library?),
            secure: is_secure(&fs::read(at("auxv")).unwrap_or_default()),
            path: match leads {
                true => LibraryPath::Ours,
                false if has(b"MGL_BACKEND=") => LibraryPath::Reset,
                false => LibraryPath::Cleared,
            },
        })
    }

    /// Why nothing was recorded of `program`, which has ended.
    pub fn reason(&self, program: &OsStr) -> Reason {
        let notes = self.notes.map(Notes::read).unwrap_or_default();
        reason(&notes, self.passed.as_ref(), program)
    }
}

/// As [`Watcher::reason`], of a program that nobody looked at.
pub(crate) fn reason_of(notes: &Notes, program: &OsStr) -> Reason {
    reason(&notes.read(), None, program)
}

fn reason(notes: &[Note], passed: Option<&Passed>, program: &OsStr) -> Reason {
    let last = |pick: fn(&Note) -> Option<&String>| notes.iter().rev().find_map(pick);
    let failed = last(|n| match n {
        Note::Failed(why) => Some(why),
        _ => None,
    });
    if let Some(why) = failed {
        let hint = "the program drew; `-o FILE` names another file for the trace";
        return Reason::new(format!("the trace could not be written: {why}"), hint);
    }
    let refused = last(|n| match n {
        Note::Refused(why) => Some(why),
        _ => None,
    });
    if let Some(why) = refused {
        let hint = "`mgl doctor` shows what this machine offers";
        let what = format!("the program asked for an OpenGL context and got none: {why}");
        return Reason::new(what, hint);
    }
    if let Some(passed) = passed {
        let name = &passed.program;
        let took = match &passed.library {
            Some(library) => format!("{name} took {} and not mgl", library.display()),
            None => format!("{name} was started"),
        };
        if passed.secure {
            let what = format!(
                "{took}: it runs with rights of its own (setuid), and the system then ignores library paths"
            );
            return Reason::new(what, SECURE);
        }
        let (why, hint) = match passed.path {
            LibraryPath::Ours => ("it names that library by its path", PRELOAD),
            LibraryPath::Reset => (
                "it was started with a library path of its own (LD_LIBRARY_PATH)",
                PRELOAD,
            ),
            LibraryPath::Cleared => (
                "it was started with an environment of its own (env -i, sudo, a sandbox)",
                "start it without, or have it keep LD_LIBRARY_PATH and the variables that start with MGL_",
            ),
        };
        return Reason::new(format!("{took}: {why}"), hint);
    }
    if let Some(reason) = find_program(program).and_then(|file| of_file(&file)) {
        return reason;
    }
    let loaded = last(|n| match n {
        Note::Loaded(name) => Some(name),
        _ => None,
    });
    match loaded {
        Some(name) => Reason {
            what: format!("{name} loaded OpenGL and made no context"),
            hint: None,
        },
        None => Reason::new(
            "no process of the program loaded OpenGL".to_owned(),
            "where one does, it was started with a library path of its own: `--preload always` reaches it",
        ),
    }
}

/// What the file of a program says.
fn of_file(file: &Path) -> Option<Reason> {
    let name = name_of(file.as_os_str());
    if has_rights(file) {
        let what = format!(
            "{name} runs with rights of its own (setuid, setgid or capabilities), and the system then ignores library paths"
        );
        return Some(Reason::new(what, SECURE));
    }
    match elf::kind(file)? {
        elf::Kind::Dynamic => None,
        elf::Kind::Static => Some(Reason {
            what: format!("{name} is linked statically, and loads no library"),
            hint: None,
        }),
        elf::Kind::Foreign => Some(Reason {
            what: format!(
                "{name} is a program for another processor, or of 32 bits; mgl's driver is for 64 bits"
            ),
            hint: None,
        }),
    }
}

/// Whether the file gives its process rights that we do not have.
fn has_rights(file: &Path) -> bool {
    let Ok(meta) = fs::metadata(file) else {
        return false;
    };
    // SAFETY: none of these touches memory.
    let (user, group) = unsafe { (libc::getuid(), libc::getgid()) };
    let set_user = meta.mode() & libc::S_ISUID != 0 && meta.uid() != user;
    let set_group = meta.mode() & libc::S_ISGID != 0 && meta.gid() != group;
    set_user || set_group || (user != 0 && has_capabilities(file))
}

fn has_capabilities(file: &Path) -> bool {
    let Ok(name) = CString::new(file.as_os_str().as_bytes()) else {
        return false;
    };
    let attribute = c"security.capability".as_ptr();
    // SAFETY: both names end with a zero; nothing is written where there is no room.
    unsafe { libc::getxattr(name.as_ptr(), attribute, std::ptr::null_mut(), 0) > 0 }
}

/// AT_SECURE in the vector that the kernel gave a process.
fn is_secure(auxiliary: &[u8]) -> bool {
    auxiliary.chunks_exact(16).any(|entry| {
        let (key, value) = entry.split_at(8);
        key == libc::AT_SECURE.to_ne_bytes() && value.iter().any(|b| *b != 0)
    })
}

/// A process that does not let itself be looked into, if that is because it runs as somebody else.
fn with_rights(pid: u32) -> Option<Passed> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
    let differ = |name: &str| {
        let mut ids = field(name)?.split_whitespace();
        Some(ids.next()? != ids.next()?)
    };
    let rights = differ("Uid:")? || differ("Gid:")?;
    rights.then(|| Passed {
        program: field("Name:").unwrap_or_default().trim().to_owned(),
        library: None,
        secure: true,
        path: LibraryPath::Ours,
    })
}

fn children(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"));
    let mut all = Vec::new();
    for task in tasks.into_iter().flatten().flatten() {
        let list = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        all.extend(
            list.split_whitespace()
                .filter_map(|n| n.parse::<u32>().ok()),
        );
    }
    all
}

fn name_of(path: &OsStr) -> String {
    let name = Path::new(path).file_name().unwrap_or(path);
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_best_is_said() {
        use LibraryPath::{Cleared, Ours, Reset};
        let passed = |secure, path| Passed {
            program: "game".into(),
            library: Some("/usr/lib/libGL.so.1".into()),
            secure,
            path,
        };
        let say =
            |notes: &[Note], passed: Option<&Passed>| reason(notes, passed, "sh".as_ref()).what;
        let loaded = Note::Loaded("game".into());
        let refused = Note::Refused("no driver".into());
        let failed = Note::Failed("disk full".into());
        for (notes, seen, says) in [
            (vec![], None, "no process of the program loaded OpenGL"),
            (
                vec![loaded.clone()],
                None,
                "game loaded OpenGL and made no context",
            ),
            (
                vec![loaded.clone()],
                Some(passed(false, Reset)),
                "LD_LIBRARY_PATH",
            ),
            (vec![], Some(passed(false, Ours)), "by its path"),
            (
                vec![],
                Some(passed(false, Cleared)),
                "an environment of its own",
            ),
            (vec![], Some(passed(true, Cleared)), "setuid"),
            (
                vec![loaded.clone(), refused.clone()],
                None,
                "got none: no driver",
            ),
            (
                vec![loaded, refused, failed],
                Some(passed(true, Reset)),
                "disk full",
            ),
        ] {
            let text = say(&notes, seen.as_ref());
            assert!(text.contains(says), "{says}: {text}");
        }
    }

    #[test]
    fn secure_processes_are_known_by_their_vector() {
        let vector = |secure: u64| {
            [(3u64, 64u64), (libc::AT_SECURE, secure), (0, 0)]
                .iter()
                .flat_map(|(k, v)| [k.to_ne_bytes(), v.to_ne_bytes()].concat())
                .collect::<Vec<u8>>()
        };
        assert!(is_secure(&vector(1)) && !is_secure(&vector(0)) && !is_secure(b"short"));
    }
}
