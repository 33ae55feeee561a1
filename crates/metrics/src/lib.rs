//! A machine's caches, pools and findings as text that Prometheus reads.
//!
//! ```text
//!   Machine, or a reading of kstats ──> Families ──> OpenMetrics, or the older text format
//!   Advice ────────────────────────────────┘
//! ```
//!
//! Names begin with `arcwright_`; units are bytes, seconds and ratios. A row that was not read makes no
//! series: what is absent stays absent, and one row never changes another's series. Nothing here takes a
//! reading or answers a request.
//!
//! ```
//! use arcwright_machine::{Machine, Sources};
//! use arcwright_metrics::{DatasetSeries, Families, TextFormat};
//!
//! let pasted = "\
//! $ cat /proc/spl/kstat/zfs/arcstats
//! 13 1 0x01 2 544 5 10000000000
//! name                            type data
//! hits                            4    1000
//! l2_hdr_size                     4    96
//! ";
//! let machine = Machine::read(&Sources::recognize(pasted));
//! let mut families = Families::default();
//! families.add_machine(&machine, DatasetSeries::Off);
//! let text = families.text(TextFormat::OpenMetrics);
//! assert!(text.contains("arcwright_arc_accesses_total{result=\"hit\"} 1000\n"));
//! // Misses were not read, so nothing is said of them.
//! assert!(!text.contains("result=\"miss\""));
//! ```

mod families;
mod family;
mod text;

mod rows;

mod arc;
mod buffers;
mod collection;
mod datasets;
mod findings;
mod intent_log;
mod l2arc;
mod machine;
mod pool_logs;
mod pools;
mod transactions;
mod vdevs;

pub use collection::{Collection, age};
pub use datasets::DatasetSeries;
pub use families::Families;
pub use family::{Family, MetricKind};
pub use pool_logs::PoolLogs;
pub use text::{END, TextFormat};
