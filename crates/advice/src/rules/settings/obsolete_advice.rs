//! Obsolete advice in files: settings that guides recommended and that are worse than the default now.

use arcwright_tunables::lookup;

use crate::changes;
use crate::config::Set;
use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::settings::gone_parameters::is_gone_for_long;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether files hold obsolete advice", judge };

/// One piece of advice that time has overtaken.
struct Advice {
    name: &'static str,
    /// Whether a value is the one that was advised.
    is: fn(u64) -> bool,
    /// The first version in which it is wrong.
    from: &'static str,
    why: &'static str,
    source: &'static str,
}

const MIB: u64 = 1 << 20;

const ADVICE: [Advice; 12] = [
    Advice {
        name: "l2arc_write_max",
        is: |value| value > 0 && value <= 10 * MIB,
        from: "2.2.7",
        why: "old guides set 8 MiB or 10 MB; the default is 32 MiB now, so this slows down the \
        L2ARC feed",
        source: "openzfs pull request 15457",
    },
    Advice {
        name: "zfetch_max_distance",
        is: |value| value > 1 << 30,
        from: "2.1.6",
        why: "it compensated for 8 MiB before 2.1.6; the default is 64 MiB now, and this far ahead \
        blocks are evicted before they are read and concurrent readers lose their streams",
        source: "module/zfs/dmu_zfetch.c",
    },
    Advice {
        name: "zfs_txg_timeout",
        is: |value| value >= 30,
        from: "0.6",
        why: "a longer interval loses more at a crash and makes writes bursty; it does not raise \
        throughput",
        source: "ProxMenux issue 257",
    },
    Advice {
        name: "zfs_txg_timeout",
        is: |value| value == 1,
        from: "0.6",
        why: "it was advised against write stalls before the write throttle of 2013; now it only makes transaction groups small",
        source: "module/zfs/dmu_tx.c",
    },
    Advice {
        name: "zfs_write_limit_override",
        is: |_| true,
        from: "0.6.3",
        why: "the write throttle that it belonged to is gone since 0.6.3: it has no effect, and \
        zfs_dirty_data_max is what bounds writes in memory now",
        source: "illumos 4045, module/zfs/dsl_pool.c",
    },
    Advice {
        name: "zfs_no_write_throttle",
        is: |_| true,
        from: "0.6.3",
        why: "the write throttle that it switched off is gone since 0.6.3, so it has no effect",
        source: "illumos 4045, module/zfs/dsl_pool.c",
    },
    Advice {
        name: "zfs_vdev_async_write_max_active",
        is: |value| value >= 64,
        from: "0.6",
        why: "the disks get more concurrent writes than they can schedule well, and reads wait \
        behind them",
        source: "zfs(4)",
    },
    Advice {
        name: "zfs_vdev_cache_size",
        is: |value| value > 0,
        from: "0.6",
        why: "the vdev cache reads 64 KiB for every small metadata read; it was off by default \
        long before it was removed",
        source: "module/zfs/vdev_cache.c",
    },
    Advice {
        name: "zfs_arc_meta_strategy",
        is: |value| value == 0,
        from: "0.6",
        why: "a workaround for a bug of 0.6 that was fixed long ago",
        source: "module/zfs/arc.c",
    },
    Advice {
        name: "zfs_compressed_arc_enabled",
        is: |value| value == 0,
        from: "0.7",
        why: "the ARC holds less without benefit: decompression costs less than a disk read",
        source: "zfs(4)",
    },
    Advice {
        name: "zfs_abd_scatter_enabled",
        is: |value| value == 0,
        from: "0.7",
        why: "it makes the kernel search for large contiguous memory, which is scarce after some \
        days",
        source: "zfs(4)",
    },
    Advice {
        name: "zfs_arc_shrinker_limit",
        is: |value| value == 10_000,
        from: "2.3.0",
        why: "the former default; from 2.3 there is no limit, because with one programs were \
        killed while the ARC was full",
        source: "openzfs issue 12354",
    },
];

fn judge(view: &View<'_>) -> Judged {
    if view.machine.config.is_empty() {
        return Err(view.not_read("files that set parameters", "modprobe.d"));
    }
    let sets = view.files.all();
    let mut found: Vec<(&Set, &Advice)> = Vec::new();
    let mut unread = None;
    for set in sets.values() {
        let entry = lookup(&set.name);
        let linux = entry.map_or_else(|| set.name.as_str(), |entry| entry.name.as_str());
        let Some(value) = set.number() else { continue };
        let applies = |advice: &&Advice| advice.name == linux && (advice.is)(value);
        let Some(advice) = ADVICE.iter().find(applies) else { continue };
        match (view.is_from(advice.from), view.has_parameter(linux)) {
            (_, Some(false)) | (Some(false), _) => {}
            (Some(true), _) => found.push((set, advice)),
            (None, _) => unread = Some(view.not_read("the version of ZFS", "version")),
        }
    }
    // Whoever is told to take it out of a file does not hear that the file is sound.
    let is_off = view.machine.parameter("zfs_prefetch_disable").is_some_and(|value| value > 0);
    if found.is_empty()
        && (is_off
            || sets.values().any(|set| is_told_elsewhere(set) || is_gone_for_long(view, set)))
    {
        return Verdict::of_all(Vec::new(), unread, Verdict::Silent);
    }
    if found.is_empty() {
        let count = view.machine.config.len();
        let what = format!(
            "No obsolete advice in {count} configuration {}",
            format::plural(count, "file", "files")
        );
        return Verdict::of_all(Vec::new(), unread, Verdict::fine(what, Vec::new()));
    }
    let names: Vec<String> = found.iter().map(|(set, _)| set.name.clone()).collect();
    let title = format!("Obsolete advice in {}: {}", files(&found), format::list(&names));
    let mut finding = Finding::new("obsolete-advice", Severity::WorthALook, Area::Settings, title);
    finding.evidence = found.iter().map(|(set, _)| set.evidence()).collect();
    let whys: Vec<String> = found
        .iter()
        .map(|(set, advice)| format!("{}={}: {}", set.name, set.value, advice.why))
        .collect();
    finding.cause = format!("{}.", whys.join(". "));
    let commands: Vec<String> =
        found.iter().map(|(set, _)| format!("# remove {} from {}", set.name, set.path)).collect();
    let mut remedy = changes::by_hand(
        "remove it and use the default, unless you measured that it helps here",
        &commands,
    );
    remedy.undo = found
        .iter()
        .map(|(set, _)| format!("# put {}={} back into {}", set.name, set.value, set.path))
        .collect();
    remedy.verify = lines(["arcwright doctor"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("depends on the load".to_owned());
    finding.cost = "None.".to_owned();
    finding.risk = "Someone may have had an undocumented reason.".to_owned();
    finding.confidence = Confidence::read("the file");
    finding.sources = found.iter().map(|(_, advice)| advice.source.to_owned()).collect();
    finding.sources.dedup();
    Verdict::of_all(vec![finding], unread, Verdict::Silent)
}

/// Returns whether another rule speaks of what a file sets as of old or unsafe advice.
fn is_told_elsewhere(set: &Set) -> bool {
    const TOLD: [&str; 6] = [
        "zfs_prefetch_disable",
        "zfs_nocacheflush",
        "zil_nocacheflush",
        "zil_replay_disable",
        "zfs_recover",
        "zfs_vdev_cache_size",
    ];
    TOLD.contains(&set.parameter()) && set.number().is_some_and(|value| value > 0)
}

fn files(found: &[(&Set, &Advice)]) -> String {
    let mut paths: Vec<String> = found.iter().map(|(set, _)| set.path.clone()).collect();
    paths.sort();
    paths.dedup();
    format::list(&paths)
}
