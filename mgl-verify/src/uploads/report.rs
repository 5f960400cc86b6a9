//! [`report`]: both sides of a trace's uploads together, as `mgl uploads` shows them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use mgl_core::trace::TraceFile;
use mgl_replay::player::{PlayOptions, Progress, play};
use mgl_replay::{BackendKind, BackendOptions, Limit, make_backend};
use serde::Serialize;

use super::client::{
    BufferUploads, ClientUploads, LevelUploads, TextureInfo, TextureLevel, UploadTotals,
    client_of_frames,
};
use super::file::{runs, show};
use super::server::{ServerBuffers, ServerLevel, ServerUploads};
use crate::replay::{ReplayError, nothing, unplayed};

/// What a trace uploads, and what a back end makes of it. Serialises to the JSON of `mgl uploads --json`.
#[derive(Clone, Debug, Serialize)]
pub struct UploadsReport {
    #[serde(serialize_with = "mgl_core::files::lossy")]
    pub trace: PathBuf,
    /// Frames looked at, `A..B`.
    pub frames: String,
    /// The back end that was asked.
    pub back_end: Option<String>,
    /// The driver below it.
    pub renderer: Option<String>,
    pub textures: Vec<TextureInfo>,
    /// By frame, texture and level.
    pub uploads: Vec<LevelRow>,
    /// By frame.
    pub buffers: Vec<BufferRow>,
    /// Sums over the frames.
    pub totals: Totals,
}

/// Uploads into a level of a texture in one frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelRow {
    pub frame: u64,
    pub texture: u32,
    pub level: u32,
    #[serde(flatten)]
    pub client: LevelUploads,
    /// Nothing where no back end was asked, or where it uploads nothing.
    pub back_end: Option<LevelResult>,
}

/// What a back end made of a level's uploads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelResult {
    /// `box`, `regions`, or how many of each.
    pub shape: String,
    /// Upload calls to the driver.
    pub jobs: u64,
    /// Bytes handed to it.
    pub bytes: u64,
}

/// Uploads into buffers in one frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BufferRow {
    pub frame: u64,
    #[serde(flatten)]
    pub client: BufferUploads,
    pub back_end: Option<ServerBuffers>,
}

/// Sums.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Totals {
    #[serde(flatten)]
    pub client: UploadTotals,
    /// Into textures.
    pub back_end: Option<ServerBuffers>,
    /// Into buffers.
    pub back_end_buffers: Option<ServerBuffers>,
}

/// Frames that follow each other in which a level gets the same.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelRun<'r> {
    /// `3` or `3..7`.
    pub frames: String,
    pub texture: u32,
    pub level: u32,
    pub client: &'r LevelUploads,
    pub back_end: Option<&'r LevelResult>,
}

/// Frames that follow each other in which all buffers together get the same.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferRun {
    /// `3` or `3..7`.
    pub frames: String,
    pub client: BufferUploads,
    pub back_end: Option<ServerBuffers>,
}

impl UploadsReport {
    /// Whether nothing is uploaded in these frames.
    pub fn is_empty(&self) -> bool {
        self.uploads.is_empty() && self.buffers.is_empty()
    }

    /// The rows of [`Self::uploads`] by texture and level, equal ones of frames that follow each other as one.
    pub fn level_runs(&self) -> Vec<LevelRun<'_>> {
        let by_frame: BTreeMap<_, _> = self
            .uploads
            .iter()
            .map(|row| {
                let at = TextureLevel {
                    texture: row.texture,
                    level: row.level,
                };
                ((row.frame, at), (&row.client, row.back_end.as_ref()))
            })
            .collect();
        runs(&by_frame, |&(frame, at)| (at, frame))
            .into_iter()
            .map(|(at, frames, &(client, back_end))| LevelRun {
                frames: show(&frames),
                texture: at.texture,
                level: at.level,
                client,
                back_end,
            })
            .collect()
    }

    /// The rows of [`Self::buffers`], equal ones of frames that follow each other as one.
    pub fn buffer_runs(&self) -> Vec<BufferRun> {
        let by_frame: BTreeMap<_, _> = self
            .buffers
            .iter()
            .map(|row| (row.frame, (row.client, row.back_end)))
            .collect();
        runs(&by_frame, |&frame| ((), frame))
            .into_iter()
            .map(|((), frames, &(client, back_end))| BufferRun {
                frames: show(&frames),
                client,
                back_end,
            })
            .collect()
    }
}

/// The back end that is asked what it makes of uploads.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'p> {
    pub kind: BackendKind,
    /// How far the bounds on what a replay may cost hold.
    pub limit: Limit,
    /// Where the replay tells how far it is.
    pub progress: Option<Progress<'p>>,
}

/// What a trace uploads in some frames (nothing: all of them), and what a back end makes of it if one is asked. `step` is
/// called with the number of frames, once after each that was replayed.
///
/// # Errors
/// The trace is damaged, holds no frame or lacks those asked for; the back end does not start or fails.
pub fn report(
    file: &TraceFile,
    frames: Option<Range<u64>>,
    asked: Option<Asked<'_>>,
    step: impl FnMut(u64),
) -> Result<UploadsReport, ReplayError> {
    if file.all_frames().is_empty() {
        return Err(nothing(file));
    }
    let wanted = frames.clone().unwrap_or(file.all_frames());
    let client = client_of_frames(file, wanted.clone())?;
    let replayed = match asked {
        Some(asked) => Some(replay(file, &client, frames, asked, step)?),
        None => None,
    };
    let server = replayed.as_ref().map(|(server, _)| server);
    Ok(UploadsReport {
        trace: file.path().to_owned(),
        frames: format!("{}..{}", wanted.start, wanted.end),
        back_end: asked.map(|asked| asked.kind.to_string()),
        renderer: replayed.as_ref().map(|(_, renderer)| renderer.clone()),
        uploads: client
            .levels
            .iter()
            .map(|(&(frame, at), uploads)| LevelRow {
                frame,
                texture: at.texture,
                level: at.level,
                client: uploads.clone(),
                back_end: server
                    .and_then(|s| s.levels.get(&(frame, at)))
                    .map(level_result),
            })
            .collect(),
        buffers: client
            .buffers
            .iter()
            .map(|(&frame, &client)| BufferRow {
                frame,
                client,
                back_end: server.and_then(|s| s.buffers.get(&frame)).copied(),
            })
            .collect(),
        totals: totals(&client, server),
        textures: client.textures,
    })
}

fn level_result(level: &ServerLevel) -> LevelResult {
    LevelResult {
        shape: level.shape(),
        jobs: level.jobs,
        bytes: level.bytes,
    }
}

fn totals(client: &ClientUploads, server: Option<&ServerUploads>) -> Totals {
    let [textures, buffers] = match server {
        Some(server) => {
            let sum = |(jobs, bytes)| Some(ServerBuffers { jobs, bytes });
            let [textures, buffers] = server.totals();
            [
                sum(textures).filter(|_| !server.levels.is_empty()),
                sum(buffers).filter(|_| !server.buffers.is_empty()),
            ]
        }
        None => [None; 2],
    };
    Totals {
        client: client.totals(),
        back_end: textures,
        back_end_buffers: buffers,
    }
}

/// Replays the frames; gives the back end's side, and the driver's name.
fn replay(
    file: &TraceFile,
    client: &ClientUploads,
    frames: Option<Range<u64>>,
    asked: Asked<'_>,
    mut step: impl FnMut(u64),
) -> Result<(ServerUploads, String), ReplayError> {
    let kind = asked.kind;
    let options = BackendOptions::headless(false);
    let mut back_end = make_backend(kind, &options).map_err(|error| ReplayError::BackEnd {
        back_end: kind,
        error,
    })?;
    let options = PlayOptions {
        frames,
        uploads: true,
        limit: asked.limit,
        progress: asked.progress,
        ..PlayOptions::default()
    };
    let total = client.frames.end - client.frames.start;
    let mut server = ServerUploads::default();
    let summary = play(file, back_end.as_mut(), &options, &mut |frame| {
        step(total);
        server
            .add_frame(frame.frame, &frame.uploads, client)
            .map_err(|e| e.to_string())
    })
    .map_err(|error| unplayed(file, error))?;
    if let Some(fault) = summary.fault {
        let path = file.path().to_owned();
        return Err(ReplayError::Fault { path, fault });
    }
    Ok((server, back_end.caps().renderer.clone()))
}
