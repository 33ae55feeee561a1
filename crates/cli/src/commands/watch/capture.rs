//! Watching what was captured: its readings one after the other, and what the rules say of them.

use std::path::Path;
use std::sync::mpsc;

use anyhow::Context as _;
use arcwright_advice::{Estimate, advise};
use arcwright_host::capture;
use arcwright_machine::{DeviceCount, LeafIo, Machine, Sample};
use arcwright_tui::{DashboardSample, Pace, QueueSample, Update};
use arcwright_units::{Nanos, visible_path};

use super::{MachineFacts, Watched, notices};
use crate::pool_disks::roles;
use crate::problem::Problem;

pub(super) fn begin(path: &Path) -> Result<Watched, Problem> {
    let sources = capture::open(path).context("failed to open the capture")?;
    let mut machine = Machine::read(&sources);
    if machine.samples.is_empty() {
        let path = visible_path(path);
        return Err(Problem::Failed(anyhow::anyhow!(
            "{path} holds no counters (such as arcstats)"
        )));
    }
    let mut title = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    if let Some(zfs) = &machine.zfs_text {
        title = format!("{title}, OpenZFS {zfs}");
    }
    if let [one] = machine.samples.as_slice() {
        // One reading counts since the module was loaded, which is a window too.
        let begin = Sample { kstats: zeroes(&one.kstats), ..Sample::default() };
        machine.samples.insert(0, begin);
        title += ", since the module was loaded";
    }
    let moments = moments(&machine);
    let advice = advise(&machine, Estimate::CountersOnly);
    let (sender, feed) = mpsc::sync_channel(1);
    let source = std::thread::spawn(move || {
        let all = moments.into_iter().map(|moment| Update::Sample(Box::new(moment)));
        let end = [Update::Notices(notices(&advice)), Update::End("all of the capture".to_owned())];
        for update in all.chain(end) {
            if sender.send(update).is_err() {
                return;
            }
        }
    });
    Ok(Watched { title, feed, pace: Pace::Live, source: Some(source) })
}

/// Returns a reading in which every counter is zero, at the time when it was.
fn zeroes(kstats: &arcwright_kstat::Snapshot) -> arcwright_kstat::Snapshot {
    let mut zero = kstats.clone();
    zero.at = zero.kstats.values().map(|kstat| kstat.crtime).max().unwrap_or(Nanos::ZERO);
    for kstat in zero.kstats.values_mut() {
        let number = |value: &arcwright_kstat::KstatValue| value.as_u64().is_some();
        for (row, value) in kstat.rows.iter_mut().filter(|(_, value)| number(value)) {
            if !arcwright_kstat::is_gauge(row) {
                *value = arcwright_kstat::KstatValue::U64(0);
            }
        }
    }
    zero
}

fn moments(machine: &Machine) -> Vec<DashboardSample> {
    let roles = roles(machine);
    let facts = MachineFacts::of(machine, &|leaf| Some(short(leaf)));
    let device = |(name, role): &(String, String)| DeviceCount {
        name: short(name),
        role: role.clone(),
        request_ns: Some(0),
        ..DeviceCount::default()
    };
    let mut devices: Vec<DeviceCount> = roles.iter().map(device).collect();
    let mut before: Option<Nanos> = None;
    let mut moments = Vec::new();
    for sample in &machine.samples {
        let at = sample.kstats.at;
        let span = before.map_or(Nanos::ZERO, |before| at.saturating_sub(before));
        before = Some(at);
        let counts = if sample.vdevs_since_import { &mut [] } else { devices.as_mut_slice() };
        for (device, (name, _)) in counts.iter_mut().zip(&roles) {
            if let Some(io) = sample.vdevs.values().find_map(|vdevs| vdevs.get(name)) {
                count_on(device, io, span);
            }
        }
        let reading = facts.reading(Sample {
            kstats: sample.kstats.clone(),
            txgs: sample.txgs.clone(),
            pool_states: sample.pool_states.clone(),
            ..Sample::default()
        });
        let (devices, queues) = (devices.clone(), queues(sample));
        moments.push(DashboardSample { devices, queues, ..reading });
    }
    moments
}

/// Returns what tells disks apart, which stands at the end of their path.
fn short(leaf: &str) -> String {
    leaf.rsplit('/').next().unwrap_or(leaf).to_owned()
}

/// Returns the requests of each queue over all pools, where `zpool iostat -q` was captured.
fn queues(sample: &Sample) -> Vec<QueueSample> {
    let mut all: Vec<QueueSample> = Vec::new();
    let of_pools = sample.vdevs.iter().filter_map(|(pool, vdevs)| vdevs.get(pool));
    for (name, (waiting, active)) in of_pools.flat_map(|pool| &pool.queues) {
        if let Some(queue) = all.iter_mut().find(|queue| queue.name == *name) {
            queue.waiting = queue.waiting.saturating_add(*waiting);
            queue.active = queue.active.saturating_add(*active);
        } else {
            all.push(QueueSample { name: name.clone(), waiting: *waiting, active: *active });
        }
    }
    all
}

/// Turns rates over a time back into counts.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "rates that were printed have three digits, and a float saturates"
)]
fn count_on(device: &mut DeviceCount, io: &LeafIo, span: Nanos) {
    let seconds = span.0 as f64 / 1e9;
    let more = |rate: Option<f64>| (rate.unwrap_or(0.0) * seconds).round() as u64;
    let (reads, writes) = (more(io.read_ops_per_s), more(io.write_ops_per_s));
    let each = |wait: Option<u64>, count: u64| wait.unwrap_or(0).saturating_mul(count);
    let (read_ns, write_ns) = (io.waits.total_read_ns, io.waits.total_write_ns);
    let took = each(read_ns, reads).saturating_add(each(write_ns, writes));
    device.reads += reads;
    device.writes += writes;
    device.read_bytes += more(io.read_bytes_per_s);
    device.write_bytes += more(io.write_bytes_per_s);
    let is_told = read_ns.is_some() || write_ns.is_some();
    device.request_ns = device.request_ns.filter(|_| is_told).map(|ns| ns.saturating_add(took));
}
