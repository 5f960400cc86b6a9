//! What a shader's declarations say that its SPIR-V does not: which words of a block are booleans,
//! whether uniforms have initialisers, fragment coordinate conventions.

use std::collections::{HashMap, HashSet};

/// Facts from one shader's declarations, or those of all shaders of a stage merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decls {
    /// (struct or block name, member name) of booleans; the default block's members are under the
    /// empty name.
    bools: HashSet<(String, String)>,
    /// A default-block uniform has an initialiser.
    pub has_initialisers: bool,
    pub pixel_center_integer: bool,
    pub origin_upper_left: bool,
    /// Sizes of `gl_ClipDistance`.
    pub clip: super::translate::ClipSizes,
    /// An input without an output is an error and not merely undefined (GLSL 1.20 and before).
    pub strict_inputs: bool,
    /// By its variable: a sampler that was a member of a structure, as the names and array sizes from
    /// the uniform down.
    hoisted: HashMap<String, Vec<(String, Vec<u32>)>>,
}

impl Decls {
    /// Nothing yet, of a shader of this GLSL version.
    pub fn of_version(version: u32) -> Decls {
        Decls {
            strict_inputs: version <= 120,
            ..Decls::default()
        }
    }

    /// Notes that a member is a boolean (or a vector of them).
    pub fn add_bool(&mut self, owner: &str, member: &str) {
        self.bools.insert((owner.to_owned(), member.to_owned()));
    }

    /// True when the member of this struct or block, by its names in the SPIR-V, is a boolean.
    pub fn is_bool(&self, owner: &str, member: &str) -> bool {
        if self.bools.is_empty() {
            return false;
        }
        let owner = if owner == super::glslang::DEFAULT_BLOCK_NAME {
            ""
        } else {
            owner
        };
        self.bools.contains(&(owner.to_owned(), member.to_owned()))
    }

    /// Notes what a variable stands for that was a member of a structure.
    pub fn add_hoisted(&mut self, variable: String, path: Vec<(String, Vec<u32>)>) {
        self.hoisted.insert(variable, path);
    }

    /// What a variable stands for, if it was a member of a structure.
    pub fn hoisted(&self, variable: &str) -> Option<&[(String, Vec<u32>)]> {
        self.hoisted.get(variable).map(Vec::as_slice)
    }

    /// Adds another shader's facts.
    pub fn merge(&mut self, other: &Decls) {
        self.bools.extend(other.bools.iter().cloned());
        self.has_initialisers |= other.has_initialisers;
        self.pixel_center_integer |= other.pixel_center_integer;
        self.origin_upper_left |= other.origin_upper_left;
        self.clip.merge(&other.clip);
        self.strict_inputs |= other.strict_inputs;
        let hoisted = other.hoisted.iter();
        self.hoisted
            .extend(hoisted.map(|(name, path)| (name.clone(), path.clone())));
    }
}
