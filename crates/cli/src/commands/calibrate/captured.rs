//! `arcwright calibrate device --from`: what a capture tells of a device's read latencies.
//!
//! `zpool iostat -w` counts reads in buckets that double, so that a range is all there is.

use std::path::Path;

use anyhow::anyhow;
use arcwright_device::probe::modelled_reads;
use arcwright_host::capture::open;
use arcwright_machine::{BucketCounts, Machine, Sample};
use arcwright_units::{Nanos, visible, visible_path};

use crate::arguments::DeviceArguments;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// The column of reads at the device, without the time in ZFS's own queue.
const COLUMN: &str = "disk_read";
/// Parts of all reads that are told of.
const SHARES: [(f64, &str); 3] = [(0.5, "half of them"), (0.9, "90 %"), (0.99, "99 %")];
/// Names that an error lists at most.
const NAMES_MAX: usize = 12;

pub(super) fn latencies(
    arguments: &DeviceArguments,
    capture: &Path,
    device: &str,
) -> Result<Exit, Problem> {
    let machine = Machine::read(&open(capture).map_err(anyhow::Error::from)?);
    let shown = visible_path(capture);
    let name = vdev(&machine, device, &shown)?;
    let counted = counts(&machine, &name);
    let Some((counts, since_import)) = counted.filter(|(counts, _)| counts.count() > 0) else {
        let name = visible(&name);
        return Err(Problem::Failed(anyhow!(
            "{shown} counts no reads of {name}: it has no histogram of them (zpool iostat -w), or nothing was read\n\
             hint: arcwright capture collects it, from OpenZFS 0.7 on"
        )));
    };
    let compared = match &arguments.like {
        Some(like) => Some((like, modelled(like)?)),
        None => None,
    };
    let since = if since_import { "since the pool was imported" } else { "in the window" };
    let unit = if since_import { "reads" } else { "reads a second" };
    let mut text = format!(
        "{}: {} {unit} {since},\neach at the device took\n",
        visible(&name),
        counts.count()
    );
    for (index, (share, part)) in SHARES.into_iter().enumerate() {
        let Some((first, end)) = counts.quantile(share) else { continue };
        let model = compared.as_ref().and_then(|(_, times)| times.get(index));
        let model = model.map(|time| format!("   (model {})", Nanos::from_secs_f64(*time)));
        let range = format!("{} to {}", Nanos(first), Nanos(end));
        text.push_str(&format_row(part, &range, &model.unwrap_or_default()));
    }
    if let Some((like, _)) = compared {
        text.push_str(&format_note(&format!(
            "The model is {like} with single reads of 4 KiB at random; those counted are of any size, some in a row, \
             some beside others."
        )));
    }
    text.push_str(&format_note(
        "Buckets double, so a range is all that they tell. For a device file, measure the device itself: arcwright \
         calibrate device /dev/…",
    ));
    output::print(&text)?;
    Ok(Exit::Fine)
}

fn format_row(part: &str, range: &str, model: &str) -> String {
    format!("  {part:<13} at most {range}{model}\n")
}

fn format_note(note: &str) -> String {
    let width = output::width(&std::io::stdout());
    format!("{}\n", textwrap::fill(note, width))
}

fn modelled(like: &str) -> Result<Vec<f64>, Problem> {
    let times = modelled_reads(like, &SHARES.map(|(share, _)| share));
    times.map_err(|error| Problem::Usage(anyhow!("--like: {}", visible(&error.to_string()))))
}

/// Returns the name of the vdev that is called so, or ends so.
fn vdev(machine: &Machine, device: &str, shown: &str) -> Result<String, Problem> {
    let mut names: Vec<&String> = machine
        .samples
        .iter()
        .flat_map(|sample| sample.vdevs.iter())
        .flat_map(|(pool, vdevs)| vdevs.keys().filter(move |name| *name != pool))
        .collect();
    names.sort();
    names.dedup();
    let exact = names.iter().find(|name| name.as_str() == device);
    let alike: Vec<&&String> = match exact {
        Some(name) => vec![name],
        None => names.iter().filter(|name| is_called(name, device)).collect(),
    };
    match alike.as_slice() {
        [one] => Ok((**one).clone()),
        found => {
            let (what, all): (_, Vec<&String>) = match found.is_empty() {
                true => ("no device is called", names),
                false => ("several devices are called", found.iter().map(|name| **name).collect()),
            };
            let listed: Vec<_> = all.iter().take(NAMES_MAX).map(|name| visible(name)).collect();
            let more = if all.len() > NAMES_MAX { " and more" } else { "" };
            let known = match listed.is_empty() {
                true => "zpool iostat of its pools is not in it".to_owned(),
                false => format!("known are: {}{more}", listed.join(", ")),
            };
            let device = visible(device);
            Err(Problem::Usage(anyhow!("{shown}: {what} “{device}”; {known}")))
        }
    }
}

/// Says whether the last part of a vdev's path is this name, or the name of a partition of it.
fn is_called(vdev: &str, name: &str) -> bool {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let rest = last(vdev).strip_prefix(&last(name)).map(str::to_owned);
    rest.is_some_and(|rest| {
        let number = ["-part", "p", "s", ""].iter().find_map(|start| rest.strip_prefix(start));
        rest.is_empty() || number.is_some_and(|it| it.chars().all(|digit| digit.is_ascii_digit()))
    })
}

/// Returns the buckets of a vdev's reads, of the reading that has most, and whether it counts since import.
fn counts<'a>(machine: &'a Machine, name: &str) -> Option<(&'a BucketCounts, bool)> {
    let of = |sample: &'a Sample| {
        let vdevs = sample.vdevs.values().find_map(|vdevs| vdevs.get(name))?;
        Some((vdevs.latency.get(COLUMN)?, sample.vdevs_since_import))
    };
    machine.samples.iter().filter_map(of).max_by_key(|(counts, _)| counts.count())
}

#[cfg(test)]
mod tests {
    use super::is_called;

    #[test]
    fn a_partition_is_called_as_its_disk() {
        for vdev in ["sda", "sda1", "/dev/sda", "/dev/sda1"] {
            assert!(is_called(vdev, "sda") && is_called(vdev, "/dev/sda"), "{vdev}");
            assert!(!is_called(vdev, "sd") && !is_called(vdev, "a"), "{vdev}");
        }
        assert!(is_called("/dev/disk/by-id/ata-X-part1", "ata-X"));
        assert!(is_called("nvme0n1p3", "nvme0n1") && is_called("ada0p1", "ada0"));
        assert!(!is_called("sdab", "sda") && !is_called("mirror-0", "mirror"));
    }
}
