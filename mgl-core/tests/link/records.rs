//! Records, blobs and marks come out as they went in.

use crate::schema::{Random, Schema};
use mgl_core::codec::{blob_refs, decode, each_blob, encode, split};
use mgl_core::handle::{BufferHandle, Handle, TypedHandle};
use mgl_core::link::ring::{Item, LinkError, LinkStats, Sizes, pair};
use mgl_core::pipe::calls::CATALOGUE;
use mgl_core::pipe::payload::BufferRange;
use mgl_core::pipe::{Call, Op};
use std::thread;

/// A call's record as the plain sink lays it out: equal where the calls are, byte by byte.
fn plain(call: &Call<'_>) -> (Vec<u64>, Vec<u8>) {
    let (mut words, mut blobs) = (vec![], vec![]);
    encode(call, &mut words, &mut blobs);
    (words, blobs)
}

/// Samples of all calls, shuffled by the seed.
fn samples(seed: u64, each: usize) -> Vec<(Vec<u64>, Vec<u8>)> {
    let mut random = Random(seed);
    let mut ops: Vec<Op> = CATALOGUE.iter().map(|c| c.op).collect();
    ops = ops.repeat(each);
    for i in (1..ops.len()).rev() {
        ops.swap(i, random.below(i + 1));
    }
    let sample = |op| Schema::shared().sample(op, &mut random);
    ops.into_iter().map(sample).collect()
}

/// Sends samples of all calls and a mark now and then, and compares what comes out.
fn cross(sizes: Sizes, seed: u64) -> (LinkStats, LinkStats) {
    const EACH: usize = 8;
    let (mut producer, mut consumer) = pair(sizes);
    let taker = thread::spawn(move || {
        let mut marks = 0;
        for (n, (words, blobs)) in samples(seed, EACH).iter().enumerate() {
            let (view, _) = split(words).unwrap();
            let want = decode(&view, blobs).unwrap();
            if n % 5 == 0 {
                match consumer.next().unwrap() {
                    Item::Mark(number) => assert_eq!(number, n as u64),
                    other => panic!("record {n}: {other:?}"),
                }
                marks += 1;
            }
            match consumer.next().unwrap() {
                Item::Record {
                    ordinal,
                    record,
                    blobs,
                } => {
                    assert_eq!(ordinal, n as u64);
                    let call = decode(&record, &blobs).unwrap();
                    assert_eq!(plain(&call), plain(&want), "record {n}");
                }
                other => panic!("record {n}: {other:?}"),
            }
        }
        assert!(matches!(consumer.next(), Ok(Item::Closed)));
        assert!(matches!(consumer.try_next(), Ok(Some(Item::Closed))));
        assert!(marks > 0);
        consumer.stats()
    });
    let mut random = Random(seed ^ 1);
    for (n, (words, blobs)) in samples(seed, EACH).iter().enumerate() {
        if n % 5 == 0 {
            producer.mark(n as u64).unwrap();
        }
        let (view, _) = split(words).unwrap();
        let call = decode(&view, blobs).unwrap();
        let mut blobs = Vec::new();
        each_blob(&call, |bytes| blobs.push(bytes.len() as u64));
        // What a recorder is shown: the same record, but for where its blobs are.
        let ordinal = producer.put_seen(&call, |record| {
            assert_eq!(record.len(), words.len(), "{}", call.op().name());
            let (shown, rest) = split(record).unwrap();
            assert!(rest.is_empty());
            let payload = 1 + call.op().info().payload_size / 8;
            assert_eq!(shown.words[..payload], words[..payload]);
            let sizes = blob_refs(&shown).unwrap().iter().map(|r| r.size);
            assert_eq!(sizes.collect::<Vec<_>>(), blobs);
        });
        assert_eq!(ordinal, Ok(n as u64));
        if random.below(4) == 0 {
            producer.publish().unwrap();
        }
    }
    let records = producer.ordinal();
    producer.publish().unwrap();
    assert_eq!(producer.waiter().wait_applied(records - 2), Ok(()));
    producer.close();
    let (sent, taken) = (producer.stats(), taker.join().unwrap());
    assert_eq!((sent.records, taken.records), (records, records));
    assert_eq!(sent.pieces, taken.pieces);
    (sent, taken)
}

#[test]
fn records_of_every_call_cross_rings_of_every_size() {
    let size = |commands, stage| Sizes { commands, stage };
    for (seed, sizes) in [
        size(0, 0),
        size(64, 4096),
        size(128, 64),
        size(1000, 100),
        size(4096, 64),
        size(4096, 1024),
        size(1 << 16, 1 << 14),
    ]
    .into_iter()
    .enumerate()
    {
        let (sent, _) = cross(sizes, seed as u64);
        assert!(sent.publishes > 0);
        if sizes.commands <= 4096 {
            assert!(sent.waits > 0, "{sizes:?}: {sent:?}");
        }
        if sizes.commands <= 128 || sizes.stage <= 128 {
            assert!(sent.pieces > 0, "{sizes:?}: {sent:?}");
        }
    }
    let (sent, _) = cross(Sizes::default(), 99);
    assert_eq!((sent.waits, sent.pieces), (0, 0));
}

fn range() -> BufferRange {
    BufferRange {
        buffer: BufferHandle::from_raw(Handle {
            slot: 3,
            generation: 1,
        }),
        offset: 0,
        size: 0,
    }
}

/// Blobs of every length about the limits of the stage ring: as one part, in pieces, with every remainder.
#[test]
fn blobs_of_every_length_cross() {
    let (mut producer, mut consumer) = pair(Sizes {
        commands: 256,
        stage: 256,
    });
    const LENGTHS: usize = 1200;
    let byte = |length: usize, i: usize| (length * 7 + i * 13) as u8;
    let blob = move |length| (0..length).map(|i| byte(length, i)).collect::<Vec<u8>>();
    let taker = thread::spawn(move || {
        for length in 0..LENGTHS {
            match consumer.next().unwrap() {
                Item::Record { record, blobs, .. } => match decode(&record, &blobs).unwrap() {
                    Call::BufferSubDataResident { bytes, .. } => assert_eq!(bytes, blob(length)),
                    other => panic!("{other:?}"),
                },
                other => panic!("{other:?}"),
            }
        }
    });
    for length in 0..LENGTHS {
        let (p, bytes) = (range(), blob(length));
        let call = Call::BufferSubDataResident {
            p: &p,
            bytes: &bytes,
        };
        let before = producer.stats().pieces;
        producer.put(&call).unwrap();
        // More than half the ring, a quarter at a time.
        let want = if length > 128 { length.div_ceil(64) } else { 0 };
        assert_eq!(producer.stats().pieces - before, want as u64, "{length}");
    }
    drop(producer);
    taker.join().unwrap();
}

/// A blob larger than the default stage ring.
#[test]
fn a_blob_larger_than_the_largest_ring_crosses() {
    let (mut producer, mut consumer) = pair(Sizes::default());
    let bytes: Vec<u8> = (0..(40 << 20) + 5_u32).map(|i| (i >> 3) as u8).collect();
    let want = bytes.clone();
    let taker = thread::spawn(move || match consumer.next().unwrap() {
        Item::Record { record, blobs, .. } => match decode(&record, &blobs).unwrap() {
            Call::BufferSubDataResident { bytes, .. } => {
                assert!(bytes.as_ptr().cast::<u64>().is_aligned());
                assert!(bytes == want);
            }
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    });
    let p = range();
    let call = Call::BufferSubDataResident {
        p: &p,
        bytes: &bytes,
    };
    producer.put(&call).unwrap();
    assert_eq!(producer.stats().pieces, 6);
    drop(producer);
    taker.join().unwrap();
}

#[test]
fn a_record_that_no_decoder_takes_is_refused() {
    let (mut producer, _consumer) = pair(Sizes::default());
    let regions = vec![bytemuck::Zeroable::zeroed(); mgl_core::codec::MAX_RECORD_BYTES / 8];
    let p = bytemuck::Zeroable::zeroed();
    let call = Call::ResourceSubData {
        p: &p,
        bytes: &[],
        regions: &regions,
    };
    assert!(matches!(
        producer.put(&call).err(),
        Some(LinkError::RecordSize {
            record: "ResourceSubData",
            ..
        })
    ));
    assert_eq!(producer.ordinal(), 0);
}
