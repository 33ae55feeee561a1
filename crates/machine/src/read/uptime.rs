//! How long a system has been up, by `uptime` beside counters that do not tell when they began.
//!
//! ```text
//! 11:20AM  up 47 mins, 4 users, load averages: 4.25, 4.51, 4.15
//!  02:31:09 up 3 days,  6:11,  1 user,  load average: 1.55, 0.74, 0.47
//! ```
//!
//! Counters began after the start, mostly with it. Of a start not long ago that is told; of one long ago they may have
//! begun at any time since.

use arcwright_units::Nanos;

use crate::machine::Machine;
use crate::sources::{Source, Sources};

const ARCSTATS: &str = "zfs/arcstats";
/// A start that is longer ago tells little of the counters.
const RECENT: Nanos = Nanos::secs(3600);

/// Dates the beginning of counters by a start not long ago, where they do not tell it.
pub(super) fn add(sources: &Sources, machine: &mut Machine) {
    const TEXTS: [&str; 2] = ["commands/uptime", "commands/arc-summary"];
    let of = |(name, source): (&String, &Source)| match source {
        Source::Text(text) if TEXTS.iter().any(|own| name.ends_with(own)) => Some(text.clone()),
        _ => None,
    };
    let texts: Vec<String> = sources.texts.iter().filter_map(of).collect();
    let mut spans: Vec<Nanos> =
        texts.iter().flat_map(|text| text.lines()).filter_map(span).collect();
    spans.dedup();
    let [up] = spans.as_slice() else { return };
    let [sample] = machine.samples.as_mut_slice() else { return };
    let arc = sample.kstats.kstats.get_mut(ARCSTATS).filter(|arc| arc.crtime == Nanos::ZERO);
    if let Some(arc) = arc.filter(|_| *up < RECENT) {
        // A beginning at 0 is one that was not read.
        arc.crtime = Nanos(1);
        arc.snaptime = Nanos(up.0.saturating_add(1));
    }
}

/// Returns how long the system had been up by a line of `uptime`.
fn span(line: &str) -> Option<Nanos> {
    let (before, _) = line.split_once("load average")?;
    let (_, up) = before.split_once(" up ")?;
    let mut seconds = None;
    for part in up.split(',').map(str::trim) {
        let number = part.split_whitespace().next()?.parse::<u64>().ok();
        let unit = part.split_whitespace().nth(1).unwrap_or_default();
        let own = match (number, unit) {
            (Some(days), "day" | "days") => days.checked_mul(86_400),
            (Some(hours), "hr" | "hrs" | "hour" | "hours") => hours.checked_mul(3600),
            (Some(minutes), "min" | "mins" | "minutes") => minutes.checked_mul(60),
            (Some(some), "sec" | "secs") => Some(some),
            (None, "") => part.split_once(':').and_then(|(hours, minutes)| {
                let hours = hours.parse::<u64>().ok()?.checked_mul(3600)?;
                hours.checked_add(minutes.parse::<u64>().ok()?.checked_mul(60)?)
            }),
            _ => break,
        };
        seconds = Some(seconds.unwrap_or(0u64).checked_add(own?)?);
    }
    seconds.map(Nanos::secs)
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::span;
    use crate::machine::Machine;
    use crate::sources::Sources;

    #[test]
    fn a_start_not_long_ago_dates_the_counters_of_a_report() {
        let check = |up: &str, minutes: u64| {
            let report = format!(
                "ZFS Subsystem Report\t\t\t\tThu Oct 21 11:20:06 2010\n\nFreeBSD 8.1-STABLE\t\t\t\t801500\n\n\
                 11:20AM  up {up}, 4 users, load averages: 1.25, 1.51, 1.15\n\n\
                 ARC Summary: (HEALTHY)\n\tMemory Throttle Count:\t\t\t0\n\nARC Misc:\n\tDeleted:\t\t\t\t4540\n"
            );
            let machine = Machine::read(&Sources::recognize(&report));
            let arc = &machine.samples[0].kstats.kstats[super::ARCSTATS];
            let span = arc.snaptime.saturating_sub(arc.crtime);
            assert_eq!(span, Nanos::secs(minutes * 60), "{up}");
        };
        check("38 mins", 38);
        check("38 days", 0);
    }

    #[test]
    fn a_line_of_uptime_tells_how_long_it_has_been() {
        for (line, minutes) in [
            ("11:20AM  up 47 mins, 4 users, load averages: 4.25, 4.51, 4.15", Some(47)),
            (" 02:31:09 up 3 days,  6:11,  1 user,  load average: 1.55, 0.74, 0.47", Some(4691)),
            ("14:02  up 3 days, 2 hrs, 2 users, load averages: 0.1 0.1 0.1", Some(4440)),
            (" 10:00:00 up 12:44,  1 user,  load average: 1, 1, 1", Some(764)),
            (" 10:00:00 up 5 min,  0 users,  load average: 1, 1, 1", Some(5)),
            (" 10:00:00 up ,  0 users,  load average: 1, 1, 1", None),
            ("the load average is up", None),
        ] {
            assert_eq!(span(line), minutes.map(|n| Nanos::secs(n * 60)), "{line}");
        }
    }
}
