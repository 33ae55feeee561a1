//! Small blocks that take far more room than what is in them.
//!
//! A block is stored in whole sectors, on raidz with parity of its own, filled up to a multiple of parity + 1 sectors
//! (module/zfs/vdev_raidz.c, `vdev_raidz_asize`). What that costs a block of 128 KiB is taken off again where ZFS
//! counts (`vdev_deflate_ratio`), so that large ones count as what they hold and small ones as more:
//!
//! ```text
//! raidz2 of six, 4 KiB sectors   data   parity   filled up   counted, per byte held
//!   block of 128 KiB              32      16         0               1.0
//!   block of 8 KiB                 2       2         2               2.0
//!   block of 512 B                 1       2         0              16
//! ```

use arcwright_machine::Dataset;
use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state::{property, size};
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether small blocks take far more room", judge };

/// What is taken per byte held, from which it is worth a sentence.
const TIMES: f64 = 1.5;
/// Larger blocks lose little.
const BLOCK_MAX: u64 = 16 << 10;
/// Less is nobody's question.
const HELD_MIN: u64 = 10 << 30;
/// Every block may be stored so often (zfsprops(7) copies).
const COPIES_MAX: u64 = 3;
/// Datasets that are named.
const NAMED_MAX: usize = 4;

/// A dataset whose blocks take far more than they hold.
struct Padded<'a> {
    dataset: &'a Dataset,
    /// The property that says how large blocks are, and its bytes.
    block: (&'static str, u64),
    taken: u64,
    held: u64,
    times: f64,
    /// Whether it was read how often each block is stored.
    knows_copies: bool,
}

fn judge(view: &View<'_>) -> Judged {
    let mut all: Vec<Padded<'_>> = view.machine.datasets.iter().filter_map(padded).collect();
    all.sort_by_key(|padded| std::cmp::Reverse(padded.taken));
    let findings = all.iter().take(NAMED_MAX).map(finding).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn padded(dataset: &Dataset) -> Option<Padded<'_>> {
    let of = |name| Some((name, size(dataset, name)?));
    let block = of("volblocksize").or_else(|| of("recordsize"))?;
    let both = |taken, held| Some((size(dataset, taken)?, size(dataset, held)?));
    // USED holds what is reserved and not written too.
    let (taken, held) = both("referenced", "logicalreferenced")
        .or_else(|| {
            let is_bare =
                !matches!(property(dataset, "refreservation"), Some(set) if set != "none");
            both("used", "logicalused").filter(|_| is_bare)
        })
        // No volume holds more than its size.
        .or_else(|| both("referenced", "volsize"))?;
    let copies = property(dataset, "copies").map(|text| text.parse::<u64>().ok());
    let knows_copies = copies.is_some();
    // One that was not read may be any; hardly anybody stores a volume's blocks twice.
    let copies = match copies {
        Some(copies) => copies?,
        None if block.0 == "volblocksize" => 1,
        None => COPIES_MAX,
    };
    let times = taken as f64 / held as f64;
    let is_much = times >= TIMES * copies as f64;
    let fits = block.1 <= BLOCK_MAX && held >= HELD_MIN && is_much;
    fits.then_some(Padded { dataset, block, taken, held, times, knows_copies })
}

fn finding(padded: &Padded<'_>) -> Finding {
    let Padded { dataset, block: (property, block), taken, held, times, knows_copies } = padded;
    let name = &dataset.name;
    let title = format!(
        "{name} takes {times:.1} times what is stored in it: its blocks of {} are too small for the pool",
        Bytes(*block)
    );
    let mut finding =
        Finding::new("small-blocks-padded", Severity::WorthALook, Area::Layout, title);
    finding.subject = Some(name.clone());
    let row = |what: &str, bytes: u64| Evidence {
        exact: Some(bytes),
        ..Evidence::now(format!("{name}: {what}"), Bytes(bytes).to_string())
    };
    finding.evidence = vec![row(property, *block), row("taken", *taken), row("stored", *held)];
    finding.cause = "Each block takes whole sectors, and on raidz parity sectors of its own and some to fill up; \
                     larger blocks share them. Snapshots and compression do not explain it: both sums are of the \
                     same blocks."
        .to_owned();
    if !knows_copies {
        finding.cause +=
            " How often each block is stored (copies) was not read; it is taken to be once.";
    }
    let shown = format::shell(name);
    let (what, commands) = match *property {
        "volblocksize" => (
            "make a new volume with larger blocks and copy the contents block by block: a volume keeps its block \
             size for life, and zfs send keeps it too",
            vec![
                format!(
                    "zfs create -s -V SIZE -o volblocksize=16K {shown}-new   # 64K on a wide raidz"
                ),
                format!(
                    "dd if=/dev/zvol/{shown} of=/dev/zvol/{shown}-new bs=1M status=progress   # while unused"
                ),
            ],
        ),
        _ => (
            "set a larger recordsize and write the files anew; mirrors lose least where small records are needed",
            vec![format!("zfs set recordsize=64K {shown}   # for what is written from now on")],
        ),
    };
    finding.remedy = Some(changes::by_hand(what, &commands));
    finding.gain = Gain::NotEstimated("space, not speed".to_owned());
    finding.cost = "Room for a second copy meanwhile; writes smaller than a block become reads and writes of a whole one."
        .to_owned();
    finding.risk = "None, if the old one stays until the copy was checked.".to_owned();
    finding.confidence = Confidence::read("zfs get");
    finding.sources = lines([
        "module/zfs/vdev_raidz.c, vdev_raidz_asize",
        "zfsprops(7) volblocksize, recordsize",
    ]);
    finding
}

#[cfg(test)]
mod tests {
    use arcwright_machine::Dataset;

    use super::padded;

    /// Checks whether a dataset of these properties takes far more than it holds.
    fn check(properties: &[(&str, &str)], expected: bool) {
        let owned = |(name, value): &(&str, &str)| {
            ((*name).to_owned(), ((*value).to_owned(), "-".to_owned()))
        };
        let dataset = Dataset {
            name: "tank/v".to_owned(),
            properties: properties.iter().map(owned).collect(),
        };
        assert_eq!(padded(&dataset).is_some(), expected, "{properties:?}");
    }

    #[test]
    fn only_small_blocks_that_take_more_than_copies_explain_are_found() {
        let of = |block, used, held, copies| {
            [("volblocksize", block), ("used", used), ("logicalused", held), ("copies", copies)]
        };
        check(&of("8K", "200G", "100G", "1"), true);
        check(&of("8K", "140G", "100G", "1"), false);
        check(&of("8K", "200G", "100G", "2"), false);
        check(&of("128K", "200G", "100G", "1"), false);
        check(&of("8K", "2G", "1G", "1"), false);
        // Nothing tells how often each block is stored; a volume's blocks are hardly ever stored twice.
        check(&[("recordsize", "8K"), ("used", "200G"), ("logicalused", "100G")], false);
        check(&[("volblocksize", "8K"), ("used", "200G"), ("logicalused", "100G")], true);
        // A volume holds no more than its size.
        check(&[("volblocksize", "8K"), ("referenced", "20.3G"), ("volsize", "10G")], true);
        check(&[("volblocksize", "8K"), ("used", "20.3G"), ("volsize", "10G")], false);
        check(&[("volblocksize", "512"), ("used", "2T"), ("logicalused", "239G")], true);
        // What is reserved is not written.
        let reserved = [("refreservation", "200G")];
        check(&[&of("8K", "200G", "100G", "1")[..], &reserved].concat(), false);
    }
}
