//! The ring under loom: every order in which its threads can run and every value that its atomics may give, within a
//! bound of preemptions. loom watches the words of the rings too: an access that is not ordered is found.
//!
//! The doorbell's models are run once more with one of its steps left out, and must then find the wake-up that is lost.

use super::bell::Doorbell;
use super::sync::{AtomicU64, Step, leave_out};
use super::*;
use crate::codec::decode;
use crate::pipe::Call;
use crate::pipe::payload::{BufferRange, Flush};
use bytemuck::Zeroable;
use loom::thread;
use std::sync::atomic::Ordering;
use std::time::Duration;

fn model(preemptions: usize, check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.check(check);
}

/// As `model`, with a step of the doorbell left out.
fn model_without(step: Step, check: impl Fn() + Sync + Send + 'static) {
    /// Puts it back where the model panics, which it is expected to.
    struct Whole;
    impl Drop for Whole {
        fn drop(&mut self) {
            leave_out(None);
        }
    }
    let _whole = Whole;
    leave_out(Some(step));
    model(3, check);
}

/// One thread waits for another's word.
fn doorbell() {
    let all = Arc::new((AtomicU64::new(0), Doorbell::default()));
    let ringer = {
        let all = all.clone();
        thread::spawn(move || {
            all.0.store(1, Ordering::Release);
            all.1.ring();
        })
    };
    let ready = || (all.0.load(Ordering::Acquire) != 0).then_some(());
    all.1.wait(Duration::ZERO, &mut 0, ready);
    ringer.join().unwrap();
}

#[test]
fn a_doorbell_loses_no_wake_up() {
    model(3, doorbell);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_doorbell_without_the_ringer_s_fence_loses_one() {
    model_without(Step::FenceOfRing, doorbell);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_doorbell_without_the_waiter_s_fence_loses_one() {
    model_without(Step::FenceOfPark, doorbell);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_doorbell_without_the_second_look_loses_one() {
    model_without(Step::Recheck, doorbell);
}

/// Two threads wait at one doorbell for different things.
#[test]
fn two_that_wait_at_one_doorbell_are_both_woken() {
    model(2, || {
        let all = Arc::new((AtomicU64::new(0), Doorbell::default()));
        let waiter = |least: u64| {
            let all = all.clone();
            thread::spawn(move || {
                let ready = || (all.0.load(Ordering::Acquire) >= least).then_some(());
                all.1.wait(Duration::ZERO, &mut 0, ready);
            })
        };
        let waiters = [waiter(1), waiter(2)];
        for value in 1..=2 {
            all.0.store(value, Ordering::Release);
            all.1.ring();
        }
        for waiter in waiters {
            waiter.join().unwrap();
        }
    });
}

const TINY: Sizes = Sizes {
    commands: Sizes::SMALLEST,
    stage: Sizes::SMALLEST,
};

fn put(producer: &mut Producer, call: &Call<'_>) -> Result<u64, LinkError> {
    producer.put(call)
}

/// Takes everything: the records' ordinals, or that something is wrong. A record counts as applied at once.
fn drain(mut consumer: Consumer, check: impl Fn(&Call<'_>)) -> u64 {
    let mut records = 0;
    loop {
        match consumer.next().unwrap() {
            Item::Record {
                ordinal,
                record,
                blobs,
            } => {
                assert_eq!(ordinal, records);
                check(&decode(&record, &blobs).unwrap());
                records += 1;
            }
            Item::Mark(number) => assert_eq!(number, records),
            Item::Closed => return records,
        }
    }
}

/// Records and marks around the end of the command ring and back, with waits for room on the way.
#[test]
fn records_and_marks_cross_in_order() {
    model(2, || {
        let (mut producer, consumer) = pair(TINY);
        let taker = thread::spawn(|| drain(consumer, |call| assert_eq!(*call, flush())));
        for ordinal in 0..3 {
            assert_eq!(put(&mut producer, &flush()), Ok(ordinal));
            producer.mark(ordinal + 1).unwrap();
            producer.publish().unwrap();
        }
        drop(producer);
        assert_eq!(taker.join().unwrap(), 3);
    });
}

fn flush() -> Call<'static> {
    static FLUSH: std::sync::LazyLock<Flush> = std::sync::LazyLock::new(Flush::zeroed);
    Call::Flush { p: &FLUSH }
}

/// Records with a blob of `bytes` each.
fn with_blob(bytes: usize, records: u64) {
    let (mut producer, consumer) = pair(Sizes {
        commands: 256,
        ..TINY
    });
    let blob: Vec<u8> = (0..bytes as u8).collect();
    let range = BufferRange::zeroed();
    let call = |blob| Call::BufferSubDataResident {
        p: &range,
        bytes: blob,
    };
    let taker = {
        let blob = blob.clone();
        thread::spawn(move || {
            drain(consumer, |call| match call {
                Call::BufferSubDataResident { bytes, .. } => assert_eq!(*bytes, blob),
                other => panic!("{other:?}"),
            })
        })
    };
    for _ in 0..records {
        put(&mut producer, &call(&blob)).unwrap();
    }
    producer.publish().unwrap();
    drop(producer);
    assert_eq!(taker.join().unwrap(), records);
}

#[test]
fn blobs_cross_in_the_stage_ring() {
    model(2, || with_blob(25, 2));
}

#[test]
fn blobs_cross_in_pieces() {
    model(2, || with_blob(40, 1));
}

/// The last part needs all of the ring, of which the consumer owes less than it gives back on the way.
#[test]
fn a_consumer_without_work_owes_no_room() {
    model(1, || {
        let (mut producer, consumer) = pair(Sizes {
            commands: 256,
            stage: 1024,
        });
        let taker = thread::spawn(|| drain(consumer, |_| ()));
        let range = BufferRange::zeroed();
        for words in [60, 5, 64] {
            let bytes = vec![1; words * 8];
            let call = Call::BufferSubDataResident {
                p: &range,
                bytes: &bytes,
            };
            put(&mut producer, &call).unwrap();
        }
        drop(producer);
        assert_eq!(taker.join().unwrap(), 3);
    });
}

#[test]
fn who_waits_for_a_record_learns_that_it_is_applied() {
    model(2, || {
        let (mut producer, consumer) = pair(TINY);
        put(&mut producer, &flush()).unwrap();
        producer.publish().unwrap();
        let waiter = producer.waiter();
        let taker = thread::spawn(|| drain(consumer, |_| ()));
        assert_eq!(waiter.wait_applied(0), Ok(()));
        drop(producer);
        taker.join().unwrap();
    });
}

/// The consumer leaves with the record in its hands.
#[test]
fn who_waits_for_a_consumer_that_goes_learns_that() {
    model(2, || {
        let (mut producer, mut consumer) = pair(TINY);
        put(&mut producer, &flush()).unwrap();
        producer.publish().unwrap();
        let waiter = producer.waiter();
        let taker = thread::spawn(move || drop(consumer.next().map(drop)));
        assert_eq!(waiter.wait_applied(0), Err(LinkError::Gone));
        // More than there is room for: it waits, or sees at once that nobody is there.
        let put = (0..9).try_for_each(|_| put(&mut producer, &flush()).map(drop));
        assert_eq!(put, Err(LinkError::Gone));
        taker.join().unwrap();
    });
}

#[test]
fn a_producer_that_waits_for_room_learns_that_the_consumer_is_gone() {
    model(2, || {
        let (mut producer, consumer) = pair(TINY);
        let taker = thread::spawn(move || drop(consumer));
        let put = (0..9).try_for_each(|_| put(&mut producer, &flush()).map(drop));
        assert_eq!(put, Err(LinkError::Gone));
        taker.join().unwrap();
    });
}

/// What the consumer says of a link of which `spoil` wrote the control page and the memory.
fn spoilt(spoil: impl Fn(&control::Shared) + Sync + Send + 'static, want: &'static str) {
    model(1, move || {
        let shared = Arc::new(control::Shared::new(TINY));
        let mut consumer = Consumer::new(shared.clone(), Duration::ZERO);
        spoil(&shared);
        for _ in 0..2 {
            let error = format!("{:?}", consumer.try_next().map(drop));
            assert!(error.contains(want), "{error} is not {want}");
        }
    });
}

/// As [`spoilt`], by what the command ring holds.
fn entry(words: &[u64], want: &'static str) {
    let words = words.to_vec();
    let spoil = move |shared: &control::Shared| {
        shared.memory(Lane::Commands).overwrite(&words);
        let head = shared.control.head(Lane::Commands);
        head.store(words.len() as u64, Ordering::Release);
    };
    spoilt(spoil, want);
}

#[test]
fn impossible_heads_are_named_errors() {
    for head in [9, u64::MAX] {
        let store =
            |lane| move |s: &control::Shared| s.control.head(lane).store(head, Ordering::Release);
        spoilt(store(Lane::Commands), "Head { lane: Commands");
        let stage = store(Lane::Stage);
        let piece = move |s: &control::Shared| {
            s.memory(Lane::Commands)
                .overwrite(&[frame::header(frame::PIECE, 0, 3), 0, 8]);
            s.control.head(Lane::Commands).store(3, Ordering::Release);
            stage(s);
        };
        spoilt(piece, "Head { lane: Stage");
    }
}

#[test]
fn impossible_tails_are_named_errors() {
    for tail in [9, u64::MAX] {
        model(1, move || {
            let shared = Arc::new(control::Shared::new(TINY));
            let mut producer = Producer::new(shared.clone(), Duration::ZERO);
            let spoilt = shared.control.tail(Lane::Commands);
            spoilt.store(tail, Ordering::Release);
            let put = (0..9).try_for_each(|_| put(&mut producer, &flush()).map(drop));
            assert!(
                matches!(put, Err(LinkError::Tail { tail: t, .. }) if t == tail),
                "{put:?}"
            );
        });
    }
}

#[test]
fn impossible_entries_are_named_errors() {
    // Of no size, of a size that is no number of words, of another than the entry has, beyond what is there.
    for (op, size) in [
        (frame::MARK, 0_u64),
        (frame::MARK, 12),
        (frame::MARK, 8),
        (frame::MARK, 24),
        (frame::PAD, 1 << 30),
        (frame::PIECE, 16),
        (frame::WHOLE, 16),
    ] {
        entry(&[u64::from(op) | size << 32, 0, 0, 0], "Entry");
    }
    entry(&[frame::header(frame::PIECE, 2, 3), 0, 0], "Entry");
    // No opcode; nothing was put together; pieces and blobs that are not in the stage ring.
    entry(&[0x1234 | 8 << 32], "UnknownOp");
    entry(&[frame::header(frame::WHOLE, 0, 1)], "Truncated");
    for (offset, size) in [(0, 8), (u64::MAX - 7, 64), (4, 8), (0, u64::MAX)] {
        let piece = frame::header(frame::PIECE, 0, 3);
        entry(&[piece, offset, size], "Part");
        for seg in [frame::SEG_STAGE, frame::SEG_WHOLE, 7] {
            let op = crate::pipe::Op::BufferSubDataResident as u16;
            let record = frame::header(op, 0, 7);
            let seg = u64::from(seg);
            entry(&[record, 0, 0, 0, offset, size, seg], "Blob");
        }
    }
}
