//! What files set: parameters in modprobe.d, on the kernel's command line, in loader.conf and
//! sysctl.conf, in TrueNAS's list of tunables.
//!
//! The files themselves are read by `arcwright_tunables::persist`; here is which of them a machine
//! has, in the order in which they take effect. Of one parameter set twice the last counts.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use arcwright_machine::{ConfigText, Machine, UNSHOWN_SYSTEM};
use arcwright_tunables::lookup;
use arcwright_tunables::persist::{self, Syntax, modprobe_order};
use arcwright_units::Bytes;

use crate::finding::Evidence;

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

    /// Returns the parameter's name on Linux, as written where it is not known.
    pub(crate) fn parameter(&self) -> &str {
        lookup(&self.name).map_or_else(|| self.name.as_str(), |entry| entry.name.as_str())
    }

    /// Returns the line as evidence.
    pub(crate) fn evidence(&self) -> Evidence {
        Evidence::setting(format!("{}: {}", self.path, self.name), self.value.clone())
    }
}

/// What files set, read once, when it is asked for.
pub(crate) struct FileSettings<'a> {
    machine: &'a Machine,
    sets: OnceCell<BTreeMap<String, Set>>,
}

impl<'a> FileSettings<'a> {
    pub(crate) const fn of(machine: &'a Machine) -> Self {
        Self { machine, sets: OnceCell::new() }
    }

    /// Returns every parameter of ZFS that a file sets, by name as written; the last one counts.
    pub(crate) fn all(&self) -> &BTreeMap<String, Set> {
        self.sets.get_or_init(|| sets(self.machine))
    }

    /// Returns what files set a parameter to, by whatever name; none where none does.
    pub(crate) fn set_of(&self, name: &str) -> Option<&Set> {
        self.all().values().find(|set| set.parameter() == name)
    }
}

fn sets(machine: &Machine) -> BTreeMap<String, Set> {
    let line = machine.command_line.clone();
    let line = line.map(|text| ConfigText { path: "/proc/cmdline".to_owned(), text });
    let all = ordered(machine).into_iter().chain(&line).flat_map(in_file);
    all.map(|set| (set.name.clone(), set)).collect()
}

/// Returns the files in the order in which they take effect.
fn ordered(machine: &Machine) -> Vec<&ConfigText> {
    let paths: Vec<String> = machine.config.iter().map(|file| file.path.clone()).collect();
    let in_folder =
        |folder: &str| paths.iter().filter(|path| path.starts_with(folder)).cloned().collect();
    // From the strongest folder to the weakest (modprobe.d(5)).
    const FOLDERS: [&str; 4] =
        ["/etc/modprobe.d/", "/run/modprobe.d/", "/usr/lib/modprobe.d/", "/lib/modprobe.d/"];
    let modprobe: Vec<String> =
        FOLDERS.iter().flat_map(|folder| -> Vec<String> { in_folder(folder) }).collect();
    let modprobe = modprobe_order(&modprobe);
    // The first of several with one path.
    let by_path: BTreeMap<&str, &ConfigText> =
        machine.config.iter().rev().map(|file| (file.path.as_str(), file)).collect();
    let found = |path: &String| by_path.get(path.as_str()).copied();
    let mut files: Vec<&ConfigText> = modprobe.iter().filter_map(found).collect();
    let mut others: Vec<&ConfigText> =
        machine.config.iter().filter(|file| !file.path.contains("modprobe.d")).collect();
    others.sort_by_key(|file| (rank(&file.path), file.path.clone()));
    files.extend(others);
    files
}

/// Orders the files of `FreeBSD` by when they take effect.
fn rank(path: &str) -> u8 {
    match path {
        path if path.contains("defaults/loader.conf") => 0,
        path if path.contains("loader.conf.local") => 2,
        path if path.contains("loader.conf") => 1,
        _ => 3,
    }
}

/// Returns what one file sets, in its order.
pub(crate) fn in_file(file: &ConfigText) -> Vec<Set> {
    let path = file.path.as_str();
    let set = |name: String, value: String| Set { name, value, path: path.to_owned() };
    if path.contains("midclt") {
        let found = middleware(&file.text).into_iter();
        return found.map(|(name, value)| set(name, value)).collect();
    }
    if path == "/etc/system" || path.ends_with(UNSHOWN_SYSTEM) {
        return file
            .text
            .lines()
            .filter_map(illumos)
            .map(|(name, value)| set(name, value))
            .collect();
    }
    let Some(syntax) = Syntax::of_path(path) else { return Vec::new() };
    let known =
        persist::ConfigFile { path: path.to_owned(), syntax, text: Some(file.text.clone()) };
    let found = persist::scan(&[known]).into_iter();
    let is_zfs = |name: &str| {
        syntax == Syntax::Modprobe || syntax == Syntax::Cmdline || name.starts_with("vfs.zfs.")
    };
    found
        .filter(|found| !found.name.is_empty() && is_zfs(&found.name))
        .map(|found| set(found.name, found.value.to_string()))
        .collect()
}

/// Reads a line of illumos' `/etc/system`: `set zfs:zfs_arc_max = 0x100000000`; a comment begins with an asterisk.
fn illumos(line: &str) -> Option<(String, String)> {
    let (name, value) = line.trim().strip_prefix("set ")?.split_once('=')?;
    let name = name.trim().strip_prefix("zfs:")?;
    let value = value.split_whitespace().next()?;
    Some((name.to_owned(), value.to_owned()))
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
        None => rest.split([',', '\n', ']']).next()?,
    };
    Some(end.trim().to_owned())
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
    use arcwright_machine::ConfigText;

    use super::{in_file, number};

    fn check(path: &str, text: &str, expected: &[(&str, &str)]) {
        let file = ConfigText { path: path.to_owned(), text: text.to_owned() };
        let found = in_file(&file);
        let found: Vec<(&str, &str)> =
            found.iter().map(|set| (set.name.as_str(), set.value.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn modprobe_files_set_options_of_zfs() {
        check(
            "/etc/modprobe.d/zfs.conf",
            "# who\noptions zfs zfs_arc_max=1 \\\n  zfs_arc_min=2\noptions spl a=1\n\noptions\n",
            &[("zfs_arc_max", "1"), ("zfs_arc_min", "2"), ("a", "1")],
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
    fn illumos_sets_in_one_file() {
        check(
            "/etc/system",
            "* the ARC\nset zfs:zfs_arc_max=0x10\nset zfs:zfs_prefetch_disable = 1\n*set zfs:a=1\nset kmem_flags=1\n",
            &[("zfs_arc_max", "0x10"), ("zfs_prefetch_disable", "1")],
        );
        check("/etc/systemd/x.conf", "set zfs:zfs_arc_max=0x10\n", &[]);
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
