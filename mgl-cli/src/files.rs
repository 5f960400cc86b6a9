//! Files that commands write: whole, or not at all; and text that they read.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use mgl_core::files::{self, Replacement};
use mgl_core::trace::Written;

use crate::exit::Failure;

/// Writes a trace under a temporary name beside where `path` leads, and gives it that name when it is whole. What
/// was there before stays until then, and may be what the new file is made from. What is no regular file is written
/// through.
pub fn write_trace(
    path: &Path,
    write: impl FnOnce(BufWriter<File>) -> Result<(BufWriter<File>, Written), Failure>,
) -> Result<Written, Failure> {
    let error = |e: io::Error| Failure::input(format!("{}: cannot write: {e}", path.display()));
    let (file, replacement) = Replacement::begin(path).map_err(error)?;
    let (mut file, written) = write(BufWriter::new(file))?;
    file.flush().map_err(error)?;
    replacement.finish().map_err(error)?;
    Ok(written)
}

/// Most bytes of text that are taken from what is no file and may have no end.
const MOST: u64 = 1 << 30;

/// Reads a document of JSON from a file or a stream, `-` is standard input.
///
/// # Errors
/// As the system says; the stream has no end, or nothing comes.
pub fn read_json_text(path: &Path) -> io::Result<String> {
    if path == Path::new("-") {
        return stream(io::stdin().lock());
    }
    let what = fs::metadata(path)?.file_type();
    if what.is_fifo() || what.is_char_device() {
        let file = File::options()
            .read(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
            .open(path)?;
        wait_for(&file)?;
        files::block(&file)?;
        return stream(file);
    }
    text(files::read(path)?)
}

/// Waits until something can be read, or the other end has been closed.
fn wait_for(file: &File) -> io::Result<()> {
    let mut poll = libc::pollfd {
        fd: file.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    let time = files::PATIENCE.as_millis() as libc::c_int;
    // SAFETY: one structure, which the call writes.
    match unsafe { libc::poll(&mut poll, 1, time) } {
        0 => {
            let text = format!("nothing came for {} s", files::PATIENCE.as_secs());
            Err(io::Error::new(io::ErrorKind::TimedOut, text))
        }
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn stream(mut from: impl Read) -> io::Result<String> {
    let wrong = |what: String| Err(io::Error::new(io::ErrorKind::InvalidData, what));
    let mut bytes = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        let n = match from.read(&mut piece) {
            Ok(0) => return text(bytes),
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        let first = bytes.is_empty();
        bytes.extend_from_slice(&piece[..n]);
        // What is no text at all is not read to its end, which may never come.
        if first && !piece[..n].trim_ascii_start().starts_with(b"{") {
            return wrong("no text form of a trace, which starts with {".to_owned());
        }
        if bytes.len() as u64 > MOST {
            return wrong(format!(
                "more than {} GiB come from a stream: write them to a file first",
                MOST >> 30
            ));
        }
    }
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.utf8_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_read_while_they_may_be_text() {
        assert_eq!(stream(&b" {\"a\": 1}"[..]).expect("text"), " {\"a\": 1}");
        let endless = stream(io::repeat(0)).expect_err("no text");
        assert_eq!(endless.kind(), io::ErrorKind::InvalidData);
        assert!(stream(&b"{\xff"[..]).is_err());
        assert_eq!(stream(io::empty()).expect("nothing"), "");
    }
}
