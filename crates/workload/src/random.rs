//! Named random streams: every draw comes from a stream named for its place.
//!
//! SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014)
//! seeds and steps the stream; the name is folded in with FNV-1a, so that an extra draw in one
//! place never shifts the draws of another.

/// A deterministic stream of random numbers.
#[derive(Debug, Clone)]
pub struct Stream {
    state: u64,
}

impl Stream {
    /// Returns the stream of `seed` for the place called `name`.
    #[must_use]
    pub fn new(seed: u64, name: &str) -> Self {
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut stream = Self { state: seed ^ hash };
        stream.next_u64();
        stream
    }

    /// Returns the next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number in `0..bound` without bias worth measuring (multiply-shift); 0 for bound 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        let wide = u128::from(self.next_u64()) * u128::from(bound);
        u64::try_from(wide >> 64).unwrap_or(0)
    }

    /// Returns a number in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::Stream;

    #[test]
    fn streams_of_one_seed_differ_by_name_and_repeat() {
        let draw = |seed, name| Stream::new(seed, name).next_u64();
        assert_eq!(draw(1, "reader 0"), draw(1, "reader 0"));
        assert_ne!(draw(1, "reader 0"), draw(1, "reader 1"));
        assert_ne!(draw(1, "reader 0"), draw(2, "reader 0"));
    }

    #[test]
    fn below_stays_below_and_reaches_both_ends() {
        let mut stream = Stream::new(7, "test");
        let draws: Vec<u64> = (0..1000).map(|_| stream.below(5)).collect();
        assert_eq!((draws.iter().min(), draws.iter().max()), (Some(&0), Some(&4)));
        assert_eq!(stream.below(0), 0);
    }
}
