//! [`CallValue`]: a call as a value for serialisers that care for its fields.

use crate::pipe::Call;
use crate::pipe::calls::with_catalogue;
use serde::ser::{Serialize, SerializeMap, Serializer};
use xxhash_rust::xxh3::xxh3_128;

/// Serialises a call as a map: its payload under the empty key, then blobs and tails under their names.
///
/// Blobs are shown as [`BlobDigest`]. Handles keep their types' names (`TextureHandle`), so that a serialiser can tell
/// their kinds.
pub struct CallValue<'c>(pub &'c Call<'c>);

/// What is shown of a blob: a blob is its content, never its place.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct BlobDigest {
    /// Bytes.
    pub size: usize,
    /// xxh3-128, hexadecimal.
    pub xxh3: String,
}

impl BlobDigest {
    /// Of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self {
            size: bytes.len(),
            xxh3: format!("{:032x}", xxh3_128(bytes)),
        }
    }
}

macro_rules! serialize {
    ($( $name:ident($payload:ty) blobs[$($blob:ident)*] tails[$($tail:ident: $elem:ty),*]; )*) => {
        impl Serialize for CallValue<'_> {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                let mut map = s.serialize_map(None)?;
                match *self.0 { $( Call::$name { p, $( $blob, )* $( $tail, )* } => {
                    map.serialize_entry("", p)?;
                    $( map.serialize_entry(stringify!($blob), &BlobDigest::of($blob))?; )*
                    $( map.serialize_entry(stringify!($tail), $tail)?; )*
                } )* }
                map.end()
            }
        }
    };
}
with_catalogue!(serialize);
