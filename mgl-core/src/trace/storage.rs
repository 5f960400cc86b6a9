//! Where a trace file's bytes are, and whether they begin like a trace file.

use super::error::TraceError;
use super::format::*;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

pub(super) enum Storage {
    /// A finished file, mapped.
    Map(Arc<memmap2::Mmap>),
    /// A file that may still change.
    File(File),
    /// Bytes in memory.
    Memory(Vec<u8>),
}

impl Storage {
    /// Fills `out` from offset `at`.
    pub fn read(&self, out: &mut [u8], at: u64) -> std::io::Result<()> {
        let bytes: &[u8] = match self {
            Self::File(f) => return f.read_exact_at(out, at),
            Self::Map(m) => m,
            Self::Memory(v) => v,
        };
        let part = usize::try_from(at)
            .ok()
            .and_then(|at| bytes.get(at..at.checked_add(out.len())?))
            .ok_or(std::io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(part);
        Ok(())
    }
}

/// The file header, or what the file is instead of a trace.
pub(super) fn read_header(
    path: &Path,
    storage: &Storage,
    length: u64,
) -> Result<FileHeader, TraceError> {
    let path = path.to_owned();
    if length == 0 {
        return Err(TraceError::Empty { path });
    }
    let mut b = [0; FILE_HEADER_BYTES];
    let n = length.min(FILE_HEADER_BYTES as u64) as usize;
    storage
        .read(&mut b[..n], 0)
        .map_err(TraceError::io(&path, "reading"))?;
    let magic = n.min(MAGIC.len());
    if b[..magic] != MAGIC[..magic] {
        return Err(TraceError::NotATrace {
            path,
            found: looks_like(&b[..n]).into(),
        });
    }
    if n < FILE_HEADER_BYTES {
        return Err(TraceError::Header {
            path,
            problem: format!("the file ends after {n} bytes: recording was cut off at once"),
        });
    }
    let h = match FileHeader::from_bytes(&b) {
        Ok(h) => h,
        Err(problem) => return Err(TraceError::Header { path, problem }),
    };
    Ok(h)
}

/// Whether this mgl reads what the header announces.
pub(super) fn is_readable(path: &Path, h: &FileHeader) -> Result<(), TraceError> {
    let path = path.to_owned();
    if h.oldest_reader > VERSION {
        return Err(TraceError::Newer {
            path,
            version: h.version,
            oldest_reader: h.oldest_reader,
        });
    }
    if h.rkyv != RKYV_SERIES {
        let series = |s: &[u8; 8]| {
            let text = String::from_utf8_lossy(s);
            text.trim_end_matches('\0').to_owned()
        };
        return Err(TraceError::Archives {
            path,
            theirs: series(&h.rkyv),
            ours: series(&RKYV_SERIES),
        });
    }
    Ok(())
}

/// What bytes look like that are no trace.
fn looks_like(b: &[u8]) -> &'static str {
    match b {
        [0x89, b'P', b'N', b'G', ..] => "it starts with a PNG signature",
        [0xff, 0xd8, 0xff, ..] => "it starts with a JPEG signature",
        [0x7f, b'E', b'L', b'F', ..] => "it starts with an ELF signature",
        [0x1f, 0x8b, ..] => "it starts with a gzip signature; unpack it first",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "it starts with a Zstandard signature; unpack it first",
        [0xfd, b'7', b'z', b'X', b'Z', ..] => "it starts with an xz signature; unpack it first",
        [b'P', b'K', 3, 4, ..] => "it starts with a zip signature; unpack it first",
        [b'a', b't', ..] => "it starts like an apitrace file; `mgl run -- glretrace` replays those",
        [b'R', b'D', b'O', b'C', ..] => "it starts with a RenderDoc signature",
        [b'{' | b'[', ..] => {
            "it looks like JSON; `mgl assemble` makes a trace of a trace's text form"
        }
        [b'#', b'!', ..] => "it is a script",
        _ if b.iter().all(|c| *c == 0) => "it starts with zeros",
        _ => "it starts with unknown bytes",
    }
}
