//! What a back end draws as near as its API allows, because it cannot draw it exactly: one list for both back ends.
//!
//! No draw vanishes for such a reason, and none leaves a GL error. Each kind is said once a device, in a log line of level
//! Warn that begins with its name, and counted ([`mgl_core::pipe::Backend::approximations`]). Only where nothing at all can
//! be drawn does a back end give [`mgl_core::pipe::BackendError::Unsupported`], which the client says once and counts too.

use crate::events::Events;
use mgl_core::pipe::event::LogLevel;
use std::cell::Cell;

macro_rules! approximations {
    ($( $(#[$doc:meta])* $kind:ident $name:literal $text:literal; )*) => {
        /// A kind of approximation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Approximation { $( $(#[$doc])* $kind, )* }

        /// Name, and what is drawn instead, of every kind in order.
        const KINDS: &[(&str, &str)] = &[ $( ($name, $text), )* ];
    };
}

approximations! {
    /// GL 4.6 §14.3.1.
    MultisampleOff "GL_MULTISAMPLE off" "edges on a multisampled framebuffer are multisampled all the same";
    /// GL 4.6 §14.5.4.
    LineSmooth "GL_LINE_SMOOTH" "lines have hard edges";
    /// GL 4.6 §14.6.6.
    PolygonSmooth "GL_POLYGON_SMOOTH" "polygons have hard edges";
    /// GL 4.6 §17.3.3.
    AlphaToOne "GL_SAMPLE_ALPHA_TO_ONE" "alpha stays as it is where it also makes the coverage";
    /// GL 4.6 §14.6.4.
    PolygonMode "glPolygonMode" "polygons are filled";
    /// GL 4.6 §17.3.9.
    LogicOp "glLogicOp" "fragments replace what is there";
    /// GL 4.6 §8.14.
    LodBias "GL_TEXTURE_LOD_BIAS" "look-ups have no bias";
    /// GLSL 4.60 §4.5.
    NoPerspective "noperspective" "values are interpolated with perspective";
    /// GL 4.6 §13.7.
    ClipDistances "gl_ClipDistance" "nothing is clipped by it";
    /// GL 4.6 §13.7.
    DepthClamp "GL_DEPTH_CLAMP" "near and far plane clip";
    /// GL 4.6 §13.7.
    ClipControl "glClipControl" "clip space is the initial one";
    /// GL 4.6 §17.3.6.
    DualSource "dual-source blending" "the first colour is taken for the second one";
    /// GL 4.6 §17.3.6.
    BlendApart "blending a draw buffer" "all draw buffers blend as the first one does";
    /// GL 4.6 §13.6.1.
    ProvokingVertex "glProvokingVertex" "flat values are those of the other end's vertex";
    /// GL 4.6 §17.3.5.
    SamplesPassed "GL_SAMPLES_PASSED" "the count may be too large where it is not zero";
    /// GL 4.6 §14.4.
    PointSize "gl_PointSize" "points are one pixel large";
    /// GL 4.6 §10.3.4.
    Divisor "glVertexAttribDivisor" "the divisor is as large as the device allows";
    /// GL 4.6 §8.14.2.
    BorderClamp "GL_CLAMP_TO_BORDER" "what lies outside has the colour of the edge";
    /// GL 4.6 §8.14.2.
    MirrorClamp "GL_MIRROR_CLAMP_TO_EDGE" "the mirror image repeats";
}

impl Approximation {
    /// The name that it is told and counted by.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS[self as usize].0
    }
}

/// How often each kind happened on a device.
#[derive(Debug)]
pub struct Approximations([Cell<u64>; KINDS.len()]);

impl Default for Approximations {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Cell::new(0)))
    }
}

impl Approximations {
    /// Counts one, and says it if it is the first of its kind.
    #[inline]
    pub fn near(&self, kind: Approximation, events: &Events) {
        let count = &self.0[kind as usize];
        if count.get() == 0 {
            say(kind, events);
        }
        count.set(count.get() + 1);
    }

    /// How many there were of all kinds.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().map(Cell::get).sum()
    }

    /// Name and number of those that happened.
    #[must_use]
    pub fn counted(&self) -> Vec<(&'static str, u64)> {
        let all = KINDS.iter().zip(&self.0);
        all.map(|(k, n)| (k.0, n.get()))
            .filter(|k| k.1 > 0)
            .collect()
    }
}

#[cold]
fn say(kind: Approximation, events: &Events) {
    let (name, text) = KINDS[kind as usize];
    events.log(LogLevel::Warn, format!("approximated: {name}: {text}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgl_core::pipe::event::Event;

    #[test]
    fn each_kind_is_said_once_and_counted() {
        let (all, events) = (Approximations::default(), Events::default());
        for _ in 0..3 {
            all.near(Approximation::LineSmooth, &events);
        }
        all.near(Approximation::LogicOp, &events);
        let said = events.take();
        let line = |text: &str| Event::Log {
            level: LogLevel::Warn,
            text: text.into(),
        };
        assert_eq!(
            said,
            [
                line("approximated: GL_LINE_SMOOTH: lines have hard edges"),
                line("approximated: glLogicOp: fragments replace what is there"),
            ]
        );
        assert_eq!(all.counted(), [("GL_LINE_SMOOTH", 3), ("glLogicOp", 1)]);
    }

    #[test]
    fn names_tell_kinds_apart() {
        for (i, a) in KINDS.iter().enumerate() {
            assert!(KINDS[i + 1..].iter().all(|b| a.0 != b.0), "{}", a.0);
        }
    }
}
