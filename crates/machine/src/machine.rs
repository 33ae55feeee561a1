//! A machine as its texts describe it.

use std::collections::BTreeMap;

use arcwright_kstat::{Delta, Snapshot};
use arcwright_tunables::persist::Platform;
use arcwright_tunables::{Kernel, Version};
use arcwright_units::{Bytes, Nanos};

use crate::devices::DeviceTable;
use crate::disk_label::DiskLabel;
use crate::drive::Drive;
use crate::pool::Pool;
use crate::sample::Sample;
use crate::standing::Standing;

/// What is known of a machine; what could not be read is `None` or empty and named in `problems`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Machine {
    /// The kernel's family.
    pub os: Option<Kernel>,
    /// The distribution.
    pub platform: Option<Platform>,
    /// The distribution's own name of itself: `Debian GNU/Linux 12 (bookworm)`.
    pub platform_name: Option<String>,
    /// The kernel's release: `6.1.0-28-amd64`.
    pub kernel: Option<String>,
    /// The module's version as it tells it: `2.1.11-1+deb12u1`.
    pub zfs_text: Option<String>,
    /// That version; none when it is not one that is known here.
    pub zfs: Option<Version>,
    /// The machine's memory.
    pub memory: Option<Memory>,
    /// Parameters of the loaded modules by Linux name (`zfs_arc_max`), FreeBSD's names translated.
    pub parameters: BTreeMap<String, Parameter>,
    /// Files that set parameters when the module is loaded or the machine starts.
    pub config: Vec<ConfigText>,
    /// Imported pools by name.
    pub pools: Vec<Pool>,
    /// Datasets and volumes with their properties.
    pub datasets: Vec<Dataset>,
    /// Mounted ZFS file systems.
    pub mounts: Vec<Mount>,
    /// What the kernel was started with, where it can be read.
    pub command_line: Option<String>,
    /// What the kernel's caches of objects take, by the name of the cache (`arc_buf_hdr_t_l2only`).
    pub slabs: BTreeMap<String, Bytes>,
    /// What of that objects in use take, of the caches that tell it: the rest is held and empty.
    pub slabs_used: BTreeMap<String, Bytes>,
    /// What a pasted `top` or `ps` shows at one moment.
    pub top: Top,
    /// Where memory is swapped to: `/dev/sda2`, `/dev/zd0`; empty when there is none or it was not read.
    pub swap: Vec<String>,
    /// Drives with what SMART and the kernel say of them.
    pub drives: Vec<Drive>,
    /// Those drives by all names that lead to them, as they were read.
    pub standing: Standing,
    /// Labels of ZFS that were read from disks.
    pub labels: Vec<DiskLabel>,
    /// What lies on partitions and disks that is not of ZFS, by their paths: `ext4` on `/dev/sda1`.
    pub contents: BTreeMap<String, String>,
    /// Readings of what counts, oldest first; one alone counts since the module was loaded.
    pub samples: Vec<Sample>,
    /// The counters since the module was loaded, where `samples` are a window of `arcstat` that has only what its
    /// columns show.
    pub since_load: Option<Box<Sample>>,
    /// Where the counters are from when not from the kernel itself: `arc_summary` rounds them.
    pub rounded: Option<String>,
    /// The year in which a report was made (`ZFS Subsystem Report  Wed May 31 19:29:06 2017`).
    pub report_year: Option<u16>,
    /// What the operating system's own tools tell of devices, `iostat -x` or `gstat` in a pasted text.
    pub device_table: Option<DeviceTable>,
    /// What somebody timed by hand: results of fio, dd, pv in a pasted text.
    pub timings: Vec<Timing>,
    /// Whether something that lists all pools was read; without it no pool means that none was named.
    pub lists_pools: bool,
    /// What lines of the kernel's log tell of devices, in a pasted text.
    pub troubles: Vec<Trouble>,
    /// Tasks that the kernel's log tells to have waited for too long, in a pasted text.
    pub hung: Vec<HungTask>,
    /// Where ZFS stopped because something inside it contradicts itself, in a pasted text.
    pub panics: Vec<Panic>,
    /// Commands in a pasted text that set properties; whether they were run is not told.
    pub set_commands: Vec<SetCommand>,
    /// Commands that `zpool` and `zfs` refused, in a pasted text.
    pub refusals: Vec<Refusal>,
    /// What snapshots hold, by their dataset.
    pub snapshots: BTreeMap<String, Snapshots>,
    /// Whether pasted lines look like rows of an output and are of none that is known: part of one may be missing.
    pub has_unknown_rows: bool,
    /// Whether one of them may be of a pool's status: it has the state of a device, or its name and counts alone.
    pub has_unknown_states: bool,
    /// What could not be read, and why.
    pub problems: Vec<Problem>,
    /// Pasted lines that are known and tell nothing that is judged: by their place the program that prints them.
    pub passed_over: BTreeMap<String, String>,
    /// Commands of a pasted text that change pools or datasets, as they were typed.
    pub typed: Vec<String>,
    /// Of these, those that make a pool and stand below an output that may tell of trouble.
    pub creating: Vec<String>,
}

/// What `top` and `ps` show at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Top {
    /// What threads of the ARC took of processors, those of one name together.
    pub busy_threads: Vec<BusyThreads>,
    /// How much of all processors' time nothing was to be done in but to wait for disks, in percent (`wa`).
    pub waiting_percent: Option<f64>,
    /// Tasks that ran or waited for a processor or a disk, in the mean of the last minute.
    pub load: Option<f64>,
}

/// Threads of one name, and what they take of processors.
#[derive(Debug, Clone, PartialEq)]
pub struct BusyThreads {
    /// `arc_prune`.
    pub name: String,
    /// How many of them there are.
    pub count: u64,
    /// What they take together, in percent of one processor.
    pub percent: f64,
}

/// What the kernel's log tells of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The device as the log names it: `sdc`, `ada0`, `nvme0`, or its port or bus: `ata3`, `usb 3-2`.
    pub device: String,
    /// What happened.
    pub kind: TroubleKind,
    /// Lines that say so; one failed request may have several.
    pub lines: u64,
    /// The pool whose requests failed, where the line is ZFS's own.
    pub pool: Option<String>,
    /// The name that the pool has for it, where the log shows that it is this device.
    pub vdev: Option<String>,
    /// The link or port that it is behind, where each of its lines stands right behind one about that: `usb 6-1`, `ata9`.
    pub behind: Option<String>,
}

/// A task that did not run for so long that the kernel reported it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HungTask {
    /// Its name without its number: `txg_sync`.
    pub name: String,
    /// The longest time that was read.
    pub waited: Nanos,
    /// Reports of it.
    pub reports: u64,
    /// Whether the calls below a report are of ZFS (`txg_wait_open+0xb3/0xf0 [zfs]`).
    pub in_zfs: bool,
}

/// A command that sets a property: `zfs set sync=disabled tank`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetCommand {
    /// Of what: `tank/vm`.
    pub dataset: String,
    /// Which: `sync`.
    pub property: String,
    /// To what.
    pub value: String,
}

/// A command that was refused: `cannot detach sdc: no valid replicas`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refusal {
    /// What was to be done: `detach`.
    pub verb: String,
    /// To what: a device, a pool, a dataset.
    pub subject: String,
    /// Why not, in the tool's words.
    pub reason: String,
    /// What it says beside that, in one line: features that the module does not know, how often it tried.
    pub beside: String,
}

/// A place where ZFS goes no further: what it takes for impossible has happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Panic {
    /// What did not hold, or the words of the report.
    pub condition: Option<String>,
    /// Where it is: `range_tree.c:503:range_tree_remove_impl()`.
    pub place: Option<String>,
    /// Whether a program stopped (`zdb`, `zpool`) instead of the kernel.
    pub in_program: bool,
    /// Reports of it.
    pub reports: u64,
}

impl Panic {
    /// Returns one of the kernel, reported once.
    pub(crate) fn once() -> Self {
        Self { reports: 1, ..Self::default() }
    }
}

/// What may happen to a device, what says most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TroubleKind {
    /// It reports a fault of its own: a hardware error, no spare sectors left.
    Broken,
    /// It cannot read a sector.
    Unreadable,
    /// It left the bus.
    Gone,
    /// Data were damaged between it and the controller.
    Transfer,
    /// It did not answer in time, or its link was reset.
    Slow,
    /// A request failed without a reason that the log tells.
    Failed,
    /// ZFS keeps a record of a request that failed (`zpool events`, zed).
    Recorded,
    /// ZFS records that it took the device for failed or failing by its errors.
    Marked,
    /// ZFS records that what it read had a wrong checksum.
    WrongData,
    /// ZFS records that a request took very long.
    Late,
    /// Its link is held at a lower speed than it has; by what the log does not tell.
    Limited,
}

/// A result of a program that reads or writes to see how fast that goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// The program: `fio`, `dd`, `pv`.
    pub program: String,
    /// What was read or written, as far as the text tells: a file, a job's name.
    pub what: String,
    /// The file or folder that it was done in, where the command names it.
    pub place: Option<String>,
    /// Whether it wrote; fio that does both gives two timings. None where the text does not tell.
    pub is_write: Option<bool>,
    /// Bytes moved in all.
    pub bytes: Option<Bytes>,
    /// Bytes per second.
    pub bytes_per_s: Option<f64>,
    /// Requests per second.
    pub ops_per_s: Option<f64>,
    /// Bytes of a request.
    pub request: Option<Bytes>,
    /// Mean time from the request to its answer, in nanoseconds.
    pub latency_mean_ns: Option<u64>,
    /// The 99th percentile of that, in nanoseconds.
    pub latency_p99_ns: Option<u64>,
    /// The longest, in nanoseconds.
    pub latency_max_ns: Option<u64>,
    /// Mean time of a flush (`fsync`, `fdatasync`) beside the requests, in nanoseconds.
    pub flush_mean_ns: Option<u64>,
    /// The 99th percentile of these.
    pub flush_p99_ns: Option<u64>,
    /// The longest of these.
    pub flush_max_ns: Option<u64>,
}

/// Where lines of options of the module stand that no command showed: in a file, as advice, or as what somebody is
/// going to set.
pub const UNSHOWN_OPTIONS: &str = "etc/modprobe.d/(name not read).conf";

/// The same of illumos: lines of `/etc/system` that no command showed.
pub const UNSHOWN_SYSTEM: &str = "etc/system (pasted lines)";

/// Memory of the machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Memory {
    /// All that the kernel manages.
    pub total: Bytes,
    /// What programs could get without swapping; none where the kernel does not estimate it.
    pub available: Option<Bytes>,
    /// What nobody uses now.
    pub free: Option<Bytes>,
    /// Swapped out.
    pub swap_used: Option<Bytes>,
    /// Room to swap out to in all.
    pub swap_total: Option<Bytes>,
    /// What the kernel of `FreeBSD` holds and cannot swap out (wired); the ARC is a part of it.
    pub wired: Option<Bytes>,
    /// The kernel's objects that it cannot drop by itself (`SUnreclaim`); the ARC's headers are among them.
    pub slab_held: Option<Bytes>,
}

/// A parameter of a loaded module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name on that machine: `zfs_arc_max`, `vfs.zfs.arc.max`.
    pub name: String,
    /// Its text without the line's end.
    pub value: String,
    /// Whether it may be set while the module is loaded; none where that was not seen.
    pub writable: Option<bool>,
}

/// A file that sets parameters, or a command's answer that does (`midclt call tunable.query`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigText {
    /// Where it stands on that machine: `/etc/modprobe.d/zfs.conf`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// `tank/home`.
    pub dataset: String,
    /// Where it is mounted.
    pub path: String,
    /// Options by name: `relatime`, `xattr`, `noacl`.
    pub options: Vec<String>,
}

/// A file system or volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dataset {
    /// `tank/home`.
    pub name: String,
    /// Properties by name: value and where it is from (`default`, `local`, `inherited from tank`, `-`).
    pub properties: BTreeMap<String, (String, String)>,
}

/// What the snapshots of a dataset hold, as far as they were listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Snapshots {
    /// How many were listed.
    pub count: u64,
    /// What each holds that no other does, all together: what several share is not in it.
    pub held: Bytes,
    /// What the largest of them refers to; none where that was not read of any.
    pub refers: Option<Bytes>,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file or command: `proc/spl/kstat/zfs/tank/txgs`.
    pub source: String,
    /// Why.
    pub reason: Reason,
}

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// It needs privilege.
    Denied,
    /// It is not there, on a machine of this kind it should be.
    Absent,
    /// It was read and does not say what it should; the words say where.
    Garbled(String),
    /// The command failed or the read did; its own words.
    Failed(String),
}

impl Machine {
    /// Returns the last reading of the kstats.
    #[must_use]
    pub fn now(&self) -> Option<&Snapshot> {
        self.samples.last().map(|sample| &sample.kstats)
    }

    /// Returns what changed from the first reading to the last; none of fewer than two readings.
    #[must_use]
    pub fn window(&self) -> Option<Delta> {
        let (first, last) = (self.samples.first()?, self.samples.last()?);
        (self.samples.len() > 1).then(|| Delta::between(&first.kstats, &last.kstats))
    }

    /// Returns the drive that a leaf of a pool stands on; none when it is not known.
    #[must_use]
    pub fn drive_of(&self, leaf: &str) -> Option<&Drive> {
        let number = match self.standing.is_of(&self.drives) {
            true => self.standing.find(leaf),
            // A machine that was put together by hand.
            false => Standing::of(&self.drives).find(leaf),
        };
        self.drives.get(number?)
    }

    /// Returns a parameter as a number; none when the module does not have it.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<u64> {
        self.parameters.get(name)?.value.trim().parse().ok()
    }
}
