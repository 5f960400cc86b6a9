//! Writes the shader anew: declarations without opaque members, functions in the versions that calls ask
//! for, uses of opaque members as uses of what they have become.

use super::{
    Base, Function, Item, MAX_STEPS, MAX_VERSIONS, Shader, Ty, bad, behind, token, variable_name,
};
use crate::shader::lex::{Kind, LexError, Token};
use crate::shader::translate::globals::is_qualifier;
use std::collections::{HashMap, HashSet};

/// An index on the way to an opaque member.
#[derive(Clone)]
enum Index<'a> {
    Constant(u32),
    Expression(Vec<Token<'a>>),
    /// An integer parameter of a function's version.
    Parameter(String),
}

/// A uniform of a structure, or a part of one.
#[derive(Clone)]
struct Reference<'a> {
    /// Names from the uniform down, with array sizes.
    path: Vec<(String, Vec<u32>)>,
    /// One for each array size that has been passed.
    indices: Vec<Index<'a>>,
    ty: Ty,
}

/// What an argument says about a parameter: which uniform it is and which indices are constant.
#[derive(Clone, PartialEq, Eq)]
struct Given {
    path: Vec<(String, Vec<u32>)>,
    indices: Vec<Option<u32>>,
    ty: Ty,
}

/// One version of the functions of a name.
struct Version {
    function: String,
    name: String,
    given: Vec<Option<Given>>,
}

type Names<'a> = HashMap<String, Reference<'a>>;

/// A local scope: where it ends, and the names that it hides.
struct Scope {
    end: usize,
    names: Vec<String>,
}

/// A piece of an access to a structure.
enum Piece<'a> {
    Token(Token<'a>),
    /// Which of the reference's indices.
    Index(usize),
}

/// An access that starts with the name of a uniform or parameter.
struct Access<'a> {
    reference: Reference<'a>,
    /// The access as it is to what is left of the structure.
    pieces: Vec<Piece<'a>>,
    /// `.length()` of an array that this is a part of.
    length: Option<u32>,
    /// Index behind it.
    end: usize,
}

impl Access<'_> {
    /// Only a function's argument can be this: a structure, or an array.
    fn needs_version(&self, shader: &Shader) -> bool {
        let r = &self.reference;
        self.length.is_none()
            && match r.ty.base {
                Base::Struct(s) => shader.structs[s].opaque,
                Base::Opaque(_) => !r.ty.dims.is_empty(),
                Base::Plain => false,
            }
    }
}

pub(super) fn rewrite<'a>(shader: &Shader<'a>) -> Result<Vec<Token<'a>>, LexError> {
    let globals: Names = shader
        .uniforms
        .iter()
        .map(|(name, ty)| {
            let reference = Reference {
                path: vec![(name.clone(), ty.dims.clone())],
                indices: Vec::new(),
                ty: ty.clone(),
            };
            (name.clone(), reference)
        })
        .collect();
    let mut rewriter = Rewriter {
        shader,
        choosy: shader.items.iter().filter_map(choosy).collect(),
        versions: Vec::new(),
        temporaries: 0,
        steps: 0,
    };
    let mut written: Vec<Vec<Token<'a>>> = Vec::with_capacity(shader.items.len());
    for item in &shader.items {
        let mut out = Vec::new();
        match item {
            Item::Keep(from, to) => out.extend_from_slice(&shader.tokens[*from..*to]),
            Item::Replace(ranges) => {
                for (from, to) in ranges {
                    out.extend_from_slice(&shader.tokens[*from..*to]);
                }
            }
            Item::Function(f) if f.only_versions(shader) => {}
            Item::Function(f) => {
                out.extend_from_slice(&shader.tokens[f.from..=f.close]);
                let hidden = f.parameters.iter().filter_map(|p| p.name.clone()).collect();
                rewriter.code(f, hidden, &globals, &mut out)?;
            }
        }
        written.push(out);
    }
    // Versions ask for versions of what they call.
    let mut next = 0;
    while next < rewriter.versions.len() {
        for (item, out) in shader.items.iter().zip(&mut written) {
            if let Item::Function(f) = item {
                rewriter.version(next, f, &globals, out)?;
            }
        }
        next += 1;
    }
    let mut out = Vec::new();
    let word = |text: String| token(Kind::Word, text, 1);
    let punct = |text: &'static str| token(Kind::Punct, text, 1);
    for variable in &shader.variables {
        out.push(word("uniform".to_owned()));
        out.push(word(variable.ty.clone()));
        out.push(word(variable.name.clone()));
        if let Some(size) = variable.size {
            let size = token(Kind::Number, size.to_string(), 1);
            out.extend([punct("["), size, punct("]")]);
        }
        out.push(punct(";"));
    }
    for n in 0..rewriter.temporaries {
        out.extend([word("int".to_owned()), word(temporary(n)), punct(";")]);
    }
    out.extend(written.into_iter().flatten());
    Ok(out)
}

fn temporary(n: u32) -> String {
    format!("mgl_index{n}")
}

/// Name of the parameter that carries an index of another parameter.
fn index_name(parameter: usize, index: usize) -> String {
    format!("mgl_index_{parameter}_{index}")
}

/// Evaluating it twice may differ from doing so once.
fn has_effects(tokens: &[Token]) -> bool {
    tokens.iter().any(|t| {
        t.kind == Kind::Punct
            && (matches!(t.text.as_ref(), "++" | "--" | "(")
                || (t.text.ends_with('=') && !matches!(t.text.as_ref(), "==" | "!=" | "<=" | ">=")))
    })
}

/// The name of a function that may need versions.
fn choosy(item: &Item) -> Option<&str> {
    let Item::Function(f) = item else { return None };
    let needs = |ty: &Ty| match ty.base {
        Base::Opaque(_) => !ty.dims.is_empty(),
        Base::Struct(_) => true,
        Base::Plain => false,
    };
    f.parameters
        .iter()
        .any(|p| needs(&p.ty))
        .then_some(f.name.as_str())
}

struct Rewriter<'s, 'a> {
    shader: &'s Shader<'a>,
    /// Names of functions that may need versions.
    choosy: HashSet<&'s str>,
    versions: Vec<Version>,
    temporaries: u32,
    /// Tokens looked at.
    steps: usize,
}

impl<'a> Rewriter<'_, 'a> {
    fn text(&self, at: usize) -> &str {
        self.shader.tokens.get(at).map_or("", |t| t.text.as_ref())
    }

    fn is_word(&self, at: usize) -> bool {
        let token = self.shader.tokens.get(at);
        token.is_some_and(|t| t.kind == Kind::Word)
    }

    /// A function's body, or the semicolon of a prototype.
    fn code(
        &mut self,
        f: &Function,
        hidden: Vec<String>,
        names: &Names<'a>,
        out: &mut Vec<Token<'a>>,
    ) -> Result<(), LexError> {
        let mut scopes = vec![Scope {
            end: f.to,
            names: hidden,
        }];
        self.run(f.close + 1, f.to, names, &mut scopes, out)
    }

    /// Writes a version of a function, if it is one of the function's.
    fn version(
        &mut self,
        which: usize,
        f: &Function,
        globals: &Names<'a>,
        out: &mut Vec<Token<'a>>,
    ) -> Result<(), LexError> {
        let version = &self.versions[which];
        if !takes(f, &version.function, &version.given) {
            return Ok(());
        }
        let given = version.given.clone();
        let tokens = &self.shader.tokens;
        let line = tokens[f.name_at].line;
        let punct = |text: &'static str| token(Kind::Punct, text, line);
        out.extend_from_slice(&tokens[f.from..f.name_at]);
        out.push(token(Kind::Word, version.name.clone(), line));
        out.push(punct("("));
        let mut names = globals.clone();
        let mut hidden = Vec::new();
        let mut first = true;
        let mut separate = |out: &mut Vec<Token<'a>>| {
            if !std::mem::take(&mut first) {
                out.push(punct(","));
            }
        };
        for (at, (parameter, given)) in f.parameters.iter().zip(given).enumerate() {
            let Some(given) = given else {
                separate(out);
                out.extend_from_slice(&tokens[parameter.from..parameter.to]);
                hidden.extend(parameter.name.clone());
                continue;
            };
            if matches!(given.ty.base, Base::Struct(s) if self.shader.structs[s].plain) {
                separate(out);
                out.extend_from_slice(&tokens[parameter.from..parameter.to]);
            }
            let mut indices = Vec::new();
            for (n, index) in given.indices.iter().enumerate() {
                indices.push(match index {
                    Some(value) => Index::Constant(*value),
                    None => {
                        separate(out);
                        out.push(token(Kind::Word, "int", line));
                        out.push(token(Kind::Word, index_name(at, n), line));
                        Index::Parameter(index_name(at, n))
                    }
                });
            }
            if let Some(name) = &parameter.name {
                let reference = Reference {
                    path: given.path,
                    indices,
                    ty: given.ty,
                };
                names.insert(name.clone(), reference);
            }
        }
        out.push(punct(")"));
        self.code(f, hidden, &names, out)
    }

    /// Where the statement that begins at `at` ends.
    fn statement_end(&self, mut at: usize) -> usize {
        let tokens = &self.shader.tokens;
        while at < tokens.len() {
            match self.text(at) {
                ";" => return at + 1,
                "{" => return behind(tokens, at),
                "(" | "[" => at = behind(tokens, at),
                _ => at += 1,
            }
        }
        at
    }

    /// Names that a declaration at `at` declares.
    fn declared(&self, mut at: usize) -> Vec<String> {
        let tokens = &self.shader.tokens;
        let mut names = Vec::new();
        while is_qualifier(self.text(at)) {
            at += 1;
        }
        if !self.is_word(at) || matches!(self.text(at), "return" | "else" | "case" | "do") {
            return names;
        }
        at += 1;
        while self.text(at) == "[" {
            at = behind(tokens, at);
        }
        let mut expecting = true;
        while at < tokens.len() && (expecting || self.text(at) != ";") {
            if expecting && !self.is_word(at) {
                return names;
            }
            if expecting {
                names.push(self.text(at).to_owned());
            }
            expecting = self.text(at) == ",";
            at = match self.text(at) {
                "(" | "[" | "{" => behind(tokens, at),
                ")" | "]" | "}" => return names,
                _ => at + 1,
            };
        }
        names
    }

    fn run(
        &mut self,
        from: usize,
        to: usize,
        names: &Names<'a>,
        scopes: &mut Vec<Scope>,
        out: &mut Vec<Token<'a>>,
    ) -> Result<(), LexError> {
        let mut at = from;
        while at < to {
            while scopes.len() > 1 && scopes.last().is_some_and(|s| s.end <= at) {
                scopes.pop();
            }
            let current = &self.shader.tokens[at];
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(bad(current.line, "'' : the shader is too long"));
            }
            let text = current.text.as_ref();
            let opens = match text {
                "{" => Some(behind(&self.shader.tokens, at)),
                "for" | "while" | "if" | "switch" => Some(self.statement_end(at + 1)),
                _ => None,
            };
            if let Some(end) = opens {
                scopes.push(Scope {
                    end,
                    names: Vec::new(),
                });
            }
            let member = at > 0 && self.text(at - 1) == ".";
            if current.kind != Kind::Word || member {
                out.push(current.clone());
                at += 1;
                continue;
            }
            let starts = self.is_word(at + 1) || self.text(at + 1) == "[";
            if starts && !(at > 0 && self.is_word(at - 1)) {
                let declared = self.declared(at);
                if let Some(scope) = scopes.last_mut() {
                    scope
                        .names
                        .extend(declared.into_iter().filter(|n| names.contains_key(n)));
                }
            }
            if let Some(end) = self.call(at, names, scopes, out)? {
                at = end;
                continue;
            }
            match self.access(at, to, names, scopes)? {
                Some(access) => {
                    at = access.end;
                    self.write(access, out)?;
                }
                None => {
                    out.push(self.shader.tokens[at].clone());
                    at += 1;
                }
            }
        }
        Ok(())
    }

    /// Reads an access to a structure's uniform or parameter.
    fn access(
        &mut self,
        start: usize,
        to: usize,
        names: &Names<'a>,
        scopes: &mut Vec<Scope>,
    ) -> Result<Option<Access<'a>>, LexError> {
        let shader = self.shader;
        let name = shader.tokens[start].text.as_ref();
        if scopes.iter().any(|s| s.names.iter().any(|n| n == name)) {
            return Ok(None);
        }
        let Some(known) = names.get(name) else {
            return Ok(None);
        };
        let mut access = Access {
            reference: known.clone(),
            pieces: vec![Piece::Token(shader.tokens[start].clone())],
            length: None,
            end: start + 1,
        };
        let r = &mut access.reference;
        while access.end < to {
            let at = access.end;
            let copy = |at: usize| Piece::Token(shader.tokens[at].clone());
            match self.text(at) {
                "[" if !r.ty.dims.is_empty() => {
                    let close = behind(&shader.tokens, at) - 1;
                    let mut inner = Vec::new();
                    self.run(at + 1, close, names, scopes, &mut inner)?;
                    let constant = match inner.as_slice() {
                        [one] if one.kind == Kind::Number => {
                            one.text.trim_end_matches(['u', 'U']).parse().ok()
                        }
                        _ => None,
                    };
                    access.pieces.push(copy(at));
                    access.pieces.push(Piece::Index(r.indices.len()));
                    access.pieces.push(copy(close));
                    r.indices.push(match constant {
                        Some(value) => Index::Constant(value),
                        None => Index::Expression(inner),
                    });
                    r.ty.dims.remove(0);
                    access.end = close + 1;
                }
                "." if self.text(at + 1) == "length" && self.text(at + 2) == "(" => {
                    access.length = r.ty.dims.first().copied();
                    access.end = (at + 4).min(to);
                    break;
                }
                "." if r.ty.dims.is_empty() => {
                    let Base::Struct(s) = r.ty.base else { break };
                    let field = self.text(at + 1);
                    let found = shader.structs[s].members.iter().find(|m| m.name == field);
                    // Members that are not opaque, nor hold any, are what they were.
                    let Some(found) = found else {
                        r.ty.base = Base::Plain;
                        break;
                    };
                    access.pieces.push(copy(at));
                    access.pieces.push(copy(at + 1));
                    r.path.push((found.name.clone(), found.ty.dims.clone()));
                    r.ty = found.ty.clone();
                    access.end = at + 2;
                }
                _ => break,
            }
        }
        Ok(Some(access))
    }

    fn write(&mut self, access: Access<'a>, out: &mut Vec<Token<'a>>) -> Result<(), LexError> {
        let line = match access.pieces.first() {
            Some(Piece::Token(first)) => first.line,
            _ => 1,
        };
        if let Some(length) = access.length {
            out.push(token(Kind::Number, length.to_string(), line));
            return Ok(());
        }
        if access.needs_version(self.shader) {
            return Err(bad(
                line,
                "'' : samplers in structures can only be looked up or passed to functions",
            ));
        }
        let r = access.reference;
        if matches!(r.ty.base, Base::Opaque(_)) {
            let name = variable_name(&r.path);
            out.push(token(Kind::Word, name, line));
            let dims: Vec<u32> = r.path.iter().flat_map(|(_, dims)| dims.clone()).collect();
            if r.ty.dims.is_empty() && !dims.is_empty() {
                out.push(token(Kind::Punct, "[", line));
                flat_index(&dims, &r.indices, line, out);
                out.push(token(Kind::Punct, "]", line));
            }
            return Ok(());
        }
        write_pieces(&access.pieces, &r.indices, &HashMap::new(), line, out);
        Ok(())
    }

    /// Writes a call of a version of a function, if this is one; gives the index behind it.
    fn call(
        &mut self,
        at: usize,
        names: &Names<'a>,
        scopes: &mut Vec<Scope>,
        out: &mut Vec<Token<'a>>,
    ) -> Result<Option<usize>, LexError> {
        let shader = self.shader;
        let name = shader.tokens[at].text.as_ref();
        if self.text(at + 1) != "(" || !self.choosy.contains(name) {
            return Ok(None);
        }
        let close = behind(&shader.tokens, at + 1) - 1;
        let mut arguments = Vec::new();
        let mut from = at + 2;
        while from < close {
            let mut to = from;
            while to < close && self.text(to) != "," {
                to = match self.text(to) {
                    "(" | "[" | "{" => behind(&shader.tokens, to).min(close),
                    _ => to + 1,
                };
            }
            arguments.push((from, to));
            from = to + 1;
        }
        let mut accesses = Vec::with_capacity(arguments.len());
        for (from, to) in &arguments {
            let (mut from, mut to) = (*from, *to);
            while self.text(from) == "(" && behind(&shader.tokens, from) == to {
                (from, to) = (from + 1, to - 1);
            }
            let access = match self.is_word(from) {
                true => self.access(from, to, names, scopes)?,
                false => None,
            };
            accesses.push(access.filter(|a| a.end == to && a.needs_version(shader)));
        }
        let given: Vec<Option<Given>> = accesses
            .iter()
            .map(|access| {
                let r = &access.as_ref()?.reference;
                let constant = |index: &Index| match index {
                    Index::Constant(value) => Some(*value),
                    _ => None,
                };
                Some(Given {
                    path: r.path.clone(),
                    indices: r.indices.iter().map(constant).collect(),
                    ty: r.ty.clone(),
                })
            })
            .collect();
        let taken = |item: &Item| matches!(item, Item::Function(f) if takes(f, name, &given));
        if given.iter().all(Option::is_none) || !shader.items.iter().any(taken) {
            return Ok(None);
        }
        let line = shader.tokens[at].line;
        let version = self.version_name(name.to_owned(), given, line)?;
        out.push(Token {
            text: version.into(),
            ..shader.tokens[at].clone()
        });
        let comma = || token(Kind::Punct, ",", line);
        out.push(shader.tokens[at + 1].clone());
        let mut first = true;
        for ((from, to), access) in arguments.into_iter().zip(accesses) {
            let Some(access) = access else {
                if !std::mem::take(&mut first) {
                    out.push(comma());
                }
                self.run(from, to, names, scopes, out)?;
                continue;
            };
            let r = &access.reference;
            let plain = matches!(r.ty.base, Base::Struct(s) if shader.structs[s].plain);
            // An index that is used twice is computed once, where it is used first.
            let mut once = HashMap::new();
            if plain {
                for (n, index) in r.indices.iter().enumerate() {
                    if matches!(index, Index::Expression(tokens) if has_effects(tokens)) {
                        once.insert(n, temporary(self.temporaries));
                        self.temporaries += 1;
                    }
                }
                if !std::mem::take(&mut first) {
                    out.push(comma());
                }
                write_pieces(&access.pieces, &r.indices, &once, line, out);
            }
            for (n, index) in r.indices.iter().enumerate() {
                if matches!(index, Index::Constant(_)) {
                    continue;
                }
                if !std::mem::take(&mut first) {
                    out.push(comma());
                }
                match once.get(&n) {
                    Some(name) => out.push(token(Kind::Word, name.clone(), line)),
                    None => write_int(index, line, out),
                }
            }
        }
        out.push(shader.tokens[close].clone());
        Ok(Some(close + 1))
    }

    fn version_name(
        &mut self,
        function: String,
        given: Vec<Option<Given>>,
        line: u32,
    ) -> Result<String, LexError> {
        let mut known = self.versions.iter();
        if let Some(version) = known.find(|v| v.function == function && v.given == given) {
            return Ok(version.name.clone());
        }
        if self.versions.len() >= MAX_VERSIONS {
            return Err(bad(
                line,
                format!("'{function}' : too many different calls with samplers in structures"),
            ));
        }
        let name = format!("mgl_f{}_{function}", self.versions.len());
        self.versions.push(Version {
            function,
            name: name.clone(),
            given,
        });
        Ok(name)
    }
}

/// The function has this name and takes these arguments, as far as they decide.
fn takes(f: &Function, name: &str, given: &[Option<Given>]) -> bool {
    f.name == name
        && f.parameters.len() == given.len()
        && f.parameters.iter().zip(given).all(|(p, g)| match g {
            Some(g) => g.ty == p.ty,
            None => true,
        })
}

/// An index as an integer.
fn write_int<'a>(index: &Index<'a>, line: u32, out: &mut Vec<Token<'a>>) {
    match index {
        Index::Constant(value) => out.push(token(Kind::Number, value.to_string(), line)),
        Index::Parameter(name) => out.push(token(Kind::Word, name.clone(), line)),
        Index::Expression(tokens) => {
            out.push(token(Kind::Word, "int", line));
            out.push(token(Kind::Punct, "(", line));
            out.extend_from_slice(tokens);
            out.push(token(Kind::Punct, ")", line));
        }
    }
}

/// The index into an array that was flattened, the outermost index first.
fn flat_index<'a>(dims: &[u32], indices: &[Index<'a>], line: u32, out: &mut Vec<Token<'a>>) {
    let constant = indices.iter().zip(dims).try_fold(0u32, |sum, (i, size)| {
        match i {
            // An index beyond its array must not reach the next one's elements.
            Index::Constant(value) if value < size => Some(sum.wrapping_mul(*size) + value),
            _ => None,
        }
    });
    if let Some(value) = constant {
        out.push(token(Kind::Number, value.to_string(), line));
        return;
    }
    if let [Index::Expression(tokens)] = indices {
        out.extend_from_slice(tokens);
        return;
    }
    let mut sum: Vec<Token<'a>> = Vec::new();
    for (n, index) in indices.iter().enumerate() {
        if n > 0 {
            let size = dims.get(n).copied().unwrap_or(1).to_string();
            sum.insert(0, token(Kind::Punct, "(", line));
            sum.push(token(Kind::Punct, ")", line));
            sum.push(token(Kind::Punct, "*", line));
            sum.push(token(Kind::Number, size, line));
            sum.push(token(Kind::Punct, "+", line));
        }
        write_int(index, line, &mut sum);
    }
    out.extend(sum);
}

/// An access to what is left of a structure; indices in `once` are stored on the way.
fn write_pieces<'a>(
    pieces: &[Piece<'a>],
    indices: &[Index<'a>],
    once: &HashMap<usize, String>,
    line: u32,
    out: &mut Vec<Token<'a>>,
) {
    for piece in pieces {
        match piece {
            Piece::Token(token) => out.push(token.clone()),
            Piece::Index(n) => {
                let Some(index) = indices.get(*n) else {
                    continue;
                };
                if let Some(name) = once.get(n) {
                    out.push(token(Kind::Word, name.clone(), line));
                    out.push(token(Kind::Punct, "=", line));
                    write_int(index, line, out);
                } else if let Index::Expression(tokens) = index {
                    out.extend_from_slice(tokens);
                } else {
                    write_int(index, line, out);
                }
            }
        }
    }
}
