//! [`Difference`]: a value that is not what it should be. The one form in which goldens, uploads, counters and pushed
//! state report what differs.

use serde::{Deserialize, Serialize};

/// A value that is not what the golden says. At least one of the two sides is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Where: a verb `F:N`, a frame, a texture; empty for the whole file.
    pub place: String,
    /// What: the path of a field.
    pub field: String,
    /// The golden's value; none where it has no such thing.
    pub golden: Option<String>,
    /// The value of the run.
    pub actual: Option<String>,
}
