//! Render state: the pipeline part as a content-addressed CSO, the dynamic part in changed chunks (design: pipe
//! contract 3.4).
//!
//! Steady state costs two compares of versions. A changed pipeline part is compared with the two CSOs used last, then hashed
//! and looked up among the last 64; a hit is confirmed by comparing all of it.

use crate::context::Gl;
use crate::pipe::Pipe;
use mgl_core::handle::RenderStateHandle;
use mgl_core::pipe::{
    ALL_CHUNKS, BindRenderState, Call, Group, PipelineState, RenderStateDesc, RenderStateOnly,
    SetDynamicState,
};

/// CSOs that are kept.
const KEPT: usize = 64;

struct Entry {
    hash: u64,
    state: PipelineState,
    handle: RenderStateHandle,
    used: u64,
}

/// What the tracker remembers of a context's render state.
#[derive(Default)]
pub struct RenderTracker {
    entries: Vec<Entry>,
    bound: RenderStateHandle,
    pipeline_version: u64,
    dynamic_version: u64,
    tick: u64,
    /// The two that were used last: a state that is switched on and off is found without hashing.
    recent: [usize; 2],
    words: Vec<u32>,
}

impl RenderTracker {
    /// Ends the CSOs it made.
    pub fn destroy(&mut self, pipe: &mut Pipe) {
        for e in self.entries.drain(..) {
            delete(e.handle, pipe);
        }
        *self = Self::default();
    }

    /// The CSO for a state, made if there is none.
    fn cso(&mut self, state: &PipelineState, pipe: &mut Pipe) -> RenderStateHandle {
        self.tick += 1;
        let wanted = bytemuck::bytes_of(state);
        for i in self.recent {
            if let Some(e) = self.entries.get_mut(i)
                && bytemuck::bytes_of(&e.state) == wanted
            {
                e.used = self.tick;
                let handle = e.handle;
                self.remember(i);
                return handle;
            }
        }
        let hash = state.hash();
        let same = |e: &Entry| e.hash == hash && e.state == *state;
        if let Some(i) = self.entries.iter().position(same) {
            self.entries[i].used = self.tick;
            self.remember(i);
            return self.entries[i].handle;
        }
        if self.entries.len() == KEPT {
            // The bound one was used last, so it is never the oldest.
            if let Some(i) = (0..KEPT).min_by_key(|i| self.entries[*i].used) {
                delete(self.entries.swap_remove(i).handle, pipe);
            }
        }
        let handle = pipe.mint();
        pipe.push(Call::CreateRenderState {
            p: &RenderStateDesc {
                render_state: handle,
                state: *state,
            },
        });
        self.entries.push(Entry {
            hash,
            state: *state,
            handle,
            used: self.tick,
        });
        self.remember(self.entries.len() - 1);
        handle
    }

    fn remember(&mut self, i: usize) {
        if self.recent[0] != i {
            self.recent = [i, self.recent[0]];
        }
    }
}

fn delete(handle: RenderStateHandle, pipe: &mut Pipe) {
    pipe.push(Call::DeleteRenderState {
        p: &RenderStateOnly {
            render_state: handle,
        },
    });
    pipe.release(handle);
}

/// Pushes what changed of the render state; whether anything had.
#[inline]
pub fn validate(gl: &mut Gl<'_>) -> bool {
    let t = &gl.ctx.tracker.render;
    let r = &gl.ctx.render;
    let steady =
        t.pipeline_version == r.pipeline_version() && t.dynamic_version == r.dynamic_version();
    if !steady {
        push(gl);
    }
    !steady
}

fn push(gl: &mut Gl<'_>) {
    let t = &mut gl.ctx.tracker.render;
    let r = &gl.ctx.render;
    if t.pipeline_version != r.pipeline_version() {
        let handle = t.cso(r.pipeline(), gl.pipe);
        if handle != t.bound {
            let p = BindRenderState {
                render_state: handle,
                version: r.pipeline_version() as u32,
                ..BindRenderState::default()
            };
            gl.pipe.push(Call::BindRenderState { p: &p });
            t.bound = handle;
        }
        t.pipeline_version = r.pipeline_version();
    }
    if t.dynamic_version != r.dynamic_version() {
        let chunks = match gl.pipe.emitted(gl.ctx.handle) {
            Some(c) if c.was_pushed(Group::Dynamic) => c.values.dynamic.changed_chunks(r.dynamic()),
            _ => ALL_CHUNKS,
        };
        if chunks != 0 {
            t.words.clear();
            r.dynamic().gather(chunks, &mut t.words);
            let p = SetDynamicState {
                chunks,
                ..SetDynamicState::default()
            };
            gl.pipe.push(Call::SetDynamicState {
                p: &p,
                words: &t.words,
            });
        }
        t.dynamic_version = r.dynamic_version();
    }
}
