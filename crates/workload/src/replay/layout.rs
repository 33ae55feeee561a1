//! Where in which file each place of a trace lies.

use arcwright_units::Bytes;

use super::records::{RECORD_MIN, RecordSizes};
use super::{PART, ReplayFile};
use crate::shuffle::{mixed, shuffled};
use crate::traces::{Addressing, Interner, Request, RequestKind, TOGETHER};

/// Files of their own: those with most parts; all others share one. A scenario has at most 4096 files.
const OWN_FILES_MAX: usize = 3000;
/// Parts of large files that a trace may touch: 16 TiB; and that all its requests may be for: 256 TiB.
const TOUCHED_MAX: usize = 1 << 24;
const VISITED_MAX: u64 = 1 << 28;
/// Files and objects that a trace may name together.
const UNITS_MAX: usize = 1 << 26;

/// A place in a file of the replay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PlaceInFile {
    pub(super) file: u16,
    pub(super) offset: u64,
}

/// The files, and where in them everything is.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    pub(super) files: Vec<ReplayFile>,
    /// Step in which each is thinned.
    pub(super) parts: Vec<u64>,
    /// How many large volumes share a file.
    pub(super) sharing: usize,
    records: &'a RecordSizes,
    /// The object of each request; empty where places are bytes.
    objects: Vec<u32>,
    /// Bytes of each object, or up to where each volume was touched.
    ends: Vec<u64>,
    /// Where each object or volume begins.
    begins: Vec<PlaceInFile>,
    /// Parts of large volumes that were touched: volume and number, in order.
    touched: Vec<(u32, u64)>,
    /// Where in it each volume begins and ends.
    spans: Vec<(usize, usize)>,
    /// Bytes of a part.
    part: u64,
}

impl<'a> Layout<'a> {
    /// Lays out what requests touch.
    pub(super) fn of(
        requests: &[Request],
        addressing: Addressing,
        records: &'a RecordSizes,
    ) -> Result<Self, String> {
        let part = PART.max(records.largest());
        let mut layout = Self {
            files: Vec::new(),
            parts: Vec::new(),
            sharing: 0,
            records,
            objects: Vec::new(),
            ends: Vec::new(),
            begins: Vec::new(),
            touched: Vec::new(),
            spans: Vec::new(),
            part,
        };
        match addressing {
            Addressing::Objects => layout.count_objects(requests),
            Addressing::Bytes => layout.count_volumes(requests)?,
        }
        if layout.ends.len() > UNITS_MAX {
            return Err(format!("the trace names more than {UNITS_MAX} files or objects"));
        }
        layout.begins = vec![PlaceInFile::default(); layout.ends.len()];
        if addressing == Addressing::Bytes {
            layout.place_volumes();
        }
        layout.place_units(addressing);
        Ok(layout)
    }

    /// Returns where a request begins.
    pub(super) fn place(&self, number: usize, request: &Request) -> PlaceInFile {
        if let Some(object) = self.objects.get(number) {
            return self.begin(*object);
        }
        let begin = self.begin(request.volume);
        let (from, to) = self.spans.get(request.volume as usize).copied().unwrap_or_default();
        if from == to {
            return PlaceInFile { offset: begin.offset + request.place, ..begin };
        }
        let part = request.place / self.part;
        let parts = self.touched.get(from..to).unwrap_or(&[]);
        let rank = parts.partition_point(|(_, other)| *other < part) as u64;
        let offset = begin.offset + rank * self.part + request.place % self.part;
        PlaceInFile { offset, ..begin }
    }

    /// Returns how many bytes a request is for.
    pub(super) fn size_of(&self, number: usize, request: &Request) -> u64 {
        match self.objects.get(number) {
            // One that grew or shrank on its way is as large as it was at most.
            Some(object) => {
                self.ends.get(*object as usize).copied().unwrap_or(self.records.usual())
            }
            None => self.length(request),
        }
    }

    fn begin(&self, unit: u32) -> PlaceInFile {
        self.begins.get(unit as usize).copied().unwrap_or_default()
    }

    fn count_objects(&mut self, requests: &[Request]) {
        let mut interner = Interner::new();
        let mut keys = Vec::with_capacity(TOGETHER);
        for some in requests.chunks(TOGETHER) {
            keys.clear();
            keys.extend(
                some.iter().map(|request| mixed(u64::from(request.volume)) ^ request.place),
            );
            let begun = self.objects.len();
            interner.number_all(&keys, &mut self.objects);
            let numbers = self.objects.get(begun..).unwrap_or(&[]);
            for (object, request) in numbers.iter().zip(some) {
                let bytes = length(request, self.records.usual());
                match self.ends.get_mut(*object as usize) {
                    Some(end) => *end = (*end).max(bytes),
                    None => self.ends.push(bytes),
                }
            }
        }
    }

    /// Finds up to where each volume was touched, and which parts of the large ones.
    fn count_volumes(&mut self, requests: &[Request]) -> Result<(), String> {
        let asks = || requests.iter().filter(|request| request.kind != RequestKind::Flush);
        for request in asks() {
            let volume = request.volume as usize;
            if self.ends.len() <= volume {
                self.ends.resize(volume + 1, 0);
            }
            let end = request.place + self.length(request);
            self.ends.get_mut(volume).into_iter().for_each(|last| *last = (*last).max(end));
        }
        let (mut sorted_at, mut visited) = (1 << 16, 0);
        for request in asks() {
            let end = request.place + self.length(request);
            let record = self.records.of(request.volume);
            if self.ends.get(request.volume as usize).is_none_or(|end| *end <= record) {
                continue;
            }
            let (first, last) = (request.place / self.part, (end - 1) / self.part);
            visited += last - first + 1;
            for part in first..=last {
                let one = (request.volume, part);
                if self.touched.last() != Some(&one) {
                    self.touched.push(one);
                }
            }
            if self.touched.len() >= sorted_at {
                self.touched.sort_unstable();
                self.touched.dedup();
                sorted_at = self.touched.len() * 2 + (1 << 16);
            }
            if visited > VISITED_MAX || self.touched.len() > 4 * TOUCHED_MAX {
                break;
            }
        }
        self.touched.sort_unstable();
        self.touched.dedup();
        if visited > VISITED_MAX || self.touched.len() > TOUCHED_MAX {
            let [touched, asked] =
                [TOUCHED_MAX as u64, VISITED_MAX].map(|parts| Bytes(parts * PART));
            return Err(format!(
                "the trace touches more than {touched}, or asks for more than {asked}; play a part of it (arcwright trace cut)"
            ));
        }
        self.spans = vec![(0, 0); self.ends.len()];
        let mut from = 0;
        for one in self.touched.chunk_by(|(one, _), (other, _)| one == other) {
            let to = from + one.len();
            let volume = one.first().map_or(0, |(volume, _)| *volume as usize);
            self.spans.get_mut(volume).into_iter().for_each(|span| *span = (from, to));
            from = to;
        }
        Ok(())
    }

    /// Gives large volumes their files: those with most parts one each, the rest one together.
    fn place_volumes(&mut self) {
        let mut order: Vec<(usize, u32)> = (0u32..)
            .zip(&self.spans)
            .map(|(volume, (from, to))| (to - from, volume))
            .filter(|(parts, _)| *parts > 0)
            .collect();
        order.sort_by_key(|(parts, volume)| (std::cmp::Reverse(*parts), *volume));
        let own = order.len().min(OWN_FILES_MAX);
        let (own, rest) = order.split_at(own);
        for (parts, volume) in own {
            let size = self.size_of_parts(*volume, *parts);
            let file = self.add_file(size, self.own_record(*volume), self.part);
            self.set_begin(*volume, PlaceInFile { file, offset: 0 });
        }
        self.sharing = rest.len();
        // Those of one record size together.
        let (mut rest, records) = (rest.to_vec(), self.records);
        rest.sort_by_key(|(_, volume)| records.of(*volume));
        for some in rest.chunk_by(|one, other| records.of(one.1) == records.of(other.1)) {
            let all: u64 = some.iter().map(|(parts, _)| *parts as u64 * self.part).sum();
            let record = some.first().and_then(|(_, volume)| self.own_record(*volume));
            let file = self.add_file(all, record, self.part);
            let mut offset = 0;
            for (parts, volume) in some {
                self.set_begin(*volume, PlaceInFile { file, offset });
                offset += *parts as u64 * self.part;
            }
        }
    }

    /// Returns the record size of a volume that has not the usual one.
    fn own_record(&self, volume: u32) -> Option<Bytes> {
        let record = self.records.of(volume);
        (record != self.records.usual()).then_some(Bytes(record))
    }

    fn length(&self, request: &Request) -> u64 {
        length(request, self.records.of(request.volume))
    }

    /// Returns the size of the file of a volume: its last part ends where it was touched last.
    fn size_of_parts(&self, volume: u32, parts: usize) -> u64 {
        let end = self.ends.get(volume as usize).copied().unwrap_or(0);
        let last = end.saturating_sub(1) % self.part + 1;
        (parts as u64 - 1) * self.part + last.next_multiple_of(self.records.of(volume))
    }

    /// Gives each small volume, or each object, a record of its own among others of the same size; objects of
    /// several records stand one after the other in a file.
    fn place_units(&mut self, addressing: Addressing) {
        let mut classes: Vec<(u64, Vec<u32>)> = Vec::new();
        let record = |unit: u32| match addressing {
            Addressing::Bytes => self.records.of(unit),
            Addressing::Objects => self.records.usual(),
        };
        for (unit, end) in (0u32..).zip(&self.ends) {
            let is_large = *end > record(unit);
            if *end == 0 || is_large && addressing == Addressing::Bytes {
                continue;
            }
            let class = if is_large { 0 } else { end.next_power_of_two().max(RECORD_MIN) };
            match classes.iter_mut().find(|(other, _)| *other == class) {
                Some((_, units)) => units.push(unit),
                None => classes.push((class, vec![unit])),
            }
        }
        classes.sort_unstable_by_key(|(class, _)| *class);
        for (class, units) in classes {
            if class == 0 {
                self.place_large(units);
                continue;
            }
            let count = units.len() as u64;
            let recordsize = (class != self.records.usual()).then_some(Bytes(class));
            let file = self.add_file(count * class, recordsize, class);
            for (number, unit) in (0u64..).zip(units) {
                let slot = shuffled(number, count, mixed(class));
                self.set_begin(unit, PlaceInFile { file, offset: slot * class });
            }
        }
    }

    fn place_large(&mut self, mut objects: Vec<u32>) {
        objects.sort_unstable_by_key(|object| mixed(u64::from(*object)));
        let record = self.records.usual();
        let room = |end: u64| end.next_multiple_of(record);
        let all = objects.iter().filter_map(|object| self.ends.get(*object as usize));
        let all: u64 = all.map(|end| room(*end)).sum();
        let file = self.add_file(all, None, self.part);
        let mut offset = 0;
        for object in objects {
            let end = self.ends.get(object as usize).copied().unwrap_or(0);
            self.set_begin(object, PlaceInFile { file, offset });
            offset += room(end);
        }
    }

    fn add_file(&mut self, size: u64, recordsize: Option<Bytes>, part: u64) -> u16 {
        self.files.push(ReplayFile { size: Bytes(size), recordsize });
        self.parts.push(part);
        u16::try_from(self.files.len() - 1).unwrap_or(u16::MAX)
    }

    fn set_begin(&mut self, unit: u32, place: PlaceInFile) {
        self.begins.get_mut(unit as usize).into_iter().for_each(|begin| *begin = place);
    }
}

/// Returns the bytes of a request; a record where the trace does not say.
fn length(request: &Request, record: u64) -> u64 {
    if request.bytes == 0 { record } else { u64::from(request.bytes) }
}
