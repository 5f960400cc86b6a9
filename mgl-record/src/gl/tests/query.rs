//! Query objects and conditional rendering.

use super::*;
use crate::gl::query::*;
use mgl_core::handle::QueryHandle;

fn generate<const N: usize>() -> [GLuint; N] {
    let mut names = [0; N];
    // SAFETY: room for N names.
    unsafe { glGenQueries(N as GLsizei, names.as_mut_ptr()) };
    names
}

fn handle(name: GLuint) -> QueryHandle {
    gl(|gl| gl.ctx.queries.get(name).expect("it was used").handle())
}

/// Whether the query is active on the pipe; `None` when the pipe does not know it.
fn pushed(h: QueryHandle) -> Option<bool> {
    gl(|gl| gl.pipe.server().state.queries.get(h).ok().map(|q| q.active))
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
macro_rules! call {
    ($error:expr, $($call:tt)+) => {{
        // SAFETY: no pointers, or pointers to enough room.
        unsafe { $($call)+ };
        assert_eq!(error(), $error, stringify!($($call)+));
    }};
}

#[test]
fn names_become_queries_when_they_are_begun() {
    let _c = Current::new(Profile::Core);
    let [a, b] = generate();
    assert_ne!(a, b);
    // SAFETY: no pointers.
    assert_eq!(unsafe { glIsQuery(a) }, 0);
    call!(0, glBeginQuery(GL_SAMPLES_PASSED, a));
    // SAFETY: no pointers.
    assert_eq!(
        unsafe { (glIsQuery(a), glIsQuery(b), glIsQuery(0)) },
        (1, 0, 0)
    );
    assert_eq!(property(GL_SAMPLES_PASSED, GL_CURRENT_QUERY), a as GLint);
    assert_eq!(property(GL_ANY_SAMPLES_PASSED, GL_CURRENT_QUERY), 0);
    let h = handle(a);
    assert_eq!(pushed(h), Some(true));
    call!(0, glEndQuery(GL_SAMPLES_PASSED));
    assert_eq!(pushed(h), Some(false));
    assert_eq!(object(a, GL_QUERY_RESULT_AVAILABLE), 1);
    assert_eq!(object(a, GL_QUERY_RESULT), 0);
    call!(0, glDeleteQueries(1, &a));
    assert_eq!(pushed(h), None);
    call!(0, glDeleteQueries(2, [0, 4711].as_ptr()));
}

#[test]
fn errors_of_begin_and_end() {
    let _c = Current::new(Profile::Core);
    let [a, b, c] = generate();
    call!(GL_INVALID_VALUE, glGenQueries(-1, std::ptr::null_mut()));
    call!(GL_INVALID_VALUE, glDeleteQueries(-1, std::ptr::null()));
    call!(GL_INVALID_ENUM, glBeginQuery(GL_TIMESTAMP, a));
    call!(GL_INVALID_ENUM, glEndQuery(GL_TIMESTAMP));
    call!(GL_INVALID_OPERATION, glBeginQuery(GL_SAMPLES_PASSED, 0));
    call!(GL_INVALID_OPERATION, glBeginQuery(GL_SAMPLES_PASSED, 9999));
    call!(GL_INVALID_OPERATION, glEndQuery(GL_SAMPLES_PASSED));
    call!(0, glBeginQuery(GL_SAMPLES_PASSED, a));
    call!(GL_INVALID_OPERATION, glBeginQuery(GL_SAMPLES_PASSED, b));
    // Occlusion targets keep each other out, others do not; one query serves one target at a time.
    call!(GL_INVALID_OPERATION, glBeginQuery(GL_ANY_SAMPLES_PASSED, b));
    call!(GL_INVALID_OPERATION, glEndQuery(GL_ANY_SAMPLES_PASSED));
    call!(GL_INVALID_OPERATION, glBeginQuery(GL_TIME_ELAPSED, a));
    call!(GL_INVALID_OPERATION, glQueryCounter(a, GL_TIMESTAMP));
    call!(0, glBeginQuery(GL_TIME_ELAPSED, b));
    call!(0, glEndQuery(GL_TIME_ELAPSED));
    assert_eq!(object(a, GL_QUERY_RESULT), 77);
    assert_eq!(
        error(),
        GL_INVALID_OPERATION,
        "an active query has no result"
    );
    call!(0, glEndQuery(GL_SAMPLES_PASSED));
    call!(
        GL_INVALID_OPERATION,
        glBeginQuery(GL_PRIMITIVES_GENERATED, a)
    );
    call!(GL_INVALID_ENUM, glQueryCounter(c, GL_TIME_ELAPSED));
    call!(0, glQueryCounter(c, GL_TIMESTAMP));
    call!(GL_INVALID_OPERATION, glQueryCounter(a, GL_TIMESTAMP));
    call!(GL_INVALID_OPERATION, glQueryCounter(0, GL_TIMESTAMP));
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
    let _c = Current::new(Profile::Compatibility);
    call!(0, glBeginQuery(GL_SAMPLES_PASSED, 4711));
    call!(0, glEndQuery(GL_SAMPLES_PASSED));
    call!(GL_INVALID_OPERATION, glBeginQuery(GL_SAMPLES_PASSED, 0));
}

#[test]
fn a_deleted_active_query_lives_until_it_ends() {
    let _c = Current::new(Profile::Core);
    let [a] = generate();
    call!(0, glBeginQuery(GL_SAMPLES_PASSED, a));
    let h = handle(a);
    call!(0, glDeleteQueries(1, &a));
    // SAFETY: no pointers.
    assert_eq!(unsafe { glIsQuery(a) }, 0);
    assert_eq!(pushed(h), Some(true));
    call!(0, glEndQuery(GL_SAMPLES_PASSED));
    assert_eq!(pushed(h), None);
}

#[test]
fn conditional_rendering_follows_the_result() {
    let _c = Current::new(Profile::Core);
    let [a, b] = generate();
    call!(GL_INVALID_OPERATION, glEndConditionalRender());
    call!(
        GL_INVALID_ENUM,
        glBeginConditionalRender(a, GL_QUERY_RESULT)
    );
    call!(GL_INVALID_VALUE, glBeginConditionalRender(a, GL_QUERY_WAIT));
    call!(0, glBeginQuery(GL_TIME_ELAPSED, b));
    call!(0, glEndQuery(GL_TIME_ELAPSED));
    call!(
        GL_INVALID_OPERATION,
        glBeginConditionalRender(b, GL_QUERY_WAIT)
    );
    call!(0, glBeginQuery(GL_ANY_SAMPLES_PASSED, a));
    call!(
        GL_INVALID_OPERATION,
        glBeginConditionalRender(a, GL_QUERY_WAIT)
    );
    call!(0, glEndQuery(GL_ANY_SAMPLES_PASSED));
    let discards = || gl(|gl| gl.ctx.queries.discards(gl.pipe));
    assert!(!discards(), "nothing is conditional yet");
    // The back end sees no sample; without waiting, nothing depends on that until it has been asked.
    for (mode, discarded) in [
        (GL_QUERY_NO_WAIT, false),
        (GL_QUERY_BY_REGION_NO_WAIT, false),
        (GL_QUERY_WAIT, true),
        (GL_QUERY_BY_REGION_WAIT, true),
        (GL_QUERY_NO_WAIT, true),
    ] {
        call!(0, glBeginConditionalRender(a, mode));
        call!(GL_INVALID_OPERATION, glBeginConditionalRender(a, mode));
        assert_eq!(discards(), discarded);
        call!(0, glEndConditionalRender());
    }
    // The query of conditional rendering outlives its name.
    call!(0, glBeginConditionalRender(a, GL_QUERY_WAIT));
    let h = handle(a);
    call!(0, glDeleteQueries(1, &a));
    assert!(discards());
    assert_eq!(pushed(h), Some(false));
    call!(0, glEndConditionalRender());
    assert_eq!(pushed(h), None);
}

#[test]
fn queries_are_emitted_active_or_not() {
    let _c = Current::new(Profile::Core);
    let [a, b, c] = generate();
    call!(0, glBeginQuery(GL_SAMPLES_PASSED, a));
    call!(0, glBeginQuery(GL_TIME_ELAPSED, b));
    call!(0, glEndQuery(GL_TIME_ELAPSED));
    call!(0, glQueryCounter(c, GL_TIMESTAMP));
    assert_eq!(emission_difference(), None);
    call!(0, glEndQuery(GL_SAMPLES_PASSED));
}

#[test]
fn the_clock_goes_on() {
    let _c = Current::new(Profile::Core);
    let (first, second) = gl(|gl| (timestamp(gl), timestamp(gl)));
    assert!(first > 0 && second > first);
}

#[test]
fn polling_flushes_once_and_rendering_does_not_wait_unasked() {
    let _c = Current::new(Profile::Core);
    let [a] = generate();
    call!(0, glBeginQuery(GL_SAMPLES_PASSED, a));
    call!(0, glEndQuery(GL_SAMPLES_PASSED));
    let h = handle(a);
    spy::delay(h, 4);
    let me = context_handle();
    let mine = || spy::log().flushes.iter().filter(|c| **c == me).count();
    let before = mine();
    assert_eq!(object(a, GL_QUERY_RESULT_AVAILABLE), 0);
    assert_eq!(object(a, GL_QUERY_RESULT_AVAILABLE), 0);
    assert_eq!(mine(), before + 1);
    let discards = || gl(|gl| gl.ctx.queries.discards(gl.pipe));
    call!(0, glBeginConditionalRender(a, GL_QUERY_NO_WAIT));
    assert!(!discards() && !discards() && !discards());
    call!(0, glEndConditionalRender());
    // Nor did it ask.
    assert_eq!(object(a, GL_QUERY_RESULT_AVAILABLE), 0);
    assert_eq!(object(a, GL_QUERY_RESULT_AVAILABLE), 0);
    assert_eq!(object(a, GL_QUERY_RESULT_AVAILABLE), 1);
    assert_eq!(mine(), before + 1);
}
