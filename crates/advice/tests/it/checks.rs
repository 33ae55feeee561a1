//! One thing of a healthy machine is broken, and these findings are expected.

use arcwright_advice::{Advice, Estimate, Finding, Severity, advise};

use crate::healthy::Bed;

/// Returns what is said of a machine, by counters alone.
pub(crate) fn advice(bed: Bed) -> Advice {
    advise(&bed.built(), Estimate::CountersOnly)
}

/// Returns the names of findings that call for a change.
pub(crate) fn changes(advice: &Advice) -> Vec<&'static str> {
    let calls = |finding: &&Finding| finding.severity <= Severity::WorthALook;
    advice.findings.iter().filter(calls).map(|finding| finding.id).collect()
}

/// Breaks one thing of a machine and expects exactly these findings that call for a change.
pub(crate) fn check(mut bed: Bed, damage: impl FnOnce(&mut Bed), expected: &[&str]) -> Advice {
    damage(&mut bed);
    let advice = advice(bed);
    assert_eq!(changes(&advice), expected, "{:#?}", advice.findings);
    advice
}

/// Breaks one thing and expects a note of this name, and no change called for.
pub(crate) fn check_note(mut bed: Bed, damage: impl FnOnce(&mut Bed), expected: &str) -> Advice {
    damage(&mut bed);
    let advice = advice(bed);
    assert_eq!(changes(&advice), Vec::<&str>::new(), "{:#?}", advice.findings);
    let ids: Vec<&str> = advice.findings.iter().map(|finding| finding.id).collect();
    assert!(ids.contains(&expected), "{ids:?} lacks {expected}");
    assert!(ids.contains(&"nothing-to-change"), "{ids:?}");
    advice
}

/// Expects that a rule could not judge for lack of what `words` name.
pub(crate) fn check_unjudged(
    mut bed: Bed,
    damage: impl FnOnce(&mut Bed),
    about: &str,
    words: &str,
) {
    damage(&mut bed);
    let advice = advice(bed);
    let found = advice.unjudged.iter().any(|unjudged| {
        unjudged.what.iter().any(|what| what == about) && unjudged.why.contains(words)
    });
    assert!(found, "{about}: {:#?}", advice.unjudged);
}

/// Returns the finding of this name.
pub(crate) fn found<'a>(advice: &'a Advice, id: &str) -> &'a Finding {
    advice.findings.iter().find(|finding| finding.id == id).unwrap()
}
