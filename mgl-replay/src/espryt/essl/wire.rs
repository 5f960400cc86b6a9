//! Polygon modes other than fill (GL 4.6 §14.6.4): a geometry shader between the vertex and the fragment shader takes
//! triangles, culls them as the state says, and gives their edges or corners. Where the program has a geometry shader of
//! its own, that one gives them: what it writes is kept until three vertices are a triangle.
//!
//! Both are written from the declarations in the text of the stage before the rasteriser ([`outputs`]). Values that are
//! flat are the last corner's, which is the one that provokes.

use super::interface::{Interface, Kind, Output, outputs};
use std::fmt::Write;

/// Location of the plain uniform of outlines that are offset in depth: factor, units in normalised device depth, and half
/// the viewport's size in pixels.
pub const OFFSET_LOCATION: u32 = 2;

/// Declares the offset, and how much of it a triangle has (GL 4.6 §14.6.5). A corner behind the eye leaves no slope to go by.
const OFFSET: &str = "layout(location = 2) uniform highp vec4 mgl_offset;
highp float mgl_shift = 0.0;
void mgl_slope(highp vec4 a, highp vec4 b, highp vec4 c)
{
    mgl_shift = mgl_offset.y;
    if (min(a.w, min(b.w, c.w)) <= 0.0) return;
    highp vec3 size = vec3(mgl_offset.zw, 1.0);
    highp vec3 p = a.xyz / a.w * size;
    highp vec3 n = cross(b.xyz / b.w * size - p, c.xyz / c.w * size - p);
    if (n.z != 0.0) mgl_shift += mgl_offset.x * max(abs(n.x / n.z), abs(n.y / n.z));
}
";

/// What is left of a polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outline {
    /// Its edges.
    Lines,
    /// Its corners.
    Points,
}

/// How polygons are drawn that are not filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wire {
    pub outline: Outline,
    /// Front faces are culled, back faces are culled.
    pub culled: [bool; 2],
    /// Front faces wind counter-clockwise.
    pub front_ccw: bool,
    /// Outlines are offset in depth.
    pub offset: bool,
}

impl Wire {
    fn layout(&self, triangles: u32) -> String {
        match self.outline {
            Outline::Points => format!("layout(points, max_vertices = {}) out;\n", 3 * triangles),
            Outline::Lines => {
                format!(
                    "layout(line_strip, max_vertices = {}) out;\n",
                    4 * triangles
                )
            }
        }
    }

    /// Statements that give the outline of a triangle whose positions are given; `culled` is what to do with one that is not there.
    fn outline(&self, positions: [&str; 3], culled: &str) -> String {
        // Twice the area in clip space, by which homogeneous triangles face though a corner may lie behind the eye.
        let front = if self.front_ccw { ">" } else { "<" };
        let [a, b, c] = positions;
        let mut code = format!(
            "    mat3 mgl_m = mat3({a}.xyw, {b}.xyw, {c}.xyw);\n    bool mgl_front = determinant(mgl_m) {front} 0.0;\n    \
             if (mgl_front ? {} : {}) {culled}\n    int mgl_side = mgl_front ? 1 : 0;\n",
            self.culled[0], self.culled[1]
        );
        if self.offset {
            let _ = writeln!(code, "    mgl_slope({a}, {b}, {c});");
        }
        let points = self.outline == Outline::Points;
        for i in 0..if points { 3 } else { 4 } {
            let _ = writeln!(code, "    mgl_corner({}, mgl_side);", i % 3);
            if points {
                code.push_str("    EndPrimitive();\n");
            }
        }
        if !points {
            code.push_str("    EndPrimitive();\n");
        }
        code
    }
}

/// The statement that moves a corner in depth.
const SHIFT: &str = "    gl_Position.z += mgl_shift * gl_Position.w;\n";

/// The fragment shader that reads what the new stage writes; whether it asks for the face.
fn reader(fragment: &str, letter: char) -> Option<(String, bool)> {
    let mut f = fragment.replace(&format!("mgl_{letter}"), "mgl_w");
    let facing = f.contains("gl_FrontFacing");
    if facing {
        f = f.replace("gl_FrontFacing", "(mgl_facing != 0)");
        let at = f
            .rfind("precision ")
            .and_then(|at| f[at..].find('\n').map(|n| at + n + 1))?;
        f.insert_str(at, "flat in highp int mgl_facing;\n");
    }
    Some((f, facing))
}

/// The name of an output of the new stage.
fn given(name: &str, letter: char) -> String {
    name.replace(&format!("mgl_{letter}"), "mgl_w")
}

/// Declares an output of the new stage.
fn declare(g: &mut String, o: &Output<'_>, letter: char) {
    let name = given(o.name, letter);
    match &o.kind {
        Kind::Value { ty } => {
            let _ = writeln!(g, "{}out {ty} {name}{};", o.qualifiers, o.array);
        }
        Kind::Block { block, members } => {
            let _ = writeln!(g, "{}out {}\n{{", o.qualifiers, given(block, letter));
            for m in members {
                let _ = writeln!(g, "    {}", m.line);
            }
            let _ = writeln!(g, "}} {name}{};", o.array);
        }
    }
}

/// Statements that copy an output: `from(flat)` is where a value that is flat, or not, comes from.
fn copy(g: &mut String, o: &Output<'_>, letter: char, from: impl Fn(bool) -> String) {
    let name = given(o.name, letter);
    match &o.kind {
        Kind::Value { .. } => {
            let flat = o.qualifiers.contains("flat");
            let _ = writeln!(g, "    {name} = {};", from(flat));
        }
        Kind::Block { members, .. } => {
            let count = o.elements();
            for m in members {
                let flat = m.line.contains("flat ") || o.qualifiers.contains("flat");
                for at in 0..count.unwrap_or(1) {
                    let element = count.map_or(String::new(), |_| format!("[{at}]"));
                    let _ = writeln!(
                        g,
                        "    {name}{element}.{0} = {1}{element}.{0};",
                        m.name,
                        from(flat)
                    );
                }
            }
        }
    }
}

/// The geometry shader and the changed fragment shader of a program without one; `None` for texts of another form.
pub fn texts(vertex: &str, fragment: &str, wire: &Wire, version: u32) -> Option<(String, String)> {
    let letter = 'v';
    let Interface {
        structures,
        outputs,
        clip_distances,
        ..
    } = outputs(vertex, letter)?;
    let points = wire.outline == Outline::Points;
    let mut g = if version < 320 {
        "#version 310 es\n#extension GL_EXT_geometry_shader : require\n".to_owned()
    } else {
        "#version 320 es\n".to_owned()
    };
    if points {
        g.push_str("#extension GL_EXT_geometry_point_size : require\n");
    }
    // Words of interpolation and clip distances may need some.
    for line in vertex.lines().filter(|l| l.starts_with("#extension ")) {
        let _ = writeln!(g, "{line}");
    }
    g.push_str("precision highp float;\nprecision highp int;\nlayout(triangles) in;\n");
    g.push_str(&wire.layout(1));
    if clip_distances > 0 {
        let _ = writeln!(g, "out highp float gl_ClipDistance[{clip_distances}];");
    }
    g.push_str(&structures);
    for o in &outputs {
        match &o.kind {
            Kind::Value { ty } => {
                let _ = writeln!(g, "{}in {ty} {}[]{};", o.qualifiers, o.name, o.array);
            }
            Kind::Block { block, members } => {
                let _ = writeln!(g, "{}in {block}\n{{", o.qualifiers);
                for m in members {
                    let _ = writeln!(g, "    {}", m.line);
                }
                // ESSL has no arrays of blocks a vertex.
                if !o.array.is_empty() {
                    return None;
                }
                let _ = writeln!(g, "}} {}[];", o.name);
            }
        }
        declare(&mut g, o, letter);
    }
    let (f, facing) = reader(fragment, letter)?;
    if facing {
        g.push_str("flat out highp int mgl_facing;\n");
    }
    if wire.offset {
        g.push_str(OFFSET);
    }
    g.push_str("void mgl_corner(int i, int side)\n{\n    gl_Position = gl_in[i].gl_Position;\n");
    if wire.offset {
        g.push_str(SHIFT);
    }
    if points {
        g.push_str("    gl_PointSize = gl_in[i].gl_PointSize;\n");
    }
    for at in 0..clip_distances {
        let _ = writeln!(
            g,
            "    gl_ClipDistance[{at}] = gl_in[i].gl_ClipDistance[{at}];"
        );
    }
    for o in &outputs {
        copy(&mut g, o, letter, |flat| {
            format!("{}[{}]", o.name, if flat { "2" } else { "i" })
        });
    }
    if facing {
        g.push_str("    mgl_facing = side;\n");
    }
    if fragment.contains("gl_PrimitiveID") {
        g.push_str("    gl_PrimitiveID = gl_PrimitiveIDIn;\n");
    }
    g.push_str("    EmitVertex();\n}\nvoid main()\n{\n");
    let positions = [0, 1, 2].map(|i| format!("gl_in[{i}].gl_Position"));
    let [a, b, c] = &positions;
    g.push_str(&wire.outline([a, b, c], "return;"));
    g.push_str("}\n");
    Some((g, f))
}

/// Built-in outputs of a geometry shader that are kept a vertex, and their types.
const BUILT_IN: [(&str, &str); 4] = [
    ("gl_Position", "highp vec4"),
    ("gl_PointSize", "highp float"),
    ("gl_PrimitiveID", "highp int"),
    ("gl_Layer", "highp int"),
];

/// The program's own geometry shader, changed to give outlines of the triangles that it gave, and the changed fragment
/// shader; `None` for texts of another form.
pub fn behind_geometry(geometry: &str, fragment: &str, wire: &Wire) -> Option<(String, String)> {
    let letter = 'g';
    let Interface {
        outputs,
        rest,
        vertices,
        clip_distances,
        ..
    } = outputs(geometry, letter)?;
    if clip_distances > 0 {
        return None;
    }
    let triangles = vertices?.checked_sub(2)?;
    let (f, facing) = reader(fragment, letter)?;
    let used: Vec<(&str, &str)> = BUILT_IN
        .into_iter()
        .filter(|(name, _)| writes(&rest, name))
        .collect();
    // What the shader wrote goes to plain variables; every vertex that it gave is kept three times over.
    let (mut before, mut keep, mut give) = (String::new(), String::new(), String::new());
    before.push_str(&wire.layout(triangles));
    let mut text = rest;
    for (name, ty) in &used {
        let own = name.replace("gl_", "mgl_own");
        text = replace_written(&text, name, &own);
        let _ = writeln!(before, "{ty} {own};\n{ty} {own}_kept[3];");
        let _ = writeln!(keep, "    {own}_kept[mgl_at] = {own};");
        // A layer and a number are the provoking vertex's.
        let at = if ty.contains("int") { "2" } else { "i" };
        let _ = writeln!(give, "    {name} = {own}_kept[mgl_corners[{at}]];");
    }
    for o in &outputs {
        let kept = |flat: bool| {
            let at = if flat { "2" } else { "i" };
            format!("{}_kept[mgl_corners[{at}]]", o.name)
        };
        match &o.kind {
            Kind::Value { ty } => {
                let _ = writeln!(before, "{ty} {}{};", o.name, o.array);
                let _ = writeln!(before, "{ty} {}_kept[3]{};", o.name, o.array);
            }
            Kind::Block { block, members } => {
                let _ = writeln!(before, "struct {block}\n{{");
                for m in members {
                    let _ = writeln!(before, "    {}", m.plain());
                }
                let _ = writeln!(before, "}};\n{block} {}{};", o.name, o.array);
                let _ = writeln!(before, "{block} {}_kept[3]{};", o.name, o.array);
            }
        }
        let _ = writeln!(keep, "    {0}_kept[mgl_at] = {0};", o.name);
        declare(&mut before, o, letter);
        copy(&mut give, o, letter, kept);
    }
    if facing {
        before.push_str("flat out highp int mgl_facing;\n");
        give.push_str("    mgl_facing = side;\n");
    }
    if wire.offset {
        before.push_str(OFFSET);
        give.push_str(SHIFT);
    }
    let positions = [0, 1, 2].map(|i| format!("mgl_ownPosition_kept[mgl_corners[{i}]]"));
    let [a, b, c] = &positions;
    let _ = write!(
        before,
        "int mgl_given = 0;\nint mgl_corners[3];\n\
         void mgl_corner(int i, int side)\n{{\n{give}    EmitVertex();\n}}\n\
         void mgl_outline()\n{{\n{}}}\n\
         void mgl_emit()\n{{\n    int mgl_at = mgl_given % 3;\n{keep}    mgl_given++;\n    if (mgl_given < 3) return;\n    \
         bool mgl_odd = (mgl_given & 1) == 0;\n    int mgl_a = (mgl_at + 1) % 3;\n    int mgl_b = (mgl_at + 2) % 3;\n    \
         mgl_corners[0] = mgl_odd ? mgl_b : mgl_a;\n    mgl_corners[1] = mgl_odd ? mgl_a : mgl_b;\n    \
         mgl_corners[2] = mgl_at;\n    mgl_outline();\n}}\n\
         void mgl_end()\n{{\n    mgl_given = 0;\n}}\n",
        wire.outline([a, b, c], "return;")
    );
    if !used.iter().any(|u| u.0 == "gl_Position") {
        return None;
    }
    // The shader's own vertices; those of the outline are written behind.
    let text = text
        .replace("EmitVertex();", "mgl_emit();")
        .replace("EndPrimitive();", "mgl_end();");
    let at = first_function(&text)?;
    let mut g = text;
    g.insert_str(at, &before);
    if wire.outline == Outline::Points && !g.contains("GL_EXT_geometry_point_size") {
        let line = g.find('\n')? + 1;
        g.insert_str(line, "#extension GL_EXT_geometry_point_size : require\n");
    }
    Some((g, f))
}

/// Where the first function begins: the line before the first line that is an opening brace behind a closing parenthesis.
fn first_function(text: &str) -> Option<usize> {
    let mut start = 0;
    let mut last: Option<(usize, &str)> = None;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "{"
            && let Some((at, before)) = last
            && before.trim_end().ends_with(')')
            && !before.contains("layout(")
        {
            return Some(at);
        }
        last = Some((start, line));
        start += line.len();
    }
    None
}

/// Places of a built-in's name that are the shader's own output, not an input's member or a longer name.
fn written<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(name).map(|m| m.0).filter(move |at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let joined = |c: char| c.is_alphanumeric() || c == '_';
        !before.is_some_and(|c| c == '.' || joined(c)) && !after.is_some_and(joined)
    })
}

fn writes(text: &str, name: &str) -> bool {
    written(text, name).next().is_some()
}

fn replace_written(text: &str, name: &str, with: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for at in written(text, name) {
        out.push_str(&text[from..at]);
        out.push_str(with);
        from = at + name.len();
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERTEX: &str = "#version 320 es\nout highp vec2 mgl_v0;\nflat out highp ivec3 mgl_v1;\nout vec4 mgl_v2[2];\nvoid main()\n{\n}\n";
    const FRAGMENT: &str = "#version 320 es\nprecision mediump float;\nprecision highp int;\nin highp vec2 mgl_v0;\nvoid main()\n{\n    bool b = gl_FrontFacing;\n}\n";
    const WIRE: Wire = Wire {
        outline: Outline::Lines,
        culled: [false, true],
        front_ccw: false,
        offset: false,
    };

    #[test]
    fn outlines_are_offset() {
        let wire = Wire {
            offset: true,
            ..WIRE
        };
        let (g, _) = texts(VERTEX, FRAGMENT, &wire, 320).expect("plain values");
        has_lines(
            &g,
            &[
                "layout(location = 2) uniform highp vec4 mgl_offset;",
                "    mgl_slope(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_in[2].gl_Position);",
                "    gl_Position.z += mgl_shift * gl_Position.w;",
            ],
        );
        let (g, _) = texts(VERTEX, FRAGMENT, &WIRE, 320).expect("plain values");
        assert!(!g.contains("mgl_offset"));
    }

    fn has_lines(text: &str, lines: &[&str]) {
        for line in lines {
            assert!(text.lines().any(|l| l == *line), "{line}\n{text}");
        }
    }

    #[test]
    fn values_pass_through() {
        let (g, f) = texts(VERTEX, FRAGMENT, &WIRE, 320).expect("plain values");
        has_lines(
            &g,
            &[
                "in highp vec2 mgl_v0[];",
                "out highp vec2 mgl_w0;",
                "flat out highp ivec3 mgl_w1;",
                "in vec4 mgl_v2[][2];",
                "out vec4 mgl_w2[2];",
                "    mgl_w1 = mgl_v1[2];",
                "    mgl_w2 = mgl_v2[i];",
                "    if (mgl_front ? false : true) return;",
            ],
        );
        assert_eq!(g.matches("mgl_corner(").count(), 5);
        assert!(f.contains("in highp vec2 mgl_w0;") && f.contains("(mgl_facing != 0)"));
        assert!(f.contains("precision highp int;\nflat in highp int mgl_facing;\n"));
    }

    #[test]
    fn blocks_and_structures_pass_through() {
        let vertex = "#version 320 es\nstruct mgl_S01\n{\n    highp vec4 m0;\n};\nout mgl_v0_block\n{\n    highp vec4 m0;\n    flat highp int m1;\n} mgl_v0;\nout mgl_S01 mgl_v2;\nvoid main()\n{\n}\n";
        let (g, f) = texts(vertex, "#version 320 es\nprecision highp float;\nin mgl_v0_block\n{\n    highp vec4 m0;\n    flat highp int m1;\n} mgl_v0;\nvoid main()\n{\n}\n", &WIRE, 320)
            .expect("a block and a structure");
        has_lines(
            &g,
            &[
                "struct mgl_S01",
                "in mgl_v0_block",
                "} mgl_v0[];",
                "out mgl_w0_block",
                "} mgl_w0;",
                "    mgl_w0.m0 = mgl_v0[i].m0;",
                "    mgl_w0.m1 = mgl_v0[2].m1;",
                "out mgl_S01 mgl_w2;",
                "    mgl_w2 = mgl_v2[i];",
            ],
        );
        assert!(f.contains("in mgl_w0_block\n"));
    }

    #[test]
    fn clip_distances_pass_through() {
        let vertex = "#version 320 es\n#extension GL_EXT_clip_cull_distance : require\nout float gl_ClipDistance[2];\nvoid main()\n{\n    gl_ClipDistance[0] = 1.0;\n}\n";
        let (g, _) = texts(vertex, FRAGMENT, &WIRE, 320).expect("clip distances");
        has_lines(
            &g,
            &["    gl_ClipDistance[1] = gl_in[i].gl_ClipDistance[1];"],
        );
    }

    #[test]
    fn a_geometry_shader_gives_outlines() {
        let geometry = "#version 320 es\nlayout(points) in;\nlayout(max_vertices = 4, triangle_strip) out;\n\nout highp vec4 mgl_g0;\n\nvoid main()\n{\n    gl_Position = gl_in[0].gl_Position;\n    mgl_g0 = vec4(1.0);\n    EmitVertex();\n    EndPrimitive();\n}\n";
        let fragment =
            "#version 320 es\nprecision highp float;\nin highp vec4 mgl_g0;\nvoid main()\n{\n}\n";
        let (g, f) = behind_geometry(geometry, fragment, &WIRE).expect("of the expected form");
        has_lines(
            &g,
            &[
                "layout(line_strip, max_vertices = 8) out;",
                "highp vec4 mgl_g0;",
                "highp vec4 mgl_g0_kept[3];",
                "out highp vec4 mgl_w0;",
                "    mgl_ownPosition = gl_in[0].gl_Position;",
                "    mgl_emit();",
                "    mgl_end();",
                "    mgl_w0 = mgl_g0_kept[mgl_corners[i]];",
            ],
        );
        assert!(!g.contains("triangle_strip"), "{g}");
        assert!(f.contains("in highp vec4 mgl_w0;"));
    }
}
