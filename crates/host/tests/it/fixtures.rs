//! Laws that every captured machine keeps, whatever version and system it is from.

use arcwright_fixtures::{machines, unpack};
use arcwright_host::capture::{FORMAT, Manifest, open, open_bytes, pack, pack_text, redact};
use arcwright_host::observe::{Sampler, Tools};
use arcwright_machine::{Class, Machine, Parameter, Reason, Source, Sources, Vdev};
use arcwright_units::cut_before;

/// Returns whether it is a machine whose module is loaded and that has no pool.
fn is_bare(name: &str) -> bool {
    name.ends_with("-bare")
}

fn each(law: impl Fn(&str, &Sources, &Machine)) {
    let machines = machines().unwrap_or_else(|error| panic!("{error}"));
    assert!(machines.len() > 10, "{} machines", machines.len());
    for (name, sources) in machines {
        law(&name, &sources, &Machine::read(&sources));
    }
}

#[test]
fn each_file_is_what_its_texts_are_written_as() {
    each(|name, sources, _| {
        let file = std::fs::read_to_string(arcwright_fixtures::path(name)).unwrap();
        assert!(pack_text(sources, None).unwrap() == file, "{name}");
    });
}

#[test]
fn unpacked_into_a_folder_they_are_the_same() {
    each(|name, sources, _| {
        let folder = tempfile::tempdir().unwrap();
        unpack(sources, folder.path()).unwrap();
        assert!(open(folder.path()).unwrap() == *sources, "{name}");
    });
}

#[test]
fn nothing_in_them_is_garbled() {
    each(|name, _, machine| {
        let garbled: Vec<_> = machine
            .problems
            .iter()
            .filter(|problem| matches!(problem.reason, Reason::Garbled(_)))
            .collect();
        assert!(garbled.is_empty(), "{name}: {garbled:?}");
    });
}

#[test]
fn the_arc_the_version_and_the_memory_are_known() {
    each(|name, _, machine| {
        let hits = machine.now().and_then(|now| now.get("zfs/arcstats", "hits"));
        // Without a pool nobody asks the ARC for anything.
        assert!(hits.is_some_and(|hits| hits > 0 || is_bare(name)), "{name}: {hits:?}");
        assert!(machine.zfs.is_some(), "{name}: {:?}", machine.zfs_text);
        assert!(machine.os.is_some() && machine.platform.is_some(), "{name}");
        assert!(machine.memory.is_some_and(|memory| memory.total.0 > 64 << 20), "{name}");
        assert!(machine.parameter("zfs_arc_max").is_some(), "{name}");
        let named = name.split('-').nth(1).unwrap();
        let version = machine.zfs.map(|version| version.to_string()).unwrap();
        let same = name.starts_with("guest").then(|| version.starts_with(named));
        assert!(same.unwrap_or(true), "{name}: {version}");
    });
}

#[test]
fn pools_have_their_vdevs_properties_and_datasets() {
    each(|name, sources, machine| {
        assert_eq!(machine.pools.is_empty(), is_bare(name), "{name}");
        for pool in &machine.pools {
            assert!(pool.of_class(Class::Data).count() > 0, "{name}: {}", pool.name);
            assert!(pool.state.is_some(), "{name}: {}", pool.name);
            assert!(
                pool.number("capacity").is_some_and(|full| full <= 100),
                "{name}: {}",
                pool.name
            );
            let root = machine.datasets.iter().find(|dataset| dataset.name == pool.name);
            assert!(root.is_some_and(|root| root.properties.contains_key("recordsize")), "{name}");
        }
        let leaves: usize = tops(machine).flat_map(Vdev::leaves).count();
        let status = sources.text("commands/zpool-status").unwrap();
        assert_eq!(leaves, leaf_lines(status), "{name}");
    });
}

fn tops(machine: &Machine) -> impl Iterator<Item = &Vdev> {
    machine.pools.iter().flat_map(|pool| &pool.vdevs)
}

/// Counts rows of disks and files in another way than the parser: by how their names begin.
fn leaf_lines(status: &str) -> usize {
    let starts = ["/", "ada", "da", "nvd", "nda", "sd", "vd", "gpt"];
    let rows = status.lines().filter(|line| line.starts_with(['\t', ' ']));
    rows.filter(|line| starts.iter().any(|start| line.trim_start().starts_with(start)))
        .filter(|line| {
            line.contains("ONLINE") || line.contains("AVAIL") || line.contains("UNAVAIL")
        })
        .count()
}

#[test]
fn every_leaf_has_its_i_o_under_the_name_that_status_gives_it() {
    each(|name, _, machine| {
        for sample in &machine.samples {
            for pool in machine.pools.iter().filter(|pool| sample.vdevs.contains_key(&pool.name)) {
                let known = &sample.vdevs[&pool.name];
                for leaf in pool.vdevs.iter().filter(|vdev| vdev.class != Class::Spare) {
                    for leaf in leaf.leaves() {
                        assert!(
                            known.contains_key(&leaf.name),
                            "{name}: {} in {:?}",
                            leaf.name,
                            known.keys()
                        );
                    }
                }
            }
        }
    });
}

#[test]
fn two_readings_make_a_window_in_which_counters_count_on() {
    each(|name, _, machine| {
        if machine.samples.len() < 2 {
            return;
        }
        let window = machine.window().unwrap();
        assert!(window.span.0 > 0, "{name}");
        assert!(window.counted("zfs/arcstats", "hits").is_some(), "{name}");
        assert_eq!(window.resets, [], "{name}");
    });
}

#[test]
fn one_broken_text_hides_nothing_else() {
    each(|name, whole, machine| {
        let names = whole.texts.keys().filter(|key| !key.contains("objset-"));
        for broken in names.filter(|key| key.starts_with("commands/") || key.contains("spl/kstat/"))
        {
            let mut sources = whole.clone();
            let garbage = Source::Text("\u{fffd} {\"x\": [1, -\n\t9 9 9\n".to_owned());
            sources.texts.insert(broken.clone(), garbage);
            let read = Machine::read(&sources);
            let others = [
                (!of_drives(broken), read.drives == machine.drives),
                (!broken.contains("zfs-get"), read.datasets == machine.datasets),
                (!broken.contains("sysctl"), read.parameters == machine.parameters),
                (!broken.contains("version"), read.zfs == machine.zfs || broken.contains("sysctl")),
                (true, read.pools.len() >= machine.pools.len()),
                (!broken.contains("sysctl"), read.samples.len() == machine.samples.len()),
            ];
            for (index, (applies, same)) in others.into_iter().enumerate() {
                assert!(!applies || same, "{name}: {broken} broke {index}");
            }
            let told = read.problems.iter().filter(|p| !machine.problems.contains(p)).count();
            assert!(told <= 2, "{name}: {broken}: {:?}", read.problems);
        }
    });
}

fn of_drives(name: &str) -> bool {
    ["lsblk", "geom", "glabel", "smartctl"].iter().any(|part| name.contains(part))
}

#[test]
fn every_text_may_end_early() {
    each(|_, whole, _| {
        for share in 1..16 {
            let cut = |text: &str| text[..cut_before(text, text.len() * share / 16)].to_owned();
            let texts = whole.texts.iter().map(|(name, source)| {
                let source = match source {
                    Source::Text(text) => Source::Text(cut(text)),
                    Source::Unreadable(reason) => Source::Unreadable(reason.clone()),
                };
                (name.clone(), source)
            });
            let machine = Machine::read(&Sources { texts: texts.collect(), ..Sources::default() });
            assert!(machine.problems.len() < 500);
        }
    });
}

#[test]
fn packed_and_opened_they_are_the_same() {
    each(|name, sources, machine| {
        let manifest = Manifest {
            format: FORMAT,
            program: String::new(),
            window_s: 0.0,
            machine: None,
            time_s: None,
            redacted: false,
            missing: Manifest::missing(sources),
        };
        let packed = pack(sources, &manifest).unwrap();
        let again = Machine::read(&open_bytes(name, &packed).unwrap());
        assert!(again == *machine, "{name}");
    });
}

#[test]
fn redacted_they_say_the_same_in_numbers() {
    each(|name, sources, machine| {
        let redacted = redact(sources);
        let again = Machine::read(&redacted);
        assert_eq!(again.problems.len(), machine.problems.len(), "{name}: {:?}", again.problems);
        let differ = |(name, parameter): &(&String, &Parameter)| {
            again.parameters.get(*name).is_none_or(|other| other.value != parameter.value)
        };
        let changed: Vec<_> = machine.parameters.iter().filter(differ).collect();
        // The host's own number is no business of others.
        let own = |(name, _): &(&String, &Parameter)| *name == "spl_hostid";
        assert!(changed.iter().all(own), "{name}: {changed:?}");
        assert_eq!(again.samples.len(), machine.samples.len(), "{name}");
        let shape = |machine: &Machine| -> Vec<(Class, usize)> {
            tops(machine).map(|vdev| (vdev.class, vdev.leaves().len())).collect()
        };
        assert_eq!(shape(&again), shape(machine), "{name}");
        let rows =
            |machine: &Machine| machine.now().map(|now| now.kstats["zfs/arcstats"].rows.clone());
        assert_eq!(rows(&again), rows(machine), "{name}");
        for pool in &machine.pools {
            let named =
                redacted.texts.iter().find(|(key, _)| key.contains(&format!("/{}/", pool.name)));
            assert!(named.is_none(), "{name}: {named:?}");
        }
    });
}

#[test]
fn reading_their_kstats_again_gives_the_same() {
    for (name, sources) in machines().unwrap() {
        let folder = tempfile::tempdir().unwrap();
        unpack(&sources, folder.path()).unwrap();
        let sample = folder.path().join("sample-0");
        let Ok(mut sampler) = Sampler::new(&sample, &Tools::in_folders(Vec::new())) else {
            continue;
        };
        let [first, second] = [sampler.sample(), sampler.sample()];
        assert_eq!(first.kstats, second.kstats, "{name}");
    }
}
