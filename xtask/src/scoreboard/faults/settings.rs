//! Settings: what properties and parameters do to the caches.

use super::Fault;
use super::arc::traffic;
use crate::scoreboard::edit::{Edit, Editor, Skip};

pub(super) const FAULTS: [Fault; 6] = [
    Fault::of("contents are not cached", |editor| {
        let pool = editor.pool()?.name.clone();
        traffic(editor, [4_000, 60_000], [90_000, 300], [0, 0])?;
        editor.property("zfs-get", &pool, "primarycache", "metadata")
    })
    .must(&["~primarycache"])
    .may(&[
        "arc-small",
        "seek-bound",
        "l2arc-ineligible",
        "l2arc-not-reread",
        "l2arc-excluded",
    ]),
    Fault::of("metadata is not cached", |editor| {
        let pool = editor.pool()?.name.clone();
        traffic(editor, [4_000, 60_000], [4_000, 90_000], [0, 0])?;
        editor.property("zfs-get", &pool, "primarycache", "none")
    })
    .must(&["metadata-not-cacheable"])
    .may(&[
        "arc-small",
        "seek-bound",
        "metadata-misses",
        "metadata-cold",
        "l2arc-ineligible",
        "l2arc-not-reread",
        "l2arc-excluded",
    ]),
    Fault::of("synchronous writes are not", |editor| {
        let pool = editor.pool()?.name.clone();
        editor.property("zfs-get", &pool, "sync", "disabled")
    })
    .must(&["sync-disabled"]),
    Fault::of("encryption without acceleration", slow_crypto).must(&["crypto-slow"]),
    Fault::of("direct I/O of small requests", direct).must(&["direct-io-small"]),
    Fault::of("prefetch is switched off", |editor| {
        let name = "zfs_prefetch_disable";
        if editor.machine.parameter(name) == Some(1) {
            return Err(Skip("it is off already".to_owned()));
        }
        editor.pool()?;
        editor.parameter(name, 1)
    })
    .must(&["prefetch-off"])
    .may(&["setting-not-persisted"]),
];

/// Neither AES-NI nor AVX in the processor, and the generic code is what the module chose.
fn slow_crypto(editor: &mut Editor) -> Edit {
    editor.since_version("0.8.0")?;
    let pool = editor.pool()?.name.clone();
    if editor.is_freebsd() {
        return Err(Skip("the processor's flags are not captured".to_owned()));
    }
    let cpuinfo = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Example CPU\n\
                   flags\t\t: fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat mmx fxsr sse sse2 ssse3\n";
    editor.put("proc/cpuinfo", cpuinfo.to_owned());
    let aes = "cycle [fastest] generic x86_64\n";
    let gcm = "cycle [fastest] generic\n";
    editor.put("sys/module/zfs/parameters/icp_aes_impl", aes.to_owned());
    editor.put("sys/module/zfs/parameters/icp_gcm_impl", gcm.to_owned());
    editor.property("zfs-get", &pool, "encryption", "aes-256-gcm")
}

fn direct(editor: &mut Editor) -> Edit {
    editor.since_version("2.3.0")?;
    editor.windowed()?;
    let pool = editor.pool()?.name.clone();
    let kstat = format!("zfs/{pool}/iostats");
    editor.counted(&kstat, "direct_write_count", 50_000)?;
    editor.counted(&kstat, "direct_write_bytes", 50_000 * 4_096)?;
    editor.counted(&kstat, "direct_read_count", 50_000)?;
    editor.counted(&kstat, "direct_read_bytes", 50_000 * 4_096)?;
    editor.refresh();
    editor.property("zfs-get", &pool, "direct", "always")
}
