//! Paths that lead to no file, and names that are no text.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mgl_verify::image::Image;

use crate::common::{Run, arg, finish, mgl, mgl_with_driver, run};
use crate::scene::{Files, Lies, write_trace};

fn mkfifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo is installed").success());
}

/// Runs mgl, which must not wait for what never comes.
#[track_caller]
fn soon(args: &[&OsStr]) -> Run {
    let start = Instant::now();
    let call = finish(mgl().args(args).stdin(Stdio::null()));
    assert!(start.elapsed() < Duration::from_secs(60), "{args:?}");
    call
}

#[test]
fn what_is_no_file_is_refused_and_not_waited_for() {
    let files = Files::new();
    let pipe = files.path("pipe.mgltrace");
    mkfifo(&pipe);
    let golden = files.path("goldens/good");
    fs::create_dir_all(&golden).expect("made");
    mkfifo(&golden.join("golden.toml"));
    let good = files.path("good.mgltrace");
    let out = files.path("out.mgltrace");
    let image = files.path("image.png");
    Image::from_fn(3, 3, |_, _| [0; 4])
        .save(&image)
        .expect("saved");
    for (path, what) in [
        (pipe.as_path(), "a FIFO"),
        (Path::new("/dev/zero"), "a device"),
        (files.dir.path(), "a folder"),
    ] {
        let (path, good, image) = (arg(path), arg(&good), arg(&image));
        let commands: [&[&str]; 11] = [
            &["info", path],
            &["dump", path],
            &["stats", path],
            &["uploads", path],
            &["replay", "--backend", "null", path],
            &["diff", path, good],
            &["diff", good, path],
            &["repair", path, "-o", arg(&out)],
            &["repair", path, "--in-place"],
            &["compare", image, path],
            &["compare", path, image],
        ];
        for args in commands {
            let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
            let call = soon(&args);
            call.expect_code(2);
            let folders = args[0] == "compare" && what == "a folder";
            assert!(
                call.stderr.contains(what) || folders,
                "{args:?}: {}",
                call.stderr
            );
            assert!(call.stderr.contains(path), "{args:?}: {}", call.stderr);
        }
    }
    assert!(!out.exists());
    // Verifying a FIFO as a trace, and with one where a golden's settings are.
    for trace in [&pipe, &good] {
        let goldens = files.path("goldens");
        let call = soon(&[
            "verify".as_ref(),
            trace.as_ref(),
            "--goldens".as_ref(),
            goldens.as_ref(),
        ]);
        assert!(matches!(call.code, Some(1 | 2)), "{:?}", call.code);
        assert!(
            call.stdout.contains("a FIFO") || call.stderr.contains("a FIFO"),
            "{}",
            call.stdout
        );
    }
    // Text may come from a stream, but not for ever.
    let call = soon(&[
        "assemble".as_ref(),
        "/dev/zero".as_ref(),
        "-o".as_ref(),
        out.as_ref(),
    ]);
    call.expect_code(2);
    assert!(call.stderr.contains("no text form"), "{}", call.stderr);
    let call = soon(&[
        "assemble".as_ref(),
        pipe.as_ref(),
        "-o".as_ref(),
        out.as_ref(),
    ]);
    call.expect_code(2);
    assert!(call.stderr.contains("nothing came"), "{}", call.stderr);
    assert!(!out.exists());
}

#[test]
fn text_is_assembled_from_a_stream() {
    let files = Files::new();
    let text = files.run("dump", "good.mgltrace", &["--json"]).stdout;
    let pipe = files.path("text");
    mkfifo(&pipe);
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, text)
    });
    let out = files.path("copy.mgltrace");
    run(["assemble", arg(&pipe), "-o", arg(&out)]).expect_code(0);
    writer.join().expect("no panic").expect("written");
    files
        .run("diff", "good.mgltrace", &[arg(&out)])
        .expect_code(0);
}

#[test]
fn what_is_written_replaces_files_only() {
    let files = Files::new();
    let text = files.path("text.json");
    let dump = files.run("dump", "good.mgltrace", &["--json"]).stdout;
    fs::write(&text, dump).expect("written");
    let good = files.path("good.mgltrace");
    let link = files.path("link");
    for args in [
        ["assemble", arg(&text), "-o", arg(&link)],
        ["repair", arg(&good), "-o", arg(&link)],
    ] {
        for target in ["/dev/null", arg(&files.path("target.mgltrace"))] {
            let _ = fs::remove_file(&link);
            symlink(target, &link).expect("linked");
            run(args).expect_code(0);
            let meta = fs::symlink_metadata(&link).expect("there");
            assert!(meta.is_symlink(), "{args:?} {target}");
        }
        run(["info", arg(&link)]).expect_code(0);
        fs::remove_file(files.path("target.mgltrace")).expect("it was written");
        // Full is no success.
        let _ = fs::remove_file(&link);
        symlink("/dev/full", &link).expect("linked");
        let call = run(args);
        call.expect_code(2);
        assert!(call.stderr.contains("No space left"), "{}", call.stderr);
    }
    // In place, through a link, with the permissions there are.
    let _ = fs::remove_file(&link);
    symlink("good.mgltrace", &link).expect("linked");
    run(["repair", arg(&link), "--in-place", "--drop-images"]).expect_code(0);
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    assert_eq!(run(["info", "--json", arg(&good)]).json()["images"], 0);
    // Through a pipe.
    let mut command = mgl();
    command.args(["repair", arg(&good), "-o", "/dev/stdout"]);
    let output = command.output().expect("mgl starts");
    let start = fs::read(&good).expect("read");
    assert!(output.stdout.starts_with(&start[..64]), "a trace came");
}

/// No message names a file twice.
#[test]
fn files_are_named_once() {
    let files = Files::new();
    fs::write(files.path("wrong.json"), "{}").expect("written");
    fs::write(files.path("broken.json"), "{\"mgl_trace\"").expect("written");
    fs::write(files.path("empty.mgltrace"), "").expect("written");
    let at = |name: &str| arg(&files.path(name)).to_owned();
    let (out, folder) = (at("out"), at("folder"));
    let calls: [&[&str]; 7] = [
        &["assemble", &at("wrong.json"), "-o", &out],
        &["assemble", &at("broken.json"), "-o", &out],
        &["assemble", &at("missing.json"), "-o", &out],
        &["info", &at("empty.mgltrace")],
        &["replay", &at("empty.mgltrace")],
        &[
            "replay",
            &at("good.mgltrace"),
            "--dump-verb",
            "99:0",
            "--out",
            &folder,
        ],
        &["dump", &at("good.mgltrace"), "--frames", "90.."],
    ];
    for args in calls {
        let call = run(args);
        call.expect_code(2);
        let first = call.stderr.lines().next().expect("a message");
        assert_eq!(first.matches(args[1]).count(), 1, "{args:?}: {first}");
    }
}

#[test]
fn names_need_not_be_text() {
    let files = Files::new();
    let name = |text: &[u8]| files.dir.path().join(OsStr::from_bytes(text));
    let trace = name(b"a\xff.mgltrace");
    write_trace(&trace, 3, Lies::default());
    let strings = |args: &[&dyn AsRef<OsStr>]| {
        args.iter()
            .map(|a| a.as_ref().to_owned())
            .collect::<Vec<OsString>>()
    };
    let (out, images) = (name(b"b\xff.mgltrace"), name(b"images\xff"));
    let other = name(b"other\xff");
    let mut report = OsString::from("json=");
    report.push(name(b"report\xff.json"));
    let (t, nothing) = (&trace, &"--json");
    for args in [
        strings(&[&"info", t]),
        strings(&[&"dump", t]),
        strings(&[&"dump", t, &"--images", &images]),
        strings(&[&"dump", t, &"--images", &other]),
        strings(&[&"stats", t]),
        strings(&[&"uploads", t]),
        strings(&[&"diff", t, t]),
        strings(&[&"repair", t, &"-o", &out]),
        strings(&[&"repair", &out, &"--in-place"]),
        strings(&[&"replay", t, &"--out", &name(b"frames\xff")]),
        strings(&[
            &"replay",
            t,
            &"--dump-verb",
            &"1:0",
            &"--out",
            &name(b"verb\xff"),
        ]),
        strings(&[&"compare", &images, &other]),
        strings(&[
            &"compare",
            &images.join("000000.png"),
            &other.join("000000.png"),
        ]),
    ] {
        soon(&args.iter().map(|a| &**a).collect::<Vec<_>>()).expect_code(0);
        let call = soon(
            &[
                &[nothing.as_ref()],
                &*args.iter().map(|a| &**a).collect::<Vec<_>>(),
            ]
            .concat(),
        );
        call.expect_code(0);
        call.json();
    }
    // Images of such names are paired, and their heatmaps written.
    let image = |folder: &Path, value: u8| {
        let image = Image::from_fn(16, 16, |_, _| [value; 4]);
        image
            .save(&folder.join(OsStr::from_bytes(b"\xfe.png")))
            .expect("saved");
    };
    image(&images, 1);
    image(&other, 2);
    let maps = name(b"maps\xff");
    let args = strings(&[&"compare", &images, &other, &"--heatmap", &maps]);
    soon(&args.iter().map(|a| &**a).collect::<Vec<_>>()).expect_code(1);
    assert!(maps.join(OsStr::from_bytes(b"\xfe.png")).is_file());

    let goldens = name(b"goldens\xff");
    for update in [&["--update"][..], &[]] {
        let mut args = strings(&[&"verify", t, &"--goldens", &goldens, &"--report", &report]);
        args.extend(update.iter().map(OsString::from));
        let call = finish(mgl().args(&args).env_remove("CI"));
        assert!(
            matches!(call.code, Some(0 | 1)),
            "{:?}: {}",
            call.code,
            call.stderr
        );
        assert!(!call.stdout.contains("invalid"), "{}", call.stdout);
    }
    assert!(name(b"report\xff.json").is_file());

    // A recording's name and the program's arguments go through as they are.
    let mut mgl = mgl_with_driver();
    let script = OsStr::new(r#"printf '%s|%s' "$MGL_RECORD" "$1""#);
    mgl.args(["record", "-o"])
        .arg(&out)
        .args(["--", "sh", "-c"]);
    mgl.arg(script).arg("sh").arg(OsStr::from_bytes(b"x\xfe"));
    let output = mgl.output().expect("mgl starts");
    let expected = [out.as_os_str().as_bytes(), b"|x\xfe"].concat();
    assert_eq!(output.stdout, expected);
}
