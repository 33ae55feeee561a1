//! What a word may be and stay: one of the vocabulary, or a number.
//!
//! ```text
//!   resilvered 12.3G in 00:10:01      stays: words of OpenZFS, sizes, times
//!   192.168.1.7, anna@example.org     word-1, word-2
//! ```
//!
//! Nothing is recognised as secret; what is not recognised as harmless goes.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::names::Names;

static VOCABULARY: LazyLock<HashSet<&str>> =
    LazyLock::new(|| listed(include_str!("vocabulary.txt")));
static IDENTIFIERS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| listed(include_str!("identifiers.txt")));

fn listed(text: &'static str) -> HashSet<&'static str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
}

/// Digits of the largest number in a table: a counter of 64 bits.
const COUNTER_DIGITS_MAX: usize = 20;
/// Digits of a number in a sentence; more may name a drive.
const NUMBER_DIGITS_MAX: usize = 8;
/// Digits of all numbers in a compound such as `2025-01-05`; more may be a telephone's.
const COMPOUND_DIGITS_MAX: usize = 8;
/// Digits of a hexadecimal flag; more may be the name that a drive has for ever.
const HEX_DIGITS_MAX: usize = 8;
/// What may stand behind a number.
const UNITS: [&str; 41] = [
    "", "B", "K", "M", "G", "T", "P", "E", "Z", "k", "b", "KB", "kB", "MB", "GB", "TB", "PB",
    "KiB", "MiB", "GiB", "TiB", "PiB", "B/s", "K/s", "M/s", "G/s", "T/s", "%", "x", "X", "ns",
    "us", "ms", "s", "m", "h", "d", "days", "rpm", "min", "%s",
];
/// What a message may lead to.
const PAGES: [&str; 5] = [
    "https://openzfs.github.io/openzfs-docs/msg/",
    "http://zfsonlinux.org/msg/",
    "https://zfsonlinux.org/msg/",
    "http://illumos.org/msg/",
    "http://www.sun.com/msg/",
];

/// Returns whether a word is in the vocabulary.
pub(super) fn is_word(word: &str) -> bool {
    VOCABULARY.contains(word.to_ascii_lowercase().as_str())
}

/// Returns whether it is a name that OpenZFS, the kernel or smartctl gives to what is counted: `arc_meta_used`,
/// `avx512bw`, `Spin_Up_Time`. Each part is a known word; others may be anybody's.
pub(super) fn is_identifier(name: &str) -> bool {
    const DIGITS_MAX: usize = 3;
    let is_known = |part: &str| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let has_few_digits = part.len() - word.len() <= DIGITS_MAX;
        let is_named = word.is_empty() || is_word(word) || IDENTIFIERS.contains(word);
        is_word(part) || IDENTIFIERS.contains(part) || (is_named && has_few_digits)
    };
    let lower = name.to_ascii_lowercase();
    name.len() <= 48 && lower.split(['_', '-']).all(is_known)
}

/// Returns whether it is a number with or without a unit, of at most `digits_max` digits.
fn is_number_of(text: &str, digits_max: usize) -> bool {
    let text = text.strip_prefix(['-', '+', '<', '~']).unwrap_or(text);
    if let Some(hex) = text.strip_prefix("0x") {
        return (1..=HEX_DIGITS_MAX).contains(&hex.len())
            && hex.chars().all(|c| c.is_ascii_hexdigit());
    }
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (whole, rest) = text.split_at(end);
    if whole.is_empty() || whole.len() > digits_max {
        return false;
    }
    let fraction = rest.strip_prefix('.').map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest.split_at(end)
    });
    match fraction {
        Some((digits, unit)) => (1..=6).contains(&digits.len()) && UNITS.contains(&unit),
        None => UNITS.contains(&rest) || is_time(text) || is_span(text),
    }
}

/// `02:11:04`, `23:59`.
fn is_time(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    let fits = |part: &&str, most: usize| {
        (1..=most).contains(&part.len()) && part.chars().all(|c| c.is_ascii_digit())
    };
    match parts.as_slice() {
        [first, rest @ ..] => {
            (1..=2).contains(&rest.len()) && fits(first, 3) && rest.iter().all(|part| fits(part, 2))
        }
        [] => false,
    }
}

/// `0h35m`, `2d4h`.
fn is_span(text: &str) -> bool {
    let parts: Vec<&str> = text.split_inclusive(['d', 'h', 'm', 's']).collect();
    let part = |part: &&str| {
        let digits = part.trim_end_matches(['d', 'h', 'm', 's']);
        part.len() == digits.len() + 1
            && (1..=4).contains(&digits.len())
            && digits.chars().all(|c| c.is_ascii_digit())
    };
    (2..=4).contains(&parts.len()) && parts.iter().all(part)
}

/// Returns whether it is a number as a table may hold: a counter, a size, a share, `-`.
pub(super) fn is_number(text: &str) -> bool {
    text == "-" || is_number_of(text, COUNTER_DIGITS_MAX)
}

/// Returns whether a column of a table may hold it: a number, or a word of the vocabulary.
pub(super) fn is_cell(text: &str) -> bool {
    is_number(text) || is_plain(text)
}

/// Returns whether it is made of words of the vocabulary and of small numbers alone: `read/write`,
/// `zstd-3`, `(resilvering)`.
pub(super) fn is_plain(text: &str) -> bool {
    let core = core(text);
    if core.is_empty() || is_number_of(core, NUMBER_DIGITS_MAX) || is_word(core) || is_page(core) {
        return true;
    }
    let parts: Vec<&str> = core.split(['-', '/', '_', '=', ',', '+', '~', '@']).collect();
    let number =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || c == '.');
    let digits = core.chars().filter(char::is_ascii_digit).count();
    digits <= COMPOUND_DIGITS_MAX
        && parts.iter().all(|part| {
            part.is_empty()
                || is_word(part)
                || (number(part) && is_number_of(part, NUMBER_DIGITS_MAX))
        })
}

/// Returns a word without the marks around it.
fn core(text: &str) -> &str {
    let mark = |c: char| "()[]{}<>'\"`,;:.!?*…".contains(c);
    text.trim_matches(mark)
}

/// `ZFS-8000-9P`, alone or at the end of an address of OpenZFS's messages.
fn is_page(text: &str) -> bool {
    let id = PAGES.iter().find_map(|page| text.strip_prefix(page)).unwrap_or(text);
    id.strip_prefix("ZFS-8000-").is_some_and(|code| {
        code.len() == 2 && code.chars().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase())
    })
}

/// Returns `text` with each word as `one` wants it, everything between words as it stands.
pub(super) fn each_word(text: &str, mut one: impl FnMut(&str) -> String) -> String {
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let begin = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
        let (blank, more) = rest.split_at(begin);
        done.push_str(blank);
        let end = more.find(char::is_whitespace).unwrap_or(more.len());
        let (word, more) = more.split_at(end);
        if !word.is_empty() {
            done.push_str(&one(word));
        }
        rest = more;
    }
    done
}

/// What stands before a count in a sentence, and the most digits that it has.
const COUNTED: &str = "entries";
const COUNT_DIGITS_MAX: usize = 12;
/// What stands before the number of a host.
const HOST: &str = "hostid";

/// Returns a sentence with what is not known to be harmless replaced.
pub(super) fn sentence(names: &mut Names, text: &str) -> String {
    // The number of a host is made from its address: it follows its name, `hostid: 8f3a1b2c` or `hostid=8f3a1b2c`.
    let mut follows = false;
    // What `dedup: DDT entries 123456789, size ...` counts may be large.
    let mut counts = false;
    each_word(text, |word| {
        let is_count = std::mem::replace(&mut counts, word == COUNTED);
        if is_count && is_number_of(core(word), COUNT_DIGITS_MAX) && !names.holds_serial(word) {
            return word.to_owned();
        }
        let (begin, rest) = core(word).split_at_checked(HOST.len()).unwrap_or_default();
        let names_host = begin.eq_ignore_ascii_case(HOST);
        let is_number_of_host = std::mem::replace(&mut follows, names_host && rest.is_empty());
        if names_host && !rest.is_empty() {
            return format!("{HOST}=x");
        }
        if is_number_of_host && word.chars().any(|c| c.is_ascii_digit()) {
            return "x".to_owned();
        }
        if is_plain(word) && !names.holds_serial(word) {
            return word.to_owned();
        }
        let inner = core(word);
        let (before, after) = word.split_once(inner).unwrap_or(("", ""));
        format!("{before}{}{after}", names.in_a_sentence(inner))
    })
}

/// Returns a version or release (`2.1.11-1+deb12u1`, `6.8.12-4-pve`); from the first part on that only
/// its builder knows, a word is cut, with `x` for the rest.
pub(super) fn release(text: &str) -> String {
    each_word(text, |word| {
        if holds_address(word) {
            return "x".to_owned();
        }
        let mut done = String::with_capacity(word.len());
        for part in word.split_inclusive(|c: char| ".-_+~()/\"=".contains(c)) {
            let bare = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            if !is_of_release(bare) {
                done.push('x');
                break;
            }
            done.push_str(part);
        }
        done
    })
}

/// Returns whether a word holds what may be the address of a host: four numbers of a byte (`10.0.0.5`), where they are
/// no release such as `0.6.5.11` or `25.04.2.1`; six pairs of hexadecimal digits (`00-1b-44-11-3a-b7`).
fn holds_address(word: &str) -> bool {
    let four = |run: &str| {
        let parts: Vec<&str> = run.trim_matches('.').split('.').collect();
        let [first, second, ..] = parts.as_slice() else { return false };
        let is_year = first.len() == 2 && ("20"..="39").contains(first);
        let is_month = second.len() == 2 && ("01"..="12").contains(second);
        let of_a_release = *first == "0" || is_year && is_month;
        parts.len() == 4 && !of_a_release && parts.iter().all(|part| part.parse::<u8>().is_ok())
    };
    let is_pair = |part: &&str| part.len() == 2 && part.chars().all(|c| c.is_ascii_hexdigit());
    let pairs: Vec<&str> = word.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    word.split(|c: char| !c.is_ascii_digit() && c != '.').any(four)
        || pairs.windows(6).any(|six| six.iter().all(is_pair))
}

/// A part of a release: a number of some digits, words of the vocabulary joined to numbers (`deb12u1`,
/// `rc3`), or the beginning of a commit.
fn is_of_release(part: &str) -> bool {
    const DIGITS_MAX: usize = 8;
    // Of git's own form, or as TrueNAS has it; an address of a network card has twelve digits, a name may have none.
    let (commit, most) = part.strip_prefix('g').map_or((part, 10), |commit| (commit, 12));
    let is_of = |kind: fn(&char) -> bool| commit.chars().any(|c| kind(&c));
    if (7..=most).contains(&commit.len())
        && commit.chars().all(|c| "0123456789abcdef".contains(c))
        && is_of(char::is_ascii_digit)
        && is_of(char::is_ascii_alphabetic)
    {
        return true;
    }
    let digits = part.chars().filter(char::is_ascii_digit).count();
    let mut words = part.split(|c: char| c.is_ascii_digit()).filter(|word| !word.is_empty());
    part.is_empty() || is_word(part) || (digits <= DIGITS_MAX && words.all(is_word))
}

#[cfg(test)]
mod tests {
    use super::super::names::Names;
    use super::{is_cell, is_plain, release, sentence};

    fn check_plain(text: &str, expected: bool) {
        assert_eq!(is_plain(text), expected, "{text}");
    }

    #[test]
    fn words_and_small_numbers_stay() {
        for text in [
            "resilvered",
            "12.3G",
            "00:10:01",
            "300M/s,",
            "(resilvering)",
            "read/write",
            "zstd-3",
            "0h35m",
            "2025-01-05",
            "99.75%",
            "aes-256-gcm",
            "https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-9P",
        ] {
            check_plain(text, true);
        }
    }

    #[test]
    fn what_is_not_known_goes() {
        for text in [
            "anna",
            "192.168.1.7",
            "anna@example.org",
            "00:11:22:33:44:55",
            "0x5000c500a1b2c3d4",
            "5000112233445566",
            "555-123-45678",
            "2001:47:10",
            "WD-WCC7K1",
            "https://example.org/msg/ZFS-8000-9P",
            "123e4567-e89b-12d3-a456-426614174000",
            "ánna",
            "tank/anna",
        ] {
            check_plain(text, false);
        }
        assert!(is_cell("18446744073709551615"));
    }

    #[test]
    fn releases_keep_what_everybody_has() {
        let check = |text: &str, expected: &str| assert_eq!(release(text), expected);
        check("2.1.11-1+deb12u1", "2.1.11-1+deb12u1");
        check("6.8.12-4-pve", "6.8.12-4-pve");
        check("2.1.4-FreeBSD_g52bad4f23", "2.1.4-FreeBSD_g52bad4f23");
        check("6.1.0-annas-nas", "6.1.0-x");
        check("Linux s!dc!do", "Linux x");
        check("zfs-2.3.2-2~bpo12+2\n", "zfs-2.3.2-2~bpo12+2\n");
        check("0.6.5.11-1ubuntu3", "0.6.5.11-1ubuntu3");
        check("25.04.2.1", "25.04.2.1");
    }

    #[test]
    fn a_release_holds_no_address() {
        let check = |text: &str| assert_eq!(release(text), "x");
        check("10.0.0.5");
        check("001b44113ab7");
        check("491701234567");
        check("decade");
        check("6.1.0-192.168.1.7");
        check("00-11-22-33-44-55");
        check("2.1.11-00-1b-44-11-3a-b7");
    }

    #[test]
    fn the_number_of_a_host_goes_from_a_sentence() {
        let check = |text: &str, expected: &str| {
            assert_eq!(sentence(&mut Names::default(), text), expected);
        };
        check("hostid: 8f3a1b2c at 12:30", "hostid: x at 12:30");
        check("(hostid=12345678) at 12:30", "hostid=x at 12:30");
        check("hostid 0x12345678", "hostid x");
    }

    #[test]
    fn a_long_number_in_a_sentence_may_name_a_drive_unless_it_counts() {
        let check = |text: &str, expected: &str| {
            assert_eq!(sentence(&mut Names::default(), text), expected);
        };
        check("12345678 errors", "12345678 errors");
        check("device 174528802001 failed", "device word-1 failed");
        check("DDT entries 174528802001, size 330B", "DDT entries 174528802001, size 330B");
    }
}
