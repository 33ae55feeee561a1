//! The model of a device as a target: reads in virtual time, in no time at all.

use arcwright_units::{Bytes, Nanos};

use super::target::{ProbeError, ProbeRead, ProbeTarget, ReadTime};
use crate::profile::DeviceProfile;
use crate::request::{Completion, Io, Request};
use crate::{Device, profile::DeviceClass};

/// A device of a profile, whole.
#[derive(Debug)]
pub struct EmulatedTarget {
    device: Device,
    size: Bytes,
    now: Nanos,
    /// What a program takes between the end of a read and the beginning of the next.
    turnaround: Nanos,
}

impl EmulatedTarget {
    /// Returns a device at rest.
    #[must_use]
    pub fn new(profile: &DeviceProfile) -> Self {
        let turnaround = match profile.class() {
            // What a host takes shows up in the angle at which a head arrives, and nowhere else.
            DeviceClass::Hdd => Nanos::micros(20),
            DeviceClass::Instant | DeviceClass::SataSsd | DeviceClass::Nvme => Nanos::ZERO,
        };
        let size = profile.capacity();
        let device = Device::new(profile, size, 1);
        Self { device, size, now: Nanos::ZERO, turnaround }
    }
}

impl EmulatedTarget {
    /// Returns the virtual time that all reads took so far.
    #[must_use]
    pub const fn elapsed(&self) -> Nanos {
        self.now
    }
}

impl ProbeTarget for EmulatedTarget {
    fn size(&self) -> Bytes {
        self.size
    }

    fn read(&mut self, reads: &[ProbeRead], depth: usize) -> Result<Vec<ReadTime>, ProbeError> {
        let mut times = vec![ReadTime { begin: self.now, end: Nanos::MAX }; reads.len()];
        let mut waiting = reads.iter().zip(0..);
        let mut done: Vec<Completion> = Vec::new();
        let mut left = 0;
        for (read, index) in waiting.by_ref().take(depth.max(1)) {
            self.submit(*read, index);
            left += 1;
        }
        while left > 0 {
            let Some(next) = self.device.next_event() else {
                return Err(ProbeError::Strange { what: "the device forgot a read".to_owned() });
            };
            done.clear();
            self.device.advance(next, &mut done);
            for completion in &done {
                self.now = self.now.max(completion.at);
                left -= 1;
                if let Some(time) = times.get_mut(completion.ticket as usize) {
                    time.end = completion.at;
                }
                // With several under way the device has events before a program is ready again.
                self.now += if depth > 1 { Nanos::ZERO } else { self.turnaround };
                if let Some((read, index)) = waiting.next() {
                    if let Some(time) = times.get_mut(index as usize) {
                        time.begin = self.now;
                    }
                    self.submit(*read, index);
                    left += 1;
                }
            }
        }
        Ok(times)
    }

    fn progress(&mut self, _stage: &str, _share: f64) {}
}

impl EmulatedTarget {
    fn submit(&mut self, read: ProbeRead, ticket: u32) {
        let ProbeRead { offset, size } = read;
        self.device.submit(self.now, ticket, Request { io: Io::Read, offset, size });
    }
}
