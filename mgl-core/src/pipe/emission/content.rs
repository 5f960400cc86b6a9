//! What a state does not hold, and who has it.

use super::super::backend::ProgramCode;
use super::super::payload::Box3;
use super::super::pushed::PushedState;
use super::parts::Part;
use crate::handle::ShaderHandle;

/// Content of a part of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'b> {
    /// First byte, of a buffer; 0 otherwise.
    pub offset: u64,
    /// Where, of an image: z counts slices, layers or faces. Zero of a buffer.
    pub area: Box3,
    /// Bytes; of an image rows, bottom row first, tight, in the transfer layout of its format. Of a multisampled image the
    /// first sample of all texels of the area, then the second, and so on.
    pub bytes: &'b [u8],
}

/// Why content cannot be had: for reports.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Absent(pub String);

/// Who has the content of a state: shadows of a client, a server that is read, blobs of a trace.
pub trait Content {
    /// The code of a program; `None` when nobody has it, and then its state cannot be emitted.
    fn code(&mut self, program: ShaderHandle) -> Option<ProgramCode<'_>>;

    /// Shows the content of a part of `state` piece by piece. What is not shown is undefined: nobody wrote it.
    ///
    /// # Errors
    ///
    /// It cannot be had, or not all of it; what was not shown is left out, and counted under these words.
    fn pieces(
        &mut self,
        state: &PushedState,
        part: Part,
        show: &mut dyn FnMut(Piece<'_>),
    ) -> Result<(), Absent>;
}
