//! Compiles the virtual clock, a library that is preloaded and not linked, beside the shims.

use std::path::Path;
use std::{fs, io};

/// Name of the library; the launcher looks for it under this name.
const NAME: &str = "libmgl-clock.so";

/// Compiles `source` in `out` and puts the library into `dir`.
pub fn compile(source: &Path, out: &Path, dir: &Path) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", source.display());
    let built = out.join(NAME);
    let mut command = cc::Build::new()
        .opt_level(2)
        .pic(true)
        .warnings(true)
        .extra_warnings(true)
        .cargo_metadata(false)
        .get_compiler()
        .to_command();
    command
        .args(["-std=gnu11", "-fvisibility=hidden", "-shared", "-o"])
        .arg(&built)
        .arg(source);
    let status = command.status()?;
    if !status.success() {
        return Err(io::Error::other(format!("{command:?}: {status}")));
    }
    let bytes = fs::read(&built)?;
    let library = dir.join(NAME);
    if fs::read(&library).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    // A running program may have the old file mapped: replace it, don't write into it.
    let temporary = dir.join(format!(".{NAME}.new"));
    fs::write(&temporary, &bytes)?;
    fs::rename(&temporary, library)
}
