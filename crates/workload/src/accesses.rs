//! The exact sequence of requests of one client.

use arcwright_units::{Bytes, Nanos};

use crate::shuffle::{mixed, shuffled};
use crate::{Action, Client, Durability, Pattern, Replay, ReplayRequest, Stream};

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The byte where it starts.
    pub offset: u64,
    /// Its length in bytes, at most the client's request size.
    pub size: u32,
    /// Whether it writes.
    pub write: bool,
    /// Which of the client's files: 0 is the first, then the further ones in order.
    pub file: u32,
    /// Whether it waits for stable storage, and how.
    pub waits: Waits,
    /// It is not made before this time, from when its client begins.
    pub at: Nanos,
}

/// How a request waits for stable storage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Waits {
    /// It does not.
    #[default]
    No,
    /// The write itself does (`O_SYNC`).
    Write,
    /// An `fsync` follows the write.
    Fsync,
}

/// Iterates over the requests of one client on files of a given size.
#[derive(Debug, Clone)]
pub struct Accesses {
    file_size: u64,
    io: u64,
    /// The largest request, in steps of `io`.
    steps: u64,
    left: u64,
    /// Where each file is read or written next, or how many places of it have been visited; after
    /// them, where it is written when that is another place.
    positions: Vec<u64>,
    files: usize,
    turn: usize,
    order: Order,
    kind: Kind,
    durability: Durability,
    /// Writes since the last `fsync`.
    unsynced: u32,
    stream: Stream,
    /// What a trace says, instead of all that.
    replay: Option<Replay>,
    played: usize,
}

#[derive(Debug, Clone)]
enum Order {
    Sequential,
    SequentialApart,
    Random,
    Shuffled { key: u64 },
    Zipf { exponent: f64, places: u64 },
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Read,
    Write,
    Mixed { read_pct: u8 },
}

impl Accesses {
    /// Returns the requests of `client`; `name` tells its random stream from the others.
    ///
    /// The caller has resolved the size of the client's files, which are all of one size; a client of
    /// an action without offsets (a tree) yields nothing. A trace says all of it by itself.
    #[must_use]
    pub fn new(client: &Client, file_size: Bytes, seed: u64, name: &str) -> Self {
        let io = client.io.0.clamp(1, u64::from(u32::MAX));
        let kind = match client.action {
            Action::Read => Some(Kind::Read),
            Action::Write => Some(Kind::Write),
            Action::Mixed { read_pct } => Some(Kind::Mixed { read_pct }),
            Action::TreeStat | Action::TreeRead | Action::TreeCopy { .. } => None,
            Action::Fio { .. } | Action::Trace { .. } => None,
        };
        let files = client.more_files.len() + 1;
        let all = file_size.saturating_mul(files as u64);
        let amount = client.amount.unwrap_or(all).0;
        let order = match client.pattern {
            Pattern::Sequential => Order::Sequential,
            Pattern::SequentialApart => Order::SequentialApart,
            Pattern::Random => Order::Random,
            // A stream of its own, so that sizes and kinds are drawn as with every other pattern.
            Pattern::Shuffled => {
                Order::Shuffled { key: Stream::new(seed, &format!("{name}, order")).next_u64() }
            }
            Pattern::Zipf { exponent } => {
                Order::Zipf { exponent, places: (file_size.0 / io).max(1) }
            }
        };
        Self {
            file_size: file_size.0,
            io,
            steps: client.io_max.map_or(1, |most| (most.0 / io).max(1)),
            left: if kind.is_some() && file_size.0 > 0 { amount } else { 0 },
            positions: vec![0; files * 2],
            files,
            turn: 0,
            order,
            kind: kind.unwrap_or(Kind::Read),
            durability: client.durability,
            unsynced: 0,
            stream: Stream::new(seed, name),
            replay: match &client.action {
                Action::Trace { replay, .. } => Some(replay.clone()),
                _ => None,
            },
            played: 0,
        }
    }

    fn next_offset(&mut self, size: u64, slot: usize) -> u64 {
        let file_size = self.file_size;
        match self.order {
            Order::Sequential | Order::SequentialApart => {
                self.positions.get_mut(slot).map_or(0, |position| {
                    let offset = if *position >= file_size { 0 } else { *position };
                    *position = offset + size;
                    offset
                })
            }
            Order::Shuffled { key } => {
                // What is left over at the end of the file is a place too.
                let places = file_size.div_ceil(self.io).max(1);
                self.positions.get_mut(slot).map_or(0, |visited| {
                    let (pass, index) = (*visited / places, *visited % places);
                    *visited += 1;
                    shuffled(index, places, mixed(key ^ mixed(pass) ^ slot as u64)) * self.io
                })
            }
            Order::Random => {
                let places = (self.file_size / self.io).max(1);
                self.stream.below(places) * self.io
            }
            Order::Zipf { exponent, places } => {
                let rank = zipf_rank(&mut self.stream, exponent, places);
                spread(rank, places) * self.io
            }
        }
    }
}

impl Iterator for Accesses {
    type Item = Access;

    fn next(&mut self) -> Option<Access> {
        if self.replay.is_some() {
            return self.next_of_trace();
        }
        if self.left == 0 {
            return None;
        }
        let steps = if self.steps > 1 { self.stream.below(self.steps) + 1 } else { 1 };
        let wanted = self.io * steps;
        // Drawn after the place, except where the place depends on it.
        let apart = matches!(self.order, Order::SequentialApart).then(|| self.draw_write());
        let slot = if apart == Some(true) { self.turn + self.files } else { self.turn };
        let offset = self.next_offset(wanted, slot);
        let size = wanted.min(self.left).min(self.file_size - offset.min(self.file_size));
        self.left -= size.min(self.left);
        let file = u32::try_from(self.turn).unwrap_or(0);
        self.turn = (self.turn + 1) % self.files.max(1);
        let write = apart.unwrap_or_else(|| self.draw_write());
        let size = u32::try_from(size).ok().filter(|size| *size > 0)?;
        let waits = if write { self.count_write() } else { Waits::No };
        Some(Access { offset, size, write, file, waits, at: Nanos::ZERO })
    }
}

/// How many requests of a trace are announced at once.
const ANNOUNCED: usize = 32;

impl Accesses {
    /// Returns requests of a trace that come next, some at once and each once, so that what they will need can be
    /// brought near; nothing in between, and of what is no trace.
    #[must_use]
    pub fn announced(&self) -> &[ReplayRequest] {
        let Some(replay) = self.replay.as_ref().filter(|_| self.played.is_multiple_of(ANNOUNCED))
        else {
            return &[];
        };
        let left = replay.requests().get(self.played..).unwrap_or(&[]);
        left.get(..ANNOUNCED).unwrap_or(left)
    }

    fn next_of_trace(&mut self) -> Option<Access> {
        let ReplayRequest { at, offset, size, file, write, flush } =
            self.replay.as_ref()?.get(self.played)?;
        self.played += 1;
        let waits = match (write, flush) {
            (false, _) => Waits::No,
            (true, _) if self.durability == Durability::EachWrite => Waits::Write,
            (true, false) => Waits::No,
            (true, true) => Waits::Fsync,
        };
        Some(Access { offset, size, write, file: u32::from(file), waits, at })
    }

    /// Says whether the next request writes.
    fn draw_write(&mut self) -> bool {
        match self.kind {
            Kind::Read => false,
            Kind::Write => true,
            Kind::Mixed { read_pct } => self.stream.below(100) >= u64::from(read_pct),
        }
    }

    /// Counts a write and says how it waits.
    fn count_write(&mut self) -> Waits {
        match self.durability {
            Durability::Later => Waits::No,
            Durability::EachWrite => Waits::Write,
            Durability::AtEnd if self.left == 0 => Waits::Fsync,
            Durability::AtEnd => Waits::No,
            Durability::Every(count) => {
                self.unsynced += 1;
                if self.unsynced < count.max(1) {
                    return Waits::No;
                }
                self.unsynced = 0;
                Waits::Fsync
            }
        }
    }
}

/// Draws a rank in `0..places` with probability ∝ 1/(rank+1)^exponent.
///
/// Rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from
/// monotone discrete distributions", ACM TOMACS 6(3), 1996): exact for every exponent, no table. The powers are
/// those of a library, so that they have the same bits on every platform.
fn zipf_rank(stream: &mut Stream, exponent: f64, places: u64) -> u64 {
    let integral = |x: f64| {
        if (exponent - 1.0).abs() < 1e-9 {
            libm::log(x)
        } else {
            (libm::pow(x, 1.0 - exponent) - 1.0) / (1.0 - exponent)
        }
    };
    let inverse = |y: f64| {
        if (exponent - 1.0).abs() < 1e-9 {
            libm::exp(y)
        } else {
            libm::pow(1.0 + y * (1.0 - exponent), 1.0 / (1.0 - exponent))
        }
    };
    let density = |x: f64| libm::pow(x, -exponent);
    let (low, high) = (integral(1.5) - 1.0, integral(places as f64 + 0.5));
    // Each round accepts with a probability well above one half; the bound only guards the loop.
    const ROUNDS_MAX: u32 = 1000;
    for _ in 0..ROUNDS_MAX {
        let area = high + stream.unit() * (low - high);
        let x = inverse(area);
        let rank = x.round().clamp(1.0, places as f64);
        if rank - x <= 0.5 && area >= integral(rank + 0.5) - density(rank) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped between 1 and the number of places"
            )]
            return rank as u64 - 1;
        }
    }
    0
}

/// Sends ranks to places by a fixed permutation, so that popular places do not lie side by side.
fn spread(rank: u64, places: u64) -> u64 {
    // Multiplying by a number coprime to `places` permutes 0..places.
    // Near the golden section of `places`, so that neighbouring ranks land far apart.
    let golden = u128::from(places) * 618_034 / 1_000_000;
    let mut factor = u64::try_from(golden).unwrap_or(0) | 1;
    while gcd(factor, places) != 1 {
        factor += 2;
    }
    u64::try_from(u128::from(rank) * u128::from(factor) % u128::from(places)).unwrap_or(0)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests;
