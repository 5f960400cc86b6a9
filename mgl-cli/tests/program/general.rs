//! What holds for every subcommand: help, usage errors, exit codes, colours, closed pipes, completions.

use std::process::Stdio;

use crate::common::{finish, mgl, run};

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
