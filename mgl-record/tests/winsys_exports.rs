//! What leaves the library: every name, nothing else, and nothing that it lacks itself.

mod common;

use common::{library, nm, shims, text};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn exported() -> BTreeSet<String> {
    nm(&library(), "--defined-only").into_iter().collect()
}

fn is_api(name: &str) -> bool {
    let rest = name.strip_prefix("gl").or_else(|| name.strip_prefix("egl"));
    rest.is_some_and(|r| r.starts_with(|c: char| c.is_ascii_uppercase()))
}

#[test]
fn every_name_that_programs_link_to_is_there() {
    let exported = exported();
    let listed = include_str!("data/linked-names.txt");
    let wanted: Vec<&str> = listed.lines().filter(|l| !l.starts_with('#')).collect();
    assert!(wanted.len() > 3500);
    let missing: Vec<_> = wanted.iter().filter(|n| !exported.contains(**n)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_name_of_this_systems_libraries_is_there() {
    let exported = exported();
    let dir = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let mut seen = 0;
    for name in [
        "libGL.so.1",
        "libGLX.so.0",
        "libOpenGL.so.0",
        "libEGL.so.1",
        "libGLESv2.so.2",
    ] {
        let path = Path::new(&dir).join(name);
        if !path.exists() {
            continue;
        }
        seen += 1;
        let missing: Vec<String> = nm(&path, "--defined-only")
            .into_iter()
            .filter(|n| is_api(n) && !exported.contains(n))
            .collect();
        assert!(missing.is_empty(), "{name}: {missing:?}");
    }
    assert!(seen > 0, "libgl1 is installed");
}

#[test]
fn the_table_and_the_symbols_are_the_same_names() {
    let exported = exported();
    let table: BTreeSet<String> = mgl::exports::TABLE
        .iter()
        .map(|e| e.name.to_owned())
        .collect();
    let others: Vec<_> = exported.difference(&table).collect();
    assert!(
        others.is_empty(),
        "exported without being an API function: {others:?}"
    );
    assert_eq!(exported.len(), table.len());
}

#[test]
fn the_library_needs_no_graphics_or_window_system_library() {
    let undefined = nm(&library(), "--undefined-only");
    let api: Vec<_> = undefined.iter().filter(|n| is_api(n)).collect();
    assert!(api.is_empty(), "{api:?}");
    let dynamic = text(
        &Command::new("readelf")
            .args(["-dW"])
            .arg(library())
            .output()
            .expect("readelf (binutils) is installed")
            .stdout,
    );
    for bad in ["libX11", "libxcb", "libGL", "libEGL", "RPATH", "SONAME"] {
        assert!(!dynamic.contains(bad), "{bad} in\n{dynamic}");
    }
    let relocations = Command::new("readelf")
        .args(["-rW"])
        .arg(library())
        .output()
        .expect("readelf (binutils) is installed");
    // With -Bsymbolic no reference to an exported function goes through its name.
    let by_name: Vec<String> = text(&relocations.stdout)
        .lines()
        .filter(|l| l.split_whitespace().nth(4).is_some_and(is_api))
        .map(str::to_owned)
        .collect();
    assert!(by_name.is_empty(), "{by_name:?}");
    assert!(dynamic.contains("NODELETE"), "{dynamic}");
}

#[test]
fn each_shim_has_its_name_and_needs_the_library() {
    for name in [
        "libGL.so.1",
        "libGLX.so.0",
        "libOpenGL.so.0",
        "libEGL.so.1",
        "libGLESv2.so.2",
    ] {
        let output = Command::new("readelf")
            .args(["-dlW"])
            .arg(shims().join(name))
            .output()
            .expect("readelf (binutils) is installed");
        let dynamic = text(&output.stdout);
        assert!(text(&output.stderr).is_empty(), "{}", text(&output.stderr));
        assert!(
            dynamic.contains(&format!("Library soname: [{name}]")),
            "{dynamic}"
        );
        assert!(dynamic.contains("Shared library: [libmgl.so]"), "{dynamic}");
        assert!(dynamic.contains("GNU_STACK"), "{dynamic}");
    }
}

#[test]
fn aliases_forward_and_refusals_are_told_apart() {
    use mgl::exports::{Kind, lookup};
    let kind = |name| lookup(name).map(|e| e.kind);
    for (name, expected) in [
        ("glXSwapBuffers", Kind::Implemented),
        ("eglCreateContext", Kind::Implemented),
        ("eglClientWaitSyncKHR", Kind::Alias),
        ("eglQueryDisplayAttribKHR", Kind::Alias),
        ("glXCopyContext", Kind::Refused),
        ("glXUseXFont", Kind::Refused),
        ("glNewList", Kind::Refused),
        ("glPrimitiveRestart", Kind::Refused),
    ] {
        assert_eq!(kind(name), Some(expected), "{name}");
    }
    assert_eq!(kind("glNoSuchFunction"), None);
}
