//! Watching a recorded run of the lab, the one that the served page plays: for a look without ZFS.

use std::sync::mpsc;

use arcwright_advice::{Estimate, advise};
use arcwright_machine::Machine;
use arcwright_tui::{DashboardSample, Pace, Update};
use arcwright_web::LiveReading;

use super::{MachineFacts, Watched, notices};
use crate::commands::serve::demo::Demo;
use crate::problem::Problem;

/// Readings that the dashboard may be behind, and those shown per second at first.
const BEHIND_MAX: usize = 2;
const PER_SECOND: u32 = 8;
/// Readings that findings are of, and how often they are looked for.
const JUDGE_EVERY: usize = 30;

pub(super) fn begin() -> Result<Watched, Problem> {
    let demo = Demo::open().map_err(Problem::Failed)?;
    let title = match demo.zfs() {
        Some(version) => format!("{}, OpenZFS {version}", demo.title()),
        None => demo.title().to_owned(),
    };
    let (sender, feed) = mpsc::sync_channel(BEHIND_MAX);
    let source = std::thread::spawn(move || {
        let readings = demo.all_readings();
        let end = Update::End("all of the recorded run".to_owned());
        for update in updates(demo.machine(), &readings).chain([end]) {
            if sender.send(update).is_err() {
                return;
            }
        }
    });
    Ok(Watched { title, feed, pace: Pace::PerSecond(PER_SECOND), source: Some(source) })
}

/// Returns the readings one after the other, and now and then what is found in the last ones.
fn updates<'a>(
    machine: &'a Machine,
    readings: &'a [LiveReading],
) -> impl Iterator<Item = Update> + 'a {
    let facts = MachineFacts::of(machine, &|leaf| Some(leaf.to_owned()));
    let of_reading = move |(number, reading): (usize, &LiveReading)| {
        let known = facts.reading(reading.sample.clone());
        let sample = DashboardSample {
            devices: reading.disks.clone(),
            read_bytes: known.read_bytes.or(reading.programs_read_bytes),
            written_bytes: known.written_bytes.or(reading.programs_written_bytes),
            ..known
        };
        let is_time = number > 0 && number.is_multiple_of(JUDGE_EVERY);
        let before = number.checked_sub(JUDGE_EVERY).and_then(|number| readings.get(number));
        let found = before.filter(|_| is_time).map(|before| found(machine, before, reading));
        [Some(Update::Sample(Box::new(sample))), found].into_iter().flatten()
    };
    readings.iter().enumerate().flat_map(of_reading)
}

fn found(machine: &Machine, before: &LiveReading, now: &LiveReading) -> Update {
    let sample = |reading: &LiveReading| reading.sample.clone();
    let machine = Machine { samples: vec![sample(before), sample(now)], ..machine.clone() };
    Update::Notices(notices(&advise(&machine, Estimate::CountersOnly)))
}
