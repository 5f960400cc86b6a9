//! Reads out of the registry which functions each version and extension adds, for the tests of what is listed.

use crate::registry::{attribute, between_all, without_comments};
use std::fmt::Write;

/// Bits of the profiles that a requirement names.
const CORE: u8 = 1;
const COMPATIBILITY: u8 = 2;

/// The text of `features.rs`.
pub fn features() -> String {
    let mut out = String::from(
        "/// Functions of every extension of the registry, each with the profiles that have it: 1 core, 2 compatibility.\n\
         pub static EXTENSIONS: &[(&str, &[(&str, u8)])] = &[\n",
    );
    let mut versions = String::from(
        "/// Functions that every version adds and that the core profile has not removed.\n\
         pub static VERSIONS: &[(&str, &[&str])] = &[\n",
    );
    for xml in [
        khronos_api::GL_XML,
        khronos_api::GLX_XML,
        khronos_api::EGL_XML,
    ] {
        let text = without_comments(std::str::from_utf8(xml).expect("the registry is UTF-8"));
        for (tag, body) in elements(&text, "extension") {
            let name = attribute(tag, "name").expect("an extension has a name");
            let commands: Vec<String> = requirements(body)
                .map(|(command, profiles)| format!("(\"{command}\", {profiles})"))
                .collect();
            let _ = writeln!(out, "    (\"{name}\", &[{}]),", commands.join(", "));
        }
        let features: Vec<_> = elements(&text, "feature")
            .into_iter()
            .filter(|(tag, _)| matches!(attribute(tag, "api"), Some("gl" | "glx" | "egl")))
            .collect();
        let removed: Vec<&str> = features
            .iter()
            .flat_map(|(_, body)| elements(body, "remove"))
            .flat_map(|(_, body)| commands(body))
            .collect();
        for (tag, body) in &features {
            let name = attribute(tag, "name").expect("a feature has a name");
            let list: Vec<String> = requirements(body)
                .filter(|(command, profiles)| profiles & CORE != 0 && !removed.contains(command))
                .map(|(command, _)| format!("\"{command}\""))
                .collect();
            let _ = writeln!(versions, "    (\"{name}\", &[{}]),", list.join(", "));
        }
    }
    out.push_str("];\n\n");
    out.push_str(&versions);
    out.push_str("];\n");
    out
}

/// The elements of a kind in `text`, with their opening tags; those that are closed at once have no body.
fn elements<'a>(text: &'a str, kind: &str) -> Vec<(&'a str, &'a str)> {
    let (open, close) = (format!("<{kind} "), format!("</{kind}>"));
    // `<require>` may have no attributes at all.
    let bare = format!("<{kind}>");
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        let start = match (rest.find(&open), rest.find(&bare)) {
            (Some(a), Some(b)) => a.min(b),
            (Some(a), None) | (None, Some(a)) => a,
            (None, None) => break,
        };
        let from = &rest[start + 1 + kind.len()..];
        let Some(end) = from.find('>') else { break };
        let tag = &from[..end];
        let after = &from[end + 1..];
        if tag.ends_with('/') {
            found.push((tag, ""));
            rest = after;
            continue;
        }
        let Some(length) = after.find(&close) else {
            break;
        };
        found.push((tag, &after[..length]));
        rest = &after[length + close.len()..];
    }
    found
}

/// The functions that desktop OpenGL (or a window system interface) must have, with their profiles.
fn requirements(body: &str) -> impl Iterator<Item = (&str, u8)> {
    elements(body, "require")
        .into_iter()
        .filter(|(tag, _)| matches!(attribute(tag, "api"), None | Some("gl" | "glcore")))
        .flat_map(|(tag, body)| {
            let profiles = match attribute(tag, "profile") {
                Some("core") => CORE,
                Some("compatibility") => COMPATIBILITY,
                _ => CORE | COMPATIBILITY,
            };
            commands(body).into_iter().map(move |c| (c, profiles))
        })
}

fn commands(body: &str) -> Vec<&str> {
    between_all(body, "<command ", ">")
        .into_iter()
        .filter_map(|tag| attribute(tag, "name"))
        .collect()
}
