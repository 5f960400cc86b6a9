//! Finds the entry points that the crate's sources declare.
//!
//! A declaration is a `gl_entry! { .. }` or `api_entry! { .. }` invocation with `fn NAME(` at its
//! top level. Files are lexed as Rust, so comments and strings do not count.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const MACROS: [&str; 2] = ["gl_entry", "api_entry"];

/// Every declared name with the file that declares it.
pub fn entries(src: &Path) -> BTreeMap<String, PathBuf> {
    let mut files = Vec::new();
    collect(src, &mut files);
    files.sort();
    let mut found = BTreeMap::new();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        // A file that does not lex is reported by the compiler itself, with a better message.
        let Ok(tokens) = text.parse::<TokenStream>() else {
            continue;
        };
        let mut names = Vec::new();
        invocations(tokens, &mut names);
        for name in names {
            found.insert(name, file.clone());
        }
    }
    found
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    let Ok(list) = fs::read_dir(dir) else { return };
    for entry in list.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

fn invocations(tokens: TokenStream, names: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let is_entry = i >= 2
            && matches!(&tokens[i - 1], TokenTree::Punct(p) if p.as_char() == '!')
            && matches!(&tokens[i - 2], TokenTree::Ident(id) if MACROS.iter().any(|m| id == m))
            && group.delimiter() == Delimiter::Brace;
        if is_entry {
            functions(group.stream(), names);
        } else {
            invocations(group.stream(), names);
        }
    }
}

fn functions(tokens: TokenStream, names: &mut Vec<String>) {
    let mut after_fn = false;
    for token in tokens {
        match token {
            TokenTree::Ident(id) if after_fn => {
                names.push(id.to_string());
                after_fn = false;
            }
            TokenTree::Ident(id) => after_fn = id == "fn",
            _ => after_fn = false,
        }
    }
}
