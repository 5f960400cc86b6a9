//! [`list`]: lists of a file that take no more memory than the file may.
//!
//! In the file an element may be a byte, in memory it is as large as its type: so what a list takes is counted while it is
//! read, against what [`within`] allows.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

thread_local! {
    /// Bytes that the lists being read on this thread may still take.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Runs `read`, whose lists may take so many bytes together.
pub fn within<T>(bytes: usize, read: impl FnOnce() -> T) -> T {
    let before = LEFT.replace(bytes);
    let result = read();
    LEFT.set(before);
    result
}

/// Reads a list, for `deserialize_with`.
pub fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct Elements<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
            // What the list says of its own length is not believed.
            let mut all = Vec::new();
            while let Some(element) = seq.next_element()? {
                // A list that grows holds at most twice what it needs.
                let left = LEFT.get().checked_sub(2 * size_of::<T>());
                let left = left.ok_or_else(|| A::Error::custom("it takes too much memory"))?;
                LEFT.set(left);
                all.push(element);
            }
            Ok(all)
        }
    }
    deserializer.deserialize_seq(Elements(PhantomData))
}
