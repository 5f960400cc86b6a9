//! The trace that the settings ask for: when it begins and ends, and the images that go into it.

use super::Pipe;
use crate::notes;
use mgl_core::files::stamp;
use mgl_core::handle::SurfaceHandle;
use mgl_core::pipe::event::{LogLevel, OutcomeKind};
use mgl_core::pipe::{ApplyError, Event};
use mgl_core::trace::{Keeper, Provenance, RecorderOptions, TraceRecorder};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

impl Pipe {
    /// Starts writing the trace that the settings ask for. A failure is told and ends nothing.
    pub(crate) fn start_recording(&mut self) {
        let Some(path) = self.config.record.clone() else {
            return;
        };
        let mut provenance = Provenance::of_process(&self.caps);
        if self.config.full_provenance {
            provenance.add_full();
        }
        let options = RecorderOptions {
            keeper: self.config.notes.as_deref().map(Keeper::place_beside),
            ..RecorderOptions::default()
        };
        let path = claimed(&path, self.config.record_over.as_deref());
        match TraceRecorder::create(&path, &provenance, options) {
            Ok(r) => {
                notes::recording(&path);
                self.recorder = Some(r);
            }
            Err(e) => {
                notes::failed(&e);
                eprintln!("mgl: not recording: {e}; the program goes on");
            }
        }
    }

    /// A record was not carried out: the trace says so, behind what was recorded by now.
    pub(super) fn record_outcome(&mut self, ordinal: u64, error: &ApplyError) {
        // One that no link carried is not in the trace.
        let Some(behind) = self.link.sent().checked_sub(ordinal.saturating_add(1)) else {
            return;
        };
        if let Some(r) = &mut self.recorder {
            r.event(&Event::Outcome {
                behind,
                kind: OutcomeKind::of(error),
                text: error.to_string(),
            });
        }
    }

    /// Ends the recording: index and trailer are written.
    pub fn finish_recording(&mut self) {
        if self.recorder.is_none() {
            return;
        }
        // What the server has not told yet belongs to the recording.
        let near = self.server_report().approximations;
        self.look();
        if let Some(mut r) = self.recorder.take() {
            // What was refused or approximated stands at the end of the trace: `mgl info` lists it.
            let refused = crate::refusals()
                .into_iter()
                .map(|(n, c)| (n.to_owned(), c));
            let values = self.unsupported.iter().map(|(n, c)| (n.clone(), *c));
            let near = near.into_iter().map(|(n, c)| (n, "approximated", c));
            let told = refused
                .chain(values)
                .map(|(what, times)| (what, "refused", times))
                .collect::<Vec<_>>();
            let told = told.iter().map(|(n, how, c)| (n.as_str(), *how, *c));
            for (what, how, times) in told.chain(near) {
                let text = format!("{what} {how} {times} times");
                r.event(&Event::Log {
                    level: LogLevel::Warn,
                    text,
                });
            }
            self.recording = Some(r.finish());
        }
    }

    /// What the recorder wants of a frame before it ends: its image.
    pub fn before_present(&mut self, surface: SurfaceHandle) {
        let every = self.config.images_every;
        if every == 0 || !self.presents.is_multiple_of(every) || self.recorder.is_none() {
            return;
        }
        let image = self.at_server(move |s| s.backend.read_surface(&s.state, surface));
        match image {
            None => {}
            Some(Ok((w, h, rgba))) => {
                if let Some(r) = &mut self.recorder {
                    r.frame_image(surface, w, h, &rgba);
                }
            }
            Some(Err(e)) => eprintln!("mgl: no image of frame {}: {e}", self.presents),
        }
    }

    /// A frame ended.
    pub fn after_present(&mut self) {
        self.presents += 1;
        let ends = self.config.max_frames.is_some_and(|n| self.presents >= n);
        if ends && self.recorder.is_some() {
            self.finish_recording();
            eprintln!(
                "mgl: recorded {} frames as asked; the program goes on",
                self.presents
            );
        }
    }
}

/// The file that this process records into: `path`, or, where another one does that already, one with the process id in its
/// name. What that process was before it became this one by `exec` counts as another.
fn claimed(path: &Path, over: Option<&str>) -> PathBuf {
    if claim(path, over) {
        return path.to_owned();
    }
    let pid = std::process::id();
    let named = |n: u64| {
        let mut name = path.file_stem().unwrap_or_default().to_os_string();
        name.push(format!("-{pid}"));
        if n > 1 {
            name.push(format!("-{n}"));
        }
        if let Some(e) = path.extension() {
            name.push(".");
            name.push(e);
        }
        path.with_file_name(name)
    };
    let mut names = (1..).map(named);
    names
        .find(|name| claim(name, None))
        .expect("a folder holds fewer files than there are numbers")
}

/// Takes a file for this process, unless it is another's: there, and not what `over` says it was before. A thing that is no
/// file is nobody's. Of processes that ask at the same time one gets it.
fn claim(path: &Path, over: Option<&str>) -> bool {
    match File::options().write(true).create_new(true).open(path) {
        Ok(_) => return true,
        Err(e) if e.kind() != ErrorKind::AlreadyExists => return true,
        Err(_) => {}
    }
    let Some(now) = stamp(path) else {
        return true;
    };
    if Some(&*now) != over {
        return false;
    }
    // It is to be replaced. Emptied it is another one than it was, for whoever comes next.
    let Ok(file) = File::options().write(true).open(path) else {
        return true;
    };
    file.try_lock().is_ok() && stamp(path).as_deref() == over && file.set_len(0).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use mgl_core::handle::FenceHandle;
    use mgl_core::link::Link;
    use mgl_core::pipe::{Backend, Call, FenceOnly, Flush, NullBackend};
    use mgl_core::trace::TraceFile;

    fn name(path: &Path) -> String {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.replace(&std::process::id().to_string(), "PID")
    }

    #[test]
    fn a_file_is_one_recorders_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a.mgltrace");
        for expected in [
            "a.mgltrace",
            "a-PID.mgltrace",
            "a-PID-2.mgltrace",
            "a-PID-3.mgltrace",
        ] {
            assert_eq!(name(&claimed(&path, Some("none"))), expected);
        }
        // What was there before the command is replaced, once.
        std::fs::write(&path, b"old").expect("written");
        let old = stamp(&path);
        assert_eq!(claimed(&path, old.as_deref()), path);
        assert_eq!(std::fs::read(&path).expect("there"), b"");
        assert_eq!(name(&claimed(&path, old.as_deref())), "a-PID-4.mgltrace");
        assert_eq!(
            claimed(Path::new("/dev/null"), None),
            Path::new("/dev/null")
        );
    }

    #[test]
    fn of_many_at_once_one_gets_it() {
        let dir = tempfile::tempdir().expect("a folder");
        for old in [false, true] {
            let path = dir.path().join(format!("{old}.mgltrace"));
            if old {
                std::fs::write(&path, b"old").expect("written");
            }
            let over = stamp(&path).unwrap_or_else(|| "none".to_owned());
            let start = std::sync::Barrier::new(8);
            let one = || {
                start.wait();
                claim(&path, Some(&over))
            };
            let got = std::thread::scope(|s| {
                let all = [(); 8].map(|()| s.spawn(one));
                all.map(|t| t.join().expect("no panic"))
            });
            assert_eq!(got.iter().filter(|got| **got).count(), 1, "{got:?}");
        }
    }

    /// What was not carried out stands in the trace by its record, over either link.
    #[test]
    fn outcomes_name_their_records() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, thread) in [("direct", false), ("thread", true)] {
            let path = folder.path().join(format!("{name}.mgltrace"));
            let config = Config {
                record: Some(path.clone()),
                ..Config::from_env()
            };
            let null =
                || Ok::<_, std::io::Error>(Box::new(NullBackend::default()) as Box<dyn Backend>);
            let link = if thread {
                Link::thread(null)
            } else {
                Link::direct(null)
            };
            let pipe = Pipe::with_link(&config, link.expect("a link"));
            let mut pipe = pipe.expect("its server");
            pipe.start_recording();
            let mut dead = FenceHandle::default();
            (dead.0.slot, dead.0.generation) = (3, 1);
            let mut sent = Vec::new();
            for n in 0..6 {
                if n % 3 == 1 {
                    sent.push(pipe.link.sent());
                    pipe.push(Call::FenceDestroy {
                        p: &FenceOnly { fence: dead },
                    });
                } else {
                    pipe.push(Call::Flush {
                        p: &Flush::default(),
                    });
                }
            }
            pipe.finish_recording();
            assert_eq!(pipe.faults().values().sum::<u64>(), 2, "{name}");
            let file = TraceFile::open(&path).expect("a trace");
            let outcomes = file.outcomes().expect("whole");
            assert_eq!(outcomes.len(), 2, "{name}");
            for ordinal in sent {
                let (kind, why) = outcomes.get(ordinal).expect("told");
                assert_eq!(kind, OutcomeKind::Refused);
                assert!(why.starts_with("FenceDestroy"), "{why}");
            }
        }
    }
}
