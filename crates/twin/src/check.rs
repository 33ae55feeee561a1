//! How the model of the present machine compares with what the machine counted.

use arcwright_machine::Machine;
use arcwright_units::Bytes;

use crate::fit::Fits;
use crate::found::Found;
use crate::hardware::Hardware;
use crate::load::Measured;
use crate::plan::Choice;
use crate::trials::Fitted;

/// Hit ratios that differ by no more are reproduced.
const HITS_POINTS: f64 = 3.0;
/// Rates of disks that differ by no more of the machine's are reproduced.
const RATES_PART: f64 = 0.15;
/// Below this a rate is too small to be compared.
const RATE_MIN: f64 = 65_536.0;

/// A figure of the machine and of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// What it is.
    pub what: &'static str,
    /// As the machine counted.
    pub machine: String,
    /// As the model counts.
    pub model: String,
    /// Whether they are as near as the model claims to be.
    pub agrees: bool,
}

/// The figure with both sides, in words.
impl std::fmt::Display for Compared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: machine {}, model {}", self.what, self.machine, self.model)
    }
}

/// What the model of the present machine reproduces.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfCheck {
    /// Figure by figure.
    pub compared: Vec<Compared>,
}

impl SelfCheck {
    pub(crate) fn of(measured: &Measured, found: &Found) -> Self {
        let mut compared = Vec::new();
        let hits = |(accesses, misses): (f64, f64)| 1.0 - misses / accesses;
        let mut of = |what, machine: (f64, f64), model: (f64, f64)| {
            let (machine, model) = (hits(machine), hits(model));
            compared.push(Compared {
                what,
                machine: percent(machine),
                model: percent(model),
                agrees: (machine - model).abs() * 100.0 <= HITS_POINTS,
            });
        };
        let data = ((measured.accesses, measured.misses), (found.accesses, found.misses));
        if data.0.0 > 0.0 && data.1.0 > 0.0 {
            of("hits of demand accesses to data", data.0, data.1);
        }
        if let Some(metadata) = measured.metadata.filter(|(accesses, _)| *accesses >= 1.0)
            && found.metadata.0 > 0.0
        {
            of("hits of demand accesses to metadata", metadata, found.metadata);
        }
        if let Some((read, written)) = measured.disks {
            let rates = [
                ("bytes that disks read", read, found.read, 0.0),
                // A group that was written just before the window, or just after it.
                ("bytes that disks write", written, found.written, measured.of_a_group),
            ];
            compared.extend(rates.map(|(what, machine, model, more)| {
                let off =
                    if more < RATE_MIN { String::new() } else { format!(" ± {}", rate(more)) };
                let (near, apart) = ((machine * RATES_PART).max(RATE_MIN), (machine - model).abs());
                let machine = rate(machine) + &off;
                Compared { what, machine, model: rate(model), agrees: apart <= near + more }
            }));
        }
        Self { compared }
    }

    /// Returns the figures that are not as near as the model claims to be, in words.
    #[must_use]
    pub fn apart(&self) -> Vec<String> {
        self.compared.iter().filter(|one| !one.agrees).map(ToString::to_string).collect()
    }

    /// Says whether all figures are as near as the model claims to be.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.compared.is_empty() && self.compared.iter().all(|one| one.agrees)
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn rate(bytes_per_s: f64) -> String {
    format!("{}/s", Bytes::of_f64(bytes_per_s))
}

/// Returns what the file was made from: paragraphs, each of lines.
pub(crate) fn origin(
    machine: &Machine,
    hardware: &Hardware,
    measured: &Measured,
    fits: &Fits,
) -> Vec<Vec<String>> {
    let seconds = measured.seconds.round();
    let basis = match measured.is_window {
        true => format!("a window of {seconds} s"),
        false => format!(
            "{:.1} hours since the module was loaded, nights and idle hours among them",
            seconds / 3600.0
        ),
    };
    let system =
        machine.platform_name.as_ref().map_or_else(String::new, |name| format!("{name}, "));
    let written = format!(
        "Written by arcwright scenario from {system}ZFS {}: pool {}, with the load of {basis}.",
        hardware.zfs, hardware.pool
    );
    let mut load = vec![load_in_words(measured, &fits.best)];
    if !fits.also.is_empty() {
        let list = fits.also.iter().map(|choice| match choice.lap {
            _ if choice.lap == fits.best.choice.lap => {
                format!("{} asked again and again, {}", choice.hot, how_uneven(choice))
            }
            Some(lap) => format!("{lap} read in a row again and again"),
            None => "what is read in a row read once".to_owned(),
        });
        let list = list.collect::<Vec<_>>().join("; ");
        load.push(format!(
            "The counters do not tell it from these: {list}. arcwright advise --from the same capture tries them all, and gives its figures \
             as ranges."
        ));
    }
    vec![vec![written], load]
}

/// Returns how the model compares, and what the file leaves out: paragraphs, each of lines.
pub(crate) fn result(check: &SelfCheck, left_out: &[String]) -> Vec<Vec<String>> {
    let said = match check.holds() {
        true => "Check: the model of the present machine counts what the machine counted.",
        false => {
            "Check: the model of the present machine does NOT count what the machine counted; what it says of changes is no \
             better than that."
        }
    };
    let line = |one: &Compared| {
        let mark = if one.agrees { "" } else { "   <- apart" };
        format!("  {one}{mark}")
    };
    let compared = check.compared.iter().map(line);
    let mut paragraphs = vec![std::iter::once(said.to_owned()).chain(compared).collect()];
    if !left_out.is_empty() {
        let list = left_out.iter().map(|what| format!("- {what}"));
        paragraphs.push(std::iter::once("Not in this file:".to_owned()).chain(list).collect());
    }
    paragraphs
}

fn how_uneven(choice: &Choice) -> String {
    match choice.zipf {
        None => "every place alike".to_owned(),
        Some(exponent) => format!("by Zipf's law with exponent {exponent:?}"),
    }
}

/// Returns what was fitted, with what it rests on.
fn load_in_words(measured: &Measured, fitted: &Fitted) -> String {
    let hot = fitted.choice.hot;
    let how = how_uneven(&fitted.choice);
    let rests =
        format!("{:.1} misses of {:.1} accesses per second", measured.misses, measured.accesses);
    match (measured.all_again() > 0.0, fitted.is_bound) {
        _ if measured.traffic.is_empty() => {
            "No data was read or written; names were looked up. How many there are was fitted to the misses of metadata."
                .to_owned()
        }
        (false, _) if measured.traffic.iter().all(|traffic| !traffic.read.is_load()) => {
            "Nothing was read that counts; the load is what was written.".to_owned()
        }
        (false, _) => {
            "Nothing was asked again and again at random; what is read is read in a row.".to_owned()
        }
        (true, true) => format!(
            "Fitted: nothing missed, so {hot} is the most that is asked again and again; it may be much less ({rests})."
        ),
        (true, false) => {
            format!(
                "Fitted: {hot} asked again and again, {how} ({rests}, and how many of the misses were ghost hits)."
            )
        }
    }
}
