//! Files that commands write: whole, or not at all.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use mgl_core::trace::{TraceError, Written};

use crate::exit::Failure;

/// Writes a trace under a temporary name beside `path`, and gives it that name when it is whole. What
/// was there before stays until then, and may be what the new file is made from.
pub fn write_trace(
    path: &Path,
    write: impl FnOnce(BufWriter<File>) -> Result<(BufWriter<File>, Written), TraceError>,
) -> Result<Written, Failure> {
    let error =
        |e: std::io::Error| Failure::input(format!("{}: cannot write: {e}", path.display()));
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let file = File::create(&temporary).map_err(error)?;
    let result =
        write(BufWriter::new(file))
            .map_err(Failure::from)
            .and_then(|(mut file, written)| {
                file.flush().map_err(error)?;
                fs::rename(&temporary, path).map_err(error)?;
                Ok(written)
            });
    if result.is_err() {
        // The failure that is reported came first.
        let _ = fs::remove_file(&temporary);
    }
    result
}
