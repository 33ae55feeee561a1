//! A job as clients and the files they work on.

use arcwright_units::Bytes;

use super::Job;
use crate::Client;

/// A file that must be there before the job runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileNeed {
    /// Its name.
    pub name: String,
    /// Its size.
    pub size: Bytes,
}

impl Job {
    /// Returns the files of all clones, each once, and a client per clone.
    #[must_use]
    pub fn expand(&self) -> (Vec<FileNeed>, Vec<Client>) {
        let mut files: Vec<FileNeed> = Vec::new();
        let mut clients = Vec::new();
        for clone in 0..self.clones {
            let names = self.names(clone);
            // Clones share the files that the job names.
            if clone == 0 || self.filenames.is_none() {
                let size = self.amounts.file_size;
                files.extend(names.iter().map(|name| FileNeed { name: name.clone(), size }));
            }
            clients.push(self.client(names));
        }
        (files, clients)
    }

    /// Returns the names of the files of one clone, as fio gives them.
    fn names(&self, clone: u32) -> Vec<String> {
        let made = |file: u32| format!("{}.{clone}.{file}", self.name);
        self.filenames.clone().unwrap_or_else(|| (0..self.amounts.files).map(made).collect())
    }

    fn client(&self, names: Vec<String>) -> Client {
        let mut names = names.into_iter();
        let first = names.next().unwrap_or_default();
        Client {
            action: self.kind.action.clone(),
            more_files: names.collect(),
            label: Some(self.name.clone()),
            io_max: self.requests.io_max,
            pattern: self.kind.pattern,
            amount: Some(self.amounts.amount),
            durability: self.durability,
            depth: self.depth,
            start: self.start,
            think: self.think,
            rate: self.rate,
            ..Client::reader(&first, self.requests.io)
        }
    }
}
