//! The feed under random accesses, as it was recorded: which blocks each pass writes where.

use arcwright_scenario::{ArcLimits, feed_rng};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::Stream as Chance;

use super::{L2arc, START};
use crate::cache::arc::{ArcCache, ArcSpec, IN_FLIGHT};
use crate::ids::{BlockId, LeafId};
use crate::vectors::{check, in_turn, once_in, wide};
use crate::versions::behaviour::Behaviour;
use crate::versions::settings::Settings;

/// 64 x 16 384 steps: 1 048 576 each.
const STEPS: u64 = 16_384;
/// Blocks of data, then blocks of metadata.
const DATA: u32 = 160;
const BLOCKS: u32 = 240;

/// The L2ARC of a version on one to three devices, and its ARC.
fn l2arc(version: &str, seed: u64, chance: &mut Chance) -> (L2arc, ArcCache) {
    let version = Version::parse(version);
    let (behaviour, mut settings) = (Behaviour::of(version), Settings::defaults(version));
    settings.l2arc.write_max = 4096 + wide(chance, 8 << 20);
    settings.l2arc.write_boost = wide(chance, 8 << 20);
    settings.l2arc.headroom = chance.below(4);
    settings.l2arc.mfuonly = chance.below(3);
    settings.l2arc.noprefetch = once_in(chance, 2);
    let size_max = 1 << (12 + chance.below(9));
    let size = |chance: &mut Chance| u32::try_from(512 + wide(chance, size_max)).unwrap();
    let sizes: Vec<u32> = (0..BLOCKS).map(|_| size(chance)).collect();
    let limits = ArcLimits { min: Bytes::gib(1), max: Bytes::gib(1) };
    let arc = ArcCache::new(ArcSpec {
        sizes: &sizes,
        metadata_from: BlockId(DATA),
        lengths_from: BlockId(DATA),
        lengths: &sizes[DATA as usize..],
        behaviour: &behaviour,
        settings,
        limits,
        cores: 4,
        seed,
    });
    let mut l2arc = L2arc::new(BLOCKS as usize, settings.l2arc, behaviour, feed_rng(seed));
    for leaf in 0..=u32::try_from(chance.below(3)).unwrap() {
        l2arc.add(LeafId(leaf), START + (64 << 20) + wide(chance, 2 << 30));
    }
    (l2arc, arc)
}

#[test]
fn a_pass_writes_what_was_recorded() {
    check("l2arc-feed", |chunk, chance, record| {
        let version = in_turn(chunk, &["0.7.13", "2.1.11", "2.2.2", "2.3.2"]);
        let (mut l2arc, mut arc) = l2arc(version, chunk, chance);
        let mut now = Nanos::SECOND;
        for _ in 0..STEPS {
            now += Nanos(wide(chance, 1 << 30));
            let block = BlockId(u32::try_from(chance.below(u64::from(BLOCKS))).unwrap());
            let flies = arc.cell(block).is(IN_FLIGHT);
            match chance.below(16) {
                0 => {
                    let pass = l2arc.feed(&mut arc, now);
                    let mut answers = vec![u64::MAX];
                    if let Some(pass) = &pass {
                        let next = l2arc.finish(&mut arc, pass, now);
                        let placed = pass.writes.iter();
                        answers = placed
                            .flat_map(|write| [u64::from(write.block.0), write.offset])
                            .collect();
                        answers.extend([next.0, pass.target, pass.wrote, u64::from(pass.leaf.0)]);
                    }
                    answers.extend([l2arc.write_bytes, l2arc.evict_l1cached]);
                    record.step(format_args!("{version} pass"), &answers);
                    continue;
                }
                1 if !flies => l2arc.forget(block, &mut arc),
                _ if flies => arc.complete(block, now, u16::from(once_in(chance, 2))),
                2..=5 => arc.release(block),
                _ => {
                    let found = arc.read(block, now, once_in(chance, 4));
                    record.step(format_args!("{version} read {}", block.0), &[found as u64]);
                    continue;
                }
            }
            record.step(format_args!("{version} step"), &[]);
        }
    });
}
