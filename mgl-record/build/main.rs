//! Build script: turns the Khronos registry and the crate's own sources into `exports.rs`.
//!
//! Every name of the registry leaves the library (design page 5.1). Which of them are implemented
//! is read from the sources themselves (the `gl_entry!` and `api_entry!` declarations), so that no
//! second list has to be kept: the rest becomes an alias of something implemented, or a refusal.
//! It also writes the shims by which programs find the library, and the libraries that are preloaded, into
//! `<target>/<profile>/shims`.

mod emit;
mod features;
mod preload;
mod registry;
mod scan;
mod shim;

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src");

    // -Bsymbolic: our tables must hold our functions even when the program has a global of the
    // same name. nodelete: driver threads and thread-locals do not survive an unmapping. defs: a
    // declaration in a file that no `mod` names fails here and not at the first call.
    for arg in ["-Wl,-Bsymbolic", "-Wl,-z,nodelete", "-Wl,-z,defs"] {
        println!("cargo::rustc-cdylib-link-arg={arg}");
    }

    let registry = registry::Registry::load(include_str!("extra-names.txt"));
    let implemented = scan::entries(&root.join("src"));
    let text = emit::exports(&registry, &implemented);
    write_if_changed(&out.join("exports.rs"), &text);
    write_if_changed(&out.join("consts.rs"), &emit::consts(&registry));
    write_if_changed(&out.join("bindings.rs"), &emit::bindings(&registry));
    write_if_changed(&out.join("features.rs"), &features::features());

    // OUT_DIR is <target>/<profile>/build/<package>/out; the library appears in <profile>.
    let shims = out
        .ancestors()
        .nth(3)
        .expect("OUT_DIR is nested")
        .join("shims");
    let arch = env::var("CARGO_CFG_TARGET_ARCH").expect("set by cargo");
    shim::write_all(&shims, &arch).unwrap_or_else(|e| panic!("{}: {e}", shims.display()));
    preload::compile_all(&root, &out, &shims)
        .unwrap_or_else(|e| panic!("the preloaded libraries: {e}"));
    println!("cargo::rerun-if-changed={}", shims.display());
}

/// Leaves the file alone when nothing changed, so that incremental builds stay incremental.
fn write_if_changed(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    fs::write(path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}
