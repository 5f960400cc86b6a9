//! Magma, driven by calls through `apply`, without a window system: the tests that all back ends share, and its own.

#[path = "../backend/basics.rs"]
mod basics;
#[path = "../backend/blits.rs"]
mod blits;
#[path = "../backend/captures.rs"]
mod captures;
mod damaged;
#[path = "../backend/draws.rs"]
mod draws;
#[path = "../backend/emission.rs"]
mod emission;
#[path = "../backend/framebuffers.rs"]
mod framebuffers;
#[path = "../backend/hostile.rs"]
mod hostile;
mod lane;
#[path = "../backend/order.rs"]
mod order;
mod own;
#[allow(dead_code)] // not all of it is used here
#[path = "../backend/rig.rs"]
mod rig;
#[path = "../backend/samples.rs"]
mod samples;
#[path = "../backend/shared.rs"]
mod shared;
#[path = "../backend/textures.rs"]
mod textures;
#[path = "../backend/threads.rs"]
mod threads;
#[path = "../backend/windows.rs"]
mod windows;
