//! The end of the process: the trace gets its index, and the report that `MGL_REPORT` asked for is written.

use crate::driver;
use mgl_core::handle::HandleKind;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long the end of the process waits for a lock, and for the applying thread.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the driver can say of itself at exit.
#[derive(Serialize)]
struct Report {
    backend: String,
    renderer: String,
    counters: mgl_core::counters::Counters,
    /// Calls that were waited for, Presents apart.
    waits: u64,
    /// What the client's end of the ring did; absent over the direct link.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<mgl_core::link::ring::LinkStats>,
    /// Handles by kind.
    handles: BTreeMap<String, HandleUse>,
    /// Entry points that are not implemented and were called, with how often.
    refused: BTreeMap<String, u64>,
    /// Legal values that are not lowered, with how often.
    unsupported: BTreeMap<String, u64>,
    /// What was drawn as near as the API below allows, with how often.
    approximated: BTreeMap<String, u64>,
    /// Pushes that `apply` refused; empty in a healthy driver.
    faults: BTreeMap<String, u64>,
    /// Entry points whose body panicked; empty in a healthy driver.
    panics: BTreeMap<String, u64>,
    checks: crate::check::Checks,
    recording: Option<mgl_core::trace::Status>,
}

/// How many handles of a kind there are.
#[derive(Serialize)]
struct HandleUse {
    /// Live at exit, at the client's end.
    live: usize,
    /// Slots ever used at once: a growing number is a leak.
    high_water: usize,
}

fn handles(pipe: &crate::pipe::Pipe) -> BTreeMap<String, HandleUse> {
    let kinds = (1..HandleKind::COUNT as u32).map(HandleKind);
    kinds
        .filter_map(|kind| {
            let (live, high_water) = pipe.handle_counts(kind);
            let name = kind.name()?.trim_start_matches("GL_").to_lowercase();
            Some((name, HandleUse { live, high_water }))
        })
        .collect()
}

/// Has [`finish`] called when the process exits.
pub fn at_exit() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    extern "C" fn handler() {
        // A panic must not cross into the C library.
        if std::panic::catch_unwind(finish).is_err() {
            eprintln!("mgl: internal error while the process ended");
        }
    }
    ONCE.call_once(|| {
        // SAFETY: the handler is a function of this library, which is never unloaded (-z nodelete).
        if unsafe { libc::atexit(handler) } != 0 {
            eprintln!("mgl: the trace's index will be missing: no exit handler could be set");
        }
    });
}

/// Lets the applying thread come to rest when the main thread calls `exit`: before the C library runs the exit handlers
/// and destructors of what is below, which that thread would meet half gone. Destructors of a thread's values run
/// first of all.
struct Rest;

thread_local! {
    static REST: Rest = const { Rest };
}

/// To be called in threads that use GL.
pub fn rest_at_exit() {
    // A thread that is ending has no place for it, and needs none.
    let _ = REST.try_with(|_| ());
}

impl Drop for Rest {
    fn drop(&mut self) {
        // Other threads end without the process.
        // SAFETY: touch no memory.
        if unsafe { libc::gettid() != libc::getpid() } {
            return;
        }
        // A panic must not cross into the C library.
        let _ = std::panic::catch_unwind(|| {
            let Some(mut d) = driver::try_lock_for(PATIENCE) else {
                return;
            };
            if let Some(pipe) = d.pipe.as_mut() {
                pipe.rest(PATIENCE);
            }
        });
    }
}

fn finish() {
    // A thread that was stopped inside the driver may hold the lock for ever.
    let Some(mut d) = driver::try_lock_for(PATIENCE) else {
        eprintln!("mgl: the driver is busy at exit; the trace has no index (mgl repair writes it)");
        return;
    };
    let d: &mut driver::Driver = &mut d;
    let misc: Vec<_> = d
        .contexts
        .iter()
        .flat_map(|c| c.misc.refused().iter().map(|(k, n)| (*k, *n)))
        .collect();
    let Some(pipe) = d.pipe.as_mut() else { return };
    pipe.look();
    pipe.finish_recording();
    pipe.tell_unused_leave_out();
    let server = pipe.server_report();
    if !pipe.close(PATIENCE) {
        eprintln!("mgl: the back end is still busy; its last frames are not shown");
    }
    let Some(path) = pipe.config.report.clone() else {
        return;
    };
    let caps = pipe.caps();
    let named = |l: Vec<(&'static str, u64)>| {
        l.into_iter()
            .map(|(n, c)| (n.to_owned(), c))
            .collect::<BTreeMap<_, _>>()
    };
    let mut unsupported = pipe.unsupported().clone();
    for ((entry, value), n) in misc {
        *unsupported
            .entry(format!("{entry}({value:#06x})"))
            .or_insert(0) += n;
    }
    let report = Report {
        backend: caps.backend.clone(),
        renderer: caps.renderer.clone(),
        counters: server.counters,
        waits: pipe.waits(),
        link: pipe.link_stats(),
        handles: handles(pipe),
        refused: named(crate::refusals()),
        unsupported,
        approximated: named(server.approximations),
        faults: pipe.faults().clone(),
        panics: named(crate::gl::entry::panics()),
        checks: pipe.checks.clone(),
        recording: pipe.recording.clone(),
    };
    let written = serde_json::to_vec_pretty(&report)
        .map_err(std::io::Error::from)
        .and_then(|bytes| mgl_core::files::write(&path, &bytes));
    if let Err(e) = written {
        eprintln!("mgl: report {}: {e}", path.display());
    }
}
