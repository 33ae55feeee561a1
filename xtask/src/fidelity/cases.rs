//! The corpus: experiments written down by name, and experiments drawn from a seed.

use arcwright_workload::Stream;

use super::parts::{PLAIN, Parts, text};
use super::{
    compression, crowds, datasets, draid, encrypted, fill, links, old_cases, shared, shingled,
    trees, unseen, volumes, writes,
};

/// Seed of the drawn half.
const SEED: u64 = 20_261_121;
/// How many cases are drawn.
const DRAWN: usize = 28;
/// The libraries that every named case runs on.
pub(super) const VERSIONS: [&str; 2] = ["2.1.11", "2.3.2"];
/// Those that every named case runs on too, and that nothing was ever fitted on.
pub(super) const HELD_OUT: [&str; 3] = ["2.0.3", "2.3.9", "2.4.4"];

/// What cases are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// Loops, random reads and several readers, with and without a cache device.
    Reads,
    /// Writes, those that wait, and reads of what was written.
    Writes,
    /// Trees of small files.
    Trees,
    /// More clients than the processor can serve.
    Crowds,
    /// Several datasets in a pool, volumes among them, with properties of their own; compression, encryption.
    Datasets,
    /// One device in several roles, devices behind one link, pools that other files fill, shingled disks, dRAID.
    Shared,
    /// Drawn from a seed.
    Drawn,
    /// The named cases on other libraries, on which nothing was fitted; summed up apart.
    HeldOut,
    /// The newest block of those drawn over the whole language: nothing was changed because of them; summed up apart.
    Unseen,
    /// Earlier blocks of these, which led to changes since; summed up apart.
    Seen,
    /// The code of about 2010, summed up apart.
    Old,
}

impl Group {
    /// All but those that are summed up apart.
    pub(super) const NEW: [Self; 7] = [
        Self::Reads,
        Self::Writes,
        Self::Trees,
        Self::Crowds,
        Self::Datasets,
        Self::Shared,
        Self::Drawn,
    ];

    /// Returns its name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::Trees => "trees",
            Self::Crowds => "crowds",
            Self::Datasets => "datasets",
            Self::Shared => "shared",
            Self::Drawn => "drawn",
            Self::HeldOut => "held out",
            Self::Unseen => "never seen",
            Self::Seen => "seen since",
            Self::Old => "old",
        }
    }
}

/// One experiment.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) version: String,
    /// What it is about.
    pub(super) group: Group,
    /// The scenario file.
    pub(super) text: String,
}

impl Case {
    /// Returns whether the lab takes minutes for it.
    pub(super) fn is_slow(&self) -> bool {
        let writes = ["write =", "sync-write =", "mixed =", "tree-"];
        self.is_old() || writes.iter().any(|what| self.text.contains(what))
    }

    /// Returns whether any of its arms has a cache device.
    pub(super) fn has_cache(&self) -> bool {
        self.text.contains("cache = [{")
    }

    /// Returns whether it is of a library on which nothing was fitted.
    pub(super) fn is_held_out(&self) -> bool {
        self.group == Group::HeldOut
    }

    /// Returns whether it is one that led to no change.
    pub(super) fn is_unseen(&self) -> bool {
        self.group == Group::Unseen
    }

    /// Returns whether chance drew it over the whole language.
    pub(super) fn is_of_a_block(&self) -> bool {
        matches!(self.group, Group::Unseen | Group::Seen)
    }

    /// Returns whether it is one of zfs-fuse, which are summed up apart.
    pub(super) fn is_old(&self) -> bool {
        self.group == Group::Old
    }
}

pub(super) const RAIDZ: &str =
    "data = [{ raidz1 = [\"hdd-nas-7200\", \"hdd-nas-7200\", \"hdd-nas-7200\"] }]";
const MIRROR: &str = "data = [{ mirror = [\"hdd-nas-5400\", \"hdd-nas-5400\"] }]";
pub(super) const STRIPE: &str = "data = [{ disk = \"hdd-nas-7200\" }, { disk = \"hdd-nas-7200\" }]";
pub(super) const SSD: &str = "data = [{ disk = \"ssd-sata-consumer\" }]";
const CACHE: &str = "cache = [{ device = \"nvme-consumer\", size = \"32GiB\" }]";
const SMALL_CACHE: &str = "cache = [{ device = \"nvme-consumer\", size = \"2GiB\" }]";

/// Returns the named cases on a library, by what they are about.
fn named_on(version: &str) -> Vec<Case> {
    let lists = [
        (Group::Reads, named(version)),
        (Group::Reads, of_several(version)),
        (Group::Writes, writes::named(version)),
        (Group::Trees, trees::named(version)),
        (Group::Crowds, crowds::named(version)),
        (Group::Datasets, datasets::named(version)),
        (Group::Datasets, volumes::named(version)),
        (Group::Datasets, compression::named(version)),
        (Group::Datasets, encrypted::named(version)),
        (Group::Shared, shared::named(version)),
        (Group::Shared, links::named(version)),
        (Group::Shared, fill::named(version)),
        (Group::Shared, shingled::named(version)),
        (Group::Shared, draid::named(version)),
    ];
    let cases = lists
        .into_iter()
        .flat_map(|(group, list)| list.into_iter().map(move |(name, text)| (group, name, text)));
    let case = |(group, name, text)| {
        let name = format!("{name}-{version}");
        Case { name, version: version.to_owned(), group, text }
    };
    cases.map(case).collect()
}

/// Returns the whole corpus, named cases first.
pub(super) fn all() -> Vec<Case> {
    let mut cases: Vec<Case> = VERSIONS.into_iter().flat_map(named_on).collect();
    cases.extend(
        HELD_OUT.into_iter().flat_map(named_on).map(|case| Case { group: Group::HeldOut, ..case }),
    );
    cases.extend(old_cases::all().into_iter().map(|(name, text)| {
        let version = old_cases::VERSION.to_owned();
        Case { name, version, group: Group::Old, text }
    }));
    let mut chance = Stream::new(SEED, "fidelity corpus");
    for number in 0..DRAWN {
        let version = pick(&mut chance, &VERSIONS);
        let text = drawn(version, &mut chance);
        let name = format!("drawn-{number:02}-{version}");
        let version = (*version).to_owned();
        cases.push(Case { name, version, group: Group::Drawn, text });
    }
    cases.extend(unseen::all());
    cases
}

pub(super) fn repeated(client: &str, times: usize) -> Vec<(&'static str, String)> {
    ["first", "second", "third"].into_iter().take(times).map(|n| (n, client.to_owned())).collect()
}

fn named(version: &str) -> Vec<(String, String)> {
    let seq = "{ read = \"f\", io = \"128KiB\" }";
    let random = "{ read = \"f\", io = \"128KiB\", pattern = \"random\", amount = \"2GiB\" }";
    let zipf =
        "{ read = \"f\", io = \"16KiB\", pattern = \"zipf\", zipf = 1.0, amount = \"1GiB\" }";
    let open = "tunables = { l2arc_noprefetch = 0, l2arc_write_max = \"1GiB\" }";
    let no_cache = "cache = []";
    let with = |pool: &str, cache: &str| format!("{pool}\n{cache}");
    let arms_l2 = [("without", no_cache), ("with", ""), ("open", open)];
    let file = [("f", 3072)];
    let two = [("as is", ""), ("far", "tunables = { zfetch_max_distance = \"512MiB\" }")];
    let near = [("as is", ""), ("near", "tunables = { zfetch_max_distance = \"8MiB\" }")];
    let arcs =
        [("1 GiB", ""), ("2 GiB", "memory = \"4GiB\"\ntunables = { zfs_arc_max = \"2GiB\" }")];
    let base = Parts { arms: &arms_l2, files: &file, ..PLAIN };
    let build = |pool: &str, arms, recordsize, phases: &[(&str, String)], files| {
        text(version, &Parts { pool, arms, recordsize, phases, files, ..base })
    };
    let fits: [(&str, u64); 1] = [("f", 896)];
    let named = |name: &str, text: String| (name.to_owned(), text);
    vec![
        named(
            "loop-raidz-l2",
            build(&with(RAIDZ, CACHE), &arms_l2, "128KiB", &repeated(seq, 3), &file),
        ),
        named(
            "loop-mirror-small-l2",
            build(&with(MIRROR, SMALL_CACHE), &arms_l2, "128KiB", &repeated(seq, 3), &file),
        ),
        named("loop-stripe-distance", build(STRIPE, &two, "128KiB", &repeated(seq, 3), &file)),
        named("loop-ssd-distance", build(SSD, &near, "128KiB", &repeated(seq, 3), &file)),
        named(
            "loop-fits-after-more-arc",
            build(RAIDZ, &arcs, "128KiB", &repeated(seq, 3), &[("f", 1536)]),
        ),
        named("loop-fits", build(MIRROR, &near, "128KiB", &repeated(seq, 2), &fits)),
        named(
            "large-records",
            build(&with(RAIDZ, CACHE), &arms_l2, "1MiB", &repeated(seq, 3), &file),
        ),
        named("small-records", build(MIRROR, &near, "16KiB", &repeated(seq, 2), &[("f", 1536)])),
        named(
            "random-mirror",
            build(&with(MIRROR, CACHE), &arms_l2, "128KiB", &repeated(random, 3), &file),
        ),
        named("random-ssd", build(SSD, &arcs, "128KiB", &repeated(random, 2), &file)),
        named(
            "zipf-stripe",
            build(&with(STRIPE, CACHE), &arms_l2, "16KiB", &repeated(zipf, 3), &[("f", 2048)]),
        ),
    ]
}

/// Cases of several readers at once.
fn of_several(version: &str) -> Vec<(String, String)> {
    let near = [("as is", ""), ("near", "tunables = { zfetch_max_distance = \"8MiB\" }")];
    let switch = [("on", ""), ("off", "tunables = { zfs_prefetch_disable = 1 }")];
    let reader =
        |file: &str, start: &str| format!("{{ read = \"{file}\", io = \"128KiB\"{start} }}");
    let of_one =
        ["", ", start = \"3s\"", ", start = \"6s\""].map(|start| reader("f", start)).join(", ");
    let of_three = ["a", "b", "c"].map(|file| reader(file, "")).join(", ");
    let files: [(&str, u64); 3] = [("a", 1024), ("b", 1024), ("c", 1024)];
    let build = |pool: &str, arms, clients: &str, files| {
        let phases = repeated(clients, 2);
        let parts = Parts { pool, arms, files, phases: &phases, ..PLAIN };
        text(version, &parts)
    };
    vec![
        ("three-readers-of-one".to_owned(), build(RAIDZ, &near, &of_one, &[("f", 3072)])),
        ("three-readers-of-three".to_owned(), build(STRIPE, &near, &of_three, &files)),
        ("prefetch-switch".to_owned(), build(STRIPE, &switch, &of_three, &files)),
    ]
}

#[expect(clippy::indexing_slicing, reason = "the lists are written down below and not empty")]
pub(crate) fn pick<'a, T>(chance: &mut Stream, from: &'a [T]) -> &'a T {
    let index = usize::try_from(chance.below(from.len() as u64)).unwrap_or(0);
    from.get(index).unwrap_or(&from[0])
}

/// Draws a system, a load and two arms.
fn drawn(version: &str, chance: &mut Stream) -> String {
    let hdd = *pick(
        chance,
        &["hdd-nas-5400", "hdd-nas-7200", "hdd-enterprise-7200", "ssd-sata-consumer"],
    );
    let (layout, count) = *pick(
        chance,
        &[("disk", 1), ("mirror", 2), ("raidz1", 3), ("raidz1", 4), ("raidz2", 5), ("two", 2)],
    );
    let list = vec![format!("\"{hdd}\""); count].join(", ");
    let data = match layout {
        "disk" => format!("data = [{{ disk = \"{hdd}\" }}]"),
        "two" => format!("data = [{{ disk = \"{hdd}\" }}, {{ disk = \"{hdd}\" }}]"),
        layout => format!("data = [{{ {layout} = [{list}] }}]"),
    };
    let cache = *pick(chance, &["", SMALL_CACHE, CACHE]);
    let recordsize = *pick(chance, &["16KiB", "128KiB", "128KiB", "1MiB"]);
    let arc_mib = *pick(chance, &[1024u64, 1536, 2048]);
    let file_mib = arc_mib * *pick(chance, &[1u64, 2, 3, 4]) / 2;
    let client = |chance: &mut Stream| {
        let io = *pick(chance, &["16KiB", "128KiB", "1MiB"]);
        let pattern = *pick(chance, &["sequential", "sequential", "random", "zipf"]);
        let amount =
            if io == "16KiB" && pattern != "sequential" { 256 } else { file_mib.min(1024) };
        let start = chance.below(5);
        let pattern = match pattern {
            "zipf" => "\"zipf\", zipf = 0.9".to_owned(),
            other => format!("\"{other}\""),
        };
        let amount = if pattern == "\"sequential\"" {
            String::new()
        } else {
            format!(", amount = \"{amount}MiB\"")
        };
        format!(
            "{{ read = \"f\", io = \"{io}\", pattern = {pattern}{amount}, start = \"{start}s\" }}"
        )
    };
    let clients = 1 + chance.below(3);
    let clients: Vec<String> = (0..clients).map(|_| client(chance)).collect();
    let phases = repeated(&clients.join(", "), 2);
    let other = match cache {
        "" => *pick(
            chance,
            &[
                "tunables = { zfetch_max_distance = \"8MiB\" }",
                "tunables = { zfetch_max_distance = \"512MiB\" }",
                "memory = \"8GiB\"\ntunables = { zfs_arc_max = \"4GiB\" }",
            ],
        ),
        _ => *pick(
            chance,
            &[
                "cache = []",
                "tunables = { l2arc_noprefetch = 0 }",
                "tunables = { l2arc_noprefetch = 0, l2arc_write_max = \"256MiB\" }",
                "tunables = { l2arc_headroom = 8 }",
            ],
        ),
    };
    let pool = format!("{data}\n{cache}");
    let files = [("f", file_mib)];
    let arms = [("as is", ""), ("other", other)];
    let parts = Parts { pool: &pool, arc_mib, recordsize, ..PLAIN };
    text(version, &Parts { arms: &arms, files: &files, phases: &phases, ..parts })
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::Scenario;

    #[test]
    fn every_case_is_a_scenario_and_has_a_name_of_its_own() {
        let cases = super::all();
        assert!(cases.len() >= 40);
        for case in &cases {
            let parsed = Scenario::parse(&case.text, &case.name);
            assert!(parsed.is_ok(), "{}\n{}\n{:?}", case.name, case.text, parsed.err());
            let same = cases.iter().filter(|other| other.name == case.name).count();
            assert_eq!(same, 1, "{}", case.name);
        }
    }
}
