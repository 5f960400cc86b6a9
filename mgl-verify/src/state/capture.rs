//! [`capture`]: the [`StateLog`] of a trace.
//!
//! The trace's records are applied to a fresh pushed state, without any driver. At every verb the groups that changed are
//! written out. Constant state objects count by content and not by handle; creating and deleting them is no difference.

use std::collections::HashMap;
use std::rc::Rc;

use mgl_core::handle::{
    ContextHandle, HandleKind, SamplerHandle, SamplerViewHandle, ShaderHandle, TypedHandle,
};
use mgl_core::pipe::{Call, Class, ContextState, Group, Op, PushedState, SamplerDesc, SamplerView};
use mgl_core::program::Reflection;
use mgl_core::trace::diff::masked;
use mgl_core::trace::outcomes::AbsorbError;
use mgl_core::trace::{CallValue, Record, TraceFile};

use super::StateError;
use super::constants;
use super::flatten::{Leaf, add_rows, rows};
use super::log::{Builder, Frame, Id, NONE, StateLog, Step};

/// What a trace pushes.
///
/// # Errors
/// The trace is damaged, or holds a record that no pushed state takes.
pub fn capture(file: &TraceFile) -> Result<StateLog, StateError> {
    let mut c = Capture {
        state: PushedState::default(),
        builder: Builder::default(),
        contexts: HashMap::new(),
        programs: HashMap::new(),
        objects: Vec::new(),
    };
    let mut frames: Vec<Frame> = Vec::new();
    let mut cursor = file.records(..)?;
    while let Some(record) = cursor.next()? {
        let place = record.place;
        if frames.last().is_none_or(|f| f.frame != place.frame) {
            frames.push(Frame {
                frame: place.frame,
                steps: Vec::new(),
            });
        }
        let frame = frames.last_mut().expect("it was just made");
        if place.verb.is_some() {
            let step = c.step(&record.call);
            frame.steps.push(step);
            c.apply(file, &record)?;
        } else if c.apply(file, &record)? {
            c.push(&record.call);
        }
    }
    // What follows the last verb.
    if !c.objects.is_empty()
        && let Some(frame) = frames.last_mut()
    {
        let step = Step {
            verb: c.builder.text(""),
            call: c.builder.value(Vec::new()),
            context: NONE,
            objects: std::mem::take(&mut c.objects),
            groups: Vec::new(),
        };
        frame.steps.push(step);
    }
    c.builder.log.frames = frames;
    Ok(c.builder.log)
}

struct Capture {
    state: PushedState,
    builder: Builder,
    contexts: HashMap<(u32, u32), Seen>,
    programs: HashMap<(u32, u32), Rc<Reflection>>,
    /// Calls on objects since the last verb.
    objects: Vec<(Id, Id)>,
}

/// Generations that a context's groups had at its last verb.
#[derive(Clone, Copy)]
struct Seen {
    groups: [u64; Group::COUNT],
    /// The program that draws, and the generations of its constants and its bindings.
    program: (ShaderHandle, u64, u64),
}

fn key<H: TypedHandle>(h: H) -> (u32, u32) {
    (h.raw().slot, h.raw().generation)
}

impl Capture {
    /// Takes a record in; false where it was refused when it was recorded, and is here.
    fn apply(&mut self, file: &TraceFile, record: &Record<'_>) -> Result<bool, StateError> {
        let taken = file.absorb(&mut self.state, record);
        taken.map_err(|e| match e {
            AbsorbError::Trace(e) => e.into(),
            AbsorbError::Refused(error) => StateError::Apply {
                place: record.place.to_string(),
                error,
            },
        })
    }

    /// Notes a push that is no verb, after it was applied.
    fn push(&mut self, call: &Call<'_>) {
        self.learn(call);
        let op = call.op();
        let wanted = match op.info().class {
            Class::Screen | Class::Query | Class::Object => op != Op::GetCaps,
            Class::Constant => matches!(op, Op::CreateShaderState | Op::DeleteShaderState),
            // They show at the verbs that read them.
            Class::State | Class::Verb => false,
        };
        if wanted {
            let mut rows = self.call_rows(call);
            if let Call::SetTextureParams { p } = call {
                self.resolve_sampler(p.sampler, &mut rows);
            }
            let value = self.builder.value(rows);
            let name = self.builder.text(op.name());
            self.objects.push((name, value));
        }
    }

    /// Remembers names and reflection archives.
    fn learn(&mut self, call: &Call<'_>) {
        match call {
            Call::ResourceCreate { p } => {
                self.builder
                    .name(p.resource.kind, p.resource.handle, p.gl_name);
            }
            Call::CreateShaderState { p, reflection, .. } => {
                self.builder
                    .name(HandleKind::SHADER, p.shader.raw(), p.gl_name);
                if let Ok(reflection) = Reflection::decode(reflection) {
                    self.programs.insert(key(p.shader), Rc::new(reflection));
                }
            }
            Call::DeleteShaderState { p } => {
                self.programs.remove(&key(p.shader));
            }
            _ => {}
        }
    }

    /// The rows of a call, those left out that are for messages only.
    fn call_rows(&self, call: &Call<'_>) -> Vec<(String, Leaf)> {
        let op = call.op();
        let mut rows = rows(op.name(), &CallValue(call));
        let start = op.name().len() + 1;
        rows.retain(|(path, _)| !path.get(start..).is_some_and(|field| masked(op, field)));
        rows
    }

    /// Replaces the handle of a texture's own sampler by what it says.
    fn resolve_sampler(&self, sampler: SamplerHandle, rows: &mut Vec<(String, Leaf)>) {
        rows.retain(|(path, _)| path != "SetTextureParams.sampler");
        self.add_sampler("SetTextureParams.sampler", sampler, rows);
    }

    fn add_sampler(&self, prefix: &str, sampler: SamplerHandle, rows: &mut Vec<(String, Leaf)>) {
        match self.state.samplers.get(sampler) {
            Ok(desc) => {
                let anonymous = SamplerDesc {
                    sampler: SamplerHandle::NULL,
                    ..*desc
                };
                add_rows(prefix, &anonymous, rows);
                rows.retain(|(path, _)| !path.ends_with(".sampler"));
            }
            Err(_) => rows.push((prefix.to_owned(), Leaf::Text("null".to_owned()))),
        }
    }

    /// A verb, before it is applied.
    fn step(&mut self, call: &Call<'_>) -> Step {
        let speaker = self.state.current.context;
        let rows = self.call_rows(call);
        let call_value = self.builder.value(rows);
        Step {
            verb: self.builder.text(call.op().name()),
            call: call_value,
            context: if speaker.is_null() {
                NONE
            } else {
                self.builder.object(HandleKind::CONTEXT, speaker.raw())
            },
            objects: std::mem::take(&mut self.objects),
            groups: self.changed_groups(speaker),
        }
    }

    fn changed_groups(&mut self, speaker: ContextHandle) -> Vec<(Id, Id)> {
        let Some(context) = self.state.context() else {
            return Vec::new();
        };
        let first = Seen {
            groups: [0; Group::COUNT],
            program: (ShaderHandle::NULL, 0, 0),
        };
        let seen = *self.contexts.get(&key(speaker)).unwrap_or(&first);
        let mut now = first;
        let program = context.values.draw_program;
        if let Ok(p) = self.state.programs.get(program) {
            now.program = (program, p.constants_generation, p.bindings_generation);
        }
        let mut changed = Vec::new();
        for &g in Group::ALL {
            now.groups[g as usize] = context.generation(g);
            let moved = now.groups[g as usize] != seen.groups[g as usize]
                || (g == Group::DrawProgram && now.program != seen.program);
            if moved {
                changed.push((g, self.group_rows(context, g)));
            }
        }
        self.contexts.insert(key(speaker), now);
        changed
            .into_iter()
            .map(|(g, rows)| (self.builder.text(g.name()), self.builder.value(rows)))
            .collect()
    }

    /// The value of a group. Lists are shown by unit or binding point, not by place in the list.
    fn group_rows(&self, context: &ContextState, g: Group) -> Vec<(String, Leaf)> {
        let (s, v, name) = (&self.state, &context.values, g.name());
        let mut out = Vec::new();
        let null = |out: &mut Vec<_>| out.push((name.to_owned(), Leaf::Text("null".to_owned())));
        match g {
            Group::RenderState => match s.render_states.get(v.render_state) {
                Ok(state) => add_rows(name, state, &mut out),
                Err(_) => null(&mut out),
            },
            Group::Dynamic => {
                add_rows(name, &v.dynamic, &mut out);
                drop_repeats(name, &mut out);
            }
            Group::DrawFramebuffer => add_rows(name, &v.draw_framebuffer, &mut out),
            Group::ReadFramebuffer => add_rows(name, &v.read_framebuffer, &mut out),
            Group::VertexElements => match s.vertex_elements.get(v.vertex_elements) {
                Ok(e) => {
                    for a in &e.attribs {
                        add_rows(&format!("{name}.attrib[{}]", a.location), a, &mut out);
                    }
                    for b in &e.bindings {
                        add_rows(&format!("{name}.binding[{}]", b.binding), b, &mut out);
                    }
                }
                Err(_) => null(&mut out),
            },
            Group::VertexBuffers => {
                for b in &v.vertex_buffers {
                    add_rows(&format!("{name}[{}]", b.binding), b, &mut out);
                }
            }
            Group::IndexBuffer => add_rows(name, &v.index_buffer, &mut out),
            Group::IndirectBuffers => add_rows(name, &v.indirect, &mut out),
            Group::SamplerViews => {
                for b in &v.views {
                    let prefix = format!("{name}[{}]", b.unit);
                    match s.views.get(b.view) {
                        Ok(view) => {
                            let anonymous = SamplerView {
                                view: SamplerViewHandle::NULL,
                                ..*view
                            };
                            add_rows(&prefix, &anonymous, &mut out);
                            out.retain(|(path, _)| !path.ends_with(".view"));
                        }
                        Err(_) => out.push((prefix, Leaf::Text("null".to_owned()))),
                    }
                }
            }
            Group::SamplerStates => {
                for b in &v.samplers {
                    self.add_sampler(&format!("{name}[{}]", b.unit), b.sampler, &mut out);
                }
            }
            Group::ShaderImages => {
                for i in &v.images {
                    add_rows(&format!("{name}[{}]", i.unit), i, &mut out);
                }
            }
            Group::UniformBuffers | Group::StorageBuffers | Group::AtomicBuffers => {
                let list = match g {
                    Group::UniformBuffers => &v.uniform_buffers,
                    Group::StorageBuffers => &v.storage_buffers,
                    _ => &v.atomic_buffers,
                };
                for b in list {
                    add_rows(&format!("{name}[{}]", b.index), b, &mut out);
                }
            }
            Group::StreamOutput => {
                add_rows(&format!("{name}.object"), &v.stream_output, &mut out);
                for b in &v.stream_targets {
                    add_rows(&format!("{name}[{}]", b.index), b, &mut out);
                }
            }
            Group::AttribDefaults => {
                for a in &v.attrib_defaults {
                    add_rows(&format!("{name}[{}]", a.location), a, &mut out);
                }
            }
            Group::PixelPack => add_rows(name, &v.pixel_pack, &mut out),
            Group::Patch => add_rows(name, &v.patch, &mut out),
            Group::Shader => add_rows(name, &v.shader, &mut out),
            Group::DispatchProgram => add_rows(name, &v.dispatch_program, &mut out),
            Group::DrawProgram => {
                add_rows(name, &v.draw_program, &mut out);
                self.add_program(name, v.draw_program, &mut out);
            }
        }
        out
    }

    /// What a program was told: uniforms by name, and what its samplers and blocks read.
    fn add_program(&self, name: &str, program: ShaderHandle, out: &mut Vec<(String, Leaf)>) {
        let Ok(p) = self.state.programs.get(program) else {
            return;
        };
        match self.programs.get(&key(program)) {
            Some(reflection) => {
                constants::add_rows(&format!("{name}.uniform"), reflection, &p.constants, out);
            }
            None => {
                for (i, word) in p.constants.chunks(4).enumerate() {
                    let text = word.iter().rev().map(|b| format!("{b:02x}")).collect();
                    out.push((format!("{name}.constants[{i}]"), Leaf::Text(text)));
                }
            }
        }
        let slot = |list: &str, n: u32| format!("{name}.{list}[{n}]");
        let unit = |n: u32| Leaf::Text(n.to_string());
        let b = &p.bindings;
        out.extend(
            b.samplers
                .iter()
                .map(|s| (slot("sampler", s.slot), unit(s.unit))),
        );
        out.extend(
            b.images
                .iter()
                .map(|s| (slot("image", s.slot), unit(s.unit))),
        );
        for (list, blocks) in [
            ("uniform_block", &b.uniform_blocks),
            ("storage_block", &b.storage_blocks),
        ] {
            out.extend(
                blocks
                    .iter()
                    .map(|b| (slot(list, b.block), unit(b.binding))),
            );
        }
    }
}

/// Viewports and scissors that are as the first one is left out: most programs set all sixteen at once.
fn drop_repeats(name: &str, rows: &mut Vec<(String, Leaf)>) {
    for list in ["viewports", "scissors"] {
        let prefix = format!("{name}.{list}[");
        let split = |path: &str| -> Option<(usize, String)> {
            let (index, field) = path.strip_prefix(&prefix)?.split_once(']')?;
            Some((index.parse().ok()?, field.to_owned()))
        };
        let first: HashMap<String, Leaf> = rows
            .iter()
            .filter_map(|(path, leaf)| match split(path)? {
                (0, field) => Some((field, leaf.clone())),
                _ => None,
            })
            .collect();
        rows.retain(|(path, leaf)| match split(path) {
            Some((index, field)) => index == 0 || first.get(&field) != Some(leaf),
            None => true,
        });
    }
}
