//! [`ProgressFile`]: four words in a mapped file by which a replay tells another process how far it is.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicU64;

use memmap2::MmapMut;
use mgl_replay::player::{Progress, ProgressPlace};

/// Bytes of the file.
pub const BYTES: usize = size_of::<[AtomicU64; 4]>();

/// The words, mapped.
pub struct ProgressFile(MmapMut);

impl ProgressFile {
    /// Maps a file of at least [`BYTES`] bytes that is there for this purpose alone, and that nobody makes shorter.
    ///
    /// # Errors
    /// It cannot be opened or mapped, or is too short.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(path)?;
        // SAFETY: the file is there for this purpose alone; whoever else maps it reads words only, and nobody makes it
        // shorter.
        let map = unsafe { MmapMut::map_mut(&file) }?;
        if map.len() < BYTES {
            return Err(io::Error::other("the progress file is too short"));
        }
        Ok(Self(map))
    }

    /// The words.
    pub fn words(&self) -> &[AtomicU64; 4] {
        // SAFETY: the map has at least 32 bytes (checked when it was opened), starts on a page, and is only ever read and
        // written through these atomics.
        unsafe { &*self.0.as_ptr().cast() }
    }

    /// For the player.
    pub fn progress(&self) -> Progress<'_> {
        Progress::new(self.words())
    }
}

/// The record that whoever writes a progress file had begun.
///
/// # Errors
/// The file cannot be read.
pub fn reached(path: &Path) -> io::Result<Option<ProgressPlace>> {
    let bytes = fs::read(path)?;
    let word = |i: usize| {
        let word = bytes.get(i * 8..)?.first_chunk::<8>()?;
        Some(AtomicU64::new(u64::from_ne_bytes(*word)))
    };
    let (Some(a), Some(b), Some(c), Some(d)) = (word(0), word(1), word(2), word(3)) else {
        return Ok(None);
    };
    Ok(Progress::new(&[a, b, c, d]).last())
}

/// A reached place in words.
pub fn in_words(place: Option<ProgressPlace>) -> String {
    match place {
        Some(place) => format!("at verb {place}"),
        None => "before the first record".to_owned(),
    }
}
