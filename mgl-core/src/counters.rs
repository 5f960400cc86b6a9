//! Counters by name: what a frame cost, in things that can be counted (design: verification, counters).
//!
//! A counter is a field; [`Counters::fields`] is the list that reports, JSON and budgets are made from. Bytes that never
//! become a record or a blob (driver-internal copies of a back end) are not covered by the `*_bytes` counters.

macro_rules! counters {
    ($( $(#[$m:meta])* $name:ident ),* $(,)?) => {
        /// Totals since the start; subtract two for a frame.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct Counters { $( $(#[$m])* pub $name: u64 ),* }

        impl Counters {
            /// Name and value of every counter.
            #[must_use]
            pub fn fields(&self) -> Vec<(&'static str, u64)> { vec![ $( (stringify!($name), self.$name) ),* ] }
            /// What was counted since `earlier`.
            #[must_use]
            pub fn since(&self, earlier: &Self) -> Self { Self { $( $name: self.$name.wrapping_sub(earlier.$name) ),* } }
            /// Both together.
            #[must_use]
            pub fn plus(&self, other: &Self) -> Self { Self { $( $name: self.$name + other.$name ),* } }
        }
    };
}

counters! {
    /// Calls pushed.
    records,
    /// Verbs pushed.
    verbs,
    /// Draw verbs.
    draws,
    /// Ranges drawn.
    draw_ranges,
    /// Clear verbs.
    clears,
    /// Frames presented.
    presents,
    /// Calls whose reply was waited for.
    round_trips,
    /// Render-state CSOs created.
    render_state_mints,
    /// Render-state CSOs bound.
    render_state_binds,
    /// Vertex-elements CSOs created.
    vertex_elements_mints,
    /// Sampler CSOs created.
    sampler_mints,
    /// Sampler views created.
    view_mints,
    /// Programs created.
    shader_mints,
    /// SetDynamicState emissions.
    dynamic_emissions,
    /// SetFramebufferState emissions.
    framebuffer_emissions,
    /// SetVertexBuffers emissions.
    vertex_buffer_emissions,
    /// SetSamplerViews emissions.
    sampler_view_emissions,
    /// BindSamplerStates emissions.
    sampler_state_emissions,
    /// SetShaderBuffers emissions.
    shader_buffer_emissions,
    /// Texture uploads: ResourceSubData into textures.
    texture_uploads,
    /// Regions of those uploads.
    texture_regions,
    /// Bytes of their union boxes.
    texture_box_bytes,
    /// Buffer uploads.
    buffer_uploads,
    /// Their bytes.
    buffer_bytes,
    /// Bytes pushed into default uniform blocks.
    constant_bytes,
    /// Bytes of client arrays and indices.
    user_array_bytes,
    /// Bytes of SPIR-V and reflection.
    shader_bytes,
    /// Bytes read back.
    readback_bytes,
}
