//! `atime=on`: every file that is read is written to as well.

use arcwright_tunables::Version;

use crate::changes::{self, OwnProperty};
use crate::finding::{Area, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::{ACCESSES_MIN, View};

pub(crate) const RULE: Rule = Rule { about: "whether reading files writes to the pool", judge };

/// A dataset that keeps access times, and how often its files were read.
struct Keeping {
    reads: u64,
    set: OwnProperty,
}

fn judge(view: &View<'_>) -> Judged {
    dataset_state::all(view)?;
    let mut reads = 0u64;
    let mut keeping = Vec::new();
    for (name, asked) in dataset_state::asked(view)? {
        let unread = |what: &str| NotJudged::NotRead(format!("{what} of {name} was not read"));
        let dataset = dataset_state::named(view, name);
        // A volume has no files, so it has no times of reading them.
        if dataset.is_some_and(|dataset| dataset.properties.contains_key("volblocksize")) {
            continue;
        }
        let atime = dataset.and_then(|dataset| dataset.properties.get("atime"));
        let (value, source) = atime.ok_or_else(|| unread("atime"))?;
        if value != "on" {
            continue;
        }
        let relatime = dataset.and_then(|dataset| dataset_state::property(dataset, "relatime"));
        // FreeBSD's own ZFS of 8 to 12 has no relatime.
        if relatime.is_none() && !view.machine.zfs.is_some_and(Version::is_legacy_freebsd) {
            return Err(unread("relatime"));
        }
        if relatime != Some("on") {
            let own = asked.reads.ok_or_else(|| unread("how often a file"))?;
            reads = reads.saturating_add(own);
            let [dataset, value, source] = [name, value, source].map(Clone::clone);
            let set = OwnProperty { dataset, value, source };
            keeping.push(Keeping { reads: own, set });
        }
    }
    // Who does not read does not write atimes.
    if keeping.is_empty() || reads < ACCESSES_MIN {
        return Ok(Verdict::Silent);
    }
    keeping.sort_by_key(|keeping| std::cmp::Reverse(keeping.reads));
    let sets: Vec<OwnProperty> = keeping.iter().map(|keeping| keeping.set.clone()).collect();
    let names: Vec<String> = sets.iter().map(|set| set.dataset.clone()).collect();
    let title = format!(
        "Every read of a file writes its access time: atime=on for {}",
        format::list(&names)
    );
    let mut finding = Finding::new("atime", Severity::Note, Area::Layout, title);
    finding.subject = Some(format::list(&names));
    finding.evidence = keeping
        .iter()
        .take(4)
        .flat_map(|Keeping { reads, set: OwnProperty { dataset, value, source } }| {
            [
                Evidence::setting(format!("{dataset}: atime"), format!("{value} ({source})")),
                Evidence {
                    exact: Some(*reads),
                    over: view.over(),
                    ..Evidence::now(format!("{dataset}: reads"), format::count(*reads))
                },
            ]
        })
        .collect();
    finding.cause =
        "Reading a file updates the access time in its dnode, a metadata write in the next \
         transaction group; on trees of many small files these writes cause seeks as reads do."
            .to_owned();
    finding.remedy = Some(changes::property("atime", "off", &sets));
    finding.gain = Gain::NotEstimated("how many files were read is not counted".to_owned());
    finding.cost = "None; relatime=on keeps the time accurate to a day.".to_owned();
    finding.risk = "Few programs use it (some mail readers, tmpwatch).".to_owned();
    finding.confidence = view.confidence(reads, "reads");
    finding.sources = lines(["zfsprops(7) atime, relatime"]);
    Ok(Verdict::one(finding))
}
