//! The journal: what is written is read back, whatever stands before and after it.

use proptest::prelude::*;

use super::check::{OPERATION_MAX, STEPS_MAX};
use super::{Action, Entry, Event, Journal};

pub(super) fn entry(operation: u64, step: u32, event: Event) -> Entry {
    let action = Action::Live {
        name: "l2arc_noprefetch".to_owned(),
        module: "zfs".to_owned(),
        old: "1".to_owned(),
        new: "0".to_owned(),
        through: None,
        back_through: None,
    };
    let (who, why) = ("anna".to_owned(), "dumb-lru".to_owned());
    Entry { v: 1, operation, step, time: 7, who, why, event, reason: None, action }
}

pub(super) fn text(entries: &[Entry]) -> String {
    entries.iter().map(|entry| Journal::default().line(entry)).collect()
}

#[test]
fn of_many_lines_that_cannot_be_read_few_are_named() {
    let problems = |lines: usize| Journal::read(&"{}\n".repeat(lines)).problems;
    assert_eq!((problems(20).len(), problems(21).len(), problems(9000).len()), (20, 21, 21));
    assert_eq!(problems(9000).last().unwrap(), "8980 more lines are ignored too");
}

#[test]
fn the_last_line_of_a_step_is_its_state() {
    let lines = [
        entry(1, 0, Event::Planned),
        entry(1, 0, Event::Done),
        entry(1, 1, Event::Planned),
        entry(2, 0, Event::Planned),
        entry(2, 0, Event::Done),
        entry(2, 0, Event::Undoing),
        entry(2, 0, Event::Undone),
    ];
    let journal = Journal::read(&text(&lines));
    let states: Vec<Vec<&str>> = journal
        .operations()
        .iter()
        .map(|operation| operation.steps.iter().map(super::Done::state).collect())
        .collect();
    assert_eq!(states, [vec!["applied", "planned"], vec!["undone"]]);
    assert_eq!(journal.next_id(), 3);
    assert_eq!(journal.operations()[0].in_force().len(), 2);
    assert!(journal.operations()[1].in_force().is_empty());
}

#[test]
fn a_line_cut_off_hides_no_other_and_the_next_stands_on_its_own() {
    let whole = text(&[entry(1, 0, Event::Planned), entry(1, 0, Event::Done)]);
    for length in 0..whole.len() {
        let journal = Journal::read(&whole[..length]);
        let torn = &whole[..length];
        let next = journal.line(&entry(2, 0, Event::Planned));
        let after = Journal::read(&(torn.to_owned() + &next));
        assert!(after.entries.iter().any(|entry| entry.operation == 2), "{length}");
        assert!(after.entries.len() > journal.entries.len());
    }
}

#[test]
fn an_operation_always_has_a_number_that_is_read_again() {
    let check = |there: &[u64], next| {
        let lines: Vec<Entry> = there.iter().map(|number| entry(*number, 0, Event::Done)).collect();
        assert_eq!(Journal::read(&text(&lines)).next_id(), next, "{there:?}");
    };
    check(&[], 1);
    check(&[1, 7], 8);
    check(&[OPERATION_MAX - 1], OPERATION_MAX);
    check(&[1, 3, OPERATION_MAX], 2);
}

#[test]
fn an_operation_has_no_more_steps_than_there_are_parameters_and_places() {
    let step = |number| entry(1, number, Event::Done);
    let journal = Journal::read(&text(&[step(0), step(STEPS_MAX - 1), step(STEPS_MAX)]));
    assert_eq!(journal.operations()[0].steps.len(), 2);
    assert!(journal.problems[0].contains("impossible step number"), "{:?}", journal.problems);
}

#[test]
fn a_newer_line_is_named_and_left_alone() {
    let newer = text(&[entry(1, 0, Event::Done)]).replace("\"v\":1", "\"v\":2");
    let journal = Journal::read(&(newer + &text(&[entry(2, 0, Event::Done)])));
    assert_eq!(journal.entries.len(), 1);
    assert!(journal.problems[0].contains("line 1 was written by a newer arcwright"));
}

#[test]
fn what_was_stopped_is_settled_by_what_is_there() {
    let step = |event| Journal::read(&text(&[entry(1, 0, event)])).operations()[0].steps[0].clone();
    let check = |event, made, expected| {
        assert_eq!(step(event).settled(made).map(|(event, _)| event), expected);
    };
    check(Event::Planned, Some(true), Some(Event::Done));
    check(Event::Planned, Some(false), Some(Event::Failed));
    check(Event::Undoing, Some(false), Some(Event::Undone));
    check(Event::Undoing, Some(true), Some(Event::Done));
    check(Event::Done, Some(false), None);
    check(Event::Undone, Some(true), None);
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_fall(text in any::<String>()) {
        let journal = Journal::read(&text);
        prop_assert!(journal.entries.is_empty());
    }
}
