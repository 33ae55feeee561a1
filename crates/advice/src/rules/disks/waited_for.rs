//! Programs wait for disks: most of the processors' time there is nothing else to do.
//!
//! `top` of Linux counts as `wa` the time in which a processor has nothing to do while tasks that last ran on it wait for
//! a disk, and tasks that wait so count into the load. Which device they wait for it does not tell, nor whether a file
//! system of ZFS is meant; the other side, a small share, proves nothing: tasks that wait inside ZFS may not count.

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether programs wait for disks", judge };

/// Percent of all processors' time: more waiting than everything else together.
const MUCH: f64 = 50.0;
/// Tasks below which a single one that reads a file shows as much on a small machine.
const LOAD_MIN: f64 = 4.0;

fn judge(view: &View<'_>) -> Judged {
    let top = &view.machine.top;
    let (Some(waiting), Some(load)) = (top.waiting_percent, top.load) else {
        return Ok(Verdict::Silent);
    };
    if waiting < MUCH || load < LOAD_MIN {
        return Ok(Verdict::Silent);
    }
    let title = format!(
        "Programs wait for disks: {waiting:.0} % of the processors' time, with a load of {load:.0}"
    );
    let mut finding = Finding::new("programs-wait", Severity::WorthALook, Area::Disks, title);
    finding.evidence = vec![
        Evidence::now("waiting for disks (wa)", format!("{waiting:.1} %")),
        Evidence::now("load", format!("{load:.2}")),
    ];
    finding.cause = "The processors are mostly free, and tasks wait for reads or writes: the disks, or one of them, \
                     are the limit. Which one, and whether it is slow or has too much to do, top does not tell."
        .to_owned();
    let mut remedy = changes::by_hand(
        "see which device takes long, and whether requests wait for it or in front of it",
        &lines([
            "zpool iostat -vl 5   # disk_wait of each device; the first table is since the import",
        ]),
    );
    remedy.verify = lines(["top -bn2 | grep Cpu   # the second line"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("depends on which device it is".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::fair("top, at one moment");
    finding.sources = lines(["proc(5) /proc/stat, iowait", "zpool-iostat(8) -l"]);
    Ok(Verdict::one(finding))
}
