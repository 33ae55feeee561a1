//! What SMART and the kernel say of each drive that was asked.

use arcwright_machine::Drive;

use super::Fact;
use crate::format;
use crate::view::View;

const DRIVES_MAX: usize = 8;

pub(super) fn of(view: &View<'_>) -> Vec<Fact> {
    view.machine.drives.iter().filter_map(of_drive).take(DRIVES_MAX).collect()
}

fn of_drive(drive: &Drive) -> Option<Fact> {
    let count = |count: Option<u64>, what: &str| {
        count.map(|count| format!("{} {what}", format::count(count)))
    };
    let health = drive.smart_passed.map(|passed| {
        let word = if passed { "passes" } else { "fails" };
        format!("SMART {word}")
    });
    let parts = [
        health,
        count(drive.power_on_hours, "hours on"),
        count(drive.reallocated, "sectors replaced"),
        count(drive.pending, "sectors unreadable"),
        count(drive.uncorrectable, "uncorrectable"),
        count(drive.link_errors, "link errors"),
        drive
            .link_rates
            .map(|[now, most]| format!("link at {} of {} Gb/s", tenths(now), tenths(most))),
        drive.wear_pct.map(|pct| format!("{pct} % of its endurance used")),
        drive.written.map(|bytes| format!("{bytes} written")),
    ];
    let fact = Fact::of_parts(format!("drive {}", drive.name), parts)?;
    let model = drive.model.as_ref().map_or_else(String::new, |model| format!("{model}; "));
    Some(Fact { says: model + &fact.says, ..fact })
}

/// Writes tenths as a decimal.
fn tenths(number: u64) -> String {
    format!("{}.{}", number / 10, number % 10)
}
