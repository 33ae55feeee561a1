//! What files set: parameters in modprobe.d, on the kernel's command line, in loader.conf and
//! sysctl.conf, in TrueNAS's list of tunables.
//!
//! Only what sets a parameter of ZFS is taken; everything else is left alone. Of one parameter set
//! twice the last counts, in the order of the files' names, as modprobe reads them.

use std::collections::BTreeMap;

use arcwright_machine::{ConfigFile, Machine};
use arcwright_units::Bytes;

/// A parameter that a file sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Set {
    /// As written.
    pub(crate) name: String,
    /// As written, without quotes.
    pub(crate) value: String,
    /// Where.
    pub(crate) path: String,
}

impl Set {
    /// Returns the value as a number, `4G` and `0x10` too.
    pub(crate) fn number(&self) -> Option<u64> {
        number(&self.value)
    }
}

/// Returns every parameter of ZFS that a file sets, by name as written; the last one counts.
pub(crate) fn sets(machine: &Machine) -> BTreeMap<String, Set> {
    let mut files: Vec<&ConfigFile> = machine.config.iter().collect();
    files.sort_by(|one, other| (rank(&one.path), &one.path).cmp(&(rank(&other.path), &other.path)));
    let line = machine.command_line.as_deref().unwrap_or_default();
    let line = ConfigFile { path: "/proc/cmdline".to_owned(), text: line.to_owned() };
    let all = files.into_iter().chain([&line]).flat_map(in_file);
    all.map(|set| (set.name.clone(), set)).collect()
}

/// Orders files by when they take effect.
fn rank(path: &str) -> u8 {
    match path {
        path if path.contains("modprobe.d") => 0,
        path if path.contains("defaults/loader.conf") => 1,
        path if path.contains("loader.conf.local") => 3,
        path if path.contains("loader.conf") => 2,
        path if path.contains("cmdline") => 4,
        _ => 5,
    }
}

/// Returns what one file sets, in its order.
pub(crate) fn in_file(file: &ConfigFile) -> Vec<Set> {
    let pairs = match file.path.as_str() {
        path if path.contains("modprobe.d") => {
            joined(&file.text).iter().flat_map(|line| modprobe(line)).collect()
        }
        path if path.contains("cmdline") => command_line(&file.text),
        path if path.contains("midclt") || path.contains("tunable") => middleware(&file.text),
        _ => file.text.lines().filter_map(sysctl).collect::<Vec<_>>(),
    };
    let set = |(name, value)| Set { name, value, path: file.path.clone() };
    pairs.into_iter().map(set).collect()
}

/// Joins lines that end in a backslash.
fn joined(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        match line.strip_suffix('\\') {
            Some(part) => {
                open.push_str(part);
                open.push(' ');
            }
            None => lines.push(std::mem::take(&mut open) + line),
        }
    }
    lines.push(open);
    lines
}

/// Reads `options zfs a=1 b=2`.
fn modprobe(line: &str) -> Vec<(String, String)> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_whitespace();
    if (words.next(), words.next()) != (Some("options"), Some("zfs")) {
        return Vec::new();
    }
    words.filter_map(pair).collect()
}

/// Reads `zfs.zfs_arc_max=1 quiet`.
fn command_line(text: &str) -> Vec<(String, String)> {
    text.split_whitespace().filter_map(|word| pair(word.strip_prefix("zfs.")?)).collect()
}

/// Reads `vfs.zfs.arc.max="4G"  # comment`.
fn sysctl(line: &str) -> Option<(String, String)> {
    let line = line.split('#').next()?.trim();
    pair(line).filter(|(name, _)| name.starts_with("vfs.zfs."))
}

/// Reads what a list of objects says by `"var"` and `"value"`, without needing the rest of it.
fn middleware(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for object in text.split('}') {
        if field(object, "enabled").as_deref() == Some("false") {
            continue;
        }
        if let (Some(name), Some(value)) = (field(object, "var"), field(object, "value")) {
            found.push((name, value));
        }
    }
    found
}

/// Returns the value of `"name": value` in the text of an object.
fn field(object: &str, name: &str) -> Option<String> {
    let rest = object.split_once(&format!("\"{name}\""))?.1.trim_start().strip_prefix(':')?;
    let rest = rest.trim_start();
    let end = match rest.strip_prefix('"') {
        Some(text) => return text.split('"').next().map(str::to_owned),
        None => rest.find([',', '\n', ']']).unwrap_or(rest.len()),
    };
    rest.get(..end).map(|value| value.trim().to_owned())
}

fn pair(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let (name, value) = (name.trim(), value.trim().trim_matches(['"', '\'']));
    (!name.is_empty()).then(|| (name.to_owned(), value.to_owned()))
}

/// Returns a text as a number, with the suffixes that loader.conf takes.
pub(crate) fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    text.ends_with(|end: char| end.is_ascii_alphabetic())
        .then(|| Bytes::parse(text).ok())?
        .map(|size| size.0)
}

#[cfg(test)]
mod tests {
    use arcwright_machine::ConfigFile;

    use super::{in_file, number};

    fn check(path: &str, text: &str, expected: &[(&str, &str)]) {
        let file = ConfigFile { path: path.to_owned(), text: text.to_owned() };
        let found = in_file(&file);
        let found: Vec<(&str, &str)> =
            found.iter().map(|set| (set.name.as_str(), set.value.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn modprobe_files_set_options_of_zfs() {
        check(
            "/etc/modprobe.d/zfs.conf",
            "# who\noptions zfs zfs_arc_max=1 \\\n  zfs_arc_min=2 # x=3\noptions spl a=1\n\noptions\n",
            &[("zfs_arc_max", "1"), ("zfs_arc_min", "2")],
        );
        check("/etc/modprobe.d/x.conf", "#options zfs a=1\nblacklist zfs\noptions zfs =\n", &[]);
    }

    #[test]
    fn freebsd_files_set_sysctls() {
        check(
            "/boot/loader.conf",
            "zfs_load=\"YES\"\nvfs.zfs.arc_max=\"4G\" # half\n#vfs.zfs.arc_min=1\nkern.hz=100\n",
            &[("vfs.zfs.arc_max", "4G")],
        );
    }

    #[test]
    fn the_command_line_and_the_middleware_set_too() {
        check("/proc/cmdline", "quiet zfs.zfs_arc_max=5 root=ZFS=a", &[("zfs_arc_max", "5")]);
        check(
            "midclt call tunable.query",
            r#"[{"id": 1, "var": "zfs_arc_max", "value": "7", "enabled": true}, {"var": "b", "value": "1", "enabled": false}]"#,
            &[("zfs_arc_max", "7")],
        );
    }

    #[test]
    fn numbers_have_suffixes_or_none() {
        for (text, expected) in [
            ("12", Some(12)),
            ("4G", Some(4 << 30)),
            ("0x10", Some(16)),
            ("512M", Some(512 << 20)),
            ("x", None),
            ("", None),
            ("-1", None),
            ("$MY_ARC", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }
}
