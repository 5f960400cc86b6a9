//! The payloads of the catalogue, by class. Every struct is flat POD with an asserted size; enumerations carry GL's
//! own values and refuse all others (design: pipe contract 3.3).

mod defaults;
mod enums;
mod object;
mod screen;
mod state;
mod verb;

pub use defaults::{DEFAULTS, FieldDefault, default_of};
pub use enums::*;
pub use object::*;
pub use screen::*;
pub use state::*;
pub use verb::*;

crate::pod! {
    /// Where a blob's bytes are: in a ring's stage segment, a recorder's batch, or a file's blob chunk. Never compared:
    /// what counts is the content.
    pub struct BlobRef: 24 {
        /// Byte offset in the segment.
        offset: u64,
        /// Bytes.
        size: u64,
        /// Segment, or ordinal of the blob chunk in a file.
        seg: u32,
        /// Zero.
        #[serde(skip)]
        pad: crate::pod::Pad<4>,
    }
}
