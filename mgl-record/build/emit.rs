//! Writes the generated module: signatures, aliases, refusals and the lookup table.

use crate::registry::{Command, Registry, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

/// The text of `exports.rs`.
pub fn exports(registry: &Registry, implemented: &BTreeMap<String, PathBuf>) -> String {
    for (name, file) in implemented {
        assert!(
            registry.commands.contains_key(name),
            "{}: {name} is not a function of the GL, GLX or EGL registry",
            file.display()
        );
    }
    let aliases = aliases(registry, implemented);
    let refused: Vec<&str> = registry
        .commands
        .keys()
        .map(String::as_str)
        .chain(registry.extra.iter().map(String::as_str))
        .filter(|n| !implemented.contains_key(*n) && !aliases.contains_key(*n))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();

    let mut out = String::new();
    signatures(&mut out, registry);
    declarations(&mut out, registry, implemented);
    forwards(&mut out, registry, &aliases);
    refusals(&mut out, registry, &refused);
    table(&mut out, implemented, &aliases, &refused);
    out
}

/// What each unimplemented name forwards to: an implemented name of the same alias group whose
/// parameters are passed the same way.
fn aliases<'a>(
    registry: &'a Registry,
    implemented: &BTreeMap<String, PathBuf>,
) -> BTreeMap<&'a str, &'a Command> {
    let mut result = BTreeMap::new();
    let mut groups: BTreeMap<&str, Vec<&Command>> = BTreeMap::new();
    for command in registry.commands.values() {
        groups
            .entry(root(registry, &command.name))
            .or_default()
            .push(command);
    }
    for (root, members) in &groups {
        for member in members {
            if implemented.contains_key(&member.name) {
                continue;
            }
            let target = members
                .iter()
                .filter(|t| implemented.contains_key(&t.name) && same_call(member, t))
                // The alias named by the registry first, then the group's root (the core name).
                .min_by_key(|t| {
                    (
                        member.alias.as_deref() != Some(t.name.as_str()),
                        t.name != **root,
                    )
                });
            if let Some(target) = target {
                result.insert(member.name.as_str(), *target);
            }
        }
    }
    result
}

/// Follows alias declarations to the name that has none itself.
fn root<'a>(registry: &'a Registry, name: &'a str) -> &'a str {
    let mut at = name;
    for _ in 0..8 {
        match registry.commands.get(at).and_then(|c| c.alias.as_deref()) {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

fn same_call(a: &Command, b: &Command) -> bool {
    a.params.len() == b.params.len()
        && passing(&a.ret) == passing(&b.ret)
        && a.params
            .iter()
            .zip(&b.params)
            .all(|(x, y)| passing(&x.0) == passing(&y.0))
}

/// How a value of this type travels: its width and register class.
fn passing(ty: &str) -> &str {
    match ty {
        t if t.starts_with('*') => "pointer",
        "GLenum" | "GLuint" | "GLint" | "GLsizei" | "GLbitfield" | "GLhandleARB" | "GLfixed"
        | "GLclampx" | "c_int" | "c_uint" | "Bool" | "EGLint" | "EGLBoolean" | "EGLenum" => "32",
        "GLintptr" | "GLsizeiptr" | "GLintptrARB" | "GLsizeiptrARB" | "GLint64" | "GLuint64"
        | "GLint64EXT" | "GLuint64EXT" | "EGLAttrib" | "EGLAttribKHR" | "EGLTime"
        | "EGLTimeKHR" => "64",
        "GLfloat" | "GLclampf" | "f32" => "f32",
        "GLdouble" | "GLclampd" => "f64",
        "GLboolean" | "GLubyte" => "u8",
        "GLDEBUGPROC" | "GLDEBUGPROCARB" | "GLDEBUGPROCKHR" => "debug callback",
        "EGLSync" | "EGLSyncKHR" => "EGLSync",
        "EGLImage" | "EGLImageKHR" => "EGLImage",
        "GLXFBConfig" | "GLXFBConfigSGIX" => "GLXFBConfig",
        other => other,
    }
}

fn parameters(command: &Command) -> String {
    let list: Vec<String> = command
        .params
        .iter()
        .map(|(ty, name)| format!("{name}: {ty}"))
        .collect();
    list.join(", ")
}

fn returns(command: &Command) -> String {
    match command.ret.as_str() {
        "()" => String::new(),
        ret => format!(" -> {ret}"),
    }
}

fn signatures(out: &mut String, registry: &Registry) {
    out.push_str(
        "/// The registry's signature of every function, by its name.\n\
         #[allow(dead_code, missing_docs)]\npub mod sig {\n    use super::types::*;\n",
    );
    for command in registry.commands.values() {
        let types: Vec<&str> = command.params.iter().map(|p| p.0.as_str()).collect();
        let _ = writeln!(
            out,
            "    pub type {} = unsafe extern \"system\" fn({}){};",
            command.name,
            types.join(", "),
            returns(command)
        );
    }
    out.push_str("}\n\n");
}

fn declarations(out: &mut String, registry: &Registry, implemented: &BTreeMap<String, PathBuf>) {
    out.push_str(
        "/// The implemented functions, by symbol: the table and the aliases need no module paths.\n\
         mod implemented {\n    use super::types::*;\n    unsafe extern \"system\" {\n",
    );
    for name in implemented.keys() {
        let command = &registry.commands[name];
        let _ = writeln!(
            out,
            "        pub fn {name}({}){};",
            parameters(command),
            returns(command)
        );
    }
    out.push_str("    }\n}\n\n");
}

fn forwards(out: &mut String, registry: &Registry, aliases: &BTreeMap<&str, &Command>) {
    out.push_str("/// Other names of implemented functions.\nmod forwards {\n    use super::implemented;\n    use super::types::*;\n");
    for (name, target) in aliases {
        let command = &registry.commands[*name];
        let args: Vec<String> = command
            .params
            .iter()
            .zip(&target.params)
            .map(|(from, to)| cast(&from.1, &from.0, &to.0))
            .collect();
        let call = format!("implemented::{}({})", target.name, args.join(", "));
        let call = cast(&call, &target.ret, &command.ret);
        let _ = writeln!(
            out,
            "    #[unsafe(no_mangle)]\n    pub unsafe extern \"system\" fn {name}({}){} {{\n        \
             // SAFETY: the caller keeps the contract of the function that this is a name of.\n        \
             unsafe {{ {call} }}\n    }}",
            parameters(command),
            returns(command)
        );
    }
    out.push_str("}\n\n");
}

fn cast(value: &str, from: &str, to: &str) -> String {
    if from == to {
        value.to_owned()
    } else {
        format!("{value} as {to}")
    }
}

fn refusals(out: &mut String, registry: &Registry, refused: &[&str]) {
    let _ = writeln!(
        out,
        "/// Names of the refused functions; the position is the number that a refusal passes on.\n\
         static REFUSED: [&str; {}] = [",
        refused.len()
    );
    for name in refused {
        let _ = writeln!(out, "    \"{name}\",");
    }
    out.push_str("];\n\n/// What is exported without being implemented.\nmod refusals {\n");
    for (index, name) in refused.iter().enumerate() {
        let float = registry
            .commands
            .get(*name)
            .is_some_and(|c| passing(&c.ret) == "f32");
        let (ret, zero) = if float {
            ("f32", "0.0")
        } else {
            ("usize", "0")
        };
        let _ = writeln!(
            out,
            "    #[unsafe(no_mangle)]\n    pub extern \"system\" fn {name}() -> {ret} {{\n        \
             super::refuse({index});\n        {zero}\n    }}"
        );
    }
    out.push_str("}\n\n");
}

fn table(
    out: &mut String,
    implemented: &BTreeMap<String, PathBuf>,
    aliases: &BTreeMap<&str, &Command>,
    refused: &[&str],
) {
    let mut rows: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    rows.extend(
        implemented
            .keys()
            .map(|n| (n.as_str(), ("implemented", "Implemented"))),
    );
    rows.extend(aliases.keys().map(|n| (*n, ("forwards", "Alias"))));
    rows.extend(refused.iter().map(|n| (*n, ("refusals", "Refused"))));
    let _ = writeln!(
        out,
        "/// Every exported function, sorted by name.\npub static TABLE: [Export; {}] = [",
        rows.len()
    );
    for (name, (module, kind)) in rows {
        let _ = writeln!(
            out,
            "    Export {{ name: \"{name}\", kind: Kind::{kind}, address: Address({module}::{name} as *const ()) }},"
        );
    }
    out.push_str("];\n");
}

/// The text of `consts.rs`: every enumerant of the registry.
pub fn consts(registry: &Registry) -> String {
    let mut out = String::new();
    for (module, prefix, what) in [
        ("gl", "GL_", "OpenGL and OpenGL ES"),
        ("glx", "GLX_", "GLX"),
        ("egl", "EGL_", "EGL"),
    ] {
        let _ = writeln!(
            out,
            "/// Enumerants of {what}, named and valued as in the registry.\n\
             #[allow(missing_docs, dead_code, non_upper_case_globals)]\npub mod {module} {{"
        );
        for e in registry
            .enums
            .values()
            .filter(|e| e.name.starts_with(prefix))
        {
            let _ = match &e.value {
                Value::U32(v) => writeln!(out, "    pub const {}: u32 = {v:#x};", e.name),
                Value::U64(v) => writeln!(out, "    pub const {}: u64 = {v:#x};", e.name),
                Value::I32(v) => writeln!(out, "    pub const {}: i32 = {v};", e.name),
                Value::Text(v) => writeln!(out, "    pub const {}: &str = {v};", e.name),
            };
        }
        out.push_str("}\n\n");
    }
    out
}

/// The text of `bindings.rs`, by which tests call whichever OpenGL a process has loaded: every function of the core
/// specification (no vendor's suffix) as a method of `Functions`, over addresses that are looked up by name.
pub fn bindings(registry: &Registry) -> String {
    let core: Vec<&Command> = registry
        .commands
        .values()
        .filter(|c| c.name.starts_with("gl") && !c.name.starts_with("glX") && !has_suffix(&c.name))
        .collect();
    let mut out = String::from(
        "/// The functions of one OpenGL.\npub struct Functions {\n    addresses: Vec<*const core::ffi::c_void>,\n}\n\n",
    );
    let _ = writeln!(
        out,
        "/// Names of the functions, in the order of their addresses.\npub static NAMES: [&str; {}] = [",
        core.len()
    );
    for command in &core {
        let _ = writeln!(out, "    \"{}\",", command.name);
    }
    out.push_str(
        "];\n\n#[allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc, dead_code)]\nimpl Functions {\n",
    );
    for (index, command) in core.iter().enumerate() {
        let (types, names): (Vec<&str>, Vec<&str>) = command
            .params
            .iter()
            .map(|(ty, name)| (ty.as_str(), name.as_str()))
            .unzip();
        let _ = writeln!(
            out,
            "    pub fn {short}(&self{comma}{parameters}){returns} {{\n        \
             // SAFETY: the address is the function of that name, with the registry's signature. A context is current\n        \
             // while a test runs, and pointers are good for what the function does with them.\n        \
             unsafe {{ std::mem::transmute::<*const core::ffi::c_void, unsafe extern \"system\" fn({types}){returns}>\
             (self.address({index}))({names}) }}\n    }}",
            short = &command.name[2..],
            comma = if names.is_empty() { "" } else { ", " },
            parameters = parameters(command),
            returns = returns(command),
            types = types.join(", "),
            names = names.join(", "),
        );
    }
    out.push_str("}\n");
    out
}

/// Whether a function's name ends with a vendor's or working group's letters.
fn has_suffix(name: &str) -> bool {
    const SUFFIXES: [&str; 24] = [
        "ARB", "EXT", "KHR", "OES", "NV", "AMD", "ATI", "APPLE", "ANGLE", "ARM", "GREMEDY", "HP",
        "IBM", "IMG", "INGR", "INTEL", "MESA", "NVX", "OVR", "PGI", "QCOM", "SGI", "SGIS", "SGIX",
    ];
    name.ends_with("SUN")
        || name.ends_with("SUNX")
        || name.ends_with("3DFX")
        || name.ends_with("S3")
        || name.ends_with("WIN")
        || name.ends_with("OML")
        || SUFFIXES.iter().any(|s| name.ends_with(s))
}
