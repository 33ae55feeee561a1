//! What a scenario would run, on one screen.

use std::fmt::Write as _;

use arcwright_scenario::{Arm, Disk, Layout, Phase, Scenario, Setting, Vdev};

/// Returns the summary that `--check` prints.
/// `takes` says what it would take.
pub(crate) fn of(scenario: &Scenario, repeats: u32, takes: Vec<String>) -> String {
    let mut sheet = Sheet::default();
    sheet.text.push_str(&scenario.title);
    sheet.text.push('\n');
    if !scenario.question.is_empty() {
        sheet.text.push_str(&scenario.question);
        sheet.text.push('\n');
    }
    sheet.text.push('\n');
    system(&mut sheet, scenario);
    sheet.add("arms", scenario.arms.iter().map(arm));
    let files = scenario.files.iter().map(|file| format!("{}, {}", file.name, file.size));
    let trees = scenario.trees.iter().map(|tree| {
        format!("{}, {} files of {} to {}", tree.name, tree.files, tree.size_min, tree.size_max)
    });
    sheet.add("files", files.chain(trees));
    sheet.add("phases", scenario.phases.iter().map(phase));
    let scale = match scenario.lab.scale {
        0 | 1 => "life-size".to_owned(),
        scale => format!("scale 1/{scale}"),
    };
    sheet.add("lab", [format!("{scale}, seed {}", scenario.seed)]);
    let arms = scenario.arms.len();
    let runs = arms.saturating_mul(usize::try_from(repeats).unwrap_or(usize::MAX));
    sheet.add("runs", [format!("{runs} (arms: {arms}, repeats: {repeats})")]);
    sheet.add("takes", takes);
    sheet.add("notes", scenario.notes.iter().cloned());
    sheet.text.push_str("\nThe scenario is valid; nothing was run.\n");
    sheet.text
}

#[derive(Default)]
struct Sheet {
    text: String,
}

impl Sheet {
    /// Adds lines under one label; none when there are no lines.
    fn add(&mut self, label: &str, lines: impl IntoIterator<Item = String>) {
        for (index, line) in lines.into_iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            // Writing to a String cannot fail.
            writeln!(self.text, "{label:<8} {line}").unwrap_or_default();
        }
    }
}

fn system(sheet: &mut Sheet, scenario: &Scenario) {
    let system = &scenario.system;
    let os = match system.os {
        arcwright_scenario::Os::Linux => "Linux",
        arcwright_scenario::Os::Freebsd => "FreeBSD",
    };
    let memory = system.memory;
    sheet.add(
        "system",
        [format!("OpenZFS {} on {os}, {memory} memory, {}", system.zfs, system.cpu)],
    );
    sheet.add("data", system.pool.data.iter().map(vdev));
    sheet.add("cache", system.pool.cache.iter().map(disk));
    sheet.add("log", system.pool.log.iter().map(vdev));
    sheet.add("dataset", [format!("recordsize {}", system.pool.recordsize)]);
    sheet.add("tunables", system.tunables.iter().map(setting));
}

fn arm(arm: &Arm) -> String {
    let zfs = arm.zfs.iter().map(|zfs| format!("OpenZFS {zfs}"));
    let memory = arm.memory.iter().map(|memory| format!("{memory} memory"));
    let cache = arm.cache.iter().map(|disks| format!("cache {}", listed(disks.iter().map(disk))));
    let log = arm.log.iter().map(|vdevs| format!("log {}", listed(vdevs.iter().map(vdev))));
    let tunables = arm.tunables.iter().map(setting);
    let changes: Vec<String> = zfs.chain(memory).chain(cache).chain(log).chain(tunables).collect();
    match changes.is_empty() {
        true => arm.name.clone(),
        false => format!("{}: {}", arm.name, changes.join(", ")),
    }
}

fn listed(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(" and ") }
}

fn setting(setting: &Setting) -> String {
    format!("{}={}", setting.name, setting.value)
}

fn vdev(vdev: &Vdev) -> String {
    let layout = match vdev.layout {
        Layout::Single => "",
        Layout::Mirror => "mirror of ",
        Layout::Raidz1 => "raidz1 of ",
        Layout::Raidz2 => "raidz2 of ",
        Layout::Raidz3 => "raidz3 of ",
    };
    let mut parts: Vec<(String, usize)> = Vec::new();
    for name in vdev.disks.iter().map(disk) {
        match parts.last_mut().filter(|(last, _)| *last == name) {
            Some((_, count)) => *count += 1,
            None => parts.push((name, 1)),
        }
    }
    let parts = parts.iter().map(|(name, count)| match count {
        1 => name.clone(),
        count => format!("{count} × {name}"),
    });
    format!("{layout}{}", listed(parts))
}

fn disk(disk: &Disk) -> String {
    let size = disk.size.map(|size| format!(" ({size})")).unwrap_or_default();
    format!("{}{size}", disk.profile)
}

fn phase(phase: &Phase) -> String {
    let clients = phase.clients.iter().map(|client| {
        let (action, file, io) = (client.action.name(), &client.file, client.io);
        let job = client.label.iter().map(|label| format!("{label}: ")).collect::<String>();
        let more = match client.more_files.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let most = client.io_max.map(|most| format!(" to {most}")).unwrap_or_default();
        let depth =
            if client.depth > 1 { format!(", {} in flight", client.depth) } else { String::new() };
        format!("{job}{action} {file}{more} in {io}{most}{depth}")
    });
    let mut parts: Vec<String> = clients.collect();
    parts.dedup();
    let count = phase.clients.len();
    let times = if parts.len() == 1 && count > 1 { format!("{count} × ") } else { String::new() };
    let pause = match phase.pause.0 {
        0 => String::new(),
        _ => format!(", after a pause of {}", phase.pause),
    };
    let limit = phase.limit.map(|limit| format!(", at most {limit}")).unwrap_or_default();
    format!("{}: {times}{}{pause}{limit}", phase.name, parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_scenario_fits_one_screen() {
        let text = include_str!("../tests/it/fixtures/steam.json");
        let scenario = arcwright_report::from_json(text).unwrap().scenario;
        assert_eq!(
            of(&scenario, 3, vec!["11 to 21 MiB".to_owned(), "4 in parallel".to_owned()]),
            "\
Steam library: raidz1 with an SSD read cache
Why is the second read no faster, and which settings change that?

system   OpenZFS 2.1.5 on Linux, 16 GiB memory, nas-quad
data     raidz1 of 3 × hdd-nas-7200
cache    nvme-consumer
dataset  recordsize 128 KiB
arms     as installed
         dumb LRU
files    test.dat, 20 GiB
phases   first read: read test.dat in 128 KiB
         second read: read test.dat in 128 KiB
lab      scale 1/32, seed 1
runs     6 (arms: 2, repeats: 3)
takes    11 to 21 MiB
         4 in parallel

The scenario is valid; nothing was run.
"
        );
    }
}
