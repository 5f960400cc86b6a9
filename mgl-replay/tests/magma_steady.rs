//! Magma: steady frames. A program of its own, because it counts allocations.

#[path = "magma/lane.rs"]
mod lane;
#[path = "backend/rig.rs"]
#[allow(dead_code)]
mod rig;
#[path = "backend/steady.rs"]
mod steady;
