//! What doctor finds, as series that are there while it is found.

use std::collections::BTreeMap;

use arcwright_advice::{Advice, Finding, Severity, known};

use crate::families::Families;
use crate::family::{Family, Number};

const FINDING: Family = Family::gauge(
    "arcwright_finding",
    "What doctor finds, 1 while it does; urgent where data is at risk. arcwright doctor says what to do.",
);
const FINDINGS: Family =
    Family::gauge("arcwright_findings", "How many findings of each severity there are.");
const NOT_JUDGED: Family = Family::gauge(
    "arcwright_not_judged",
    "What doctor could not judge, as too little was read or too little happened: 1 each.",
);
const JUDGED: Family = Family::gauge(
    "arcwright_judged",
    "Whether enough was read to judge the caches at all: 1 or 0.",
);
const SEVERITIES: [Severity; 3] = [Severity::HurtsNow, Severity::WorthALook, Severity::Note];

impl Families {
    /// Adds findings. `is_verdict` says whether there was enough to judge, before the owner ignored something.
    pub fn add_findings(&mut self, advice: &Advice, is_verdict: bool) {
        self.add(&JUDGED, &[], Number::of_fact(is_verdict));
        let mut counts: BTreeMap<Severity, usize> = BTreeMap::new();
        for finding in advice.findings.iter().filter(|one| one.severity != Severity::Fine) {
            let count = counts.entry(finding.severity).or_insert(0);
            *count = count.saturating_add(1);
            self.add_finding(finding, &advice.reading.pools);
        }
        for severity in SEVERITIES {
            let count = counts.get(&severity).copied().unwrap_or(0);
            self.add(&FINDINGS, &[("severity", &label(severity))], Number::size(count));
        }
        for what in advice.unjudged.iter().flat_map(|unjudged| &unjudged.what) {
            self.add(&NOT_JUDGED, &[("what", what)], Number::ONE);
        }
    }

    fn add_finding(&mut self, finding: &Finding, pools: &[String]) {
        let subject = finding.subject.as_deref().unwrap_or_default();
        let is_of = |pool: &&String| {
            let rest = subject.strip_prefix(pool.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // A pool's name may begin with another one's, and a slash.
        let pool = pools.iter().filter(is_of).max_by_key(|pool| pool.len());
        let is_urgent = known(finding.id).is_some_and(|known| known.is_urgent);
        let labels = [
            ("pool", pool.map_or("", String::as_str)),
            ("rule", finding.id),
            ("severity", &label(finding.severity)),
            ("subject", subject),
            ("urgent", if is_urgent { "yes" } else { "no" }),
        ];
        self.add(&FINDING, &labels, Number::ONE);
    }
}

/// Returns a severity as JSON spells it.
fn label(severity: Severity) -> String {
    severity.label().replace(' ', "-")
}
