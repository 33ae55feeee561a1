//! How a change is made on this machine, lasts, is checked and is taken back.
//!
//! Where settings live differs by platform: modprobe.d and an initramfs on most
//! Linuxes, the middleware on TrueNAS, loader.conf and sysctl.conf on FreeBSD, pages of the GUI on
//! XigmaNAS, the configuration on NixOS. Only parameters that the running module has are offered.

use arcwright_machine::{Dataset, Platform};
use arcwright_scenario::Setting;
use arcwright_tunables::{Unit, Version, lookup};
use arcwright_units::Bytes;

use crate::finding::{Evidence, Remedy};
use crate::format;
use crate::view::View;

/// Returns a parameter, by its name on Linux, with the value that it is to have.
pub(crate) fn setting(name: &str, value: u64) -> Setting {
    Setting { name: name.to_owned(), value }
}

/// Returns the remedy that sets parameters; none when the running module lacks one of them.
pub(crate) fn set(view: &View<'_>, settings: &[Setting]) -> Option<Remedy> {
    let lacks = |setting: &Setting| view.has_parameter(&setting.name) == Some(false);
    if settings.is_empty() || settings.iter().any(lacks) {
        return None;
    }
    let pairs = settings.iter().map(|setting| format!("{}={}", setting.name, written(setting)));
    let pairs = pairs.collect::<Vec<_>>().join(" ");
    let shown: Vec<Setting> =
        settings.iter().map(|Setting { name, value }| setting(&view.shown(name), *value)).collect();
    let words = settings.iter().zip(&shown);
    let words = words.map(|(setting, own)| format!("{} to {}", own.name, written(setting)));
    let remedy = Remedy {
        what: format!("set {}{}", words.collect::<Vec<_>>().join(" and "), at_boot(view)),
        now: live(view, settings, &shown, &pairs),
        lasting: lasting(view, &shown, &pairs),
        verify: shown.iter().map(|own| reading(view, &own.name)).collect(),
        undo: undo(view, settings),
    };
    Some(remedy)
}

/// Returns a value as `arcwright tune` takes it: sizes with their unit where that is exact.
fn written(Setting { name, value }: &Setting) -> String {
    let is_size =
        lookup(name).is_some_and(|entry| matches!(entry.unit, Unit::Bytes | Unit::BytesPerPass));
    let (gib, mib) = (Bytes::gib(1).0, Bytes::mib(1).0);
    match *value {
        value if !is_size || value == 0 || !value.is_multiple_of(mib) => value.to_string(),
        value if value.is_multiple_of(gib) => format!("{}GiB", value / gib),
        value => format!("{}MiB", value / mib),
    }
}

fn live(view: &View<'_>, settings: &[Setting], shown: &[Setting], pairs: &str) -> Vec<String> {
    let fixed = |setting: &Setting| {
        let parameter = view.machine.parameters.get(&setting.name);
        parameter.is_some_and(|found| found.writable == Some(false))
    };
    if view.machine.platform == Some(Platform::Container) {
        return vec!["# a container cannot set it: do it on the host".to_owned()];
    }
    if settings.iter().any(fixed) || is_set_at_boot(view) {
        return Vec::new();
    }
    let plain = shown.iter().map(|own| write(view, own));
    std::iter::once(format!("arcwright tune apply {pairs}")).chain(plain).collect()
}

/// Says whether limits of the ARC are taken at the start alone: FreeBSD before 11 has them as tunables of the loader
/// (`TUNABLE_QUAD`, arc.c), and whether one can be written later was not seen.
fn is_set_at_boot(view: &View<'_>) -> bool {
    view.machine.zfs.is_some_and(Version::is_legacy_freebsd)
        && view.is_from("freebsd-11.0") == Some(false)
}

/// Returns where they are set there, behind what is set.
fn at_boot(view: &View<'_>) -> &'static str {
    match is_set_at_boot(view) {
        true => " in /boot/loader.conf, and restart: this version takes it when it starts",
        false => "",
    }
}

fn write(view: &View<'_>, Setting { name, value }: &Setting) -> String {
    if view.is_freebsd() {
        format!("sysctl {name}={value}")
    } else {
        format!("echo {value} > /sys/module/zfs/parameters/{name}")
    }
}

fn reading(view: &View<'_>, name: &str) -> String {
    if view.is_freebsd() {
        format!("sysctl -n {name}")
    } else {
        format!("cat /sys/module/zfs/parameters/{name}")
    }
}

fn lasting(view: &View<'_>, shown: &[Setting], pairs: &str) -> Vec<String> {
    let options = shown.iter().map(|Setting { name, value }| format!("{name}={value}"));
    let options = options.collect::<Vec<_>>();
    let modprobe = format!("# in /etc/modprobe.d/zfs.conf:  options zfs {}", options.join(" "));
    if is_set_at_boot(view) {
        return options.iter().map(|option| format!("# in /boot/loader.conf:  {option}")).collect();
    }
    let mut lines = vec![format!("arcwright tune persist --write --run {pairs}")];
    match view.machine.platform {
        Some(Platform::TruenasScale) => lines
            .extend(shown.iter().map(|Setting { name, value }| {
            format!(
                "midclt call tunable.create '{{\"type\": \"ZFS\", \"var\": \"{name}\", \"value\": \
                 \"{value}\", \"enabled\": true}}'"
            )
        })),
        Some(Platform::TruenasCore) => {
            lines.extend(
                options
                    .iter()
                    .map(|option| format!("# System > Tunables > Add, type sysctl:  {option}")),
            );
        }
        Some(Platform::Xigmanas) => lines.extend(
            options.iter().map(|option| format!("# System > Advanced > sysctl.conf:  {option}")),
        ),
        Some(Platform::Nixos) => lines.push(format!(
            "# in configuration.nix:  boot.extraModprobeConfig = \"options zfs {}\";",
            options.join(" ")
        )),
        Some(Platform::Container) => {
            lines = vec!["# a container cannot set it: do it on the host".to_owned()];
        }
        Some(Platform::Proxmox) => lines.extend([
            modprobe,
            "update-initramfs -u -k all && proxmox-boot-tool refresh".to_owned(),
        ]),
        _ if view.is_freebsd() => {
            let file =
                if needs_loader(view, shown) { "/boot/loader.conf" } else { "/etc/sysctl.conf" };
            lines.extend(options.iter().map(|option| format!("# in {file}:  {option}")));
        }
        Some(Platform::Debian | Platform::Ubuntu) => {
            lines.extend([modprobe, "update-initramfs -u -k all".to_owned()]);
        }
        _ => lines.extend([
            modprobe,
            "# then rebuild the initramfs (update-initramfs -u, dracut -f) if it contains zfs"
                .to_owned(),
        ]),
    }
    lines
}

/// Says whether a parameter may only be set by the loader on this FreeBSD.
fn needs_loader(view: &View<'_>, shown: &[Setting]) -> bool {
    let fixed = |name: &String| {
        let mut all = view.machine.parameters.values();
        all.any(|parameter| parameter.name == *name && parameter.writable == Some(false))
    };
    shown.iter().any(|own| fixed(&own.name))
}

fn undo(view: &View<'_>, settings: &[Setting]) -> Vec<String> {
    if is_set_at_boot(view) {
        return vec!["# take it out of /boot/loader.conf, and restart".to_owned()];
    }
    let back = settings.iter().filter_map(|Setting { name, .. }| {
        let held = view.parameter(name)?;
        Some(write(view, &setting(&view.shown(name), held.value)))
    });
    std::iter::once("arcwright tune undo".to_owned()).chain(back).collect()
}

/// A property of a dataset as it is now, and what it has it from: `local`, `received`, `default`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OwnProperty {
    pub(crate) dataset: String,
    pub(crate) value: String,
    pub(crate) source: String,
}

impl OwnProperty {
    pub(crate) fn of(dataset: &Dataset, value: &str, source: &str) -> Self {
        let [dataset, value, source] = [&dataset.name, value, source].map(str::to_owned);
        Self { dataset, value, source }
    }

    /// Returns it as what was seen of `property`: the value, and what it has it from.
    pub(crate) fn evidence(&self, property: &str) -> Evidence {
        let Self { dataset, value, source } = self;
        Evidence::setting(format!("{dataset}: {property}"), format!("{value} ({source})"))
    }
}

/// Returns the remedy that sets a property of datasets, and takes it back to what it is now.
pub(crate) fn property(property: &str, value: &str, datasets: &[OwnProperty]) -> Remedy {
    let each = |line: &dyn Fn(&OwnProperty) -> String| -> Vec<String> {
        datasets.iter().take(DATASETS_MAX).map(line).collect()
    };
    let word = |name: &str| format::shell(name);
    Remedy {
        what: format!("set {property}={value}"),
        now: each(&|own| format!("zfs set {property}={value} {}", word(&own.dataset))),
        lasting: vec!["# properties are persistent".to_owned()],
        verify: each(&|own| format!("zfs get {property} {}", word(&own.dataset))),
        undo: each(&|OwnProperty { dataset, value, source }| match source.as_str() {
            "local" | "received" => {
                format!("zfs set {} {}", word(&format!("{property}={value}")), word(dataset))
            }
            _ => format!("zfs inherit {property} {}", word(dataset)),
        }),
    }
}

/// The most datasets that commands are printed for; the rest is counted in the title.
const DATASETS_MAX: usize = 4;

/// Returns the remedy of something that only hands or money can change.
pub(crate) fn by_hand(what: impl Into<String>, commands: &[String]) -> Remedy {
    Remedy { what: what.into(), lasting: commands.to_vec(), ..Remedy::default() }
}
