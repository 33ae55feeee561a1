//! Experiments with a load that is tried: what the model of the machine counts under it.

use arcwright_model::Model;
use arcwright_scenario::{Engine as _, Event, RunRequest, Watch};
use arcwright_units::Bytes;

use crate::found::Found;
use crate::hardware::Hardware;
use crate::load::Measured;
use crate::plan::{Choice, HOT_MAX, plan};
use crate::search::Search;
use crate::{TwinError, text};

/// The ARC of the experiments that are tried: a few times the least that OpenZFS takes.
const ARC_TRIED: u64 = 96 << 20;
/// Memory that a try may take.
const MEMORY_MAX: Bytes = Bytes::gib(1);
/// How often a size is tried.
const TRIES: u32 = 12;
/// A size fits where its misses are off by no more of all accesses, nor of the misses.
const OFF_NONE: f64 = 0.001;
const MISSES_OFF_NONE: f64 = 0.03;
/// Fewer misses a second than this are none.
const MISSES_MIN: f64 = 0.05;

/// What was chosen, and what the model then counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fitted {
    pub(crate) choice: Choice,
    pub(crate) found: Found,
    /// Whether nothing missed, so that the size is what the ARC held at most.
    pub(crate) is_bound: bool,
}

/// What is tried on a machine.
pub(crate) struct Trials<'a> {
    pub(crate) hardware: &'a Hardware,
    pub(crate) measured: &'a Measured,
    pub(crate) scale: u64,
    /// The largest set of what is asked again.
    pub(crate) most: Bytes,
    /// What the ARC holds of data.
    pub(crate) held: Option<Bytes>,
    /// How long is what is read in a row again and again.
    pub(crate) lap: Option<Bytes>,
    /// Reads that wait at once.
    pub(crate) readers: u64,
    pub(crate) is_wanted: &'a dyn Fn() -> bool,
}

/// Ends a run that is not wanted.
struct Stoppable<'a>(&'a dyn Fn() -> bool);

impl Watch for Stoppable<'_> {
    fn event(&mut self, _event: Event) {}

    fn stop(&self) -> bool {
        !(self.0)()
    }
}

impl<'a> Trials<'a> {
    /// Returns what is tried on a machine, at a size that is quick.
    pub(crate) fn new(hardware: &'a Hardware, measured: &'a Measured) -> Self {
        let scale = (hardware.arc_max.0 / ARC_TRIED).max(1);
        let room = Bytes(hardware.room().0 / 2);
        let most = hardware.arc_max.saturating_mul(HOT_MAX).min(room);
        let readers = measured.readers.map_or_else(|| 1, |readers| readers.number());
        let is_wanted = &|| true;
        Self { hardware, measured, scale, most, held: None, lap: None, readers, is_wanted }
    }

    /// Says whether what is asked again at random misses at all.
    pub(crate) fn misses_again(&self) -> bool {
        self.measured.misses >= MISSES_MIN && self.measured.all_again() > 0.0
    }

    /// Says whether the misses are those that are wanted.
    pub(crate) fn fits_well(&self, found: &Found, wanted: f64) -> bool {
        let none = (OFF_NONE * self.measured.accesses).min(MISSES_OFF_NONE * wanted);
        (found.misses - wanted).abs() <= none
    }

    /// Finds the size of what is asked again whose misses fit, between two sizes: a set that is asked less evenly is larger where it
    /// misses as often.
    pub(crate) fn sized(
        &self,
        choice: &dyn Fn(Bytes) -> Choice,
        (low, high): (Bytes, Option<Bytes>),
        wanted: f64,
    ) -> Result<Fitted, TwinError> {
        let off = |fitted: &Fitted| (fitted.found.misses - wanted).abs();
        let mut search = Search::new(low.min(self.most), high.unwrap_or(self.most), high.is_some());
        let mut best: Option<Fitted> = None;
        for _ in 0..TRIES {
            let Some(size) = search.next() else { break };
            let here = self.run(choice(size))?;
            search.tell(size, here.found.misses - wanted);
            best = match best {
                Some(best) if off(&best) < off(&here) => Some(best),
                _ => Some(here),
            };
            if self.fits_well(&here.found, wanted) {
                break;
            }
        }
        best.ok_or_else(|| TwinError::Model { what: "no size was tried".to_owned() })
    }

    /// Lets the model run a choice.
    ///
    /// # Errors
    /// [`TwinError`] where the model cannot, or nobody wants it any more.
    pub(crate) fn run(&self, choice: Choice) -> Result<Fitted, TwinError> {
        let scenario = text::scenario(self.hardware, &plan(self.hardware, self.measured, choice))?;
        let mut model = Model { scale: Some(choice.scale), ..Model::default() };
        let request = RunRequest { scenario, repeats: 1 };
        // A machine of petabytes, or a text that claims to be one.
        if model.needs(&request).iter().any(|need| need.memory_max > MEMORY_MAX) {
            let what = format!("an experiment of its size needs more than {MEMORY_MAX} of memory");
            return Err(TwinError::Model { what });
        }
        let outcome = model.run(&request, &mut Stoppable(self.is_wanted));
        if !(self.is_wanted)() {
            return Err(TwinError::Stopped);
        }
        let outcome = outcome.map_err(|error| TwinError::Model { what: error.to_string() })?;
        let load = outcome.arms.first().and_then(|arm| arm.phases.last());
        let found = load.and_then(|run| Found::of(run, choice.scale));
        let found =
            found.ok_or_else(|| TwinError::Model { what: "it counted nothing".to_owned() })?;
        Ok(Fitted { choice, found, is_bound: false })
    }
}
