//! What was not read is unknown: whatever is taken away, no finding appears, none changes its figures,
//! and nothing becomes fine.

use std::collections::{BTreeMap, BTreeSet};

use arcwright_advice::{Advice, Estimate, Finding, Gain, Severity, advise};
use arcwright_machine::{Machine, Source, Sources};

use crate::healthy::{Bed, all};

/// Findings that say that something is missing, which may appear.
pub(crate) const MISSING: [&str; 4] =
    ["not-enough", "no-counters", "nothing-judged", "nothing-happened"];

/// Sentences that rest on another reading which counts once the better one is gone: `zpool status` as JSON,
/// rows that are there where the version that would not have them is not known any more.
const KNOWN_OTHERWISE: [&str; 3] = [
    "No I/O took very long",
    "Few small requests bypass the ARC",
    "The intent log could always be written",
];

/// A finding whose own remedy stands again when the finding that it pointed to is gone.
const RESTORED: &str = "l2arc-wear";

/// The seed of the lines that are drawn.
const SEED: u64 = 20_261_122;
/// Lines drawn from each fixture.
const LINES: usize = 100;

/// Texts that state what somebody set: without a line of them the machine is another one, on which the
/// setting is not made. Nothing can tell that a line was there.
const STATED: [&str; 6] =
    ["etc/", "boot/", "proc/cmdline", "commands/midclt", "commands/zfs-get", "usr/lib/modprobe.d/"];

/// Returns what `after` says that `before` did not, of what was known less.
fn new_claims(before: &Advice, after: &Advice) -> Vec<String> {
    let mut claims = Vec::new();
    let is_allowed = |finding: &&Finding| {
        MISSING.contains(&finding.id)
            || finding.id == RESTORED
            || (finding.id == "nothing-to-change" && is_detail(before))
    };
    for finding in after.findings.iter().filter(|finding| !is_allowed(finding)) {
        let same: Vec<&Finding> =
            before.findings.iter().filter(|old| old.id == finding.id).collect();
        if !same.iter().any(|old| is_kept(old, finding)) {
            let old: Vec<&str> = same.iter().map(|old| old.title.as_str()).collect();
            let numbers = same
                .first()
                .map(|old| numbers(finding).difference(&numbers(old)).cloned().collect::<Vec<_>>());
            claims
                .push(format!("{}: “{}” was {old:?}, new {numbers:?}", finding.id, finding.title));
        }
    }
    let fine: BTreeSet<&str> = before.fine.iter().map(|fine| fine.what.as_str()).collect();
    let is_known = |what: &str| KNOWN_OTHERWISE.contains(&what);
    let new = after.fine.iter().filter(|now| !fine.contains(now.what.as_str()));
    let new = new.filter(|now| !is_known(&now.what));
    claims.extend(new.map(|now| format!("fine: “{}”", now.what)));
    claims
}

/// Says whether all that called for a change were findings that an all-clear does not wait for, of
/// readings that only some captures hold.
fn is_detail(advice: &Advice) -> bool {
    const DETAILS: [&str; 2] = ["arc-over-max", "arc-collapsed"];
    let mut calls = advice.findings.iter().filter(|one| one.severity <= Severity::WorthALook);
    calls.all(|finding| DETAILS.contains(&finding.id))
}

/// Titles that say less than those of the same finding, in words of their own.
const WEAKER: [&str; 1] =
    ["A configuration file switches prefetch off; whether it is off now was not read"];

/// Says whether a finding says no more than it did: no word in its title, no figure, no severity.
fn is_kept(old: &Finding, new: &Finding) -> bool {
    let words =
        |title: &str| -> BTreeSet<String> { title.split([' ', ',']).map(str::to_owned).collect() };
    (WEAKER.contains(&new.title.as_str()) || words(&new.title).is_subset(&words(&old.title)))
        && new.severity >= old.severity
        && numbers(new).is_subset(&numbers(old))
}

/// Returns all numbers that a finding tells.
fn numbers(finding: &Finding) -> BTreeSet<String> {
    let mut texts = vec![finding.title.as_str(), &finding.cause, &finding.cost];
    if let Gain::Counted(words) | Gain::NotEstimated(words) | Gain::Modelled { words, .. } =
        &finding.gain
    {
        texts.push(words);
    }
    if let Some(remedy) = &finding.remedy {
        texts.push(&remedy.what);
        let lines = [&remedy.now, &remedy.lasting, &remedy.verify, &remedy.undo];
        texts.extend(lines.into_iter().flatten().map(String::as_str));
    }
    texts.extend(finding.evidence.iter().map(|row| row.value.as_str()));
    let split = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
        let parts = parts.map(|part| part.trim_matches(['.', ',']));
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    texts.into_iter().flat_map(split).collect()
}

/// Collects what was claimed anew, with one example of each.
#[derive(Default)]
struct Claims {
    found: BTreeMap<String, String>,
    tried: usize,
}

impl Claims {
    fn compare(&mut self, before: &Advice, machine: &Machine, taken: &str) {
        self.tried += 1;
        for claim in new_claims(before, &advise(machine, Estimate::CountersOnly)) {
            self.found.entry(claim).or_insert_with(|| taken.to_owned());
        }
    }

    fn none(&self) {
        assert!(self.tried > 0);
        assert!(self.found.is_empty(), "{} of {}: {:#?}", self.found.len(), self.tried, self.found);
    }
}

/// Returns machines to break: all where it is the whole ARC or nothing that is broken, else an old and a
/// new one.
fn beds(damage: &str) -> Vec<(&'static str, Bed)> {
    let some = ["2.1.11", "2.3.2"];
    let is_asked = |name: &str| damage == "metadata" || some.contains(&name);
    all().into_iter().filter(|(name, _)| is_asked(name)).collect()
}

/// What is done to a machine.
pub(crate) type Damage = fn(&mut Bed);

/// Ways to break a machine, each of which gives a finding.
pub(crate) fn damages() -> Vec<(&'static str, Damage)> {
    vec![
        ("healthy", |_| {}),
        ("metadata", |bed| {
            bed.counted("demand_metadata_misses", 18_000);
            bed.counted("mru_ghost_hits", 4_000);
            bed.sum_up();
        }),
        ("small", |bed| {
            bed.counted("demand_data_misses", 30_000);
            bed.counted("mru_ghost_hits", 12_000);
            bed.sum_up();
            for row in ["c", "c_max", "size"] {
                bed.gauge(row, 2 << 30);
            }
        }),
        ("squeezed", |bed| {
            bed.gauge("c", 700 << 20);
            bed.gauge("size", 690 << 20);
            bed.counted("memory_indirect_count", 40);
            bed.gauge("arc_no_grow", 1);
        }),
        ("prefetch", |bed| {
            bed.counted("prefetch_data_misses", 40_000);
            bed.sum_up();
        }),
        ("streams", |bed| {
            bed.counted("prefetch_data_misses", 160_000);
            bed.counted("demand_hit_predictive_prefetch", 158_000);
            bed.counted("evict_l2_ineligible", 19 << 30);
            bed.sum_up();
            bed.with_cache(500);
        }),
        ("feed", |bed| {
            bed.counted("demand_data_misses", 60_000);
            bed.counted("evict_l2_eligible", 6 << 30);
            bed.sum_up();
            bed.with_cache(9_000);
            bed.counted("l2_write_bytes", 480 << 20);
        }),
        ("headers", |bed| {
            bed.with_cache(1_500);
            bed.gauge("l2_hdr_size", 3 << 30);
        }),
        ("commits", |bed| {
            for kstat in ["zfs/zil", "zfs/tank/objset-0x36"] {
                bed.row(kstat, "zil_commit_count", 3_000);
                bed.row(kstat, "zil_itx_copied_bytes", 90 << 20);
            }
            for disk in ["sda", "sdb"] {
                bed.leaf(disk).waits.disk_write_ns = Some(12_000_000);
            }
        }),
        ("throttled", |bed| bed.row("zfs/dmu_tx", "dmu_tx_dirty_delay", 4_000)),
        ("dnodes", |bed| bed.gauge("dnode_size", 610 << 20)),
    ]
}

/// Compares what is said of every broken machine with what is said when `take` has left parts of it out.
fn less_of_every_broken_machine(take: impl Fn(&Machine, &mut dyn FnMut(&Machine, &str))) {
    let mut claims = Claims::default();
    for (damage, harm) in damages() {
        for (version, mut bed) in beds(damage) {
            harm(&mut bed);
            let machine = bed.built();
            let before = advise(&machine, Estimate::CountersOnly);
            take(&machine, &mut |less, what| {
                claims.compare(&before, less, &format!("{version}, {damage}: {what}"));
            });
        }
    }
    claims.none();
}

#[test]
fn without_a_counter_nothing_else_is_said_of_made_up_machines() {
    less_of_every_broken_machine(|machine, compare| {
        for (path, kstat) in &machine.samples[1].kstats.kstats {
            for (row, _) in &kstat.rows {
                for samples in [&[0, 1][..], &[0], &[1]] {
                    let mut less = machine.clone();
                    for sample in samples {
                        let kstats = &mut less.samples[*sample].kstats.kstats;
                        let rows = &mut kstats.get_mut(path).unwrap().rows;
                        rows.retain(|(name, _)| name != row);
                    }
                    compare(&less, &format!("{path} {row} of {samples:?}"));
                }
            }
        }
    });
}

#[test]
fn without_a_part_nothing_else_is_said_of_made_up_machines() {
    less_of_every_broken_machine(|machine, compare| {
        let mut without = |what: &str, take: &dyn Fn(&mut Machine)| {
            let mut less = machine.clone();
            take(&mut less);
            compare(&less, what);
        };
        without("memory", &|machine| machine.memory = None);
        without("available", &|machine| machine.memory.as_mut().unwrap().available = None);
        without("version", &|machine| machine.zfs = None);
        without("parameters", &|machine| machine.parameters.clear());
        without("pools", &|machine| machine.pools.clear());
        without("layout", &|machine| machine.pools[0].vdevs.clear());
        without("properties", &|machine| machine.pools[0].properties.clear());
        without("state", &|machine| machine.pools[0].state = None);
        without("datasets", &|machine| machine.datasets.clear());
        without("mounts", &|machine| machine.mounts.clear());
        without("drives", &|machine| machine.drives.clear());
        without("iostat", &|machine| machine.samples[1].vdevs.clear());
        for name in machine.parameters.keys() {
            without(name, &|machine| {
                machine.parameters.remove(name);
            });
        }
        for index in 0..machine.datasets.len() {
            for name in machine.datasets[index].properties.keys() {
                without(name, &|machine| {
                    machine.datasets[index].properties.remove(name);
                });
            }
        }
    });
}

/// Calls with each fixture: its name, its texts, what is said of it.
fn each(mut law: impl FnMut(&str, &Sources, &Advice)) {
    let machines = arcwright_fixtures::machines().unwrap();
    assert!(machines.len() > 10);
    for (name, sources) in machines {
        let before = advise(&Machine::read(&sources), Estimate::CountersOnly);
        law(&name, &sources, &before);
    }
}

fn is_stated(name: &str) -> bool {
    STATED.iter().any(|start| name.starts_with(start))
}

/// Returns the texts without one line of one of them.
fn without_line(sources: &Sources, name: &str, number: usize) -> (Sources, String) {
    let mut less = sources.clone();
    let Some(Source::Text(text)) = less.texts.get_mut(name) else { panic!("{name} is no text") };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let line = lines[number].to_owned();
    let kept = lines.iter().enumerate().filter(|(index, _)| *index != number);
    *text = kept.map(|(_, line)| *line).collect();
    (less, line)
}

#[test]
fn without_a_text_nothing_else_is_said() {
    let mut claims = Claims::default();
    each(|fixture, sources, before| {
        // Each fixture takes its turn with the parameters, which are hundreds of files of one number.
        let turn = fixture.len() % 7;
        let is_drawn = |(index, name): &(usize, &String)| {
            !is_stated(name) && (!name.contains("/parameters/") || index % 7 == turn)
        };
        for (_, name) in sources.texts.keys().enumerate().filter(is_drawn) {
            let mut less = sources.clone();
            less.texts.remove(name);
            claims.compare(before, &Machine::read(&less), &format!("{fixture}: {name}"));
        }
    });
    claims.none();
}

#[test]
fn without_a_row_of_the_arc_nothing_else_is_said() {
    let mut claims = Claims::default();
    each(|fixture, sources, before| {
        let machine = Machine::read(sources);
        let rows = machine.samples.last().unwrap().kstats.kstats["zfs/arcstats"].rows.clone();
        for (row, _) in rows {
            for samples in [&[0, 1][..], &[0], &[1]] {
                let mut less = machine.clone();
                for sample in samples {
                    let kstats = &mut less.samples[*sample].kstats.kstats;
                    kstats.get_mut("zfs/arcstats").unwrap().rows.retain(|(name, _)| *name != row);
                }
                claims.compare(before, &less, &format!("{fixture}: {row} of {samples:?}"));
            }
        }
    });
    claims.none();
}

#[test]
fn without_a_line_nothing_else_is_said() {
    let mut claims = Claims::default();
    let mut state = SEED;
    // SplitMix64 (Steele, Lea, Flood 2014).
    let mut draw = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    each(|fixture, sources, before| {
        let lines = |name: &String| match &sources.texts[name] {
            Source::Text(text) => text.split_inclusive('\n').count(),
            Source::Unreadable(_) => 0,
        };
        let named = sources.texts.keys().filter(|name| !is_stated(name));
        let all: Vec<(&String, usize)> =
            named.flat_map(|name| (0..lines(name)).map(move |number| (name, number))).collect();
        for _ in 0..LINES {
            let (name, number) = all[usize::try_from(draw() % all.len() as u64).unwrap()];
            let (less, line) = without_line(sources, name, number);
            let taken = format!("seed {SEED}, {fixture}: line {} of {name}: {line:?}", number + 1);
            if !is_heading(name, &line) {
                claims.compare(before, &Machine::read(&less), &taken);
            }
        }
    });
    claims.none();
}

/// Says whether a line is one that the texts alone cannot tell to be missing.
fn is_heading(name: &str, line: &str) -> bool {
    let is_tree = name.contains("zpool-status") || name.contains("zpool-list");
    // The pool's own row is what its vdevs hang below; without the row of a group its members stand on their own; without a heading (`cache`, `logs`)
    // what follows it is taken for data.
    let row = line.trim();
    let groups = ["mirror-", "raidz", "draid", "cache", "logs", "special", "dedup", "spares"];
    let is_pool = line.starts_with('\t') && !line.starts_with("\t ");
    let fields = ["pool:", "state:", "status:", "action:", "scan:", "config:", "errors:", "NAME"];
    let is_field = row.is_empty() || fields.iter().any(|field| row.starts_with(field));
    is_tree && (is_pool || is_field || groups.iter().any(|group| row.starts_with(group)))
}
