//! Readings as the samples of a captured machine, for whatever reads captures.

use arcwright_kstat::Snapshot;
use arcwright_machine::{Source, Sources};

/// Modules of kstats that a machine has; others are tables of the recorder's own.
const MODULE: &str = "zfs";

/// Returns a look at a machine with readings in place of its own samples, oldest first.
///
/// Rates of devices that the look had are left out: they are of another time.
#[must_use]
pub fn sources<'a>(look: &Sources, readings: impl IntoIterator<Item = &'a Snapshot>) -> Sources {
    let is_sample = |name: &str| {
        name.starts_with("sample-")
            || name.starts_with("proc/spl/kstat/")
            || name.starts_with("commands/zpool-iostat")
    };
    let kept = look.texts.iter().filter(|(name, _)| !is_sample(name));
    let mut texts: Sources = Sources {
        texts: kept.map(|(name, text)| (name.clone(), text.clone())).collect(),
        ..Sources::default()
    };
    for (number, reading) in readings.into_iter().enumerate() {
        let at = Source::Text(reading.at.0.to_string());
        texts.texts.insert(format!("sample-{number}/at"), at);
        for (path, kstat) in &reading.kstats {
            if path.split('/').next() == Some(MODULE) {
                let name = format!("sample-{number}/proc/spl/kstat/{path}");
                texts.texts.insert(name, Source::Text(kstat.to_text()));
            }
        }
    }
    texts
}
