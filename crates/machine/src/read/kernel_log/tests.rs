//! What drivers say in the kernel's log, and what is none of it.

use arcwright_units::Nanos;

use super::{TroubleKind, hung, is_line, is_of_kernel, suspended, trouble};

#[test]
fn each_driver_tells_in_its_own_words() {
    use TroubleKind::{Broken, Failed, Gone, Limited, Recorded, Slow, Transfer, Unreadable};
    for (line, device, kind) in [
        (
            "[ 9309.788008] print_req_error: critical medium error, dev sdc, sector 45059769",
            "sdc",
            Unreadable,
        ),
        ("[12.5] blk_update_request: I/O error, dev sdb, sector 8 op 0x0:(READ)", "sdb", Failed),
        ("May  1 10:45:50 pve kernel: ata3.00: error: { UNC }", "ata3", Unreadable),
        ("ata3: SError: { UnrecovData BadCRC Handshk }", "ata3", Transfer),
        (
            "zed: eid=0 class=io pool='tank' vdev=/dev/disk/by-id/ata-X-part1",
            "ata-X-part1",
            Recorded,
        ),
        ("ata3: hard resetting link", "ata3", Slow),
        ("[12.1] ata3: SATA link up 1.5 Gbps (SStatus 113 SControl 310)", "ata3", Limited),
        (
            "[Sun Nov 15 10:00:02 2026] sd 4:0:1:0: [sdc] tag#5 FAILED Result: hostbyte=DID_TIME_OUT driverbyte=DRIVER_OK",
            "sdc",
            Slow,
        ),
        ("sd 4:0:2:0: [sde] tag#5 FAILED Result: hostbyte=DID_SOFT_ERROR", "sde", Failed),
        ("sd 6:0:0:1: [sdc] tag#20 uas_eh_abort_handler 0 uas-tag 5 inflight: CMD", "sdc", Slow),
        ("xhci_hcd 0000:04:00.0: HC died; cleaning up", "USB controller 0000:04:00.0", Gone),
        ("Nov 15 10:00:02 nas (ada4:ahcich4:0:0:0): Periph destroyed", "ada4", Gone),
        ("sd 6:0:0:0: [sdd] tag#7 Sense Key : Medium Error [current]", "sdd", Unreadable),
        (
            "sd 6:0:0:0: [sdd] Add. Sense: Unrecovered read error - auto reallocate failed",
            "sdd",
            Unreadable,
        ),
        ("sd 6:0:0:0: [sdd] tag#7 Sense Key : Hardware Error [current]", "sdd", Broken),
        ("sd 6:0:0:0: [sdd] Add. Sense: No defect spare location available", "sdd", Broken),
        ("(da1:mps0:0:1:0): SCSI sense: HARDWARE FAILURE asc:32,0", "da1", Broken),
        ("end_request: I/O error, dev zd16, sector 137022", "zd16", Failed),
        ("nvme nvme0: I/O 12 QID 3 timeout, aborting", "nvme0", Slow),
        ("nvme nvme1: controller is down; will reset: CSTS=0xffffffff", "nvme1", Gone),
        (
            "kernel: zio pool=tank vdev=/dev/sdc1 error=5 type=1 offset=270336 size=8192",
            "sdc1",
            Failed,
        ),
        ("10:45:50 pve kernel: usb 3-2: USB disconnect, device number 2", "usb 3-2", Gone),
        ("(ada1:ahcich1:0:0:0): CAM status: Uncorrectable parity/CRC error", "ada1", Transfer),
        ("(ada0:ahcich0:0:0:0): ATA status: 41 (DRDY ERR), error: 40 (UNC )", "ada0", Unreadable),
        (
            "(da0:mps0:0:8:0): SCSI sense: MEDIUM ERROR asc:11,0 (Unrecovered read error)",
            "da0",
            Unreadable,
        ),
        ("(ada0:ahcich0:0:0:0): CAM status: Command timeout", "ada0", Slow),
    ] {
        let said = super::body(line.strip_prefix("kernel: ").unwrap_or(line));
        assert_eq!(trouble(said), Some((device.to_owned(), kind)), "{line}");
    }
}

#[test]
fn tasks_that_wait_are_told() {
    for (line, name, seconds) in [
        ("INFO: task txg_sync:897 blocked for more than 122 seconds.", "txg_sync", 122),
        ("INFO: task postgres state:D ... blocked for more than 368 seconds.", "postgres", 368),
    ] {
        assert_eq!(hung(line), Some((name, Nanos(seconds * 1_000_000_000))), "{line}");
        assert!(is_of_kernel(line), "{line}");
    }
    assert_eq!(hung("my task txg_sync was blocked for more than 9 seconds"), None);
}

#[test]
fn other_lines_tell_nothing() {
    for line in [
        "ahcich0: is 00000000 cs 00004000 ss 00000000 rs 00004000 tfd c0 serr 00000000",
        "pve zed[1413526]: eid=187 class=data pool='tank' priority=3 err=28",
    ] {
        assert!(is_line(line) && !is_of_kernel(line), "{line}");
    }
    assert_eq!(trouble("(ada1:ahcich1:0:0:0): Retrying command"), None);
    assert_eq!(trouble("blk_update_request: I/O error, dev sr0, sector 0"), None);
    for prose in ["I saw an error: what now?", "data: fine", "it has: (a) none", ""] {
        assert!(!is_of_kernel(prose), "{prose}");
    }
    let said =
        "WARNING: Pool 'tank' has encountered an uncorrectable I/O failure and has been suspended.";
    assert_eq!(suspended(said), Some("tank"));
}
