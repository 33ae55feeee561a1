//! Two readings of one machine: a window of what `arcstat` shows, and all counters since the module was loaded.
//!
//! People paste both. The window says what happens now, in a few columns; the other says all, over days. Each
//! rule is asked of both: what either finds is said, and only what neither finds fault with is fine.

use arcwright_machine::Machine;

use crate::finding::{Finding, Severity};
use crate::verdict::{Judged, Verdict};
use crate::view::View;

/// Returns the machine with the counters since the module was loaded, where they stand beside a window.
pub(crate) fn machine(machine: &Machine) -> Option<Machine> {
    let sample = machine.since_load.as_deref()?.clone();
    Some(Machine { samples: vec![sample], since_load: None, ..machine.clone() })
}

/// Returns what a rule says of both readings.
pub(crate) fn both(window: Judged, since_load: Judged, view: &View<'_>) -> Judged {
    match (window, since_load) {
        (Ok(Verdict::Found(found)), since_load) => {
            Ok(Verdict::Found(with_more(found, since_load, view)))
        }
        // What the columns do not show, the other counters may.
        (Ok(Verdict::Partly(found, _)), since_load @ Ok(Verdict::Found(_))) => {
            Ok(Verdict::Found(with_more(found, since_load, view)))
        }
        (Ok(Verdict::Partly(found, why)), since_load) => {
            Ok(Verdict::Partly(with_more(found, since_load, view), why))
        }
        (Ok(Verdict::Fine(_)), Ok(Verdict::Found(found))) => {
            Ok(Verdict::Found(no_longer(found, view)))
        }
        (Ok(Verdict::Fine(_)), Ok(Verdict::Partly(found, why))) => {
            Ok(Verdict::Partly(no_longer(found, view), why))
        }
        (Ok(Verdict::Fine(fine)), _) => Ok(Verdict::Fine(fine)),
        (Ok(Verdict::Silent) | Err(_), since_load) => since_load,
    }
}

/// Adds what only the counters since the start show.
fn with_more(mut found: Vec<Finding>, since_load: Judged, view: &View<'_>) -> Vec<Finding> {
    let (Ok(Verdict::Found(more)) | Ok(Verdict::Partly(more, _))) = since_load else {
        return found;
    };
    let is_new = |more: &Finding| {
        !found.iter().any(|found| found.id == more.id && found.subject == more.subject)
    };
    let more: Vec<Finding> = more.into_iter().filter(is_new).collect();
    found.extend(no_longer(more, view));
    found
}

/// Marks what the window could see and does not show: it does not hurt now.
fn no_longer(mut found: Vec<Finding>, view: &View<'_>) -> Vec<Finding> {
    let unseen = format!("; it does not show {}", view.when());
    for finding in found.iter_mut().filter(|finding| finding.confidence.events.is_some()) {
        finding.severity = finding.severity.max(Severity::WorthALook);
        finding.confidence.words.push_str(&unseen);
    }
    found
}
