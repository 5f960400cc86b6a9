//! The default uniform block in words: uniforms by name, as the program's reflection archive lays them out.

use mgl_core::program::{ComponentKind, Reflection, Uniform, UniformPlace};

use super::flatten::Leaf;

/// A row an element of every active uniform of the default block. Bytes outside the block are shown as missing.
pub fn add_rows(
    prefix: &str,
    reflection: &Reflection,
    bytes: &[u8],
    out: &mut Vec<(String, Leaf)>,
) {
    for uniform in &reflection.uniforms {
        if uniform.place != UniformPlace::Default {
            continue;
        }
        let base = uniform.name.strip_suffix("[0]").unwrap_or(&uniform.name);
        for element in 0..uniform.size {
            let path = if uniform.is_array {
                format!("{prefix}.{base}[{element}]")
            } else {
                format!("{prefix}.{base}")
            };
            let text = value(uniform, element, bytes).unwrap_or_else(|| "missing".to_owned());
            out.push((path, Leaf::Text(text)));
        }
    }
}

/// The numbers of one element, in parentheses unless there is just one; columns are separated by semicolons.
fn value(uniform: &Uniform, element: u32, bytes: &[u8]) -> Option<String> {
    let shape = uniform.ty.numeric()?;
    let start = uniform.offset as usize + element as usize * uniform.array_stride as usize;
    let width = match shape.component {
        ComponentKind::Double => 8,
        _ => 4,
    };
    let (columns, rows) = (usize::from(shape.columns), usize::from(shape.rows));
    let mut text = String::new();
    for column in 0..columns {
        for row in 0..rows {
            let (major, minor) = if uniform.row_major {
                (row, column)
            } else {
                (column, row)
            };
            let at = start + major * uniform.matrix_stride as usize + minor * width;
            if column + row > 0 {
                text.push_str(if row == 0 { "; " } else { ", " });
            }
            text.push_str(&number(shape.component, bytes.get(at..at + width)?)?);
        }
    }
    Some(if columns * rows > 1 {
        format!("({text})")
    } else {
        text
    })
}

/// A number as text; numbers of different bits have different texts.
fn number(component: ComponentKind, bytes: &[u8]) -> Option<String> {
    Some(match component {
        ComponentKind::Float => {
            let v = f32::from_le_bytes(bytes.try_into().ok()?);
            if v.is_nan() {
                format!("bits:{:#010x}", v.to_bits())
            } else {
                v.to_string()
            }
        }
        ComponentKind::Double => {
            let v = f64::from_le_bytes(bytes.try_into().ok()?);
            if v.is_nan() {
                format!("bits:{:#018x}", v.to_bits())
            } else {
                v.to_string()
            }
        }
        ComponentKind::Int => i32::from_le_bytes(bytes.try_into().ok()?).to_string(),
        ComponentKind::Uint | ComponentKind::Bool => {
            u32::from_le_bytes(bytes.try_into().ok()?).to_string()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgl_core::program::{GlType, NumericShape, StageMask};

    fn uniform(name: &str, columns: u8, rows: u8, offset: u32, size: u32) -> Uniform {
        let shape = NumericShape {
            component: ComponentKind::Float,
            columns,
            rows,
        };
        Uniform {
            name: name.to_owned(),
            ty: GlType::from_numeric(shape).expect("a type of GLSL"),
            size,
            is_array: name.ends_with(']'),
            place: UniformPlace::Default,
            location: 0,
            offset,
            array_stride: 16,
            matrix_stride: 16,
            row_major: false,
            stages: StageMask(1),
        }
    }

    fn shown(uniform: Uniform, values: &[f32]) -> Vec<(String, String)> {
        let reflection = Reflection {
            uniforms: vec![uniform],
            ..Reflection::default()
        };
        let mut rows = Vec::new();
        add_rows(
            "constants",
            &reflection,
            bytemuck::cast_slice(values),
            &mut rows,
        );
        rows.into_iter()
            .map(|(p, l)| match l {
                Leaf::Text(t) => (p, t),
                Leaf::Handle(..) => panic!("a handle in a uniform block"),
            })
            .collect()
    }

    #[test]
    fn uniforms_are_named_and_laid_out() {
        let values: Vec<f32> = (0..16).map(|i| i as f32).collect();
        let row = |p: &str, t: &str| (p.to_owned(), t.to_owned());
        assert_eq!(
            shown(uniform("scale", 1, 1, 8, 1), &values),
            [row("constants.scale", "2")]
        );
        assert_eq!(
            shown(uniform("m", 2, 2, 16, 1), &values),
            [row("constants.m", "(4, 5; 8, 9)")]
        );
        assert_eq!(
            shown(uniform("a[0]", 1, 3, 0, 2), &values),
            [
                row("constants.a[0]", "(0, 1, 2)"),
                row("constants.a[1]", "(4, 5, 6)")
            ]
        );
    }

    #[test]
    fn a_block_that_is_too_short_is_said_to_be() {
        let rows = shown(uniform("a[0]", 1, 3, 0, 3), &[0.0; 8]);
        assert_eq!(rows[2].1, "missing");
    }
}
