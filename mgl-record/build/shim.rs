//! Writes the per-name shims: shared libraries without code that need `libmgl.so`.
//!
//! A program that asks the loader for `libGL.so.1` gets a file of that SONAME whose only content is
//! a dependency on the driver; the driver's symbols are found through it, by the loader and by
//! dlsym alike. One file a name (rather than symbolic links to one file) because each name is then
//! owned in the loader's list, whoever asks for it later. The files are so small that they are
//! written here, byte by byte (System V gABI, chapters 4 and 5), instead of calling a linker.

use std::path::Path;
use std::{fs, io};

/// The names to stand in for, with the development name that programs dlopen.
const NAMES: [(&str, Option<&str>); 6] = [
    ("libGL.so.1", Some("libGL.so")),
    ("libGLX.so.0", Some("libGLX.so")),
    ("libOpenGL.so.0", Some("libOpenGL.so")),
    ("libEGL.so.1", Some("libEGL.so")),
    ("libGLESv2.so.2", Some("libGLESv2.so")),
    ("libGLESv1_CM.so.1", Some("libGLESv1_CM.so")),
];

/// The driver lies beside the shims when installed, one level above them in a build directory.
const RUNPATH: &str = "$ORIGIN:$ORIGIN/..";

/// Fills `dir` with one shim a name and the symbolic links of the development names.
pub fn write_all(dir: &Path, arch: &str) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    for (soname, development) in NAMES {
        let path = dir.join(soname);
        let bytes = shim(soname, arch)?;
        if !fs::read(&path).is_ok_and(|old| old == bytes) {
            // A running program may have the old file mapped: replace it, don't write into it.
            let temporary = dir.join(format!(".{soname}.new"));
            fs::write(&temporary, &bytes)?;
            fs::rename(&temporary, &path)?;
        }
        if let Some(link) = development {
            let link = dir.join(link);
            if !fs::read_link(&link).is_ok_and(|to| to == Path::new(soname)) {
                let _ = fs::remove_file(&link);
                std::os::unix::fs::symlink(soname, &link)?;
            }
        }
    }
    Ok(())
}

const EHDR: u64 = 64;
const PHDR: u64 = 56;
const SEGMENTS: u64 = 3;

/// One shim: header, program headers, strings, an empty symbol table and the dynamic section.
fn shim(soname: &str, arch: &str) -> io::Result<Vec<u8>> {
    let machine: u16 = match arch {
        "x86_64" => 62,
        "aarch64" => 183,
        other => {
            let message = format!("no shims for the architecture {other}");
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
    };
    let mut strings = vec![0u8];
    let mut string = |text: &str| {
        let at = strings.len() as u64;
        strings.extend(text.as_bytes());
        strings.push(0);
        at
    };
    let (name, needed, runpath) = (string(soname), string("libmgl.so"), string(RUNPATH));

    let symbols_at = EHDR + SEGMENTS * PHDR;
    let hash_at = symbols_at + 24;
    let strings_at = hash_at + 16;
    let dynamic_at = (strings_at + strings.len() as u64).next_multiple_of(16);
    let dynamic: [(u64, u64); 10] = [
        (1, needed),                // DT_NEEDED
        (14, name),                 // DT_SONAME
        (29, runpath),              // DT_RUNPATH
        (4, hash_at),               // DT_HASH
        (5, strings_at),            // DT_STRTAB
        (6, symbols_at),            // DT_SYMTAB
        (10, strings.len() as u64), // DT_STRSZ
        (11, 24),                   // DT_SYMENT
        (0x6fff_fffb, 8),           // DT_FLAGS_1: NODELETE
        (0, 0),                     // DT_NULL
    ];
    let end = dynamic_at + 16 * dynamic.len() as u64;

    let mut out = Vec::with_capacity(end as usize);
    out.extend(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    for half in [3u16, machine] {
        out.extend(half.to_le_bytes()); // ET_DYN, machine
    }
    out.extend(1u32.to_le_bytes()); // EV_CURRENT
    for word in [0u64, EHDR, 0] {
        out.extend(word.to_le_bytes()); // no entry point, program headers, no sections
    }
    out.extend(0u32.to_le_bytes());
    for half in [EHDR as u16, PHDR as u16, SEGMENTS as u16, 64, 0, 0] {
        out.extend(half.to_le_bytes());
    }
    // The loader relocates the dynamic section in place, hence a writable segment; without a stack
    // header it would make the program's stack executable.
    let mut segment = |kind: u32, flags: u32, at: u64, size: u64, align: u64| {
        out.extend(kind.to_le_bytes());
        out.extend(flags.to_le_bytes());
        for word in [at, at, at, size, size, align] {
            out.extend(word.to_le_bytes());
        }
    };
    segment(1, 6, 0, end, 0x1_0000); // PT_LOAD, read and write
    segment(2, 6, dynamic_at, end - dynamic_at, 8); // PT_DYNAMIC
    segment(0x6474_e551, 6, 0, 0, 16); // PT_GNU_STACK
    out.extend([0; 24]); // the null symbol
    for word in [1u32, 1, 0, 0] {
        out.extend(word.to_le_bytes()); // hash table: one bucket, one chain, both empty
    }
    out.extend(&strings);
    out.resize(dynamic_at as usize, 0);
    for (tag, value) in dynamic {
        out.extend(tag.to_le_bytes());
        out.extend(value.to_le_bytes());
    }
    Ok(out)
}
