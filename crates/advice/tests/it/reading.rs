//! Healthy machines, idle ones, single samples, and machines of which little was read.

use arcwright_advice::{Basis, Estimate, Severity, advise};
use arcwright_kstat::KstatValue;
use arcwright_machine::{Machine, Problem, Reason, Timing};

use crate::healthy::{Bed, WINDOW, advice, all, changes, found, linux};

/// Accesses that were counted.
const ROWS: [&str; 9] = [
    "demand_data_hits",
    "demand_data_misses",
    "demand_metadata_hits",
    "demand_metadata_misses",
    "prefetch_data_hits",
    "prefetch_data_misses",
    "prefetch_metadata_hits",
    "prefetch_metadata_misses",
    "demand_hit_predictive_prefetch",
];

#[test]
fn a_healthy_machine_has_nothing_to_change_and_says_on_what_that_rests() {
    for (name, bed) in all() {
        let advice = advice(bed);
        let ids: Vec<&str> = advice.findings.iter().map(|finding| finding.id).collect();
        assert_eq!(ids, ["nothing-to-change"], "{name}: {:#?}", advice.findings);
        let nothing = &advice.findings[0];
        assert_eq!(nothing.severity, Severity::Fine);
        assert!(nothing.evidence.len() > 8, "{name}");
        assert!(advice.fine.iter().any(|fine| fine.what.contains("A SLOG cannot help")), "{name}");
        // What readers asked for of prefetch is not counted before 2.2.
        let unjudged = advice.unjudged.iter().filter(|one| !one.why.contains("before 2.2"));
        assert_eq!(unjudged.count(), 0, "{name}: {:?}", advice.unjudged);
    }
}

#[test]
fn an_idle_window_is_not_called_healthy_in_what_it_does_not_show() {
    for (name, mut bed) in all() {
        ROWS.iter().for_each(|row| bed.counted(row, 0));
        bed.sum_up();
        if bed.machine.zfs >= arcwright_tunables::Version::parse("2.2") {
            bed.counted("iohits", 0);
        }
        let advice = advice(bed);
        assert!(changes(&advice).is_empty());
        assert_eq!(advice.findings[0].id, "nothing-happened", "{name}");
        let why: Vec<&str> = advice.unjudged.iter().map(|unjudged| unjudged.why.as_str()).collect();
        assert!(why.contains(&"no ARC accesses in this window of 60 s"), "{name}: {why:?}");
    }
}

/// Leaves only the last sample.
fn alone(mut machine: Machine) -> Machine {
    machine.samples.remove(0);
    machine.samples[0].vdevs_since_import = true;
    machine
}

#[test]
fn one_sample_counts_since_the_module_was_loaded_and_says_so() {
    let machine = alone(linux("2.2.4").built());
    let advice = advise(&machine, Estimate::CountersOnly);
    assert!(matches!(advice.reading.basis, Basis::SinceLoad(Some(_))));
    let sure = &advice.findings[0].confidence.words;
    assert!(sure.contains("since the counters began"), "{sure}");
}

#[test]
fn counters_that_began_anew_are_noted_and_judged_by_themselves() {
    let mut machine = linux("2.2.4").built();
    let first = machine.samples[0].kstats.kstats.get_mut("zfs/arcstats").unwrap();
    for (name, value) in &mut first.rows {
        if name != "size" && name != "c" && name != "c_max" {
            *value = KstatValue::U64(2_000_000_000);
        }
    }
    let advice = advise(&machine, Estimate::CountersOnly);
    assert!(advice.findings.iter().any(|finding| finding.id == "counters-reset"));
    assert!(matches!(advice.reading.basis, Basis::SinceLoad(_)));
}

#[test]
fn without_counters_or_pools_nothing_is_called_fine() {
    let first = |machine: &Machine| advise(machine, Estimate::CountersOnly).findings[0].id;
    let mut machine = linux("2.3.2").built();
    machine.samples.iter_mut().for_each(|sample| sample.kstats.kstats.clear());
    assert_eq!(first(&machine), "no-counters");
    assert!(!advise(&machine, Estimate::CountersOnly).is_verdict());
    let mut bed = linux("2.3.2");
    ROWS.iter().for_each(|row| bed.counted(row, 0));
    bed.counted("iohits", 0);
    bed.sum_up();
    let mut machine = bed.built();
    machine.pools.clear();
    machine.lists_pools = true;
    assert_eq!(first(&machine), "no-pool");
    machine
        .problems
        .push(Problem { source: "commands/zpool-list".to_owned(), reason: Reason::Denied });
    assert_eq!(first(&machine), "not-enough", "whether there are pools is not known");
    assert!(!advise(&machine, Estimate::CountersOnly).is_verdict());
}

#[test]
fn of_nothing_nothing_is_said() {
    let advice = advise(&Machine::default(), Estimate::WithModel);
    assert_eq!(advice.findings.len(), 1);
    assert_eq!(advice.findings[0].id, "nothing-judged");
    assert_eq!(advice.reading.basis, Basis::Nothing);
    assert!(!advice.unjudged.is_empty());
}

#[test]
fn what_could_not_be_read_is_named_with_what_it_hides() {
    let mut machine = linux("2.1.11").built();
    machine.datasets.clear();
    machine
        .problems
        .push(Problem { source: "commands/zfs-get".to_owned(), reason: Reason::Denied });
    let advice = advise(&machine, Estimate::CountersOnly);
    let unjudged =
        advice.unjudged.iter().find(|unjudged| unjudged.why.contains("zfs-get")).unwrap();
    assert!(unjudged.why.contains("needs privilege"), "{}", unjudged.why);
    assert!(unjudged.what.iter().any(|what| what.contains("synchronous writes are honoured")));
    assert_eq!(advice.unread[0].why, "needs privilege");
}

#[test]
fn findings_name_their_pool_among_many() {
    let mut bed = linux("2.2.4");
    let mut second = bed.machine.pools[0].clone();
    second.name = "backup".to_owned();
    second.properties.insert("capacity".to_owned(), "95".to_owned());
    bed.machine.pools.push(second);
    let advice = advice(bed);
    assert_eq!(found(&advice, "pool-full").subject.as_deref(), Some("backup"));
}

#[test]
fn counters_alone_tell_what_they_tell_and_are_no_all_clear() {
    let machine = linux("2.1.11").built();
    let mut only = Machine { samples: machine.samples, ..Machine::default() };
    only.samples.iter_mut().for_each(|sample| sample.vdevs.clear());
    let advice = advise(&only, Estimate::WithModel);
    assert_eq!(advice.findings[0].id, "not-enough", "{:#?}", advice.findings);
    assert!(!advice.is_verdict());
    let pools = "whether pools are healthy";
    assert!(advice.unjudged.iter().any(|open| open.what.iter().any(|what| what == pools)));
    assert!(advice.findings[0].cause.contains("is not known whether"));
    let remedy = advice.findings[0].remedy.clone().unwrap();
    assert_eq!(remedy.lasting[0], "sudo arcwright capture nas.tar.gz");
    assert!(advice.fine.iter().any(|fine| fine.what.contains("Metadata is in memory")));
    assert_eq!(advice.reading.basis, Basis::Window(WINDOW));
}

#[test]
fn whoever_may_not_read_is_told_to_ask_with_rights() {
    let mut machine = linux("2.3.2").built();
    machine.pools[0].state = None;
    let denied = Problem { source: "commands/zpool-status".to_owned(), reason: Reason::Denied };
    machine.problems.push(denied);
    let advice = advise(&machine, Estimate::CountersOnly);
    assert_eq!(advice.findings[0].id, "not-enough");
    assert!(advice.findings[0].title.contains("state of tank"), "{}", advice.findings[0].title);
    assert_eq!(advice.findings[0].remedy.clone().unwrap().lasting, ["sudo arcwright doctor"]);
}

#[test]
fn what_holds_is_said_whatever_is_missing() {
    let mut bed = linux("2.3.2");
    bed.parameter("zfs_prefetch_disable", 1);
    let mut machine = bed.built();
    machine.samples.clear();
    machine.datasets.clear();
    let advice = advise(&machine, Estimate::CountersOnly);
    assert_eq!(changes(&advice)[..1], ["prefetch-off"], "{:#?}", advice.findings);
}

#[test]
fn one_of_two_samples_without_a_moment_makes_no_window() {
    let mut machine = linux("2.2.4").built();
    machine.samples[0].kstats.at = arcwright_units::Nanos::ZERO;
    for kstat in machine.samples[0].kstats.kstats.values_mut() {
        kstat.snaptime = arcwright_units::Nanos::ZERO;
    }
    let advice = advise(&machine, Estimate::CountersOnly);
    assert_eq!(advice.reading.basis, Basis::Nothing);
    assert!(
        advice.unjudged.iter().any(|unjudged| unjudged.why.contains("the length of the window"))
    );
}

#[test]
fn rows_that_a_version_does_not_have_count_nothing_and_others_are_unknown() {
    let lack = |version: Option<&str>, row: &str| {
        let mut machine = linux("2.1.11").built();
        machine.zfs = version.and_then(arcwright_tunables::Version::parse);
        for sample in &mut machine.samples {
            let arc = sample.kstats.kstats.get_mut("zfs/arcstats").unwrap();
            arc.rows.retain(|(name, _)| name != row && !row.is_empty());
        }
        let advice = advise(&machine, Estimate::CountersOnly);
        advice.fine.iter().any(|fine| fine.what.contains("Metadata is in memory"))
    };
    assert!(lack(Some("2.1.11"), "iohits"), "2.1 has no iohits");
    assert!(lack(None, "iohits"), "arc_meta_limit tells that it is before 2.2");
    assert!(!lack(Some("2.2.4"), "iohits"), "2.2 has them, and they were not read");
    assert!(!lack(Some("2.1.11"), "demand_data_misses"));
}

#[test]
fn at_the_limit_of_metadata_pasted_counters_are_enough_to_name_the_remedy() {
    let mut bed = linux("2.1.11");
    bed.counted("demand_metadata_misses", 18_000);
    bed.sum_up();
    bed.gauge("arc_meta_used", 6 << 30);
    let only = Machine { samples: bed.built().samples, ..Machine::default() };
    let advice = advise(&only, Estimate::WithModel);
    let remedy = found(&advice, "metadata-misses").remedy.clone().unwrap();
    assert!(remedy.what.starts_with("raise the metadata limit"), "{}", remedy.what);
}

#[test]
fn versions_before_2_0_are_judged_too() {
    for version in ["0.6.5", "0.8.6", "2.0.3"] {
        let mut bed: Bed = linux(version);
        bed.machine.zfs_text = Some(version.to_owned());
        let advice = advice(bed);
        assert_eq!(advice.findings[0].id, "nothing-to-change", "{version}: {:#?}", advice.findings);
    }
}

/// A result of reading `what` at so many MiB/s.
fn timed(what: &str, mib_per_s: f64, latency_mean_ns: Option<u64>) -> Timing {
    Timing {
        program: "pv".to_owned(),
        what: what.to_owned(),
        place: None,
        is_write: Some(false),
        bytes: None,
        bytes_per_s: Some(mib_per_s * 1_048_576.0),
        ops_per_s: None,
        request: None,
        latency_mean_ns,
        latency_p99_ns: None,
        latency_max_ns: None,
        flush_mean_ns: None,
        flush_p99_ns: None,
        flush_max_ns: None,
    }
}

#[test]
fn what_was_timed_by_hand_is_said_as_far_as_it_tells() {
    let says = |timings: &[Timing], words: &str| {
        let machine = Machine { timings: timings.to_vec(), ..Machine::default() };
        let advice = advise(&machine, Estimate::CountersOnly);
        let finding = found(&advice, "timed-by-hand");
        assert_eq!(finding.severity, Severity::Note);
        let said = format!("{} {}", finding.title, finding.cause);
        assert!(said.contains(words), "{said}");
    };
    says(&[timed("film", 310.0, None), timed("film", 320.0, None)], "no faster the second time");
    let later =
        [timed("film", 310.0, None), timed("film", 218.0, None), timed("film", 1540.0, None)];
    says(&later, "5.0 times as fast once it had been read before");
    says(&[timed("job", 10.0, Some(44_000))], "is memory speed");
    // What is not known to be the same is not compared.
    says(&[timed("", 310.0, None), timed("", 1540.0, None)], "Only counters of that time show");
    says(&[timed("a", 310.0, None), timed("b", 1540.0, None)], "Only counters of that time show");
}
