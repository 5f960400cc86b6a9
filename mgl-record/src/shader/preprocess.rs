//! The GLSL preprocessor (GLSL 3.30 §3.3, GLSL 4.60 §3.3): conditionals, macros, `#version`,
//! `#extension`, `#line`. It works on tokens and keeps every token's own line, and it defines
//! exactly the macros that this driver answers for.

mod directives;
mod expr;
mod extensions;
mod macros;

pub use expr::evaluate;

use super::ProfileHint;
use super::lex::{Kind, LexError, Token, lex};
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// Most tokens that a shader may have after expansion: macros that double each other must end.
const MAX_TOKENS: usize = 1 << 21;
/// The `#version` in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The language's number; 120 for GLSL ES 1.00, which is a part of that.
    pub number: u32,
    pub compatibility: bool,
    /// GLSL ES 1.00 (`#version 100`, ARB_ES2_compatibility).
    pub es: bool,
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
    conditionals: Vec<directives::Conditional>,
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
                es: false,
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
            // Old words and all: precision has no effect, as in the desktop's language.
            None if number == 100 => {
                self.out.version = Version {
                    number: 120,
                    compatibility: true,
                    es: true,
                };
                return Ok(());
            }
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
        if version.es {
            define("__VERSION__", "100".to_owned());
            define("GL_ES", "1".to_owned());
            define("GL_FRAGMENT_PRECISION_HIGH", "1".to_owned());
        } else {
            define("__VERSION__", version.number.to_string());
        }
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

    /// String and line as the program counts, for `__FILE__` and `__LINE__`.
    fn program_place(&self, line: u32) -> (u32, u32) {
        program_line(&self.out.line_marks, line)
    }
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
