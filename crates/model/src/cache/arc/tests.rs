//! The golden scenarios of docs/model/arc.md#worked-cases: one block, the ARC not full.

use arcwright_scenario::{ArcLimits, Scenario};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};

use super::{ArcCache, ArcSpec, L2CACHE, Lookup, PREFETCH, State};
use crate::ids::BlockId;
use crate::pool::layout::PoolLayout;
use crate::vdev::geometry::Shape;
use crate::versions::behaviour::Behaviour;
use crate::versions::settings::Settings;

const OLD: &str = "2.1.11";
/// The newest before prefetches had a callback.
const OLDER: &str = "2.0.7";
const NEW: &str = "2.3.2";
/// The block that everything happens to.
const X: BlockId = BlockId(0);

/// Something that happens to the block, at a time in milliseconds.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A prefetch is asked for.
    P(u64),
    /// A demand read, released at once.
    D(u64),
    /// The read that is under way is done; the flag says whether a demand joined it.
    Done(u64, bool),
    /// The block is evicted from memory.
    Evict,
    /// It is on the L2ARC, and nowhere else.
    ToL2,
}

use Step::{D, Done, Evict, P, ToL2};

fn arc(version: &str) -> ArcCache {
    let text = "title = 't'\nquestion = 'q'\n[system]\nzfs = '2.1.11'\nmemory = '1GiB'\n\
                [system.pool]\ndata = [{ disk = 'hdd-nas-7200' }]\n\
                [[file]]\nname = 'f'\nsize = '128KiB'\n[[phase]]\nname = 'p'\n\
                clients = [{ read = 'f', io = '128KiB' }]\n";
    let scenario = Scenario::parse(text, "t.toml").unwrap();
    let pool = &scenario.system.pool;
    let shapes: Vec<Shape> = pool.data.iter().map(|vdev| Shape::of(vdev, 12)).collect();
    let version = Version::parse(version);
    let behaviour = Behaviour::of(version);
    let layout = PoolLayout {
        files: &scenario.files,
        pool,
        shapes: &shapes,
        rooms: &[],
        special_room: 0,
        behaviour: &behaviour,
        memory: scenario.system.memory,
        cores: 4,
        seed: 1,
    };
    let blocks = layout.lay_out(&mut []);
    let limits = ArcLimits { max: Bytes::gib(1), min: Bytes::gib(1) };
    let settings = Settings::of(&scenario.system, version, 1);
    ArcCache::new(ArcSpec {
        sizes: &blocks.sizes(),
        metadata_from: blocks.metadata_from,
        lengths_from: blocks.lengths_from,
        lengths: &blocks.lengths,
        behaviour: &behaviour,
        settings,
        limits,
        cores: 4,
        seed: 1,
    })
}

/// Plays the steps and returns the ARC and what the last read found.
fn played(version: &str, steps: &[Step]) -> (ArcCache, Lookup) {
    let mut arc = arc(version);
    let mut last = Lookup::Hit;
    let at = |ms: u64| Nanos::secs(100) + Nanos::millis(ms);
    for step in steps {
        match *step {
            P(ms) => last = arc.read(X, at(ms), true),
            D(ms) => {
                last = arc.read(X, at(ms), false);
                if last == Lookup::Hit {
                    arc.release(X);
                }
            }
            Done(ms, demanded) => {
                arc.complete(X, at(ms), u16::from(demanded));
                if demanded {
                    arc.release(X);
                }
            }
            Evict => {
                let ghost = match arc.cell(X).state {
                    State::Mru => State::MruGhost,
                    _ => State::MfuGhost,
                };
                arc.change(X, |cell| cell.state = ghost);
            }
            ToL2 => arc.change(X, |cell| {
                cell.state = State::L2Only;
                cell.flags |= super::HAS_L2;
            }),
        }
    }
    arc.check();
    (arc, last)
}

fn check(version: &str, steps: &[Step], state: State) -> ArcCache {
    let (arc, _) = played(version, steps);
    assert_eq!(arc.cell(X).state, state, "{version} {steps:?}");
    arc
}

#[test]
fn a_prefetched_block_is_promoted_by_the_second_demand_after_62_ms() {
    let early = [P(0), Done(10, false), D(20)];
    for version in [OLD, NEW] {
        let arc = check(version, &early, State::Mru);
        assert_eq!(arc.counters.demand_hit_predictive_prefetch, 1);
        assert_eq!((arc.counters.hits, arc.counters.misses_by[1][0]), (1, 1));
        check(version, &[&early[..], &[D(100)]].concat(), State::Mfu);
    }
}

#[test]
fn a_late_first_demand_promotes_up_to_2_1_only() {
    let steps = [P(0), Done(10, false), D(200)];
    check(OLD, &steps, State::Mfu);
    check(NEW, &steps, State::Mru);
}

#[test]
fn a_prefetch_of_a_block_once_demanded_promotes_from_2_2_on() {
    let steps = [D(0), Done(10, true), P(200)];
    let old = check(OLD, &steps, State::Mru);
    assert!(old.cell(X).is(PREFETCH));
    check(NEW, &steps, State::Mfu);
    check(OLD, &[&steps[..], &[D(400)]].concat(), State::Mfu);
}

#[test]
fn a_demand_that_joins_a_prefetch_is_counted_nowhere_up_to_2_1() {
    let steps = [P(0), D(5), Done(10, true)];
    let old = check(OLD, &steps, State::Mru);
    assert_eq!((old.counters.hits, old.counters.iohits, old.counters.misses), (0, 0, 1));
    assert!(!old.cell(X).is(L2CACHE), "it stays out of the L2ARC");
    let new = check(NEW, &steps, State::Mru);
    assert_eq!((new.counters.iohits, new.counters.demand_iohit_predictive_prefetch), (1, 1));
    assert!(new.cell(X).is(L2CACHE));
}

#[test]
fn a_wasted_prefetch_that_is_demanded_later_counts_as_a_prefetch_up_to_2_0() {
    let steps = [P(0), Done(10, false), Evict, D(9000)];
    let old = check(OLDER, &steps, State::Mru);
    assert_eq!((old.counters.misses_by[1][0], old.counters.mru_ghost_hits), (2, 1));
    // In 2.1 its flag was gone when it had arrived.
    let old = check(OLD, &steps, State::Mfu);
    assert_eq!((old.counters.misses_by[0][0], old.counters.mru_ghost_hits), (1, 1));
    let new = check(NEW, &steps, State::Mru);
    assert_eq!((new.counters.misses_by[0][0], new.counters.mru_ghost_hits), (1, 1));
}

#[test]
fn a_prefetch_of_a_ghost_that_was_demanded_makes_it_mfu_and_keeps_it_out_of_the_l2arc() {
    for (version, flagged) in [(OLDER, true), (OLD, false), (NEW, true)] {
        let steps = [D(0), Done(10, true), Evict, P(9000), Done(9010, false)];
        let arc = check(version, &steps, State::Mfu);
        assert_eq!(
            (arc.cell(X).is(PREFETCH), arc.cell(X).is(L2CACHE)),
            (flagged, false),
            "{version}"
        );
    }
}

#[test]
fn the_l2arc_serves_demand_always_and_prefetch_from_2_2_1_on() {
    let find = |version: &str, step: Step| played(version, &[D(0), Done(10, true), ToL2, step]);
    let (old, found) = find(OLD, D(100));
    assert_eq!((found, old.cell(X).state), (Lookup::FromL2, State::Mfu));
    let (new, found) = find(NEW, D(100));
    assert_eq!((found, new.cell(X).state), (Lookup::FromL2, State::Mru));
    let (old, found) = find(OLD, P(100));
    assert_eq!((found, old.cell(X).state), (Lookup::FromPool, State::Mfu));
    let (middle, found) = find("2.2.0", P(100));
    assert_eq!((found, middle.cell(X).state), (Lookup::FromPool, State::Mru));
    for version in ["2.2.1", NEW] {
        let (new, found) = find(version, P(100));
        assert_eq!((found, new.cell(X).state), (Lookup::FromL2, State::Mru), "{version}");
    }
}

#[test]
fn three_demands_promote_when_62_ms_have_passed_since_the_first() {
    for version in [OLD, NEW] {
        let steps = [D(0), Done(0, true), D(30)];
        check(version, &steps, State::Mru);
        check(version, &[&steps[..], &[D(80)]].concat(), State::Mfu);
    }
}
