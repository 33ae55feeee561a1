//! What threads of ZFS take of processors, from rows of `top` and `ps`.
//!
//! ```text
//!   328 root 20 0 0 0 0 R 100.0 0.0 1104:20 arc_reclaim                 top of Linux
//!     8 root -8 - 0B 880K  RUN  3 24:31  81.49% zfskern{arc_evict}       top of FreeBSD
//! ```

use crate::machine::{BusyThreads, Machine};
use crate::sources::Sources;

const TEXT: &str = "commands/top";
/// The line above the rows of one look.
pub(crate) const BEGIN: &str = "threads:";
/// How threads of the ARC are called (module/zfs/arc.c, 0.6 to 2.4).
const OF_ARC: [&str; 5] = ["arc_reclaim", "arc_evict", "arc_prune", "arc_adapt", "arc_reap"];

/// Returns the thread of the ARC that a row is of, and what it takes of a processor in percent.
pub(crate) fn share(row: &str) -> Option<(&str, f64)> {
    let words: Vec<&str> = row.split_whitespace().collect();
    let command = words.last()?;
    let name = command.rsplit(['{', '[', '/']).next()?.trim_end_matches(['}', ']']);
    let known = OF_ARC.iter().find(|known| name.starts_with(**known))?;
    let number =
        |word: &str| word.parse::<f64>().ok().filter(|share| (0.0..=100_000.0).contains(share));
    let marked = words.iter().find_map(|word| number(word.strip_suffix('%')?));
    // Two shares stand beside each other in top of Linux, and the processor's comes first.
    let plain =
        || words.iter().skip(2).find_map(|word| number(word).filter(|_| word.contains('.')));
    Some((known, marked.or_else(plain)?))
}

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text(TEXT) else { return };
    let last = text.rsplit(BEGIN).next().unwrap_or_default();
    // Of several looks the last that tells.
    machine.top.load = text.lines().rev().find_map(load);
    machine.top.waiting_percent = text.lines().rev().find_map(waiting);
    for (name, share) in last.lines().filter_map(|line| line.trim().split_once(' ')) {
        let share: Option<f64> = share.parse().ok();
        let Some(percent) = share.filter(|_| OF_ARC.contains(&name)) else { continue };
        match machine.top.busy_threads.iter_mut().find(|known| known.name == name) {
            Some(known) => {
                known.count += 1;
                known.percent += percent;
            }
            None => {
                let threads = BusyThreads { name: name.to_owned(), count: 1, percent };
                machine.top.busy_threads.push(threads);
            }
        }
    }
}

/// Reads the first line of top: `top - 12:21:51 up 84 days,  load average: 27.03, 28.33, 28.41`.
fn load(line: &str) -> Option<f64> {
    let (_, rest) = line.split_once("load average: ")?;
    let first = rest.split([',', ' ']).next()?;
    first.parse().ok().filter(|load| (0.0..1e6).contains(load))
}

/// Reads the processors' line of top of Linux: `%Cpu(s):  6.7 us, … 67.1 wa, …`, `Cpu(s): … 67.1%wa, …`.
pub(crate) fn waiting(line: &str) -> Option<f64> {
    let rest =
        line.trim().strip_prefix("%Cpu(s):").or_else(|| line.trim().strip_prefix("Cpu(s):"))?;
    let of = |part: &str| {
        part.trim().strip_suffix("wa").map(|share| share.trim().trim_end_matches('%').to_owned())
    };
    let share: f64 = rest.split(',').find_map(of)?.parse().ok()?;
    (0.0..=100.0).contains(&share).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::{load, share, waiting};

    #[test]
    fn the_head_of_top_tells_how_much_is_waited_for_disks() {
        for (line, expected) in [
            (
                "%Cpu(s):  4.1 us,  2.0 sy,  0.0 ni, 31.2 id, 62.4 wa,  0.0 hi,  0.3 si,  0.0 st",
                Some(62.4),
            ),
            (
                "Cpu(s):  4.1%us,  2.0%sy,  0.0%ni, 31.2%id, 62.4%wa,  0.0%hi,  0.3%si,  0.0%st",
                Some(62.4),
            ),
            ("CPU:  5.0% user,  0.0% nice, 10.1% system,  0.3% interrupt, 84.6% idle", None),
        ] {
            assert_eq!(waiting(line), expected, "{line}");
        }
        let first = "threads: top - 09:14:02 up 12 days,  3:01,  2 users,  load average: 19.42, 18.10, 17.77";
        assert_eq!(load(first), Some(19.42));
    }

    #[test]
    fn rows_tell_the_processors_share_of_the_arcs_threads() {
        for (row, expected) in [
            (
                "  328 root 20 0 0 0 0 R 100.0  0.0 1104:20 arc_reclaim",
                Some(("arc_reclaim", 100.0)),
            ),
            (
                "8 root -8 - 0B 880K RUN 3 24:31 81.49% zfskern{arc_evict}",
                Some(("arc_evict", 81.49)),
            ),
            ("root 321 24.3 0.0 0 0 ? S 10:01 72:15 [arc_prune]", Some(("arc_prune", 24.3))),
            ("  328 root 20 0 0 0 0 R 100.0  0.0 1104:20 nginx", None),
        ] {
            assert_eq!(share(row), expected, "{row}");
        }
    }
}
