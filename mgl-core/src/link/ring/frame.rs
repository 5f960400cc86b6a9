//! Entries of the command ring. A record is an entry as it is; the link's own entries have the same header with opcodes
//! that no catalogue uses.
//!
//! ```text
//! header    { op: u16, flags: u16, size: u32 }     size in bytes, header included, a multiple of 8
//! PAD       nothing to see up to its end, which is the end of the memory
//! MARK      number: u64
//! PIECE     offset: u64, size: u64                 bytes in the stage ring that go behind those put together so far:
//!                                                  flags 0: of the next record's blobs, 1: of the next record itself
//! WHOLE     the record put together from pieces stands here
//! ```

pub const PAD: u16 = 0xffff;
pub const MARK: u16 = 0xfffe;
pub const PIECE: u16 = 0xfffd;
pub const WHOLE: u16 = 0xfffc;

/// Words of entries.
pub const MARK_WORDS: u64 = 2;
pub const PIECE_WORDS: u64 = 3;
pub const WHOLE_WORDS: u64 = 1;

/// What a piece is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    Blobs = 0,
    Record = 1,
}

/// Segments of blob references of records on the link.
pub const SEG_STAGE: u32 = 0;
pub const SEG_WHOLE: u32 = 1;

pub const fn header(op: u16, flags: u16, words: u64) -> u64 {
    op as u64 | (flags as u64) << 16 | (words * 8) << 32
}

/// Opcode, flags and words of a header.
pub const fn parse(header: u64) -> (u16, u16, u64) {
    (
        header as u16,
        (header >> 16) as u16,
        // An odd size is no whole number of words: none.
        if (header >> 32).is_multiple_of(8) {
            (header >> 32) / 8
        } else {
            0
        },
    )
}
