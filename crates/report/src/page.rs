//! An outcome as a page shows it: the same sentences and figures as the text, and the numbers behind them, for charts.
//!
//! Every text that came from a file has its hidden characters written out.

use arcwright_scenario::{ArmOutcome, Outcome, PhaseRun};
use serde::Serialize;

use crate::compare::{change_pct, has_cache, phase_of, reported};
use crate::figures::{change, three_digits};
use crate::harmless::harmless;
use crate::ranges;
use crate::text::{Sheet, TextOptions};

/// An outcome for a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResultPage {
    /// What the experiment is about.
    pub title: String,
    /// The question that it answers.
    pub question: String,
    /// What ran it: engine, version, scale, seed.
    pub engine: String,
    /// The phase that its first answer is about.
    pub asked_phase: Option<String>,
    /// What the result says about the question.
    pub answers: Vec<String>,
    /// What a reader must know to trust the result.
    pub notes: Vec<String>,
    /// Names of the arms, in order; the first is the reference.
    pub arms: Vec<String>,
    /// What each arm sets beside hardware, as “NAME: SETTINGS”.
    pub changes: Vec<String>,
    /// Unit of the printed throughputs.
    pub rate_unit: &'static str,
    /// All phases that ran.
    pub phases: Vec<PhaseOfPage>,
}

/// A phase, arm by arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PhaseOfPage {
    /// Its name.
    pub name: String,
    /// Whether all that its clients do is read.
    pub only_reads: bool,
    /// One entry for each arm that ran it.
    pub arms: Vec<ArmOfPage>,
}

/// What an arm did in a phase: texts to be read, numbers to be drawn. What was not measured is absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmOfPage {
    /// Name of the arm.
    pub name: String,
    /// Printed figures.
    pub texts: TextsOfPage,
    /// Bytes per second.
    pub throughput: u64,
    /// Between which throughputs the truth may lie, in bytes per second.
    pub range: Option<[f64; 2]>,
    /// What somebody measured, in bytes per second, where the report's unit is that of the page.
    pub reported: Option<f64>,
    /// Where the bytes that were read came from; absent in phases that write.
    pub sources: Option<SourcesOfPage>,
    /// Time that half of the synchronous writes took at most, in nanoseconds.
    pub sync_p50_ns: Option<u64>,
}

/// Figures of an arm in a phase, as they are printed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextsOfPage {
    /// Without its unit.
    pub throughput: String,
    /// Against the first arm.
    pub change: Option<String>,
    /// Between which throughputs the truth may lie.
    pub range: Option<String>,
    /// What somebody measured.
    pub reported: Option<String>,
    /// How long it took.
    pub time: String,
    /// The latency that 99 % stay below.
    pub latency_p99: Option<String>,
    /// The synchronous writes' medians.
    pub sync_p50: Option<String>,
    /// Bytes moved by clients.
    pub moved: String,
    /// Hits of ARC accesses.
    pub arc_hits: String,
    /// Bytes from the ARC.
    pub arc: String,
    /// Bytes from cache devices.
    pub l2arc: String,
    /// Bytes from disks.
    pub disks: String,
    /// Bytes written to disks and log devices.
    pub written: String,
}

/// Bytes by where they came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SourcesOfPage {
    /// From memory.
    pub arc: u64,
    /// From cache devices.
    pub l2arc: u64,
    /// From data disks; parity and gaps included.
    pub disks: u64,
}

/// Returns an outcome for a page.
#[must_use]
pub fn result_page(outcome: &Outcome) -> ResultPage {
    let outcome = &*harmless(outcome);
    let options = TextOptions::default();
    let sheet = Sheet::of(outcome, &options);
    let scenario = &outcome.scenario;
    let line = |(who, settings): (&str, Vec<String>)| format!("{who}: {}", settings.join(", "));
    ResultPage {
        title: scenario.title.clone(),
        question: scenario.question.clone(),
        engine: sheet.engine_without_time(),
        asked_phase: scenario.answers.first().map(|answer| answer.place.phase.clone()),
        answers: sheet.answers(),
        notes: sheet.notes().map(|(note, _)| note).collect(),
        arms: outcome.arms.iter().map(|arm| arm.name.clone()).collect(),
        changes: sheet.changes().into_iter().map(line).collect(),
        rate_unit: options.precision.rate_unit(),
        phases: sheet.phases.iter().map(|phase| phase_of_page(&sheet, phase)).collect(),
    }
}

fn phase_of_page(sheet: &Sheet<'_>, phase: &str) -> PhaseOfPage {
    let outcome = sheet.outcome;
    let asked = outcome.scenario.phases.iter().find(|asked| asked.name == phase);
    let arms = outcome.arms.iter().filter_map(|arm| {
        let run = phase_of(arm, phase)?;
        Some(arm_of_page(sheet, arm, run))
    });
    PhaseOfPage {
        name: phase.to_owned(),
        only_reads: asked.is_some_and(arcwright_scenario::Phase::only_reads),
        arms: arms.collect(),
    }
}

fn arm_of_page(sheet: &Sheet<'_>, arm: &ArmOutcome, run: &PhaseRun) -> ArmOfPage {
    let ranges = sheet.ranges.get(&arm.name, &run.name);
    let span = ranges.and_then(|ranges| ranges.throughput_bytes_per_sec);
    let theirs = reported(sheet.outcome, &arm.name, &run.name);
    let unit = sheet.outcome.scenario.reported.as_ref().map(|reported| reported.unit.as_str());
    let in_mib = theirs.filter(|_| unit == Some("MiB/s"));
    ArmOfPage {
        name: arm.name.clone(),
        texts: texts(sheet, arm, run),
        throughput: run.throughput_bytes_per_sec.0,
        range: span.map(|span| [span.low, span.high]),
        reported: in_mib.map(|rate| rate * f64::from(1 << 20)),
        sources: run.arc_bytes.map(|arc| SourcesOfPage {
            arc: arc.0,
            l2arc: run.l2arc_read_bytes.0,
            disks: run.device_read_bytes.0,
        }),
        sync_p50_ns: run.sync_latency.as_ref().map(|latency| latency.p50_ns.0),
    }
}

fn texts(sheet: &Sheet<'_>, arm: &ArmOutcome, run: &PhaseRun) -> TextsOfPage {
    let precision = sheet.options.precision;
    let (outcome, phase) = (sheet.outcome, run.name.as_str());
    let ranges = sheet.ranges.get(&arm.name, phase);
    let span = ranges.and_then(|ranges| ranges.throughput_bytes_per_sec);
    let cached = has_cache(run).then_some(run.l2arc_read_bytes);
    let latency = (run.latency.count > 0).then_some(run.latency.p99_ns);
    let sync = run.sync_latency.as_ref();
    TextsOfPage {
        throughput: precision.rate(run.throughput_bytes_per_sec),
        change: change_pct(outcome, arm, phase).map(change),
        range: span.map(|span| ranges::rates(span, precision)),
        reported: reported(outcome, &arm.name, phase).map(three_digits),
        time: precision.time(run.duration_ns),
        latency_p99: latency.map(|time| precision.time(time)),
        sync_p50: sync.map(|latency| precision.time(latency.p50_ns)),
        moved: precision.bytes(run.bytes),
        arc_hits: precision.ratio(run.arc_hit_ratio),
        arc: precision.bytes_if_any(run.arc_bytes),
        l2arc: precision.bytes_if_any(cached),
        disks: precision.bytes(run.device_read_bytes),
        written: precision.bytes(run.device_write_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::result_page;
    use crate::fixture;

    #[test]
    fn figures_are_those_of_the_text() {
        let outcome = fixture::steam();
        let page = result_page(&outcome);
        let text = crate::text(&outcome, &crate::TextOptions::default());
        for phase in &page.phases {
            for arm in &phase.arms {
                assert!(text.contains(&arm.texts.throughput), "{}", arm.texts.throughput);
                assert!(text.contains(&arm.texts.disks), "{}", arm.texts.disks);
            }
        }
        assert_eq!(page.arms.len(), outcome.arms.len());
    }

    #[test]
    fn what_a_name_hides_is_written_out() {
        let mut outcome = fixture::steam();
        outcome.arms[0].name = "a\u{1b}[31m\u{202e}b".to_owned();
        let page = result_page(&outcome);
        assert!(!page.arms[0].contains(['\u{1b}', '\u{202e}']), "{}", page.arms[0]);
    }
}
