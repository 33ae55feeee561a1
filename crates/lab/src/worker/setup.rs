//! Loads the library into the right environment and starts it.

use std::path::{Path, PathBuf};

use arcwright_device::DeviceProfile;
use arcwright_scenario::{AppliedSetting, Disk, Processor, Role, Setting, VdevSpec};
use arcwright_units::Bytes;
use arcwright_workload::Stream;

use crate::LabError;
use crate::disks::{Contents, DiskSpec, Disks};
use crate::hooks;
use crate::openzfs::offers::{PREFETCH_DISABLE, is_kept_by_lab};
use crate::protocol::{Environment, Job, ScaledSetting};
use crate::schedule::{self, Clock};
use crate::zpool::functions::Functions;
use crate::zpool::library::Library;
use crate::zpool::pool::{self, FileVdev};
use crate::zpool::tunable;

/// What the library takes for the machine's memory while a pool is built. In user space the ARC's least is a
/// quarter of it, whatever `zfs_arc_max` says (`arc_init`, 2.0 to 2.4), and a build needs no cache.
const BUILDER_MEMORY: Bytes = Bytes::gib(2);
/// Name of the library's list of pools that it has imported.
pub(super) const CACHE_FILE: &str = "zpool.cache";

/// Tunables whose defaults are amounts or rates of data.
const IMPLIED: [&str; 3] = ["l2arc_write_max", "l2arc_write_boost", "zfetch_max_distance"];

/// A started library.
#[derive(Debug)]
pub(super) struct Started {
    /// The library itself.
    pub(super) library: Library,
    /// Its functions.
    pub(super) functions: Functions,
    /// Its tunables, as asked and as read back.
    pub(super) applied: Vec<AppliedSetting>,
    /// The emulated disks; none on bare files.
    pub(super) disks: &'static Disks,
}

/// Loads the library, puts the hooks in place, sets the tunables and starts it; what it writes for
/// itself goes to `folder`.
///
/// # Errors
/// [`LabError`] naming what is missing or does not fit.
pub(super) fn start(
    job: &Job,
    folder: &Path,
    environment: Environment,
    tunables: &[ScaledSetting],
    disks: Vec<DiskSpec>,
) -> Result<Started, LabError> {
    // Before disks are mapped, which may take nearly all of the address space.
    if !hooks::memory::reserve() {
        let what = "finds the place taken where the library's memory should be".to_owned();
        return Err(LabError::Worker { what });
    }
    let library = Library::load(&job.library)?;
    let functions = Functions::of(&library)?;
    let memory = match environment {
        Environment::Building => job.system.memory.min(BUILDER_MEMORY),
        _ => job.system.memory,
    };
    hooks::machine::set(memory.0, processor_of(job)?.cores, rng(job, environment));
    hooks::machine::set_taskq_create(library.address("taskq_create")?);
    let disks = redirect(&library, environment, disks)?;
    // Never the host's own pool cache file, and one for each run: pools in it are opened at once.
    let cache_file = folder.join(CACHE_FILE);
    tunable::set_text(&library, "spa_config_path", &cache_file.to_string_lossy())?;
    let mut all = implied(&library, job.scale, tunables);
    all.extend_from_slice(tunables);
    let mut applied = Vec::new();
    for ScaledSetting { asked: Setting { name, value: asked }, scaled } in all {
        let is_variable = library.size_of(&name).is_some();
        let read_back = if !is_variable && is_kept_by_lab(&name, &job.version) {
            scaled
        } else {
            tunable::set(&library, &job.version, &name, scaled)?
        };
        applied.push(AppliedSetting { name, asked, read_back });
    }
    pool::start_library(&functions);
    Ok(Started { library, functions, applied, disks })
}

/// Puts the hooks in place that `environment` asks for, and returns the disks behind them.
fn redirect(
    library: &Library,
    environment: Environment,
    disks: Vec<DiskSpec>,
) -> Result<&'static Disks, LabError> {
    static NO_DISKS: Disks = Disks::none();
    match environment {
        Environment::Bare => {
            hooks::install_kstats_only(library)?;
            Ok(&NO_DISKS)
        }
        Environment::Building => {
            hooks::install_for_building(library)?;
            Ok(&NO_DISKS)
        }
        Environment::Emulated | Environment::Instant => {
            let disks = Disks::new(disks)?;
            hooks::install(library)?;
            attach(disks)
        }
    }
}

/// Lets the library find `disks` where it opens their files, and their events drive time.
///
/// # Errors
/// [`LabError::Disks`] when there are more than have numbers.
pub(super) fn attach(disks: Disks) -> Result<&'static Disks, LabError> {
    let disks = hooks::files::attach(disks)?;
    if schedule::is_on() {
        schedule::attach(disks);
    }
    Ok(disks)
}

/// Says whether the prefetcher is to be switched off by the dataset, for lack of a variable.
pub(super) fn prefetches_none(started: &Started) -> bool {
    started.library.size_of(PREFETCH_DISABLE).is_none()
        && applied(&started.applied, PREFETCH_DISABLE).is_some_and(|value| value != 0)
}

/// Returns the value of the tunable `name`, when the scenario sets it.
pub(super) fn applied(all: &[AppliedSetting], name: &str) -> Option<u64> {
    all.iter().find(|setting| setting.name == name).map(|setting| setting.read_back)
}

/// Lets time pass as the job asks: by events, or as in reality `dilation` times as fast.
///
/// # Errors
/// [`LabError`] when the processor is not known; the scenario was checked, so this is our mistake.
pub(super) fn start_clock(job: &Job, dilation: Option<f64>) -> Result<Clock, LabError> {
    let processor = processor_of(job)?;
    Ok(match dilation {
        Some(dilation) => Clock::start_real(dilation),
        None => Clock::start_events(processor.cores, processor.costs(job.scale)),
    })
}

/// Returns the processor that the library is to see.
///
/// # Errors
/// As [`start_clock`].
pub(super) fn processor_of(job: &Job) -> Result<Processor, LabError> {
    let unknown =
        || LabError::Worker { what: format!("knows no processor “{}”", job.system.cpu) };
    job.system.processor().ok_or_else(unknown)
}

/// Returns the library's random stream: another one for building than for running, so that a device added
/// later never gets the identifier of one that is there.
pub(super) fn rng(job: &Job, environment: Environment) -> Stream {
    let building = environment == Environment::Building;
    Stream::new(job.seed, if building { "building a pool" } else { "running a pool" })
}

/// Returns what must shrink with the rest even where nobody set it: the library's own values, scaled.
fn implied(library: &Library, scale: u64, set: &[ScaledSetting]) -> Vec<ScaledSetting> {
    let scaled = |name: &&str| {
        let value = tunable::get(library, name)?;
        let scaled = arcwright_tunables::lookup(name)?.scaled(value, scale);
        let taken = set.iter().any(|other| other.asked.name == **name);
        let asked = Setting { name: (*name).to_owned(), value };
        (!taken && scaled != value).then_some(ScaledSetting { asked, scaled })
    };
    IMPLIED.iter().filter_map(scaled).collect()
}

/// Returns the vdev files that the pool is made of: of the data vdevs and of the special ones.
pub(super) fn pool_vdevs(job: &Job) -> [Vec<FileVdev>; 2] {
    let pool = &job.system.pool;
    [(&pool.data, "data"), (&pool.special, "special")]
        .map(|(vdevs, stem)| file_vdevs(vdevs, &job.image, stem))
}

/// Returns the files of `vdevs` in `folder`: `data-0-0`, `data-0-1`, …
pub(super) fn file_vdevs(vdevs: &[VdevSpec], folder: &Path, stem: &str) -> Vec<FileVdev> {
    let paths = |number: usize, vdev: &VdevSpec| {
        (0..vdev.disks.len()).map(|disk| folder.join(format!("{stem}-{number}-{disk}"))).collect()
    };
    let vdevs = vdevs.iter().enumerate();
    vdevs
        .map(|(number, vdev)| FileVdev { layout: vdev.layout, paths: paths(number, vdev) })
        .collect()
}

/// Returns the cache devices' files in `folder`: `cache-0`, …
pub(super) fn cache_files(cache: &[Disk], folder: &Path) -> Vec<PathBuf> {
    (0..cache.len()).map(|number| folder.join(format!("cache-{number}"))).collect()
}

/// Returns every disk of the job: data and special disks from the image, cache and log devices in `folder`.
///
/// # Errors
/// [`LabError`] when a profile is not known; the scenario was checked, so this is our mistake.
pub(super) fn disks(
    job: &Job,
    folder: &Path,
    environment: Environment,
) -> Result<Vec<DiskSpec>, LabError> {
    let pool = &job.system.pool;
    let mut specs = Vec::new();
    let vdevs = |vdevs: &[VdevSpec], place: &Path, stem: &str| -> Vec<(PathBuf, Disk)> {
        let files = file_vdevs(vdevs, place, stem);
        let files = files.into_iter().flat_map(|vdev| vdev.paths);
        files.zip(vdevs.iter().flat_map(|vdev| vdev.disks.clone())).collect()
    };
    let data = vdevs(&pool.data, &job.image, "data");
    let special = vdevs(&pool.special, &job.image, "special");
    let log = vdevs(&pool.log, folder, "log");
    let cache = cache_files(&pool.cache, folder).into_iter().zip(pool.cache.clone());
    let all = data
        .into_iter()
        .map(|(path, disk)| (path, disk, Role::Data))
        .chain(special.into_iter().map(|(path, disk)| (path, disk, Role::Special)))
        .chain(log.into_iter().map(|(path, disk)| (path, disk, Role::Log)))
        .chain(cache.map(|(path, disk)| (path, disk, Role::Cache)));
    for (number, ((path, disk, role), on)) in all.zip(pool.places()).enumerate() {
        let profile = profile_of(&disk, job.scale, environment)?;
        let contents = if role.holds_pool() { Contents::PrivateCopy } else { Contents::Empty };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let size = size_of(&disk, job.scale);
        let seed = job.seed.wrapping_add(number as u64);
        let link = disk.link.filter(|_| environment == Environment::Emulated);
        let (part_of, taken, scale) = (disk.part_of, disk.taken, job.scale);
        specs.push(DiskSpec {
            name,
            role,
            path,
            size,
            taken,
            profile,
            on,
            part_of,
            link,
            scale,
            contents,
            seed,
        });
    }
    Ok(specs)
}

fn profile_of(
    disk: &Disk,
    scale: u64,
    environment: Environment,
) -> Result<DeviceProfile, LabError> {
    let profile = match environment {
        Environment::Emulated => disk.device(),
        Environment::Instant | Environment::Building | Environment::Bare => {
            arcwright_device::profile("instant")
        }
    };
    let name = &disk.profile;
    let unknown = || LabError::Worker { what: format!("knows no device profile “{name}”") };
    profile.map(|profile| profile.scaled(scale)).ok_or_else(unknown)
}

/// Returns the scaled size of a disk: the part used, or the whole device.
pub(super) fn size_of(disk: &Disk, scale: u64) -> Bytes {
    // The smallest vdev that OpenZFS takes is 64 MiB (SPA_MINDEVSIZE).
    const SMALLEST: Bytes = Bytes::mib(64);
    let whole = || disk.device().map_or(Bytes::ZERO, |profile| profile.scaled(scale).capacity());
    let size = disk.size.unwrap_or_else(whole);
    size.scaled_down(1, Bytes::mib(1)).max(SMALLEST)
}
