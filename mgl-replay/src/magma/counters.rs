//! Native work, counted since the back end was made; what a frame cost is the difference of two readings.

macro_rules! counters {
    ($( $(#[$doc:meta])* $name:ident $told:literal; )*) => {
        /// See the module. A steady frame makes no pipeline, descriptor pool, view, image, sampler or allocation.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct NativeCounters { $( $(#[$doc])* pub $name: u64, )* }

        impl NativeCounters {
            /// Name and total of every counter that follows from the records and the device's features alone: none that
            /// depends on how fast the GPU is.
            #[must_use]
            pub fn told(&self) -> Vec<(&'static str, u64)> {
                let mut all = Vec::new();
                $( if $told { all.push((stringify!($name), self.$name)); } )*
                all
            }
        }
    };
}

counters! {
    /// Draw commands.
    draw_calls true;
    /// Clear commands, draws that clear among them.
    clear_calls true;
    /// Copies and blits.
    copy_calls true;
    /// Renderings begun.
    renderings true;
    /// Barriers.
    barriers true;
    /// Pipelines bound.
    pipeline_binds true;
    /// Pipelines made.
    pipelines_made true;
    /// Descriptor sets written.
    sets_written true;
    /// Programs made.
    programs_linked true;
    /// Programs ended.
    programs_ended true;
    /// Images made.
    images_made true;
    /// Images ended.
    images_ended true;
    /// Image views made.
    views_made true;
    /// Buffers made, those of the client's.
    buffers_made true;
    /// Buffers ended.
    buffers_ended true;
    /// Samplers made.
    samplers_made true;
    /// Samplers ended.
    samplers_ended true;
    /// Queries of the client's made.
    queries_made true;
    /// Queries ended.
    queries_ended true;
    /// Copies that upload texels.
    texture_upload_jobs true;
    /// Bytes of these texels.
    texture_upload_bytes true;
    /// Copies that upload bytes into a buffer of the client's.
    buffer_upload_jobs true;
    /// These bytes.
    buffer_upload_bytes true;
    /// Submissions.
    submissions true;
    /// Waits for the GPU because the CPU needs what it made.
    waits true;
    /// Descriptor pools made.
    descriptor_pools false;
    /// Allocations of device memory.
    allocations false;
}

impl NativeCounters {
    /// Upload copies and their bytes, textures and buffers together.
    #[must_use]
    pub fn uploads(&self) -> (u64, u64) {
        (
            self.texture_upload_jobs + self.buffer_upload_jobs,
            self.texture_upload_bytes + self.buffer_upload_bytes,
        )
    }
}
