//! Synchronous writes wait for the intent log on slow disks: here a SLOG can help; elsewhere it cannot.
//!
//! Only who asks for stable storage waits for the log (fsync, O_SYNC, NFS, databases, virtual
//! machines); a SLOG answers them sooner and does nothing for anybody else.

use arcwright_machine::Pool;

use crate::changes;
use crate::drives::turns;
use crate::finding::{Area, Finding, Severity, lines};
use crate::format;
use crate::model;
use crate::rule::Rule;
use crate::rules::sync::log_facts::{self, Log};
use crate::verdict::{Fine, Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether a SLOG would help", judge };

/// Commits per second below which nobody feels how long one takes.
const COMMITS_MIN: f64 = 5.0;
/// Share of the time in which somebody waits for the log, above which it is felt.
const WAITED: f64 = 0.2;
/// Above this, somebody waits most of the time.
const WAITED_MUCH: f64 = 0.5;
/// Faster than this, the disks are as fast as a SLOG would be.
const FAST_NS: u64 = 1_000_000;

fn judge(view: &View<'_>) -> Judged {
    let mut findings = Vec::new();
    let mut fine: Vec<Fine> = Vec::new();
    let mut unread = None;
    for pool in view.laid_out()?.filter(|pool| !log_facts::has_slog(pool)) {
        match of_pool(view, pool) {
            Ok(Ok(finding)) => findings.push(finding),
            Ok(Err(cannot)) => fine.push(cannot),
            Err(why) => unread = Some(why),
        }
    }
    if let Some(pool) = view.machine.pools.iter().find(|pool| pool.vdevs.is_empty()) {
        unread = Some(view.not_read(&format!("the layout of {}", pool.name), "zpool-status"));
    }
    let what: Vec<String> = fine.iter().map(|fine| fine.what.clone()).collect();
    let evidence = fine.into_iter().flat_map(|fine| fine.evidence).collect();
    let otherwise =
        if what.is_empty() { Verdict::Silent } else { Verdict::fine(what.join(". "), evidence) };
    Verdict::of_all(findings, unread, otherwise)
}

/// Returns a finding where a log device would help, and otherwise why it cannot.
fn of_pool(view: &View<'_>, pool: &Pool) -> Result<Result<Finding, Fine>, NotJudged> {
    let log = log_facts::of(view, pool)?;
    let unread = || NotJudged::NotRead("the period of the counters was not read".to_owned());
    let rate = view.per_s(log.commits).ok_or_else(unread)?;
    let cannot =
        |log: Log| Ok(Err(Fine { what: cannot(pool, &log, rate), evidence: log.evidence }));
    if rate < COMMITS_MIN || turns(view.machine, pool) == Some(false) {
        return cannot(log);
    }
    let Some(wait) = log_facts::write_wait(view, pool)? else { return cannot(log) };
    let waited = rate * wait as f64 / 1e9;
    if wait < FAST_NS || waited < WAITED {
        return cannot(log);
    }
    if !log.is_own {
        let what = "this version does not count commits per pool".to_owned();
        return Err(NotJudged::NotRead(what));
    }
    let commits = Commits { per_s: rate, waited, wait_ns: wait };
    Ok(Ok(finding(view, pool, &log, commits)))
}

fn cannot(pool: &Pool, log: &Log, rate: f64) -> String {
    let name = &pool.name;
    let rate = format::per_s(rate);
    match log.written {
        Some(0) => format!("A SLOG would not help {name}: nothing was written"),
        Some(written) => format!(
            "A SLOG cannot help {name}: {} of what was written is sync, {rate} commits per second",
            format::share(log.logged, written)
        ),
        None => {
            format!("A SLOG cannot help {name}: only {rate} commits per second")
        }
    }
}

/// How often somebody waits for the log, and how long.
#[derive(Clone, Copy)]
struct Commits {
    per_s: f64,
    /// Share of the time in which somebody waits.
    waited: f64,
    /// How long a write of the log takes.
    wait_ns: u64,
}

fn finding(view: &View<'_>, pool: &Pool, log: &Log, commits: Commits) -> Finding {
    let Commits { per_s: rate, waited, wait_ns: wait } = commits;
    let title = format!(
        "{} synchronous writes per second wait for {}, which has no fast log device",
        format::per_s(rate),
        pool.name
    );
    let severity = if waited >= WAITED_MUCH { Severity::HurtsNow } else { Severity::WorthALook };
    let mut finding = Finding::new("sync-writes-wait", severity, Area::Sync, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = log.evidence.clone();
    let each = format!("a write takes {} here (zpool iostat -l)", format::latency(wait));
    let share = log.written.map_or_else(String::new, |written| {
        format!(" {} of the bytes written are sync.", format::share(log.logged, written))
    });
    finding.cause = format!(
        "Each of these writes is acknowledged only once the intent log has it on disk, and {each}.{share}"
    );
    let add = format!(
        "zpool add {} log mirror SSD1 SSD2   # with power-loss protection; 16 GiB are plenty",
        format::shell(&pool.name)
    );
    let try_first = format!(
        "arcwright ssd plan --pool {} --profile nvme-plp --window 10m   # what it gains and how large it is to be",
        format::shell(&pool.name)
    );
    let mut remedy = changes::by_hand(
        "add a small SSD with power-loss protection as log device (SLOG), mirrored if the last \
         seconds matter",
        &[try_first, add],
    );
    remedy.verify =
        lines(["zpool iostat -vly 10 1   # syncq_wait of writes", "arcwright doctor --window 60s"]);
    remedy.undo = vec![format!("zpool remove {} LOG-DEVICE", format::shell(&pool.name))];
    finding.remedy = Some(remedy);
    finding.gain = model::slog(view, pool, rate);
    let wear = view.per_s(log.logged).map(crate::rules::l2arc_state::tb_per_day);
    finding.cost = format!(
        "An SSD with power-loss protection; it has to take {}.",
        wear.unwrap_or_else(|| "all sync writes".to_owned())
    );
    finding.risk =
        "If an unmirrored SLOG fails just when the machine loses power, the last seconds of \
         acknowledged writes are lost; the pool itself is not."
            .to_owned();
    finding.confidence = view.confidence(log.commits, "commits");
    finding.sources =
        lines(["module/zfs/zil.c", "zilstat(1)", "openzfs-docs, Hardware: power loss protection"]);
    finding
}
