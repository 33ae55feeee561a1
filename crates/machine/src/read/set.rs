//! Commands of a pasted text that set a property: `dataset<tab>property<tab>value`, a line each.

use crate::machine::{Machine, SetCommand};
use crate::sources::Sources;

pub(crate) const NAME: &str = "commands/zfs-set";
/// More are not taken.
const COMMANDS_MAX: usize = 32;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    for line in sources.text(NAME).unwrap_or_default().lines().take(COMMANDS_MAX) {
        let mut cells = line.split('\t').map(str::to_owned);
        let (Some(dataset), Some(property), Some(value)) =
            (cells.next(), cells.next(), cells.next())
        else {
            continue;
        };
        // What was set last is what stands.
        let is_other = |set: &SetCommand| (&set.dataset, &set.property) != (&dataset, &property);
        machine.set_commands.retain(is_other);
        machine.set_commands.push(SetCommand { dataset, property, value });
    }
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    fn check(text: &str, expected: &[(&str, &str, &str)]) {
        let machine = Machine::read(&Sources::recognize(text));
        let found = machine.set_commands.iter();
        let found: Vec<_> = found
            .map(|set| (set.dataset.as_str(), set.property.as_str(), set.value.as_str()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn commands_that_set_properties_are_named() {
        check("# zfs set sync=disabled tank\n", &[("tank", "sync", "disabled")]);
        check(
            "root@nas:~# zfs set sync=always atime=off tank/vm\n",
            &[("tank/vm", "sync", "always"), ("tank/vm", "atime", "off")],
        );
        check("$ sudo zfs set recordsize=16K tank # smaller\n", &[("tank", "recordsize", "16K")]);
        check(
            "# zfs set sync=disabled tank\n# zfs set sync=standard tank\n",
            &[("tank", "sync", "standard")],
        );
    }

    #[test]
    fn a_sentence_or_a_pattern_sets_nothing() {
        for text in [
            "# zfs set sync=disabled <pool>\n",
            "# zfs set sync=disabled\n",
            // Cut within its name.
            "# zfs set refreservation=10G tank/\n",
            "zfs set sync=disabled tank helped me a lot with it\n",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn what_is_made_is_given_properties_too() {
        check(
            "$ zpool create -f -o ashift=12 -O checksum=off -O atime=off fast mirror sda sdb\n",
            &[("fast", "checksum", "off"), ("fast", "atime", "off")],
        );
        check(
            "$ zfs create -s -V 10G -o sync=disabled fast/vm\n",
            &[("fast/vm", "sync", "disabled")],
        );
        // Those of the pool are no properties of its dataset; a name must follow.
        check("$ zpool create -o ashift=12 fast sda\n", &[]);
        check("$ zfs create -o sync=disabled\n", &[]);
        check("$ zfs create -o sync=$VALUE fast/vm\n", &[]);
    }
}
