//! Counters that no counter reaches: negative ones, and those that ran below zero and wrapped.
//!
//! A counter of the kernel grows from zero; at a thousand million events per second it takes 292
//! years to 2^63. A value beyond that, or below zero, is a fault of the module (a counter that was
//! decremented too often) or of the text. It is named and left out, so that nobody sums it. Memory
//! that is available may be negative, that is how the ARC knows how much to give back (arc.c,
//! `arc_available_memory`, all versions).

use arcwright_kstat::KstatValue;

use crate::machine::{Machine, Problem, Reason};

/// Values from here on are no counts.
const END: i128 = 1 << 63;
/// Values that are named one by one.
const NAMED_MAX: usize = 20;
/// Levels with a sign.
const SIGNED: [&str; 1] = ["memory_available_bytes"];

/// Takes what is no count out of all samples and names it.
pub(super) fn call_out(machine: &mut Machine) {
    let (mut named, mut left) = (Vec::new(), 0_usize);
    for sample in &mut machine.samples {
        for (path, kstat) in &mut sample.kstats.kstats {
            kstat.rows.retain_mut(|(row, value)| {
                mend_sign(row, value);
                let number = value.as_i128().filter(|number| !is_possible(row, *number));
                let Some(number) = number else { return true };
                let short = path.strip_prefix("zfs/").unwrap_or(path);
                let words = format!("{short}.{row} is {number}, an impossible value: ignored");
                let problem = Problem { source: path.clone(), reason: Reason::Garbled(words) };
                match named.len() < NAMED_MAX && !named.contains(&problem) {
                    true => named.push(problem),
                    false => left += usize::from(!named.contains(&problem)),
                }
                false
            });
        }
    }
    machine.problems.extend(named);
    if left > 0 {
        machine.garbled("kstats", format!("{left} more impossible values: ignored"));
    }
}

fn is_possible(row: &str, number: i128) -> bool {
    let signed = SIGNED.contains(&row);
    number < END && (signed || number >= 0)
}

/// Gives a level with a sign its sign where a tool printed it without.
fn mend_sign(row: &str, value: &mut KstatValue) {
    if let (true, KstatValue::U64(number) | KstatValue::ULong(number)) =
        (SIGNED.contains(&row), &value)
    {
        *value = KstatValue::I64(number.cast_signed());
    }
}

#[cfg(test)]
mod tests {
    use crate::machine::{Machine, Reason};
    use crate::sources::{Source, Sources};

    fn machine(rows: &str) -> Machine {
        let count = rows.lines().count();
        let text = format!("13 1 0x01 {count} 99 1 2\nname type data\n{rows}");
        let name = "sample-0/proc/spl/kstat/zfs/arcstats".to_owned();
        Machine::read(&Sources { texts: [(name, Source::Text(text))].into(), ..Sources::default() })
    }

    fn check(row: &str, value: &str, kind: u8, expected: Option<&str>) {
        let machine = machine(&format!("hits 4 12\n{row} {kind} {value}\n"));
        let now = machine.now().unwrap();
        assert_eq!(now.get("zfs/arcstats", "hits"), Some(12));
        let kept = now.kstats["zfs/arcstats"].value(row).is_some();
        let named = machine.problems.first().map(|problem| match &problem.reason {
            Reason::Garbled(words) => words.clone(),
            other => panic!("{other:?}"),
        });
        assert_eq!(kept, expected.is_none(), "{row} {value}");
        assert_eq!(named.as_deref(), expected, "{row} {value}");
    }

    #[test]
    fn what_no_counter_reaches_is_named_and_not_used() {
        let wrapped = "arcstats.misses is 18446744073709551615, an impossible value: ignored";
        check("misses", "18446744073709551615", 4, Some(wrapped));
        let negative = "arcstats.l2_hits is -7, an impossible value: ignored";
        check("l2_hits", "-7", 3, Some(negative));
        let half = "arcstats.deleted is 9223372036854775808, an impossible value: ignored";
        check("deleted", "9223372036854775808", 4, Some(half));
        let level = "arcstats.anon_size is 18446744073709543424, an impossible value: ignored";
        check("anon_size", "18446744073709543424", 4, Some(level));
    }

    #[test]
    fn large_counts_and_signed_levels_stay() {
        check("misses", "9223372036854775807", 4, None);
        check("memory_available_bytes", "-4096", 3, None);
        check("memory_available_bytes", "18446744073709547520", 4, None);
        check("c", "0", 4, None);
    }
}
