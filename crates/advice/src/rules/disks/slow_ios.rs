//! I/Os that took half a minute.
//!
//! From 0.8 on ZFS counts for each leaf the I/Os that took longer than `zio_slow_io_ms`, 30 s unless
//! set (module/zfs/zio.c, `zio_done`; `zpool status -s`). Any disk that is well answers in less than a
//! second, so one such I/O is a disk in its error recovery, a cable, or a controller that resets.

use arcwright_machine::{Class, Pool, Vdev};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether I/Os took very long", judge };

/// As many are no accident of a spin-up or a loose plug.
const MANY: u64 = 10;

fn judge(view: &View<'_>) -> Judged {
    let mut findings = Vec::new();
    let mut evidence = Vec::new();
    let mut whole = true;
    for pool in view.told()? {
        let told = pool_state::told(pool);
        let counted: Vec<(Class, &Vdev, u64)> =
            told.iter().filter_map(|(class, leaf)| Some((*class, *leaf, leaf.slow_ios?))).collect();
        let vital = |(class, _): &(Class, &Vdev)| *class != Class::Spare;
        let all = told.iter().filter(|leaf| vital(leaf)).count();
        whole &= pool.strays.is_empty();
        whole &= counted.iter().filter(|(class, _, _)| *class != Class::Spare).count() == all;
        if !counted.is_empty() {
            evidence.push(Evidence::now(format!("{}: slow I/Os", pool.name), "0"));
        }
        let slow: Vec<(&Vdev, u64)> = counted
            .into_iter()
            .filter(|(class, _, count)| *count > 0 && *class != Class::Spare)
            .map(|(_, leaf, count)| (leaf, count))
            .collect();
        if !slow.is_empty() {
            findings.push(finding(view, pool, &slow));
        }
    }
    if findings.is_empty() && (evidence.is_empty() || !whole) {
        return Err(NotJudged::NotRead("slow I/Os were not read (zpool status -s)".to_owned()));
    }
    Ok(Verdict::found_or(findings, Verdict::fine("No I/O took very long", evidence)))
}

fn finding(view: &View<'_>, pool: &Pool, slow: &[(&Vdev, u64)]) -> Finding {
    let names: Vec<String> = slow.iter().map(|(leaf, _)| leaf.name.clone()).collect();
    let most = slow.iter().map(|(_, count)| *count).max();
    let limit = view.parameter("zio_slow_io_ms").map(|held| held.value);
    let long = limit.map_or_else(
        || "longer than zio_slow_io_ms".to_owned(),
        |limit| format!("longer than {} s", limit as f64 / 1000.0),
    );
    let title = format!("I/Os of {} took {long}: {}", pool.name, format::list(&names));
    let severity = match most {
        Some(most) if most >= MANY => Severity::HurtsNow,
        _ => Severity::WorthALook,
    };
    let mut finding = Finding::new("slow-ios", severity, Area::Disks, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = slow
        .iter()
        .map(|(leaf, count)| Evidence {
            exact: Some(*count),
            ..Evidence::now(format!("{}: slow I/Os", leaf.name), format::count(*count))
        })
        .collect();
    finding.evidence.extend(view.settings(["zio_slow_io_ms"]));
    finding.cause = match slow.len() {
        1 => {
            "A healthy disk answers within a second, however busy it is. One that takes this long \
             retries reads internally, or its link was reset; every program that needs it waits as \
             long."
                .to_owned()
        }
        _ => "Healthy disks answer within a second, however busy they are. When several take this \
              long, suspect first the shared controller, its driver or the power; then disks with \
              shingled recording (SMR)."
            .to_owned(),
    };
    let mut commands: Vec<String> =
        slow.iter().take(2).map(|(leaf, _)| pool_state::smart(view, &leaf.name)).collect();
    commands.push("zpool events -v | grep -A 20 zio.delay   # 0.8 on: when, and which".to_owned());
    let mut remedy = changes::by_hand(
        "check the disk's SMART values, its cable and the kernel log for resets; replace it if it \
         continues",
        &commands,
    );
    remedy.verify = vec![format!("zpool status -s {}", format::shell(&pool.name))];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("each such I/O makes a program wait that long".to_owned());
    finding.cost = "Perhaps a disk.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("zpool status -s, since the pool was imported");
    finding.sources =
        lines(["module/zfs/zio.c, zio_done", "zfs(4) zio_slow_io_ms", "zpool-status(8) -s"]);
    finding
}
