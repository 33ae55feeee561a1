//! What a case comes to: read whole, right, missed, false, harmful.

use arcwright_advice::{Advice, Finding};
use arcwright_machine::Machine;

use super::case::{Before, Case, Seen, changes, is_clear};
use super::expected::{Expected, Headline, Must};
use super::{facts, harm};

/// What a case came to; every list is empty when all is well.
#[derive(Debug, Clone, Default)]
pub(super) struct Score {
    /// The case.
    pub(super) name: String,
    /// The row of the page that it counts in.
    pub(super) class: String,
    /// What was not read.
    pub(super) lacking: Vec<String>,
    /// What should have been said and was not.
    pub(super) missed: Vec<String>,
    /// What was said and is not so.
    pub(super) wrong: Vec<String>,
    /// What would do harm.
    pub(super) harmful: Vec<String>,
}

impl Score {
    /// Returns whether all was said that should be and nothing else.
    pub(super) fn is_right(&self) -> bool {
        self.missed.is_empty() && self.wrong.is_empty() && self.harmful.is_empty()
    }

    /// Returns its place on the page: what does harm first, then what is wrong.
    pub(super) fn order(&self) -> (bool, bool, bool, bool, &str, &str) {
        (
            self.harmful.is_empty(),
            self.wrong.is_empty(),
            self.missed.is_empty(),
            self.lacking.is_empty(),
            &self.class,
            &self.name,
        )
    }
}

/// Lets doctor look at a case and scores what it says.
pub(super) fn judge(case: &Case) -> Score {
    let mut score =
        Score { name: case.name.clone(), class: case.class.clone(), ..Score::default() };
    let expected = &case.expected;
    match case.look() {
        Seen::Refused(words) => refused(&mut score, expected, &words),
        Seen::Judged(machine, advice) => {
            if expected.verdict == Headline::Refused {
                let unread = machine.problems.iter().map(|problem| format!("{problem:?}"));
                let words = unread.chain(said(&advice)).collect::<Vec<_>>().join("\n");
                let is_named = expected.says.iter().all(|word| words.contains(word));
                if !is_named || !changes(&advice).is_empty() || is_clear(&advice) {
                    score.missed.push("judges what it should refuse".to_owned());
                }
            } else {
                score.lacking = facts::lacking(&machine, expected);
            }
            score.missed.extend(missed(&advice, expected));
            score.wrong = wrong(&advice, expected);
            score.harmful = harm::harmful(&machine, &advice, expected);
            if let Some(before) = &case.before {
                score.wrong.extend(better(&machine, &advice, before));
            }
        }
    }
    score
}

fn refused(score: &mut Score, expected: &Expected, words: &str) {
    if expected.verdict != Headline::Refused {
        score.lacking.push(format!("refused: {words}"));
        let wanted = expected.must.iter().map(|must| format!("{} is not said", must.id));
        score.missed.extend(wanted);
        if expected.verdict != Headline::Findings {
            score.missed.push("no verdict".to_owned());
        }
    }
    let unsaid = expected.says.iter().filter(|word| !words.contains(word.as_str()));
    score.missed.extend(unsaid.map(|word| format!("does not say “{word}”: {words}")));
}

/// Returns every sentence of the advice.
fn said(advice: &Advice) -> impl Iterator<Item = String> {
    let findings = advice.findings.iter().map(|finding| format!("{finding:?}"));
    let facts = advice.facts.iter().map(|fact| format!("{}: {}", fact.about, fact.says));
    let fine = advice.fine.iter().map(|fine| fine.what.clone());
    let unread = advice.unread.iter().map(|unread| format!("{unread:?}"));
    findings
        .chain(facts)
        .chain(fine)
        .chain(unread)
        .chain(advice.unjudged.iter().map(|unjudged| format!("{unjudged:?}")))
}

fn missed(advice: &Advice, expected: &Expected) -> Vec<String> {
    let mut missed: Vec<String> =
        expected.must.iter().filter_map(|must| unmet(advice, must)).collect();
    if expected.verdict == Headline::Fine && !is_clear(advice) {
        missed.push("does not say that nothing need be changed".to_owned());
    }
    if expected.verdict == Headline::NotEnough && is_clear(advice) {
        missed.push("does not say that too little was read".to_owned());
    }
    if expected.verdict != Headline::Refused {
        let words = said(advice).collect::<Vec<_>>().join("\n");
        let unsaid = expected.says.iter().filter(|word| !words.contains(word.as_str()));
        missed.extend(unsaid.map(|word| format!("does not say “{word}”")));
    }
    missed
}

fn unmet(advice: &Advice, must: &Must) -> Option<String> {
    let found: Vec<&Finding> =
        advice.findings.iter().filter(|finding| must.is(finding.id)).collect();
    if found.is_empty() {
        return Some(format!("{} is not said", must.id));
    }
    let about = |finding: &&&Finding| {
        must.subject.as_ref().is_none_or(|wanted| {
            let shown = format!("{:?} {}", finding.subject, finding.title);
            shown.contains(wanted.as_str())
        })
    };
    let Some(finding) = found.iter().find(about) else {
        return Some(format!("{} is not said of {:?}", must.id, must.subject));
    };
    let severity = finding.severity.label().replace(' ', "-");
    if must.severity.as_ref().is_some_and(|wanted| *wanted != severity) {
        return Some(format!("{} is called “{severity}”", must.id));
    }
    let first = advice.findings.first().is_some_and(|first| must.is(first.id));
    (must.first && !first).then(|| format!("{} does not come first", must.id))
}

fn wrong(advice: &Advice, expected: &Expected) -> Vec<String> {
    let changes = changes(advice);
    let mut wrong: Vec<String> = changes
        .iter()
        .filter(|id| !expected.allows(id))
        .map(|id| format!("{id} is said"))
        .collect();
    let is_never = |id: &str| expected.never.iter().any(|never| never == id);
    let said = advice.findings.iter().filter(|finding| is_never(finding.id));
    wrong.extend(said.map(|finding| format!("{} is said, which is not so", finding.id)));
    if expected.verdict == Headline::Fine {
        wrong.extend(changes.iter().map(|id| format!("{id} is said of what is fine")));
    }
    wrong.sort();
    wrong.dedup();
    wrong
}

fn without_numbers(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    text.replace("files", "file")
}

/// Returns what got better by taking something away, which nothing may.
fn better(machine: &Machine, advice: &Advice, before: &Before) -> Vec<String> {
    let mut better = Vec::new();
    let new = changes(advice).into_iter().filter(|id| !before.changes.contains(id));
    better.extend(new.map(|id| format!("{id} appears when something is taken away")));
    // How many files there are may change: each of them is as it was.
    let known: Vec<String> = before.fine.iter().map(|what| without_numbers(what)).collect();
    let fine = advice.fine.iter().filter(|fine| !known.contains(&without_numbers(&fine.what)));
    better.extend(fine.map(|fine| format!("“{}” appears when something is taken away", fine.what)));
    if is_clear(advice) && !before.is_clear {
        better.push("nothing need be changed once something is taken away".to_owned());
    }
    let counted = machine.now().is_some_and(|now| now.kstats.contains_key("zfs/arcstats"));
    if is_clear(advice) && !counted {
        better.push("nothing need be changed without the ARC's counters".to_owned());
    }
    better
}
