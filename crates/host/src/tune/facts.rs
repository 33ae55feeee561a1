//! What the machine says: its module's parameters, its platform, the files that set parameters.
//!
//! What cannot be read is a problem in words and hides nothing else.

use std::collections::{BTreeMap, BTreeSet};

use arcwright_tunables::persist::{
    CONFIG_BYTES_MAX, Change, Command, ConfigFile, ConfigLocation, PROBES, Places, Platform,
    PlatformProbe, Syntax, modprobe_order,
};
use arcwright_tunables::{Kernel, Running, Seen, Version};
use arcwright_units::Bytes;

use super::Root;
use super::system::{Commands, text_of};

/// Folders of modprobe's settings, the strongest first.
const MODPROBE: [&str; 5] = [
    "/etc/modprobe.d",
    "/run/modprobe.d",
    "/usr/local/lib/modprobe.d",
    "/usr/lib/modprobe.d",
    "/lib/modprobe.d",
];
/// FreeBSD's files, in the order in which they are read.
const FREEBSD: [(&str, Syntax); 5] = [
    ("/boot/defaults/loader.conf", Syntax::Loader),
    ("/boot/loader.conf", Syntax::Loader),
    ("/boot/loader.conf.local", Syntax::Loader),
    ("/etc/sysctl.conf", Syntax::Sysctl),
    ("/etc/sysctl.conf.local", Syntax::Sysctl),
];
/// What `sysctl` said of `vfs.zfs` and `hw.physmem`, in a capture of a FreeBSD machine.
const SYSCTL_COPY: &str = "/commands/sysctl";

/// Everything that plans are made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The running module.
    pub running: Running,
    /// Where its settings live.
    pub places: Places,
    /// What could not be read, in words.
    pub problems: Vec<String>,
}

/// Reads the machine below `root`.
#[must_use]
pub fn read(root: &Root, commands: &dyn Commands) -> Facts {
    let mut problems = Vec::new();
    let kernel = kernel_of(root);
    let signs = signs(root, kernel);
    let platform = Platform::detect(&signs);
    let running = running(root, kernel, commands, &mut problems);
    let files = config_files(root, platform, &mut problems);
    let records = match platform.home() {
        ConfigLocation::Middleware => records(commands, &mut problems),
        _ => Some(Vec::new()),
    };
    Facts { running, places: Places { platform, signs, files, records }, problems }
}

/// Returns a file of the machine as text, where there is one that can be read.
fn text(root: &Root, path: &str) -> Option<String> {
    root.at(path).text().ok().flatten()
}

fn kernel_of(root: &Root) -> Kernel {
    let copied = root.at("/boot/loader.conf").exists() || root.at("/bin/freebsd-version").exists();
    match root.is_machine() {
        true if cfg!(target_os = "freebsd") => Kernel::Freebsd,
        false if copied => Kernel::Freebsd,
        _ => Kernel::Linux,
    }
}

fn signs(root: &Root, kernel: Kernel) -> PlatformProbe {
    let here = PROBES.iter().filter(|path| root.at(path).exists());
    PlatformProbe {
        kernel,
        os_release: text(root, "/etc/os-release"),
        product: text(root, "/etc/prd.name"),
        present: here.map(|path| (*path).to_owned()).collect::<BTreeSet<String>>(),
    }
}

fn running(
    root: &Root,
    kernel: Kernel,
    commands: &dyn Commands,
    problems: &mut Vec<String>,
) -> Running {
    let (version_text, parameters) = match kernel {
        Kernel::Linux => {
            let mut parameters = BTreeMap::new();
            for module in ["spl", "zfs"] {
                parameters.extend(linux_parameters(root, module, problems));
            }
            let version = text(root, "/sys/module/zfs/version");
            (version.map(|text| text.trim().to_owned()), parameters)
        }
        Kernel::Freebsd => freebsd_parameters(root, commands, problems),
    };
    if parameters.is_empty() {
        problems.push("the zfs module is not loaded, so no value in force is known".to_owned());
    }
    let version = version_text.as_deref().and_then(version_of);
    if let (Some(text), None) = (&version_text, version) {
        problems.push(format!("version {text} of the module is unknown; defaults are not shown"));
    }
    Running {
        kernel,
        version,
        version_text,
        memory: memory(root, kernel, commands),
        arc_bounds: arc_bounds(root),
        parameters,
    }
}

/// Returns the version in what a module calls itself: `2.1.11-1`, `zfs-kmod-2.2.7-1`.
fn version_of(text: &str) -> Option<Version> {
    Version::parse(text.strip_prefix("zfs-kmod-").unwrap_or(text))
}

fn linux_parameters(
    root: &Root,
    module: &str,
    problems: &mut Vec<String>,
) -> BTreeMap<String, Seen> {
    /// The right of the owner to write.
    const OWNER_WRITES: u32 = 0o200;
    let folder = root.at(&format!("/sys/module/{module}/parameters"));
    let mut found = BTreeMap::new();
    let mut unread = 0;
    for name in folder.names() {
        let place = folder.within(&name);
        let mode = place.told().ok().flatten().map(|told| told.mode);
        // Rights of a copy are those of whoever copied.
        let writable = mode.filter(|_| root.is_machine()).map(|mode| mode & OWNER_WRITES != 0);
        match place.text() {
            Ok(Some(text)) => {
                found.insert(name, Seen { value: text.trim_end().to_owned(), writable });
            }
            Ok(None) | Err(_) => unread += 1,
        }
    }
    if unread > 0 {
        problems.push(format!("{unread} parameters in {folder} could not be read"));
    }
    found
}

fn freebsd_parameters(
    root: &Root,
    commands: &dyn Commands,
    problems: &mut Vec<String>,
) -> (Option<String>, BTreeMap<String, Seen>) {
    let text = match root.is_machine() {
        true => text_of(commands, &Command::new(&["sysctl", "vfs.zfs"])),
        false => Ok(text(root, SYSCTL_COPY).unwrap_or_default()),
    };
    let text = text.unwrap_or_else(|error| {
        problems.push(error.to_string());
        String::new()
    });
    let pairs = text.lines().filter_map(|line| line.split_once(": "));
    let parameters: BTreeMap<String, Seen> = pairs
        .map(|(name, value)| {
            (name.to_owned(), Seen { value: value.trim_end().to_owned(), writable: None })
        })
        .collect();
    let version = parameters.get("vfs.zfs.version.module").map(|seen| seen.value.clone());
    // The ZFS that FreeBSD 8 to 12 had of its own goes by the release.
    let release = || {
        let copied = || parameters.get("kern.osrelease").map(|seen| seen.value.clone());
        let asked = || text_of(commands, &Command::new(&["sysctl", "-n", "kern.osrelease"])).ok();
        let text = if root.is_machine() { asked() } else { copied() }?;
        Some(format!("freebsd-{}", text.trim().split('-').next()?))
    };
    let version = version.or_else(|| release().filter(|_| !parameters.is_empty()));
    (version, parameters)
}

fn memory(root: &Root, kernel: Kernel, commands: &dyn Commands) -> Option<Bytes> {
    match kernel {
        Kernel::Linux => {
            let text = text(root, "/proc/meminfo")?;
            let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
            let kib = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
            Some(Bytes::kib(kib))
        }
        Kernel::Freebsd if root.is_machine() => {
            let text = text_of(commands, &Command::new(&["sysctl", "-n", "hw.physmem"])).ok()?;
            text.trim().parse().ok().map(Bytes)
        }
        Kernel::Freebsd => {
            let text = text(root, SYSCTL_COPY)?;
            let line = text.lines().find_map(|line| line.strip_prefix("hw.physmem: "))?;
            line.trim().parse().ok().map(Bytes)
        }
    }
}

/// Returns the ARC's bounds in force, from arcstats.
pub(super) fn arc_bounds(root: &Root) -> Option<(u64, u64)> {
    let text = text(root, "/proc/spl/kstat/zfs/arcstats")?;
    let value = |name: &str| {
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(name))?;
        line.split_whitespace().nth(2)?.parse::<u64>().ok()
    };
    Some((value("c_min")?, value("c_max")?))
}

fn config_files(root: &Root, platform: Platform, problems: &mut Vec<String>) -> Vec<ConfigFile> {
    let file = |path: &str, syntax: Syntax, problems: &mut Vec<String>| {
        let mut text = root.at(path).text().unwrap_or_else(|error| {
            problems.push(format!("{path} could not be read: {error}"));
            None
        });
        if text.take_if(|text| text.len() > CONFIG_BYTES_MAX).is_some() {
            problems.push(format!("{path} was not read: it is larger than any settings file"));
        }
        ConfigFile { path: path.to_owned(), syntax, text }
    };
    if platform.kernel() == Kernel::Freebsd {
        return FREEBSD.iter().map(|(path, syntax)| file(path, *syntax, problems)).collect();
    }
    let mut paths: Vec<String> = Vec::new();
    for folder in MODPROBE {
        let names = root.at(folder).names();
        paths.extend(names.into_iter().map(|name| format!("{folder}/{name}")));
    }
    if let ConfigLocation::Modprobe { path } = platform.home()
        && !paths.iter().any(|other| other == path)
    {
        paths.insert(0, path.to_owned());
    }
    let ordered = modprobe_order(&paths);
    let mut files: Vec<ConfigFile> =
        ordered.iter().map(|path| file(path, Syntax::Modprobe, problems)).collect();
    files.push(file("/proc/cmdline", Syntax::Cmdline, problems));
    files
}

fn records(
    commands: &dyn Commands,
    problems: &mut Vec<String>,
) -> Option<Vec<arcwright_tunables::persist::Record>> {
    let text = text_of(commands, &Change::query());
    let read = text.map_err(|error| error.to_string()).and_then(|text| {
        serde_json::from_str(&text).map_err(|error| format!("tunable.query: {error}"))
    });
    read.map_err(|problem| problems.push(problem)).ok()
}
