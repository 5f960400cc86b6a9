//! The groups of a context.

use super::super::calls::Call;
use super::super::group::Group;
use super::super::payload::*;
use super::super::pushed::ContextState;
use super::super::render_state::{ALL_CHUNKS, PipelineState};
use super::{EmissionError, Emitter};

type Done = Result<(), EmissionError>;

impl Emitter<'_> {
    /// Every group of the context that speaks that was ever pushed, with its value.
    pub(super) fn groups(&mut self, c: &ContextState) -> Done {
        for &g in Group::ALL.iter().filter(|g| c.was_pushed(**g)) {
            self.group(c, g)?;
        }
        Ok(())
    }

    fn group(&mut self, c: &ContextState, g: Group) -> Done {
        let v = &c.values;
        match g {
            Group::RenderState if v.render_state.is_null() => self.bound_render_state_that_died(),
            Group::RenderState => {
                let p = &BindRenderState {
                    render_state: v.render_state,
                    ..BindRenderState::default()
                };
                self.put(Call::BindRenderState { p })
            }
            Group::Dynamic => {
                let mut words = Vec::new();
                v.dynamic.gather(ALL_CHUNKS, &mut words);
                let p = &SetDynamicState {
                    chunks: ALL_CHUNKS,
                    ..SetDynamicState::default()
                };
                let words = &words;
                self.put(Call::SetDynamicState { p, words })
            }
            Group::DrawFramebuffer => {
                let p = &FramebufferState {
                    binding: FramebufferBinding::DRAW,
                    ..v.draw_framebuffer
                };
                self.put(Call::SetFramebufferState { p })
            }
            Group::ReadFramebuffer => {
                let p = &FramebufferState {
                    binding: FramebufferBinding::READ,
                    ..v.read_framebuffer
                };
                self.put(Call::SetFramebufferState { p })
            }
            Group::VertexElements if v.vertex_elements.is_null() => self.bound_elements_that_died(),
            Group::VertexElements => {
                let p = &VertexElements {
                    vertex_elements: v.vertex_elements,
                };
                self.put(Call::BindVertexElements { p })
            }
            Group::VertexBuffers => self.put(Call::SetVertexBuffers {
                p: &SetVertexBuffers::default(),
                buffers: &v.vertex_buffers,
            }),
            Group::IndexBuffer => self.put(Call::SetIndexBuffer { p: &v.index_buffer }),
            Group::IndirectBuffers => self.put(Call::SetIndirectBuffers { p: &v.indirect }),
            Group::SamplerViews => self.put(Call::SetSamplerViews {
                p: &SetSamplerViews::default(),
                views: &v.views,
            }),
            Group::SamplerStates => self.put(Call::BindSamplerStates {
                p: &BindSamplerStates::default(),
                samplers: &v.samplers,
            }),
            Group::ShaderImages => self.put(Call::SetShaderImages {
                p: &SetShaderImages::default(),
                images: &v.images,
            }),
            Group::UniformBuffers => {
                self.shader_buffers(BufferClass::UNIFORM_BUFFER, &v.uniform_buffers)
            }
            Group::StorageBuffers => {
                self.shader_buffers(BufferClass::SHADER_STORAGE_BUFFER, &v.storage_buffers)
            }
            Group::AtomicBuffers => {
                self.shader_buffers(BufferClass::ATOMIC_COUNTER_BUFFER, &v.atomic_buffers)
            }
            Group::StreamOutput => self.stream_targets(c),
            Group::AttribDefaults => self.put(Call::SetVertexAttribDefaults {
                p: &SetVertexAttribDefaults::default(),
                values: &v.attrib_defaults,
            }),
            Group::PixelPack => self.put(Call::SetPixelPackState { p: &v.pixel_pack }),
            Group::Patch => self.put(Call::SetPatchState { p: &v.patch }),
            Group::Shader => {
                let p = &ShaderOnly { shader: v.shader };
                self.put(Call::BindShaderState { p })
            }
            Group::DrawProgram => self.draw_program(c),
            Group::DispatchProgram => {
                let p = &ShaderOnly {
                    shader: v.dispatch_program,
                };
                self.put(Call::SetDispatchProgram { p })
            }
        }
    }

    fn shader_buffers(&mut self, class: BufferClass, buffers: &[BufferBinding]) -> Done {
        let p = &SetShaderBuffers {
            class,
            ..SetShaderBuffers::default()
        };
        self.put(Call::SetShaderBuffers { p, buffers })
    }

    pub(super) fn stream_targets(&mut self, c: &ContextState) -> Done {
        let p = &SetStreamOutputTargets {
            stream_output: c.values.stream_output,
        };
        let targets = &c.values.stream_targets;
        self.put(Call::SetStreamOutputTargets { p, targets })
    }

    pub(super) fn draw_program(&mut self, c: &ContextState) -> Done {
        let p = &ShaderOnly {
            shader: c.values.draw_program,
        };
        self.put(Call::SetDrawProgram { p })
    }

    /// No bind says null: one is bound, and dies.
    fn bound_render_state_that_died(&mut self) -> Done {
        let render_state = self.spare()?;
        let p = &RenderStateDesc {
            render_state,
            state: PipelineState::initial(),
        };
        self.put(Call::CreateRenderState { p })?;
        let p = &BindRenderState {
            render_state,
            ..BindRenderState::default()
        };
        self.put(Call::BindRenderState { p })?;
        let p = &RenderStateOnly { render_state };
        self.put(Call::DeleteRenderState { p })
    }

    fn bound_elements_that_died(&mut self) -> Done {
        let vertex_elements = self.spare()?;
        let p = &VertexElements { vertex_elements };
        self.put(Call::CreateVertexElements {
            p,
            attribs: &[],
            bindings: &[],
        })?;
        self.put(Call::BindVertexElements { p })?;
        self.put(Call::DeleteVertexElements { p })
    }
}
