//! The shader front end (design page 5.4): GLSL 1.10 and later to linked SPIR-V and a reflection
//! archive.
//!
//! A shader goes through [`preprocess`] and [`translate`], which bring it to a language that SPIR-V
//! can carry, and is compiled by [`glslang`]. [`link`] links the stages, matches names, assigns
//! bindings and locations and writes the archive. GL's answers about a program come from the archive
//! alone.

mod cache;
mod clip;
mod dead;
mod decls;
mod facts;
mod glslang;
mod initial;
mod interface;
mod leaves;
mod lex;
mod limits;
mod link;
mod pool;
mod preprocess;
mod reach;
mod translate;
mod uniforms;
mod xfb;

pub use limits::ShaderLimits;
pub use link::{LinkOptions, LinkedProgram, XfbRequest};
pub use pool::Pending;

use cache::Cache;
use decls::Decls;
use mgl_core::program::ShaderStage;
use parking_lot::Mutex;
use pool::Pool;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Shaders and programs that are remembered by content.
const CACHED: usize = 256;

/// What the context that compiles a shader offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProfileHint {
    /// A core profile context: a shader without a profile word is a core one from GLSL 1.40 on,
    /// where in a compatibility context that begins with 1.50.
    pub core: bool,
    /// Highest GLSL version accepted, e.g. 330.
    pub max_version: u32,
}

/// A shader object's compile result. Cheap to clone.
#[derive(Clone)]
pub struct CompiledShader {
    pub stage: ShaderStage,
    /// `GL_COMPILE_STATUS`.
    pub ok: bool,
    /// `glGetShaderInfoLog`: line numbers are the program's own.
    pub info_log: String,
    code: Option<CodeRef>,
}

/// What a successful compile leaves for linking.
struct Code {
    /// Translated source, for linking again.
    text: String,
    /// Offset in it of the line of declarations that the translator made.
    declarations_at: usize,
    decls: Decls,
    /// glslang's tree, until the first link consumes it.
    parsed: Mutex<Option<glslang::ParsedShader>>,
}

/// Code by identity: the compile cache gives equal sources the same code.
#[derive(Clone)]
struct CodeRef(Arc<Code>);

impl PartialEq for CodeRef {
    fn eq(&self, other: &CodeRef) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for CodeRef {}

impl Hash for CodeRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

/// A link's outcome. Cheap to clone.
#[derive(Clone)]
pub struct LinkResult {
    /// `GL_LINK_STATUS`.
    pub ok: bool,
    /// `glGetProgramInfoLog`.
    pub info_log: String,
    /// The program, when `ok`.
    pub program: Option<Arc<LinkedProgram>>,
}

type SourceKey = (ShaderStage, ProfileHint, Arc<str>);
type ProgramKey = (Vec<(ShaderStage, CodeRef)>, LinkOptions);

/// Compiles and links shaders on threads of its own, and remembers both by content, so that a
/// program made again costs nothing. Cheap to clone, safe to share between threads; none of its
/// locks is held while the compiler runs.
#[derive(Clone)]
pub struct ShaderCompiler {
    shared: Arc<Shared>,
    pool: Arc<Pool>,
}

struct Shared {
    limits: ShaderLimits,
    compiled: Mutex<Cache<SourceKey, CompiledShader>>,
    linked: Mutex<Cache<ProgramKey, LinkResult>>,
}

impl Default for ShaderCompiler {
    fn default() -> Self {
        ShaderCompiler::new(ShaderLimits::default())
    }
}

/// SPIR-V of one shader of Vulkan's own GLSL, as it is written: for the shaders of back ends, whose words
/// are checked in beside their source.
///
/// # Errors
///
/// The compiler's log.
pub fn vulkan_words(stage: ShaderStage, source: &str) -> Result<Vec<u32>, String> {
    let (parsed, _) = glslang::parse(
        stage,
        source,
        glslang::Target::Relaxed,
        &ShaderLimits::default(),
    )?;
    let (stages, log) = glslang::link(vec![parsed])?;
    let words = stages.into_iter().find(|(s, _)| *s == stage);
    words.map(|(_, words)| words).ok_or(log)
}

/// What a log says when a worker failed to run to its end.
const WORKER_FAILED: &str = "ERROR: internal error in the shader compiler\n";

impl ShaderCompiler {
    /// A compiler for an implementation with these limits.
    pub fn new(limits: ShaderLimits) -> ShaderCompiler {
        let shared = Shared {
            limits,
            compiled: Mutex::new(Cache::new(CACHED)),
            linked: Mutex::new(Cache::new(CACHED)),
        };
        ShaderCompiler {
            shared: Arc::new(shared),
            pool: Arc::new(Pool::new()),
        }
    }

    /// Starts what the first shader of each kind would otherwise wait for: the compiler builds its
    /// tables of built-in functions once a stage.
    pub fn warm_up(&self) {
        let hint = ProfileHint {
            core: true,
            max_version: 330,
        };
        for stage in [ShaderStage::Vertex, ShaderStage::Fragment] {
            // Nobody waits: the result is of no interest.
            self.start_compile(stage, "#version 330\nvoid main() {}\n", hint);
        }
    }

    /// `glCompileShader`: checks one shader's syntax and meaning.
    pub fn compile(&self, stage: ShaderStage, source: &str, hint: ProfileHint) -> CompiledShader {
        let key: SourceKey = (stage, hint, Arc::from(source));
        if let Some(known) = self.shared.compiled.lock().get(&key) {
            return known;
        }
        self.start_compile(stage, source, hint)
            .wait()
            .unwrap_or_else(|| CompiledShader {
                stage,
                ok: false,
                info_log: WORKER_FAILED.to_owned(),
                code: None,
            })
    }

    /// Starts compiling; the result is there when it is asked for.
    pub fn start_compile(
        &self,
        stage: ShaderStage,
        source: &str,
        hint: ProfileHint,
    ) -> Pending<CompiledShader> {
        let shared = Arc::clone(&self.shared);
        let source: Arc<str> = Arc::from(source);
        self.pool.submit(move || {
            let key: SourceKey = (stage, hint, source);
            if let Some(known) = shared.compiled.lock().get(&key) {
                return known;
            }
            let shader = shared.compile_new(stage, &key.2, hint);
            shared.compiled.lock().insert(key, shader.clone());
            shader
        })
    }

    /// `glLinkProgram`: links the shaders attached to a program, any number a stage.
    pub fn link(&self, shaders: &[&CompiledShader], options: &LinkOptions) -> LinkResult {
        if let Some(key) = program_key(shaders, options)
            && let Some(known) = self.shared.linked.lock().get(&key)
        {
            return known;
        }
        let pending = self.start_link(shaders, options);
        pending.wait().unwrap_or_else(|| LinkResult {
            ok: false,
            info_log: WORKER_FAILED.to_owned(),
            program: None,
        })
    }

    /// Starts linking; the result is there when it is asked for.
    pub fn start_link(
        &self,
        shaders: &[&CompiledShader],
        options: &LinkOptions,
    ) -> Pending<LinkResult> {
        let shared = Arc::clone(&self.shared);
        let shaders: Vec<CompiledShader> = shaders.iter().map(|s| (*s).clone()).collect();
        let options = options.clone();
        self.pool.submit(move || {
            let shaders: Vec<&CompiledShader> = shaders.iter().collect();
            let key = program_key(&shaders, &options);
            if let Some(key) = &key
                && let Some(known) = shared.linked.lock().get(key)
            {
                return known;
            }
            let result = match link::link(&shaders, &options, &shared.limits) {
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
            };
            if let Some(key) = key {
                shared.linked.lock().insert(key, result.clone());
            }
            result
        })
    }
}

/// What a program is remembered by; `None` when a shader has not compiled.
fn program_key(shaders: &[&CompiledShader], options: &LinkOptions) -> Option<ProgramKey> {
    let code = |s: &&CompiledShader| Some((s.stage, s.code.clone()?));
    let codes: Option<Vec<_>> = shaders.iter().map(code).collect();
    Some((codes?, options.clone()))
}

impl Shared {
    fn compile_new(&self, stage: ShaderStage, source: &str, hint: ProfileHint) -> CompiledShader {
        let failed = |info_log| CompiledShader {
            stage,
            ok: false,
            info_log,
            code: None,
        };
        let target = glslang::Target::Relaxed;
        let mut retry = translate::Retry::default();
        loop {
            let translated = match translate::translate(stage, source, hint, &retry) {
                Ok(translated) => translated,
                Err(log) => return failed(log),
            };
            let parsed = glslang::parse(stage, &translated.text, target, &self.limits);
            let (Ok((_, log)) | Err(log)) = &parsed;
            if parsed.is_err() && translated.learn(log, &mut retry) {
                continue;
            }
            let info_log = format!("{}{}", translated.warnings, translated.map_log(log));
            let Ok((parsed, _)) = parsed else {
                return failed(info_log);
            };
            let code = Code {
                text: translated.text,
                declarations_at: translated.declarations_at,
                decls: translated.decls,
                parsed: Mutex::new(Some(parsed)),
            };
            return CompiledShader {
                stage,
                ok: true,
                info_log,
                code: Some(CodeRef(Arc::new(code))),
            };
        }
    }
}

impl CompiledShader {
    /// glslang's tree of this shader: the one that compiling left, or a new one.
    fn take_parsed(&self, limits: &ShaderLimits) -> Result<glslang::ParsedShader, String> {
        if let Some(code) = &self.code
            && let Some(parsed) = code.0.parsed.lock().take()
        {
            return Ok(parsed);
        }
        self.parse_for(glslang::Target::Relaxed, limits)
    }

    fn parse_for(
        &self,
        target: glslang::Target,
        limits: &ShaderLimits,
    ) -> Result<glslang::ParsedShader, String> {
        let Some(code) = &self.code else {
            return Err(self.info_log.clone());
        };
        glslang::parse(self.stage, &code.0.text, target, limits).map(|(parsed, _)| parsed)
    }

    /// A tree in which the per-vertex interface has `size` clip distances.
    fn parse_clipped(
        &self,
        sizes: &translate::ClipSizes,
        size: u32,
        limits: &ShaderLimits,
    ) -> Result<glslang::ParsedShader, String> {
        let Some(code) = &self.code else {
            return Err(self.info_log.clone());
        };
        let (head, rest) = code.0.text.split_at(code.0.declarations_at);
        let own = code.0.decls.clip.declarations(self.stage);
        let rest = rest.strip_prefix(own.as_str()).unwrap_or(rest);
        let text = format!(
            "{head}#extension {} : enable\n{}{rest}",
            translate::BLOCKS_EXTENSION,
            sizes.declarations_between(self.stage, size)
        );
        let target = glslang::Target::Relaxed;
        glslang::parse(self.stage, &text, target, limits).map(|(parsed, _)| parsed)
    }

    fn decls(&self) -> Option<&Decls> {
        self.code.as_ref().map(|code| &code.0.decls)
    }
}
