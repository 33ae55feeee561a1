//! Where figures are on a scale, and the round ones that stand beside it.

use arcwright_units::{Bytes, Nanos, is_decimal};

use super::svg::width_of;
use crate::figures::{Precision, written};

/// A scale from nothing, or by powers of ten, over so many pixels.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    kind: Kind,
    length: f64,
    /// Round figures, and how they are written.
    pub(crate) ticks: Vec<(f64, String)>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// From 0 to this.
    Linear(f64),
    /// From a power of ten to another.
    Powers(f64, f64),
}

/// What figures are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Bytes per second.
    Rate,
    /// Bytes.
    Size,
    /// Something done per second.
    PerSecond,
    /// Hundredths.
    Percent,
    /// Nanoseconds.
    Time,
    /// Something counted.
    Count,
}

impl Axis {
    /// Returns a scale up to `most`, rounded up to a tick.
    pub(crate) fn new(quantity: Quantity, most: f64, length: f64) -> Self {
        // As many ticks as have room beside each other.
        const ROOM_OF_TICK: f64 = 90.0;
        Self::with_steps(quantity, most, (length, (length / ROOM_OF_TICK).clamp(2.0, 5.0)))
    }

    /// Returns a scale that goes up, with few ticks.
    pub(crate) fn upright(quantity: Quantity, most: f64, length: f64) -> Self {
        Self::with_steps(quantity, most, (length, 3.0))
    }

    fn with_steps(quantity: Quantity, most: f64, (length, steps): (f64, f64)) -> Self {
        let most = if most > 0.0 { most } else { 1.0 };
        let (unit, name) = quantity.unit(most);
        let step = round_step(most / unit / steps);
        let count = (most / unit / step).ceil().max(1.0);
        let at = |number: f64| {
            let value = number * step;
            let text =
                if number > 0.0 { format!("{} {name}", trimmed(value)) } else { "0".to_owned() };
            let text = text.trim_end().to_owned();
            (value * unit, text)
        };
        let ticks = (0..=whole(count)).map(|number| at(f64::from(number))).collect();
        Self { kind: Kind::Linear(count * step * unit), length, ticks }
    }

    /// Returns a scale of times by powers of ten.
    pub(crate) fn of_powers(least_ns: f64, most_ns: f64, length: f64) -> Self {
        let (from, to) = (least_ns.max(1.0).log10().floor(), most_ns.max(10.0).log10().ceil());
        let to = if to <= from { from + 1.0 } else { to };
        let at = |power: i32| {
            let value = 10f64.powi(power);
            (value, power_of_ten_ns(power))
        };
        let all: Vec<(f64, String)> = (signed(from)..=signed(to)).map(at).collect();
        let room = length / (to - from);
        let every = all.iter().map(|(_, text)| width_of(text, 12.0) + 10.0).fold(0.0, f64::max);
        let each = whole((every / room).ceil().max(1.0)) as usize;
        let ticks = all.into_iter().step_by(each).collect();
        Self { kind: Kind::Powers(from, to), length, ticks }
    }

    /// Returns how far a figure is along the scale, in pixels; what is beyond its end is at its end.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = match self.kind {
            Kind::Linear(most) => value / most,
            Kind::Powers(from, to) => (value.max(1.0).log10() - from) / (to - from),
        };
        share.clamp(0.0, 1.0) * self.length
    }

    /// Returns whether a figure is beyond the scale's end.
    pub(crate) fn is_beyond(&self, value: f64) -> bool {
        matches!(self.kind, Kind::Linear(most) if value > most * 1.000_001)
    }
}

impl Quantity {
    /// Returns the unit in which `most` is a handy number, and its name.
    fn unit(self, most: f64) -> (f64, &'static str) {
        let base: f64 = if is_decimal() { 1000.0 } else { 1024.0 };
        let names: [&str; 6] = match (self, is_decimal()) {
            (Self::PerSecond, _) => return thousands(most, ["per s", "k per s", "M per s"]),
            (Self::Count, _) => return thousands(most, ["", "k", "M"]),
            (Self::Percent, _) => return (1.0, "%"),
            (Self::Time, _) => return time_unit(most),
            (Self::Rate, true) => ["B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"],
            (Self::Rate, false) => ["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s", "PiB/s"],
            (Self::Size, true) => ["B", "kB", "MB", "GB", "TB", "PB"],
            (Self::Size, false) => ["B", "KiB", "MiB", "GiB", "TiB", "PiB"],
        };
        let mut unit = 1.0;
        let mut name = "";
        for (power, next) in names.into_iter().enumerate() {
            if power == 0 || most >= unit * base {
                unit = base.powi(i32::try_from(power).unwrap_or_default());
                name = next;
            }
        }
        (unit, name)
    }

    /// Prints a figure with three digits and its unit.
    pub(crate) fn text(self, value: f64) -> String {
        match self {
            Self::Rate => crate::ranges::rate_of(value).to_string(),
            Self::Size => Bytes(crate::ranges::rate_of(value).0).to_string(),
            Self::PerSecond => format!("{} per s", crate::figures::three_digits(value)),
            Self::Percent => format!("{} %", crate::figures::three_digits(value)),
            Self::Time => Nanos(crate::ranges::rate_of(value).0).to_string(),
            Self::Count => Precision::Rounded.count(crate::ranges::rate_of(value).0),
        }
    }
}

/// Returns in which thousands a number is handy.
fn thousands(most: f64, names: [&'static str; 3]) -> (f64, &'static str) {
    let [one, thousand, million] = names;
    match most {
        most if most < 10_000.0 => (1.0, one),
        most if most < 1_000_000.0 => (1e3, thousand),
        _ => (1e6, million),
    }
}

/// Returns the unit in which a time is handy.
fn time_unit(most_ns: f64) -> (f64, &'static str) {
    match most_ns {
        most if most < 1e3 => (1.0, "ns"),
        most if most < 1e6 => (1e3, "µs"),
        most if most < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

/// Returns the least of 1, 2 and 5 times a power of ten that is no less.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let found = [1.0, 2.0, 5.0].into_iter().find(|digit| digit * power >= least * 0.999_999);
    found.unwrap_or(10.0) * power
}

/// Prints a round number without zeros behind its point.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Prints a power of ten of a nanosecond.
fn power_of_ten_ns(power: i32) -> String {
    let (unit, above) = match power {
        ..3 => ("ns", power),
        3..6 => ("µs", power - 3),
        6..9 => ("ms", power - 6),
        _ => ("s", power - 9),
    };
    format!("{} {unit}", trimmed(10f64.powi(above)))
}

/// Returns round times up to `most_ns`, at most so many, and how they are written.
pub(crate) fn times(most_ns: f64, count_max: f64) -> Vec<(f64, String)> {
    const SECOND: f64 = 1e9;
    const STEPS: [f64; 22] = [
        0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0,
        600.0, 1800.0, 3600.0, 7200.0, 21_600.0, 43_200.0, 86_400.0,
    ];
    let most = most_ns / SECOND;
    let found = STEPS.into_iter().find(|step| most / step <= count_max);
    let step = found.unwrap_or_else(|| round_step(most / count_max / 86_400.0) * 86_400.0);
    let count = whole((most / step).floor());
    let tick = |number: u32| {
        let seconds = f64::from(number) * step;
        (seconds * SECOND, seconds_text(seconds))
    };
    (0..=count).map(tick).collect()
}

fn seconds_text(seconds: f64) -> String {
    match seconds {
        s if s <= 0.0 => "0".to_owned(),
        s if s < 1.0 => format!("{} ms", trimmed(s * 1000.0)),
        s if s < 120.0 => format!("{} s", trimmed(s)),
        s if s < 7200.0 => format!("{} min", trimmed(s / 60.0)),
        s if s < 172_800.0 => format!("{} h", trimmed(s / 3600.0)),
        s => format!("{} d", trimmed(s / 86_400.0)),
    }
}

/// Returns round moments (UTC) between two, at most about so many, and how they are written; seconds since 1970.
pub(crate) fn moments((from, to): (u64, u64), count_max: u64) -> Vec<(u64, String)> {
    const DAY: u64 = 86_400;
    const STEPS: [u64; 21] = [
        1,
        2,
        5,
        10,
        30,
        60,
        120,
        300,
        600,
        1800,
        3600,
        7200,
        10_800,
        21_600,
        43_200,
        DAY,
        2 * DAY,
        7 * DAY,
        14 * DAY,
        30 * DAY,
        90 * DAY,
    ];
    let fits = |step: &&u64| to / **step - from / **step <= count_max.max(1);
    let step = STEPS.iter().find(fits).or(STEPS.last()).copied().unwrap_or(DAY);
    let first = from.div_ceil(step);
    let last = to / step;
    // However long it is, a scale has no more than it has room for.
    let ticks = (last - from / step).div_ceil(count_max.max(1)).max(1);
    let every = usize::try_from(ticks).unwrap_or(usize::MAX);
    let written = |at: u64| match at % DAY {
        0 => written(at, "%m-%d"),
        _ if step < 60 => written(at, "%H:%M:%S"),
        _ => written(at, "%H:%M"),
    };
    let round = (first..=last).step_by(every).map(|number| number * step);
    round.map(|at| (at, written(at))).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a few ticks, which are not negative"
)]
fn whole(value: f64) -> u32 {
    value.clamp(0.0, 1000.0) as u32
}

#[expect(clippy::cast_possible_truncation, reason = "an exponent of a time")]
fn signed(value: f64) -> i32 {
    value.clamp(-30.0, 30.0) as i32
}

#[cfg(test)]
mod tests {
    use super::{Axis, Quantity, moments, times};

    #[test]
    fn ticks_are_round_and_reach_the_most() {
        let check = |quantity, most: f64, expected: &[&str]| {
            let axis = Axis::upright(quantity, most, 100.0);
            let texts: Vec<&str> = axis.ticks.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(texts, expected);
            assert!(!axis.is_beyond(most) && axis.at(most) <= 100.0);
        };
        let mib = 1_048_576.0;
        check(Quantity::Rate, 382.0 * mib, &["0", "200 MiB/s", "400 MiB/s"]);
        check(Quantity::Rate, 1080.0 * mib, &["0", "0.5 GiB/s", "1 GiB/s", "1.5 GiB/s"]);
        check(Quantity::Size, 20.0 * 1024.0 * mib, &["0", "10 GiB", "20 GiB"]);
        check(Quantity::PerSecond, 7.0, &["0", "5 per s", "10 per s"]);
        check(Quantity::Rate, 0.0, &["0", "0.5 B/s", "1 B/s"]);
        check(Quantity::PerSecond, 250_000.0, &["0", "100 k per s", "200 k per s", "300 k per s"]);
        check(Quantity::Time, 2.5e8, &["0", "100 ms", "200 ms", "300 ms"]);
        check(Quantity::Count, 7.0, &["0", "5", "10"]);
    }

    #[test]
    fn times_are_in_units_of_people() {
        let texts = |most: f64| {
            times(most * 1e9, 4.0).into_iter().map(|(_, text)| text).collect::<Vec<_>>()
        };
        assert_eq!(texts(54.2), ["0", "20 s", "40 s"]);
        assert_eq!(texts(7.0 * 3600.0), ["0", "2 h", "4 h", "6 h"]);
        assert_eq!(texts(0.02), ["0", "5 ms", "10 ms", "15 ms", "20 ms"]);
        assert_eq!(texts(1e9).len(), 3);
    }

    #[test]
    fn moments_are_round_and_within() {
        let texts = |from: u64, to: u64| {
            moments((from, to), 6).into_iter().map(|(_, text)| text).collect::<Vec<_>>()
        };
        let day = 1_700_006_400;
        assert_eq!(texts(day - 7200, day + 7200), ["22:00", "23:00", "11-15", "01:00", "02:00"]);
        assert_eq!(texts(day + 1, day + 9), ["00:00:02", "00:00:04", "00:00:06", "00:00:08"]);
        assert_eq!(
            texts(day, day + 3 * 86_400),
            ["11-15", "12:00", "11-16", "12:00", "11-17", "12:00", "11-18"]
        );
        assert!(texts(0, u64::MAX).len() <= 8);
        for (from, to) in [(5, 5), (5, 6), (1, 100_000_000)] {
            assert!(moments((from, to), 6).iter().all(|(at, _)| (from..=to).contains(at)));
        }
    }
}
