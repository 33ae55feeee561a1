//! What an owner may change: arms that are worth a question, each with a sentence that answers it.

use arcwright_scenario::Disk;
use arcwright_units::Bytes;

use crate::LOAD;
use crate::hardware::Hardware;
use crate::load::Measured;
use crate::plan::{Arm, Plan};
use crate::sizes::size;
use crate::writes::Writes;

/// Commits a second from which a log device is worth a question.
const COMMITS_MIN: f64 = 1.0;

/// What an answer compares, and what it says of an arm that is better, no different, worse.
struct Question(&'static str, [&'static str; 3]);

const HITS: [&str; 3] = [
    "raises the share of accesses that hit from {there} to {here}.",
    "changes next to nothing: {here} of the accesses hit, {there} without.",
    "lowers the share of accesses that hit from {there} to {here}.",
];
const HITS_OF_ALL: Question = Question("arc-hits", HITS);
const HITS_OF_METADATA: Question = Question("metadata-hits", HITS);
const READS: Question = Question(
    "disk-reads",
    [
        "saves the disks reads: {here} instead of {there} in this time.",
        "saves the disks nothing: {here} and {there}.",
        "makes the disks read more: {here} instead of {there}.",
    ],
);
const LATENCY: Question = Question(
    "sync-latency",
    [
        "lets half of the synchronous writes end in {here} instead of {there}.",
        "changes nothing for synchronous writes: {here} and {there}.",
        "makes synchronous writes slower: {here} instead of {there}.",
    ],
);

/// Adds the arms and their answers.
pub(crate) fn add(plan: &mut Plan, hardware: &Hardware, measured: &Measured) {
    let reads =
        plan.names.is_some() || measured.traffic.iter().any(|traffic| traffic.read.is_load());
    if reads {
        let twice = |size: Bytes| size.saturating_mul(2);
        let keys = vec![
            format!("memory = {}", size(twice(hardware.memory))),
            format!("tunables = {{ zfs_arc_max = {} }}", twice(hardware.arc_max).0),
        ];
        let hits = if measured.traffic.is_empty() { HITS_OF_METADATA } else { HITS_OF_ALL };
        let said = "With an ARC that grows as the memory does.";
        plan.offer("twice the memory", said, keys, &[hits, READS]);
    }
    if reads && hardware.cache.is_empty() {
        let whole = Disk::of("nvme-consumer", None).used();
        let key = part("cache", "nvme-consumer", hardware.arc_max.saturating_mul(4).min(whole));
        let said = "Four times the ARC; name the SSD that you have.";
        plan.offer("a cache device", said, vec![key], &[READS]);
    }
    if plan.names.is_some() && hardware.special.is_empty() {
        let key = "special = [{ mirror = [\"2 x ssd-sata-plp\"] }]".to_owned();
        let said = "Of a pool that was filled anew with it: what is there already does not move.";
        plan.offer("a special mirror", said, vec![key], &[READS]);
    }
    let commits: f64 = measured.traffic.iter().map(|traffic| traffic.log().requests).sum();
    let waits = measured.traffic.iter().any(|traffic| Writes::of(traffic).waits());
    if waits && hardware.log.is_empty() && commits >= COMMITS_MIN {
        // OpenZFS refuses none that is larger than the pool, but nothing would ever fill it.
        let key = part("log", "nvme-plp", Bytes::gib(16).min(Bytes(hardware.room().0 / 2)));
        let said = "With power-loss protection; others gain little.";
        plan.offer("a log device", said, vec![key], &[LATENCY]);
    }
}

/// Returns the key of an arm that adds a part of a device.
fn part(key: &str, device: &str, whole: Bytes) -> String {
    let whole = size(Bytes(whole.0 >> 20 << 20));
    format!("{key} = [{{ device = \"{device}\", size = {whole} }}]")
}

impl Plan {
    /// Adds an arm, and an answer to each question about it.
    fn offer(&mut self, name: &str, said: &str, keys: Vec<String>, questions: &[Question]) {
        self.arms.push(Arm { name: name.to_owned(), keys, said: vec![said.to_owned()] });
        let (first, rest) = name.split_at(1);
        let what = first.to_uppercase() + rest;
        self.answers.extend(questions.iter().map(|Question(measure, [better, same, worse])| {
            vec![
                format!("measure = \"{measure}\""),
                format!("arm = \"{name}\""),
                "against = \"as it is\"".to_owned(),
                format!("phase = \"{LOAD}\""),
                format!("better = \"{what} {better}\""),
                format!("same = \"{what} {same}\""),
                format!("worse = \"{what} {worse}\""),
            ]
        }));
    }
}
