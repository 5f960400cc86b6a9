//! Tokens of GLSL text (GLSL 3.30 §3.1 to §3.7): comments become white space, spliced lines are
//! joined, every token knows its line in the text as given.

use std::borrow::Cow;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An identifier or a keyword.
    Word,
    /// A preprocessing number: every numeric literal, valid or not.
    Number,
    /// An operator or a punctuator.
    Punct,
    /// A character that GLSL has no use for (a quote, `@`, anything beyond ASCII).
    Stray,
}

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: Cow<'a, str>,
    /// Line in the text, the first one is 1.
    pub line: u32,
    /// The first token on its line.
    pub first: bool,
    /// White space or a comment stands before it.
    pub spaced: bool,
    /// A macro's name that must not be expanded again.
    pub frozen: bool,
}

impl Token<'_> {
    /// True for a word or punctuator with this text.
    pub fn is(&self, text: &str) -> bool {
        self.text == text
    }
}

/// What cannot be cut into tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexError {
    /// Number of the source string, which only `#line` sets.
    pub string: u32,
    pub line: u32,
    pub message: String,
}

/// Punctuators of more than one character, longest first.
const LONG_PUNCTUATORS: [&str; 22] = [
    "<<=", ">>=", "++", "--", "<=", ">=", "==", "!=", "&&", "||", "^^", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "<<", ">>", "##",
];

/// Joins spliced lines (a backslash before the end of a line). Gives the text and the offsets in it
/// at which a line of the original ended without one of its own.
pub fn splice(source: &str) -> (Cow<'_, str>, Vec<usize>) {
    if !source.contains("\\\n") && !source.contains("\\\r") {
        return (Cow::Borrowed(source), Vec::new());
    }
    let mut text = String::with_capacity(source.len());
    let mut splices = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let ending = ["\r\n", "\n\r", "\n", "\r"]
            .into_iter()
            .find(|e| after.starts_with(e));
        match ending {
            Some(ending) => {
                splices.push(text.len());
                rest = &after[ending.len()..];
            }
            None => {
                text.push('\\');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    (Cow::Owned(text), splices)
}

/// Cuts spliced text into tokens.
pub fn lex<'a>(text: &'a str, splices: &[usize]) -> Result<Vec<Token<'a>>, LexError> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut splices = splices.iter().copied().peekable();
    let (mut at, mut line) = (0, 1u32);
    let (mut first, mut spaced) = (true, false);
    let byte = |n: usize| bytes.get(n).copied().unwrap_or(0);
    while at < bytes.len() {
        while splices.next_if(|s| *s <= at).is_some() {
            line += 1;
        }
        let b = bytes[at];
        match b {
            b'\n' | b'\r' => {
                // \r\n and \n\r end one line.
                let pair = byte(at + 1);
                at += if pair != b && (pair == b'\n' || pair == b'\r') {
                    2
                } else {
                    1
                };
                line += 1;
                (first, spaced) = (true, true);
                continue;
            }
            b' ' | b'\t' | 0x0b | 0x0c => {
                at += 1;
                spaced = true;
                continue;
            }
            b'/' if byte(at + 1) == b'/' => {
                while at < bytes.len() && bytes[at] != b'\n' && bytes[at] != b'\r' {
                    at += 1;
                }
                spaced = true;
                continue;
            }
            b'/' if byte(at + 1) == b'*' => {
                let begun = line;
                at += 2;
                while !(byte(at) == b'*' && byte(at + 1) == b'/') {
                    if at >= bytes.len() {
                        let message = "'/*' : comment is not closed".to_owned();
                        return Err(LexError {
                            string: 0,
                            line: begun,
                            message,
                        });
                    }
                    let b = bytes[at];
                    if b == b'\n' || b == b'\r' {
                        let pair = byte(at + 1);
                        if pair != b && (pair == b'\n' || pair == b'\r') {
                            at += 1;
                        }
                        line += 1;
                    }
                    at += 1;
                }
                at += 2;
                spaced = true;
                continue;
            }
            _ => {}
        }
        let start = at;
        let kind = if b.is_ascii_alphabetic() || b == b'_' {
            while byte(at).is_ascii_alphanumeric() || byte(at) == b'_' {
                at += 1;
            }
            Kind::Word
        } else if b.is_ascii_digit() || (b == b'.' && byte(at + 1).is_ascii_digit()) {
            number(bytes, &mut at);
            Kind::Number
        } else if b.is_ascii_punctuation()
            && !matches!(b, b'"' | b'\'' | b'@' | b'`' | b'$' | b'\\')
        {
            let long = LONG_PUNCTUATORS
                .into_iter()
                .find(|p| text[at..].starts_with(p));
            at += long.map_or(1, str::len);
            Kind::Punct
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            Kind::Stray
        };
        let text = Cow::Borrowed(&text[start..at]);
        tokens.push(Token {
            kind,
            text,
            line,
            first,
            spaced,
            frozen: false,
        });
        (first, spaced) = (false, false);
    }
    Ok(tokens)
}

fn number(bytes: &[u8], at: &mut usize) {
    let hex = bytes[*at] == b'0' && matches!(bytes.get(*at + 1), Some(b'x' | b'X'));
    while let Some(b) = bytes.get(*at) {
        let exponent = !hex && matches!(b, b'e' | b'E');
        if !(b.is_ascii_alphanumeric() || *b == b'.' || *b == b'_') {
            break;
        }
        *at += 1;
        if exponent && matches!(bytes.get(*at), Some(b'+' | b'-')) {
            *at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        let (text, splices) = splice(source);
        let tokens = lex(&text, &splices).expect("the text is well formed");
        tokens
            .iter()
            .map(|t| format!("{}:{}", t.line, t.text))
            .collect()
    }

    #[test]
    fn cuts_operators_and_numbers() {
        assert_eq!(
            texts("a<<=b+.5e-3f*0x1Fu-1.e+2;x++ +y"),
            [
                "1:a", "1:<<=", "1:b", "1:+", "1:.5e-3f", "1:*", "1:0x1Fu", "1:-", "1:1.e+2",
                "1:;", "1:x", "1:++", "1:+", "1:y"
            ]
        );
        assert_eq!(texts("0x1E+2"), ["1:0x1E", "1:+", "1:2"]);
    }

    #[test]
    fn lines_survive_comments_and_splices() {
        assert_eq!(
            texts("a // x\nb /* \n\n */ c\r\nd"),
            ["1:a", "2:b", "4:c", "5:d"]
        );
        assert_eq!(texts("fo\\\no bar\nbaz"), ["1:foo", "2:bar", "3:baz"]);
        assert_eq!(texts("// c \\\n still comment\nx"), ["3:x"]);
    }

    #[test]
    fn open_comment_is_an_error() {
        let error = lex("a\n/* b", &[]).expect_err("the comment has no end");
        assert_eq!(error.line, 2);
    }

    #[test]
    fn foreign_characters_are_tokens_of_their_own() {
        let tokens = lex("a é \"b\"", &[]).expect("lexing never judges characters");
        let kinds: Vec<Kind> = tokens.iter().map(|t| t.kind).collect();
        assert_eq!(
            kinds,
            [
                Kind::Word,
                Kind::Stray,
                Kind::Stray,
                Kind::Word,
                Kind::Stray
            ]
        );
    }
}
