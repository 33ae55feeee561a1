//! Plans from a machine at its defaults with one thing different.

use super::{Plan, Purpose};
use crate::sample::{running, running_with};
use crate::{HazardKind, RequestedSetting, Running, TuneError, Value};

fn plan(running: &Running, requests: &[&str]) -> Result<Plan, TuneError> {
    let requests: Result<Vec<RequestedSetting>, TuneError> =
        requests.iter().map(|text| RequestedSetting::parse(text, running)).collect();
    Plan::new(Purpose::Live, &requests?, running, &[])
}

/// Checks the steps, as `name=value`, and what is left out, as a part of its reason.
fn check(running: &Running, requests: &[&str], steps: &[&str], left_out: &[&str]) {
    let plan = plan(running, requests).unwrap();
    let got: Vec<String> =
        plan.steps.iter().map(|step| format!("{}={}", step.name, step.new)).collect();
    assert_eq!(got, steps, "{requests:?}");
    assert_eq!(plan.left_out.len(), left_out.len(), "{:?}", plan.left_out);
    for (left, part) in plan.left_out.iter().zip(left_out) {
        assert!(left.why.contains(part), "{left:?}");
    }
}

fn check_refused(running: &Running, requests: &[&str], part: &str) {
    let message = plan(running, requests).map(|_| ()).unwrap_err().to_string();
    assert!(message.contains(part), "{message}");
}

#[test]
fn what_is_so_already_needs_nothing() {
    let machine = running("2.3.2");
    check(&machine, &["zfetch_max_distance=64MiB"], &[], &["is 64 MiB already, the default"]);
    let set = running_with("2.3.2", "l2arc_noprefetch", "0");
    check(&set, &["l2arc_noprefetch=0"], &[], &["is 0 already"]);
}

#[test]
fn what_only_the_load_takes_is_left_out_live() {
    let machine = running("2.3.2");
    check(&machine, &["zfs_arc_average_blocksize=16KiB"], &[], &["when the module is loaded"]);
    let mut set = running_with("2.3.2", "zfs_arc_max", "4294967296");
    set.memory = None;
    check(&set, &["zfs_arc_max=0"], &[], &["cannot be undone live"]);
}

#[test]
fn a_zero_that_stands_for_a_default_is_reached_through_it() {
    let set = running_with("2.3.2", "zfs_arc_max", "4294967296");
    let plan = plan(&set, &["zfs_arc_max=default"]).unwrap();
    let step = plan.steps.first().unwrap();
    // 16 GiB less one, the default since 2.3.0.
    assert_eq!((&step.new, &step.through), (&Value::Number(0), &Some(Value::Number(15 << 30))));
    assert!(step.dangers.is_empty() && step.back_through.is_none());
    let back = super::Plan::new(
        Purpose::Live,
        &[RequestedSetting::parse("zfs_arc_max=4GiB", &running("2.3.2")).unwrap()],
        &running("2.3.2"),
        &[],
    );
    assert_eq!(back.unwrap().steps[0].back_through, Some(Value::Number(8 << 30)));
}

#[test]
fn what_may_be_written_counts_more_than_the_catalogue() {
    let mut machine = running("2.3.2");
    machine.parameters.get_mut("l2arc_norw").unwrap().writable = Some(false);
    check(&machine, &["l2arc_norw=1"], &[], &["when the module is loaded"]);
}

#[test]
fn the_maximum_goes_first_on_the_way_up_and_the_minimum_on_the_way_down() {
    let machine = running("2.3.2");
    let up = ["zfs_arc_min=9GiB", "zfs_arc_max=10GiB"];
    check(&machine, &up, &["zfs_arc_max=10737418240", "zfs_arc_min=9663676416"], &[]);
    let down = ["zfs_arc_max=400MiB", "zfs_arc_min=300MiB"];
    check(&machine, &down, &["zfs_arc_min=314572800", "zfs_arc_max=419430400"], &[]);
}

#[test]
fn values_that_do_not_go_together_are_refused() {
    let machine = running("2.3.2");
    check_refused(&machine, &["zfs_arc_max=256MiB"], "zfs_arc_min=512 MiB must be below");
    check_refused(&machine, &["zfs_arc_max=16GiB"], "not below the memory, 16 GiB");
    check_refused(&machine, &["zfs_arc_min=9GiB"], "must be below zfs_arc_max=8 GiB");
    check_refused(&machine, &["zfetch_max_distance=1MiB"], "not be above");
    check_refused(
        &machine,
        &["zfs_vdev_async_read_min_active=4"],
        "zfs_vdev_async_read_max_active",
    );
    check_refused(&machine, &["zfs_dirty_data_sync_percent=40"], "not be above");
    check_refused(&machine, &["l2arc_norw=1", "vfs.zfs.l2arc.norw=0"], "given twice");
}

#[test]
fn what_does_harm_stops_a_plan_until_it_is_named() {
    let machine = running("2.1.11");
    for harm in ["zil_nocacheflush=1", "zfs_nocacheflush=1", "zfetch_max_distance=0"] {
        let plan = plan(&machine, &[harm]).unwrap();
        let name = harm.split('=').next().unwrap().to_owned();
        assert_eq!(plan.stopped_by(&[]).len(), 1, "{harm}");
        assert_eq!(plan.stopped_by(&["zil_slog_bulk".to_owned()]).len(), 1, "{harm}");
        assert!(plan.stopped_by(&[name]).is_empty(), "{harm}");
    }
    assert!(plan(&machine, &["l2arc_noprefetch=0"]).unwrap().stopped_by(&[]).is_empty());
}

#[test]
fn a_step_names_its_cost_and_its_dangers() {
    let machine = running("2.1.11");
    let plan = plan(&machine, &["l2arc_write_max=64MiB", "zfs_arc_max=15GiB"]).unwrap();
    let of = |name: &str| plan.steps.iter().find(|step| step.name == name).unwrap();
    assert!(of("l2arc_write_max").cost.as_ref().unwrap().starts_with("at most 5.8 TB per day"));
    assert_eq!(of("l2arc_write_max").dangers.first().unwrap().kind, HazardKind::Wear);
    assert_eq!(of("zfs_arc_max").dangers.first().unwrap().kind, HazardKind::Memory);
    assert_eq!(of("zfs_arc_max").cost.as_deref(), Some("94 % of the memory, 16 GiB"));
}
