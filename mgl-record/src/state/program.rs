//! Shaders and programs (GL 4.6 chapter 7).
use super::*;
use crate::pipe::Pipe;

/// A shader.
pub struct Shader {}

/// A program.
pub struct Program {}

impl Program {
    /// Ends it on the pipe.
    pub fn destroy(self, _pipe: &mut Pipe) {}
    /// Adds the attached shaders.
    pub fn references(&self, _refs: &mut References) {}
}

/// The program in use.
#[derive(Default)]
pub struct ProgramState {}

impl ProgramState {
    /// Adds the program in use.
    pub fn references(&self, _refs: &mut References) {}
}
