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

const ALL: [Rows; 6] = [
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
        name: "links",
        head: "",
        row: |at| format!("/dev/zvol/tank/vol{at} -> ../../zd{}\n", at * 16),
        bytes_max: 10 * MB,
    },
];

/// Returns every text of many rows with its name, pasted and under the name of its source.
pub(super) fn all() -> impl Iterator<Item = (String, String, Way)> {
    ALL.iter().flat_map(|rows| {
        let what = if (rows.row)(0) == (rows.row)(1) { "the same row" } else { "a row each" };
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
