//! What the crate promises to those who call it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop right there")]

mod fio_faults;
mod fio_jobs;
mod fio_mutations;

/// A job file in which nothing is wrong; tests break exactly one thing of it.
const GOOD: &str = "; a comment
[global]
bs=8k
ioengine=libaio
size=64m

[one]
rw=randread
iodepth=4
numjobs=2 # two of them

[two]
rw=write
startdelay=5
bs=128k
";
