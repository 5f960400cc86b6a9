//! What a field is in records of a file whose schema does not have it yet.
//!
//! Zero, unless a row here says otherwise: then it is a value that keeps the meaning that records had without the field.
//! The rows are part of the schema as soon as the version that appends the field is released.

/// A field's default that is not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldDefault {
    /// The struct.
    pub of: &'static str,
    /// The field, or of an array each of its elements.
    pub field: &'static str,
    /// The bits of its value.
    pub value: u64,
}

/// All that are not zero.
pub const DEFAULTS: &[FieldDefault] = &[];

/// The bits of a field's default.
#[must_use]
pub fn default_of(of: &str, field: &str) -> u64 {
    let row = DEFAULTS.iter().find(|d| (d.of, d.field) == (of, field));
    row.map_or(0, |d| d.value)
}
