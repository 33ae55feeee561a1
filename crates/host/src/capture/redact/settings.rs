//! Settings: parameters, files that set them, the kernel's command line, sysctls; and how systems call
//! themselves.

use arcwright_kstat::Sysctls;
use arcwright_tunables::lookup;
use arcwright_tunables::persist::{ConfigFile, Syntax, of_zfs, scan};
use serde_json::{Map, Value, json};

use crate::observe::MARKERS;

use super::names::Names;
use super::tables::lines;
use super::vocabulary::{is_cell, is_plain, is_word, release};

/// What stands around our own lines.
const MARKS: [&str; 4] = [
    "# >>> arcwright tune: do not edit down to the end mark",
    "# >>> arcwright tune: do not edit down to the end mark (joint 1)",
    "# >>> arcwright tune: do not edit down to the end mark (joint 2)",
    "# <<< arcwright tune",
];
/// Parameters that name the host or a file of it.
const HOST: [&str; 3] = ["spl_hostid", "spl_hostid_path", "spa_config_path"];
const USUAL_PATHS: [&str; 4] =
    ["/etc/hostid", "/etc/zfs/zpool.cache", "/boot/zfs/zpool.cache", "/data/zfs/zpool.cache"];

/// Returns a parameter's value: a number, or words such as `[fastest] scalar sse2`.
pub(super) fn parameter(name: &str, text: &str) -> String {
    let value = text.trim();
    if HOST.contains(&name) {
        return match USUAL_PATHS.contains(&value) || value == "0" {
            true => text.to_owned(),
            false => "x\n".to_owned(),
        };
    }
    match value.split_whitespace().all(is_cell) {
        true => text.to_owned(),
        false => "x\n".to_owned(),
    }
}

/// The same of a file or the command line. A host's number is by default made from its address.
fn parameter_value(name: &str, value: &str) -> String {
    if HOST.contains(&name) && value != "0" && !USUAL_PATHS.contains(&value) {
        return "x".to_owned();
    }
    if value.split_whitespace().all(is_cell) && !value.is_empty() {
        value.to_owned()
    } else {
        "x".to_owned()
    }
}

/// Returns a file of settings with nothing in it but settings of ZFS, each in its line.
pub(super) fn config(names: &mut Names, path: &str, text: &str) -> String {
    let Some(syntax) = Syntax::of_path(path) else { return environment(text) };
    let file = ConfigFile { path: path.to_owned(), syntax, text: Some(text.to_owned()) };
    let mut all: Vec<String> = of_zfs(syntax, text)
        .lines()
        .map(|line| {
            // Marks around our own lines, which `undo` looks for; nothing that somebody wrote behind one.
            let is_mark = MARKS.contains(&line.trim_end());
            if is_mark { line.trim_end().to_owned() } else { String::new() }
        })
        .collect();
    for set in scan(&[file]) {
        let Some(line) = all.get_mut(set.line - 1) else { continue };
        let name = names.parameter(&set.name);
        let value = parameter_value(&set.name, &set.value.to_string());
        match syntax {
            Syntax::Modprobe | Syntax::Cmdline => {
                let module = if set.name.starts_with("spl_") { "spl" } else { "zfs" };
                let begin = format!("options {module}");
                if !line.starts_with(&begin) {
                    *line = begin;
                }
                *line = format!("{line} {name}={value}");
            }
            Syntax::Loader => *line = format!("{name}=\"{value}\""),
            Syntax::Sysctl => *line = format!("{name}={value}"),
        }
    }
    all.iter().map(|line| format!("{line}\n")).collect()
}

/// `/etc/default/zfs`: switches with a number, `yes` or `no`.
fn environment(text: &str) -> String {
    lines(text, |line| {
        let kept = line.split_once('=').filter(|(name, value)| {
            let own = name.starts_with("ZFS_") || name.starts_with("ZPOOL_");
            let shape = name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            own && shape && name.len() < 48 && is_plain(value)
        });
        kept.map_or_else(String::new, |_| line.to_owned())
    })
}

/// Returns the words of the kernel's command line that set parameters or memory.
pub(super) fn command_line(names: &mut Names, text: &str) -> String {
    let word = |word: &str| -> Option<String> {
        let (name, value) = word.split_once('=')?;
        for module in ["zfs.", "spl."] {
            if let Some(own) = name.strip_prefix(module) {
                let name = names.parameter(own);
                return Some(format!("{module}{name}={}", parameter_value(own, value)));
            }
        }
        let known = ["mem", "init_on_alloc", "hugepages", "hugepagesz", "default_hugepagesz"];
        (known.contains(&name) && is_cell(value)).then(|| format!("{name}={value}"))
    };
    let words: Vec<String> = text.split_whitespace().filter_map(word).collect();
    words.join(" ") + "\n"
}

/// Returns the sysctls of ZFS and of memory whose values are numbers, versions or known words.
pub(super) fn sysctls(names: &mut Names, text: &str) -> String {
    let mut kept = Sysctls::default();
    for (name, value) in Sysctls::parse(text).values {
        let Some(name) = sysctl_name(names, &name) else { continue };
        let value = match name.as_str() {
            name if name.ends_with(".dataset_name") => names.dataset(value.trim()),
            name if name.starts_with("vfs.zfs.version.") || name == "kern.osrelease" => {
                release(&value)
            }
            _ if value.split_whitespace().all(is_cell) => value,
            _ => continue,
        };
        kept.values.insert(name, value);
    }
    kept.to_text()
}

/// Returns a sysctl's name with the pool in it replaced; none for what is not of ZFS or memory.
fn sysctl_name(names: &mut Names, name: &str) -> Option<String> {
    const TAILS: [&str; 5] =
        [".dataset.objset-", ".misc.iostats.", ".misc.dmu_tx_assign.", ".misc.state", ".misc.txgs"];
    const MACHINE: [&str; 4] = ["hw.physmem", "hw.pagesize", "kern.ostype", "kern.osrelease"];
    let shaped = |text: &str| {
        text.len() <= 80 && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    let listed = MACHINE.contains(&name) || name == "security.jail.jailed";
    if listed
        || ((name.starts_with("vfs.zfs.") || name.starts_with("vm.stats.vm.")) && shaped(name))
    {
        return Some(name.to_owned());
    }
    let rest = name.strip_prefix("kstat.zfs.")?;
    if rest.starts_with("misc.") {
        return shaped(rest).then(|| name.to_owned());
    }
    let at = TAILS.iter().find_map(|tail| rest.find(tail))?;
    let (pool, tail) = rest.split_at(at);
    shaped(tail).then(|| format!("kstat.zfs.{}{tail}", names.pool(pool)))
}

/// Returns TrueNAS's list of settings without remarks and without what is not of ZFS.
pub(super) fn middleware(names: &mut Names, text: &str) -> Option<String> {
    let Value::Array(all) = serde_json::from_str(text).ok()? else { return None };
    let one = |entry: &Value| -> Option<Value> {
        let field = |key: &str| entry.get(key).and_then(Value::as_str);
        let var =
            field("var").filter(|var| lookup(var).is_some() || var.starts_with("vfs.zfs."))?;
        let mut kept = Map::new();
        kept.insert(
            "id".to_owned(),
            entry.get("id").filter(|id| id.is_u64()).cloned().unwrap_or_else(|| json!(0)),
        );
        kept.insert(
            "type".to_owned(),
            json!(field("type").filter(|kind| ["ZFS", "SYSCTL", "LOADER"].contains(kind))?),
        );
        kept.insert("var".to_owned(), json!(names.parameter(var)));
        kept.insert("value".to_owned(), json!(parameter_value(var, field("value")?)));
        kept.insert("enabled".to_owned(), json!(entry.get("enabled")?.as_bool()?));
        let ours = field("comment").is_some_and(|comment| comment.contains("arcwright"));
        kept.insert("comment".to_owned(), json!(if ours { "arcwright" } else { "" }));
        Some(Value::Object(kept))
    };
    Some(Value::Array(all.iter().filter_map(one).collect()).to_string())
}

/// Returns how the distribution calls itself, words that others gave it replaced by `x`.
pub(super) fn os_release(text: &str) -> String {
    const KEYS: [&str; 7] =
        ["NAME", "ID", "ID_LIKE", "VERSION_ID", "VERSION", "VERSION_CODENAME", "PRETTY_NAME"];
    let mut done = Vec::new();
    for line in text.lines() {
        if let Some((key, value)) =
            line.trim().split_once('=').filter(|(key, _)| KEYS.contains(key))
        {
            done.push(format!("{key}={}\n", release(value)));
        }
    }
    done.concat()
}

/// Returns files that tell a platform by being there: those that are known.
pub(super) fn markers(text: &str) -> String {
    // FreeBSD keeps it elsewhere.
    let known = |line: &&str| MARKERS.contains(line) || *line == "usr/local/bin/midclt";
    text.lines().filter(known).collect::<Vec<_>>().join("\n")
}

/// Returns modes of files, `0644 zfs_arc_max`.
pub(super) fn modes(text: &str) -> String {
    lines(text, |line| {
        let fits = line.split_once(' ').is_some_and(|(mode, name)| {
            mode.len() <= 6
                && mode.chars().all(|c| c.is_ascii_digit())
                && name.len() <= 64
                && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        });
        if fits { line.to_owned() } else { String::new() }
    })
}

/// Returns lines `MemTotal: 16384 kB`, those that say how much there is.
pub(super) fn memory(text: &str) -> String {
    const KEYS: [&str; 11] = [
        "MemTotal",
        "MemFree",
        "MemAvailable",
        "Buffers",
        "Cached",
        "SwapTotal",
        "SwapFree",
        "Dirty",
        "Slab",
        "SReclaimable",
        "SUnreclaim",
    ];
    let fits = |line: &&str| {
        line.split_once(':').is_some_and(|(key, value)| {
            KEYS.contains(&key)
                && value.split_whitespace().all(|word| is_cell(word) || is_word(word))
        })
    };
    text.lines().filter(fits).map(|line| format!("{line}\n")).collect()
}
