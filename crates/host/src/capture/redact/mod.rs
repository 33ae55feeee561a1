//! Redaction: of every text only what is known to be harmless stays.
//!
//! ```text
//!   a source that is listed here ── its own form ── numbers, OpenZFS's and the kernel's own words  stay
//!                                               ├── names of pools, datasets, disks, paths         numbered
//!                                               └── anything else                                  left out, or “word-1”
//!   any other source ─────────────────────────────────────────────────────────────────────────────  left out
//! ```
//!
//! Nothing is searched for: a serial number, an address, a password, or whatever a machine may carry that
//! nobody thought of, goes because it is none of the words and numbers that may stay. What doctor finds
//! in a redacted capture is what it finds in the capture.

mod drives;
mod names;
mod pools_json;
mod properties;
mod settings;
mod starts;
mod tables;
mod vocabulary;

use std::collections::BTreeMap;

use arcwright_machine::{Machine, Reason, Source, Sources};

use self::names::Names;
use self::properties::Owner;

/// Counters of the module.
const KSTATS: [&str; 22] = [
    "abdstats",
    "arcstats",
    "brtstats",
    "chksum_bench",
    "dbufstats",
    "dmu_tx",
    "dnodestats",
    "fletcher_4_bench",
    "fm",
    "metaslab_stats",
    "simd",
    "vdev_cache_stats",
    "vdev_mirror_stats",
    "vdev_raidz_bench",
    "xuio_stats",
    "zfetchstats",
    "zil",
    "zio_stats",
    "zstd",
    "qat",
    "zfetch",
    "dbuf_cache",
];
/// Counters of a pool, besides those of its datasets and of deduplication.
const POOL_KSTATS: [&str; 5] = ["io", "iostats", "state", "txgs", "dmu_tx_assign"];
/// Names that files of settings usually have.
const USUAL_FILES: [&str; 12] = [
    "zfs.conf",
    "spl.conf",
    "zfs-arc.conf",
    "zfs_arc.conf",
    "zfs-arc-max.conf",
    "arcwright.conf",
    "99-arcwright.conf",
    "99-zfs.conf",
    "modprobe.conf",
    "truenas.conf",
    "local.conf",
    "10-zfs.conf",
];
const CONFIG_FOLDERS: [&str; 7] = [
    "etc/modprobe.d/",
    "usr/lib/modprobe.d/",
    "lib/modprobe.d/",
    "run/modprobe.d/",
    "etc/sysctl.d/",
    "boot/loader.conf.d/",
    "etc/tmpfiles.d/",
];
const KSTAT_FOLDER: &str = "proc/spl/kstat/zfs/";

/// Returns what of `sources` tells nothing of people and their machines.
///
/// The same name becomes the same number everywhere, so that what belongs together still does.
#[must_use]
pub fn redact(sources: &Sources) -> Sources {
    let mut names = known_names(sources);
    let configs = configs(sources);
    let mut kept = Sources::default();
    for (name, source) in &sources.texts {
        let Some(new_name) = renamed(&mut names, &configs, name) else { continue };
        let new = match source {
            Source::Text(text) => match redacted(&mut names, name, text) {
                Some(text) => Source::Text(text),
                None => Source::Unreadable(Reason::Failed(
                    "left out: not known to be harmless".to_owned(),
                )),
            },
            Source::Unreadable(reason) => Source::Unreadable(reason_of(&mut names, reason)),
        };
        kept.texts.insert(new_name, new);
    }
    kept
}

/// Gives pools and serial numbers their numbers in the order in which the machine has them.
fn known_names(sources: &Sources) -> Names {
    let mut names = Names::default();
    let machine = Machine::read(sources);
    for pool in &machine.pools {
        let _numbered = names.pool(&pool.name);
    }
    // Some makers' models hold them.
    for serial in machine.drives.iter().filter_map(|drive| drive.serial.as_deref()) {
        let _numbered = names.serial(serial);
    }
    if let Some(links) = sources.text("links") {
        names.learn_links(links);
    }
    names.learn_parameters(machine.parameters.values().map(|parameter| parameter.name.as_str()));
    for name in sources.texts.keys() {
        let below = name.split_once(KSTAT_FOLDER).map(|(_, rest)| rest);
        if let Some((pool, _)) = below.and_then(|rest| rest.split_once('/')) {
            let _numbered = names.pool(pool);
        }
    }
    names
}

/// Returns why something could not be read, in known words.
fn reason_of(names: &mut Names, reason: &Reason) -> Reason {
    match reason {
        Reason::Denied => Reason::Denied,
        Reason::Absent => Reason::Absent,
        Reason::Garbled(words) => Reason::Garbled(vocabulary::sentence(names, words)),
        Reason::Failed(words) => Reason::Failed(vocabulary::sentence(names, words)),
    }
}

/// Splits a sample's folder off: `sample-1/`, and the rest.
fn without_sample(name: &str) -> (&str, &str) {
    let end = name.strip_prefix("sample-").and_then(|rest| {
        let digits = rest.find('/').filter(|at| (1..6).contains(at))?;
        rest.get(..digits)?
            .chars()
            .all(|c| c.is_ascii_digit())
            .then_some("sample-".len() + digits + 1)
    });
    name.split_at(end.unwrap_or(0))
}

/// Returns the name of a source with what it tells replaced; none when no such source is known.
fn renamed(names: &mut Names, configs: &Configs<'_>, name: &str) -> Option<String> {
    let (sample, rest) = without_sample(name);
    if let Some(below) = rest.strip_prefix(KSTAT_FOLDER) {
        return match below.split_once('/') {
            Some((pool, kstat)) if is_pool_kstat(kstat) => {
                Some(format!("{sample}{KSTAT_FOLDER}{}/{kstat}", names.pool(pool)))
            }
            None if KSTATS.contains(&below) => Some(name.to_owned()),
            _ => None,
        };
    }
    if let Some((disk, file)) =
        rest.strip_prefix("sys/block/").and_then(|rest| rest.split_once('/'))
    {
        let known = [
            "queue/rotational",
            "queue/write_cache",
            "queue/logical_block_size",
            "queue/physical_block_size",
            "device/model",
            "device/serial",
            "serial",
            "size",
        ];
        return known
            .contains(&file)
            .then(|| format!("sys/block/{}/{file}", drives::in_path(names, disk)));
    }
    if let Some(disk) = rest.strip_prefix("commands/smartctl-") {
        return Some(format!("commands/smartctl-{}", drives::in_path(names, disk)));
    }
    if let Some((folder, file)) = config_file(rest) {
        return config_name(names, configs, folder, file);
    }
    if let Some(parameter) = rest.strip_prefix("sys/module/").and_then(|rest| {
        let (module, parameter) = rest.split_once("/parameters/")?;
        ["zfs", "spl"].contains(&module).then_some(parameter)
    }) {
        let shape =
            parameter.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        return (shape && parameter.len() <= 64).then(|| name.to_owned());
    }
    // A folder that could not be read is named itself.
    let is_folder = CONFIG_FOLDERS
        .iter()
        .chain([&KSTAT_FOLDER])
        .any(|folder| folder.strip_suffix('/') == Some(rest));
    (form(rest).is_some() || is_folder || rest == "commands/smartctl").then(|| name.to_owned())
}

fn is_pool_kstat(kstat: &str) -> bool {
    let hex =
        |text: &str| (1..=16).contains(&text.len()) && text.chars().all(|c| c.is_ascii_hexdigit());
    POOL_KSTATS.contains(&kstat)
        || kstat.strip_prefix("objset-0x").is_some_and(hex)
        || kstat.strip_prefix("ddt_stats_").is_some_and(vocabulary::is_word)
}

/// Splits a file of settings into its folder and its name.
fn config_file(name: &str) -> Option<(&'static str, &str)> {
    CONFIG_FOLDERS.iter().find_map(|folder| Some((*folder, name.strip_prefix(folder)?)))
}

/// Folders of settings in which a name may tell something: their files, each with its place among them.
type Configs<'a> = BTreeMap<&'static str, BTreeMap<&'a str, usize>>;

fn configs(sources: &Sources) -> Configs<'_> {
    let mut all = Configs::new();
    for (folder, file) in sources.texts.keys().filter_map(|name| config_file(name)) {
        let files = all.entry(folder).or_default();
        files.insert(file, files.len());
    }
    all.retain(|_, files| !files.keys().all(|file| USUAL_FILES.contains(file)));
    all
}

/// A file of settings by a name that it usually has; others by a number, where their order tells which
/// line counts behind the number of their place.
fn config_name(
    names: &mut Names,
    configs: &Configs<'_>,
    folder: &str,
    file: &str,
) -> Option<String> {
    if file.contains('/') {
        return None;
    }
    let is_usual = USUAL_FILES.contains(&file);
    let Some(files) = configs.get(folder) else {
        return is_usual.then(|| format!("{folder}{file}"));
    };
    let place = files.get(file)?;
    let own = if is_usual { file.to_owned() } else { names.file(file) + ".conf" };
    Some(format!("{folder}{place:03}-{own}"))
}

/// How a text is read: what in it may stay.
type Form = fn(&mut Names, &str) -> Option<String>;

fn redacted(names: &mut Names, name: &str, text: &str) -> Option<String> {
    let (_, rest) = without_sample(name);
    if rest.starts_with(KSTAT_FOLDER) {
        return Some(tables::kstat(names, text));
    }
    if let Some((_, file)) = rest.strip_prefix("sys/block/").and_then(|rest| rest.split_once('/')) {
        return Some(drives::kernels_value(names, file, text));
    }
    if rest.starts_with("commands/smartctl-") {
        return drives::smart(names, text);
    }
    if config_file(rest).is_some() {
        return Some(settings::config(names, rest, text));
    }
    if let Some((_, parameter)) =
        rest.split_once("/parameters/").filter(|_| rest.starts_with("sys/module/"))
    {
        return Some(settings::parameter(parameter, text));
    }
    form(rest)?(names, text)
}

fn form(name: &str) -> Option<Form> {
    let form: Form = match name {
        "at" => |_, text| vocabulary::is_number(text.trim()).then(|| text.to_owned()),
        "commands/zpool-status" => |names, text| Some(tables::status(names, text)),
        "commands/zpool-list" | "commands/zpool-iostat-lq" => {
            |names, text| Some(tables::rows(names, text))
        }
        "commands/zpool-iostat-w" | "commands/zpool-iostat-r" => {
            |names, text| Some(tables::histogram(names, text))
        }
        "commands/zpool-get" => {
            |names, text| Some(properties::properties(names, Owner::Pool, text))
        }
        "commands/zfs-get" => {
            |names, text| Some(properties::properties(names, Owner::Dataset, text))
        }
        "commands/zpool-status-json" | "commands/zpool-list-json" | "commands/zpool-get-json" => {
            |names, text| pools_json::pools(names, Owner::Pool, text)
        }
        "commands/zfs-get-json" | "commands/zfs-list-json" => {
            |names, text| pools_json::pools(names, Owner::Dataset, text)
        }
        "commands/zfs-version"
        | "sys/module/zfs/version"
        | "proc/sys/kernel/osrelease"
        | "commands/uname"
        | "etc/version"
        | "etc/prd.name"
        | "etc/prd.version"
        | "run/systemd/container" => |_, text| Some(vocabulary::release(text)),
        "etc/os-release" | "var/run/os-release" | "usr/lib/os-release" => {
            |_, text| Some(settings::os_release(text))
        }
        "commands/midclt-tunable-query" => settings::middleware,
        "commands/lsblk" => drives::lsblk,
        "commands/geom-disk-list" => |names, text| Some(drives::geom(names, text)),
        "commands/glabel-status" => |names, text| Some(drives::labels(names, text)),
        "commands/swapinfo" | "proc/swaps" => |names, text| Some(tables::devices(names, text)),
        "commands/mount" => |names, text| Some(properties::mount(names, text)),
        "commands/sysctl" => |names, text| Some(settings::sysctls(names, text)),
        "proc/mounts" => |names, text| Some(properties::mounts(names, text)),
        "proc/meminfo" => |_, text| Some(settings::memory(text)),
        "proc/cmdline" => |names, text| Some(settings::command_line(names, text)),
        "markers" => |_, text| Some(settings::markers(text)),
        "links" => |names, text| Some(drives::links(names, text)),
        "modes/sys/module/zfs/parameters" | "modes/sys/module/spl/parameters" => {
            |_, text| Some(settings::modes(text))
        }
        "etc/default/zfs" => |names, text| Some(settings::config(names, "etc/default/zfs", text)),
        "boot/loader.conf" | "boot/loader.conf.local" => {
            |names, text| Some(settings::config(names, "boot/loader.conf", text))
        }
        "etc/sysctl.conf" | "etc/sysctl.conf.local" => {
            |names, text| Some(settings::config(names, "etc/sysctl.conf", text))
        }
        _ => return None,
    };
    Some(form)
}

#[cfg(test)]
mod tests;
