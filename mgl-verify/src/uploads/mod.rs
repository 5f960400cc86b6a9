//! Upload shapes as a result of their own: what the client emitted a texture and frame, and what a back end made of it
//! (design: verification 6.1; product, uploads.toml).
//!
//! The client's side is a function of the trace ([`client`]); a back end's comes from its replay
//! ([`ServerUploads::add_frame`]). Textures are named by their ordinal: the order in which they are first uploaded to,
//! which does not depend on how handles are given out. [`Uploads`] is the golden file: [`Uploads::to_toml`],
//! [`Uploads::from_toml`], [`Uploads::compare`] and [`Uploads::delta_lines`].

mod client;
mod compare;
mod file;
mod report;
mod server;
#[cfg(test)]
mod tests;

pub use client::{
    BufferUploads, ClientUploads, LevelUploads, TextureInfo, TextureLevel, UploadTotals, client,
    client_of_frames,
};
pub use report::{
    Asked, BufferRow, BufferRun, LevelResult, LevelRow, LevelRun, Totals, UploadsReport, report,
};
pub use server::{ForeignTexture, ServerBuffers, ServerLevel, ServerUploads};

/// uploads.toml. A section that is not there was not measured.
#[derive(Clone, Debug, Default)]
pub struct Uploads {
    /// What the client emitted.
    pub client: Option<ClientUploads>,
    /// What Espryt made of it.
    pub espryt: Option<ServerUploads>,
    /// What Magma made of it.
    pub magma: Option<ServerUploads>,
}

impl Uploads {
    /// The sections of back ends, by name.
    pub fn servers(&self) -> [(&'static str, Option<&ServerUploads>); 2] {
        [
            ("espryt", self.espryt.as_ref()),
            ("magma", self.magma.as_ref()),
        ]
    }

    /// The place of a back end's section; none for back ends that upload nothing.
    pub fn server_mut(&mut self, back_end: &str) -> Option<&mut Option<ServerUploads>> {
        match back_end {
            "espryt" => Some(&mut self.espryt),
            "magma" => Some(&mut self.magma),
            _ => None,
        }
    }
}
