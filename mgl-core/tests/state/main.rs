//! Pushed state: what calls make of it, and that it can be said anew.

mod content;
mod emission;
mod legal;
mod pushed;
#[path = "../codec/schema.rs"]
#[allow(dead_code)] // places of fields are the codec's tests'
mod schema;
