//! The L2ARC is fed more slowly than the ARC drops what it could hold.
//!
//! The feed thread writes `l2arc_write_max` per pass, one to five passes a second (see
//! docs/model/l2arc.md#feed-pace); up to 2.2.6 that is 8 MiB. What leaves the ARC faster is gone.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::format;
use crate::gains;
use crate::model;
use crate::own_load;
use crate::rows::ARCSTATS;
use crate::rule::Rule;
use crate::rules::l2arc_state::{self, L2};
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::versions;
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the L2ARC feed is fast enough", judge };

/// Written of what could have been, below which the feed is called slow: less than half arrives.
const CAPTURED: f64 = 0.5;
/// A feed that is at its limit writes at least this share of one pass a second.
const AT_LIMIT: f64 = 0.5;
/// The largest pass that is advised: what a SATA SSD writes in half a second.
const PASS_MAX: u64 = 256 << 20;

fn judge(view: &View<'_>) -> Judged {
    let Some(l2) = l2arc_state::facts(view)? else { return Ok(Verdict::Silent) };
    let limit = view.parameter("l2arc_write_max");
    let limit = limit.ok_or_else(|| view.not_read("l2arc_write_max", "parameters"))?;
    if limit.value == 0 {
        return Ok(Verdict::Silent);
    }
    let bytes = (stored(view, l2arc_state::left(view)?.eligible)?, l2arc_state::written(view)?);
    let (Some(leaving), Some(written)) = (view.per_s(bytes.0), view.per_s(bytes.1)) else {
        return Err(NotJudged::NotRead("the period of the counters was not read".to_owned()));
    };
    let pass = limit.value as f64;
    let is_slow = leaving > pass && written < CAPTURED * leaving && written >= AT_LIMIT * pass;
    // A feed that keeps half of what it could of a cache that serves half of the misses is no matter.
    if !is_slow || l2.ratio() >= CAPTURED || limit.value >= PASS_MAX {
        return Ok(Verdict::Silent);
    }
    let feed = Feed { leaving, written, bytes, limit: limit.value };
    Ok(Verdict::one(finding(view, &l2, &feed)?))
}

/// What the feed had to write and wrote.
struct Feed {
    /// Bytes per second that left the ARC and could have been written, as they would be stored.
    leaving: f64,
    /// Bytes per second that were written.
    written: f64,
    /// Both, counted over the time judged.
    bytes: (u64, u64),
    /// The most that a pass writes.
    limit: u64,
}

/// Returns what logical bytes take when stored, by the compression of what is in the ARC now.
fn stored(view: &View<'_>, logical: u64) -> Result<u64, NotJudged> {
    // Before 0.7 the ARC holds everything as programs see it.
    if versions::exists(view.machine, ARCSTATS, "compressed_size") == Some(false) {
        return Ok(logical);
    }
    let (small, large) = (view.arc_now("compressed_size")?, view.arc_now("uncompressed_size")?);
    let factor = format::fraction(small.min(large), large);
    Ok(if factor > 0.0 { scaled(logical, factor) } else { logical })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a u64")]
fn scaled(bytes: u64, factor: f64) -> u64 {
    (bytes as f64 * factor) as u64
}

fn finding(view: &View<'_>, l2: &L2, feed: &Feed) -> Result<Finding, NotJudged> {
    let &Feed { leaving, written, limit, .. } = feed;
    let title = format!(
        "The L2ARC feed is too slow: it writes {:.0} MiB/s of the {:.0} MiB/s that the ARC evicts",
        written / 1_048_576.0,
        leaving / 1_048_576.0
    );
    let mut finding = Finding::new("l2arc-feed-slow", Severity::WorthALook, Area::L2arc, title);
    finding.subject = l2arc_state::pools(view);
    finding.evidence = l2arc_state::evidence(view);
    finding.evidence.extend(view.rows([
        "evict_l2_eligible",
        "evict_l2_cached",
        "prefetch_data_misses",
    ]));
    finding.evidence.extend(view.settings([
        "l2arc_write_max",
        "l2arc_headroom",
        "l2arc_dwpd_limit",
    ]));
    finding.cause = format!(
        "A pass of the feed thread writes at most {} ({}), usually once per second. What the ARC \
         evicts beyond that never reaches the SSD.",
        Bytes(limit),
        view.shown("l2arc_write_max"),
    );
    let wanted = wanted(leaving);
    finding.remedy = changes::set(view, &[changes::setting("l2arc_write_max", wanted)]);
    finding.gain = gain(view, l2, feed)?;
    finding.cost = format!(
        "Up to {} of writes to the SSD instead of {} under the present load.",
        l2arc_state::tb_per_day(leaving.min(wanted as f64 * 5.0)),
        l2arc_state::tb_per_day(written),
    );
    finding.risk = "If the SSD cannot write that fast, the feed thread waits and reads from the \
    SSD get slower."
        .to_owned();
    finding.confidence = view.confidence(view.misses()?, "ARC misses");
    finding.sources =
        lines(["zfs(4) l2arc_write_max", "module/zfs/arc.c", "openzfs pull request 15457"]);
    Ok(finding)
}

/// Asks the model about the machine's own load; where that is not known, about streams that are read again where the disks
/// work for them and they are let in, else says what the counters do: the model knows no other case, and with
/// `l2arc_noprefetch=1` a stream is not fed at all.
fn gain(view: &View<'_>, l2: &L2, feed: &Feed) -> Result<Gain, NotJudged> {
    let (leaving, wanted) = (feed.leaving, wanted(feed.leaving));
    let settings = [changes::setting("l2arc_write_max", wanted)];
    let streams = l2arc_state::streams(view)? >= CAPTURED;
    let let_in = view.parameter("l2arc_noprefetch").is_some_and(|held| held.value == 0);
    let (eligible, written) = feed.bytes;
    let counted = || {
        Gain::Counted(format!(
            "the L2ARC would receive up to {} of the evicted bytes instead of {}; whether they are \
             read again is not known: the L2ARC serves {} now",
            format::share(wanted, scaled(1, leaving.max(1.0)).max(wanted)),
            format::share(written, eligible.max(written)),
            l2.label(),
        ))
    };
    let case = || match streams && let_in {
        true => model::case_of_reread(view, &settings).or_else(|_| Ok(counted())),
        false => Ok(counted()),
    };
    Ok(gains::gain(view, own_load::settings(&settings), case))
}

/// Returns the pass that keeps up: the next power of two, within what is advised.
fn wanted(leaving: f64) -> u64 {
    scaled(1, leaving.clamp(1.0, PASS_MAX as f64)).next_power_of_two().min(PASS_MAX)
}
