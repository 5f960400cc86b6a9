//! A program with two threads and shared contexts, from its start to its end, again and again over both links: no hang, no
//! crash, no handle left over.

mod common;

use common::xvfb::Xvfb;
use common::{compile, on_driver, run_ok};
use std::process::Command;

/// Lives of each kind, over each link, on each back end.
const LIVES: u32 = 34;

#[test]
fn two_threads_live_and_end() {
    let server = Xvfb::start();
    let program = compile("lifetimes", "both", &[]);
    let folder = tempfile::tempdir().expect("temporary folder");
    let report = folder.path().join("report.json");
    for backend in ["espryt", "magma"] {
        for link in ["direct", "thread"] {
            for (end, what) in ["all is ended", "nothing is", "in the middle"]
                .iter()
                .enumerate()
            {
                for life in 0..LIVES {
                    let _ = std::fs::remove_file(&report);
                    let mut command = Command::new(&program);
                    on_driver(&mut command, backend);
                    command
                        .arg(end.to_string())
                        .env("DISPLAY", server.display())
                        .env("MGL_LINK", link)
                        .env("MGL_REPORT", &report);
                    run_ok(&mut command);
                    let which = format!("{backend}, {link}, {what}, life {life}");
                    let text = std::fs::read_to_string(&report).expect(&which);
                    let report: serde_json::Value = serde_json::from_str(&text).expect(&which);
                    assert!(
                        report["faults"].as_object().is_some_and(|f| f.is_empty()),
                        "{which}: {text}"
                    );
                    if end == 0 {
                        // Surfaces belong to windows, which the program leaves to the closing of its display.
                        for kind in ["texture", "context"] {
                            assert_eq!(report["handles"][kind]["live"], 0, "{which}: {kind}");
                        }
                    }
                }
            }
        }
    }
}
