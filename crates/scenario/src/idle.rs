//! What a scenario says and what changes nothing: a file that nobody uses, a log that nobody waits for.

use arcwright_tunables::Version;
use arcwright_units::Bytes;

use crate::dataset::{CacheContent, Logbias};
use crate::experiment::Scenario;
use crate::system::{PoolSpec, System};

impl Scenario {
    /// Returns what of it has no effect, in sentences.
    #[must_use]
    pub fn without_effect(&self) -> Vec<String> {
        let mut all = Vec::new();
        all.extend(self.unused_files());
        all.extend(self.empty_datasets());
        all.extend(self.arms_alike());
        let systems: Vec<(&str, System)> =
            self.arms.iter().map(|arm| (arm.name.as_str(), self.system_of(arm))).collect();
        all.extend(self.idle_log(&systems));
        all.extend(idle_cache(&systems));
        all.extend(idle_small_blocks(&systems));
        all.extend(self.volumes_on_disks(&systems));
        all.extend(self.idle_compression(&systems));
        all
    }

    fn unused_files(&self) -> Option<String> {
        let clients = || self.phases.iter().flat_map(|phase| &phase.clients);
        let is_used = |name: &String| {
            clients().any(|client| client.file == *name || client.more_files.contains(name))
        };
        let names = self.files.iter().map(|file| &file.name);
        let names = names.chain(self.trees.iter().map(|tree| &tree.name));
        let unused: Vec<String> =
            names.filter(|name| !is_used(name)).map(|name| format!("“{name}”")).collect();
        let listed = listed(&unused)?;
        Some(format!("no client uses {listed}, which only takes room on the pool"))
    }

    /// Says which datasets hold nothing.
    fn empty_datasets(&self) -> Option<String> {
        let is_empty =
            |name: &String| !self.files.iter().any(|it| it.dataset.as_ref() == Some(name));
        let names = self.system.pool.datasets.iter().map(|dataset| &dataset.name);
        let empty: Vec<String> =
            names.filter(|name| is_empty(name)).map(|name| format!("“{name}”")).collect();
        let listed = listed(&empty)?;
        Some(format!("no file is in the dataset {listed}: write dataset = \"…\" in [[file]]"))
    }

    /// Says which arms are what the first one is.
    fn arms_alike(&self) -> Option<String> {
        let (first, others) = self.arms.split_first()?;
        let base = self.system_of(first);
        let alike = others.iter().filter(|arm| self.system_of(arm) == base);
        let alike: Vec<String> = alike.map(|arm| format!("“{}”", arm.name)).collect();
        Some(format!("{} and “{}” differ in nothing", listed(&alike)?, first.name))
    }

    /// Says that small blocks of volumes stay on the disks, before 2.4.
    fn volumes_on_disks(&self, systems: &[(&str, System)]) -> Option<String> {
        let mut names: Vec<String> = Vec::new();
        for (_, system) in systems.iter().filter(|(_, system)| !system.pool.special.is_empty()) {
            let is_old = Version::parse(&system.zfs) < Version::parse("2.4");
            let volumes = system.pool.datasets.iter().filter(|it| is_old && !it.kind.is_files());
            let set = volumes.filter(|it| it.properties.special_small_blocks.is_some());
            let new = set.map(|it| format!("“{}”", it.name)).filter(|name| !names.contains(name));
            names.extend(new.collect::<Vec<_>>());
        }
        let names = listed(&names)?;
        Some(format!(
            "special_small_blocks changes nothing for the volumes {names} before OpenZFS 2.4: it is for files"
        ))
    }

    /// Says that nothing compresses where it could, or that nobody compresses what could.
    fn idle_compression(&self, systems: &[(&str, System)]) -> Option<String> {
        let compresses = systems.iter().any(|(_, system)| system.pool.compresses());
        match (compresses, self.has_compressible()) {
            (true, false) => Some(
                "compression shortens only what is left empty at the ends of files: nothing says how well the \
                 rest compresses (compressratio = 1.8 in [[file]], [[zvol]] or [[tree]])"
                    .to_owned(),
            ),
            (false, true) => Some(
                "compressratio changes nothing: no dataset compresses (compression = \"lz4\")".to_owned(),
            ),
            _ => None,
        }
    }

    /// Says that nothing is logged, where something was said about the log.
    fn idle_log(&self, systems: &[(&str, System)]) -> Option<String> {
        let logs = |system: &System| {
            let mut clients = self.phases.iter().flat_map(|phase| &phase.clients);
            clients.any(|client| self.waits_for_log(client, system))
        };
        let says = |system: &System| {
            let PoolSpec { log, logbias, datasets, .. } = &system.pool;
            let own = datasets.iter().filter_map(|dataset| dataset.properties.logbias);
            !log.is_empty() || own.chain([*logbias]).any(|logbias| logbias != Logbias::Latency)
        };
        let idle: Vec<String> = systems
            .iter()
            .filter(|(_, system)| says(system) && !logs(system))
            .map(|(name, _)| format!("“{name}”"))
            .collect();
        let listed = listed(&idle)?;
        Some(format!(
            "log devices and logbias change nothing in {listed}: no client waits for stable storage (sync-write, \
             fsync, or sync = \"always\")"
        ))
    }
}

/// Says that settings of the L2ARC meet no cache device.
fn idle_cache(systems: &[(&str, System)]) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    let mut arms: Vec<String> = Vec::new();
    for (arm, system) in systems.iter().filter(|(_, system)| system.pool.cache.is_empty()) {
        let settings = system.tunables.iter().map(|setting| &setting.name);
        let mut idle: Vec<String> =
            settings.filter(|name| name.starts_with("l2arc_")).cloned().collect();
        let own = system.pool.datasets.iter().filter_map(|it| it.properties.secondarycache);
        if own.chain([system.pool.secondarycache]).any(|it| it != CacheContent::All) {
            idle.push("secondarycache".to_owned());
        }
        if !idle.is_empty() {
            arms.push(format!("“{arm}”"));
        }
        names.extend(idle.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
    }
    let (names, arms) = (listed(&names)?, listed(&arms)?);
    Some(format!("{names} change nothing in {arms}: there is no cache device"))
}

/// Says that small blocks of files meet no special vdev.
fn idle_small_blocks(systems: &[(&str, System)]) -> Option<String> {
    let says = |system: &System| {
        let own = system.pool.datasets.iter().filter_map(|it| it.properties.special_small_blocks);
        own.chain([system.pool.special_small_blocks]).any(|most| most != Bytes::ZERO)
    };
    let idle = systems.iter().filter(|(_, it)| it.pool.special.is_empty() && says(it));
    let idle: Vec<String> = idle.map(|(name, _)| format!("“{name}”")).collect();
    let listed = listed(&idle)?;
    Some(format!("special_small_blocks changes nothing in {listed}: there is no special vdev"))
}

/// Returns names in a row, the first of many; none when there are none.
fn listed(names: &[String]) -> Option<String> {
    const SHOWN_MAX: usize = 5;
    let shown = names.get(..SHOWN_MAX).unwrap_or(names).join(", ");
    match names.len() {
        0 => None,
        count if count > SHOWN_MAX => Some(format!("{shown} and {} more", count - SHOWN_MAX)),
        _ => Some(shown),
    }
}
