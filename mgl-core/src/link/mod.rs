//! Links: how calls get from the client's end of the pipe to the server's, and answers and notices back.
//!
//! [`direct`]: the server is applied to where the client stands. Above a link nothing depends on which it is.

mod applier;
mod direct;
mod notice;

pub use applier::Applier;
pub use direct::Direct;
pub use notice::{News, Notice};
