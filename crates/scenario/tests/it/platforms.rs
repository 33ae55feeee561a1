//! Platforms that stand for a version and for what they set.

use std::path::Path;

use arcwright_scenario::{Kernel, PLATFORMS, Scenario, System};
use arcwright_units::Bytes;

use super::{GOOD, parsed};

fn on(zfs: &str) -> String {
    GOOD.replace("zfs = \"2.1.5\"\nos = \"linux\"", &format!("zfs = \"{zfs}\""))
        .replace("tunables = { zfs_arc_max = \"8GiB\" }\n", "")
        .replace("zfs = \"2.2.7\"\n", "")
}

fn limit(system: &System) -> Option<Bytes> {
    let found = system.tunables.iter().find(|setting| setting.name == "zfs_arc_max");
    found.map(|setting| Bytes(setting.value))
}

#[test]
fn a_platform_stands_for_its_version() {
    let check = |name: &str, version: &str, os: Kernel| {
        let system = parsed(&on(name)).system;
        assert_eq!((system.zfs.as_str(), system.os), (version, os), "{name}");
    };
    check("debian-12", "2.1.11", Kernel::Linux);
    check("ubuntu-24.04", "2.2.2", Kernel::Linux);
    check("truenas-25.10", "2.3.4", Kernel::Linux);
    check("freebsd-14.3", "2.2.7", Kernel::Freebsd);
}

#[test]
fn its_settings_hold_unless_the_scenario_says_otherwise() {
    let check = |text: &str, expected: [Option<Bytes>; 2]| {
        let scenario = parsed(text);
        let limits = [0, 1].map(|arm: usize| limit(&scenario.system_of(&scenario.arms[arm])));
        assert_eq!(limits, expected);
    };
    let text = on("proxmox-9");
    let tenth = Some(Bytes::mib(1638));
    check(&text, [tenth, tenth]);
    // An arm with more memory is the same installation, one with another version is not.
    check(
        &text.replace("name = \"two\"\n", "name = \"two\"\nmemory = \"64GiB\"\n"),
        [tenth, tenth],
    );
    let other = |zfs: &str| text.replace("name = \"two\"\n", &format!("name = \"two\"\n{zfs}"));
    check(&other("zfs = \"2.3.2\"\n"), [tenth, Some(Bytes::ZERO)]);
    check(&other("zfs = \"proxmox-9\"\nmemory = \"64GiB\"\n"), [tenth, Some(Bytes::mib(6554))]);
    let own = "memory = \"16GiB\"\ntunables = { zfs_arc_max = \"8GiB\" }";
    check(&text.replace("memory = \"16GiB\"", own), [Some(Bytes::gib(8)); 2]);
    let text = other("zfs = \"debian-13\"\n").replace("memory = \"16GiB\"", own);
    check(&text, [Some(Bytes::gib(8)); 2]);
}

#[test]
fn what_a_name_stands_for_is_said() {
    let notes = parsed(&on("proxmox-9")).notes;
    assert_eq!(
        notes,
        ["proxmox-9 stands for Proxmox VE 9.0: OpenZFS 2.3.3, and its installer sets \
          zfs_arc_max=1717567488 (1.60 GiB: a tenth of the memory, at most 16 GiB)"]
    );
    let text = on("2.3.2").replace("name = \"two\"\n", "name = \"two\"\nzfs = \"debian-12\"\n");
    let notes = parsed(&text).notes;
    assert_eq!(notes, ["debian-12 stands for Debian 12: OpenZFS 2.1.11 with its own defaults"]);
}

#[test]
fn a_platform_that_is_not_known_is_refused() {
    let check = |text: &str, expected: &str| {
        let error = Scenario::parse(text, "x").unwrap_err();
        let message = format!("{error} | {}", error.hint().unwrap_or_default());
        assert!(message.contains(expected), "{message} should say {expected}");
    };
    check(&on("proxmox-10"), "did you mean “proxmox-9");
    check(&on("freebsd-14.2"), "did you mean “freebsd-14.");
    check(&on("debian13"), "did you mean “debian-13”?");
    check(&on("windows"), "known are: debian-11");
    let linux = GOOD.replace("zfs = \"2.1.5\"", "zfs = \"freebsd-14.3\"");
    check(&linux, "freebsd-14.3 does not run on Linux | write os = \"freebsd\" in [system]");
    let arm = GOOD.replace("zfs = \"2.2.7\"", "zfs = \"freebsd-14.3\"");
    check(&arm, "freebsd-14.3 does not run on Linux");
}

#[test]
fn memory_in_decimal_units_is_explained() {
    let notes = parsed(&GOOD.replace("\"16GiB\"", "\"64GB\"")).notes;
    assert_eq!(notes, ["memory = \"64GB\" is 59.6 GiB; modules sold as 64GB hold 64GiB"]);
    assert!(parsed(GOOD).notes.is_empty());
    let text = GOOD.replace("recordsize = \"128KiB\"", "recordsize = \"128KB\"");
    let error = Scenario::parse(&text, "x").unwrap_err();
    assert_eq!(error.hint(), Some("did you mean “128KiB”?"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test looks at the page that users get")]
fn the_reference_names_every_platform() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/platforms.md");
    let page = std::fs::read_to_string(path).unwrap();
    for platform in PLATFORMS {
        let row = page.lines().find(|line| line.contains(&format!("`{}`", platform.name)));
        let row = row.unwrap_or_else(|| panic!("{} is not on the page", platform.name));
        for part in [platform.title, platform.zfs] {
            assert!(row.contains(part), "{row} should name {part}");
        }
    }
}
