//! The shader front end (design page 5.4): GLSL 1.10 and later to linked SPIR-V and a reflection
//! archive.
//!
//! `translate` brings a shader to a language that SPIR-V can carry, [`glslang`] compiles it, and
//! [`link`] links, matches names, assigns bindings and locations and writes the archive. GL's
//! answers about a program come from the archive alone.

mod decls;
mod facts;
mod glslang;
mod interface;
mod limits;
mod link;
mod reach;

mod translate;
mod uniforms;

pub use limits::ShaderLimits;
pub use link::{LinkOptions, LinkedProgram, XfbRequest};

use decls::Decls;
use mgl_core::program::ShaderStage;
use parking_lot::Mutex;
use std::sync::Arc;
use uniforms::InitialValue;

/// What the context that compiles a shader offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProfileHint {
    /// The context is a core profile one: GLSL 1.40 and later only is not enforced, but `gl_FragColor`
    /// and kin are refused in shaders of version 1.40 and later that do not ask for compatibility.
    pub core: bool,
    /// Highest GLSL version accepted, e.g. 330.
    pub max_version: u32,
}

/// A shader object's compile result.
#[derive(Clone)]
pub struct CompiledShader {
    pub stage: ShaderStage,
    /// `GL_COMPILE_STATUS`.
    pub ok: bool,
    /// `glGetShaderInfoLog`: line numbers are the program's own.
    pub info_log: String,
    code: Option<Arc<Code>>,
}

/// What a successful compile leaves for linking.
struct Code {
    /// Translated source, for linking again.
    text: String,
    decls: Decls,
    initial_values: Vec<InitialValue>,
    /// glslang's tree, until the first link consumes it.
    parsed: Mutex<Option<glslang::ParsedShader>>,
}

/// A link's outcome.
#[derive(Clone)]
pub struct LinkResult {
    /// `GL_LINK_STATUS`.
    pub ok: bool,
    /// `glGetProgramInfoLog`.
    pub info_log: String,
    /// The program, when `ok`.
    pub program: Option<Arc<LinkedProgram>>,
}

/// Compiles and links shaders. Safe to share between threads.
#[derive(Default)]
pub struct ShaderCompiler {
    limits: ShaderLimits,
}

impl ShaderCompiler {
    /// A compiler for an implementation with these limits.
    pub fn new(limits: ShaderLimits) -> ShaderCompiler {
        ShaderCompiler { limits }
    }

    /// `glCompileShader`: checks one shader's syntax and meaning.
    pub fn compile(&self, stage: ShaderStage, source: &str, hint: ProfileHint) -> CompiledShader {
        let failed = |info_log| CompiledShader {
            stage,
            ok: false,
            info_log,
            code: None,
        };
        let translated = match translate::translate(stage, source, hint) {
            Ok(translated) => translated,
            Err(log) => return failed(log),
        };
        let target = glslang::Target::Relaxed;
        match glslang::parse(stage, &translated.text, target, &self.limits) {
            Err(log) => failed(translated.map_log(&log)),
            Ok((parsed, log)) => CompiledShader {
                stage,
                ok: true,
                info_log: translated.map_log(&log),
                code: Some(Arc::new(Code {
                    text: translated.text,
                    decls: translated.decls,
                    initial_values: Vec::new(),
                    parsed: Mutex::new(Some(parsed)),
                })),
            },
        }
    }

    /// `glLinkProgram`: links the shaders attached to a program, any number a stage.
    pub fn link(&self, shaders: &[&CompiledShader], options: &LinkOptions) -> LinkResult {
        match link::link(shaders, options, &self.limits) {
            Ok((program, info_log)) => LinkResult {
                ok: true,
                info_log,
                program: Some(Arc::new(program)),
            },
            Err(info_log) => LinkResult {
                ok: false,
                info_log,
                program: None,
            },
        }
    }
}

impl CompiledShader {
    /// glslang's tree of this shader: the one that compiling left, or a new one.
    fn take_parsed(&self, limits: &ShaderLimits) -> Result<glslang::ParsedShader, String> {
        let Some(code) = &self.code else {
            return Err(self.info_log.clone());
        };
        if let Some(parsed) = code.parsed.lock().take() {
            return Ok(parsed);
        }
        let target = glslang::Target::Relaxed;
        glslang::parse(self.stage, &code.text, target, limits).map(|(parsed, _)| parsed)
    }

    fn decls(&self) -> &Decls {
        static NONE: std::sync::LazyLock<Decls> = std::sync::LazyLock::new(Decls::default);
        self.code.as_ref().map_or(&NONE, |code| &code.decls)
    }

    fn initial_values(&self) -> &[InitialValue] {
        self.code.as_ref().map_or(&[], |code| &code.initial_values)
    }
}
