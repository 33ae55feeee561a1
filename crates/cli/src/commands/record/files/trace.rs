//! The trace that is being written: lines of CSV, in a draft that only its owner may read, up to a size.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, BufWriter, Seek as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
use arcwright_machine::{AccessKind, FileAccess};
use arcwright_units::Bytes;
use tempfile::NamedTempFile;

use super::labels::Labels;
use crate::output::Pending;

/// The first line, as `arcwright trace` reads it; times are seconds since the first access.
const COLUMNS: &str = "time,volume,op,offset,bytes\n";
const NANOS: u64 = 1_000_000_000;

/// A trace in the making.
pub(super) struct TraceFile {
    place: Pending,
    draft: BufWriter<NamedTempFile>,
    begin: Option<u64>,
    written: u64,
    limit: u64,
}

impl TraceFile {
    pub(super) fn begin(path: &Path, limit: Bytes) -> anyhow::Result<Self> {
        let place = Pending::begin(path)?;
        let mut draft = BufWriter::new(place.private_draft()?);
        draft.write_all(COLUMNS.as_bytes())?;
        Ok(Self { place, draft, begin: None, written: COLUMNS.len() as u64, limit: limit.0 })
    }

    /// Writes an access; its volume is named as [`TraceFile::complete`] understands it.
    pub(super) fn write(&mut self, access: &FileAccess, labels: &Labels) -> anyhow::Result<()> {
        let begin = *self.begin.get_or_insert(access.at);
        let volume = labels.file((access.device, access.inode));
        let line = line(access, begin, &volume);
        self.written += line.len() as u64;
        self.draft.write_all(line.as_bytes()).context("failed to write the trace")
    }

    /// Whether it has the size that it may have.
    pub(super) fn is_full(&self) -> bool {
        self.written >= self.limit
    }

    /// Gives the trace its name and returns its size. Where paths were found since, each volume in it gets its own.
    pub(super) fn complete(mut self, renamed: &BTreeMap<String, String>) -> anyhow::Result<Bytes> {
        if !renamed.is_empty() {
            self.rename(renamed).context("failed to write the names into the trace")?;
        }
        let draft = self.draft.into_inner().context("failed to write the trace")?;
        let size = draft.as_file().metadata().context("failed to look at the trace")?.len();
        self.place.complete_new_draft(draft)?;
        Ok(Bytes(size))
    }

    /// Writes it once more with other names.
    fn rename(&mut self, renamed: &BTreeMap<String, String>) -> anyhow::Result<()> {
        self.draft.flush()?;
        let mut old = self.draft.get_mut().reopen()?;
        old.rewind()?;
        let mut new = BufWriter::new(self.place.private_draft()?);
        for line in BufReader::new(old).lines() {
            let line = line?;
            let mut parts = line.splitn(3, ',');
            let found = parts.next().zip(parts.next()).zip(parts.next());
            let Some(((time, volume), rest)) = found else { continue };
            let volume = renamed.get(volume).map_or(volume, String::as_str);
            writeln!(new, "{time},{volume},{rest}")?;
        }
        self.draft = new;
        Ok(())
    }
}

fn line(access: &FileAccess, begin: u64, volume: &str) -> String {
    let FileAccess { at, offset, bytes, kind, .. } = *access;
    let time = at.saturating_sub(begin);
    let (seconds, rest) = (time / NANOS, time % NANOS);
    let op = AccessKind::in_trace(kind);
    format!("{seconds}.{rest:09},{volume},{op},{offset},{bytes}\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::os::unix::fs::PermissionsExt as _;

    use arcwright_host::file_trace::{MountedDataset, MountedDatasets};
    use arcwright_machine::{AccessKind, FileAccess};
    use arcwright_units::Bytes;

    use super::TraceFile;
    use crate::arguments::FileNames;
    use crate::commands::record::files::labels::Labels;

    fn access(at: u64, kind: AccessKind) -> FileAccess {
        FileAccess { at, device: 45, inode: 128, offset: 4096, bytes: 512, kind }
    }

    #[test]
    fn a_trace_has_a_line_for_each_access_and_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("files.csv");
        let dataset = MountedDataset { name: "tank/a".to_owned(), place: None };
        let labels = Labels::new(FileNames::Numbers, MountedDatasets::from([(45, dataset)]));
        // More than its head and a line, which have 65 bytes.
        let mut trace = TraceFile::begin(&path, Bytes(70)).unwrap();
        trace.write(&access(1_000, AccessKind::Read), &labels).unwrap();
        assert!(!trace.is_full());
        trace.write(&access(2_000_001_000, AccessKind::MappedWrite), &labels).unwrap();
        assert!(trace.is_full());
        let renamed = BTreeMap::from([("tank/a/128".to_owned(), "tank/a:/film".to_owned())]);
        trace.complete(&renamed).unwrap();
        let expected = "time,volume,op,offset,bytes\n0.000000000,tank/a:/film,read,4096,512\n\
            2.000000000,tank/a:/film,write,4096,512\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        // What has come there meanwhile stays.
        let trace = TraceFile::begin(&path, Bytes(60)).unwrap();
        assert!(trace.complete(&BTreeMap::new()).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
