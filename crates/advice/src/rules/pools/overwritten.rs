//! A command in the text that makes a new pool with the name of one that was in trouble, below what tells of that: one above
//! it made the pool that the trouble is of.
//!
//! `zpool create` writes new labels and a new tree of blocks over the devices; `-f` passes over the warning that they
//! belong to another pool (`check_device`, cmd/zpool/zpool_vdev.c). What comes up as ONLINE and without errors then is
//! empty. A pool whose devices only stopped answering would have come back with them.

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state::is_usable;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether a command makes a pool anew over one in trouble", judge };

fn judge(view: &View<'_>) -> Judged {
    let findings = view.machine.creating.iter().filter_map(|typed| {
        let name = created(typed).filter(|name| was_in_trouble(view, name))?;
        Some(finding(name, typed))
    });
    Ok(Verdict::found_or(findings.take(1).collect(), Verdict::Silent))
}

/// Returns the pool that a command makes: the first word behind its options.
fn created(typed: &str) -> Option<&str> {
    const WITH_VALUE: [&str; 5] = ["-o", "-O", "-m", "-R", "-t"];
    let mut words = typed.strip_prefix("zpool create ")?.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "-n" => return None,
            _ if WITH_VALUE.contains(&word) => drop(words.next()),
            _ if word.starts_with('-') => {}
            _ => return Some(word).filter(|_| words.next().is_some()),
        }
    }
    None
}

/// Returns whether the text tells that a pool of that name did not work.
fn was_in_trouble(view: &View<'_>, name: &str) -> bool {
    let machine = view.machine;
    let mut troubles = machine.troubles.iter();
    let mut refusals = machine.refusals.iter();
    troubles.any(|trouble| trouble.pool.as_deref() == Some(name))
        || refusals.any(|refusal| refusal.verb == "import" && refusal.subject == name)
        || machine.pools.iter().any(|pool| pool.name == name && !is_usable(pool))
}

fn finding(name: &str, typed: &str) -> Finding {
    let title = format!("“zpool create” for {name} makes a new, empty pool over what was there");
    let mut finding = Finding::new("pool-overwritten", Severity::HurtsNow, Area::Safety, title);
    finding.subject = Some(name.to_owned());
    finding.evidence = vec![Evidence::setting("typed", typed)];
    finding.cause = "The text tells of trouble of a pool of that name. A new pool on its devices has nothing of it, and no \
                     command brings it back; that the new one is ONLINE without errors says nothing about what was lost."
        .to_owned();
    let mut remedy = changes::by_hand(
        "if it was not run, do not run it: put back every disk that was taken out, mend what they share, and import the \
         pool; if it was run, restore from a backup",
        &[format!("zpool import   # if it was not run: is {} offered?", format::shell(name))],
    );
    remedy.verify =
        lines(["zpool list -o name,size,allocated   # a new pool has next to nothing in it"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "Where it was run, a restore from backup.".to_owned();
    finding.risk = "What the new pool writes lies over the old one’s blocks.".to_owned();
    finding.confidence = Confidence::fair("whether it was run the text does not tell");
    finding.sources = lines(["zpool-create(8) -f", "cmd/zpool/zpool_vdev.c, check_device"]);
    finding
}
