//! One file of every format version that landed: read and printed by today's code.

use mgl_core::trace::{DumpOptions, TraceFile, dump, stats};
use std::path::Path;

#[test]
fn a_file_of_every_version_is_read_and_printed() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/versions");
    for version in 1..=mgl_core::trace::format::VERSION {
        let mut files = 0;
        // Today's are the project's own traces.
        let folder = match version {
            mgl_core::trace::format::VERSION => all.join(".."),
            older => all.join(older.to_string()),
        };
        for entry in std::fs::read_dir(folder).expect("a folder a version") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|e| e != "mgltrace") {
                continue;
            }
            let file = TraceFile::open(&path).expect("opens");
            assert_eq!(file.info().version, version, "{}", path.display());
            let mut records = 0;
            let mut cursor = file.records(..).expect("records");
            while cursor.next().expect("a record").is_some() {
                records += 1;
            }
            assert_eq!(records, file.record_count());
            stats(&file, ..).expect("counted");
            let mut text = Vec::new();
            dump(&file, &mut text, &DumpOptions::default()).expect("printed");
            assert!(!text.is_empty());
            files += 1;
        }
        assert!(files > 0, "version {version} has a file");
    }
}
