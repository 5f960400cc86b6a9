//! A device that is lost (GL 4.6 §2.3.2).

use super::*;
use crate::gl::clear::glClear;
use crate::gl::get::glGetGraphicsResetStatus;
use crate::gl::misc::{glFinish, glGetError};
use crate::gl::query::*;
use crate::gl::sync::*;

/// Draws until the device is lost, and looks at what a program sees then. The number of the first wrong thing.
fn after_a_loss(lose_on_reset: bool) -> i32 {
    let config = ContextConfig {
        lose_on_reset,
        robust: true,
        ..Current::config(Profile::Core)
    };
    let Ok(context) = context::create(&config, None) else {
        return 1;
    };
    if context::make_current(Some(&context), None, None).is_err() {
        return 2;
    }
    let mut name = 0;
    let (mut there, mut signaled, mut length) = (0, 0, 0);
    // SAFETY: room for what is asked.
    unsafe {
        glGenQueries(1, &mut name);
        glBeginQuery(GL_SAMPLES_PASSED, name);
        glEndQuery(GL_SAMPLES_PASSED);
        let fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        if glGetGraphicsResetStatus() != GL_NO_ERROR || glGetError() != GL_NO_ERROR {
            return 3;
        }
        spy::lose_device();
        glFinish();
        let error = if lose_on_reset {
            GL_CONTEXT_LOST
        } else {
            GL_NO_ERROR
        };
        let status = if lose_on_reset {
            GL_UNKNOWN_CONTEXT_RESET
        } else {
            GL_NO_ERROR
        };
        if glGetGraphicsResetStatus() != status || glGetError() != GL_NO_ERROR {
            return 4;
        }
        glClear(GL_COLOR_BUFFER_BIT);
        if glGetError() != error || glGetError() != GL_NO_ERROR {
            return 5;
        }
        // Who polls gets to an end.
        glGetQueryObjectuiv(name, GL_QUERY_RESULT_AVAILABLE, &mut there);
        glGetSynciv(fence, GL_SYNC_STATUS, 1, &mut length, &mut signaled);
        if there != 1 || signaled as u32 != GL_SIGNALED {
            return 6;
        }
        if glClientWaitSync(fence, 0, u64::MAX) != 0 {
            return 8;
        }
    }
    let sent = driver::lock().pipe.as_ref().is_some_and(Pipe::is_lost);
    if sent { 0 } else { 7 }
}

#[test]
fn a_lost_device_is_told_and_hangs_nobody() {
    for lose_on_reset in [true, false] {
        let wrong = in_child(|| {
            install_spy();
            after_a_loss(lose_on_reset)
        });
        assert_eq!(wrong, 0, "step, with lose_on_reset {lose_on_reset}");
    }
}
