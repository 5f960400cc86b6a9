//! Objects that the server has under handles that the client has given back: leaks.

use crate::pipe::Pipe;
use mgl_core::handle::TypedHandle;
use mgl_core::pipe::PushedState;
use mgl_core::pipe::table::Table;
use std::fmt::Debug;

/// The first of them, in words.
pub fn first(s: &PushedState, pipe: &Pipe) -> Option<String> {
    fn of<H: TypedHandle + Copy + Debug, T>(table: &Table<H, T>, pipe: &Pipe) -> Option<String> {
        let (h, _) = table.iter().find(|(h, _)| !pipe.is_live(*h))?;
        Some(format!("{h:?}: the client has given it back"))
    }
    None.or_else(|| of(&s.buffers, pipe))
        .or_else(|| of(&s.textures, pipe))
        .or_else(|| of(&s.renderbuffers, pipe))
        .or_else(|| of(&s.render_states, pipe))
        .or_else(|| of(&s.vertex_elements, pipe))
        .or_else(|| of(&s.samplers, pipe))
        .or_else(|| of(&s.views, pipe))
        .or_else(|| of(&s.programs, pipe))
        .or_else(|| of(&s.fences, pipe))
        .or_else(|| of(&s.queries, pipe))
        .or_else(|| of(&s.contexts, pipe))
        .or_else(|| of(&s.surfaces, pipe))
}
