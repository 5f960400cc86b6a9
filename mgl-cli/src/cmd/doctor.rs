//! `mgl doctor`: what this machine offers, and what to install.

use std::process::Command;

use comfy_table::Cell;
use mgl_verify::doctor::{DeviceInfo, Need, Status, examine};

use crate::exit::{Exit, Failure};
use crate::internal::PROBE;
use crate::output::{Output, Tone};

/// Show what this machine offers, and what to install
///
/// Drivers and displays are tried in processes of their own, so that one that crashes or hangs is a
/// line of the result.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl doctor                      what is here, what is missing, and its Debian package
  mgl doctor --json               the same for a program
  mgl doctor && mgl replay FILE   go on only where nothing is missing

Exits with 3 when something is missing without which nothing works.")]
pub struct Args {}

pub fn run(_: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let program = std::env::current_exe()
        .map_err(|e| Failure::input(format!("cannot find the mgl program itself: {e}")))?;
    let report = examine(|probe| {
        let mut command = Command::new(&program);
        command.args([PROBE, probe.name()]);
        command
    });

    out.show(&report, |out, report| {
        let rows = report.items.iter().map(|item| {
            let status = match item.status {
                Status::Ok => out.toned("ok", Tone::Good),
                Status::Absent => out.toned("absent", Tone::Bad),
                Status::Missing => out.toned("MISSING", Tone::Bad),
            };
            let install = match item.status {
                Status::Ok => "",
                Status::Absent | Status::Missing => item.packages,
            };
            vec![
                Cell::new(item.name),
                status,
                Cell::new(&item.detail),
                Cell::new(item.needed_for),
                Cell::new(install),
            ]
        });
        let rows = rows.collect();
        out.table(&["what", "", "found", "needed for", "install"], rows)?;
        let packages = report.packages();
        if !packages.is_empty() {
            out.line(format_args!(
                "To install: apt-get install {}",
                packages.join(" ")
            ))?;
        }
        for device in &report.vulkan {
            show_device(out, device)?;
        }
        for (name, can) in [("Espryt", report.espryt), ("Magma", report.magma)] {
            let can = if can { "can" } else { "cannot" };
            out.line(format_args!("{name} {can} draw on this machine."))?;
        }
        Ok(())
    })?;
    Ok(if report.ready {
        Exit::Success
    } else {
        Exit::Environment
    })
}

/// A Vulkan device, and what Magma does where it lacks something.
fn show_device(out: &mut Output, device: &DeviceInfo) -> Result<(), Failure> {
    let lacking: Vec<_> = device.lacking().collect();
    let driver = format!("{} {}", device.driver, device.driver_info);
    out.line(format_args!(
        "Vulkan {} on {} ({}): {} of {} features that Magma uses.",
        device.version,
        device.name,
        driver.trim(),
        device.features.len() - lacking.len(),
        device.features.len(),
    ))?;
    if lacking.is_empty() {
        return Ok(());
    }
    let rows = lacking.iter().map(|feature| {
        let status = match feature.need {
            Need::Required => out.toned("MISSING", Tone::Bad),
            Need::Optional => out.toned("absent", Tone::Bad),
        };
        vec![
            Cell::new(&feature.name),
            status,
            Cell::new(&feature.purpose),
            Cell::new(&feature.without),
        ]
    });
    let rows = rows.collect();
    out.table(&["feature", "", "used for", "without it"], rows)
}
