//! Texts of one row for each of very many: what no machine has, and somebody may send.

use super::Way;

/// So many pools of a list of datasets.
const POOLS: usize = 250;

/// Rows below a head, each made of its number.
struct Rows {
    /// The source that has them.
    name: &'static str,
    head: &'static str,
    row: fn(usize) -> String,
    /// So many bytes at most, where a reader has a limit of its own below that of all inputs: what is refused
    /// at its door takes nothing.
    bytes_max: usize,
}

const MB: usize = 1_000_000;

const IOSTAT: &str = "             capacity     operations     bandwidth\n\
                      pool       alloc   free   read  write   read  write\n\
                      ---------- -----  -----  -----  -----  -----  -----\n";

const ALL: [Rows; 9] = [
    Rows {
        name: "commands/zpool-list",
        head: "NAME SIZE ALLOC FREE CKPOINT EXPANDSZ FRAG CAP DEDUP HEALTH ALTROOT\n",
        row: |at| format!("pool{at}\t10G\t5G\t5G\t-\t-\t1%\t50%\t1.00x\tONLINE\t-\n"),
        bytes_max: 13 * MB,
    },
    Rows {
        name: "commands/zpool-iostat",
        head: IOSTAT,
        row: |at| format!("pool{at}       5G  5G  10  20  1M  2M\n"),
        bytes_max: 10 * MB,
    },
    Rows {
        name: "commands/zpool-iostat",
        head: IOSTAT,
        row: |_| "tank       5G  5G  10  20  1M  2M\n".to_owned(),
        bytes_max: 8 * MB,
    },
    Rows {
        name: "commands/zfs-get",
        head: "",
        row: |at| {
            let name = format!("pool{}/set{at}", at % POOLS);
            format!("{name}\tcompression\tlz4\tlocal\n{name}\tprimarycache\tall\tdefault\n")
        },
        bytes_max: 16 * MB,
    },
    Rows {
        name: "commands/zpool-status",
        head: "",
        row: |at| {
            format!(
                "  pool: pool{at}\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\
                 \tpool{at} ONLINE 0 0 0\n\t  sd{at} ONLINE 0 0 0\n\nerrors: No known data errors\n\n"
            )
        },
        bytes_max: 4 * MB,
    },
    Rows {
        name: "commands/zpool-status",
        head: "",
        row: |at| {
            let name = "a".repeat(8000);
            format!(
                "  pool: pool{at}{name}\n state: DEGRADED\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\
                 \tpool{at}{name} DEGRADED 0 0 0\n\t  sd{at} FAULTED 4 0 0\n\nerrors: 1 data errors\n\n"
            )
        },
        bytes_max: 16 * MB,
    },
    Rows {
        name: "commands/zpool-list",
        head: "NAME SIZE ALLOC FREE CKPOINT EXPANDSZ FRAG CAP DEDUP HEALTH ALTROOT\n",
        row: |_| {
            format!("{}\t10G\t9.9G\t0.1G\t-\t-\t91%\t99%\t1.00x\tONLINE\t-\n", "a".repeat(15 * MB))
        },
        bytes_max: 16 * MB,
    },
    Rows {
        name: "commands/zfs-get",
        head: "",
        row: |at| format!("tank/{}{at}\tsync\tdisabled\tlocal\n", "a".repeat(8000)),
        bytes_max: 16 * MB,
    },
    Rows {
        name: "links",
        head: "",
        row: |at| format!("/dev/zvol/tank/vol{at} -> ../../zd{}\n", at * 16),
        bytes_max: 10 * MB,
    },
];

/// What names disks beside the status of their pool.
const BESIDE: [Rows; 11] = [
    Rows {
        name: "links",
        head: "",
        row: |at| format!("/dev/disk/by-id/wwn-0x{at:016x} -> ../../sd{at}\n"),
        bytes_max: 16 * MB,
    },
    Rows {
        name: "commands/lsblk",
        head: "{\"blockdevices\":[{\"name\":\"sd\"}",
        row: |at| format!(",{{\"name\":\"sd{at}\",\"wwn\":\"0x{at:016x}\",\"rota\":true}}"),
        bytes_max: 16 * MB,
    },
    Rows {
        name: "commands/geom-disk-list",
        head: "",
        row: |at| format!("Geom name: da{at}\nProviders:\n1. Name: da{at}\n   ident: {at}\n\n"),
        bytes_max: 16 * MB,
    },
    Rows {
        name: "commands/dmesg",
        head: "",
        row: |at| {
            format!("[{at}.5] sd {at}:0:0:0: [sd{at}] tag#1 FAILED Result: hostbyte=DID_OK\n")
        },
        bytes_max: 16 * MB,
    },
    Rows {
        name: "commands/zpool-iostat",
        head: IOSTAT,
        row: |at| format!("  wwn-0x{at:016x}  -  -  1  2  1K  2K\n"),
        bytes_max: 16 * MB,
    },
    Rows {
        name: "commands/zpool-list",
        head: "tank\t10G\t5G\t5G\t-\t-\t1%\t50%\t1.00x\tONLINE\t-\n",
        row: |at| format!("\twwn-0x{at:016x}\t1G\t1G\t1G\t-\t-\t1%\t50%\t-\tONLINE\n"),
        bytes_max: 16 * MB,
    },
    Rows {
        name: "commands/zpool-get",
        head: "",
        row: |at| format!("wwn-0x{at:016x}\tashift\t12\tlocal\n"),
        bytes_max: 16 * MB,
    },
    Rows {
        name: "commands/zdb",
        head: "",
        row: |at| format!("path: '/dev/disk/by-id/wwn-0x{at:016x}'\nashift: 12\n"),
        bytes_max: 16 * MB,
    },
    Rows {
        name: "commands/zfs-get",
        head: "",
        row: |at| format!("root{at}\tused\t9999\t-\nroot{at}\tavailable\t1\t-\n"),
        bytes_max: 16 * MB,
    },
    Rows {
        name: "commands/iostat",
        head: "Device            r/s     rkB/s   r_await     w/s     wkB/s   w_await  aqu-sz  %util\n",
        row: |at| format!("sd{at}     1.00     4.00   1.00     1.00    4.00  1.00   0.01   1.00\n"),
        bytes_max: 16 * MB,
    },
    Rows {
        name: "commands/gstat",
        head: "dT: 1.005s  w: 1.000s\n L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w   %busy Name\n",
        row: |at| {
            format!("    0      2      1      4    1.0      1      4    0.1    0.1| da{at}\n")
        },
        bytes_max: 16 * MB,
    },
];

/// Returns a pool of very many disks, beside each text that names as many.
pub(super) fn disks() -> impl Iterator<Item = (String, String, Way)> {
    const DISKS: usize = 40_000;
    const HEAD: &str = "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\
                        \ttank ONLINE 0 0 0\n";
    let rows = (0..DISKS).map(|at| format!("\t  wwn-0x{at:016x} ONLINE 0 0 0\n"));
    let status: String = std::iter::once(HEAD.to_owned()).chain(rows).collect();
    BESIDE.iter().map(move |rows| {
        let end = if rows.head.starts_with('{') { "]}" } else { "" };
        let lines: String = (0..DISKS).map(rows.row).collect();
        let beside = (rows.name.to_owned(), [rows.head, &lines, end].concat());
        let way = Way::Beside("commands/zpool-status".to_owned(), beside);
        (format!("{DISKS} disks beside {}", rows.name), status.clone(), way)
    })
}

/// Returns every text of many rows with its name, pasted and under the name of its source.
pub(super) fn all() -> impl Iterator<Item = (String, String, Way)> {
    ALL.iter().flat_map(|rows| {
        let what = match ((rows.row)(0), (rows.row)(1)) {
            (first, _) if first.len() > 8000 => "long names",
            (first, second) if first == second => "the same row",
            _ => "a row each",
        };
        let text = rows.text();
        let ways = [("pasted", Way::Paste), ("named", Way::Named(rows.name.to_owned()))];
        ways.map(|(how, way)| (format!("{}, {what}, {how}", rows.name), text.clone(), way))
    })
}

/// Returns a journal of operations that are done and can be undone, as long as one may be.
pub(super) fn journal() -> String {
    const JOURNAL_BYTES: usize = 8 * MB;
    let lines = |operation: usize| {
        ["planned", "done"].map(|event| {
            format!(
                "{{\"v\":1,\"operation\":{operation},\"step\":0,\"time\":7,\"who\":\"anna\",\
                 \"why\":\"w\",\"event\":\"{event}\",\"action\":{{\"kind\":\"live\",\
                 \"name\":\"l2arc_noprefetch\",\"module\":\"zfs\",\"old\":\"1\",\"new\":\"0\"}}}}\n"
            )
        })
    };
    until(JOURNAL_BYTES, (1..).flat_map(lines))
}

impl Rows {
    fn text(&self) -> String {
        let rows = (0..).map(self.row);
        until(self.bytes_max, std::iter::once(self.head.to_owned()).chain(rows))
    }
}

/// Joins parts up to so many bytes.
fn until(bytes_max: usize, parts: impl Iterator<Item = String>) -> String {
    let mut text = String::with_capacity(bytes_max);
    for part in parts {
        if text.len() + part.len() > bytes_max {
            break;
        }
        text.push_str(&part);
    }
    text
}
