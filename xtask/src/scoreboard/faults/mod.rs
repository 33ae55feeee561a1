//! Faults that can be put into a captured machine, each one thing, and what must be said of it then.

mod arc;
mod disks;
mod l2arc;
mod memory;
mod pool;
mod settings;
mod writes;

use super::edit::{Edit, Editor};

/// One fault.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    /// Its name on the page.
    pub(super) name: &'static str,
    /// Puts it into the texts of a machine.
    pub(super) put: fn(&mut Editor) -> Edit,
    /// Findings that must appear; after a tilde, one that calls for no change.
    pub(super) must: &'static [&'static str],
    /// Findings that may appear besides: what follows from it.
    pub(super) may: &'static [&'static str],
    /// Findings that must not: the wrong answer to it.
    pub(super) never: &'static [&'static str],
    /// Words that must be said.
    pub(super) says: &'static [&'static str],
    /// Words that would be harmful in a remedy.
    pub(super) forbidden: &'static [&'static str],
}

impl Fault {
    /// A fault without anything to say of it yet.
    const fn of(name: &'static str, put: fn(&mut Editor) -> Edit) -> Self {
        Self { name, put, must: &[], may: &[], never: &[], says: &[], forbidden: &[] }
    }

    const fn must(self, must: &'static [&'static str]) -> Self {
        Self { must, ..self }
    }

    const fn may(self, may: &'static [&'static str]) -> Self {
        Self { may, ..self }
    }

    const fn never(self, never: &'static [&'static str]) -> Self {
        Self { never, ..self }
    }

    const fn says(self, says: &'static [&'static str]) -> Self {
        Self { says, ..self }
    }

    const fn forbidden(self, forbidden: &'static [&'static str]) -> Self {
        Self { forbidden, ..self }
    }
}

/// Returns all faults.
pub(super) fn all() -> impl Iterator<Item = &'static Fault> {
    let families: [&[Fault]; 7] = [
        &pool::FAULTS,
        &arc::FAULTS,
        &memory::FAULTS,
        &l2arc::FAULTS,
        &writes::FAULTS,
        &disks::FAULTS,
        &settings::FAULTS,
    ];
    families.into_iter().flatten()
}
