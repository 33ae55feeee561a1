//! `arcwright calibrate device`: a disk as it answers reads, as a device file.

use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;
use arcwright_device::probe::{DeviceFile, ProbeError, class_of, nearest_profile};
use arcwright_device::{DeviceClass, profile_names};
use arcwright_host::calibrate::{DeviceLook, LookError, ProbedKind};
use arcwright_units::{Bytes, nearest, visible, visible_path};

use super::watched::{Probed, Unprobed, probed};
use super::{begun, complete};
use crate::arguments::DeviceArguments;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

pub(super) fn device(arguments: &DeviceArguments) -> Result<Exit, Problem> {
    let Some(path) = &arguments.path else { return Err(usage("name a device".to_owned())) };
    let shown = visible_path(path);
    let look = DeviceLook::at(path).map_err(|error| cannot(&shown, error))?;
    let class = class(arguments, &look, &shown)?;
    let like = like(arguments.like.as_deref(), class)?;
    confirmed(arguments, &look, path)?;
    let pending = begun(arguments.output.as_deref())?;
    let before = look.counts();
    let profile = |size: Bytes| {
        like.or_else(|| nearest_profile(class, size).map(str::to_owned)).unwrap_or_default()
    };
    let Probed { file, is_direct, reads } =
        probed(&look, arguments.time, profile).map_err(|error| not_probed(&shown, error))?;
    let file = file.map_err(|error| failed(&shown, &error, arguments.time))?;
    let others = others(before, look.counts(), reads);
    let title = arguments.name.clone().or_else(|| look.model.clone());
    let title = title.unwrap_or_else(|| look.names(path).swap_remove(0));
    let mut text = file.text(&title);
    let mut notes = Vec::new();
    if !is_direct {
        notes.push("reads did not go past the page cache: memory was measured, not the device");
    }
    if others {
        notes.push("others used the disk meanwhile, which makes it look slower");
    }
    for note in &notes {
        text = format!("# Note: {note}.\n{text}");
    }
    complete(pending, &text)?;
    if let Some(written) = &arguments.output {
        output::print(&summary(&file, written))?;
    }
    notes.iter().for_each(|note| output::remark(&format!("note: {note}")));
    Ok(Exit::Fine)
}

fn usage(what: String) -> Problem {
    Problem::Usage(anyhow!(what))
}

fn cannot(shown: &str, error: LookError) -> Problem {
    let hint = match &error {
        LookError::System(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            "\nhint: only root may read disks; sudo can"
        }
        LookError::Holes { .. } => "\nhint: measure the disk itself, or a file of random bytes",
        _ => "",
    };
    Problem::Failed(anyhow!("cannot measure {shown}: {error}{hint}"))
}

/// Returns the class as the user says, or else as the system does.
fn class(
    arguments: &DeviceArguments,
    look: &DeviceLook,
    shown: &str,
) -> Result<DeviceClass, Problem> {
    let seen = || {
        look.kind.map(|kind| match kind {
            ProbedKind::Disk => DeviceClass::Hdd,
            ProbedKind::Flash => DeviceClass::SataSsd,
            ProbedKind::Nvme => DeviceClass::Nvme,
        })
    };
    let unknown = || {
        usage(format!(
            "the system does not say whether {shown} turns; add --class hdd, ssd or nvme"
        ))
    };
    arguments.class.map(DeviceClass::from).or_else(seen).ok_or_else(unknown)
}

/// Returns the profile that the user names, when it can stand for a device of the class.
fn like(name: Option<&str>, class: DeviceClass) -> Result<Option<String>, Problem> {
    let Some(name) = name else { return Ok(None) };
    let turns = |class: DeviceClass| class == DeviceClass::Hdd;
    let fits = |class_of_it: &DeviceClass| {
        *class_of_it != DeviceClass::Instant && turns(*class_of_it) == turns(class)
    };
    match class_of(name) {
        Some(its) if fits(&its) => Ok(Some(name.to_owned())),
        Some(_) => Err(usage(format!("--like: {name} is another kind of device"))),
        None => {
            let all = profile_names();
            let hint = match nearest(name, all.iter().copied()) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("known are: {}", all.join(", ")),
            };
            Err(usage(format!("--like: no device profile is called “{}”; {hint}", visible(name))))
        }
    }
}

/// Refuses to read from a device whose name was not said again.
fn confirmed(arguments: &DeviceArguments, look: &DeviceLook, path: &Path) -> Result<(), Problem> {
    let names = look.names(path);
    let shown = visible_path(path);
    let name = names.first().map(String::as_str).unwrap_or_default();
    let name = visible(name);
    match &arguments.confirm {
        Some(confirmed) if names.iter().any(|name| name == confirmed) => Ok(()),
        Some(other) => {
            let other = visible(other);
            Err(usage(format!("--confirm {other} is not the name of {shown}, which is {name}")))
        }
        None => {
            let model = look.model.as_ref().map(|model| format!(" ({})", visible(model)));
            let model = model.unwrap_or_default();
            let seconds = arguments.time.as_secs();
            Err(usage(format!(
                "this reads from {shown}{model} for about {seconds} s and writes nothing to it; \
                 say its name again to go on: --confirm {name}"
            )))
        }
    }
}

fn not_probed(shown: &str, error: Unprobed) -> Problem {
    match error {
        Unprobed::Look(error) => cannot(shown, error),
        Unprobed::Hangs => Problem::Failed(anyhow!("{shown} does not answer; nothing is written")),
        Unprobed::Failed(error) => Problem::Failed(anyhow!("cannot measure {shown}: {error}")),
    }
}

fn failed(shown: &str, error: &ProbeError, time: Duration) -> Problem {
    let hint = match error {
        ProbeError::TimeOver => format!(
            "\nhint: it had {} s, twice what --time says; a busy or sleeping disk needs longer",
            2 * time.as_secs()
        ),
        ProbeError::Strange { .. } => {
            "\nhint: --class says what it is, where the system is wrong (virtual disks)".to_owned()
        }
        _ => String::new(),
    };
    let why = visible(&error.to_string()).into_owned();
    Problem::Failed(anyhow!("cannot measure {shown}: {why}{hint}"))
}

/// Says whether others used the disk so much meanwhile that it shows: one write for a hundred reads of the probe, or as
/// many reads again. The kernel may cut a large read in two.
fn others(before: Option<(u64, u64)>, after: Option<(u64, u64)>, reads: u64) -> bool {
    let Some(((writes, all), (writes_then, all_then))) = before.zip(after) else { return false };
    let (writes, all) = (writes_then.saturating_sub(writes), all_then.saturating_sub(all));
    writes > reads / 100 + 10 || all > reads * 3 + 100
}

/// Returns what was measured, one value a line, and what to do with it.
fn summary(file: &DeviceFile, written: &Path) -> String {
    let row = |value: &arcwright_device::probe::MeasuredValue| {
        let text: String = value.value.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("  {:<20} {}\n", value.key, text)
    };
    let rows: String = file.values().iter().map(row).collect();
    let remarks: String = file.remarks().iter().map(|line| format!("{line}\n")).collect();
    let name = written.file_name().map(|name| visible_path(name.as_ref())).unwrap_or_default();
    format!(
        "Measured:\n{rows}{remarks}The rest is from {}.\n\nWrote {}. In a scenario beside it:\n  [devices]\n  mine = \"./{name}\"\n",
        file.profile_name(),
        visible_path(written)
    )
}

#[cfg(test)]
mod tests {
    use arcwright_device::DeviceClass;

    use super::{like, others};

    #[test]
    fn what_others_do_shows_from_some_amount_on() {
        let check = |writes: u64, all: u64, expected| {
            assert_eq!(others(Some((5, 7)), Some((5 + writes, 7 + all)), 1000), expected);
        };
        check(0, 1000, false);
        check(20, 2000, false);
        check(21, 1000, true);
        check(0, 3101, true);
        assert!(!others(None, Some((1, 1)), 0));
    }

    #[test]
    fn a_profile_stands_for_its_kind_alone() {
        let check = |name, class, expected: Result<&str, &str>| {
            let found = like(Some(name), class).map_err(|error| error.to_string());
            match expected {
                Ok(expected) => assert_eq!(found.unwrap().as_deref(), Some(expected)),
                Err(expected) => assert!(found.unwrap_err().contains(expected), "{name}"),
            }
        };
        check("nvme-plp", DeviceClass::SataSsd, Ok("nvme-plp"));
        check("hdd-nas-5400", DeviceClass::Hdd, Ok("hdd-nas-5400"));
        check("nvme-plp", DeviceClass::Hdd, Err("another kind of device"));
        check("instant", DeviceClass::Nvme, Err("another kind of device"));
        check("nvme-plq", DeviceClass::Nvme, Err("did you mean nvme-plp?"));
    }
}
