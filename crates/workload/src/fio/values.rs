//! Values of options: fio's sizes, times and switches.
//!
//! fio's units are those of its `__get_mult_bytes` and `get_mult_time`: `k`, `kb` and `ki` count by
//! `kb_base`, `kib` by the other base, so with the usual base of 1024 a `kib` is 1000 bytes.

use arcwright_units::{Bytes, Nanos};

use super::error::{Checked, FioError};
use super::text::Entry;

/// The first letters of units, each a `kb_base` above the one before.
const STEPS: [char; 5] = ['k', 'm', 'g', 't', 'p'];

impl Entry {
    /// Returns a problem with the value.
    pub(super) fn fault(&self, message: impl Into<String>) -> FioError {
        FioError::at(&self.span, message)
    }

    /// Returns the problem that the value is not what it must be.
    pub(super) fn must(&self, rule: &str) -> FioError {
        let value = self.value.as_deref().unwrap_or_default();
        self.fault(format!("“{}={value}” must {rule}", self.name))
    }

    /// Returns the value, which must be there and be plain text.
    pub(super) fn text(&self) -> Checked<&str> {
        match self.value.as_deref() {
            None | Some("") => {
                let error = self.fault(format!("“{}” has no value", self.name));
                Err(error.hint(format!("write {}=…", self.name)))
            }
            Some(value) if value.contains('$') => {
                let what = if value.contains("${") { "a variable" } else { "a keyword of fio" };
                let message =
                    format!("“{}={value}” contains {what} that is not supported", self.name);
                Err(self.fault(message).hint("write its value instead"))
            }
            Some(value) if value.starts_with('(') => {
                let message = format!("“{}={value}” is an expression", self.name);
                Err(self.fault(message).hint("write the number instead"))
            }
            Some(value) => Ok(value),
        }
    }

    /// Returns whether the option is on; a bare key is.
    pub(super) fn flag(&self) -> Checked<bool> {
        match self.value.as_deref() {
            None | Some("1" | "true") => Ok(true),
            Some("0" | "false") => Ok(false),
            Some(_) => Err(self.must("be 0 or 1")),
        }
    }

    /// Returns a whole number from 1 to `most`.
    pub(super) fn count(&self, most: u32) -> Checked<u32> {
        let number = self.text()?.parse().ok().filter(|count| (1..=most).contains(count));
        number.ok_or_else(|| self.must(&format!("be a whole number from 1 to {most}")))
    }

    /// Returns a share in percent.
    pub(super) fn percent(&self) -> Checked<u8> {
        let share = self.text()?.trim_end_matches('%').parse().ok().filter(|share| *share <= 100);
        share.ok_or_else(|| self.must("be a share from 0 to 100"))
    }

    /// Returns a size above zero, which may be a part of `whole` when that is known.
    pub(super) fn size(&self, base: u64, whole: Option<Bytes>) -> Checked<Bytes> {
        let text = self.text()?;
        if let (true, Some(whole)) = (text.ends_with('%'), whole) {
            let share = self.percent()?;
            let part = u128::from(whole.0) * u128::from(share) / 100;
            return Ok(Bytes(u64::try_from(part).unwrap_or(u64::MAX)));
        }
        self.size_of(text, base)
    }

    /// Returns the size that a part of the value tells.
    pub(super) fn size_of(&self, part: &str, base: u64) -> Checked<Bytes> {
        if part.ends_with('%') {
            let error = self.fault(format!("“{}={part}” is a part of an unknown size", self.name));
            return Err(error.hint("write bytes, or set filesize as well"));
        }
        if part.starts_with(|c: char| c.is_ascii_digit()) && part.contains('-') {
            let error = self
                .fault(format!("“{}={part}”: sizes drawn at random are not modelled", self.name));
            return Err(error.hint("write one size"));
        }
        let size = bytes(part.trim(), base).filter(|size| *size <= Bytes::OFFSET_MAX);
        match size {
            Some(Bytes(0)) => Err(self.must("be above zero")),
            Some(size) => Ok(size),
            None => Err(self.must("be a size such as 4k, 128m or 1g")),
        }
    }

    /// Returns a time; a number without unit counts `unit`.
    pub(super) fn time(&self, unit: Nanos) -> Checked<Nanos> {
        let text = self.text()?;
        let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, suffix) = text.split_at_checked(split).unwrap_or((text, ""));
        let unit = match suffix.to_lowercase().as_str() {
            "" => Some(unit),
            "us" | "usec" => Some(Nanos::micros(1)),
            "ms" | "msec" => Some(Nanos::millis(1)),
            "s" => Some(Nanos::SECOND),
            "m" => Some(Nanos::secs(60)),
            "h" => Some(Nanos::secs(3600)),
            "d" => Some(Nanos::secs(86_400)),
            _ => None,
        };
        let time = number.parse::<u64>().ok().zip(unit);
        let time = time.and_then(|(number, unit)| number.checked_mul(unit.0)).map(Nanos);
        time.ok_or_else(|| match suffix.starts_with(['-', ',']) {
            true => self.must("be one time; times drawn at random are not modelled"),
            false => self.must("be a time such as 500us, 10ms, 30 or 2m"),
        })
    }
}

/// Returns the bytes that a number with a unit of fio means.
fn bytes(text: &str, base: u64) -> Option<Bytes> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(split)?;
    let number: u64 = number.parse().ok()?;
    let unit = unit.to_lowercase();
    let Some(first) = unit.chars().next() else { return Some(Bytes(number)) };
    if unit == "b" {
        return Some(Bytes(number));
    }
    let power = u32::try_from(STEPS.iter().position(|step| *step == first)?).ok()? + 1;
    let other = if base == 1024 { 1000u64 } else { 1024 };
    let base = match unit.get(1..)? {
        "" | "b" | "i" => base,
        "ib" => other,
        _ => return None,
    };
    number.checked_mul(base.checked_pow(power)?).map(Bytes)
}

#[cfg(test)]
mod tests {
    use arcwright_units::Bytes;

    use super::bytes;

    #[test]
    fn units_are_those_of_fio() {
        let check = |text: &str, base: u64, expected: Option<u64>| {
            assert_eq!(bytes(text, base), expected.map(Bytes), "{text} by {base}");
        };
        check("4096", 1024, Some(4096));
        check("4k", 1024, Some(4096));
        check("4K", 1000, Some(4000));
        check("1mb", 1024, Some(1 << 20));
        check("24kib", 1024, Some(24_000));
        check("24ki", 1024, Some(24_576));
        check("24kib", 1000, Some(24_576));
        check("1024m", 1024, Some(1 << 30));
        check("2T", 1024, Some(2 << 40));
        check("99999999p", 1024, None);
        check("4x", 1024, None);
        check("kk", 1024, None);
        check("-4k", 1024, None);
        check("", 1024, None);
    }
}
