//! Which system it is: the kernel's family and the distribution.
//!
//! Proxmox and `TrueNAS` SCALE call themselves Debian in `os-release`; their own files tell. A
//! container sees its host's kernel and its own distribution, so it is looked for first.

use arcwright_tunables::Kernel;
use arcwright_tunables::persist::Platform;

use super::kernel_log;
use crate::machine::Machine;
use crate::pool::Vdev;
use crate::sources::Sources;

/// Paths whose being there tells the platform; captured as one list, `markers`.
const MARKERS: [(&str, Platform); 8] = [
    (".dockerenv", Platform::Container),
    ("run/.containerenv", Platform::Container),
    ("run/systemd/container", Platform::Container),
    ("etc/prd.name", Platform::Xigmanas),
    ("usr/bin/pveversion", Platform::Proxmox),
    ("usr/sbin/proxmox-backup-manager", Platform::Proxmox),
    ("etc/NIXOS", Platform::Nixos),
    ("usr/bin/midclt", Platform::TruenasScale),
];

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let uname = sources.text("commands/uname").unwrap_or_default();
    let mut words = uname.split_whitespace();
    let family = words.next().filter(|family| ["Linux", "FreeBSD"].contains(family));
    let told = words.next().filter(|_| family.is_some());
    machine.kernel = told.map(str::to_owned).or_else(|| release(sources));
    machine.os = os(sources, family);
    let release = os_release(sources);
    let field = |key: &str| release.iter().find(|(name, _)| name == key).map(|(_, v)| v.clone());
    machine.platform = platform(sources, machine, field("ID").as_deref());
    machine.platform_name = own_name(sources).or_else(|| field("PRETTY_NAME"));
    machine.command_line = sources.text("proc/cmdline").map(command_line);
}

/// The most of a kernel's command line that is looked at; kernels take 2 KiB to 64 KiB.
const COMMAND_LINE_MAX: usize = 64 << 10;

/// Returns the words of a command line, as far as a kernel could have read them.
fn command_line(text: &str) -> String {
    let most = COMMAND_LINE_MAX.min(text.len());
    let end = (0..=most).rfind(|end| text.is_char_boundary(*end)).unwrap_or_default();
    let (kept, rest) = text.split_at(end);
    let is_cut = !rest.is_empty() && !rest.starts_with(char::is_whitespace);
    let whole = kept.rfind(char::is_whitespace).filter(|_| is_cut);
    kept[..whole.unwrap_or(end)].trim().to_owned()
}

/// Names a system that only a report or a path told of.
pub(super) fn settle(machine: &mut Machine) {
    machine.os = machine.os.or_else(|| of_devices(machine));
    let freebsd = machine.os == Some(Kernel::Freebsd);
    machine.platform = machine.platform.or(freebsd.then_some(Platform::Freebsd));
    let family = match machine.os {
        Some(Kernel::Freebsd) => "FreeBSD",
        Some(Kernel::Linux) => "Linux",
        None => return,
    };
    let named = match &machine.kernel {
        Some(release) => format!("{family} {release}"),
        None => family.to_owned(),
    };
    machine.platform_name = machine.platform_name.take().or(Some(named));
}

/// Returns the system that names disks as the pools' are, if all that tell agree.
fn of_devices(machine: &Machine) -> Option<Kernel> {
    let vdevs = machine.pools.iter().flat_map(|pool| pool.vdevs.iter().chain(&pool.strays));
    let mut told = vdevs.flat_map(Vdev::leaves).filter_map(|leaf| of_device(&leaf.name));
    let first = told.next()?;
    told.all(|other| other == first).then_some(first)
}

/// Returns the system that a device's name is of: `sda1`, `ada0p3`; none where several have such names.
fn of_device(name: &str) -> Option<Kernel> {
    /// Beginnings that a number follows, and those that anything may.
    const FREEBSD: [&str; 8] = ["ada", "da", "nvd", "nda", "vtbd", "mfid", "mfisyspd", "aacd"];
    const FREEBSD_FOLDERS: [&str; 5] = ["gpt/", "gptid/", "diskid/", "ufsid/", "multipath/"];
    const LINUX: [&str; 4] = ["sd", "vd", "xvd", "hd"];
    const LINUX_IDS: [&str; 8] =
        ["wwn-0x", "ata-", "scsi-", "nvme-", "usb-", "virtio-", "dm-uuid-", "pci-0000:"];
    let name = name.trim_start_matches("/dev/");
    let name = ["disk/by-id/", "disk/by-path/"]
        .iter()
        .find_map(|folder| name.strip_prefix(folder))
        .unwrap_or(name);
    let follows = |family: &&str, fits: fn(char) -> bool| {
        name.strip_prefix(*family).is_some_and(|rest| rest.starts_with(fits))
    };
    let is_number = |c: char| c.is_ascii_digit();
    let is_letter = |c: char| c.is_ascii_lowercase();
    let freebsd = FREEBSD.iter().any(|family| follows(family, is_number))
        || FREEBSD_FOLDERS.iter().any(|folder| name.starts_with(folder));
    let nvme = name.strip_prefix("nvme").and_then(|rest| rest.split_once('n'));
    let is_nvme = nvme.is_some_and(|(number, _)| number.parse::<u16>().is_ok());
    let is_short = name.len() <= "xvdaa15".len();
    let linux = is_short && LINUX.iter().any(|family| follows(family, is_letter))
        || LINUX_IDS.iter().any(|id| name.starts_with(id))
        || is_nvme;
    match (freebsd, linux) {
        (true, false) => Some(Kernel::Freebsd),
        (false, true) => Some(Kernel::Linux),
        _ => None,
    }
}

fn release(sources: &Sources) -> Option<String> {
    let text = sources.text("proc/sys/kernel/osrelease");
    let text = text.map(|text| text.trim().to_owned());
    let sysctl = || Some(sources.sysctls()?.get("kern.osrelease")?.trim().to_owned());
    text.or_else(|| sources.text("proc/version")?.split_whitespace().nth(2).map(str::to_owned))
        .or_else(sysctl)
}

fn os(sources: &Sources, family: Option<&str>) -> Option<Kernel> {
    match family {
        Some("Linux") => return Some(Kernel::Linux),
        Some("FreeBSD") => return Some(Kernel::Freebsd),
        _ => {}
    }
    let names = || sources.texts.keys();
    let linux = |name: &String| {
        name.contains("proc/spl/kstat")
            || ["sys/module", "etc/modprobe.d"].iter().any(|folder| name.starts_with(folder))
    };
    let logged = || sources.text(kernel_log::NAME).is_some_and(kernel_log::is_of_linux);
    if names().any(linux) || logged() {
        return Some(Kernel::Linux);
    }
    let geom = |name: &String| name.starts_with("commands/g");
    if names().any(geom) {
        return Some(Kernel::Freebsd);
    }
    let sysctls = sources.sysctls()?;
    // OpenZFS on macOS has these counters too, and no others of FreeBSD.
    if sysctls.values.keys().any(|name| name.starts_with("kstat.spl.")) {
        return None;
    }
    let freebsd = |name: &String| name.starts_with("kstat.zfs.") || name.starts_with("vfs.zfs.");
    sysctls.values.keys().any(freebsd).then_some(Kernel::Freebsd)
}

fn platform(sources: &Sources, machine: &Machine, id: Option<&str>) -> Option<Platform> {
    let markers = sources.text("markers").unwrap_or_default();
    let there = |path: &str| {
        sources.texts.contains_key(path) || markers.lines().any(|line| line.trim() == path)
    };
    let marked = MARKERS.iter().find(|(path, _)| there(path)).map(|(_, platform)| *platform);
    let truenas = sources.text("etc/version").is_some_and(says_truenas);
    let marked = match (marked, machine.os) {
        (Some(Platform::TruenasScale), Some(Kernel::Freebsd)) => Some(Platform::TruenasCore),
        (None, Some(Kernel::Freebsd)) if truenas => Some(Platform::TruenasCore),
        (None, Some(Kernel::Linux)) if truenas => Some(Platform::TruenasScale),
        (marked, _) => marked,
    };
    let proxmox = machine.kernel.as_deref().is_some_and(|kernel| kernel.ends_with("-pve"));
    let marked = marked.or(proxmox.then_some(Platform::Proxmox));
    marked.or(match (id, machine.os) {
        (Some("debian" | "raspbian"), _) => Some(Platform::Debian),
        (Some("ubuntu"), _) => Some(Platform::Ubuntu),
        (Some("nixos"), _) => Some(Platform::Nixos),
        (Some("freebsd"), _) | (None, Some(Kernel::Freebsd)) => Some(Platform::Freebsd),
        (Some(_), Some(Kernel::Linux)) => Some(Platform::Linux),
        _ => None,
    })
}

fn says_truenas(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("truenas") || text.contains("freenas")
}

/// Returns the name that an appliance gives itself.
fn own_name(sources: &Sources) -> Option<String> {
    let line = |name: &str| Some(sources.text(name)?.lines().next()?.trim().to_owned());
    let xigmanas = || Some(format!("{} {}", line("etc/prd.name")?, line("etc/prd.version")?));
    line("etc/version").filter(|text| says_truenas(text)).or_else(xigmanas)
}

/// Returns the fields of `os-release` without their quotes.
fn os_release(sources: &Sources) -> Vec<(String, String)> {
    let found = sources.first(&["etc/os-release", "usr/lib/os-release", "var/run/os-release"]);
    let lines = found.map(|(_, text)| text).unwrap_or_default().lines();
    let field = |line: &str| {
        let (key, value) = line.trim().split_once('=')?;
        Some((key.to_owned(), value.trim_matches(['"', '\'']).to_owned()))
    };
    lines.filter_map(field).collect()
}

#[cfg(test)]
mod tests {
    use arcwright_tunables::Kernel;

    use super::{COMMAND_LINE_MAX, command_line, of_device};

    #[test]
    fn names_of_disks_tell_the_system() {
        let check =
            |name: &str, expected: Option<Kernel>| assert_eq!(of_device(name), expected, "{name}");
        for name in ["ada0p3", "/dev/da12", "nda0p4", "gpt/tank-a", "gptid/5f0a-11e3.eli", "vtbd0"]
        {
            check(name, Some(Kernel::Freebsd));
        }
        let linux =
            ["sda", "/dev/sdaa1", "vdb", "nvme0n1p1", "wwn-0x5000c500e961b797-part5", "ata-ST8000"];
        for name in linux
            .into_iter()
            .chain(["/dev/disk/by-id/scsi-35000c500", "/dev/disk/by-path/pci-0000:00:1f.2"])
        {
            check(name, Some(Kernel::Linux));
        }
        for name in [
            "c1t2d0",
            "disk2s1",
            "mirror-0",
            "data-0-1",
            "sdcard-of-mine",
            "nvme0",
            "1234567",
            "tank.img",
        ] {
            check(name, None);
        }
    }

    #[test]
    fn a_command_line_is_read_as_far_as_a_kernel_would() {
        let check = |text: &str, expected: &str| assert_eq!(command_line(text), expected);
        check(
            "root=/dev/sda1 zfs.zfs_arc_max=1073741824\n",
            "root=/dev/sda1 zfs.zfs_arc_max=1073741824",
        );
        check("", "");
        let most = "a ".repeat(COMMAND_LINE_MAX / 2);
        check(&format!("{most}b c"), most.trim());
        // A word that is cut is none.
        check(
            &format!("{}zfs.zfs_arc_max=1", "a ".repeat(COMMAND_LINE_MAX / 2 - 8)),
            "a ".repeat(COMMAND_LINE_MAX / 2 - 8).trim(),
        );
        check(&"\u{e4}".repeat(COMMAND_LINE_MAX), &"\u{e4}".repeat(COMMAND_LINE_MAX / 2));
    }
}
