//! A parameter's value: read as people write it, shown in its unit.

use std::fmt;

use arcwright_units::{Bytes, Nanos};

use crate::{Entry, Unit};

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A number in the parameter's unit.
    Number(u64),
    /// Words.
    Word(String),
}

impl Value {
    /// Parses what a person writes for `entry`: `64MiB`, `5s`, `on`, `1`.
    ///
    /// # Errors
    /// What would have been right, in words.
    pub fn parse(entry: &Entry, text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        if entry.unit == Unit::Word {
            let plain = |c: char| c.is_ascii_alphanumeric() || " ,-_.[]".contains(c);
            let fits = !text.is_empty() && text.chars().all(plain);
            return fits.then(|| Self::Word(text.to_owned())).ok_or("a word");
        }
        if let Ok(number) = text.parse() {
            return Ok(Self::Number(number));
        }
        let wanted = wanted(entry.unit);
        let in_steps = |step: u64| {
            let time = Nanos::parse(text).ok()?.0;
            time.is_multiple_of(step).then_some(time / step)
        };
        let number = match entry.unit {
            Unit::Bytes | Unit::BytesPerPass => Bytes::parse(text).ok().map(|bytes| bytes.0),
            Unit::Ns => in_steps(1),
            Unit::Ms => in_steps(1_000_000),
            Unit::S => in_steps(Nanos::SECOND.0),
            Unit::Flag => match text {
                "on" | "true" | "yes" | "y" => Some(1),
                "off" | "false" | "no" | "n" => Some(0),
                _ => None,
            },
            Unit::Percent => text.strip_suffix('%').and_then(|text| text.trim().parse().ok()),
            _ => None,
        };
        number.map(Self::Number).ok_or(wanted)
    }

    /// Returns what a module or a file says as a value; a number where it is one.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let text = text.trim();
        let signed = || text.parse::<i64>().ok().map(i64::cast_unsigned);
        let number = text.parse().ok().or_else(signed);
        number.map_or_else(|| Self::Word(text.to_owned()), Self::Number)
    }

    /// Returns the number, when it is one.
    #[must_use]
    pub const fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Word(_) => None,
        }
    }

    /// Returns it for a person: bytes and times with their units.
    #[must_use]
    pub fn shown(&self, unit: Unit) -> String {
        let Self::Number(number) = self else { return self.to_string() };
        match unit {
            _ if *number == u64::MAX => "no limit".to_owned(),
            Unit::Bytes | Unit::BytesPerPass if *number > 0 => Bytes(*number).to_string(),
            Unit::Ns if *number > 0 => Nanos(*number).to_string(),
            Unit::Ms if *number > 0 => format!("{number} ms"),
            Unit::S if *number > 0 => format!("{number} s"),
            Unit::Percent => format!("{number} %"),
            _ => number.to_string(),
        }
    }
}

/// The text that modules and files take.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => f.pad(&number.to_string()),
            Self::Word(word) => f.pad(word),
        }
    }
}

const fn wanted(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes | Unit::BytesPerPass => "a number of bytes or a size such as 64MiB",
        Unit::Ns => "a number of nanoseconds or a time such as 500us",
        Unit::Ms => "a number of milliseconds or a time such as 200ms",
        Unit::S => "a number of seconds or a time such as 5s",
        Unit::Flag => "0, 1, on or off",
        Unit::Percent => "a number of percent",
        Unit::Shift => "a power of two, such as 5 for a 32nd",
        Unit::Word => "a word",
        Unit::Ticks | Unit::Count | Unit::Blocks | Unit::Pages => "a whole number",
    }
}

#[cfg(test)]
mod tests {
    use super::Value;
    use crate::{Unit, lookup};

    fn check(name: &str, text: &str, expected: Option<u64>) {
        let value = Value::parse(lookup(name).unwrap(), text);
        assert_eq!(value.ok().and_then(|value| value.number()), expected, "{name}={text}");
    }

    #[test]
    fn values_are_read_in_their_unit() {
        check("l2arc_write_max", "64MiB", Some(64 << 20));
        check("l2arc_write_max", "67108864", Some(64 << 20));
        check("zfs_txg_timeout", "5s", Some(5));
        check("zfs_txg_timeout", "1500ms", None);
        check("l2arc_feed_min_ms", "1s", Some(1000));
        check("zfs_delay_scale", "500us", Some(500_000));
        check("l2arc_noprefetch", "off", Some(0));
        check("zfs_arc_meta_limit_percent", "90%", Some(90));
        check("dbuf_cache_shift", "5", Some(5));
    }

    #[test]
    fn what_is_no_value_is_refused() {
        check("l2arc_write_max", "fast", None);
        check("l2arc_write_max", "-1", None);
        check("l2arc_noprefetch", "2MiB", None);
        check("zfs_arc_max", "18446744073709551616", None);
        let word = lookup("zfs_active_allocator").unwrap();
        assert_eq!(Value::parse(word, "cursor").unwrap().to_string(), "cursor");
        assert!(Value::parse(word, "a\nb").is_err() && Value::parse(word, "").is_err());
    }

    #[test]
    fn values_are_shown_with_units() {
        assert_eq!(Value::Number(64 << 20).shown(Unit::Bytes), "64 MiB");
        assert_eq!(Value::Number(0).shown(Unit::Bytes), "0");
        assert_eq!(Value::Number(u64::MAX).shown(Unit::Bytes), "no limit");
        assert_eq!(Value::read("-1\n"), Value::Number(u64::MAX));
        assert_eq!(Value::read("cycle [fastest]").shown(Unit::Word), "cycle [fastest]");
    }
}
