//! Sync objects.

use super::*;
use crate::gl::sync::*;
use mgl_core::handle::FenceHandle;

fn fence() -> GLsync {
    // SAFETY: no pointers.
    unsafe { glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0) }
}

fn property(sync: GLsync, pname: GLenum) -> GLint {
    let (mut value, mut length) = (-7, -7);
    // SAFETY: room for one value each.
    unsafe { glGetSynciv(sync, pname, 1, &mut length, &mut value) };
    assert_eq!(length == 1, value != -7, "length counts what was written");
    value
}

/// Whether the pipe knows the fence of a sync.
fn is_pushed(sync: GLsync) -> bool {
    gl(|gl| {
        let s = gl.share.syncs.get(name_of(sync)).expect("live");
        gl.pipe.server().state.fences.get(s.handle()).is_ok()
    })
}

#[test]
fn a_fence_is_waited_for_and_deleted() {
    let _c = Current::new(Profile::Core);
    let s = fence();
    assert!(!s.is_null() && is_pushed(s));
    let h = gl(|gl| gl.share.syncs.get(name_of(s)).expect("live").handle());
    // SAFETY: no pointers but GLsync values.
    unsafe {
        assert_eq!((glIsSync(s), glIsSync(std::ptr::null_mut())), (1, 0));
        assert_eq!(
            glClientWaitSync(s, GL_SYNC_FLUSH_COMMANDS_BIT, 1_000_000),
            GL_ALREADY_SIGNALED
        );
        glWaitSync(s, 0, GL_TIMEOUT_IGNORED);
    }
    assert_eq!(property(s, GL_OBJECT_TYPE) as u32, GL_SYNC_FENCE);
    assert_eq!(property(s, GL_SYNC_STATUS) as u32, GL_SIGNALED);
    assert_eq!(
        property(s, GL_SYNC_CONDITION) as u32,
        GL_SYNC_GPU_COMMANDS_COMPLETE
    );
    assert_eq!(property(s, GL_SYNC_FLAGS), 0);
    assert_eq!(error(), 0);
    // SAFETY: as above.
    unsafe { glDeleteSync(s) };
    assert!(gl(|gl| gl.pipe.server().state.fences.get(h).is_err()));
    // SAFETY: as above.
    assert_eq!(unsafe { glIsSync(s) }, 0);
    assert_eq!(error(), 0);
}

#[test]
fn errors() {
    let _c = Current::new(Profile::Core);
    let s = fence();
    let wrong: GLsync = std::ptr::without_provenance_mut(usize::MAX);
    // SAFETY: no pointers but GLsync values, which are not followed.
    unsafe {
        assert!(glFenceSync(GL_SYNC_FENCE, 0).is_null());
        assert_eq!(error(), GL_INVALID_ENUM);
        assert!(glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 1).is_null());
        assert_eq!(error(), GL_INVALID_VALUE);
        for (sync, flags) in [(wrong, 0), (std::ptr::null_mut(), 0), (s, 2)] {
            assert_eq!(glClientWaitSync(sync, flags, 0), GL_WAIT_FAILED);
            assert_eq!(error(), GL_INVALID_VALUE);
        }
        for (sync, flags, timeout) in [
            (wrong, 0, GL_TIMEOUT_IGNORED),
            (s, 1, GL_TIMEOUT_IGNORED),
            (s, 0, 0),
        ] {
            glWaitSync(sync, flags, timeout);
            assert_eq!(error(), GL_INVALID_VALUE);
        }
        glDeleteSync(wrong);
        assert_eq!(error(), GL_INVALID_VALUE);
        glDeleteSync(std::ptr::null_mut());
        assert_eq!(error(), 0);
    }
    property(wrong, GL_SYNC_STATUS);
    assert_eq!(error(), GL_INVALID_VALUE);
    property(s, GL_SYNC_FENCE);
    assert_eq!(error(), GL_INVALID_ENUM);
    // SAFETY: nothing is written.
    unsafe {
        glGetSynciv(
            s,
            GL_SYNC_STATUS,
            -1,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        )
    };
    assert_eq!(error(), GL_INVALID_VALUE);
}

#[test]
fn a_sync_that_somebody_waits_for_outlives_its_name() {
    let _c = Current::new(Profile::Core);
    let s = fence();
    gl(|gl| {
        let id = gl.share.syncs.id(name_of(s)).expect("live");
        let handle = gl.share.syncs.objects[id].handle();
        gl.share.syncs.hold(id);
        assert!(gl.share.syncs.delete_sync(name_of(s), gl.pipe));
        assert!(gl.share.syncs.id(name_of(s)).is_none());
        assert!(gl.pipe.server().state.fences.get(handle).is_ok());
        gl.share.syncs.let_go(id, gl.pipe);
        assert!(gl.pipe.server().state.fences.get(handle).is_err());
    });
}

#[test]
fn syncs_are_seen_in_the_whole_share_group_and_made_anew() {
    let first = Current::new(Profile::Core);
    let s = fence();
    let second = Current::shared(Profile::Core, Some(&first.context));
    // SAFETY: no pointers but GLsync values.
    assert_eq!(unsafe { glIsSync(s) }, 1);
    assert_eq!(emission_difference(), None);
    drop(second);
    first.make_current();
    assert!(is_pushed(s), "the group lives on");
}

/// Has the fence of a sync say `times` more that it is not reached.
fn delay(s: GLsync, times: u32) -> FenceHandle {
    let h = gl(|gl| gl.share.syncs.get(name_of(s)).expect("live").handle());
    spy::delay(h, times);
    h
}

/// The waits for a fence so far: nanoseconds, and whether to flush first.
fn waits(h: FenceHandle) -> Vec<(u64, bool)> {
    let log = spy::log();
    let mine = log.waits.iter().filter(|w| w.0 == h);
    mine.map(|w| (w.1, w.2)).collect()
}

#[test]
fn a_long_wait_is_cut_into_slices_that_flush_once() {
    let _c = Current::new(Profile::Core);
    let s = fence();
    let h = delay(s, 5);
    assert_eq!(property(s, GL_SYNC_STATUS) as u32, GL_UNSIGNALED);
    // SAFETY: no pointers but GLsync values.
    unsafe {
        let wait = |ns| glClientWaitSync(s, GL_SYNC_FLUSH_COMMANDS_BIT, ns);
        assert_eq!(wait(0), GL_TIMEOUT_EXPIRED);
        assert_eq!(wait(u64::MAX), GL_CONDITION_SATISFIED);
        assert_eq!(wait(u64::MAX), GL_ALREADY_SIGNALED);
    }
    let all = waits(h);
    // The status, the look without waiting, the look before waiting, and slices that grow.
    assert_eq!(all[..3], [(0, false), (0, true), (0, true)]);
    assert_eq!(all.len(), 6, "a fence that was reached is not asked again");
    assert!(all[3..].iter().all(|w| !w.1 && w.0 > 0));
    assert!(all[3].0 < all[4].0 && all[4].0 < all[5].0);
    no_error();
}

#[test]
fn a_wait_ends_with_its_time() {
    let _c = Current::new(Profile::Core);
    let s = fence();
    let h = delay(s, u32::MAX);
    let start = std::time::Instant::now();
    // SAFETY: no pointers but GLsync values.
    unsafe {
        assert_eq!(glClientWaitSync(s, 0, 3_000_000), GL_TIMEOUT_EXPIRED);
        assert!(start.elapsed().as_nanos() >= 2_000_000);
        let held = gl(|gl| gl.share.syncs.get(name_of(s)).is_some());
        assert!(held && waits(h).iter().all(|w| w.0 <= 3_000_000));
        // Nobody waits any more: the fence ends with its name.
        glDeleteSync(s);
    }
    assert!(gl(|gl| gl.pipe.server().state.fences.get(h).is_err()));
    no_error();
}
