//! Loads by what people do, as parts of a scenario file.
//!
//! `SIZE` stands for the data in use, `LINK` for the network in front, which may be nothing.

use arcwright_units::Bytes;

/// A load that the page offers.
#[derive(Debug)]
pub(crate) struct Load {
    /// Its name in links.
    pub(crate) id: &'static str,
    /// What people call it.
    pub(crate) label: &'static str,
    /// What is read and written, in a sentence.
    pub(crate) about: &'static str,
    /// The data in use, unless somebody says otherwise.
    pub(crate) size_gib: u64,
    /// What is on the pool before the first phase, and what happens.
    text: &'static str,
}

/// All of them, in the order of the page.
pub(crate) const LOADS: [Load; 6] = [
    Load {
        id: "games",
        label: "a Steam library",
        about: "Large files are read from beginning to end, three times over, as fast as it goes.",
        size_gib: 30,
        text: r#"
[[file]]
name = "games"
size = "SIZE"

[[phase]]
name = "first time"
clients = [{ read = "games", io = "1MiB"LINK }]

[[phase]]
name = "second time"
clients = [{ read = "games", io = "1MiB"LINK }]

[[phase]]
name = "third time"
clients = [{ read = "games", io = "1MiB"LINK }]

[[answer]]
arm = "as it is"
phase = "third time"
say = "As it is the third time runs at {here}."
"#,
    },
    Load {
        id: "film",
        label: "a film, and a copy beside it",
        about: "A film is played at 10 MiB/s while somebody copies other films as fast as it goes.",
        size_gib: 40,
        text: r#"
[[file]]
name = "film"
size = "SIZE"

[[file]]
name = "other films"
size = "SIZE"

[[phase]]
name = "film alone"
limit = "3min"
clients = [{ read = "film", io = "1MiB", rate = "10MiB/s"LINK }]

[[phase]]
name = "film and copy"
limit = "3min"
clients = [
  { read = "film", io = "1MiB", rate = "10MiB/s"LINK },
  { read = "other films", io = "1MiB"LINK },
]

[[answer]]
arm = "as it is"
phase = "film and copy"
say = "As it is the film and the copy run at {here} together."
"#,
    },
    Load {
        id: "small-files",
        label: "a copy of small files",
        about: "A tree of files of 4 to 128 KiB is read twice, as a backup does that looks into every file.",
        size_gib: 20,
        text: r#"
[[tree]]
name = "projects"
files = FILES
files_per_directory = 200
size_min = "4KiB"
size_max = "128KiB"

[[phase]]
name = "first copy"
clients = [{ tree-read = "projects"LINK }]

[[phase]]
name = "second copy"
clients = [{ tree-read = "projects"LINK }]

[[answer]]
arm = "as it is"
phase = "second copy"
measure = "operations"
say = "Files as it is, in the second copy: {here}."
"#,
    },
    Load {
        id: "vm-reads",
        label: "random reads of virtual machines",
        about: "Reads of 16 KiB from a volume, some places much more often than others (Zipf, 0.8), after as many that warm its caches.",
        size_gib: 100,
        text: r#"
[[zvol]]
name = "vms"
size = "SIZE"

[[phase]]
name = "warm up"
clients = [{ read = "vms", io = "16KiB", pattern = "zipf", zipf = 0.8, amount = "24GiB", depth = 8LINK }]

[[phase]]
name = "work"
clients = [{ read = "vms", io = "16KiB", pattern = "zipf", zipf = 0.8, amount = "3GiB", depth = 8LINK }]

[[answer]]
arm = "as it is"
phase = "work"
measure = "operations"
say = "Requests as it is: {here}."
"#,
    },
    Load {
        id: "sync-writes",
        label: "synchronous writes of virtual machines",
        about: "Four virtual machines write 16 KiB at random places, and each write waits for stable storage.",
        size_gib: 32,
        text: r#"
[[zvol]]
name = "vms"
size = "SIZE"
sync = "always"

[[phase]]
name = "work"
limit = "15s"
clients = [{ write = "vms", io = "16KiB", pattern = "random", depth = 2, amount = "1GiB", count = 4LINK }]

[[answer]]
arm = "as it is"
phase = "work"
measure = "sync-latency"
say = "As it is half of the synchronous writes are done in {here}."
"#,
    },
    Load {
        id: "database",
        label: "a database",
        about: "Reads and writes of 16 KiB, 70 % of them reads, some places much more often than others; every fourth write is flushed.",
        size_gib: 40,
        text: r#"
[[file]]
name = "database"
size = "SIZE"
recordsize = "16KiB"

[[phase]]
name = "warm up"
clients = [{ read = "database", io = "16KiB", pattern = "zipf", zipf = 0.9, amount = "16GiB", depth = 8LINK }]

[[phase]]
name = "work"
limit = "30s"
clients = [{ mixed = "database", read_pct = 70, io = "16KiB", pattern = "zipf", zipf = 0.9, fsync = 4, depth = 8, amount = "2GiB"LINK }]

[[answer]]
arm = "as it is"
phase = "work"
measure = "operations"
say = "Requests as it is: {here}."
"#,
    },
];

impl Load {
    /// Returns the load of this name.
    pub(crate) fn find(id: &str) -> Option<&'static Self> {
        LOADS.iter().find(|load| load.id == id)
    }

    /// Returns what people call it, as the beginning of a line.
    pub(crate) fn title(&self) -> String {
        let (first, rest) = self.label.split_at(1);
        first.to_uppercase() + rest
    }

    /// Returns its part of a scenario file, for so much data and a client's key `link`, which may be empty.
    pub(crate) fn parts(&self, size: Bytes, link: &str) -> String {
        /// The mean of files that are drawn from 4 to 128 KiB.
        const FILE_MEAN: u64 = 66 << 10;
        let files = size.0.div_ceil(FILE_MEAN).max(1);
        self.text
            .replace("SIZE", &format!("{}GiB", size.0 >> 30))
            .replace("FILES", &files.to_string())
            .replace("LINK", link)
    }
}
