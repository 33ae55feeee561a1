//! The block of lines that is ours in a file of somebody else.
//!
//! ```text
//!   options zfs zfs_arc_max=8589934592        not ours, not touched
//!   # >>> arcwright tune: do not edit down to the end mark
//!   # l2arc_noprefetch was 1: dumb-lru, 2026-11-21 by anna
//!   options zfs l2arc_noprefetch=0
//!   # <<< arcwright tune
//! ```
//!
//! A text that does not end its last line needs newlines before the block; the begin mark counts
//! them (`joint 1`), so that taking the block out gives back the text byte for byte. Two are needed
//! after a lone `\` at the end, which would otherwise draw our first line into theirs.

use std::ops::Range;

use crate::EditError;

const BEGIN: &str = "# >>> arcwright tune: do not edit down to the end mark";
const END: &str = "# <<< arcwright tune";

/// A block found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// All of it in the text, with the newlines that joined it on and its marks.
    pub(super) whole: Range<usize>,
    /// What stands between its marks.
    pub(super) body: Range<usize>,
    /// Newlines that joined it on.
    joint: usize,
}

/// Returns the block in `text`; none when there is none.
///
/// # Errors
/// [`EditError::Broken`] when marks do not pair.
pub(super) fn find(text: &str) -> Result<Option<Block>, EditError> {
    let mut begin: Option<(usize, usize, usize)> = None;
    let mut found = None;
    let mut offset = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let end = offset + line.len();
        let bare = line.trim_end();
        let broken = |what| Err(EditError::Broken { line: index + 1, what });
        if let Some(rest) = bare.strip_prefix(BEGIN) {
            let Some(joint) = joint_of(rest) else {
                return broken("its begin mark was changed");
            };
            if begin.is_some() || found.is_some() {
                return broken("it has a second begin mark");
            }
            begin = Some((offset, end, joint));
        } else if bare == END {
            let Some((start, body, joint)) = begin.take() else {
                return broken("it has an end mark but no begin mark");
            };
            let lead = newlines_before(text, start).min(joint);
            found = Some(Block { whole: start - lead..end, body: body..offset, joint });
        }
        offset = end;
    }
    match begin {
        Some((start, ..)) => {
            let before = text.get(..start).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            Err(EditError::Broken { line, what: "it has a begin mark but no end mark" })
        }
        None => Ok(found),
    }
}

/// Returns `text` with `body` between the marks; without the block when `body` is empty.
///
/// # Errors
/// [`EditError::Broken`] when marks do not pair.
pub(super) fn put(text: &str, body: &str) -> Result<String, EditError> {
    let block = find(text)?;
    let (before, after, joint) = match &block {
        Some(block) => (
            text.get(..block.whole.start).unwrap_or_default(),
            text.get(block.whole.end..).unwrap_or_default(),
            block.joint,
        ),
        None => (text, "", joint_for(text)),
    };
    if body.is_empty() {
        return Ok(format!("{before}{after}"));
    }
    let note = if joint == 0 { String::new() } else { format!(" (joint {joint})") };
    let newlines = "\n".repeat(joint);
    Ok(format!("{before}{newlines}{BEGIN}{note}\n{body}{END}\n{after}"))
}

/// Returns how many newlines must stand between `text` and the block.
fn joint_for(text: &str) -> usize {
    match (text.ends_with('\n'), text.trim_end_matches('\n').ends_with('\\')) {
        _ if text.is_empty() => 0,
        (true, true) => usize::from(text.ends_with("\\\n")),
        (true, false) => 0,
        (false, true) => 2,
        (false, false) => 1,
    }
}

fn joint_of(rest: &str) -> Option<usize> {
    /// A joint never needs more.
    const JOINT_MAX: usize = 2;
    if rest.is_empty() {
        return Some(0);
    }
    let count = rest.strip_prefix(" (joint ")?.strip_suffix(')')?.parse().ok()?;
    (1..=JOINT_MAX).contains(&count).then_some(count)
}

fn newlines_before(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or_default();
    before.len() - before.trim_end_matches('\n').len()
}
