//! Magma on a device that lacks everything that something stands in for.

#[path = "../magma/lane.rs"]
mod full;

/// The back end.
pub type Lane = full::Lane;

/// Features that are done without.
const WITHOUT: &[&str] = &[
    "border_color_swizzle",
    "bresenham_lines",
    "custom_border_color",
    "depth_clip_control",
    "depth_clip_enable",
    "draw_parameters",
    "dynamic_state",
    "index_u8",
    "list_restart",
    "non_seamless_cube",
    "null_descriptor",
    "provoking_vertex_last",
];

/// Without a window system.
pub fn headless() -> Lane {
    full::lacking(WITHOUT)
}
