//! A machine that runs ZFS as an experiment: its hardware, its settings, and a load under which the model counts what the machine
//! counted.
//!
//! ```text
//!   machine ──> hardware: version, memory, limits of the ARC, settings, vdevs, profiles of devices
//!           ──> load: what was asked per second, of which dataset; misses, ghost hits, commits
//!           ──> fit: how much is asked again and again, so that the model misses as often
//!           ──> a scenario file with the source of each value, and how far the model of the present machine is off
//! ```
//!
//! ```
//! use arcwright_machine::Machine;
//! use arcwright_twin::{TwinError, twin};
//!
//! let error = twin(&Machine::default(), None).unwrap_err();
//! assert_eq!(error, TwinError::NoPool);
//! ```

mod arms;
mod blocks;
mod chance;
mod check;
mod counted;
mod datasets;
mod devices;
mod fit;
mod found;
mod hardware;
mod load;
mod names;
mod plan;
mod played;
mod proof;
mod readers;
mod reads;
mod search;
pub mod simulated;
mod sizes;
mod text;
mod trials;
mod window;
mod writes;

use arcwright_machine::{Machine, Pool};
use arcwright_units::Bytes;

pub use check::{Compared, SelfCheck};
pub use devices::{Stand, is_shingled, stand};
pub use hardware::layout_of;
pub use played::{Played, played};

use hardware::Hardware;
use load::Measured;
use names::Names;
use plan::Choice;

/// Requests of a phase of the file at full scale.
const REQUESTS: u64 = 150_000;

/// A machine as a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Twin {
    /// The file.
    pub text: String,
    /// The same machine with other loads that its counters do not tell from that of the file: the most even, and the least.
    pub also: Vec<String>,
    /// How the model of the present machine compares with what was counted.
    pub check: SelfCheck,
    /// What the machine has and the scenario does not say.
    pub left_out: Vec<String>,
    /// What the load takes as given and no counter tells, in sentences.
    pub assumed: Vec<String>,
    /// Whether it was counted which writes wait for stable storage.
    pub log_is_counted: bool,
}

/// The phase of a machine's scenario that stands for its load.
pub const LOAD: &str = "load";

/// Why there is no scenario of a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TwinError {
    /// No pool was read.
    #[error("no pool was read; arcwright capture FILE reads all that is needed")]
    NoPool,
    /// There are several, and none was named.
    #[error("there are several pools: {known}; name one with --pool")]
    WhichPool {
        /// Their names.
        known: String,
    },
    /// There is none of this name.
    #[error("there is no pool called {name}; there is {known}")]
    NoSuchPool {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// Something was not read without which there is no experiment.
    #[error("{what} was not read; {how} shows it")]
    Missing {
        /// What.
        what: &'static str,
        /// The command that shows it.
        how: &'static str,
    },
    /// The machine has something that is not simulated and that matters.
    #[error("{what} is not simulated")]
    NotSimulated {
        /// What.
        what: &'static str,
    },
    /// Nobody asked for anything.
    #[error(
        "no dataset was read or written in {seconds} s; take the capture under the load that is meant (arcwright capture --window 10m FILE)"
    )]
    Idle {
        /// How long was looked.
        seconds: String,
    },
    /// Counters that no machine has.
    #[error("{what}: the counters are damaged, or readings of different machines")]
    Absurd {
        /// What they say.
        what: String,
    },
    /// Nobody wants it any more.
    #[error("stopped before the load was found")]
    Stopped,
    /// The model cannot run it.
    #[error("the model cannot run this machine: {what}")]
    Model {
        /// Why.
        what: String,
    },
}

/// Returns a machine with one of its pools as a scenario; without a name with its only pool.
///
/// # Errors
/// [`TwinError`] says what is missing, and what shows it.
pub fn twin(machine: &Machine, pool: Option<&str>) -> Result<Twin, TwinError> {
    twin_while(machine, pool, &|| true)
}

/// Returns the same as [`twin`], as long as it is wanted, which is asked at least ten times a second.
///
/// # Errors
/// [`TwinError`] says what is missing, and what shows it; [`TwinError::Stopped`] once it is not wanted any more.
pub fn twin_while(
    machine: &Machine,
    pool: Option<&str>,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Twin, TwinError> {
    twin_at(machine, pool, 1, is_wanted)
}

/// Returns the same of a machine that was an experiment of 1/`scale`: its load is not looked for at a larger size than it had.
///
/// # Errors
/// [`TwinError`], as of [`twin_while`].
pub fn twin_at(
    machine: &Machine,
    pool: Option<&str>,
    scale: u64,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Twin, TwinError> {
    let pool = pool_of(machine, pool)?;
    let mut hardware = Hardware::of(machine, pool)?;
    if machine.pools.len() > 1 {
        let others = machine.pools.iter().filter(|other| other.name != pool.name);
        let names: Vec<&str> = others.map(|other| other.name.as_str()).collect();
        hardware
            .left_out
            .push(format!("the load of other pools, which share the ARC: {}", names.join(", ")));
    }
    hardware.left_out.extend(datasets::large_dnodes(machine, pool));
    let mut measured = Measured::of(machine, pool, hardware.copies(), &mut hardware.left_out)?;
    let blocks = blocks::as_read(machine, pool, hardware.data_disks(), &mut measured.traffic);
    if measured.traffic.is_empty() && Names::of(&measured, 0.0).is_none() {
        return Err(TwinError::Idle { seconds: format!("{:.0}", measured.seconds) });
    }
    measured.check()?;
    let held = machine.now().and_then(|now| now.get("zfs/arcstats", "data_size")).map(Bytes);
    let fits = fit::fit((&hardware, &measured), held, scale, is_wanted)?;
    if !fits.keeps_up {
        let said =
            "all that was asked: the disks that stand for the machine's do not keep up with it";
        hardware.left_out.push(said.to_owned());
    }
    let check = SelfCheck::of(&measured, &fits.best.found);
    let mut laps = std::iter::once(&fits.best.choice).chain(&fits.also);
    let assumed: Vec<String> =
        measured.assumed(laps.any(|choice| choice.lap.is_some())).into_iter().collect();
    let mut head = check::origin(machine, &hardware, &measured, &fits);
    head.extend(assumed.iter().map(|what| vec![format!("Taken as given: {what}.")]));
    head.extend(blocks.map(|text| vec![text]));
    let waiting = readers::in_words(measured.readers, fits.best.choice.readers);
    head.extend(waiting.filter(|_| measured.all_again() > 0.0).map(|text| vec![text]));
    head.extend(check::result(&check, &hardware.left_out));
    let file = |choice: Choice, head: &[Vec<String>]| {
        let choice = Choice { requests: REQUESTS, scale: 1, ..choice };
        let mut plan = plan::plan(&hardware, &measured, choice);
        arms::add(&mut plan, &hardware, &measured);
        text::scenario(&hardware, &plan)?;
        Ok(text::file(&hardware, &plan, head))
    };
    let text = file(fits.best.choice, &head)?;
    let also =
        fits.also.iter().map(|choice| file(*choice, &[])).collect::<Result<_, TwinError>>()?;
    let log_is_counted = measured.log_is_counted;
    Ok(Twin { text, also, check, left_out: hardware.left_out, assumed, log_is_counted })
}

fn pool_of<'a>(machine: &'a Machine, name: Option<&str>) -> Result<&'a Pool, TwinError> {
    let names = || {
        let names: Vec<String> = machine
            .pools
            .iter()
            .map(|pool| arcwright_units::visible(&pool.name).into_owned())
            .collect();
        names.join(", ")
    };
    match (name, machine.pools.as_slice()) {
        (_, []) => Err(TwinError::NoPool),
        (None, [only]) => Ok(only),
        (None, _) => Err(TwinError::WhichPool { known: names() }),
        (Some(name), pools) => {
            pools.iter().find(|pool| pool.name == name).ok_or_else(|| TwinError::NoSuchPool {
                name: arcwright_units::visible(name).into_owned(),
                known: names(),
            })
        }
    }
}
