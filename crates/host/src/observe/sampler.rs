//! Reading the kstats again and again, cheaply: for dashboards and recordings.
//!
//! `FreeBSD` is asked through `sysctl`, a program that is started for every reading. On Linux
//! files below `/proc` must be opened anew for every reading. What is kept between readings is the
//! list of files, which is looked up again now and then and when one is gone, and the buffer.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use arcwright_kstat::{NamedKstat, Snapshot, Sysctls, Txg};
use arcwright_machine::{Reason, Sample};
use arcwright_units::Nanos;

use super::commands::{Command, QUICK, Tools};
use super::files::{names_in, reason};
use crate::root::{Open, Root};

const FOLDER: &str = "proc/spl/kstat/zfs";
/// Lists that are large, locked while they are read, or of no use; see docs/model/counters.md#places-and-formats.
const LEFT_OUT: [&str; 9] = [
    "dbufs",
    "dbgmsg",
    "reads",
    "multihost",
    "fm",
    "chksum_bench",
    "fletcher_4_bench",
    "vdev_raidz_bench",
    "import_progress",
];
/// Datasets of one pool whose counters are read; beyond this a reading would take too long.
const FILES_PER_POOL_MAX: usize = 10_000;
/// How long a list of files is believed.
const LISTED_FOR: Duration = Duration::from_secs(10);

/// Reads the kstats of a machine again and again.
#[derive(Debug)]
pub struct Sampler {
    root: Root,
    paths: Vec<String>,
    listed: Instant,
    begin: Instant,
    buffer: Vec<u8>,
    /// What is run instead of reading files.
    sysctl: Option<Command>,
}

impl Sampler {
    /// Returns a sampler of the machine whose files begin at `root`, or whose `sysctl` knows kstats.
    ///
    /// # Errors
    /// The reason why the folder of kstats cannot be listed, where there is no such `sysctl` either.
    pub fn new(root: &Path, tools: &Tools) -> Result<Self, Reason> {
        let now = Instant::now();
        let root = Root::of(root).map_err(|error| reason(&error))?;
        let mut sampler = Self {
            root: root.clone(),
            paths: Vec::new(),
            listed: now,
            begin: now,
            buffer: Vec::new(),
            sysctl: None,
        };
        match kstat_paths(&root) {
            Ok(paths) => sampler.paths = paths,
            Err(reason) => {
                let sysctl = tools.command("sysctl", &["kstat.zfs"]);
                let knows = sysctl.run(QUICK).is_ok_and(|text| text.contains("arcstats"));
                sampler.sysctl = Some(sysctl).filter(|_| knows);
                if !knows {
                    return Err(reason);
                }
            }
        }
        Ok(sampler)
    }

    /// Returns a reading of all kstats that can be read now, on the clock of this sampler.
    pub fn sample(&mut self) -> Snapshot {
        self.read().0
    }

    /// Returns such a reading with the state and the last transaction groups of each pool.
    pub fn sample_with_pools(&mut self) -> Sample {
        let (kstats, mut lists) = self.read();
        if self.sysctl.is_none() {
            lists = self.lists();
        }
        let mut sample = Sample { kstats, ..Sample::default() };
        for (path, text) in lists {
            let place = path.strip_prefix("zfs/").and_then(|rest| rest.rsplit_once('/'));
            match place {
                Some((pool, "state")) => {
                    sample.pool_states.insert(pool.to_owned(), text.trim().to_owned());
                }
                Some((pool, "txgs")) => {
                    // A list that is torn says nothing this time.
                    let groups = Txg::parse_list(&text).unwrap_or_default();
                    sample.txgs.insert(pool.to_owned(), groups);
                }
                _ => {}
            }
        }
        sample
    }

    /// Returns the kstats, and the lists that `sysctl` shows beside them.
    fn read(&mut self) -> (Snapshot, BTreeMap<String, String>) {
        let at = u64::try_from(self.begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if let Some(sysctl) = &self.sysctl {
            let text = sysctl.run(QUICK).unwrap_or_default();
            return Snapshot::from_sysctls(Nanos(at), &Sysctls::parse(&text));
        }
        if self.listed.elapsed() > LISTED_FOR {
            self.list();
        }
        let mut kstats = Vec::with_capacity(self.paths.len());
        let mut gone = false;
        for path in self.paths.iter().filter(|path| !is_list(path)) {
            self.buffer.clear();
            let file = self.root.at(path).open(Open::Read);
            if file.and_then(|mut file| file.read_to_end(&mut self.buffer)).is_err() {
                gone = true;
                continue;
            }
            let text = String::from_utf8_lossy(&self.buffer);
            let name = path.strip_prefix("proc/spl/kstat/").unwrap_or(path);
            kstats.extend(NamedKstat::parse(name, &text));
        }
        if gone {
            self.list();
        }
        (Snapshot::from_kstats(Nanos(at), kstats), BTreeMap::new())
    }

    /// Returns what is no table: a pool's state, its last transaction groups.
    fn lists(&self) -> BTreeMap<String, String> {
        let mut lists = BTreeMap::new();
        for path in self.paths.iter().filter(|path| is_list(path)) {
            let mut bytes = Vec::new();
            let file = self.root.at(path).open(Open::Read);
            if file.and_then(|mut file| file.read_to_end(&mut bytes)).is_ok() {
                let name = path.strip_prefix("proc/spl/kstat/").unwrap_or(path);
                lists.insert(name.to_owned(), String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        lists
    }

    fn list(&mut self) {
        self.listed = Instant::now();
        // A machine whose module was just unloaded has none until it is loaded again.
        self.paths = kstat_paths(&self.root).unwrap_or_default();
    }
}

/// Says whether a kstat is no table of counters.
fn is_list(path: &str) -> bool {
    ["/txgs", "/state", "/guid"].iter().any(|list| path.ends_with(list))
}

/// Returns the kstats that are worth reading: `proc/spl/kstat/zfs/tank/iostats`.
pub(super) fn kstat_paths(root: &Root) -> Result<Vec<String>, Reason> {
    let mut paths = Vec::new();
    for name in names_in(&root.at(FOLDER))? {
        let path = format!("{FOLDER}/{name}");
        if LEFT_OUT.contains(&name.as_str()) {
            continue;
        }
        if root.at(&path).is_folder() {
            let inner = names_in(&root.at(&path)).unwrap_or_default();
            let wanted = inner.iter().filter(|name| !LEFT_OUT.contains(&name.as_str()));
            paths.extend(wanted.take(FILES_PER_POOL_MAX).map(|name| format!("{path}/{name}")));
        } else {
            paths.push(path);
        }
    }
    Ok(paths)
}
