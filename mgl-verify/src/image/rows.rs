//! Arithmetic on rows of floats, compiled for more than one instruction set.
//!
//! Results do not depend on which of them the processor has: no operation is fused or reordered.
//! Each function is one plain loop over slices of equal length, which the compiler vectorises; it
//! must stay a function of its own, since its arguments are what says that `out` overlaps no input.

/// Declares a function whose body is also compiled for AVX2, and used where the processor has it.
macro_rules! vectorised {
    ($(#[$meta:meta])* fn $name:ident($($arg:ident: $kind:ty),* $(,)?) $body:block) => {
        $(#[$meta])*
        pub(super) fn $name($($arg: $kind),*) {
            #[inline(always)]
            fn portable($($arg: $kind),*) $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn with_avx2($($arg: $kind),*) {
                    portable($($arg),*);
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has just been asked.
                    return unsafe { with_avx2($($arg),*) };
                }
            }
            portable($($arg),*);
        }
    };
}

vectorised! {
    /// A symmetric filter of 11 taps: `out[i]` is the sum of `weights[t] * taps[t][i]`, where `weights`
    /// gives the outermost to the middle one.
    ///
    /// Panics when a tap is shorter than `out`.
    fn filter(taps: [&[f32]; 11], weights: [f32; 6], out: &mut [f32]) {
        let count = out.len();
        let [a, b, c, d, e, middle, f, g, h, i, j] = taps;
        // Cut one by one, so that the compiler sees that no index below can be out of bounds.
        let (a, b, c, d, e) = (&a[..count], &b[..count], &c[..count], &d[..count], &e[..count]);
        let (f, g, h, i, j) = (&f[..count], &g[..count], &h[..count], &i[..count], &j[..count]);
        let middle = &middle[..count];
        for x in 0..count {
            out[x] = weights[5] * middle[x]
                + weights[0] * (a[x] + j[x])
                + weights[1] * (b[x] + i[x])
                + weights[2] * (c[x] + h[x])
                + weights[3] * (d[x] + g[x])
                + weights[4] * (e[x] + f[x]);
        }
    }
}

/// Sum and difference of two rows of pixels, and their squares.
pub(super) struct Fields<'a> {
    /// What is subtracted from `s`.
    pub(super) shift: f32,
    /// x + y - shift.
    pub(super) s: &'a mut [f32],
    /// x - y.
    pub(super) d: &'a mut [f32],
    /// Square of `s`.
    pub(super) ss: &'a mut [f32],
    /// Square of `d`.
    pub(super) dd: &'a mut [f32],
}

/// The plane's value of a pixel.
#[inline(always)]
pub(super) fn weigh(pixel: [u8; 4], weights: [f32; 4]) -> f32 {
    let [r, g, b, a] = pixel.map(f32::from);
    r * weights[0] + g * weights[1] + b * weights[2] + a * weights[3]
}

/// Fills `fields` from as many pixels of both rows.
///
/// Panics when a row or a field is shorter than `fields.s`.
pub(super) fn split(left: &[[u8; 4]], right: &[[u8; 4]], weights: [f32; 4], fields: Fields<'_>) {
    let Fields {
        shift,
        s,
        d,
        ss,
        dd,
    } = fields;
    split_into(left, right, weights, shift, s, d, ss, dd);
}

vectorised! {
    #[expect(clippy::too_many_arguments, reason = "each field must be an argument to be known as separate")]
    fn split_into(
        left: &[[u8; 4]],
        right: &[[u8; 4]],
        weights: [f32; 4],
        shift: f32,
        s: &mut [f32],
        d: &mut [f32],
        ss: &mut [f32],
        dd: &mut [f32],
    ) {
        let count = s.len();
        let (left, right) = (&left[..count], &right[..count]);
        let (d, ss, dd) = (&mut d[..count], &mut ss[..count], &mut dd[..count]);
        for x in 0..count {
            let (a, b) = (weigh(left[x], weights), weigh(right[x], weights));
            let (sum, difference) = (a + b - shift, a - b);
            s[x] = sum;
            d[x] = difference;
            ss[x] = sum * sum;
            dd[x] = difference * difference;
        }
    }
}

vectorised! {
    /// 1 - SSIM from the four filtered fields s, d, s², d²; `shift` is what was subtracted from s.
    ///
    /// Panics when a field is shorter than `out`.
    fn deficit(fields: [&[f32]; 4], shift: f32, c1: f32, c2: f32, out: &mut [f32]) {
        let count = out.len();
        let [s, d, ss, dd] = fields;
        let (s, d, ss, dd) = (&s[..count], &d[..count], &ss[..count], &dd[..count]);
        for x in 0..count {
            let (s, d) = (s[x], d[x]);
            let var_s = ss[x] - s * s;
            let var_d = dd[x] - d * d;
            let mean = s + shift;
            // 2 mx my + C1 and mx² + my² + C1, 2 cov + C2 and vx + vy + C2, each in s and d.
            let l_top = 0.5 * (mean * mean - d * d) + c1;
            let l_bottom = 0.5 * (mean * mean + d * d) + c1;
            let c_top = 0.5 * (var_s - var_d) + c2;
            let c_bottom = 0.5 * (var_s + var_d) + c2;
            let bottom = l_bottom * c_bottom;
            out[x] = (bottom - l_top * c_top) / bottom;
        }
    }
}
