//! What holds for every subcommand: help, usage errors, exit codes, colours, closed pipes, completions.

use std::process::Stdio;

use crate::common::{arg, finish, mgl, mgl_with_driver, run};
use crate::scene::Files;

/// The subcommands that `mgl --help` lists.
fn subcommands() -> Vec<String> {
    let help = run(["--help"]);
    help.expect_code(0);
    let list = help
        .stdout
        .split("Commands:\n")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next())
        .expect("a list of commands");
    list.lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn help_explains_exit_codes_and_every_subcommand_has_examples() {
    let help = run(["--help"]).stdout;
    assert!(
        help.contains("Exit codes:") && help.contains("mgl doctor"),
        "{help}"
    );
    let names = subcommands();
    assert!(names.contains(&"compare".to_owned()), "{names:?}");
    for name in names {
        let help = run([name.as_str(), "--help"]);
        help.expect_code(0);
        let examples = help.stdout.split("Examples:\n").nth(1).unwrap_or_default();
        assert!(
            examples.contains(&format!("mgl {name}")),
            "{name}: {}",
            help.stdout
        );
        assert!(help.stderr.is_empty(), "{name}: {}", help.stderr);
    }
}

#[test]
fn wrong_usage_exits_with_2_and_prints_nothing_on_stdout() {
    let calls: [&[&str]; 6] = [
        &[],
        &["no-such-command"],
        &["compare"],
        &["compare", "a.png"],
        &["compare", "a.png", "b.png", "--no-such-option"],
        &["completions", "tcsh"],
    ];
    for args in calls {
        let call = run(args);
        call.expect_code(2);
        assert!(
            call.stdout.is_empty() && !call.stderr.is_empty(),
            "{args:?}"
        );
    }
}

#[test]
fn version_names_the_program() {
    let version = run(["--version"]);
    version.expect_code(0);
    assert_eq!(
        version.stdout,
        format!("mgl {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn completions_for_every_shell() {
    for (shell, mark) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef mgl"),
        ("fish", "complete -c mgl"),
        ("elvish", "edit:completion"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let script = run(["completions", shell]);
        script.expect_code(0);
        assert!(script.stdout.contains(mark), "{shell}");
        for name in subcommands() {
            assert!(script.stdout.contains(&name), "{shell} knows {name}");
        }
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = mgl()
        .args(["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("mgl starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("mgl ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_full_disk_under_stdout_is_an_error() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("/dev/full");
    let call = finish(mgl().args(["completions", "zsh"]).stdout(full));
    call.expect_code(2);
    assert!(call.stderr.contains("standard output"), "{}", call.stderr);
}

/// Every command, every stream: a reader that goes away is no crash.
#[test]
fn a_closed_pipe_ends_no_command_badly() {
    let files = Files::new();
    let good = arg(&files.path("good.mgltrace")).to_owned();
    let copy = arg(&files.path("copy.mgltrace")).to_owned();
    let image = files.path("image.png");
    let picture = mgl_verify::image::Image::from_fn(16, 16, |_, _| [0; 4]);
    picture.save(&image).expect("saved");
    let image = arg(&image);
    let missing = "no-such-file.mgltrace";
    let commands: [(&[&str], i32); 16] = [
        (&["--help"], 0),
        (&["record", "--help"], 0),
        (&["--version"], 0),
        (&["no-such-command"], 2),
        (&["info", &good], 0),
        (&["info", missing], 2),
        (&["dump", &good], 0),
        (&["dump", &good, "--json"], 0),
        (&["stats", &good], 0),
        (&["uploads", &good], 0),
        (&["diff", &good, &good], 0),
        (&["repair", &good, "-o", &copy], 0),
        (&["replay", &good, "--backend", "null"], 0),
        (&["compare", image, image], 0),
        (&["completions", "bash"], 0),
        (&["record", "-o", &copy, "--", "true"], 0),
    ];
    for (args, code) in commands {
        let mut child = mgl_with_driver()
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("mgl starts");
        drop((child.stdout.take(), child.stderr.take()));
        let status = child.wait().expect("mgl ends");
        assert_eq!(status.code(), Some(code), "{args:?}");
    }
}

/// What mgl starts itself for is nobody else's business.
#[test]
fn completions_and_help_know_no_internal_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(["completions", shell]).stdout;
        for word in ["worker", "probe"] {
            assert!(!script.contains(word), "{shell}: {word}");
        }
    }
    let help = run(["--help"]).stdout;
    assert!(
        !help.contains("worker") && !help.contains("probe"),
        "{help}"
    );
}

/// Boxes are for terminals that show them.
#[test]
fn only_a_terminal_of_utf8_gets_more_than_ascii() {
    let files = Files::new();
    let good = files.path("good.mgltrace");
    let call = finish(mgl().args(["info", arg(&good)]).env("LC_ALL", "C.UTF-8"));
    assert!(call.stdout.is_ascii(), "{}", call.stdout);
    let on_terminal = |locale: &str| {
        // script(1) of util-linux gives the command a terminal.
        let command = format!("{} info {}", env!("CARGO_BIN_EXE_mgl"), arg(&good));
        let mut script = std::process::Command::new("script");
        script
            .args(["-qec", &command, "/dev/null"])
            .env("LC_ALL", locale);
        finish(&mut script).stdout
    };
    assert!(on_terminal("C").is_ascii());
    assert!(on_terminal("C.UTF-8").contains('\u{2502}'));
}
