//! What Espryt asked of the driver, counted: the source of [`mgl_core::pipe::Backend::native_counters`].
//!
//! Totals since the back end was opened, which only rise, so that the difference of two readings is what a frame cost.
//! They follow from the records and the driver's features alone: no times, nothing that depends on other threads.
//! `*_made` less `*_ended` is the number of GL objects that live.

use std::cell::Cell;

/// One count.
#[derive(Debug, Default)]
pub struct Count(Cell<u64>);

impl Count {
    /// Counts one.
    #[inline]
    pub fn one(&self) {
        self.add(1);
    }

    /// Counts `n`.
    #[inline]
    pub fn add(&self, n: u64) {
        self.0.set(self.0.get().wrapping_add(n));
    }

    /// The total.
    #[inline]
    pub fn get(&self) -> u64 {
        self.0.get()
    }
}

macro_rules! tally {
    ($( $(#[$m:meta])* $name:ident ),* $(,)?) => {
        /// See the module.
        #[derive(Debug, Default)]
        pub struct Tally { $( $(#[$m])* pub $name: Count ),* }

        impl Tally {
            /// Name and total of every count.
            pub fn fields(&self) -> Vec<(&'static str, u64)> {
                vec![ $( (stringify!($name), self.$name.get()) ),* ]
            }
        }
    };
}

tally! {
    /// Draw calls, those of Espryt's own passes too.
    draw_calls,
    /// Clears of framebuffers.
    clear_calls,
    /// Blits, and copies between images, buffers, and framebuffers and images.
    copy_calls,
    /// Reads of pixels.
    read_calls,
    /// Calls that set render state (blending, tests, viewports and the like).
    state_calls,
    /// Programs compiled and linked.
    programs_linked,
    /// Program objects ended.
    programs_ended,
    /// Programs made current.
    program_binds,
    /// Framebuffer objects made.
    framebuffers_made,
    /// Framebuffer objects ended.
    framebuffers_ended,
    /// Framebuffers bound.
    framebuffer_binds,
    /// Texture objects made, views among them.
    textures_made,
    /// Texture objects ended.
    textures_ended,
    /// Texture views made.
    texture_views_made,
    /// Textures bound to units.
    texture_binds,
    /// Renderbuffers made.
    renderbuffers_made,
    /// Renderbuffers ended.
    renderbuffers_ended,
    /// Sampler objects made.
    samplers_made,
    /// Sampler objects ended.
    samplers_ended,
    /// Samplers bound to units.
    sampler_binds,
    /// Buffer objects made.
    buffers_made,
    /// Buffer objects ended.
    buffers_ended,
    /// Times that a buffer was given storage.
    buffer_allocations,
    /// Buffers bound, to any binding point.
    buffer_binds,
    /// Vertex arrays made.
    vertex_arrays_made,
    /// Vertex arrays ended.
    vertex_arrays_ended,
    /// Vertex arrays bound.
    vertex_array_binds,
    /// Query objects made.
    queries_made,
    /// Query objects ended.
    queries_ended,
    /// Fences made.
    fences_made,
    /// Fences ended.
    fences_ended,
    /// Contexts made, the root context not counted.
    contexts_made,
    /// Contexts ended.
    contexts_ended,
    /// Calls that upload texels.
    texture_upload_jobs,
    /// Bytes of these texels.
    texture_upload_bytes,
    /// Calls that upload bytes into a buffer of the client's.
    buffer_upload_jobs,
    /// These bytes.
    buffer_upload_bytes,
    /// Bytes of client arrays, indices and default uniform blocks, written to streaming buffers.
    stream_bytes,
}

impl Tally {
    /// Upload calls and their bytes, textures and buffers together.
    pub fn uploads(&self) -> (u64, u64) {
        (
            self.texture_upload_jobs.get() + self.buffer_upload_jobs.get(),
            self.texture_upload_bytes.get() + self.buffer_upload_bytes.get(),
        )
    }
}
