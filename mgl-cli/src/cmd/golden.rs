//! `mgl golden`: what is pending beside goldens, shown and decided on.

use std::path::PathBuf;
use std::time::Duration;

use comfy_table::Cell;
use mgl_verify::goldens::pending::{self, Item, PendingError, Review};
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Most differences of a file that a review shows.
const SHOWN: usize = 10;

/// Decide on results that differ from their goldens
///
/// `mgl verify` leaves such results beside the goldens as pending. A name is that of a golden, for all
/// that is pending for it, or GOLDEN:FILE, as in atlas:state, atlas:counters or 'atlas:image 12'.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  mgl golden list
  mgl golden review                        both values of everything that is pending
  mgl golden review atlas --heatmaps out   and pictures of where images differ
  mgl golden accept atlas
  mgl golden accept 'atlas:image 12' atlas:counters
  mgl golden reject atlas:state")]
pub struct Args {
    /// The folder of goldens
    #[arg(long, value_name = "FOLDER", default_value = "goldens", global = true)]
    goldens: PathBuf,

    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List what is pending
    List,
    /// Show the golden's value and the pending one
    Review {
        /// What to show [default: all that is pending]
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        /// Write pictures of where images differ into this folder
        #[arg(long, value_name = "FOLDER")]
        heatmaps: Option<PathBuf>,
    },
    /// Make pending results the goldens; images are compared with the system's OpenGL first
    Accept {
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
        /// Seconds that the golden's source may take on the system's OpenGL
        #[arg(long, value_name = "SECONDS", default_value_t = 300)]
        timeout: u64,
        /// The folder of traces that pending recordings go to [default: where the verified trace was, if
        /// that is below the folder that holds the folder of goldens]
        #[arg(long, value_name = "FOLDER")]
        traces: Option<PathBuf>,
    },
    /// Throw pending results away
    Reject {
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
}

impl From<PendingError> for Failure {
    fn from(error: PendingError) -> Self {
        Self::input(error)
    }
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let folder = &args.goldens;
    if !folder.is_dir() {
        let message = format!("{}: there is no such folder", folder.display());
        return Err(Failure {
            hint: Some("--goldens names the folder of goldens".to_owned()),
            ..Failure::input(message)
        });
    }
    match &args.command {
        Command::List => {
            let items = pending::list(folder)?;
            out.show(&items, |out, items| show_list(out, items))?;
        }
        Command::Review { names, heatmaps } => {
            let items = match names.is_empty() {
                true => pending::list(folder)?,
                false => pending::select(folder, names)?,
            };
            if let Some(to) = heatmaps {
                std::fs::create_dir_all(to)
                    .map_err(|e| Failure::input(format!("{}: {e}", to.display())))?;
            }
            let reviews = items
                .iter()
                .map(|item| pending::review(folder, item, heatmaps.as_deref()))
                .collect::<Result<Vec<_>, _>>()?;
            out.show(&reviews, |out, reviews| show_reviews(out, reviews))?;
            if reviews.iter().any(|r| r.unreadable) {
                return Ok(Exit::Usage);
            }
        }
        Command::Accept {
            names,
            timeout,
            traces,
        } => {
            let items = pending::select(folder, names)?;
            let done = pending::accept(
                folder,
                &items,
                traces.as_deref(),
                Duration::from_secs(*timeout),
            )?;
            let document: Vec<_> = done
                .iter()
                .map(|(item, words)| json!({"name": item.name, "file": item.file, "result": words}))
                .collect();
            out.show(&document, |out, _| {
                for (item, words) in &done {
                    out.line(format_args!("{item}: {words}"))?;
                }
                Ok(())
            })?;
        }
        Command::Reject { names } => {
            let items = pending::select(folder, names)?;
            pending::reject(folder, &items)?;
            out.show(&items, |out, items| {
                for item in items {
                    out.line(format_args!("{item}: rejected"))?;
                }
                Ok(())
            })?;
        }
    }
    Ok(Exit::Success)
}

fn show_list(out: &mut Output, items: &[Item]) -> Result<(), Failure> {
    if items.is_empty() {
        return out.line("nothing is pending");
    }
    let rows = items
        .iter()
        .map(|i| vec![Cell::new(&i.name), Cell::new(&i.file), Cell::new(&i.found)]);
    out.table(&["golden", "file", "found"], rows.collect())
}

fn show_reviews(out: &mut Output, reviews: &[Review]) -> Result<(), Failure> {
    if reviews.is_empty() {
        return out.line("nothing is pending");
    }
    for review in reviews {
        out.line(format_args!("{}", review.item))?;
        for line in review.summary.lines() {
            out.line(format_args!("  {line}"))?;
        }
        if let Some(golden) = &review.golden {
            out.line(format_args!("  golden   {}", golden.display()))?;
        }
        out.line(format_args!("  pending  {}", review.pending.display()))?;
        if let Some(heatmap) = &review.heatmap {
            out.line(format_args!("  heatmap  {}", heatmap.display()))?;
        }
        if !review.differences.is_empty() {
            let value = |v: &Option<String>| Cell::new(v.as_deref().unwrap_or("-"));
            let rows = review.differences.iter().take(SHOWN).map(|d| {
                vec![
                    Cell::new(&d.place),
                    Cell::new(&d.field),
                    value(&d.golden),
                    value(&d.actual),
                ]
            });
            out.table(&["where", "field", "golden", "pending"], rows.collect())?;
            if review.differences.len() > SHOWN {
                let rest = review.differences.len() - SHOWN;
                out.line(format_args!("  and {rest} more; --json shows them"))?;
            }
        }
    }
    Ok(())
}
