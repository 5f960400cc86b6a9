//! Sizes of `gl_ClipDistance` (GLSL 3.30 §7.1): given by redeclarations, which go, or by the largest index.
//! Stages may differ in them; the compiler wants one size on both sides of an interface, so that the array is
//! declared again where the linker knows both.

use crate::shader::lex::{Kind, Token};
use crate::shader::preprocess::evaluate;
use mgl_core::program::ShaderStage;

/// Elements of `gl_ClipDistance`, 0 where it is not used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// What a geometry shader reads of each vertex.
    pub input: u32,
    /// What a stage writes, or a fragment shader reads.
    pub own: u32,
    /// Given by a redeclaration.
    input_given: bool,
    own_given: bool,
}

impl Sizes {
    /// Another shader of the same stage.
    pub fn merge(&mut self, other: &Sizes) {
        self.input = self.input.max(other.input);
        self.own = self.own.max(other.own);
        self.input_given |= other.input_given;
        self.own_given |= other.own_given;
    }

    /// Declarations that the program gave: the code may use indices that are not constant.
    pub fn declarations(&self, stage: ShaderStage) -> String {
        let mut text = String::new();
        if self.own_given {
            let direction = match stage {
                ShaderStage::Fragment => "in",
                _ => "out",
            };
            text = format!("{direction} float gl_ClipDistance[{}];", self.own);
        }
        if self.input_given {
            text.push_str(&input_block(self.input));
        }
        text
    }

    /// A redeclared block of inputs needs an extension.
    pub fn needs_blocks(&self) -> bool {
        self.input_given
    }

    /// Declarations where `input` and `output` are the sizes of the interfaces on both sides.
    pub fn declarations_between(&self, stage: ShaderStage, size: u32) -> String {
        if stage != ShaderStage::Geometry {
            return format!("out gl_PerVertex{{{}}};", members(size));
        }
        let own = Sizes {
            input_given: false,
            ..*self
        };
        own.declarations(stage) + &input_block(size)
    }
}

fn members(size: u32) -> String {
    format!("vec4 gl_Position;float gl_PointSize;float gl_ClipDistance[{size}];")
}

fn input_block(size: u32) -> String {
    format!("in gl_PerVertex{{{}}} gl_in[];", members(size))
}

/// Most elements that count; the compiler refuses more.
const MAX: u32 = 64;

/// Value of the index or size in brackets at `at`.
fn bracketed(tokens: &[Token], at: usize) -> Option<u32> {
    if !tokens.get(at)?.is("[") {
        return None;
    }
    let end = (at + 1..tokens.len()).find(|n| tokens[*n].is("]"))?;
    let inner = &tokens[at + 1..end];
    if inner.is_empty() || inner.iter().any(|t| t.kind == Kind::Word) {
        return None;
    }
    let value = evaluate(inner).ok()?;
    u32::try_from(value).ok().filter(|v| *v < MAX)
}

/// Finds the sizes and takes the redeclarations out; the block's own are the scan's to drop.
pub fn take(tokens: &mut Vec<Token>, stage: ShaderStage) -> Sizes {
    let mut sizes = Sizes::default();
    if !tokens.iter().any(|t| t.is("gl_ClipDistance")) {
        return sizes;
    }
    let mut gone: Vec<(usize, usize)> = Vec::new();
    let (mut depth, mut start) = (0u32, 0);
    let mut block: Option<bool> = None;
    for at in 0..tokens.len() {
        match tokens[at].text.as_ref() {
            "{" => {
                let vertex = at > 0 && tokens[at - 1].is("gl_PerVertex");
                if depth == 0 && vertex {
                    block = Some(tokens[start..at].iter().any(|t| t.is("in")));
                }
                depth += 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    block = None;
                    start = at + 1;
                }
            }
            ";" if depth == 0 => start = at + 1,
            "gl_ClipDistance" => {
                let typed = at > 0 && (tokens[at - 1].is("float") || tokens[at - 1].is("]"));
                let declared = typed && (depth == 0 || block.is_some());
                let value = bracketed(tokens, at + 1);
                if declared && let Some(size) = value {
                    let is_input = block.unwrap_or(false) && stage == ShaderStage::Geometry;
                    if is_input {
                        (sizes.input, sizes.input_given) = (sizes.input.max(size), true);
                    } else {
                        (sizes.own, sizes.own_given) = (sizes.own.max(size), true);
                    }
                    let end = (at..tokens.len()).find(|n| tokens[*n].is(";"));
                    if depth == 0
                        && let Some(end) = end
                    {
                        gone.push((start, end + 1));
                    }
                } else if !declared {
                    let of_vertex = at > 0 && tokens[at - 1].is(".");
                    let of_input = of_vertex && stage == ShaderStage::Geometry;
                    let used = value.map_or(1, |index| index + 1);
                    let size = if of_input {
                        &mut sizes.input
                    } else {
                        &mut sizes.own
                    };
                    *size = used.max(*size);
                }
            }
            _ => {}
        }
    }
    for (from, to) in gone.into_iter().rev() {
        tokens.drain(from..to);
    }
    sizes
}
