//! Which writes come one behind the other.

/// Runs of writes that a drive follows at once; typical of what drives do for reads, nobody publishes it.
const STREAMS: usize = 8;

/// A run of writes, each where the one before it ended.
#[derive(Debug, Clone, Copy)]
struct Stream {
    begin: u64,
    end: u64,
    used: u64,
    is_direct: bool,
}

/// The runs that a drive follows.
#[derive(Debug, Clone)]
pub(super) struct Streams {
    streams: Vec<Stream>,
    turn: u64,
    /// So much in a row goes straight to its band.
    direct_from: u64,
}

/// What a write is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Followed {
    /// It goes straight to its band.
    pub(super) is_direct: bool,
    /// The end of a run that went there and is not followed any more.
    pub(super) left: Option<u64>,
}

impl Streams {
    pub(super) fn new(direct_from: u64) -> Self {
        Self { streams: Vec::with_capacity(STREAMS), turn: 0, direct_from }
    }

    /// Says whether a write would go straight to its band.
    pub(super) fn would_be_direct(&self, start: u64, end: u64) -> bool {
        let stream = self.streams.iter().find(|stream| stream.end == start);
        let begin = stream.map_or(start, |stream| stream.begin);
        end - begin >= self.direct_from || stream.is_some_and(|stream| stream.is_direct)
    }

    /// Takes a write.
    pub(super) fn follow(&mut self, start: u64, end: u64) -> Followed {
        self.turn += 1;
        let is_direct = self.would_be_direct(start, end);
        let used = self.turn;
        if let Some(stream) = self.streams.iter_mut().find(|stream| stream.end == start) {
            *stream = Stream { begin: stream.begin, end, used, is_direct };
            return Followed { is_direct, left: None };
        }
        let stream = Stream { begin: start, end, used, is_direct };
        if self.streams.len() < STREAMS {
            self.streams.push(stream);
            return Followed { is_direct, left: None };
        }
        let oldest = self.streams.iter_mut().min_by_key(|stream| stream.used);
        let left = oldest.map(|oldest| std::mem::replace(oldest, stream));
        Followed { is_direct, left: left.filter(|left| left.is_direct).map(|left| left.end) }
    }

    /// Says whether a run goes straight to its bands.
    pub(super) fn is_any_direct(&self) -> bool {
        self.streams.iter().any(|stream| stream.is_direct)
    }

    /// Ends all runs and returns where those ended that went straight to their bands.
    pub(super) fn end_all(&mut self) -> impl Iterator<Item = u64> + '_ {
        self.streams.drain(..).filter(|stream| stream.is_direct).map(|stream| stream.end)
    }
}

#[cfg(test)]
mod tests {
    use super::{Followed, STREAMS, Streams};

    fn direct(writes: &[(u64, u64)]) -> Vec<bool> {
        let mut streams = Streams::new(30);
        writes.iter().map(|(start, end)| streams.follow(*start, *end).is_direct).collect()
    }

    #[test]
    fn a_run_goes_straight_to_its_band_once_it_is_long() {
        assert_eq!(direct(&[(0, 10), (10, 20), (20, 30), (30, 31)]), [false, false, true, true]);
        assert_eq!(direct(&[(0, 10), (50, 60), (10, 20), (20, 30)]), [false, false, false, true]);
        assert_eq!(direct(&[(0, 10), (11, 20), (20, 30)]), [false; 3]);
        assert_eq!(direct(&[(0, 40)]), [true]);
    }

    #[test]
    fn a_run_that_others_displace_is_left_where_it_ended() {
        let mut streams = Streams::new(30);
        streams.follow(0, 40);
        for other in 1..STREAMS as u64 {
            assert_eq!(streams.follow(other * 1000, other * 1000 + 1).left, None);
        }
        let expected = Followed { is_direct: false, left: Some(40) };
        assert_eq!(streams.follow(50_000, 50_001), expected);
        assert_eq!(streams.end_all().count(), 0);
    }
}
