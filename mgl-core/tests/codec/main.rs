//! Records: every call of the catalogue, encoded, decoded, cut and corrupted.

mod properties;
mod schema;
