//! Shaders and programs (GL 3.3 §2.11; GL 4.6 chapter 7): sources, compile and link results, uniform values, and what
//! the pipe has been told of them.

use super::dirty::{Programs, Uniforms};
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
use mgl_core::program::{ComponentKind, GlType, Reflection, ShaderStage, Uniform, UniformPlace};
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

/// Why a uniform could not be set: a GL error.
pub type UniformError = u32;

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
    /// Uniform index and element of each location.
    locations: Vec<Option<(u32, u32)>>,
    /// Generic attributes that it reads, a bit each.
    attribute_mask: u32,
    constants: Vec<u8>,
    /// Bytes of `constants` that the pipe does not have yet.
    dirty: Option<(usize, usize)>,
    units: Vec<u32>,
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
            locations: Vec::new(),
            attribute_mask: 0,
            constants: Vec::new(),
            dirty: None,
            units: Vec::new(),
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
        self.info_log = self.sampler_conflict().unwrap_or_default();
        self.validate_ok = self.info_log.is_empty();
    }

    /// Two samplers of different types that read one unit, in words.
    #[must_use]
    pub fn sampler_conflict(&self) -> Option<String> {
        let r = &self.linked.as_ref()?.reflection;
        let mut seen: Vec<(u32, GlType)> = Vec::new();
        for s in &r.samplers {
            for unit in &self.units[s.slot as usize..(s.slot + s.array_size) as usize] {
                match seen.iter().find(|(u, _)| u == unit) {
                    Some((_, ty)) if *ty != s.ty => {
                        return Some(format!(
                            "texture unit {unit} is read by samplers of types {ty:?} and {:?}",
                            s.ty
                        ));
                    }
                    Some(_) => {}
                    None => seen.push((*unit, s.ty)),
                }
            }
        }
        None
    }

    /// A uniform by location: its index, element, and itself.
    fn at(&self, location: i32) -> Option<(u32, u32)> {
        usize::try_from(location)
            .ok()
            .and_then(|l| self.locations.get(l).copied().flatten())
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

    /// Sets `count` elements from `location` on, each of `components` values of kind `kind` given as bits.
    ///
    /// # Errors
    ///
    /// GL_INVALID_OPERATION or GL_INVALID_VALUE as in GL 4.6 §7.6.1.
    #[allow(clippy::too_many_arguments)] // glUniform*'s own, and how to mark it
    pub fn set_uniform(
        &mut self,
        location: i32,
        kind: ComponentKind,
        components: u8,
        count: usize,
        data: &[u32],
        max_units: u32,
        token: impl FnOnce() -> (Token<Uniforms>, Token<Programs>),
    ) -> Result<(), UniformError> {
        let (index, element) = self.at(location).ok_or(GL_INVALID_OPERATION)?;
        let linked = self.linked.clone().ok_or(GL_INVALID_OPERATION)?;
        let u = &linked.reflection.uniforms[index as usize];
        if count > 1 && !u.is_array {
            return Err(GL_INVALID_OPERATION);
        }
        let count = count.min((u.size - element) as usize);
        if let UniformPlace::Sampler(s) = u.place {
            if kind != ComponentKind::Int || components != 1 {
                return Err(GL_INVALID_OPERATION);
            }
            if data[..count].iter().any(|v| *v >= max_units) {
                return Err(GL_INVALID_VALUE);
            }
            let slot = (linked.reflection.samplers[s as usize].slot + element) as usize;
            if self.units[slot..slot + count] != data[..count] {
                let _dirty = token();
                self.units[slot..slot + count].copy_from_slice(&data[..count]);
                self.bindings_dirty = true;
            }
            return Ok(());
        }
        let shape = u.ty.numeric().ok_or(GL_INVALID_OPERATION)?;
        if shape.columns != 1 || shape.rows != components {
            return Err(GL_INVALID_OPERATION);
        }
        let boolean = shape.component == ComponentKind::Bool;
        if !boolean && shape.component != kind {
            return Err(GL_INVALID_OPERATION);
        }
        let _dirty = token();
        for i in 0..count {
            for c in 0..components as usize {
                let bits = data[i * components as usize + c];
                let bits = match (boolean, kind) {
                    // Zero is false, in floats both zeros (GL 4.6 §7.6.1).
                    (true, ComponentKind::Float) => u32::from(f32::from_bits(bits) != 0.0),
                    (true, _) => u32::from(bits != 0),
                    _ => bits,
                };
                self.put(
                    u.offset + (element + i as u32) * u.array_stride + 4 * c as u32,
                    bits,
                );
            }
        }
        Ok(())
    }

    /// Sets `count` matrices of `columns` by `rows` floats from `location` on.
    ///
    /// # Errors
    ///
    /// GL_INVALID_OPERATION as in GL 4.6 §7.6.1.
    pub fn set_matrix(
        &mut self,
        location: i32,
        (columns, rows): (u8, u8),
        count: usize,
        transpose: bool,
        data: &[u32],
        token: impl FnOnce() -> Token<Uniforms>,
    ) -> Result<(), UniformError> {
        let (index, element) = self.at(location).ok_or(GL_INVALID_OPERATION)?;
        let linked = self.linked.clone().ok_or(GL_INVALID_OPERATION)?;
        let u = &linked.reflection.uniforms[index as usize];
        let shape = u.ty.numeric().ok_or(GL_INVALID_OPERATION)?;
        if (shape.columns, shape.rows) != (columns, rows)
            || shape.component != ComponentKind::Float
            || columns == 1
        {
            return Err(GL_INVALID_OPERATION);
        }
        if count > 1 && !u.is_array {
            return Err(GL_INVALID_OPERATION);
        }
        let count = count.min((u.size - element) as usize);
        let _dirty = token();
        let (n, cols, rows) = (
            columns as usize * rows as usize,
            columns as usize,
            rows as usize,
        );
        for i in 0..count {
            for c in 0..cols {
                for r in 0..rows {
                    let from = if transpose {
                        r * cols + c
                    } else {
                        c * rows + r
                    };
                    let (major, minor) = if u.row_major { (r, c) } else { (c, r) };
                    let at = u.offset
                        + (element + i as u32) * u.array_stride
                        + major as u32 * u.matrix_stride
                        + 4 * minor as u32;
                    self.put(at, data[i * n + from]);
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, at: u32, bits: u32) {
        let at = at as usize;
        let Some(place) = self.constants.get_mut(at..at + 4) else {
            return;
        };
        let new = bits.to_le_bytes();
        if place != new {
            place.copy_from_slice(&new);
            self.dirty = Some(match self.dirty {
                None => (at, at + 4),
                Some((lo, hi)) => (lo.min(at), hi.max(at + 4)),
            });
        }
    }

    /// The value of the uniform at a location as bits, with its component kind; `None` without such a uniform.
    #[must_use]
    pub fn get_uniform(&self, location: i32) -> Option<(ComponentKind, Vec<u32>)> {
        let (index, element) = self.at(location)?;
        let r = &self.linked.as_ref()?.reflection;
        let u = &r.uniforms[index as usize];
        if let UniformPlace::Sampler(s) = u.place {
            let slot = r.samplers[s as usize].slot + element;
            return Some((ComponentKind::Int, vec![self.units[slot as usize]]));
        }
        let shape = u.ty.numeric()?;
        let mut out = Vec::new();
        for c in 0..u32::from(shape.columns) {
            for row in 0..u32::from(shape.rows) {
                let (major, minor) = if u.row_major { (row, c) } else { (c, row) };
                let at = (u.offset + element * u.array_stride + major * u.matrix_stride + 4 * minor)
                    as usize;
                let b = self.constants.get(at..at + 4)?;
                out.push(u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            }
        }
        Some((shape.component, out))
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
            self.put(at.near, near.to_bits());
            self.put(at.far, far.to_bits());
            self.put(at.diff, (far - near).to_bits());
        }
    }

    /// Sends what the pipe does not know yet: the program, its bindings, its uniform values.
    pub fn flush(&mut self, pipe: &mut Pipe) {
        let Some(linked) = &self.linked else { return };
        if !self.created {
            self.created = true;
            emit_program(self.handle, self.name, linked, &mut |c| pipe.push(c));
            self.bindings_dirty = true;
            self.dirty = (!self.constants.is_empty()).then_some((0, self.constants.len()));
        }
        if std::mem::take(&mut self.bindings_dirty) {
            self.emit_bindings(&mut |c| pipe.push(c));
        }
        if let Some((lo, hi)) = self.dirty.take() {
            // Whole registers of 16 bytes: what std140 aligns to, and what constant caches load.
            let (lo, hi) = (lo & !15, hi.next_multiple_of(16).min(self.constants.len()));
            let p = SetGlobalConstants {
                shader: self.handle,
                offset: lo as u32,
                block_size: self.constants.len() as u32,
            };
            pipe.push(Call::SetGlobalConstants {
                p: &p,
                bytes: &self.constants[lo..hi],
            });
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
        p.locations = vec![None; r.location_count() as usize];
        for (i, u) in r
            .uniforms
            .iter()
            .enumerate()
            .filter(|(_, u)| u.location >= 0)
        {
            for e in 0..u.size {
                if let Some(place) = p.locations.get_mut(u.location as usize + e as usize) {
                    *place = Some((i as u32, e));
                }
            }
        }
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
        p.constants = r.default_block.as_ref().map_or_else(Vec::new, |b| {
            let mut bytes = b.preset.clone();
            bytes.resize(b.size as usize, 0);
            bytes
        });
        p.dirty = None;
        p.units = vec![0; r.sampler_slots() as usize];
        for s in r.samplers.iter().filter(|s| s.has_initial_unit) {
            for e in 0..s.array_size {
                p.units[(s.slot + e) as usize] = s.initial_unit + e;
            }
        }
        p.blocks = r.uniform_blocks.iter().map(|b| b.initial_binding).collect();
        p.linked = Some(linked);
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
