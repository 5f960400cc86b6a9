//! Scenarios (design page 6.8): small OpenGL programs, one behaviour each, run on every lane.
//!
//! A lane is a way to draw: the system's own desktop OpenGL (the oracle), and the driver with a back end. Each pair of a
//! lane and a scenario is a test of its own, `LANE::TOPIC::NAME`, and runs in a child process: this program again, with
//! the environment that `mgl run` prepares, so that a crash or a hang is one failed scenario. A scenario asserts what
//! the OpenGL specification demands; what it saw is also compared between a lane and the oracle ([`lanes`]).

// Tables of functions say more than names for their types.
#![allow(clippy::type_complexity)]

mod bindings;
#[path = "../common/mod.rs"]
mod common;
mod context;
mod controls;
mod lanes;
mod rig;
mod topics;

use lanes::{LANES, Lane, Outcome};
use libtest_mimic::{Arguments, Failed, Trial};
use rig::{Flavour, Rig};

/// One scenario.
pub struct Scenario {
    /// `topic::name`.
    pub name: String,
    pub flavour: Flavour,
    pub run: fn(&mut Rig),
    /// Lanes that cannot run it, and why: a documented limit of what is below them.
    pub lacks: &'static [(&'static str, &'static str)],
}

impl Scenario {
    fn lacks(&self, lane: &Lane) -> Option<&'static str> {
        let backend = lane.backend.unwrap_or(lane.name);
        self.lacks.iter().find(|l| l.0 == backend).map(|l| l.1)
    }
}

/// The scenario of that name; controls are none of the listed ones.
fn find(name: &str) -> Option<Scenario> {
    topics::all()
        .into_iter()
        .chain(controls::all())
        .find(|s| s.name == name)
}

/// Runs one scenario on this lane and on the oracle: it must pass, and both must have seen the same.
fn trial(lane: &'static Lane, scenario: &Scenario) -> Result<(), Failed> {
    let run = |lane: &Lane| lanes::run(lane, &scenario.name, lanes::LIMIT);
    let here = if lane.is_oracle() {
        run(lane)
    } else {
        let (here, oracle) = std::thread::scope(|s| {
            let oracle = s.spawn(|| run(&LANES[0]));
            (run(lane), oracle.join().expect("no panic"))
        });
        // The oracle's own failures are its own tests'.
        if matches!(oracle, Outcome::Passed(_) | Outcome::Skipped(_)) {
            lanes::agree(&oracle, &here)?;
        }
        here
    };
    match here {
        Outcome::Passed(_) => Ok(()),
        Outcome::Skipped(why) => {
            println!("skipped: {why}");
            Ok(())
        }
        Outcome::Failed(why) => Err(why.into()),
    }
}

fn main() {
    if let Some(request) = lanes::request() {
        lanes::answer(&request);
    }
    let arguments = Arguments::from_args();
    let mut trials = controls::trials();
    for lane in LANES {
        for scenario in topics::all() {
            let name = format!("{}::{}", lane.name, scenario.name);
            let lacks = scenario.lacks(lane);
            let trial = Trial::test(name, move || trial(lane, &scenario));
            trials.push(match lacks {
                Some(why) => trial.with_ignored_flag(true).with_kind(why),
                None => trial,
            });
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}
