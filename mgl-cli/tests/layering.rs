//! The crates depend on each other and on the outside as the architecture allows, and no other way.
//!
//! `core <- replay <- record`; `core, replay <- verify <- cli`. mgl-core knows no graphics API, glslang
//! belongs to mgl-record, SPIRV-Cross to mgl-replay.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// The dependency graph of what is shipped; dependencies of tests are left out.
struct Graph {
    /// Package id to the ids that it needs to run or to build.
    needs: BTreeMap<String, BTreeSet<String>>,
    names: BTreeMap<String, String>,
    members: BTreeMap<String, String>,
    packages: Vec<Value>,
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

impl Graph {
    fn load() -> Self {
        let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version", "1", "--locked", "--offline"])
            .args(["--filter-platform", &platform, "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .output()
            .expect("cargo runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "cargo metadata: {errors}");
        let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");

        let packages = list(&metadata["packages"]).clone();
        let names: BTreeMap<_, _> = packages
            .iter()
            .map(|p| (text(&p["id"]), text(&p["name"])))
            .collect();
        let members = list(&metadata["workspace_members"])
            .iter()
            .map(|id| (names[id.as_str().expect("an id")].clone(), text(id)))
            .collect();
        let shipped = |dependency: &&Value| {
            list(&dependency["dep_kinds"])
                .iter()
                .any(|k| k["kind"] != "dev")
        };
        let needs = list(&metadata["resolve"]["nodes"])
            .iter()
            .map(|node| {
                let dependencies = list(&node["deps"]).iter().filter(shipped);
                let ids = dependencies.map(|d| text(&d["pkg"])).collect();
                (text(&node["id"]), ids)
            })
            .collect();
        Self {
            needs,
            names,
            members,
            packages,
        }
    }

    /// Names of what a crate of ours depends on directly.
    fn direct(&self, name: &str) -> BTreeSet<&str> {
        let ids = &self.needs[&self.members[name]];
        ids.iter().map(|id| self.names[id].as_str()).collect()
    }

    /// Names of everything that ends up in a crate of ours.
    fn whole(&self, name: &str) -> BTreeSet<&str> {
        let mut seen = BTreeSet::new();
        let mut queue = vec![&self.members[name]];
        while let Some(id) = queue.pop() {
            if seen.insert(id) {
                queue.extend(&self.needs[id]);
            }
        }
        seen.into_iter().map(|id| self.names[id].as_str()).collect()
    }
}

#[test]
fn crates_depend_one_way() {
    let graph = Graph::load();
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("mgl-core", &[][..]),
        ("mgl-replay", &["mgl-core"]),
        ("mgl-record", &["mgl-core", "mgl-replay"]),
        ("mgl-verify", &["mgl-core", "mgl-replay"]),
        ("mgl-cli", &["mgl-core", "mgl-replay", "mgl-verify"]),
    ]);
    let members: Vec<&str> = graph.members.keys().map(String::as_str).collect();
    assert_eq!(members, allowed.keys().copied().collect::<Vec<_>>());
    for (name, allowed) in allowed {
        let ours = graph
            .direct(name)
            .into_iter()
            .filter(|n| n.starts_with("mgl-"));
        for dependency in ours {
            assert!(
                allowed.contains(&dependency),
                "{name} depends on {dependency}"
            );
        }
    }
}

#[test]
fn the_program_does_not_contain_the_driver() {
    assert!(!Graph::load().whole("mgl-cli").contains("mgl-record"));
}

#[test]
fn the_core_knows_no_graphics_api() {
    let whole = Graph::load();
    let whole = whole.whole("mgl-core");
    let barred = [
        "ash",
        "gl_generator",
        "glow",
        "glslang",
        "glslang-sys",
        "gpu-allocator",
        "khronos-egl",
        "khronos_api",
        "rspirv",
        "spirv-cross-sys",
        "spirv-cross2",
        "x11rb",
    ];
    for name in barred {
        assert!(!whole.contains(name), "mgl-core depends on {name}");
    }
}

#[test]
fn each_shader_compiler_has_one_home() {
    let graph = Graph::load();
    for (library, home) in [
        ("glslang-sys", "mgl-record"),
        ("spirv-cross2", "mgl-replay"),
    ] {
        for name in graph.members.keys() {
            let uses = graph.direct(name).contains(library);
            assert_eq!(uses, name == home, "{name} and {library}");
        }
    }
    assert!(!graph.whole("mgl-cli").contains("glslang-sys"));
}

/// The stated minimum is enough for everything that is built.
#[test]
fn the_minimum_rust_version_is_true() {
    let graph = Graph::load();
    let version = |package: &Value| -> Option<Vec<u32>> {
        let numbers = package["rust_version"].as_str()?.split('.');
        Some(numbers.map(|n| n.parse().expect("a number")).collect())
    };
    let stated = graph
        .packages
        .iter()
        .find(|p| p["name"] == "mgl-cli")
        .and_then(version)
        .expect("the workspace states a version");
    for package in &graph.packages {
        if let Some(needed) = version(package) {
            assert!(
                needed <= [stated.as_slice(), &[0]].concat(),
                "{} needs {needed:?}",
                package["name"]
            );
        }
    }
}
