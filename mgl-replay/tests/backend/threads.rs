//! Several threads, each with a context of its own, under one lock: as a program with two GL threads drives it live.

use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::pipe::*;
use std::sync::{Arc, Condvar, Mutex};

/// Whose turn it is.
struct Turns {
    turn: Mutex<u32>,
    moved: Condvar,
}

impl Turns {
    fn wait(&self, who: u32) {
        let mut turn = self.turn.lock().expect("no panic under the lock");
        while *turn != who {
            turn = self.moved.wait(turn).expect("no panic under the lock");
        }
    }
    fn pass(&self, to: u32) {
        *self.turn.lock().expect("no panic under the lock") = to;
        self.moved.notify_all();
    }
}

#[test]
fn two_threads_draw_in_turns() {
    let mut rig = Rig::new(4, 4);
    let first = (rig.context, rig.surface);
    let second = rig.new_context();
    let other = rig.new_surface(SurfaceDesc {
        width: 4,
        height: 4,
        color: Format::RGBA8,
        double_buffered: true.into(),
        ..SurfaceDesc::default()
    });
    rig.bind(second, other);
    rig.push_all();
    let shared = rig.texture_2d(Format::RGBA8, 4, 4, 1);
    rig.bind(first.0, first.1);
    rig.be.release_thread().expect("released");
    let rig = Arc::new(Mutex::new(rig));
    let turns = Arc::new(Turns {
        turn: Mutex::new(0),
        moved: Condvar::new(),
    });
    let speak = |who: u32, (context, surface), color: [f32; 4], pixel: [u8; 4]| {
        let (rig, turns) = (rig.clone(), turns.clone());
        std::thread::spawn(move || {
            for round in 0..20u8 {
                turns.wait(who);
                let mut rig = rig.lock().expect("no panic under the lock");
                rig.bind(context, surface);
                rig.surface = surface;
                rig.clear(color);
                assert_eq!(rig.image().count(pixel), 16, "thread {who}, round {round}");
                // A texture of both: each finds what the other has left.
                let area = Box3 {
                    width: 4,
                    height: 4,
                    depth: 1,
                    ..Box3::default()
                };
                let before = rig.read_texture(shared, 0);
                assert!(
                    before.iter().all(|b| *b == (2 * round + who as u8)),
                    "{before:?}"
                );
                rig.call(&Call::ResourceSubData {
                    p: &SubData {
                        resource: shared.into(),
                        union_box: area,
                        row_stride: 16,
                        image_stride: 64,
                        flags: SubDataFlags::UNION_WHOLE,
                        ..SubData::default()
                    },
                    bytes: &[2 * round + who as u8 + 1; 64],
                    regions: &[],
                });
                rig.call(&Call::Flush {
                    p: &Flush {
                        flags: FlushFlags::FINISH,
                        ..Flush::default()
                    },
                });
                rig.present();
                drop(rig);
                turns.pass(1 - who);
            }
            turns.wait(who);
            let mut rig = rig.lock().expect("no panic under the lock");
            rig.be.release_thread().expect("released");
            drop(rig);
            turns.pass(1 - who);
        })
    };
    let threads = [
        speak(0, first, [1.0, 0.0, 0.0, 1.0], RED),
        speak(1, (second, other), [0.0, 1.0, 0.0, 1.0], GREEN),
    ];
    for t in threads {
        t.join().expect("the thread's assertions hold");
    }
    let mut rig = rig.lock().expect("no panic under the lock");
    rig.bind(first.0, first.1);
    rig.surface = first.1;
    assert_eq!(rig.image().count(RED), 16);
}

#[test]
fn resources_are_made_while_another_thread_holds_the_context() {
    let rig = Arc::new(Mutex::new(Rig::new(4, 4)));
    rig.lock().expect("alone").clear([1.0, 0.0, 0.0, 1.0]);
    let b = {
        let rig = rig.clone();
        std::thread::spawn(move || {
            let mut rig = rig.lock().expect("no panic under the lock");
            rig.buffer(&[5; 64])
        })
        .join()
        .expect("made")
    };
    let mut rig = rig.lock().expect("no panic under the lock");
    let read = rig.call(&Call::ResourceReadback {
        p: &BufferRange {
            buffer: b,
            offset: 0,
            size: 2,
        },
    });
    assert_eq!(read, Reply::Bytes(vec![5, 5]));
    assert_eq!(rig.image().count(RED), 16);
}
