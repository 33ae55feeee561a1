//! Transaction groups that stood still so long that the kernel reported the task that writes them.
//!
//! `txg_sync` writes each transaction group and waits for the devices (module/zfs/txg.c, dsl_pool.c). The
//! kernel reports a task that has not run for `hung_task_timeout_secs` (120 s; kernel/hung_task.c). Then
//! some I/O below has not come back, or came back very late: all that needs a group on disk waits behind
//! it. Other tasks, of ZFS or of programs, wait in its train and say no more. Which device it is, and
//! whether anything is damaged, such a line does not tell.

use arcwright_machine::HungTask;
use arcwright_units::Nanos;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state::{self, SUSPENDED};
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether tasks of ZFS stood still", judge };

/// What writes transaction groups; all else that waits, waits for it or for a disk.
const WRITERS: [&str; 2] = ["txg_sync", "txg_quiesce"];
/// Tasks that are shown.
const SHOWN_MAX: usize = 8;

fn judge(view: &View<'_>) -> Judged {
    let hung = &view.machine.hung;
    let writer = hung.iter().find(|task| WRITERS.contains(&task.name.as_str()));
    let Some(writer) = writer else {
        let waiting: Vec<&HungTask> = hung.iter().filter(|task| task.in_zfs).collect();
        let finding = Some(&waiting).filter(|all| !all.is_empty()).map(|all| of_tasks(all));
        return Ok(Verdict::found_or(finding.into_iter().collect(), Verdict::Silent));
    };
    let suspended: Vec<String> = view
        .machine
        .pools
        .iter()
        .filter(|pool| pool_state::state(view, pool) == Some(SUSPENDED))
        .map(|pool| pool.name.clone())
        .collect();
    Ok(Verdict::found_or(vec![finding(view, writer, &suspended)], Verdict::Silent))
}

/// What frees memory when there is little of it left (mm/vmscan.c).
const RECLAIM: &str = "kswapd";

/// Returns what is to be said where programs waited inside ZFS, and none of the tasks that write was reported.
fn of_tasks(waiting: &[&HungTask]) -> Finding {
    let names: Vec<String> = waiting.iter().take(SHOWN_MAX).map(|task| task.name.clone()).collect();
    let longest = waiting.iter().fold(Nanos::ZERO, |longest, task| longest.max(task.waited));
    let title = format!(
        "{} waited {} inside ZFS: find out what for",
        format::list(&names),
        how_long(longest)
    );
    let mut finding = Finding::new("tasks-hung", Severity::WorthALook, Area::Disks, title);
    finding.evidence = waiting.iter().take(SHOWN_MAX).map(|task| row(task)).collect();
    let reclaim = waiting.iter().any(|task| task.name.starts_with(RECLAIM));
    finding.cause = match reclaim {
        true => "The kernel's task that frees memory waits for a transaction group of ZFS, which \
                 itself needs memory. That is how a machine locks up whose swap is on a volume of \
                 ZFS; it happens, more seldom, when memory is very short without one."
            .to_owned(),
        false => "They wait for a transaction group, for a lock or for a read. Mostly the disks \
                  are far too slow for what is written, or one of them does not answer; the lines \
                  tell neither which nor whether they still wait."
            .to_owned(),
    };
    let mut commands = vec![
        "dmesg -T | grep -iE 'error|reset|timeout|nvme|ata|sd |zio'   # before the first report"
            .to_owned(),
        "zpool status -s   # errors, slow I/Os, a suspended pool".to_owned(),
        "zpool iostat -vly 5 3   # a device whose disk_wait stands out".to_owned(),
    ];
    let mut what = "look at the log just before the first report and at each device of the pool; \
                    change no setting of ZFS before that"
        .to_owned();
    if reclaim {
        commands.insert(0, "swapon --show   # a device /dev/zd… is a volume of ZFS".to_owned());
        what =
            "see whether swap is on a volume of ZFS, and move it to a partition if so; else see \
                what takes the memory, and look at the devices of the pool"
                .to_owned();
    }
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = lines(["dmesg -T | grep 'blocked for more than'   # no new reports"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("how long programs stand still is not counted".to_owned());
    finding.cost = "None but the time to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("the given lines of the kernel log");
    finding.sources = lines(["kernel/hung_task.c", "openzfs issue 7734"]);
    finding.sources.truncate(if reclaim { 2 } else { 1 });
    finding
}

/// Says how long a task waited; the first line of a report, which tells it, may be missing.
fn how_long(waited: Nanos) -> String {
    match waited {
        Nanos::ZERO => "until the kernel reported it".to_owned(),
        waited => format!("for more than {waited}"),
    }
}

fn row(task: &HungTask) -> Evidence {
    Evidence {
        exact: Some(task.waited.0).filter(|waited| *waited > 0),
        ..Evidence::now(
            format!("task {}", task.name),
            format!("waited {}, {} reports", how_long(task.waited), format::count(task.reports)),
        )
    }
}

fn finding(view: &View<'_>, writer: &HungTask, suspended: &[String]) -> Finding {
    let title = format!(
        "{} waited {}: I/O below ZFS did not come back",
        writer.name,
        how_long(writer.waited)
    );
    let mut finding = Finding::new("txg-sync-hung", Severity::HurtsNow, Area::Disks, title);
    let others = view.machine.hung.iter().filter(|task| task.name != writer.name);
    finding.evidence = std::iter::once(writer).chain(others).take(SHOWN_MAX).map(row).collect();
    finding.cause = match suspended {
        [] => "It writes the transaction groups and waits for the devices; whatever needs a group \
               on disk waits behind it. A disk, its cable, the controller or its driver did not \
               answer, or is far too slow for what was written. The line tells neither which \
               device it is nor whether it still waits."
            .to_owned(),
        pools => format!(
            "{} is suspended: until its devices are back, all that writes to it waits.",
            format::list(pools)
        ),
    };
    let commands = [
        "dmesg -T | grep -iE 'error|reset|timeout|nvme|ata|sd |zio'   # before the first report"
            .to_owned(),
        "zpool status -s   # errors, slow I/Os, a suspended pool".to_owned(),
        "zpool iostat -vly 5 3   # a device whose disk_wait stands out".to_owned(),
    ];
    let mut remedy = changes::by_hand(
        "look at the log just before the first report and at each device of the pool: errors, \
         resets, waits; change no setting of ZFS before that",
        &commands,
    );
    remedy.verify = lines(["dmesg -T | grep 'blocked for more than'   # no new reports"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("how long writes stand still is not counted".to_owned());
    finding.cost = "None but the time to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("the given lines of the kernel log");
    finding.sources = lines(["module/zfs/txg.c", "kernel/hung_task.c", "zpool-iostat(8) -l"]);
    finding
}
