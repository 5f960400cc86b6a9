//! Shaders and programs (GL 3.3 §2.11; GL 4.6 chapter 7): sources, compile and link results, uniform values, and what
//! the pipe has been told of them.

use super::dirty::{Programs, Uniforms};
use super::sampling::Sampling;
use super::uniforms::{Given, Set, UniformError, UniformValues};
use super::*;
use crate::consts::gl::*;
use crate::pipe::Pipe;
use crate::process::PerProcess;
use crate::shader::{
    CompiledShader, LinkOptions, LinkedProgram, ProfileHint, ShaderCompiler, XfbRequest,
};
use mgl_core::handle::ShaderHandle;
use mgl_core::pipe::{
    BlockBinding, Call, ProgramDesc, SetGlobalConstants, SetProgramBindings, ShaderOnly, SlotUnit,
    StageMask,
};
use mgl_core::program::{ComponentKind, Reflection, ShaderStage, Uniform};
use std::sync::Arc;

/// The process's compiler: it caches by content.
pub(crate) static COMPILER: PerProcess<ShaderCompiler> = PerProcess::new(ShaderCompiler::default);

/// A shader object.
pub struct Shader {
    /// Its name.
    pub name: u32,
    /// Its stage.
    pub stage: ShaderStage,
    source: Vec<u8>,
    compiled: Option<CompiledShader>,
    /// Programs that it is attached to.
    attachments: u32,
    /// glDeleteShader came while it was attached.
    delete_pending: bool,
}

impl Shader {
    /// A shader without source.
    #[must_use]
    pub fn new(name: u32, stage: ShaderStage) -> Self {
        Self {
            name,
            stage,
            source: Vec::new(),
            compiled: None,
            attachments: 0,
            delete_pending: false,
        }
    }
    /// The source as given.
    #[must_use]
    pub fn source(&self) -> &[u8] {
        &self.source
    }
    /// Replaces the source; the compile result stays until the next compile.
    pub fn set_source(&mut self, source: Vec<u8>) {
        self.source = source;
    }
    /// Compiles the source.
    pub fn compile(&mut self, hint: ProfileHint) {
        let text = String::from_utf8_lossy(&self.source);
        self.compiled = Some(COMPILER.compile(self.stage, &text, hint));
    }
    /// The last compile's result.
    #[must_use]
    pub fn compiled(&self) -> Option<&CompiledShader> {
        self.compiled.as_ref()
    }
    /// Whether it is flagged for deletion.
    #[must_use]
    pub fn delete_pending(&self) -> bool {
        self.delete_pending
    }
}

/// A program object.
pub struct Program {
    /// Its name.
    pub name: u32,
    attached: Vec<Id<Shader>>,
    options: LinkOptions,
    linked: Option<Arc<LinkedProgram>>,
    link_ok: bool,
    validate_ok: bool,
    info_log: String,
    delete_pending: bool,
    handle: ShaderHandle,
    created: bool,
    values: UniformValues,
    /// Generic attributes that it reads, a bit each.
    attribute_mask: u32,
    units: Vec<u32>,
    sampling: Sampling,
    blocks: Vec<u32>,
    bindings_dirty: bool,
    /// Rises with every link: what others derived from the reflection is stale.
    epoch: u64,
}

impl Program {
    /// A program without shaders.
    #[must_use]
    pub fn new(name: u32) -> Self {
        Self {
            name,
            attached: Vec::new(),
            options: LinkOptions::default(),
            linked: None,
            link_ok: false,
            validate_ok: false,
            info_log: String::new(),
            delete_pending: false,
            handle: ShaderHandle::NULL,
            created: false,
            values: UniformValues::default(),
            attribute_mask: 0,
            units: Vec::new(),
            sampling: Sampling::default(),
            blocks: Vec::new(),
            bindings_dirty: false,
            epoch: 0,
        }
    }
    /// The attached shaders.
    #[must_use]
    pub fn attached(&self) -> &[Id<Shader>] {
        &self.attached
    }
    /// What the next link will take: attribute and output locations, varyings to capture.
    pub fn options_mut(&mut self) -> &mut LinkOptions {
        &mut self.options
    }
    /// What the last successful link gave, if the last link succeeded.
    #[must_use]
    pub fn linked(&self) -> Option<&Arc<LinkedProgram>> {
        self.linked.as_ref().filter(|_| self.link_ok)
    }
    /// The executable in use: the last successful link's, even when a later one failed (GL 4.6 §7.3).
    #[inline]
    #[must_use]
    pub fn executable(&self) -> Option<&Arc<LinkedProgram>> {
        self.linked.as_ref()
    }
    /// The reflection of [`Self::linked`].
    #[must_use]
    pub fn reflection(&self) -> Option<&Reflection> {
        self.linked().map(|l| &l.reflection)
    }
    /// GL_LINK_STATUS.
    #[must_use]
    pub fn link_ok(&self) -> bool {
        self.link_ok
    }
    /// GL_VALIDATE_STATUS.
    #[must_use]
    pub fn validate_ok(&self) -> bool {
        self.validate_ok
    }
    /// The log of the last link or validation.
    #[must_use]
    pub fn info_log(&self) -> &str {
        &self.info_log
    }
    /// Whether it is flagged for deletion.
    #[must_use]
    pub fn delete_pending(&self) -> bool {
        self.delete_pending
    }
    /// Its handle; null before the first link.
    #[inline]
    #[must_use]
    pub fn handle(&self) -> ShaderHandle {
        self.handle
    }
    /// Generic attributes that it reads, a bit each.
    #[inline]
    #[must_use]
    pub fn attribute_mask(&self) -> u32 {
        self.attribute_mask
    }
    /// What its samplers read.
    #[inline]
    #[must_use]
    pub fn sampling(&self) -> &Sampling {
        &self.sampling
    }
    /// Takes out what its samplers read; it is to be given back.
    #[inline]
    pub fn take_sampling(&mut self) -> Sampling {
        std::mem::take(&mut self.sampling)
    }
    /// Gives back what was taken.
    #[inline]
    pub fn give_sampling(&mut self, sampling: Sampling) {
        self.sampling = sampling;
    }
    /// Texture unit of each sampler slot.
    #[inline]
    #[must_use]
    pub fn units(&self) -> &[u32] {
        &self.units
    }
    /// Uniform buffer binding point of each block.
    #[inline]
    #[must_use]
    pub fn blocks(&self) -> &[u32] {
        &self.blocks
    }
    /// Rises with every link.
    #[inline]
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// glValidateProgram: whether it could run now, as far as the program itself says (GL 4.6 §11.1.3.11): two samplers
    /// of different types must not read one unit.
    pub fn validate(&mut self) {
        self.validate_ok = false;
        if !self.link_ok {
            self.info_log = "the program is not linked".into();
            return;
        }
        self.info_log = match self.sampling.conflict {
            Some((unit, [a, b])) => {
                format!("texture unit {unit} is read by samplers of types {a:?} and {b:?}")
            }
            None => String::new(),
        };
        self.validate_ok = self.info_log.is_empty();
    }

    /// The location of a uniform name (GL 4.6 §7.3.1.1), -1 for none: `a`, `a[0]` and `a[n]` are all accepted.
    #[must_use]
    pub fn uniform_location(&self, name: &str) -> i32 {
        let Some(r) = self.reflection() else {
            return -1;
        };
        uniform_by_name(r, name)
            .filter(|(u, _)| u.location >= 0)
            .map_or(-1, |(u, element)| u.location + element as i32)
    }

    /// Sets a uniform. `token` is taken where that changes which units samplers read.
    ///
    /// # Errors
    ///
    /// GL_INVALID_OPERATION or GL_INVALID_VALUE as in GL 4.6 §7.6.1.
    #[inline]
    pub fn set_uniform(
        &mut self,
        location: i32,
        given: &Given<'_>,
        max_units: u32,
        token: impl FnOnce() -> Token<Programs>,
        _: Token<Uniforms>,
    ) -> Result<(), UniformError> {
        let Set::Units(slots) = self.values.set(location, given)? else {
            return Ok(());
        };
        let units = &given.bits[..slots.len()];
        if units.iter().any(|v| *v >= max_units) {
            return Err(GL_INVALID_VALUE);
        }
        if self.units[slots.clone()] != *units {
            let _dirty = token();
            self.units[slots].copy_from_slice(units);
            self.bindings_dirty = true;
            self.units_changed();
        }
        Ok(())
    }

    fn units_changed(&mut self) {
        if let Some(linked) = &self.linked {
            self.sampling = Sampling::new(&linked.reflection, &self.units);
        }
    }

    /// The value of the uniform at a location as bits, with its component kind; `None` without such a uniform.
    #[must_use]
    pub fn get_uniform(&self, location: i32) -> Option<(ComponentKind, Vec<u32>)> {
        match self.values.sampler_slot(location) {
            Some(slot) => Some((ComponentKind::Int, vec![self.units[slot]])),
            None => self.values.get(location),
        }
    }

    /// Binds a uniform block to a binding point.
    pub fn set_block_binding(
        &mut self,
        block: usize,
        binding: u32,
        token: impl FnOnce() -> Token<Programs>,
    ) {
        if self.blocks[block] != binding {
            let _dirty = token();
            self.blocks[block] = binding;
            self.bindings_dirty = true;
        }
    }

    /// Keeps `gl_DepthRange` current for programs that read it.
    pub fn set_depth_range(&mut self, near: f32, far: f32) {
        let at = self
            .linked
            .as_ref()
            .and_then(|l| l.reflection.default_block.as_ref())
            .and_then(|b| b.depth_range);
        if let Some(at) = at {
            self.values.put_float(at.near, near);
            self.values.put_float(at.far, far);
            self.values.put_float(at.diff, far - near);
        }
    }

    /// Sends what the pipe does not know yet: the program, its bindings, its uniform values.
    pub fn flush(&mut self, pipe: &mut Pipe) {
        let Some(linked) = &self.linked else { return };
        if !self.created {
            self.created = true;
            emit_program(self.handle, self.name, linked, &mut |c| pipe.push(c));
            self.bindings_dirty = true;
            self.values.forget_sent();
        }
        if std::mem::take(&mut self.bindings_dirty) {
            self.emit_bindings(&mut |c| pipe.push(c));
        }
        self.flush_values(pipe);
    }

    /// Sends the uniform values that the pipe does not know yet, of a program that it knows.
    #[inline]
    pub fn flush_values(&mut self, pipe: &mut Pipe) {
        let block_size = self.values.block_size() as u32;
        if let Some((offset, bytes)) = self.values.take_unsent() {
            let p = SetGlobalConstants {
                shader: self.handle,
                offset: offset as u32,
                block_size,
            };
            pipe.push(Call::SetGlobalConstants { p: &p, bytes });
        }
    }

    fn emit_bindings(&self, emit: &mut dyn FnMut(Call<'_>)) {
        let samplers: Vec<SlotUnit> = self
            .units
            .iter()
            .enumerate()
            .map(|(i, u)| SlotUnit {
                slot: i as u32,
                unit: *u,
            })
            .collect();
        let blocks: Vec<BlockBinding> = self
            .blocks
            .iter()
            .enumerate()
            .map(|(i, b)| BlockBinding {
                block: i as u32,
                binding: *b,
            })
            .collect();
        emit(Call::SetProgramBindings {
            p: &SetProgramBindings {
                shader: self.handle,
            },
            samplers: &samplers,
            images: &[],
            uniform_blocks: &blocks,
            storage_blocks: &[],
        });
    }

    /// Ends it on the pipe.
    pub fn destroy(self, pipe: &mut Pipe) {
        retire(self.handle, self.created, pipe);
    }

    /// Adds the attached shaders.
    pub fn references(&self, refs: &mut References) {
        refs.shaders.extend(self.attached.iter().copied());
    }
}

/// The uniform that a name means, and the array element (GL 4.6 §7.3.1: `a` and `a[0]` are the same).
#[must_use]
pub fn uniform_by_name<'r>(r: &'r Reflection, name: &str) -> Option<(&'r Uniform, u32)> {
    if let Some(u) = r.uniforms.iter().find(|u| u.name == name) {
        return Some((u, 0));
    }
    let (base, element) = match name.strip_suffix(']').and_then(|n| n.rsplit_once('[')) {
        // Only plain decimal without leading zeros names an element.
        Some((base, n))
            if n == "0" || (!n.starts_with('0') && n.bytes().all(|b| b.is_ascii_digit())) =>
        {
            (base, n.parse().ok()?)
        }
        Some(_) => return None,
        None => (name, 0),
    };
    r.uniforms
        .iter()
        .find(|u| u.is_array && u.name.strip_suffix("[0]") == Some(base) && element < u.size)
        .map(|u| (u, element))
}

fn retire(handle: ShaderHandle, created: bool, pipe: &mut Pipe) {
    if created {
        pipe.push(Call::DeleteShaderState {
            p: &ShaderOnly { shader: handle },
        });
    }
    if !handle.is_null() {
        pipe.release(handle);
    }
}

/// SPIR-V a stage as bytes, in the order of the pipe; empty where absent.
#[must_use]
pub fn code(linked: &LinkedProgram) -> [&[u8]; 6] {
    let mut code: [&[u8]; 6] = [&[]; 6];
    for (stage, words) in &linked.stages {
        code[*stage as usize] = bytemuck::cast_slice(words);
    }
    code
}

fn emit_program(
    handle: ShaderHandle,
    name: u32,
    linked: &LinkedProgram,
    emit: &mut dyn FnMut(Call<'_>),
) {
    let mut stages = StageMask::NONE;
    for (stage, _) in &linked.stages {
        stages |= StageMask(1 << *stage as u32);
    }
    let reflection = linked.reflection.encode();
    let [vertex, tess_control, tess_eval, geometry, fragment, compute] = code(linked);
    emit(Call::CreateShaderState {
        p: &ProgramDesc {
            shader: handle,
            stages,
            gl_name: name,
        },
        vertex,
        tess_control,
        tess_eval,
        geometry,
        fragment,
        compute,
        reflection: &reflection,
    });
}

impl Share {
    /// A new shader; `None` when the type is no stage of this version.
    pub fn create_shader(&mut self, stage: ShaderStage) -> u32 {
        let name = self.programs.reserve();
        self.shaders.create(name, Shader::new(name, stage));
        name
    }
    /// A new program.
    pub fn create_program(&mut self) -> u32 {
        let name = self.programs.reserve();
        self.programs.create(name, Program::new(name));
        name
    }
    /// glAttachShader. False when it is attached already.
    pub fn attach(&mut self, program: Id<Program>, shader: Id<Shader>) -> bool {
        if self.programs.objects[program].attached.contains(&shader) {
            return false;
        }
        self.programs.objects[program].attached.push(shader);
        self.shaders.objects[shader].attachments += 1;
        true
    }
    /// glDetachShader. False when it is not attached. Ends a shader that was flagged for deletion.
    pub fn detach(&mut self, program: Id<Program>, shader: Id<Shader>) -> bool {
        let list = &mut self.programs.objects[program].attached;
        let Some(i) = list.iter().position(|s| *s == shader) else {
            return false;
        };
        list.remove(i);
        let s = &mut self.shaders.objects[shader];
        s.attachments -= 1;
        if s.delete_pending && s.attachments == 0 {
            let name = s.name;
            self.end_shader_name(name);
        }
        true
    }
    /// glDeleteShader.
    pub fn delete_shader(&mut self, id: Id<Shader>) {
        let s = &mut self.shaders.objects[id];
        if s.attachments > 0 {
            s.delete_pending = true;
        } else {
            let name = s.name;
            self.end_shader_name(name);
        }
    }
    fn end_shader_name(&mut self, name: u32) {
        self.shaders.delete(name);
        self.programs.delete(name);
        self.deleted += 1;
    }
    /// glDeleteProgram; a program in use lives until it is not.
    pub fn delete_program(&mut self, id: Id<Program>, in_use: bool) {
        if in_use {
            self.programs.objects[id].delete_pending = true;
            return;
        }
        for s in self.programs.objects[id].attached.clone() {
            self.detach(id, s);
        }
        let name = self.programs.objects[id].name;
        self.programs.delete(name);
        self.deleted += 1;
    }

    /// glLinkProgram. A program that the pipe knows gets a new handle: handles are never respecified with other code.
    pub fn link(&mut self, id: Id<Program>, pipe: &mut Pipe, _token: Token<Programs>) {
        let attached = self.programs.objects[id].attached.clone();
        let mut log = String::new();
        let mut shaders: Vec<CompiledShader> = Vec::new();
        for s in &attached {
            let s = &self.shaders.objects[*s];
            match s.compiled() {
                Some(c) if c.ok => shaders.push(c.clone()),
                _ => log.push_str(&format!(
                    "error: {} shader {} is not compiled\n",
                    s.stage.name(),
                    s.name
                )),
            }
        }
        if attached.is_empty() {
            log.push_str("error: no shader is attached\n");
        }
        let p = &mut self.programs.objects[id];
        p.validate_ok = false;
        if !log.is_empty() {
            p.link_ok = false;
            p.info_log = log;
            return;
        }
        let refs: Vec<&CompiledShader> = shaders.iter().collect();
        let result = COMPILER.link(&refs, &p.options);
        p.link_ok = result.ok;
        p.info_log = result.info_log;
        let Some(linked) = result.program.filter(|_| result.ok) else {
            return;
        };
        retire(p.handle, p.created, pipe);
        p.handle = pipe.mint();
        p.created = false;
        p.epoch += 1;
        let r = &linked.reflection;
        p.values = UniformValues::new(r);
        p.attribute_mask = r
            .attributes
            .iter()
            .filter(|a| a.location >= 0)
            .fold(0, |m, a| {
                let n = a.ty.locations(false) * a.size;
                (0..n).fold(m, |m, i| {
                    m | 1u32.checked_shl(a.location as u32 + i).unwrap_or(0)
                })
            });
        p.units = vec![0; r.sampler_slots() as usize];
        for s in r.samplers.iter().filter(|s| s.has_initial_unit) {
            for e in 0..s.array_size {
                p.units[(s.slot + e) as usize] = s.initial_unit + e;
            }
        }
        p.blocks = r.uniform_blocks.iter().map(|b| b.initial_binding).collect();
        p.linked = Some(linked);
        p.units_changed();
    }
}

impl Program {
    /// glTransformFeedbackVaryings: takes effect at the next link.
    pub fn set_xfb(&mut self, request: Option<XfbRequest>) {
        self.options.xfb = request;
    }
}

/// The program in use.
#[derive(Default)]
pub struct ProgramState {
    current: Option<Id<Program>>,
}

impl ProgramState {
    /// The program in use.
    #[inline]
    #[must_use]
    pub fn current(&self) -> Option<Id<Program>> {
        self.current
    }
    /// glUseProgram.
    pub fn set_current(&mut self, id: Option<Id<Program>>, _token: Token<Programs>) {
        self.current = id;
    }
    /// Adds the program in use.
    pub fn references(&self, refs: &mut References) {
        refs.programs.extend(self.current);
    }
}
