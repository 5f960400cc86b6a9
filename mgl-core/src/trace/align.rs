//! Pairs two sequences of digests: what is equal anchors what is not.

use std::ops::Range;

/// Elements that are aligned by their longest common subsequence; longer runs are left as one.
const ALIGN_LIMIT: usize = 2000;

/// The runs of elements that are not equal: what lies between the pairs that are, in order.
#[must_use]
pub fn gaps(l: &[u64], r: &[u64]) -> Vec<(Range<usize>, Range<usize>)> {
    let start = l.iter().zip(r).take_while(|(a, b)| a == b).count();
    let most = l.len().min(r.len()) - start;
    let end = l
        .iter()
        .rev()
        .zip(r.iter().rev())
        .take(most)
        .take_while(|(a, b)| a == b)
        .count();
    let (lm, rm) = (&l[start..l.len() - end], &r[start..r.len() - end]);
    if lm.len() > ALIGN_LIMIT || rm.len() > ALIGN_LIMIT {
        return vec![(start..l.len() - end, start..r.len() - end)];
    }
    // Lengths of longest common subsequences of the suffixes.
    let width = rm.len() + 1;
    let mut table = vec![0u16; (lm.len() + 1) * width];
    for i in (0..lm.len()).rev() {
        for j in (0..rm.len()).rev() {
            table[i * width + j] = if lm[i] == rm[j] {
                table[(i + 1) * width + j + 1] + 1
            } else {
                table[(i + 1) * width + j].max(table[i * width + j + 1])
            };
        }
    }
    let mut out = Vec::new();
    let (mut i, mut j, mut from) = (0, 0, (0, 0));
    while i < lm.len() && j < rm.len() {
        if lm[i] == rm[j] {
            out.push((from.0..i, from.1..j));
            (i, j) = (i + 1, j + 1);
            from = (i, j);
        } else if table[(i + 1) * width + j] >= table[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    out.push((from.0..lm.len(), from.1..rm.len()));
    out.retain(|(a, b)| !a.is_empty() || !b.is_empty());
    out.into_iter()
        .map(|(a, b)| {
            (
                a.start + start..a.end + start,
                b.start + start..b.end + start,
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_lie_between_equal_steps() {
        assert_eq!(gaps(&[1, 2, 3], &[1, 9, 3]), [(1..2, 1..2)]);
        assert_eq!(gaps(&[1, 2, 3], &[1, 2, 7, 3]), [(2..2, 2..3)]);
        assert_eq!(
            gaps(&[1, 2, 3, 4, 5], &[9, 2, 3, 8, 5]),
            [(0..1, 0..1), (3..4, 3..4)]
        );
        assert_eq!(gaps(&[1, 1, 1], &[1]), [(1..3, 1..1)]);
        assert_eq!(gaps(&[], &[1]), [(0..0, 0..1)]);
    }
}
