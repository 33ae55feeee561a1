//! What `sysctl kstat.zfs vfs.zfs` prints on FreeBSD.
//!
//! ```text
//! kstat.zfs.misc.arcstats.hits: 1234          or  kstat.zfs.misc.arcstats.hits=1234  (sysctl -e)
//! kstat.zfs.tank.misc.txgs:
//! txg      birth  …                           a text goes on until the next name
//! ```
//!
//! Names are sysctl(8)'s: words joined by dots. Not what the names mean: see `freebsd.rs`.

use std::collections::BTreeMap;

/// Values by name, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sysctls {
    /// Values by name without the end of the line.
    pub values: BTreeMap<String, String>,
    /// Lines before the first name, which belong to nothing: their number and text.
    pub strays: Vec<(usize, String)>,
}

impl Sysctls {
    /// Reads the output of sysctl(8); lines that belong to no name are kept as strays.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut read = Self::default();
        let mut current: Option<String> = None;
        let lines = text.lines().map(|line| line.trim_end_matches('\r'));
        for (index, line) in lines.enumerate() {
            if let Some((name, value)) = name_and_value(line) {
                read.values.insert(name.to_owned(), value.to_owned());
                current = Some(name.to_owned());
            } else if let Some(value) = current.as_ref().and_then(|name| read.values.get_mut(name))
            {
                value.push('\n');
                value.push_str(line);
            } else if !line.trim().is_empty() {
                read.strays.push((index + 1, line.to_owned()));
            }
        }
        read
    }

    /// Returns a value; none when there is no such name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Returns a value as a number; none when it is absent or a text.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        number(self.get(name)?)
    }

    /// Returns the text that sysctl(8) would print.
    #[must_use]
    pub fn to_text(&self) -> String {
        let lines = self.values.iter().map(|(name, value)| format!("{name}: {value}\n"));
        lines.collect()
    }
}

/// Returns a number written in decimal or, after `0x`, in hexadecimal.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Splits a line that opens with a name of sysctl.
#[must_use]
pub fn name_and_value(line: &str) -> Option<(&str, &str)> {
    // Kstats may have spaces in the names of pools and rows (`1024 ns`), others never have.
    let is_kstat = line.starts_with("kstat.zfs.");
    let ends: &[char] = if is_kstat { &[':', '='] } else { &[':', '=', ' '] };
    let (name, value) = match line.find(ends) {
        Some(end) => {
            let (name, rest) = line.split_at_checked(end)?;
            // As files write it, and as people do: `vm.x = 1`.
            (name, rest.trim_start_matches(' ').strip_prefix([':', '='])?)
        }
        // As people write what they computed: a name, blanks, a number.
        None => {
            let (name, value) = line.split_once(char::is_whitespace).filter(|_| is_kstat)?;
            let is_number = |value: &&str| value.bytes().all(|byte| byte.is_ascii_digit());
            (name, Some(value.trim()).filter(|value| !value.is_empty()).filter(is_number)?)
        }
    };
    let mut parts = name.split('.');
    let root = parts.next()?;
    let rooted = !root.is_empty() && root.bytes().all(|byte| byte.is_ascii_lowercase());
    let named =
        |part: &str| !part.is_empty() && part.chars().all(|c| c == ' ' || !c.is_whitespace());
    let mut deeper = parts.peekable();
    let is_name = rooted && deeper.peek().is_some() && deeper.all(named);
    is_name.then(|| (name.trim_end(), value.strip_prefix(' ').unwrap_or(value)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Sysctls;

    #[test]
    fn both_forms_and_texts_of_several_lines_are_read() {
        let apart = Sysctls::parse("kstat.zfs.misc.arcstats.l2_hits 21\n");
        assert_eq!(apart.number("kstat.zfs.misc.arcstats.l2_hits"), Some(21));
        let sentence = Sysctls::parse("vm.x 3\n");
        assert_eq!(sentence.number("vm.x"), None, "a sentence may begin so");
        let spaced = Sysctls::parse("vm.swappiness = 1\nkstat.zfs.misc.arcstats.c = 5\n");
        assert_eq!(
            (spaced.number("vm.swappiness"), spaced.number("kstat.zfs.misc.arcstats.c")),
            (Some(1), Some(5))
        );
        let text = "stray\nkstat.zfs.misc.arcstats.hits: 12\nvfs.zfs.arc.max=0x10\n\
                    kstat.zfs.tank.misc.txgs: \ntxg birth state\n7 8 C\nvfs.zfs.debug: -1\n";
        let read = Sysctls::parse(text);
        assert_eq!(read.number("kstat.zfs.misc.arcstats.hits"), Some(12));
        assert_eq!(read.number("vfs.zfs.arc.max"), Some(16));
        assert_eq!(read.get("kstat.zfs.tank.misc.txgs"), Some("\ntxg birth state\n7 8 C"));
        assert_eq!(read.get("vfs.zfs.debug"), Some("-1"));
        assert_eq!(read.number("vfs.zfs.debug"), None);
        assert_eq!(read.strays, [(1, "stray".to_owned())]);
    }

    #[test]
    fn line_ends_of_windows_are_no_part_of_a_value() {
        let read = Sysctls::parse("a.b: 1\r\r\nmore\r\nc.d=2\r");
        assert_eq!((read.get("a.b"), read.get("c.d")), (Some("1\nmore"), Some("2")));
        assert_eq!(Sysctls::parse(&read.to_text()), read);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            values in prop::collection::btree_map("[a-z]{1,6}(\\.[a-z0-9_]{1,8}){1,4}", "[ -~]{0,20}", 0..20),
        ) {
            let sysctls = Sysctls { values, strays: Vec::new() };
            prop_assert_eq!(Sysctls::parse(&sysctls.to_text()), sysctls);
        }

        #[test]
        fn any_text_is_read_without_panic(text in "(?s).{0,200}") {
            let read = Sysctls::parse(&text);
            prop_assert!(read.values.len() + read.strays.len() <= text.lines().count());
        }
    }
}
