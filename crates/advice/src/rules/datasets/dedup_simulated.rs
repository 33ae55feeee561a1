//! What deduplication would save, as `zdb -S` counts it over all blocks of a pool.
//!
//! Each block that is stored once would be an entry of the table, which takes some 320 bytes in memory (openzfs-docs,
//! Workload Tuning); every write would look it up.

use arcwright_machine::Pool;
use arcwright_units::Bytes;

use super::dedup::{ENTRY, PAYS};
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "what deduplication would save (zdb -S)", judge };

/// From this ratio on the advice of the documents is to think of it.
const WORTH: f64 = 2.0;

fn judge(view: &View<'_>) -> Judged {
    let findings = view.pools()?.iter().filter_map(of_pool).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn of_pool(pool: &Pool) -> Option<Finding> {
    let table = pool.dedup.simulated?;
    let (entries, allocated, referenced) = (table.entries?, table.allocated?, table.referenced?);
    let ratio = table.ratio()?;
    // Both totals are rounded to three digits: their difference has fewer.
    let saved = format::share(table.saved()?.0, referenced.0);
    let memory = Bytes(entries.saturating_mul(ENTRY));
    let words = match ratio {
        ratio if ratio < PAYS => "leave it off",
        ratio if ratio < WORTH => "it hardly pays",
        _ => "it may pay, if its table fits into the ARC",
    };
    let title = format!(
        "Deduplication would save {saved} of {referenced} on {} and need {memory} of memory for its table: {words}",
        pool.name
    );
    let mut finding = Finding::new("dedup-simulated", Severity::Note, Area::Layout, title);
    finding.subject = Some(pool.name.clone());
    let row = |name: &str, exact: u64, words: String| {
        Evidence::exactly(format!("{}: simulated, {name}", pool.name), exact, words)
    };
    finding.evidence = vec![
        row("allocated", allocated.0, allocated.to_string()),
        row("referenced", referenced.0, referenced.to_string()),
        row("blocks", entries, entries.to_string()),
    ];
    finding.cause = format!(
        "zdb -S counted every block: {ratio:.2} are referenced for each that would be stored. The table has an entry of some \
         {ENTRY} bytes for each block, and every write and every free looks one up; what of it is not in the ARC is a \
         random read each."
    );
    finding.gain = Gain::Counted(format!("{saved} of space, if everything were written anew"));
    finding.cost =
        format!("{memory} of the ARC, and a lookup for each block that is written or freed.");
    finding.risk = "Switched on, it applies to what is written from then on, and cannot be undone for that without \
                    writing it anew."
        .to_owned();
    finding.confidence = Confidence::read("zdb -S");
    finding.sources = lines(["zdb(8) -S", "openzfs-docs, Workload Tuning: deduplication"]);
    Some(finding)
}
