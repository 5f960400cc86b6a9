//! [`LeaveOut`]: a fault made on purpose. One push is dropped, neither recorded nor applied, so that it can be seen that
//! a check which should notice does.

use mgl_core::pipe::Op;

/// The push that is dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaveOut {
    op: Op,
    /// Which of the pushes of that call, from 1.
    number: u64,
    seen: u64,
}

impl LeaveOut {
    /// Reads `CALL` (its first push) or `CALL:N` (its N-th one, from 1).
    ///
    /// # Errors
    ///
    /// In words: there is no such call, or N is no number from 1.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, number.parse().ok().filter(|n| *n > 0)),
            None => (text, Some(1)),
        };
        let op = Op::from_name(name).ok_or_else(|| format!("there is no call {name}"))?;
        let number = number.ok_or_else(|| format!("{text} does not end with a number from 1"))?;
        Ok(Self {
            op,
            number,
            seen: 0,
        })
    }

    /// Whether this push is the one.
    pub fn takes(&mut self, op: Op) -> bool {
        if op != self.op {
            return false;
        }
        self.seen += 1;
        self.seen == self.number
    }

    /// What to say at the end when the push never came.
    pub fn unused(&self) -> Option<String> {
        let Self { op, number, seen } = self;
        (seen < number).then(|| {
            let name = op.name();
            format!(
                "MGL_LEAVE_OUT={name}:{number}: {name} was pushed {seen} times; nothing was left out"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushes_are_counted_by_call() {
        let mut first = LeaveOut::parse("Clear").expect("a call");
        assert!(!first.takes(Op::DrawVbo));
        assert!(first.unused().is_some());
        assert!(first.takes(Op::Clear));
        assert!(!first.takes(Op::Clear), "one only");
        assert_eq!(first.unused(), None);

        let mut third = LeaveOut::parse("Clear:3").expect("a call");
        let taken: Vec<bool> = (0..4).map(|_| third.takes(Op::Clear)).collect();
        assert_eq!(taken, [false, false, true, false]);
    }

    #[test]
    fn what_is_no_push_is_refused_by_name() {
        for (text, why) in [
            ("Cleer", "no call Cleer"),
            ("clear:2", "no call clear"),
            ("", "no call "),
            ("Clear:", "Clear: does"),
            ("Clear:0", "Clear:0 does"),
            ("Clear:-1", "from 1"),
            ("Clear:1:2", "from 1"),
        ] {
            let error = LeaveOut::parse(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
