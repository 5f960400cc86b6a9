//! Matrices of 4 by 4, in columns as OpenGL keeps them.

/// A matrix, column after column.
pub type Matrix = [f32; 16];

/// The matrix that changes nothing.
pub const IDENTITY: Matrix = [
    1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
];

/// `a` times `b`: what `b` does comes first.
#[must_use]
pub fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| {
        let (column, row) = (i / 4, i % 4);
        (0..4).map(|k| a[4 * k + row] * b[4 * column + k]).sum()
    })
}

/// Rows for columns.
#[must_use]
pub fn transpose(m: &Matrix) -> Matrix {
    std::array::from_fn(|i| m[4 * (i % 4) + i / 4])
}

/// `m` times a column vector.
#[must_use]
pub fn transform(m: &Matrix, v: [f32; 4]) -> [f32; 4] {
    std::array::from_fn(|row| (0..4).map(|k| m[4 * k + row] * v[k]).sum())
}

/// A row vector times the inverse of `m`, as planes are transformed; a matrix without an inverse leaves the plane as it is.
#[must_use]
pub fn transform_plane(m: &Matrix, plane: [f32; 4]) -> [f32; 4] {
    let Some(inverse) = invert(m) else {
        return plane;
    };
    std::array::from_fn(|column| (0..4).map(|k| plane[k] * inverse[4 * column + k]).sum())
}

/// The inverse, by elimination with pivots; `None` for a singular matrix.
#[must_use]
pub fn invert(m: &Matrix) -> Option<Matrix> {
    let mut a: [[f64; 8]; 4] = std::array::from_fn(|row| {
        std::array::from_fn(|c| match c {
            0..4 => f64::from(m[4 * c + row]),
            _ => f64::from(u8::from(c - 4 == row)),
        })
    });
    for column in 0..4 {
        let pivot =
            (column..4).max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs()))?;
        if a[pivot][column].abs() < f64::from(f32::MIN_POSITIVE) || a[pivot][column].is_nan() {
            return None;
        }
        a.swap(column, pivot);
        let scale = a[column][column];
        a[column] = a[column].map(|v| v / scale);
        let base = a[column];
        for (row, line) in a.iter_mut().enumerate() {
            let factor = line[column];
            if row != column {
                for (v, b) in line.iter_mut().zip(base) {
                    *v -= factor * b;
                }
            }
        }
    }
    Some(std::array::from_fn(|i| a[i % 4][4 + i / 4] as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_changes_nothing() {
        let m = [
            2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 3.0, 0.0, 0.0, -4.0, 0.0, 0.0, 5.0, 6.0, 7.0, 1.0,
        ];
        let product = multiply(&m, &invert(&m).expect("not singular"));
        assert!(
            product
                .iter()
                .zip(IDENTITY)
                .all(|(a, b)| (a - b).abs() < 1e-6)
        );
        assert_eq!(invert(&[0.0; 16]), None);
        assert_eq!(transpose(&transpose(&m)), m);
        assert_eq!(transform(&m, [0.0, 0.0, 0.0, 1.0]), [5.0, 6.0, 7.0, 1.0]);
        // The plane x = 0, moved by 5: x = 5.
        let mut moved = IDENTITY;
        moved[12] = 5.0;
        assert_eq!(
            transform_plane(&moved, [1.0, 0.0, 0.0, 0.0]),
            [1.0, 0.0, 0.0, -5.0]
        );
    }
}
