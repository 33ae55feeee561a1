//! The text form of a named kstat, as Linux shows it below `/proc/spl/kstat`.
//!
//! ```text
//! 13 1 0x01 3 816 5277612345 987654321987        kid type flags ndata size crtime snaptime
//! name                            type data
//! hits                            4    1234      %-31s %-4d %llu
//! ```
//!
//! The shape is that of `module/os/linux/spl/spl-kstat.c`. The size in the first line is `ndata`
//! times the size of a row in kernel memory (272 bytes; 48 in 0.6): it says nothing about the
//! values, so it is checked to be a number, not kept, and written as the newer one.

use std::fmt::Write as _;

use arcwright_units::Nanos;
use thiserror::Error;

use crate::named::NamedKstat;
use crate::value::Value;

/// Bytes of a row in kernel memory: a name of 255, a type, a value of 16.
const ROW_SIZE_BYTES: usize = 255 + 1 + 16;
const HEADER: &str = "name                            type data";

/// Says why a text is not a named kstat.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseKstatError {
    /// The text ends before it should.
    #[error("line {line}: {what} is missing; {hint}")]
    Truncated {
        /// Counts from 1.
        line: usize,
        /// What should stand there.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// A line is not what should stand there.
    #[error("line {line}: expected {expected}, found “{found}”; {hint}")]
    Garbled {
        /// Counts from 1.
        line: usize,
        /// What should stand there.
        expected: &'static str,
        /// The line, shortened.
        found: String,
        /// What to do.
        hint: &'static str,
    },
    /// It is a kstat of another kind, such as the raw `txgs`.
    #[error(
        "line 1: this kstat has type {kind}, only named kstats (type 1) are tables of counters"
    )]
    NotNamed {
        /// The type number.
        kind: u8,
    },
    /// The path does not name a module and a kstat.
    #[error("“{path}” is not a kstat; write its path below /proc/spl/kstat, such as zfs/arcstats")]
    Path {
        /// What was given.
        path: String,
    },
}

const COPY_AGAIN: &str = "the file was cut or altered, copy it again";

impl NamedKstat {
    /// Parses the text of the kstat at `path` below `/proc/spl/kstat`: `zfs/arcstats`.
    ///
    /// # Errors
    /// [`ParseKstatError`] with the line and a hint when the text is cut, garbled, or another kind
    /// of kstat.
    pub fn parse(path: &str, text: &str) -> Result<Self, ParseKstatError> {
        let (module, name) = path
            .trim_matches('/')
            .rsplit_once('/')
            .ok_or_else(|| ParseKstatError::Path { path: path.to_owned() })?;
        let mut lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        let first = First::read(lines.next().unwrap_or_default())?;
        let header = lines.next().unwrap_or_default();
        if !header.split_whitespace().eq(["name", "type", "data"]) {
            return Err(garbled(2, "the header “name type data”", header));
        }
        let mut rows = Vec::new();
        for (index, line) in lines.enumerate() {
            let number = index + 3;
            if line.is_empty() {
                break;
            }
            rows.push(row(number, line)?);
        }
        first.check_count(rows.len())?;
        Ok(Self {
            module: module.to_owned(),
            name: name.to_owned(),
            class: "misc".to_owned(),
            kid: first.kid,
            kind: first.kind,
            flags: first.flags,
            crtime: first.crtime,
            snaptime: first.snaptime,
            rows,
        })
    }

    /// Returns the text as the kernel would show it.
    #[must_use]
    pub fn to_text(&self) -> String {
        let Self { kid, kind, flags, crtime, snaptime, rows, .. } = self;
        let (count, size) = (rows.len(), rows.len().saturating_mul(ROW_SIZE_BYTES));
        let (crtime, snaptime) = (crtime.0, snaptime.0);
        let mut text =
            format!("{kid} {kind} 0x{flags:02x} {count} {size} {crtime} {snaptime}\n{HEADER}\n");
        for (name, value) in rows {
            let number = value.type_number();
            // Writing to a String cannot fail.
            writeln!(text, "{name:<31} {number:<4} {value}").unwrap_or_default();
        }
        text
    }
}

/// The first line.
struct First {
    kid: u32,
    kind: u8,
    flags: u8,
    ndata: usize,
    crtime: Nanos,
    snaptime: Nanos,
}

impl First {
    fn read(line: &str) -> Result<Self, ParseKstatError> {
        let first = Self::fields(line).ok_or_else(|| match line.trim() {
            "" => truncated(1, "the first line"),
            _ => garbled(1, "“kid type flags ndata size crtime snaptime”", line),
        })?;
        if first.kind != NamedKstat::KIND_NAMED {
            return Err(ParseKstatError::NotNamed { kind: first.kind });
        }
        Ok(first)
    }

    fn fields(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let kid = words.next()?.parse().ok()?;
        let kind = words.next()?.parse().ok()?;
        let flags = u8::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        let ndata = words.next()?.parse().ok()?;
        let _size_bytes: u64 = words.next()?.parse().ok()?;
        let crtime = Nanos(words.next()?.parse().ok()?);
        let snaptime = Nanos(words.next()?.parse().ok()?);
        words.next().is_none().then_some(Self { kid, kind, flags, ndata, crtime, snaptime })
    }

    /// Checks that all rows announced are there; more than announced means a garbled first line.
    fn check_count(&self, rows: usize) -> Result<(), ParseKstatError> {
        match rows.cmp(&self.ndata) {
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Less => {
                Err(truncated(rows + 3, &format!("row {} of {}", rows + 1, self.ndata)))
            }
            std::cmp::Ordering::Greater => {
                Err(garbled(self.ndata + 3, "the end (the first line announces fewer rows)", "…"))
            }
        }
    }
}

fn row(number: usize, line: &str) -> Result<(String, Value), ParseKstatError> {
    row_fields(line).ok_or_else(|| garbled(number, "a row “name type value”", line))
}

fn row_fields(line: &str) -> Option<(String, Value)> {
    let (name, rest) = line.split_once(' ')?;
    let rest = rest.trim_start_matches(' ');
    let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    // The type is padded to four places; only that padding is dropped, a string may begin with
    // spaces of its own.
    let mut value = rest;
    for _ in kind.len()..4 {
        value = value.strip_prefix(' ').unwrap_or(value);
    }
    let value = Value::read(kind.parse().ok()?, value)?;
    (!name.is_empty()).then(|| (name.to_owned(), value))
}

fn truncated(line: usize, what: &str) -> ParseKstatError {
    ParseKstatError::Truncated { line, what: what.to_owned(), hint: COPY_AGAIN }
}

fn garbled(line: usize, expected: &'static str, found: &str) -> ParseKstatError {
    const FOUND_CHARS_MAX: usize = 60;
    let found = found.trim().chars().take(FOUND_CHARS_MAX).collect();
    ParseKstatError::Garbled { line, expected, found, hint: COPY_AGAIN }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;
    use proptest::prelude::*;

    use super::{NamedKstat, ParseKstatError, Value};

    const ARCSTATS: &str = "\
13 1 0x01 5 1360 5277612345 987654321987
name                            type data
hits                            4    1234
demand_iohit_predictive_prefetch 4    7
memory_available_bytes          3    -4096
dataset_name                    7    tank/my media
future_row                      6    9
";

    fn error(text: &str) -> String {
        NamedKstat::parse("zfs/arcstats", text).unwrap_err().to_string()
    }

    #[test]
    fn the_kernels_text_comes_back_unchanged() {
        let kstat = NamedKstat::parse("zfs/tank/arcstats", ARCSTATS).unwrap();
        assert_eq!((kstat.module.as_str(), kstat.name.as_str()), ("zfs/tank", "arcstats"));
        assert_eq!(kstat.path(), "zfs/tank/arcstats");
        assert_eq!((kstat.kid, kstat.kind, kstat.flags), (13, 1, 1));
        assert_eq!((kstat.crtime, kstat.snaptime), (Nanos(5_277_612_345), Nanos(987_654_321_987)));
        assert_eq!(kstat.get("hits"), Some(1234));
        assert_eq!(kstat.get("demand_iohit_predictive_prefetch"), Some(7));
        assert_eq!(kstat.value("memory_available_bytes"), Some(&Value::I64(-4096)));
        assert_eq!(kstat.value("dataset_name"), Some(&Value::Text("tank/my media".to_owned())));
        assert_eq!(kstat.get("future_row"), Some(9));
        assert_eq!(kstat.get("absent"), None);
        assert_eq!(kstat.to_text(), ARCSTATS);
    }

    #[test]
    fn a_cut_text_names_the_first_missing_line() {
        assert!(error("").starts_with("line 1: the first line is missing"));
        let four: String = ARCSTATS.split_inclusive('\n').take(4).collect();
        assert_eq!(
            error(&four),
            "line 5: row 3 of 5 is missing; the file was cut or altered, copy it again"
        );
    }

    #[test]
    fn a_garbled_text_names_the_line_and_what_was_expected() {
        assert!(error("hello\n").contains("line 1: expected “kid type flags"));
        assert!(error(&ARCSTATS.replace("name    ", "nome    ")).contains("line 2: expected"));
        assert!(error(&ARCSTATS.replace(" 1234", " 12x4")).contains("line 3: expected a row"));
        assert!(error(&ARCSTATS.replace("0x01 5", "0x01 4")).contains("line 7: expected the end"));
    }

    #[test]
    fn a_raw_kstat_is_refused_by_its_kind() {
        let raw = "20 0 0x01 10 1120 1 2\ntxg birth\n";
        assert_eq!(
            NamedKstat::parse("zfs/tank/txgs", raw),
            Err(ParseKstatError::NotNamed { kind: 0 })
        );
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            "[!-~]{0,15}".prop_map(Value::Char),
            any::<i32>().prop_map(Value::I32),
            any::<u32>().prop_map(Value::U32),
            any::<i64>().prop_map(Value::I64),
            any::<u64>().prop_map(Value::U64),
            any::<i64>().prop_map(Value::Long),
            any::<u64>().prop_map(Value::ULong),
            "[ -~]{0,40}".prop_map(Value::Text),
        ]
    }

    proptest! {
        #[test]
        fn every_kstat_survives_its_text(
            rows in prop::collection::vec(("[!-~]{1,40}", value()), 0..20),
            numbers in any::<(u32, u8, u64, u64)>(),
        ) {
            let kstat = NamedKstat {
                module: "zfs".to_owned(),
                name: "arcstats".to_owned(),
                class: "misc".to_owned(),
                kid: numbers.0,
                kind: NamedKstat::KIND_NAMED,
                flags: numbers.1,
                crtime: Nanos(numbers.2),
                snaptime: Nanos(numbers.3),
                rows,
            };
            prop_assert_eq!(NamedKstat::parse("zfs/arcstats", &kstat.to_text()), Ok(kstat));
        }

        #[test]
        fn any_text_is_parsed_or_refused_without_panic(text in "(?s).{0,200}", at in 0usize..300) {
            let _ignored = NamedKstat::parse("zfs/arcstats", &text);
            let cut: String = ARCSTATS.chars().take(at).collect();
            let lines = ARCSTATS.lines().count();
            if cut.lines().count() < lines {
                prop_assert!(NamedKstat::parse("zfs/arcstats", &cut).is_err());
            }
        }
    }
}
