//! Parameters of OpenZFS that an experiment sets, and whether any check ever set them like that.

use arcwright_scenario::{Setting, System};
use arcwright_tunables::{DefaultValue, Modelled, Value, Version, lookup};

use super::table::Table;

/// Further from what was checked than this factor is outside.
const FACTOR: u64 = 2;
/// Sizes of the ARC go with sizes of files, which are not looked at either.
const SIZES: [&str; 2] = ["zfs_arc_max", "zfs_arc_min"];

/// Returns what a system sets to anything but its default, as far as it has an effect in the model.
pub(super) fn of(system: &System) -> Vec<Setting> {
    let version = Version::parse(&system.zfs);
    let counts = |setting: &&Setting| {
        let entry = lookup(&setting.name);
        let default = version.and_then(|version| entry?.default_for(version));
        !SIZES.contains(&setting.name.as_str())
            && default != Some(DefaultValue::Fixed(setting.value))
            && entry.is_none_or(|entry| entry.model != Modelled::NoEffect)
    };
    system.tunables.iter().filter(counts).cloned().collect()
}

/// Says which of `settings` no check comes near.
pub(super) fn outside(settings: &[Setting], table: &Table) -> Vec<String> {
    settings.iter().filter_map(|setting| far(setting, table)).collect()
}

fn far(Setting { name, value }: &Setting, table: &Table) -> Option<String> {
    let shown = |value: u64| match lookup(name) {
        Some(entry) => Value::Number(value).shown(entry.unit),
        None => value.to_string(),
    };
    let of_rows = table.rows.iter().flat_map(|row| &row.settings);
    let checked = of_rows.chain(&table.also_set).filter(|other| other.name == *name);
    let values = checked.map(|other| other.value);
    let own = shown(*value);
    let (Some(min), Some(max)) = (values.clone().min(), values.max()) else {
        return Some(format!("{name}={own} (never set in a check)"));
    };
    let is_near = *value <= max.saturating_mul(FACTOR) && *value >= min / FACTOR.min(min.max(1));
    let (min, max) = (shown(min), shown(max));
    let range = if min == max { min } else { format!("{min} to {max}") };
    (!is_near).then(|| format!("{name}={own} (checked: {range})"))
}
