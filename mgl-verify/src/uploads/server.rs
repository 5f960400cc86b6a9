//! A back end's side: what it made of the uploads, a texture, level and frame.

use std::collections::BTreeMap;
use std::ops::Range;

use mgl_core::handle::{HandleKind, ResourceHandle};
use mgl_core::pipe::{UploadReport, UploadShape};
use serde::Serialize;

use super::client::{ClientUploads, TextureLevel};

/// What became of a level's uploads in one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerLevel {
    /// Uploads that went up as their union box.
    pub boxes: u64,
    /// Uploads that went up region by region.
    pub regions: u64,
    /// Upload calls to the driver.
    pub jobs: u64,
    /// Bytes handed to it.
    pub bytes: u64,
}

impl ServerLevel {
    /// `box`, `regions`, or how many of each.
    pub fn shape(&self) -> String {
        match (self.boxes, self.regions) {
            (_, 0) => "box".to_owned(),
            (0, _) => "regions".to_owned(),
            (boxes, regions) => format!("{boxes} box, {regions} regions"),
        }
    }
}

/// What became of the uploads into all buffers in one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ServerBuffers {
    /// Upload calls to the driver.
    pub jobs: u64,
    /// Bytes handed to it.
    pub bytes: u64,
}

/// A back end reported an upload that the trace does not have: the reports are another trace's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "frame {frame}: the back end reports an upload into {resource:?}, which the trace does not have"
)]
pub struct ForeignTexture {
    pub frame: u64,
    pub resource: ResourceHandle,
}

/// What a back end made of the uploads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerUploads {
    /// Frames replayed.
    pub frames: Range<u64>,
    /// By frame and level.
    pub levels: BTreeMap<(u64, TextureLevel), ServerLevel>,
    /// By frame.
    pub buffers: BTreeMap<u64, ServerBuffers>,
}

impl ServerUploads {
    /// Takes in what the replay of a frame reported; frames come in order. Textures get the ordinals that they have in
    /// `client`, which is the same trace's.
    ///
    /// # Errors
    /// A report is of a texture that the trace never uploads to.
    pub fn add_frame(
        &mut self,
        frame: u64,
        reports: &[UploadReport],
        client: &ClientUploads,
    ) -> Result<(), ForeignTexture> {
        if self.frames.is_empty() {
            self.frames.start = frame;
        }
        self.frames.end = frame + 1;
        for report in reports {
            let &UploadReport {
                resource,
                level,
                shape,
                jobs,
                bytes,
            } = report;
            if resource.kind == HandleKind::BUFFER {
                let buffers = self.buffers.entry(frame).or_default();
                buffers.jobs += u64::from(jobs);
                buffers.bytes += bytes;
                continue;
            }
            let texture = client
                .ordinal(resource)
                .ok_or(ForeignTexture { frame, resource })?;
            let at = (frame, TextureLevel { texture, level });
            let row = self.levels.entry(at).or_default();
            match shape {
                UploadShape::Box => row.boxes += 1,
                UploadShape::Regions => row.regions += 1,
            }
            row.jobs += u64::from(jobs);
            row.bytes += bytes;
        }
        Ok(())
    }

    /// Driver calls and bytes over all frames: textures, then buffers.
    pub fn totals(&self) -> [(u64, u64); 2] {
        let textures = self.levels.values().map(|l| (l.jobs, l.bytes));
        let buffers = self.buffers.values().map(|b| (b.jobs, b.bytes));
        let add = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1 + b.1);
        [textures.fold((0, 0), add), buffers.fold((0, 0), add)]
    }
}
