//! Division by what is a power of two nearly always: the size of a block, the pointers in one. A shift
//! instead of a division, at every access several times.

/// A divisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Divisor {
    value: u64,
    /// Its logarithm, where that is whole.
    shift: Option<u32>,
}

impl Divisor {
    /// Returns the divisor of this value; of 1 instead of 0.
    pub(crate) fn of(value: u64) -> Self {
        let value = value.max(1);
        Self { value, shift: value.is_power_of_two().then(|| value.trailing_zeros()) }
    }

    /// Returns the divisor as a number.
    pub(crate) fn value(self) -> u64 {
        self.value
    }

    /// Returns `number` divided by it, rounded down.
    #[inline]
    pub(crate) fn divide(self, number: u64) -> u64 {
        match self.shift {
            Some(shift) => number >> shift,
            None => number / self.value,
        }
    }

    /// Returns `number` divided by it, rounded up.
    #[inline]
    pub(crate) fn divide_up(self, number: u64) -> u64 {
        let whole = self.divide(number);
        whole + u64::from(whole * self.value < number)
    }

    /// Returns what is left of `number`.
    #[inline]
    pub(crate) fn rest(self, number: u64) -> u64 {
        number - self.divide(number) * self.value
    }
}

#[cfg(test)]
mod tests {
    use super::Divisor;

    #[test]
    fn it_divides_as_numbers_do() {
        for value in [1, 2, 3, 128, 1000, 1024, 131_072] {
            let divisor = Divisor::of(value);
            for number in (0..5000).chain([u64::MAX - 1, u64::MAX]) {
                let expected = (number / value, number.div_ceil(value), number % value);
                let got = (divisor.divide(number), divisor.divide_up(number), divisor.rest(number));
                assert_eq!(got, expected, "{number} by {value}");
            }
        }
    }
}
