//! Which system it is: the kernel's family and the distribution.
//!
//! Proxmox and `TrueNAS` SCALE call themselves Debian in `os-release`; their own files tell. A
//! container sees its host's kernel and its own distribution, so it is looked for first.

use arcwright_tunables::Kernel;
use arcwright_tunables::persist::Platform;

use super::kernel_log;
use crate::machine::Machine;
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
    use super::{COMMAND_LINE_MAX, command_line};

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
