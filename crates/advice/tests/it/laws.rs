//! Laws that hold for every machine: no panic, no empty words, no parameter that the module lacks.

use arcwright_advice::{Advice, Estimate, Gain, Severity, advise};
use arcwright_kstat::KstatValue;
use arcwright_machine::Machine;
use proptest::prelude::*;

use crate::healthy::all;
use crate::missing::damages;

/// Checks what holds for any advice.
fn lawful(machine: &Machine, advice: &Advice) {
    assert!(!advice.findings.is_empty());
    let severities: Vec<Severity> =
        advice.findings.iter().map(|finding| finding.severity).collect();
    let after_first = &severities[1..];
    assert!(after_first.is_sorted(), "{severities:?}");
    for finding in &advice.findings {
        let id = finding.id;
        assert!(!finding.title.is_empty() && !finding.cause.is_empty(), "{id}");
        assert!(!finding.confidence.words.is_empty(), "{id}");
        if finding.severity <= Severity::WorthALook {
            assert!(!finding.evidence.is_empty() && !finding.sources.is_empty(), "{id}");
            assert!(!finding.cost.is_empty() && !finding.risk.is_empty(), "{id}");
        }
        for text in [&finding.title, &finding.cause, &finding.cost, &finding.risk] {
            for wrong in ["NaN", "inf ", "  ", "{}", "..", ". ."] {
                assert!(!text.contains(wrong), "{id}: {text}");
            }
        }
        if let Gain::Modelled { factor, .. } = finding.gain {
            assert!(factor.is_finite() && factor > 0.0, "{id}");
        }
        let remedy = finding.remedy.iter();
        for command in remedy.flat_map(|remedy| &remedy.now) {
            if let Some(pairs) = command.strip_prefix("arcwright tune apply ") {
                for pair in pairs.split(' ') {
                    let (name, _) = pair.split_once('=').unwrap();
                    let has =
                        machine.parameters.is_empty() || machine.parameters.contains_key(name);
                    assert!(has, "{id}: {name}");
                }
            }
        }
    }
}

/// Returns what the remedies of all findings set, as their commands say.
fn set(advice: &Advice) -> Vec<(String, String)> {
    let commands = advice.findings.iter().filter_map(|finding| finding.remedy.as_ref());
    let pairs = commands.flat_map(|remedy| &remedy.now).filter_map(|command| {
        let pairs = command.strip_prefix("arcwright tune apply ")?;
        Some(pairs.split(' ').filter_map(|pair| pair.split_once('=')))
    });
    pairs.flatten().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn no_two_findings_set_one_parameter_to_two_values() {
    let mut sets = 0;
    for (one, first) in damages() {
        for (other, second) in damages() {
            for (name, mut bed) in all() {
                first(&mut bed);
                second(&mut bed);
                let advice = advise(&bed.built(), Estimate::CountersOnly);
                let mut values = std::collections::BTreeMap::new();
                for (parameter, value) in set(&advice) {
                    sets += 1;
                    let held = values.entry(parameter.clone()).or_insert_with(|| value.clone());
                    assert_eq!(*held, value, "{name}, {one} and {other}: {parameter}");
                }
            }
        }
    }
    assert!(sets > 50, "{sets}");
}

#[test]
fn zfs_arc_min_is_never_raised_and_no_limit_while_the_arc_is_over_its_maximum() {
    let limits = ["zfs_arc_max", "zfs_arc_meta_limit", "zfs_arc_dnode_limit_percent"];
    for (damage, harm) in damages() {
        for over in [false, true] {
            for (name, mut bed) in all() {
                harm(&mut bed);
                if over {
                    bed.gauge("size", 30 << 30);
                }
                let advice = advise(&bed.built(), Estimate::CountersOnly);
                let raised: Vec<String> = set(&advice).into_iter().map(|(name, _)| name).collect();
                assert!(!raised.contains(&"zfs_arc_min".to_owned()), "{name}, {damage}");
                let is_limit = |name: &String| limits.contains(&name.as_str());
                assert!(!over || !raised.iter().any(is_limit), "{name}, {damage}: {raised:?}");
            }
        }
    }
}

#[test]
fn names_are_one_word_in_every_command() {
    const NAME: &str = "x; rm -rf $HOME '";
    const WORDS: [&str; 2] = [r"'x; rm -rf $HOME '\'''", r"'x; rm -rf $HOME '\''/home'"];
    let mut seen = 0;
    for (name, mut bed) in all() {
        let changed = [("sync", "disabled"), ("compression", "off"), ("primarycache", "metadata")];
        changed.iter().for_each(|(property, value)| bed.property("tank/home", property, value));
        let mut machine = bed.built();
        machine.pools[0].name = NAME.to_owned();
        machine.pools[0].state = Some("DEGRADED".to_owned());
        machine.pools[0].properties.insert("capacity".to_owned(), "95".to_owned());
        for dataset in &mut machine.datasets {
            dataset.name = dataset.name.replace("tank", NAME);
        }
        let advice = advise(&machine, Estimate::CountersOnly);
        for remedy in advice.findings.iter().filter_map(|finding| finding.remedy.as_ref()) {
            let lines = [&remedy.now, &remedy.lasting, &remedy.verify, &remedy.undo];
            for line in lines.into_iter().flatten() {
                seen += usize::from(line.contains("rm -rf"));
                let rest = WORDS.iter().fold(line.clone(), |line, word| line.replace(word, ""));
                assert!(!rest.contains("rm -rf"), "{name}: {line}");
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

/// Numbers that counters take: none, few, many, the most.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        0u64..100,
        0u64..1_000_000,
        any::<u32>().prop_map(u64::from),
        any::<u64>(),
        Just(u64::MAX),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_counters_say_the_answer_is_lawful(
        which in 0usize..5,
        cache in any::<bool>(),
        rows in proptest::collection::vec((any::<prop::sample::Index>(), number(), number()), 0..40),
        gone in proptest::collection::vec(any::<prop::sample::Index>(), 0..10),
    ) {
        let (_, mut bed) = all().swap_remove(which);
        if cache {
            bed.with_cache(1_500);
        }
        let mut machine = bed.built();
        for (index, before, after) in rows {
            for (sample, value) in machine.samples.iter_mut().zip([before, after]) {
                let count = sample.kstats.kstats.len();
                let kstat = sample.kstats.kstats.values_mut().nth(index.index(count)).unwrap();
                let at = index.index(kstat.rows.len());
                kstat.rows[at].1 = KstatValue::U64(value);
            }
        }
        for index in gone {
            for sample in &mut machine.samples {
                for kstat in sample.kstats.kstats.values_mut() {
                    if !kstat.rows.is_empty() {
                        let at = index.index(kstat.rows.len());
                        kstat.rows.remove(at);
                    }
                }
            }
        }
        lawful(&machine, &advise(&machine, Estimate::CountersOnly));
    }

    #[test]
    fn whatever_is_missing_the_answer_is_lawful(which in 0usize..5, missing in any::<u16>(), zeros in any::<bool>()) {
        let (_, mut bed) = all().swap_remove(which);
        bed.with_cache(10);
        let mut machine = bed.built();
        let lacks = |bit: u16| missing & (1 << bit) != 0;
        if lacks(0) { machine.memory = None; }
        if lacks(1) { machine.parameters.clear(); }
        if lacks(2) { machine.config.clear(); }
        if lacks(3) { machine.pools.iter_mut().for_each(|pool| pool.vdevs.clear()); }
        if lacks(4) { machine.pools.clear(); }
        if lacks(5) { machine.datasets.clear(); }
        if lacks(6) { machine.drives.clear(); }
        if lacks(7) { machine.samples.truncate(1); }
        if lacks(8) { machine.samples.iter_mut().for_each(|sample| sample.vdevs.clear()); }
        if lacks(9) { machine.samples.iter_mut().for_each(|sample| { sample.kstats.kstats.remove("zfs/arcstats"); }); }
        if lacks(10) { machine.zfs = None; }
        if lacks(11) { machine.os = None; machine.platform = None; }
        if lacks(12) { machine.samples.iter_mut().for_each(|sample| sample.kstats.at = arcwright_units::Nanos::ZERO); }
        if lacks(13) { machine.samples.clear(); }
        if lacks(14) { machine.pools.iter_mut().for_each(|pool| pool.properties.clear()); }
        if zeros {
            for io in machine.samples.iter_mut().flat_map(|sample| sample.vdevs.values_mut()).flat_map(|io| io.values_mut()) {
                io.read_ops_per_s = Some(0.0);
                io.write_ops_per_s = Some(f64::NAN);
                io.read_bytes_per_s = Some(f64::INFINITY);
            }
        }
        lawful(&machine, &advise(&machine, Estimate::CountersOnly));
    }
}
