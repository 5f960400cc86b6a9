//! The GLSL preprocessor (GLSL 3.30 §3.3, GLSL 4.60 §3.3): conditionals, macros, `#version`,
//! `#extension`, `#line`. It works on tokens and keeps every token's own line, and it defines
//! exactly the macros that this driver answers for.

mod expr;
mod extensions;

use super::ProfileHint;
use super::lex::{Kind, LexError, Token, lex};
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

pub use extensions::Handling;

/// Most tokens that a shader may have after expansion: macros that double each other must end.
const MAX_TOKENS: usize = 1 << 21;
/// Deepest nesting of macro expansions within macro arguments.
const MAX_DEPTH: u32 = 200;
/// Most nested `#if`s.
const MAX_CONDITIONALS: usize = 1000;

/// The `#version` in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub number: u32,
    pub compatibility: bool,
}

/// A `#line`: the lines after `line` count from `number` in string `string`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineMark {
    pub line: u32,
    pub number: u32,
    pub string: u32,
}

/// What preprocessing leaves.
#[derive(Debug)]
pub struct Preprocessed<'a> {
    pub version: Version,
    pub tokens: Vec<Token<'a>>,
    /// Extensions in force for glslang, with the behaviour to ask for.
    pub extensions: Vec<(&'static str, &'static str)>,
    pub line_marks: Vec<LineMark>,
    /// `#pragma STDGL invariant(all)`.
    pub invariant_all: bool,
    pub warnings: Vec<(u32, String)>,
}

struct Macro<'a> {
    /// Names of the parameters of a function-like macro.
    parameters: Option<Vec<Cow<'a, str>>>,
    body: Vec<Token<'a>>,
}

/// One `#if` that is open.
struct Conditional {
    line: u32,
    /// The branch now read is taken.
    taking: bool,
    /// A branch has been taken already.
    taken: bool,
    seen_else: bool,
}

/// Tokens being read: the text, or a macro's replacement on top of it.
struct Frame<'a> {
    tokens: std::vec::IntoIter<Token<'a>>,
    name: Option<String>,
}

type Result<T> = std::result::Result<T, LexError>;

fn error<T>(line: u32, message: impl Into<String>) -> Result<T> {
    Err(LexError {
        string: 0,
        line,
        message: message.into(),
    })
}

struct Preprocessor<'a> {
    source: Vec<Token<'a>>,
    at: usize,
    hint: ProfileHint,
    macros: HashMap<String, Rc<Macro<'a>>>,
    conditionals: Vec<Conditional>,
    expanded: usize,
    out: Preprocessed<'a>,
}

/// Runs the preprocessor over spliced text. An error's line is the one that the program counts.
pub fn preprocess<'a>(
    text: &'a str,
    splices: &[usize],
    hint: ProfileHint,
) -> Result<Preprocessed<'a>> {
    let mut p = Preprocessor {
        source: lex(text, splices)?,
        at: 0,
        hint,
        macros: HashMap::new(),
        conditionals: Vec::new(),
        expanded: 0,
        out: Preprocessed {
            version: Version {
                number: 110,
                compatibility: !hint.core,
            },
            tokens: Vec::new(),
            extensions: Vec::new(),
            line_marks: Vec::new(),
            invariant_all: false,
            warnings: Vec::new(),
        },
    };
    let done = p.version().and_then(|()| {
        p.predefine();
        p.run()
    });
    match done {
        Ok(()) => Ok(p.out),
        Err(error) => {
            let (string, line) = program_line(&p.out.line_marks, error.line);
            Err(LexError {
                string,
                line,
                ..error
            })
        }
    }
}

impl<'a> Preprocessor<'a> {
    /// Reads `#version`, which only comments and white space may precede.
    fn version(&mut self) -> Result<()> {
        let starts =
            self.source.len() >= 2 && self.source[0].is("#") && self.source[1].is("version");
        if !starts {
            return self.check_version(1, false);
        }
        let line = self.source[0].line;
        let words = self.directive_line(2);
        let number = words.first().and_then(|t| t.text.parse::<u32>().ok());
        let Some(number) = number else {
            return error(line, "'#version' : a number must follow");
        };
        let profile = words.get(1).map(|t| t.text.to_string());
        if words.len() > 2 {
            return error(line, "'#version' : too many words");
        }
        self.at = 2 + words.len();
        self.out.version.number = number;
        self.out.version.compatibility = match profile.as_deref() {
            Some("core") if number >= 150 => false,
            Some("compatibility") if number >= 150 => true,
            // Profiles begin with 1.50; before that a compatibility context has the old language.
            None if number >= 150 => false,
            None => number < 140 || !self.hint.core,
            Some("es") => {
                return error(line, format!("'#version' : {number} es is not supported"));
            }
            Some(word) => return error(line, format!("'#version' : no profile '{word}' here")),
        };
        self.check_version(line, true)
    }

    fn check_version(&self, line: u32, given: bool) -> Result<()> {
        const KNOWN: [u32; 13] = [
            110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460,
        ];
        let number = self.out.version.number;
        if given && (!KNOWN.contains(&number) || number > self.hint.max_version) {
            return error(
                line,
                format!(
                    "'#version' : GLSL {number} is not supported (110 to {} are)",
                    self.hint.max_version
                ),
            );
        }
        Ok(())
    }

    fn predefine(&mut self) {
        let version = self.out.version;
        let mut define = |name: &str, value: String| {
            let body = vec![Token {
                kind: Kind::Number,
                text: Cow::Owned(value),
                line: 0,
                first: false,
                spaced: true,
                frozen: false,
            }];
            self.macros.insert(
                name.to_owned(),
                Rc::new(Macro {
                    parameters: None,
                    body,
                }),
            );
        };
        define("__VERSION__", version.number.to_string());
        define("__FILE__", "0".to_owned());
        if version.number >= 150 {
            define("GL_core_profile", "1".to_owned());
            if version.compatibility {
                define("GL_compatibility_profile", "1".to_owned());
            }
        }
        for extension in extensions::SUPPORTED {
            define(extension.name, "1".to_owned());
        }
    }

    /// The tokens of the directive's line from `at` on.
    fn directive_line(&self, at: usize) -> Vec<Token<'a>> {
        self.source[at.min(self.source.len())..]
            .iter()
            .take_while(|t| !t.first)
            .cloned()
            .collect()
    }

    fn taking(&self) -> bool {
        self.conditionals.iter().all(|c| c.taking)
    }

    fn run(&mut self) -> Result<()> {
        while self.at < self.source.len() {
            let token = &self.source[self.at];
            if token.first && token.is("#") {
                self.directive()?;
                continue;
            }
            if !self.taking() {
                self.at += 1;
                continue;
            }
            let token = token.clone();
            self.at += 1;
            if token.kind == Kind::Word && self.expands(&token) {
                let tokens = self.expand_at(token)?;
                self.out.tokens.extend(tokens);
            } else {
                self.expanded += 1;
                self.out.tokens.push(token);
            }
            if self.out.tokens.len() > MAX_TOKENS {
                return error(self.last_line(), "'' : the shader is too long");
            }
        }
        match self.conditionals.last() {
            Some(open) => error(open.line, "'#if' : missing #endif"),
            None => Ok(()),
        }
    }

    fn last_line(&self) -> u32 {
        self.source
            .get(self.at.saturating_sub(1))
            .map_or(1, |t| t.line)
    }

    fn expands(&self, token: &Token) -> bool {
        !token.frozen && (token.is("__LINE__") || self.macros.contains_key(token.text.as_ref()))
    }

    /// Line number as the program counts, for `__LINE__`.
    fn program_line(&self, line: u32) -> u32 {
        program_line(&self.out.line_marks, line).1
    }

    /// Expands the macro that `token` names; the arguments of a function-like one come from the
    /// source behind it.
    fn expand_at(&mut self, token: Token<'a>) -> Result<Vec<Token<'a>>> {
        let line = token.line;
        let mut done = self.expand(vec![token], &mut Vec::new(), true, 0)?;
        for token in &mut done {
            token.line = line;
            token.frozen = false;
            token.first = false;
        }
        Ok(done)
    }

    /// Expands a list of tokens fully. `active` holds the macros being expanded around it. With
    /// `from_source`, an invocation whose arguments are cut off continues in the source.
    fn expand(
        &mut self,
        tokens: Vec<Token<'a>>,
        active: &mut Vec<String>,
        from_source: bool,
        depth: u32,
    ) -> Result<Vec<Token<'a>>> {
        let mut out = Vec::new();
        let mut frames = vec![Frame {
            tokens: tokens.into_iter(),
            name: None,
        }];
        let depth_error = |line| error(line, "'' : macros are nested too deeply");
        if depth > MAX_DEPTH {
            return depth_error(self.last_line());
        }
        while let Some(frame) = frames.last_mut() {
            let Some(mut token) = frame.tokens.next() else {
                let frame = frames.pop().expect("the loop's condition saw it");
                if frame.name.is_some() {
                    active.pop();
                }
                continue;
            };
            self.expanded += 1;
            if self.expanded > MAX_TOKENS {
                return error(token.line.max(1), "'' : macro expansion is too long");
            }
            if token.kind != Kind::Word || token.frozen {
                out.push(token);
                continue;
            }
            if token.is("__LINE__") {
                let line = self.program_line(self.last_line()).to_string();
                out.push(Token {
                    kind: Kind::Number,
                    text: Cow::Owned(line),
                    ..token
                });
                continue;
            }
            let Some(found) = self.macros.get(token.text.as_ref()).cloned() else {
                out.push(token);
                continue;
            };
            if active.iter().any(|name| *name == token.text) {
                token.frozen = true;
                out.push(token);
                continue;
            }
            let name = token.text.to_string();
            let body = match &found.parameters {
                None => found.body.clone(),
                Some(parameters) => {
                    let Some(arguments) =
                        self.arguments(&token, &mut frames, active, from_source)?
                    else {
                        out.push(token);
                        continue;
                    };
                    self.substitute(&token, &found, parameters, arguments, active, depth)?
                }
            };
            let body = paste(body, &token)?;
            if active.len() > 4096 {
                return depth_error(token.line.max(1));
            }
            active.push(name.clone());
            frames.push(Frame {
                tokens: body.into_iter(),
                name: Some(name),
            });
        }
        Ok(out)
    }

    /// Reads `( ... )` behind a function-like macro's name; `None` when no parenthesis follows.
    fn arguments(
        &mut self,
        token: &Token<'a>,
        frames: &mut Vec<Frame<'a>>,
        active: &mut Vec<String>,
        from_source: bool,
    ) -> Result<Option<Vec<Vec<Token<'a>>>>> {
        // Look for the parenthesis first: without it nothing is consumed.
        let in_frames = frames
            .iter()
            .rev()
            .find_map(|f| f.tokens.as_slice().first());
        let opens = match in_frames {
            Some(next) => next.is("("),
            None => from_source && self.source.get(self.at).is_some_and(|t| t.is("(")),
        };
        if !opens {
            return Ok(None);
        }
        let mut arguments = vec![Vec::new()];
        let mut depth = 0u32;
        loop {
            let next = self.next_raw(frames, active, from_source)?;
            let Some(next) = next else {
                return error(
                    token.line.max(1),
                    format!("'{}' : the macro's arguments have no end", token.text),
                );
            };
            self.expanded += 1;
            if self.expanded > MAX_TOKENS {
                return error(token.line.max(1), "'' : macro expansion is too long");
            }
            match next.text.as_ref() {
                "(" => {
                    depth += 1;
                    if depth == 1 {
                        continue;
                    }
                }
                ")" => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(Some(arguments));
                    }
                }
                "," if depth == 1 => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            arguments
                .last_mut()
                .expect("there is always one")
                .push(next);
        }
    }

    /// The next token of the innermost frame that has one, then of the source.
    fn next_raw(
        &mut self,
        frames: &mut Vec<Frame<'a>>,
        active: &mut Vec<String>,
        from_source: bool,
    ) -> Result<Option<Token<'a>>> {
        while let Some(frame) = frames.last_mut() {
            if let Some(token) = frame.tokens.next() {
                return Ok(Some(token));
            }
            // The outermost frame stays, so that the caller's loop ends in order.
            if frames.len() == 1 {
                break;
            }
            if frames.pop().is_some_and(|f| f.name.is_some()) {
                active.pop();
            }
        }
        if !from_source {
            return Ok(None);
        }
        while let Some(token) = self.source.get(self.at) {
            if token.first && token.is("#") {
                self.directive()?;
                continue;
            }
            self.at += 1;
            if self.taking() {
                return Ok(Some(self.source[self.at - 1].clone()));
            }
        }
        Ok(None)
    }

    /// A function-like macro's body with its arguments in place.
    fn substitute(
        &mut self,
        token: &Token<'a>,
        found: &Macro<'a>,
        parameters: &[Cow<'a, str>],
        mut arguments: Vec<Vec<Token<'a>>>,
        active: &mut [String],
        depth: u32,
    ) -> Result<Vec<Token<'a>>> {
        if parameters.is_empty() && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if arguments.len() != parameters.len() {
            return error(
                token.line.max(1),
                format!(
                    "'{}' : the macro takes {} arguments, {} are given",
                    token.text,
                    parameters.len(),
                    arguments.len()
                ),
            );
        }
        let mut ready: Vec<Option<Vec<Token<'a>>>> = vec![None; arguments.len()];
        let mut body = Vec::with_capacity(found.body.len());
        for (at, piece) in found.body.iter().enumerate() {
            let parameter = (piece.kind == Kind::Word)
                .then(|| parameters.iter().position(|p| *p == piece.text))
                .flatten();
            let Some(parameter) = parameter else {
                body.push(piece.clone());
                continue;
            };
            let pasted = found.body.get(at + 1).is_some_and(|t| t.is("##"))
                || (at > 0 && found.body[at - 1].is("##"));
            let mut tokens = if pasted {
                arguments[parameter].clone()
            } else {
                if ready[parameter].is_none() {
                    let raw = arguments[parameter].clone();
                    // An argument is expanded as if it stood alone: an enclosing expansion's names
                    // stay blocked, its frames are out of reach.
                    let mut names = active.to_vec();
                    ready[parameter] = Some(self.expand(raw, &mut names, false, depth + 1)?);
                }
                ready[parameter].clone().expect("it has just been made")
            };
            if let Some(first) = tokens.first_mut() {
                first.spaced |= piece.spaced;
            }
            if body.len() + tokens.len() > MAX_TOKENS {
                return error(token.line.max(1), "'' : macro expansion is too long");
            }
            body.extend(tokens);
        }
        Ok(body)
    }

    fn directive(&mut self) -> Result<()> {
        let line = self.source[self.at].line;
        let words = self.directive_line(self.at + 1);
        self.at += 1 + words.len();
        let Some(name) = words.first() else {
            return Ok(());
        };
        let rest = &words[1..];
        let taking = self.taking();
        match name.text.as_ref() {
            "if" | "ifdef" | "ifndef" => {
                if self.conditionals.len() >= MAX_CONDITIONALS {
                    return error(line, "'#if' : nested too deeply");
                }
                let holds = taking
                    && match name.text.as_ref() {
                        "if" => self.condition(line, rest)?,
                        "ifdef" => self.is_defined(line, rest)?,
                        _ => !self.is_defined(line, rest)?,
                    };
                self.conditionals.push(Conditional {
                    line,
                    taking: holds,
                    // Nothing inside a skipped branch is ever taken.
                    taken: holds || !taking,
                    seen_else: false,
                });
                Ok(())
            }
            "elif" | "else" => self.alternative(line, name.is("elif"), rest),
            "endif" => match self.conditionals.pop() {
                Some(_) => Ok(()),
                None => error(line, "'#endif' : no matching #if"),
            },
            _ if !taking => Ok(()),
            "define" => self.define(line, rest),
            "undef" => match rest {
                [name] if name.kind == Kind::Word => {
                    if name.text.starts_with("GL_")
                        || name.text.starts_with("__") && is_predefined(&name.text)
                    {
                        return error(line, format!("'#undef' : '{}' is predefined", name.text));
                    }
                    self.macros.remove(name.text.as_ref());
                    Ok(())
                }
                _ => error(line, "'#undef' : one name must follow"),
            },
            "error" => {
                let text: Vec<&str> = rest.iter().map(|t| t.text.as_ref()).collect();
                error(line, format!("'#error' : {}", text.join(" ")))
            }
            "pragma" => {
                let text: String = rest.iter().map(|t| t.text.as_ref()).collect();
                self.out.invariant_all |= text == "STDGLinvariant(all)";
                Ok(())
            }
            "extension" => self.extension(line, rest),
            "line" => self.line(line, rest),
            "version" => error(line, "'#version' : must come before anything else"),
            other => error(line, format!("'#{other}' : no such directive")),
        }
    }

    fn alternative(&mut self, line: u32, is_elif: bool, rest: &[Token<'a>]) -> Result<()> {
        let name = if is_elif { "#elif" } else { "#else" };
        let Some(current) = self.conditionals.last() else {
            return error(line, format!("'{name}' : no matching #if"));
        };
        if current.seen_else {
            return error(line, format!("'{name}' : comes after #else"));
        }
        let open = !current.taken;
        // The condition of a branch that cannot be taken is not looked at.
        let takes = open && (!is_elif || self.condition(line, rest)?);
        let current = self
            .conditionals
            .last_mut()
            .expect("it was there before the condition");
        current.seen_else = !is_elif;
        current.taking = takes;
        current.taken |= takes;
        Ok(())
    }

    fn is_defined(&self, line: u32, rest: &[Token]) -> Result<bool> {
        match rest.first() {
            Some(name) if name.kind == Kind::Word => Ok(self.has_macro(&name.text)),
            _ => error(line, "'#ifdef' : a name must follow"),
        }
    }

    fn has_macro(&self, name: &str) -> bool {
        self.macros.contains_key(name) || name == "__LINE__"
    }

    fn condition(&mut self, line: u32, rest: &[Token<'a>]) -> Result<bool> {
        // `defined` is answered before macros are expanded.
        let mut tokens = Vec::with_capacity(rest.len());
        let mut at = 0;
        while at < rest.len() {
            let token = &rest[at];
            at += 1;
            if !token.is("defined") {
                tokens.push(token.clone());
                continue;
            }
            let bracketed = rest.get(at).is_some_and(|t| t.is("("));
            let name = rest.get(at + usize::from(bracketed));
            let closed = !bracketed || rest.get(at + 2).is_some_and(|t| t.is(")"));
            match name {
                Some(name) if name.kind == Kind::Word && closed => {
                    let value = if self.has_macro(&name.text) { "1" } else { "0" };
                    tokens.push(Token {
                        kind: Kind::Number,
                        text: Cow::Borrowed(value),
                        ..token.clone()
                    });
                    at += if bracketed { 3 } else { 1 };
                }
                _ => return error(line, "'defined' : a name must follow"),
            }
        }
        let tokens = self.expand(tokens, &mut Vec::new(), false, 0)?;
        match expr::evaluate(&tokens) {
            Ok(value) => Ok(value != 0),
            Err(message) => error(line, format!("'#if' : {message}")),
        }
    }

    fn define(&mut self, line: u32, rest: &[Token<'a>]) -> Result<()> {
        let Some(name) = rest.first().filter(|t| t.kind == Kind::Word) else {
            return error(line, "'#define' : a name must follow");
        };
        if name.text.starts_with("GL_") || name.is("defined") || is_predefined(&name.text) {
            return error(line, format!("'#define' : '{}' is reserved", name.text));
        }
        let mut body = &rest[1..];
        let mut parameters = None;
        if let Some(open) = body.first()
            && open.is("(")
            && !open.spaced
        {
            let Some(close) = body.iter().position(|t| t.is(")")) else {
                return error(line, "'#define' : the parameters have no end");
            };
            let mut names: Vec<Cow<'a, str>> = Vec::new();
            for (at, token) in body[1..close].iter().enumerate() {
                let comma = at % 2 == 1;
                if comma != token.is(",") || (!comma && token.kind != Kind::Word) {
                    return error(line, "'#define' : the parameters are not a list of names");
                }
                if !comma {
                    if names.contains(&token.text) {
                        return error(
                            line,
                            format!("'#define' : parameter '{}' appears twice", token.text),
                        );
                    }
                    names.push(token.text.clone());
                }
            }
            if close > 1 && close % 2 == 1 {
                return error(line, "'#define' : the parameters are not a list of names");
            }
            parameters = Some(names);
            body = &body[close + 1..];
        }
        let body = body.to_vec();
        if let Some(old) = self.macros.get(name.text.as_ref()) {
            let same_body = old.body.len() == body.len()
                && old.body.iter().zip(&body).all(|(a, b)| a.text == b.text);
            if !same_body || old.parameters != parameters {
                return error(
                    line,
                    format!("'#define' : '{}' is defined differently before", name.text),
                );
            }
        }
        self.macros
            .insert(name.text.to_string(), Rc::new(Macro { parameters, body }));
        Ok(())
    }

    fn extension(&mut self, line: u32, rest: &[Token<'a>]) -> Result<()> {
        let [name, colon, behaviour] = rest else {
            return error(line, "'#extension' : wants `name : behaviour`");
        };
        let behaviour = match behaviour.text.as_ref() {
            "require" => "require",
            "enable" => "enable",
            "warn" => "warn",
            "disable" => "disable",
            other => return error(line, format!("'#extension' : no behaviour '{other}'")),
        };
        if !colon.is(":") {
            return error(line, "'#extension' : wants `name : behaviour`");
        }
        if name.is("all") {
            return match behaviour {
                "warn" | "disable" => Ok(()),
                _ => error(line, "'#extension' : 'all' takes only warn or disable"),
            };
        }
        match extensions::find(&name.text) {
            Some(extension) => {
                if extension.handling == Handling::PassOn {
                    self.out.extensions.push((extension.name, behaviour));
                }
                Ok(())
            }
            None if behaviour == "require" => error(
                line,
                format!("'#extension' : '{}' is not supported", name.text),
            ),
            None => {
                if behaviour != "disable" {
                    let warning = format!("'#extension' : '{}' is not supported", name.text);
                    self.out.warnings.push((line, warning));
                }
                Ok(())
            }
        }
    }

    fn line(&mut self, line: u32, rest: &[Token<'a>]) -> Result<()> {
        let rest = self.expand(rest.to_vec(), &mut Vec::new(), false, 0)?;
        let values = expr::evaluate_list(&rest);
        let number = |v: i64| u32::try_from(v).ok();
        let values = values
            .ok()
            .and_then(|v| v.into_iter().map(number).collect::<Option<Vec<_>>>());
        let Some(values) = values.filter(|v| (1..=2).contains(&v.len())) else {
            return error(line, "'#line' : a line number must follow");
        };
        // Before GLSL 3.30 the number was the directive's own line (§3.3 of 1.10 to 1.50).
        let own = u32::from(self.out.version.number < 330);
        let string = values
            .get(1)
            .copied()
            .or_else(|| self.out.line_marks.last().map(|m| m.string));
        self.out.line_marks.push(LineMark {
            line,
            number: values[0].saturating_add(own),
            string: string.unwrap_or(0),
        });
        Ok(())
    }
}

fn is_predefined(name: &str) -> bool {
    matches!(name, "__LINE__" | "__FILE__" | "__VERSION__")
}

/// Does the `##`s of a replacement list.
fn paste<'a>(body: Vec<Token<'a>>, invocation: &Token<'a>) -> Result<Vec<Token<'a>>> {
    if !body.iter().any(|t| t.is("##")) {
        return Ok(body);
    }
    let mut out: Vec<Token<'a>> = Vec::with_capacity(body.len());
    let mut tokens = body.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if !token.is("##") {
            out.push(token);
            continue;
        }
        let (Some(left), Some(right)) = (out.pop(), tokens.next()) else {
            return error(invocation.line.max(1), "'##' : nothing to paste");
        };
        let text = format!("{}{}", left.text, right.text);
        let pieces = lex(&text, &[])?;
        let [piece] = pieces.as_slice() else {
            return error(
                invocation.line.max(1),
                format!("'##' : '{text}' is not one token"),
            );
        };
        let kind = piece.kind;
        out.push(Token {
            kind,
            text: Cow::Owned(text),
            ..left
        });
    }
    Ok(out)
}

/// String and line number of a line of the text, as the program counts them.
pub fn program_line(marks: &[LineMark], line: u32) -> (u32, u32) {
    match marks.iter().rev().find(|m| m.line < line) {
        Some(mark) => (
            mark.string,
            mark.number.saturating_add(line - mark.line - 1),
        ),
        None => (0, line),
    }
}

#[cfg(test)]
mod tests;
