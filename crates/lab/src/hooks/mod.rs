//! What the library finds when it calls out: our clock, our disks, our statistics, our machine.
//!
//! Each hook replaces one function *for the library alone* by rewriting the slot through which it
//! calls it (see docs/decisions/0001-hook-by-got.md); the rest of the process is untouched.
//!
//! ```text
//!   libzpool ── clock_gettime, time, gettimeofday ─┐
//!            ── pthread_cond_timedwait, poll, … ───┼─> time.rs   virtual clock
//!            ── open64, pread64, pwrite64, fsync ──┼─> files.rs  emulated disks
//!            ── kstat_create, kstat_delete ────────┼─> kstats.rs genuine kernel statistics
//!            ── pthread_* ──────────────────────────┼─> threads.rs, locks.rs  one at a time
//!            ── malloc, free, posix_memalign, … ───┼─> memory.rs the same addresses every time
//!            ── abd_fletcher_4_native, … ──────────┼─> checksums.rs their time, once for each block
//!            ── zio_alloc_zil, zio_free ────────┼─> log_space.rs how full the log is
//!            ── spa_do_crypt_abd ────────────────┼─> cipher.rs what encryption costs
//!            ── multilist_get_random_index ────────┼─> feed.rs   what the feed draws
//!            ── sysconf, arc_all_memory, rand, … ──┴─> machine.rs memory, processors, randomness
//! ```

mod checksums;
mod cipher;
pub(crate) mod feed;
pub(crate) mod files;
pub(crate) mod kstats;
mod locks;
pub(crate) mod log_space;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod threads;
pub(crate) mod time;
pub(crate) mod vdev;

use std::ffi::c_void;

use crate::LabError;
use crate::schedule;
use crate::zpool::library::Library;

/// One function of the library's environment and what stands in for it.
pub(crate) type Hook = (&'static str, *const c_void);

/// Puts all hooks in place.
///
/// # Errors
/// [`LabError`] when a slot cannot be written, or when the library has no slot for a function
/// without which the emulation would silently not take place.
pub(crate) fn install(library: &Library) -> Result<(), LabError> {
    redirect(library, &[files::HOOKS, kstats::HOOKS, machine::HOOKS, time::HOOKS])?;
    install_threads(library)?;
    checksums::install(library)?;
    feed::install(library)?;
    cipher::install(library)?;
    vdev::install(library)
}

fn redirect(library: &Library, hooks: &[fn() -> Vec<Hook>]) -> Result<(), LabError> {
    for (name, target) in hooks.iter().flat_map(|hooks| hooks()) {
        let count = library.redirect(name, target)?;
        let needed = [
            "clock_gettime",
            "pread64",
            "pwrite64",
            "pthread_cond_timedwait",
            "kstat_create",
            "pthread_mutex_lock",
        ];
        if count == 0 && needed.contains(&name) {
            return Err(LabError::Hook { name: name.to_owned() });
        }
    }
    Ok(())
}

/// Puts the hooks in place that a run by events needs on the machine's own files: the pool is built
/// the same way every time.
///
/// # Errors
/// As [`install`].
pub(crate) fn install_for_building(library: &Library) -> Result<(), LabError> {
    redirect(library, &[files::BUILDING_HOOKS, kstats::HOOKS, machine::HOOKS, time::HOOKS])?;
    install_threads(library)
}

fn install_threads(library: &Library) -> Result<(), LabError> {
    if schedule::is_on() {
        redirect(library, &[memory::HOOKS, threads::HOOKS, locks::HOOKS])?;
    }
    Ok(())
}

/// Returns what a program finds that runs by events, as zfs-fuse does.
pub(crate) fn for_zfs_fuse() -> Vec<Hook> {
    let always = [files::HOOKS, machine::HOOKS, memory::HOOKS, time::HOOKS];
    let tables = always.into_iter().chain([threads::HOOKS, locks::HOOKS]);
    tables.flat_map(|hooks: fn() -> Vec<Hook>| hooks()).collect()
}

/// Puts only the hooks in place that receive statistics, for a run of the bare library.
///
/// # Errors
/// As [`install`].
pub(crate) fn install_kstats_only(library: &Library) -> Result<(), LabError> {
    for (name, target) in kstats::HOOKS() {
        library.redirect(name, target)?;
    }
    Ok(())
}
