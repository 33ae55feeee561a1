//! What the model says of remedies.

use arcwright_advice::{Estimate, Gain, advise, predict};
use arcwright_fixtures::machine;
use arcwright_machine::Machine;
use arcwright_scenario::Setting;

use crate::healthy::{Bed, found, linux};

fn streams(version: &str) -> Bed {
    let mut bed = linux(version);
    bed.counted("prefetch_data_misses", 160_000);
    bed.counted("demand_hit_predictive_prefetch", 158_000);
    bed.counted("evict_l2_ineligible", 19 << 30);
    bed.sum_up();
    bed.with_cache(500);
    bed
}

#[test]
fn letting_streams_into_the_l2arc_is_predicted_the_same_each_time() {
    let machine = streams("2.1.11").built();
    let advice = advise(&machine, Estimate::WithModel);
    let Gain::Modelled { factor, words } = &found(&advice, "l2arc-prefetch-excluded").gain else {
        panic!("{:?}", found(&advice, "l2arc-prefetch-excluded").gain)
    };
    assert!(*factor > 1.5, "{words}");
    assert!(words.contains("by the model"), "{words}");
    assert_eq!(advise(&machine, Estimate::WithModel), advice);
}

#[test]
fn a_log_device_is_predicted_to_answer_sooner() {
    let mut bed = linux("2.2.4");
    for kstat in ["zfs/zil", "zfs/tank/objset-0x36"] {
        bed.row(kstat, "zil_commit_count", 3_000);
    }
    for disk in ["sda", "sdb"] {
        bed.leaf(disk).waits.disk_write_ns = Some(12_000_000);
    }
    let advice = advise(&bed.built(), Estimate::WithModel);
    let gain = &found(&advice, "sync-writes-wait").gain;
    assert!(matches!(gain, Gain::Modelled { factor, .. } if *factor > 5.0), "{gain:?}");
}

#[test]
fn prefetch_is_predicted_to_help_a_stream() {
    let mut bed = linux("2.1.11");
    bed.parameter("zfs_prefetch_disable", 1);
    let advice = advise(&bed.built(), Estimate::WithModel);
    let gain = &found(&advice, "prefetch-off").gain;
    assert!(matches!(gain, Gain::Modelled { factor, .. } if *factor > 1.05), "{gain:?}");
}

#[test]
fn what_cannot_be_modelled_says_why() {
    let mut bed = streams("2.1.11");
    bed.machine.memory = None;
    let advice = advise(&bed.built(), Estimate::WithModel);
    let gain = &found(&advice, "l2arc-prefetch-excluded").gain;
    assert!(
        matches!(gain, Gain::NotEstimated(why) if why.contains("memory was not read")),
        "{gain:?}"
    );
}

/// The guest's disks read 1.31 MiB/s, and 0.42 in the model of its load: the cache device was still being filled.
#[test]
fn a_larger_arc_is_not_promised_where_the_model_does_not_count_what_the_machine_counted() {
    let machine = Machine::read(&machine("guest-2.3.2-l2arc-filled").unwrap());
    for estimate in [Estimate::WithOwnLoad, Estimate::CountersOnly] {
        let advice = advise(&machine, estimate);
        assert!(advice.findings.iter().all(|finding| finding.id != "arc-larger"));
    }
}

/// The same guest, had its disks read a third of that.
#[test]
fn a_larger_arc_is_asked_about_under_the_own_load() {
    let mut machine = Machine::read(&machine("guest-2.3.2-l2arc-filled").unwrap());
    let vdevs = &mut machine.samples.last_mut().unwrap().vdevs;
    for io in vdevs.values_mut().flat_map(|pool| pool.values_mut()) {
        io.read_bytes_per_s = io.read_bytes_per_s.map(|rate| rate * 0.3);
    }
    let advice = advise(&machine, Estimate::WithOwnLoad);
    let finding = found(&advice, "arc-larger");
    let Gain::Modelled { factor, words } = &finding.gain else { panic!("{:?}", finding.gain) };
    assert!(*factor > 1.05 && words.contains("under the load of this window"), "{words}");
    let counted = advise(&machine, Estimate::CountersOnly);
    assert!(counted.findings.iter().all(|finding| finding.id != "arc-larger"));
    // The same question has the same answer where a setting is asked about.
    let wanted = Setting { name: "zfs_arc_max".to_owned(), value: 384 << 20 };
    let predictions = predict(&machine, &[wanted]);
    assert_eq!(predictions[0].gain, finding.gain);
}

#[test]
fn why_the_own_load_is_not_known_is_said() {
    let check = |machine: &Machine, id: &str, why: &str| {
        let advice = advise(machine, Estimate::WithOwnLoad);
        let Gain::Modelled { words, .. } = &found(&advice, id).gain else { panic!("{id}") };
        assert!(
            words.contains("Your own load was not modelled: ") && words.contains(why),
            "{words}"
        );
    };
    let mut machine = Machine::read(&machine("guest-2.3.2-sync").unwrap());
    // Less than its log alone.
    let vdevs = &mut machine.samples.last_mut().unwrap().vdevs;
    for io in vdevs.values_mut().flat_map(|pool| pool.values_mut()) {
        io.write_bytes_per_s = io.write_bytes_per_s.map(|rate| rate * 0.2);
    }
    check(&machine, "sync-writes-wait", "bytes that disks write: machine");
    let mut two = machine;
    let other = arcwright_machine::Pool { name: "other".to_owned(), ..two.pools[0].clone() };
    two.pools.push(other);
    check(&two, "sync-writes-wait", "there are several pools");
}
