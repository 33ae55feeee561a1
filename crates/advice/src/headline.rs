//! The first thing said where nothing calls for a change: that there is nothing to change, or why that
//! cannot be said.
//!
//! Silence because something was not read is not “nothing to change”. An all-clear rests on the
//! questions of [`ESSENTIAL`]; one of them that could not be answered because its readings
//! are missing makes it “not enough to judge”. One that could not be answered because nothing happened, or
//! because this version of ZFS does not count it, does not.

use arcwright_machine::Reason;
use std::collections::BTreeMap;

use crate::accesses::SUMS;
use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Severity, lines};
use crate::format;
use crate::rows::{ARCSTATS, has_arcstats};
use crate::rules;
use crate::verdict::{Fine, NotJudged};
use crate::view::{Basis, View};

/// What the first finding is called when too little was read for any verdict.
pub(crate) const NOTHING_JUDGED: &str = "nothing-judged";
pub(crate) const NO_COUNTERS: &str = "no-counters";
pub(crate) const NOT_ENOUGH: &str = "not-enough";

/// What an owner takes “nothing to change” to mean: that these were looked at.
///
/// Metadata fits, a larger ARC would not help, nothing squeezes it, prefetch helps, pools are whole and
/// have room, a log device would not help, writers are not slowed down, synchronous writes are honoured;
/// then what the same readings tell of the L2ARC, of requests and of settings. Rules on what only some
/// captures hold (SMART, latencies, slow I/Os) are not among them: what they could not judge is said below.
const ESSENTIAL: [&str; 20] = [
    rules::METADATA.about,
    rules::ARC_SMALL.about,
    rules::ARC_SQUEEZED.about,
    rules::PREFETCH.about,
    rules::HEALTH.about,
    rules::POOL_FULL.about,
    rules::SYNC_WRITES.about,
    rules::THROTTLED.about,
    rules::SYNC_DISABLED.about,
    rules::ARC_LIMITS.about,
    rules::DNODE_LIMIT.about,
    rules::L2ARC_COLD.about,
    rules::L2ARC_FEED.about,
    rules::L2ARC_HEADERS.about,
    rules::L2ARC_PREFETCH.about,
    rules::NOT_PERSISTED.about,
    rules::PREFETCH_OFF.about,
    rules::RECORDSIZE.about,
    rules::SEEK_BOUND.about,
    rules::UNSAFE_PARAMETERS.about,
];

/// What could not be judged, by the reason.
pub(crate) type Reasons = BTreeMap<NotJudged, Vec<String>>;

/// Returns the headline; none when something should be changed.
pub(crate) fn of(
    view: &View<'_>,
    findings: &[Finding],
    (fine, unjudged): (&[Fine], &Reasons),
) -> Option<Finding> {
    if findings.iter().any(|finding| finding.severity <= Severity::WorthALook) {
        return None;
    }
    let evidence: Vec<Evidence> =
        fine.iter().flat_map(|fine| fine.evidence.iter().cloned()).collect();
    if evidence.is_empty() && findings.is_empty() {
        return Some(nothing_judged(view, unjudged));
    }
    let found = no_pool(view)
        .or_else(|| no_counters(view, unjudged))
        .or_else(|| not_enough(view, findings, unjudged))
        .or_else(|| nothing_happened(view))
        // Notes alone are no all-clear.
        .or_else(|| evidence.is_empty().then(|| nothing_judged(view, unjudged)));
    Some(found.unwrap_or_else(|| nothing_to_change(view, fine.len(), evidence, unjudged)))
}

fn nothing_judged(view: &View<'_>, unjudged: &Reasons) -> Finding {
    let title = "No verdict on the caches: too little was read or happened".to_owned();
    let mut finding = Finding::new(NOTHING_JUDGED, Severity::Note, Area::Reading, title);
    // Where sizes were read, counters are what is missing.
    let has_sizes = has_arcstats(view.machine);
    let reasons = unjudged.keys().filter(|why| !(has_sizes && **why == NotJudged::NoCounters));
    finding.cause = reasons.into_iter().next().map_or_else(
        || "No rule applies to what was read.".to_owned(),
        |first| format!("First of several reasons: {first}."),
    );
    if unjudged.keys().any(NotJudged::is_unread) {
        finding.remedy = Some(read_the_rest(view));
    }
    finding.confidence = Confidence::read("what is missing");
    finding
}

fn no_pool(view: &View<'_>) -> Option<Finding> {
    let why = view.enough_accesses().err()?;
    let machine = view.machine;
    let knows_pools = machine.lists_pools
        && view.parameters_were_read()
        && !machine.problems.iter().any(|problem| problem.source.contains("zpool"));
    if !machine.pools.is_empty() || !knows_pools {
        return None;
    }
    let title = "No pool is imported, so there is nothing to judge";
    Some(note("no-pool", title, format!("The module is loaded; {why}.")))
}

fn no_counters(view: &View<'_>, unjudged: &Reasons) -> Option<Finding> {
    // Columns of sums tell of the ARC too.
    let counts = |path| view.machine.now().is_some_and(|now| now.kstats.contains_key(path));
    let has_arc = [ARCSTATS, SUMS].into_iter().any(counts);
    if has_arc {
        return None;
    }
    let why = unjudged.keys().find(|why| why.is_unread())?;
    let title = "The caches cannot be judged: none of their counters were read";
    let cause = format!("Reason: {why}.");
    let mut finding = note(NO_COUNTERS, title, cause);
    finding.remedy = Some(read_the_rest(view));
    Some(finding)
}

fn not_enough(view: &View<'_>, findings: &[Finding], unjudged: &Reasons) -> Option<Finding> {
    let counts = |about: &&String| ESSENTIAL.contains(&about.as_str());
    let open = |(why, abouts): (&NotJudged, &Vec<String>)| {
        let abouts: Vec<String> = abouts.iter().filter(counts).cloned().collect();
        (why.is_unread() && !abouts.is_empty()).then(|| (why.to_string(), abouts))
    };
    let open: Vec<(String, Vec<String>)> = unjudged.iter().filter_map(open).collect();
    if open.is_empty() {
        return None;
    }
    let (whys, questions): (Vec<String>, Vec<Vec<String>>) = open.into_iter().unzip();
    let title = format!("Not enough to judge: {}", format::list(&whys));
    // All of them, each with what it lacks, stand below the findings.
    let questions = format::list(&questions.concat());
    // That nothing was found is no all-clear.
    let cause = match findings.is_empty() {
        true => format!("It is not known {questions}."),
        false => format!("What could be judged is noted below. It is not known {questions}."),
    };
    let mut finding = note(NOT_ENOUGH, &title, cause);
    finding.remedy = Some(read_the_rest(view));
    Some(finding)
}

fn nothing_happened(view: &View<'_>) -> Option<Finding> {
    let why = view.enough_accesses().err()?;
    let title = "The caches were idle meanwhile, so they cannot be judged";
    let cause = format!(
        "Run doctor again while the machine is slow, with a longer --window if necessary. Checks \
         that do not depend on the load are listed below. Reason: {why}."
    );
    Some(note("nothing-happened", title, cause))
}

fn nothing_to_change(
    view: &View<'_>,
    looked: usize,
    evidence: Vec<Evidence>,
    unjudged: &Reasons,
) -> Finding {
    let title = "Nothing to change".to_owned();
    let mut finding = Finding::new("nothing-to-change", Severity::Fine, Area::Reading, title);
    finding.cause =
        format!("{looked} checks found everything as it should be; each is listed below.");
    if !unjudged.is_empty() {
        finding
            .cause
            .push_str(" Open questions are listed there too; they may change this answer.");
    }
    // The checks look for what is wrong; that something else would do better yet is no fault.
    if matches!(view.basis, Basis::Window(_)) && !view.machine.pools.is_empty() {
        finding.cause.push_str(
            " Whether more memory or another setting would be faster under this load, arcwright \
             advise tries.",
        );
    }
    finding.evidence = evidence;
    finding.confidence = match view.accesses() {
        Ok(events) => view.confidence(events, "ARC accesses"),
        Err(_) => Confidence::read("what is listed below"),
    };
    finding.sources = lines(["every check that could run found nothing to change"]);
    finding
}

fn note(id: &'static str, title: &str, cause: String) -> Finding {
    let mut finding = Finding::new(id, Severity::Note, Area::Reading, title.to_owned());
    finding.cause = cause;
    finding.confidence = Confidence::read("what is missing");
    finding
}

/// Returns the command that reads what is missing: with rights where they were refused, else on the
/// machine itself, with this program or with the tools that come with ZFS.
fn read_the_rest(view: &View<'_>) -> crate::finding::Remedy {
    let denied = view.machine.problems.iter().any(|problem| problem.reason == Reason::Denied);
    if denied {
        return changes::by_hand(
            "run it with the rights to read everything",
            &lines(["sudo arcwright doctor"]),
        );
    }
    let stock = match view.machine.os {
        _ if view.is_freebsd() => {
            "sysctl kstat.zfs vfs.zfs hw.physmem vm.stats.vm; zpool status -v; zpool list -v; \
             zpool get all; zfs get all; zpool iostat -vl 10 2"
        }
        Some(_) => {
            "cat /proc/spl/kstat/zfs/{arcstats,zil,dmu_tx} /proc/meminfo; zpool status -v; zpool \
             list -v; zpool get all; zfs get all; zpool iostat -vly 10 1"
        }
        // Which system it is was not read.
        None => {
            "zpool status -v; zpool list -v; zpool get all; zfs get all; zpool iostat -v 10 2; and the counters: cat \
             /proc/spl/kstat/zfs/{arcstats,zil,dmu_tx} /proc/meminfo (Linux), sysctl kstat.zfs vfs.zfs (FreeBSD), kstat -m zfs \
             (illumos, Solaris), sysctl kstat (macOS)"
        }
    };
    changes::by_hand(
        "read the rest on the machine itself, then: arcwright doctor --from nas.tar.gz",
        &[
            "sudo arcwright capture nas.tar.gz".to_owned(),
            format!("# without arcwright there, send the text of: {stock}"),
        ],
    )
}
