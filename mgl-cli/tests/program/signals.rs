//! A program that is started by mgl is as it would be without: what it inherits, what signals do to it, and what a
//! terminal's user does.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{finish, mgl_with_driver};
use crate::pty::{Terminal, gone, usual_signals};

const MGL: &str = env!("CARGO_BIN_EXE_mgl");

/// How a process is before it becomes a program: as little usual as can be.
fn unusual(command: &mut Command) -> &mut Command {
    // SAFETY: all are async-signal-safe, and the set is initialised before it is read.
    unsafe {
        command.pre_exec(|| {
            let mut set = std::mem::zeroed::<libc::sigset_t>();
            libc::sigemptyset(&mut set);
            libc::sigaddset(&mut set, libc::SIGUSR2);
            libc::sigaddset(&mut set, libc::SIGRTMIN() + 3);
            libc::pthread_sigmask(libc::SIG_SETMASK, &set, std::ptr::null_mut());
            for ignored in [libc::SIGPIPE, libc::SIGHUP, libc::SIGCHLD, libc::SIGTSTP] {
                libc::signal(ignored, libc::SIG_IGN);
            }
            let files = libc::rlimit {
                rlim_cur: 200,
                rlim_max: 300,
            };
            libc::setrlimit(libc::RLIMIT_NOFILE, &files);
            let none = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            libc::umask(0o31);
            libc::close(0);
            libc::dup2(1, 17);
            Ok(())
        });
    }
    command
}

/// What `program` prints, started by `start`.
fn prints(start: &[&str], program: &[&str], strange: bool, folder: &Path) -> String {
    let all = [start, program].concat();
    let mut command = Command::new(all[0]);
    command.args(&all[1..]).current_dir(folder);
    command.env_remove("MGL_LIB_DIR").stdin(Stdio::null());
    if strange {
        unusual(&mut command);
    }
    let call = finish(&mut command);
    call.expect_code(0);
    call.stdout
}

#[test]
fn a_program_inherits_what_it_would_without_mgl() {
    mgl_with_driver();
    let dir = tempfile::tempdir().expect("temporary folder");
    let json = "--json";
    let programs: [&[&str]; 6] = [
        &[
            "grep",
            "-E",
            "^(Sig(Blk|Ign|Cgt)|ShdPnd|Umask|NoNewPrivs|Seccomp|Cap...):",
            "/proc/self/status",
        ],
        &["ls", "/proc/self/fd"],
        &["cat", "/proc/self/limits"],
        &["readlink", "/proc/self/cwd"],
        // Process group, session, terminal and its foreground group; then priorities.
        &["cut", "-d", " ", "-f", "5-8,18,19", "/proc/self/stat"],
        &["cat", "/proc/self/oom_score_adj"],
    ];
    for strange in [false, true] {
        for program in programs {
            let plain = prints(&[], program, strange, dir.path());
            assert!(!plain.is_empty());
            for start in [
                &[MGL, "run", "--"][..],
                &[MGL, "record", "-o", "t.mgltrace", "--"],
            ] {
                let with = prints(start, program, strange, dir.path());
                assert_eq!(with, plain, "{start:?} {program:?}");
            }
        }
    }
    // Under --json the program's output goes elsewhere, and nothing else changes.
    let script = "ls /proc/$$/fd >&2";
    let listed = |json: &[&str]| {
        let mut command = mgl_with_driver();
        command.args(json).args(["record", "-o", "t.mgltrace"]);
        command
            .args(["--", "sh", "-c", script])
            .current_dir(dir.path());
        let call = finish(&mut command);
        let list = call.stderr.lines().take_while(|l| l.parse::<u32>().is_ok());
        list.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(listed(&[json]), listed(&[]));
}

#[test]
fn nohup_and_timeout_do_what_they_do() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let under = |tool: &[&str], program: &[&str]| {
        mgl_with_driver();
        let mut command = Command::new(tool[0]);
        command
            .args(&tool[1..])
            .args([MGL, "record", "-o", "t.mgltrace", "--"]);
        command.args(program).current_dir(dir.path());
        finish(usual_signals(&mut command).stdin(Stdio::null()))
    };
    let call = under(&["nohup"], &["grep", "SigIgn", "/proc/self/status"]);
    let bits = call.expect_code(0).stdout.split_whitespace().last();
    let bits = u64::from_str_radix(bits.expect("a number"), 16).expect("a number");
    assert_eq!(bits & 1, 1, "SIGHUP is ignored");

    let script = "echo $$; exec sleep 1000";
    for (signal, code) in [("TERM", 124), ("INT", 124), ("KILL", 137)] {
        let call = under(&["timeout", "-s", signal, "0.7"], &["sh", "-c", script]);
        if signal != "KILL" {
            // timeout ends itself by the signal that it kills with.
            call.expect_code(code);
        }
        gone(call.stdout.trim());
    }
}

/// Starts mgl with a program that tells its process id and waits; gives mgl and that.
fn waiting(dir: &Path, script: &str) -> (std::process::Child, String) {
    let mut command = mgl_with_driver();
    command.args(["record", "-o", "t.mgltrace", "--", "sh", "-c", script]);
    command
        .current_dir(dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut mgl = usual_signals(&mut command).spawn().expect("mgl starts");
    let out = mgl.stdout.as_mut().expect("its output");
    let mut line = String::new();
    let mut byte = [0];
    while out.read(&mut byte).expect("readable") == 1 && byte[0] != b'\n' {
        line.push(char::from(byte[0]));
    }
    (mgl, line)
}

fn kill(pid: impl ToString, signal: &str) {
    let status = Command::new("kill")
        .args([&format!("-{signal}"), &pid.to_string()])
        .status();
    assert!(status.expect("kill is installed").success());
}

#[test]
fn signals_end_a_program_as_without_mgl() {
    let dir = tempfile::tempdir().expect("temporary folder");
    for (signal, number) in [
        ("INT", 2),
        ("TERM", 15),
        ("HUP", 1),
        ("QUIT", 3),
        ("ALRM", 14),
        ("USR1", 10),
        ("PIPE", 13),
    ] {
        let (mut mgl, pid) = waiting(dir.path(), "ulimit -c 0; echo $$; exec sleep 1000");
        kill(mgl.id(), signal);
        let status = mgl.wait().expect("mgl ends");
        assert_eq!(status.code(), Some(128 + number), "{signal}");
        gone(&pid);
    }
    // Killed itself, mgl takes the program along: without mgl that is what would have been killed.
    let (mut mgl, pid) = waiting(dir.path(), "echo $$; exec sleep 1000");
    kill(mgl.id(), "KILL");
    mgl.wait().expect("mgl ends");
    gone(&pid);
    // Also when that is the first thing that happens.
    for _ in 0..20 {
        let at_once = "kill -KILL $PPID; echo $$; exec sleep 1000";
        let (mut mgl, pid) = waiting(dir.path(), at_once);
        mgl.wait().expect("mgl ends");
        gone(&pid);
    }
    // And a killed program ends mgl.
    let (mut mgl, pid) = waiting(dir.path(), "echo $$; exec sleep 1000");
    kill(pid, "KILL");
    assert_eq!(mgl.wait().expect("mgl ends").code(), Some(137));
}

/// A shell in which `$P` starts a program on mgl.
fn terminal(dir: &Path, how: &str) -> Terminal {
    mgl_with_driver();
    let start = match how {
        "record" => format!("{MGL} record -o t.mgltrace --"),
        other => format!("{MGL} {other} --"),
    };
    Terminal::new(dir, &[("P", &start)])
}

#[test]
fn a_terminal_ends_programs() {
    let dir = tempfile::tempdir().expect("temporary folder");
    for how in ["record", "run"] {
        let mut t = terminal(dir.path(), how);
        for (key, code) in [("\x03", 130), ("\x1c", 131)] {
            t.type_in("$P sh -c 'ulimit -c 0; echo rea\"\"dy $$; exec sleep 1000'\n");
            t.expect("ready ");
            let pid = t.expect("\r\n");
            t.type_in(key);
            t.expect("PROMPT ");
            assert_eq!(t.status(), code, "{how}");
            gone(&pid);
        }
        // A shell with children: all of them.
        t.type_in("$P sh -c 'sleep 1000 & echo chi\"\"ld $!; sleep 1001; echo not reached'\n");
        t.expect("child ");
        let pid = t.expect("\r\n");
        // The shell is still about to start its last one.
        std::thread::sleep(std::time::Duration::from_millis(500));
        t.type_in("\x03");
        t.expect("PROMPT ");
        assert_eq!(t.status(), 130, "{how}");
        // One that a shell without job control started in the background ignores the key, as it does without mgl.
        kill(pid.trim(), "TERM");
        gone(pid.trim());
    }
}

#[test]
fn a_program_may_handle_or_ignore_the_key() {
    let dir = tempfile::tempdir().expect("temporary folder");
    for how in ["record", "run"] {
        let mut t = terminal(dir.path(), how);
        t.type_in("$P sh -c 'n=0; trap \"n=\\$((n+1)); echo cau\\\"\\\"ght \\$n.; [ \\$n = 2 ] && exit 7\" INT; echo rea\"\"dy; while :; do sleep 0.05; done'\n");
        t.expect("ready");
        t.type_in("\x03");
        // Once a key.
        t.expect("caught 1.");
        std::thread::sleep(std::time::Duration::from_millis(300));
        t.type_in("\x03");
        let between = t.expect("caught 2.");
        assert!(!between.contains("caught"), "{between}");
        t.expect("PROMPT ");
        assert_eq!(t.status(), 7, "{how}");

        t.type_in("$P sh -c 'trap \"\" INT; echo rea\"\"dy; read x; echo g\"\"ot $x'\n");
        t.expect("ready");
        t.type_in("\x03");
        t.type_in("words\n");
        t.expect("got words");
        t.expect("PROMPT ");
        assert_eq!(t.status(), 0, "{how}");
    }
}

#[test]
fn a_program_can_be_stopped_and_continued() {
    let dir = tempfile::tempdir().expect("temporary folder");
    for how in ["record", "run"] {
        let mut t = terminal(dir.path(), how);
        t.type_in("$P sh -c 'echo rea\"\"dy; read x; echo g\"\"ot $x'\n");
        t.expect("ready");
        for _ in 0..2 {
            t.type_in("\x1a");
            t.expect("Stopped");
            t.expect("PROMPT ");
            t.type_in("jobs -s | grep -c . | sed s/^/jobs=/\n");
            t.expect("jobs=1");
            t.type_in("fg\n");
            t.expect("$P sh");
            // The shell has said so before it has done so.
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        t.type_in("words\n");
        t.expect("got words");
        t.expect("PROMPT ");
        assert_eq!(t.status(), 0, "{how}");
        // Of its own accord, as editors do it; and a background job that reads the terminal.
        t.type_in("$P sh -c 'kill -TSTP $$; echo wen\"\"t on'\n");
        t.expect("Stopped");
        t.expect("PROMPT ");
        t.type_in("fg\n");
        t.expect("went on");
        t.expect("PROMPT ");
        t.type_in("$P sh -c 'read x; echo g\"\"ot $x' &\n");
        t.expect("PROMPT ");
        std::thread::sleep(std::time::Duration::from_millis(500));
        t.type_in("\n");
        t.expect("Stopped");
        t.type_in("fg\n");
        t.expect("$P sh");
        std::thread::sleep(std::time::Duration::from_millis(200));
        t.type_in("more\n");
        t.expect("got more");
        t.expect("PROMPT ");
    }
}

#[test]
fn a_terminal_that_goes_away_ends_programs() {
    let dir = tempfile::tempdir().expect("temporary folder");
    for how in ["record", "run"] {
        let mut t = terminal(dir.path(), how);
        t.type_in("$P sh -c 'echo rea\"\"dy $$; exec sleep 1000'\n");
        t.expect("ready ");
        let pid = t.expect("\r\n");
        t.hang_up();
        gone(&pid);
    }
}
