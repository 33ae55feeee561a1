//! What was read, in figures: what a person wants to see of a machine before anything is judged.
//!
//! ```text
//!   counters, settings, layout ──> one line for each thing: the ARC, its hits, a pool, its I/O, a log device
//! ```
//!
//! Nothing here judges. A line says what was read and what follows from it by division alone; what was not
//! read has no line, and its part is left out of a line that has others.

mod caches;
mod datasets;
mod drives;
mod io;
mod pools;
mod scan;
mod settings;
mod values;

use arcwright_machine::SetCommand;
use serde::Serialize;

use crate::finding::Evidence;
use crate::rules::{label_evidence, timing_evidence};
use crate::view::View;

pub(crate) use values::of as values;

/// Something that was read, in figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Fact {
    /// What it is about: `ARC`, `tank`, `log nvme0n1`.
    pub about: String,
    /// What was read of it.
    pub says: String,
}

impl Fact {
    fn new(about: impl Into<String>, says: impl Into<String>) -> Self {
        Self { about: about.into(), says: says.into() }
    }

    /// Returns a line of those parts that were read; none where none was.
    fn of_parts(
        about: impl Into<String>,
        parts: impl IntoIterator<Item = Option<String>>,
    ) -> Option<Self> {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| Self::new(about, parts.join("; ")))
    }
}

/// Labels that are listed.
const LABELS_MAX: usize = 16;

/// Returns all that was read, caches first, then each pool with its devices, then what somebody timed.
pub(crate) fn of(view: &View<'_>) -> Vec<Fact> {
    let mut facts = caches::of(view);
    for pool in &view.machine.pools {
        facts.extend(pools::of(view, pool));
        facts.extend(io::of(view, pool));
    }
    facts.extend(io::of_devices(view));
    facts.extend(drives::of(view));
    let labels = view.machine.labels.iter().take(LABELS_MAX).map(label_evidence);
    facts.extend(labels.map(|Evidence { name, value, .. }| Fact::new(name, value)));
    facts.extend(datasets::of(view));
    facts.extend(settings::of(view));
    facts.extend(
        view.machine.typed.iter().map(|typed| Fact::new("typed in the text", typed.as_str())),
    );
    facts.extend(view.machine.set_commands.iter().map(|set| {
        let SetCommand { dataset, property, value } = set;
        Fact::new(
            format!("zfs set {property}"),
            format!("{value} on {dataset}, by a command in the text"),
        )
    }));
    facts.extend(
        timing_evidence(view)
            .into_iter()
            .map(|Evidence { name, value, .. }| Fact::new(name, value)),
    );
    facts
}
