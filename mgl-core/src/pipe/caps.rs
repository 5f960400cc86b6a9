//! What a back end can do.

use crate::pipe::calls::Op;
use serde::{Deserialize, Serialize};

/// Capabilities of a back end: the reply to GetCaps, kept in a trace's provenance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caps {
    /// `espryt`, `magma`, `null`; `keeping` is a listener of checks.
    pub backend: String,
    /// Vendor string of the driver below.
    pub vendor: String,
    /// Renderer string of the driver below.
    pub renderer: String,
    /// Version string of the driver below.
    pub version: String,
    /// A bit a call of the catalogue (bit of opcode n: word n/64, bit n%64) that the back end takes.
    pub call_mask: [u64; 2],
    /// Texels.
    pub max_texture_size: u32,
    /// Texels.
    pub max_3d_texture_size: u32,
    /// Texels.
    pub max_cube_map_size: u32,
    /// Layers.
    pub max_array_layers: u32,
    /// Texels.
    pub max_renderbuffer_size: u32,
    /// Samples.
    pub max_samples: u32,
    /// Colour attachments.
    pub max_color_attachments: u32,
    /// Vertex attributes.
    pub max_vertex_attribs: u32,
    /// Texture units a stage.
    pub max_stage_texture_units: u32,
    /// Bytes.
    pub max_uniform_block_size: u32,
    /// Bytes.
    pub uniform_buffer_offset_alignment: u32,
    /// Largest anisotropy, as bits of a float.
    pub max_anisotropy_bits: u32,
    /// Names of optional features that are present, sorted.
    pub features: Vec<String>,
}

impl Caps {
    /// The mask with the bits of `ops` set, but for retired ones.
    #[must_use]
    pub fn mask_of(ops: &[Op]) -> [u64; 2] {
        let mut m = [0; 2];
        for op in ops.iter().filter(|o| !o.info().retired) {
            m[usize::from(*op as u16) / 64] |= 1 << (*op as u16 % 64);
        }
        m
    }
    /// Whether the back end takes `op`.
    #[inline]
    #[must_use]
    pub fn takes(&self, op: Op) -> bool {
        self.call_mask[usize::from(op as u16) / 64] >> (op as u16 % 64) & 1 != 0
    }
    /// Whether a feature is present.
    #[must_use]
    pub fn has(&self, feature: &str) -> bool {
        self.features
            .binary_search_by(|f| f.as_str().cmp(feature))
            .is_ok()
    }
}
