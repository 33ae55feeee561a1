//! How tune's answers are laid out: dates, lines of tabs, the envelope of JSON.

use arcwright_units::visible;
use jiff::Timestamp;
use serde::Serialize;

use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// Prints an answer as JSON.
pub(super) fn print_json(answer: &impl Serialize) -> Result<(), Problem> {
    let text = serde_json::to_string_pretty(answer).map_err(anyhow::Error::from)?;
    Ok(output::print_json(&(text + "\n"))?)
}

/// Returns rows as tab-separated lines.
pub(super) fn tabs(rows: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| {
        let cells: Vec<_> = row.iter().map(|cell| visible(cell)).collect();
        cells.join("\t") + "\n"
    };
    rows.iter().map(line).collect()
}

/// Returns seconds since 1970 as `2026-11-21 20:05:00 UTC`.
pub(crate) fn time(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or_else(
        || format!("{seconds} s after 1970"),
        |time| time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
    )
}

/// Returns the exit code for whether all is well.
pub(super) const fn exit_of(fine: bool) -> Exit {
    if fine { Exit::Fine } else { Exit::Failed }
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_are_told_in_utc() {
        assert_eq!(time(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(time(951_782_399), "2000-02-28 23:59:59 UTC");
        assert_eq!(time(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(time(1_795_291_200), "2026-11-21 20:00:00 UTC");
        assert_eq!(time(4_107_542_399), "2100-02-28 23:59:59 UTC");
        assert_eq!(time(4_107_542_400), "2100-03-01 00:00:00 UTC");
        assert_eq!(time(253_402_207_200), "9999-12-30 22:00:00 UTC");
        // What a stranger's capture may say, and no calendar has.
        assert_eq!(time(u64::MAX), "18446744073709551615 s after 1970");
    }
}
