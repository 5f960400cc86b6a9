//! Programs: SPIR-V to ESSL to a linked GL program, a variant for each thing that only the draw decides.
//!
//! Compiled when first drawn with. What fails is remembered. A variant that cannot be made is drawn with the nearest one
//! that can; where even the plain one fails, nothing is drawn.

use super::capture::varyings;
use super::context::Serial;
use super::device::Device;
use super::essl::logic::{self, Logic};
use super::essl::wire::{self, OFFSET_LOCATION, Wire};
use super::essl::{
    EsslError, EsslOptions, FIRST_BIAS_LOCATION, HEIGHT_LOCATION, POINT_SIZE_LOCATION,
    empty_fragment, to_essl,
};
use super::samplers::LookUp;
use super::samples::Counting;
use super::work::Work;
use crate::approximation::Approximation;
use glow::HasContext;
use mgl_core::handle::ShaderHandle;
use mgl_core::pipe::backend::ProgramCode;
use mgl_core::pipe::event::LogLevel;
use mgl_core::pipe::{BackendError, ProgramDesc};
use mgl_core::program::{Reflection, SamplerDim, SamplerShape, ShaderStage};

/// What a variant is specialised by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VariantKey {
    /// Draw buffers that gl_FragColor goes to; 1 for programs without.
    pub broadcast: u32,
    /// The point size is the state's, not the shader's.
    pub fixed_point_size: bool,
    /// gl_PointCoord counts from the lower left.
    pub point_coord_from_below: bool,
    /// A texture or sampler in use has a LOD bias, or a cube map's faces are filtered alone.
    pub lod_bias: bool,
    /// Polygons are drawn as lines or points.
    pub wire: Option<Wire>,
    /// What is written is combined with what is there.
    pub logic: Option<Logic>,
    /// Colours are written with alpha one.
    pub alpha_to_one: bool,
    /// Points whose centre is outside the clip volume are dropped.
    pub clip_points: bool,
    /// Varyings are captured.
    pub capture: bool,
    /// Fragments count themselves.
    pub counting: Option<Counting>,
}

impl VariantKey {
    /// What captures and does nothing else: nothing of it is rasterised.
    pub const CAPTURE: Self = Self {
        broadcast: 1,
        fixed_point_size: false,
        point_coord_from_below: false,
        lod_bias: false,
        wire: None,
        logic: None,
        alpha_to_one: false,
        clip_points: false,
        capture: true,
        counting: None,
    };

    /// Whether its last vertex-processing stage gives what the program's own does.
    pub fn keeps_vertices(&self) -> bool {
        !self.fixed_point_size && self.wire.is_none() && !self.clip_points
    }

    /// What every program that can be drawn with can be drawn with.
    fn is_plain(&self) -> bool {
        *self
            == Self {
                broadcast: self.broadcast,
                fixed_point_size: self.fixed_point_size,
                ..Self::default()
            }
    }

    /// Takes the most special part away; gives what is only near without it, `None` when there is nothing to take.
    fn simplify(&mut self) -> Option<Approximation> {
        if self.counting.take().is_some() {
            Some(Approximation::SamplesPassed)
        } else if std::mem::take(&mut self.lod_bias) {
            Some(Approximation::LodBias)
        } else if self.wire.take().is_some() {
            Some(Approximation::PolygonMode)
        } else if self.logic.take().is_some() {
            Some(Approximation::LogicOp)
        } else if std::mem::take(&mut self.alpha_to_one) {
            Some(Approximation::AlphaToOne)
        } else {
            None
        }
    }
}

/// Values of the plain uniforms that variants take from state.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StateValues {
    /// Pixels.
    pub point_size: f32,
    /// Of the framebuffer, pixels.
    pub height: f32,
    /// See [`OFFSET_LOCATION`].
    pub offset: [f32; 4],
}

/// A linked GL program.
#[derive(Debug)]
pub struct Variant {
    key: VariantKey,
    /// GL object.
    pub name: glow::Program,
    /// Identity.
    pub serial: Serial,
    /// The state's point size as set, in variants that take it.
    point_size: Option<f32>,
    /// The framebuffer's height as set, in variants that take it.
    height: Option<f32>,
    /// The outline's offset as set, in variants that take it.
    offset: Option<[f32; 4]>,
    /// What look-ups do as set, by slot, in variants that are told.
    look_ups: Vec<Option<LookUp>>,
    /// Slots whose bias a look-up reads.
    bias_slots: Vec<u32>,
    /// What of the program the context does only nearly.
    near: Vec<Approximation>,
}

/// A program.
pub struct Program {
    /// What the client's linker found.
    pub reflection: Reflection,
    stages: [Vec<u32>; 6],
    variants: Vec<Variant>,
    /// Why it cannot be drawn with.
    failure: Option<BackendError>,
    /// Variants that cannot be made, and why.
    failures: Vec<(VariantKey, BackendError)>,
    /// Sampler type of each slot.
    pub slots: Vec<SamplerShape>,
    /// A fragment input takes the value of one vertex.
    pub flat_inputs: bool,
}

impl Program {
    /// Ends all variants.
    pub fn delete(&mut self, dev: &Device) {
        for v in self.variants.drain(..) {
            // SAFETY: a context of the share group is current.
            unsafe { dev.gl.glow.delete_program(v.name) };
            dev.tally.programs_ended.one();
        }
    }

    /// A variant by its place in the list.
    pub fn variant(&self, at: usize) -> &Variant {
        &self.variants[at]
    }

    /// The key of a variant by its identity.
    pub fn key_of(&self, serial: Serial) -> Option<VariantKey> {
        let found = self.variants.iter().find(|v| v.serial == serial);
        found.map(|v| v.key)
    }

    /// The identity of a key's variant, if it was made.
    pub fn serial_of(&self, key: &VariantKey) -> Option<Serial> {
        let found = self.variants.iter().find(|v| v.key == *key);
        found.map(|v| v.serial)
    }
}

impl Work<'_> {
    /// Takes a new program in.
    ///
    /// # Errors
    ///
    /// [`BackendError::Driver`] when the archive is damaged.
    pub fn create_program(
        &mut self,
        d: &ProgramDesc,
        code: &ProgramCode<'_>,
    ) -> Result<(), BackendError> {
        let reflection =
            Reflection::decode(code.reflection).map_err(|e| BackendError::Driver(e.to_string()))?;
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes
                .chunks_exact(4)
                .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect()
        };
        let stages = code.stages.map(words);
        let program = Program {
            slots: slot_shapes(&reflection),
            flat_inputs: has_flat(&stages[ShaderStage::Fragment as usize]),
            reflection,
            stages,
            variants: Vec::new(),
            failure: None,
            failures: Vec::new(),
        };
        self.obj
            .programs
            .insert(d.shader, program)
            .map(|_| ())
            .map_err(|e| BackendError::Driver(e.to_string()))
    }

    /// Uses the variant of a program that a draw asks for, or the nearest one that can be made: `key` is that one's
    /// afterwards. Gives its place in the program's list.
    ///
    /// # Errors
    ///
    /// As for [`Work::use_program`], when no variant can be made.
    pub fn use_nearest(
        &mut self,
        h: ShaderHandle,
        key: &mut VariantKey,
        values: StateValues,
    ) -> Result<usize, BackendError> {
        let at = loop {
            match self.use_program(h, *key, values) {
                Ok(at) => break at,
                Err(e) => {
                    let lost = self.obj.programs.get(h).is_ok_and(|p| p.failure.is_some());
                    match key.simplify().filter(|_| !lost) {
                        Some(kind) => self.dev.near(kind),
                        None => return Err(e),
                    }
                }
            }
        };
        if let Ok(p) = self.obj.programs.get(h) {
            for kind in &p.variants[at].near {
                self.dev.near(*kind);
            }
        }
        Ok(at)
    }

    /// Uses a variant of a program, made now if it is not there; gives its place in the program's list.
    ///
    /// # Errors
    ///
    /// In the words of the compiler below; [`BackendError::Unsupported`] for what ESSL cannot say.
    pub fn use_program(
        &mut self,
        h: ShaderHandle,
        key: VariantKey,
        values: StateValues,
    ) -> Result<usize, BackendError> {
        let program = self
            .obj
            .programs
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        let refused = program.failures.iter().find(|f| f.0 == key).map(|f| &f.1);
        if let Some(failure) = program.failure.as_ref().or(refused) {
            return Err(failure.clone());
        }
        let at = match program.variants.iter().position(|v| v.key == key) {
            Some(at) => at,
            None => self.make_variant(h, key)?,
        };
        let program = self
            .obj
            .programs
            .get_mut(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        let variant = &mut program.variants[at];
        let gl = &self.dev.gl.glow;
        if self.ctx.shadow.program != variant.serial {
            if let Some(c) = &mut self.ctx.capture {
                c.pause(self.dev);
            }
            let unknown = self.ctx.shadow.program == 0;
            self.ctx.shadow.program = variant.serial;
            self.dev.tally.program_binds.one();
            // SAFETY: the context is current, and the program lives and is linked.
            unsafe {
                if unknown {
                    // It may be in use, with values that another context has changed since.
                    gl.use_program(None);
                }
                gl.use_program(Some(variant.name));
            }
        }
        let pairs = [
            (
                &mut variant.point_size,
                values.point_size,
                POINT_SIZE_LOCATION,
            ),
            (&mut variant.height, values.height, HEIGHT_LOCATION),
        ];
        for (set, value, location) in pairs {
            if let Some(set) = set
                && *set != value
            {
                *set = value;
                let location = glow::NativeUniformLocation(location);
                // SAFETY: the program is in use, and has a float at the location.
                unsafe { gl.uniform_1_f32(Some(&location), value) };
            }
        }
        if let Some(set) = &mut variant.offset
            && *set != values.offset
        {
            *set = values.offset;
            let location = glow::NativeUniformLocation(OFFSET_LOCATION);
            let [x, y, z, w] = values.offset;
            // SAFETY: the program is in use, and has a vector of four at the location.
            unsafe { gl.uniform_4_f32(Some(&location), x, y, z, w) };
        }
        Ok(at)
    }

    /// Says what look-ups of its slots do to a program that is to be told; it is in use.
    pub fn follow_biases(&mut self, h: ShaderHandle, variant: usize) {
        let Ok(program) = self.obj.programs.get_mut(h) else {
            return;
        };
        let variant = &mut program.variants[variant];
        let told = variant.look_ups.iter_mut().zip(&self.ctx.look_ups);
        for (slot, (set, look_up)) in told.enumerate() {
            if *set == Some(*look_up) {
                continue;
            }
            *set = Some(*look_up);
            let location = glow::NativeUniformLocation(FIRST_BIAS_LOCATION + slot as u32);
            // A slot that no look-up reads has no uniform.
            if !variant.bias_slots.contains(&(slot as u32)) {
                continue;
            }
            let alone = if look_up.faces_alone { 1.0 } else { 0.0 };
            // SAFETY: the program is in use, and has a vector of three at the location.
            unsafe {
                self.dev.gl.glow.uniform_3_f32(
                    Some(&location),
                    look_up.bias,
                    look_up.bias.exp2(),
                    alone,
                );
            }
        }
    }

    fn make_variant(&mut self, h: ShaderHandle, key: VariantKey) -> Result<usize, BackendError> {
        let serial = self.obj.serial();
        let program = self
            .obj
            .programs
            .get_mut(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        match build(self.dev, program, key) {
            Ok((name, near)) => {
                let slots = program.slots.len() as u32;
                let bias_slots: Vec<u32> = if key.lod_bias {
                    (0..slots)
                        .filter(|slot| self.has_uniform(name, FIRST_BIAS_LOCATION + slot))
                        .collect()
                } else {
                    Vec::new()
                };
                let program = self
                    .obj
                    .programs
                    .get_mut(h)
                    .map_err(|e| BackendError::Driver(e.to_string()))?;
                // NaN differs from every value, so the first use sets it.
                let unset = |on: bool| on.then_some(f32::NAN);
                program.variants.push(Variant {
                    key,
                    name,
                    serial,
                    point_size: unset(key.fixed_point_size),
                    offset: key.wire.is_some_and(|w| w.offset).then_some([f32::NAN; 4]),
                    height: unset(program.reflection.fragment.origin_upper_left),
                    look_ups: vec![None; if key.lod_bias { slots as usize } else { 0 }],
                    bias_slots,
                    near,
                });
                Ok(program.variants.len() - 1)
            }
            Err(e) => {
                // What a plain variant lacks, all lack; a special one may be refused alone.
                if key.is_plain() {
                    program.failure = Some(e.clone());
                } else {
                    program.failures.push((key, e.clone()));
                }
                Err(e)
            }
        }
    }

    /// Whether a linked program has a LOD bias at a location: one that is not used is optimised away.
    fn has_uniform(&self, program: glow::Program, location: u32) -> bool {
        let name = format!("mgl_bias{}", location - FIRST_BIAS_LOCATION);
        // SAFETY: a context is current, and the program is linked.
        let found = unsafe { self.dev.gl.glow.get_uniform_location(program, &name) };
        found == Some(glow::NativeUniformLocation(location))
    }
}

fn build(
    dev: &Device,
    p: &Program,
    key: VariantKey,
) -> Result<(glow::Program, Vec<Approximation>), BackendError> {
    let gl = &dev.gl.glow;
    let has = &dev.gl.has;
    let options = EsslOptions {
        version: dev.gl.version,
        broadcast_outputs: key.broadcast,
        noperspective: has.noperspective,
        clip_distance: has.clip_distance,
        dual_source: has.dual_source,
        point_size_from_state: key.fixed_point_size,
        geometry_point_size: has.geometry_point_size,
        point_coord_from_below: key.point_coord_from_below,
        lod_bias: key.lod_bias,
        single_outputs: key.logic.is_some(),
        alpha_to_one: key.alpha_to_one,
        clip_points: key.clip_points,
    };
    let mut near = Vec::new();
    let mut texts = Vec::new();
    let mut outputs = Vec::new();
    for stage in p.reflection.stages.iter() {
        let essl = to_essl(stage, &p.stages[stage as usize], &p.reflection, &options).map_err(
            |e| match e {
                EsslError::Unsupported { .. } => BackendError::Unsupported(e.to_string()),
                e => BackendError::Driver(e.to_string()),
            },
        )?;
        texts.push((stage, essl.source));
        near.extend(essl.near);
        if !essl.xfb_varyings.is_empty() {
            outputs = essl.xfb_varyings;
        }
    }
    let captured = match key.capture {
        true => varyings(&p.reflection, &outputs)?,
        false => None,
    };
    let stages = p.reflection.stages;
    if !stages.contains(ShaderStage::Fragment) && !stages.contains(ShaderStage::Compute) {
        texts.push((ShaderStage::Fragment, empty_fragment(&options).source));
    }
    specialise(&mut texts, key, options.version)?;
    if let Some(counting) = key.counting
        && let Some(t) = texts.iter_mut().find(|t| t.0 == ShaderStage::Fragment)
    {
        let facts = &p.reflection.fragment;
        let late = facts.uses_discard || facts.writes_depth;
        t.1 = counting.apply(&t.1, late);
        if !counting.is_exact(late) {
            near.push(Approximation::SamplesPassed);
        }
    }
    // SAFETY: a context is current; every object made here is deleted on every way out but success.
    unsafe {
        let program = gl.create_program().map_err(BackendError::Driver)?;
        let mut shaders = Vec::new();
        let mut failure = None;
        for (stage, source) in &texts {
            let Ok(shader) = gl.create_shader(stage.to_gl()) else {
                failure = Some("no shader object".to_owned());
                break;
            };
            shaders.push(shader);
            gl.shader_source(shader, source);
            gl.compile_shader(shader);
            if !gl.get_shader_compile_status(shader) {
                let log = gl.get_shader_info_log(shader);
                failure = Some(format!("{} shader: {}", stage.name(), log.trim_end()));
                dev.events.log(
                    LogLevel::Error,
                    format!("ESSL that the driver refuses ({log}):\n{source}"),
                );
                break;
            }
            gl.attach_shader(program, shader);
        }
        if failure.is_none() {
            if let Some((names, mode)) = &captured {
                gl.transform_feedback_varyings(program, names, *mode);
            }
            gl.link_program(program);
            if !gl.get_program_link_status(program) {
                let log = gl.get_program_info_log(program);
                failure = Some(format!("link: {}", log.trim_end()));
                let all: Vec<&str> = texts.iter().map(|t| t.1.as_str()).collect();
                dev.events.log(
                    LogLevel::Error,
                    format!(
                        "ESSL that the driver does not link ({log}):\n{}",
                        all.join("\n// next stage\n")
                    ),
                );
            }
        }
        for shader in shaders {
            gl.detach_shader(program, shader);
            gl.delete_shader(shader);
        }
        if let Some(text) = failure {
            gl.delete_program(program);
            return Err(BackendError::Driver(text));
        }
        dev.tally.programs_linked.one();
        Ok((program, near))
    }
}

/// Changes the texts to what a key asks for beyond SPIR-V.
fn specialise(
    texts: &mut Vec<(ShaderStage, String)>,
    key: VariantKey,
    version: u32,
) -> Result<(), BackendError> {
    let at = |texts: &[(ShaderStage, String)], stage| texts.iter().position(|t| t.0 == stage);
    let Some(fragment) = at(texts, ShaderStage::Fragment) else {
        return Ok(());
    };
    if let Some(logic) = &key.logic {
        texts[fragment].1 = logic::apply(&texts[fragment].1, logic).ok_or_else(|| {
            BackendError::Unsupported("a logic operation on such outputs".to_owned())
        })?;
    }
    if let Some(wire) = &key.wire {
        let refuse = || BackendError::Unsupported(format!("polygons as {:?}", wire.outline));
        let own = at(texts, ShaderStage::Geometry);
        if own.is_none() && at(texts, ShaderStage::TessEval).is_some() {
            return Err(refuse());
        }
        let from = own.or(at(texts, ShaderStage::Vertex)).ok_or_else(refuse)?;
        let made = match own {
            Some(_) => wire::behind_geometry(&texts[from].1, &texts[fragment].1, wire),
            None => wire::texts(&texts[from].1, &texts[fragment].1, wire, version),
        };
        let (geometry, changed) = made.ok_or_else(refuse)?;
        texts[fragment].1 = changed;
        match own {
            Some(own) => texts[own].1 = geometry,
            None => texts.push((ShaderStage::Geometry, geometry)),
        }
    }
    Ok(())
}

/// The sampler type of each slot of a program.
fn slot_shapes(r: &Reflection) -> Vec<SamplerShape> {
    let plain = SamplerShape {
        dim: SamplerDim::D2,
        arrayed: false,
        shadow: false,
        multisample: false,
        component: mgl_core::program::ComponentKind::Float,
    };
    let mut slots = vec![plain; r.sampler_slots() as usize];
    for s in &r.samplers {
        let shape = s.ty.sampler().unwrap_or(plain);
        for slot in s.slot..s.slot + s.array_size {
            slots[slot as usize] = shape;
        }
    }
    slots
}

/// Whether a module decorates anything as Flat (SPIR-V decoration 14).
fn has_flat(words: &[u32]) -> bool {
    const DECORATE: u32 = 71;
    const MEMBER_DECORATE: u32 = 72;
    const FLAT: u32 = 14;
    let mut at = 5;
    while let Some(&head) = words.get(at) {
        let (op, length) = (head & 0xFFFF, (head >> 16) as usize);
        let flat = match op {
            DECORATE => words.get(at + 2) == Some(&FLAT),
            MEMBER_DECORATE => words.get(at + 3) == Some(&FLAT),
            _ => false,
        };
        if flat {
            return true;
        }
        at += length.max(1);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_decorations_are_found() {
        let header = [0x0723_0203, 0x1_0300, 0, 9, 0];
        let module = |rest: &[u32]| [&header[..], rest].concat();
        assert!(!has_flat(&module(&[3 << 16 | 71, 5, 30, 2 << 16 | 72])));
        assert!(has_flat(&module(&[
            4 << 16 | 71,
            5,
            30,
            0,
            3 << 16 | 71,
            5,
            14
        ])));
        assert!(has_flat(&module(&[4 << 16 | 72, 5, 0, 14])));
        assert!(!has_flat(&[]));
    }
}
