//! A SLOG that has nothing to do, or does its work.

use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::sync::log_facts;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the SLOG is used", judge };

/// Commits per second below which a log device idles: one in ten seconds.
const IDLE: f64 = 0.1;

fn judge(view: &View<'_>) -> Judged {
    let mut findings = Vec::new();
    let mut at_work = Vec::new();
    for pool in view.laid_out()?.filter(|pool| log_facts::has_slog(pool)) {
        let log = log_facts::of(view, pool)?;
        let Some(rate) = view.per_s(log.commits) else { return Ok(Verdict::Silent) };
        if rate >= IDLE {
            at_work.push((
                format!(
                    "The SLOG of {} is used: {} commits per second",
                    pool.name,
                    format::per_s(rate)
                ),
                log.evidence,
            ));
            continue;
        }
        let title = format!(
            "The log device of {} is hardly used: there are few synchronous writes",
            pool.name
        );
        let mut finding = Finding::new("slog-idle", Severity::Note, Area::Sync, title);
        finding.subject = Some(pool.name.clone());
        finding.evidence = log.evidence;
        finding.cause = format!(
            "{} commits {}. A SLOG is not a write cache: copies over SMB and most programs write \
             asynchronously, so it does not speed them up.",
            format::count(log.commits),
            view.when()
        );
        finding.gain = Gain::Nothing;
        finding.confidence = view.confidence(log.commits, "commits");
        finding.sources = lines(["module/zfs/zil.c", "openzfs issues 2373, 16990"]);
        findings.push(finding);
    }
    let evidence = at_work.iter().flat_map(|(_, rows)| rows.clone()).collect();
    let what: Vec<String> = at_work.into_iter().map(|(what, _)| what).collect();
    let otherwise =
        if what.is_empty() { Verdict::Silent } else { Verdict::fine(what.join(". "), evidence) };
    Ok(Verdict::found_or(findings, otherwise))
}
