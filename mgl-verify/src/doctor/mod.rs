//! What this machine offers: everything that mgl needs, whether it is there, and what to install.
//!
//! Drivers and X servers are tried in child processes with a time limit ([`Probe`]), so that one that
//! crashes or hangs is a line of the report and not the end of it. The child is the same program:
//! [`examine`] is told how to start it, and it calls [`Probe::run`].

mod display;
mod gles;
mod vulkan;

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use mgl_core::files::kind;
use mgl_replay::espryt::loader;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::launcher::Launcher;
use crate::limited::run_limited;

pub use display::DisplayInfo;
pub use gles::GlesInfo;
pub use vulkan::{DeviceInfo, FeatureState, Need};

/// Longest time that a probe may take.
const LIMIT: Duration = Duration::from_secs(20);

/// The result for one thing that mgl needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// What was looked for.
    pub name: &'static str,
    pub status: Status,
    /// What was found, or why it cannot be used.
    pub detail: String,
    /// What needs it.
    pub needed_for: &'static str,
    /// Debian packages that provide it.
    pub packages: &'static str,
}

/// Whether a thing can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Found, and it works.
    Ok,
    /// Missing or broken, and only some programs need it.
    Absent,
    /// Missing or broken, and nothing works without it.
    Missing,
}

/// The whole report. Serialises to the JSON of `mgl doctor --json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Nothing is missing: programs can be recorded, traces can be replayed.
    pub ready: bool,
    /// Espryt can draw on this machine.
    pub espryt: bool,
    /// Magma can draw on this machine.
    pub magma: bool,
    pub items: Vec<Item>,
    /// The OpenGL ES driver, when it makes a context.
    pub gles: Option<GlesInfo>,
    /// The Vulkan devices; empty where there is none.
    pub vulkan: Vec<DeviceInfo>,
    /// The X display, when it answers.
    pub display: Option<DisplayInfo>,
}

impl Report {
    /// Debian packages for all that is missing or absent, each once.
    pub fn packages(&self) -> Vec<&'static str> {
        let mut packages: Vec<&str> = Vec::new();
        for item in self.items.iter().filter(|item| item.status != Status::Ok) {
            for package in item.packages.split_whitespace() {
                if !packages.contains(&package) {
                    packages.push(package);
                }
            }
        }
        packages
    }
}

/// What is tried in a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// An OpenGL ES context without a window.
    Gles,
    /// Vulkan's devices.
    Vulkan,
    /// A connection to the X server that DISPLAY names.
    Display,
}

impl Probe {
    /// All probes with their names, as given to the child.
    pub const ALL: [(&'static str, Self); 3] = [
        ("gles", Self::Gles),
        ("vulkan", Self::Vulkan),
        ("display", Self::Display),
    ];

    /// The name that the child is given.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.into_iter().find(|(_, probe)| *probe == self);
        named.expect("ALL holds every probe").0
    }

    /// Tries it in this process, and gives the line that the parent reads.
    pub fn run(self) -> String {
        let answer = match self {
            Self::Gles => answer(gles::probe()),
            Self::Vulkan => answer(vulkan::probe()),
            Self::Display => answer(display::probe()),
        };
        answer.to_string()
    }
}

/// What a child prints.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer<T> {
    Found(T),
    Failed(String),
}

fn answer<T: Serialize>(result: Result<T, String>) -> serde_json::Value {
    let answer = match result {
        Ok(found) => Answer::Found(found),
        Err(reason) => Answer::Failed(reason),
    };
    serde_json::to_value(answer).expect("answers are plain structures")
}

/// Looks at everything. `child` makes the command whose run of [`Probe::run`] prints its answer.
pub fn examine(child: impl Fn(Probe) -> Command) -> Report {
    let gles: Result<GlesInfo, String> = ask(Probe::Gles, &child);
    let devices: Result<Vec<DeviceInfo>, String> = ask(Probe::Vulkan, &child);
    let display: Result<DisplayInfo, String> = ask(Probe::Display, &child);
    let vulkan = devices
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|list| vulkan::chosen(list));
    let items = vec![
        driver_item(),
        library_item(),
        gles_item(&gles),
        vulkan_item(&vulkan),
        display_item(&display),
    ];
    Report {
        ready: items.iter().all(|item| item.status != Status::Missing),
        espryt: gles.is_ok(),
        magma: vulkan.is_ok(),
        items,
        gles: gles.ok(),
        vulkan: devices.unwrap_or_default(),
        display: display.ok(),
    }
}

fn ask<T: DeserializeOwned>(probe: Probe, child: &impl Fn(Probe) -> Command) -> Result<T, String> {
    let ended = run_limited(&mut child(probe), LIMIT)
        .map_err(|error| format!("the trial process did not start: {error}"))?;
    let Some(status) = ended.status else {
        return Err(format!("hangs: no answer within {} s", LIMIT.as_secs()));
    };
    if let Some(signal) = status.signal() {
        return Err(format!(
            "crashes: the trial process died of signal {signal}"
        ));
    }
    match serde_json::from_slice(&ended.stdout) {
        Ok(Answer::Found(found)) => Ok(found),
        Ok(Answer::Failed(reason)) => Err(reason),
        Err(_) => Err(format!(
            "the trial process ended with {status} and no answer: {}",
            String::from_utf8_lossy(&ended.stderr).trim()
        )),
    }
}

fn driver_item() -> Item {
    let (status, detail) = match Launcher::locate() {
        Ok(launcher) => (Status::Ok, launcher.library().display().to_string()),
        Err(error) => (Status::Missing, error.to_string()),
    };
    Item {
        name: "mgl driver",
        status,
        detail,
        needed_for: "mgl run, mgl record",
        packages: "",
    }
}

/// The name of the X display that DISPLAY names and that answers.
///
/// # Errors
/// In words: there is none, or it does not answer.
pub fn display_there_is() -> Result<String, String> {
    display::probe().map(|info| info.name)
}

/// The file of the system's libEGL, which is not opened.
///
/// # Errors
/// In words: there is none, or the one that the environment names does not exist.
pub fn system_libegl() -> Result<PathBuf, String> {
    let path = loader::real_libegl().map_err(|error| error.to_string())?;
    match std::fs::metadata(&path) {
        Ok(meta) => match kind(meta.file_type()) {
            None => Ok(path),
            Some(other) => Err(format!("{} is {other}, not a library", path.display())),
        },
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

fn library_item() -> Item {
    let (status, detail) = match system_libegl() {
        Ok(path) => (Status::Ok, path.display().to_string()),
        Err(reason) => (Status::Missing, reason),
    };
    Item {
        name: "libEGL",
        status,
        detail,
        needed_for: "Espryt",
        packages: "libegl1",
    }
}

fn gles_item(result: &Result<GlesInfo, String>) -> Item {
    let (status, detail) = match result {
        Ok(info) => (Status::Ok, info.to_string()),
        Err(reason) => (Status::Missing, reason.clone()),
    };
    Item {
        name: "OpenGL ES 3.1",
        status,
        detail,
        needed_for: "Espryt",
        packages: "libegl-mesa0 libgl1-mesa-dri",
    }
}

fn vulkan_item(result: &Result<String, String>) -> Item {
    let (status, detail) = match result {
        Ok(line) => (Status::Ok, line.clone()),
        Err(reason) => (Status::Absent, reason.clone()),
    };
    Item {
        name: "Vulkan 1.1",
        status,
        detail,
        needed_for: "Magma",
        packages: "libvulkan1 mesa-vulkan-drivers",
    }
}

fn display_item(result: &Result<DisplayInfo, String>) -> Item {
    let (status, detail, packages) = match result {
        Ok(info) => (Status::Ok, info.to_string(), ""),
        Err(reason) if display::server_is_installed() => {
            let detail = format!("{reason}; `Xvfb :9 &` starts one, `export DISPLAY=:9` names it");
            (Status::Absent, detail, "")
        }
        Err(reason) => (Status::Absent, reason.clone(), "xvfb"),
    };
    Item {
        name: "X display",
        status,
        detail,
        needed_for: "programs that open windows",
        packages,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report whose children all run a shell script.
    fn with_children(script: &'static str) -> Report {
        examine(|_| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        })
    }

    fn gles(report: &Report) -> &Item {
        let item = report
            .items
            .iter()
            .find(|item| item.name == "OpenGL ES 3.1");
        item.expect("the item is there")
    }

    #[test]
    fn a_driver_that_crashes_is_a_line_of_the_report() {
        let report = with_children("kill -SEGV $$");
        assert!(!report.espryt);
        assert_eq!(gles(&report).status, Status::Missing);
        assert!(
            gles(&report).detail.contains("signal 11"),
            "{:?}",
            gles(&report)
        );
        assert!(report.packages().contains(&"libgl1-mesa-dri"));
    }

    #[test]
    fn a_child_without_an_answer_and_a_refusal_are_told_apart() {
        let silent = with_children("echo broken >&2; exit 3");
        assert!(
            gles(&silent).detail.contains("no answer: broken"),
            "{silent:?}"
        );
        let refusal = with_children(r#"echo '{"failed": "no driver"}'"#);
        assert_eq!(gles(&refusal).detail, "no driver");
        assert_eq!(gles(&refusal).status, Status::Missing);
    }

    fn device(name: &str, missing: Option<&str>) -> DeviceInfo {
        let features = missing.map(|name| FeatureState {
            name: name.to_owned(),
            need: Need::Required,
            present: false,
            purpose: String::new(),
            without: String::new(),
        });
        DeviceInfo {
            name: name.to_owned(),
            kind: mgl_replay::magma::probe::DeviceKind::Cpu,
            version: "1.1.0".to_owned(),
            driver: "driver".to_owned(),
            driver_info: String::new(),
            ids: [0, 0],
            usable: missing.is_none(),
            features: features.into_iter().collect(),
        }
    }

    #[test]
    fn a_device_that_lacks_something_says_what() {
        let lacking = device("old", Some("dynamicRendering"));
        let error = vulkan::chosen(std::slice::from_ref(&lacking)).expect_err("it cannot be used");
        assert_eq!(error, "old (1.1.0) lacks dynamicRendering");
        let line = vulkan::chosen(&[lacking, device("new", None), device("other", None)]);
        assert_eq!(
            line.expect("a device"),
            "Vulkan 1.1.0 on new by driver, and 1 more"
        );
    }

    #[test]
    fn a_machine_without_vulkan_is_still_ready() {
        let report = with_children(r#"echo '{"failed": "no Vulkan loader"}'"#);
        let item = report.items.iter().find(|item| item.name == "Vulkan 1.1");
        let item = item.expect("the item is there");
        assert_eq!(item.status, Status::Absent, "Espryt does without");
        assert!(!report.magma && report.vulkan.is_empty());
        assert!(report.packages().contains(&"mesa-vulkan-drivers"));
    }

    #[test]
    fn the_names_of_probes_lead_back_to_them() {
        for (name, probe) in Probe::ALL {
            assert_eq!(probe.name(), name);
        }
    }
}
