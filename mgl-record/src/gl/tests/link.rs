//! The thread link under entry points: what waits, what does not, and who holds the driver meanwhile. Each test has a
//! driver of its own, in a child.

use super::*;
use crate::gl::draw::glDrawArrays;
use crate::gl::misc::{glFinish, glGetError};
use crate::gl::query::*;
use mgl_core::link::Link;
use mgl_core::pipe::{Call, Reply};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::channel;

/// Makes the driver of this process one that applies in a thread of its own.
fn install_thread() {
    install_thread_with(None);
}

/// As [`install_thread`], to be recorded.
fn install_thread_with(record: Option<std::path::PathBuf>) {
    let config = Config {
        backend: BackendKind::Null,
        record,
        ..Config::from_env()
    };
    let link = Link::thread(|| {
        Ok::<_, std::io::Error>(Box::new(Spy::new()) as Box<dyn mgl_core::pipe::Backend>)
    });
    let pipe = Pipe::with_link(&config, link.expect("a thread"));
    driver::lock().pipe = Some(pipe.expect("its server"));
}

fn context_of(share: Option<&ContextRef>) -> ContextRef {
    let made = context::create(&Current::config(Profile::Core), share);
    let made = made.expect("the spy makes contexts");
    context::make_current(Some(&made), None, None).expect("nobody else has it");
    made
}

fn surface() -> SurfaceRef {
    context::create_surface(&SurfaceConfig {
        native: None,
        width: 8,
        height: 8,
        alpha: true,
        depth_bits: 0,
        stencil_bits: 0,
        samples: 0,
        double_buffered: true,
        srgb: false,
    })
}

/// Calls of this process that were waited for.
fn waits() -> u64 {
    driver::lock().pipe.as_ref().map_or(0, Pipe::waits)
}

#[test]
fn steady_frames_wait_for_nothing_but_credit() {
    let wrong = in_child(|| {
        install_thread();
        let context = context_of(None);
        let surface = surface();
        let both = Some(&surface);
        context::make_current(Some(&context), both, both).expect("nobody else has it");
        use_program();
        vertex_array();
        let mut before = 0;
        for frame in 0..20 {
            if frame == 2 {
                before = waits();
            }
            // SAFETY: no pointers.
            unsafe {
                glDrawArrays(GL_TRIANGLES, 0, 3);
                crate::gl::clear::glClear(GL_COLOR_BUFFER_BIT);
                if glGetError() != GL_NO_ERROR {
                    return 1;
                }
            }
            context::swap_buffers(&surface).expect("it is there");
        }
        if waits() != before {
            return 2;
        }
        // What asks does wait, and is counted.
        // SAFETY: no pointers.
        unsafe { glFinish() };
        i32::from(waits() != before + 1) * 3
    });
    assert_eq!(wrong, 0, "step");
}

#[test]
fn who_waits_keeps_the_driver_from_nobody() {
    let wrong = in_child(|| {
        install_thread();
        let first = context_of(None);
        spy::hold(context_handle());
        let (started, has_started) = channel();
        let shared = first.clone();
        // Another thread works while this one waits, and only its work ends the wait.
        let other = std::thread::spawn(move || {
            let _second = context_of(Some(&shared));
            started.send(()).expect("somebody listens");
            // The first thread is inside glFinish by now, or will find the driver free all the same.
            std::thread::sleep(std::time::Duration::from_millis(50));
            for _ in 0..100 {
                let name = buffer(GL_ARRAY_BUFFER, &[1, 2, 3]);
                // SAFETY: one name.
                unsafe { crate::gl::buffer::glDeleteBuffers(1, &name) };
            }
            spy::let_go();
        });
        has_started.recv().expect("it starts");
        // SAFETY: no pointers.
        unsafe { glFinish() };
        other.join().expect("no panic");
        0
    });
    assert_eq!(wrong, 0, "step");
}

#[test]
fn an_entry_point_that_asks_is_run_again_with_the_answer() {
    let wrong = in_child(|| {
        install_thread();
        let _context = context_of(None);
        let mut names = [0; 2];
        let mut there = [7; 2];
        // SAFETY: room for what is asked.
        unsafe {
            glGenQueries(2, names.as_mut_ptr());
            for name in names {
                glBeginQuery(GL_SAMPLES_PASSED, name);
                glEndQuery(GL_SAMPLES_PASSED);
            }
            let h = with_current("glIsQuery", |gl| {
                gl.ctx.queries.get(names[0]).map(|q| q.handle())
            });
            spy::delay(h.flatten().expect("a query"), 1);
            glGetQueryObjectuiv(names[0], GL_QUERY_RESULT_AVAILABLE, &mut there[0]);
            glGetQueryObjectuiv(names[0], GL_QUERY_RESULT_AVAILABLE, &mut there[1]);
            if there != [0, 1] {
                return 1;
            }
            // An error is one of this call, not of the next.
            glGetQueryObjectuiv(names[1], GL_CULL_FACE, &mut there[0]);
            if glGetError() != GL_INVALID_ENUM || glGetError() != GL_NO_ERROR {
                return 2;
            }
        }
        0
    });
    assert_eq!(wrong, 0, "step");
}

#[test]
fn who_waits_keeps_the_driver_from_nobody_while_it_records() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("answers.mgltrace");
    let wrong = in_child(|| {
        install_thread_with(Some(path.clone()));
        if let Some(pipe) = &mut driver::lock().pipe {
            pipe.start_recording();
        }
        let first = context_of(None);
        let mut name = 0;
        // SAFETY: room for one name.
        unsafe {
            glGenQueries(1, &mut name);
            glBeginQuery(GL_SAMPLES_PASSED, name);
            glEndQuery(GL_SAMPLES_PASSED);
        }
        spy::hold(context_handle());
        let (started, has_started) = channel();
        let other = std::thread::spawn(move || {
            let _second = context_of(Some(&first));
            started.send(()).expect("somebody listens");
            std::thread::sleep(std::time::Duration::from_millis(50));
            for _ in 0..100 {
                let name = buffer(GL_ARRAY_BUFFER, &[1, 2, 3]);
                // SAFETY: one name.
                unsafe { crate::gl::buffer::glDeleteBuffers(1, &name) };
            }
            spy::let_go();
        });
        has_started.recv().expect("it starts");
        let mut result = 77;
        // SAFETY: room for what is asked.
        unsafe {
            crate::gl::misc::glFlush();
            glGetQueryObjectuiv(name, GL_QUERY_RESULT, &mut result);
        }
        other.join().expect("no panic");
        if let Some(pipe) = &mut driver::lock().pipe {
            pipe.finish_recording();
        }
        i32::from(result == 77)
    });
    assert_eq!(wrong, 0, "no answer");
    // The answer stands in the trace, though the other thread's records are behind its own.
    let file = mgl_core::trace::TraceFile::open(&path).expect("a trace");
    let mut cursor = file.records(..).expect("records");
    let (mut asked, mut behind) = (None, 0);
    while let Some(record) = cursor.next().expect("whole") {
        match record.call {
            Call::QueryResult { .. } => asked = Some(record.place.ordinal),
            _ => behind += u32::from(asked.is_some()),
        }
    }
    assert!(behind > 100, "{behind} records behind the question");
    let reply = file.reply(asked.expect("asked")).expect("whole");
    assert!(matches!(reply, Some(Reply::Value(_))), "{reply:?}");
}

#[test]
fn a_back_end_that_breaks_down_is_told_and_hangs_nobody() {
    let wrong = in_child(|| {
        install_thread();
        let _context = context_of(None);
        spy::break_down();
        // SAFETY: no pointers.
        let error = unsafe {
            glFinish();
            glFinish();
            glGetError()
        };
        let faults = driver::lock().pipe.as_ref().map_or(0, |p| p.faults().len());
        i32::from(faults != 1) + 2 * i32::from(error != GL_NO_ERROR)
    });
    assert_eq!(wrong, 0, "1: faults, 2: an error");
}

/// Two windows, each presented by a thread of its own as often as it may be: the one whose frames stay twice as long gets
/// half as many, and neither has the other's pace.
#[test]
fn each_window_has_its_own_pace() {
    let wrong = in_child(|| {
        spy::refresh_every(std::time::Duration::from_millis(8));
        install_thread();
        let counts = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
        let over = Arc::new(AtomicBool::new(false));
        let share = context_of(None);
        let threads = [1, 2].map(|interval| {
            let (counts, over) = (Arc::clone(&counts), Arc::clone(&over));
            let share = share.clone();
            std::thread::spawn(move || {
                let _context = context_of(Some(&share));
                let surface = surface();
                context::set_swap_interval(&surface, interval);
                while !over.load(Ordering::Relaxed) {
                    context::swap_buffers(&surface).expect("it is there");
                    counts[interval as usize - 1].fetch_add(1, Ordering::Relaxed);
                }
            })
        });
        let count = |i: usize| counts[i].load(Ordering::Relaxed);
        while count(0) < 80 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let slow = count(1);
        over.store(true, Ordering::Relaxed);
        for thread in threads {
            thread.join().expect("no panic");
        }
        i32::from(!(30..=50).contains(&slow)) * slow.max(1) as i32
    });
    assert_eq!(wrong, 0, "frames of the slow window to 80 of the other");
}
