//! Commands of a pasted text that would set a parameter: `zfs_arc_max=8589934592`, a line each.
//!
//! Whether anybody ran them nobody knows, so nothing is taken from them. Where the counters tell which limit is
//! in force the question is settled; otherwise it is named.

use arcwright_tunables::lookup;

use crate::machine::Machine;
use crate::sources::Sources;

pub(crate) const NAME: &str = "commands/said";
/// More are not named.
const COMMANDS_MAX: usize = 4;
/// What the limits are called among the counters.
const ROWS: [(&str, &str); 2] = [("zfs_arc_max", "c_max"), ("zfs_arc_min", "c_min")];

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    for line in sources.text(NAME).unwrap_or_default().lines().take(COMMANDS_MAX) {
        let Some((name, value)) = line.split_once('=') else { continue };
        let entry = lookup(name);
        let name = entry.map_or(name, |entry| entry.name.as_str());
        let row = ROWS.iter().find(|(parameter, _)| *parameter == name);
        let in_force = row.and_then(|(_, row)| machine.now()?.get("zfs/arcstats", row));
        if in_force.is_some() || machine.parameter(name).is_some() {
            continue;
        }
        let what = format!("a command sets {name} to {value}; whether it was run is not told");
        machine.garbled(NAME, what);
    }
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    /// Checks how many problems are named.
    fn check(text: &str, expected: usize) {
        let machine = Machine::read(&Sources::recognize(text));
        assert_eq!(machine.problems.len(), expected, "{text}: {:?}", machine.problems);
        assert_eq!(machine.parameter("zfs_arc_max"), None, "{text}");
    }

    #[test]
    fn what_somebody_proposes_is_in_force_nowhere() {
        for (text, name, expected, problems) in [
            (
                "Try\n\necho 1 > /sys/module/zfs/parameters/zfs_prefetch_disable\n",
                "zfs_prefetch_disable",
                None,
                2,
            ),
            (
                "I ran\necho 1 > /sys/module/zfs/parameters/zfs_prefetch_disable\n",
                "zfs_prefetch_disable",
                Some(1),
                1,
            ),
            (
                "root@nas:~# echo 1 > /sys/module/zfs/parameters/zfs_nocacheflush\n\
                 -bash: /sys/module/zfs/parameters/zfs_nocacheflush: Permission denied\n",
                "zfs_nocacheflush",
                None,
                1,
            ),
            (
                "root@nas:~# echo 1 > /sys/module/zfs/parameters/zfs_prefetch_disable\n\
                 root@nas:~# cat /sys/module/zfs/parameters/zfs_prefetch_disable\n0\n",
                "zfs_prefetch_disable",
                Some(0),
                0,
            ),
        ] {
            let machine = Machine::read(&Sources::recognize(text));
            assert_eq!(machine.parameter(name), expected, "{text}");
            assert_eq!(machine.problems.len(), problems, "{text}: {:?}", machine.problems);
        }
    }

    #[test]
    fn a_limit_that_a_line_would_set_is_named_where_nothing_tells_the_one_in_force() {
        for line in [
            "echo 8589934592 >> /sys/module/zfs/parameters/zfs_arc_max\n",
            "echo N >> /sys/module/zfs/parameters/zfs_arc_max\n",
            "sudo echo 1 | tee /sys/module/zfs/parameters/zfs_arc_min\n",
        ] {
            check(line, 1);
        }
        let told = "c_max                           4    2147483648\nc                               4    2147483648\n\
                    size                            4    2147483648\n";
        check(&format!("echo 8589934592 > /sys/module/zfs/parameters/zfs_arc_max\n\n{told}"), 0);
    }
}
