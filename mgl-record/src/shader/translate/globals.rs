//! A scan of a shader's global declarations: booleans in blocks, initialisers of uniforms,
//! redeclared built-ins, structs without a name. Local code is skipped.

use crate::shader::decls::Decls;
use crate::shader::interface::{FRAG_COLOR, FRAG_DATA};
use crate::shader::lex::{Kind, Token};
use std::borrow::Cow;

/// Scans the tokens, completes `decls`, and edits what has to be edited.
pub fn scan<'a>(tokens: Vec<Token<'a>>, decls: &mut Decls) -> Vec<Token<'a>> {
    let mut scan = Scan {
        tokens,
        at: 0,
        decls,
        anonymous: 0,
        edits: Vec::new(),
    };
    scan.run();
    let Scan { tokens, edits, .. } = scan;
    apply(tokens, edits)
}

enum Edit {
    /// Put a name after this token.
    Name { after: usize, name: String },
    /// Drop these tokens.
    Drop { from: usize, to: usize },
}

struct Scan<'a, 'd> {
    tokens: Vec<Token<'a>>,
    at: usize,
    decls: &'d mut Decls,
    anonymous: u32,
    edits: Vec<Edit>,
}

fn apply<'a>(tokens: Vec<Token<'a>>, edits: Vec<Edit>) -> Vec<Token<'a>> {
    if edits.is_empty() {
        return tokens;
    }
    let mut edits = edits.into_iter().peekable();
    let mut out = Vec::with_capacity(tokens.len());
    let mut skip_to = 0;
    for (at, token) in tokens.into_iter().enumerate() {
        if let Some(Edit::Drop { from, to }) = edits.peek()
            && *from == at
        {
            skip_to = *to;
            edits.next();
        }
        if at < skip_to {
            continue;
        }
        let name = match edits.peek() {
            Some(Edit::Name { after, name }) if *after == at => Some(name.clone()),
            _ => None,
        };
        let model = token.clone();
        out.push(token);
        if let Some(name) = name {
            edits.next();
            out.push(Token {
                kind: Kind::Word,
                text: Cow::Owned(name),
                spaced: true,
                first: false,
                ..model
            });
        }
    }
    out
}

fn is_bool_type(word: &str) -> bool {
    matches!(word, "bool" | "bvec2" | "bvec3" | "bvec4")
}

/// True for a word that may stand before a declaration's type.
pub fn is_qualifier(word: &str) -> bool {
    matches!(
        word,
        "uniform"
            | "const"
            | "in"
            | "out"
            | "inout"
            | "flat"
            | "smooth"
            | "noperspective"
            | "centroid"
            | "invariant"
            | "sample"
            | "patch"
            | "precise"
            | "buffer"
            | "coherent"
            | "restrict"
            | "readonly"
            | "writeonly"
            | "volatile"
    )
}

impl Scan<'_, '_> {
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |t| t.text.as_ref())
    }

    fn run(&mut self) {
        while self.at < self.tokens.len() {
            self.declaration();
        }
    }

    /// Index behind the bracket that closes the one at `open`.
    fn behind(&self, open: usize) -> usize {
        let mut depth = 0u32;
        for at in open..self.tokens.len() {
            match self.text(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at + 1;
                    }
                }
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// One global declaration or function, from its first token to behind its last.
    fn declaration(&mut self) {
        let start = self.at;
        // Drivers take a semicolon behind a function's body, which only GLSL 4.60 has.
        if self.text(start) == ";" {
            self.at += 1;
            self.edits.push(Edit::Drop {
                from: start,
                to: self.at,
            });
            return;
        }
        let mut is_uniform = false;
        loop {
            let word = self.text(self.at);
            if word == "layout" && self.text(self.at + 1) == "(" {
                self.at = self.behind(self.at + 1);
            } else if is_qualifier(word) {
                is_uniform |= word == "uniform";
                self.at += 1;
            } else {
                break;
            }
        }
        if self.text(self.at) == "struct" {
            self.structure();
            self.declarators("", is_uniform);
            return;
        }
        let name = self.text(self.at).to_owned();
        if self.text(self.at + 1) == "{" && self.tokens[self.at].kind == Kind::Word {
            self.at += 1;
            self.members(if is_uniform { Some(&name) } else { None });
            self.skip_to_semicolon();
            // A redeclared gl_PerVertex only narrows what is there; stages that narrow it
            // differently are fine to OpenGL and not to the compiler.
            if name == "gl_PerVertex" {
                self.edits.push(Edit::Drop {
                    from: start,
                    to: self.at,
                });
            }
            return;
        }
        if is_uniform {
            self.at += 1;
            self.declarators(&name, true);
            return;
        }
        self.skip_declaration(start);
    }

    /// `struct [name] { members }`.
    fn structure(&mut self) {
        let keyword = self.at;
        self.at += 1;
        let name = if self.text(self.at) == "{" {
            let name = format!("mgl_struct{}", self.anonymous);
            self.anonymous += 1;
            self.edits.push(Edit::Name {
                after: keyword,
                name: name.clone(),
            });
            name
        } else {
            let name = self.text(self.at).to_owned();
            self.at += 1;
            name
        };
        if self.text(self.at) == "{" {
            self.members(Some(&name));
        }
    }

    /// `{ members }`; notes the booleans for `owner`.
    fn members(&mut self, owner: Option<&str>) {
        let end = self.behind(self.at);
        self.at += 1;
        while self.at + 1 < end {
            let from = self.at;
            while self.text(self.at) == "layout" && self.text(self.at + 1) == "("
                || is_qualifier(self.text(self.at))
            {
                self.at = if self.text(self.at) == "layout" {
                    self.behind(self.at + 1)
                } else {
                    self.at + 1
                };
            }
            let is_bool = is_bool_type(self.text(self.at));
            self.at += 1;
            while self.at < end && self.text(self.at) != ";" {
                match self.text(self.at) {
                    "[" => self.at = self.behind(self.at),
                    _ => {
                        let token = &self.tokens[self.at];
                        if is_bool
                            && token.kind == Kind::Word
                            && let Some(owner) = owner
                        {
                            self.decls.add_bool(owner, &token.text);
                        }
                        self.at += 1;
                    }
                }
            }
            self.at = (self.at + 1).max(from + 1);
        }
        self.at = end;
    }

    /// `name [n] = value, ... ;` of a declaration with this type.
    fn declarators(&mut self, ty: &str, is_uniform: bool) {
        let is_bool = is_bool_type(ty);
        let mut expecting = true;
        while self.at < self.tokens.len() {
            match self.text(self.at) {
                ";" => {
                    self.at += 1;
                    return;
                }
                "(" | "[" | "{" => self.at = self.behind(self.at),
                "," => {
                    expecting = true;
                    self.at += 1;
                }
                "=" => {
                    self.decls.has_initialisers |= is_uniform;
                    expecting = false;
                    self.at += 1;
                }
                _ => {
                    let token = &self.tokens[self.at];
                    if expecting && token.kind == Kind::Word {
                        if is_bool && is_uniform {
                            self.decls.add_bool("", &token.text);
                        }
                        expecting = false;
                    }
                    self.at += 1;
                }
            }
        }
    }

    fn skip_to_semicolon(&mut self) {
        while self.at < self.tokens.len() {
            match self.text(self.at) {
                ";" => {
                    self.at += 1;
                    return;
                }
                "(" | "[" | "{" => self.at = self.behind(self.at),
                _ => self.at += 1,
            }
        }
    }

    /// Anything else: a function with its body, a variable, a redeclared built-in.
    fn skip_declaration(&mut self, start: usize) {
        let qualified = self.at > start;
        let mut redeclared = false;
        let mut assigned = false;
        while self.at < self.tokens.len() {
            match self.text(self.at) {
                ";" => {
                    self.at += 1;
                    break;
                }
                "{" => {
                    let is_body = self.at > 0 && self.text(self.at - 1) == ")" && !assigned;
                    self.at = self.behind(self.at);
                    if is_body {
                        return;
                    }
                }
                "(" | "[" => self.at = self.behind(self.at),
                "=" => {
                    assigned = true;
                    self.at += 1;
                }
                // The conventions of gl_FragCoord are facts for back ends, what a redeclared
                // gl_FragDepth promises is only a hint, and the outputs that stand for gl_FragColor
                // and gl_FragData are declared by the translator.
                "gl_FragCoord" | "gl_FragDepth" | FRAG_COLOR | FRAG_DATA => {
                    redeclared |= qualified && !assigned;
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
        if redeclared {
            let words = |word: &str| self.tokens[start..self.at].iter().any(|t| t.is(word));
            let (upper, integer) = (words("origin_upper_left"), words("pixel_center_integer"));
            self.decls.origin_upper_left |= upper;
            self.decls.pixel_center_integer |= integer;
            self.edits.push(Edit::Drop {
                from: start,
                to: self.at,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::lex::lex;

    fn scanned(source: &str) -> (Decls, String) {
        let mut decls = Decls::default();
        let tokens = lex(source, &[]).expect("the text is well formed");
        let tokens = scan(tokens, &mut decls);
        let texts: Vec<&str> = tokens.iter().map(|t| t.text.as_ref()).collect();
        (decls, texts.join(" "))
    }

    #[test]
    fn booleans_are_found_by_owner() {
        let (decls, _) = scanned(
            "struct S { float a; bool b, c[2]; }; uniform S s; uniform bvec3 d, e; bool g;
             layout(std140) uniform B { bool h; mat2 i; } inst; in V { flat int j; };
             void f(bool x) { bool y; if (x) { y = x; } } uniform bool[2] k;",
        );
        for (owner, member) in [
            ("S", "b"),
            ("S", "c"),
            ("", "d"),
            ("", "e"),
            ("B", "h"),
            ("", "k"),
        ] {
            assert!(decls.is_bool(owner, member), "{owner}.{member}");
        }
        for (owner, member) in [
            ("S", "a"),
            ("", "g"),
            ("", "x"),
            ("", "y"),
            ("B", "i"),
            ("", "s"),
        ] {
            assert!(!decls.is_bool(owner, member), "{owner}.{member}");
        }
        assert!(!decls.has_initialisers);
    }

    #[test]
    fn initialisers_are_noticed() {
        assert!(
            scanned("uniform float a, b = max(1.0, 2.0);")
                .0
                .has_initialisers
        );
        assert!(
            !scanned("const float a = 1.0; uniform float b; float c = 2.0;")
                .0
                .has_initialisers
        );
        assert!(
            scanned("uniform struct { float a; } s = { 1.0 };")
                .0
                .has_initialisers
        );
    }

    #[test]
    fn anonymous_structs_get_names() {
        let (decls, text) = scanned("uniform struct { bool a; } s; struct T { int b; } t;");
        assert_eq!(
            text,
            "uniform struct mgl_struct0 { bool a ; } s ; struct T { int b ; } t ;"
        );
        assert!(decls.is_bool("mgl_struct0", "a"));
    }

    #[test]
    fn redeclared_built_ins_go() {
        let (decls, text) = scanned(
            "int a; layout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord; float b = gl_FragCoord.x; int c;",
        );
        assert_eq!(text, "int a ; float b = gl_FragCoord . x ; int c ;");
        assert!(decls.origin_upper_left && decls.pixel_center_integer);
    }

    #[test]
    fn empty_declarations_go() {
        let source = "; int a;; float f(){ return 1.0;; }; struct S { int b; };; void main() { };";
        assert_eq!(
            scanned(source).1,
            "int a ; float f ( ) { return 1.0 ; ; } struct S { int b ; } ; void main ( ) { }"
        );
    }

    #[test]
    fn redeclared_vertex_blocks_go() {
        let source = "in gl_PerVertex { vec4 gl_Position; } gl_in[]; out gl_PerVertex { float gl_PointSize; }; out vec4 v;";
        assert_eq!(scanned(source).1, "out vec4 v ;");
    }

    #[test]
    fn malformed_text_ends() {
        for source in [
            "uniform",
            "struct {",
            "uniform B { bool",
            "layout(",
            "void f() { {",
            "} } )",
            "struct",
        ] {
            scanned(source);
        }
    }
}
