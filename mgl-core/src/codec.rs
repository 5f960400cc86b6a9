//! Records: calls as words and back (design: pipe contract 3.3).
//!
//! ```text
//! record  { op: u16, flags: u16 = 0, size: u32 }        size in bytes, header included, a multiple of 8
//!         payload                                       as the catalogue says
//!         BlobRef for each blob of the call
//!         u32 count for each tail, padded to 8          absent without tails
//!         elements of each tail, each tail padded to 8
//! ```
//!
//! [`encode`] and [`decode`] are pure: no IO, no compression, no handle checks (those are `apply`'s). `decode` borrows
//! everything from the words and from the blob source, and accepts exactly what `encode` gives.

use crate::pipe::calls::{Op, with_catalogue};
use crate::pipe::payload::*;
use crate::pipe::{Call, CallInfo};
use crate::pod::{Field, FieldError};

/// Bytes of a record's header.
pub const HEADER_BYTES: usize = 8;
/// Largest record, bytes. Bulk bytes travel in blobs, so real records are far below.
pub const MAX_RECORD_BYTES: usize = 4 << 20;

/// Why a record was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Fewer bytes than a header, or than its size says.
    #[error("record {record}: {needed} bytes needed, {left} left")]
    Truncated {
        /// The record's name, or `header`.
        record: &'static str,
        /// Bytes.
        needed: usize,
        /// Bytes.
        left: usize,
    },
    /// No such opcode.
    #[error("record header: field op: {0} is not an opcode")]
    UnknownOp(u16),
    /// Unknown flags.
    #[error("record {record}: field flags: {flags:#x} is not zero")]
    Flags {
        /// The record's name.
        record: &'static str,
        /// The flags.
        flags: u16,
    },
    /// The size is wrong for the call.
    #[error("record {record}: field size: {size}, expected {expected}")]
    Size {
        /// The record's name.
        record: &'static str,
        /// As written.
        size: usize,
        /// As computed, or the largest allowed.
        expected: usize,
    },
    /// Padding is not zero.
    #[error("record {record}: field {field}: padding is not zero")]
    Padding {
        /// The record's name.
        record: &'static str,
        /// What the padding follows.
        field: &'static str,
    },
    /// A field is out of range.
    #[error("record {record}: {error}")]
    Field {
        /// The record's name.
        record: &'static str,
        /// Which field, and why.
        error: FieldError,
    },
    /// A blob is not where the record says.
    #[error("record {record}: field {field}: {detail}")]
    Blob {
        /// The record's name.
        record: &'static str,
        /// The blob.
        field: &'static str,
        /// What is wrong.
        detail: String,
    },
}

/// Takes a blob's bytes and says where they are.
pub trait BlobSink {
    /// Stores `bytes`.
    fn put(&mut self, bytes: &[u8]) -> BlobRef;
}

/// Gives a blob's bytes back.
pub trait BlobSource {
    /// The bytes of `r`, or what is wrong with it.
    fn get(&self, r: &BlobRef) -> Result<&[u8], String>;
}

/// Blobs in one vector, segment 0: the simplest sink and source.
impl BlobSink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) -> BlobRef {
        // Eight-byte alignment, so that SPIR-V words can be read in place.
        self.resize(self.len().next_multiple_of(8), 0);
        let offset = self.len() as u64;
        self.extend_from_slice(bytes);
        BlobRef {
            offset,
            size: bytes.len() as u64,
            ..BlobRef::default()
        }
    }
}

impl BlobSource for Vec<u8> {
    fn get(&self, r: &BlobRef) -> Result<&[u8], String> {
        BlobSource::get(self.as_slice(), r)
    }
}

impl BlobSource for [u8] {
    fn get(&self, r: &BlobRef) -> Result<&[u8], String> {
        if r.seg != 0 {
            return Err(format!("segment {} does not exist", r.seg));
        }
        slice_of(self, r)
    }
}

/// The part of `segment` that `r` names, or what is wrong with it.
pub fn slice_of<'a>(segment: &'a [u8], r: &BlobRef) -> Result<&'a [u8], String> {
    let end = r.offset.checked_add(r.size);
    match end {
        Some(end) if end <= segment.len() as u64 => Ok(&segment[r.offset as usize..end as usize]),
        _ => Err(format!(
            "bytes {}+{} are outside the segment of {}",
            r.offset,
            r.size,
            segment.len()
        )),
    }
}

/// A record's extent, before it is decoded.
#[derive(Debug, Clone, Copy)]
pub struct RecordView<'a> {
    /// The opcode.
    pub op: Op,
    /// All its words, header included.
    pub words: &'a [u64],
}

/// Splits the first record off `words`: the record and the rest. Checks opcode, flags and size only.
pub fn split(words: &[u64]) -> Result<(RecordView<'_>, &[u64]), DecodeError> {
    let Some(&head) = words.first() else {
        return Err(DecodeError::Truncated {
            record: "header",
            needed: HEADER_BYTES,
            left: 0,
        });
    };
    let (op, flags, size) = (head as u16, (head >> 16) as u16, (head >> 32) as usize);
    let op = Op::from_u16(op).ok_or(DecodeError::UnknownOp(op))?;
    let record = op.name();
    if flags != 0 {
        return Err(DecodeError::Flags { record, flags });
    }
    if size % 8 != 0 || !(HEADER_BYTES..=MAX_RECORD_BYTES).contains(&size) {
        return Err(DecodeError::Size {
            record,
            size,
            expected: size
                .next_multiple_of(8)
                .clamp(HEADER_BYTES, MAX_RECORD_BYTES),
        });
    }
    if size / 8 > words.len() {
        return Err(DecodeError::Truncated {
            record,
            needed: size,
            left: words.len() * 8,
        });
    }
    let (words, rest) = words.split_at(size / 8);
    Ok((RecordView { op, words }, rest))
}

/// The blob references of a record that [`split`] gave; this is where a recorder rewrites them.
pub fn blob_refs_mut(words: &mut [u64]) -> Result<&mut [BlobRef], DecodeError> {
    let (view, _) = split(words)?;
    let info = view.op.info();
    let at = 1 + info.payload_size / 8;
    let end = at + info.blobs.len() * size_of::<BlobRef>() / 8;
    let left = words.len() * 8;
    words
        .get_mut(at..end)
        .map(bytemuck::cast_slice_mut)
        .ok_or(DecodeError::Truncated {
            record: info.name,
            needed: end * 8,
            left,
        })
}

/// The blob references of a record.
pub fn blob_refs<'a>(view: &RecordView<'a>) -> Result<&'a [BlobRef], DecodeError> {
    let info = view.op.info();
    let at = 1 + info.payload_size / 8;
    let end = at + info.blobs.len() * size_of::<BlobRef>() / 8;
    view.words
        .get(at..end)
        .map(bytemuck::cast_slice)
        .ok_or(DecodeError::Truncated {
            record: info.name,
            needed: end * 8,
            left: view.words.len() * 8,
        })
}

/// Where a record and its blobs are written.
pub trait Room {
    /// Why there is none.
    type Error;
    /// Takes the blobs.
    type Sink<'r>: BlobSink
    where
        Self: 'r;
    /// `words` words of any content for the next record, and the sink of its blobs, which take `blob_words` words together
    /// when each begins on one.
    ///
    /// # Errors
    ///
    /// There is no room.
    fn record(
        &mut self,
        op: Op,
        words: usize,
        blob_words: usize,
    ) -> Result<(&mut [u64], Self::Sink<'_>), Self::Error>;
}

/// Writes one record into words of any content.
struct Writer<'w> {
    words: &'w mut [u64],
    at: usize,
}

impl<'w> Writer<'w> {
    /// A record of as many words as `words` has, header included.
    #[inline(always)]
    fn begin(words: &'w mut [u64], op: Op) -> Self {
        words[0] = op as u64 | (words.len() as u64 * 8) << 32;
        Self { words, at: 1 }
    }
    /// Something whose size is known: a few moves.
    #[inline(always)]
    fn fixed<T: bytemuck::Pod>(&mut self, v: &T) {
        let words = const {
            assert!(size_of::<T>().is_multiple_of(8));
            size_of::<T>() / 8
        };
        let to = &mut self.words[self.at..self.at + words];
        let to: &mut [u8] = bytemuck::cast_slice_mut(to);
        to[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(v));
        self.at += words;
    }
    #[inline(always)]
    fn bytes(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let words = bytes.len().div_ceil(8);
        let to = &mut self.words[self.at..self.at + words];
        if !bytes.len().is_multiple_of(8) {
            to[words - 1] = 0;
        }
        bytemuck::cast_slice_mut::<u64, u8>(to)[..bytes.len()].copy_from_slice(bytes);
        self.at += words;
    }
}

struct Reader<'a> {
    info: &'static CallInfo,
    words: &'a [u64],
    at: usize,
}

impl<'a> Reader<'a> {
    #[inline]
    fn take(&mut self, bytes: usize) -> Result<&'a [u64], DecodeError> {
        let n = bytes.div_ceil(8);
        let left = self.words.len() - self.at;
        if n > left {
            return Err(DecodeError::Truncated {
                record: self.info.name,
                needed: (self.at + n) * 8,
                left: self.words.len() * 8,
            });
        }
        let words = &self.words[self.at..self.at + n];
        self.at += n;
        Ok(words)
    }
    #[inline]
    fn payload<T: Field>(&mut self) -> Result<&'a T, DecodeError> {
        let words = self.take(size_of::<T>())?;
        let p: &T = bytemuck::from_bytes(bytemuck::cast_slice(words));
        if !T::ANY {
            p.check().map_err(|error| DecodeError::Field {
                record: self.info.name,
                error,
            })?;
        }
        Ok(p)
    }
    #[inline]
    fn blob<S: BlobSource + ?Sized>(
        &mut self,
        source: &'a S,
        field: &'static str,
    ) -> Result<&'a [u8], DecodeError> {
        let r: &BlobRef =
            bytemuck::from_bytes(bytemuck::cast_slice(self.take(size_of::<BlobRef>())?));
        r.check().map_err(|e| DecodeError::Field {
            record: self.info.name,
            error: e.within(field),
        })?;
        source.get(r).map_err(|detail| DecodeError::Blob {
            record: self.info.name,
            field,
            detail,
        })
    }
    #[inline]
    fn padded(&mut self, bytes: usize, field: &'static str) -> Result<&'a [u8], DecodeError> {
        let all: &[u8] = bytemuck::cast_slice(self.take(bytes)?);
        let (bytes, pad) = all.split_at(bytes);
        if pad.iter().any(|b| *b != 0) {
            return Err(DecodeError::Padding {
                record: self.info.name,
                field,
            });
        }
        Ok(bytes)
    }
    #[inline]
    fn tail<T: Field>(&mut self, count: u32, field: &'static str) -> Result<&'a [T], DecodeError> {
        // `count` comes from outside: the product is checked against the record before anything is read.
        let bytes = (count as usize).saturating_mul(size_of::<T>());
        if bytes > self.words.len() * 8 {
            return Err(DecodeError::Truncated {
                record: self.info.name,
                needed: bytes,
                left: self.words.len() * 8,
            });
        }
        let tail: &[T] = bytemuck::cast_slice(self.padded(bytes, field)?);
        if !T::ANY {
            for (i, v) in tail.iter().enumerate() {
                v.check().map_err(|e| DecodeError::Field {
                    record: self.info.name,
                    error: e.within(&format!("{field}[{i}]")),
                })?;
            }
        }
        Ok(tail)
    }
    fn finish(&self) -> Result<(), DecodeError> {
        if self.at == self.words.len() {
            return Ok(());
        }
        Err(DecodeError::Size {
            record: self.info.name,
            size: self.words.len() * 8,
            expected: self.at * 8,
        })
    }
}

/// Room in a vector, which grows.
struct Growing<'v, S: ?Sized> {
    words: &'v mut Vec<u64>,
    sink: &'v mut S,
}

impl<S: BlobSink + ?Sized> Room for Growing<'_, S> {
    type Error = std::convert::Infallible;
    type Sink<'r>
        = &'r mut S
    where
        Self: 'r;
    fn record(
        &mut self,
        _: Op,
        words: usize,
        _: usize,
    ) -> Result<(&mut [u64], Self::Sink<'_>), Self::Error> {
        let start = self.words.len();
        self.words.resize(start + words, 0);
        Ok((&mut self.words[start..], self.sink))
    }
}

impl<S: BlobSink + ?Sized> BlobSink for &mut S {
    #[inline]
    fn put(&mut self, bytes: &[u8]) -> BlobRef {
        (**self).put(bytes)
    }
}

macro_rules! codec {
    ($( $name:ident($payload:ty) blobs[$($blob:ident)*] tails[$($tail:ident: $elem:ty),*]; )*) => {
        /// Words of `call`'s record, header included.
        #[inline]
        #[must_use]
        #[allow(unused_variables)]
        pub fn record_words(call: &Call<'_>) -> usize {
            match *call { $(
                Call::$name { $( $tail, )* .. } => {
                    const BLOBS: usize = <[&str]>::len(&[ $( stringify!($blob) ),* ]);
                    const TAILS: usize = <[&str]>::len(&[ $( stringify!($tail) ),* ]);
                    const FIXED: usize = 1
                        + (size_of::<$payload>() + BLOBS * size_of::<BlobRef>()) / 8
                        + (TAILS * 4).div_ceil(8);
                    FIXED $( + size_of_val::<[$elem]>($tail).div_ceil(8) )*
                }
            )* }
        }

        /// Visits the blobs of `call` in the order in which [`encode`] puts them.
        #[inline]
        #[allow(unused_variables, unused_mut)]
        pub fn each_blob<'a>(call: &Call<'a>, mut visit: impl FnMut(&'a [u8])) {
            match *call { $( Call::$name { $( $blob, )* .. } => { $( visit($blob); )* } )* }
        }

        /// Writes `call` as one record where `room` says.
        ///
        /// # Errors
        ///
        /// Those of `room`.
        #[allow(unused_variables, unused_mut, unused_assignments)]
        pub fn encode_in<R: Room + ?Sized>(call: &Call<'_>, room: &mut R) -> Result<(), R::Error> {
            match *call { $(
                Call::$name { p, $( $blob, )* $( $tail, )* } => {
                    const BLOBS: usize = <[&str]>::len(&[ $( stringify!($blob) ),* ]);
                    const TAILS: usize = <[&str]>::len(&[ $( stringify!($tail) ),* ]);
                    const COUNTS: usize = TAILS.next_multiple_of(2);
                    const FIXED: usize =
                        1 + (size_of::<$payload>() + BLOBS * size_of::<BlobRef>()) / 8 + COUNTS / 2;
                    let words = FIXED $( + size_of_val::<[$elem]>($tail).div_ceil(8) )*;
                    let blob_words = 0 $( + $blob.len().div_ceil(8) )*;
                    let (record, mut sink) = room.record(Op::$name, words, blob_words)?;
                    let mut w = Writer::begin(record, Op::$name);
                    w.fixed(p);
                    $( w.fixed(&sink.put($blob)); )*
                    let (mut counts, mut tails) = ([0_u32; COUNTS], 0);
                    $( counts[tails] = $tail.len() as u32; tails += 1; )*
                    for pair in counts.chunks_exact(2) {
                        w.fixed(&(u64::from(pair[0]) | u64::from(pair[1]) << 32).to_le());
                    }
                    $( w.bytes(bytemuck::cast_slice($tail)); )*
                    debug_assert_eq!(w.at, w.words.len(), "a record's size is the sum of its parts");
                }
            )* }
            Ok(())
        }

        /// Appends `call` as one record; its blobs go to `sink`. Returns the record's bytes.
        pub fn encode<S: BlobSink + ?Sized>(call: &Call<'_>, words: &mut Vec<u64>, sink: &mut S) -> usize {
            let start = words.len();
            match encode_in(call, &mut Growing { words, sink }) {
                Ok(()) => {}
                Err(never) => match never {},
            }
            (words.len() - start) * 8
        }

        /// The call of a record that [`split`] gave.
        #[allow(unused_mut, unused_variables)]
        pub fn decode<'a, S: BlobSource + ?Sized>(view: &RecordView<'a>, source: &'a S) -> Result<Call<'a>, DecodeError> {
            let mut r = Reader { info: view.op.info(), words: view.words, at: 1 };
            let call = match view.op { $(
                Op::$name => {
                    let p = r.payload::<$payload>()?;
                    $( let $blob = r.blob(source, stringify!($blob))?; )*
                    const TAILS: usize = <[&str]>::len(&[ $( stringify!($tail) ),* ]);
                    let counts = r.padded(TAILS * 4, "tail counts")?;
                    let mut counts = bytemuck::cast_slice::<u8, u32>(counts).iter().copied();
                    $( let $tail = r.tail::<$elem>(counts.next().unwrap_or(0), stringify!($tail))?; )*
                    Call::$name { p, $( $blob, )* $( $tail, )* }
                }
            )* };
            r.finish()?;
            check_call(&call).map_err(|error| DecodeError::Field { record: r.info.name, error })?;
            Ok(call)
        }

        /// Range checks of a call that did not come through [`decode`].
        pub fn check(call: &Call<'_>) -> Result<(), DecodeError> {
            let record = call.op().name();
            match *call { $(
                Call::$name { p, $( $tail, )* .. } => {
                    Field::check(p).map_err(|error| DecodeError::Field { record, error })?;
                    $( for (i, v) in $tail.iter().enumerate() {
                        Field::check(v).map_err(|e| DecodeError::Field { record, error: e.within(&format!("{}[{i}]", stringify!($tail))) })?;
                    } )*
                }
            )* }
            check_call(call).map_err(|error| DecodeError::Field { record, error })
        }
    };
}
with_catalogue!(codec);

/// What can be checked between the fields of one call, without knowing any state.
fn check_call(call: &Call<'_>) -> Result<(), FieldError> {
    /// Refuses the first element whose `value` is not below `limit`.
    fn below<T>(
        list: &str,
        field: &str,
        all: &[T],
        value: impl Fn(&T) -> u32,
        limit: u32,
    ) -> Result<(), FieldError> {
        match all.iter().position(|v| value(v) >= limit) {
            None => Ok(()),
            Some(i) => Err(FieldError::new(
                format!("{list}[{i}].{field}"),
                format!("{} is not below {limit}", value(&all[i])),
            )),
        }
    }
    match *call {
        Call::SetDynamicState { p, words } => {
            crate::pipe::DynamicState::initial().scatter(p.chunks, words)
        }
        Call::CreateVertexElements {
            attribs, bindings, ..
        } => {
            below(
                "attribs",
                "location",
                attribs,
                |a| a.location,
                MAX_VERTEX_ATTRIBS,
            )?;
            below(
                "attribs",
                "binding",
                attribs,
                |a| a.binding,
                MAX_VERTEX_ATTRIBS,
            )?;
            if let Some(i) = attribs
                .iter()
                .position(|a| !(1..=4).contains(&a.components))
            {
                return Err(FieldError::new(
                    format!("attribs[{i}].components"),
                    format!("{} is not 1 to 4", attribs[i].components),
                ));
            }
            below(
                "bindings",
                "binding",
                bindings,
                |b| b.binding,
                MAX_VERTEX_ATTRIBS,
            )
        }
        Call::SetVertexBuffers { buffers, .. } => below(
            "buffers",
            "binding",
            buffers,
            |b| b.binding,
            MAX_VERTEX_ATTRIBS,
        ),
        Call::SetSamplerViews { views, .. } => {
            below("views", "unit", views, |v| v.unit, MAX_TEXTURE_UNITS)
        }
        Call::BindSamplerStates { samplers, .. } => {
            below("samplers", "unit", samplers, |v| v.unit, MAX_TEXTURE_UNITS)
        }
        Call::SetShaderImages { images, .. } => {
            below("images", "unit", images, |v| v.unit, MAX_IMAGE_UNITS)
        }
        Call::SetShaderBuffers { buffers, .. } => below(
            "buffers",
            "index",
            buffers,
            |v| v.index,
            MAX_BUFFER_BINDINGS,
        ),
        Call::SetStreamOutputTargets { targets, .. } => below(
            "targets",
            "index",
            targets,
            |v| v.index,
            MAX_STREAM_OUTPUT_BUFFERS,
        ),
        Call::SetVertexAttribDefaults { values, .. } => below(
            "values",
            "location",
            values,
            |v| v.location,
            MAX_VERTEX_ATTRIBS,
        ),
        Call::SetProgramBindings {
            samplers,
            images,
            uniform_blocks,
            storage_blocks,
            ..
        } => {
            below("samplers", "unit", samplers, |v| v.unit, MAX_TEXTURE_UNITS)?;
            below("images", "unit", images, |v| v.unit, MAX_IMAGE_UNITS)?;
            below(
                "uniform_blocks",
                "binding",
                uniform_blocks,
                |v| v.binding,
                MAX_BUFFER_BINDINGS,
            )?;
            below(
                "storage_blocks",
                "binding",
                storage_blocks,
                |v| v.binding,
                MAX_BUFFER_BINDINGS,
            )
        }
        Call::SetFramebufferState { p } => {
            let bad = |b: &u32| *b != NO_BUFFER && *b >= MAX_COLOR_ATTACHMENTS as u32;
            match p.draw_buffers.iter().position(bad) {
                None => Ok(()),
                Some(i) => Err(FieldError::new(
                    format!("draw_buffers[{i}]"),
                    format!("{} is not below {MAX_COLOR_ATTACHMENTS}", p.draw_buffers[i]),
                )),
            }
        }
        Call::SetPixelPackState { p } if !matches!(p.alignment, 1 | 2 | 4 | 8) => Err(
            FieldError::new("alignment", format!("{} is not 1, 2, 4 or 8", p.alignment)),
        ),
        Call::DrawVbo { p, .. } if !matches!(p.index_size, 0 | 1 | 2 | 4) => Err(FieldError::new(
            "index_size",
            format!("{} is not 0, 1, 2 or 4", p.index_size),
        )),
        _ => Ok(()),
    }
}
