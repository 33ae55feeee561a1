//! Who reads, writes and waits: datasets, processes and files, as text for a terminal and as JSON.

use arcwright_machine::{DatasetTable, ObjectRow, ObjectTable, ProcessTable};
use arcwright_units::{Bytes, visible};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::{ABSENT, Precision, bar, three_digits};
use crate::table::{Cell, Table, Tone, wrapped};
use crate::text::TextOptions;
use crate::version::FormVersion;

/// What was added to the JSON form since its first version.
const MINOR: u32 = 0;
/// Letters of a bar.
const BAR: usize = 10;

/// Who uses a machine's pools.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Usage {
    /// The machine's name, or where it was captured.
    pub machine: String,
    /// Datasets; absent where none are counted.
    pub datasets: Option<DatasetTable>,
    /// Processes; absent of a capture, and where the system does not tell.
    pub processes: Option<ProcessTable>,
    /// Files whose blocks are in use; absent where they were not asked for or not read.
    pub objects: Option<ObjectTable>,
    /// What is not known, and why, one sentence each.
    pub unknown: Vec<String>,
}

/// `arcwright who --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WhoAnswer<'a> {
    /// Version of this shape.
    output_version: FormVersion,
    /// Who uses the pools.
    #[serde(flatten)]
    usage: &'a Usage,
}

/// Returns who uses a machine's pools as indented JSON with a final newline.
///
/// # Errors
/// The serializer's, for numbers that JSON cannot hold.
pub fn who_json(usage: &Usage) -> Result<String, serde_json::Error> {
    let answer = WhoAnswer { output_version: FormVersion::new("arcwright who", MINOR), usage };
    serde_json::to_string_pretty(&answer).map(|text| text + "\n")
}

/// Returns the same as text, of each table the first `top` rows.
#[must_use]
pub fn who_text(usage: &Usage, top: usize, options: &TextOptions) -> String {
    let page = Page { top, options };
    let mut parts = vec![page.head(usage)];
    parts.extend(usage.datasets.as_ref().map(|table| page.datasets(table)));
    parts.extend(usage.processes.as_ref().map(|table| page.processes(table)));
    parts.extend(usage.objects.as_ref().map(|table| page.objects(table)));
    if !usage.unknown.is_empty() {
        let line = |why: &String| wrapped("  ", why, options.width);
        let unknown: String = usage.unknown.iter().map(line).collect();
        parts.push(page.title("Not known") + &unknown);
    }
    parts.join("\n")
}

struct Page<'a> {
    top: usize,
    options: &'a TextOptions,
}

impl Page<'_> {
    fn title(&self, title: &str) -> String {
        Tone::Strong.paint(title, self.options.colour) + "\n"
    }

    /// Says of how long it is, and what missed altogether.
    fn head(&self, usage: &Usage) -> String {
        let seconds = usage
            .datasets
            .as_ref()
            .map(|table| table.seconds)
            .or(usage.processes.as_ref().map(|table| table.seconds));
        let over = seconds
            .filter(|seconds| *seconds > 0.0)
            .map_or_else(String::new, |seconds| format!(", over {} s", three_digits(seconds)));
        let machine = visible(&usage.machine).into_owned();
        let mut text = self.title(&format!("{machine}: who reads, writes and waits{over}"));
        let counted = usage.datasets.as_ref().and_then(|table| Some((table.misses?, table)));
        let Some((misses, table)) = counted else { return text };
        let of_all = table.arc_share.map_or_else(
            || "nothing asked the ARC".to_owned(),
            |share| {
                format!(
                    "The ARC had {} of what programs asked for",
                    Precision::Rounded.ratio(Some(share))
                )
            },
        );
        let missed = format!("{} accesses per second missed it", three_digits(misses));
        let l2 = table.l2_misses.map_or_else(String::new, |l2| {
            format!(
                "; reads ahead included, {} per second were not in the L2ARC either",
                three_digits(l2)
            )
        });
        let said = format!("{of_all}; {missed}{l2}. OpenZFS does not count whose they were.");
        text.push_str(&wrapped("", &said, self.options.width));
        text
    }

    fn datasets(&self, table: &DatasetTable) -> String {
        let heads = [
            "Datasets",
            "read",
            "",
            "written",
            "reads/s",
            "writes/s",
            "commits/s",
            "record",
            "ARC",
            "L2ARC",
        ];
        let mut shown = Table::default();
        shown.cells(heads.map(|head| Cell::new(head, Tone::Strong)).to_vec());
        let all: f64 = table.rows.iter().filter_map(|row| row.read).sum();
        let idle = |rate: Option<f64>| rate.is_some_and(|rate| rate <= 0.0);
        let busy = table.rows.iter().filter(|row| !(idle(row.read) && idle(row.written)));
        let (busy, quiet): (Vec<_>, usize) =
            (busy.clone().take(self.top).collect(), table.rows.len() - busy.count());
        for row in &busy {
            let share = row.read.filter(|_| all > 0.0).map(|read| read / all);
            let cells = [
                row.name.clone(),
                bytes_per_second(row.read),
                bar(share, BAR),
                bytes_per_second(row.written),
                rate(row.reads),
                rate(row.writes),
                rate(row.commits),
                row.recordsize.map_or_else(String::new, |size| Bytes(size).to_string()),
                kept(row.primarycache.as_deref()),
                kept(row.secondarycache.as_deref()),
            ];
            shown.cells(cells.into_iter().map(Cell::plain).collect());
        }
        shown.drop_silent_columns(&[6]);
        let more = table.rows.len() - quiet - busy.len() + table.more;
        let rest = match (more, quiet) {
            (0, 0) => String::new(),
            (0, quiet) => format!("{quiet} more did nothing"),
            (more, quiet) => format!("{more} more did less (--top), {quiet} nothing"),
        };
        shown.render(self.options.colour) + &self.note(&rest)
    }

    fn processes(&self, table: &ProcessTable) -> String {
        let mut shown = Table::default();
        let heads = ["Processes", "read", "written", "waiting"];
        shown.cells(heads.map(|head| Cell::new(head, Tone::Strong)).to_vec());
        for row in table.rows.iter().take(self.top) {
            let name = match (row.processes, row.pids.first()) {
                (1, Some(pid)) => format!("{} ({pid})", row.name),
                (count, _) => format!("{} ({count} processes)", row.name),
            };
            let cells = [
                name,
                bytes_per_second(row.read),
                bytes_per_second(row.written),
                if row.waiting > 0.0 { format!("{:.2}", row.waiting) } else { "0".to_owned() },
            ];
            shown.cells(cells.into_iter().map(Cell::plain).collect());
        }
        let mut text = shown.render(self.options.colour);
        let more = table.rows.len().saturating_sub(self.top) + table.more;
        let mut notes = Vec::new();
        if table.rows.is_empty() {
            notes.push("no process whose bytes could be read did anything".to_owned());
        } else {
            notes.push(
                "Bytes are those of all read and write calls, hit or miss; waiting: threads that waited for a device, \
                 in the mean"
                    .to_owned(),
            );
        }
        if more > 0 {
            notes.push(format!("{more} more did less (--top)"));
        }
        if table.hidden > 0 {
            notes.push(format!("bytes of {} processes are for root to see", table.hidden));
        }
        text.push_str(&self.note(&notes.join("; ")));
        text
    }

    fn objects(&self, table: &ObjectTable) -> String {
        let mut shown = Table::default();
        let heads = ["Files in use", "blocks", "bytes", "ARC hits", "lost too early", "L2ARC hits"];
        shown.cells(heads.map(|head| Cell::new(head, Tone::Strong)).to_vec());
        let count = |count: Option<u64>| {
            count.map_or_else(|| "?".to_owned(), |count| Precision::Rounded.count(count))
        };
        for row in table.rows.iter().take(self.top) {
            let cells = [
                object(row),
                Precision::Rounded.count(row.blocks),
                Bytes(row.bytes).to_string(),
                count(row.hits),
                count(row.ghost_hits),
                count(row.l2_hits),
            ];
            shown.cells(cells.into_iter().map(Cell::plain).collect());
        }
        let mut notes = vec![
            "Blocks in use or used last, not all that the ARC holds; lost too early: asked for again after \
             they had been evicted, all since each came into memory; names are those of files that are open"
                .to_owned(),
        ];
        let more = table.rows.len().saturating_sub(self.top) + table.more;
        if more > 0 {
            notes.push(format!("{more} more (--top)"));
        }
        if table.left_out > 0 {
            notes.push(format!("{} blocks of further files are left out", table.left_out));
        }
        if table.unread > 0 {
            notes.push(format!("{} lines of the list were not understood", table.unread));
        }
        shown.render(self.options.colour) + &self.note(&notes.join("; "))
    }

    fn note(&self, said: &str) -> String {
        if said.is_empty() { String::new() } else { wrapped("  ", said, self.options.width) }
    }
}

/// Returns the name that a person knows an object by, as far as one is known.
fn object(row: &ObjectRow) -> String {
    let dataset = row.dataset.clone().unwrap_or_else(|| match row.objset {
        0 => row.pool.clone(),
        number => format!("{} dataset {number}", row.pool),
    });
    match (&row.path, row.kind) {
        (Some(path), _) => format!("{dataset}: {path}"),
        (None, Some(kind @ ("dnodes" | "volume"))) => format!("{dataset}: {kind}"),
        (None, Some(kind)) => format!("{dataset}: {kind} {}", row.object),
        (None, None) => format!("{dataset}: object {}", row.object),
    }
}

fn bytes_per_second(rate: Option<f64>) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate from zero on"
    )]
    let whole = |rate: f64| Bytes(rate.round() as u64);
    match rate {
        None => "?".to_owned(),
        Some(rate) if rate < 0.5 => "0".to_owned(),
        Some(rate) => format!("{}/s", whole(rate)),
    }
}

fn rate(rate: Option<f64>) -> String {
    rate.map_or_else(|| ABSENT.to_owned(), three_digits)
}

/// Returns what a dataset lets a cache keep, where it is not all.
fn kept(property: Option<&str>) -> String {
    property.filter(|property| *property != "all").unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use arcwright_machine::{
        DatasetRow, DatasetTable, ObjectRow, ObjectTable, ProcessRow, ProcessTable,
    };

    use super::{Usage, who_json, who_text};
    use crate::text::TextOptions;

    fn dataset(name: &str, read: Option<f64>, primarycache: Option<&str>) -> DatasetRow {
        DatasetRow {
            name: name.to_owned(),
            read,
            reads: read.map(|read| read / 1000.0),
            written: Some(0.0),
            writes: Some(0.0),
            commits: None,
            primarycache: primarycache.map(str::to_owned),
            secondarycache: None,
            recordsize: Some(131_072),
        }
    }

    fn usage() -> Usage {
        let rows = vec![
            dataset("tank/media", Some(3e6), Some("metadata")),
            dataset("tank/home", Some(1e6), Some("all")),
            dataset("tank/idle", Some(0.0), None),
            dataset("tank/old", None, None),
        ];
        let process = ProcessRow {
            name: "smbd".to_owned(),
            processes: 2,
            pids: vec![7, 8],
            read: None,
            written: Some(0.0),
            waiting: 0.5,
        };
        let file = ObjectRow {
            pool: "tank".to_owned(),
            dataset: Some("tank/media".to_owned()),
            objset: 81,
            object: 7,
            path: Some("/films/a.mkv".to_owned()),
            kind: Some("file"),
            blocks: 9,
            bytes: 9 << 17,
            hits: Some(12),
            ghost_hits: None,
            l2_hits: Some(0),
        };
        Usage {
            machine: "nas\u{1b}".to_owned(),
            datasets: Some(DatasetTable {
                seconds: 10.0,
                rows,
                more: 0,
                misses: Some(125.0),
                l2_misses: None,
                arc_share: Some(0.9),
                is_counted: true,
            }),
            processes: Some(ProcessTable {
                seconds: 10.0,
                rows: vec![process],
                more: 0,
                hidden: 4,
            }),
            objects: Some(ObjectTable {
                rows: vec![file],
                more: 2,
                blocks: 9,
                unread: 0,
                left_out: 0,
            }),
            unknown: vec!["why".to_owned()],
        }
    }

    #[test]
    fn what_is_not_known_is_a_question_mark_and_no_zero() {
        let text = who_text(&usage(), 10, &TextOptions::default());
        let expected = [
            "nas\\x1b: who reads, writes and waits, over 10.0 s",
            "The ARC had 90.0 % of what programs asked for; 125 accesses per second missed it. OpenZFS does not",
            "count whose they were.",
            "",
            "Datasets          read              written  reads/s  writes/s   record       ARC",
            "tank/media  2.86 MiB/s  ▇▇▇▇▇▇▇▇          0     3000         0  128 KiB  metadata",
            "tank/home    977 KiB/s  ▇▇▇               0     1000         0  128 KiB",
            "tank/old             ?                    0        -         0  128 KiB",
            "  1 more did nothing",
            "",
            "Processes           read  written  waiting",
            "smbd (2 processes)     ?        0     0.50",
            "  Bytes are those of all read and write calls, hit or miss; waiting: threads that waited for a",
            "  device, in the mean; bytes of 4 processes are for root to see",
            "",
            "Files in use              blocks     bytes  ARC hits  lost too early  L2ARC hits",
            "tank/media: /films/a.mkv       9  1.12 MiB        12               ?           0",
            "  Blocks in use or used last, not all that the ARC holds; lost too early: asked for again after they",
            "  had been evicted, all since each came into memory; names are those of files that are open; 2 more",
            "  (--top)",
            "",
            "Not known",
            "  why",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn json_keeps_absent_apart_from_zero() {
        let json: serde_json::Value = serde_json::from_str(&who_json(&usage()).unwrap()).unwrap();
        assert_eq!(json["processes"]["rows"][0]["read"], serde_json::Value::Null);
        assert_eq!(json["datasets"]["rows"][2]["read"], 0.0);
        assert_eq!(json["output_version"]["command"], "arcwright who");
    }
}
