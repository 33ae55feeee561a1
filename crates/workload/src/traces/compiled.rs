//! Our own compiled trace: blocks are numbered already, so that a repeated run has nothing to look up.
//!
//! Little-endian: a head of 40 bytes (magic number 8, version 4, flags 4: bit 0 says that there are times; blocks 8,
//! requests 8, bytes of a block 8, or 0 where objects have sizes of their own), the size of each block (4), then the requests: the number of the block (4), whose highest bit
//! says that it is written, and, if there are times, milliseconds since the first (4).

use arcwright_units::Nanos;

use super::binary::{Record, u32_at, u64_at};
use super::{ACCESSES_MAX, Request, RequestKind, Trace};

/// How a file begins: `ARCTRACE`.
pub(super) const MAGIC: u64 = u64::from_le_bytes(*b"ARCTRACE");
/// Bytes before the sizes.
pub(super) const HEADER: usize = 40;
const VERSION: u32 = 1;
/// The bit of a request that says that it writes.
pub(super) const WRITES: u32 = 1 << 31;

/// The head of a compiled trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) timed: bool,
    pub(super) blocks: u32,
    pub(super) requests: u64,
    pub(super) block_bytes: u64,
}

impl Head {
    /// Reads a head of that length.
    pub(super) fn read(head: &[u8]) -> Result<Self, String> {
        if u64_at(head, 0) != MAGIC {
            return Err("this is no compiled trace: it does not begin with “ARCTRACE”".to_owned());
        }
        let (version, flags) = (u32_at(head, 8), u32_at(head, 12));
        if version != VERSION || flags > 1 {
            return Err(format!("a compiled trace of version {version}; compile it again"));
        }
        let blocks = u32::try_from(u64_at(head, 16)).ok().filter(|blocks| *blocks < WRITES);
        let blocks = blocks.ok_or("more blocks than a compiled trace can have")?;
        Ok(Self {
            timed: flags == 1,
            blocks,
            requests: u64_at(head, 24),
            block_bytes: u64_at(head, 32),
        })
    }

    /// Returns the bytes of one request.
    pub(super) fn record(&self) -> usize {
        if self.timed { 8 } else { 4 }
    }
}

/// Writes a trace in the compiled form.
#[must_use]
pub fn compile(trace: &Trace) -> Vec<u8> {
    let timed = !trace.millis.is_empty();
    let mut bytes = Vec::with_capacity(HEADER + trace.bytes.len() * 4 + trace.accesses.len() * 8);
    bytes.extend(MAGIC.to_le_bytes());
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(u32::from(timed).to_le_bytes());
    bytes.extend(u64::from(trace.pages).to_le_bytes());
    bytes.extend((trace.accesses.len() as u64).to_le_bytes());
    bytes.extend(trace.block_bytes.to_le_bytes());
    for size in &trace.bytes {
        bytes.extend(size.to_le_bytes());
    }
    let mut millis = trace.millis.iter();
    for (index, page) in trace.accesses.iter().enumerate() {
        let writes = if trace.writes.contains(index) { WRITES } else { 0 };
        bytes.extend((page | writes).to_le_bytes());
        if let Some(time) = millis.next() {
            bytes.extend(time.to_le_bytes());
        }
    }
    bytes
}

/// Reads a compiled trace that is in memory as a whole.
///
/// None for one that is damaged, or whose times do not begin at zero: it is read part by part, which says what is wrong with it,
/// and where.
pub(super) fn decompile(bytes: &[u8], times: bool) -> Option<Trace> {
    let head = Head::read(bytes.get(..HEADER)?).ok()?;
    let blocks = head.blocks as usize;
    let (sizes, records) = bytes.get(HEADER..)?.split_at_checked(blocks.checked_mul(4)?)?;
    let requests = usize::try_from(head.requests).ok().filter(|requests| *requests > 0)?;
    if requests.checked_mul(head.record())? != records.len() || requests > ACCESSES_MAX {
        return None;
    }
    let mut numbering = Numbering { sizes, blocks: head.blocks, next: 0, new: None };
    let mut trace = Trace { accesses: Vec::with_capacity(requests), ..Trace::default() };
    let mut take = |trace: &mut Trace, number: u32| {
        if number & WRITES != 0 {
            trace.writes.insert(trace.accesses.len());
        }
        let page = numbering.number(number & !WRITES)?;
        trace.accesses.push(page);
        Some(())
    };
    match head.timed {
        false => {
            let numbers = records.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
            numbers.into_iter().try_for_each(|number| take(&mut trace, number))?;
        }
        true => {
            for (index, record) in records.as_chunks::<8>().0.iter().enumerate() {
                let (number, millis) = (u32_at(record, 0), u32_at(record, 4));
                // Times count from the first request.
                if index == 0 && millis > 0 {
                    return None;
                }
                take(&mut trace, number)?;
                if times {
                    trace.millis.push(millis);
                }
            }
        }
    }
    trace.pages = numbering.next;
    trace.bytes = numbering.sizes();
    Some(trace)
}

/// Numbers blocks in the order in which they are first met, which is theirs already as a rule.
struct Numbering<'a> {
    sizes: &'a [u8],
    blocks: u32,
    next: u32,
    /// The new number of each, and one; zero for one that was not met. None as long as all are in order.
    new: Option<Vec<u32>>,
}

impl Numbering<'_> {
    /// Returns the number of a block; none when there is no such block.
    fn number(&mut self, page: u32) -> Option<u32> {
        if self.new.is_none() {
            if page < self.next {
                return Some(page);
            }
            if page == self.next && page < self.blocks {
                self.next += 1;
                return Some(page);
            }
            let mut new: Vec<u32> = (1..=self.next).collect();
            new.resize(self.blocks as usize, 0);
            self.new = Some(new);
        }
        let new = self.new.as_mut()?.get_mut(page as usize)?;
        if *new == 0 {
            self.next += 1;
            *new = self.next;
        }
        Some(*new - 1)
    }

    /// Returns the sizes of the blocks that were met.
    fn sizes(&self) -> Vec<u32> {
        let sizes = self.sizes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let Some(new) = &self.new else { return sizes.take(self.next as usize).collect() };
        let mut ordered = vec![0; self.next as usize];
        for (size, new) in sizes.zip(new) {
            let place = new.checked_sub(1).and_then(|new| ordered.get_mut(new as usize));
            if let Some(place) = place {
                *place = size;
            }
        }
        ordered
    }
}

/// Reads the parts of a compiled trace one after the other.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    head: Option<Head>,
    sizes: Vec<u32>,
    read: u64,
}

impl Compiled {
    pub(super) fn length(&self) -> usize {
        match &self.head {
            None => HEADER,
            Some(head) if self.sizes.len() < head.blocks as usize => 4,
            Some(head) => head.record(),
        }
    }

    /// Reads one part, which has that length.
    pub(super) fn request(&mut self, record: &[u8]) -> Result<Option<Request>, String> {
        let Some(head) = &self.head else {
            self.head = Some(Head::read(record)?);
            return Ok(None);
        };
        if self.sizes.len() < head.blocks as usize {
            self.sizes.push(u32_at(record, 0));
            return Ok(None);
        }
        if self.read == head.requests {
            return Err(format!("more than the {} requests that the head says", head.requests));
        }
        self.read += 1;
        let (number, millis) = (u32_at(record, 0), u32_at(record, 4));
        let page = number & !WRITES;
        let size = self.sizes.get(page as usize);
        let bytes = *size.ok_or_else(|| format!("block {page} of {}", head.blocks))?;
        let kind = match number & WRITES {
            0 => RequestKind::Read,
            _ => RequestKind::Write,
        };
        let time = if head.timed { Nanos::millis(u64::from(millis)) } else { Nanos::ZERO };
        Ok(Some(Request { time, place: u64::from(page), bytes, volume: 0, kind }))
    }

    /// Returns whether head and sizes have been read.
    pub(super) fn is_open(&self) -> bool {
        self.head.as_ref().is_some_and(|head| self.sizes.len() >= head.blocks as usize)
    }

    /// Returns whether there are times; none before the head was read.
    pub(super) fn has_times(&self) -> bool {
        self.head.as_ref().is_some_and(|head| head.timed)
    }

    /// Says what is missing at the end.
    pub(super) fn finish(&self) -> Result<(), String> {
        match &self.head {
            Some(head) if self.read == head.requests => Ok(()),
            Some(head) => Err(format!(
                "the trace ends after {} of the {} requests that its head says",
                self.read, head.requests
            )),
            None => Err("the trace ends before its head does".to_owned()),
        }
    }
}

impl Record for Compiled {
    fn length(&self) -> usize {
        Self::length(self)
    }

    fn is_head(&self) -> bool {
        !self.is_open()
    }

    fn request(&mut self, record: &[u8]) -> Result<Option<Request>, String> {
        Self::request(self, record)
    }
}
