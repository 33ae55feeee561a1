//! An ARC under random accesses, writes and passes of eviction, as it was recorded.

use arcwright_scenario::ArcLimits;
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::Stream as Chance;

use super::fractions::Shares;
use super::sum::Aggsum;
use super::{ArcCache, ArcRules, ArcSpec, Eviction, IN_FLIGHT, Kind, Lookup, Space, State};
use crate::ids::BlockId;
use crate::vectors::{check, in_turn, once_in, wide};
use crate::versions::behaviour::Behaviour;
use crate::versions::settings::Settings;

/// 64 x 16 384 steps: 1 048 576 each.
const STEPS: u64 = 16_384;
/// Blocks of data, then blocks of metadata, the first of them indirect ones.
const DATA: u32 = 160;
const METADATA: u32 = 80;
const BLOCKS: u32 = DATA + METADATA;
const STATES: [State; 7] = [
    State::Anon,
    State::Mru,
    State::Mfu,
    State::MruGhost,
    State::MfuGhost,
    State::L2Only,
    State::Uncached,
];

fn arc(version: &str, seed: u64, chance: &mut Chance) -> ArcCache {
    let version = Version::parse(version);
    let mut settings = Settings::defaults(version);
    if once_in(chance, 2) {
        settings.arc.meta_balance = wide(chance, 3000);
    }
    let size_max = 1 << (14 + chance.below(8));
    let size = |chance: &mut Chance| u32::try_from(512 + wide(chance, size_max)).unwrap();
    let sizes: Vec<u32> = (0..BLOCKS).map(|_| size(chance)).collect();
    let lengths: Vec<u32> = sizes[DATA as usize..].iter().map(|size| size * 4).collect();
    let max = Bytes((64 << 20) + wide(chance, 512 << 20));
    let limits = ArcLimits { max, min: Bytes(max.0 / 4) };
    let cores = 1 + u32::try_from(chance.below(12)).unwrap();
    let mut arc = ArcCache::new(ArcSpec {
        sizes: &sizes,
        metadata_from: BlockId(DATA),
        lengths_from: BlockId(DATA),
        lengths: &lengths,
        behaviour: &Behaviour::of(version),
        settings,
        limits,
        cores,
        seed,
    });
    arc.kinds.indirect_until = BlockId(DATA + METADATA / 2);
    // Up to 2.1 eviction is a thread's work, as the simulation has it; or made at once, by a pass.
    if arc.policy.rules == ArcRules::Target && once_in(chance, 2) {
        arc.evictor.eviction = Eviction::Asleep;
    }
    arc
}

/// Does something to the ARC and says what in words.
fn step(
    arc: &mut ArcCache,
    (now, demands): (Nanos, &mut [u16]),
    chance: &mut Chance,
) -> (String, u64) {
    // Half of the accesses go to a few blocks.
    let among = if once_in(chance, 2) { BLOCKS } else { 1 + BLOCKS / 8 };
    let number = u32::try_from(chance.below(u64::from(among))).unwrap() * 7 % BLOCKS;
    let block = BlockId(number);
    let cell = arc.cell(block);
    let flies = cell.is(IN_FLIGHT);
    let demanded = &mut demands[block.place()];
    match chance.below(20) {
        _ if flies && once_in(chance, 2) => {
            arc.complete(block, now, *demanded);
            *demanded = 0;
            (format!("complete {number}"), 0)
        }
        0..=7 => {
            let prefetch = once_in(chance, 4);
            let found = arc.read(block, now, prefetch);
            if found != Lookup::Hit && !prefetch {
                *demanded += 1;
            }
            (format!("read {number} prefetch {prefetch}"), found as u64)
        }
        8..=12 => {
            arc.release(block);
            (format!("release {number}"), 0)
        }
        13 if !flies && cell.state == State::Anon => {
            arc.written(block, now);
            (format!("written {number}"), 0)
        }
        13 if !flies => {
            arc.fill(block, now);
            (format!("fill {number}"), 0)
        }
        14 if !flies && cell.has_data() && once_in(chance, 4) => {
            arc.begin_l2_write(block);
            arc.end_l2_write(block);
            (format!("to the L2ARC {number}"), 0)
        }
        14 => {
            arc.drop_l2(block);
            (format!("off the L2ARC {number}"), 0)
        }
        15 if arc.space(Space::Dbuf) > 0 => {
            arc.give_space(Space::Dbuf, arc.space(Space::Dbuf));
            ("give space".to_owned(), 0)
        }
        15 => {
            let bytes = wide(chance, 8 << 20);
            arc.take_space(Space::Dbuf, bytes);
            (format!("take space {bytes}"), 0)
        }
        16 => {
            arc.target.c =
                (arc.target.c_min + wide(chance, arc.target.c_max)).min(arc.target.c_max);
            arc.target.p = arc.target.p.min(arc.target.c);
            (format!("target {}", arc.target.c), 0)
        }
        17 if arc.wakes_eviction() => ("wake".to_owned(), 0),
        17 | 18 if matches!(arc.evictor.eviction, Eviction::OfMru | Eviction::OfMfu { .. }) => {
            let gone = arc.evict_on(now);
            ("half a pass".to_owned(), gone.unwrap_or(u64::MAX))
        }
        _ => {
            let freed = match arc.policy.rules {
                ArcRules::Target => arc.evict_by_target(now),
                ArcRules::Fractions => arc.evict_by_fractions(now),
            };
            ("pass".to_owned(), freed)
        }
    }
}

/// Appends all that is to be seen of an ARC.
fn see(arc: &ArcCache, answers: &mut Vec<u64>) {
    let Shares { metadata, mru_of_data, mru_of_metadata } = arc.shares();
    answers.extend([arc.target.c, arc.target.p, arc.size()]);
    answers.extend([metadata, mru_of_data, mru_of_metadata]);
    answers.push(arc.usage.sum.lower_bound().cast_unsigned());
    for (state, kind) in STATES.into_iter().flat_map(|state| Kind::BOTH.map(|kind| (state, kind))) {
        answers.extend([arc.bytes_of(state, kind), arc.evictable_of(state, kind)]);
    }
    let counters = &arc.counters;
    answers.extend([counters.deleted, counters.evict_skip, counters.evict_not_enough]);
    answers.extend([counters.evict_l2_cached, counters.evict_l2_eligible]);
    answers.extend([counters.mru_ghost_hits, counters.mfu_ghost_hits, counters.misses]);
}

fn check_versions(name: &str, versions: &[&str]) {
    check(name, |chunk, chance, record| {
        let version = in_turn(chunk, versions);
        let mut arc = arc(version, chunk, chance);
        let (mut now, mut demands) = (Nanos::SECOND, [0; BLOCKS as usize]);
        let mut answers = Vec::new();
        for _ in 0..STEPS {
            let pause = if once_in(chance, 50) { 3 << 30 } else { 8 << 20 };
            now += Nanos(wide(chance, pause));
            let (words, answer) = step(&mut arc, (now, &mut demands), chance);
            answers.clear();
            answers.push(answer);
            see(&arc, &mut answers);
            if words == "pass" {
                answers.extend((0..BLOCKS).map(|number| arc.cell(BlockId(number)).state as u64));
            }
            record.step(format_args!("{version} {words}"), &answers);
        }
        arc.check();
    });
}

#[test]
fn fractions_evict_as_recorded() {
    check_versions("arc-fractions", &["2.2.7", "2.3.2"]);
    check_versions("arc-fractions-2.2.6", &["2.2.2"]);
}

#[test]
fn targets_evict_as_recorded() {
    check_versions(
        "arc-target",
        &[
            "0.7.13",
            "0.8.6",
            "2.0.7",
            "2.1.11",
            "freebsd-8",
            "freebsd-9",
            "freebsd-10",
            "freebsd-11",
        ],
    );
}

#[test]
fn sums_lag_as_recorded() {
    check("arc-sum", |_, chance, record| {
        let mut sum = Aggsum::default();
        for _ in 0..STEPS {
            let words = if once_in(chance, 40) {
                let exact =
                    wide(chance, 1 << 50).cast_signed() - wide(chance, 1 << 50).cast_signed();
                sum.read(exact);
                format!("read {exact}")
            } else {
                let change = wide(chance, 1 << 34).cast_signed();
                let change = if once_in(chance, 2) { change } else { -change };
                sum.add(change);
                format!("add {change}")
            };
            record.step(format_args!("{words}"), &[sum.lower_bound().cast_unsigned()]);
        }
    });
}
