//! Fletcher's checksum with four sums, as `checksum=on` computes it: each word is added to the first sum, each sum to
//! the next.

/// Sums of all words so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Fletcher4([u64; 4]);

impl Fletcher4 {
    /// Adds words of four bytes, the low byte first; what is left over at the end is not looked at.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let [mut one, mut two, mut three, mut four] = self.0;
        let (words, _) = bytes.as_chunks::<4>();
        for word in words {
            one = one.wrapping_add(u64::from(u32::from_le_bytes(*word)));
            two = two.wrapping_add(one);
            three = three.wrapping_add(two);
            four = four.wrapping_add(three);
        }
        self.0 = [one, two, three, four];
    }
}

/// Returns the rate in bytes per second of the routine that OpenZFS has chosen, from its own benchmark
/// (`/proc/spl/kstat/zfs/fletcher_4_bench`, Linux): the last line names the fastest, a line above has its rate.
pub(super) fn chosen(bench: &str) -> Option<(&str, f64)> {
    let row = |name: &str| {
        let mut rows = bench.lines().map(str::split_whitespace);
        rows.find_map(|mut words| if words.next() == Some(name) { words.next() } else { None })
    };
    let fastest = row("fastest")?;
    let rate: f64 = row(fastest)?.parse().ok()?;
    (rate.is_finite() && rate > 0.0).then_some((fastest, rate))
}

#[cfg(test)]
mod tests {
    use super::{Fletcher4, chosen};

    #[test]
    fn each_sum_is_added_to_the_next() {
        let mut sums = Fletcher4::default();
        sums.add(&[1, 0, 0, 0, 2, 0, 0, 0, 9]);
        assert_eq!(sums, Fletcher4([3, 4, 5, 6]));
    }

    #[test]
    fn the_benchmark_of_the_module_names_its_fastest() {
        let bench = "0 0 0x01 -1 0 5061270 1059\nimplementation   native         byteswap       \n\
                     scalar           6092862146     5076483034     \nsse2             9915562148     6512463125     \n\
                     fastest          sse2           sse2           \n";
        assert_eq!(chosen(bench), Some(("sse2", 9_915_562_148.0)));
        for broken in [
            "",
            "fastest sse2",
            "fastest\nsse2 1",
            "fastest sse2\nsse2 nan",
            "sse2 -1\nfastest sse2",
        ] {
            assert_eq!(chosen(broken), None, "{broken}");
        }
    }
}
