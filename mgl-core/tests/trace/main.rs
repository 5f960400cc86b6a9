//! Trace files as a whole: written, recorded, read, cut, damaged.

mod recorder;
mod roundtrip;
mod scene;
