//! The ring between two threads: records of every call through rings of every size; ends that go.

#[path = "../codec/schema.rs"]
#[allow(dead_code, unused_imports)]
mod schema;

mod ends;
mod records;
