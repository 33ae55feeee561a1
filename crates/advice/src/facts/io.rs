//! What a pool and its devices beside the data disks read and wrote, by `zpool iostat`.

use arcwright_machine::{Class, DeviceIo, LeafIo, Pool, Vdev};

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
            Over::SinceLoad if disk_state::is_no_mean(io) => {
                " (over a time that the text does not tell)"
            }
            Over::SinceLoad => " (mean since its import)",
            _ => "",
        };
        let [reads, writes, waits] = of_leaf(io);
        Fact::of_parts(
            format!("{} I/O", pool.name),
            [reads.map(|reads| reads + over), writes, waits],
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
        let busy = positive(device.busy_pct).map(|pct| format!("{pct:.0} % busy{over}"));
        let reads = flow("read", device.read_ops_per_s, device.read_bytes_per_s);
        let writes = flow("write", device.write_ops_per_s, device.write_bytes_per_s);
        let of = |wait: Option<u64>| (wait.or(device.wait_ns), None);
        let waits = waits([of(device.read_wait_ns), of(device.write_wait_ns)]);
        Fact::of_parts(format!("{} {}", table.program, device.name), [busy, reads, writes, waits])
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
            let io = leaf.map(|Leaf { io, .. }| of_leaf(io));
            let space = pools::space_of(vdev);
            let name = format!("{} {}", class.name(), vdev.name);
            Fact::of_parts(name, io.into_iter().flatten().chain([space]))
        };
        leaves_of(pool, class).into_iter().filter_map(fact).collect::<Vec<_>>()
    };
    CLASSES.into_iter().flat_map(of_class).collect()
}

/// Returns what `zpool iostat` says of reads, of writes, and of how long they take.
fn of_leaf(io: &LeafIo) -> [Option<String>; 3] {
    let waits_of = &io.waits;
    [
        flow("read", io.read_ops_per_s, io.read_bytes_per_s),
        flow("write", io.write_ops_per_s, io.write_bytes_per_s),
        waits([
            (waits_of.total_read_ns, waits_of.disk_read_ns),
            (waits_of.total_write_ns, waits_of.disk_write_ns),
        ]),
    ]
}

/// Returns requests per second, their mean size and bytes per second of one direction; none where either was not read.
fn flow(verb: &str, ops: Option<f64>, bytes: Option<f64>) -> Option<String> {
    let (ops, bytes) = (positive(ops)?, positive(bytes)?);
    let size = match ops > 0.0 && bytes > 0.0 {
        true => format!(" of {}", disk_state::size(bytes / ops)),
        false => String::new(),
    };
    Some(format!("{} {verb}s/s{size}, {}", format::per_s(ops), format::rate(bytes)))
}

/// Returns how long a read and a write take with their wait before, and at the disk alone.
fn waits([read, write]: [(Option<u64>, Option<u64>); 2]) -> Option<String> {
    let told = |verb: &str, (total, disk): (Option<u64>, Option<u64>)| {
        let disk = disk
            .map_or_else(String::new, |disk| format!(" ({} at the disk)", format::latency(disk)));
        Some(format!("a {verb} takes {}{disk}", format::latency(total?)))
    };
    let parts: Vec<String> =
        [told("read", read), told("write", write)].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
