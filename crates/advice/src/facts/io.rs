//! What a pool and its devices beside the data disks read and wrote, by `zpool iostat`.

use arcwright_machine::{Class, DeviceIo, LeafIo, Pool, QueueWaits, Vdev};
use arcwright_units::Rate;

use super::{Fact, pools};
use crate::drives::leaves_of;
use crate::finding::Over;
use crate::format;
use crate::rules::disk_state::{self, Leaf, positive};
use crate::view::View;

pub(super) fn of(view: &View<'_>, pool: &Pool) -> Vec<Fact> {
    let own = view.io(&pool.name).and_then(|io| io.get(&pool.name));
    let own = own.and_then(|io| {
        let over = match view.io_over() {
            Over::SinceLoad => " (mean since its import)",
            _ => "",
        };
        Fact::of_parts(
            format!("{} I/O", pool.name),
            [flow(io, "read").map(|read| read + over), flow(io, "write"), waits(io)],
        )
    });
    own.into_iter().chain(beside(view, pool)).collect()
}

/// Returns what the operating system's own tool says of devices, the busiest first.
pub(super) fn of_devices(view: &View<'_>) -> Vec<Fact> {
    const DEVICES_MAX: usize = 6;
    let Some(table) = &view.machine.device_table else { return Vec::new() };
    let over = if table.since_boot == Some(true) { " (mean since boot)" } else { "" };
    let mut devices: Vec<&DeviceIo> = table.devices.iter().collect();
    let weight = |device: &DeviceIo| device.busy_pct.or_else(|| device.ops_per_s());
    devices.sort_by(|one, other| match weight(other).partial_cmp(&weight(one)) {
        Some(order) if order.is_ne() => order,
        _ => one.name.cmp(&other.name),
    });
    let fact = |device: &&DeviceIo| {
        let io = LeafIo {
            read_ops_per_s: device.read_ops_per_s,
            write_ops_per_s: device.write_ops_per_s,
            read_bytes_per_s: device.read_bytes_per_s,
            write_bytes_per_s: device.write_bytes_per_s,
            waits: QueueWaits {
                total_read_ns: device.read_wait_ns.or(device.wait_ns),
                total_write_ns: device.write_wait_ns.or(device.wait_ns),
                ..QueueWaits::default()
            },
            ..LeafIo::default()
        };
        let busy = positive(device.busy_pct).map(|pct| format!("{pct:.0} % busy{over}"));
        let name = format!("{} {}", table.program, device.name);
        Fact::of_parts(name, [busy, flow(&io, "read"), flow(&io, "write"), waits(&io)])
    };
    devices.iter().take(DEVICES_MAX).filter_map(fact).collect()
}

/// Returns the devices that are no data disks: whether they are used is what their owners ask.
fn beside(view: &View<'_>, pool: &Pool) -> Vec<Fact> {
    const CLASSES: [Class; 4] = [Class::Log, Class::Cache, Class::Special, Class::Dedup];
    let of_class = |class: Class| {
        let at_work = disk_state::at_work(view, pool, class);
        let fact = move |vdev: &Vdev| {
            let leaf = at_work.iter().find(|leaf| leaf.name == vdev.name);
            let io = leaf.map(|Leaf { io, .. }| [flow(io, "read"), flow(io, "write"), waits(io)]);
            let space = pools::space_of(vdev);
            let name = format!("{} {}", class.name(), vdev.name);
            Fact::of_parts(name, io.into_iter().flatten().chain([space]))
        };
        leaves_of(pool, class).into_iter().filter_map(fact).collect::<Vec<_>>()
    };
    CLASSES.into_iter().flat_map(of_class).collect()
}

/// Returns requests per second, their mean size and bytes per second of one direction; none where neither was read.
fn flow(io: &LeafIo, verb: &str) -> Option<String> {
    let (ops, bytes) = match verb {
        "read" => (io.read_ops_per_s, io.read_bytes_per_s),
        _ => (io.write_ops_per_s, io.write_bytes_per_s),
    };
    let (ops, bytes) = (positive(ops)?, positive(bytes)?);
    let size = (ops > 0.0 && bytes > 0.0).then(|| format!(" of {}", disk_state::size(bytes / ops)));
    let size = size.into_iter().collect::<String>();
    Some(format!("{} {verb}s/s{size}, {}", format::per_s(ops), rate(bytes)))
}

/// Returns how long reads and writes take, at the disks and with their wait before.
fn waits(io: &LeafIo) -> Option<String> {
    let waits = io.waits;
    let told = |verb: &str, total: Option<u64>, disk: Option<u64>| {
        let all = format::latency(total?);
        let disk = disk.map(|disk| format!(" ({} at the disk)", format::latency(disk)));
        Some(format!("a {verb} takes {all}{}", disk.into_iter().collect::<String>()))
    };
    let parts = [
        told("read", waits.total_read_ns, waits.disk_read_ns),
        told("write", waits.total_write_ns, waits.disk_write_ns),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float's range is cut; rates are not negative"
)]
fn rate(per_s: f64) -> String {
    Rate(per_s as u64).to_string()
}
