//! Lanes: the children that run scenarios, what they say, and how lanes are compared.
//!
//! A child writes lines to its standard output: `saw KEY VALUE`, `image KEY WIDTH HEIGHT HEX`, `refused NAME` (a
//! refusal that the scenario expects), `approximated NAME` (the same of what is drawn only nearly), `skip REASON`, `fail TEXT`, `name NAME` (when asked for its list) and, when it
//! came to the end, `end`. What the driver reports of itself (MGL_REPORT) and its messages are checked here.

use crate::common;
use crate::rig::Rig;
use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a scenario may take.
pub const LIMIT: Duration = Duration::from_secs(60);

const REQUEST: &str = "MGL_SCENARIO";

/// Largest difference of a colour component between the images of two lanes.
const TOLERANCE: u8 = 2;

/// A way to draw.
pub struct Lane {
    pub name: &'static str,
    /// Value of MGL_BACKEND; absent for the system's own OpenGL.
    pub backend: Option<&'static str>,
    /// Value of MGL_LINK.
    pub link: &'static str,
}

const fn lane(name: &'static str, backend: Option<&'static str>, link: &'static str) -> Lane {
    Lane {
        name,
        backend,
        link,
    }
}

/// All lanes; the first is the oracle. A new back end is two lines here: it is looked at over both links.
pub static LANES: &[Lane] = &[
    lane("system", None, ""),
    lane("espryt", Some("espryt"), "thread"),
    lane("magma", Some("magma"), "thread"),
    lane("espryt-direct", Some("espryt"), "direct"),
    lane("magma-direct", Some("magma"), "direct"),
];

impl Lane {
    pub fn is_oracle(&self) -> bool {
        self.backend.is_none()
    }

    /// This program again, in the environment of the lane.
    fn child(&self, request: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().expect("a program has a path"));
        match self.backend {
            Some(backend) => {
                common::on_driver(&mut command, backend);
                command.env("MGL_DEBUG", "1").env("MGL_LINK", self.link);
            }
            None => {
                for name in ["LD_LIBRARY_PATH", "LD_PRELOAD", "EGL_PLATFORM"] {
                    command.env_remove(name);
                }
            }
        }
        command.env(REQUEST, format!("{} {request}", self.name));
        command
    }
}

/// An image that a scenario saw: RGBA, rows from the bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub width: usize,
    pub height: usize,
    pub rgba: Vec<u8>,
}

/// What a scenario saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    pub values: BTreeMap<String, String>,
    pub images: BTreeMap<String, Seen>,
}

/// How a scenario ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed(Sight),
    Skipped(String),
    Failed(String),
}

/// What the child was asked for.
pub struct Request {
    lane: String,
    scenario: String,
}

/// The request that this process was started with, if it is a child.
pub fn request() -> Option<Request> {
    let text = std::env::var(REQUEST).ok()?;
    let (lane, scenario) = text.split_once(' ')?;
    Some(Request {
        lane: lane.to_owned(),
        scenario: scenario.to_owned(),
    })
}

/// The request for the list of names.
const LIST: &str = "--list";

/// The child's whole life.
pub fn answer(request: &Request) -> ! {
    if request.scenario == LIST {
        for s in crate::topics::all() {
            println!("name {}", s.name);
        }
        println!("end");
        std::process::exit(0);
    }
    let scenario = crate::find(&request.scenario).expect("the parent knows the names");
    let mut rig = Rig::new(&request.lane, scenario.flavour);
    (scenario.run)(&mut rig);
    rig.finish();
    println!("end");
    // By exit, so that the driver writes its report.
    std::process::exit(0);
}

/// What a process left.
struct Left {
    output: String,
    errors: String,
    /// Why it did not end well.
    death: Option<String>,
}

fn drain(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut s) = stream {
            let _ = s.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn finish(command: &mut Command, limit: Duration) -> Left {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("this program can be started");
    let (out, err) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let deadline = Instant::now() + limit;
    let mut step = Duration::from_millis(1);
    let death = loop {
        match child.try_wait().expect("a child can be waited for") {
            Some(status) if status.success() => break None,
            Some(status) => {
                break Some(match status.signal() {
                    Some(signal) => format!("ended by signal {signal}"),
                    None => format!("{status}"),
                });
            }
            None if Instant::now() >= deadline => {
                let _ = child.kill();
                let _ = child.wait();
                break Some(format!("not done after {limit:?}"));
            }
            None => {
                std::thread::sleep(step);
                step = (step * 2).min(Duration::from_millis(10));
            }
        }
    };
    Left {
        output: out.join().unwrap_or_default(),
        errors: err.join().unwrap_or_default(),
        death,
    }
}

/// Runs a scenario on a lane.
pub fn run(lane: &Lane, scenario: &str, limit: Duration) -> Outcome {
    let mut command = lane.child(scenario);
    let report = lane.backend.map(|_| report_file());
    if let Some(path) = &report {
        command.env("MGL_REPORT", path);
    }
    let left = finish(&mut command, limit);
    let mut told = read(&left);
    if let Some(path) = report {
        told.problems.extend(misdeeds(&path, &told, &left.errors));
        let _ = std::fs::remove_file(path);
    }
    told.outcome(&left)
}

fn report_file() -> PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("scenario-{}-{n}.json", std::process::id()))
}

/// A child's words, in order.
#[derive(Default)]
struct Told {
    sight: Sight,
    refusals: Vec<String>,
    approximations: Vec<String>,
    skipped: Option<String>,
    problems: Vec<String>,
    names: Vec<String>,
    ended: bool,
}

impl Told {
    fn outcome(mut self, left: &Left) -> Outcome {
        if let Some(death) = &left.death {
            self.problems.push(death.clone());
        } else if !self.ended {
            self.problems.push("ended early".into());
        }
        if !self.problems.is_empty() {
            let words = self.problems.join("\n");
            return Outcome::Failed(format!("{words}\n{}", left.errors));
        }
        match self.skipped {
            Some(why) => Outcome::Skipped(why),
            None => Outcome::Passed(self.sight),
        }
    }
}

fn read(left: &Left) -> Told {
    let mut told = Told::default();
    for line in left.output.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "saw" => {
                let (key, value) = rest.split_once('\t').unwrap_or((rest, ""));
                told.sight.values.insert(key.into(), value.into());
            }
            "image" => match image(rest) {
                Some((key, seen)) => drop(told.sight.images.insert(key, seen)),
                None => told.problems.push(format!("not an image: {rest}")),
            },
            "refused" => told.refusals.push(rest.into()),
            "approximated" => told.approximations.push(rest.into()),
            "skip" => told.skipped = Some(rest.into()),
            "fail" => told.problems.push(rest.replace("\\n", "\n")),
            "name" => told.names.push(rest.into()),
            "end" => told.ended = true,
            _ => told
                .problems
                .push(format!("a line of unknown kind: {line}")),
        }
    }
    told
}

fn image(text: &str) -> Option<(String, Seen)> {
    let mut words = text.split(' ');
    let key = words.next()?.to_owned();
    let (width, height) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let hex = words.next()?;
    let byte = |i: usize| u8::from_str_radix(hex.get(2 * i..2 * i + 2)?, 16).ok();
    let rgba: Vec<u8> = (0..hex.len() / 2).map(byte).collect::<Option<_>>()?;
    (rgba.len() == width * height * 4).then_some((
        key,
        Seen {
            width,
            height,
            rgba,
        },
    ))
}

/// What the driver did that it must not: refusals that the scenario does not name, pushes that were not taken, panics,
/// debug messages of the driver below.
fn misdeeds(report: &PathBuf, told: &Told, messages: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (expected, near) = (&told.refusals, &told.approximations);
    let parsed = std::fs::read(report)
        .map_err(|e| e.to_string())
        .and_then(|b| serde_json::from_slice::<serde_json::Value>(&b).map_err(|e| e.to_string()));
    match parsed {
        Err(e) => found.push(format!("no report of the driver: {e}")),
        Ok(json) => {
            for part in ["refused", "unsupported", "faults", "panics"] {
                let Some(entries) = json[part].as_object() else {
                    found.push(format!("the report has no {part}"));
                    continue;
                };
                for (name, times) in entries {
                    if !expected.contains(name) {
                        found.push(format!("{part}: {name} ({times} times)"));
                    }
                }
            }
            let approximated = json["approximated"].as_object();
            let names: Vec<&String> = approximated.iter().flat_map(|a| a.keys()).collect();
            for name in &names {
                if !near.contains(name) {
                    found.push(format!("approximated: {name}"));
                }
            }
            for name in near.iter().filter(|n| !names.contains(n)) {
                found.push(format!("{name} was to be approximated and was not"));
            }
            // A refusal that is expected and does not come is as wrong.
            for name in expected {
                if ["refused", "unsupported"]
                    .iter()
                    .all(|p| json[*p].get(name).is_none())
                {
                    found.push(format!("{name} was to be refused and was not"));
                }
            }
        }
    }
    // The driver says nothing in a healthy run; a refusal and an approximation are said once and were looked at above.
    for name in near {
        let line = format!("mgl: approximated: {name}: ");
        let times = messages.lines().filter(|l| l.starts_with(&line)).count();
        if times != 1 {
            found.push(format!("{name} was said {times} times, not once"));
        }
    }
    let said = |l: &&str| l.starts_with("mgl: ") && !l.starts_with("mgl: approximated: ");
    for line in messages.lines().filter(said) {
        if !line.contains("refused") && !line.contains("is not implemented") {
            found.push(format!("the driver said: {line}"));
        }
    }
    found
}

/// The names that a lane's child knows.
///
/// # Errors
/// The child did not end well.
pub fn names(lane: &Lane) -> Result<Vec<String>, String> {
    let left = finish(&mut lane.child(LIST), LIMIT);
    let told = read(&left);
    let names = told.names.clone();
    match told.outcome(&left) {
        Outcome::Failed(why) => Err(why),
        _ => Ok(names),
    }
}

/// Whether two lanes know the same names, none of them twice.
///
/// # Errors
/// The names that one of them lacks, by lane.
pub fn same_names(lanes: &[(&str, Vec<String>)]) -> Result<(), String> {
    let Some((first, reference)) = lanes.first() else {
        return Err("no lanes".into());
    };
    let mut sorted = reference.clone();
    sorted.sort();
    if sorted.is_empty() {
        return Err(format!("{first} has no scenarios"));
    }
    if let Some(twice) = sorted.windows(2).find(|w| w[0] == w[1]) {
        return Err(format!("{} is there twice", twice[0]));
    }
    for (lane, names) in &lanes[1..] {
        let lacking = |of: &[String], other: &[String]| -> Vec<String> {
            of.iter().filter(|n| !other.contains(n)).cloned().collect()
        };
        let (here, there) = (lacking(reference, names), lacking(names, reference));
        if !here.is_empty() || !there.is_empty() {
            return Err(format!(
                "{lane} lacks [{}], {first} lacks [{}]",
                here.join(", "),
                there.join(", ")
            ));
        }
    }
    Ok(())
}

/// Whether a lane ran what the oracle ran, and saw the same.
///
/// # Errors
/// The first thing that differs, in words.
pub fn agree(oracle: &Outcome, lane: &Outcome) -> Result<(), String> {
    match (oracle, lane) {
        (Outcome::Skipped(_), Outcome::Skipped(_)) | (_, Outcome::Failed(_)) => Ok(()),
        (Outcome::Skipped(why), Outcome::Passed(_)) => {
            Err(format!("ran here, but the oracle skipped it: {why}"))
        }
        (Outcome::Passed(_), Outcome::Skipped(why)) => {
            Err(format!("skipped, though the oracle ran it: {why}"))
        }
        (Outcome::Passed(a), Outcome::Passed(b)) => same_sight(a, b),
        (Outcome::Failed(why), _) => Err(format!("the oracle failed: {why}")),
    }
}

fn same_sight(oracle: &Sight, lane: &Sight) -> Result<(), String> {
    let keys =
        |s: &Sight| -> Vec<String> { s.values.keys().chain(s.images.keys()).cloned().collect() };
    if keys(oracle) != keys(lane) {
        return Err(format!(
            "the oracle saw {:?}, the lane {:?}",
            keys(oracle),
            keys(lane)
        ));
    }
    for (key, value) in &oracle.values {
        if lane.values[key] != *value {
            return Err(format!(
                "{key}: the oracle saw {value}, the lane {}",
                lane.values[key]
            ));
        }
    }
    for (key, a) in &oracle.images {
        let b = &lane.images[key];
        if (a.width, a.height) != (b.width, b.height) {
            return Err(format!("{key}: images of different sizes"));
        }
        let far = |i: &usize| a.rgba[*i].abs_diff(b.rgba[*i]) > TOLERANCE;
        let wrong: Vec<usize> = (0..a.rgba.len()).filter(far).collect();
        if let Some(i) = wrong.first() {
            let (x, y) = (i / 4 % a.width, i / 4 / a.width);
            let pixel = |s: &Seen| s.rgba[i / 4 * 4..i / 4 * 4 + 4].to_vec();
            return Err(format!(
                "{key}: {} components differ; first at ({x}, {y}): the oracle saw {:?}, the lane {:?}",
                wrong.len(),
                pixel(a),
                pixel(b)
            ));
        }
    }
    Ok(())
}
