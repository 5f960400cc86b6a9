//! MGPipe: the one interface between mgl's OpenGL front end and its back ends.
//!
//! - [`pod`]: how payload structs, enumerations and bit masks are declared (layout, range checks, schema, JSON).
//! - [`handle`]: handles, kinds, slot allocation.
//! - [`format`]: the texel formats that cross the pipe.
//! - [`program`]: the reflection archive that travels with SPIR-V.
//! - [`pipe`]: the call catalogue, payloads, render state, pushed state, `apply`, the back end trait.
//! - [`codec`]: records: calls as bytes and back.
//! - [`counters`]: what is counted, by name.
//! - [`files`]: files that a user names.
//! - [`link`]: how calls get from the client to the server.
//! - [`layout`]: the digest of everything that fixes the meaning of a record.
//! - [`trace`]: trace files: writer, recorder, reader, text form.
//!
//! This crate links no graphics API and no shader compiler.

pub mod codec;
pub mod counters;
pub mod files;
pub mod format;
pub mod handle;
pub mod layout;
pub mod link;
pub mod pipe;
pub mod pod;
pub mod program;
pub mod trace;
