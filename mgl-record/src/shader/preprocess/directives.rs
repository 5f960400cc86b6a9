//! The directives: conditionals, definitions, `#extension`, `#line` and the rest.

use super::{LineMark, Macro, Preprocessor, Result, error, expr, extensions};
use crate::shader::lex::{Kind, Token};
use extensions::Handling;
use std::borrow::Cow;
use std::rc::Rc;

/// Most nested `#if`s.
const MAX_CONDITIONALS: usize = 1000;

/// One `#if` that is open.
pub struct Conditional {
    pub line: u32,
    /// The branch now read is taken.
    pub taking: bool,
    /// A branch has been taken already.
    taken: bool,
    seen_else: bool,
}

impl<'a> Preprocessor<'a> {
    /// Reads the directive at `at` and does what it says.
    pub fn directive(&mut self) -> Result<()> {
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
