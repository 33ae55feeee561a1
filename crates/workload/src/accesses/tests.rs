//! Laws of the request sequence, and the shapes of the patterns.

use std::collections::BTreeSet;

use arcwright_units::Bytes;

use super::{Access, Accesses, Waits, shuffled, spread, zipf_rank};
use crate::{Action, Client, Durability, Pattern, Stream};

fn client(action: Action, pattern: Pattern, io: u64) -> Client {
    Client { action, pattern, ..Client::reader("test.dat", Bytes(io)) }
}

fn accesses(client: &Client, file_size: u64) -> Vec<Access> {
    Accesses::new(client, Bytes(file_size), 1, "client 0").collect()
}

fn sequential(io: u64, amount: Option<u64>, file_size: u64) -> Vec<(u64, u32)> {
    let amount = amount.map(Bytes);
    let client = Client { amount, ..client(Action::Read, Pattern::Sequential, io) };
    accesses(&client, file_size).iter().map(|access| (access.offset, access.size)).collect()
}

fn place(number: u64) -> usize {
    usize::try_from(number).unwrap()
}

const PATTERNS: [Pattern; 7] = [
    Pattern::Sequential,
    Pattern::SequentialApart,
    Pattern::Random,
    Pattern::Shuffled,
    Pattern::Zipf { exponent: 0.5 },
    Pattern::Zipf { exponent: 1.0 },
    Pattern::Zipf { exponent: 2.5 },
];

#[test]
fn a_sequential_pass_ends_with_what_is_left() {
    assert_eq!(sequential(4, None, 10), [(0, 4), (4, 4), (8, 2)]);
    assert_eq!(sequential(16, None, 10), [(0, 10)]);
}

#[test]
fn a_larger_amount_starts_again_from_the_beginning() {
    assert_eq!(sequential(4, Some(13), 10), [(0, 4), (4, 4), (8, 2), (0, 3)]);
    assert_eq!(sequential(4, Some(3), 10), [(0, 3)]);
}

#[test]
fn nothing_is_asked_of_an_empty_file_or_a_tree() {
    for pattern in PATTERNS {
        assert_eq!(accesses(&client(Action::Read, pattern, 4), 0), []);
        assert_eq!(accesses(&client(Action::TreeRead, pattern, 4), 100), []);
    }
}

#[test]
fn every_pattern_stays_in_the_file_and_moves_the_amount() {
    for pattern in PATTERNS {
        for (io, amount, size) in [(4, 1000, 10), (7, 999, 64), (64, 1000, 10), (1, 50, 1)] {
            let amount_bytes = Some(Bytes(amount));
            let client = Client { amount: amount_bytes, ..client(Action::Read, pattern, io) };
            let all = accesses(&client, size);
            assert!(all.iter().all(|access| access.offset + u64::from(access.size) <= size));
            assert!(all.iter().all(|access| u64::from(access.size) <= io));
            assert_eq!(all.iter().map(|access| u64::from(access.size)).sum::<u64>(), amount);
        }
    }
}

#[test]
fn the_same_seed_and_name_give_the_same_requests() {
    for pattern in PATTERNS {
        let client = client(Action::Mixed { read_pct: 40 }, pattern, 4);
        assert_eq!(accesses(&client, 400), accesses(&client, 400));
    }
    let client = client(Action::Read, Pattern::Random, 4);
    let named = |name| Accesses::new(&client, Bytes(400), 1, name).collect::<Vec<_>>();
    assert_ne!(named("client 0"), named("client 1"));
}

#[test]
fn reads_and_writes_are_mixed_as_asked() {
    let writes_pct = |action| {
        let client = client(action, Pattern::Random, 1);
        let all = accesses(&client, 20_000);
        all.iter().filter(|access| access.write).count() * 100 / all.len()
    };
    assert_eq!(writes_pct(Action::Read), 0);
    assert_eq!(writes_pct(Action::Mixed { read_pct: 100 }), 0);
    assert_eq!(writes_pct(Action::Mixed { read_pct: 0 }), 100);
    assert_eq!(writes_pct(Action::Write), 100);
    let share = writes_pct(Action::Mixed { read_pct: 30 });
    assert!((68..=72).contains(&share), "{share} % writes of 70 %");
}

#[test]
fn random_visits_every_place_about_equally() {
    let client =
        Client { amount: Some(Bytes(100_000)), ..client(Action::Read, Pattern::Random, 1) };
    let mut counts = [0u32; 10];
    accesses(&client, 10).iter().for_each(|access| counts[place(access.offset)] += 1);
    // Ten thousand each; five standard deviations of the binomial are 5 * sqrt(9000) = 474.
    assert!(counts.iter().all(|count| count.abs_diff(10_000) < 474), "{counts:?}");
}

/// Pearson's chi-square of drawn ranks against 1/(rank+1)^exponent.
fn chi_square(exponent: f64, places: u64, draws: u32) -> f64 {
    let mut stream = Stream::new(3, "zipf");
    let mut counts = vec![0u32; place(places)];
    (0..draws).for_each(|_| counts[place(zipf_rank(&mut stream, exponent, places))] += 1);
    let weights = (1..=places).map(|rank| (rank as f64).powf(-exponent)).collect::<Vec<_>>();
    let whole: f64 = weights.iter().sum();
    let expected = weights.iter().map(|weight| weight / whole * f64::from(draws));
    counts.iter().zip(expected).map(|(count, e)| (f64::from(*count) - e).powi(2) / e).sum()
}

#[test]
fn zipf_ranks_follow_their_distribution() {
    for exponent in [0.3, 0.5, 0.99, 1.0, 1.2, 2.0, 3.0] {
        // 19 degrees of freedom: 43.8 is exceeded once in a thousand times.
        let value = chi_square(exponent, 20, 200_000);
        assert!(value < 43.8, "exponent {exponent}: chi-square {value:.1}");
    }
}

#[test]
fn zipf_of_one_place_or_an_absurd_exponent_is_the_first() {
    let mut stream = Stream::new(3, "zipf");
    assert!((0..100).all(|_| zipf_rank(&mut stream, 1.0, 1) == 0));
    assert!((0..100).all(|_| zipf_rank(&mut stream, 500.0, 1000) == 0));
    assert!((0..100).all(|_| zipf_rank(&mut stream, 1e-9, 5) < 5));
}

#[test]
fn spreading_ranks_is_a_permutation() {
    for places in [1, 2, 3, 10, 97, 1000, 1 << 12] {
        let seen: BTreeSet<u64> = (0..places).map(|rank| spread(rank, places)).collect();
        assert_eq!(seen.len() as u64, places);
        assert!(seen.iter().all(|place| *place < places));
    }
}

#[test]
fn files_are_taken_in_turns_each_from_its_own_start() {
    let more_files = vec!["b".to_owned(), "c".to_owned()];
    let client = Client { more_files, ..client(Action::Read, Pattern::Sequential, 4) };
    let taken: Vec<(u32, u64)> =
        accesses(&client, 8).iter().map(|access| (access.file, access.offset)).collect();
    assert_eq!(taken, [(0, 0), (1, 0), (2, 0), (0, 4), (1, 4), (2, 4)]);
}

#[test]
fn drawn_sizes_are_whole_steps_within_their_bounds_and_all_occur() {
    let io_max = Some(Bytes(16));
    let client = Client {
        io_max,
        amount: Some(Bytes(4000)),
        ..client(Action::Read, Pattern::Sequential, 4)
    };
    let sizes: BTreeSet<u32> =
        accesses(&client, 1 << 20).iter().map(|access| access.size).collect();
    assert_eq!(sizes, BTreeSet::from([4, 8, 12, 16]));
}

#[test]
fn an_fsync_follows_every_nth_write_and_no_read() {
    let check = |durability, expected: &[Waits]| {
        let client = Client { durability, ..client(Action::Write, Pattern::Sequential, 4) };
        let waits: Vec<Waits> = accesses(&client, 16).iter().map(|access| access.waits).collect();
        assert_eq!(waits, expected, "{durability:?}");
    };
    check(Durability::Later, &[Waits::No; 4]);
    check(Durability::EachWrite, &[Waits::Write; 4]);
    check(Durability::Every(1), &[Waits::Fsync; 4]);
    check(Durability::Every(2), &[Waits::No, Waits::Fsync, Waits::No, Waits::Fsync]);
    let reads = Client {
        durability: Durability::EachWrite,
        ..client(Action::Read, Pattern::Sequential, 4)
    };
    assert!(accesses(&reads, 16).iter().all(|access| access.waits == Waits::No));
}

#[test]
fn a_shuffle_visits_every_place_once_and_in_another_order_the_next_time() {
    for places in (1..70).chain([1000, 4096, 4097]) {
        let visited: BTreeSet<u64> = (0..places).map(|i| shuffled(i, places, 7)).collect();
        assert_eq!(visited.len() as u64, places);
        assert_eq!(visited.last(), Some(&(places - 1)));
    }
    let client = Client { amount: Some(Bytes(2000)), ..client(Action::Read, Pattern::Shuffled, 4) };
    let all: Vec<u64> = accesses(&client, 1000).iter().map(|access| access.offset).collect();
    let (first, second) = all.split_at(250);
    assert_ne!(first, second);
    for pass in [first, second] {
        assert_eq!(pass.iter().collect::<BTreeSet<_>>().len(), 250);
        // Neighbours are few: one in 250 by chance.
        assert!(pass.windows(2).filter(|pair| pair[0] + 4 == pair[1]).count() < 8, "{pass:?}");
    }
}

#[test]
fn a_shuffle_over_several_files_visits_every_place_of_each() {
    let more_files = vec!["b".to_owned()];
    let client = Client { more_files, ..client(Action::Write, Pattern::Shuffled, 4) };
    let all = accesses(&client, 42);
    assert_eq!(all.len(), 22);
    let of = |file: u32| all.iter().filter(move |access| access.file == file).map(|a| a.offset);
    assert_eq!(of(0).collect::<BTreeSet<_>>(), of(1).collect::<BTreeSet<_>>());
    assert_ne!(of(0).collect::<Vec<_>>(), of(1).collect::<Vec<_>>());
}

#[test]
fn reads_and_writes_apart_have_a_position_each() {
    let client = client(Action::Mixed { read_pct: 50 }, Pattern::SequentialApart, 4);
    let all = accesses(&client, 4000);
    for write in [false, true] {
        let offsets: Vec<u64> =
            all.iter().filter(|access| access.write == write).map(|a| a.offset).collect();
        assert!((400..600).contains(&offsets.len()));
        assert!(offsets.iter().zip(0..).all(|(offset, index)| *offset == index * 4));
    }
}

#[test]
fn a_sync_at_the_end_is_the_last_write_alone() {
    let durability = Durability::AtEnd;
    let client = Client { durability, ..client(Action::Write, Pattern::Sequential, 4) };
    let waits: Vec<Waits> = accesses(&client, 10).iter().map(|access| access.waits).collect();
    assert_eq!(waits, [Waits::No, Waits::No, Waits::Fsync]);
}
