//! Prints what recording costs on the game's thread and how fast a file is read. Never asserts.
//!
//! `cargo run --release -p mgl-core --example bench_codec [DIRECTORY]`
//!
//! The session is a sprite scene: 400 draws a frame, each with a uniform push and a vertex buffer change.

use mgl_core::handle::*;
use mgl_core::pipe::*;
use mgl_core::trace::*;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FRAMES: u64 = 300;
const DRAWS: u64 = 400;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args_os()
        .nth(1)
        .map_or_else(std::env::temp_dir, PathBuf::from);
    let path = dir.join(format!("bench-codec-{}.mgltrace", std::process::id()));
    encode_only();
    record("nothing (/dev/null)", Path::new("/dev/null"), None)?;
    record("a file", &path, None)?;
    let place = dir.join(format!("bench-codec-{}", std::process::id()));
    let keeper = Keeper::listen(&place)?;
    record("a file, from kept memory", &path, Some(place.clone()))?;
    drop(keeper);
    std::fs::remove_file(&place)?;
    read(&path)?;
    std::fs::remove_file(&path)?;
    Ok(())
}

/// Calls `push` with the session's calls.
fn session(mut push: impl FnMut(&Call<'_>)) -> u64 {
    let shader = ShaderHandle(Handle {
        slot: 0,
        generation: 1,
    });
    let mut records = 0;
    let mut matrix: [f32; 16] = std::array::from_fn(|i| (i as f32).sin());
    for frame in 0..FRAMES {
        for draw in 0..DRAWS {
            // A sprite's place: half of them move.
            matrix[12] = draw as f32 * 0.37 + (draw % 2 * frame) as f32;
            matrix[13] = draw as f32 * 0.11 - (draw % 2 * frame) as f32;
            push(&Call::SetGlobalConstants {
                p: &SetGlobalConstants {
                    shader,
                    offset: 0,
                    block_size: 64,
                },
                bytes: bytemuck::bytes_of(&matrix),
            });
            push(&Call::SetVertexBuffers {
                p: &SetVertexBuffers::default(),
                buffers: &[VertexBuffer {
                    offset: draw * 96,
                    stride: 24,
                    ..VertexBuffer::default()
                }],
            });
            push(&Call::DrawVbo {
                p: &DrawInfo {
                    mode: Primitive::TRIANGLES,
                    instances: 1,
                    ..DrawInfo::default()
                },
                indices: &[],
                arrays: &[],
                ranges: &[DrawRange {
                    start: 0,
                    count: 6,
                    ..DrawRange::default()
                }],
                user_arrays: &[],
            });
            records += 3;
        }
        push(&Call::Present {
            p: &Present::default(),
        });
        records += 1;
    }
    records
}

fn encode_only() {
    let (mut words, mut blobs) = (Vec::new(), Vec::new());
    let start = Clock::start();
    let records = session(|call| {
        if words.len() > 1 << 16 {
            words.clear();
            blobs.clear();
        }
        mgl_core::codec::encode(call, &mut words, &mut blobs);
    });
    report("encode alone", start, records, "record");
    let start = Clock::start();
    let records = session(|call| {
        std::hint::black_box(call);
    });
    report("the session itself", start, records, "record");
}

fn record(
    what: &str,
    path: &Path,
    keeper: Option<PathBuf>,
) -> Result<(), Box<dyn std::error::Error>> {
    let prov = Provenance::of_tool("bench_codec");
    let options = RecorderOptions {
        keeper,
        ..RecorderOptions::default()
    };
    let mut r = TraceRecorder::create(path, &prov, options)?;
    let start = Clock::start();
    let records = session(|call| r.push(call));
    report(
        &format!("push, game's thread, into {what}"),
        start,
        records,
        "record",
    );
    let status = r.finish();
    println!(
        "{:48} {:.1} MB/s, {} waits, {} bytes a record{}",
        "  until all is written",
        status.written.bytes as f64 / start.elapsed().as_secs_f64() / 1e6,
        status.waits,
        status.written.bytes / records.max(1),
        status.failed.map_or(String::new(), |f| format!(", {f}")),
    );
    Ok(())
}

fn read(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let start = Clock::start();
    let file = TraceFile::open(path)?;
    println!("{:48} {:?}", "open", start.elapsed());
    for k in file.info().chunks {
        println!(
            "{:48} {} chunks, {} bytes, {} stored",
            format!("  {}", k.kind),
            k.chunks,
            k.real_bytes,
            k.stored_bytes
        );
    }
    let start = Clock::start();
    let (mut cursor, mut n) = (file.records(..)?, 0u64);
    while let Some(r) = cursor.next_raw()? {
        n += u64::from(r.view.words.len() > 1);
    }
    report("walk", start, n, "record");
    let start = Clock::start();
    let (mut cursor, mut n) = (file.records(..)?, 0u64);
    while let Some(r) = cursor.next()? {
        std::hint::black_box(&r.call);
        n += 1;
    }
    report("decode", start, n, "record");
    println!(
        "{:48} {:.1} million records/s",
        "",
        n as f64 / start.busy().as_secs_f64() / 1e6
    );
    Ok(())
}

fn report(what: &str, start: Clock, n: u64, unit: &str) {
    println!(
        "{what:48} {:6.1} ns a {unit} ({:.1} on the clock)",
        start.busy().as_nanos() as f64 / n.max(1) as f64,
        start.elapsed().as_nanos() as f64 / n.max(1) as f64
    );
}

/// Time on the clock, and time that this thread was running: the machine may have other things to do.
#[derive(Clone, Copy)]
struct Clock {
    wall: Instant,
    cpu: Duration,
}

impl Clock {
    fn start() -> Self {
        Self {
            wall: Instant::now(),
            cpu: thread_time(),
        }
    }
    fn elapsed(&self) -> Duration {
        self.wall.elapsed()
    }
    fn busy(&self) -> Duration {
        thread_time().saturating_sub(self.cpu)
    }
}

fn thread_time() -> Duration {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call fills the struct that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut t) };
    Duration::new(t.tv_sec as u64, t.tv_nsec as u32)
}
