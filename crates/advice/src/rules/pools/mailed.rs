//! A pool that is not whole by a mail of ZFS's daemon; not a rule itself.

use arcwright_machine::Pool;

use crate::changes;
use crate::finding::{Confidence, Finding};
use crate::rules::pools::steps::status;

/// Says of what a mail tells that it was so then: a disk that comes late when a machine starts is missing for a second.
pub(super) fn tell(pool: &Pool, (state, time): (&str, &str), finding: &mut Finding) {
    finding.title = format!("{} was {state} at {time}, by a mail: see how it is now", pool.name);
    for row in &mut finding.evidence {
        row.name = format!("at {time}: {}", row.name);
    }
    finding.cause.push_str(
        " A mail tells of one moment. Where each mail names other devices and the pool is whole soon after, disks come late \
         when the machine starts: let the import wait for them.",
    );
    let mut remedy = changes::by_hand(
        "look at the pool: if it is whole, replace nothing; if a device is still out, act by that status",
        &[status(pool)],
    );
    remedy.verify = vec![status(pool)];
    finding.remedy = Some(remedy);
    finding.cost = "None to look.".to_owned();
    finding.confidence = Confidence::fair("a mail tells of the moment when it was written");
}
