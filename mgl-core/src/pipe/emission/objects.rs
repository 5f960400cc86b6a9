//! Objects, each behind what it names.

use super::super::calls::Call;
use super::super::payload::*;
use super::super::pushed::ProgramBindings;
use super::content::Content;
use super::{EmissionError, Emitter};
use crate::format::Format;
use crate::handle::*;
use std::collections::BTreeSet;

type Done = Result<(), EmissionError>;

/// Names of a program's parts, in the order of [`super::super::pushed::ProgramEntry::code`].
pub(super) const CODE_PARTS: [&str; 7] = [
    "vertex",
    "tess_control",
    "tess_eval",
    "geometry",
    "fragment",
    "compute",
    "reflection",
];

impl Emitter<'_> {
    /// Before the objects: who makes one asks for its label.
    pub(super) fn labels(&mut self) -> Done {
        for (&(kind, handle), label) in &self.state.labels {
            let p = &ObjectLabel {
                kind,
                handle,
                ..ObjectLabel::default()
            };
            self.put(Call::ObjectLabel { p, label })?;
        }
        Ok(())
    }

    /// A context comes behind the one that it shares with.
    pub(super) fn contexts(&mut self) -> Done {
        let state = self.state;
        let mut made = BTreeSet::from([Handle::NULL]);
        loop {
            let before = made.len();
            for (h, c) in state.contexts.iter() {
                if made.contains(&c.desc.share.raw()) && made.insert(h.raw()) {
                    self.put(Call::ContextCreate { p: &c.desc })?;
                }
            }
            if made.len() == before {
                return Ok(());
            }
        }
    }

    pub(super) fn surfaces(&mut self) -> Done {
        let state = self.state;
        for (_, p) in state.surfaces.iter() {
            self.put(Call::SurfaceCreate { p })?;
        }
        Ok(())
    }

    pub(super) fn constant_states(&mut self) -> Done {
        let state = self.state;
        for (render_state, s) in state.render_states.iter() {
            let p = &RenderStateDesc {
                render_state,
                state: *s,
            };
            self.put(Call::CreateRenderState { p })?;
        }
        for (vertex_elements, v) in state.vertex_elements.iter() {
            self.put(Call::CreateVertexElements {
                p: &VertexElements { vertex_elements },
                attribs: &v.attribs,
                bindings: &v.bindings,
            })?;
        }
        for (_, p) in state.samplers.iter() {
            self.put(Call::CreateSamplerState { p })?;
        }
        Ok(())
    }

    /// Sampler views. Textures are there.
    pub(super) fn views(&mut self) -> Done {
        let state = self.state;
        let (orphans, others): (Vec<_>, Vec<_>) =
            (state.views.iter()).partition(|(_, v)| v.texture.is_null());
        for (_, p) in others {
            self.put(Call::CreateSamplerView { p })?;
        }
        if orphans.is_empty() {
            return Ok(());
        }
        // No call makes a view of nothing: it is made of a texture that ends. Of a buffer texture any view may be made.
        let texture: TextureHandle = self.spare()?;
        let p = &ResourceDesc {
            resource: texture.into(),
            target: Target::TEXTURE_BUFFER,
            storage: StorageKind::BUFFER_TEXTURE,
            format: Format::R8,
            ..ResourceDesc::default()
        };
        self.put(Call::ResourceCreate { p })?;
        for (_, v) in orphans {
            let p = &SamplerView { texture, ..*v };
            self.put(Call::CreateSamplerView { p })?;
        }
        self.end(texture)
    }

    /// A texture ends.
    pub(super) fn end(&mut self, texture: TextureHandle) -> Done {
        let p = &ResourceOnly {
            resource: texture.into(),
            ..ResourceOnly::default()
        };
        self.put(Call::ResourceDestroy { p })
    }

    pub(super) fn programs(&mut self, content: &mut dyn Content) -> Done {
        let state = self.state;
        for (shader, program) in state.programs.iter() {
            let code = content.code(shader).ok_or(EmissionError::NoCode(shader))?;
            let [vertex, tess_control, tess_eval, geometry, fragment, compute] = code.stages;
            let call = Call::CreateShaderState {
                p: &program.desc,
                vertex,
                tess_control,
                tess_eval,
                geometry,
                fragment,
                compute,
                reflection: code.reflection,
            };
            let given = super::super::transition::code_digests(&call);
            let other = (0..CODE_PARTS.len()).find(|&i| given[i] != program.code[i]);
            if let Some(part) = other.map(|i| CODE_PARTS[i]) {
                return Err(EmissionError::OtherCode {
                    program: shader,
                    part,
                });
            }
            self.put(call)?;
            let b = &program.bindings;
            if *b != ProgramBindings::default() {
                self.put(Call::SetProgramBindings {
                    p: &SetProgramBindings { shader },
                    samplers: &b.samplers,
                    images: &b.images,
                    uniform_blocks: &b.uniform_blocks,
                    storage_blocks: &b.storage_blocks,
                })?;
            }
            if !program.constants.is_empty() {
                let p = &SetGlobalConstants {
                    shader,
                    offset: 0,
                    block_size: program.constants.len() as u32,
                };
                let bytes = &program.constants;
                self.put(Call::SetGlobalConstants { p, bytes })?;
            }
        }
        Ok(())
    }

    pub(super) fn fences(&mut self) -> Done {
        let state = self.state;
        for (fence, ()) in state.fences.iter() {
            self.put(Call::FenceCreate {
                p: &FenceOnly { fence },
            })?;
        }
        Ok(())
    }

    /// Queries, each in its context, and begun where it is active.
    pub(super) fn queries(&mut self) -> Done {
        let state = self.state;
        let mut all: Vec<_> = state.queries.iter().collect();
        all.sort_by_key(|(_, q)| q.context.raw());
        let mut speaker = None;
        for (_, q) in all {
            if speaker.replace(q.context) != Some(q.context) {
                self.speak(q.context)?;
            }
            self.put(Call::QueryCreate { p: &q.desc })?;
            if q.active {
                self.put(Call::QueryBegin { p: &q.desc })?;
            }
        }
        Ok(())
    }
}
