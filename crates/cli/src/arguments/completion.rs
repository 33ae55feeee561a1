//! What a shell may offer for an argument: asked of the program itself, so that it is always up to date.
//!
//! The shell calls the program with what was typed so far (`clap_complete`); nothing here writes, and
//! nothing is read but the scenario that the line names.

use std::ffi::OsStr;
use std::path::Path;

use arcwright_device::{DeviceProfile, profile, profile_names};
use arcwright_host::plain::read_text;
use arcwright_scenario::{SCENARIO_BYTES_MAX, Scenario};
use arcwright_tunables::{Profile, entries};
use arcwright_units::visible;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};

use crate::gallery;

/// Values of the scenario file that have a few possible values, or none that could be listed.
const KEYS: [&str; 11] = [
    "seed",
    "system.memory",
    "system.os",
    "system.pool.ashift",
    "system.pool.compression",
    "system.pool.logbias",
    "system.pool.primarycache",
    "system.pool.recordsize",
    "system.pool.secondarycache",
    "system.pool.special_small_blocks",
    "system.pool.sync",
];

/// Versions that scenarios often name: the last of each series.
const VERSIONS: [&str; 9] =
    ["0.6.5", "0.7", "0.8", "2.0.3", "2.1.11", "2.2", "2.3.2", "2.3.9", "2.4.4"];

/// Scenarios of the gallery, and files.
pub(super) fn scenarios() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let known = arcwright_scenario::GALLERY
            .iter()
            .map(|entry| (entry.name.to_owned(), title(entry.text)));
        let mut found = beginning(typed, known);
        found.extend(PathCompleter::file().complete(typed).into_iter().filter(is_plain));
        found
    })
}

/// Profiles of SSDs, with what they stand for.
pub(super) fn flash_profiles() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let known = profile_names().into_iter().filter_map(profile);
        let flash = known.filter(DeviceProfile::is_flash);
        beginning(typed, flash.map(|it| (it.name().to_owned(), it.title().to_owned())))
    })
}

/// Parameters of ZFS by name.
pub(super) fn tunables() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| beginning(typed, described("", "")))
}

/// Profiles, and parameters that wait for their value.
pub(super) fn settings() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let profiles = Profile::ALL.into_iter();
        let profiles = profiles.map(|it| (it.name().to_owned(), it.about().to_owned()));
        beginning(typed, profiles.chain(described("", "=")))
    })
}

/// Families of parameters.
pub(super) fn families() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let mut families: Vec<&str> = entries().iter().map(|entry| entry.family.as_str()).collect();
        families.dedup();
        beginning(typed, families.into_iter().map(|family| (family.to_owned(), String::new())))
    })
}

/// Findings of doctor.
pub(super) fn findings() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let known = arcwright_advice::KNOWN.iter();
        beginning(typed, known.map(|known| (known.id.to_owned(), known.meaning.to_owned())))
    })
}

/// Versions of OpenZFS, and libraries.
pub(super) fn versions() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let mut found = beginning(typed, VERSIONS.map(|it| (it.to_owned(), String::new())));
        found.extend(PathCompleter::any().complete(typed).into_iter().filter(is_plain));
        found
    })
}

/// What `--set` replaces: keys of the scenario file, parameters, and the values of keys that have few.
pub(super) fn overrides() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let plain = |values: Vec<String>| values.into_iter().map(|value| (value, String::new()));
        let keys = KEYS.iter().map(|key| format!("{key}=")).collect();
        let processors = arcwright_scenario::processor_names();
        let processors = processors.map(|name| format!("system.cpu={name}")).to_vec();
        let platforms = arcwright_scenario::PLATFORMS.iter().map(|platform| platform.name);
        let versions = VERSIONS.into_iter().chain(platforms);
        let versions = versions.map(|version| format!("system.zfs={version}")).collect();
        let devices = arcwright_device::profile_names().into_iter();
        let devices = ["cache", "log", "data"].into_iter().flat_map(|role| {
            devices.clone().map(move |device| format!("system.pool.{role}=[\"{device}\"]"))
        });
        let devices = devices.collect();
        let all = plain(keys).chain(plain(processors)).chain(plain(versions)).chain(plain(devices));
        beginning(typed, all.chain(described("system.tunables.", "=")))
    })
}

/// Arms of the scenario that the line names.
pub(super) fn arms() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let names = named_scenario().map(|scenario| scenario.arms).unwrap_or_default();
        beginning(typed, names.into_iter().map(|arm| (arm.name, String::new())))
    })
}

/// Returns the first scenario among the words of the line.
fn named_scenario() -> Option<Scenario> {
    std::env::args_os().find_map(|word| {
        let path = Path::new(&word);
        if let Some(entry) = gallery::find(path) {
            return entry.scenario().ok();
        }
        let text =
            (path.extension()? == "toml").then(|| read_text(path, SCENARIO_BYTES_MAX).ok())?;
        Scenario::parse(&text?, "").ok()
    })
}

/// Returns the parameters with what they are, between two texts.
fn described(before: &'static str, after: &'static str) -> impl Iterator<Item = (String, String)> {
    entries().iter().map(move |entry| {
        let about = entry.about.split(['.', ';']).next().unwrap_or_default();
        (format!("{before}{}{after}", entry.name), about.to_owned())
    })
}

/// Returns those values that begin with what was typed.
fn beginning(
    typed: &OsStr,
    values: impl IntoIterator<Item = (String, String)>,
) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    let fitting = values.into_iter().filter(|(value, _)| value.starts_with(typed));
    let candidate = |(value, help): (String, String)| {
        let help = (!help.is_empty()).then(|| help.into());
        CompletionCandidate::new(value).help(help)
    };
    fitting.map(candidate).filter(is_plain).collect()
}

/// Says whether a value steers no terminal: a scenario from elsewhere may call its arms what it likes, and the shell
/// prints what it is offered as it is.
fn is_plain(candidate: &CompletionCandidate) -> bool {
    candidate.get_value().to_str().is_some_and(|value| visible(value) == value)
}

fn title(text: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix("title = "));
    line.unwrap_or_default().trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use clap_complete::engine::ArgValueCompleter;

    use super::{families, overrides, scenarios, settings};

    fn check(completer: &ArgValueCompleter, typed: &str, expected: &[&str]) {
        let found = completer.complete(OsStr::new(typed));
        let found: Vec<&str> = found.iter().filter_map(|it| it.get_value().to_str()).collect();
        assert_eq!(found, expected, "{typed}");
    }

    #[test]
    fn what_would_steer_a_terminal_is_not_offered() {
        let names = ["plain", "red \u{1b}[31m", "two\nlines", "turned \u{202e}"];
        let all = names.map(|name| (name.to_owned(), String::new()));
        let offered = super::beginning(OsStr::new(""), all);
        assert_eq!(offered.iter().map(|it| it.get_value()).collect::<Vec<_>>(), ["plain"]);
    }

    #[test]
    fn what_fits_is_offered() {
        check(&scenarios(), "steam", &["steam-library", "steam-library-squeezed"]);
        check(&settings(), "dumb", &["dumb-lru"]);
        check(&settings(), "l2arc_nop", &["l2arc_noprefetch="]);
        check(&families(), "di", &["dio"]);
        check(&overrides(), "system.cpu=nas", &["system.cpu=nas-dual", "system.cpu=nas-quad"]);
        check(
            &overrides(),
            "system.tunables.zfetch_max_d",
            &["system.tunables.zfetch_max_distance="],
        );
        check(&overrides(), "system.pool.log=[\"nvme-pl", &["system.pool.log=[\"nvme-plp\"]"]);
    }
}
