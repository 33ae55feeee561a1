//! ZFS of about 2010: Debian's `zfs-fuse` 0.7.0, the OpenSolaris code of about 2010.
//!
//! It is a program, not a library: a daemon that serves files to the kernel's FUSE and takes orders
//! from `zpool` and `zfs` over a socket. Here it is loaded into the worker as if it were a library
//! ([`Library::load_program`](crate::zpool::library::Library::load_program)), and its calls are
//! redirected as those of `libzpool` are. So its threads run one at a time in virtual time, its
//! disks are the lab's, and between a client and the pool stands nothing: no kernel, no page cache,
//! no read-ahead, no mount, no root.
//!
//! ```text
//!   clients ── read(file, offset, size) ──> requests.rs ──> the daemon's own FUSE operations
//!   worker ─── create pool, mount ────────> wire.rs ──────> its command socket
//!              io_submit, io_getevents <─── aio.rs <─────── its asynchronous disk I/O
//!              sleeps, semaphores, poll <── waits.rs <───── its threads
//!              files, processes, logs <──── environment.rs
//! ```
//!
//! What is ours and what is not like FreeBSD 8: docs/decisions/0006-zfs-fuse.md.

mod aio;
pub(crate) mod daemon;
mod environment;
mod nvlist;
mod operations;
mod requests;
mod waits;
mod wire;

pub(crate) use operations::{File, kstats};
