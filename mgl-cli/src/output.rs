//! What commands print: text and tables for people, or one JSON document.
//!
//! A reader that closes the pipe early (`mgl dump FILE | head`) is no error: what follows is dropped
//! and the exit code stays what the command found.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use comfy_table::{Attribute, Cell, Color, ContentArrangement, Table, presets};
use serde::Serialize;
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::terminal::shows_unicode;

/// Width of tables in characters where there is no terminal that has one.
const WIDTH: u16 = 120;

/// Standard output, in one of its two forms.
pub struct Output {
    json: bool,
    colour: bool,
    /// Boxes and other characters beyond ASCII are shown.
    unicode: bool,
    /// Something was printed.
    started: bool,
    closed: bool,
    stdout: BufWriter<Stdout>,
}

/// How a word is to be seen.
#[derive(Clone, Copy)]
pub enum Tone {
    Good,
    Bad,
}

impl Output {
    pub fn new(json: bool) -> Self {
        Self {
            json,
            colour: !json && colour_wanted() && io::stdout().is_terminal(),
            unicode: shows_unicode(&io::stdout()),
            started: false,
            closed: false,
            stdout: BufWriter::new(io::stdout()),
        }
    }

    /// Whether standard output is to hold one JSON document and nothing else.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Shows a result: `value` as the JSON document, or what `text` prints.
    pub fn show<T: Serialize>(
        &mut self,
        value: &T,
        text: impl FnOnce(&mut Self, &T) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if !self.json {
            return text(self, value);
        }
        let document = serde_json::to_string_pretty(value)
            .expect("results have string keys and no failing serialisers");
        self.line(document)
    }

    /// Prints a line of text.
    pub fn line(&mut self, line: impl Display) -> Result<(), Failure> {
        self.bytes(format!("{line}\n").as_bytes())
    }

    /// Prints bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.closed {
            return Ok(());
        }
        self.started = true;
        let written = self.stdout.write_all(bytes);
        self.check(written)
    }

    /// Whether nobody reads any more what is printed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Prints a table with a header line.
    pub fn table(&mut self, header: &[&str], rows: Vec<Vec<Cell>>) -> Result<(), Failure> {
        let mut table = Table::new();
        table.load_style(match self.unicode {
            true => presets::UTF8_BORDERS_ONLY,
            false => presets::ASCII_BORDERS_ONLY_CONDENSED,
        });
        table.set_content_arrangement(ContentArrangement::Dynamic);
        if table.width().is_none() {
            table.set_width(columns().unwrap_or(WIDTH));
        }
        table.set_header(header.iter().map(|title| self.bold(title)));
        table.add_rows(rows);
        self.line(table)
    }

    /// What stands for text that is left out.
    pub fn dots(&self) -> &'static str {
        if self.unicode { "\u{2026}" } else { "..." }
    }

    /// A table cell in a tone.
    pub fn toned(&self, text: impl ToString, tone: Tone) -> Cell {
        let cell = Cell::new(text.to_string());
        match tone {
            _ if !self.colour => cell,
            Tone::Good => cell.fg(Color::Green),
            Tone::Bad => cell.fg(Color::Red).add_attribute(Attribute::Bold),
        }
    }

    fn bold(&self, text: &str) -> Cell {
        let cell = Cell::new(text);
        if self.colour {
            cell.add_attribute(Attribute::Bold)
        } else {
            cell
        }
    }

    /// Reports a failure on standard error, and as the JSON document where one is owed.
    pub fn failure(&mut self, failure: &Failure) -> Exit {
        // Nobody is left to tell when standard error is gone.
        let mut stderr = io::stderr().lock();
        let _ = writeln!(stderr, "mgl: {}", failure.message);
        if let Some(hint) = &failure.hint {
            let _ = writeln!(stderr, "  {hint}");
        }
        // Half a document cannot be mended by another.
        if self.json && !self.started {
            let document = json!({
                "error": failure.message,
                "hint": failure.hint,
                "exit": failure.exit.code(),
            });
            let _ = writeln!(self.stdout, "{document:#}");
        }
        failure.exit
    }

    /// Writes out what is still buffered.
    pub fn finish(&mut self) -> Result<(), Failure> {
        let flushed = self.stdout.flush();
        self.check(flushed)
    }

    fn check(&mut self, written: io::Result<()>) -> Result<(), Failure> {
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            Err(error) => Err(Failure::input(format!(
                "cannot write to standard output: {error}"
            ))),
            Ok(()) => Ok(()),
        }
    }
}

/// For libraries that write as they go; they see a closed pipe, and stop.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.started = true;
        let written = self.stdout.write(bytes);
        self.closed |= written
            .as_ref()
            .is_err_and(|e| e.kind() == io::ErrorKind::BrokenPipe);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.stdout.flush();
        self.closed |= flushed
            .as_ref()
            .is_err_and(|e| e.kind() == io::ErrorKind::BrokenPipe);
        flushed
    }
}

/// Whether the environment allows colour: NO_COLOR (any value) and TERM=dumb forbid it.
fn colour_wanted() -> bool {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    !no_colour && !dumb
}

/// The width that the environment asks for, if it makes sense.
fn columns() -> Option<u16> {
    let columns = std::env::var("COLUMNS").ok()?.parse().ok()?;
    (columns >= 40).then_some(columns)
}

/// A number of bytes for people: exact below a thousand, else three digits or more and a unit.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = if value < 10.0 {
        2
    } else {
        usize::from(value < 100.0)
    };
    format!("{value:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_readable() {
        let shown = [0, 999, 1000, 15_000, 150_000, 1_500_000, 3 << 30, u64::MAX].map(bytes);
        let expected = [
            "0 B",
            "999 B",
            "0.98 KiB",
            "14.6 KiB",
            "146 KiB",
            "1.43 MiB",
            "3.00 GiB",
            "16777216 TiB",
        ];
        assert_eq!(shown, expected);
    }
}
