//! No text makes the reader of job files panic, and no error is without its place.

use arcwright_units::cut_before;
use arcwright_workload::fio::JobFile;
use proptest::prelude::*;

use super::GOOD;

/// Pieces that have a meaning somewhere in a job file.
const PIECES: [&str; 24] = [
    "[",
    "]",
    "=",
    "\n",
    ";",
    "#",
    "0",
    "-1",
    "18446744073709551615",
    "%",
    "k",
    "p",
    ",",
    "-",
    ":",
    "/100",
    "${X}",
    "\nfilesize=1k",
    "\nnrfiles=1024",
    "\nloops=4294967295",
    "\nrw=randrw",
    "\nbsrange=1-1k",
    "\ntime_based",
    "ü",
];

/// Reads the text and expands its jobs; an error must point into the text.
fn read(text: &str) -> Result<(), TestCaseError> {
    match JobFile::parse(text).and_then(|file| file.plan(None)) {
        Ok(plan) => {
            prop_assert!(!plan.jobs.is_empty());
            for job in &plan.jobs {
                let (files, clients) = job.expand();
                prop_assert!(!files.is_empty() && !clients.is_empty());
                prop_assert!(files.iter().all(|file| file.size >= job.requests.io));
                prop_assert!(clients.iter().all(|client| client.amount >= Some(client.io)));
            }
        }
        Err(error) => {
            prop_assert!(text.get(error.span.clone()).is_some() && !error.message.is_empty());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in "(?s).{0,200}") {
        read(&text)?;
    }

    #[test]
    fn a_changed_text_is_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, 0usize..24), 1..6),
    ) {
        let mut text = GOOD.to_owned();
        for (place, length, piece) in changes {
            let start = cut_before(&text, place.index(text.len() + 1));
            let end = cut_before(&text, start + length).max(start);
            text.replace_range(start..end, PIECES[piece]);
        }
        read(&text)?;
    }

    #[test]
    fn any_option_with_any_value_is_read_or_refused(
        key in "(bs|size|rw|bsrange|filesize|io_size|rate|rate_iops|thinktime|runtime|sync|fsync)",
        value in "[0-9a-z%,:$(.-]{0,12}",
    ) {
        read(&format!("[j]\nsize=1m\n{key}={value}\n"))?;
    }
}
