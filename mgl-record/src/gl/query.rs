//! Entry points of query objects (GL 4.6 §4.2) and conditional rendering (§10.9).

use super::entry::gl_entry;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::pipe::Answer;
use mgl_core::pipe::{Call, QueryTarget, QueryTimestamp, Reply};

/// Bits of the counters of glGetQueryiv: results are 64 bits wide on the pipe, occlusion and primitive counts 32 bits at
/// least in every driver below.
const COUNTER_BITS: GLint = 64;
const COUNT_BITS: GLint = 32;

/// The time on the server, in nanoseconds (GL_TIMESTAMP of glGetInteger64v; GL 4.6 §4.3). 0 when it has no clock.
pub fn timestamp(gl: &mut Gl<'_>) -> i64 {
    let p = QueryTimestamp::default();
    match gl.pipe.ask_apart(Call::QueryTimestamp { p: &p }) {
        Answer::Reply(Reply::Value(v)) => i64::try_from(v).unwrap_or(i64::MAX),
        _ => 0,
    }
}

/// The target of a GL constant that glBeginQuery takes.
fn begin_target(target: GLenum) -> Option<QueryTarget> {
    Some(match target {
        GL_SAMPLES_PASSED => QueryTarget::SAMPLES_PASSED,
        GL_ANY_SAMPLES_PASSED => QueryTarget::ANY_SAMPLES_PASSED,
        GL_PRIMITIVES_GENERATED => QueryTarget::PRIMITIVES_GENERATED,
        GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN => {
            QueryTarget::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN
        }
        GL_TIME_ELAPSED => QueryTarget::TIME_ELAPSED,
        _ => return None,
    })
}

impl Gl<'_> {
    fn begin_target(&mut self, target: GLenum) -> Option<QueryTarget> {
        let t = begin_target(target);
        if t.is_none() {
            self.raise(GL_INVALID_ENUM);
        }
        t
    }

    /// Whether a name can be used for a query of `target`: it was generated (the compatibility profile takes any but
    /// 0), and its query, if it has one, is idle and of the same target.
    fn is_usable_for(&self, name: GLuint, target: QueryTarget) -> bool {
        let q = &self.ctx.queries;
        name != 0
            && (!self.is_core() || q.is_reserved(name))
            && q.get(name)
                .is_none_or(|q| !q.is_active() && q.target() == target)
    }

    /// glGetQueryObject*: `None` when an error was raised, and where the entry point is to be left.
    fn query_object(&mut self, name: GLuint, pname: GLenum) -> Option<u64> {
        let query = self.ctx.queries.get_mut(name).filter(|q| !q.is_active());
        let Some(query) = query else {
            self.raise(GL_INVALID_OPERATION);
            return None;
        };
        match pname {
            GL_QUERY_RESULT => query.result_apart(self.pipe),
            GL_QUERY_RESULT_AVAILABLE => query.is_available(self.pipe).map(u64::from),
            _ => {
                self.raise(GL_INVALID_ENUM);
                None
            }
        }
    }
}

gl_entry! {
    /// Reserves query names (GL 4.6 §4.2).
    fn glGenQueries(gl, n: GLsizei, ids: *mut GLuint) {
        if n < 0 {
            return gl.raise(GL_INVALID_VALUE);
        }
        for i in 0..n as usize {
            let name = gl.ctx.queries.reserve();
            // SAFETY: the program gives room for `n` names.
            unsafe { ids.add(i).write_unaligned(name) };
        }
    }

    /// Ends query names (GL 4.6 §4.2); unknown names and 0 are ignored. An active query goes on until it is ended.
    fn glDeleteQueries(gl, n: GLsizei, ids: *const GLuint) {
        if n < 0 {
            return gl.raise(GL_INVALID_VALUE);
        }
        for i in 0..n as usize {
            // SAFETY: the program gives `n` names.
            let name = unsafe { ids.add(i).read_unaligned() };
            gl.ctx.queries.delete(gl.pipe, name);
        }
    }

    /// Whether a name is that of a query object: a name that was never used is not (GL 4.6 §4.2).
    fn glIsQuery(gl, id: GLuint) -> GLboolean {
        GLboolean::from(gl.ctx.queries.get(id).is_some())
    }

    /// Begins a query (GL 4.6 §4.2).
    fn glBeginQuery(gl, target: GLenum, id: GLuint) {
        let Some(target) = gl.begin_target(target) else { return };
        if gl.ctx.queries.is_taken(target) || !gl.is_usable_for(id, target) {
            return gl.raise(GL_INVALID_OPERATION);
        }
        gl.ctx.queries.begin(gl.pipe, id, target);
    }

    /// Ends the active query of a target (GL 4.6 §4.2).
    fn glEndQuery(gl, target: GLenum) {
        let Some(target) = gl.begin_target(target) else { return };
        if !gl.ctx.queries.end(gl.pipe, target) {
            gl.raise(GL_INVALID_OPERATION);
        }
    }

    /// Records the time at which all that came before is done (GL 4.6 §4.3).
    fn glQueryCounter(gl, id: GLuint, target: GLenum) {
        if target != GL_TIMESTAMP {
            return gl.raise(GL_INVALID_ENUM);
        }
        if !gl.is_usable_for(id, QueryTarget::TIMESTAMP) {
            return gl.raise(GL_INVALID_OPERATION);
        }
        gl.ctx.queries.counter(gl.pipe, id);
    }

    /// A property of a query target (GL 4.6 §4.2.3): its active query, or the bits of its counter.
    fn glGetQueryiv(gl, target: GLenum, pname: GLenum, params: *mut GLint) {
        let found = match target {
            GL_TIMESTAMP => Some(QueryTarget::TIMESTAMP),
            t => begin_target(t),
        };
        let Some(target) = found else { return gl.raise(GL_INVALID_ENUM) };
        let value = match pname {
            GL_CURRENT_QUERY => gl.ctx.queries.active_name(target) as GLint,
            GL_QUERY_COUNTER_BITS => match target {
                QueryTarget::TIMESTAMP | QueryTarget::TIME_ELAPSED => COUNTER_BITS,
                QueryTarget::ANY_SAMPLES_PASSED => 1,
                // A back end that cannot count says so; the counter has no bits then (GL 4.6 §4.2.3).
                QueryTarget::SAMPLES_PASSED
                    if gl.pipe.caps().has("samples_passed:boolean") =>
                {
                    0
                }
                _ => COUNT_BITS,
            },
            _ => return gl.raise(GL_INVALID_ENUM),
        };
        // SAFETY: the program gives room for one value.
        unsafe { params.write_unaligned(value) };
    }

    /// A query's result or whether it is there (GL 4.6 §4.2.3), clamped to what fits.
    fn glGetQueryObjectiv(gl, id: GLuint, pname: GLenum, params: *mut GLint) {
        if let Some(v) = gl.query_object(id, pname) {
            // SAFETY: the program gives room for one value.
            unsafe { params.write_unaligned(GLint::try_from(v).unwrap_or(GLint::MAX)) };
        }
    }

    /// A query's result or whether it is there (GL 4.6 §4.2.3), clamped to what fits.
    fn glGetQueryObjectuiv(gl, id: GLuint, pname: GLenum, params: *mut GLuint) {
        if gl.pipe.is_lost() {
            if pname == GL_QUERY_RESULT_AVAILABLE {
                // SAFETY: the program gives room for one value.
                unsafe { params.write_unaligned(1) };
            }
            return;
        }
        if let Some(v) = gl.query_object(id, pname) {
            // SAFETY: the program gives room for one value.
            unsafe { params.write_unaligned(GLuint::try_from(v).unwrap_or(GLuint::MAX)) };
        }
    }

    /// A query's result or whether it is there (GL 4.6 §4.2.3), clamped to what fits.
    fn glGetQueryObjecti64v(gl, id: GLuint, pname: GLenum, params: *mut GLint64) {
        if let Some(v) = gl.query_object(id, pname) {
            // SAFETY: the program gives room for one value.
            unsafe { params.write_unaligned(GLint64::try_from(v).unwrap_or(GLint64::MAX)) };
        }
    }

    /// A query's result or whether it is there (GL 4.6 §4.2.3).
    fn glGetQueryObjectui64v(gl, id: GLuint, pname: GLenum, params: *mut GLuint64) {
        if let Some(v) = gl.query_object(id, pname) {
            // SAFETY: the program gives room for one value.
            unsafe { params.write_unaligned(v) };
        }
    }

    /// Makes rendering depend on an occlusion query (GL 4.6 §10.9).
    fn glBeginConditionalRender(gl, id: GLuint, mode: GLenum) {
        // Regions are the driver's to take or leave: rendering everywhere or nowhere is right for both kinds.
        let wait = match mode {
            GL_QUERY_WAIT | GL_QUERY_BY_REGION_WAIT => true,
            GL_QUERY_NO_WAIT | GL_QUERY_BY_REGION_NO_WAIT => false,
            _ => return gl.raise(GL_INVALID_ENUM),
        };
        if gl.ctx.queries.is_conditional() {
            return gl.raise(GL_INVALID_OPERATION);
        }
        let Some(query) = gl.ctx.queries.get(id) else { return gl.raise(GL_INVALID_VALUE) };
        let occlusion = matches!(
            query.target(),
            QueryTarget::SAMPLES_PASSED | QueryTarget::ANY_SAMPLES_PASSED
        );
        if query.is_active() || !occlusion {
            return gl.raise(GL_INVALID_OPERATION);
        }
        gl.ctx.queries.begin_conditional(id, wait);
    }

    /// Rendering depends on no query any more (GL 4.6 §10.9).
    fn glEndConditionalRender(gl) {
        if !gl.ctx.queries.end_conditional(gl.pipe) {
            gl.raise(GL_INVALID_OPERATION);
        }
    }
}
