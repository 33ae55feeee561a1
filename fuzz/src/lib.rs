//! What must hold whatever text is given to `doctor`: it is read or named, judged without a panic, and
//! what is printed carries no character that a terminal would act upon.

use std::collections::BTreeMap;

use arcwright_advice::{Estimate, advise};
use arcwright_machine::{Machine, Source, Sources};
use arcwright_report::{Detail, DoctorOptions, doctor_json, doctor_tabs, doctor_text};

/// A line that names the source of the lines below it.
const HEAD: &str = "=== ";

/// Checks pasted text.
pub fn paste(text: &str) {
    judge(&Sources::recognize(text));
}

/// Checks several texts of one machine: below each line `=== NAME` stands the text of that name.
pub fn sources(bundle: &str) {
    let mut texts: BTreeMap<String, Source> = BTreeMap::new();
    for part in bundle.split(HEAD).skip(1) {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        texts.insert(name.trim().to_owned(), Source::Text(text.to_owned()));
    }
    judge(&Sources { texts });
}

fn judge(sources: &Sources) {
    let machine = Machine::read(sources);
    let advice = advise(&machine, Estimate::CountersOnly);
    assert!(!advice.findings.is_empty(), "there is always a headline");
    for detail in [Detail::Usual, Detail::Full] {
        let options = DoctorOptions { width: 80, colour: false, detail };
        harmless(&doctor_text(&advice, &[], &options), &['\n']);
    }
    harmless(&doctor_tabs(&advice), &['\n', '\t']);
    assert!(doctor_json(&advice, &[]).is_ok(), "findings are JSON");
}

/// Asserts that a terminal shows a text and does not act upon it.
fn harmless(text: &str, allowed: &[char]) {
    let acts = |c: &char| {
        let bidi = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        (c.is_control() || bidi) && !allowed.contains(c)
    };
    assert_eq!(text.chars().find(acts), None, "printed as it came");
}
