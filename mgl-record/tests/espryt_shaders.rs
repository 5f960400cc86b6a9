//! The programs of Espryt's own tests: their SPIR-V and archives are checked in, because mgl-replay knows no GLSL
//! compiler. Each must be what the shader road makes of the GLSL beside it; with `MGL_BLESS=1` they are written anew.

use mgl::shader::{LinkOptions, ProfileHint, ShaderCompiler, XfbRequest};
use mgl_core::program::{ShaderStage, XfbMode};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn shader_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mgl-replay/tests/shaders")
}

const STAGES: [(&str, ShaderStage); 3] = [
    ("vert", ShaderStage::Vertex),
    ("geom", ShaderStage::Geometry),
    ("frag", ShaderStage::Fragment),
];

/// One program captures outputs.
fn link_options(name: &str) -> LinkOptions {
    LinkOptions {
        xfb: (name == "capture").then(|| XfbRequest {
            varyings: vec!["value".into(), "three".into()],
            mode: XfbMode::Interleaved,
        }),
        ..LinkOptions::default()
    }
}

#[test]
fn stored_programs_are_fresh() {
    let dir = shader_dir();
    let bless = std::env::var_os("MGL_BLESS").is_some();
    let mut programs: BTreeMap<String, Vec<(ShaderStage, &str, String)>> = BTreeMap::new();
    for entry in fs::read_dir(&dir).expect("the folder of shaders") {
        let path = entry.expect("an entry").path();
        let ext = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        if let Some((ext, stage)) = STAGES.iter().find(|s| s.0 == ext) {
            let stem = path.file_stem().and_then(|s| s.to_str()).expect("a name");
            let source = fs::read_to_string(&path).expect("GLSL");
            programs
                .entry(stem.to_owned())
                .or_default()
                .push((*stage, ext, source));
        }
    }
    assert!(programs.len() >= 8, "the programs are found");
    let compiler = ShaderCompiler::default();
    let hint = ProfileHint {
        core: false,
        max_version: 330,
    };
    for (name, stages) in &programs {
        let shaders: Vec<_> = stages
            .iter()
            .map(|(stage, _, source)| compiler.compile(*stage, source, hint))
            .collect();
        for s in &shaders {
            assert!(s.ok, "{name}: {}", s.info_log);
        }
        let options = link_options(name);
        let linked = compiler.link(&shaders.iter().collect::<Vec<_>>(), &options);
        assert!(linked.ok, "{name}: {}", linked.info_log);
        let program = linked.program.expect("linked");
        let mut files = vec![(format!("{name}.refl"), program.reflection.encode())];
        for (stage, words) in &program.stages {
            let ext = STAGES
                .iter()
                .find(|s| s.1 == *stage)
                .map(|s| s.0)
                .expect("a known stage");
            let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            files.push((format!("{name}.{ext}.spv"), bytes));
        }
        for (file, bytes) in files {
            let path = dir.join(&file);
            if bless {
                fs::write(&path, &bytes).expect("written");
            }
            assert!(
                fs::read(&path).is_ok_and(|stored| stored == bytes),
                "{file} is not what the GLSL beside it gives: run this test with MGL_BLESS=1"
            );
        }
    }
}
