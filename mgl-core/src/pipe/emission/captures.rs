//! Transform feedback under way (GL 4.6 §13.2).

use super::super::calls::Call;
use super::super::payload::*;
use super::super::pushed::ContextState;
use super::{EmissionError, Emitter};

impl Emitter<'_> {
    /// Begins what is captured in the context that speaks, with the program and the buffers of then. Behind all groups.
    pub(super) fn captures(&mut self, c: &ContextState) -> Result<(), EmissionError> {
        // One that is not paused allows no other to be bound: it comes last.
        let (paused, running): (Vec<_>, Vec<_>) = c.captures.iter().partition(|x| x.paused);
        for capture in paused.into_iter().chain(running) {
            let p = &SetStreamOutputTargets {
                stream_output: capture.object,
            };
            let targets = &capture.targets;
            self.put(Call::SetStreamOutputTargets { p, targets })?;
            let p = &ShaderOnly {
                shader: capture.program,
            };
            self.put(Call::SetDrawProgram { p })?;
            let p = &StreamOutputOp {
                stream_output: capture.object,
                primitive: capture.primitive,
                ..StreamOutputOp::default()
            };
            self.put(Call::BeginStreamOutput { p })?;
            if capture.paused {
                self.put(Call::PauseStreamOutput { p })?;
            }
            self.leave_out("how far transform feedback has come");
        }
        self.stream_targets(c)?;
        self.draw_program(c)
    }
}
