//! Traces, on machines, each as it is and changed.

use anyhow::{Context as _, anyhow};
use arcwright_scenario::{Beside, Scenario, WantedTrace, trace_phases};
use arcwright_units::Nanos;
use arcwright_workload::traces::{Addressing, Request, RequestKind};
use arcwright_workload::{Recorded, Replay, Stream};

/// Requests of a drawn trace, and how many there are in a second.
const REQUESTS: u64 = 12_000;
const PER_SECOND: u64 = 50;
const SEED: u64 = 11;

/// A trace with what it is.
pub(super) struct Load {
    pub(super) name: &'static str,
    /// What it stands for, in words.
    pub(super) said: &'static str,
    machine: &'static str,
    /// Beside twice the ARC and a cache device.
    arm: &'static str,
    requests: fn() -> anyhow::Result<Drawn>,
}

/// Requests, what their places are, and whether they have times.
type Drawn = (Vec<Request>, Addressing, bool);

/// A load on a release.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) version: &'static str,
    pub(super) scenario: Scenario,
}

const PREFETCH: &str = "[[arm]]\nname = \"no prefetch\"\ntunables = { zfs_prefetch_disable = 1 }\n";
const LOG: &str =
    "[[arm]]\nname = \"log device\"\nlog = [{ device = \"nvme-plp\", size = \"4GiB\" }]\n";
const MIRROR: &str = "{ mirror = [\"2 x hdd-nas-7200\"] }";
const RAIDZ: &str = "{ raidz1 = [\"4 x hdd-nas-5400\"] }";
const SSD: &str = "\"ssd-sata-consumer\"";

const LOADS: [Load; 6] = [
    Load {
        name: "nas",
        said: "a virtual machine’s disk, films and small files side by side",
        machine: MIRROR,
        arm: PREFETCH,
        requests: || Ok((nas(), Addressing::Bytes, true)),
    },
    Load {
        name: "database",
        said: "pages of 16 KiB by popularity, three in ten written, a flush after one write in four",
        machine: MIRROR,
        arm: LOG,
        requests: || Ok((database(), Addressing::Bytes, true)),
    },
    Load {
        name: "mail",
        said: "small files by popularity, some of them written and flushed",
        machine: RAIDZ,
        arm: LOG,
        requests: || Ok((mail(), Addressing::Bytes, true)),
    },
    Load {
        name: "films",
        said: "two films, each with two viewers, one 50 MiB behind the other",
        machine: RAIDZ,
        arm: PREFETCH,
        requests: || Ok((films(), Addressing::Bytes, true)),
    },
    Load {
        name: "pools",
        said: "the public trace `lirs_2_pools`, pages taken as 32 KiB",
        machine: SSD,
        arm: PREFETCH,
        requests: pools,
    },
    Load {
        name: "drive",
        said: "the public trace `disksim_hp_c2490a` of a drive",
        machine: MIRROR,
        arm: PREFETCH,
        requests: drive,
    },
];

/// Which load runs on which releases.
const ON: [(&str, &[&str]); 6] = [
    ("nas", &["2.1.11", "2.4.4"]),
    ("database", &["2.0.3", "2.3.2"]),
    ("mail", &["2.3.9", "2.4.4"]),
    ("films", &["2.1.11", "2.3.2"]),
    ("pools", &["2.0.3", "2.3.9"]),
    ("drive", &["2.4.4"]),
];

pub(super) fn loads() -> &'static [Load] {
    &LOADS
}

/// Returns all cases.
pub(super) fn all() -> anyhow::Result<Vec<Case>> {
    let each = LOADS.iter().flat_map(|load| {
        let on = ON.iter().find(|(name, _)| *name == load.name);
        on.into_iter()
            .flat_map(|(_, versions)| versions.iter())
            .map(move |version| (load, *version))
    });
    each.map(|(load, version)| load.on(version)).collect()
}

impl Load {
    fn on(&self, version: &'static str) -> anyhow::Result<Case> {
        let name = format!("{}-{version}", self.name);
        let text = format!(
            "title = \"{name}\"\n[system]\nzfs = \"{version}\"\nmemory = \"4GiB\"\npool = {{ data = [{}] }}\n\
             tunables = {{ zfs_arc_min = {}, zfs_arc_max = {} }}\n\
             [[arm]]\nname = \"{AS_IT_IS}\"\n\
             [[arm]]\nname = \"twice the ARC\"\ntunables = {{ zfs_arc_max = {} }}\n\
             [[arm]]\nname = \"a cache device\"\ncache = [{{ device = \"nvme-consumer\", size = \"2GiB\" }}]\n{}{}",
            self.machine,
            64 << 20,
            ARC_MIB << 20,
            ARC_MIB << 21,
            self.arm,
            trace_phases(self.name, &[])
        );
        let scenario = Scenario::parse_beside(&text, &name, self);
        let scenario = scenario.map_err(|error| anyhow!("{name}: {error}"))?;
        Ok(Case { name, version, scenario })
    }
}

/// The arm that others are held against, and its ARC.
pub(super) const AS_IT_IS: &str = "as it is";
const ARC_MIB: u64 = 160;

impl Beside for Load {
    fn text(&self, path: &str) -> Result<String, String> {
        Err(format!("{path}: there is none"))
    }

    fn replay(&self, wanted: &WantedTrace<'_>) -> Result<Replay, String> {
        let (requests, addressing, timed) = (self.requests)().map_err(|error| error.to_string())?;
        let mut recorded = Recorded::with_room(requests.len());
        recorded.add(&requests)?;
        recorded.replay((addressing, timed), wanted.recordsize)
    }
}

/// Draws requests, so many in a second.
fn drawn(name: &str, of: impl Fn(&mut Stream, u64) -> Vec<Request>) -> Vec<Request> {
    let mut stream = Stream::new(SEED, name);
    let all = (0..REQUESTS).flat_map(|number| {
        // Not like a clock: up to three gaps late.
        let late = stream.below(3_000_000_000 / PER_SECOND);
        let time = Nanos(number * Nanos::SECOND.0 / PER_SECOND + late);
        let requests = of(&mut stream, number);
        requests.into_iter().map(move |request| Request { time, ..request })
    });
    all.collect()
}

fn request(kind: RequestKind, (volume, place, bytes): (u32, u64, u32)) -> Request {
    Request { time: Nanos::ZERO, place, bytes, volume, kind }
}

/// Draws a place of so many, the first ones far more often.
fn popular(stream: &mut Stream, places: u64) -> u64 {
    let share = stream.unit();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "below the number of places"
    )]
    let place = (share * share * share * places as f64) as u64;
    // Neighbours are not alike.
    place.wrapping_mul(0x9e37_79b1) % places
}

fn nas() -> Vec<Request> {
    drawn("nas", |stream, number| {
        let one = match stream.below(10) {
            0..6 => {
                let place = (0, popular(stream, 40_000) * 16_384, 16_384);
                let kind =
                    if stream.below(10) < 3 { RequestKind::Write } else { RequestKind::Read };
                request(kind, place)
            }
            6..8 => {
                let film = number / (REQUESTS / 4);
                let place = number % (REQUESTS / 4) * 131_072;
                let film = u32::try_from(film).unwrap_or(0);
                request(RequestKind::Read, (1 + film, place, 131_072))
            }
            _ => small_file(stream, RequestKind::Read),
        };
        vec![one]
    })
}

fn small_file(stream: &mut Stream, kind: RequestKind) -> Request {
    let file = u32::try_from(popular(stream, 8000)).unwrap_or(0);
    let bytes = [3000, 9000, 40_000, 100_000];
    let bytes = bytes.get(file as usize % bytes.len()).copied().unwrap_or(3000);
    request(kind, (100 + file, 0, bytes))
}

fn database() -> Vec<Request> {
    drawn("database", |stream, _| {
        let place = (0, popular(stream, 60_000) * 16_384, 16_384);
        match stream.below(10) {
            0..7 => vec![request(RequestKind::Read, place)],
            _ if stream.below(4) == 0 => {
                let flush = request(RequestKind::Flush, (0, 0, 0));
                vec![request(RequestKind::Write, place), flush]
            }
            _ => vec![request(RequestKind::Write, place)],
        }
    })
}

fn mail() -> Vec<Request> {
    drawn("mail", |stream, _| match stream.below(10) {
        0..8 => vec![small_file(stream, RequestKind::Read)],
        _ => {
            let write = small_file(stream, RequestKind::Write);
            vec![write, Request { kind: RequestKind::Flush, ..write }]
        }
    })
}

/// Each viewer reads on, and a second one follows a few dozen megabytes behind.
fn films() -> Vec<Request> {
    drawn("films", |_, number| {
        let (viewer, step) = (number % 4, number / 4);
        let (film, step) = (viewer / 2, step + if viewer % 2 == 0 { 400 } else { 0 });
        let film = u32::try_from(film).unwrap_or(0);
        vec![request(RequestKind::Read, (film, step * 131_072, 131_072))]
    })
}

fn pools() -> anyhow::Result<Drawn> {
    use std::io::Read as _;
    let path = crate::root().join("traces/lirs_2_pools.trace.gz");
    let file = std::fs::File::open(path).context("failed to open lirs_2_pools.trace.gz")?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text)?;
    let pages = text.split_ascii_whitespace().filter_map(|word| word.parse().ok());
    let read = |page: u64| request(RequestKind::Read, (0, page, 32_768));
    Ok((pages.map(read).collect(), Addressing::Objects, false))
}

fn drive() -> anyhow::Result<Drawn> {
    let path = crate::root().join("traces/disksim_hp_c2490a.trace");
    let text = std::fs::read_to_string(path).context("failed to read disksim_hp_c2490a.trace")?;
    let mut time = Nanos::ZERO;
    let mut requests = Vec::new();
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let (kind, _) = (words.next().context("a kind")?, words.next());
        let sector: u64 = words.next().context("a sector")?.parse()?;
        let sectors: u32 = words.next().context("sectors")?.parse()?;
        let micros: f64 = words.nth(1).context("the time to the next request")?.parse()?;
        let kind = if kind == "W" { RequestKind::Write } else { RequestKind::Read };
        requests.push(Request { time, ..request(kind, (0, sector * 512, sectors * 512)) });
        time += Nanos::from_secs_f64(micros * 1e-6);
    }
    Ok((requests, Addressing::Bytes, true))
}
