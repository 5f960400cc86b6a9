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

/// An upload into a texture, as it left the client: x, y, width and height of its boxes.
struct Upload {
    union: [u32; 4],
    regions: Vec<[u32; 4]>,
}

fn rectangle(b: &Box3) -> [u32; 4] {
    [b.x, b.y, b.width, b.height]
}

/// Whether `outer` holds all of `inner`.
fn holds(outer: &[u32; 4], inner: &[u32; 4]) -> bool {
    (0..2).all(|i| outer[i] <= inner[i] && inner[i] + inner[i + 2] <= outer[i] + outer[i + 2])
}

fn area(b: &[u32; 4]) -> u32 {
    b[2] * b[3]
}

/// Records a program that patches an atlas between two draws of every frame; gives the patches, and the one upload
/// that each frame has there.
fn patched(name: &str, patches: u32) -> (Vec<[u32; 4]>, Vec<Upload>) {
    const FRAMES: u64 = 5;
    let place = Place::new();
    let program = place.compile("frames", &[]);
    let (frames, count) = (FRAMES.to_string(), patches.to_string());
    place
        .record(name, &[arg(&program), "atlas", &frames, &count])
        .is_healthy();
    assert_eq!(place.replays_equal(name), FRAMES);

    let file = TraceFile::open(&place.path(name)).expect("a readable trace");
    let mut uploads = Vec::new();
    for frame in file.frames() {
        let (mut draws, before) = (0, uploads.len());
        let mut cursor = file.records(frame..=frame).expect("the frame's records");
        while let Some(record) = cursor.next().expect("whole records") {
            match record.call {
                Call::DrawVbo { .. } => draws += 1,
                Call::ResourceSubData { p, regions, .. } if draws == 1 => uploads.push(Upload {
                    union: rectangle(&p.union_box),
                    regions: regions.iter().map(|r| rectangle(&r.area)).collect(),
                }),
                _ => {}
            }
        }
        assert_eq!(draws, 2, "frame {frame}");
        assert_eq!(uploads.len() - before, 1, "one upload in frame {frame}");
    }
    let patch = |i| [20 + i % 10 * 12, 30 + i / 10 * 14, 5, 7];
    ((0..patches).map(patch).collect(), uploads)
}

/// Few enough to be kept apart: each is a region of its own, and nothing else is.
#[test]
fn small_uploads_leave_as_one_with_their_regions() {
    let (mut patches, uploads) = patched("fifty.mgltrace", 50);
    patches.sort_unstable();
    for upload in uploads {
        assert_eq!(upload.union, [20, 30, 9 * 12 + 5, 4 * 14 + 7]);
        let mut regions = upload.regions;
        regions.sort_unstable();
        assert_eq!(regions, patches);
    }
}

/// A hundred are more than the client keeps apart: some regions hold several, and still little but the patches goes up.
#[test]
fn a_hundred_small_uploads_leave_as_one() {
    let (patches, uploads) = patched("hundred.mgltrace", 100);
    for upload in uploads {
        assert_eq!(upload.union, [20, 30, 9 * 12 + 5, 9 * 14 + 7]);
        let held = |patch| upload.regions.iter().any(|r| holds(r, patch));
        assert!(patches.iter().all(held), "{:?}", upload.regions);
        assert!((90..100).contains(&upload.regions.len()));
        assert!(upload.regions.iter().all(|r| holds(&upload.union, r)));
        let (sent, changed): (u32, u32) = (
            upload.regions.iter().map(area).sum(),
            patches.iter().map(area).sum(),
        );
        assert!(sent * 4 <= changed * 5, "{sent} texels for {changed}");
    }
}
