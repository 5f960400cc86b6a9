//! What the catalogue says about records, worked out a second time: legal values by type, samples, and places by name.
//!
//! Nothing here calls the crate's own range checks: [`Schema::legal`] is what those are compared with.

use mgl_core::codec::HEADER_BYTES;
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::calls::{CATALOGUE, visit_schema};
use mgl_core::pipe::render_state::*;
use mgl_core::pipe::*;
use mgl_core::pod::{Field, FieldInfo};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

/// Random numbers from a seed (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// What values a type has.
enum Values {
    /// Every bit pattern.
    Any,
    /// Zero only.
    Zero,
    /// One of these words.
    Words(Vec<u32>),
    /// Any union of these bits.
    Bits(u32),
    /// A handle: slot and generation.
    Handle,
    /// A struct of these fields.
    Struct(&'static [FieldInfo]),
}

/// See the module.
pub struct Schema {
    types: HashMap<&'static str, (Values, usize)>,
}

impl Schema {
    /// The one of this program.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Schema> = OnceLock::new();
        SHARED.get_or_init(Self::new)
    }

    fn new() -> Self {
        let mut types: HashMap<&'static str, (Values, usize)> = HashMap::new();
        for (name, size) in [
            ("u8", 1),
            ("u16", 2),
            ("u32", 4),
            ("i32", 4),
            ("u64", 8),
            ("i64", 8),
            ("f32", 4),
        ] {
            types.insert(name, (Values::Any, size));
        }
        types.insert("pad", (Values::Zero, 1));
        types.insert("bool32", (Values::Words(vec![0, 1]), 4));
        let formats = (0..0x10000).filter(|v| *v == 0 || Format(*v).info().is_some());
        types.insert("Format", (Values::Words(formats.collect()), 4));
        macro_rules! enums { ($($t:ty),* $(,)?) => { $(
            types.insert(<$t>::TYPE, (Values::Words(<$t>::VALUES.iter().map(|v| v.0.0).collect()), 4));
        )* } }
        macro_rules! masks { ($($t:ty),* $(,)?) => { $(
            types.insert(<$t>::TYPE, (Values::Bits(<$t>::ALL.0), 4));
        )* } }
        macro_rules! handles { ($($t:ty),* $(,)?) => { $( types.insert(<$t>::TYPE, (Values::Handle, 8)); )* } }
        enums!(
            HandleKind,
            Primitive,
            CompareFunc,
            StencilOp,
            BlendEquation,
            BlendFactor,
            LogicOp,
            DebugSource,
            DebugType,
            DebugSeverity,
            Face,
            FrontFace,
            PolygonMode,
            ProvokingVertex,
            ClipOrigin,
            ClipDepth,
            ClampColor,
            Target,
            StorageKind,
            BufferUsage,
            MinFilter,
            Filter,
            Wrap,
            CompareMode,
            BorderForm,
            SrgbDecode,
            Swizzle,
            DepthStencilMode,
            AttribType,
            AttribClass,
            ValueType,
            BufferClass,
            ImageAccess,
            QueryTarget,
            ContextProfile,
            CapturePrimitive,
        );
        masks!(
            BindMask,
            ResourceFlags,
            StorageFlags,
            BufferMask,
            ColorMask,
            FramebufferBinding,
            DrawFlags,
            ContextFlags,
            BarrierMask,
            SubDataFlags,
            StageMask,
            FlushFlags,
        );
        handles!(
            BufferHandle,
            TextureHandle,
            RenderbufferHandle,
            FramebufferHandle,
            StreamOutputHandle,
            RenderStateHandle,
            VertexElementsHandle,
            SamplerHandle,
            SamplerViewHandle,
            ShaderHandle,
            FenceHandle,
            QueryHandle,
            ContextHandle,
            SurfaceHandle,
        );
        let mut structs = |name: &'static str, fields: &'static [FieldInfo]| {
            let size = fields.iter().map(|f| f.size as usize).sum();
            types.insert(name, (Values::Struct(fields), size));
        };
        visit_schema(&mut structs);
        let fields = <DynamicState as mgl_core::pod::Payload>::FIELDS;
        structs("DynamicState", fields);
        <DynamicState as mgl_core::pod::Payload>::nested(&mut structs);
        <BlobRef as mgl_core::pod::MaybeNested>::visit_nested(&mut structs);
        Self { types }
    }

    fn get(&self, ty: &str) -> &(Values, usize) {
        self.types.get(ty).unwrap_or_else(|| {
            panic!("the type {ty} has no values here: add it to the lists above")
        })
    }

    /// Fills `out` with legal values of a type.
    fn fill(&self, ty: &str, out: &mut [u8], r: &mut Random) {
        let (values, size) = self.get(ty);
        for one in out.chunks_exact_mut(*size) {
            match values {
                Values::Any => one.copy_from_slice(&r.next().to_le_bytes()[..*size]),
                Values::Zero => one.fill(0),
                Values::Words(w) => one.copy_from_slice(&w[r.below(w.len())].to_le_bytes()),
                Values::Bits(b) => one.copy_from_slice(&(r.next() as u32 & b).to_le_bytes()),
                Values::Handle => {
                    let (slot, generation) = match r.below(4) {
                        0 => (0, 0),
                        1 => (r.below(5) as u32, 1),
                        _ => (r.below(SLOT_LIMIT as usize) as u32, r.next() as u32 | 1),
                    };
                    one[..4].copy_from_slice(&slot.to_le_bytes());
                    one[4..].copy_from_slice(&generation.to_le_bytes());
                }
                Values::Struct(fields) => {
                    for f in *fields {
                        let at = f.offset as usize..(f.offset + f.size) as usize;
                        self.fill(f.ty, &mut one[at], r);
                    }
                }
            }
        }
    }

    /// Whether all values of a type in `bytes` are legal; the error is where they are not.
    fn legal_values(&self, ty: &str, bytes: &[u8]) -> Result<(), String> {
        let (values, size) = self.get(ty);
        for one in bytes.chunks_exact(*size) {
            let word = |at: usize| u32::from_le_bytes(one[at..at + 4].try_into().expect("a word"));
            let ok = match values {
                Values::Any => true,
                Values::Zero => one.iter().all(|b| *b == 0),
                Values::Words(w) => w.contains(&word(0)),
                Values::Bits(b) => word(0) & !b == 0,
                Values::Handle => word(0) < SLOT_LIMIT && (word(4) != 0 || word(0) == 0),
                Values::Struct(fields) => {
                    for f in *fields {
                        let at = f.offset as usize..(f.offset + f.size) as usize;
                        self.legal_values(f.ty, &one[at])
                            .map_err(|e| format!("{}.{e}", f.name))?;
                    }
                    true
                }
            };
            if !ok {
                return Err(format!("{ty}: {one:x?}"));
            }
        }
        Ok(())
    }

    /// A record of `op` with legal values, and its blobs.
    pub fn sample(&self, op: Op, r: &mut Random) -> (Vec<u64>, Vec<u8>) {
        let info = op.info();
        let mut body = vec![0u8; info.payload_size];
        self.fill(info.payload, &mut body, r);
        let mut blobs: Vec<u8> = Vec::new();
        for _ in info.blobs {
            let size = r.below(4) * r.below(9);
            let at = blobs.len();
            blobs.extend((0..size).map(|_| r.next() as u8));
            let mut b = [0u8; 24];
            b[..8].copy_from_slice(&(at as u64).to_le_bytes());
            b[8..16].copy_from_slice(&(size as u64).to_le_bytes());
            body.extend_from_slice(&b);
        }
        let mut tails: Vec<Vec<u8>> = info
            .tails
            .iter()
            .map(|(_, ty, size)| {
                let mut t = vec![0; size * r.below(4)];
                self.fill(ty, &mut t, r);
                t
            })
            .collect();
        if op == Op::SetDynamicState {
            let mask = r.next() as u32 & ALL_CHUNKS;
            body[..4].copy_from_slice(&mask.to_le_bytes());
            let mut all = vec![0u8; size_of::<DynamicState>()];
            self.fill("DynamicState", &mut all, r);
            tails[0] = DYNAMIC_CHUNKS
                .iter()
                .enumerate()
                .filter(|(i, _)| mask >> i & 1 != 0)
                .flat_map(|(_, c)| all[c.offset..c.offset + c.size].to_vec())
                .collect();
        }
        for (t, (_, _, size)) in tails.iter().zip(info.tails) {
            body.extend_from_slice(&((t.len() / size) as u32).to_le_bytes());
        }
        body.resize(body.len().next_multiple_of(8), 0);
        for t in &tails {
            body.extend_from_slice(t);
            body.resize(body.len().next_multiple_of(8), 0);
        }
        let size = HEADER_BYTES + body.len();
        let mut words = vec![op as u64 | (size as u64) << 32];
        words.extend(
            body.chunks_exact(8)
                .map(|c| u64::from_le_bytes(c.try_into().expect("a word"))),
        );
        self.limit(op, &mut words, r);
        (words, blobs)
    }

    /// Brings numbers into the ranges that calls demand of them beyond their types.
    fn limit(&self, op: Op, words: &mut [u64], r: &mut Random) {
        for (path, limit) in limits(op) {
            let mut i = 0;
            while let Some(at) = self.place(op, words, &path.replace("[]", &format!("[{i}]"))) {
                let bytes = bytemuck_bytes(words);
                let v = match limit {
                    Limit::Below(n) => r.below(n as usize) as u32,
                    Limit::OneOf(all) => all[r.below(all.len())],
                };
                bytes[at].copy_from_slice(&v.to_le_bytes());
                i += 1;
                if !path.contains("[]") {
                    break;
                }
            }
        }
    }

    /// Whether a record is what the catalogue allows: sizes, types, padding, ranges between fields. The error says why.
    pub fn legal(&self, words: &[u64], blobs: &[u8]) -> Result<(), String> {
        let head = words[0];
        let op = Op::from_u16(head as u16).ok_or("opcode")?;
        if (head >> 16) as u16 != 0 || (head >> 32) as usize != words.len() * 8 {
            return Err("header".into());
        }
        let info = op.info();
        let mut copy = words.to_vec();
        let bytes = &*bytemuck_bytes(&mut copy);
        self.legal_values(info.payload, &bytes[8..8 + info.payload_size])?;
        let mut at = 8 + info.payload_size;
        for name in info.blobs {
            let b = &bytes[at..at + 24];
            self.legal_values("BlobRef", b)?;
            let word = |i: usize| u64::from_le_bytes(b[i..i + 8].try_into().expect("a word"));
            let inside = word(0)
                .checked_add(word(8))
                .is_some_and(|e| e <= blobs.len() as u64);
            if !inside || word(16) != 0 {
                return Err(format!("blob {name}"));
            }
            at += 24;
        }
        let tails = self.tails(op, words);
        if tails.len() != info.tails.len() {
            return Err("tails are outside the record".into());
        }
        let mut end = at + (info.tails.len() * 4).next_multiple_of(8);
        self.legal_values("pad", &bytes[at + info.tails.len() * 4..end])?;
        for ((name, ty, _), place) in info.tails.iter().zip(&tails) {
            self.legal_values(ty, &bytes[place.clone()])
                .map_err(|e| format!("{name}: {e}"))?;
            let pad = place.end..place.end.next_multiple_of(8);
            end = pad.end;
            self.legal_values("pad", &bytes[pad])?;
        }
        if end != bytes.len() {
            return Err("size".into());
        }
        for (path, limit) in limits(op) {
            let mut i = 0;
            while let Some(at) = self.place(op, words, &path.replace("[]", &format!("[{i}]"))) {
                let v = u32::from_le_bytes(bytes[at].try_into().expect("a word"));
                let ok = match limit {
                    Limit::Below(n) => v < n,
                    Limit::OneOf(all) => all.contains(&v),
                };
                if !ok {
                    return Err(format!("{path}: {v}"));
                }
                i += 1;
                if !path.contains("[]") {
                    break;
                }
            }
        }
        if op == Op::SetDynamicState {
            let mask = u32::from_le_bytes(bytes[8..12].try_into().expect("a word"));
            if mask & !ALL_CHUNKS != 0 {
                return Err("chunks".into());
            }
            let mut at = tails[0].start;
            // Chunks lie next to each other in the block, so each is a range of its fields.
            let mut all = vec![0u8; size_of::<DynamicState>()];
            all.copy_from_slice(bytemuck::bytes_of(&DynamicState::initial()));
            for (i, c) in DYNAMIC_CHUNKS.iter().enumerate() {
                if mask >> i & 1 != 0 {
                    let part = bytes.get(at..at + c.size).ok_or("chunks")?;
                    all[c.offset..c.offset + c.size].copy_from_slice(part);
                    at += c.size;
                }
            }
            if at != tails[0].end {
                return Err("words".into());
            }
            self.legal_values("DynamicState", &all)?;
        }
        Ok(())
    }

    /// Byte ranges of a record's tails, up to the first that does not fit into the record.
    fn tails(&self, op: Op, words: &[u64]) -> Vec<Range<usize>> {
        let info = op.info();
        let mut copy = words.to_vec();
        let bytes = &*bytemuck_bytes(&mut copy);
        let counts = 8 + info.payload_size + info.blobs.len() * 24;
        let mut at = counts + (info.tails.len() * 4).next_multiple_of(8);
        let mut out = Vec::new();
        for (i, (_, _, size)) in info.tails.iter().enumerate() {
            let Some(c) = bytes.get(counts + 4 * i..counts + 4 * i + 4) else {
                break;
            };
            let n = u32::from_le_bytes(c.try_into().expect("a word")) as usize;
            let end = at + n * size;
            if end > bytes.len() {
                break;
            }
            out.push(at..end);
            at = end.next_multiple_of(8);
        }
        out
    }

    /// Where the field of a path lies in a record.
    pub fn place(&self, op: Op, words: &[u64], path: &str) -> Option<Range<usize>> {
        let info = op.info();
        let (head, _) = path.split_once(['.', '[']).unwrap_or((path, ""));
        let rest = &path[head.len()..];
        if info.fields.iter().any(|f| f.name == head) {
            return self.place_in(info.payload, 8, path);
        }
        if let Some(i) = info.blobs.iter().position(|b| *b == head) {
            let at = 8 + info.payload_size + i * 24;
            return match rest.strip_prefix('.') {
                Some(p) => self.place_in("BlobRef", at, p),
                None => Some(at..at + 24),
            };
        }
        let i = info.tails.iter().position(|t| t.0 == head)?;
        let place = self.tails(op, words).get(i)?.clone();
        let (index, rest) = rest.strip_prefix('[')?.split_once(']')?;
        let (_, ty, size) = info.tails[i];
        let at = place.start + index.parse::<usize>().ok()? * size;
        if at + size > place.end {
            return None;
        }
        match rest.strip_prefix('.') {
            Some(p) => self.place_in(ty, at, p),
            None => Some(at..at + size),
        }
    }

    fn place_in(&self, ty: &str, at: usize, path: &str) -> Option<Range<usize>> {
        let (Values::Struct(fields), _) = self.get(ty) else {
            // Below a handle: slot and generation.
            return match path {
                "slot" => Some(at..at + 4),
                "generation" => Some(at + 4..at + 8),
                _ => None,
            };
        };
        let (head, _) = path.split_once(['.', '[']).unwrap_or((path, ""));
        let f = fields.iter().find(|f| f.name == head)?;
        let mut rest = &path[head.len()..];
        let (mut start, mut size) = (at + f.offset as usize, f.size as usize);
        if let Some(r) = rest.strip_prefix('[') {
            let (index, r) = r.split_once(']')?;
            size /= f.count as usize;
            start += index.parse::<usize>().ok()? * size;
            rest = r;
        }
        match rest.strip_prefix('.') {
            Some(p) => self.place_in(f.ty, start, p),
            None => Some(start..start + size),
        }
    }
}

enum Limit {
    Below(u32),
    OneOf(&'static [u32]),
}

/// Ranges beyond types, as the payloads document them. `[]` stands for every element.
fn limits(op: Op) -> Vec<(&'static str, Limit)> {
    use Limit::{Below, OneOf};
    const DRAW_BUFFERS: &[u32] = &[0, 1, 2, 3, 4, 5, 6, 7, NO_BUFFER];
    match op {
        Op::CreateVertexElements => vec![
            ("attribs[].location", Below(32)),
            ("attribs[].binding", Below(32)),
            ("attribs[].components", OneOf(&[1, 2, 3, 4])),
            ("bindings[].binding", Below(32)),
        ],
        Op::SetVertexBuffers => vec![("buffers[].binding", Below(32))],
        Op::SetSamplerViews => vec![("views[].unit", Below(192))],
        Op::BindSamplerStates => vec![("samplers[].unit", Below(192))],
        Op::SetShaderImages => vec![("images[].unit", Below(192))],
        Op::SetShaderBuffers => vec![("buffers[].index", Below(96))],
        Op::SetStreamOutputTargets => vec![("targets[].index", Below(4))],
        Op::SetVertexAttribDefaults => vec![("values[].location", Below(32))],
        Op::SetProgramBindings => vec![
            ("samplers[].unit", Below(192)),
            ("images[].unit", Below(192)),
            ("uniform_blocks[].binding", Below(96)),
            ("storage_blocks[].binding", Below(96)),
        ],
        Op::SetFramebufferState => (0..8)
            .map(|i| {
                let names = [
                    "draw_buffers[0]",
                    "draw_buffers[1]",
                    "draw_buffers[2]",
                    "draw_buffers[3]",
                    "draw_buffers[4]",
                    "draw_buffers[5]",
                    "draw_buffers[6]",
                    "draw_buffers[7]",
                ];
                (names[i], OneOf(DRAW_BUFFERS))
            })
            .collect(),
        Op::SetPixelPackState => vec![("alignment", OneOf(&[1, 2, 4, 8]))],
        Op::DrawVbo => vec![("index_size", OneOf(&[0, 1, 2, 4]))],
        _ => Vec::new(),
    }
}

pub fn bytemuck_bytes(words: &mut [u64]) -> &mut [u8] {
    bytemuck::cast_slice_mut(words)
}

#[test]
fn every_call_has_samples_that_are_legal() {
    let schema = Schema::shared();
    for c in CATALOGUE {
        for seed in 0..50 {
            let (words, blobs) = schema.sample(c.op, &mut Random(seed));
            assert_eq!(schema.legal(&words, &blobs), Ok(()), "{}", c.name);
        }
    }
}
