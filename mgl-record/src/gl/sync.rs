//! Entry points of sync objects (GL 4.6 §4.1).

use super::entry::{api_entry, enter_gl, gl_entry};
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::state::names::Id;
use crate::state::sync::Sync;
use mgl_core::pipe::FenceResult;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The longest that a waiting thread keeps the driver to itself, in nanoseconds: other threads go on drawing, and may be
/// the ones who flush what it waits for.
const LONGEST_SLICE: u64 = 4_000_000;

/// What the slices of a wait answer while it goes on: no answer of glClientWaitSync, and not zero, which is what an entry
/// point without a context answers.
const AGAIN: GLenum = 1;

/// The name in a GLsync value; 0, which is nobody's, for values that cannot hold one.
pub(super) fn name_of(sync: GLsync) -> u32 {
    u32::try_from(sync.addr()).unwrap_or(0)
}

impl Gl<'_> {
    /// The sync of a GLsync value, or GL_INVALID_VALUE.
    fn sync(&mut self, sync: GLsync) -> Option<Id<Sync>> {
        let id = self.share.syncs.id(name_of(sync));
        if id.is_none() {
            self.raise(GL_INVALID_VALUE);
        }
        id
    }
}

/// The first look at a sync that a thread is to wait for: the answer, or the sync, held, to wait for.
enum First {
    Answer(GLenum),
    Wait(Id<Sync>),
}

fn first_look(gl: &mut Gl<'_>, sync: GLsync, flags: GLbitfield, timeout: GLuint64) -> First {
    if flags & !GL_SYNC_FLUSH_COMMANDS_BIT != 0 {
        gl.raise(GL_INVALID_VALUE);
        return First::Answer(GL_WAIT_FAILED);
    }
    let Some(id) = gl.sync(sync) else {
        return First::Answer(GL_WAIT_FAILED);
    };
    let flush = flags & GL_SYNC_FLUSH_COMMANDS_BIT != 0;
    let Some(result) = gl.share.syncs.objects[id].wait(gl.pipe, 0, flush) else {
        return First::Answer(GL_WAIT_FAILED);
    };
    match result {
        FenceResult::ALREADY_SIGNALED | FenceResult::CONDITION_SATISFIED => {
            First::Answer(GL_ALREADY_SIGNALED)
        }
        FenceResult::TIMEOUT_EXPIRED if timeout == 0 => First::Answer(GL_TIMEOUT_EXPIRED),
        FenceResult::TIMEOUT_EXPIRED => {
            gl.share.syncs.hold(id);
            First::Wait(id)
        }
        _ => First::Answer(GL_WAIT_FAILED),
    }
}

/// The time, asked of the kernel past libc: a virtual clock under the program must not move because the driver looks.
fn now() -> Duration {
    let t = clock_gettime(ClockId::Monotonic);
    Duration::new(t.tv_sec as u64, t.tv_nsec as u32)
}

/// Waits for a held sync, in slices, and lets go of it.
fn keep_waiting(id: Id<Sync>, timeout: GLuint64) -> GLenum {
    let start = now();
    let timeout = Duration::from_nanos(timeout);
    let mut slice = LONGEST_SLICE / 16;
    loop {
        let left = timeout.saturating_sub(now().saturating_sub(start));
        let ns = u64::try_from(left.as_nanos()).map_or(slice, |n| n.min(slice));
        let answer = enter_gl("glClientWaitSync", |gl| {
            let Some(result) = gl.share.syncs.objects[id].wait(gl.pipe, ns, false) else {
                return AGAIN;
            };
            let answer = match result {
                FenceResult::ALREADY_SIGNALED | FenceResult::CONDITION_SATISFIED => {
                    GL_CONDITION_SATISFIED
                }
                // A back end may come back early; the time alone says when it is over.
                FenceResult::TIMEOUT_EXPIRED if !left.is_zero() => return AGAIN,
                FenceResult::TIMEOUT_EXPIRED => GL_TIMEOUT_EXPIRED,
                _ => GL_WAIT_FAILED,
            };
            gl.share.syncs.let_go(id, gl.pipe);
            answer
        });
        match answer {
            AGAIN => {}
            0 => return GL_WAIT_FAILED,
            a => return a,
        }
        // Threads that queue for the driver get their chance.
        std::thread::yield_now();
        slice = (slice * 2).min(LONGEST_SLICE);
    }
}

gl_entry! {
    /// Sets a fence behind all commands so far (GL 4.6 §4.1).
    fn glFenceSync(gl, condition: GLenum, flags: GLbitfield) -> GLsync {
        let nothing = std::ptr::null_mut();
        if condition != GL_SYNC_GPU_COMMANDS_COMPLETE {
            gl.raise(GL_INVALID_ENUM);
            return nothing;
        }
        if flags != 0 {
            gl.raise(GL_INVALID_VALUE);
            return nothing;
        }
        let Some(sync) = Sync::new(gl.pipe) else { return nothing };
        let name = gl.share.syncs.reserve();
        gl.share.syncs.create(name, sync);
        std::ptr::without_provenance_mut(name as usize)
    }

    /// Whether a value is that of a sync object (GL 4.6 §4.1).
    fn glIsSync(gl, sync: GLsync) -> GLboolean {
        GLboolean::from(gl.share.syncs.id(name_of(sync)).is_some())
    }

    /// Ends a sync object; null is ignored (GL 4.6 §4.1).
    fn glDeleteSync(gl, sync: GLsync) {
        if sync.is_null() {
            return;
        }
        if !gl.share.syncs.delete_sync(name_of(sync), gl.pipe) {
            gl.raise(GL_INVALID_VALUE);
        }
    }

    /// Lets the server wait for a fence (GL 4.6 §4.1.1).
    fn glWaitSync(gl, sync: GLsync, flags: GLbitfield, timeout: GLuint64) {
        if flags != 0 || timeout != GL_TIMEOUT_IGNORED {
            return gl.raise(GL_INVALID_VALUE);
        }
        if let Some(id) = gl.sync(sync) {
            gl.share.syncs.objects[id].wait_on_server(gl.pipe);
        }
    }

    /// A property of a sync object (GL 4.6 §4.1.3).
    fn glGetSynciv(
        gl, sync: GLsync, pname: GLenum, count: GLsizei, length: *mut GLsizei, values: *mut GLint,
    ) {
        if gl.pipe.is_lost() {
            if pname == GL_SYNC_STATUS && count > 0 {
                // SAFETY: the program gives room for `count` values.
                unsafe { values.write_unaligned(GL_SIGNALED as GLint) };
            }
            return;
        }
        if count < 0 {
            return gl.raise(GL_INVALID_VALUE);
        }
        let Some(id) = gl.sync(sync) else { return };
        let value = match pname {
            GL_OBJECT_TYPE => GL_SYNC_FENCE,
            GL_SYNC_CONDITION => GL_SYNC_GPU_COMMANDS_COMPLETE,
            GL_SYNC_FLAGS => 0,
            GL_SYNC_STATUS => match gl.share.syncs.objects[id].is_signaled(gl.pipe) {
                Some(true) => GL_SIGNALED,
                _ => GL_UNSIGNALED,
            },
            _ => return gl.raise(GL_INVALID_ENUM),
        };
        if count > 0 {
            // SAFETY: the program gives room for `count` values.
            unsafe { values.write_unaligned(value as GLint) };
        }
        if !length.is_null() {
            // SAFETY: not null, so it leads to room for one value.
            unsafe { length.write_unaligned(count.min(1)) };
        }
    }
}

api_entry! {
    /// Waits for a fence, `timeout` nanoseconds at most (GL 4.6 §4.1.1). The driver is free for other threads
    /// meanwhile.
    fn glClientWaitSync(sync: GLsync, flags: GLbitfield, timeout: GLuint64) -> GLenum {
        let mut held = None;
        let answer = enter_gl("glClientWaitSync", |gl| {
            match first_look(gl, sync, flags, timeout) {
                First::Answer(a) => a,
                First::Wait(id) => {
                    held = Some(id);
                    0
                }
            }
        });
        match held {
            Some(id) => keep_waiting(id, timeout),
            None => answer,
        }
    }
}
