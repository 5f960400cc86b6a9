//! The corpus lane (`scripts/test --corpus DIR`): recorded GL traces of real programs, in DIR/group1 and
//! DIR/group2. Built with the feature `corpus` only.

use std::path::{Path, PathBuf};

use mgl_verify::image::{Image, Options, Thresholds, compare};

/// The folder of a group; the variable is set by scripts/test.
fn group(name: &str) -> PathBuf {
    let corpus = std::env::var_os("MGL_CORPUS").expect("MGL_CORPUS names the corpus");
    Path::new(&corpus).join(name)
}

/// Names of the traces of a group.
fn traces(name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(group(name)).expect("the group's folder");
    let mut traces: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "trace"))
        .collect();
    traces.sort();
    assert!(!traces.is_empty(), "no trace in {name}");
    traces
}

/// Every trace has a last frame to compare with, and no two programs' frames pass for each other.
#[test]
fn reference_images_are_usable_and_told_apart() {
    let references: Vec<(PathBuf, Image)> = ["group1", "group2"]
        .into_iter()
        .flat_map(traces)
        .map(|trace| {
            let image = Image::load(&trace.with_extension("png")).expect("a reference image");
            (trace, image)
        })
        .collect();
    for (a, left) in &references {
        for (b, right) in &references {
            let comparison = compare(left, right, &Options::default());
            let pass = Thresholds::default().judge(&comparison).pass;
            assert_eq!(pass, a == b, "{} and {}", a.display(), b.display());
        }
    }
}
