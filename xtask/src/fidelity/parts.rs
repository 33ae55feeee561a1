//! The parts of a case: what differs from the others is said, and the text is made of all of them.

use std::fmt::Write as _;

/// Parts of a scenario.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) cpu: &'a str,
    pub(super) pool: &'a str,
    pub(super) arc_mib: u64,
    pub(super) recordsize: &'a str,
    /// `name: settings` of each arm.
    pub(super) arms: &'a [(&'a str, &'a str)],
    /// Name and MiB of each file.
    pub(super) files: &'a [(&'a str, u64)],
    /// Name and clients of each phase.
    pub(super) phases: &'a [(&'a str, String)],
}

/// Everything is run in a quarter of full scale: an ARC has thousands of blocks, or 256 where they are
/// of 1 MiB. With a tenth of that single blocks decide, as on no machine.
const SCALE: u64 = 4;
/// What most cases have: a processor that is never too little, an ARC of 1 GiB.
pub(super) const PLAIN: Parts<'_> = Parts {
    cpu: "nas-quad",
    pool: "",
    arc_mib: 1024,
    recordsize: "128KiB",
    arms: &[],
    files: &[],
    phases: &[],
};

pub(super) fn text(version: &str, parts: &Parts<'_>) -> String {
    let mut text = format!(
        "title = \"fidelity\"\nquestion = \"Is the model right?\"\n[system]\nzfs = \"{version}\"\n\
         os = \"linux\"\nmemory = \"{}MiB\"\ncpu = \"{}\"\n[system.pool]\n{}\n\
         recordsize = \"{}\"\n[system.tunables]\nzfs_arc_max = \"{}MiB\"\n",
        parts.arc_mib * 2,
        parts.cpu,
        parts.pool,
        parts.recordsize,
        parts.arc_mib,
    );
    for (name, settings) in parts.arms {
        // Writing into a string cannot fail.
        let _ = write!(text, "[[arm]]\nname = \"{name}\"\n{settings}\n");
    }
    for (name, mib) in parts.files {
        let _ = write!(text, "[[file]]\nname = \"{name}\"\nsize = \"{mib}MiB\"\n");
    }
    for (name, clients) in parts.phases {
        let _ = write!(text, "[[phase]]\nname = \"{name}\"\nclients = [{clients}]\n");
    }
    let _ = write!(text, "[lab]\nscale = {SCALE}\n");
    text
}

/// Returns phases as [`Parts`] have them: name and clients of each.
pub(super) fn phases<'a>(list: &[(&'a str, &str)]) -> Vec<(&'a str, String)> {
    list.iter().map(|(name, clients)| (*name, (*clients).to_owned())).collect()
}
