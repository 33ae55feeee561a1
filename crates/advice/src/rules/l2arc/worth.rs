//! What the L2ARC serves, and what it costs: wear and memory.
//!
//! It is asked only for what the ARC lacks, so that a good share of misses may be next to nothing of
//! all accesses. What it writes wears the SSD whether it is read again or not, and every block on it
//! takes 96 bytes of the ARC (`HDR_L2ONLY_SIZE`, module/zfs/arc.c, 2.0 to 2.3).

use arcwright_units::{Bytes, Nanos};

use crate::changes;
use crate::finding::{Area, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::l2arc_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether the L2ARC is worth its wear and memory", judge };

/// Of all accesses, below which nobody notices what it serves: one in a hundred.
const FEW: f64 = 0.01;
/// Written for each byte that is read from it, from which it is mostly worn for nothing.
const WRITTEN: u64 = 2;
/// The least time that a day may be thought of from.
const SPAN_MIN: Nanos = Nanos::secs(60);
/// Wear in TB (10^12 bytes) per day below which no SSD minds: a hundredth of a small one's rating.
const WEAR_MIN: f64 = 0.01;

fn judge(view: &View<'_>) -> Judged {
    let Some(l2) = l2arc_state::asked(view)? else { return Ok(Verdict::Silent) };
    let read = view.arc("l2_read_bytes")?;
    if is_alone(view) {
        return alone(view, &l2, read);
    }
    let headers = view.arc_now("l2_hdr_size")?;
    let (all, written) = (view.accesses()?, l2arc_state::written(view)?);
    let span = view.span().filter(|span| *span >= SPAN_MIN);
    let per_day = span.and_then(|_| view.per_s(written)).map(|rate| rate * 86_400.0 / 1e12);
    let wear = l2arc_state::per_day(view, written).filter(|_| span.is_some());
    let served = view.per_s(read).map(|rate| rate / f64::from(1 << 20));
    let mut evidence = view.rows(["l2_hits", "l2_read_bytes", "l2_write_bytes"]);
    evidence.extend(view.rows_now(["l2_hdr_size"]));
    evidence.push(Evidence {
        over: view.over(),
        ..Evidence::now("L2ARC hits of all ARC accesses", format::share(l2.hits, all))
    });
    evidence.extend(
        wear.clone().map(|wear| Evidence {
            over: view.over(),
            ..Evidence::now("written to the L2ARC", wear)
        }),
    );
    let told = format!(
        "The L2ARC serves {} of all accesses{}, and costs {}{} of memory",
        format::share(l2.hits, all),
        served.map_or_else(String::new, |rate| format!(" ({} MiB/s)", format::per_s(rate))),
        wear.as_ref().map_or_else(String::new, |wear| format!("{wear} of wear and ")),
        Bytes(headers)
    );
    let idle = format::fraction(l2.hits, all) < FEW && written > read.saturating_mul(WRITTEN);
    // Where it is hardly used, other rules say why; what it costs is said here all the same.
    if !idle || per_day.is_none_or(|wear| wear < WEAR_MIN) || l2.is_barely_used() {
        return l2arc_state::praise(view, told, evidence);
    }
    let title = format!(
        "The L2ARC is written more than it is read: it serves {} of all accesses for {}",
        format::share(l2.hits, all),
        wear.unwrap_or_else(|| "its wear".to_owned())
    );
    let mut finding = Finding::new("l2arc-not-worth-it", Severity::WorthALook, Area::L2arc, title);
    finding.subject = l2arc_state::pools(view);
    finding.evidence = evidence;
    finding.cause = format!("{told}. The ARC serves nearly all accesses.");
    let mut remedy = changes::by_hand(
        "observe it over a working day; if it serves no more then, use the SSD for something else",
        &lines(["zpool remove POOL DEVICE   # a cache device may be removed at any time"]),
    );
    remedy.verify = lines(["arcwright doctor --window 10m"]);
    remedy.undo = lines(["zpool add POOL cache DEVICE   # it fills again"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::Counted(format!("frees {} of memory for the ARC", Bytes(headers)));
    finding.cost = format!("{} more reads of the disks {}.", format::count(l2.hits), view.when());
    finding.risk = "None to data.".to_owned();
    finding.confidence = view.confidence(all, "ARC accesses");
    finding.sources = lines(["module/zfs/arc.c", "openzfs issues 11522, 10687"]);
    Ok(Verdict::one(finding))
}

/// Returns whether nothing was read of the ARC but the rows about its L2ARC.
fn is_alone(view: &View<'_>) -> bool {
    const OF_ARC: [&str; 7] =
        ["hits", "misses", "size", "c", "c_max", "demand_data_hits", "demand_data_misses"];
    OF_ARC.iter().all(|row| view.arc(row).is_err() && view.arc_now(row).is_err())
}

/// Judges by the L2ARC's own rows: which share of what it was asked for it had, and what was written for that.
fn alone(view: &View<'_>, l2: &l2arc_state::L2, read: u64) -> Judged {
    let written = l2arc_state::written(view)?;
    // Where one of these is 0 and the other was not read, the device may be gone.
    let (held, headers) = (view.arc_now("l2_asize"), view.arc_now("l2_hdr_size"));
    if matches!((&held, &headers), (Ok(0), Err(_)) | (Err(_), Ok(0))) {
        held?;
        headers?;
    }
    let told = format!(
        "The L2ARC served {}, and {} were written to it for {} read",
        l2.label(),
        Bytes(written),
        Bytes(read)
    );
    let evidence = view.rows(["l2_hits", "l2_misses", "l2_read_bytes", "l2_write_bytes"]);
    if !l2.is_barely_used() || written < read {
        return l2arc_state::praise(view, told, evidence);
    }
    let mut finding = Finding::new("l2arc-not-worth-it", Severity::Note, Area::L2arc, told);
    finding.subject = l2arc_state::pools(view);
    finding.evidence = evidence;
    finding.cause = "Most of what the ARC lacks is not on the L2ARC either, and more is written to it than is read \
                     back. What the ARC itself serves was not read."
        .to_owned();
    finding.gain = Gain::NotEstimated("what it takes of the ARC was not read".to_owned());
    finding.cost = "None.".to_owned();
    finding.risk = "None to data: a cache device may be removed at any time.".to_owned();
    finding.confidence = view.confidence(l2.hits.saturating_add(l2.misses), "ARC misses");
    finding.sources = lines(["module/zfs/arc.c", "openzfs issues 11522, 10687"]);
    Ok(Verdict::one(finding))
}
