//! The disks that wait for each other: parts of one device, and devices behind one link.

use arcwright_units::Nanos;

use crate::link::{Carrier, DeviceLink, LinkCounters};
use crate::numbered::Numbered;
use crate::profile::DeviceProfile;
use crate::request::{Completion, Counters, Request};
use crate::shared::{DeviceSpan, SharedDevice};

/// A disk of a group.
#[derive(Debug, Clone, Copy)]
pub struct GroupMember<'a> {
    /// Its device's profile.
    pub profile: &'a DeviceProfile,
    /// Which part of the device it is.
    pub span: DeviceSpan,
    /// The name of the device, where several disks share one.
    pub part_of: Option<&'a str>,
    /// Seed of the device; of a part that of the first one counts.
    pub seed: u64,
}

/// Disks that wait for each other. What holds for a [`crate::Device`] holds here; tickets tell requests of all disks
/// apart, and disks are counted from 0 in the order in which they were given.
///
/// ```
/// use arcwright_device::{DeviceGroup, DeviceLink, GroupMember, Io, Request, profile};
/// use arcwright_units::{Bytes, Nanos, Rate};
///
/// let profile = profile("hdd-nas-7200").unwrap();
/// let span = Bytes::gib(100).into();
/// let disk = |seed| GroupMember { profile: &profile, span, part_of: None, seed };
/// let link = DeviceLink { rate: Rate::parse("100MB/s").unwrap(), one_way: false, requests_max: None, factor: 1 };
/// let mut group = DeviceGroup::new(&[disk(1), disk(2)], Some(link)).unwrap();
/// for ticket in 0..2 {
///     let request = Request { io: Io::Read, offset: 0, size: 1 << 20 };
///     group.submit(Nanos::ZERO, ticket, ticket as usize, request);
/// }
/// let mut done = Vec::new();
/// while let Some(next) = group.next_event() {
///     group.advance(next, &mut done);
/// }
/// // Each takes 10 ms on the link, one behind the other.
/// assert!(done[1].at >= done[0].at + Nanos::millis(10));
/// ```
#[derive(Debug, Clone)]
pub struct DeviceGroup {
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    /// One device, whole or in parts.
    One(SharedDevice),
    Linked(Box<Linked>),
}

/// Devices behind a link.
#[derive(Debug, Clone)]
struct Linked {
    devices: Vec<SharedDevice>,
    /// The device and the part of each disk.
    disks: Vec<(usize, usize)>,
    carrier: Carrier,
    /// Requests of all disks, by their numbers, which are the tickets of the devices.
    requests: Numbered<Sent>,
    /// What is on the link, with its own ticket.
    carried: Vec<Completion>,
    through: Vec<Completion>,
}

/// A request and who asked it.
#[derive(Debug, Clone, Copy)]
struct Sent {
    ticket: u32,
    disk: usize,
    request: Request,
}

impl DeviceGroup {
    /// Returns the devices of such disks, behind a link if there is one; without a link they are parts of one device.
    /// None where there is no disk.
    #[must_use]
    pub fn new(members: &[GroupMember<'_>], link: Option<DeviceLink>) -> Option<Self> {
        let first = members.first()?;
        let kind = match link {
            Some(link) => Kind::Linked(Box::new(Linked::new(members, link))),
            None => {
                let spans: Vec<DeviceSpan> = members.iter().map(|member| member.span).collect();
                Kind::One(SharedDevice::new(first.profile, &spans, first.seed))
            }
        };
        Some(Self { kind })
    }

    /// Hands over a request to a disk.
    #[inline]
    pub fn submit(&mut self, now: Nanos, ticket: u32, disk: usize, request: Request) {
        match &mut self.kind {
            Kind::One(device) => device.submit(now, ticket, disk, request),
            Kind::Linked(linked) => linked.submit(now, Sent { ticket, disk, request }),
        }
    }

    /// Returns when the group has its next event; none when idle.
    #[must_use]
    #[inline]
    pub fn next_event(&self) -> Option<Nanos> {
        match &self.kind {
            Kind::One(device) => device.next_event(),
            Kind::Linked(linked) => linked.next_event(),
        }
    }

    /// Appends everything that is done at or before `now` to `done`, in order of time.
    #[inline]
    pub fn advance(&mut self, now: Nanos, done: &mut Vec<Completion>) {
        match &mut self.kind {
            Kind::One(device) => device.advance(now, done),
            Kind::Linked(linked) => linked.advance(now, done),
        }
    }

    /// Returns what was asked of a disk so far; of a part, movements of the head, busy time and wear are those of
    /// the whole device.
    #[must_use]
    pub fn counters(&self, disk: usize) -> Counters {
        match &self.kind {
            Kind::One(device) => device.counters(disk),
            Kind::Linked(linked) => {
                let place = linked.disks.get(disk);
                let of = |(device, part): &(usize, usize)| {
                    linked.devices.get(*device).map(|device| device.counters(*part))
                };
                place.and_then(of).unwrap_or_default()
            }
        }
    }

    /// Returns what the link has carried; none without one.
    #[must_use]
    pub fn link_counters(&self) -> Option<LinkCounters> {
        match &self.kind {
            Kind::One(_) => None,
            Kind::Linked(linked) => Some(linked.carrier.counters()),
        }
    }
}

impl Linked {
    fn new(members: &[GroupMember<'_>], link: DeviceLink) -> Self {
        // The first part of each device, and the spans of all.
        let mut devices: Vec<(&GroupMember<'_>, Vec<DeviceSpan>)> = Vec::new();
        let mut disks = Vec::new();
        for member in members {
            let is_its = |first: &GroupMember<'_>| {
                first.part_of.is_some() && first.part_of == member.part_of
            };
            match devices.iter().position(|(first, _)| is_its(first)) {
                None => {
                    disks.push((devices.len(), 0));
                    devices.push((member, vec![member.span]));
                }
                Some(device) => {
                    if let Some((_, spans)) = devices.get_mut(device) {
                        disks.push((device, spans.len()));
                        spans.push(member.span);
                    }
                }
            }
        }
        let made = devices.iter();
        let made = made.map(|(first, spans)| SharedDevice::new(first.profile, spans, first.seed));
        Self {
            devices: made.collect(),
            disks,
            carrier: Carrier::new(link),
            requests: Numbered::default(),
            carried: Vec::new(),
            through: Vec::new(),
        }
    }

    fn submit(&mut self, now: Nanos, sent: Sent) {
        let number = self.requests.add(sent);
        if self.carrier.admits(number) {
            self.hand_over(now, number);
        }
    }

    /// Hands a request to its device.
    fn hand_over(&mut self, now: Nanos, number: u32) {
        let Some(Sent { disk, request, .. }) = self.requests.get(number) else { return };
        let Some((device, part)) = self.disks.get(disk).copied() else { return };
        if let Some(device) = self.devices.get_mut(device) {
            device.submit(now, number, part, request);
        }
    }

    fn next_event(&self) -> Option<Nanos> {
        let devices = self.devices.iter().filter_map(SharedDevice::next_event);
        devices.chain(self.carried.iter().map(|carried| carried.at)).min()
    }

    fn advance(&mut self, now: Nanos, done: &mut Vec<Completion>) {
        let first = done.len();
        // What leaves the link lets others pass, which may be through at once.
        while self.next_event().is_some_and(|next| next <= now) {
            self.load(now);
            self.unload(now, done);
        }
        if let Some(new) = done.get_mut(first..) {
            new.sort_unstable_by_key(|completion| (completion.at, completion.ticket));
        }
    }

    /// Puts on the link what devices are through with, in order of time.
    fn load(&mut self, now: Nanos) {
        self.through.clear();
        for device in &mut self.devices {
            device.advance(now, &mut self.through);
        }
        self.through.sort_unstable_by_key(|through| (through.at, through.ticket));
        for through in &self.through {
            let sent = self.requests.get(through.ticket);
            let at = sent.map(|sent| self.carrier.carry(through.at, &sent.request));
            self.carried.push(Completion { at: at.unwrap_or(through.at), ..*through });
        }
    }

    /// Takes off the link what is there, and lets pass what waited.
    fn unload(&mut self, now: Nanos, done: &mut Vec<Completion>) {
        let mut index = 0;
        while let Some(carried) = self.carried.get(index).copied() {
            if carried.at > now {
                index += 1;
                continue;
            }
            self.carried.swap_remove(index);
            let sent = self.requests.get(carried.ticket);
            done.extend(sent.map(|sent| Completion { ticket: sent.ticket, at: carried.at }));
            self.requests.release(carried.ticket);
            if let Some(next) = self.carrier.leave() {
                self.hand_over(now, next);
            }
        }
    }
}
