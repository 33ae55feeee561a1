//! From what was picked on the page to a scenario file: disks, layout, memory, version, load.

use arcwright_device::profile;
use arcwright_scenario::Platform;
use arcwright_tunables::Version;
use arcwright_units::Bytes;
use serde::{Deserialize, Serialize};

use crate::error::PageError;
use crate::loads::Load;

/// What was picked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// Profile of the data disks.
    pub disk: String,
    /// How many there are.
    pub count: u32,
    /// How they are combined.
    pub layout: PoolLayout,
    /// Installed memory in GiB.
    pub memory_gib: u64,
    /// A version of OpenZFS, or a platform.
    pub zfs: String,
    /// Name of the load.
    pub load: String,
    /// Data in use, in GiB.
    pub size_gib: u64,
    /// The network between the pool and whoever uses it; absent when there is none.
    pub network: Option<String>,
}

/// How the data disks are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PoolLayout {
    /// Each disk alone.
    Stripe,
    /// Mirrors of two.
    Mirror,
    /// One raidz1.
    Raidz1,
    /// One raidz2.
    Raidz2,
    /// One raidz3.
    Raidz3,
}

/// Disks of a pool that the page makes.
const DISKS_MAX: u32 = 24;
/// Memory and data, in GiB; larger experiments are written as files.
const MEMORY_GIB_MAX: u64 = 4096;
const SIZE_GIB_MAX: u64 = 4096;
/// Networks, by their names in links.
pub(crate) const NETWORKS: [(&str, &str, &str); 3] = [
    ("1g", "1 Gbit/s", "1Gbit/s"),
    ("2.5g", "2.5 Gbit/s", "2.5Gbit/s"),
    ("10g", "10 Gbit/s", "10Gbit/s"),
];

impl Default for Form {
    /// Four disks as raidz1, a usual NAS.
    fn default() -> Self {
        Self {
            disk: "hdd-nas-7200".to_owned(),
            count: 4,
            layout: PoolLayout::Raidz1,
            memory_gib: 16,
            zfs: "2.3.2".to_owned(),
            load: "games".to_owned(),
            size_gib: 30,
            network: None,
        }
    }
}

impl Form {
    /// Returns the experiment as a scenario file with one arm, “as it is”.
    ///
    /// # Errors
    /// What was picked that cannot be, in words.
    pub fn scenario_file(&self) -> Result<String, PageError> {
        let disk = profile(&self.disk)
            .ok_or_else(|| PageError::new(&format!("there is no disk “{}”", self.disk)))?;
        if Platform::find(&self.zfs).is_none() && Version::parse(&self.zfs).is_none() {
            return Err(PageError::new(&format!("there is no OpenZFS “{}”", self.zfs)));
        }
        let load = Load::find(&self.load)
            .ok_or_else(|| PageError::new(&format!("there is no load “{}”", self.load)))?;
        let memory = bounded("memory", self.memory_gib, MEMORY_GIB_MAX)?;
        let size = bounded("data in use", self.size_gib, SIZE_GIB_MAX)?;
        let data = self.layout.vdevs(disk.name(), self.count)?;
        let title = format!(
            "{} on {} x {} ({}), {} GiB of memory",
            load.title(),
            self.count,
            disk.name(),
            self.layout.label(),
            memory,
        );
        Ok(format!(
            "# Made on the browser page of arcwright. Run it with:\n\
             #   arcwright run FILE                   the prediction\n\
             #   arcwright run FILE --engine lab      the proof, on the real OpenZFS\n\n\
             title = \"{title}\"\n\
             question = \"What would other memory, a cache device, a log device or another prefetch change?\"\n\n\
             [system]\nzfs = \"{}\"\nmemory = \"{memory}GiB\"\n\n\
             [system.pool]\ndata = [{data}]\n\n\
             [[arm]]\nname = \"as it is\"\n{}\n[lab]\nscale = {}\n",
            self.zfs,
            load.parts(Bytes::gib(size), &self.link()?),
            lab_scale(memory),
        ))
    }

    /// Returns a client's key for the network.
    fn link(&self) -> Result<String, PageError> {
        let Some(network) = &self.network else { return Ok(String::new()) };
        let (_, _, rate) = NETWORKS
            .iter()
            .find(|(id, _, _)| id == network)
            .ok_or_else(|| PageError::new(&format!("there is no network “{network}”")))?;
        Ok(format!(", link = {{ rate = \"{rate}\", round_trip = \"300us\" }}"))
    }
}

impl PoolLayout {
    /// Returns the name in scenario files.
    const fn label(self) -> &'static str {
        match self {
            Self::Stripe => "stripe",
            Self::Mirror => "mirror",
            Self::Raidz1 => "raidz1",
            Self::Raidz2 => "raidz2",
            Self::Raidz3 => "raidz3",
        }
    }

    /// Returns the list of top-level vdevs.
    fn vdevs(self, disk: &str, count: u32) -> Result<String, PageError> {
        let least = match self {
            Self::Stripe => 1,
            Self::Mirror | Self::Raidz1 => 2,
            Self::Raidz2 => 3,
            Self::Raidz3 => 4,
        };
        if !(least..=DISKS_MAX).contains(&count) {
            let what = format!("a {} has {least} to {DISKS_MAX} disks here", self.label());
            return Err(PageError::new(&what));
        }
        match self {
            Self::Stripe => Ok(format!("\"{count} x {disk}\"")),
            Self::Mirror if count % 2 == 1 => {
                let hint = "a mirror of three is written in a scenario file";
                Err(PageError::new("mirrors of two take an even number of disks").hint(hint))
            }
            Self::Mirror => Ok(format!("{{ mirror = [\"2 x {disk}\"], count = {} }}", count / 2)),
            Self::Raidz1 | Self::Raidz2 | Self::Raidz3 => {
                Ok(format!("{{ {} = [\"{count} x {disk}\"] }}", self.label()))
            }
        }
    }
}

/// Returns the scale at which the lab runs it in minutes: it leaves a GiB of memory, and OpenZFS its minimum.
const fn lab_scale(memory_gib: u64) -> u64 {
    const SCALE_MAX: u64 = 64;
    let scale = 1 << memory_gib.ilog2();
    if scale > SCALE_MAX { SCALE_MAX } else { scale }
}

fn bounded(what: &str, value: u64, most: u64) -> Result<u64, PageError> {
    match value {
        value if (1..=most).contains(&value) => Ok(value),
        _ => Err(PageError::new(&format!("{what} is 1 to {most} GiB here"))),
    }
}

#[cfg(test)]
mod tests {
    use arcwright_model::Model;
    use arcwright_scenario::Engine as _;

    use super::{Form, PoolLayout};
    use crate::loads::LOADS;
    use crate::prediction::parse;

    const LAYOUTS: [PoolLayout; 5] = [
        PoolLayout::Stripe,
        PoolLayout::Mirror,
        PoolLayout::Raidz1,
        PoolLayout::Raidz2,
        PoolLayout::Raidz3,
    ];

    #[test]
    fn every_load_on_every_layout_is_a_scenario_that_the_model_runs() {
        for load in &LOADS {
            for layout in LAYOUTS {
                for network in [None, Some("2.5g".to_owned())] {
                    let size_gib = load.size_gib;
                    let load = load.id.to_owned();
                    let form = Form { load, size_gib, layout, network, ..Form::default() };
                    let scenario = parse(&form.scenario_file().unwrap()).unwrap();
                    Model::default().check(&scenario).unwrap();
                    assert_eq!(scenario.answers.len(), 1, "{form:?}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_is_refused_in_words() {
        let check = |form: Form, expected: &str| {
            let said = form.scenario_file().unwrap_err().to_string();
            assert!(said.contains(expected), "{said}");
        };
        let usual = Form::default;
        check(Form { disk: "\"]".to_owned(), ..usual() }, "there is no disk");
        check(Form { zfs: "9.9".to_owned(), ..usual() }, "there is no OpenZFS");
        check(Form { load: "x".to_owned(), ..usual() }, "there is no load");
        check(Form { network: Some("x".to_owned()), ..usual() }, "there is no network");
        check(Form { memory_gib: 0, ..usual() }, "memory is 1 to");
        check(Form { size_gib: 1 << 40, ..usual() }, "data in use is 1 to");
        check(Form { count: 25, ..usual() }, "raidz1 has 2 to 24");
        check(Form { count: 3, layout: PoolLayout::Mirror, ..usual() }, "even number");
    }
}
