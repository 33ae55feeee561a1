//! Looking at a live machine: its files and what its tools say, as [`Sources`].
//!
//! ```text
//!   sample 0   kstats, vdevs since import ─┐
//!   window     zpool iostat -y beside it   ├─> Sources ──> Machine::read, or an archive
//!   sample 1   kstats, vdevs of the window ┘
//! ```
//!
//! Nothing is changed and nothing needs to be root: what may not be read is named with its path and
//! the rest goes on. A command that hangs, as `zpool` does on a pool that lost its disks, is left
//! behind after its time. Only what rules and models use is read.

mod commands;
mod essentials;
mod files;
mod freebsd;
mod linux;
mod objects;
mod processes;
mod sampler;
mod window;

use std::path::PathBuf;
use std::time::Duration;

use arcwright_machine::{Source, Sources};
use arcwright_tunables::persist::{Syntax, of_zfs};
use thiserror::Error;

pub use commands::Tools;
pub(crate) use essentials::smart_essentials;
pub(crate) use linux::MARKERS;
pub use objects::{open_files, read_objects};
pub use processes::ProcessWatch;
pub use sampler::Sampler;

use self::files::Tree;
use crate::root::Root;

/// Why there is nothing to look at.
#[derive(Debug, Error)]
pub enum ObserveError {
    /// No module is loaded.
    #[error(
        "no ZFS on this machine: neither {root}proc/spl/kstat/zfs nor sysctl kstat.zfs can be read"
    )]
    NoZfs {
        /// Where it was looked for.
        root: String,
    },
    /// The user asked to stop before there was anything.
    #[error("stopped before the first sample was complete")]
    Stopped,
}

/// How to look.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the machine's files begin; `/` on a live one.
    pub root: PathBuf,
    /// Whether it runs, so that its tools can be asked and waiting changes anything.
    pub live: bool,
    /// Its tools.
    pub tools: Tools,
    /// Time between the two samples; zero for one sample alone.
    pub window: Duration,
    /// Whether drives are asked for their wear (`smartctl`).
    pub smart: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            root: PathBuf::from("/"),
            live: true,
            tools: Tools::default(),
            window: Duration::from_secs(10),
            smart: true,
        }
    }
}

/// Is told how far it is, and may ask for an early end.
pub trait ObserveProgress {
    /// A step begins: `reading settings`, `waiting for the window of 10 s`.
    fn step(&mut self, what: &str);
    /// So much of the window is over.
    fn waited(&mut self, done: Duration, window: Duration);
    /// Returns whether to stop soon; what was read until then is kept.
    fn stop(&self) -> bool;
}

/// Looks at the machine.
///
/// # Errors
/// [`ObserveError`] when there is no ZFS, or the user stopped before the first sample.
pub fn observe(
    options: &Options,
    watch: &mut dyn ObserveProgress,
) -> Result<Sources, ObserveError> {
    let tree = Root::of(&options.root).map(Tree::new).ok();
    let found = tree.and_then(|tree| Some((System::find(&tree, options)?, tree)));
    let Some((machine, tree)) = found else {
        let root = format!("{}/", options.root.display().to_string().trim_end_matches('/'));
        return Err(ObserveError::NoZfs { root });
    };
    let mut sources = Sources::default();
    watch.step("reading settings");
    match machine {
        System::Linux => linux::settings(&tree, &mut sources),
        System::FreeBsd => freebsd::settings(&options.tools, &tree, &mut sources),
    }
    settings_alone(&mut sources);
    if options.live {
        watch.step("querying zpool and zfs");
        commands::ask_pools(&options.tools, machine, &mut sources);
        if options.smart && !watch.stop() {
            watch.step("querying drives for their wear");
            commands::ask_drives(&options.tools, &mut sources);
        }
    }
    if watch.stop() {
        return Err(ObserveError::Stopped);
    }
    window::samples((machine, &tree), options, &mut sources, watch);
    Ok(sources)
}

/// Drops what files of settings hold besides settings of ZFS: a password of the loader is nobody's
/// business, whoever gets the capture. Lines keep their numbers.
fn settings_alone(sources: &mut Sources) {
    const SECRET: [&str; 4] = ["PASS", "SECRET", "TOKEN", "PWD"];
    const FILES: [&str; 3] = ["etc/sysctl.conf", "boot/loader.conf", "/sysctl.d/"];
    for (name, source) in &mut sources.texts {
        let Source::Text(text) = source else { continue };
        let sets = name.contains("modprobe.d/") || FILES.iter().any(|file| name.contains(file));
        if let Some(syntax) = Syntax::of_path(name).filter(|_| sets) {
            *text = of_zfs(syntax, text);
        } else if name == "etc/default/zfs" {
            let own = |line: &str| {
                let is_own = line.starts_with("ZFS_") || line.starts_with("ZPOOL_");
                is_own && !SECRET.iter().any(|word| line.to_ascii_uppercase().contains(word))
            };
            let lines = text.lines().map(|line| if own(line) { line } else { "" });
            *text = lines.map(|line| format!("{line}\n")).collect();
        }
    }
}

/// Which kernel's ways it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum System {
    Linux,
    FreeBsd,
}

impl System {
    fn find(tree: &Tree, options: &Options) -> Option<Self> {
        let linux = tree.at("proc/spl/kstat/zfs").is_folder();
        if linux || tree.at("sys/module/zfs").is_folder() {
            return Some(Self::Linux);
        }
        (options.live && freebsd::has_zfs(&options.tools)).then_some(Self::FreeBsd)
    }
}

#[cfg(test)]
mod tests;
