//! Trace files as a whole: written, recorded, read, cut, damaged; their text form; the tools.

mod damage;
mod handwritten;
mod killed;
mod recorder;
mod roundtrip;
mod scene;
#[path = "../codec/schema.rs"]
mod schema;
mod text;
mod tools;
mod versions;
