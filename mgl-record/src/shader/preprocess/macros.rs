//! Macro expansion (GLSL 3.30 §3.3, after C99 §6.10.3): replacement lists are read as a stack of
//! frames on top of the source, a macro is blocked while its own replacement is read, and an
//! invocation may take its arguments from behind the frame that names it.

use super::{MAX_TOKENS, Macro, Preprocessor, Result, error};
use crate::shader::lex::{Kind, Token, lex};
use std::borrow::Cow;

/// Deepest nesting of macro expansions within macro arguments.
const MAX_DEPTH: u32 = 200;
/// Tokens being read: the text, or a macro's replacement on top of it.
struct Frame<'a> {
    tokens: std::vec::IntoIter<Token<'a>>,
    name: Option<String>,
}

impl<'a> Preprocessor<'a> {
    /// Expands the macro that `token` names; the arguments of a function-like one come from the
    /// source behind it.
    pub fn expand_at(&mut self, token: Token<'a>) -> Result<Vec<Token<'a>>> {
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
    pub fn expand(
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
            if token.is("__LINE__") || token.is("__FILE__") {
                let (string, line) = self.program_place(self.last_line());
                let value = if token.is("__LINE__") { line } else { string };
                out.push(Token {
                    kind: Kind::Number,
                    text: Cow::Owned(value.to_string()),
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
        active: &[String],
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
