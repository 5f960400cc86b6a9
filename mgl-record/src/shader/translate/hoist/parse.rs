//! Reads global scope: structures, uniforms of structures, functions, sizes.

use super::{
    Base, Function, Item, Member, Parameter, Shader, Struct, Ty, Variable, bad, behind, is_opaque,
    variable_name,
};
use crate::shader::decls::Decls;
use crate::shader::lex::{Kind, LexError, Token};
use crate::shader::preprocess::evaluate;
use crate::shader::translate::globals::is_qualifier;
use std::borrow::Cow;
use std::collections::HashMap;

pub(super) fn parse<'a>(tokens: Vec<Token<'a>>, decls: &mut Decls) -> Result<Shader<'a>, LexError> {
    let mut parser = Parser {
        shader: Shader {
            tokens,
            structs: Vec::new(),
            struct_names: HashMap::new(),
            constants: HashMap::new(),
            uniforms: HashMap::new(),
            items: Vec::new(),
            variables: Vec::new(),
        },
        at: 0,
        decls,
    };
    while parser.at < parser.shader.tokens.len() {
        let from = parser.at;
        parser.item()?;
        // Text that is no GLSL must end too.
        if parser.at == from {
            parser.at += 1;
            parser.shader.items.push(Item::Keep(from, parser.at));
        }
    }
    Ok(parser.shader)
}

struct Parser<'a, 'd> {
    shader: Shader<'a>,
    at: usize,
    decls: &'d mut Decls,
}

/// A name with array sizes in a declaration.
struct Declarator {
    name: String,
    dims: Vec<u32>,
}

impl<'a> Parser<'a, '_> {
    fn text(&self, at: usize) -> &str {
        self.shader.tokens.get(at).map_or("", |t| t.text.as_ref())
    }

    fn is_word(&self, at: usize) -> bool {
        let token = self.shader.tokens.get(at);
        token.is_some_and(|t| t.kind == Kind::Word)
    }

    fn line(&self, at: usize) -> u32 {
        self.shader.tokens.get(at).map_or(1, |t| t.line)
    }

    fn behind(&self, open: usize) -> usize {
        behind(&self.shader.tokens, open)
    }

    /// Index behind the declaration's semicolon.
    fn end(&self, mut at: usize) -> usize {
        while at < self.shader.tokens.len() {
            match self.text(at) {
                ";" => return at + 1,
                "(" | "[" | "{" => at = self.behind(at),
                _ => at += 1,
            }
        }
        at
    }

    fn skip_qualifiers(&self, mut at: usize) -> usize {
        loop {
            let word = self.text(at);
            if word == "layout" && self.text(at + 1) == "(" {
                at = self.behind(at + 1);
            } else if is_qualifier(word) {
                at += 1;
            } else {
                return at;
            }
        }
    }

    fn base(&self, word: &str) -> Base {
        match self.shader.struct_names.get(word) {
            Some(s) => Base::Struct(*s),
            None if is_opaque(word) => Base::Opaque(word.to_owned()),
            None => Base::Plain,
        }
    }

    fn is_opaque(&self, base: &Base) -> bool {
        match base {
            Base::Opaque(_) => true,
            Base::Struct(s) => self.shader.structs[*s].opaque,
            Base::Plain => false,
        }
    }

    /// Value of a constant integer expression.
    fn value(&self, from: usize, to: usize) -> Option<i64> {
        let constants = &self.shader.constants;
        let mut tokens = Vec::with_capacity(to - from);
        for token in &self.shader.tokens[from..to] {
            if token.kind != Kind::Word {
                tokens.push(token.clone());
                continue;
            }
            // A conversion to an integer changes nothing here.
            if matches!(token.text.as_ref(), "int" | "uint") {
                continue;
            }
            let value = constants.get(token.text.as_ref())?;
            tokens.push(Token {
                kind: Kind::Number,
                text: Cow::Owned(value.to_string()),
                ..token.clone()
            });
        }
        evaluate(&tokens).ok()
    }

    /// Array sizes at `at`, and the index behind them. `name` is whose they are, for an array that is as long
    /// as its use demands.
    fn dims(&self, mut at: usize, name: &str) -> Result<(Vec<u32>, usize), LexError> {
        let mut dims = Vec::new();
        while self.text(at) == "[" {
            let end = self.behind(at);
            let size = if end == at + 2 {
                Some(self.longest_use(name))
            } else {
                self.value(at + 1, end - 1)
            };
            let size = size
                .and_then(|v| u32::try_from(v).ok())
                .filter(|v| (1..1 << 16).contains(v));
            let Some(size) = size else {
                return Err(bad(
                    self.line(at),
                    format!("'{name}' : the array's size is not known"),
                ));
            };
            dims.push(size);
            at = end;
        }
        Ok((dims, at))
    }

    /// One more than the largest index in the text.
    fn longest_use(&self, name: &str) -> i64 {
        let all = &self.shader.tokens;
        let index = |at: usize| match all.get(at..at + 4) {
            Some([word, open, index, close]) if word.is(name) && open.is("[") && close.is("]") => {
                index.text.parse::<i64>().ok()
            }
            _ => None,
        };
        (0..all.len()).filter_map(index).max().unwrap_or(0) + 1
    }

    /// `name [n], name [n] = value ...` up to the semicolon.
    fn declarators(&self, mut at: usize, first: &[u32]) -> Result<Vec<Declarator>, LexError> {
        let mut list = Vec::new();
        while self.is_word(at) {
            let name = self.text(at).to_owned();
            let (mut dims, next) = self.dims(at + 1, &name)?;
            dims.extend_from_slice(first);
            list.push(Declarator { name, dims });
            at = next;
            while !matches!(self.text(at), "," | ";" | "") {
                at = match self.text(at) {
                    "(" | "[" | "{" => self.behind(at),
                    _ => at + 1,
                };
            }
            at += usize::from(self.text(at) == ",");
        }
        Ok(list)
    }

    /// One global declaration.
    fn item(&mut self) -> Result<(), LexError> {
        let from = self.at;
        let at = self.skip_qualifiers(from);
        let qualified = |word: &str| self.shader.tokens[from..at].iter().any(|t| t.is(word));
        let is_uniform = qualified("uniform");
        if qualified("const") {
            self.constants(at);
        }
        if self.text(at) == "struct" {
            return self.structure(from, at, is_uniform);
        }
        let name = self.text(at + 1 + self.type_dims(at + 1));
        let name_at = at + 1 + self.type_dims(at + 1);
        if self.is_word(at) && self.is_word(name_at) && self.text(name_at + 1) == "(" {
            let name = name.to_owned();
            return self.function(from, name_at, name);
        }
        self.at = self.end(at);
        let base = self.base(self.text(at));
        if is_uniform && matches!(base, Base::Struct(_)) && self.is_opaque(&base) {
            let (first, names) = self.dims(at + 1, "")?;
            let list = self.declarators(names, &first)?;
            let keep = vec![(from, self.at)];
            return self.uniforms(&base, list, keep);
        }
        if is_uniform
            && matches!(base, Base::Opaque(_))
            && let Ok((first, names)) = self.dims(at + 1, "")
            && let Ok(list) = self.declarators(names, &first)
        {
            for Declarator { name, dims } in list {
                if !dims.is_empty() {
                    let base = base.clone();
                    self.shader.uniforms.insert(name, Ty { base, dims });
                }
            }
        }
        self.shader.items.push(Item::Keep(from, self.at));
        Ok(())
    }

    /// Tokens of the array sizes at `at`.
    fn type_dims(&self, at: usize) -> usize {
        let mut end = at;
        while self.text(end) == "[" {
            end = self.behind(end);
        }
        end - at
    }

    /// Notes `const int name = value`.
    fn constants(&mut self, ty: usize) {
        if !matches!(self.text(ty), "int" | "uint") {
            return;
        }
        let end = self.end(ty);
        let mut at = ty + 1;
        while self.is_word(at) && self.text(at + 1) == "=" {
            let mut stop = at + 2;
            while stop < end && !matches!(self.text(stop), "," | ";") {
                stop = match self.text(stop) {
                    "(" | "[" | "{" => self.behind(stop),
                    _ => stop + 1,
                };
            }
            if let Some(value) = self.value(at + 2, stop) {
                let name = self.text(at).to_owned();
                self.shader.constants.insert(name, value);
            }
            at = stop + 1;
        }
    }

    /// `struct [name] { members } declarators;`.
    fn structure(&mut self, from: usize, keyword: usize, is_uniform: bool) -> Result<(), LexError> {
        let named = self.is_word(keyword + 1);
        let open = keyword + 1 + usize::from(named);
        self.at = self.end(keyword);
        if self.text(open) != "{" {
            self.shader.items.push(Item::Keep(from, self.at));
            return Ok(());
        }
        let close = self.behind(open);
        let (made, kept) = self.members(open, close)?;
        let (opaque, plain) = (made.opaque, made.plain);
        let index = self.shader.structs.len();
        if named {
            let name = self.text(keyword + 1).to_owned();
            self.shader.struct_names.insert(name, index);
        }
        self.shader.structs.push(made);
        if !opaque {
            self.shader.items.push(Item::Keep(from, self.at));
            return Ok(());
        }
        let mut keep = Vec::new();
        if plain {
            keep.push((from, open + 1));
            keep.extend(kept);
            keep.push((close - 1, self.at));
        }
        let list = self.declarators(close, &[])?;
        if is_uniform {
            return self.uniforms(&Base::Struct(index), list, keep);
        }
        self.shader.items.push(Item::Replace(keep));
        Ok(())
    }

    /// The members between two braces, and the ranges of tokens that stay.
    fn members(
        &self,
        open: usize,
        close: usize,
    ) -> Result<(Struct, Vec<(usize, usize)>), LexError> {
        let mut made = Struct::default();
        let mut kept = Vec::new();
        let mut at = open + 1;
        while at + 1 < close {
            let from = at;
            let ty = self.skip_qualifiers(at);
            at = self.end(ty).min(close - 1).max(from + 1);
            let base = self.base(self.text(ty));
            // Sizes matter only on the way to opaque members.
            let list = if self.is_opaque(&base) {
                let (first, names) = self.dims(ty + 1, "")?;
                self.declarators(names, &first)?
            } else {
                Vec::new()
            };
            let stays = match &base {
                Base::Struct(s) => self.shader.structs[*s].plain,
                Base::Opaque(_) => false,
                Base::Plain => true,
            };
            made.opaque |= self.is_opaque(&base);
            made.plain |= stays;
            if stays {
                kept.push((from, at));
            }
            made.members.extend(list.into_iter().map(|d| Member {
                name: d.name,
                ty: Ty {
                    base: base.clone(),
                    dims: d.dims,
                },
            }));
        }
        Ok((made, kept))
    }

    /// Uniforms of a structure with opaque members: declares what stands for those.
    fn uniforms(
        &mut self,
        base: &Base,
        list: Vec<Declarator>,
        keep: Vec<(usize, usize)>,
    ) -> Result<(), LexError> {
        let Base::Struct(s) = *base else {
            return Ok(());
        };
        for declarator in list {
            let part = (declarator.name.clone(), declarator.dims.clone());
            self.declare(s, &mut vec![part])?;
            let ty = Ty {
                base: base.clone(),
                dims: declarator.dims,
            };
            self.shader.uniforms.insert(declarator.name, ty);
        }
        let keep = if self.shader.structs[s].plain {
            keep
        } else {
            Vec::new()
        };
        self.shader.items.push(Item::Replace(keep));
        Ok(())
    }

    fn declare(&mut self, s: usize, path: &mut Vec<(String, Vec<u32>)>) -> Result<(), LexError> {
        for member in 0..self.shader.structs[s].members.len() {
            let Member { name, ty } = &self.shader.structs[s].members[member];
            let (name, ty) = (name.clone(), ty.clone());
            path.push((name, ty.dims));
            match ty.base {
                Base::Struct(inner) => self.declare(inner, path)?,
                Base::Opaque(word) => {
                    let variable = variable_name(path);
                    let sizes = path.iter().flat_map(|(_, dims)| dims);
                    let total = sizes.fold(1u32, |n, size| n.saturating_mul(*size));
                    if total >= 1 << 16 {
                        return Err(bad(
                            self.line(self.at),
                            format!("'{}' : too many samplers", path[0].0),
                        ));
                    }
                    let is_array = path.iter().any(|(_, dims)| !dims.is_empty());
                    self.shader.variables.push(Variable {
                        ty: word,
                        name: variable.clone(),
                        size: is_array.then_some(total),
                    });
                    self.decls.add_hoisted(variable, path.clone());
                }
                Base::Plain => {}
            }
            path.pop();
        }
        Ok(())
    }

    /// `type name ( parameters ) { body }` or `;`.
    fn function(&mut self, from: usize, name_at: usize, name: String) -> Result<(), LexError> {
        let open = name_at + 1;
        let close = self.behind(open).saturating_sub(1);
        self.at = match self.text(close + 1) {
            "{" => self.behind(close + 1),
            _ => self.end(close),
        };
        let mut parameters = Vec::new();
        let mut at = open + 1;
        while at < close {
            let start = at;
            while at < close && self.text(at) != "," {
                at = match self.text(at) {
                    "(" | "[" | "{" => self.behind(at).min(close),
                    _ => at + 1,
                };
            }
            let ty = self.skip_qualifiers(start);
            let base = self.base(self.text(ty));
            let name_at = ty + 1 + self.type_dims(ty + 1);
            let name = (name_at < at && self.is_word(name_at)).then(|| self.text(name_at));
            let name = name.map(str::to_owned);
            let dims = if self.is_opaque(&base) {
                let (first, next) = self.dims(ty + 1, "")?;
                let (mut dims, _) = self.dims(next + usize::from(name.is_some()), "")?;
                dims.extend(first);
                dims
            } else {
                Vec::new()
            };
            parameters.push(Parameter {
                name,
                ty: Ty { base, dims },
                from: start,
                to: at,
            });
            at += 1;
        }
        self.shader.items.push(Item::Function(Function {
            name,
            name_at,
            parameters,
            from,
            close,
            to: self.at,
        }));
        Ok(())
    }
}
