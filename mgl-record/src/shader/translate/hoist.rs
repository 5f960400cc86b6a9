//! Samplers and other opaque members leave their structures (GLSL 3.30 §4.1.7 lets a structure of a
//! uniform hold them, SPIR-V's interfaces do not). A uniform `L l[2]` with a member `sampler2D m` becomes
//! the structure without it and `uniform sampler2D x[2]`, one array for each such member, flattened over
//! all arrays on the way; `l[i].m` becomes `x[i]`. A function that is given such a structure, or a part of
//! such an array, is written once for each uniform that reaches it, with the indices on the way as
//! parameters, because nothing else can be passed on; so is one that is given an array of samplers.

mod parse;
mod rewrite;

use crate::shader::decls::Decls;
use crate::shader::lex::{Kind, LexError, Token};
use std::borrow::Cow;
use std::collections::HashMap;

/// Most versions of functions: calls of calls can multiply.
const MAX_VERSIONS: usize = 1024;

/// Most tokens that are looked at, versions and all.
const MAX_STEPS: usize = 1 << 22;

/// What a type is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Base {
    /// A sampler or image type by its name.
    Opaque(String),
    /// Index into [`Shader::structs`].
    Struct(usize),
    Plain,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Ty {
    base: Base,
    /// Array sizes, the outermost first.
    dims: Vec<u32>,
}

#[derive(Debug)]
struct Member {
    name: String,
    ty: Ty,
}

#[derive(Debug, Default)]
struct Struct {
    members: Vec<Member>,
    /// It holds opaque members, perhaps in structures of its own.
    opaque: bool,
    /// It holds others.
    plain: bool,
}

#[derive(Debug)]
struct Parameter {
    name: Option<String>,
    ty: Ty,
    /// Its tokens.
    from: usize,
    to: usize,
}

/// A function's definition or prototype.
#[derive(Debug)]
struct Function {
    name: String,
    /// Index of the name's token.
    name_at: usize,
    parameters: Vec<Parameter>,
    from: usize,
    /// The parenthesis that closes the parameters.
    close: usize,
    to: usize,
}

impl Function {
    /// It exists only in the versions that calls ask for.
    fn only_versions(&self, shader: &Shader) -> bool {
        self.parameters.iter().any(|p| match p.ty.base {
            Base::Struct(s) => shader.structs[s].opaque,
            Base::Opaque(_) => !p.ty.dims.is_empty(),
            Base::Plain => false,
        })
    }
}

/// A piece of global scope.
enum Item {
    /// Tokens that stay.
    Keep(usize, usize),
    /// What is left of a declaration: ranges of tokens.
    Replace(Vec<(usize, usize)>),
    Function(Function),
}

/// What a shader declares.
struct Shader<'a> {
    tokens: Vec<Token<'a>>,
    structs: Vec<Struct>,
    struct_names: HashMap<String, usize>,
    constants: HashMap<String, i64>,
    /// Uniforms of structures with opaque members, and arrays of opaque types.
    uniforms: HashMap<String, Ty>,
    items: Vec<Item>,
    /// What opaque members become.
    variables: Vec<Variable>,
}

/// A uniform that holds the opaque members at one path.
struct Variable {
    ty: String,
    name: String,
    size: Option<u32>,
}

/// True for the name of a type whose values no structure of SPIR-V's interfaces can hold.
fn is_opaque(word: &str) -> bool {
    let of = |word: &'_ str| -> Option<usize> {
        let known = ["sampler", "image"].into_iter();
        known
            .map(|k| (k, word.starts_with(k)))
            .find_map(|(k, is)| is.then_some(k.len()))
    };
    let typed = word.strip_prefix(['i', 'u']).unwrap_or(word);
    let rest = match (of(word), of(typed)) {
        (Some(at), _) => Some(&word[at..]),
        (None, Some(at)) => Some(&typed[at..]),
        (None, None) => None,
    };
    rest.is_some_and(|rest| {
        ["1D", "2D", "3D", "Cube", "Buffer"]
            .iter()
            .any(|dim| rest.starts_with(dim))
    })
}

/// Name of the variable that holds the opaque members at `path`, the same in every stage; an array that is in
/// no structure has its own.
fn variable_name(path: &[(String, Vec<u32>)]) -> String {
    if let [(name, _)] = path {
        return name.clone();
    }
    // Lengths keep different paths apart.
    let names = path.iter().map(|(name, _)| name);
    names.fold("mgl_o".to_owned(), |name, part| {
        format!("{name}_{}{part}", part.len())
    })
}

fn bad(line: u32, message: impl Into<String>) -> LexError {
    LexError {
        string: 0,
        line,
        message: message.into(),
    }
}

fn token<'a>(kind: Kind, text: impl Into<Cow<'a, str>>, line: u32) -> Token<'a> {
    Token {
        kind,
        text: text.into(),
        line,
        first: false,
        spaced: true,
        frozen: false,
    }
}

/// Index behind the bracket that closes the one at `open`.
fn behind(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0u32;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_ref() {
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
    tokens.len()
}

/// True when a function takes an array of an opaque type.
fn has_opaque_parameters(tokens: &[Token]) -> bool {
    let mut depth = 0u32;
    tokens.iter().enumerate().any(|(at, token)| {
        match token.text.as_ref() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let opens = |n: usize| tokens.get(n).is_some_and(|t| t.is("["));
        depth > 0 && is_opaque(&token.text) && (opens(at + 1) || opens(at + 2))
    })
}

/// True when a structure of the text has an opaque member.
fn has_opaque_members(tokens: &[Token]) -> bool {
    let mut at = 0;
    while at < tokens.len() {
        if !tokens[at].is("struct") {
            at += 1;
            continue;
        }
        let open = (at + 1..at + 3).find(|n| tokens.get(*n).is_some_and(|t| t.is("{")));
        let Some(open) = open else {
            at += 1;
            continue;
        };
        let end = behind(tokens, open);
        if tokens[open..end].iter().any(|t| is_opaque(&t.text)) {
            return true;
        }
        at = end;
    }
    false
}

/// Takes the opaque members out of the structures; notes in `decls` what the new variables stand for.
/// True when there are any.
///
/// # Errors
///
/// An array whose size is not known, or too many versions of functions.
pub fn hoist<'a>(
    tokens: Vec<Token<'a>>,
    decls: &mut Decls,
) -> Result<(Vec<Token<'a>>, bool), LexError> {
    if !has_opaque_members(&tokens) && !has_opaque_parameters(&tokens) {
        return Ok((tokens, false));
    }
    let shader = parse::parse(tokens, decls)?;
    Ok((rewrite::rewrite(&shader)?, true))
}
