//! What is lost when the SSD dies, and what speaks against a use whatever it gains.

use crate::device::Ssd;
use crate::pool::Redundancy;
use crate::roles::Roles;

/// Returns why a use must not be chosen; none where nothing speaks against it.
pub(crate) fn refused(roles: Roles, ssds: &[Ssd], pool: Redundancy) -> Option<String> {
    (roles.special && ssds.len() < 2 && pool.disks_may_fail > 0).then(|| {
        "a special vdev of one SSD takes the whole pool with it when it dies: it needs two SSDs"
            .to_owned()
    })
}

/// Returns what is lost when an SSD of this use dies, in sentences.
pub(crate) fn losses(roles: Roles, ssds: &[Ssd], pool: Redundancy) -> Vec<String> {
    let mut all = Vec::new();
    let two = ssds.len() > 1 && !roles.apart;
    if roles.log {
        all.push(match two {
            true => "Log, mirrored: one of the two may die at any time; nothing is lost.".to_owned(),
            false => "Log on one SSD: when it dies while the pool runs, the pool goes on with the log on its disks and \
                      nothing is lost. When it dies together with a crash or a loss of power, what was acknowledged in \
                      the last seconds is lost, and the pool is imported with zpool import -m."
                .to_owned(),
        });
        all.extend(unprotected(ssds));
    }
    if roles.special {
        all.push(match two {
            true => special_of_two(pool),
            false => "Special on one SSD: when it dies the pool is lost, all of it.".to_owned(),
        });
    }
    if roles.cache {
        all.push(
            "Cache: nothing is lost when it dies; reads come from the disks again.".to_owned(),
        );
    }
    all
}

fn special_of_two(pool: Redundancy) -> String {
    match pool.disks_may_fail {
        0 | 1 => {
            "Special, mirrored: one of the two may die; when both do, the pool is lost.".to_owned()
        }
        more => format!(
            "Special, mirrored: one of the two may die; when both do, the pool is lost. The data survives {more} dead \
             disks, so a third SSD would be needed to be as safe."
        ),
    }
}

/// Says what an SSD without protection at power loss means for a log.
fn unprotected(ssds: &[Ssd]) -> Option<String> {
    let states: Vec<Option<bool>> = ssds.iter().map(|ssd| ssd.is_protected).collect();
    if states.contains(&Some(false)) {
        return Some(
            "Without power-loss protection an SSD has to write its cells before it answers a flush: it is slow as a log \
             (that is in the figures above), and some models answer before they have written, so that a loss of \
             power takes what was acknowledged."
                .to_owned(),
        );
    }
    states.contains(&None).then(|| {
        "Whether it has power-loss protection was not read; look it up in its data sheet before it becomes a log: \
         without it the log is slower than shown, and not safe on every model."
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::{losses, refused};
    use crate::device::Ssd;
    use crate::pool::Redundancy;
    use crate::roles::Roles;

    #[test]
    fn what_is_lost_and_what_is_refused() {
        let check =
            |roles: Roles, ssds: &[&str], disks_may_fail: u64, said: &str, is_refused: bool| {
                let ssds: Vec<Ssd> =
                    ssds.iter().map(|name| Ssd::of_profile(name, None).unwrap()).collect();
                let pool = Redundancy { disks_may_fail, has_raidz: true };
                let told = losses(roles, &ssds, pool).join("\n");
                assert!(told.contains(said), "{roles:?}: {told}");
                assert_eq!(refused(roles, &ssds, pool).is_some(), is_refused, "{roles:?}");
            };
        let none = Roles::default();
        let (log, special, cache) = (
            Roles { log: true, ..none },
            Roles { special: true, ..none },
            Roles { cache: true, ..none },
        );
        check(none, &["nvme-plp"], 1, "", false);
        check(cache, &["nvme-plp"], 1, "nothing is lost when it dies", false);
        check(log, &["nvme-plp"], 1, "the last seconds is lost", false);
        check(log, &["ssd-sata-consumer"], 1, "Without power-loss protection", false);
        check(log, &["nvme-plp", "nvme-plp"], 1, "Log, mirrored", false);
        let apart = Roles { cache: true, apart: true, ..log };
        check(apart, &["nvme-plp", "nvme-plp"], 1, "Log on one SSD", false);
        check(special, &["nvme-plp"], 0, "the pool is lost, all of it", false);
        check(special, &["nvme-plp"], 1, "the pool is lost, all of it", true);
        check(special, &["nvme-plp", "nvme-plp"], 2, "a third SSD would be needed", false);
    }
}
