//! What is known of one machine that runs ZFS.
//!
//! ```text
//!   live machine ─ host ──┐
//!   archive, folder ──────┼──> Sources (texts as read) ──read──> Machine (typed) ──> advice, watch
//!   pasted text ──────────┘
//! ```
//!
//! Every way of looking at a machine ends in the same [`Machine`]; nothing above knows whether it
//! was live. What could not be read is absent and named in [`Machine::problems`], never zero. Not a
//! reader of files: an edge crate reads and hands over the texts.
//!
//! ```
//! use arcwright_machine::{Machine, Sources};
//!
//! let pasted = "\
//! $ zpool status tank
//!   pool: tank
//!  state: ONLINE
//! config:
//!
//! \tNAME        STATE     READ WRITE CKSUM
//! \ttank        ONLINE       0     0     0
//! \t  mirror-0  ONLINE       0     0     0
//! \t    sda     ONLINE       0     0     0
//! \t    sdb     ONLINE       0     0     2
//!
//! errors: No known data errors
//! ";
//! let machine = Machine::read(&Sources::recognize(pasted));
//! assert_eq!(machine.pools[0].name, "tank");
//! assert_eq!(machine.pools[0].vdevs[0].children.len(), 2);
//! // Nothing tells the memory, so it is absent.
//! assert!(machine.memory.is_none());
//! ```

mod cut;
mod dedup;
mod device_counts;
mod devices;
mod disk_label;
mod disks;
mod drive;
mod machine;
mod nicenum;
mod pool;
mod read;
mod recognize;
mod reported;
mod sample;
mod sources;
mod standing;
mod usage;

pub use arcwright_tunables::Kernel;
pub use arcwright_tunables::persist::Platform;
pub use dedup::{DedupTable, DedupTables};
pub use device_counts::{DeviceCount, DeviceRates};
pub use devices::{DeviceIo, DeviceTable};
pub use disk_label::DiskLabel;
pub use disks::DiskCounts;
pub use drive::{Drive, DriveKind, FailingAttribute, SmartClosed, SmartCounts};
pub use machine::{
    BusyThreads, ConfigText, Dataset, HungTask, Machine, Memory, Mount, Panic, Parameter, Problem,
    Reason, Refusal, SetCommand, Snapshots, Timing, Top, Trouble, TroubleKind, UNSHOWN_OPTIONS,
    UNSHOWN_SYSTEM,
};
pub use pool::{
    Class, ErrorsBeside, Layout, Offer, Pool, Space, UNNAMED_POOL, Vdev, VdevNames, is_same_vdev,
};
pub use read::mounts::unescaped_mount;
pub use read::slabs::ALL_OF_SPL;
pub use read::status::{LABELS as STATUS_LABELS, is_state};
pub use recognize::PasteError;
pub use sample::{BucketCounts, LeafIo, QueueWaits, Sample};
pub use sources::{Source, Sources};
pub use standing::{Standing, below_dev, whole};
pub use usage::{
    AccessKind, DatasetRow, DatasetTable, FileAccess, FileRow, FileSums, FileTable, FileTotals,
    InOrder, LINE_BYTES_MAX, Misplaced, ObjectRow, ObjectTable, ObjectTotals, ProcessCount,
    ProcessMoment, ProcessRow, ProcessTable, ReadRow, ReadTable, ReadTotals, TracerLine,
};
