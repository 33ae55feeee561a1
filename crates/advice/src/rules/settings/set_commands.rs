//! Commands in a pasted text that set a property which costs safety or speed.
//!
//! Whether a command was run, or is advice, the text does not tell; what it does is known either way. Where the
//! property itself was read, the rules about it speak and this one is silent.

use arcwright_machine::SetCommand;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Level, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "what commands in the text set", judge };

/// What a value does.
struct Known {
    property: &'static str,
    value: &'static str,
    area: Area,
    does: &'static str,
    risk: &'static str,
}

const KNOWN: [Known; 4] = [
    Known {
        property: "sync",
        value: "disabled",
        area: Area::Safety,
        does: "Synchronous writes of databases, virtual machines and NFS clients are acknowledged before they are \
               stable, so that a power failure or a crash loses what was written in the last seconds. The pool itself \
               stays consistent; a guest's file system may not.",
        risk: "Synchronous writes wait again. Disabled is acceptable where all of the data can be recreated.",
    },
    Known {
        property: "primarycache",
        value: "none",
        area: Area::Arc,
        does: "The ARC keeps neither file data nor metadata of it: each read goes to a disk, a whole record however \
               small the read, and a write of a part of a record reads the rest of it first. Nothing of it enters the \
               L2ARC.",
        risk: "None to data.",
    },
    Known {
        property: "checksum",
        value: "off",
        area: Area::Safety,
        does: "Damage to file data is neither found nor repaired from another copy; metadata keeps its checksums.",
        risk: "None to data.",
    },
    Known {
        property: "redundant_metadata",
        value: "none",
        area: Area::Safety,
        does: "Metadata has no second copy: one bad sector may cost a directory or a file system where the pool has \
               no redundancy of its own.",
        risk: "None to data.",
    },
];

fn judge(view: &View<'_>) -> Judged {
    let found = view.machine.set_commands.iter().filter_map(|set| of_command(view, set));
    Ok(Verdict::found_or(found.collect(), Verdict::Silent))
}

fn of_command(view: &View<'_>, set: &SetCommand) -> Option<Finding> {
    let SetCommand { dataset, property, value } = set;
    let known = KNOWN.iter().find(|known| known.property == property && known.value == value)?;
    let is_read = dataset_state::named(view, dataset)
        .is_some_and(|dataset| dataset.properties.contains_key(property));
    (!is_read).then_some(())?;
    let title = format!("A command in the text sets {property}={value} on {dataset}");
    let mut finding = Finding::new("set-by-command", Severity::Note, known.area, title);
    finding.subject = Some(dataset.clone());
    finding.evidence = vec![Evidence::setting(format!("zfs set {property}"), value.clone())];
    finding.cause = format!("{} Whether the command was run, the text does not tell.", known.does);
    let name = format::shell(dataset);
    let mut remedy =
        changes::by_hand("see whether it is in force, and take it back unless that is meant", &[]);
    remedy.lasting =
        vec![format!("zfs get {property} {name}"), format!("zfs inherit {property} {name}")];
    remedy.undo = vec![format!("zfs set {property}={value} {name}")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("depends on whether it was run".to_owned());
    finding.risk = known.risk.to_owned();
    finding.confidence = Confidence {
        level: Level::Low,
        words: "a command, and not the property itself".to_owned(),
        span_ns: None,
        events: None,
    };
    finding.sources = lines(["zfsprops(7)"]);
    Some(finding)
}
