//! Controls of the harness: what must be red is red, for its own reason.

use crate::Scenario;
use crate::bindings::consts::gl::*;
use crate::lanes::{self, LANES, Outcome, Seen, Sight};
use crate::rig::{Flavour, Rig};
use libtest_mimic::{Failed, Trial};
use std::time::Duration;

/// Scenarios that are wrong on purpose.
pub fn all() -> Vec<Scenario> {
    let rows: [(&str, fn(&mut Rig)); 9] = [
        ("right", |t| {
            t.clear([1.0, 0.0, 0.0, 1.0]);
            t.pixel_is("red", 1, 1, [255, 0, 0, 255]);
        }),
        ("wrong_pixel", |t| {
            t.clear([1.0, 0.0, 0.0, 1.0]);
            t.pixel_is("green", 1, 1, [0, 255, 0, 255]);
        }),
        ("wrong_value", |t| {
            let width = t.int(GL_VIEWPORT);
            t.eq("width", width, 12345);
        }),
        ("unnoticed_error", |t| t.Enable(GL_TEXTURE_WRAP_S)),
        ("panic", |_| panic!("a scenario that panics")),
        ("crash", |_| std::process::abort()),
        ("hang", |_| std::thread::sleep(Duration::from_secs(600))),
        ("refusal", |t| {
            t.NewList(1, GL_COMPILE);
            t.GetError();
        }),
        ("early_end", |_| std::process::exit(0)),
    ];
    rows.into_iter()
        .map(|(name, run)| Scenario {
            name: format!("control::{name}"),
            flavour: Flavour::Core,
            run,
            lacks: &[],
        })
        .collect()
}

/// A scenario that must fail on all lanes, with these words.
fn red(name: &'static str, words: &'static str) -> Trial {
    Trial::test(format!("control::{name}"), move || {
        for lane in LANES {
            let limit = if name == "hang" {
                Duration::from_secs(2)
            } else {
                lanes::LIMIT
            };
            match lanes::run(lane, &format!("control::{name}"), limit) {
                Outcome::Failed(why) if why.contains(words) => {}
                other => return Err(format!("{}: {other:?}", lane.name).into()),
            }
        }
        Ok(())
    })
}

fn must_fail(what: &str, result: Result<(), String>, words: &str) -> Result<(), Failed> {
    match result {
        Err(why) if why.contains(words) => Ok(()),
        other => Err(format!("{what}: {other:?}").into()),
    }
}

fn right_is_green() -> Result<(), Failed> {
    for lane in LANES {
        match lanes::run(lane, "control::right", lanes::LIMIT) {
            Outcome::Passed(_) => {}
            other => return Err(format!("{}: {other:?}", lane.name).into()),
        }
    }
    Ok(())
}

fn refusals_are_red() -> Result<(), Failed> {
    let drivers = LANES.iter().filter(|l| !l.is_oracle());
    for lane in drivers {
        match lanes::run(lane, "control::refusal", lanes::LIMIT) {
            Outcome::Failed(why) if why.contains("refused: glNewList") => {}
            other => return Err(format!("{}: {other:?}", lane.name).into()),
        }
    }
    Ok(())
}

/// All lanes have the same scenarios; a lane that lacks one, or has one twice, is reported.
fn lanes_have_the_same_names() -> Result<(), Failed> {
    let mut lists = Vec::new();
    for lane in LANES {
        lists.push((lane.name, lanes::names(lane)?));
    }
    lanes::same_names(&lists)?;
    let lost = lists[1].1.pop().expect("a name");
    must_fail("a lost name", lanes::same_names(&lists), &lost)?;
    lists[1].1.push("extra::name".into());
    lists[1].1.push(lost.clone());
    must_fail("a new name", lanes::same_names(&lists), "extra::name")?;
    lists[0].1.push(lost.clone());
    must_fail("a name twice", lanes::same_names(&lists), "twice")?;
    must_fail(
        "nothing",
        lanes::same_names(&[("a", vec![]), ("b", vec![])]),
        "no scenarios",
    )
}

fn differences_between_lanes_are_red() -> Result<(), Failed> {
    let saw = |value: &str, red: u8| {
        let image = Seen {
            width: 1,
            height: 1,
            rgba: vec![red, 0, 0, 255],
        };
        Outcome::Passed(Sight {
            values: [("key".to_owned(), value.to_owned())].into(),
            images: [("picture".to_owned(), image)].into(),
        })
    };
    let same = lanes::agree(&saw("1", 10), &saw("1", 12));
    same.map_err(Failed::from)?;
    must_fail(
        "value",
        lanes::agree(&saw("1", 10), &saw("2", 10)),
        "key: the oracle saw 1",
    )?;
    must_fail(
        "image",
        lanes::agree(&saw("1", 10), &saw("1", 13)),
        "picture",
    )?;
    must_fail(
        "keys",
        lanes::agree(&saw("1", 1), &Outcome::Passed(Sight::default())),
        "the lane []",
    )?;
    let skipped = Outcome::Skipped("no reason".into());
    must_fail(
        "skip",
        lanes::agree(&saw("1", 1), &skipped),
        "skipped, though",
    )?;
    must_fail("skip", lanes::agree(&skipped, &saw("1", 1)), "ran here")
}

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("control::right", right_is_green),
        Trial::test("control::refusal", refusals_are_red),
        Trial::test("lanes::have_the_same_names", lanes_have_the_same_names),
        Trial::test(
            "control::differences_between_lanes",
            differences_between_lanes_are_red,
        ),
        red("wrong_pixel", "green"),
        red("wrong_value", "width: 64, not 12345"),
        red("unnoticed_error", "GL_INVALID_ENUM"),
        red("panic", "a scenario that panics"),
        red("crash", "signal 6"),
        red("hang", "not done after"),
        red("early_end", "ended early"),
    ]
}
