//! What servers of this program share: which hosts may be named, how long connections live, threads that read the machine
//! and judge it beside.

mod connections;
mod hosts;
mod judging;
mod lifetime;

pub(crate) use connections::{Limits, accept};
pub(crate) use hosts::{Hosts, is_for};
pub(crate) use judging::{Judgement, Judging, judge, refresh, spawned, wait};
pub(crate) use lifetime::Lifetime;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arcwright_units::Nanos;

/// Returns the time since 1970; none before.
pub(crate) fn now() -> Option<Nanos> {
    SystemTime::now().duration_since(UNIX_EPOCH).ok().map(nanos)
}

pub(crate) fn nanos(time: Duration) -> Nanos {
    Nanos(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}
