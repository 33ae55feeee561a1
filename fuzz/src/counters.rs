//! Kernel statistics: named kstats, I/O counts, transaction groups, sysctls.

use arcwright_kstat::{Delta, NamedKstat, Snapshot, Sysctls, Txg};
use arcwright_machine::{ObjectTotals, ReadTotals};
use arcwright_units::Nanos;

use crate::input::Input;

/// A kstat is read and written: what is written reads as the same, and from itself to itself nothing
/// changes.
pub fn kstat(text: &str) {
    let Ok(kstat) = NamedKstat::parse("zfs/tank/x", text) else { return };
    assert!(kstat.rows.len() <= text.len(), "rows come from the text");
    let again = NamedKstat::parse("zfs/tank/x", &kstat.to_text());
    assert_eq!(again.as_ref(), Ok(&kstat), "what is written is read back");
    let snapshot = Snapshot::from_kstats(kstat.snaptime, vec![kstat]);
    let delta = Delta::between(&snapshot, &snapshot);
    let moved = delta.kstats.values().flatten().find(|(_, change)| **change != 0);
    assert_eq!(moved, None, "nothing changes in no time");
    assert!(delta.resets.is_empty(), "and nothing is reset");
}

/// Two kstats of one name: the difference counts every row that both have, and no other.
pub fn delta(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let texts = [input.part(), input.part()];
    let [Ok(old), Ok(new)] = texts.map(|text| NamedKstat::parse("zfs/arcstats", &text)) else {
        return;
    };
    let snapshot = |kstat: &NamedKstat| Snapshot::from_kstats(kstat.snaptime, vec![kstat.clone()]);
    let delta = Delta::between(&snapshot(&old), &snapshot(&new));
    for row in delta.kstats.values().flat_map(|rows| rows.keys()) {
        assert!(old.value(row).is_some() && new.value(row).is_some(), "{row} is in both");
    }
}

/// A list of transaction groups has at most a group per line, and cutting its last line off takes at most
/// that group away.
pub fn txgs(text: &str) {
    let Ok(groups) = Txg::parse_list(text) else { return };
    assert!(groups.len() < text.lines().count().max(1), "a line of titles and one per group");
    let Some((head, _)) = text.trim_end().rsplit_once('\n') else { return };
    if let Ok(fewer) = Txg::parse_list(head) {
        assert!(groups.starts_with(&fewer), "cutting the end changes no group before it");
    }
}

/// Sysctls are read and written: what is written reads as the same; counters found among them are within
/// them.
pub fn sysctl(text: &str) {
    let read = Sysctls::parse(text);
    assert!(read.values.len() + read.strays.len() <= text.lines().count());
    let again = Sysctls::parse(&read.to_text());
    assert_eq!(again.values, read.values, "what is written is read back");
    assert!(again.strays.is_empty(), "and nothing of it is strange");
    let (snapshot, lists) = Snapshot::from_sysctls(Nanos::ZERO, &read);
    let rows: usize = snapshot.kstats.values().map(|kstat| kstat.rows.len()).sum();
    // A row that was renamed stands under both names.
    assert!(rows + lists.len() <= 2 * read.values.len(), "rows come from values");
    for kstat in snapshot.kstats.values() {
        assert!(snapshot.kstats.contains_key(&kstat.path()), "a kstat stands under its path");
    }
}

/// Lists of reads and of blocks: nothing is counted that no line says, and a list that is taken again says nothing new.
pub fn usage(text: &str) {
    let lines = text.lines().count() as u64;
    let mut reads = ReadTotals::default();
    reads.take(text, 1);
    let table = reads.table(&|_| None);
    assert!(table.misses <= table.reads && table.reads + table.ahead <= lines, "reads are lines");
    reads.take(text, 1);
    let again = reads.table(&|_| None);
    assert_eq!((again.reads, again.lost), (table.reads, table.lost), "each record counts once");
    let mut blocks = ObjectTotals::default();
    text.lines().for_each(|line| blocks.line(line));
    let objects = blocks.table(None, &|_, _| None);
    assert!(objects.blocks + objects.unread <= lines, "blocks are lines");
    let mut trace = Vec::new();
    let written = reads.write_trace(&mut trace, &blocks.sizes("tank"));
    assert!(written.is_ok(), "memory is written to");
    let rows = trace.iter().filter(|byte| **byte == b'\n').count() as u64;
    assert_eq!(rows, table.reads + 1, "a row for each read, below the names");
}
