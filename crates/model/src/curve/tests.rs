//! Curves against slow and plain ways to the same, and thinned ones against whole ones.

use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::Stream;
use arcwright_workload::traces::{Bits, Trace};

use super::distances::Distances;
use super::{
    CacheSizes, Curve, CurvePlan, PlannedCurve, even_sizes, footprint, knee, lru_curve,
    sampled_lru_curve, thin,
};
use crate::classic::{Lru, replay};

/// Accesses that prefer low numbers.
fn skewed(blocks: u64, accesses: usize, seed: u64) -> Trace {
    let mut chance = Stream::new(seed, "curve");
    let mut draw = || {
        let (a, b) = (chance.below(blocks), chance.below(blocks));
        u32::try_from(a * b / blocks).unwrap()
    };
    let accesses: Vec<u32> = (0..accesses).map(|_| draw()).collect();
    let pages = u32::try_from(blocks).unwrap();
    Trace { accesses, pages, bytes: vec![128 << 10; pages as usize], ..Trace::default() }
}

fn simulated(trace: &Trace, sizes: Vec<CacheSizes>, exact: bool) -> Curve {
    let planned = PlannedCurve {
        in_user_space: false,
        version: Version::parse("2.3.2"),
        sizes,
        write_max: None,
        step: Nanos::micros(500),
        exact,
    };
    let plan = CurvePlan::new(trace, planned);
    let results: Vec<_> = plan.jobs().into_iter().map(|job| plan.run(job)).collect();
    plan.finish(&results)
}

/// A list in the order of use, as slow as it is plain.
#[test]
fn distances_are_those_of_a_list() {
    let mut chance = Stream::new(1, "distances");
    for blocks in [1u32, 7, 500, 2000] {
        let mut distances = Distances::new(blocks);
        let mut list: Vec<u32> = Vec::new();
        for _ in 0..20_000 {
            let block = u32::try_from(chance.below(u64::from(blocks))).unwrap();
            let expected = list.iter().rposition(|one| *one == block);
            let behind = expected.map(|at| u32::try_from(list.len() - 1 - at).unwrap());
            assert_eq!(distances.touch(block), behind, "{blocks}");
            if let Some(at) = expected {
                list.remove(at);
            }
            list.push(block);
        }
    }
}

#[test]
fn the_curve_of_an_lru_is_what_an_lru_finds() {
    let trace = skewed(1000, 30_000, 1);
    let sizes: Vec<Bytes> = [1u64, 10, 333, 999, 1000].map(|n| Bytes(n * (128 << 10))).to_vec();
    let curve = lru_curve(&trace, &sizes);
    for (point, capacity) in curve.points.iter().zip([1, 10, 333, 999, 1000]) {
        let hits = replay(&mut Lru::new(capacity, trace.pages), &trace.accesses);
        let ratio = hits as f64 / 30_000.0;
        assert!((point.hits - ratio).abs() < 1e-12, "{capacity}: {} {ratio}", point.hits);
    }
}

/// Writes make a block young, and are neither hit nor miss.
#[test]
fn writes_do_not_count() {
    let mut writes = Bits::default();
    writes.insert(0);
    writes.insert(2);
    let accesses = vec![0, 0, 1, 1];
    let trace = Trace { accesses, pages: 2, bytes: vec![512; 2], writes, ..Trace::default() };
    let curve = lru_curve(&trace, &[Bytes(1024)]);
    assert_eq!((curve.counted, curve.points[0].hits), (2, 1.0));
    let curve =
        simulated(&trace, vec![CacheSizes { arc: Bytes::mib(64), l2arc: Bytes::ZERO }], true);
    assert_eq!((curve.counted, curve.points[0].hits), (2, 1.0));
}

#[test]
fn thinning_keeps_all_accesses_of_a_block_or_none() {
    let trace = skewed(10_000, 50_000, 2);
    let thinned = thin(&trace, 8, 1);
    let kept = thinned.trace.pages;
    assert!((1100..1400).contains(&kept), "{kept}");
    assert_eq!(thinned.counted, 50_000);
    assert_eq!(thin(&trace, 1, 1).trace, Trace { writes: Bits::default(), ..trace.clone() });
    assert_ne!(thin(&trace, 8, 1), thin(&trace, 8, 2));
}

/// A thinned simulation is as good as a whole one, and says how good it is.
#[test]
fn thinned_and_whole_simulations_agree() {
    let trace = skewed(160_000, 800_000, 3);
    let sizes: Vec<CacheSizes> = even_sizes(footprint(&trace), 6)
        .into_iter()
        .map(|arc| CacheSizes { arc, l2arc: Bytes::ZERO })
        .collect();
    let whole = simulated(&trace, sizes.clone(), true);
    let thinned = simulated(&trace, sizes, false);
    assert_eq!((whole.one_in, thinned.one_in), (1, 4));
    for (whole, thinned) in whole.points.iter().zip(&thinned.points) {
        assert!((whole.hits - thinned.hits).abs() < 0.01, "{whole:?} {thinned:?}");
        assert!(thinned.range[0] <= thinned.hits && thinned.hits <= thinned.range[1]);
    }
}

/// Samples of a long trace tell the curve of an LRU within a point; a short one is looked at whole.
#[test]
fn a_sampled_curve_of_an_lru_is_near_the_exact_one() {
    let check = |blocks, accesses, one_in, most| {
        let trace = skewed(blocks, accesses, 5);
        let sizes = even_sizes(footprint(&trace), 10);
        let (exact, sampled) = (lru_curve(&trace, &sizes), sampled_lru_curve(&trace, &sizes));
        assert_eq!((exact.one_in, sampled.one_in, sampled.counted), (1, one_in, exact.counted));
        for (exact, sampled) in exact.points.iter().zip(&sampled.points) {
            assert_eq!(exact.size, sampled.size);
            assert!((exact.hits - sampled.hits).abs() <= most, "{exact:?} {sampled:?}");
            assert!(sampled.range[0] <= sampled.hits && sampled.hits <= sampled.range[1]);
        }
    };
    check(160_000, 800_000, 4, 0.01);
    check(1000, 30_000, 1, 1e-12);
}

/// An L2ARC serves what the ARC does not hold, once it was fed.
#[test]
fn an_l2arc_adds_hits_and_takes_none() {
    let trace = skewed(20_000, 200_000, 4);
    let at = |l2arc| {
        let sizes = vec![CacheSizes { arc: Bytes::mib(256), l2arc }];
        simulated(&trace, sizes, true).points[0]
    };
    let (without, with) = (at(Bytes::ZERO), at(Bytes::gib(4)));
    assert!(without.l2_hits <= 0.0);
    assert!(with.l2_hits > 0.2 && with.l2_written > Bytes::gib(1), "{with:?}");
    assert!((with.hits - without.hits).abs() < 0.03, "{without:?} {with:?}");
}

#[test]
fn knees_are_where_curves_bend() {
    let curve = |hits: &[f64]| {
        let sizes: Vec<Bytes> = even_sizes(Bytes::gib(1), u32::try_from(hits.len()).unwrap());
        let trace = Trace { accesses: vec![0], pages: 1, bytes: vec![1], ..Trace::default() };
        let mut curve = lru_curve(&trace, &sizes);
        for (point, hits) in curve.points.iter_mut().zip(hits) {
            point.hits = *hits;
        }
        knee(&curve.points)
    };
    assert_eq!(curve(&[0.1, 0.5, 0.52, 0.53, 0.54]), Some(1));
    assert_eq!(curve(&[0.1, 0.2, 0.3, 0.4, 0.5]), None);
    assert_eq!(curve(&[0.0, 0.0, 0.01]), None);
    assert_eq!(curve(&[]), None);
}
