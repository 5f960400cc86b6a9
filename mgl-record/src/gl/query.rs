//! Entry points of query objects (GL 4.6 §4.2) and conditional rendering (§10.9).

use super::entry::gl_entry;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use mgl_core::pipe::{Call, QueryTarget, QueryTimestamp, Reply};

/// Bits of the counters of glGetQueryiv: results are 64 bits wide on the pipe, occlusion and primitive counts 32 bits at
/// least in every driver below.
const COUNTER_BITS: GLint = 64;
const COUNT_BITS: GLint = 32;

/// The time on the server, in nanoseconds (GL_TIMESTAMP of glGetInteger64v; GL 4.6 §4.3). 0 when it has no clock.
pub fn timestamp(gl: &mut Gl<'_>) -> i64 {
    let p = QueryTimestamp::default();
    match gl.pipe.ask(Call::QueryTimestamp { p: &p }) {
        Some(Reply::Value(v)) => i64::try_from(v).unwrap_or(i64::MAX),
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

    /// glGetQueryObject*: `None` when an error was raised.
    fn query_object(&mut self, name: GLuint, pname: GLenum) -> Option<u64> {
        let query = self.ctx.queries.get_mut(name).filter(|q| !q.is_active());
        let Some(query) = query else {
            self.raise(GL_INVALID_OPERATION);
            return None;
        };
        match pname {
            GL_QUERY_RESULT => Some(query.result(self.pipe)),
            GL_QUERY_RESULT_AVAILABLE => Some(u64::from(query.is_available(self.pipe))),
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

#[cfg(test)]
mod tests {
    use super::super::testing::{current, error, on};
    use super::*;
    use crate::context::Profile;
    use mgl_core::handle::QueryHandle;

    fn generate<const N: usize>() -> [GLuint; N] {
        let mut names = [0; N];
        // SAFETY: room for N names.
        unsafe { glGenQueries(N as GLsizei, names.as_mut_ptr()) };
        names
    }

    fn handle(name: GLuint) -> QueryHandle {
        on(|gl| gl.ctx.queries.get(name).expect("it was used").handle())
    }

    /// Whether the query is active on the pipe; `None` when the pipe does not know it.
    fn pushed(h: QueryHandle) -> Option<bool> {
        on(|gl| gl.pipe.state.queries.get(h).ok().map(|q| q.active))
    }

    fn object(name: GLuint, pname: GLenum) -> GLuint {
        let mut v = 77;
        // SAFETY: room for one value.
        unsafe { glGetQueryObjectuiv(name, pname, &mut v) };
        v
    }

    fn property(target: GLenum, pname: GLenum) -> GLint {
        let mut v = -7;
        // SAFETY: room for one value.
        unsafe { glGetQueryiv(target, pname, &mut v) };
        v
    }

    /// A call, and the error that it raises.
    macro_rules! raises {
        ($error:expr, $($call:tt)+) => {{
            // SAFETY: no pointers, or pointers to enough room.
            unsafe { $($call)+ };
            assert_eq!(error(), $error, stringify!($($call)+));
        }};
    }

    #[test]
    fn names_become_queries_when_they_are_begun() {
        let _c = current(Profile::Core, None);
        let [a, b] = generate();
        assert_ne!(a, b);
        // SAFETY: no pointers.
        assert_eq!(unsafe { glIsQuery(a) }, 0);
        raises!(0, glBeginQuery(GL_SAMPLES_PASSED, a));
        // SAFETY: no pointers.
        assert_eq!(
            unsafe { (glIsQuery(a), glIsQuery(b), glIsQuery(0)) },
            (1, 0, 0)
        );
        assert_eq!(property(GL_SAMPLES_PASSED, GL_CURRENT_QUERY), a as GLint);
        assert_eq!(property(GL_ANY_SAMPLES_PASSED, GL_CURRENT_QUERY), 0);
        let h = handle(a);
        assert_eq!(pushed(h), Some(true));
        raises!(0, glEndQuery(GL_SAMPLES_PASSED));
        assert_eq!(pushed(h), Some(false));
        assert_eq!(object(a, GL_QUERY_RESULT_AVAILABLE), 1);
        assert_eq!(object(a, GL_QUERY_RESULT), 0);
        raises!(0, glDeleteQueries(1, &a));
        assert_eq!(pushed(h), None);
        raises!(0, glDeleteQueries(2, [0, 4711].as_ptr()));
    }

    #[test]
    fn errors_of_begin_and_end() {
        let _c = current(Profile::Core, None);
        let [a, b, c] = generate();
        raises!(GL_INVALID_VALUE, glGenQueries(-1, std::ptr::null_mut()));
        raises!(GL_INVALID_VALUE, glDeleteQueries(-1, std::ptr::null()));
        raises!(GL_INVALID_ENUM, glBeginQuery(GL_TIMESTAMP, a));
        raises!(GL_INVALID_ENUM, glEndQuery(GL_TIMESTAMP));
        raises!(GL_INVALID_OPERATION, glBeginQuery(GL_SAMPLES_PASSED, 0));
        raises!(GL_INVALID_OPERATION, glBeginQuery(GL_SAMPLES_PASSED, 9999));
        raises!(GL_INVALID_OPERATION, glEndQuery(GL_SAMPLES_PASSED));
        raises!(0, glBeginQuery(GL_SAMPLES_PASSED, a));
        raises!(GL_INVALID_OPERATION, glBeginQuery(GL_SAMPLES_PASSED, b));
        // Occlusion targets keep each other out, others do not; one query serves one target at a time.
        raises!(GL_INVALID_OPERATION, glBeginQuery(GL_ANY_SAMPLES_PASSED, b));
        raises!(GL_INVALID_OPERATION, glEndQuery(GL_ANY_SAMPLES_PASSED));
        raises!(GL_INVALID_OPERATION, glBeginQuery(GL_TIME_ELAPSED, a));
        raises!(GL_INVALID_OPERATION, glQueryCounter(a, GL_TIMESTAMP));
        raises!(0, glBeginQuery(GL_TIME_ELAPSED, b));
        raises!(0, glEndQuery(GL_TIME_ELAPSED));
        assert_eq!(object(a, GL_QUERY_RESULT), 77);
        assert_eq!(
            error(),
            GL_INVALID_OPERATION,
            "an active query has no result"
        );
        raises!(0, glEndQuery(GL_SAMPLES_PASSED));
        raises!(
            GL_INVALID_OPERATION,
            glBeginQuery(GL_PRIMITIVES_GENERATED, a)
        );
        raises!(GL_INVALID_ENUM, glQueryCounter(c, GL_TIME_ELAPSED));
        raises!(0, glQueryCounter(c, GL_TIMESTAMP));
        raises!(GL_INVALID_OPERATION, glQueryCounter(a, GL_TIMESTAMP));
        raises!(GL_INVALID_OPERATION, glQueryCounter(0, GL_TIMESTAMP));
        assert_eq!(object(c, GL_QUERY_RESULT_AVAILABLE), 1);
        object(c, GL_QUERY_TARGET);
        assert_eq!(error(), GL_INVALID_ENUM);
        object(9999, GL_QUERY_RESULT);
        assert_eq!(error(), GL_INVALID_OPERATION);
        assert_eq!(property(GL_TIMESTAMP, GL_QUERY_COUNTER_BITS), 64);
        assert_eq!(property(GL_TIMESTAMP, GL_CURRENT_QUERY), 0);
        assert_eq!(property(GL_QUERY, GL_CURRENT_QUERY), -7);
        assert_eq!(error(), GL_INVALID_ENUM);
        property(GL_SAMPLES_PASSED, GL_QUERY_RESULT);
        assert_eq!(error(), GL_INVALID_ENUM);
    }

    #[test]
    fn the_compatibility_profile_takes_names_of_the_programs_own() {
        let _c = current(Profile::Compatibility, None);
        raises!(0, glBeginQuery(GL_SAMPLES_PASSED, 4711));
        raises!(0, glEndQuery(GL_SAMPLES_PASSED));
        raises!(GL_INVALID_OPERATION, glBeginQuery(GL_SAMPLES_PASSED, 0));
    }

    #[test]
    fn a_deleted_active_query_lives_until_it_ends() {
        let _c = current(Profile::Core, None);
        let [a] = generate();
        raises!(0, glBeginQuery(GL_SAMPLES_PASSED, a));
        let h = handle(a);
        raises!(0, glDeleteQueries(1, &a));
        // SAFETY: no pointers.
        assert_eq!(unsafe { glIsQuery(a) }, 0);
        assert_eq!(pushed(h), Some(true));
        raises!(0, glEndQuery(GL_SAMPLES_PASSED));
        assert_eq!(pushed(h), None);
    }

    #[test]
    fn conditional_rendering_follows_the_result() {
        let _c = current(Profile::Core, None);
        let [a, b] = generate();
        raises!(GL_INVALID_OPERATION, glEndConditionalRender());
        raises!(
            GL_INVALID_ENUM,
            glBeginConditionalRender(a, GL_QUERY_RESULT)
        );
        raises!(GL_INVALID_VALUE, glBeginConditionalRender(a, GL_QUERY_WAIT));
        raises!(0, glBeginQuery(GL_TIME_ELAPSED, b));
        raises!(0, glEndQuery(GL_TIME_ELAPSED));
        raises!(
            GL_INVALID_OPERATION,
            glBeginConditionalRender(b, GL_QUERY_WAIT)
        );
        raises!(0, glBeginQuery(GL_ANY_SAMPLES_PASSED, a));
        raises!(
            GL_INVALID_OPERATION,
            glBeginConditionalRender(a, GL_QUERY_WAIT)
        );
        raises!(0, glEndQuery(GL_ANY_SAMPLES_PASSED));
        let discards = || on(|gl| gl.ctx.queries.discards(gl.pipe));
        assert!(!discards(), "nothing is conditional yet");
        for mode in [GL_QUERY_WAIT, GL_QUERY_NO_WAIT, GL_QUERY_BY_REGION_WAIT] {
            raises!(0, glBeginConditionalRender(a, mode));
            raises!(GL_INVALID_OPERATION, glBeginConditionalRender(a, mode));
            assert!(discards(), "the null back end sees no sample");
            raises!(0, glEndConditionalRender());
        }
        // The query of conditional rendering outlives its name.
        raises!(0, glBeginConditionalRender(a, GL_QUERY_WAIT));
        let h = handle(a);
        raises!(0, glDeleteQueries(1, &a));
        assert!(discards());
        assert_eq!(pushed(h), Some(false));
        raises!(0, glEndConditionalRender());
        assert_eq!(pushed(h), None);
    }

    #[test]
    fn a_repush_makes_the_pushed_state_anew() {
        let _c = current(Profile::Core, None);
        let [a, b, c] = generate();
        raises!(0, glBeginQuery(GL_SAMPLES_PASSED, a));
        raises!(0, glBeginQuery(GL_TIME_ELAPSED, b));
        raises!(0, glEndQuery(GL_TIME_ELAPSED));
        raises!(0, glQueryCounter(c, GL_TIMESTAMP));
        on(|gl| {
            let mut fresh = mgl_core::pipe::PushedState::default();
            let mut backend = mgl_core::pipe::NullBackend::default();
            let mut counters = mgl_core::counters::Counters::default();
            gl.ctx.queries.repush(&mut |call| {
                mgl_core::pipe::apply(&mut fresh, &mut backend, &mut counters, &call)
                    .expect("a repush is well-formed");
            });
            for name in [a, b, c] {
                let h = gl.ctx.queries.get(name).expect("used").handle();
                assert_eq!(
                    fresh.queries.get(h).expect("made anew"),
                    gl.pipe.state.queries.get(h).expect("live")
                );
            }
        });
        raises!(0, glEndQuery(GL_SAMPLES_PASSED));
    }

    #[test]
    fn the_clock_goes_on() {
        let _c = current(Profile::Core, None);
        let (first, second) = on(|gl| (timestamp(gl), timestamp(gl)));
        assert!(first > 0 && second > first);
    }
}
