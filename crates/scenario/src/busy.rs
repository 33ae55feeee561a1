//! Links that disks waited for.

use crate::outcome::{DeviceRun, LinkRun, Outcome, PhaseRun};

/// A link that is busy for so many hundredths of a phase is what the disks behind it wait for.
const FULL_PERCENT: u64 = 90;

impl Outcome {
    /// Returns which links were busy for nearly all of a phase, in a sentence; none where no disk waited for one.
    #[must_use]
    pub fn full_links(&self) -> Option<String> {
        let mut places: Vec<String> = Vec::new();
        for arm in &self.arms {
            for run in &arm.phases {
                let full = full(run).into_iter();
                places.extend(full.map(|(name, percent)| {
                    format!("“{name}” was busy for {percent} % of “{}” (“{}”)", run.name, arm.name)
                }));
            }
        }
        let (first, more) = (places.first()?, places.len() - 1);
        let more = if more == 0 { String::new() } else { format!(", and so in {more} more") };
        Some(format!("disks waited for the link that they share: {first}{more}"))
    }
}

/// Returns the links that are full, each once, with the percentage.
fn full(run: &PhaseRun) -> Vec<(&str, u64)> {
    let mut found: Vec<(&str, u64)> = Vec::new();
    for LinkRun { name, read_busy_ns, write_busy_ns, one_way } in links(run) {
        let busy = match one_way {
            true => *read_busy_ns + *write_busy_ns,
            false => *read_busy_ns.max(write_busy_ns),
        };
        let percent = busy.0.saturating_mul(100) / run.duration_ns.0.max(1);
        if percent >= FULL_PERCENT && !found.iter().any(|(known, _)| known == name) {
            found.push((name, percent.min(100)));
        }
    }
    found
}

fn links(run: &PhaseRun) -> impl Iterator<Item = &LinkRun> {
    run.devices.iter().filter_map(|device: &DeviceRun| device.link.as_ref())
}
