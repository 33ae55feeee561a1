//! The bytes of an input, taken bit by bit by targets that build something of them.
//!
//! What is left out is zero or empty, so that every input means something and a shorter one is simpler.

/// What is left of an input.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    /// Begins with all bytes.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Says whether nothing is left.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Takes a byte.
    pub fn byte(&mut self) -> u8 {
        let (first, rest) = self.rest.split_first().map_or((0, self.rest), |(b, rest)| (*b, rest));
        self.rest = rest;
        first
    }

    /// Takes a byte as a number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count.max(1)
    }

    /// Takes a byte as one of several values.
    pub fn pick<T: Copy, const N: usize>(&mut self, values: &[T; N]) -> T {
        values[self.below(N)]
    }

    /// Takes a number of eight bytes, the first of which says how many are used, so that most are small.
    pub fn number(&mut self) -> u64 {
        let length = self.below(9);
        (0..length).fold(0, |number, _| (number << 8) | u64::from(self.byte()))
    }

    /// Takes bytes whose count stands before them.
    pub fn bytes(&mut self) -> &'a [u8] {
        let count = usize::from(self.byte()).min(self.rest.len());
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        taken
    }

    /// Takes bytes whose count stands before them, as text.
    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// Takes bytes up to a zero or the end, as text.
    pub fn part(&mut self) -> String {
        let end = self.rest.iter().position(|byte| *byte == 0).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..).unwrap_or_default();
        String::from_utf8_lossy(taken).into_owned()
    }

    /// Returns all that is left, as text.
    #[must_use]
    pub fn remainder(self) -> String {
        String::from_utf8_lossy(self.rest).into_owned()
    }
}
