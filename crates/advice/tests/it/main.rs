//! The rules, from a healthy machine with exactly one thing broken.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]
#![expect(clippy::indexing_slicing, reason = "helpers of tests; a failure here is a failed test")]

mod arc;
mod beside;
mod caches;
mod catalogue;
mod checks;
mod contradictions;
mod device_table;
mod disks;
mod gain;
mod given_up;
mod healthy;
mod kernel_log;
mod l2arc;
mod laws;
mod layout;
mod layout_more;
mod missing;
mod offers;
mod parts;
mod pasted_lines;
mod pools;
mod reading;
mod settings;
mod since;
mod sync;
mod writing;
