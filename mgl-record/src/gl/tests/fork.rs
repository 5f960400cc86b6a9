//! GL in children of a process that draws.

use super::*;
use crate::gl::query::*;
use mgl_core::pipe::NullBackend;

/// What a child does with GL; the exit status says which step failed, 0 for none.
fn in_child(parents: &ContextRef, config: &Config) -> i32 {
    if with_current("test", |_| ()).is_some() {
        return 1;
    }
    // SAFETY: no pointers.
    if unsafe { glIsQuery(1) } != 0 {
        return 2;
    }
    if context::make_current(Some(parents), None, None).is_ok() {
        return 3;
    }
    {
        let mut d = driver::lock();
        if d.pipe.is_some() || d.contexts.iter().next().is_some() {
            return 4;
        }
        d.pipe = Some(Pipe::with_backend(config, Box::new(NullBackend::default())));
    }
    let Ok(own) = context::create(&parents.config, None) else {
        return 5;
    };
    if context::make_current(Some(&own), None, None).is_err() {
        return 6;
    }
    let mut name = 0;
    // SAFETY: room for one name.
    unsafe {
        glGenQueries(1, &mut name);
        glBeginQuery(GL_SAMPLES_PASSED, name);
        glEndQuery(GL_SAMPLES_PASSED);
    }
    let working = with_current("test", |gl| {
        gl.ctx.error == 0 && gl.ctx.queries.get(name).is_some() && gl.share.contexts == 1
    });
    // The parent's context must not be mistaken for the child's own.
    if context::make_current(Some(parents), None, None).is_ok() {
        return 7;
    }
    if working == Some(true) { 0 } else { 8 }
}

#[test]
fn a_child_has_a_driver_of_its_own() {
    let parent = Current::new(Profile::Core);
    let mut name = 0;
    // SAFETY: room for one name.
    unsafe {
        glGenQueries(1, &mut name);
        glBeginQuery(GL_SAMPLES_PASSED, name);
    }
    let config = Config {
        backend: BackendKind::Null,
        record: None,
        ..Config::from_env()
    };
    // The child inherits a locked driver.
    let held = driver::lock();
    // SAFETY: the child touches memory, locks of its own and the allocator, which libc makes usable there.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: a child that hangs is ended by the signal, any other one here.
        unsafe {
            libc::alarm(30);
            libc::_exit(in_child(&parent.context, &config));
        }
    }
    drop(held);
    let mut status = 0;
    // SAFETY: room for the status.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert!(libc::WIFEXITED(status), "status {status:#x}");
    assert_eq!(libc::WEXITSTATUS(status), 0);
    assert_eq!(
        gl(|gl| gl
            .ctx
            .queries
            .active_name(mgl_core::pipe::QueryTarget::SAMPLES_PASSED)),
        name
    );
    // SAFETY: no pointers.
    unsafe { glEndQuery(GL_SAMPLES_PASSED) };
    no_error();
}
