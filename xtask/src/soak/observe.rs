//! A machine of files whose counters rise and whose pools come and go, looked at again and again.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use arcwright_advice::{Estimate, advise};
use arcwright_fixtures::unpack;
use arcwright_host::capture::{FORMAT, Manifest, open_bytes, pack, redact};
use arcwright_host::observe::{ObserveProgress, Options, Sampler, Tools, observe};
use arcwright_machine::{Machine, Sample, Sources};
use arcwright_report::{Detail, DoctorOptions, doctor_text};
use arcwright_tui::{Dashboard, DashboardSample, Palette, Update};

use crate::process::status_kib;

/// Parts of the time after which memory and file handles are reported.
const PARTS: u32 = 12;
/// What memory may differ by between the parts: pages that the allocator keeps.
const GROWTH_KIB_MAX: u64 = 2048;
/// Turns of the dashboard for each look of doctor.
const TURNS_PER_LOOK: u64 = 20;
const FIXTURE: &str = "guest-2.3.2-l2arc-filled";

/// Is told nothing and stops nobody.
struct Nobody;

impl ObserveProgress for Nobody {
    fn step(&mut self, _what: &str) {}
    fn waited(&mut self, _done: Duration, _window: Duration) {}
    fn stop(&self) -> bool {
        false
    }
}

pub(super) fn run(minutes: u32) -> anyhow::Result<()> {
    let folder = std::env::temp_dir().join(format!("arcwright-soak-{}", std::process::id()));
    let result = soak(&folder, Duration::from_secs(u64::from(minutes) * 60));
    fs::remove_dir_all(&folder).unwrap_or_default();
    result
}

fn soak(root: &Path, time: Duration) -> anyhow::Result<()> {
    let machine = Changing::make(&arcwright_fixtures::machine(FIXTURE)?, root)?;
    let tools = Tools::in_folders(Vec::new());
    let mut sampler = Sampler::new(root, &tools)
        .map_err(|reason| anyhow::anyhow!("failed to read the machine of files: {reason:?}"))?;
    let mut board = Dashboard::new("a machine that changes".to_owned(), Palette::new(true));
    let options =
        Options { root: root.to_owned(), live: false, tools, window: Duration::ZERO, smart: false };
    let (begin, mut turns, mut looks) = (Instant::now(), 0_u64, 0_u64);
    let mut levels: Vec<Level> = Vec::new();
    println!(
        "{:>8}  {:>8}  {:>8}  {:>10}  {:>7}",
        "minutes", "readings", "looks", "memory", "handles"
    );
    loop {
        machine.change(turns)?;
        let Sample { kstats, txgs, .. } = sampler.sample_with_pools();
        let moment = DashboardSample { kstats, txgs, ..DashboardSample::default() };
        board.take(Update::Sample(Box::new(moment)));
        let picture = board.picture((120, 40));
        anyhow::ensure!(!picture.is_empty(), "the dashboard shows nothing");
        if turns.is_multiple_of(TURNS_PER_LOOK) {
            look(&options)?;
            looks += 1;
        }
        turns += 1;
        let part = u32::try_from(levels.len()).unwrap_or(PARTS) + 1;
        if begin.elapsed() >= time / PARTS * part {
            let level = Level::now()?;
            let minutes = begin.elapsed().as_secs_f64() / 60.0;
            println!(
                "{minutes:8.1}  {turns:8}  {looks:8}  {:6} KiB  {:7}",
                level.kib, level.handles
            );
            levels.push(level);
        }
        if part > PARTS || begin.elapsed() >= time && levels.len() >= PARTS as usize {
            return judge(&levels);
        }
    }
}

/// Doctor, its report, a capture of it, and back.
fn look(options: &Options) -> anyhow::Result<()> {
    let sources = observe(options, &mut Nobody)?;
    let advice = advise(&Machine::read(&sources), Estimate::CountersOnly);
    let text = doctor_text(
        &advice,
        &[],
        &DoctorOptions { width: 100, colour: false, detail: Detail::Full },
    );
    anyhow::ensure!(!text.is_empty(), "doctor says nothing");
    let sources = redact(&sources);
    let manifest = Manifest {
        format: FORMAT,
        program: String::new(),
        window_s: 0.0,
        redacted: true,
        machine: None,
        time_s: None,
        missing: Manifest::missing(&sources),
    };
    let packed = pack(&sources, &manifest)?;
    let again = open_bytes("soak", &packed)?;
    anyhow::ensure!(again == sources, "a capture was not read back as it was packed");
    Ok(())
}

/// What this process holds.
struct Level {
    kib: u64,
    handles: usize,
}

impl Level {
    fn now() -> anyhow::Result<Self> {
        Ok(Self {
            kib: status_kib(std::process::id(), "VmRSS")?,
            handles: fs::read_dir("/proc/self/fd")?.count(),
        })
    }
}

/// The first third fills buffers and the dashboard's history; after it nothing may grow.
fn judge(levels: &[Level]) -> anyhow::Result<()> {
    let (first, rest) = levels.split_at(levels.len() / 3);
    let (Some(start), Some(end)) = (first.last(), rest.last()) else {
        bail!("nothing was measured")
    };
    let most = rest.iter().map(|level| level.kib).max().unwrap_or(0);
    let grown = most.saturating_sub(start.kib);
    if grown > GROWTH_KIB_MAX || end.handles > start.handles {
        bail!("it grew by {grown} KiB and from {} to {} handles", start.handles, end.handles);
    }
    println!("soak: no growth after the first third ({grown} KiB, {} handles)", end.handles);
    Ok(())
}

/// A machine of files.
struct Changing {
    root: PathBuf,
    /// Tables of counters as the fixture has them.
    tables: Vec<(PathBuf, String)>,
}

impl Changing {
    /// Writes what the fixture's first reading has, and what stays.
    fn make(fixture: &Sources, root: &Path) -> anyhow::Result<Self> {
        unpack(&files_of(fixture), root).context("failed to write the machine of files")?;
        let mut tables = Vec::new();
        files(&root.join("proc/spl/kstat/zfs"), &mut |path| {
            let text = fs::read_to_string(path)?;
            if text.lines().nth(1).is_some_and(|line| line.starts_with("name")) {
                tables.push((path.to_owned(), text));
            }
            Ok(())
        })?;
        anyhow::ensure!(tables.len() > 5, "there are no counters in {FIXTURE}");
        Ok(Self { root: root.to_owned(), tables })
    }

    /// Raises the counters; a pool comes and goes.
    fn change(&self, turn: u64) -> anyhow::Result<()> {
        const POOL_EVERY: u64 = 50;
        for (path, text) in &self.tables {
            fs::write(path, risen(text, turn))?;
        }
        let pool = self.root.join("proc/spl/kstat/zfs/guest2");
        match turn % POOL_EVERY {
            0 => {
                fs::create_dir_all(&pool)?;
                fs::write(pool.join("state"), "ONLINE\n")?;
            }
            25 => fs::remove_dir_all(&pool)?,
            _ => {}
        }
        Ok(())
    }
}

/// Returns a table whose counters went on by the turn, each at a rate of its own.
fn risen(text: &str, turn: u64) -> String {
    let row = |(number, line): (usize, &str)| -> String {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [name, "4", value] if number > 1 => {
                let by = turn.wrapping_mul(number as u64 * 37);
                let value = value.parse::<u64>().unwrap_or(0).wrapping_add(by);
                format!("{name:<31} 4    {value}\n")
            }
            _ => format!("{line}\n"),
        }
    };
    text.lines().enumerate().map(row).collect()
}

/// Returns what files of the machine say, counters as they were first.
fn files_of(fixture: &Sources) -> Sources {
    let mut files = Sources::default();
    for (name, source) in &fixture.texts {
        let place = name.strip_prefix("sample-0/").unwrap_or(name);
        if ["etc/", "sys/", "proc/"].iter().any(|part| place.starts_with(part)) {
            files.texts.insert(place.to_owned(), source.clone());
        }
    }
    files
}

fn files(folder: &Path, take: &mut dyn FnMut(&Path) -> std::io::Result<()>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => files(&path, take)?,
            false => take(&path)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Level, judge, risen};

    #[test]
    fn counters_rise_and_what_is_no_counter_stays() {
        let text = "13 1 0x01\nname  type data\nhits  4  5\ndataset_name 7 tank\n";
        let expected =
            format!("13 1 0x01\nname  type data\n{:<31} 4    79\ndataset_name 7 tank\n", "hits");
        assert_eq!(risen(text, 1), expected);
    }

    #[test]
    fn growth_is_told() {
        let levels = |all: &[(u64, usize)]| -> Vec<Level> {
            all.iter().map(|(kib, handles)| Level { kib: *kib, handles: *handles }).collect()
        };
        assert!(judge(&levels(&[(1000, 5), (9000, 5), (9100, 5)])).is_err());
        assert!(judge(&levels(&[(9000, 5), (9000, 5), (9100, 5)])).is_ok());
        assert!(judge(&levels(&[(9000, 5), (9000, 5), (9000, 6)])).is_err());
        assert!(judge(&[]).is_err());
    }
}
