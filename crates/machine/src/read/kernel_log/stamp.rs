//! What stands before the words of a line of the log: its time, the machine, who wrote it.
//!
//! ```text
//! [ 9309.788008] words                                            dmesg
//! [Sun Nov 15 10:00:02 2026] words                                dmesg -T, in the language of the machine
//! Nov 15 10:00:02 nas kernel: [ 9309.788008] words                syslog and journalctl of Linux
//! Nov 15 10:00:02 nas (ada1:ahcich1:0:0:0): words                 syslog of FreeBSD
//! 2026-11-15T10:00:02.1+00:00 nas zfs: [ID 961531 kern.warning] words     illumos
//! ```

/// Returns a line without the time and the service that wrote it.
pub(super) fn body(line: &str) -> &str {
    let line = line.trim();
    let line = line.split_once(" kernel: ").map_or(line, |(_, rest)| rest);
    let line = illumos(line).unwrap_or(line);
    stamped(line).or_else(|| syslog(line)).unwrap_or(line)
}

/// Returns whether a time stands in front of a line, so that a line without one goes on with it.
pub(crate) fn is_stamped(line: &str) -> bool {
    let line = line.trim();
    stamped(line).is_some() || line.contains(" kernel: ")
}

/// Returns what stands behind `[ 9309.788008]` or `[Sun Nov 15 10:00:02 2026]`.
pub(super) fn stamped(line: &str) -> Option<&str> {
    const LENGTH_MAX: usize = 48;
    let (time, rest) = line.strip_prefix('[')?.split_once(']')?;
    let time = time.trim();
    let seconds = time.contains('.') && time.chars().all(|c| c.is_ascii_digit() || c == '.');
    let date = || {
        let mut words = time.split_whitespace().rev();
        let year = words.next().is_some_and(|year| year.len() == 4 && year.parse::<u16>().is_ok());
        year && words.next().is_some_and(is_clock) && words.count() == 3
    };
    (seconds || time.len() <= LENGTH_MAX && date()).then(|| rest.trim_start())
}

/// Returns the seconds of `[ 9309.788008]`, which the kernel counts from its start; none of other times.
pub(super) fn seconds(line: &str) -> Option<f64> {
    const LENGTH_MAX: usize = 24;
    let line = line.trim();
    let line = line.split_once(" kernel: ").map_or(line, |(_, rest)| rest);
    let (time, _) = line.strip_prefix('[')?.split_once(']')?;
    let time = time.trim();
    let plain = time.len() <= LENGTH_MAX && time.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    time.parse().ok().filter(|_| plain)
}

/// The months as dates of C programs have them.
pub(crate) const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Returns what stands behind `Nov 15 10:00:02 nas `.
fn syslog(line: &str) -> Option<&str> {
    let (month, rest) = line.split_once(' ')?;
    let (day, rest) = rest.trim_start().split_once(' ')?;
    let (time, rest) = rest.split_once(' ')?;
    let (_host, rest) = rest.split_once(' ')?;
    let dated = MONTHS.contains(&month) && day.parse::<u8>().is_ok();
    (dated && is_clock(time)).then_some(rest)
}

/// Returns whether a line names who wrote it: the kernel, smartmontools' daemon, a driver of illumos.
pub(super) fn is_signed(line: &str) -> bool {
    line.contains(" kernel: ") || line.contains(" smartd[") || illumos(line).is_some()
}

/// Returns what stands behind `zfs: [ID 961531 kern.warning] `.
fn illumos(line: &str) -> Option<&str> {
    let (number, rest) = line.split_once(": [ID ")?.1.split_once(' ')?;
    let (facility, rest) = rest.split_once("] ")?;
    let known = number.parse::<u32>().is_ok() && facility.contains('.') && facility.len() < 32;
    known.then_some(rest)
}

/// Returns whether a word is a time of the day.
pub(crate) fn is_clock(word: &str) -> bool {
    let mut parts = word.split(':');
    let two = |part: &str| part.len() == 2 && part.chars().all(|c| c.is_ascii_digit());
    let seconds = |part: &str| part.get(..2).is_some_and(two);
    parts.next().is_some_and(two)
        && parts.next().is_some_and(two)
        && parts.next().is_some_and(seconds)
        && parts.next().is_none()
}

/// Returns whether a log has lines that Linux alone writes: of its block layer, libata, khungtaskd or ZFS's module there.
pub(in crate::read) fn is_of_linux(text: &str) -> bool {
    const LINES_MAX: usize = 1000;
    const SIGNS: [&str; 7] = [
        "blk_update_request: ",
        "critical medium error, dev ",
        "I/O error, dev sd",
        "INFO: task ",
        "zio pool=",
        "] ata",
        "exception Emask ",
    ];
    text.lines().take(LINES_MAX).any(|line| SIGNS.iter().any(|sign| line.contains(sign)))
}

#[cfg(test)]
mod tests {
    use super::body;

    #[test]
    fn only_the_words_are_left() {
        for line in [
            "[ 9309.788008] words: 1",
            "[Sun Nov 15 10:00:02 2026] words: 1",
            "[nie lis 15 10:00:02 2026] words: 1",
            "Nov 15 10:00:02 nas kernel: [ 9309.788008] words: 1",
            "Nov  5 10:00:02 nas words: 1",
            "2026-11-15T10:00:02.1+00:00 nas zfs: [ID 961531 kern.warning] words: 1",
            "words: 1",
        ] {
            assert_eq!(body(line), "words: 1", "{line}");
        }
        for line in ["[sda] 1", "[at 10 of 2026] x", "Nov 15 was a day", "a: [ID card] x"] {
            assert_eq!(body(line), line);
        }
    }
}
