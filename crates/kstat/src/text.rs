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
//! values, so it is checked to be a number, not kept, and written as the newer one. Some names hold
//! a space (`1024 ns` of `dmu_tx_assign`), so a name ends at the column where the kernel ends it.
//! The kind that counts I/O (`io` of 0.6 to 2.0) is a row of numbers instead, see `io.rs`.

use std::fmt::Write as _;

use arcwright_units::Nanos;

use crate::error::{ParseKstatError, garbled, truncated};
use crate::io;
use crate::named::NamedKstat;
use crate::value::KstatValue;

/// Bytes of a row in kernel memory: a name of 255, a type, a value of 16.
const ROW_SIZE_BYTES: usize = 255 + 1 + 16;
const HEADER: &str = "name                            type data";

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
        let mut lines = text.split('\n').map(|line| line.trim_end_matches('\r'));
        let first = First::read(lines.next().unwrap_or_default())?;
        let rows = match first.kind {
            Self::KIND_IO => io::rows(&mut lines)?,
            _ => named_rows(&first, &mut lines)?,
        };
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
        if *kind == Self::KIND_IO {
            let first = format!("{kid} {kind} 0x{flags:02x} 1 80 {crtime} {snaptime}\n");
            return first + &io::to_text(rows);
        }
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
        if ![NamedKstat::KIND_NAMED, NamedKstat::KIND_IO].contains(&first.kind) {
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

fn named_rows<'a>(
    first: &First,
    lines: &mut impl Iterator<Item = &'a str>,
) -> Result<Vec<(String, KstatValue)>, ParseKstatError> {
    let header = lines.next().unwrap_or_default();
    if !header.split_whitespace().eq(["name", "type", "data"]) {
        return Err(garbled(2, "the header “name type data”", header));
    }
    let mut rows = Vec::new();
    for (index, line) in lines.enumerate() {
        if line.is_empty() {
            break;
        }
        rows.push(row(index + 3, line)?);
    }
    first.check_count(rows.len())?;
    Ok(rows)
}

fn row(number: usize, line: &str) -> Result<(String, KstatValue), ParseKstatError> {
    row_fields(line).ok_or_else(|| garbled(number, "a row “name type value”", line))
}

fn row_fields(line: &str) -> Option<(String, KstatValue)> {
    let (name, rest) = name_and_rest(line)?;
    let rest = rest.trim_start_matches(' ');
    let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    // The type is padded to four places; only that padding is dropped, a string may begin with
    // spaces of its own.
    let mut value = rest;
    for _ in kind.len()..4 {
        value = value.strip_prefix(' ').unwrap_or(value);
    }
    let value = KstatValue::read(kind.parse().ok()?, value)?;
    (!name.is_empty()).then(|| (name.to_owned(), value))
}

/// Splits off the name: at the column where the kernel ends it, else at the first space.
fn name_and_rest(line: &str) -> Option<(&str, &str)> {
    const NAME_WIDTH: usize = 31;
    if line.as_bytes().get(NAME_WIDTH) == Some(&b' ') {
        let (name, rest) = line.split_at_checked(NAME_WIDTH)?;
        // A long name that overflows its column would be cut in the middle of what follows.
        let name = name.trim_end_matches(' ');
        if !name.contains("  ") {
            return Some((name, rest));
        }
    }
    line.split_once(' ')
}

#[cfg(test)]
mod tests;
