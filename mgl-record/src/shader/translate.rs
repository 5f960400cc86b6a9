//! Translation of a shader's source to the language that glslang takes for SPIR-V (design page
//! 5.4): GLSL 1.10 to 1.50 become 3.30 core, later versions keep theirs. It works on the
//! preprocessed tokens, one output line for each line of the source, so that the compiler's log
//! points at the program's own text.

mod clip;
mod globals;
mod hoist;
mod words;

pub use clip::Sizes as ClipSizes;

use super::ProfileHint;
use super::decls::Decls;
use super::interface::{FRAG_COLOR, FRAG_DATA};
use super::lex::{Kind, LexError, Token, splice};
use super::preprocess::{LineMark, Preprocessed, Version, preprocess, program_line};
use super::uniforms::{DEPTH_RANGE, RENAME_PREFIX};
use mgl_core::program::ShaderStage;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

/// Deepest nesting of brackets: the compiler below recurses.
const MAX_NESTING: usize = 256;
/// Most operators in one expression: its tree is as deep as it is long.
const MAX_OPERATORS: u32 = 4096;
/// Most structures, which can nest.
const MAX_STRUCTS: u32 = 512;
/// Name of the function that gives the old `shadow*` look-ups their four components.
const SHADOW: &str = "mgl_shadow";

/// Extension that lets the built-in blocks be declared again.
pub const BLOCKS_EXTENSION: &str = "GL_ARB_separate_shader_objects";

/// A translated shader.
pub struct Translated {
    pub text: String,
    /// Offset in the text of the line of made-up declarations.
    pub declarations_at: usize,
    pub decls: Decls,
    /// Warnings of the preprocessor, as log lines.
    pub warnings: String,
    /// Lines that the translator put before the source's first.
    prologue: u32,
    line_marks: Vec<LineMark>,
    function_lines: Vec<(u32, String)>,
    version: Version,
}

/// What the compiler has refused in a shader and another translation can mend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retry {
    /// Functions of the shader that are built-ins too: they get another name.
    pub redefined: HashSet<String>,
    /// Sampler arrays are indexed by variables, which the language allowed before 1.30.
    pub dynamic_samplers: bool,
}

/// Translates one shader, or gives the log of what is wrong with it. `retry` holds
/// what earlier attempts at the same shader have shown.
pub fn translate(
    stage: ShaderStage,
    source: &str,
    hint: ProfileHint,
    retry: &Retry,
) -> Result<Translated, String> {
    // A byte order mark is no part of the text.
    let (text, splices) = splice(source.trim_start_matches('\u{feff}'));
    let log = |e: LexError| format!("ERROR: {}:{}: {}\n", e.string, e.line, e.message);
    let preprocessed = preprocess(&text, &splices, hint).map_err(log)?;
    let Preprocessed {
        version,
        tokens,
        extensions,
        line_marks,
        invariant_all,
        warnings,
    } = preprocessed;
    let place = |line| {
        let (string, line) = program_line(&line_marks, line);
        format!("{string}:{line}")
    };
    let log = |e: LexError| format!("ERROR: {}: {}\n", place(e.line), e.message);

    check_shape(&tokens).map_err(log)?;
    let mut translator = Translator::new(stage, version, &retry.redefined, &tokens);
    let tokens = translator.run(tokens).map_err(log)?;
    let mut decls = Decls::of_version(version.number);
    let (mut tokens, hoisted) = hoist::hoist(tokens, &mut decls).map_err(log)?;
    decls.clip = clip::take(&mut tokens, stage);
    let tokens = globals::scan(tokens, &mut decls);

    let mut text = format!("#version {} core\n", version.number.max(330));
    let mut prologue = 1;
    for (name, behaviour) in extensions {
        let _ = writeln!(text, "#extension {name} : {behaviour}");
        prologue += 1;
    }
    // What was indexed as an array of structures is an array of samplers now.
    if retry.dynamic_samplers || hoisted {
        text.push_str("#extension GL_ARB_gpu_shader5 : enable\n");
        prologue += 1;
    }
    if invariant_all {
        text.push_str("#pragma STDGL invariant(all)\n");
        prologue += 1;
    }
    if decls.clip.needs_blocks() {
        let _ = writeln!(text, "#extension {BLOCKS_EXTENSION} : enable");
        prologue += 1;
    }
    let declarations_at = text.len();
    text.push_str(&decls.clip.declarations(stage));
    text.push_str(&translator.declarations());
    text.push('\n');
    prologue += 1;
    write_tokens(&tokens, &mut text);

    let mut warning_log = String::new();
    for (line, message) in warnings {
        let _ = writeln!(warning_log, "WARNING: {}: {message}", place(line));
    }
    Ok(Translated {
        text,
        declarations_at,
        decls,
        warnings: warning_log,
        prologue,
        line_marks,
        function_lines: translator.function_lines,
        version,
    })
}

impl Translated {
    /// Learns from the compiler's log; true when another translation may do better.
    pub fn learn(&self, log: &str, retry: &mut Retry) -> bool {
        let before = retry.clone();
        retry.redefined.extend(self.refused_functions(log));
        retry.dynamic_samplers |=
            self.version.number < 130 && log.contains("variable indexing sampler array");
        *retry != before
    }

    /// Functions of the shader that the compiler refused for being built-ins, perhaps of extensions that the
    /// program does not know.
    fn refused_functions(&self, log: &str) -> Vec<String> {
        let mut refused = Vec::new();
        for line in log.lines() {
            let redefines = line.contains("overloaded functions must have the same");
            let unknown = line.contains("required extension not requested")
                || line.contains("not supported for this version");
            let Some((number, rest)) = line
                .strip_prefix("ERROR: 0:")
                .filter(|_| redefines || unknown)
                .and_then(|rest| rest.split_once(':'))
            else {
                continue;
            };
            let number = number.parse::<u32>().unwrap_or(0);
            let own = number.saturating_sub(self.prologue);
            let named = rest.split('\'').nth(1).unwrap_or("");
            let refuses = |(at, name): &&(u32, String)| name == named || (redefines && *at == own);
            let names = self.function_lines.iter().filter(refuses);
            refused.extend(names.map(|(_, name)| name.clone()));
        }
        refused
    }

    /// Brings the compiler's log back to the program's line numbers and names.
    pub fn map_log(&self, log: &str) -> String {
        let mut out = String::with_capacity(log.len());
        for line in log.lines() {
            let line = line.trim_end();
            // The count of errors at the end says nothing that the errors do not.
            if line.is_empty() || line.contains("compilation errors.  No code generated") {
                continue;
            }
            let _ = writeln!(out, "{}", original_names(&self.map_line(line)));
        }
        out
    }

    fn map_line(&self, line: &str) -> String {
        for severity in ["ERROR: ", "WARNING: "] {
            let Some((number, rest)) = line
                .strip_prefix(severity)
                .and_then(|rest| rest.strip_prefix("0:"))
                .and_then(|rest| rest.split_once(':'))
            else {
                continue;
            };
            let Ok(number) = number.parse::<u32>() else {
                continue;
            };
            let own = number.saturating_sub(self.prologue).max(1);
            let (string, own) = program_line(&self.line_marks, own);
            return format!("{severity}{string}:{own}:{rest}");
        }
        line.to_owned()
    }
}

/// Names as the program wrote them, for logs.
pub fn original_names(text: &str) -> String {
    if !text.contains("mgl_") {
        return text.to_owned();
    }
    text.replace(RENAME_PREFIX, "")
        .replace(FRAG_COLOR, "gl_FragColor")
        .replace(FRAG_DATA, "gl_FragData")
        .replace(DEPTH_RANGE, "gl_DepthRange")
}

/// Refuses stray characters and text that is nested more deeply than the compiler can take.
fn check_shape(tokens: &[Token]) -> Result<(), LexError> {
    // For each open bracket: do commas in it separate arguments (and not chain expressions)?
    let mut open: Vec<bool> = Vec::new();
    let (mut operators, mut structs) = (0u32, 0u32);
    for (at, token) in tokens.iter().enumerate() {
        let refuse = |message: String| {
            Err(LexError {
                string: 0,
                line: token.line,
                message,
            })
        };
        match token.kind {
            Kind::Stray => {
                return refuse(format!(
                    "'{}' : illegal character",
                    token.text.escape_default()
                ));
            }
            Kind::Word if token.is("struct") => structs += 1,
            Kind::Word | Kind::Number => {}
            Kind::Punct => match token.text.as_ref() {
                "(" | "[" | "{" => {
                    let before = at.checked_sub(1).map(|n| &tokens[n]);
                    let is_call = before.is_some_and(|t| t.kind == Kind::Word || t.is("]"));
                    open.push(is_call || token.is("{"));
                    operators = if token.is("{") { 0 } else { operators + 1 };
                }
                ")" | "]" | "}" => {
                    open.pop();
                    operators = if token.is("}") { 0 } else { operators };
                }
                ";" => operators = 0,
                "," if open.last().copied().unwrap_or(false) => operators = 0,
                "#" | "##" => return refuse(format!("'{}' : unexpected token", token.text)),
                _ => operators += 1,
            },
        }
        if open.len() > MAX_NESTING {
            return refuse("'' : nested too deeply".to_owned());
        }
        if operators > MAX_OPERATORS {
            return refuse("'' : expression is too long".to_owned());
        }
        if structs > MAX_STRUCTS {
            return refuse("'struct' : too many structures".to_owned());
        }
    }
    Ok(())
}

struct Translator<'r> {
    stage: ShaderStage,
    version: Version,
    redefined: &'r HashSet<String>,
    /// Functions that the shader itself defines or declares.
    functions: HashSet<String>,
    /// Lines of its functions.
    function_lines: Vec<(u32, String)>,
    /// Structures that the shader declares.
    structs: HashSet<String>,
    /// Words of later versions that the shader declares as names.
    names: HashSet<String>,
    uses_frag_color: bool,
    /// Elements of gl_FragData that the shader needs, 0 for none.
    frag_data: u32,
    uses_depth_range: bool,
    uses_shadow: bool,
    /// Sizes of noise results used.
    noise: BTreeSet<u32>,
}

/// Elements of gl_FragData when it is indexed by more than numbers.
const FRAG_DATA_MAX: u32 = 8;

impl<'r> Translator<'r> {
    fn new(
        stage: ShaderStage,
        version: Version,
        redefined: &'r HashSet<String>,
        tokens: &[Token],
    ) -> Translator<'r> {
        let mut functions = HashSet::new();
        let mut function_lines = Vec::new();
        let mut nesting = 0u32;
        for (at, token) in tokens.iter().enumerate() {
            match token.text.as_ref() {
                "{" | "[" => nesting += 1,
                "}" | "]" => nesting = nesting.saturating_sub(1),
                "(" => {
                    let typed = at >= 2
                        && (tokens[at - 2].kind == Kind::Word || tokens[at - 2].is("]"))
                        && tokens[at - 1].kind == Kind::Word;
                    if nesting == 0 && typed && !tokens[at - 1].is("layout") {
                        let name = tokens[at - 1].text.to_string();
                        if name != "main" {
                            function_lines.push((tokens[at - 1].line, name.clone()));
                        }
                        functions.insert(name);
                    }
                    nesting += 1;
                }
                ")" => nesting = nesting.saturating_sub(1),
                _ => {}
            }
        }
        Translator {
            stage,
            version,
            redefined,
            functions,
            function_lines,
            structs: tokens
                .windows(2)
                .filter(|pair| pair[0].is("struct") && pair[1].kind == Kind::Word)
                .map(|pair| pair[1].text.to_string())
                .collect(),
            names: later_names(tokens, version.number),
            uses_frag_color: false,
            frag_data: 0,
            uses_depth_range: false,
            uses_shadow: false,
            noise: BTreeSet::new(),
        }
    }

    /// A precision word before `next` is a mere name, which GLSL 1.10 allows.
    fn is_name(&self, next: Option<&Token>) -> bool {
        self.version.number < 120 && next.is_some_and(|t| t.kind != Kind::Word)
    }

    /// The old names are there: all versions before 4.20, and compatibility ones.
    fn has_old_names(&self) -> bool {
        self.version.number < 420 || self.version.compatibility
    }

    fn run<'a>(&mut self, tokens: Vec<Token<'a>>) -> Result<Vec<Token<'a>>, LexError> {
        let mut out: Vec<Token<'a>> = Vec::with_capacity(tokens.len() + 16);
        // Bracket depths at which a shadow look-up's closing parenthesis gets a second one.
        let mut shadow_ends = Vec::new();
        let mut depth = 0u32;
        let mut in_layout = None;
        let mut at = 0;
        while at < tokens.len() {
            let token = tokens[at].clone();
            let next = tokens.get(at + 1);
            let called = next.is_some_and(|t| t.is("("));
            at += 1;
            match token.text.as_ref() {
                "(" | "[" | "{" => {
                    depth += 1;
                    out.push(token);
                    continue;
                }
                ")" | "]" | "}" => {
                    if in_layout == Some(depth) {
                        in_layout = None;
                    }
                    let ends = token.is(")") && shadow_ends.last() == Some(&depth);
                    depth = depth.saturating_sub(1);
                    if ends {
                        shadow_ends.pop();
                        out.push(token.clone());
                    }
                    out.push(token);
                    continue;
                }
                "precision" if !self.is_name(next) => {
                    // Precision has no effect in the desktop language.
                    while at < tokens.len() && !tokens[at].is(";") {
                        at += 1;
                    }
                    at += 1;
                    continue;
                }
                "highp" | "mediump" | "lowp" if !self.is_name(next) => continue,
                "layout" if called => in_layout = Some(depth + 1),
                _ => {}
            }
            if token.kind != Kind::Word {
                // The compiler forgets an empty statement and then misses one behind a last label.
                let after_label = out.last().is_some_and(|t| t.is(":"));
                if token.is(";") && after_label && next.is_some_and(|t| t.is("}")) {
                    out.push(Token {
                        kind: Kind::Word,
                        text: Cow::Borrowed("break"),
                        ..token.clone()
                    });
                }
                out.push(token);
                continue;
            }
            if in_layout.is_some() && matches!(token.text.as_ref(), "shared" | "packed") {
                // Any layout is right for these; std140 is the one that every stage agrees on.
                out.push(Token {
                    text: Cow::Borrowed("std140"),
                    ..token
                });
                continue;
            }
            let before = out.last().map_or("", |t| t.text.as_ref());
            let field = before == ".";
            let word = self.word(&token, field, called, &tokens[at..])?;
            if let Word::Shadow(_) = word {
                shadow_ends.push(depth + 1);
            }
            match word {
                Word::Keep => out.push(token),
                Word::Replace(text) => out.push(Token { text, ..token }),
                Word::Shadow(name) => {
                    let part = |kind, text: &'static str| Token {
                        kind,
                        text: Cow::Borrowed(text),
                        spaced: token.spaced && text == SHADOW,
                        ..token.clone()
                    };
                    out.push(part(Kind::Word, SHADOW));
                    out.push(part(Kind::Punct, "("));
                    out.push(part(Kind::Word, name));
                }
            }
        }
        Ok(out)
    }

    /// What becomes of a word. `rest` is what follows it.
    fn word(
        &mut self,
        token: &Token,
        field: bool,
        called: bool,
        rest: &[Token],
    ) -> Result<Word, LexError> {
        let refuse = |message: String| {
            Err(LexError {
                string: 0,
                line: token.line,
                message,
            })
        };
        let text = token.text.as_ref();
        let number = self.version.number;
        let user_function = self.functions.contains(text);
        if !field && self.has_old_names() {
            // The only function among them is no more than a name where it is not called.
            let means_built_in = called || text != "ftransform";
            if words::is_fixed_function(text) && means_built_in && !user_function {
                return refuse(format!(
                    "'{text}' : fixed-function built-ins are not supported"
                ));
            }
            match text {
                "attribute" if self.stage == ShaderStage::Vertex => return Ok(Word::new("in")),
                "varying" if self.stage == ShaderStage::Vertex => return Ok(Word::new("out")),
                "varying" if self.stage == ShaderStage::Fragment => return Ok(Word::new("in")),
                "attribute" | "varying" => {
                    return refuse(format!(
                        "'{text}' : not available in a {} shader",
                        self.stage.name()
                    ));
                }
                "gl_FragColor" if self.stage == ShaderStage::Fragment => {
                    if self.frag_data > 0 {
                        return refuse("'gl_FragColor' : gl_FragData is used too".to_owned());
                    }
                    self.uses_frag_color = true;
                    return Ok(Word::new(FRAG_COLOR));
                }
                "gl_FragData" if self.stage == ShaderStage::Fragment => {
                    if self.uses_frag_color {
                        return refuse("'gl_FragData' : gl_FragColor is used too".to_owned());
                    }
                    self.frag_data = self.frag_data.max(frag_data_elements(rest));
                    return Ok(Word::new(FRAG_DATA));
                }
                _ => {}
            }
            if called && !user_function && !self.structs.contains(text) {
                if let Some(call) = words::texture_call(text) {
                    self.uses_shadow |= call.shadow;
                    return Ok(if call.shadow {
                        Word::Shadow(call.name)
                    } else {
                        Word::new(call.name)
                    });
                }
                if let Some(size) = text
                    .strip_prefix("noise")
                    .and_then(|n| n.parse::<u32>().ok())
                    && (1..=4).contains(&size)
                {
                    self.noise.insert(size);
                    return Ok(Word::Replace(Cow::Owned(format!("mgl_noise{size}"))));
                }
            }
        }
        if !field {
            match text {
                "gl_DepthRange" => {
                    self.uses_depth_range = true;
                    return Ok(Word::new(DEPTH_RANGE));
                }
                "gl_DepthRangeParameters" => {
                    self.uses_depth_range = true;
                    let name = format!("{DEPTH_RANGE}Parameters");
                    return Ok(Word::Replace(Cow::Owned(name)));
                }
                "gl_InstanceIDARB" | "gl_InstanceIDEXT" => return Ok(Word::new("gl_InstanceID")),
                _ => {}
            }
            if let Some(value) = words::old_constant(text) {
                return Ok(Word::new(value));
            }
        }
        let hides_look_up = words::is_texture_function(text)
            && (!called || field || (user_function && number < 130));
        // Two words in a row: the first is a qualifier or a type, whatever the version says.
        let qualifies =
            rest.first().is_some_and(|t| t.kind == Kind::Word) || (text == "layout" && called);
        let function = user_function
            && called
            && !field
            && (words::is_later_function(text, number) || self.redefined.contains(text));
        let later = self.names.contains(text) || words::must_rename(text, number, qualifies);
        if hides_look_up || function || later {
            return Ok(Word::Replace(Cow::Owned(format!("{RENAME_PREFIX}{text}"))));
        }
        Ok(Word::Keep)
    }

    /// Declarations that the translated text needs, on one line.
    fn declarations(&self) -> String {
        let mut text = String::new();
        if self.uses_frag_color {
            let _ = write!(text, "out vec4 {FRAG_COLOR};");
        }
        if self.frag_data > 0 {
            let _ = write!(text, "out vec4 {FRAG_DATA}[{}];", self.frag_data);
        }
        if self.uses_depth_range {
            let _ = write!(
                text,
                "struct {DEPTH_RANGE}Parameters{{float near;float far;float diff;}};\
                 uniform {DEPTH_RANGE}Parameters {DEPTH_RANGE};"
            );
        }
        if self.uses_shadow {
            // Depth textures read as (r, r, r, 1) by default (GL 3.0 §3.9.14).
            let _ = write!(text, "vec4 {SHADOW}(float r){{return vec4(r,r,r,1.0);}}");
        }
        for size in &self.noise {
            // GLSL 4.40 §8.14: noise gives zero.
            let result = if *size == 1 {
                "float".to_owned()
            } else {
                format!("vec{size}")
            };
            for argument in ["float", "vec2", "vec3", "vec4"] {
                let _ = write!(
                    text,
                    "{result} mgl_noise{size}({argument} x){{return {result}(0.0);}}"
                );
            }
        }
        text
    }
}

/// Words that later versions have or reserve and that are declared as names here: of variables, members,
/// parameters, functions, structures and blocks.
fn later_names(tokens: &[Token], version: u32) -> HashSet<String> {
    let mut names = HashSet::new();
    for window in tokens.windows(3) {
        let [before, word, after] = window else {
            continue;
        };
        if word.kind != Kind::Word || !words::is_later_word(&word.text, version) {
            continue;
        }
        let before_name = match before.text.as_ref() {
            "return" | "else" | "case" | "do" => false,
            // What follows may be a type, unless it is a block's name.
            qualifier if globals::is_qualifier(qualifier) => after.is("{"),
            "varying" | "attribute" => false,
            ")" => after.is("{"),
            "]" => true,
            _ => before.kind == Kind::Word,
        };
        let behind_name = matches!(after.text.as_ref(), ";" | "=" | "," | ")" | "[" | "(" | "{");
        if before_name && behind_name {
            names.insert(word.text.to_string());
        }
    }
    names
}

enum Word {
    Keep,
    Replace(Cow<'static, str>),
    /// A look-up that gives one component where the program expects four.
    Shadow(&'static str),
}

impl Word {
    fn new(text: &'static str) -> Word {
        Word::Replace(Cow::Borrowed(text))
    }
}

/// Elements that an access to gl_FragData needs.
fn frag_data_elements(rest: &[Token]) -> u32 {
    match rest {
        [open, index, close, ..] if open.is("[") && close.is("]") => {
            // An index out of range is the compiler's to report.
            index
                .text
                .parse::<u32>()
                .map_or(FRAG_DATA_MAX, |n| n.min(FRAG_DATA_MAX - 1) + 1)
        }
        _ => FRAG_DATA_MAX,
    }
}

/// Writes tokens, each on its own line of the source.
fn write_tokens(tokens: &[Token], text: &mut String) {
    let mut line = 1;
    let mut previous: Option<&Token> = None;
    for token in tokens {
        if line < token.line {
            while line < token.line {
                text.push('\n');
                line += 1;
            }
        } else if let Some(previous) = previous
            && (token.spaced || needs_space(previous, token))
        {
            text.push(' ');
        }
        text.push_str(&token.text);
        previous = Some(token);
    }
    text.push('\n');
}

/// True when two tokens side by side would be read as something else.
fn needs_space(a: &Token, b: &Token) -> bool {
    match (a.kind, b.kind) {
        (Kind::Punct, Kind::Punct) => {
            let brackets = |t: &Token| {
                matches!(
                    t.text.as_ref(),
                    "(" | ")" | "[" | "]" | "{" | "}" | ";" | ","
                )
            };
            !brackets(a) && !brackets(b)
        }
        (Kind::Punct, Kind::Number) => a.is("."),
        (Kind::Number, Kind::Punct) => b.is("."),
        (Kind::Punct, Kind::Word) | (Kind::Word, Kind::Punct) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests;
