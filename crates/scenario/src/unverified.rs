//! How many values of the device profiles that an experiment rests on nobody has checked.

use arcwright_device::Unverified;

use crate::disk::Disk;
use crate::experiment::Scenario;

impl Scenario {
    /// Returns how many values of its devices are unverified, in words, each profile once; none where no profile has
    /// any, or says what its values rest on.
    #[must_use]
    pub fn unverified_values(&self) -> Option<String> {
        let systems = self.arms.iter().map(|arm| self.system_of(arm));
        let mut found: Vec<(String, Unverified)> = Vec::new();
        for system in systems {
            for disk in system.pool.disks() {
                let is_known = found.iter().any(|(name, _)| *name == disk.profile);
                if let Some(unverified) = unverified(disk).filter(|_| !is_known) {
                    found.push((disk.profile.clone(), unverified));
                }
            }
        }
        found.retain(|(_, unverified)| unverified.count > 0);
        let of = |(name, unverified): &(String, Unverified)| format!("{unverified} of {name}");
        let all: Vec<String> = found.iter().map(of).collect();
        (!all.is_empty()).then(|| format!("unverified: {}", all.join(", ")))
    }
}

fn unverified(disk: &Disk) -> Option<Unverified> {
    Some(disk.device()?.basis()?.unverified())
}
