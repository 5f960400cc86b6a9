//! Espryt, driven by calls through `apply`, without a window system.

mod basics;
mod captures;
mod churn;
mod draws;
mod framebuffers;
mod hostile;
mod lacking;
mod reuse;
mod rig;
mod textures;
mod threads;
mod uploads;
mod windows;
