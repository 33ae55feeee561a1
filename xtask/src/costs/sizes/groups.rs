//! A group with one change: what the disk wrote and the ARC counted while it was written, less what comes without one.

use anyhow::Context as _;

use super::readings::{Phase, Reading, Setup, file, run};
use super::{Size, size};

const KIB: f64 = 1024.0;

/// What the disks of a group take for each request: from their profiles.
#[derive(Debug, serde::Deserialize)]
struct Profile {
    flash: Flash,
}

#[derive(Debug, serde::Deserialize)]
struct Flash {
    write_latency_us: f64,
    write_bytes_per_sec: f64,
    flush_us: f64,
}

fn profile(name: &str) -> anyhow::Result<Flash> {
    let path = crate::root().join("crates/device/profiles").join(format!("{name}.toml"));
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let profile: Profile = toml::from_str(&text).with_context(|| path.display().to_string())?;
    Ok(profile.flash)
}

/// Whole-file writes that one group carries: of one record of 16 KiB, and of two.
const WRITES: [&str; 2] = ["16KiB", "32KiB"];
/// Disks that answer writes quickly beside their latency.
const DISKS: [&str; 2] = ["nvme-plp", "nvme-pm9a3"];

/// A phase of twelve seconds, with or without a change that a group writes.
fn group(version: &str, disk: &str, write: Option<&str>) -> anyhow::Result<Reading> {
    let contents = file("f", "32KiB") + &file("g", "32KiB");
    let warm = ["f", "g"].map(|name| format!("{{ read = \"{name}\", io = \"16KiB\" }}"));
    // Somebody reads what is cached, a block a second, so that the phase lasts until the group is on disk.
    let reader = "{ read = \"g\", io = \"16KiB\", amount = \"192KiB\", rate = \"16KiB/s\" }";
    let writer =
        write.map(|amount| format!(", {{ write = \"f\", io = \"16KiB\", amount = \"{amount}\" }}"));
    let clients = format!("{reader}{}", writer.unwrap_or_default());
    let phases = vec![Phase::of(warm.join(", ")), Phase::of(clients)];
    let setup =
        Setup { disk: &format!("\"{disk}\""), ashift: 12, record: "16KiB", contents, phases };
    run(version, &setup)?.into_iter().nth(1).context("the run has one phase")
}

/// Groups of a lone change. No counter tells their passes: what the disk is busy beside moving bytes, over its
/// latency, is how often one write waited for another; three of these waits are for the data, the indirect block above
/// it and the labels. Passes whose writes are under way at the same time are seen as one, and what one pass leaves in the
/// disk's queue as more, so it is a range.
pub(super) fn all(version: &str) -> anyhow::Result<Vec<Size>> {
    let (mut hits, mut bytes, mut waits) = (Vec::new(), Vec::new(), Vec::new());
    for disk in DISKS {
        let flash = profile(disk)?;
        let none = group(version, disk, None)?;
        for (write, written) in WRITES.into_iter().zip([16.0, 32.0]) {
            let with = group(version, disk, Some(write))?;
            let row = "demand_metadata_hits";
            hits.push(with.arc(row)? - none.arc(row)?);
            let disk = with.disk()?;
            let all = disk.write_bytes.0 as f64;
            // Two copies of an indirect block, four labels, a sector each.
            bytes.push(all - (written + 6.0 * 4.0) * KIB);
            let moving = all / flash.write_bytes_per_sec * 1e6;
            let flushes = disk.flushes as f64 * flash.flush_us;
            let busy = disk.busy_ns.0 as f64 / 1e3;
            waits.push((busy - moving - flushes) / flash.write_latency_us - 3.0);
        }
    }
    let passes = if version < "2.2" { 34.0 } else { 28.0 };
    let each: Vec<f64> = bytes.iter().map(|bytes| bytes / passes / 2.0).collect();
    Ok(vec![
        size(
            "versions/costs.rs: SYNC_PASSES",
            version,
            &waits,
            "waits of a group with one change: busy time of nvme-plp and nvme-pm9a3 over their latency",
        ),
        size(
            "versions/costs.rs: SYNC_PASS_BYTES",
            version,
            &each,
            "bytes of that group less data and indirect block and labels; over two copies of SYNC_PASSES",
        ),
        size(
            "versions/costs.rs: TXG_HITS",
            version,
            &hits,
            "demand_metadata_hits with the change less without",
        ),
    ])
}
