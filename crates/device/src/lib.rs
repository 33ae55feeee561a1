//! Service-time models of disks and flash devices, with named profiles as data.
//!
//! A [`Device`] answers one question: when is this request done? It is asked in virtual time by
//! the model and in (scaled) real time by the lab; it has no clock of its own. What stands on the
//! device is not its business.
//!
//! ```text
//!   submit(now, ticket, request)      requests arrive, `now` never goes back
//!   next_event() -> 8.3 ms            when the caller should look again
//!   advance(now, &mut done)           what is done by then, in order of time
//! ```
//!
//! How long one random read of 4 KiB takes on a hard disk:
//!
//! ```
//! use arcwright_device::{Device, Io, Request, profile};
//! use arcwright_units::{Bytes, Nanos};
//!
//! let profile = profile("hdd-nas-7200").unwrap();
//! let mut disk = Device::new(&profile, Bytes::gib(100), 1);
//! disk.submit(Nanos::ZERO, 7, Request { io: Io::Read, offset: 50 << 30, size: 4096 });
//! let mut done = Vec::new();
//! while let Some(next) = disk.next_event() {
//!     disk.advance(next, &mut done);
//! }
//! assert_eq!(done[0].ticket, 7);
//! // A seek and up to a revolution.
//! assert!(done[0].at > Nanos::millis(1) && done[0].at < Nanos::millis(40));
//! ```

mod flash;
mod foreseen;
mod group;
mod hdd;
mod ledger;
mod link;
mod numbered;
pub mod probe;
mod profile;
mod request;
mod shared;
mod shingled;
pub mod validation;

use arcwright_units::{Bytes, Nanos};

pub use group::{DeviceGroup, GroupMember};
pub use link::{DeviceLink, LinkCounters};
pub use profile::{
    DeviceClass, DeviceProfile, ProfileBasis, ProfileError, Unverified, ValueBasis, profile,
    profile_names,
};
pub use request::{Completion, Counters, Io, Request};
pub use shared::{DeviceSpan, SharedDevice};

use foreseen::Foreseen;
use hdd::Hdd;
use profile::Kind;
use shingled::Shingled;

/// A device at work.
///
/// Callers guarantee that `now` never decreases from one call to the next and that a ticket is not
/// used twice while its request is under way. Implementors guarantee that completions come in order
/// of time, that each request completes exactly once, and that the same calls give the same times.
#[derive(Debug, Clone)]
pub struct Device {
    model: Model,
}

#[derive(Debug, Clone)]
enum Model {
    Foreseen(Foreseen),
    Hdd(Box<Hdd>),
    Shingled(Box<Shingled>),
}

impl Device {
    /// Returns a new device of the given profile, of which `size` bytes are used.
    ///
    /// The used part is the beginning of the device: the fast zones of a disk. A disk that is asked
    /// for more than the profile's capacity has a longer inner zone. The seed sets where in its
    /// turn a spindle begins, so that the disks of a pool do not turn in step.
    #[must_use]
    pub fn new(profile: &DeviceProfile, size: Bytes, seed: u64) -> Self {
        let model = match profile.kind() {
            Kind::Instant => Model::Foreseen(Foreseen::immediate()),
            Kind::Hdd(hdd) => match &hdd.shingle {
                None => Model::Hdd(Box::new(Hdd::new(hdd, profile.factor(), size, seed))),
                Some(shingle) => {
                    let shingled = Shingled::new(hdd, shingle, profile.factor(), size, seed);
                    Model::Shingled(Box::new(shingled))
                }
            },
            Kind::Flash(flash) => Model::Foreseen(Foreseen::flash(flash, profile.factor())),
        };
        Self { model }
    }

    /// Lets the link of a flash device carry one direction at a time.
    fn share_link(&mut self) {
        match &mut self.model {
            Model::Foreseen(device) => device.share_link(),
            Model::Hdd(_) | Model::Shingled(_) => {}
        }
    }

    /// Hands over a request.
    pub fn submit(&mut self, now: Nanos, ticket: u32, request: Request) {
        match &mut self.model {
            Model::Foreseen(device) => device.submit(now, ticket, request),
            Model::Hdd(device) => device.submit(now, ticket, request),
            Model::Shingled(device) => device.submit(now, ticket, request),
        }
    }

    /// Returns when the next request is done or the device turns to the next one; none when idle.
    #[must_use]
    pub fn next_event(&self) -> Option<Nanos> {
        let next = match &self.model {
            Model::Foreseen(device) => device.next_event(),
            Model::Hdd(device) => device.next_event(),
            Model::Shingled(device) => device.next_event(),
        };
        (next < Nanos::MAX).then_some(next)
    }

    /// Appends everything that is done at or before `now` to `done`, in order of time.
    pub fn advance(&mut self, now: Nanos, done: &mut Vec<Completion>) {
        match &mut self.model {
            Model::Foreseen(device) => device.advance(now, done),
            Model::Hdd(device) => device.advance(now, done),
            Model::Shingled(device) => device.advance(now, done),
        }
    }

    /// Returns what the device has done so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        match &self.model {
            Model::Foreseen(device) => device.counters(),
            Model::Hdd(device) => device.counters(),
            Model::Shingled(device) => device.counters(),
        }
    }
}
