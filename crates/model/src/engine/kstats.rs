//! The model's counters in the kernel's rows (docs/model/counters.md#rows-of-the-model).

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
use arcwright_units::Nanos;

use crate::cache::Cache;
use crate::cache::arc::{ArcCache, Kind, Space, State};
use crate::stack::{LogPath, Prefetchers, ReadPath, WritePath};
use crate::versions::rules::ArcRules;
use crate::writes::throttle;
use crate::zil;

/// Returns all kstats that the model keeps.
pub(crate) fn snapshot(reads: &ReadPath, writes: &WritePath, log: &LogPath) -> Snapshot {
    let now = reads.clock.now;
    let kstats = vec![
        named("arcstats", arcstats(&reads.cache), now),
        named("zfetchstats", zfetchstats(&reads.prefetch), now),
        named("dmu_tx", dmu_tx(&writes.throttle.counters), now),
        named("zil", zil(&log.counters()), now),
    ];
    Snapshot::from_kstats(now, kstats)
}

type Rows = Vec<(&'static str, u64)>;

fn named(name: &str, rows: Rows, now: Nanos) -> NamedKstat {
    let rows =
        rows.into_iter().map(|(row, value)| (row.to_owned(), KstatValue::U64(value))).collect();
    let kstat = NamedKstat::of_rows(&format!("zfs/{name}"), rows);
    NamedKstat { flags: 1, snaptime: now, ..kstat }
}

fn arcstats(cache: &Cache) -> Rows {
    let arc = &cache.arc;
    let counters = &arc.counters;
    let [[dd, dm], [pd, pm]] = counters.hits_by;
    let [[mdd, mdm], [mpd, mpm]] = counters.misses_by;
    let modern = arc.policy.rules == ArcRules::Fractions;
    let mut rows = vec![
        ("hits", counters.hits),
        ("misses", counters.misses),
        ("demand_data_hits", dd),
        ("demand_data_misses", mdd),
        ("demand_metadata_hits", dm),
        ("demand_metadata_misses", mdm),
        ("prefetch_data_hits", pd),
        ("prefetch_data_misses", mpd),
        ("prefetch_metadata_hits", pm),
        ("prefetch_metadata_misses", mpm),
        ("mru_hits", counters.mru_hits),
        ("mru_ghost_hits", counters.mru_ghost_hits),
        ("mfu_hits", counters.mfu_hits),
        ("mfu_ghost_hits", counters.mfu_ghost_hits),
        ("deleted", counters.deleted),
        ("evict_skip", counters.evict_skip),
        ("evict_not_enough", counters.evict_not_enough),
        ("evict_l2_cached", counters.evict_l2_cached),
        ("evict_l2_eligible", counters.evict_l2_eligible),
        ("evict_l2_ineligible", counters.evict_l2_ineligible),
        ("demand_hit_predictive_prefetch", counters.demand_hit_predictive_prefetch),
        ("async_upgrade_sync", counters.async_upgrade_sync),
    ];
    rows.extend(size_rows(arc));
    rows.extend(l2_rows(cache));
    if modern {
        let shares = arc.shares();
        let [[idd, idm], [ipd, ipm]] = counters.iohits_by;
        rows.extend([
            ("iohits", counters.iohits),
            ("demand_data_iohits", idd),
            ("demand_metadata_iohits", idm),
            ("prefetch_data_iohits", ipd),
            ("prefetch_metadata_iohits", ipm),
            ("predictive_prefetch", counters.predictive_prefetch),
            ("demand_iohit_predictive_prefetch", counters.demand_iohit_predictive_prefetch),
            ("prescient_prefetch", counters.prescient_prefetch),
            ("demand_hit_prescient_prefetch", counters.demand_hit_prescient_prefetch),
            ("demand_iohit_prescient_prefetch", counters.demand_iohit_prescient_prefetch),
            ("uncached_hits", counters.uncached_hits),
            ("meta", shares.metadata),
            ("pd", shares.mru_of_data),
            ("pm", shares.mru_of_metadata),
            ("uncached_size", arc.bytes(State::Uncached)),
        ]);
    } else {
        rows.extend([
            ("p", arc.target.p),
            ("arc_meta_limit", arc.target.limits.max),
            ("arc_meta_min", arc.target.limits.min),
        ]);
    }
    rows
}

fn size_rows(arc: &ArcCache) -> Rows {
    let size = |state: State, kind: Kind| arc.bytes_of(state, kind);
    let resident =
        |kind: Kind| size(State::Mru, kind) + size(State::Mfu, kind) + size(State::Anon, kind);
    let mut rows = vec![
        ("c", arc.target.c),
        ("c_min", arc.target.c_min),
        ("c_max", arc.target.c_max),
        ("size", arc.size()),
        ("compressed_size", resident(Kind::Data) + resident(Kind::Metadata)),
        ("overhead_size", arc.copies()),
        ("hdr_size", arc.header_size()),
        ("data_size", resident(Kind::Data) + arc.copies_of(Kind::Data)),
        ("metadata_size", resident(Kind::Metadata) + arc.copies_of(Kind::Metadata)),
        ("dbuf_size", arc.space(Space::Dbuf)),
        ("dnode_size", arc.space(Space::Dnode)),
        ("bonus_size", arc.space(Space::Bonus)),
        ("abd_chunk_waste_size", arc.waste()),
        ("arc_meta_used", arc.metadata_used()),
        ("arc_dnode_limit", arc.target.limits.dnodes),
        ("mru_size", arc.bytes(State::Mru)),
        ("mfu_size", arc.bytes(State::Mfu)),
        ("mru_ghost_size", arc.bytes(State::MruGhost)),
        ("mfu_ghost_size", arc.bytes(State::MfuGhost)),
    ];
    if arc.encrypts_any() {
        rows.push(("arc_raw_size", arc.sealed_bytes()));
    }
    rows
}

fn l2_rows(cache: &Cache) -> Rows {
    let (arc, l2arc) = (&cache.arc, &cache.l2arc);
    let counters = &arc.counters;
    vec![
        ("l2_hits", counters.l2_hits),
        ("l2_misses", counters.l2_misses),
        ("l2_feeds", l2arc.feeds),
        ("l2_rw_clash", counters.l2_rw_clash),
        ("l2_read_bytes", counters.l2_read_bytes),
        ("l2_write_bytes", l2arc.write_bytes),
        ("l2_writes_sent", l2arc.writes_sent),
        ("l2_writes_done", l2arc.writes_sent),
        ("l2_evict_l1cached", l2arc.evict_l1cached),
        ("l2_abort_lowmem", l2arc.abort_lowmem),
        ("l2_size", l2arc.resident_bytes(arc)),
        ("l2_hdr_size", arc.l2_header_size()),
    ]
}

fn dmu_tx(counters: &throttle::Counters) -> Rows {
    vec![
        ("dmu_tx_assigned", counters.assigned),
        ("dmu_tx_dirty_delay", counters.dirty_delay),
        ("dmu_tx_dirty_throttle", counters.dirty_throttle),
        ("dmu_tx_dirty_over_max", counters.dirty_over_max),
    ]
}

fn zil(counters: &zil::Counters) -> Rows {
    let [normal_count, normal_bytes, normal_write, normal_alloc] = counters.normal;
    let [slog_count, slog_bytes, slog_write, slog_alloc] = counters.slog;
    vec![
        ("zil_commit_count", counters.commits),
        ("zil_commit_writer_count", counters.writers),
        ("zil_itx_count", counters.records),
        ("zil_itx_indirect_count", counters.indirect.count),
        ("zil_itx_indirect_bytes", counters.indirect.bytes),
        ("zil_itx_copied_count", counters.copied.count),
        ("zil_itx_copied_bytes", counters.copied.bytes),
        ("zil_itx_needcopy_count", counters.copied_later.count),
        ("zil_itx_needcopy_bytes", counters.copied_later.bytes),
        ("zil_itx_metaslab_normal_count", normal_count),
        ("zil_itx_metaslab_normal_bytes", normal_bytes),
        ("zil_itx_metaslab_normal_write", normal_write),
        ("zil_itx_metaslab_normal_alloc", normal_alloc),
        ("zil_itx_metaslab_slog_count", slog_count),
        ("zil_itx_metaslab_slog_bytes", slog_bytes),
        ("zil_itx_metaslab_slog_write", slog_write),
        ("zil_itx_metaslab_slog_alloc", slog_alloc),
    ]
}

fn zfetchstats(prefetch: &Prefetchers) -> Rows {
    let sum = |of: fn(&crate::zfetch::Counters) -> u64| {
        prefetch.all().iter().map(|zfetch| of(&zfetch.counters)).sum()
    };
    vec![
        ("hits", sum(|counters| counters.hits)),
        ("future", sum(|counters| counters.future)),
        ("stride", sum(|counters| counters.stride)),
        ("past", sum(|counters| counters.past)),
        ("misses", sum(|counters| counters.misses)),
        ("max_streams", sum(|counters| counters.max_streams)),
        ("io_issued", sum(|counters| counters.io_issued)),
    ]
}
