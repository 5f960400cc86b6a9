//! The two facts that launching needs from an ELF file: its SONAME, and whether it has a DT_RPATH.
//!
//! Reads 64-bit little-endian files by their program headers (System V gABI, chapter 5). Anything
//! else, or anything cut or contradictory, gives `None`.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What is read of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Facts {
    /// DT_SONAME.
    pub soname: Option<String>,
    /// Whether there is a DT_RPATH that counts: without a DT_RUNPATH.
    pub has_rpath: bool,
}

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const DT_STRTAB: u64 = 5;
const DT_SONAME: u64 = 14;
const DT_RPATH: u64 = 15;
const DT_RUNPATH: u64 = 29;

/// Most bytes of headers, dynamic section or name that are read.
const LIMIT: u64 = 1 << 16;

/// Reads the facts of a file; `None` when it is no such file.
pub fn facts(path: &Path) -> Option<Facts> {
    let file = mgl_core::files::open(path).ok()?;
    let header = read(&file, 0, 64)?;
    if &header[..6] != b"\x7fELF\x02\x01" {
        return None;
    }
    let (table, size, count) = (
        u64_at(&header, 32)?,
        u64::from(u16_at(&header, 54)?),
        u64::from(u16_at(&header, 56)?),
    );
    if size < 56 {
        return None;
    }
    let segments = read(&file, table, size.checked_mul(count)?)?;
    let segment = |i: u64| {
        let at = (i * size) as usize;
        Some((
            u32::from_le_bytes(segments.get(at..at + 4)?.try_into().ok()?),
            u64_at(&segments, at + 8)?,
            u64_at(&segments, at + 16)?,
            u64_at(&segments, at + 32)?,
        ))
    };
    let segments: Vec<(u32, u64, u64, u64)> = (0..count).map(segment).collect::<Option<_>>()?;
    let (_, at, _, size) = *segments.iter().find(|s| s.0 == PT_DYNAMIC)?;
    let dynamic = read(&file, at, size.min(LIMIT))?;
    let entries: Vec<(u64, u64)> = dynamic
        .chunks_exact(16)
        .filter_map(|e| Some((u64_at(e, 0)?, u64_at(e, 8)?)))
        .take_while(|(tag, _)| *tag != 0)
        .collect();
    let value = |wanted| entries.iter().find(|(tag, _)| *tag == wanted).map(|e| e.1);
    let soname = match (value(DT_SONAME), value(DT_STRTAB)) {
        (Some(offset), Some(strings)) => {
            let address = strings.checked_add(offset)?;
            let (_, file_at, start, size) = *segments
                .iter()
                .find(|s| s.0 == PT_LOAD && address >= s.2 && address - s.2 < s.3)?;
            let inside = address - start;
            let bytes = read(
                &file,
                file_at.checked_add(inside)?,
                (size - inside).min(256),
            )?;
            let end = bytes.iter().position(|b| *b == 0)?;
            Some(String::from_utf8(bytes[..end].to_vec()).ok()?)
        }
        _ => None,
    };
    Some(Facts {
        soname,
        has_rpath: value(DT_RPATH).is_some() && value(DT_RUNPATH).is_none(),
    })
}

/// What loading a program comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Loads libraries.
    Dynamic,
    /// Loads none.
    Static,
    /// Not of this machine's own kind, 64-bit and little-endian of one processor: it cannot load our libraries.
    Foreign,
}

/// The kind of a program; `None` when it is no ELF file, or damaged.
pub fn kind(path: &Path) -> Option<Kind> {
    /// Of the machine that this is built for.
    const MACHINE: u16 = if cfg!(target_arch = "aarch64") {
        183
    } else {
        62
    };
    const PT_INTERP: u32 = 3;
    let file = mgl_core::files::open(path).ok()?;
    let header = read(&file, 0, 64)?;
    if &header[..4] != b"\x7fELF" {
        return None;
    }
    if header[4..6] != [2, 1] || u16_at(&header, 18)? != MACHINE {
        return Some(Kind::Foreign);
    }
    let (table, size, count) = (
        u64_at(&header, 32)?,
        u64::from(u16_at(&header, 54)?),
        u64::from(u16_at(&header, 56)?),
    );
    let segments = read(&file, table, size.checked_mul(count)?)?;
    let mut kinds = segments
        .chunks_exact((size as usize).max(4))
        .filter_map(|s| Some(u32::from_le_bytes(*s.first_chunk::<4>()?)));
    Some(match kinds.any(|kind| kind == PT_INTERP) {
        true => Kind::Dynamic,
        false => Kind::Static,
    })
}

fn read(file: &File, at: u64, len: u64) -> Option<Vec<u8>> {
    if len > LIMIT {
        return None;
    }
    let mut bytes = vec![0; len as usize];
    file.read_exact_at(&mut bytes, at).ok()?;
    Some(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A shared object with nothing but a dynamic section whose entries are strings.
    pub fn shared_object(entries: &[(u64, &str)]) -> Vec<u8> {
        let mut strings = vec![0u8];
        let mut dynamic = Vec::new();
        for (tag, text) in entries {
            dynamic.push((*tag, strings.len() as u64));
            strings.extend(text.as_bytes());
            strings.push(0);
        }
        let strings_at = 64 + 2 * 56;
        dynamic.push((DT_STRTAB, strings_at));
        dynamic.push((0, 0));
        let dynamic_at = strings_at + strings.len() as u64;
        let end = dynamic_at + 16 * dynamic.len() as u64;
        let mut out = b"\x7fELF\x02\x01\x01".to_vec();
        out.resize(64, 0);
        out[32..40].copy_from_slice(&64u64.to_le_bytes());
        out[54..56].copy_from_slice(&56u16.to_le_bytes());
        out[56..58].copy_from_slice(&2u16.to_le_bytes());
        for (kind, at, size) in [
            (PT_LOAD, 0, end),
            (PT_DYNAMIC, dynamic_at, end - dynamic_at),
        ] {
            out.extend(kind.to_le_bytes());
            out.extend(6u32.to_le_bytes());
            for word in [at, at, at, size, size, 8] {
                out.extend(u64::to_le_bytes(word));
            }
        }
        out.extend(strings);
        for (tag, value) in dynamic {
            out.extend(tag.to_le_bytes());
            out.extend(value.to_le_bytes());
        }
        out
    }

    fn facts_of(bytes: &[u8]) -> Option<Facts> {
        let file = tempfile::NamedTempFile::new().expect("temporary file");
        std::fs::write(file.path(), bytes).expect("writable");
        facts(file.path())
    }

    #[test]
    fn names_and_paths_are_told_apart() {
        let facts = facts_of(&shared_object(&[(DT_SONAME, "libX.so.1")])).expect("an ELF file");
        assert_eq!(facts.soname.as_deref(), Some("libX.so.1"));
        assert!(!facts.has_rpath);
        let facts = facts_of(&shared_object(&[(DT_RPATH, "/a")])).expect("an ELF file");
        assert!(facts.has_rpath && facts.soname.is_none());
        let both = shared_object(&[(DT_RPATH, "/a"), (DT_RUNPATH, "/b")]);
        assert!(!facts_of(&both).expect("an ELF file").has_rpath);
    }

    #[test]
    fn damaged_files_are_survived() {
        let good = shared_object(&[(DT_SONAME, "libX.so.1")]);
        for len in 0..good.len() {
            let _ = facts_of(&good[..len]);
        }
        for at in 0..good.len() {
            for value in [0, 0x7f, 0xff] {
                let mut bad = good.clone();
                bad[at] = value;
                let _ = facts_of(&bad);
            }
        }
        assert_eq!(facts_of(b"#!/bin/sh\n"), None);
    }
}
