//! What programs' calls become before they leave the client: equal states are minted once, small uploads leave
//! together. Counted by the driver and read in the recorded calls.

use mgl_core::pipe::{Box3, Call};
use mgl_core::trace::TraceFile;

use crate::road::{Place, arg};

/// A hundred draws a frame that blend in turn need two render states, however many frames there are.
#[test]
fn toggling_blending_mints_two_render_states() {
    let place = Place::new();
    let program = place.compile("frames", &[]);
    for frames in [1, 30] {
        let name = format!("blend-{frames}.mgltrace");
        let report = place.record(&name, &[arg(&program), "blend", &frames.to_string()]);
        report.is_healthy();
        assert_eq!(report.counter("draws"), 100 * frames);
        assert_eq!(report.counter("presents"), frames);
        assert_eq!(report.counter("render_state_mints"), 2, "{frames} frames");
        // Every toggle is a binding: the states are not merged either.
        assert!(report.counter("render_state_binds") >= 99 * frames);
        assert_eq!(place.replays_equal(&name), frames);
    }
    // Without a toggle there is one.
    let report = place.record("plain.mgltrace", &[arg(&program), "plain"]);
    assert_eq!(report.is_healthy().counter("render_state_mints"), 1);
}

/// An upload into a texture, as it left the client.
#[derive(Debug, PartialEq)]
struct Upload {
    union: [i64; 4],
    regions: Vec<[i64; 4]>,
}

fn rectangle(b: &Box3) -> [i64; 4] {
    [b.x, b.y, b.width, b.height].map(i64::from)
}

/// A hundred glTexSubImage2D between two draws leave as one upload: the union box, and each region once.
#[test]
fn small_uploads_between_draws_leave_as_one() {
    const FRAMES: u64 = 5;
    let place = Place::new();
    let program = place.compile("frames", &[]);
    let arguments = [arg(&program), "atlas", &FRAMES.to_string()];
    place.record("atlas.mgltrace", &arguments).is_healthy();
    assert_eq!(place.replays_equal("atlas.mgltrace"), FRAMES);

    let mut expected: Vec<[i64; 4]> = (0..100)
        .map(|i| [20 + i % 10 * 8, 30 + i / 10 * 9, 5, 7])
        .collect();
    expected.sort();
    let file = TraceFile::open(&place.path("atlas.mgltrace")).expect("a readable trace");
    for frame in file.frames() {
        // What happens between the frame's two draws.
        let (mut draws, mut uploads) = (0, Vec::new());
        let mut cursor = file.records(frame..=frame).expect("the frame's records");
        while let Some(record) = cursor.next().expect("whole records") {
            match record.call {
                Call::DrawVbo { .. } => draws += 1,
                Call::ResourceSubData { p, regions, .. } if draws == 1 => {
                    let mut regions: Vec<_> = regions.iter().map(|r| rectangle(&r.area)).collect();
                    regions.sort();
                    let union = rectangle(&p.union_box);
                    uploads.push(Upload { union, regions });
                }
                _ => {}
            }
        }
        assert_eq!(draws, 2, "frame {frame}");
        let whole = Upload {
            union: [20, 30, 9 * 8 + 5, 9 * 9 + 7],
            regions: expected.clone(),
        };
        assert_eq!(uploads, [whole], "frame {frame}");
    }
}
