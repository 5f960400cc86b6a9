//! Espryt, driven by calls through `apply`, without a window system.

mod basics;
mod rig;
mod windows;
