//! The properties of the codec, and decoders with one check removed that must not have them.

use crate::schema::{Random, Schema, bytemuck_bytes};
use mgl_core::codec::*;
use mgl_core::pipe::calls::CATALOGUE;
use mgl_core::pipe::*;
use proptest::prelude::*;

type Decode = for<'a> fn(&RecordView<'a>, &'a [u8]) -> Result<Call<'a>, DecodeError>;

fn real<'a>(view: &RecordView<'a>, blobs: &'a [u8]) -> Result<Call<'a>, DecodeError> {
    decode(view, blobs)
}

/// Gives every blob the place that it has in the blobs it was decoded from, empty ones included.
struct InPlace<'b> {
    blobs: &'b [u8],
}

impl BlobSink for InPlace<'_> {
    fn put(&mut self, bytes: &[u8]) -> BlobRef {
        BlobRef {
            offset: (bytes.as_ptr() as u64).wrapping_sub(self.blobs.as_ptr() as u64),
            size: bytes.len() as u64,
            ..BlobRef::default()
        }
    }
}

fn encoded(call: &Call<'_>, blobs: &[u8]) -> Vec<u64> {
    let mut words = Vec::new();
    let size = encode(call, &mut words, &mut InPlace { blobs });
    assert_eq!(size, words.len() * 8);
    words
}

/// The one question: is `words` refused with an error that names record and field, or does it decode to legal values
/// that encode to the same bytes? `changed` is the byte that was corrupted; an error about a field must be about it.
fn refused_or_exact(
    schema: &Schema,
    words: &[u64],
    blobs: &[u8],
    changed: Option<usize>,
    decode: Decode,
) -> Result<(), String> {
    let refused = |e: DecodeError| {
        let text = e.to_string();
        if !text.starts_with("record ") {
            return Err(format!("'{text}' names no record"));
        }
        let named = match &e {
            DecodeError::Truncated { .. } => return Ok(()),
            DecodeError::Field { error, .. } => error.field.clone(),
            DecodeError::Blob { field, .. } => (*field).to_owned(),
            _ => {
                return if text.contains(": field ") {
                    Ok(())
                } else {
                    Err(format!("'{text}' names no field"))
                };
            }
        };
        if named.is_empty() {
            return Err(format!("'{text}' names no field"));
        }
        let op = Op::from_u16(words[0] as u16).ok_or("a field error of no call")?;
        // Slot and generation of a handle are checked against each other: either may be what was changed.
        let whole = named.strip_suffix(".generation").unwrap_or(&named);
        match (changed, schema.place(op, words, whole)) {
            // Dynamic state is named by its own fields, which lie in the tail.
            (_, None) if op == Op::SetDynamicState => Ok(()),
            (_, None) => Err(format!(
                "'{text}' names a field that the record does not have"
            )),
            (Some(at), Some(place)) if at >= HEADER_BYTES && op != Op::SetDynamicState => {
                let counts = 8 + op.info().payload_size + op.info().blobs.len() * 24;
                let in_counts = (counts..counts + op.info().tails.len() * 4).contains(&at);
                if place.contains(&at) || in_counts {
                    Ok(())
                } else {
                    Err(format!(
                        "byte {at} was changed, but '{text}' is about {place:?}"
                    ))
                }
            }
            _ => Ok(()),
        }
    };
    let view = match split(words) {
        Ok((view, _)) => view,
        Err(e) => return refused(e),
    };
    match decode(&view, blobs) {
        Err(e) => refused(e),
        Ok(call) => {
            schema
                .legal(view.words, blobs)
                .map_err(|e| format!("{call:?} was taken although {e}"))?;
            if encoded(&call, blobs) == view.words {
                Ok(())
            } else {
                Err(format!("{call:?} encodes to other bytes"))
            }
        }
    }
}

/// A record decodes from its own encoding; every truncation and every corrupted byte is refused or exact.
fn hardened(schema: &Schema, words: &[u64], blobs: &[u8], decode: Decode) -> Result<(), String> {
    let (view, rest) = split(words).map_err(|e| e.to_string())?;
    if !rest.is_empty() {
        return Err("words are left over".into());
    }
    let call = decode(&view, blobs).map_err(|e| e.to_string())?;
    if encoded(&call, blobs) != words {
        return Err(format!("{call:?} encodes to other bytes"));
    }
    for n in 0..words.len() {
        if !matches!(split(&words[..n]), Err(DecodeError::Truncated { .. })) {
            return Err(format!("{n} of {} words were taken", words.len()));
        }
        // The same, with a header that knows of the cut.
        if n > 0 {
            let mut cut = words[..n].to_vec();
            cut[0] = cut[0] & 0xffff_ffff | (n as u64 * 8) << 32;
            refused_or_exact(schema, &cut, blobs, None, decode)?;
        }
    }
    let mut longer = words.to_vec();
    longer.push(0);
    longer[0] = longer[0] & 0xffff_ffff | (longer.len() as u64 * 8) << 32;
    refused_or_exact(schema, &longer, blobs, None, decode)?;
    for at in 0..words.len() * 8 {
        let mut copy = words.to_vec();
        let old = bytemuck_bytes(&mut copy)[at];
        for new in [old ^ 1, old ^ 0x80, !old, old.wrapping_add(1), 0] {
            if new != old {
                bytemuck_bytes(&mut copy)[at] = new;
                refused_or_exact(schema, &copy, blobs, Some(at), decode)
                    .map_err(|e| format!("byte {at} {old:#x} -> {new:#x}: {e}"))?;
            }
        }
    }
    Ok(())
}

#[test]
fn every_call_is_hardened() {
    let schema = Schema::shared();
    for c in CATALOGUE {
        for seed in 0..4 {
            let (words, blobs) = schema.sample(c.op, &mut Random(seed * 1000 + c.op as u64));
            if let Err(e) = hardened(schema, &words, &blobs, real) {
                panic!("{}, seed {seed}: {e}", c.name);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_record_is_hardened(op in 0..CATALOGUE.len(), seed in any::<u64>()) {
        let schema = Schema::shared();
        let (words, blobs) = schema.sample(CATALOGUE[op].op, &mut Random(seed));
        prop_assert_eq!(hardened(schema, &words, &blobs, real), Ok(()));
    }

    #[test]
    fn records_follow_each_other(seeds in proptest::collection::vec((0..CATALOGUE.len(), any::<u64>()), 0..20)) {
        let schema = Schema::shared();
        let (mut words, mut blobs) = (Vec::new(), Vec::new());
        let mut expected = Vec::new();
        for (op, seed) in seeds {
            let (one, own) = schema.sample(CATALOGUE[op].op, &mut Random(seed));
            let (view, _) = split(&one).expect("a sample splits");
            let call = decode(&view, own.as_slice()).expect("a sample decodes");
            expected.push(format!("{call:?}"));
            encode(&call, &mut words, &mut blobs);
        }
        let (mut rest, mut got) = (words.as_slice(), Vec::new());
        while !rest.is_empty() {
            let (view, more) = split(rest).expect("splits");
            got.push(format!("{:?}", decode(&view, &blobs).expect("decodes")));
            rest = more;
        }
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn noise_is_refused_or_exact(bytes in proptest::collection::vec(any::<u64>(), 0..40), op in 0..100u64) {
        let schema = Schema::shared();
        let mut words = bytes;
        if let Some(w) = words.first().copied() {
            let size = words.len() as u64 * 8;
            words[0] = if w % 3 == 0 { w } else { op | size << 32 };
        }
        prop_assert_eq!(refused_or_exact(schema, &words, &[7; 64], None, real), Ok(()));
    }
}

/// Whether [`hardened`] finds out a decoder, on any call.
fn found_out(decode: Decode) -> bool {
    let schema = Schema::shared();
    CATALOGUE.iter().any(|c| {
        (0..8).any(|seed| {
            let (words, blobs) = schema.sample(c.op, &mut Random(seed));
            hardened(schema, &words, &blobs, decode).is_err()
        })
    })
}

/// The payload of a record, unchecked.
fn payload<'a, T: bytemuck::Pod>(view: &RecordView<'a>) -> Option<&'a T> {
    let words = view.words.get(1..1 + size_of::<T>() / 8)?;
    (view.words.len() * 8 == HEADER_BYTES + size_of::<T>())
        .then(|| bytemuck::from_bytes(bytemuck::cast_slice(words)))
}

/// A copy of a record that lives as long as the test program.
fn leaked(words: Vec<u64>) -> RecordView<'static> {
    split(Box::leak(words.into_boxed_slice()))
        .expect("a record whose header was not touched")
        .0
}

#[test]
fn the_real_decoder_is_not_found_out() {
    assert!(!found_out(real));
}

#[test]
fn a_decoder_without_the_enum_check_fails() {
    fn d<'a>(view: &RecordView<'a>, blobs: &'a [u8]) -> Result<Call<'a>, DecodeError> {
        match (view.op, payload(view)) {
            (Op::CreateSamplerState, Some(p)) => Ok(Call::CreateSamplerState { p }),
            _ => decode(view, blobs),
        }
    }
    assert!(found_out(d));
}

#[test]
fn a_decoder_without_the_mask_check_fails() {
    fn d<'a>(view: &RecordView<'a>, blobs: &'a [u8]) -> Result<Call<'a>, DecodeError> {
        match (view.op, payload(view)) {
            (Op::MemoryBarrier, Some(p)) => Ok(Call::MemoryBarrier { p }),
            _ => decode(view, blobs),
        }
    }
    assert!(found_out(d));
}

#[test]
fn a_decoder_without_the_handle_check_fails() {
    fn d<'a>(view: &RecordView<'a>, blobs: &'a [u8]) -> Result<Call<'a>, DecodeError> {
        match (view.op, payload(view)) {
            (Op::FenceCreate, Some(p)) => Ok(Call::FenceCreate { p }),
            _ => decode(view, blobs),
        }
    }
    assert!(found_out(d));
}

#[test]
fn a_decoder_without_the_padding_check_fails() {
    fn d<'a>(view: &RecordView<'a>, blobs: &'a [u8]) -> Result<Call<'a>, DecodeError> {
        match (view.op, payload(view)) {
            (Op::QueryTimestamp, Some(p)) => Ok(Call::QueryTimestamp { p }),
            _ => decode(view, blobs),
        }
    }
    assert!(found_out(d));
}

#[test]
fn a_decoder_without_the_tail_padding_check_fails() {
    fn d<'a>(view: &RecordView<'a>, blobs: &'a [u8]) -> Result<Call<'a>, DecodeError> {
        match decode(view, blobs) {
            Err(DecodeError::Padding { field: "words", .. }) => {
                let mut words = view.words.to_vec();
                let last = words.len() - 1;
                words[last] &= 0xffff_ffff;
                decode(&leaked(words), blobs)
            }
            r => r,
        }
    }
    assert!(found_out(d));
}

#[test]
fn a_decoder_without_the_size_check_fails() {
    fn d<'a>(view: &RecordView<'a>, blobs: &'a [u8]) -> Result<Call<'a>, DecodeError> {
        match decode(view, blobs) {
            Err(DecodeError::Size { expected, .. }) => {
                let mut words = view.words[..expected / 8].to_vec();
                words[0] = words[0] & 0xffff_ffff | (expected as u64) << 32;
                decode(&leaked(words), blobs)
            }
            r => r,
        }
    }
    assert!(found_out(d));
}

#[test]
fn a_decoder_without_the_blob_check_fails() {
    struct Lenient<'b>(&'b [u8]);
    impl BlobSource for Lenient<'_> {
        fn get(&self, r: &BlobRef) -> Result<&[u8], String> {
            Ok(BlobSource::get(self.0, r).unwrap_or(&[]))
        }
    }
    fn d<'a>(view: &RecordView<'a>, blobs: &'a [u8]) -> Result<Call<'a>, DecodeError> {
        decode(view, Box::leak(Box::new(Lenient(blobs))))
    }
    assert!(found_out(d));
}

#[test]
fn a_decoder_without_the_checks_between_fields_fails() {
    fn d<'a>(view: &RecordView<'a>, blobs: &'a [u8]) -> Result<Call<'a>, DecodeError> {
        match (view.op, payload(view)) {
            (Op::SetPixelPackState, Some(p)) if mgl_core::pod::Field::check(p).is_ok() => {
                Ok(Call::SetPixelPackState { p })
            }
            _ => decode(view, blobs),
        }
    }
    assert!(found_out(d));
}

#[test]
fn a_decoder_that_names_the_wrong_field_fails() {
    fn d<'a>(view: &RecordView<'a>, blobs: &'a [u8]) -> Result<Call<'a>, DecodeError> {
        decode(view, blobs).map_err(|e| match e {
            DecodeError::Field { record, mut error } if record == "Blit" => {
                error.field = "src".into();
                DecodeError::Field { record, error }
            }
            e => e,
        })
    }
    assert!(found_out(d));
}
