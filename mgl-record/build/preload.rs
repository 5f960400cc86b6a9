//! Compiles the libraries that are preloaded into programs and not linked, beside the shims.

use std::path::Path;
use std::{fs, io};

/// The virtual clock, and what keeps frames of the system's GL. The launcher looks for them under these names.
const LIBRARIES: [(&str, &str); 2] = [
    ("clock/clock.c", "libmgl-clock.so"),
    ("capture/capture.c", "libmgl-capture.so"),
];

/// Compiles the sources below `root` in `out` and puts the libraries into `dir`.
pub fn compile_all(root: &Path, out: &Path, dir: &Path) -> io::Result<()> {
    LIBRARIES
        .iter()
        .try_for_each(|(source, name)| compile(&root.join(source), name, out, dir))
}

fn compile(source: &Path, name: &str, out: &Path, dir: &Path) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", source.display());
    let built = out.join(name);
    let mut command = cc::Build::new()
        .opt_level(2)
        .pic(true)
        .warnings(true)
        .extra_warnings(true)
        .cargo_metadata(false)
        .get_compiler()
        .to_command();
    command
        .args(["-std=gnu11", "-fvisibility=hidden", "-pthread", "-shared"])
        // Their own tables hold their own functions, whatever the program exports.
        .args(["-Wl,-Bsymbolic", "-o"])
        .arg(&built)
        .arg(source)
        .arg("-ldl");
    let status = command.status()?;
    if !status.success() {
        return Err(io::Error::other(format!("{command:?}: {status}")));
    }
    let bytes = fs::read(&built)?;
    let library = dir.join(name);
    if fs::read(&library).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    // A running program may have the old file mapped: replace it, don't write into it.
    let temporary = dir.join(format!(".{name}.new"));
    fs::write(&temporary, &bytes)?;
    fs::rename(&temporary, library)
}
