//! Whose text it is: hosts, kernels, versions and memory that a paste names, and whether two of them
//! cannot be one machine.
//!
//! Two hosts below whose prompts anything was read are two machines. Two kernels, modules, systems or
//! sizes of memory are, unless both stand below one host's name: that is an upgrade. The same pool
//! laid out otherwise is one machine before and after a change.

use super::PasteError;

/// Memory of one machine differs so much between kernels, which keep some for themselves.
const MEMORY_SHARE: u64 = 20;

/// What people write instead of a host's name: two of these may be one machine.
const STAND_INS: [&str; 10] = [
    "server",
    "servidor",
    "serveur",
    "host",
    "hostname",
    "localhost",
    "machine",
    "myserver",
    "myhost",
    "computer",
];

/// What a text is known by.
#[derive(Debug, Default)]
pub(super) struct Identity {
    /// The host of the last prompt, and where it stands; it counts when anything is read below it.
    prompt: Option<(String, usize)>,
    signs: Vec<Sign>,
    found: Option<PasteError>,
}

#[derive(Debug, Clone)]
struct Sign {
    kind: Kind,
    value: String,
    /// The host that was known there.
    host: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Host,
    Kernel,
    Module,
    System,
    MemoryKib,
}

impl Identity {
    /// Notes the host of a prompt.
    pub(super) fn prompt(&mut self, host: Option<&str>, line: usize) {
        if let Some(host) = host {
            self.prompt = Some((host.to_owned(), line));
        }
    }

    /// Notes what a recognised text says of its machine.
    pub(super) fn text(&mut self, name: &str, text: &str, line: usize) {
        // How long a copy took on a client says nothing that is put together with what a server counts.
        let is_apart = name == "commands/timings";
        if let Some((host, at)) = self.prompt.clone().filter(|_| !is_apart) {
            self.sign(Kind::Host, &host, at);
        }
        match name {
            "commands/uname" => {
                let words: Vec<&str> = text.split_whitespace().take(3).collect();
                if let Some(host) = words.get(2) {
                    self.sign(Kind::Host, host, line);
                }
                if let Some(release) = words.get(1) {
                    self.sign(Kind::Kernel, release, line);
                }
            }
            "commands/zfs-version" => {
                if let Some(module) = text.trim().strip_prefix("zfs-kmod-") {
                    self.sign(Kind::Module, module, line);
                }
            }
            "commands/arc-summary" => self.report(text, line),
            "etc/os-release" => {
                let value = text.trim().strip_prefix("PRETTY_NAME=");
                if let Some(value) = value {
                    self.sign(Kind::System, value.trim_matches('"'), line);
                }
            }
            "proc/meminfo" => {
                let kib = text.strip_prefix("MemTotal:").and_then(|t| t.split_whitespace().next());
                if let Some(kib) = kib {
                    self.sign(Kind::MemoryKib, kib, line);
                }
            }
            "commands/sysctl" => {
                let memory = text.lines().find_map(|line| line.strip_prefix("hw.physmem"));
                let bytes =
                    memory.and_then(|rest| rest.trim_start_matches([':', '=', ' ']).parse().ok());
                if let Some(bytes) = bytes.map(|bytes: u64| bytes / 1024) {
                    self.sign(Kind::MemoryKib, &bytes.to_string(), line);
                }
            }
            _ => {}
        }
    }

    /// Returns why it is not one machine's text, when it is not.
    pub(super) fn conflict(self) -> Option<PasteError> {
        self.found
    }

    fn report(&mut self, text: &str, line: usize) {
        const TOP_LINES: usize = 12;
        for (index, text) in text.lines().take(TOP_LINES).enumerate() {
            let words: Vec<&str> = text.split_whitespace().take(3).collect();
            match words.as_slice() {
                ["Machine:", host, kind] if kind.starts_with('(') => {
                    self.sign(Kind::Host, host, line + index);
                }
                ["Linux" | "FreeBSD", release, ..]
                    if release.starts_with(|c: char| c.is_ascii_digit()) =>
                {
                    self.sign(Kind::Kernel, release, line + index);
                }
                _ => {}
            }
        }
    }

    fn sign(&mut self, kind: Kind, value: &str, line: usize) {
        const VALUE_CHARS_MAX: usize = 80;
        let value: String = value.chars().take(VALUE_CHARS_MAX).collect();
        let value = match kind {
            Kind::Host => short(&value),
            // FreeBSD's kernel and programs may stand at other patches of one release.
            Kind::Kernel => value.split("-p").next().unwrap_or_default().to_owned(),
            _ => value,
        };
        if kind == Kind::Host {
            self.prompt = self
                .prompt
                .take()
                .filter(|(host, _)| short(host) == value)
                .or_else(|| Some((value.clone(), line)));
        }
        let host = self.prompt.as_ref().map(|(host, _)| short(host));
        if self
            .signs
            .iter()
            .any(|sign| sign.kind == kind && sign.value == value && sign.host == host)
        {
            return;
        }
        let sign = Sign { kind, value, host };
        let other = self.signs.iter().find(|known| known.kind == kind && differ(known, &sign));
        if let (None, Some(first)) = (&self.found, other) {
            self.found =
                Some(PasteError::TwoMachines { first: first.label(), second: sign.label(), line });
        }
        // What describes one machine is a few lines; more of it changes nothing.
        const SIGNS_MAX: usize = 64;
        if self.signs.len() < SIGNS_MAX {
            self.signs.push(sign);
        }
    }
}

/// Returns whether two signs cannot be of one machine.
fn differ(one: &Sign, other: &Sign) -> bool {
    let upgraded = one.host.is_some() && one.host == other.host;
    if one.kind == Kind::Host || upgraded {
        let stand_in = [one, other].iter().all(|sign| STAND_INS.contains(&sign.value.as_str()));
        return one.kind == Kind::Host && one.value != other.value && !stand_in;
    }
    match (one.kind, one.value.parse::<u64>(), other.value.parse::<u64>()) {
        (Kind::MemoryKib, Ok(one), Ok(other)) => {
            one.abs_diff(other) > one.max(other) / MEMORY_SHARE
        }
        _ => one.value != other.value,
    }
}

/// Returns a host's name without its domain.
fn short(host: &str) -> String {
    host.split('.').next().unwrap_or(host).to_ascii_lowercase()
}

impl Sign {
    fn label(&self) -> String {
        let value = arcwright_units::visible(&self.value).into_owned();
        match self.kind {
            Kind::Host => value,
            Kind::Kernel => format!("one with the kernel {value}"),
            Kind::Module => format!("one with ZFS {value}"),
            Kind::System => format!("one with {value}"),
            Kind::MemoryKib => format!("one with {value} KiB of memory"),
        }
    }
}
