//! Drives a device in virtual time and keeps what came back.

use arcwright_device::{Completion, Device, DeviceProfile, Io, Request, profile};
use arcwright_units::{Bytes, Nanos, Rate};

pub(crate) fn named(name: &str) -> DeviceProfile {
    profile(name).unwrap_or_else(|| panic!("no profile {name}"))
}

pub(crate) fn whole(profile: &DeviceProfile) -> Device {
    Device::new(profile, profile.capacity(), 1)
}

pub(crate) fn read(offset: u64, size: u32) -> Request {
    Request { io: Io::Read, offset, size }
}

pub(crate) fn write(offset: u64, size: u32) -> Request {
    Request { io: Io::Write, offset, size }
}

pub(crate) const FLUSH: Request = Request { io: Io::Flush, offset: 0, size: 0 };

/// Numbers without pattern, the same ones on every run (`SplitMix64`).
#[derive(Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let a = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (b ^ (b >> 31)) % bound.max(1)
    }
}

/// What a run took.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) end: Nanos,
    pub(crate) latencies: Vec<Nanos>,
}

impl Run {
    pub(crate) fn mean_ms(&self) -> f64 {
        let sum: f64 = self.latencies.iter().map(|time| time.as_secs_f64() * 1e3).sum();
        sum / self.latencies.len() as f64
    }
}

/// Keeps `depth` of `count` requests under way from `start` on, and waits for the last.
pub(crate) fn closed_loop(
    device: &mut Device,
    start: Nanos,
    depth: usize,
    count: usize,
    mut next: impl FnMut(usize) -> Request,
) -> Run {
    let mut submitted = vec![Nanos::ZERO; count];
    let mut run = Run { end: start, latencies: Vec::with_capacity(count) };
    let mut done: Vec<Completion> = Vec::new();
    let mut asked = depth.min(count);
    let mut ticket = 0;
    for (index, time) in submitted.iter_mut().take(asked).enumerate() {
        *time = start;
        device.submit(start, ticket, next(index));
        ticket += 1;
    }
    while run.latencies.len() < count {
        let Some(event) = device.next_event() else { panic!("the device forgot its work") };
        done.clear();
        device.advance(event, &mut done);
        for completion in &done {
            run.end = completion.at;
            let begun = submitted.get(completion.ticket as usize).copied().unwrap_or(start);
            run.latencies.push(completion.at - begun);
            if let Some(time) = submitted.get_mut(asked) {
                *time = completion.at;
                device.submit(completion.at, ticket, next(asked));
                ticket += 1;
                asked += 1;
            }
        }
    }
    run
}

/// Random reads of 4 KiB over the whole device, per second.
pub(crate) fn random_read_iops(name: &str, depth: usize) -> f64 {
    let profile = named(name);
    let mut device = whole(&profile);
    let mut random = Random(7);
    let blocks = profile.capacity().0 / 4096;
    let count = 3000;
    let run = closed_loop(&mut device, Nanos::ZERO, depth, count, |_| {
        read(random.below(blocks) * 4096, 4096)
    });
    count as f64 / run.end.as_secs_f64()
}

/// Sequential rate over `total` bytes from `start`.
pub(crate) fn sequential(
    profile: &DeviceProfile,
    depth: usize,
    start: u64,
    request: Request,
) -> Rate {
    let mut device = whole(profile);
    let size = u64::from(request.size);
    let count = (512 << 20) / request.size as usize;
    let run = closed_loop(&mut device, Nanos::ZERO, depth, count, |index| Request {
        offset: start + index as u64 * size,
        ..request
    });
    Rate::of(Bytes(count as u64 * size), run.end)
}
