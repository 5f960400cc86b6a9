//! The system's Vulkan, as Magma finds it: devices, drivers, features.
//!
//! Loads and runs the system's drivers; to be called in a child process only.

use mgl_replay::magma::probe;

pub use mgl_replay::magma::probe::{DeviceInfo, FeatureState, Need};

pub(super) fn probe() -> Result<Vec<DeviceInfo>, String> {
    probe::devices().map_err(|error| error.to_string())
}

/// The line of the report: the device that draws by default, or why none can.
///
/// # Errors
/// In words: what every device lacks.
pub(super) fn chosen(devices: &[DeviceInfo]) -> Result<String, String> {
    let usable = devices.iter().filter(|d| d.usable).count();
    let Some(first) = devices.iter().find(|d| d.usable) else {
        let reasons: Vec<String> = devices
            .iter()
            .map(|d| {
                let missing: Vec<&str> = d
                    .lacking()
                    .filter(|f| f.need == Need::Required)
                    .map(|f| f.name.as_str())
                    .collect();
                format!("{} ({}) lacks {}", d.name, d.version, missing.join(", "))
            })
            .collect();
        return Err(reasons.join("; "));
    };
    let more = match usable - 1 {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    let driver = [first.driver.as_str(), first.driver_info.as_str()]
        .into_iter()
        .filter(|s| !s.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let by = if driver.is_empty() {
        String::new()
    } else {
        format!(" by {driver}")
    };
    Ok(format!(
        "Vulkan {} on {}{by}{more}",
        first.version, first.name
    ))
}
