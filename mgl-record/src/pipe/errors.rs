//! GL errors that pushes left, a context at a time (GL 4.6 §2.3.1).

use mgl_core::handle::ContextHandle;

/// The first error of each context since its last glGetError.
#[derive(Default)]
pub(super) struct Errors {
    /// Few contexts have one at any time.
    pending: Vec<(ContextHandle, u32)>,
}

impl Errors {
    /// Leaves an error for a context, unless it has one.
    pub fn raise(&mut self, context: ContextHandle, code: u32) {
        if !self.pending.iter().any(|(c, _)| *c == context) {
            self.pending.push((context, code));
        }
    }

    /// Takes a context's error, 0 for none.
    #[inline]
    pub fn take(&mut self, context: ContextHandle) -> u32 {
        if self.pending.is_empty() {
            return 0;
        }
        let at = self.pending.iter().position(|(c, _)| *c == context);
        at.map_or(0, |i| self.pending.swap_remove(i).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_context_has_its_own_first_error() {
        let context = |slot| {
            ContextHandle(mgl_core::handle::Handle {
                slot,
                generation: 1,
            })
        };
        let (a, b) = (context(1), context(2));
        let mut e = Errors::default();
        e.raise(a, 0x505);
        e.raise(a, 0x502);
        e.raise(b, 0x502);
        assert_eq!((e.take(b), e.take(b)), (0x502, 0));
        assert_eq!((e.take(a), e.take(a)), (0x505, 0));
    }
}
