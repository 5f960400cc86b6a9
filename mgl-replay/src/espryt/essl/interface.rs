//! What a stage's text declares of what it gives to the next one. The text is SPIRV-Cross's, with names of ours
//! ([`super::names`]): a value is `QUALIFIERS out TYPE mgl_vN[...];`, a block spans lines.

/// A member of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member<'a> {
    /// As declared.
    pub line: &'a str,
    pub name: &'a str,
}

/// Words that say how a value is interpolated.
const QUALIFIERS: [&str; 6] = [
    "flat",
    "noperspective",
    "centroid",
    "sample",
    "invariant",
    "smooth",
];

impl Member<'_> {
    /// As a structure declares it: without words of interpolation.
    pub fn plain(&self) -> String {
        let words = self.line.split(' ').filter(|w| !QUALIFIERS.contains(w));
        words.collect::<Vec<_>>().join(" ")
    }
}

/// What an output is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A value of a type, precision included.
    Value { ty: &'a str },
    /// A block.
    Block {
        block: &'a str,
        members: Vec<Member<'a>>,
    },
}

/// Something that leaves a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output<'a> {
    /// Words of interpolation, with a space behind.
    pub qualifiers: &'a str,
    pub kind: Kind<'a>,
    pub name: &'a str,
    /// `[n]`, or nothing.
    pub array: &'a str,
}

impl Output<'_> {
    /// Elements of an array of blocks.
    pub fn elements(&self) -> Option<u32> {
        self.array
            .strip_prefix('[')?
            .split(']')
            .next()?
            .parse()
            .ok()
    }
}

/// What a text says of its outputs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Interface<'a> {
    /// Declarations of structures, as they are.
    pub structures: String,
    pub outputs: Vec<Output<'a>>,
    /// Elements of `gl_ClipDistance`.
    pub clip_distances: u32,
    /// `max_vertices`, in a geometry shader.
    pub vertices: Option<u32>,
    /// The text without outputs and the layout of what it emits.
    pub rest: String,
}

fn qualifiers_of(words: &str) -> Option<&str> {
    let known = words.split_whitespace().all(|w| QUALIFIERS.contains(&w));
    known.then(|| words.trim_start_matches("invariant "))
}

/// A value's or a block's name and what stands behind it.
fn name_of<'a>(text: &'a str, prefix: &str) -> Option<(&'a str, &'a str)> {
    let text = text.strip_suffix(';')?;
    let end = text.find('[').unwrap_or(text.len());
    text.starts_with(prefix)
        .then(|| (&text[..end], &text[end..]))
}

/// Reads a text whose outputs have this letter; `None` for one of another form.
pub fn outputs(text: &str, letter: char) -> Option<Interface<'_>> {
    let prefix = format!("mgl_{letter}");
    let mut found = Interface::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("struct ") {
            let mut whole = format!("{line}\n");
            for line in lines.by_ref() {
                whole.push_str(line);
                whole.push('\n');
                if line.starts_with('}') {
                    break;
                }
            }
            found.structures.push_str(&whole);
            found.rest.push_str(&whole);
            continue;
        }
        if line.starts_with("layout(") && line.ends_with(") out;") {
            let at = line.find("max_vertices = ")? + "max_vertices = ".len();
            let number: String = line[at..]
                .chars()
                .take_while(char::is_ascii_digit)
                .collect();
            found.vertices = number.parse().ok();
            continue;
        }
        if let Some(n) = clip_distances(line) {
            found.clip_distances = n;
        }
        let declared = if let Some(rest) = line.strip_prefix("out ") {
            Some(("", rest))
        } else {
            line.split_once(" out ")
                .and_then(|(q, rest)| Some((qualifiers_of(q)?, rest)))
        };
        let Some((_, rest)) = declared.filter(|d| d.1.contains(&prefix)) else {
            found.rest.push_str(line);
            found.rest.push('\n');
            continue;
        };
        // The words with the space behind them.
        let length = line.len() - rest.len() - "out ".len();
        let qualifiers = line[..length].trim_start_matches("invariant ");
        if !rest.ends_with(';') {
            let block = rest;
            if lines.next() != Some("{") {
                return None;
            }
            let mut members = Vec::new();
            loop {
                let line = lines.next()?.trim();
                if let Some(end) = line.strip_prefix("} ") {
                    let (name, array) = name_of(end, &prefix)?;
                    found.outputs.push(Output {
                        qualifiers,
                        kind: Kind::Block { block, members },
                        name,
                        array,
                    });
                    break;
                }
                let declared = line.strip_suffix(';')?;
                let declared = &declared[..declared.find('[').unwrap_or(declared.len())];
                let name = declared.rsplit(' ').next()?;
                members.push(Member { line, name });
            }
            continue;
        }
        let (ty, name) = rest.rsplit_once(' ')?;
        let (name, array) = name_of(name, &prefix)?;
        found.outputs.push(Output {
            qualifiers,
            kind: Kind::Value { ty },
            name,
            array,
        });
    }
    Some(found)
}

/// Elements of the clip distances that a line declares.
fn clip_distances(line: &str) -> Option<u32> {
    let at = line.find("float gl_ClipDistance[")? + "float gl_ClipDistance[".len();
    line[at..].split(']').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_blocks_are_read() {
        let text = "#version 320 es\nlayout(max_vertices = 7, triangle_strip) out;\nflat out highp ivec3 mgl_v1;\nout mgl_v2_block\n{\n    flat highp int m0;\n    vec2 m1[3];\n} mgl_v2[2];\nin vec4 mgl_a0;\nvoid main()\n{\n}\n";
        let i = outputs(text, 'v').expect("of the expected form");
        assert_eq!(i.vertices, Some(7));
        assert_eq!(i.outputs.len(), 2);
        assert_eq!(
            (
                i.outputs[0].qualifiers,
                i.outputs[0].name,
                &i.outputs[0].kind
            ),
            ("flat ", "mgl_v1", &Kind::Value { ty: "highp ivec3" })
        );
        let Kind::Block { block, members } = &i.outputs[1].kind else {
            panic!("a block");
        };
        assert_eq!((*block, i.outputs[1].elements()), ("mgl_v2_block", Some(2)));
        assert_eq!(members[0].plain(), "highp int m0;");
        assert_eq!(members[1].name, "m1");
        assert_eq!(
            i.rest,
            "#version 320 es\nin vec4 mgl_a0;\nvoid main()\n{\n}\n"
        );
    }

    #[test]
    fn what_is_cut_short_is_none() {
        assert!(outputs("out mgl_v2_block\n{\n    vec2 m1", 'v').is_none());
        assert!(outputs("out mgl_v2_block", 'v').is_none());
        assert!(outputs("out vec4 mgl_v2", 'v').is_none());
    }
}
