//! Are we the process that started recording, or a child that was forked off it?
//!
//! Asked at every record, so it must not cost a system call: a page that the kernel empties in the child answers with
//! one load. Where the kernel lacks that, the process id is compared.

use memmap2::MmapMut;

/// Tells a forked child from its parent.
pub(super) struct ForkGuard {
    /// Its first byte is 1 in the parent and 0 in a child.
    page: Option<MmapMut>,
    pid: u32,
}

impl ForkGuard {
    /// Made in the parent.
    pub fn new() -> Self {
        let page = MmapMut::map_anon(4096).ok().and_then(|mut page| {
            // SAFETY: the range is the private anonymous map that was just made, and this object owns it.
            let wiped = unsafe {
                libc::madvise(page.as_mut_ptr().cast(), page.len(), libc::MADV_WIPEONFORK)
            };
            page[0] = 1;
            (wiped == 0).then_some(page)
        });
        Self {
            page,
            pid: std::process::id(),
        }
    }

    /// Whether this process is a child of the one that made the guard.
    #[inline]
    pub fn is_child(&self) -> bool {
        match &self.page {
            // SAFETY: the pointer is to the first byte of a live map. Volatile, because the kernel changes it.
            Some(page) => unsafe { page.as_ptr().read_volatile() == 0 },
            None => std::process::id() != self.pid,
        }
    }
}

/// Runs `f` with all signals blocked. A thread that it starts inherits that: the program's handlers never run on it, and
/// SIGXFSZ becomes a write error.
pub fn with_signals_blocked<T>(f: impl FnOnce() -> T) -> T {
    // SAFETY: both sets are initialised by the calls that fill them before they are read.
    unsafe {
        let mut all = std::mem::zeroed::<libc::sigset_t>();
        let mut old = std::mem::zeroed::<libc::sigset_t>();
        libc::sigfillset(&raw mut all);
        let blocked = libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut old) == 0;
        let r = f();
        if blocked {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const old, std::ptr::null_mut());
        }
        r
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_knows_that_it_is_one() {
        let guard = ForkGuard::new();
        assert!(!guard.is_child());
        // SAFETY: the child calls nothing but the guard and _exit.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let code = i32::from(!guard.is_child());
            // SAFETY: ends the child without running the test harness's own exit work.
            unsafe { libc::_exit(code) };
        }
        assert!(child > 0, "fork");
        let mut status = -1;
        // SAFETY: waits for the child made above.
        unsafe { libc::waitpid(child, &raw mut status, 0) };
        assert_eq!(status, 0);
        assert!(!guard.is_child());
        let by_pid = ForkGuard { page: None, pid: 1 };
        assert!(by_pid.is_child());
    }
}
