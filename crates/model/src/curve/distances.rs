//! Reuse distances: how many other blocks were used since the last use of this one.
//!
//! Each block has one bit at the time of its last use. The distance is the number of bits after it: ones in its chunk
//! of 512, and whole chunks by a tree of sums (Fenwick, 1994). Time is numbered anew when it reaches
//! a multiple of the number of blocks, so that everything stays in the processor's cache.
#![expect(
    clippy::indexing_slicing,
    reason = "positions are below the capacity, blocks below the number given at the start"
)]

/// Bits of a chunk.
const CHUNK: u32 = 512;
const WORDS: usize = CHUNK as usize / 64;
const NEVER: u32 = u32::MAX;

/// The last uses of blocks, in the order of time.
#[derive(Debug)]
pub(super) struct Distances {
    /// The position of the last use of each block.
    last: Vec<u32>,
    /// The block of each position that is the last use of one.
    blocks: Vec<u32>,
    bits: Vec<u64>,
    /// Fenwick's sums over chunks.
    sums: Vec<u32>,
    next: u32,
    used: u32,
}

impl Distances {
    /// For blocks below `count`.
    pub(super) fn new(count: u32) -> Self {
        let capacity = (count.saturating_mul(3)).max(1 << 12).next_multiple_of(CHUNK);
        let chunks = (capacity / CHUNK) as usize;
        Self {
            last: vec![NEVER; count as usize],
            blocks: vec![0; capacity as usize],
            bits: vec![0; chunks * WORDS],
            sums: vec![0; chunks + 1],
            next: 0,
            used: 0,
        }
    }

    /// Uses a block; returns how many others were used since it was used before. None: never before.
    pub(super) fn touch(&mut self, block: u32) -> Option<u32> {
        if self.next as usize == self.blocks.len() {
            self.renumber();
        }
        let last = std::mem::replace(&mut self.last[block as usize], self.next);
        let distance = if last == NEVER {
            self.used += 1;
            None
        } else {
            let before = self.count_through(last);
            self.bits[last as usize / 64] &= !(1 << (last % 64));
            self.change(last / CHUNK, u32::MAX);
            Some(self.used - before)
        };
        self.blocks[self.next as usize] = block;
        self.bits[self.next as usize / 64] |= 1 << (self.next % 64);
        self.change(self.next / CHUNK, 1);
        self.next += 1;
        distance
    }

    /// Returns how many positions up to this one are the last use of a block.
    fn count_through(&self, position: u32) -> u32 {
        let chunk = position / CHUNK;
        let mut sum = 0u32;
        let mut at = chunk as usize;
        while at > 0 {
            sum = sum.wrapping_add(self.sums[at]);
            at &= at - 1;
        }
        let word = position as usize / 64;
        let first = chunk as usize * WORDS;
        sum += self.bits[first..word].iter().map(|word| word.count_ones()).sum::<u32>();
        // Shifting by 63 and once more keeps all bits for the last position of a word.
        let upto = u64::MAX >> (63 - position % 64);
        sum + (self.bits[word] & upto).count_ones()
    }

    fn change(&mut self, chunk: u32, by: u32) {
        let mut at = chunk as usize + 1;
        while at < self.sums.len() {
            self.sums[at] = self.sums[at].wrapping_add(by);
            at += at & at.wrapping_neg();
        }
    }

    fn renumber(&mut self) {
        let mut next = 0u32;
        for word in 0..self.bits.len() {
            let mut bits = self.bits[word];
            while bits != 0 {
                let position = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let block = self.blocks[position];
                self.blocks[next as usize] = block;
                self.last[block as usize] = next;
                next += 1;
            }
        }
        self.next = next;
        self.bits.fill(0);
        let whole = next as usize / 64;
        self.bits[..whole].fill(u64::MAX);
        if !next.is_multiple_of(64) {
            self.bits[whole] = (1 << (next % 64)) - 1;
        }
        self.sums.fill(0);
        for chunk in 0..next.div_ceil(CHUNK) {
            self.change(chunk, (next - chunk * CHUNK).min(CHUNK));
        }
    }
}
