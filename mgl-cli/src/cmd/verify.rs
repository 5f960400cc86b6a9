//! `mgl verify`: traces, or recordings made now, against their goldens.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use comfy_table::Cell;
use mgl_replay::{BackendKind, Limit};
use mgl_verify::goldens::report::Target;
use mgl_verify::goldens::verdict::{CaseReport, Check, Report, Verdict};
use mgl_verify::goldens::worker::WorkerCommand;
use mgl_verify::goldens::{Mode, VerifyOptions, verify};

use crate::exit::{Exit, Failure};
use crate::internal::REPLAY_WORKER;
use crate::output::{Output, Tone};
use crate::progress::Progress;

/// Most differences of a check that are shown.
const SHOWN: usize = 5;

/// Compare traces with their goldens
///
/// Images, pushed state, upload shapes, counters and replies are compared. Each trace NAME.mgltrace is replayed in a process of its own and compared with the golden of that
/// name. What comes from the trace alone cannot change in a replay: where it is as it should be it reads
/// `constant`, and never `pass`. With --live the golden's source (a program, or a recorded GL trace) is
/// recorded on the driver now, and the recording is compared: this checks the front end.
///
/// What differs is left beside the golden as pending, for `mgl golden`, unless CI is set.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl verify traces                                    every trace of a folder
  mgl verify traces/atlas.mgltrace --backend espryt
  mgl verify traces --update                           make the goldens, or write what changed
  mgl verify traces --live                             record the goldens' sources, and compare
  mgl verify goldens/atlas --live
  mgl verify traces/new.mgltrace --live --update       record a new golden's source for the first time
  mgl verify traces --report junit=report.xml --report md=report.md

Exits with 0 when all is as it should be; with 1 when anything differs, is missing, unreferenced,
skipped, or could not be run; with 2 when there is nothing to verify; with 3 when only this machine is
at fault.")]
pub struct Args {
    /// Traces and folders of traces; with --live also goldens, folders of goldens, and traces that are
    /// yet to be recorded
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The folder of goldens
    #[arg(long, value_name = "FOLDER", default_value = "goldens")]
    goldens: PathBuf,

    /// Back ends, separated by commas; the first one draws while sources are recorded
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "espryt"
    )]
    backend: Vec<BackendKind>,

    /// The Vulkan device, by number or part of its name (mgl doctor lists them)
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,

    /// Record the goldens' sources on the driver and compare the recordings
    #[arg(long)]
    live: bool,

    /// Write the goldens, and show what changed; images are compared with the system's OpenGL first
    #[arg(long)]
    update: bool,

    /// Write a report: junit=FILE, json=FILE or md=FILE
    #[arg(long, value_name = "KIND=FILE", value_parser = OsStringValueParser::new().try_map(|text| Target::parse(&text)))]
    report: Vec<Target>,

    /// Cases at a time
    #[arg(long, value_name = "N", default_value_t = default_jobs(), value_parser = parse_jobs)]
    jobs: usize,

    /// Seconds that a replay, or a program, may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,

    /// Let a replay cost so many times what it may by default, or `none` for no bound (see mgl replay)
    #[arg(long, value_name = "TIMES", default_value_t)]
    limit: Limit,

    /// Show every check, not only those that are wrong
    #[arg(long)]
    all: bool,

    /// Report the back ends' debug messages as errors
    #[arg(long)]
    debug: bool,

    /// Leave one push out while recording, CALL or CALL:N, to see that it is found
    #[arg(
        long,
        value_name = "CALL[:N]",
        requires = "live",
        conflicts_with = "update"
    )]
    leave_out: Option<String>,
}

fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn parse_jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("not a number of at least 1".to_owned()),
    }
}

/// Whether this runs on a CI server, where nothing is ever written beside goldens.
fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|v| !v.is_empty() && v != "0" && v != "false")
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    if args.update && is_ci() {
        return Err(Failure::input(
            "--update writes goldens, and the variable CI says that nothing is to be written here",
        ));
    }
    let program = std::env::current_exe()
        .map_err(|e| Failure::environment(format!("mgl does not find itself: {e}")))?;
    let mut backends: Vec<BackendKind> = Vec::new();
    for &backend in &args.backend {
        if backend == BackendKind::Null {
            return Err(Failure::input(
                "the null back end draws nothing: there is nothing to verify on it",
            ));
        }
        if !backends.contains(&backend) {
            backends.push(backend);
        }
    }
    let options = VerifyOptions {
        goldens: args.goldens.clone(),
        backends,
        mode: match args.live {
            true => Mode::Live {
                leave_out: args.leave_out.clone(),
            },
            false => Mode::Stored,
        },
        update: args.update,
        // What a push that was left out gave is nobody's next golden.
        write_pending: !is_ci() && args.leave_out.is_none(),
        jobs: args.jobs,
        limit: Duration::from_secs(args.timeout),
        worker: WorkerCommand {
            program,
            args: vec![REPLAY_WORKER.into()],
        },
        debug: args.debug,
        device: args.device.clone(),
        cost: args.limit,
    };
    let progress: Mutex<Option<Progress>> = Mutex::new(None);
    let step = |_: &[CaseReport], total: usize| {
        let mut progress = progress.lock().unwrap_or_else(|e| e.into_inner());
        progress
            .get_or_insert_with(|| Progress::new(total as u64, "goldens"))
            .step();
    };
    let report = verify(&args.paths, &options, &step).map_err(Failure::input)?;
    drop(progress);
    for target in &args.report {
        target
            .write(&report)
            .map_err(|e| Failure::input(format!("{}: {e}", target.path.display())))?;
    }
    out.show(&report, |out, report| show(out, report, args))?;
    Ok(if report.pass {
        Exit::Success
    } else if report.is_environment() {
        Exit::Environment
    } else {
        Exit::Difference
    })
}

fn show(out: &mut Output, report: &Report, args: &Args) -> Result<(), Failure> {
    let rows = report.cases.iter().map(|case| {
        let tone = if case.is_good() {
            Tone::Good
        } else {
            Tone::Bad
        };
        vec![
            Cell::new(&case.name),
            Cell::new(case.backend.as_deref().unwrap_or("-")),
            out.toned(result_of(case), tone),
            Cell::new(tally(case)),
            Cell::new(format!("{:.1} s", case.seconds)),
        ]
    });
    let rows = rows.collect();
    out.table(&["golden", "back end", "result", "checks", "time"], rows)?;
    for case in &report.cases {
        for check in &case.checks {
            let told = !check.verdict.is_good() || check.verdict == Verdict::Updated;
            if told || args.all {
                show_check(out, case, check)?;
            }
        }
    }
    let good = report.cases.iter().filter(|c| c.is_good()).count();
    out.line(format_args!(
        "{good} of {} cases are good, in {:.1} s",
        report.cases.len(),
        report.seconds
    ))?;
    if !report.pass && !report.pending.is_empty() {
        out.line(format_args!(
            "pending for {}: see `mgl golden review --goldens {}`",
            report.pending.join(", "),
            args.goldens.display()
        ))?;
    }
    Ok(())
}

/// The worst of a case's verdicts.
fn result_of(case: &CaseReport) -> &'static str {
    let worst = case.checks.iter().map(|c| c.verdict).max();
    worst.map_or("nothing was checked", Verdict::word)
}

/// How many checks there are of each verdict.
fn tally(case: &CaseReport) -> String {
    let mut counts: Vec<(Verdict, usize)> = Vec::new();
    for check in &case.checks {
        match counts.iter_mut().find(|(v, _)| *v == check.verdict) {
            Some((_, n)) => *n += 1,
            None => counts.push((check.verdict, 1)),
        }
    }
    let parts: Vec<String> = counts
        .iter()
        .map(|(verdict, n)| format!("{n} {}", verdict.word()))
        .collect();
    parts.join(", ")
}

fn show_check(out: &mut Output, case: &CaseReport, check: &Check) -> Result<(), Failure> {
    out.line(format_args!(
        "{}: {} {}: {}",
        case.name,
        check.what,
        check.verdict.word(),
        check.detail
    ))?;
    for row in check.differences.iter().take(SHOWN) {
        let value = |v: &Option<String>| v.clone().unwrap_or_else(|| "-".to_owned());
        out.line(format_args!(
            "    {} {}: {} -> {}",
            row.place,
            row.field,
            value(&row.golden),
            value(&row.actual)
        ))?;
    }
    if check.differences.len() > SHOWN {
        out.line(format_args!(
            "    and {} more; --json shows them",
            check.differences.len() - SHOWN
        ))?;
    }
    for delta in &check.deltas {
        out.line(format_args!("    {delta}"))?;
    }
    Ok(())
}
