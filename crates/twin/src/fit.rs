//! How much is asked again and again, and how unevenly: what the model needs so that it misses as often as the machine.
//!
//! A hit ratio alone does not say how large the set is from which clients ask: 80 % of a small set that is asked evenly, or of a
//! large one of which little is popular. The ghost lists tell them apart: they count the misses that an ARC of twice the size would
//! have had. So for each of a few popularities the size is found by halving, and the one whose ghost hits fit best is taken.

use arcwright_kstat::{ArcDelta, Delta};
use arcwright_model::Model;
use arcwright_scenario::{Engine as _, PhaseRun, RunRequest, Scenario, Unwatched};
use arcwright_units::Bytes;

use crate::counted::Counted;
use crate::hardware::Hardware;
use crate::load::Measured;
use crate::names::{FILES, Names};
use crate::plan::{Choice, HOT_MAX, Plan, plan};
use crate::{TwinError, text};

/// The ARC of the experiments that are tried: a few times the least that OpenZFS takes.
const ARC_TRIED: u64 = 96 << 20;
/// Memory that a try may take.
const MEMORY_MAX: Bytes = Bytes::gib(1);
/// Requests of a phase that is tried.
const REQUESTS: u64 = 20_000;
/// Popularities that are tried: every place alike, and exponents of Zipf's law as traces of file servers have them.
const POPULARITIES: [Option<f64>; 4] = [None, Some(0.6), Some(0.9), Some(1.2)];
/// How often the size is halved, from a factor of 1024 to one of 1.06.
const HALVINGS: u32 = 7;
/// Fewer misses a second than this are none.
const MISSES_MIN: f64 = 0.05;

/// What the model counts under a load, per second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Found {
    pub(crate) accesses: f64,
    pub(crate) misses: f64,
    /// Accesses to metadata, and misses.
    pub(crate) metadata: (f64, f64),
    pub(crate) ghosts: Option<f64>,
    pub(crate) read: f64,
    pub(crate) written: f64,
}

impl Found {
    fn of(run: &PhaseRun, scale: u64) -> Option<Self> {
        let seconds = run.duration_ns.as_secs_f64();
        if seconds <= 0.0 {
            return None;
        }
        let kstats = [("zfs/arcstats".to_owned(), run.kstats.get("arcstats")?.clone())].into();
        let delta = Delta { span: run.duration_ns, kstats, resets: Vec::new() };
        let per_s = |count: u64| count as f64 * scale as f64 / seconds;
        let Counted { accesses, misses, metadata, ghosts } =
            Counted::of(&ArcDelta::of(&delta)?, per_s)?;
        // Bytes of a record are at full scale already, and so are those of a second.
        let (read, written) = (run.device_read_bytes.0, run.device_write_bytes.0);
        Some(Self {
            accesses,
            misses,
            metadata: metadata?,
            ghosts,
            read: read as f64 / seconds,
            written: written as f64 / seconds,
        })
    }
}

/// What was chosen, and what the model then counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fitted {
    pub(crate) choice: Choice,
    pub(crate) found: Found,
    /// Whether nothing missed, so that the size is what the ARC held at most.
    pub(crate) is_bound: bool,
}

/// Returns the choice under which the model misses as often as the machine.
///
/// # Errors
/// [`TwinError`] where the model cannot run the machine.
pub(crate) fn fit(
    hardware: &Hardware,
    measured: &Measured,
    held: Option<Bytes>,
) -> Result<Fitted, TwinError> {
    let scale = (hardware.arc_max.0 / ARC_TRIED).max(1);
    let room = Bytes(hardware.room().0 / 2);
    let most = hardware.arc_max.saturating_mul(HOT_MAX).min(room);
    let trials = Trials { hardware, measured, scale, most, held };
    let alone = match measured.traffic.is_empty() {
        true => trials.nothing(),
        false => trials.hot(None, &POPULARITIES)?,
    };
    let Some(metadata) = measured.metadata else { return Ok(alone) };
    match Names::of(measured, alone.found.metadata.0) {
        None => Ok(alone),
        Some(names) => {
            let names = trials.names(&alone, names, metadata)?;
            trials.hot(Some(names), &[alone.choice.zipf])
        }
    }
}

/// What is tried on a machine.
struct Trials<'a> {
    hardware: &'a Hardware,
    measured: &'a Measured,
    scale: u64,
    /// The largest set of what is asked again.
    most: Bytes,
    /// What the ARC holds of data.
    held: Option<Bytes>,
}

impl Trials<'_> {
    /// Returns what is counted where nobody moves data.
    fn nothing(&self) -> Fitted {
        let (hot, scale) = (Bytes::ZERO, self.scale);
        let choice = Choice { hot, zipf: None, names: None, requests: REQUESTS, scale };
        Fitted { choice, found: Found::default(), is_bound: false }
    }

    /// Finds how much is asked again, and how unevenly.
    fn hot(&self, names: Option<Names>, popularities: &[Option<f64>]) -> Result<Fitted, TwinError> {
        let measured = self.measured;
        let choice =
            |hot: Bytes, zipf| Choice { hot, zipf, names, requests: REQUESTS, scale: self.scale };
        if measured.misses < MISSES_MIN || measured.all_again() <= 0.0 {
            let half = Bytes(self.hardware.arc_max.0 / 2);
            let hot = self.held.unwrap_or(half).min(half).min(self.most);
            let fitted = self.run(choice(hot, None))?;
            return Ok(Fitted { is_bound: measured.all_again() > 0.0, ..fitted });
        }
        let mut best: Option<(f64, Fitted)> = None;
        for zipf in popularities.iter().copied() {
            let fitted = self.halved(&|hot| choice(hot, zipf))?;
            let ghosts = fitted.found.ghosts.zip(measured.ghosts);
            let ghosts = ghosts.map_or(0.0, |(found, wanted)| (found - wanted).abs());
            // A size that misses too often or too seldom is no fit, however its ghosts are.
            let distance = ghosts + 4.0 * off(&fitted.found, measured);
            if best.as_ref().is_none_or(|(least, _)| distance < *least) {
                best = Some((distance, fitted));
            }
        }
        let none = || TwinError::Model { what: "nothing was tried".to_owned() };
        best.map(|(_, fitted)| fitted).ok_or_else(none)
    }

    /// Halves the size of what is asked again until its misses fit.
    fn halved(&self, choice: &dyn Fn(Bytes) -> Choice) -> Result<Fitted, TwinError> {
        let (mut low, mut high) = (Bytes(self.hardware.arc_max.0 / 16).min(self.most), self.most);
        let mut best = self.run(choice(high))?;
        for _ in 0..HALVINGS {
            let middle = between(low.0, high.0);
            let here = self.run(choice(Bytes(middle)))?;
            match here.found.misses > self.measured.misses {
                true => high = Bytes(middle),
                false => low = Bytes(middle),
            }
            if off(&here.found, self.measured) <= off(&best.found, self.measured) {
                best = here;
            }
        }
        Ok(best)
    }

    /// Finds how many names there are, and how often they are asked for, so that accesses to metadata and misses fit.
    fn names(
        &self,
        alone: &Fitted,
        first: Names,
        (accesses, misses): (f64, f64),
    ) -> Result<Names, TwinError> {
        let with = |names: Names| self.run(Choice { names: Some(names), ..alone.choice });
        let paced = |names: Names| -> Result<Names, TwinError> {
            let (before, found) = (alone.found.metadata.0, with(names)?.found.metadata.0);
            let factor = ((accesses - before) / (found - before).max(0.1)).clamp(0.2, 5.0);
            Ok(Names { per_s: names.per_s * factor, ..names })
        };
        let mut names = paced(first)?;
        let (mut low, mut high) = (FILES.0, Names::most(Bytes(self.hardware.room().0 / 2)));
        let mut best = f64::MAX;
        for _ in 0..HALVINGS {
            let here = Names { files: between(low, high), ..names };
            let found = with(here)?.found.metadata.1;
            match found > misses {
                true => high = here.files,
                false => low = here.files,
            }
            if (found - misses).abs() < best {
                best = (found - misses).abs();
                names = here;
            }
        }
        paced(names)
    }

    /// Lets the model run a choice.
    fn run(&self, choice: Choice) -> Result<Fitted, TwinError> {
        let scenario = scenario(self.hardware, &plan(self.hardware, self.measured, choice))?;
        let mut model = Model { scale: Some(choice.scale), ..Model::default() };
        let request = RunRequest { scenario, repeats: 1 };
        // A machine of petabytes, or a text that claims to be one.
        if model.needs(&request).iter().any(|need| need.memory_max > MEMORY_MAX) {
            let what = format!("an experiment of its size needs more than {MEMORY_MAX} of memory");
            return Err(TwinError::Model { what });
        }
        let outcome = model.run(&request, &mut Unwatched);
        let outcome = outcome.map_err(|error| TwinError::Model { what: error.to_string() })?;
        let load = outcome.arms.first().and_then(|arm| arm.phases.last());
        let found = load.and_then(|run| Found::of(run, choice.scale));
        let found =
            found.ok_or_else(|| TwinError::Model { what: "it counted nothing".to_owned() })?;
        Ok(Fitted { choice, found, is_bound: false })
    }
}

/// Returns the number in the middle by factors.
fn between(low: u64, high: u64) -> u64 {
    Bytes::of_f64((low as f64 * high as f64).sqrt()).0
}

/// Returns how far the misses are off, as a part of all accesses.
fn off(found: &Found, measured: &Measured) -> f64 {
    (found.misses - measured.misses).abs() / measured.accesses.max(1.0)
}

/// Reads the file as its owner's program will.
pub(crate) fn scenario(hardware: &Hardware, plan: &Plan) -> Result<Scenario, TwinError> {
    let text = text::file(hardware, plan, &[]);
    Scenario::parse(&text, "twin.toml")
        .map_err(|error| TwinError::Model { what: error.to_string() })
}
