//! What a rule is: something to look for in a machine, and the look.

use crate::verdict::Judged;
use crate::view::View;

/// One rule: what it looks for, and the look.
pub(crate) struct Rule {
    /// What cannot be judged when it cannot look: “whether metadata fits”.
    pub(crate) about: &'static str,
    /// The look.
    pub(crate) judge: fn(&View<'_>) -> Judged,
}
