//! Commands that ZFS refused by the text: nobody is told to type them again.

use arcwright_machine::{Machine, Refusal};

use crate::finding::{Finding, Remedy};

/// The finding that explains refusals has the commands that lead past them.
const EXPLAINS: &str = "command-refused";

/// Takes refused commands out of remedies, and says so.
pub(crate) fn leave_out(machine: &Machine, findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| finding.id != EXPLAINS) {
        let Some(remedy) = &mut finding.remedy else { continue };
        for refusal in &machine.refusals {
            if take_out(remedy, refusal) {
                let Refusal { verb, subject, reason, .. } = refusal;
                let told = format!(" By the text ZFS refused to {verb} {subject}: {reason}.");
                finding.cause.push_str(&told);
            }
        }
    }
}

/// Takes out the commands that a refusal is of; whether there was one.
fn take_out(remedy: &mut Remedy, refusal: &Refusal) -> bool {
    let verb = format!("zpool {} ", refusal.verb);
    let is_it = |line: &String| {
        let command = line.split_once(" # ").map_or_else(|| line.as_str(), |(command, _)| command);
        let is_named = |word: &str| {
            word == refusal.subject || word.rsplit('/').next() == Some(&refusal.subject)
        };
        // An import that writes nothing is another try.
        let is_other = command.contains("readonly=on");
        !is_other && command.contains(verb.as_str()) && command.split_whitespace().any(is_named)
    };
    let count = remedy.now.len() + remedy.lasting.len();
    remedy.now.retain(|line| !is_it(line));
    remedy.lasting.retain(|line| !is_it(line));
    remedy.now.len() + remedy.lasting.len() < count
}

#[cfg(test)]
mod tests {
    use arcwright_machine::Refusal;

    use super::take_out;
    use crate::finding::Remedy;

    #[test]
    fn a_refused_command_is_no_remedy() {
        let refusal = |verb: &str, subject: &str| Refusal {
            verb: verb.to_owned(),
            subject: subject.to_owned(),
            reason: "no valid replicas".to_owned(),
            ..Refusal::default()
        };
        for (verb, subject, expected) in
            [("detach", "sdc", true), ("detach", "sdd", false), ("remove", "sdc", false)]
        {
            let lasting = vec!["zpool detach tank gptid/sdc   # instead of sdd".to_owned()];
            let mut remedy = Remedy { lasting, ..Remedy::default() };
            assert_eq!(
                take_out(&mut remedy, &refusal(verb, subject)),
                expected,
                "{verb} {subject}"
            );
        }
    }
}
