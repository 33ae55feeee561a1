//! What a difference between two arms comes to, as people say it.

/// What a difference comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Slower,
    None,
    Faster,
}

impl Effect {
    /// Returns what a difference in percent comes to; less than 5 is no effect.
    pub(crate) fn of(difference_pct: f64) -> Self {
        match difference_pct {
            pct if pct.abs() < 5.0 => Self::None,
            pct if pct > 0.0 => Self::Faster,
            _ => Self::Slower,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Effect;

    #[test]
    fn little_is_no_effect() {
        let check = |pct: f64, expected: Effect| assert_eq!(Effect::of(pct), expected, "{pct}");
        check(66.0, Effect::Faster);
        check(4.9, Effect::None);
        check(-4.9, Effect::None);
        check(-16.0, Effect::Slower);
    }
}
