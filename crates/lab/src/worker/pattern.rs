//! What a crash test writes: sectors that say which write they belong to.
//!
//! The first words of a sector are a mark, the number of the write in its slot and the place of the
//! sector in the file; the rest follows from these, so that a sector is either whole or not one of
//! ours, and no compression shortens it.

/// Bytes that carry one mark.
const SECTOR: usize = 512;
/// No other contents begin like this.
const MARK: u64 = 0x4152_4357_5249_4748;
/// An odd number with its bits well spread (2^64 divided by the golden section).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Fills `target`, which goes to `offset`, with the contents of the write `sequence`.
pub(crate) fn fill(target: &mut [u8], offset: u64, sequence: u64) {
    for (index, sector) in target.chunks_mut(SECTOR).enumerate() {
        let place = offset + (index * SECTOR) as u64;
        for (number, word) in sector.chunks_mut(size_of::<u64>()).enumerate() {
            let bytes = word_of(number as u64, place, sequence).to_le_bytes();
            for (to, from) in word.iter_mut().zip(bytes) {
                *to = from;
            }
        }
    }
}

fn word_of(number: u64, place: u64, sequence: u64) -> u64 {
    match number {
        0 => MARK,
        1 => sequence,
        2 => place,
        _ => (place ^ sequence.rotate_left(32)).wrapping_add(number).wrapping_mul(SPREAD),
    }
}

/// What was found at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Contents from before the test.
    Original,
    /// This write, whole.
    Write(u64),
    /// Something that nobody wrote in one piece.
    Torn,
}

/// Says which write `source`, read at `offset`, comes from.
pub(crate) fn find(source: &[u8], offset: u64) -> Found {
    let words: Vec<u64> = source.chunks_exact(size_of::<u64>()).take(2).map(word).collect();
    let sequence = match words.as_slice() {
        [MARK, sequence] => *sequence,
        _ => return if has_mark(source) { Found::Torn } else { Found::Original },
    };
    let mut expected = vec![0u8; source.len()];
    fill(&mut expected, offset, sequence);
    if expected == source { Found::Write(sequence) } else { Found::Torn }
}

fn has_mark(source: &[u8]) -> bool {
    source.chunks(SECTOR).any(|sector| sector.chunks_exact(8).next().map(word) == Some(MARK))
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::{Found, fill, find};

    #[test]
    fn what_is_written_is_found() {
        let mut block = vec![0u8; 4096];
        fill(&mut block, 8192, 7);
        assert_eq!(find(&block, 8192), Found::Write(7));
    }

    #[test]
    fn a_block_of_two_writes_is_torn() {
        let (mut block, mut later) = (vec![0u8; 4096], vec![0u8; 4096]);
        fill(&mut block, 0, 7);
        fill(&mut later, 0, 8);
        block.splice(2048.., later.into_iter().skip(2048));
        assert_eq!(find(&block, 0), Found::Torn);
    }

    #[test]
    fn a_block_at_another_place_is_torn() {
        let mut block = vec![0u8; 4096];
        fill(&mut block, 0, 7);
        assert_eq!(find(&block, 4096), Found::Torn);
    }

    #[test]
    fn what_nobody_wrote_is_original() {
        assert_eq!(find(&[0x5a; 4096], 0), Found::Original);
    }
}
