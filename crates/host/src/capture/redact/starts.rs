//! Words that hold a serial number.

use std::collections::BTreeSet;
use std::ops::Bound;

/// Beginnings of serial numbers in capitals, none of which begins with another: at each place of a word only the
/// greatest that is not behind it in order can stand there, however many there are.
#[derive(Debug, Default)]
pub(super) struct Starts(BTreeSet<Vec<u8>>);

impl Starts {
    /// Shorter ones are too likely by chance.
    const BYTES_MIN: usize = 4;
    /// As much of a serial number is looked for; no maker has longer ones.
    const BYTES_MAX: usize = 64;

    pub(super) fn add(&mut self, serial: &str) {
        let all = serial.as_bytes();
        let start = all.get(..Self::BYTES_MAX).unwrap_or(all).to_ascii_uppercase();
        if start.len() < Self::BYTES_MIN || self.stands_at(&start) {
            return;
        }
        let longer = self.0.range(start.clone()..).take_while(|other| other.starts_with(&start));
        let longer: Vec<Vec<u8>> = longer.cloned().collect();
        for other in longer {
            self.0.remove(&other);
        }
        self.0.insert(start);
    }

    /// Says whether a text in capitals begins with one.
    fn stands_at(&self, text: &[u8]) -> bool {
        let behind = (Bound::Unbounded, Bound::Included(text));
        self.0.range::<[u8], _>(behind).next_back().is_some_and(|start| text.starts_with(start))
    }

    /// Says whether a word holds one, in whatever case.
    pub(super) fn are_in(&self, word: &str) -> bool {
        let word = word.to_ascii_uppercase();
        !self.0.is_empty()
            && (0..word.len()).any(|at| {
                let rest = word.as_bytes().get(at..).unwrap_or_default();
                self.stands_at(rest.get(..Self::BYTES_MAX).unwrap_or(rest))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::Starts;

    #[test]
    fn a_word_that_holds_a_serial_number_is_told_from_one_that_does_not() {
        let all = ["WCC7K1", "WCC", "abcd12", "ABCD", "ABCD99", "S5H9", &"Z".repeat(99)];
        let long = "Z".repeat(64);
        let words = [
            "x-wcc7k1-y",
            "WCC7K",
            "WCC",
            "ABCD",
            "1abcd99",
            "ABC",
            "S5H",
            "s5H9!",
            "",
            &long,
            "ä",
        ];
        // By the definition, whatever the order in which they become known.
        let expected = words.map(|word| {
            let word = word.to_uppercase();
            let holds = |serial: &&str| {
                let start = serial.get(..64).unwrap_or(serial);
                start.len() > 3 && word.contains(&start.to_uppercase())
            };
            all.iter().any(holds)
        });
        for turn in 0..all.len() {
            let mut starts = Starts::default();
            for serial in all.iter().cycle().skip(turn).take(all.len()) {
                starts.add(serial);
            }
            assert_eq!(words.map(|word| starts.are_in(word)), expected, "{turn}");
        }
    }
}
