//! The scenarios, one file a topic.

use crate::Scenario;
use crate::rig::{Flavour, Rig};

/// A scenario as its file lists it.
pub struct Row {
    name: &'static str,
    flavour: Flavour,
    run: fn(&mut Rig),
    lacks: &'static [(&'static str, &'static str)],
}

/// Declares scenarios: `[FLAVOUR, lacks "LANE": "REASON"] fn name(t) { ... }`, the bracket being optional.
macro_rules! scenarios {
    ($($(#[$doc:meta])* $([$flavour:ident $(, lacks $lane:literal: $why:literal)*])? fn $name:ident($t:ident) $body:block)*) => {
        $($(#[$doc])* fn $name($t: &mut $crate::rig::Rig) $body)*
        /// The scenarios of this file.
        pub const SCENARIOS: &[super::Row] = &[$(super::Row {
            name: stringify!($name),
            flavour: super::flavour!($($flavour)?),
            run: $name,
            lacks: &[$($(($lane, $why)),*)?],
        }),*];
    };
}
macro_rules! flavour {
    () => {
        $crate::rig::Flavour::Core
    };
    ($flavour:ident) => {
        $crate::rig::Flavour::$flavour
    };
}
use flavour;

/// Declares the files and gathers what they list.
macro_rules! topics {
    ($($topic:ident),* $(,)?) => {
        $(mod $topic;)*

        /// Every scenario.
        pub fn all() -> Vec<Scenario> {
            let topics = [$((stringify!($topic), $topic::SCENARIOS)),*];
            let rows = topics.into_iter().flat_map(|(topic, rows)| rows.iter().map(move |r| (topic, r)));
            rows.map(|(topic, r)| Scenario {
                name: format!("{topic}::{}", r.name),
                flavour: r.flavour,
                run: r.run,
                lacks: r.lacks,
            })
            .collect()
        }
    };
}

topics! {
    approximations,
    attributes,
    blend,
    blits,
    buffers,
    contexts,
    debug,
    depth_stencil,
    draws,
    feedback,
    framebuffers,
    language,
    legacy,
    programs,
    queries,
    raster,
    shading,
    sharing,
    state,
    textures,
    transfers,
    uniforms,
}
