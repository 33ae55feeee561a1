//! What may be changed, and how an arm says so.

use arcwright_scenario::{ArcLimits, Arm, Setting, System, VdevLayout, VdevSpec};
use arcwright_ssd::Ssd;
use arcwright_tunables::{Unit, Version, lookup};
use arcwright_units::Bytes;

/// One thing that may be changed, with its values; the pool as it is stands beside them.
#[derive(Debug, Clone, PartialEq)]
pub enum Axis {
    /// Installed memory.
    Memory(Vec<Bytes>),
    /// A cache device, by its SSD and the parts of it that are tried.
    L2arc(Box<Ssd>, Vec<Bytes>),
    /// A log device on one of these SSDs.
    Log(Vec<Ssd>),
    /// A parameter of OpenZFS.
    Parameter(String, Vec<u64>),
    /// Parameters of OpenZFS that are set together.
    Settings(Vec<Vec<(String, u64)>>),
    /// Releases of OpenZFS.
    Release(Vec<String>),
    /// The pool's record size; files keep theirs where they have one.
    Recordsize(Vec<Bytes>),
}

impl Axis {
    /// Returns how many values it has.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Memory(values) | Self::L2arc(_, values) | Self::Recordsize(values) => {
                values.len()
            }
            Self::Log(ssds) => ssds.len(),
            Self::Parameter(_, values) => values.len(),
            Self::Settings(groups) => groups.len(),
            Self::Release(values) => values.len(),
        }
    }

    /// Makes one of its values part of an arm; returns what it is called. None: there is no such value.
    pub(crate) fn put(&self, value: usize, arm: &mut Arm, base: &System) -> Option<String> {
        match self {
            Self::Memory(values) => {
                let memory = *values.get(value)?;
                arm.memory = Some(memory);
                if let Some(limit) = limit_with(memory, base) {
                    set(arm, "zfs_arc_max", limit.0);
                }
                Some(format!("{memory} of memory"))
            }
            Self::L2arc(ssd, values) => {
                let size = *values.get(value)?;
                let part = ssd.part(L2ARC.to_owned(), size);
                arm.cache = Some(base.pool.cache.iter().cloned().chain([part]).collect());
                Some(format!("L2ARC of {size}"))
            }
            Self::Log(ssds) => {
                let ssd = ssds.get(value)?;
                let size = Bytes::gib(16).min(Bytes(ssd.size.0 / 2));
                let disks = vec![ssd.part(format!("{LOG}{}", value + 1), size)];
                let vdev = VdevSpec { layout: VdevLayout::Single, disks };
                arm.log = Some(base.pool.log.iter().cloned().chain([vdev]).collect());
                Some(format!("log on {}", ssd.name))
            }
            Self::Parameter(name, values) => {
                let value = *values.get(value)?;
                set(arm, name, value);
                Some(setting(name, value))
            }
            Self::Settings(groups) => {
                let group = groups.get(value)?;
                group.iter().for_each(|(name, value)| set(arm, name, *value));
                let named = group.iter().map(|(name, value)| setting(name, *value));
                Some(named.collect::<Vec<_>>().join(" with "))
            }
            Self::Release(values) => {
                let release = values.get(value)?;
                arm.zfs = Some(release.clone());
                Some(format!("OpenZFS {release}"))
            }
            Self::Recordsize(values) => {
                let size = *values.get(value)?;
                arm.properties.recordsize = Some(size);
                Some(format!("recordsize={size}"))
            }
        }
    }
}

/// How the parts of an SSD are called that are tried.
pub(crate) const L2ARC: &str = "tried-l2arc";
const LOG: &str = "tried-log-";

fn set(arm: &mut Arm, name: &str, value: u64) {
    arm.tunables.retain(|setting| setting.name != name);
    arm.tunables.push(Setting { name: name.to_owned(), value });
}

/// Returns a setting as commands take it, sizes as people read them: `l2arc_write_max=32MiB`.
fn setting(name: &str, value: u64) -> String {
    let is_size =
        lookup(name).is_some_and(|entry| matches!(entry.unit, Unit::Bytes | Unit::BytesPerPass));
    let units = [(1_u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit =
        units.into_iter().find(|(unit, _)| is_size && value > 0 && value.is_multiple_of(*unit));
    match unit {
        Some((unit, suffix)) => format!("{name}={}{suffix}", value / unit),
        None => format!("{name}={value}"),
    }
}

/// Returns the ARC's limit with other memory, where somebody set one: what programs and the kernel have beside it
/// stays as it is.
fn limit_with(memory: Bytes, base: &System) -> Option<Bytes> {
    let is_set =
        base.tunables.iter().any(|setting| setting.name == "zfs_arc_max" && setting.value > 0);
    if !is_set {
        return None;
    }
    let limit = ArcLimits::of(base, Version::parse(&base.zfs)).max;
    Some(match memory >= base.memory {
        true => Bytes(limit.0 + (memory.0 - base.memory.0)),
        false => Bytes::of_f64(limit.0 as f64 * memory.0 as f64 / base.memory.0.max(1) as f64),
    })
}
