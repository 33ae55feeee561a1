//! What the names of vdevs tell: headings of classes, and how a group is built.

use crate::pool::{Class, Layout, Vdev};

/// Returns the class whose heading a word is.
pub(crate) fn class_of(word: &str) -> Option<Class> {
    match word.trim() {
        "logs" | "log" => Some(Class::Log),
        "cache" | "l2cache" => Some(Class::Cache),
        "special" => Some(Class::Special),
        "dedup" => Some(Class::Dedup),
        "spares" | "spare" => Some(Class::Spare),
        _ => None,
    }
}

/// Returns how a vdev of that name is built: `raidz2-0`, `draid1:4d:6c:1s-0`, `mirror-3`.
pub(crate) fn layout_of(name: &str) -> Layout {
    let kind = name.split(['-', ':']).next().unwrap_or_default();
    let parity = |kind: &str, start: &str| -> Option<u8> {
        match kind.strip_prefix(start)? {
            "" => Some(1),
            digits => digits.parse().ok().filter(|parity| (1..=3).contains(parity)),
        }
    };
    // A distributed spare is called `draid1-0-0`: three parts, and it is a leaf.
    let parts = name.split('-').count();
    match kind {
        "mirror" => Layout::Mirror,
        "replacing" | "spare" => Layout::Replacing,
        _ => match (parity(kind, "raidz"), parity(kind, "draid")) {
            (Some(parity), _) => Layout::Raidz { parity },
            (_, Some(parity)) if parts < 3 => Layout::Draid {
                parity,
                data: said(name, "d").and_then(|data| data.try_into().ok()),
                spares: said(name, "s").and_then(|spares| spares.try_into().ok()),
            },
            _ => Layout::Leaf,
        },
    }
}

/// Returns a number in the name of a dRAID vdev by its letter: 6 of `draid1:4d:6c:1s-0` for `c`.
fn said(name: &str, letter: &str) -> Option<usize> {
    name.split([':', '-']).find_map(|part| part.strip_suffix(letter)?.parse().ok())
}

/// Returns whether only a group is called so: `mirror-0`, `raidz1`; not a disk labelled `mirror-left`.
pub(crate) fn is_group(name: &str) -> bool {
    let numbered = name
        .rsplit_once('-')
        .is_none_or(|(_, number)| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()));
    numbered && layout_of(name) != Layout::Leaf
}

/// Returns why a group cannot have that many members: it lost a line, then.
pub(in crate::read) fn members_missing(
    name: &str,
    layout: Layout,
    members: usize,
) -> Option<String> {
    let least = match layout {
        Layout::Leaf => return None,
        Layout::Mirror | Layout::Replacing => 2,
        Layout::Raidz { parity } | Layout::Draid { parity, .. } => usize::from(parity) + 1,
    };
    // `draid1:4d:6c:1s-0` says how many there are: six.
    let said = said(name, "c").filter(|_| matches!(layout, Layout::Draid { .. }));
    let fits = said.map_or(members >= least, |said| said == members);
    let word = if members == 1 { "member" } else { "members" };
    (!fits).then(|| format!("{name} has {members} {word}: a line seems to be missing"))
}

/// Returns which group has the members of the next one too: its number is left out, and the members are
/// twice as many as elsewhere.
pub(super) fn swallowed(vdevs: &[Vdev]) -> Option<String> {
    const VDEVS_MAX: usize = 512;
    (vdevs.len() <= VDEVS_MAX).then_some(())?;
    let number = |vdev: &Vdev| -> Option<u64> { vdev.name.rsplit_once('-')?.1.parse().ok() };
    let known: Vec<u64> = vdevs.iter().filter_map(number).collect();
    vdevs.iter().filter(|vdev| vdev.layout != Layout::Leaf).find_map(|vdev| {
        let left_out = number(vdev)?.checked_add(1).filter(|next| !known.contains(next))?;
        let same = |other: &&Vdev| other.layout == vdev.layout && other.name != vdev.name;
        let fewest = vdevs.iter().filter(same).map(|other| other.children.len()).min()?;
        let later = known.iter().any(|number| *number > left_out);
        let twice = vdev.children.len() == fewest.checked_mul(2)?;
        let name = &vdev.name;
        (twice && later).then(|| {
            format!("{name} has twice as many members as others, and number {left_out} is missing")
        })
    })
}
