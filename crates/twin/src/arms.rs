//! What an owner may change: arms that are worth a question, each with a sentence that answers it.

use arcwright_scenario::Disk;
use arcwright_units::Bytes;

use crate::hardware::Hardware;
use crate::load::Measured;
use crate::plan::{Arm, Plan};
use crate::writes::Writes;

/// Commits a second from which a log device is worth a question.
const COMMITS_MIN: f64 = 1.0;

/// Adds the arms and their answers.
pub(crate) fn add(plan: &mut Plan, hardware: &Hardware, measured: &Measured) {
    let reads =
        plan.names.is_some() || measured.traffic.iter().any(|traffic| traffic.read.is_load());
    if reads {
        let twice = |size: Bytes| size.saturating_mul(2);
        plan.arms.push(Arm {
            name: "twice the memory".to_owned(),
            keys: vec![
                format!("memory = \"{}B\"", twice(hardware.memory).0),
                format!("tunables = {{ zfs_arc_max = {} }}", twice(hardware.arc_max).0),
            ],
            said: vec!["With an ARC that grows as the memory does.".to_owned()],
        });
        let hits = if measured.traffic.is_empty() { "metadata-hits" } else { "arc-hits" };
        plan.answers.extend(about("twice the memory", hits, "Twice the memory"));
        plan.answers.extend(about("twice the memory", "disk-reads", "Twice the memory"));
    }
    if reads && hardware.cache.is_empty() {
        let whole = Disk::of("nvme-consumer", None).used();
        let size = hardware.arc_max.saturating_mul(4).min(whole);
        plan.arms.push(Arm {
            name: "a cache device".to_owned(),
            keys: vec![format!(
                "cache = [{{ device = \"nvme-consumer\", size = \"{}MiB\" }}]",
                size.0 >> 20
            )],
            said: vec!["Four times the ARC; name the SSD that you have.".to_owned()],
        });
        plan.answers.extend(about("a cache device", "disk-reads", "A cache device"));
    }
    if plan.names.is_some() && hardware.special.is_empty() {
        plan.arms.push(Arm {
            name: "a special mirror".to_owned(),
            keys: vec!["special = [{ mirror = [\"2 x ssd-sata-plp\"] }]".to_owned()],
            said: vec![
                "Of a pool that was filled anew with it: what is there already does not move."
                    .to_owned(),
            ],
        });
        plan.answers.extend(about("a special mirror", "disk-reads", "A special mirror"));
    }
    let commits: f64 = measured.traffic.iter().map(|traffic| traffic.log.requests).sum();
    let waits = measured.traffic.iter().any(|traffic| Writes::of(traffic).waits());
    if waits && hardware.log.is_empty() && commits >= COMMITS_MIN {
        // OpenZFS refuses none that is larger than the pool, but nothing would ever fill it.
        let size = Bytes::gib(16).min(Bytes(hardware.room().0 / 2));
        plan.arms.push(Arm {
            name: "a log device".to_owned(),
            keys: vec![format!(
                "log = [{{ device = \"nvme-plp\", size = \"{}MiB\" }}]",
                size.0 >> 20
            )],
            said: vec!["With power-loss protection; others gain little.".to_owned()],
        });
        plan.answers.extend(about("a log device", "sync-latency", "A log device"));
    }
}

/// Returns an answer about an arm.
fn about(arm: &str, measure: &str, what: &str) -> Option<Vec<String>> {
    let [better, same, worse] = match measure {
        "arc-hits" | "metadata-hits" => [
            "raises the share of accesses that hit from {there} to {here}.",
            "changes next to nothing: {here} of the accesses hit, {there} without.",
            "lowers the share of accesses that hit from {there} to {here}.",
        ],
        "disk-reads" => [
            "saves the disks reads: {here} instead of {there} in this time.",
            "saves the disks nothing: {here} and {there}.",
            "makes the disks read more: {here} instead of {there}.",
        ],
        "sync-latency" => [
            "lets half of the synchronous writes end in {here} instead of {there}.",
            "changes nothing for synchronous writes: {here} and {there}.",
            "makes synchronous writes slower: {here} instead of {there}.",
        ],
        _ => return None,
    };
    Some(vec![
        format!("measure = \"{measure}\""),
        format!("arm = \"{arm}\""),
        "against = \"as it is\"".to_owned(),
        "phase = \"load\"".to_owned(),
        format!("better = \"{what} {better}\""),
        format!("same = \"{what} {same}\""),
        format!("worse = \"{what} {worse}\""),
    ])
}
