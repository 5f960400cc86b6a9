//! Counts of samples (GL_SAMPLES_PASSED, GL 4.6 §17.3.5), of which OpenGL ES tells only whether there are any.
//!
//! While such a query is active, fragment shaders count themselves in a buffer of the query's. They do so behind the depth
//! and the stencil test where these are on, which a shader can ask for unless it discards or writes depth; there, and where
//! several samples of a fragment are tested, the count is at most too large. Whether it is zero is OpenGL ES's own answer.

use super::device::Device;
use super::work::Work;
use glow::HasContext;
use mgl_core::handle::QueryHandle;
use mgl_core::pipe::render_state::PipelineState;
use mgl_core::pipe::*;

/// Binding point of the counter among shader storage buffers.
pub const COUNTER_BINDING: u32 = 0;

/// How a fragment shader counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counting {
    /// Fragments are tested for depth or stencil.
    pub tested: bool,
    /// Fragments have several samples.
    pub samples: bool,
}

impl Counting {
    /// Whether a shader that discards fragments, or changes their depth, still counts exactly.
    pub fn is_exact(self, late: bool) -> bool {
        !self.tested || !(late || self.samples)
    }

    /// The shader, counting; `late` where it discards fragments or changes their depth.
    pub fn apply(self, source: &str, late: bool) -> String {
        let early = if self.tested && !late {
            "layout(early_fragment_tests) in;\n"
        } else {
            ""
        };
        let number = if self.samples {
            "uint(bitCount(gl_SampleMaskIn[0]))"
        } else {
            "1u"
        };
        let extension = if self.samples && source.starts_with("#version 310") {
            "#extension GL_OES_sample_variables : require\n"
        } else {
            ""
        };
        let body = source.replace("void main()", "void mgl_counted()");
        let line = body.find('\n').map_or(body.len(), |at| at + 1);
        let (version, rest) = body.split_at(line);
        format!(
            "{version}{extension}{rest}\n{early}\
             layout(std430, binding = {COUNTER_BINDING}) buffer mgl_Samples {{ highp uint mgl_samples; }};\n\
             void main()\n{{\n    mgl_counted();\n    atomicAdd(mgl_samples, {number});\n}}\n"
        )
    }
}

/// The counter of a query.
#[derive(Debug, Clone, Copy)]
pub struct Counter(glow::Buffer);

/// Counters that no query has.
#[derive(Debug, Default)]
pub struct Counters(Vec<glow::Buffer>);

impl Counters {
    /// Takes the counter of a query that ended.
    pub fn give_back(&mut self, counter: Option<Counter>) {
        self.0.extend(counter.map(|c| c.0));
    }

    /// Ends them; a context of the share group is current.
    pub fn clear(&mut self, dev: &Device) {
        for name in self.0.drain(..) {
            // SAFETY: by this function's contract.
            unsafe { dev.gl.glow.delete_buffer(name) };
            dev.tally.buffers_ended.one();
        }
    }
}

impl Work<'_> {
    /// Makes a query's counter zero, a new one if it has none, and has fragments count there.
    ///
    /// # Errors
    ///
    /// When the driver gives no buffer.
    pub fn start_counting(
        &mut self,
        h: QueryHandle,
        counter: Option<Counter>,
    ) -> Result<Option<Counter>, BackendError> {
        if !self.dev.gl.has.counts_samples {
            return Ok(None);
        }
        let gl = &self.dev.gl.glow;
        let name = match counter.map(|c| c.0).or_else(|| self.obj.counters.0.pop()) {
            Some(name) => name,
            None => {
                self.dev.tally.buffers_made.one();
                // SAFETY: a context is current.
                unsafe { gl.create_buffer() }.map_err(BackendError::Driver)?
            }
        };
        self.ctx.counting = h;
        // SAFETY: the context is current and the buffer lives. New storage, so that counting under way keeps the old one.
        unsafe {
            gl.bind_buffer_base(glow::SHADER_STORAGE_BUFFER, COUNTER_BINDING, Some(name));
            gl.buffer_data_u8_slice(glow::SHADER_STORAGE_BUFFER, &[0; 4], glow::DYNAMIC_READ);
        }
        Ok(Some(Counter(name)))
    }

    /// Fragments count no more; what they counted can be read.
    pub fn stop_counting(&mut self, h: QueryHandle) {
        if self.ctx.counting == h && !h.is_null() {
            self.ctx.counting = QueryHandle::NULL;
            // SAFETY: the context is current.
            unsafe {
                self.dev
                    .gl
                    .glow
                    .memory_barrier(glow::BUFFER_UPDATE_BARRIER_BIT);
            }
        }
    }

    /// What a counter says: at least one where something passed, and nothing where nothing did.
    pub fn counted(&self, counter: Counter, passed: bool) -> u64 {
        if !passed {
            return 0;
        }
        let es = &self.dev.gl.es;
        let target = glow::SHADER_STORAGE_BUFFER;
        let mut count = 0u32;
        // SAFETY: the context is current, and the buffer lives and has four bytes; the mapping is read before it ends. The
        // counter of a query that is active is bound to an indexed point, which is left alone.
        unsafe {
            self.dev.gl.glow.bind_buffer(target, Some(counter.0));
            let p = es.MapBufferRange(target, 0, 4, glow::MAP_READ_BIT);
            if !p.is_null() {
                count = p.cast::<u32>().read_unaligned();
                es.UnmapBuffer(target);
            }
        }
        u64::from(count).max(1)
    }

    /// How fragments of a draw count, while a query asks for it.
    pub fn counting(&self, p: &PipelineState) -> Option<Counting> {
        // A query may end its life before it is ended.
        if self.ctx.counting.is_null() || self.obj.queries.get(self.ctx.counting).is_err() {
            return None;
        }
        let bound = &self.ctx.framebuffers.draw_bound;
        let depth = p.depth_test.get() && bound.depth.is_some();
        let stencil = p.stencil_test.get() && bound.stencil.is_some();
        Some(Counting {
            tested: depth || stencil,
            samples: bound.samples > 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHADER: &str = "#version 320 es\nprecision highp float;\nvoid main()\n{\n}\n";

    #[test]
    fn tests_come_first_where_they_can() {
        let tested = Counting {
            tested: true,
            samples: false,
        };
        let text = tested.apply(SHADER, false);
        assert!(text.starts_with("#version 320 es\nprecision"), "{text}");
        assert!(text.contains("early_fragment_tests"));
        assert!(text.contains("    mgl_counted();\n    atomicAdd(mgl_samples, 1u);\n"));
        assert!(!tested.apply(SHADER, true).contains("early_fragment_tests"));
        assert!(tested.is_exact(false) && !tested.is_exact(true));
    }

    #[test]
    fn samples_are_counted_apart() {
        let many = Counting {
            tested: false,
            samples: true,
        };
        assert!(
            many.apply(SHADER, false)
                .contains("bitCount(gl_SampleMaskIn[0])")
        );
        assert!(many.is_exact(true));
        let old = "#version 310 es\nvoid main()\n{\n}\n";
        assert!(many.apply(old, false).contains("GL_OES_sample_variables"));
    }
}
