//! SSDs that are worn, or that the L2ARC wears faster than they are made for.

use arcwright_machine::{Class, Drive};
use arcwright_units::{Bytes, Nanos};

use crate::changes;
use crate::drives::leaves_of;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Over, Severity, lines};
use crate::rule::Rule;
use crate::rules::l2arc_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether SSDs are worn", judge };

/// Percent of the rated endurance used, at which a replacement should be thought of.
const WORN: u64 = 80;
/// And at which the warranty has ended.
const SPENT: u64 = 100;
/// Drive writes per day that consumer SSDs are rated for are 0.3 to 0.6; one is above all of them.
const DWPD: f64 = 1.0;

/// The least window that a day may be thought of from.
const SPAN_MIN: Nanos = Nanos::secs(60);

fn judge(view: &View<'_>) -> Judged {
    let mut findings: Vec<Finding> = view.machine.drives.iter().filter_map(worn).collect();
    findings.extend(fast(view));
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn worn(drive: &Drive) -> Option<Finding> {
    let wear = drive.wear_pct.filter(|wear| *wear >= WORN)?;
    let title = format!("The SSD {} has used {wear} % of its rated endurance", drive.name);
    let severity = if wear >= SPENT { Severity::HurtsNow } else { Severity::WorthALook };
    let mut finding = Finding::new("ssd-worn", severity, Area::Disks, title);
    finding.subject = Some(drive.name.clone());
    finding.evidence = vec![Evidence {
        exact: Some(wear),
        ..Evidence::now(format!("{}: percentage used", drive.name), format!("{wear} %"))
    }];
    let mut row = |name: &str, value: Option<String>| {
        finding
            .evidence
            .extend(value.map(|value| Evidence::now(format!("{}: {name}", drive.name), value)));
    };
    row("model", drive.model.clone());
    row("written", drive.written.map(|written| written.to_string()));
    row("power-on hours", drive.power_on_hours.map(|hours| hours.to_string()));
    finding.cause =
        "Writes wear out flash. Beyond its rating a drive may last for years or fail tomorrow, \
         often suddenly and without warning."
            .to_owned();
    finding.remedy =
        Some(changes::by_hand("plan its replacement; a log or special device first", &[]));
    finding.cost = "An SSD.".to_owned();
    finding.risk =
        "As a cache device its failure loses nothing; as an unmirrored special vdev, the pool."
            .to_owned();
    finding.confidence = Confidence::read("SMART");
    finding.sources = lines(["NVMe: Percentage Used; SATA: the maker's attribute"]);
    Some(finding)
}

/// Returns a finding when the L2ARC writes its devices more than once a day.
fn fast(view: &View<'_>) -> Option<Finding> {
    let room = l2arc_state::room(view)?;
    let written = view.arc("l2_write_bytes").ok()?;
    let rate = view.per_s(written)?;
    let per_day = rate * 86_400.0 / room.0.max(1) as f64;
    // A short window catches a burst, which is no day.
    let is_long = view.span().is_some_and(|span| span >= SPAN_MIN);
    if per_day < DWPD || view.over() != Over::Window || !is_long {
        return None;
    }
    // What serves is worth its wear, if its owner thinks so; what does not is worn for nothing.
    let is_idle = l2arc_state::facts(view).ok().flatten().is_some_and(|l2| l2.is_barely_used());
    let severity = if is_idle { Severity::WorthALook } else { Severity::Note };
    let title = format!("The cache device is written {per_day:.1} times over per day at this rate");
    let mut finding = Finding::new("l2arc-wear", severity, Area::L2arc, title);
    finding.subject = l2arc_state::pools(view);
    finding.evidence = view.rows(["l2_write_bytes", "l2_hits", "l2_read_bytes"]);
    finding.evidence.push(Evidence::setting("cache drives", room.to_string()));
    finding.evidence.extend(view.settings(["l2arc_write_max", "l2arc_noprefetch"]));
    let leaves: Vec<&str> = view
        .machine
        .pools
        .iter()
        .flat_map(|pool| leaves_of(pool, Class::Cache))
        .map(|leaf| leaf.name.as_str())
        .collect();
    let wear = leaves.iter().filter_map(|leaf| view.machine.drive_of(leaf)?.wear_pct).max();
    let used =
        wear.map_or_else(String::new, |wear| format!(" It has used {wear} % of its endurance."));
    finding.cause = format!(
        "{} go to {room} at this rate; consumer SSDs are rated for a third to two thirds of their \
         size per day.{used}",
        l2arc_state::tb_per_day(rate)
    );
    if let Some(held) = view.parameter("l2arc_write_max") {
        let less = (held.value / 4).max(1 << 20);
        finding.remedy = changes::set(view, &[changes::setting("l2arc_write_max", less)]);
        finding.gain = Gain::Counted(format!(
            "at most {} written per pass instead of {}",
            Bytes(less),
            Bytes(held.value)
        ));
    }
    finding.cost = "The L2ARC adapts more slowly to changes of the working set.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = view.confidence(written >> 17, "records of 128 KiB written");
    finding.sources = lines(["module/zfs/arc.c", "openzfs issues 11522, 10687"]);
    Some(finding)
}
