//! Files that set parameters when a module is loaded or the machine starts.

use arcwright_tunables::persist::CONFIG_BYTES_MAX;

use crate::machine::{ConfigText, Machine, UNSHOWN_SYSTEM};
use crate::sources::Sources;

/// Files and folders, each a prefix of names.
pub(super) const PLACES: [&str; 11] = [
    "etc/modprobe.d/",
    "usr/lib/modprobe.d/",
    "lib/modprobe.d/",
    "run/modprobe.d/",
    "boot/loader.conf",
    "etc/sysctl.conf",
    "etc/sysctl.d/",
    "etc/default/zfs",
    "etc/rc.conf",
    "etc/zfs/zed.d/zed.rc",
    "etc/tmpfiles.d/",
];

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    for place in PLACES {
        for (rest, text) in sources.below(place) {
            if text.len() > CONFIG_BYTES_MAX {
                machine
                    .garbled(&format!("{place}{rest}"), "it holds more than any file of settings");
                continue;
            }
            let path = format!("/{place}{rest}");
            machine.config.push(ConfigText { path, text: text.to_owned() });
        }
    }
    // Of illumos; a folder of Linux begins with the same letters.
    for name in ["etc/system", UNSHOWN_SYSTEM] {
        if let Some(text) = sources.text(name).filter(|text| text.len() <= CONFIG_BYTES_MAX) {
            machine.config.push(ConfigText { path: format!("/{name}"), text: text.to_owned() });
        }
    }
    if let Some(text) = sources.text("commands/midclt-tunable-query") {
        let path = "midclt call tunable.query".to_owned();
        machine.config.push(ConfigText { path, text: text.to_owned() });
        if serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
            machine.garbled("commands/midclt-tunable-query", "the answer is not JSON");
        }
    }
}
