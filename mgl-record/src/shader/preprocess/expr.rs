//! Integer expressions of `#if` (GLSL 3.30 §3.3). A name that is no macro is zero, as in C: the
//! specification leaves it an error, and programs rely on zero.

use crate::shader::lex::{Kind, Token};

/// Deepest nesting of parentheses and prefix operators.
const MAX_DEPTH: u32 = 200;

struct Parser<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
}

/// Value of an expression, or what is wrong with it. Arithmetic wraps.
pub fn evaluate(tokens: &[Token]) -> Result<i64, String> {
    let mut parser = Parser { tokens, at: 0 };
    let value = parser.binary(0, 0)?;
    match parser.peek() {
        None => Ok(value),
        Some(token) => Err(format!("unexpected '{token}'")),
    }
}

/// Values of expressions that stand side by side, as `#line` has them.
pub fn evaluate_list(tokens: &[Token]) -> Result<Vec<i64>, String> {
    let mut parser = Parser { tokens, at: 0 };
    let mut values = Vec::new();
    while parser.peek().is_some() {
        values.push(parser.binary(0, 0)?);
    }
    Ok(values)
}

/// Precedence of a binary operator, the loosest is 1.
fn precedence(operator: &str) -> Option<u32> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

fn apply(operator: &str, a: i64, b: i64) -> Result<i64, String> {
    let shift = (b & 63) as u32;
    Ok(match operator {
        "||" => i64::from(a != 0 || b != 0),
        "&&" => i64::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<" => i64::from(a < b),
        ">" => i64::from(a > b),
        "<=" => i64::from(a <= b),
        ">=" => i64::from(a >= b),
        "<<" => a.wrapping_shl(shift),
        ">>" => a.wrapping_shr(shift),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        _ if b == 0 => return Err("division by zero".to_owned()),
        "/" => a.wrapping_div(b),
        _ => a.wrapping_rem(b),
    })
}

impl Parser<'_, '_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(|t| t.text.as_ref())
    }

    fn binary(&mut self, least: u32, depth: u32) -> Result<i64, String> {
        let mut value = self.unary(depth)?;
        while let Some(operator) = self.peek().map(str::to_owned)
            && let Some(level) = precedence(&operator)
            && level > least
        {
            self.at += 1;
            let right = self.binary(level, depth + 1);
            // `a || b` where a decides: b may be an error that does not matter, like 1/0.
            let right = match (operator.as_str(), value != 0) {
                ("||", true) | ("&&", false) => right.unwrap_or(0),
                _ => right?,
            };
            value = apply(&operator, value, right)?;
        }
        Ok(value)
    }

    fn unary(&mut self, depth: u32) -> Result<i64, String> {
        if depth > MAX_DEPTH {
            return Err("the expression is nested too deeply".to_owned());
        }
        let Some(token) = self.tokens.get(self.at) else {
            return Err("the expression has no end".to_owned());
        };
        self.at += 1;
        match (token.kind, token.text.as_ref()) {
            (_, "+") => self.unary(depth + 1),
            (_, "-") => Ok(self.unary(depth + 1)?.wrapping_neg()),
            (_, "!") => Ok(i64::from(self.unary(depth + 1)? == 0)),
            (_, "~") => Ok(!self.unary(depth + 1)?),
            (_, "(") => {
                let value = self.binary(0, depth + 1)?;
                if self.peek() != Some(")") {
                    return Err("missing ')'".to_owned());
                }
                self.at += 1;
                Ok(value)
            }
            (Kind::Number, text) => number(text),
            (Kind::Word, _) => Ok(0),
            (_, text) => Err(format!("unexpected '{text}'")),
        }
    }
}

fn number(text: &str) -> Result<i64, String> {
    let digits = text.trim_end_matches(['u', 'U']);
    let parsed = if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        i64::from_str_radix(hex, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(&digits[1..], 8)
    } else {
        digits.parse()
    };
    parsed.map_err(|_| format!("'{text}' is no integer"))
}
