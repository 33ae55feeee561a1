//! Which findings are meant: all of one name, or those about one pool, dataset or drive.

use arcwright_advice::{Finding, KNOWN, known};
use arcwright_units::nearest;

/// `ID` or `ID:SUBJECT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Selector {
    id: &'static str,
    subject: Option<String>,
}

impl Selector {
    /// Reads a selector; the error says which finding there is.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (id, subject) = match text.trim().split_once(':') {
            Some((id, subject)) => (id, Some(subject)),
            None => (text.trim(), None),
        };
        if subject == Some("") {
            return Err(format!("“{text}” names no subject after the colon"));
        }
        let known = known(id).ok_or_else(|| {
            let nearest = nearest(id, KNOWN.iter().map(|known| known.id));
            let nearest = nearest.map(|id| format!("; did you mean “{id}”?"));
            format!(
                "no finding is called “{id}”{}",
                nearest.unwrap_or_else(|| "; arcwright doctor --list shows all".to_owned())
            )
        })?;
        Ok(Self { id: known.id, subject: subject.map(str::to_owned) })
    }

    /// Says whether a finding is meant.
    pub(super) fn matches(&self, finding: &Finding) -> bool {
        let is_about = |subject: &String| finding.subject.as_ref() == Some(subject);
        finding.id == self.id && self.subject.as_ref().is_none_or(is_about)
    }

    /// Says whether it names one subject, which counts more than a name alone.
    pub(super) const fn is_special(&self) -> bool {
        self.subject.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::Selector;

    #[test]
    fn a_wrong_name_has_its_nearest() {
        let check = |text: &str, expected: &str| {
            let error = Selector::parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        };
        check("metadata-miss", "did you mean “metadata-misses”?");
        check("pool_full:tank", "did you mean “pool-full”?");
        check("xyzzy", "--list");
        check("", "--list");
        check("pool-full:", "no subject");
    }

    #[test]
    fn a_subject_may_hold_colons() {
        let selector = Selector::parse("recordsize:tank/vm:1").unwrap();
        assert_eq!(selector.subject.as_deref(), Some("tank/vm:1"));
        assert!(selector.is_special());
    }
}
