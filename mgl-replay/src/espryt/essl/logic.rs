//! Logic operations (GL 4.6 §17.3.9) where fragments can read the framebuffer (EXT_shader_framebuffer_fetch): the
//! program's `main` becomes a function, and a new one combines what it wrote with what was there, bit by bit.

use std::fmt::Write;

/// What a draw buffer holds, as far as a logic operation sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LogicTarget {
    /// Nothing, or values that logic operations leave alone (floats, sRGB).
    #[default]
    Untouched,
    /// Unsigned normalised values: bits of each component.
    Unorm([u8; 4]),
    /// Integers.
    Integer,
}

/// A logic operation and what it works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Logic {
    /// GL constant of the operation.
    pub operation: u32,
    /// The draw buffers.
    pub targets: [LogicTarget; 8],
}

impl Logic {
    /// The operation on `s` and `d`, as ESSL.
    fn expression(&self) -> &'static str {
        // GL_CLEAR is 0x1500; the table has the order of the constants.
        const TABLE: [&str; 16] = [
            "0u", "s & d", "s & ~d", "s", "~s & d", "d", "s ^ d", "s | d", "~(s | d)", "~(s ^ d)",
            "~d", "s | ~d", "~s", "~s | d", "~(s & d)", "~0u",
        ];
        TABLE[(self.operation & 15) as usize]
    }
}

/// A type of outputs: its name, the number of its components, and that of unsigned integers with as many.
fn parts(ty: &str) -> Option<(usize, &'static str)> {
    const UNSIGNED: [&str; 4] = ["uint", "uvec2", "uvec3", "uvec4"];
    let n = match ty {
        "float" | "int" | "uint" => 1,
        _ => ty
            .strip_prefix(['i', 'u'])
            .unwrap_or(ty)
            .strip_prefix("vec")?
            .parse::<usize>()
            .ok()?,
    };
    UNSIGNED.get(n - 1).map(|u| (n, *u))
}

/// The shader with the operation; `None` where its text is not as expected.
pub fn apply(source: &str, logic: &Logic) -> Option<String> {
    let mut head = String::new();
    let (mut before, mut after) = (String::new(), String::new());
    for (number, line) in source.lines().enumerate() {
        let output = output(line).filter(|o| {
            let target = logic.targets.get(o.location as usize);
            target.is_some_and(|t| *t != LogicTarget::Untouched)
        });
        match output {
            Some(o) => {
                let _ = writeln!(head, "{}", line.replacen(" out ", " inout ", 1));
                let (n, unsigned) = parts(o.ty)?;
                let (name, ty) = (o.name, o.ty);
                let _ = writeln!(before, "    highp {ty} mgl_d{name} = {name};");
                let target = logic.targets[o.location as usize];
                let LogicTarget::Unorm(bits) = target else {
                    let _ = writeln!(
                        after,
                        "    {name} = {ty}(mgl_logic({unsigned}({name}), {unsigned}(mgl_d{name})));",
                    );
                    continue;
                };
                let most: Vec<String> = bits[..n]
                    .iter()
                    .map(|b| format!("{}.0", (1u64 << (*b).clamp(1, 31)) - 1))
                    .collect();
                let most = format!("{ty}({})", most.join(", "));
                let quantised =
                    |v: &str| format!("{unsigned}(round(clamp({v}, 0.0, 1.0) * {most}))");
                let _ = writeln!(
                    after,
                    "    {name} = {ty}(mgl_logic({}, {}) & {unsigned}({most})) / {most};",
                    quantised(name),
                    quantised(&format!("mgl_d{name}"))
                );
            }
            None => {
                let _ = writeln!(head, "{}", line.replace("void main()", "void mgl_main()"));
            }
        }
        if number == 0 {
            head.push_str("#extension GL_EXT_shader_framebuffer_fetch : require\n");
        }
    }
    let mut functions = String::new();
    for unsigned in ["uint", "uvec2", "uvec3", "uvec4"] {
        let body = self_typed(logic.expression(), unsigned);
        let _ = writeln!(
            functions,
            "highp {unsigned} mgl_logic(highp {unsigned} s, highp {unsigned} d) {{ return {body}; }}"
        );
    }
    head.contains("void mgl_main()")
        .then(|| format!("{head}{functions}void main()\n{{\n{before}    mgl_main();\n{after}}}\n"))
}

/// The constants of an expression are of its own type.
fn self_typed(expression: &str, unsigned: &str) -> String {
    match expression {
        "0u" | "~0u" => format!("{unsigned}({expression})"),
        e => e.to_owned(),
    }
}

/// A fragment output as its line declares it.
struct Output<'a> {
    location: u32,
    ty: &'a str,
    name: &'a str,
}

fn output(line: &str) -> Option<Output<'_>> {
    let rest = line.strip_prefix("layout(location = ")?;
    let (location, rest) = rest.split_once(')')?;
    let rest = rest.strip_prefix(" out ")?;
    let mut words = rest.trim_end_matches(';').split(' ');
    let mut ty = words.next()?;
    if matches!(ty, "highp" | "mediump" | "lowp") {
        ty = words.next()?;
    }
    Some(Output {
        location: location.parse().ok()?,
        ty,
        name: words.next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHADER: &str = "#version 320 es\nprecision highp float;\nlayout(location = 0) out highp vec4 mgl_o0;\n\
        layout(location = 1) out highp ivec2 mgl_o1;\nvoid main()\n{\n    mgl_o0 = vec4(1.0);\n}\n";

    #[test]
    fn outputs_are_read_and_combined() {
        let mut logic = Logic {
            operation: 0x1506,
            targets: [LogicTarget::Untouched; 8],
        };
        logic.targets[0] = LogicTarget::Unorm([8, 8, 8, 2]);
        logic.targets[1] = LogicTarget::Integer;
        let text = apply(SHADER, &logic).expect("a shader of the expected form");
        assert!(text.contains("#version 320 es\n#extension GL_EXT_shader_framebuffer_fetch"));
        assert!(text.contains("layout(location = 0) inout highp vec4 mgl_o0;"));
        assert!(text.contains("vec4(255.0, 255.0, 255.0, 3.0)"));
        assert!(text.contains("mgl_o1 = ivec2(mgl_logic(uvec2(mgl_o1), uvec2(mgl_dmgl_o1)));"));
        assert!(text.contains("return s ^ d;"));
        assert!(text.contains("    mgl_main();\n"));
    }

    #[test]
    fn what_is_untouched_stays() {
        let logic = Logic {
            operation: 0x1501,
            targets: [LogicTarget::Untouched; 8],
        };
        let text = apply(SHADER, &logic).expect("a shader of the expected form");
        assert!(!text.contains("inout"));
        assert!(apply("void draw() {}", &logic).is_none());
    }
}
