//! The values of a report's line: `98.2 %`, `15.4 GiB`, `4.1M`, `1.23 m` (zfs-stats), `16:1`.

use arcwright_kstat::KstatValue;

use crate::nicenum;

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Quantity {
    /// A share; never a count.
    Percent,
    /// With a unit of bytes.
    Bytes(f64),
    /// Without one; of `zfs-stats -R` these may be bytes as well.
    Count {
        value: f64,
        /// Whether it has a suffix that counts by 1000.
        is_scaled: bool,
    },
    /// `16:1`, `n/a`, `FAULTED`: what is no quantity but may stand among them.
    Other,
}

/// Returns the values of a text; none when a word of it is none of a report's.
pub(super) fn quantities(text: &str) -> Option<Vec<Quantity>> {
    const WORDS_MAX: usize = 8;
    // The first of them named the row behind its value, and what it means: `4659 MB (arcsize)`.
    let text = without_remarks(text);
    let words: Vec<&str> = text.split_whitespace().take(WORDS_MAX + 1).collect();
    (words.len() <= WORDS_MAX).then_some(())?;
    let (mut found, mut rest) = (Vec::new(), words.as_slice());
    while let Some((word, after)) = rest.split_first() {
        if matches!(*word, "<" | "~") {
            rest = after;
            continue;
        }
        let word = &word.trim_start_matches('~');
        let unit = after.first().filter(|unit| is_unit(unit)).filter(|_| is_number(word));
        found.push(match unit {
            Some(unit) => with_unit(word, unit)?,
            None => alone(word)?,
        });
        rest = if unit.is_some() { after.get(1..).unwrap_or_default() } else { after };
    }
    Some(found)
}

/// Returns a value without what stands in brackets behind it.
fn without_remarks(text: &str) -> &str {
    let begins = |at: &(usize, char)| matches!(at.1, '(' | '[') && at.0 > 0;
    let Some((at, _)) = text.char_indices().find(begins) else { return text };
    let (row, remark) = text.split_at_checked(at).unwrap_or((text, ""));
    // Its end may stand on the next line.
    let ends = remark.trim_end().ends_with([')', ']']) || !remark.contains([')', ']']);
    if ends { row } else { text }
}

fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches('<');
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn is_unit(word: &str) -> bool {
    const COUNTS: &str = "kmbtqQsSMGTPE";
    let count = word.len() == 1 && word.chars().all(|c| COUNTS.contains(c));
    count
        || word == "%"
        || word == "MB"
        || word.eq_ignore_ascii_case("bytes")
        || is_bytes_unit(word)
}

fn is_bytes_unit(word: &str) -> bool {
    word.len() == 3 && word.ends_with("iB") && word.starts_with(|c| "KMGTPEZY".contains(c))
}

fn with_unit(number: &str, unit: &str) -> Option<Quantity> {
    let number = number.trim_start_matches('<');
    if unit == "%" {
        return Some(Quantity::Percent);
    }
    if let Some(Quantity::Bytes(size)) =
        number.strip_prefix('-').and_then(|size| with_unit(size, unit))
    {
        return Some(Quantity::Bytes(-size));
    }
    if unit.eq_ignore_ascii_case("bytes") {
        return number.parse().ok().map(Quantity::Bytes);
    }
    // A megabyte of 2009 is 2^20 bytes.
    if unit == "MB" {
        return nicenum::binary(&format!("{number}MiB")).map(Quantity::Bytes);
    }
    if is_bytes_unit(unit) {
        return nicenum::binary(&format!("{number}{unit}")).map(Quantity::Bytes);
    }
    count(number, unit)
}

/// `zfs-stats` goes on from k, m, b and t to quadrillions and further.
fn count(number: &str, suffix: &str) -> Option<Quantity> {
    let power = match suffix {
        "k" | "K" => 3,
        "m" | "M" => 6,
        "b" | "B" | "G" => 9,
        "t" | "T" => 12,
        "q" | "P" => 15,
        "Q" | "E" => 18,
        _ => return None,
    };
    let value = number.parse::<f64>().ok()? * 10_f64.powi(power);
    Some(Quantity::Count { value, is_scaled: true })
}

fn alone(word: &str) -> Option<Quantity> {
    if let Some(number) = word.strip_suffix('%') {
        return is_number(number).then_some(Quantity::Percent);
    }
    if matches!(word, "n/a" | "FAULTED" | "HEALTHY" | "DEGRADED" | "THROTTLED") {
        return Some(Quantity::Other);
    }
    let ratio = word.split_once(':').is_some_and(|(one, other)| is_number(one) && is_number(other));
    if ratio {
        return Some(Quantity::Other);
    }
    if is_number(word) {
        return word.parse().ok().map(|value| Quantity::Count { value, is_scaled: false });
    }
    let digits = word.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-'))?;
    let (number, unit) = word.split_at_checked(digits)?;
    (is_number(number) && is_unit(unit)).then(|| with_unit(number, unit)).flatten()
}

/// Returns a value as a whole number, of a row that means bytes or counts. Below zero is what a machine
/// lacks of memory (`memory_available_bytes`).
pub(super) fn whole(quantity: Quantity, is_bytes: bool) -> Option<KstatValue> {
    let value = match quantity {
        Quantity::Bytes(value) if is_bytes => value,
        Quantity::Count { value, is_scaled } if !is_bytes || !is_scaled => value,
        _ => return None,
    };
    let size = nicenum::whole(value.abs())?;
    match value < 0.0 {
        true => Some(KstatValue::I64(0_i64.checked_sub_unsigned(size)?)),
        false => Some(KstatValue::U64(size)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Quantity, quantities, whole};

    fn last(text: &str, is_bytes: bool) -> Option<i128> {
        quantities(text)?.pop().and_then(|quantity| whole(quantity, is_bytes)?.as_i128())
    }

    #[test]
    fn values_of_all_tools_are_read() {
        let cases = [
            ("98.2 %   15.4 GiB", true, Some(16_535_624_090)),
            ("12.0 %       4.1M", false, Some(4_100_000)),
            ("50.0%\t20.00k", false, Some(20_000)),
            ("96.02%\t1.23\tm", false, Some(1_230_000)),
            ("2.50\tb", false, Some(2_500_000_000)),
            ("0\tBytes", true, Some(0)),
            ("16:1   15.7 GiB", true, Some(16_857_746_637)),
            ("< 0.1 %     123.4k", false, Some(123_400)),
            ("98.2 %", false, None),
            ("98.2 %", true, None),
            ("98.2%", false, None),
            ("15.4 GiB", false, None),
            ("4.1M", true, None),
            ("4096", true, Some(4096)),
            ("-3188600832 Bytes", true, Some(-3_188_600_832)),
            ("-1.5 GiB", true, Some(-1_610_612_736)),
        ];
        for (text, is_bytes, expected) in cases {
            assert_eq!(last(text, is_bytes), expected, "{text}");
        }
    }

    #[test]
    fn a_sentence_has_no_values() {
        for text in ["none requested", "12 files", "GiB 4", "1.2.3x"] {
            assert_eq!(quantities(text), None, "{text}");
        }
        assert_eq!(quantities("n/a"), Some(vec![Quantity::Other]));
    }
}
