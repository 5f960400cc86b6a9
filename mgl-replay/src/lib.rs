//! The mgl back ends and the trace player.

pub mod espryt;
