//! `mgl compare`: verdicts, exit codes, JSON, folders, heatmaps and clear messages.

use std::path::{Path, PathBuf};

use crate::common::{Run, arg, finish, mgl, run};
use mgl_verify::image::Image;
use tempfile::TempDir;

/// A folder with a picture, the same with a small block changed, and one of another size.
struct Pictures {
    dir: TempDir,
}

impl Pictures {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("temporary folder");
        let base = |width, height| {
            Image::from_fn(width, height, |x, y| {
                [(x * 3) as u8, (y * 5) as u8, (x ^ y) as u8, 255]
            })
        };
        let picture = base(80, 48);
        let mut changed = picture.clone();
        for y in 20..24 {
            for x in 60..66 {
                changed.pixels_mut()[y * 80 + x][1] ^= 0x80;
            }
        }
        let save = |image: &Image, name: &str| image.save(&dir.path().join(name)).expect("save");
        save(&picture, "a.png");
        save(&picture, "same.png");
        save(&changed, "changed.png");
        save(&base(80, 47), "shorter.png");
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Compares `a.png` with another picture.
    fn compare(&self, other: &str, options: &[&str]) -> Run {
        let (a, b) = (self.path("a.png"), self.path(other));
        run([&["compare", arg(&a), arg(&b)], options].concat())
    }
}

#[test]
fn equal_pictures_exit_with_0() {
    let call = Pictures::new().compare("same.png", &[]);
    call.expect_code(0);
    assert!(call.stdout.ends_with("equal\n"), "{}", call.stdout);
    assert!(call.stderr.is_empty(), "{}", call.stderr);
}

#[test]
fn a_difference_exits_with_1_and_is_located() {
    let call = Pictures::new().compare("changed.png", &[]);
    call.expect_code(1);
    for text in [
        "FAIL: 24 mismatching pixels, 0 allowed",
        "6x4+60+20",
        "SSIM luma",
    ] {
        assert!(call.stdout.contains(text), "{text}:\n{}", call.stdout);
    }
}

#[test]
fn limits_replace_equality() {
    let pictures = Pictures::new();
    let mask = "block=6x4+60+20";
    pictures
        .compare("changed.png", &["--max-pixels", "24"])
        .expect_code(0);
    pictures
        .compare("changed.png", &["--max-pixels", "23"])
        .expect_code(1);
    pictures
        .compare("changed.png", &["--tolerance", "128"])
        .expect_code(0);
    pictures
        .compare("changed.png", &["--tolerance", "127"])
        .expect_code(1);
    pictures
        .compare("changed.png", &["--max-difference", "128"])
        .expect_code(0);
    pictures
        .compare("changed.png", &["--max-window", "23"])
        .expect_code(1);
    pictures
        .compare("changed.png", &["--min-ssim", "0.5", "--min-tile", "0.5"])
        .expect_code(0);
    pictures
        .compare("changed.png", &["--min-tile", "0.99"])
        .expect_code(1);
    pictures
        .compare("changed.png", &["--mask", mask])
        .expect_code(0);
    pictures
        .compare("changed.png", &["--mask", "block=6x4+61+20"])
        .expect_code(1);
    pictures
        .compare("changed.png", &["--mask", "nonsense"])
        .expect_code(2);
}

#[test]
fn sizes_that_differ_exit_with_1() {
    let call = Pictures::new().compare("shorter.png", &["--max-pixels", "100000"]);
    call.expect_code(1);
    let text = "FAIL: sizes differ: 80x48 and 80x47";
    assert!(call.stdout.contains(text), "{}", call.stdout);
}

#[test]
fn json_is_one_document_and_nothing_else() {
    let pictures = Pictures::new();
    let call = pictures.compare("changed.png", &["--json", "--flip"]);
    call.expect_code(1);
    let document = call.json();
    assert_eq!(document["pass"], false);
    let row = &document["images"][0];
    assert_eq!(row["name"], "a.png");
    let measures = &row["comparison"]["measures"];
    assert_eq!(measures["mismatching"], 24);
    assert_eq!(measures["clusters"]["largest"][0]["rect"]["x"], 60);
    assert!(
        measures["ssim"]["green"]["mean"]
            .as_f64()
            .expect("a number")
            < 1.0
    );
    assert!(measures["flip"]["mean"].as_f64().expect("a number") > 0.0);
    assert_eq!(row["verdict"]["failures"][0]["check"], "mismatching");

    let same = pictures.compare("same.png", &["--json"]);
    same.expect_code(0);
    assert!(same.json()["images"][0]["comparison"]["measures"]["psnr_db"].is_null());
}

#[test]
fn errors_name_the_file_in_text_and_in_json() {
    let pictures = Pictures::new();
    std::fs::write(pictures.path("empty.png"), "").expect("write");
    std::fs::write(pictures.path("text.png"), "hello").expect("write");
    for name in ["missing.png", "empty.png", "text.png"] {
        let call = pictures.compare(name, &[]);
        call.expect_code(2);
        assert!(
            call.stdout.is_empty() && call.stderr.contains(name),
            "{}",
            call.stderr
        );
        let call = pictures.compare(name, &["--json"]);
        call.expect_code(2);
        let document = call.json();
        assert!(document["error"].as_str().expect("text").contains(name));
        assert_eq!(document["exit"], 2);
    }
    let call = run([
        "compare",
        arg(pictures.dir.path()),
        arg(&pictures.path("a.png")),
    ]);
    call.expect_code(2);
    assert!(call.stderr.contains("is a folder"), "{}", call.stderr);
}

fn folder(pictures: &Pictures, name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = pictures.path(name);
    std::fs::create_dir(&folder).expect("create folder");
    for (from, to) in files {
        std::fs::copy(pictures.path(from), folder.join(to)).expect("copy");
    }
    folder
}

#[test]
fn folders_fail_on_any_difference_and_on_a_missing_image() {
    let pictures = Pictures::new();
    let left = folder(&pictures, "left", &[("a.png", "0.png"), ("a.png", "1.png")]);
    let right = folder(
        &pictures,
        "right",
        &[("same.png", "0.png"), ("same.png", "1.png")],
    );
    let compare = |left: &Path, right: &Path| run(["compare", arg(left), arg(right)]);
    let call = compare(&left, &right);
    call.expect_code(0);
    assert!(
        call.stdout.contains("2 images, 0 failed"),
        "{}",
        call.stdout
    );

    std::fs::remove_file(right.join("1.png")).expect("remove");
    let call = compare(&left, &right);
    call.expect_code(1);
    assert!(
        call.stdout.contains("1.png: only in the left folder"),
        "{}",
        call.stdout
    );

    let empty = folder(&pictures, "empty", &[]);
    compare(&empty, &empty).expect_code(2);
}

#[test]
fn heatmaps_are_written_where_asked() {
    let pictures = Pictures::new();
    let heatmap = pictures.path("heat.png");
    pictures
        .compare("changed.png", &["--heatmap", arg(&heatmap)])
        .expect_code(1);
    let picture = Image::load(&heatmap).expect("a PNG");
    assert_eq!(picture.size().to_string(), "80x48");
    // A changed pixel is bright, its surroundings are dim.
    let brightness = |x: usize, y: usize| {
        let [r, g, b, _] = picture.pixels()[y * 80 + x];
        u32::from(r) + u32::from(g) + u32::from(b)
    };
    assert!(brightness(62, 22) > 300 && brightness(10, 10) < 100);

    // On a pass too, and in folders only for what differs.
    pictures
        .compare("same.png", &["--heatmap", arg(&heatmap)])
        .expect_code(0);
    let left = folder(&pictures, "left", &[("a.png", "0.png"), ("a.png", "1.png")]);
    let right = folder(
        &pictures,
        "right",
        &[("same.png", "0.png"), ("changed.png", "1.png")],
    );
    let heat = pictures.path("heat");
    run(["compare", arg(&left), arg(&right), "--heatmap", arg(&heat)]).expect_code(1);
    assert!(heat.join("1.png").exists() && !heat.join("0.png").exists());
}

/// Whether text sets colours or weights (SGR sequences); moving the cursor is another matter.
fn styled(text: &str) -> bool {
    text.split("\u{1b}[").skip(1).any(|rest| {
        let end = rest.chars().find(|c| c.is_ascii_alphabetic());
        end == Some('m')
    })
}

/// Output on a terminal is coloured unless NO_COLOR says otherwise; off a terminal it never is.
#[test]
fn no_color_is_honoured() {
    let pictures = Pictures::new();
    let folder = folder(&pictures, "left", &[("a.png", "0.png")]);
    let on_terminal = |no_color: Option<&str>| {
        // script(1) of util-linux gives the command a terminal.
        let command = format!(
            "{} compare {f} {f}",
            env!("CARGO_BIN_EXE_mgl"),
            f = arg(&folder)
        );
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &command, "/dev/null"]);
        script.env_remove("NO_COLOR").env("TERM", "xterm");
        if let Some(value) = no_color {
            script.env("NO_COLOR", value);
        }
        let call = finish(&mut script);
        call.expect_code(0);
        assert!(call.stdout.contains("1 image, 0 failed"), "{}", call.stdout);
        call.stdout
    };
    assert!(styled(&on_terminal(None)));
    assert!(!styled(&on_terminal(Some("1"))));
    let piped = finish(mgl().args(["compare", arg(&folder), arg(&folder)]));
    assert!(!piped.stdout.contains('\u{1b}') && !piped.stderr.contains('\u{1b}'));
}
