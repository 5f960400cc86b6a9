//! The catalogue: every call of the pipe, once (design: pipe contract 3.2).
//!
//! Opcodes are positions: rows are only ever appended. A row that nothing needs any more is retired by the flag `r`: it
//! keeps its number, name and payload, so that older files stay readable, and [`super::check`] refuses it. Everything else (the
//! [`Call`] enumeration, the codec, the masks, the layout fingerprint, the tables in the docs) is derived from this list.
//! To add a call: one row here, its payload, a method of the back end trait if it is an operation, and an arm in each of
//! `check`, `transition`, `execute` and `count`, which the compiler asks for.

use super::group::Group;
use super::payload::*;
use crate::pod::{Field, FieldInfo, Payload};

/// Class of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Share group.
    Screen,
    /// Queries.
    Query,
    /// Constant state objects.
    Constant,
    /// Context state.
    State,
    /// Operations on objects.
    Object,
    /// Calls that consume state.
    Verb,
}

/// What the sender waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wait {
    /// Nothing.
    None,
    /// The reply.
    Reply,
    /// Until the call was applied.
    Applied,
    /// Present credit.
    Present,
    /// An acknowledgement, for immutable buffers only.
    Ack,
}

/// A row of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct CallInfo {
    /// The opcode.
    pub op: Op,
    /// Name.
    pub name: &'static str,
    /// Class.
    pub class: Class,
    /// What the sender waits for.
    pub wait: Wait,
    /// A back end may lack it without being incomplete.
    pub optional: bool,
    /// Kept for its number alone: no client can push it.
    pub retired: bool,
    /// Its blobs hold client arrays: valid for this record only.
    pub record_blob: bool,
    /// Groups that the verb reads.
    pub reads: &'static [Group],
    /// The same groups as a mask of [`Group::bit`].
    pub reads_mask: u32,
    /// Payload struct.
    pub payload: &'static str,
    /// Bytes of the payload.
    pub payload_size: usize,
    /// Fields of the payload.
    pub fields: &'static [FieldInfo],
    /// Names of the blobs.
    pub blobs: &'static [&'static str],
    /// Name, element type and element size of the tails.
    pub tails: &'static [(&'static str, &'static str, usize)],
}

macro_rules! pipe_calls {
    ($( $op:literal $name:ident($payload:ty) $class:ident $wait:ident [$($flag:ident)*] reads[$($g:ident)*]
        blobs[$($blob:ident)*] tails[$($tail:ident: $elem:ty),*]; )*) => {
        /// Opcodes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Op { $( #[allow(missing_docs)] $name = $op ),* }

        impl Op {
            /// All opcodes, in order.
            pub const ALL: &'static [Op] = &[ $( Op::$name ),* ];
            /// The opcode of a number.
            #[must_use]
            pub const fn from_u16(v: u16) -> Option<Op> { match v { $( $op => Some(Op::$name), )* _ => None } }
            /// The opcode of a name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Op> { match name { $( stringify!($name) => Some(Op::$name), )* _ => None } }
            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str { self.info().name }
            /// Its row.
            #[inline]
            #[must_use]
            pub const fn info(self) -> &'static CallInfo { &CATALOGUE[self as usize - 1] }
        }

        /// The catalogue, by opcode from 1.
        pub static CATALOGUE: &[CallInfo] = &[ $( CallInfo {
            op: Op::$name,
            name: stringify!($name),
            class: Class::$class,
            wait: Wait::$wait,
            optional: has_flag(&[$( stringify!($flag) ),*], 'o'),
            retired: has_flag(&[$( stringify!($flag) ),*], 'r'),
            record_blob: has_flag(&[$( stringify!($flag) ),*], 'h'),
            reads: &[ $( Group::$g ),* ],
            reads_mask: 0 $( | Group::$g.bit() )*,
            payload: <$payload as Payload>::NAME,
            payload_size: size_of::<$payload>(),
            fields: <$payload as Payload>::FIELDS,
            blobs: &[ $( stringify!($blob) ),* ],
            tails: &[ $( (stringify!($tail), <$elem as Field>::TYPE, size_of::<$elem>()) ),* ],
        } ),* ];

        /// A call: its payload, blobs and tails, all borrowed. The one currency of the pipe.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum Call<'a> { $(
            #[allow(missing_docs)]
            $name { p: &'a $payload, $( $blob: &'a [u8], )* $( $tail: &'a [$elem], )* },
        )* }

        impl Call<'_> {
            /// The opcode.
            #[inline]
            #[must_use]
            pub const fn op(&self) -> Op { match self { $( Call::$name { .. } => Op::$name ),* } }
        }

        // A payload starts behind an eight-byte header and is followed by eight-byte things.
        $( const _: () = assert!(size_of::<$payload>() % 8 == 0, stringify!($name)); )*
        $( $( const _: () = assert!(align_of::<$elem>() <= 8, stringify!($tail)); )* )*

        /// Calls `$with!` with the rows, for the modules that derive something from the catalogue.
        macro_rules! with_catalogue {
            ($with:ident) => { $with! { $( $name($payload) blobs[$($blob)*] tails[$($tail: $elem),*]; )* } };
        }
        pub(crate) use with_catalogue;

        /// Visits the schema of every payload, nested struct and tail element.
        pub fn visit_schema(visit: &mut dyn FnMut(&'static str, &'static [FieldInfo])) {
            $( <$payload as crate::pod::MaybeNested>::visit_nested(visit);
               $( <$elem as crate::pod::MaybeNested>::visit_nested(visit); )* )*
            // Its chunks travel as words.
            <super::render_state::DynamicState as crate::pod::MaybeNested>::visit_nested(visit);
        }
    };
}

const fn has_flag(flags: &[&str], c: char) -> bool {
    let mut i = 0;
    while i < flags.len() {
        if flags[i].as_bytes()[0] == c as u8 {
            return true;
        }
        i += 1;
    }
    false
}

pipe_calls! {
    // Screen.
    1 GetCaps(GetCaps) Screen Reply [] reads[] blobs[] tails[];
    2 ResourceCreate(ResourceDesc) Screen None [] reads[] blobs[] tails[];
    3 ResourceRespecify(ResourceDesc) Screen Ack [] reads[] blobs[] tails[];
    4 ResourceDestroy(ResourceOnly) Screen None [] reads[] blobs[] tails[];
    5 MapPersistent(MapRange) Screen Reply [o r] reads[] blobs[] tails[];
    6 UnmapPersistent(ResourceOnly) Screen None [o r] reads[] blobs[] tails[];
    7 FenceCreate(FenceOnly) Screen None [] reads[] blobs[] tails[];
    8 FenceStatus(FenceOnly) Screen Reply [] reads[] blobs[] tails[];
    9 FenceWait(FenceWait) Screen Reply [] reads[] blobs[] tails[];
    10 FenceWaitServer(FenceOnly) Screen None [] reads[] blobs[] tails[];
    11 FenceDestroy(FenceOnly) Screen None [] reads[] blobs[] tails[];
    12 ContextReset(ContextReset) Screen Applied [] reads[] blobs[] tails[];
    13 ContextCreate(ContextDesc) Screen None [] reads[] blobs[] tails[];
    14 ContextDestroy(ContextOnly) Screen None [] reads[] blobs[] tails[];
    15 BindContext(BindContext) Screen None [] reads[] blobs[] tails[];
    16 SurfaceCreate(SurfaceDesc) Screen None [] reads[] blobs[] tails[];
    17 SurfaceRespecify(SurfaceDesc) Screen None [] reads[] blobs[] tails[];
    18 SurfaceDestroy(SurfaceOnly) Screen None [] reads[] blobs[] tails[];
    19 ObjectLabel(ObjectLabel) Screen None [] reads[] blobs[label] tails[];
    // Queries.
    20 QueryCreate(QueryDesc) Query None [] reads[] blobs[] tails[];
    21 QueryBegin(QueryDesc) Query None [] reads[] blobs[] tails[];
    22 QueryEnd(QueryDesc) Query None [] reads[] blobs[] tails[];
    23 QueryAvailable(QueryOnly) Query Reply [] reads[] blobs[] tails[];
    24 QueryResult(QueryOnly) Query Reply [] reads[] blobs[] tails[];
    25 QueryDestroy(QueryOnly) Query None [] reads[] blobs[] tails[];
    26 QueryTimestamp(QueryTimestamp) Query Reply [] reads[] blobs[] tails[];
    27 QueryCounter(QueryDesc) Query None [] reads[] blobs[] tails[];
    // Constant state objects.
    28 CreateRenderState(RenderStateDesc) Constant None [] reads[] blobs[] tails[];
    29 BindRenderState(BindRenderState) Constant None [] reads[] blobs[] tails[];
    30 DeleteRenderState(RenderStateOnly) Constant None [] reads[] blobs[] tails[];
    31 CreateVertexElements(VertexElements) Constant None [] reads[] blobs[] tails[attribs: VertexAttrib, bindings: VertexBinding];
    32 BindVertexElements(VertexElements) Constant None [] reads[] blobs[] tails[];
    33 DeleteVertexElements(VertexElements) Constant None [] reads[] blobs[] tails[];
    34 CreateShaderState(ProgramDesc) Constant None [] reads[]
        blobs[vertex tess_control tess_eval geometry fragment compute reflection] tails[];
    35 BindShaderState(ShaderOnly) Constant None [] reads[] blobs[] tails[];
    36 DeleteShaderState(ShaderOnly) Constant None [] reads[] blobs[] tails[];
    37 CreateSamplerState(SamplerDesc) Constant None [] reads[] blobs[] tails[];
    38 DeleteSamplerState(SamplerOnly) Constant None [] reads[] blobs[] tails[];
    39 CreateSamplerView(SamplerView) Constant None [] reads[] blobs[] tails[];
    40 DeleteSamplerView(SamplerViewOnly) Constant None [] reads[] blobs[] tails[];
    // State.
    41 SetDynamicState(SetDynamicState) State None [] reads[] blobs[] tails[words: u32];
    42 SetFramebufferState(FramebufferState) State None [] reads[] blobs[] tails[];
    43 SetVertexBuffers(SetVertexBuffers) State None [] reads[] blobs[] tails[buffers: VertexBuffer];
    44 SetIndexBuffer(IndexBuffer) State None [] reads[] blobs[] tails[];
    45 SetIndirectBuffers(IndirectBuffers) State None [] reads[] blobs[] tails[];
    46 SetSamplerViews(SetSamplerViews) State None [] reads[] blobs[] tails[views: BoundView];
    47 BindSamplerStates(BindSamplerStates) State None [] reads[] blobs[] tails[samplers: BoundSampler];
    48 SetShaderImages(SetShaderImages) State None [] reads[] blobs[] tails[images: ImageView];
    49 SetShaderBuffers(SetShaderBuffers) State None [] reads[] blobs[] tails[buffers: BufferBinding];
    50 SetStreamOutputTargets(SetStreamOutputTargets) State None [] reads[] blobs[] tails[targets: BufferBinding];
    51 SetGlobalConstants(SetGlobalConstants) State None [] reads[] blobs[bytes] tails[];
    52 SetVertexAttribDefaults(SetVertexAttribDefaults) State None [] reads[] blobs[] tails[values: AttribValue];
    53 SetPixelPackState(PixelPackState) State None [] reads[] blobs[] tails[];
    54 SetPatchState(PatchState) State None [] reads[] blobs[] tails[];
    55 SetDrawProgram(ShaderOnly) State None [] reads[] blobs[] tails[];
    56 SetDispatchProgram(ShaderOnly) State None [] reads[] blobs[] tails[];
    57 SetProgramBindings(SetProgramBindings) State None [] reads[] blobs[]
        tails[samplers: SlotUnit, images: SlotUnit, uniform_blocks: BlockBinding, storage_blocks: BlockBinding];
    // Objects.
    58 SetTextureParams(TextureParams) Object None [] reads[] blobs[] tails[];
    59 ResourceSubData(SubData) Object None [] reads[] blobs[bytes] tails[regions: SubRegion];
    60 BufferSubDataResident(BufferRange) Object None [o r] reads[] blobs[bytes] tails[];
    61 ResourceSubDataComplete(SubDataComplete) Object None [r] reads[] blobs[] tails[];
    62 ResourceFlushRange(BufferRange) Object None [r] reads[] blobs[] tails[];
    63 ResourceReadback(BufferRange) Object Reply [] reads[] blobs[] tails[];
    64 ResourceCopyRegion(CopyRegion) Object None [] reads[] blobs[] tails[];
    65 ClearResource(ClearResource) Object None [o] reads[] blobs[] tails[];
    66 Invalidate(Invalidate) Object None [o r] reads[] blobs[] tails[];
    67 GenerateMipmap(GenerateMipmap) Object None [] reads[] blobs[] tails[];
    68 GetTextureImage(GetTextureImage) Object Reply [] reads[] blobs[] tails[];
    69 GetTextureImageToBuffer(GetTextureImageToBuffer) Object None [r] reads[PixelPack] blobs[] tails[];
    70 ObjectDeath(ObjectDeath) Object None [] reads[] blobs[] tails[];
    // Verbs.
    71 DrawVbo(DrawInfo) Verb None [h]
        reads[RenderState Dynamic DrawFramebuffer VertexElements VertexBuffers SamplerViews SamplerStates UniformBuffers
              AttribDefaults DrawProgram]
        blobs[indices arrays] tails[ranges: DrawRange, user_arrays: UserArray];
    72 Clear(Clear) Verb None [] reads[RenderState Dynamic DrawFramebuffer] blobs[] tails[];
    73 Blit(Blit) Verb None [] reads[Dynamic DrawFramebuffer ReadFramebuffer] blobs[] tails[];
    74 ReadPixels(ReadPixels) Verb Reply [] reads[ReadFramebuffer] blobs[] tails[];
    75 ReadPixelsToBuffer(ReadPixelsToBuffer) Verb None [r] reads[ReadFramebuffer PixelPack] blobs[] tails[];
    76 CopyFramebufferToTexture(CopyToTexture) Verb None [] reads[ReadFramebuffer] blobs[] tails[];
    77 LaunchGrid(GridInfo) Verb None []
        reads[SamplerViews SamplerStates ShaderImages UniformBuffers StorageBuffers AtomicBuffers DispatchProgram] blobs[] tails[];
    78 MemoryBarrier(MemoryBarrier) Verb None [] reads[] blobs[] tails[];
    79 BeginStreamOutput(StreamOutputOp) Verb None [] reads[StreamOutput DrawProgram] blobs[] tails[];
    80 EndStreamOutput(StreamOutputOp) Verb None [] reads[] blobs[] tails[];
    81 PauseStreamOutput(StreamOutputOp) Verb None [] reads[] blobs[] tails[];
    82 ResumeStreamOutput(StreamOutputOp) Verb None [] reads[] blobs[] tails[];
    83 BindStreamOutput(StreamOutputOp) Verb None [] reads[] blobs[] tails[];
    84 DebugMarker(DebugMarker) Verb None [] reads[] blobs[text] tails[];
    85 Flush(Flush) Verb None [] reads[] blobs[] tails[];
    86 SetSwapInterval(SwapInterval) Verb None [o] reads[] blobs[] tails[];
    87 Present(Present) Verb Present [] reads[] blobs[] tails[];
    88 DebugMessage(DebugMessage) Verb None [] reads[] blobs[text] tails[];
    89 PushDebugGroup(DebugGroup) Verb None [] reads[] blobs[text] tails[];
    90 PopDebugGroup(DebugGroupEnd) Verb None [] reads[] blobs[] tails[];
}

/// Rows of the catalogue; a change is a change of the format.
pub const CALL_COUNT: usize = 90;
const _: () = assert!(CATALOGUE.len() == CALL_COUNT);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_are_positions() {
        for (i, c) in CATALOGUE.iter().enumerate() {
            assert_eq!(c.op as usize, i + 1, "{}", c.name);
            assert_eq!(Op::from_u16(c.op as u16), Some(c.op));
            assert_eq!(Op::from_name(c.name), Some(c.op));
        }
        assert_eq!(Op::from_u16(0), None);
        assert_eq!(Op::from_u16(CALL_COUNT as u16 + 1), None);
    }

    #[test]
    fn payload_fields_leave_no_gaps() {
        visit_schema(&mut |name, fields| {
            let mut at = 0;
            for f in fields {
                assert_eq!(f.offset, at, "{name}.{}", f.name);
                at += f.size;
            }
        });
    }
}
