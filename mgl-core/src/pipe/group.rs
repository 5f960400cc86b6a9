//! Groups of pushed state: the unit of dirtiness, generations and poison (design: pipe contract 3.5, verification 6.5).

macro_rules! groups {
    ($( $(#[$m:meta])* $name:ident ),* $(,)?) => {
        /// A group of context state.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[repr(u8)]
        pub enum Group { $( $(#[$m])* $name ),* }
        impl Group {
            /// All groups, in order.
            pub const ALL: &'static [Group] = &[ $( Group::$name ),* ];
            /// How many.
            pub const COUNT: usize = Self::ALL.len();
            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str { match self { $( Group::$name => stringify!($name) ),* } }
            /// Its bit in a mask of groups.
            #[must_use]
            pub const fn bit(self) -> u32 { 1 << self as u8 }
        }
    };
}

groups! {
    /// The bound render-state CSO.
    RenderState,
    /// The dynamic part of the render state.
    Dynamic,
    /// The draw framebuffer.
    DrawFramebuffer,
    /// The read framebuffer.
    ReadFramebuffer,
    /// The bound vertex-elements CSO.
    VertexElements,
    /// Vertex buffers.
    VertexBuffers,
    /// The index buffer.
    IndexBuffer,
    /// Indirect buffers.
    IndirectBuffers,
    /// Sampler views.
    SamplerViews,
    /// Samplers.
    SamplerStates,
    /// Image units.
    ShaderImages,
    /// Uniform buffers.
    UniformBuffers,
    /// Storage buffers.
    StorageBuffers,
    /// Atomic counter buffers.
    AtomicBuffers,
    /// Stream output buffers and the bound object.
    StreamOutput,
    /// Current values of attributes.
    AttribDefaults,
    /// Pack state.
    PixelPack,
    /// Patch parameters.
    Patch,
    /// The bound program (glUseProgram).
    Shader,
    /// The program that draws use.
    DrawProgram,
    /// The program that dispatches use.
    DispatchProgram,
}
