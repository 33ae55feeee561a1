//! What the line `errors:` and the list below it say of damaged files and objects.

use crate::pool::Pool;

/// Takes what is damaged of a pool.
pub(super) fn take(pool: &mut Pool, lines: &[String]) {
    let (count, damaged) = damage(lines);
    // A list without a name has no count either: the one that was read before is of the same errors, as long as nothing was
    // done.
    let is_announced = lines.first().is_some_and(|line| line.starts_with("Permanent"));
    let is_same = is_announced && damaged.is_empty() && pool.errors_beside.since.is_none();
    let before = pool.data_errors.filter(|before| is_same && *before > 0);
    (pool.data_errors, pool.damaged) = (count.or(before), damaged);
}

/// Returns how many data errors there are, where it is said, and what is listed as damaged.
pub(super) fn damage(lines: &[String]) -> (Option<u64>, Vec<String>) {
    let Some((first, rest)) = lines.split_first() else { return (None, Vec::new()) };
    if first.starts_with("No known data errors") {
        return (Some(0), Vec::new());
    }
    if first.starts_with("Permanent errors") {
        return (None, rest.iter().take_while(|line| is_entry(line)).cloned().collect());
    }
    let count = first.split_once(" data error").and_then(|(count, _)| count.trim().parse().ok());
    (count, Vec::new())
}

/// Returns whether a line may be of the list: a path, a dataset and what is damaged of it, or so few words as a name may have.
/// Prose may stand right below.
fn is_entry(line: &str) -> bool {
    const WORDS_MAX: usize = 5;
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_named = first.contains(['/', ':', '@', '<']) && !first.starts_with(['[', '(']);
    is_named || line.split_whitespace().count() <= WORDS_MAX && !line.starts_with('[')
}

/// Returns the pool that all damaged objects are of: `tank` of `tank/vm:<0x1>` and `tank:<0x0>`.
pub(super) fn common_pool(damaged: &[String]) -> Option<String> {
    let pool = |name: &String| {
        let (dataset, _) = name.split_once(':')?;
        let pool = dataset.split(['/', '@']).next()?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        (!pool.is_empty() && pool.chars().all(plain)).then(|| pool.to_owned())
    };
    let first = damaged.iter().find_map(pool)?;
    damaged.iter().filter_map(pool).all(|pool| pool == first).then_some(first)
}
