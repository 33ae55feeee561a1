//! All disks of a pool busy nearly all of the time, as `iostat -x` or `gstat` tell.
//!
//! Busy means that there was a request. A turning disk serves one at a time, so that it can do no more when
//! it is busy all the time; flash serves many at once, so of flash it says nothing. Of a table without a pool one
//! disk counts that has all of the load. Over all the time since
//! the machine was started no disk is that busy: such a report does not tell what happens now.

use arcwright_machine::{Class, DeviceTable, DriveKind, Pool};

use super::device_table::{self, Disk, Group};
use crate::changes;
use crate::drives::leaves_of;
use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::disk_state::positive;
use crate::rules::pool_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether all disks are busy all the time", judge };

/// Busy for so much of an interval, a disk has a request nearly always.
const BUSY_PCT: f64 = 90.0;
/// A disk of no known kind turns when its requests take this long: half a turn, a seek, some waiting.
const TURNS_NS: u64 = 10_000_000;
/// A disk of no known kind that has all of the load turns, or is as slow, when it takes so long for each request.
const EACH_NS: f64 = 2e6;
/// One disk alone of no known pool is no story.
const STRANGERS_MIN: usize = 2;
/// More disks than this are not listed.
const LISTED_MAX: usize = 24;

fn judge(view: &View<'_>) -> Judged {
    let Some(table) = &view.machine.device_table else { return Ok(Verdict::Silent) };
    let not_read = |words: String| Err(NotJudged::NotRead(words));
    match table.since_boot {
        Some(false) => {}
        Some(true) => {
            return not_read(format!(
                "how busy disks are now was not read: the first report of {} counts since the \
                 machine was started (iostat -x 10 2)",
                table.program
            ));
        }
        None => {
            return not_read(format!("over which time {} counted was not read", table.program));
        }
    }
    let (groups, mut open) = device_table::groups((view.machine, table), data_disks);
    let mut findings = Vec::new();
    for group in &groups {
        if let Some(disk) = alone(view, group) {
            let group = Group { pool: None, disks: vec![*disk] };
            let title =
                format!("All of the load is on {}, which is busy nearly all the time", disk.name);
            findings.push(finding(table, &group, title));
            continue;
        }
        for part in families(group) {
            match is_saturated(view, &part) {
                Ok(true) => findings.push(finding(table, &part, title(table, group, &part))),
                Ok(false) => {}
                Err(why) => open = Some(why),
            }
        }
    }
    Verdict::of_all(findings, open, Verdict::Silent)
}

/// Returns a pool's disks as they are, and those of no known pool by their drivers: an SSD that is idle says nothing of
/// the disks beside it.
fn families<'a>(group: &Group<'a>) -> Vec<Group<'a>> {
    let mut parts: Vec<(&str, Group<'a>)> = Vec::new();
    for disk in &group.disks {
        let family = if group.pool.is_some() { "" } else { device_table::family(&disk.io.name) };
        match parts.iter_mut().find(|(known, _)| *known == family) {
            Some((_, part)) => part.disks.push(*disk),
            None => parts.push((family, Group { pool: group.pool, disks: vec![*disk] })),
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Returns the one disk of a table without a pool that did anything, if it can do no more.
fn alone<'a, 'b>(view: &View<'_>, group: &'b Group<'a>) -> Option<&'b Disk<'a>> {
    let ops = |disk: &Disk<'_>| positive(disk.io.ops_per_s());
    let mut at_work = group.disks.iter().filter(|disk| ops(disk).is_none_or(|ops| ops > 0.0));
    let disk =
        at_work.next().filter(|_| group.pool.is_none() && group.disks.len() >= STRANGERS_MIN)?;
    let busy = positive(disk.io.busy_pct).filter(|busy| *busy >= BUSY_PCT)?;
    let each = busy / 100.0 * 1e9 / ops(disk)?;
    let turns = match device_table::kind(view.machine, disk) {
        Some(kind) => kind == DriveKind::Hdd,
        None => turns(disk) || each >= EACH_NS,
    };
    (at_work.next().is_none() && turns).then_some(disk)
}

fn data_disks(pool: &Pool) -> Vec<Vec<&str>> {
    let names = leaves_of(pool, Class::Data).into_iter().map(|leaf| leaf.name.as_str());
    vec![names.collect()]
}

/// Returns whether all disks are turning ones that can do no more.
fn is_saturated(view: &View<'_>, group: &Group<'_>) -> Result<bool, NotJudged> {
    let enough = if group.pool.is_some() { 1 } else { STRANGERS_MIN };
    if group.disks.len() < enough {
        return Ok(false);
    }
    let mut unknown: Option<String> = None;
    for disk in &group.disks {
        let Some(busy) = positive(disk.io.busy_pct) else {
            unknown.get_or_insert_with(|| format!("how busy {} is was not read", disk.name));
            continue;
        };
        if busy < BUSY_PCT {
            return Ok(false);
        }
        match device_table::kind(view.machine, disk) {
            Some(DriveKind::Hdd) => {}
            Some(DriveKind::Ssd | DriveKind::Nvme | DriveKind::Virtual) => return Ok(false),
            None if turns(disk) => {}
            None => {
                let words = || format!("whether {} is flash was not read (lsblk)", disk.name);
                unknown.get_or_insert_with(words);
            }
        }
    }
    unknown.map_or_else(|| Ok(true), |words| Err(NotJudged::NotRead(words)))
}

/// Returns whether requests take as long as those of a turning disk.
fn turns(disk: &Disk<'_>) -> bool {
    let waits = [disk.io.read_wait_ns, disk.io.write_wait_ns, disk.io.wait_ns];
    waits.into_iter().flatten().any(|wait| wait >= TURNS_NS)
}

fn title(table: &DeviceTable, group: &Group<'_>, part: &Group<'_>) -> String {
    if part.disks.len() < group.disks.len() {
        let names: Vec<String> = part.disks.iter().map(|disk| disk.name.to_owned()).collect();
        return format!("{} are busy nearly all the time", format::list(&names));
    }
    let whose = match group.pool {
        Some(pool) => format!("of {}", pool.name),
        None => format!("in the table of {}", table.program),
    };
    format!("All disks {whose} are busy nearly all the time")
}

fn finding(table: &DeviceTable, group: &Group<'_>, title: String) -> Finding {
    let mut finding = Finding::new("disks-saturated", Severity::WorthALook, Area::Disks, title);
    finding.subject = group.pool.map(|pool| pool.name.clone());
    let listed = group.disks.iter().take(LISTED_MAX);
    finding.evidence = listed.map(|disk| device_table::evidence(table, disk)).collect();
    finding.cause = "A turning disk serves one request at a time. With one at hand nearly always, \
                     it can do no more: further requests only wait longer, whatever the queues are \
                     set to. Many small requests mean that seeks take the time, few large ones that \
                     the disks stream."
        .to_owned();
    let scanned = group.pool.filter(|pool| pool_state::scan(pool) != pool_state::Scan::Idle);
    if let Some(pool) = scanned {
        let words =
            format!(" {} is scrubbed or resilvered now, which keeps disks busy.", pool.name);
        finding.cause.push_str(&words);
    }
    let mut remedy = changes::by_hand(
        "find out who reads and writes, and whether that is meant: a backup, a scan of all files, \
         a scrub. If this is the usual load, only fewer requests (see the findings on the ARC and \
         on metadata) or more vdevs help",
        &[],
    );
    remedy.verify = lines(["zpool iostat -rly 10 1", "iostat -x 10 2"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("depends on the way chosen".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = device_table::confidence(table);
    finding.sources = lines(["iostat(1), %util", "iostat(8), %b", "gstat(8), %busy"]);
    finding
}
