//! fio wrote pieces smaller than the records that they are parts of.
//!
//! A file of more than one record has records of `recordsize`. To write a part of one that is not in memory, ZFS
//! reads it whole first, and writes it whole afterwards, so that a benchmark of small writes measures that
//! (zfsprops(7) recordsize; module/zfs/dmu.c, `dmu_buf_hold_array_by_dnode`).

use arcwright_machine::{Dataset, Timing};
use arcwright_units::Bytes;

use crate::changes;
use crate::config::number;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether fio wrote parts of records", judge };

fn judge(view: &View<'_>) -> Judged {
    let found = view.machine.timings.iter().filter_map(|timing| of_timing(view, timing));
    let mut findings: Vec<Finding> = Vec::new();
    for finding in found {
        if !findings.iter().any(|known| known.title == finding.title) {
            findings.push(finding);
        }
    }
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn of_timing(view: &View<'_>, timing: &Timing) -> Option<Finding> {
    let is_write = timing.program == "fio" && timing.is_write == Some(true);
    let request = timing.request.filter(|_| is_write)?;
    let dataset = dataset_of(view, timing.place.as_deref()?)?;
    let record = dataset_state::property(dataset, "recordsize").and_then(number)?;
    if request.0 == 0 || request.0 >= record {
        return None;
    }
    let name = &dataset.name;
    let title = format!(
        "fio wrote {request} at a time into {name}, whose records are {}: each write may read and rewrite a whole record",
        Bytes(record)
    );
    let mut finding = Finding::new("fio-record-size", Severity::Note, Area::Layout, title);
    finding.subject = Some(name.clone());
    finding.evidence = vec![
        Evidence::exactly("fio: block size", request.0, request.to_string()),
        Evidence::setting(format!("{name}: recordsize"), Bytes(record).to_string()),
    ];
    finding.cause = format!(
        "A record that is not in memory is read before a part of it can be changed, and it is written whole: up to {} \
         times what fio wrote. A result of that is one of this setting, not of the disks. Files of less than one record, \
         and writes in a row that fill records before they leave memory, are not concerned.",
        record.div_euclid(request.0)
    );
    let path = format::shell(name);
    let mut remedy = changes::by_hand(
        "if programs write pieces of this size, try it in a dataset with such records; else let fio write what \
         programs write",
        &[],
    );
    remedy.lasting = vec![format!(
        "zfs create -o recordsize={} {path}-trial   # and run fio there, with a new file",
        request.0.max(512).next_power_of_two()
    )];
    remedy.undo = vec![format!("zfs destroy {path}-trial   # the trial alone")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("fio's own result in such a dataset tells".to_owned());
    finding.cost = "Small records compress less and need more metadata.".to_owned();
    finding.risk = "None to data: the trial is a dataset of its own.".to_owned();
    finding.confidence = Confidence::read("the command of fio and the properties of the dataset");
    finding.sources = lines(["zfsprops(7) recordsize", "openzfs-docs, Workload Tuning"]);
    Some(finding)
}

/// Returns the dataset that a path is in: by its mountpoint, or by its name where that was not read.
fn dataset_of<'a>(view: &View<'a>, path: &str) -> Option<&'a Dataset> {
    let mount = |dataset: &Dataset| match dataset_state::property(dataset, "mountpoint") {
        Some(mount) => mount.to_owned(),
        None => format!("/{}", dataset.name),
    };
    let holds = |dataset: &&Dataset| {
        let mount = mount(dataset);
        let rest = path.strip_prefix(mount.trim_end_matches('/'));
        mount.starts_with('/') && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    view.machine.datasets.iter().filter(holds).max_by_key(|dataset| mount(dataset).len())
}
