//! Polygon modes other than fill (GL 4.6 §14.6.4): a geometry shader between the vertex and the fragment shader takes
//! triangles, culls them as the state says, and gives their edges or corners.
//!
//! It is written from the declarations in the vertex shader's text, whose names the two sub-modules before made. Values
//! that are flat are the last corner's, which is the one that provokes.

use std::fmt::Write;

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
}

/// A value that leaves the vertex shader.
struct Value<'a> {
    /// Interpolation words before the type.
    qualifiers: &'a str,
    ty: &'a str,
    /// `N` of `mgl_vN`.
    number: &'a str,
    /// `[n]`, or nothing.
    array: &'a str,
}

fn value(line: &str) -> Option<Value<'_>> {
    let declaration = line.strip_suffix(';')?;
    let (qualifiers, rest) = declaration.split_once("out ")?;
    let known = [
        "flat",
        "noperspective",
        "centroid",
        "sample",
        "invariant",
        "smooth",
    ];
    if !qualifiers.split_whitespace().all(|w| known.contains(&w)) {
        return None;
    }
    let (ty, name) = rest.rsplit_once(' ')?;
    let name = name.strip_prefix("mgl_v")?;
    let end = name.find('[').unwrap_or(name.len());
    Some(Value {
        qualifiers: qualifiers.trim_start_matches("invariant "),
        ty,
        number: &name[..end],
        array: &name[end..],
    })
}

/// The geometry shader and the changed fragment shader; `None` for values that are structures or blocks, and for
/// clip distances, which would have to be cut here.
pub fn texts(vertex: &str, fragment: &str, wire: &Wire, version: u32) -> Option<(String, String)> {
    let mut values = Vec::new();
    for line in vertex.lines() {
        if let Some(v) = value(line) {
            values.push(v);
        } else if line.contains("mgl_v") && (line.starts_with("out ") || line.contains(" out ")) {
            return None;
        }
    }
    if vertex.contains("gl_ClipDistance") || values.iter().any(|v| v.ty.contains("mgl_S")) {
        return None;
    }
    let points = wire.outline == Outline::Points;
    let mut g = if version < 320 {
        "#version 310 es\n#extension GL_EXT_geometry_shader : require\n".to_owned()
    } else {
        "#version 320 es\n".to_owned()
    };
    if points {
        g.push_str("#extension GL_EXT_geometry_point_size : require\n");
    }
    let kinds = if points {
        "layout(points, max_vertices = 3) out"
    } else {
        "layout(line_strip, max_vertices = 4) out"
    };
    let _ = writeln!(
        g,
        "precision highp float;\nprecision highp int;\nlayout(triangles) in;\n{kinds};"
    );
    for Value {
        qualifiers,
        ty,
        number,
        array,
    } in &values
    {
        let _ = writeln!(
            g,
            "{qualifiers}in {ty} mgl_v{number}[]{array};\n{qualifiers}out {ty} mgl_w{number}{array};"
        );
    }
    let facing = fragment.contains("gl_FrontFacing");
    if facing {
        g.push_str("flat out int mgl_facing;\n");
    }
    g.push_str("void corner(int i, int facing)\n{\n    gl_Position = gl_in[i].gl_Position;\n");
    if points {
        g.push_str("    gl_PointSize = gl_in[i].gl_PointSize;\n");
    }
    for v in &values {
        let from = if v.qualifiers.contains("flat") {
            "2"
        } else {
            "i"
        };
        let _ = writeln!(g, "    mgl_w{0} = mgl_v{0}[{from}];", v.number);
    }
    if facing {
        g.push_str("    mgl_facing = facing;\n");
    }
    if fragment.contains("gl_PrimitiveID") {
        g.push_str("    gl_PrimitiveID = gl_PrimitiveIDIn;\n");
    }
    g.push_str("    EmitVertex();\n}\n");
    // Twice the area in clip space, by which homogeneous triangles face though a corner may lie behind the eye.
    let front = if wire.front_ccw { ">" } else { "<" };
    let _ = writeln!(
        g,
        "void main()\n{{\n    mat3 m = mat3(gl_in[0].gl_Position.xyw, gl_in[1].gl_Position.xyw, gl_in[2].gl_Position.xyw);\n    \
         bool front = determinant(m) {front} 0.0;\n    if (front ? {} : {}) return;\n    int facing = front ? 1 : 0;",
        wire.culled[0], wire.culled[1]
    );
    let corners = if points { 3 } else { 4 };
    for i in 0..corners {
        let _ = writeln!(g, "    corner({}, facing);", i % 3);
        if points {
            g.push_str("    EndPrimitive();\n");
        }
    }
    g.push_str("    EndPrimitive();\n}\n");

    let mut f = fragment.replace("mgl_v", "mgl_w");
    if facing {
        f = f.replace("gl_FrontFacing", "(mgl_facing != 0)");
        let at = f
            .rfind("precision ")
            .and_then(|at| f[at..].find('\n').map(|n| at + n + 1))?;
        f.insert_str(at, "flat in highp int mgl_facing;\n");
    }
    Some((g, f))
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
    };

    #[test]
    fn values_pass_through() {
        let (g, f) = texts(VERTEX, FRAGMENT, &WIRE, 320).expect("plain values");
        for line in [
            "in highp vec2 mgl_v0[];",
            "out highp vec2 mgl_w0;",
            "flat out highp ivec3 mgl_w1;",
            "in vec4 mgl_v2[][2];",
            "out vec4 mgl_w2[2];",
            "    mgl_w1 = mgl_v1[2];",
            "    mgl_w2 = mgl_v2[i];",
            "    if (front ? false : true) return;",
        ] {
            assert!(g.lines().any(|l| l == line), "{line}\n{g}");
        }
        assert_eq!(g.matches("corner(").count(), 5);
        assert!(f.contains("in highp vec2 mgl_w0;") && f.contains("(mgl_facing != 0)"));
        assert!(f.contains("precision highp int;\nflat in highp int mgl_facing;\n"));
    }

    #[test]
    fn what_cannot_pass_is_told() {
        let block = "#version 320 es\nout mgl_v0_block\n{\n    vec4 m0;\n} mgl_v0;\nvoid main() {}";
        assert!(texts(block, FRAGMENT, &WIRE, 320).is_none());
        let clipped = "#version 320 es\nvoid main()\n{\n    gl_ClipDistance[0] = 1.0;\n}\n";
        assert!(texts(clipped, FRAGMENT, &WIRE, 320).is_none());
    }
}
