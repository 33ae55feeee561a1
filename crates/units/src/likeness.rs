//! How alike two names are, for “did you mean”.
//!
//! The measure is that of Damerau and Levenshtein, divided by the length of the longer name. It costs the
//! product of both lengths, so that the lengths rule out first what cannot be alike: names come from
//! files of strangers, and may be as long as these.

/// No name that this program knows is longer, in bytes.
const NAME_BYTES_MAX: usize = 256;

/// Returns how alike two names are, 0 to 1; none when that is less than `least`.
#[must_use]
pub fn likeness(one: &str, other: &str, least: f64) -> Option<f64> {
    if one.len().max(other.len()) > NAME_BYTES_MAX {
        return None;
    }
    let (one_count, other_count) = (one.chars().count(), other.chars().count());
    let (fewer, more) = (one_count.min(other_count), one_count.max(other_count));
    // A letter that only one name has must be put in or changed: nothing makes up for it.
    let bound = |shared: usize| if more == 0 { 1.0 } else { shared as f64 / more as f64 };
    if bound(fewer) < least || bound(shared(one, other)) < least {
        return None;
    }
    Some(strsim::normalized_damerau_levenshtein(one, other)).filter(|score| *score >= least)
}

/// Returns the known name most like `name`, of letters of either size; none when nothing is alike.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Below this, two names are not a slip of the finger apart.
    const ALIKE: f64 = 0.6;
    let name = name.to_lowercase();
    nearest_by(known, |other| likeness(&name, &other.to_lowercase(), ALIKE))
}

/// Returns the known name with the highest score, of several the last; none when none has a score.
pub fn nearest_by<'a>(
    known: impl IntoIterator<Item = &'a str>,
    score: impl Fn(&str) -> Option<f64>,
) -> Option<&'a str> {
    let scored = known.into_iter().filter_map(|other| Some((score(other)?, other)));
    scored.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, name)| name)
}

/// Returns how many letters two names share at most, in whatever order.
fn shared(one: &str, other: &str) -> usize {
    const KINDS: u32 = 64;
    let kind = |letter: char| (u32::from(letter) % KINDS) as usize;
    let mut counts = [0_u16; KINDS as usize];
    for letter in one.chars() {
        if let Some(count) = counts.get_mut(kind(letter)) {
            *count += 1;
        }
    }
    let mut shared = 0;
    for letter in other.chars() {
        if let Some(count) = counts.get_mut(kind(letter)).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::{likeness, nearest};

    #[test]
    fn slips_of_the_finger_are_alike_and_nothing_is_compared_in_vain() {
        assert_eq!(likeness("memory", "memory", 0.6), Some(1.0));
        assert!(likeness("memroy", "memory", 0.6).is_some_and(|score| score > 0.8));
        assert_eq!(likeness("banana", "memory", 0.6), None);
        assert_eq!(likeness("a", "abcdefghij", 0.6), None);
        assert_eq!(likeness("", "", 0.6), Some(1.0));
    }

    #[test]
    fn the_nearest_name_is_found_in_letters_of_either_size() {
        let known = ["memory", "pool-full", "Memories"];
        assert_eq!(nearest("MEMROY", known), Some("memory"));
        assert_eq!(nearest("memories", known), Some("Memories"));
        assert_eq!(nearest("pool_full", known), Some("pool-full"));
        assert_eq!(nearest("xyzzy", known), None);
        assert_eq!(nearest("memory", []), None);
        assert_eq!(nearest("ab", ["ax", "xb", "a"]), None);
        assert_eq!(nearest("abc", ["abx", "xbc"]), Some("xbc"));
    }

    #[test]
    fn what_is_left_out_early_is_less_alike() {
        let names = ["memory", "memroy", "mem", "yromem", "zfs_arc_max", "arc_max", "é", "", "x"];
        for one in names {
            for other in names {
                let score = strsim::normalized_damerau_levenshtein(one, other);
                for least in [0.0, 0.3, 0.6, 0.8, 1.0] {
                    let expected = Some(score).filter(|score| *score >= least);
                    assert_eq!(likeness(one, other, least), expected, "{one} {other} {least}");
                }
            }
        }
    }

    #[test]
    fn a_name_as_long_as_a_file_is_like_none() {
        let long = "x".repeat(64 << 20);
        assert_eq!(likeness(&long, "zfs_arc_max", 0.8), None);
        assert_eq!(likeness(&long, &long, 0.8), None);
    }
}
