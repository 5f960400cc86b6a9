//! Block formats.

/// A block compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// S3TC DXT1 without alpha.
    Dxt1Rgb,
    /// S3TC DXT1 with one bit of alpha.
    Dxt1Rgba,
    /// S3TC DXT3: DXT1 colours with four bits of alpha.
    Dxt3,
    /// S3TC DXT5: DXT1 colours with interpolated alpha.
    Dxt5,
    /// RGTC of one component; LATC has the same blocks.
    Rgtc1,
    /// Signed RGTC of one component.
    Rgtc1Signed,
    /// RGTC of two components.
    Rgtc2,
    /// Signed RGTC of two components.
    Rgtc2Signed,
    /// BPTC of four 8-bit components.
    Bc7,
    /// BPTC of three unsigned half floats.
    Bc6h,
    /// BPTC of three signed half floats.
    Bc6hSigned,
}

impl Compression {
    /// Whether it is one of the S3TC family.
    pub fn is_s3tc(self) -> bool {
        matches!(
            self,
            Compression::Dxt1Rgb | Compression::Dxt1Rgba | Compression::Dxt3 | Compression::Dxt5
        )
    }
}
