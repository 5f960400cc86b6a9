//! The trace that the settings ask for: when it begins and ends, and the images that go into it.

use super::Pipe;
use crate::notes;
use mgl_core::handle::SurfaceHandle;
use mgl_core::pipe::Event;
use mgl_core::pipe::event::LogLevel;
use mgl_core::trace::{Provenance, RecorderOptions, TraceRecorder};

impl Pipe {
    /// Starts writing the trace that the settings ask for. A failure is told and ends nothing.
    pub(super) fn start_recording(&mut self) {
        let Some(path) = self.config.record.clone() else {
            return;
        };
        // A second process of the same command finds the first one's file and takes a name of its own.
        let path = if is_taken(&path, self.config.record_over.as_deref()) {
            let mut name = path.file_stem().unwrap_or_default().to_os_string();
            name.push(format!("-{}", std::process::id()));
            if let Some(e) = path.extension() {
                name.push(".");
                name.push(e);
            }
            path.with_file_name(name)
        } else {
            path
        };
        let mut provenance = Provenance::of_process(&self.caps);
        if self.config.full_provenance {
            provenance.add_full();
        }
        let options = RecorderOptions {
            keeper: self.config.keeper.clone(),
            ..RecorderOptions::default()
        };
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

/// Whether the file is another process's recording: there, and not what `over` says it was before. A thing that is no
/// file is nobody's.
fn is_taken(path: &std::path::Path, over: Option<&str>) -> bool {
    let now = mgl_core::files::stamp(path);
    now.is_some() && now.as_deref() != over
}
