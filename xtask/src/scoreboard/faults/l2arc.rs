//! The L2ARC: a device that fails, one that nobody reads from.

use super::Fault;
use super::arc::traffic;
use crate::scoreboard::edit::{Edit, Editor, Skip};

const ARC: &str = "zfs/arcstats";

pub(super) const FAULTS: [Fault; 2] = [
    Fault::of("the cache device fails checksums", |editor| {
        has_cache(editor)?;
        editor.counted(ARC, "l2_cksum_bad", 25_000)
    })
    .must(&["l2arc-errors"]),
    Fault::of("an L2ARC that nobody reads", worthless)
        .must(&["~l2arc-not-worth-it|l2arc-wear|l2arc-unneeded|l2arc-not-reread"])
        .may(&[
            "l2arc-unneeded",
            "l2arc-wear",
            "l2arc-not-reread",
            "l2arc-ineligible",
            "l2arc-warming",
        ]),
];

fn has_cache(editor: &Editor) -> Edit {
    let has = editor.pool()?.of_class(arcwright_machine::Class::Cache).count() > 0;
    has.then_some(()).ok_or_else(|| Skip("no cache device".to_owned()))
}

/// All that the ARC misses, which is next to nothing, the L2ARC misses too; and it writes all day.
fn worthless(editor: &mut Editor) -> Edit {
    has_cache(editor)?;
    traffic(editor, [9_000_000, 9_000], [900_000, 1_000], [0, 0])?;
    editor.counted(ARC, "l2_hits", 40)?;
    editor.counted(ARC, "l2_misses", 9_960)?;
    editor.counted(ARC, "l2_write_bytes", 400 << 20)?;
    editor.counted(ARC, "l2_read_bytes", 3 << 20)
}
