//! Ends that close, are dropped or panic, and those who wait for them.

use mgl_core::link::ring::{Consumer, Item, LinkError, Producer, Sizes, pair};
use mgl_core::pipe::Call;
use mgl_core::pipe::payload::{BufferRange, Flush};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

const SMALL: Sizes = Sizes {
    commands: 256,
    stage: 256,
};

fn put(producer: &mut Producer) -> Result<u64, LinkError> {
    let p: Flush = bytemuck::Zeroable::zeroed();
    producer.put(&Call::Flush { p: &p })
}

fn put_blob(producer: &mut Producer, bytes: usize) -> Result<u64, LinkError> {
    let (p, bytes): (BufferRange, _) = (bytemuck::Zeroable::zeroed(), vec![7; bytes]);
    let call = Call::BufferSubDataResident {
        p: &p,
        bytes: &bytes,
    };
    producer.put(&call)
}

/// Takes `records` of them.
fn take(consumer: &mut Consumer, records: usize) {
    for _ in 0..records {
        match consumer.next() {
            Ok(Item::Record { .. }) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// What waits: for room in either ring, in the middle of pieces, for a record; the consumer goes while it does.
#[test]
fn whoever_waits_for_a_consumer_that_goes_learns_it() {
    type Wait = fn(&mut Producer) -> Result<u64, LinkError>;
    let waits: [(&str, Wait); 4] = [
        ("commands", |p| {
            loop {
                put(p)?;
            }
        }),
        ("stage", |p| {
            loop {
                put_blob(p, 100)?;
            }
        }),
        ("pieces", |p| put_blob(p, 5000)),
        ("applied", |p| {
            let ordinal = put(p)?;
            p.publish()?;
            p.waiter().wait_applied(ordinal).map(|()| ordinal)
        }),
    ];
    for (name, wait) in waits {
        for panics in [false, true] {
            for pause in [0, 20] {
                let (mut producer, mut consumer) = pair(SMALL);
                put(&mut producer).unwrap();
                producer.publish().unwrap();
                let taker = thread::spawn(move || {
                    take(&mut consumer, 1);
                    thread::sleep(Duration::from_millis(pause));
                    if panics {
                        // Unwinds with the consumer in hand, without the message of a panic.
                        std::panic::resume_unwind(Box::new(()));
                    }
                });
                assert_eq!(wait(&mut producer), Err(LinkError::Gone), "{name}");
                assert_eq!(producer.publish(), Err(LinkError::Gone));
                assert_eq!(producer.mark(1), Err(LinkError::Gone));
                assert!(producer.waiter().is_gone());
                assert_eq!(taker.join().is_err(), panics);
                // It was handed out and never over.
                assert!(!producer.waiter().is_applied(0));
            }
        }
    }
}

#[test]
fn a_consumer_takes_everything_before_it_is_closed() {
    for close in [false, true] {
        let (mut producer, mut consumer) = pair(SMALL);
        assert!(matches!(consumer.try_next(), Ok(None)));
        let taker = thread::spawn(move || {
            take(&mut consumer, 3);
            assert!(matches!(consumer.next(), Ok(Item::Mark(5))));
            assert!(matches!(consumer.next(), Ok(Item::Closed)));
            assert!(matches!(consumer.next(), Ok(Item::Closed)));
            assert!(matches!(consumer.try_next(), Ok(Some(Item::Closed))));
        });
        // Parked by then.
        thread::sleep(Duration::from_millis(20));
        let waiter = producer.waiter();
        // Never published but by the end.
        for _ in 0..3 {
            put(&mut producer).unwrap();
        }
        producer.mark(5).unwrap();
        if close {
            producer.close();
            assert_eq!(put(&mut producer), Err(LinkError::Closed));
            assert_eq!(producer.mark(1), Err(LinkError::Closed));
            assert_eq!(producer.publish(), Ok(()));
            taker.join().unwrap();
        } else {
            drop(producer);
            taker.join().unwrap();
        }
        assert_eq!(waiter.wait_applied(2), Ok(()));
        assert_eq!(waiter.wait_applied(3), Err(LinkError::Gone));
    }
}

/// What is put and not published is not seen.
#[test]
fn nothing_is_seen_before_it_is_published() {
    let (mut producer, mut consumer) = pair(SMALL);
    assert_eq!(put(&mut producer), Ok(0));
    assert!(matches!(consumer.try_next(), Ok(None)));
    producer.publish().unwrap();
    let waiter = producer.waiter();
    assert!(matches!(
        consumer.try_next(),
        Ok(Some(Item::Record { ordinal: 0, .. }))
    ));
    assert!(!waiter.is_applied(0));
    consumer.applied();
    assert!(waiter.is_applied(0) && !waiter.is_applied(1));
    assert!(matches!(consumer.try_next(), Ok(None)));
    let stats = producer.stats();
    assert_eq!((stats.records, stats.publishes, stats.wakes), (1, 1, 0));
}

/// Several threads wait for records, each for its own, while more come.
#[test]
fn several_threads_wait_at_once() {
    const RECORDS: u64 = 20_000;
    let (mut producer, mut consumer) = pair(SMALL);
    let done = AtomicUsize::new(0);
    thread::scope(|scope| {
        for first in 0..3 {
            let (waiter, done) = (producer.waiter(), &done);
            scope.spawn(move || {
                for ordinal in (first..RECORDS).step_by(3) {
                    waiter.wait_applied(ordinal).unwrap();
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        scope.spawn(move || take(&mut consumer, RECORDS as usize + 1));
        for ordinal in 0..=RECORDS {
            assert_eq!(put(&mut producer), Ok(ordinal));
            if ordinal % 3 == 0 {
                producer.publish().unwrap();
            }
        }
        producer.publish().unwrap();
    });
    assert_eq!(done.load(Ordering::Relaxed) as u64, RECORDS);
}

/// A round trip a record: each end is parked or about to when the other one rings.
#[test]
fn ends_that_take_turns_never_hang() {
    let (mut producer, mut consumer) = pair(SMALL);
    let waiter = producer.waiter();
    const RECORDS: usize = 5_000;
    let taker = thread::spawn(move || {
        for n in 0..RECORDS {
            take(&mut consumer, 1);
            consumer.applied();
            if n % 500 == 0 {
                thread::sleep(Duration::from_millis(1));
            }
        }
        // It goes when the producer has seen its last answer, not before.
        consumer
    });
    for n in 0..RECORDS {
        let ordinal = put(&mut producer).unwrap();
        producer.publish().unwrap();
        waiter.wait_applied(ordinal).unwrap();
        if n % 500 == 250 {
            thread::sleep(Duration::from_millis(1));
        }
    }
    let stats = taker.join().unwrap().stats();
    assert!(stats.parks > 0 && producer.stats().wakes > 0, "{stats:?}");
    assert_eq!(producer.stats().waits, 0);
}

/// Who sleeps until a record is applied sleeps through all before it: each wake-up costs more than a record.
#[test]
fn a_waiter_is_woken_by_what_it_waits_for() {
    const RECORDS: u64 = 1000;
    let (mut producer, mut consumer) = pair(Sizes::default());
    for _ in 0..RECORDS {
        put(&mut producer).unwrap();
    }
    producer.publish().unwrap();
    let waiter = producer.waiter();
    let waits = thread::spawn(move || waiter.wait_applied(RECORDS - 1));
    // Parked by then.
    thread::sleep(Duration::from_millis(20));
    for _ in 0..RECORDS {
        take(&mut consumer, 1);
        // Time to go to sleep again for who was woken.
        thread::sleep(Duration::from_micros(20));
    }
    consumer.applied();
    assert_eq!(waits.join().unwrap(), Ok(()));
    assert!(consumer.stats().wakes <= 1, "{:?}", consumer.stats());
}

/// A few records do not wake a sleeper; a batch does, and so does asking for it.
#[test]
fn what_is_offered_goes_out_in_batches() {
    let (mut producer, _consumer) = pair(Sizes::default());
    put(&mut producer).unwrap();
    producer.offer().unwrap();
    assert_eq!(producer.stats().publishes, 0);
    producer.publish().unwrap();
    assert_eq!(producer.stats().publishes, 1);
    for _ in 0..1000 {
        put(&mut producer).unwrap();
        producer.offer().unwrap();
    }
    let batches = producer.stats().publishes - 1;
    assert!((1..20).contains(&batches), "{batches}");
}
