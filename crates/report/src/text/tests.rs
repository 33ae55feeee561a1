//! Whole texts as a reader sees them.

use arcwright_scenario::{ArmRun, Outcome};
use arcwright_units::{Bytes, Rate};

use super::{TextOptions, text};
use crate::{Precision, fixture};

fn shown(outcome: &Outcome) -> String {
    text(outcome, &TextOptions::default())
}

fn repeated(outcome: &mut Outcome) {
    for arm in &mut outcome.arms {
        let mut again = arm.phases.clone();
        for run in &mut again {
            run.throughput_bytes_per_sec = Rate(run.throughput_bytes_per_sec.0 / 100 * 98);
        }
        arm.runs.push(ArmRun { repeat: 1, phases: again });
    }
}

fn six_arms() -> Outcome {
    let mut outcome = fixture::outcome(&[
        ("as installed", [324, 226]),
        ("dumb LRU", [333, 1440]),
        ("no prefetch at all", [120, 110]),
        ("32 GiB memory", [322, 1800]),
        ("no cache device", [325, 228]),
        ("two cache devices", [323, 240]),
    ]);
    outcome.interrupted = true;
    repeated(&mut outcome);
    outcome
}

fn empty() -> Outcome {
    let mut outcome = fixture::steam();
    outcome.arms.clear();
    outcome.interrupted = true;
    outcome
}

#[test]
fn two_arms_stand_side_by_side_with_change_and_reported_figures() {
    assert_eq!(shown(&fixture::steam()), include_str!("golden/steam.txt"));
}

#[test]
fn many_arms_are_broken_into_blocks_and_repeats_show_their_spread() {
    let shown = shown(&six_arms());
    assert_eq!(shown, include_str!("golden/six-arms.txt"));
    assert!(shown.lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn exact_figures_are_bytes_and_nanoseconds() {
    let options = TextOptions { precision: Precision::Exact, ..TextOptions::default() };
    assert_eq!(text(&fixture::steam(), &options), include_str!("golden/exact.txt"));
}

#[test]
fn nothing_finished_is_said() {
    assert_eq!(shown(&empty()), include_str!("golden/empty.txt"));
}

#[test]
fn without_colour_there_is_no_escape_and_with_it_only_the_escapes_differ() {
    let plain = shown(&six_arms());
    assert!(!plain.contains('\u{1b}'));
    let colour = text(&six_arms(), &TextOptions { colour: true, ..TextOptions::default() });
    assert!(colour.contains("\u{1b}[32m+537 %\u{1b}[0m"));
    assert!(colour.contains("\u{1b}[31m-63 %\u{1b}[0m"));
    // A change within the noise is neither good nor bad.
    assert!(colour.contains("  +0.3 %"));
    let mut stripped = colour;
    for code in ["0", "1", "2", "31", "32", "33"] {
        stripped = stripped.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(stripped, plain);
}

#[test]
fn devices_that_nobody_used_take_no_column() {
    let mut outcome = fixture::steam();
    for run in outcome.arms.iter_mut().flat_map(|arm| &mut arm.phases) {
        run.l2arc_hit_ratio = None;
        run.l2arc_read_bytes = Bytes::ZERO;
        run.l2arc_write_bytes = Bytes::ZERO;
    }
    assert!(!shown(&outcome).contains("L2ARC"));
}

#[test]
fn what_came_from_the_arc_is_not_told_where_it_is_not_known() {
    let mut outcome = fixture::steam();
    for run in outcome.arms.iter_mut().flat_map(|arm| &mut arm.phases) {
        run.arc_bytes = None;
    }
    assert!(!shown(&outcome).contains("    ARC  "), "{}", shown(&outcome));
    assert!(shown(&fixture::steam()).contains("    ARC  "));
}

#[test]
fn a_zero_is_a_finding_and_keeps_its_column() {
    let mut outcome = fixture::steam();
    for run in outcome.arms.iter_mut().flat_map(|arm| &mut arm.phases) {
        run.device_read_bytes = Bytes::ZERO;
        run.l2arc_read_bytes = Bytes::ZERO;
    }
    let shown = shown(&outcome);
    assert!(shown.contains("  disks") && shown.contains("    ARC  L2ARC"), "{shown}");
}
