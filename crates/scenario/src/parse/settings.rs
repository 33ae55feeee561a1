//! Tunables: their names, versions and values.

use std::ops::Range;

use arcwright_tunables::{Entry, Unit, Version, lookup};
use arcwright_units::{Bytes, Nanos};

use super::tree::{Kind, Node};
use crate::error::{Checked, Fault};
use crate::system::Setting;

/// A setting and where its name stands.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) setting: Setting,
    span: Range<usize>,
}

/// Reads a table of tunables.
pub(crate) fn read(node: &Node) -> Checked<Vec<Placed>> {
    let Kind::Table(entries) = &node.kind else {
        return Err(node.wrong("a table, written { l2arc_noprefetch = 0 }"));
    };
    let mut all: Vec<Placed> = Vec::new();
    for entry in entries {
        let placed = setting(entry)?;
        if all.iter().any(|other| other.setting.name == placed.setting.name) {
            let message = format!("{} is set twice", placed.setting.name);
            return Err(Fault::at(&placed.span, message).help("remove one of its names"));
        }
        all.push(placed);
    }
    Ok(all)
}

/// Returns what a platform sets, less what the scenario sets itself, and then that.
pub(crate) fn over(preset: &[Setting], own: &[Placed]) -> Vec<Setting> {
    let is_own = |setting: &Setting| own.iter().any(|placed| placed.setting.name == setting.name);
    let kept = preset.iter().filter(|setting| !is_own(setting)).cloned();
    kept.chain(own.iter().map(|placed| placed.setting.clone())).collect()
}

/// Refuses a setting that `version` does not have.
pub(crate) fn check_version(all: &[Placed], version: Version, arm: &str) -> Checked<()> {
    let missing = |placed: &&Placed| {
        lookup(&placed.setting.name).is_some_and(|entry| !entry.exists_in(version))
    };
    all.iter().find(missing).map_or(Ok(()), |placed| {
        let name = &placed.setting.name;
        let message = format!("ZFS {version} of arm “{arm}” has no {name}");
        let there = lookup(name).map(Entry::versions).unwrap_or_default();
        Err(Fault::at(&placed.span, message).help(format!("it exists in {there}")))
    })
}

fn setting(node: &Node) -> Checked<Placed> {
    let entry = lookup(&node.name).ok_or_else(|| {
        let fault = Fault::at(&node.key_span, format!("no tunable is called “{}”", node.name));
        match arcwright_tunables::nearest(&node.name) {
            Some(like) => fault.help(format!("did you mean “{like}”?")),
            None => fault.help("use the Linux names of zfs(4)"),
        }
    })?;
    let value = value(node, entry)?;
    let max = if entry.unit == Unit::Flag { 1 } else { entry.max.unwrap_or(Bytes::OFFSET_MAX.0) };
    if value > max {
        return Err(node.fault(format!("{} is at most {max}, not {value}", entry.name)));
    }
    Ok(Placed { setting: Setting { name: entry.name.clone(), value }, span: node.key_span.clone() })
}

fn value(node: &Node, entry: &Entry) -> Checked<u64> {
    match (&node.kind, entry.unit) {
        (Kind::Integer(_), _) => node.whole(),
        (Kind::Flag(flag), Unit::Flag) => Ok(u64::from(*flag)),
        (Kind::Text(_), Unit::Bytes | Unit::BytesPerPass) => node.size().map(|size| size.0),
        (Kind::Text(_), Unit::Ns) => in_steps(node, 1),
        (Kind::Text(_), Unit::Ms) => in_steps(node, 1_000_000),
        (Kind::Text(_), Unit::S) => in_steps(node, Nanos::SECOND.0),
        (_, unit) => Err(node.wrong(wanted(unit))),
    }
}

const fn wanted(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes | Unit::BytesPerPass => "a number of bytes or a size such as \"8MiB\"",
        Unit::Ns => "a number of nanoseconds or a time such as \"500us\"",
        Unit::Ms => "a number of milliseconds or a time such as \"200ms\"",
        Unit::S => "a number of seconds or a time such as \"5s\"",
        Unit::Flag => "0, 1, true or false",
        Unit::Percent => "a number of percent",
        Unit::Word => "a number; an experiment cannot set text",
        Unit::Ticks | Unit::Count | Unit::Blocks | Unit::Pages | Unit::Shift => "a whole number",
    }
}

/// Returns the time in units of `step` nanoseconds, which it must be a multiple of.
fn in_steps(node: &Node, step: u64) -> Checked<u64> {
    let time = node.time()?;
    if time.0.is_multiple_of(step) {
        return Ok(time.0 / step);
    }
    Err(node.fault(format!("{} has a resolution of {}, not {time}", node.name, Nanos(step))))
}
