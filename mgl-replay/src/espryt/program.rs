//! Programs: SPIR-V to ESSL to a linked GL program, a variant for each thing that only the draw decides.
//!
//! Compiled when first drawn with. What fails is remembered, so that it is told once and refused from then on.

use super::capture::varyings;
use super::context::Serial;
use super::device::Device;
use super::essl::{EsslError, EsslOptions, POINT_SIZE_LOCATION, empty_fragment, to_essl};
use super::work::Work;
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
}

/// A program.
pub struct Program {
    /// What the client's linker found.
    pub reflection: Reflection,
    stages: [Vec<u32>; 6],
    variants: Vec<Variant>,
    /// Why it cannot be drawn with.
    failure: Option<BackendError>,
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
        };
        self.obj
            .programs
            .insert(d.shader, program)
            .map(|_| ())
            .map_err(|e| BackendError::Driver(e.to_string()))
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
        point_size: f32,
    ) -> Result<usize, BackendError> {
        let program = self
            .obj
            .programs
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        if let Some(failure) = &program.failure {
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
            self.ctx.shadow.program = variant.serial;
            self.dev.tally.program_binds.one();
            // SAFETY: the context is current, and the program lives and is linked.
            unsafe { gl.use_program(Some(variant.name)) };
        }
        if let Some(set) = &mut variant.point_size
            && *set != point_size
        {
            *set = point_size;
            let location = glow::NativeUniformLocation(POINT_SIZE_LOCATION);
            // SAFETY: the program is in use, and has a float at the location.
            unsafe { gl.uniform_1_f32(Some(&location), point_size) };
        }
        Ok(at)
    }

    fn make_variant(&mut self, h: ShaderHandle, key: VariantKey) -> Result<usize, BackendError> {
        let serial = self.obj.serial();
        let program = self
            .obj
            .programs
            .get_mut(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?;
        match build(self.dev, program, key) {
            Ok(name) => {
                program.variants.push(Variant {
                    key,
                    name,
                    serial,
                    // NaN differs from every size, so the first use sets it.
                    point_size: key.fixed_point_size.then_some(f32::NAN),
                });
                Ok(program.variants.len() - 1)
            }
            Err(e) => {
                program.failure = Some(e.clone());
                Err(e)
            }
        }
    }
}

fn build(dev: &Device, p: &Program, key: VariantKey) -> Result<glow::Program, BackendError> {
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
    };
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
        if !essl.xfb_varyings.is_empty() {
            outputs = essl.xfb_varyings;
        }
    }
    let captured = varyings(&p.reflection, &outputs)?;
    let stages = p.reflection.stages;
    if !stages.contains(ShaderStage::Fragment) && !stages.contains(ShaderStage::Compute) {
        texts.push((ShaderStage::Fragment, empty_fragment(&options).source));
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
        Ok(program)
    }
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
