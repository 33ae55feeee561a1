//! Sets of wishes with a name, fitted to what the running module has.
//!
//! `dumb-lru` is what the author of field report `001` ended with: an L2ARC that takes whatever
//! leaves the ARC, streams included. Each profile leaves out what is default already or does not
//! exist, and says so.

use crate::plan::Skipped;
use crate::{Entry, Kernel, RequestedSetting, Running, TuneError, Unit, Value, entries, lookup};

/// A named set of wishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Everything that leaves the ARC goes to the cache devices.
    DumbLru,
    /// Metadata stays in the ARC before data.
    MetadataFirst,
    /// No predictive prefetch.
    PrefetchOff,
    /// Every default.
    Reset,
}

/// What a profile asks of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileRequest {
    /// What is to be set.
    pub requests: Vec<RequestedSetting>,
    /// What the profile is about and this machine does not need or cannot have.
    pub left_out: Vec<Skipped>,
    /// What else helps, in sentences.
    pub notes: Vec<String>,
}

/// One line of a profile: the parameter, its value, and when a running value is good enough.
struct Line {
    name: &'static str,
    value: u64,
    enough: Enough,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Enough {
    Equal,
    AtLeast,
}

impl Profile {
    /// Every profile, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::DumbLru, Self::MetadataFirst, Self::PrefetchOff, Self::Reset];

    /// Returns the profile called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DumbLru => "dumb-lru",
            Self::MetadataFirst => "metadata-first",
            Self::PrefetchOff => "prefetch-off",
            Self::Reset => "reset",
        }
    }

    /// Returns what it is for, in a sentence.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::DumbLru => {
                "everything that the ARC evicts goes to the cache device, including streams"
            }
            Self::MetadataFirst => "the ARC prefers directories and inodes to file data",
            Self::PrefetchOff => "no predictive prefetch; scrub and send still prefetch",
            Self::Reset => "resets everything in the catalogue to its default",
        }
    }

    /// Returns what it asks of `running`.
    ///
    /// # Errors
    /// [`TuneError`] when a default is not known.
    pub fn asked(self, running: &Running) -> Result<ProfileRequest, TuneError> {
        let mut asked =
            ProfileRequest { requests: Vec::new(), left_out: Vec::new(), notes: Vec::new() };
        match self {
            Self::Reset => reset(running, &mut asked),
            _ => self.lines().iter().for_each(|line| line.ask(running, &mut asked)),
        }
        if self == Self::MetadataFirst {
            metadata_limit(running, &mut asked);
            asked.notes.extend(room_note(running));
        }
        Ok(asked)
    }

    const fn lines(self) -> &'static [Line] {
        const fn line(name: &'static str, value: u64, enough: Enough) -> Line {
            Line { name, value, enough }
        }
        match self {
            Self::DumbLru => {
                &const {
                    [
                        line("l2arc_noprefetch", 0, Enough::Equal),
                        // What the feed may write per pass: about what a SATA SSD sustains.
                        line("l2arc_write_max", 256 << 20, Enough::AtLeast),
                        // The default since 2.1.6: enough to keep a raidz busy.
                        line("zfetch_max_distance", 64 << 20, Enough::AtLeast),
                        line("l2arc_norw", 0, Enough::Equal),
                    ]
                }
            }
            Self::MetadataFirst => {
                &const {
                    [
                        line("zfs_arc_meta_balance", 2000, Enough::AtLeast),
                        line("zfs_arc_meta_limit_percent", 95, Enough::AtLeast),
                        line("zfs_arc_dnode_limit_percent", 50, Enough::AtLeast),
                    ]
                }
            }
            Self::PrefetchOff => &const { [line("zfs_prefetch_disable", 1, Enough::Equal)] },
            Self::Reset => &[],
        }
    }
}

impl Line {
    fn ask(&self, running: &Running, asked: &mut ProfileRequest) {
        let Some(entry) = lookup(self.name) else { return };
        let name = running.own_name(entry).unwrap_or(&entry.name).to_owned();
        let new = Value::Number(self.value);
        let why = match running.value(entry) {
            None => Some(absent(entry, running)),
            Some(value) if self.is_enough(&value) => {
                let shown = value.shown(entry.unit);
                let origin = running.is_default(entry) == Some(true);
                let origin = if origin { ", the default of this version" } else { "" };
                Some(format!("is {shown} already{origin}"))
            }
            Some(_) => None,
        };
        match why {
            Some(why) => asked.left_out.push(Skipped { name, why }),
            None => asked.requests.push(RequestedSetting { entry, value: new }),
        }
    }

    fn is_enough(&self, value: &Value) -> bool {
        value.number().is_some_and(|number| match self.enough {
            Enough::Equal => number == self.value,
            Enough::AtLeast => number >= self.value,
        })
    }
}

fn absent(entry: &Entry, running: &Running) -> String {
    let gone = entry.last().is_some_and(|last| running.version.is_some_and(|now| last < now));
    match (&entry.gone, gone) {
        (Some(why), true) => format!("was removed in this version: {}", why.trim_end_matches('.')),
        _ => format!("is not in this module; it exists in {}", entry.versions()),
    }
}

/// Wants the default of everything that is known not to be at it.
fn reset(running: &Running, asked: &mut ProfileRequest) {
    for entry in entries() {
        let Some(name) = running.own_name(entry) else { continue };
        match running.is_default(entry) {
            Some(true) => {}
            // Which routine is fastest, and how much fits, the module found out by itself.
            None if entry.unit == Unit::Word => {}
            None => asked.left_out.push(Skipped {
                name: name.to_owned(),
                why: "depends on the machine, so a change cannot be distinguished from the default"
                    .to_owned(),
            }),
            Some(false) => match RequestedSetting::default_of(entry, running) {
                Ok(request) => asked.requests.push(request),
                Err(error) => {
                    asked.left_out.push(Skipped { name: name.to_owned(), why: error.to_string() });
                }
            },
        }
    }
}

/// Wants three quarters of the ARC for metadata where the limit is a size and no share of the ARC:
/// FreeBSD 8 to 12, where it is a quarter by default, and 0.6 on Linux (arc.c, arc_init()).
fn metadata_limit(running: &Running, asked: &mut ProfileRequest) {
    /// Limits are whole MiB, as people write them.
    const STEP: u64 = 1 << 20;
    let share = lookup("zfs_arc_meta_limit_percent");
    if share.is_some_and(|entry| running.seen(entry).is_some()) {
        return;
    }
    let Some(entry) = lookup("zfs_arc_meta_limit") else { return };
    let Some((name, value)) = running.own_name(entry).zip(running.value(entry)) else { return };
    let mut leave_out = |why: String| {
        asked.left_out.push(Skipped { name: name.to_owned(), why });
    };
    let Some((_, arc_max)) = running.arc_bounds() else {
        leave_out("would be three quarters of the ARC's maximum, which was not read".to_owned());
        return;
    };
    let limit = arc_max / 4 * 3 / STEP * STEP;
    // Zero stands for the default of 0.6, which is three quarters.
    match value.number() {
        Some(0) if running.kernel == Kernel::Linux => {
            leave_out("is three quarters of the ARC already, the default".to_owned());
        }
        Some(now) if now >= limit => leave_out(format!("is {} already", value.shown(entry.unit))),
        _ => asked.requests.push(RequestedSetting { entry, value: Value::Number(limit) }),
    }
}

/// Returns what to say about room: metadata that does not fit cannot be kept by any balance.
fn room_note(running: &Running) -> Option<String> {
    let (_, most) = running.arc_bounds()?;
    let memory = running.memory?;
    let most = arcwright_units::Bytes(most);
    Some(format!(
        "the ARC may take {most} of {memory}; if metadata does not fit, raise it as well: \
         arcwright tune apply metadata-first zfs_arc_max=…"
    ))
}

#[cfg(test)]
mod tests {
    use super::Profile;
    use crate::sample::{running, running_with};
    use crate::{Kernel, Running, Seen, Version, entries};

    fn check(profile: Profile, running: &Running, expected: &[&str], left_out: &[&str]) {
        let asked = profile.asked(running).unwrap();
        let requests: Vec<String> = asked
            .requests
            .iter()
            .map(|request| format!("{}={}", request.entry.name, request.value))
            .collect();
        assert_eq!(requests, expected, "{}", profile.name());
        for name in left_out {
            assert!(asked.left_out.iter().any(|left| left.name == *name), "{name}: {asked:?}");
        }
    }

    #[test]
    fn dumb_lru_raises_the_distance_only_where_it_is_low() {
        let old =
            ["l2arc_noprefetch=0", "l2arc_write_max=268435456", "zfetch_max_distance=67108864"];
        check(Profile::DumbLru, &running("2.1.5"), &old, &["l2arc_norw"]);
        let new = ["l2arc_noprefetch=0", "l2arc_write_max=268435456"];
        check(Profile::DumbLru, &running("2.3.2"), &new, &["zfetch_max_distance"]);
    }

    #[test]
    fn metadata_first_takes_what_the_version_has() {
        let limits = ["zfs_arc_meta_limit_percent=95", "zfs_arc_dnode_limit_percent=50"];
        check(Profile::MetadataFirst, &running("2.1.11"), &limits, &["zfs_arc_meta_balance"]);
        let balance = ["zfs_arc_meta_balance=2000", "zfs_arc_dnode_limit_percent=50"];
        check(Profile::MetadataFirst, &running("2.3.2"), &balance, &["zfs_arc_meta_limit_percent"]);
    }

    #[test]
    fn metadata_first_raises_the_limit_that_is_a_size() {
        let freebsd_11 = |limit: &str, bounds: Option<(u64, u64)>| {
            let seen = |value: &str| Seen { value: value.to_owned(), writable: None };
            Running {
                kernel: Kernel::Freebsd,
                version: Version::parse("freebsd-11"),
                memory: None,
                arc_bounds: bounds,
                parameters: [("vfs.zfs.arc_meta_limit".to_owned(), seen(limit))].into(),
                ..running("2.1.11")
            }
        };
        let quarter = (2u64 << 30).to_string();
        let bounds = Some((1 << 30, 8 << 30));
        let request = ["zfs_arc_meta_limit=6442450944"];
        check(Profile::MetadataFirst, &freebsd_11(&quarter, bounds), &request, &[]);
        let limit = &["vfs.zfs.arc_meta_limit"];
        check(Profile::MetadataFirst, &freebsd_11("6442450944", bounds), &[], limit);
        check(Profile::MetadataFirst, &freebsd_11(&quarter, None), &[], limit);
    }

    #[test]
    fn a_profile_that_holds_asks_for_nothing() {
        let off = running_with("2.3.2", "zfs_prefetch_disable", "1");
        check(Profile::PrefetchOff, &off, &[], &["zfs_prefetch_disable"]);
        check(Profile::Reset, &running("2.3.2"), &[], &[]);
        check(Profile::Reset, &running("2.1.11"), &[], &[]);
    }

    #[test]
    fn reset_takes_back_whatever_is_changed() {
        for entry in entries() {
            let mut machine = running("2.3.2");
            let Some(seen) = machine.parameters.get_mut(&entry.name) else { continue };
            seen.value = "7".to_owned();
            if machine.is_default(entry) == Some(false) {
                let asked = Profile::Reset.asked(&machine).unwrap();
                let listed = asked.requests.iter().any(|request| request.entry.name == entry.name);
                assert!(listed, "{}", entry.name);
            }
        }
    }

    #[test]
    fn every_profile_has_a_name_of_its_own() {
        assert!(Profile::ALL.iter().all(|one| Profile::named(one.name()) == Some(*one)));
        assert_eq!(Profile::named("fast"), None);
    }
}
