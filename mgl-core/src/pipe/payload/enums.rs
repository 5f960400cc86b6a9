//! Enumerations of the payloads. The values are GL's.

crate::gl_enum! {
    /// Primitive mode of a draw (GL 4.6 §10.1).
    pub enum Primitive {
        POINTS = 0, LINES = 1, LINE_LOOP = 2, LINE_STRIP = 3, TRIANGLES = 4, TRIANGLE_STRIP = 5, TRIANGLE_FAN = 6,
        LINES_ADJACENCY = 0xA, LINE_STRIP_ADJACENCY = 0xB, TRIANGLES_ADJACENCY = 0xC, TRIANGLE_STRIP_ADJACENCY = 0xD,
        PATCHES = 0xE,
    }
    /// Comparison function (GL 4.6 §17.3.3).
    pub enum CompareFunc {
        NEVER = 0x200, LESS = 0x201, EQUAL = 0x202, LEQUAL = 0x203, GREATER = 0x204, NOTEQUAL = 0x205, GEQUAL = 0x206,
        ALWAYS = 0x207,
    }
    /// Stencil operation (GL 4.6 §17.3.3).
    pub enum StencilOp {
        ZERO = 0, KEEP = 0x1E00, REPLACE = 0x1E01, INCR = 0x1E02, DECR = 0x1E03, INVERT = 0x150A, INCR_WRAP = 0x8507,
        DECR_WRAP = 0x8508,
    }
    /// Blend equation (GL 4.6 §17.3.6.1).
    pub enum BlendEquation {
        FUNC_ADD = 0x8006, MIN = 0x8007, MAX = 0x8008, FUNC_SUBTRACT = 0x800A, FUNC_REVERSE_SUBTRACT = 0x800B,
    }
    /// Blend factor (GL 4.6 §17.3.6.2).
    pub enum BlendFactor {
        ZERO = 0, ONE = 1, SRC_COLOR = 0x300, ONE_MINUS_SRC_COLOR = 0x301, SRC_ALPHA = 0x302,
        ONE_MINUS_SRC_ALPHA = 0x303, DST_ALPHA = 0x304, ONE_MINUS_DST_ALPHA = 0x305, DST_COLOR = 0x306,
        ONE_MINUS_DST_COLOR = 0x307, SRC_ALPHA_SATURATE = 0x308, CONSTANT_COLOR = 0x8001,
        ONE_MINUS_CONSTANT_COLOR = 0x8002, CONSTANT_ALPHA = 0x8003, ONE_MINUS_CONSTANT_ALPHA = 0x8004,
        SRC1_ALPHA = 0x8589, SRC1_COLOR = 0x88F9, ONE_MINUS_SRC1_COLOR = 0x88FA, ONE_MINUS_SRC1_ALPHA = 0x88FB,
    }
    /// Logical operation (GL 4.6 §17.3.9).
    pub enum LogicOp {
        CLEAR = 0x1500, AND = 0x1501, AND_REVERSE = 0x1502, COPY = 0x1503, AND_INVERTED = 0x1504, NOOP = 0x1505,
        XOR = 0x1506, OR = 0x1507, NOR = 0x1508, EQUIV = 0x1509, INVERT = 0x150A, OR_REVERSE = 0x150B,
        COPY_INVERTED = 0x150C, OR_INVERTED = 0x150D, NAND = 0x150E, SET = 0x150F,
    }
    /// Source of a debug message (GL 4.6 table 20.1).
    pub enum DebugSource {
        API = 0x8246, WINDOW_SYSTEM = 0x8247, SHADER_COMPILER = 0x8248, THIRD_PARTY = 0x8249, APPLICATION = 0x824A,
        OTHER = 0x824B,
    }
    /// Type of a debug message (GL 4.6 table 20.2).
    pub enum DebugType {
        ERROR = 0x824C, DEPRECATED_BEHAVIOR = 0x824D, UNDEFINED_BEHAVIOR = 0x824E, PORTABILITY = 0x824F,
        PERFORMANCE = 0x8250, OTHER = 0x8251, MARKER = 0x8268, PUSH_GROUP = 0x8269, POP_GROUP = 0x826A,
    }
    /// Severity of a debug message (GL 4.6 table 20.3).
    pub enum DebugSeverity { NOTIFICATION = 0x826B, HIGH = 0x9146, MEDIUM = 0x9147, LOW = 0x9148 }
    /// Face selection.
    pub enum Face { FRONT = 0x404, BACK = 0x405, FRONT_AND_BACK = 0x408 }
    /// Winding of front faces.
    pub enum FrontFace { CW = 0x900, CCW = 0x901 }
    /// Polygon mode.
    pub enum PolygonMode { POINT = 0x1B00, LINE = 0x1B01, FILL = 0x1B02 }
    /// Vertex whose flat outputs a primitive takes.
    pub enum ProvokingVertex { FIRST_VERTEX_CONVENTION = 0x8E4D, LAST_VERTEX_CONVENTION = 0x8E4E }
    /// Clip-space origin.
    pub enum ClipOrigin { LOWER_LEFT = 0x8CA1, UPPER_LEFT = 0x8CA2 }
    /// Clip-space depth range.
    pub enum ClipDepth { NEGATIVE_ONE_TO_ONE = 0x935E, ZERO_TO_ONE = 0x935F }
    /// Clamping of read colours (GL 4.6 §18.2.8).
    pub enum ClampColor { FALSE = 0, TRUE = 1, FIXED_ONLY = 0x891D }
    /// Target of a resource: what it is made as.
    pub enum Target {
        NONE = 0,
        BUFFER = 0x82E0, RENDERBUFFER = 0x8D41, TEXTURE_1D = 0xDE0, TEXTURE_2D = 0xDE1, TEXTURE_3D = 0x806F,
        TEXTURE_RECTANGLE = 0x84F5, TEXTURE_CUBE_MAP = 0x8513, TEXTURE_1D_ARRAY = 0x8C18, TEXTURE_2D_ARRAY = 0x8C1A,
        TEXTURE_BUFFER = 0x8C2A, TEXTURE_CUBE_MAP_ARRAY = 0x9009, TEXTURE_2D_MULTISAMPLE = 0x9100,
        TEXTURE_2D_MULTISAMPLE_ARRAY = 0x9102,
    }
    /// How a resource's storage was made.
    pub enum StorageKind {
        /* Not GL values. */ MUTABLE = 0, IMMUTABLE = 1, VIEW = 2, BUFFER_TEXTURE = 3,
    }
    /// Usage hint of a buffer.
    pub enum BufferUsage {
        NONE = 0, STREAM_DRAW = 0x88E0, STREAM_READ = 0x88E1, STREAM_COPY = 0x88E2, STATIC_DRAW = 0x88E4,
        STATIC_READ = 0x88E5, STATIC_COPY = 0x88E6, DYNAMIC_DRAW = 0x88E8, DYNAMIC_READ = 0x88E9, DYNAMIC_COPY = 0x88EA,
    }
    /// Texture minification filter.
    pub enum MinFilter {
        NEAREST = 0x2600, LINEAR = 0x2601, NEAREST_MIPMAP_NEAREST = 0x2700, LINEAR_MIPMAP_NEAREST = 0x2701,
        NEAREST_MIPMAP_LINEAR = 0x2702, LINEAR_MIPMAP_LINEAR = 0x2703,
    }
    /// Texture magnification filter; also a blit's filter.
    pub enum Filter { NEAREST = 0x2600, LINEAR = 0x2601 }
    /// Texture wrap mode.
    pub enum Wrap {
        CLAMP = 0x2900, REPEAT = 0x2901, CLAMP_TO_BORDER = 0x812D, CLAMP_TO_EDGE = 0x812F, MIRRORED_REPEAT = 0x8370,
        MIRROR_CLAMP_TO_EDGE = 0x8743,
    }
    /// Texture comparison mode.
    pub enum CompareMode { NONE = 0, COMPARE_REF_TO_TEXTURE = 0x884E }
    /// Which of the three border-colour entry points wrote the colour. Not GL values.
    pub enum BorderForm { FLOAT = 0, INT = 1, UINT = 2 }
    /// sRGB decoding by a sampler.
    pub enum SrgbDecode { DECODE = 0x8A49, SKIP_DECODE = 0x8A4A }
    /// Component source of a texture swizzle.
    pub enum Swizzle { ZERO = 0, ONE = 1, RED = 0x1903, GREEN = 0x1904, BLUE = 0x1905, ALPHA = 0x1906 }
    /// What a depth-stencil texture yields when sampled.
    pub enum DepthStencilMode { DEPTH_COMPONENT = 0x1902, STENCIL_INDEX = 0x1901 }
    /// Type of a vertex attribute component (GL 4.6 table 10.3).
    pub enum AttribType {
        BYTE = 0x1400, UNSIGNED_BYTE = 0x1401, SHORT = 0x1402, UNSIGNED_SHORT = 0x1403, INT = 0x1404,
        UNSIGNED_INT = 0x1405, FLOAT = 0x1406, DOUBLE = 0x140A, HALF_FLOAT = 0x140B, FIXED = 0x140C,
        UNSIGNED_INT_2_10_10_10_REV = 0x8368, INT_2_10_10_10_REV = 0x8D9F, UNSIGNED_INT_10F_11F_11F_REV = 0x8C3B,
    }
    /// How an attribute reaches the shader. Not GL values.
    pub enum AttribClass { FLOAT = 0, NORMALIZED = 1, INTEGER = 2, LONG = 3 }
    /// Base type of a generic attribute's current value. Not GL values.
    pub enum ValueType { FLOAT = 0, INT = 1, UINT = 2, DOUBLE = 3 }
    /// Which indexed buffer binding points a SetShaderBuffers writes.
    pub enum BufferClass { UNIFORM_BUFFER = 0x8A11, SHADER_STORAGE_BUFFER = 0x90D2, ATOMIC_COUNTER_BUFFER = 0x92C0 }
    /// Access of an image unit.
    pub enum ImageAccess { READ_ONLY = 0x88B8, WRITE_ONLY = 0x88B9, READ_WRITE = 0x88BA }
    /// Query target.
    pub enum QueryTarget {
        SAMPLES_PASSED = 0x8914, ANY_SAMPLES_PASSED = 0x8C2F, ANY_SAMPLES_PASSED_CONSERVATIVE = 0x8D6A,
        PRIMITIVES_GENERATED = 0x8C87, TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN = 0x8C88, TIME_ELAPSED = 0x88BF,
        TIMESTAMP = 0x8E28,
    }
    /// Result of a fence question.
    pub enum FenceResult { ALREADY_SIGNALED = 0x911A, TIMEOUT_EXPIRED = 0x911B, CONDITION_SATISFIED = 0x911C, WAIT_FAILED = 0x911D }
    /// Profile a context was made for.
    pub enum ContextProfile { CORE = 1, COMPATIBILITY = 2 }
    /// Output primitive of a stream output capture.
    pub enum CapturePrimitive { POINTS = 0, LINES = 1, TRIANGLES = 4 }
}

crate::bit_mask! {
    /// What a resource may be bound as; a hint for placement.
    pub struct BindMask {
        VERTEX = 1, INDEX = 2, UNIFORM = 4, STORAGE = 8, INDIRECT = 16, TEXEL = 32, STREAM_OUTPUT = 64, SAMPLED = 128,
        RENDER_TARGET = 256, DEPTH_STENCIL = 512, IMAGE = 1024, PIXEL = 2048, ATOMIC = 4096,
    }
    /// Flags of a resource.
    pub struct ResourceFlags {
        /// Its contents are defined (data was given, or will be pushed).
        DEFINED = 1,
        /// It may be bound as an image.
        IMAGE_BINDABLE = 2,
        /// Multisample locations are fixed.
        FIXED_SAMPLE_LOCATIONS = 4,
    }
    /// Flags of immutable buffer storage: GL's own bits (GL 4.6 §6.2).
    pub struct StorageFlags {
        MAP_READ = 1, MAP_WRITE = 2, MAP_PERSISTENT = 0x40, MAP_COHERENT = 0x80, DYNAMIC_STORAGE = 0x100, CLIENT_STORAGE = 0x200,
    }
    /// Buffers of a clear or blit: colour buffers by draw-buffer index in bits 0 to 7.
    pub struct BufferMask {
        COLOR0 = 1, COLOR1 = 2, COLOR2 = 4, COLOR3 = 8, COLOR4 = 16, COLOR5 = 32, COLOR6 = 64, COLOR7 = 128,
        DEPTH = 256, STENCIL = 512,
    }
    /// Colour write mask of one draw buffer.
    pub struct ColorMask { R = 1, G = 2, B = 4, A = 8 }
    /// Which binding points a SetFramebufferState describes.
    pub struct FramebufferBinding { DRAW = 1, READ = 2 }
    /// Flags of a draw.
    pub struct DrawFlags {
        /// Primitive restart is on.
        RESTART = 1,
        /// `min_index` and `max_index` hold.
        INDEX_BOUNDS = 2,
        /// Parameters come from the indirect buffer.
        INDIRECT = 4,
        /// The indirect draw count comes from the parameter buffer.
        INDIRECT_COUNT = 8,
        /// The vertex count comes from a stream output object.
        COUNT_FROM_STREAM_OUTPUT = 16,
        /// Indices are in the record's own blob.
        USER_INDICES = 32,
        /// Transform feedback is active and unpaused.
        CAPTURING = 64,
    }
    /// Flags of a context.
    pub struct ContextFlags { DEBUG = 1, FORWARD_COMPATIBLE = 2, ROBUST = 4, LOSE_ON_RESET = 8 }
    /// Memory barrier bits (GL 4.6 §7.13.2).
    pub struct BarrierMask {
        VERTEX_ATTRIB_ARRAY = 1, ELEMENT_ARRAY = 2, UNIFORM = 4, TEXTURE_FETCH = 8, SHADER_IMAGE_ACCESS = 0x20, COMMAND = 0x40,
        PIXEL_BUFFER = 0x80, TEXTURE_UPDATE = 0x100, BUFFER_UPDATE = 0x200, FRAMEBUFFER = 0x400, TRANSFORM_FEEDBACK = 0x800,
        ATOMIC_COUNTER = 0x1000, SHADER_STORAGE = 0x2000, CLIENT_MAPPED_BUFFER = 0x4000, QUERY_BUFFER = 0x8000,
    }
    /// Flags of an upload.
    pub struct SubDataFlags {
        /// The client's shadow was current for every texel of the union box: the box may go up whole.
        UNION_WHOLE = 1,
        /// The upload defines everything the level has: earlier content need not be kept.
        DISCARD = 2,
    }
    /// Stages of a program.
    pub struct StageMask { VERTEX = 1, TESS_CONTROL = 2, TESS_EVAL = 4, GEOMETRY = 8, FRAGMENT = 16, COMPUTE = 32 }
    /// Flags of a flush.
    pub struct FlushFlags {
        /// Wait until all is done (glFinish).
        FINISH = 1,
    }
}

impl BufferMask {
    /// The bit of colour buffer `i` (below 8).
    #[must_use]
    pub const fn color(i: usize) -> Self {
        Self(1 << i)
    }
}

impl AttribType {
    /// Bytes of one component; 4 for the packed types, which hold all components.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::BYTE | Self::UNSIGNED_BYTE => 1,
            Self::SHORT | Self::UNSIGNED_SHORT | Self::HALF_FLOAT => 2,
            Self::DOUBLE => 8,
            _ => 4,
        }
    }
    /// Whether the type packs all components in one word.
    #[must_use]
    pub const fn is_packed(self) -> bool {
        matches!(
            self,
            Self::UNSIGNED_INT_2_10_10_10_REV
                | Self::INT_2_10_10_10_REV
                | Self::UNSIGNED_INT_10F_11F_11F_REV
        )
    }
}
