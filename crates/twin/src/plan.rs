//! What clients do in the experiment, so that the counters come out as they were captured.
//!
//! ```text
//!   what is asked again and again   read, at random or by popularity, of files of a fitted size
//!   what is read ahead              read in a row, of files that nobody reads twice
//!   what is written                 with a commit for each request where the intent log counted one, else without
//! ```

use arcwright_units::Bytes;

use crate::LOAD;
use crate::datasets::{dataset_name, properties, ratio};
use crate::hardware::Hardware;
use crate::load::{Flow, Measured, Traffic};
use crate::names::Names;
use crate::sizes::size as size_text;
use crate::writes::{Placed, Writes};

/// The largest set of what is asked again, in sizes of the ARC: beyond it next to nothing hits.
pub(crate) const HOT_MAX: u64 = 64;
/// Of what is asked again, so many sizes of the ARC are read once in the beginning.
const TOUCHED_MAX: u64 = 8;
/// Requests of a round of warming up at most, in an experiment that is not scaled.
const WARMING_MAX: u64 = 150_000;
/// A phase is no shorter, unless it then has more requests than that in an experiment that is not scaled.
const SECONDS_MIN: f64 = 20.0;
const REQUESTS_MAX: u64 = 100_000;
/// A file is no smaller.
const FILE_MIN: Bytes = Bytes::mib(16);
/// Part of the room that what is read once in a phase takes at most.
const PART_FOR_ONCE: u64 = 4;

/// What is chosen: the fit tries it, and the file says what came out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Choice {
    /// How much is asked again and again.
    pub(crate) hot: Bytes,
    /// How unevenly: the exponent of Zipf's law, or every place alike.
    pub(crate) zipf: Option<f64>,
    /// How long is what is read in a row again and again; what is read in a row is read once without.
    pub(crate) lap: Option<Bytes>,
    /// Names that are looked up beside.
    pub(crate) names: Option<Names>,
    /// Reads of what is asked again that wait at once.
    pub(crate) readers: u64,
    /// Where what is written goes; as the size of requests tells without.
    pub(crate) placed: Option<Placed>,
    /// Requests of a phase, in an experiment of 1/`scale`.
    pub(crate) requests: u64,
    pub(crate) scale: u64,
}

/// The experiment beside its hardware.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    pub(crate) fill: Option<u64>,
    pub(crate) datasets: Vec<Place>,
    pub(crate) files: Vec<Contents>,
    pub(crate) names: Option<Names>,
    /// How long a phase takes in which names are looked up, in milliseconds.
    pub(crate) limit: Option<u64>,
    /// How long a phase takes where the disks keep up, in seconds.
    pub(crate) seconds: f64,
    pub(crate) phases: Vec<Phase>,
    pub(crate) arms: Vec<Arm>,
    pub(crate) answers: Vec<Vec<String>>,
    /// The trace that is played in the place of all that.
    pub(crate) played: Option<String>,
}

/// A dataset or a volume.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) is_volume: bool,
    pub(crate) size: Option<Bytes>,
    pub(crate) keys: Vec<String>,
    pub(crate) said: Vec<String>,
}

/// A file of a dataset.
#[derive(Debug, Clone)]
pub(crate) struct Contents {
    pub(crate) name: String,
    pub(crate) dataset: String,
    pub(crate) size: Bytes,
    pub(crate) ratio: Option<String>,
    pub(crate) said: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Phase {
    pub(crate) name: &'static str,
    pub(crate) until_warm: bool,
    /// Whether names are looked up, if any are.
    pub(crate) looks_up: bool,
    pub(crate) said: &'static str,
    pub(crate) clients: Vec<Client>,
}

#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) verb: &'static str,
    pub(crate) file: String,
    pub(crate) io: Bytes,
    pub(crate) pattern: &'static str,
    pub(crate) zipf: Option<f64>,
    pub(crate) amount: Bytes,
    /// Bytes a second; as fast as it goes without.
    pub(crate) rate: Option<u64>,
    pub(crate) depth: u64,
    part: Part,
}

/// A part of the load, which has files of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Asked again and again, at random.
    Again,
    /// Read in a row, again and again.
    Lap,
    /// Read in a row and once, before the load is measured and while it is.
    OnceBefore,
    Once,
    Written,
}

impl Part {
    /// Returns the end of its file's name, and what is in the file.
    const fn file(self) -> (&'static str, &'static str) {
        match self {
            Self::Again => ("", "What is asked again and again"),
            Self::Lap => ("-again", "What is read in a row, again and again,"),
            Self::OnceBefore => ("-once-a", "What is read in a row, once,"),
            Self::Once => ("-once-b", "What is read in a row, once,"),
            Self::Written => ("-new", "What is written"),
        }
    }

    /// Says whether caches are to hold it before the load is measured.
    const fn is_warmed(self) -> bool {
        matches!(self, Self::Again | Self::Lap)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Arm {
    pub(crate) name: String,
    pub(crate) keys: Vec<String>,
    pub(crate) said: Vec<String>,
}

/// A plan while it is made.
struct Making<'a> {
    hardware: &'a Hardware,
    measured: &'a Measured,
    choice: Choice,
    seconds: f64,
    plan: Plan,
    clients: Vec<Client>,
}

/// Returns the experiment with such a choice, with the arm that changes nothing alone.
pub(crate) fn plan(hardware: &Hardware, measured: &Measured, choice: Choice) -> Plan {
    let requests = measured.requests() + choice.names.map_or(0.0, |names| names.per_s);
    let of_all = |count: u64| count as f64 * choice.scale as f64 / requests.max(0.01);
    // Long enough for transaction groups and the feed, unless that is more than anybody waits for.
    let seconds = of_all(choice.requests).max(of_all(REQUESTS_MAX).min(SECONDS_MIN));
    // What is read once must fit into the pool twice, or it would come back.
    let once = if choice.lap.is_some() { 0.0 } else { measured.in_a_row() };
    let fits = Bytes(hardware.room().0 / PART_FOR_ONCE).0 as f64 / once.max(1.0);
    let seconds = seconds.min(fits);
    // Who looks up names ends with the last of them.
    let seconds = choice.names.map_or(seconds, |names| seconds.min(names.seconds()));
    let plan = Plan { seconds, ..Plan::default() };
    let mut making = Making { hardware, measured, choice, seconds, plan, clients: Vec::new() };
    for (number, traffic) in measured.traffic.iter().enumerate() {
        making.add(number, traffic);
    }
    making.whole()
}

impl Making<'_> {
    fn add(&mut self, number: usize, traffic: &Traffic) {
        let name = self.name_of(traffic);
        let again = self.measured.again(number);
        let share = again / self.measured.all_again().max(1.0);
        let hot = Bytes::of_f64(self.choice.hot.0 as f64 * share);
        let io = traffic.read.size();
        let written = Writes::of(traffic);
        let (in_place, some) = match self.choice.placed {
            Some(Placed::Over(size)) => (true, size),
            Some(Placed::InRow) => (false, Bytes::ZERO),
            None => (written.in_place(traffic, self.measured), self.hardware.part_of_room()),
        };
        if again > 0.0 || in_place {
            let size = if again > 0.0 { hot } else { some };
            self.place(traffic, &name, Part::Again, size);
        }
        if let Some(io) = io.filter(|_| again > 0.0) {
            let zipf = self.choice.zipf;
            let pattern = if zipf.is_some() { "zipf" } else { "random" };
            let client = self.client("read", (&name, Part::Again), io, again);
            let depth = Bytes::of_f64((self.choice.readers as f64 * share).ceil()).0.max(1);
            self.clients.push(Client { pattern, zipf, depth, ..client });
        }
        let once = self.measured.once(number);
        if (Flow { requests: 1.0, bytes: once }).is_load() {
            let io = io.unwrap_or_else(|| Bytes::kib(128)).max(Bytes::kib(128));
            let length = Bytes::of_f64(once * self.seconds);
            let parts = match self.choice.lap {
                Some(lap) => vec![(Part::Lap, lap)],
                None => vec![(Part::OnceBefore, length), (Part::Once, length)],
            };
            for (part, length) in parts {
                self.place(traffic, &name, part, length);
                self.clients.push(self.client("read", (&name, part), io, once));
            }
        }
        self.writers(traffic, &name, &written, in_place);
    }

    fn writers(&mut self, traffic: &Traffic, name: &str, written: &Writes, in_place: bool) {
        let flows = [("sync-write", written.waiting, written.depth), ("write", written.others, 1)];
        let flows = flows.into_iter().filter(|(_, flow, _)| flow.is_load());
        let flows: Vec<_> = flows
            .filter_map(|(verb, flow, depth)| Some((verb, flow, depth, flow.size()?)))
            .collect();
        let (file, pattern) = match in_place {
            true => (Part::Again, "random"),
            false => (Part::Written, "sequential"),
        };
        if !flows.is_empty() && !in_place {
            let bytes = flows.iter().map(|(_, flow, _, _)| flow.bytes).sum();
            self.place(traffic, name, file, self.length(bytes));
        }
        for (verb, flow, depth, io) in flows {
            let client = self.client(verb, (name, file), io, flow.bytes);
            self.clients.push(Client { pattern, depth, part: Part::Written, ..client });
        }
    }

    /// Returns a client that goes in a row through the file of a part of the load.
    fn client(
        &self,
        verb: &'static str,
        (name, part): (&str, Part),
        io: Bytes,
        bytes: f64,
    ) -> Client {
        let (end, _) = part.file();
        Client {
            verb,
            file: format!("{name}{end}"),
            io,
            pattern: "sequential",
            zipf: None,
            amount: whole(Bytes::of_f64(bytes * self.seconds).0, io),
            rate: Some(Bytes::of_f64(bytes).0.max(1)),
            depth: 1,
            part,
        }
    }

    /// Returns the length of a file that is gone through once in a phase at such a rate.
    fn length(&self, bytes_per_s: f64) -> Bytes {
        Bytes::of_f64(bytes_per_s * self.seconds).min(self.hardware.part_of_room())
    }

    /// Adds the file of a part of the load, in a dataset or as a volume of its own.
    fn place(&mut self, traffic: &Traffic, name: &str, part: Part, size: Bytes) {
        let (end, what) = part.file();
        let name = format!("{name}{end}");
        let record = traffic.record();
        let size = whole(size.max(FILE_MIN).0, record);
        let ratio = ratio(traffic);
        let said = vec![format!("{what} of {}", traffic.name)];
        if traffic.is_volume() {
            let mut keys = vec![format!("volblocksize = {}", size_text(record))];
            keys.extend(properties(traffic));
            keys.extend(ratio.map(|ratio| format!("compressratio = {ratio}")));
            let place = Place { name, is_volume: true, size: Some(size), keys, said };
            return self.plan.datasets.push(place);
        }
        let dataset = dataset_name(traffic);
        if !self.plan.datasets.iter().any(|known| known.name == dataset) {
            let mut keys = vec![format!("recordsize = {}", size_text(record))];
            keys.extend(properties(traffic));
            let place = Place {
                name: dataset.clone(),
                is_volume: false,
                size: None,
                keys,
                said: Vec::new(),
            };
            self.plan.datasets.push(place);
        }
        self.plan.files.push(Contents { name, dataset, size, ratio, said });
    }

    /// Returns a name for the contents of a dataset that no other has.
    fn name_of(&self, traffic: &Traffic) -> String {
        let last = traffic.name.rsplit('/').next().unwrap_or("data");
        let plain: String = last
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c))
            .take(24)
            .collect();
        let stem = if plain.is_empty() { "data".to_owned() } else { plain };
        // Its files may be several: what is read once, what is written.
        let known = |name: &str| {
            let is_its = |other: &str| {
                other
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            };
            let volumes = self.plan.datasets.iter().filter(|it| it.is_volume);
            let mut names =
                volumes.map(|it| &it.name).chain(self.plan.files.iter().map(|it| &it.name));
            names.any(|other| is_its(other))
        };
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        std::iter::once(stem.clone()).chain(numbered).find(|name| !known(name)).unwrap_or(stem)
    }

    fn whole(mut self) -> Plan {
        let warm = self.clients.iter().filter(|client| client.part.is_warmed()).map(|client| {
            // What passes the ARC some times over has filled it, however large the file is.
            let passing = self.hardware.arc_max.saturating_mul(3);
            let size = self.size_of(&client.file).min(passing);
            let requests = WARMING_MAX.saturating_mul(self.choice.scale);
            let most = client.io.0.saturating_mul(requests);
            let amount = whole(size.0.saturating_mul(2).min(most), client.io);
            // Cache devices are filled by so many bytes a second, however fast is read.
            let rate = client.rate.filter(|_| !self.hardware.cache.is_empty());
            Client { rate, amount, ..client.clone() }
        });
        let warm: Vec<Client> = warm.collect();
        // A machine that runs for weeks has seen all of it: a first read of a place is no part of the load.
        let most = self.hardware.arc_max.saturating_mul(TOUCHED_MAX);
        let touch = warm.iter().map(|client| {
            let (io, size) = (Bytes::mib(1), self.size_of(&client.file).min(most));
            let amount = whole(size.0, io);
            Client { io, pattern: "sequential", zipf: None, amount, ..client.clone() }
        });
        let touch: Vec<Client> = touch.collect();
        let without = |part: Part| -> Vec<Client> {
            self.clients.iter().filter(|client| client.part != part).cloned().collect()
        };
        let (settle, load) = (without(Part::Once), without(Part::OnceBefore));
        let phase =
            |name, said, clients| Phase { name, until_warm: false, looks_up: true, said, clients };
        let phases = &mut self.plan.phases;
        if !touch.is_empty() {
            let touch = phase("touch", "Everything once, as after weeks.", touch);
            phases.push(Phase { looks_up: false, ..touch });
        }
        if !warm.is_empty() || self.choice.names.is_some() {
            let said = match self.hardware.cache.is_empty() {
                true => {
                    "What is asked again, as fast as it goes, until the caches hold what they can of it."
                }
                false => {
                    "What is asked again, at its own pace, until the caches hold what they can of it."
                }
            };
            phases.push(Phase { until_warm: true, ..phase("warm up", said, warm) });
        }
        if settle.iter().any(|client| !client.part.is_warmed()) {
            let said = "All of the load at its own pace, with other files read once.";
            phases.push(phase("settle", said, settle));
        }
        let said = "The load that was counted; figures of this phase are meant.";
        phases.push(phase(LOAD, said, load));
        self.plan.names = self.choice.names;
        self.plan.limit = self.choice.names.map(|_| Bytes::of_f64(self.seconds * 1e3).0.max(1));
        self.plan.fill = self.fill();
        let name = "as it is".to_owned();
        self.plan.arms.push(Arm { name, keys: Vec::new(), said: Vec::new() });
        self.plan
    }

    fn size_of(&self, name: &str) -> Bytes {
        let files = self.plan.files.iter().filter(|it| it.name == name).map(|it| it.size);
        let volumes = self.plan.datasets.iter().filter(|it| it.name == name);
        files.chain(volumes.filter_map(|it| it.size)).sum()
    }

    /// Returns how full the pool is said to be: what the files of the experiment need is not filled.
    fn fill(&self) -> Option<u64> {
        let files: Bytes = self.plan.files.iter().map(|it| it.size).sum();
        let volumes: Bytes = self.plan.datasets.iter().filter_map(|it| it.size).sum();
        self.hardware.fill_beside(files + volumes)
    }
}

/// Returns a size as a multiple of a step, not below one.
fn whole(bytes: u64, step: Bytes) -> Bytes {
    Bytes(bytes.div_ceil(step.0.max(1)).max(1).saturating_mul(step.0))
}
