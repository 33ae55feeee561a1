//! A device that one disk or several share: partitions of one SSD as log and cache.

use arcwright_units::{Bytes, Nanos};

use crate::Device;
use crate::profile::{DeviceClass, DeviceProfile};
use crate::request::{Completion, Counters, Request};

/// A part of a device: what lies in front of it that nobody asks for, and how much it has itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceSpan {
    /// Bytes between the part before it, or the beginning of the device, and its own beginning.
    pub before: Bytes,
    /// How many bytes it has.
    pub size: Bytes,
}

impl From<Bytes> for DeviceSpan {
    fn from(size: Bytes) -> Self {
        Self { before: Bytes::ZERO, size }
    }
}

/// A device in parts: each is a disk to whoever uses it, and all wait for one device.
///
/// Parts lie one behind the other, from the beginning of the device on. The link of a SATA drive carries one
/// direction at a time, so that a write waits for reads of other parts; a whole device leaves that out
/// (docs/model/vdev-queues.md#shared-devices). What holds for a [`Device`] holds
/// here; tickets tell requests of all parts apart.
///
/// ```
/// use arcwright_device::{SharedDevice, Io, Request, profile};
/// use arcwright_units::{Bytes, Nanos};
///
/// let profile = profile("ssd-sata-consumer").unwrap();
/// let parts = [Bytes::gib(16).into(), Bytes::gib(100).into()];
/// let mut shared = SharedDevice::new(&profile, &parts, 1);
/// shared.submit(Nanos::ZERO, 7, 0, Request { io: Io::Write, offset: 0, size: 4096 });
/// shared.submit(Nanos::ZERO, 8, 1, Request { io: Io::Read, offset: 0, size: 4096 });
/// assert_eq!(shared.counters(0).writes, 1);
/// assert_eq!(shared.counters(1).writes, 0);
/// ```
#[derive(Debug, Clone)]
pub struct SharedDevice {
    device: Device,
    /// What was asked of each part; empty where one disk has it from its beginning on, which the device counts itself.
    parts: Vec<Part>,
}

#[derive(Debug, Clone, Default)]
struct Part {
    begin: u64,
    asked: Counters,
}

impl SharedDevice {
    /// Returns a device of a profile with such parts, in this order.
    #[must_use]
    pub fn new(profile: &DeviceProfile, spans: &[DeviceSpan], seed: u64) -> Self {
        let mut parts = Vec::new();
        let mut end = 0u64;
        for span in spans {
            let begin = end.saturating_add(span.before.0);
            parts.push(Part { begin, asked: Counters::default() });
            end = begin.saturating_add(span.size.0);
        }
        let mut device = Device::new(profile, Bytes(end), seed);
        match parts.as_slice() {
            [Part { begin: 0, .. }] => parts.clear(),
            [_] => {}
            _ if profile.class() == DeviceClass::SataSsd => device.share_link(),
            _ => {}
        }
        Self { device, parts }
    }

    /// Hands over a request to a part; its offset is one in the part.
    #[inline]
    pub fn submit(&mut self, now: Nanos, ticket: u32, part: usize, request: Request) {
        let Some(part) = self.parts.get_mut(part) else {
            return self.device.submit(now, ticket, request);
        };
        part.asked.count(&request);
        let offset = part.begin.saturating_add(request.offset);
        self.device.submit(now, ticket, Request { offset, ..request });
    }

    /// Returns when the device has its next event; none when idle.
    #[must_use]
    #[inline]
    pub fn next_event(&self) -> Option<Nanos> {
        self.device.next_event()
    }

    /// Appends everything that is done at or before `now` to `done`, in order of time.
    #[inline]
    pub fn advance(&mut self, now: Nanos, done: &mut Vec<Completion>) {
        self.device.advance(now, done);
    }

    /// Returns what was asked of a part so far. Movements of the head, busy time and wear are those of the
    /// whole device: they cannot be told apart.
    #[must_use]
    pub fn counters(&self, part: usize) -> Counters {
        let whole = self.device.counters();
        match self.parts.get(part) {
            None => whole,
            Some(Part { asked, .. }) => Counters {
                seeks: whole.seeks,
                busy: whole.busy,
                worn_bytes: whole.worn_bytes,
                ..*asked
            },
        }
    }
}
