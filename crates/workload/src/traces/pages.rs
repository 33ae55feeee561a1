//! The simplest formats: one page number in each line, or in each four bytes.

use super::{Renamer, Trace, TraceError, number, read_lines};

/// Reads a trace with one page number in each line; a line of `*` marks a phase and is passed over,
/// as in the traces of LIRS.
///
/// # Errors
/// [`TraceError`] with the line that cannot be understood, or when the trace is empty or has more than
/// `accesses_max` accesses.
pub fn parse_pages(text: &str, accesses_max: usize) -> Result<Trace, TraceError> {
    read_lines(text, accesses_max, |line, renamer| match line {
        "*" => Ok(()),
        page => renamer.add(number(page, "page")?),
    })
}

/// Reads a trace of page numbers of four bytes, little-endian. Places in errors count them from 1.
///
/// # Errors
/// [`TraceError`] when the length is no multiple of four, or the trace is empty or has more than
/// `accesses_max` accesses.
pub fn parse_words(bytes: &[u8], accesses_max: usize) -> Result<Trace, TraceError> {
    let (words, rest) = bytes.as_chunks::<4>();
    let fault = |index: usize, problem: String| TraceError { line: index + 1, problem };
    if !rest.is_empty() || words.is_empty() {
        let problem = format!("{} bytes are not a sequence of four-byte numbers", bytes.len());
        return Err(fault(words.len(), problem));
    }
    let mut renamer = Renamer::new(accesses_max);
    for (index, word) in words.iter().enumerate() {
        let page = u64::from(u32::from_le_bytes(*word));
        renamer.add(page).map_err(|problem| fault(index, problem))?;
    }
    Ok(renamer.finish())
}

#[cfg(test)]
mod tests {
    use super::super::ACCESSES_MAX;
    use super::{parse_pages, parse_words};

    #[test]
    fn pages_are_renamed_in_order() {
        let trace = parse_pages("9\n4\n*\n9\n", 3).unwrap();
        assert_eq!((trace.accesses, trace.pages), (vec![0, 1, 0], 2));
        assert_eq!(parse_pages("9\n4 4\n", ACCESSES_MAX).unwrap_err().line, 2);
    }

    #[test]
    fn words_are_little_endian() {
        let trace = parse_words(&[1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0], 3).unwrap();
        assert_eq!((trace.accesses, trace.pages), (vec![0, 1, 0], 2));
        assert_eq!(parse_words(&[1, 0, 0, 0, 7], ACCESSES_MAX).unwrap_err().line, 2);
        assert!(parse_words(&[], ACCESSES_MAX).is_err());
    }
}
