//! Uniform scaling: sizes and rates shrink by one factor, times and block sizes stay.
//!
//! Durations and ratios remain those of life, because a device that is `n` times slower moves an
//! `n`th of the data in the same time. A small case: 20 GiB read from disks of 300 MiB/s take 68 s
//! and 68 feed passes; scaled by 32 they are 640 MiB from disks of 9.4 MiB/s, and 68 passes again.
//! Scaling sizes alone would leave two passes. The engine scales the device profiles.

use arcwright_tunables::lookup;
use arcwright_units::{Bytes, Nanos, Rate};
use arcwright_workload::{Action, Client, Link};

use crate::disk::Disk;
use crate::experiment::{Arm, Scenario, TreeSpec};
use crate::system::{Setting, VdevSpec};

/// Parts of devices are cut to this step, as partitions are.
const DISK_STEP: Bytes = Bytes::mib(1);

impl Scenario {
    /// Returns the experiment scaled down by `factor`; it says nothing about its own scale.
    ///
    /// Memory, files, numbers of files in trees, parts of devices, amounts, rates of clients and
    /// links, and tunables that count amounts or rates of data are divided; what a single request waits
    /// for (round trips, pauses for thought) is multiplied. Block sizes, requests and the times of
    /// phases stay.
    #[must_use]
    pub fn scaled(&self, factor: u64) -> Self {
        let factor = factor.max(1);
        let mut small = self.clone();
        small.system.memory = self.system.memory.scaled_down(factor, Bytes(1));
        scale_settings(&mut small.system.tunables, factor);
        small.system.pool.data.iter_mut().for_each(|vdev| scale_vdev(vdev, factor));
        small.system.pool.cache.iter_mut().for_each(|disk| scale_disk(disk, factor));
        small.system.pool.log.iter_mut().for_each(|vdev| scale_vdev(vdev, factor));
        small.system.pool.special.iter_mut().for_each(|vdev| scale_vdev(vdev, factor));
        small.arms.iter_mut().for_each(|arm| scale_arm(arm, factor));
        for file in &mut small.files {
            file.size = cut(file.size, factor, self.system.pool.properties_of(file).recordsize);
        }
        small.trees.iter_mut().for_each(|tree| scale_tree(tree, factor));
        let clients = small.phases.iter_mut().flat_map(|phase| &mut phase.clients);
        let mut played = Vec::new();
        for client in clients {
            scale_client(client, factor);
            played.extend(thin(client, factor));
        }
        for (name, size) in played {
            let file = small.files.iter_mut().find(|file| file.name == name);
            file.into_iter().for_each(|file| file.size = size);
        }
        small
    }

    /// Returns what scaling leaves as it is although it is counted in bytes, in words.
    #[must_use]
    pub fn unscaled_names(&self) -> Vec<String> {
        let names = [
            "prefetch distances below 4 MiB",
            "I/O aggregation limits",
            "the size of block headers",
            "the size of dbufs and of indirect blocks",
        ];
        names.iter().map(|name| (*name).to_owned()).collect()
    }
}

fn scale_arm(arm: &mut Arm, factor: u64) {
    scale_settings(&mut arm.tunables, factor);
    arm.memory = arm.memory.map(|memory| memory.scaled_down(factor, Bytes(1)));
    arm.cache.iter_mut().flatten().for_each(|disk| scale_disk(disk, factor));
    arm.log.iter_mut().flatten().for_each(|vdev| scale_vdev(vdev, factor));
    arm.special.iter_mut().flatten().for_each(|vdev| scale_vdev(vdev, factor));
}

fn scale_settings(settings: &mut [Setting], factor: u64) {
    for setting in settings {
        if let Some(entry) = lookup(&setting.name) {
            setting.value = entry.scaled(setting.value, factor);
        }
    }
}

fn scale_vdev(vdev: &mut VdevSpec, factor: u64) {
    vdev.disks.iter_mut().for_each(|disk| scale_disk(disk, factor));
}

fn scale_disk(disk: &mut Disk, factor: u64) {
    disk.size = disk.size.map(|size| cut(size, factor, DISK_STEP));
    disk.taken = Bytes(disk.taken.0 / factor / DISK_STEP.0 * DISK_STEP.0);
}

/// There are as many directories, with fewer files each: a program that takes the files of a directory
/// in the order of their hashes then moves over the same share of the tree, and of the disks, as in
/// life, and a transaction group changes the same share of a directory's blocks.
fn scale_tree(tree: &mut TreeSpec, factor: u64) {
    tree.files = (tree.files / factor).max(1);
    tree.files_per_directory = (tree.files_per_directory / factor).max(1);
}

fn scale_client(client: &mut Client, factor: u64) {
    let rate = |rate: Rate| Rate((rate.0 / factor).max(1));
    client.amount = client.amount.map(|amount| cut(amount, factor, client.io));
    client.rate = client.rate.map(rate);
    // There are fewer requests, each of which takes longer.
    let longer = |span: Nanos| Nanos(span.0.saturating_mul(factor));
    client.think = longer(client.think);
    client.link =
        client.link.map(|link| Link { rate: rate(link.rate), round_trip: longer(link.round_trip) });
}

/// Leaves of a trace an `n`th of the places, with all that is asked of them; returns the sizes of its files.
fn thin(client: &mut Client, factor: u64) -> Vec<(String, Bytes)> {
    let Action::Trace { replay, .. } = &mut client.action else { return Vec::new() };
    *replay = replay.thinned(factor);
    let sizes = replay.files().iter().map(|file| file.size);
    let names = std::iter::once(&client.file).chain(&client.more_files).cloned();
    let files = names.zip(sizes).collect();
    client.amount = Some(replay.bytes());
    files
}

/// Returns the scaled size in whole steps, at least one; what is below a step stays as it is.
fn cut(size: Bytes, factor: u64, step: Bytes) -> Bytes {
    if factor == 1 { size } else { size.scaled_down(factor, step.min(size)) }
}
