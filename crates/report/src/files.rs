//! Accesses to files that were recorded, summed up, as text for a terminal and as JSON.

use arcwright_machine::{FileRow, FileSums, FileTable};
use arcwright_units::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::{Precision, three_digits};
use crate::reads::{count, share};
use crate::table::{Cell, Table, Tone, wrapped};
use crate::text::TextOptions;
use crate::version::FormVersion;

/// What was added to the JSON form since its first version.
const MINOR: u32 = 1;

/// A recording of accesses to files.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RecordedFiles {
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Bytes of the trace; absent where none was asked for.
    pub trace: Option<Bytes>,
    /// What was recorded.
    #[serde(flatten)]
    pub table: FileTable,
}

/// `arcwright record files --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FilesAnswer<'a> {
    /// Version of this shape.
    output_version: FormVersion,
    /// What was recorded.
    #[serde(flatten)]
    recorded: &'a RecordedFiles,
}

/// Returns a recording as indented JSON with a final newline.
///
/// # Errors
/// The serializer's.
pub fn files_json(recorded: &RecordedFiles) -> Result<String, serde_json::Error> {
    let output_version = FormVersion::new("arcwright record files", MINOR);
    serde_json::to_string_pretty(&FilesAnswer { output_version, recorded }).map(|text| text + "\n")
}

/// Returns the same as text, of each table the first `top` rows.
#[must_use]
pub fn files_text(recorded: &RecordedFiles, top: usize, options: &TextOptions) -> String {
    let table = &recorded.table;
    let mut parts = vec![wrapped("", &head(recorded), options.width)];
    let unsure = unsure(table);
    if !unsure.is_empty() {
        parts.push(wrapped("", &unsure, options.width));
    }
    let files = if table.volume_count > 0 { "Files and volumes" } else { "Files" };
    for (title, rows) in [("Datasets", &table.datasets), (files, &table.files)] {
        if !rows.is_empty() {
            parts.push(rows_of(title, rows.iter().take(top)).render(options.colour));
        }
    }
    if !table.not_covered.is_empty() {
        let lines = table.not_covered.iter().map(|what| wrapped("  ", what, options.width));
        let lines: String = lines.collect();
        parts.push(Tone::Strong.paint("Not in it", options.colour) + "\n" + &lines);
    }
    parts.join("\n")
}

fn head(recorded: &RecordedFiles) -> String {
    let RecordedFiles { seconds, table, .. } = recorded;
    let FileSums { reads, read, writes, written, syncs } = table.all;
    let bytes = |bytes| Precision::Rounded.bytes(bytes);
    let mut said = format!(
        "{} reads ({}), {} writes ({}) and {} fsyncs of {} in {} s.",
        count(reads),
        bytes(read),
        count(writes),
        bytes(written),
        count(syncs),
        files_and_volumes(table),
        three_digits(*seconds)
    );
    let mapped = [(table.mapped_reads, "reads"), (table.mapped_writes, "writes")];
    let mapped = mapped.into_iter().filter(|(number, _)| *number > 0);
    let mapped = mapped.map(|(number, what)| {
        format!(" {} of the {what} were pages of mapped files.", count(number))
    });
    said.extend(mapped);
    said.extend((table.empty_reads > 0).then(|| {
        let empty = count(table.empty_reads);
        format!(" {empty} more reads were at the end of a file and read nothing.")
    }));
    said
}

/// `3 files`, `1 file and 2 volumes`.
fn files_and_volumes(table: &FileTable) -> String {
    let said = |number: u64, what: &str| {
        format!("{} {what}{}", count(number), if number == 1 { "" } else { "s" })
    };
    match (table.file_count, table.volume_count) {
        (files, 0) => said(files, "file"),
        (0, volumes) => said(volumes, "volume"),
        (files, volumes) => format!("{} and {}", said(files, "file"), said(volumes, "volume")),
    }
}

/// Says what makes the recording less than what was done.
fn unsure(table: &FileTable) -> String {
    let recorded = table.all.reads + table.all.writes + table.all.syncs;
    let all = recorded + table.lost;
    let lost = Precision::Rounded.ratio(share(table.lost, all));
    let said = [
        (table.lost, format!("accesses were lost ({lost}): there were more than could be taken.")),
        (table.garbled, "lines of the tracer were not understood and were dropped.".to_owned()),
        (table.late, "accesses came late and have the time of the one before.".to_owned()),
        (
            table.others,
            "accesses were to files beyond a million, which the trace leaves out.".to_owned(),
        ),
    ];
    let said = said.into_iter().filter(|(number, _)| *number > 0);
    said.map(|(number, what)| format!("{} {what}", count(number))).collect::<Vec<_>>().join(" ")
}

fn rows_of<'a>(title: &str, rows: impl Iterator<Item = &'a FileRow>) -> Table {
    let mut shown = Table::default();
    let heads = [title, "reads", "read", "writes", "written", "fsyncs"];
    shown.cells(heads.map(|head| Cell::new(head, Tone::Strong)).to_vec());
    for FileRow { name, sums } in rows {
        let bytes = |bytes| Precision::Rounded.bytes(bytes);
        let cells = [
            name.clone(),
            count(sums.reads),
            bytes(sums.read),
            count(sums.writes),
            bytes(sums.written),
            count(sums.syncs),
        ];
        shown.cells(cells.into_iter().map(Cell::plain).collect());
    }
    shown
}

#[cfg(test)]
mod tests {
    use arcwright_machine::{FileRow, FileSums, FileTable};
    use arcwright_units::Bytes;

    use super::{RecordedFiles, files_json, files_text};
    use crate::text::TextOptions;

    fn recorded() -> RecordedFiles {
        let sums = |reads, writes| {
            let (read, written) = (Bytes::kib(128 * reads), Bytes::kib(4 * writes));
            FileSums { reads, read, writes, written, syncs: 2 }
        };
        let row = |name: &str, sums| FileRow { name: name.to_owned(), sums };
        let table = FileTable {
            all: sums(30, 10),
            mapped_reads: 3,
            mapped_writes: 0,
            empty_reads: 0,
            lost: 0,
            garbled: 0,
            late: 0,
            others: 0,
            file_count: 2,
            volume_count: 0,
            datasets: vec![row("tank/media", sums(30, 10))],
            files: vec![row("tank/media/128", sums(30, 0)), row("tank/media/129", sums(0, 10))],
            not_covered: vec!["Volumes.".to_owned()],
        };
        RecordedFiles { seconds: 60.0, trace: None, table }
    }

    #[test]
    fn sums_are_shown_by_dataset_and_file() {
        let text = files_text(&recorded(), 1, &TextOptions::default());
        let expected = [
            "30 reads (3.75 MiB), 10 writes (40 KiB) and 2 fsyncs of 2 files in 60.0 s. 3 of the reads were pages",
            "of mapped files.",
            "",
            "Datasets    reads      read  writes  written  fsyncs",
            "tank/media     30  3.75 MiB      10   40 KiB       2",
            "",
            "Files           reads      read  writes  written  fsyncs",
            "tank/media/128     30  3.75 MiB       0      0 B       2",
            "",
            "Not in it",
            "  Volumes.",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn volumes_are_counted_beside_files() {
        let check = |files: u64, volumes: u64, expected: &str| {
            let mut recorded = recorded();
            (recorded.table.file_count, recorded.table.volume_count) = (files, volumes);
            let text = files_text(&recorded, 1, &TextOptions::default());
            assert!(text.contains(&format!(" fsyncs of {expected} in 60.0 s.")), "{text}");
            assert_eq!(text.contains("Files and volumes  reads"), volumes > 0, "{text}");
        };
        check(1, 0, "1 file");
        check(2, 1, "2 files and 1 volume");
        check(0, 3, "3 volumes");
    }

    #[test]
    fn what_was_lost_is_said() {
        let mut recorded = recorded();
        recorded.table.lost = 42;
        recorded.table.garbled = 1;
        let text = files_text(&recorded, 1, &TextOptions::default());
        let line = text.lines().find(|line| line.contains("lost")).unwrap();
        assert!(line.starts_with("42 accesses were lost (50.0 %): there were more"), "{line}");
        let json: serde_json::Value =
            serde_json::from_str(&files_json(&recorded).unwrap()).unwrap();
        assert_eq!(json["lost"], 42);
        assert_eq!(json["files"][0]["read"], 30 * 128 * 1024);
    }
}
