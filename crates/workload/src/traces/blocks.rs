//! From requests to accesses of numbered blocks, as caches see them.

use arcwright_units::{Bytes, Nanos};

use super::intern::{Interner, TOGETHER};
use super::{Request, RequestKind, Trace};

/// The most accesses that any trace may have once it is expanded: 1 Gi, or 4 GiB of memory.
pub const ACCESSES_MAX: usize = 1 << 30;
/// Blocks of one device: the number of the device stands above them in a key.
const BLOCKS_OF_A_VOLUME: u64 = 1 << 40;

/// How requests become accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockOptions {
    /// Requests are cut into blocks of this size; none: each place is one object of its own size.
    pub block: Option<Bytes>,
    /// Whether times are kept.
    pub times: bool,
    /// The most accesses.
    pub accesses_max: usize,
}

impl BlockOptions {
    /// Objects as they are, without times.
    pub const OBJECTS: Self = Self { block: None, times: false, accesses_max: ACCESSES_MAX };

    /// Blocks of one size, without times.
    #[must_use]
    pub const fn of(block: Bytes) -> Self {
        Self { block: Some(block), ..Self::OBJECTS }
    }
}

/// Numbers blocks while requests come in.
#[derive(Debug)]
pub struct Blocks {
    options: BlockOptions,
    interner: Interner,
    trace: Trace,
    keys: Vec<u64>,
    /// The size of all objects, as long as they have one; until then the trace has no sizes.
    one_size: Option<u32>,
}

impl Blocks {
    /// Begins with no access.
    #[must_use]
    pub fn new(options: BlockOptions) -> Self {
        let block_bytes = options.block.map_or(0, |block| block.0.max(1));
        Self {
            options,
            interner: Interner::new(),
            trace: Trace { block_bytes, ..Trace::default() },
            keys: Vec::with_capacity(TOGETHER),
            one_size: None,
        }
    }

    /// Adds the accesses of requests. Flushes and trims are none.
    ///
    /// # Errors
    /// A sentence, when there are more accesses than may be, or a block lies too far.
    pub fn add(&mut self, requests: &[Request]) -> Result<(), String> {
        match self.options.block {
            None => self.add_objects(requests),
            Some(block) => self.add_blocks(requests, block.0.max(1)),
        }
    }

    fn add_objects(&mut self, requests: &[Request]) -> Result<(), String> {
        for requests in requests.chunks(TOGETHER) {
            let all = requests.iter().all(accesses);
            let these = || requests.iter().filter(|request| all || accesses(request));
            self.keys.clear();
            self.keys.extend(these().map(|request| request.place));
            self.check_room(self.keys.len())?;
            let begun = self.trace.accesses.len();
            self.keep_one_size(these().map(|request| request.bytes));
            self.interner.number_all(&self.keys, &mut self.trace.accesses);
            if self.one_size.is_none() {
                let numbers = self.trace.accesses.get(begun..).unwrap_or(&[]);
                for (request, number) in these().zip(numbers) {
                    match self.trace.bytes.get_mut(*number as usize) {
                        // Sizes hardly ever grow: a load is cheaper than a store.
                        Some(bytes) if request.bytes <= *bytes => {}
                        Some(bytes) => *bytes = request.bytes,
                        None => self.trace.bytes.push(request.bytes),
                    }
                }
            }
            for (index, request) in these().enumerate() {
                if request.kind == RequestKind::Write {
                    self.trace.writes.insert(begun + index);
                }
            }
            if self.options.times {
                self.trace.millis.extend(these().map(|request| millis(request.time)));
            }
        }
        Ok(())
    }

    /// Sees whether the next objects have the size of all others; gives each of those its own where they have not.
    fn keep_one_size(&mut self, mut sizes: impl Iterator<Item = u32> + Clone) {
        let known = self.interner.count();
        if known == 0 {
            self.one_size = sizes.clone().next();
        }
        if let Some(size) = self.one_size
            && sizes.any(|other| other != size)
        {
            self.one_size = None;
            self.trace.bytes = vec![size; known as usize];
        }
    }

    fn add_blocks(&mut self, requests: &[Request], block: u64) -> Result<(), String> {
        for request in requests.iter().filter(|request| accesses(request)) {
            let first = request.place / block;
            let end = request.place.checked_add(u64::from(request.bytes.max(1)));
            let last = end.map(|end| (end - 1) / block).filter(|last| *last < BLOCKS_OF_A_VOLUME);
            let last = last.ok_or_else(|| {
                format!(
                    "byte {} lies beyond what blocks of {block} bytes can number",
                    request.place
                )
            })?;
            let count = usize::try_from(last - first + 1).unwrap_or(usize::MAX);
            self.check_room(count)?;
            let begun = self.trace.accesses.len();
            let volume = u64::from(request.volume) * BLOCKS_OF_A_VOLUME;
            let mut at = first;
            while at <= last {
                self.keys.clear();
                let end = last.min(at + TOGETHER as u64 - 1);
                self.keys.extend((at..=end).map(|block| volume | block));
                self.interner.number_all(&self.keys, &mut self.trace.accesses);
                at = end + 1;
            }
            if request.kind == RequestKind::Write {
                (begun..begun + count).for_each(|index| self.trace.writes.insert(index));
            }
            if self.options.times {
                let time = millis(request.time);
                self.trace.millis.extend(std::iter::repeat_n(time, count));
            }
        }
        Ok(())
    }

    fn check_room(&self, more: usize) -> Result<(), String> {
        let most = self.options.accesses_max;
        match self.trace.accesses.len().saturating_add(more) > most {
            true => Err(format!("the trace has more than {most} accesses")),
            false => Ok(()),
        }
    }

    /// Returns the trace.
    #[must_use]
    pub fn finish(mut self) -> Trace {
        self.trace.pages = self.interner.count();
        let block = u32::try_from(self.trace.block_bytes).unwrap_or(u32::MAX);
        if let Some(size) = self.one_size.or((block > 0).then_some(block)) {
            self.trace.bytes = vec![size; self.trace.pages as usize];
        }
        self.trace
    }
}

fn accesses(request: &Request) -> bool {
    matches!(request.kind, RequestKind::Read | RequestKind::Write)
}

/// Milliseconds, up to 49 days.
fn millis(time: Nanos) -> u32 {
    u32::try_from(time.0 / 1_000_000).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use arcwright_units::Nanos;

    use super::{BlockOptions, Blocks, Request, RequestKind};

    /// Numbers objects of these sizes, and compares each with the largest that was asked for.
    fn check(objects: &[(u64, u32)]) {
        let request = |(place, bytes): &(u64, u32)| Request {
            time: Nanos::ZERO,
            place: *place,
            bytes: *bytes,
            volume: 0,
            kind: RequestKind::Read,
        };
        let mut blocks = Blocks::new(BlockOptions::OBJECTS);
        blocks.add(&objects.iter().map(request).collect::<Vec<_>>()).unwrap();
        let trace = blocks.finish();
        let mut largest = BTreeMap::new();
        for ((_, bytes), page) in objects.iter().zip(&trace.accesses) {
            let known = largest.entry(*page).or_insert(0);
            *known = *bytes.max(known);
        }
        assert_eq!(trace.bytes, largest.into_values().collect::<Vec<u32>>());
    }

    #[test]
    fn an_object_has_the_largest_size_that_was_asked_for() {
        check(&[]);
        check(&[(7, 512)]);
        let even: Vec<(u64, u32)> = (0..300).map(|at| (at * at % 131, 4096)).collect();
        check(&even);
        for odd in [0, 1, 63, 64, 200, 299] {
            for bytes in [512, 8192] {
                let mut objects = even.clone();
                objects[odd].1 = bytes;
                check(&objects);
            }
        }
    }
}
