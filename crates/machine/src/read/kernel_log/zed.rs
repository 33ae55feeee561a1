//! What ZFS itself records of devices, as its event daemon writes it into the log. Mails of the daemon and
//! `zpool events -v` become such lines (`recognize/events.rs`).
//!
//! ```text
//! zed[812]: eid=10 class=io pool='tank' vdev=sda1 size=4096 offset=270336 priority=0 err=5 flags=0x180880
//! zed[812]: eid=11 class=checksum pool='tank' vdev=sda1 algorithm=fletcher4 size=4096 offset=270336
//! zed[812]: eid=12 class=statechange pool='tank' vdev=sda1 vdev_state=DEGRADED        2.0 and later
//! zed[812]: eid=12 class=statechange pool_guid=0x1234 vdev_path=/dev/sda1 vdev_state=DEGRADED     before
//! ```

use crate::machine::TroubleKind;

/// How a line begins that stands for one event.
pub(crate) const EVENT: &str = "zed: eid=";
/// No pool or device has a longer name.
const NAME_CHARS_MAX: usize = 256;

/// What an event tells of a device.
pub(super) struct Event<'a> {
    pub(super) pool: Option<&'a str>,
    pub(super) device: &'a str,
    pub(super) kind: TroubleKind,
}

/// Returns whether a line is of the daemon, without what stands before its name.
pub(super) fn is_of_daemon(said: &str) -> bool {
    rest_of(said).is_some()
}

/// Returns what an event tells of a device; none where it tells of work done, or names no device.
pub(super) fn event(said: &str) -> Option<Event<'_>> {
    let rest = rest_of(said)?;
    let value = |name: &str| {
        let words = rest.split_whitespace().filter_map(|word| word.split_once('='));
        words.filter(|(known, _)| *known == name).map(|(_, value)| value).next()
    };
    let named = |text: &&str| !text.is_empty() && text.len() <= NAME_CHARS_MAX;
    let pool = value("pool").and_then(|pool| pool.strip_prefix('\'')?.strip_suffix('\''));
    let device = value("vdev").or_else(|| value("vdev_path"))?.rsplit('/').next();
    let kind = match (value("class")?, value("vdev_state")) {
        ("io" | "probe_failure", _) => TroubleKind::Recorded,
        ("checksum", _) => TroubleKind::WrongData,
        ("delay" | "deadman", _) => TroubleKind::Late,
        ("statechange", Some("FAULTED" | "DEGRADED")) => TroubleKind::Marked,
        ("statechange", Some("UNAVAIL" | "REMOVED")) | ("removed", _) => TroubleKind::Gone,
        _ => return None,
    };
    Some(Event { pool: pool.filter(named), device: device.filter(named)?, kind })
}

/// Returns what stands behind `zed: ` or `zed[812]: ` where that is an event.
fn rest_of(said: &str) -> Option<&str> {
    let rest = said.strip_prefix("zed")?;
    let (number, rest) = rest.split_once(": ")?;
    let number = number.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(number);
    let is_number = number.len() <= 10 && number.bytes().all(|c| c.is_ascii_digit());
    (is_number && rest.starts_with("eid=")).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{TroubleKind, event};

    #[test]
    fn events_that_tell_of_a_device_are_known_by_their_class() {
        use TroubleKind::{Gone, Late, Marked, Recorded, WrongData};
        for (words, pool, device, kind) in [
            (
                "class=io pool='tank' vdev=sda1 size=4096 offset=8 err=5",
                Some("tank"),
                "sda1",
                Recorded,
            ),
            (
                "class=checksum pool='tank' vdev=sda1 algorithm=fletcher4",
                Some("tank"),
                "sda1",
                WrongData,
            ),
            ("class=delay pool='tank' vdev=sda1 delay=30123ms", Some("tank"), "sda1", Late),
            (
                "class=statechange pool_guid=0x12 vdev_path=/dev/sda1 vdev_state=DEGRADED",
                None,
                "sda1",
                Marked,
            ),
            ("class=statechange pool='t' vdev=sda1 vdev_state=REMOVED", Some("t"), "sda1", Gone),
        ] {
            for lead in ["zed[812]: eid=10 ", "zed: eid=10 "] {
                let line = format!("{lead}{words}");
                let found = event(&line).unwrap();
                assert_eq!((found.pool, found.device, found.kind), (pool, device, kind), "{line}");
            }
        }
        for words in [
            "class=statechange pool='t' vdev=sda1 vdev_state=ONLINE",
            "class=scrub_finish pool='tank'",
            "class=data pool='tank' priority=0 err=52",
        ] {
            assert!(event(&format!("zed: eid=10 {words}")).is_none(), "{words}");
        }
        assert!(event("zed[x]: eid=10 class=io vdev=sda").is_none());
    }
}
