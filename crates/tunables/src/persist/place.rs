//! A plan turned into edits of files, calls of a middleware, or lines for the owner.

use super::Command;
use super::edit::{Setting, set, settings_of, unset};
use super::middleware::{Change, Record};
use super::platform::{ConfigLocation, Platform, PlatformProbe};
use super::scan::{ConfigFile, Syntax, scan};
use crate::plan::Plan;
use crate::{EditError, Kernel, Persisted};

/// What is known of the places where settings live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The platform.
    pub platform: Platform,
    /// What showed it.
    pub signs: PlatformProbe,
    /// Every file that may set parameters, in the order in which they take effect.
    pub files: Vec<ConfigFile>,
    /// What the middleware keeps, where there is one; none when it could not be asked.
    pub records: Option<Vec<Record>>,
}

/// Everything that makes settings outlive a boot, or takes that back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Persistence {
    /// Files to be written.
    pub edits: Vec<FileEdit>,
    /// Changes of the middleware's settings.
    pub changes: Vec<Change>,
    /// What the owner does by hand, in lines.
    pub instructions: Vec<String>,
    /// What must run afterwards so that the next boot sees it.
    pub refresh: Vec<Command>,
    /// Lines of others about the same parameters.
    pub conflicts: Vec<Conflict>,
}

/// A file as it is and as it will be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// Its path on the machine.
    pub path: String,
    /// Its text; none when there is no such file.
    pub old: Option<String>,
    /// The text it gets; none when it is to be removed.
    pub new: Option<String>,
}

/// A line of somebody else about a parameter that we set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The line.
    pub line: Persisted,
    /// Whether it is read after ours, and wins.
    pub wins: bool,
}

impl Places {
    /// Returns what is set, in the order in which it takes effect.
    #[must_use]
    pub fn persisted(&self) -> Vec<Persisted> {
        let mut all = scan(&self.files);
        let in_force = self.records.iter().flatten().filter(|record| record.enabled);
        all.extend(in_force.map(|record| Persisted {
            name: record.var.clone(),
            value: crate::Value::read(&record.value),
            path: "middleware".to_owned(),
            line: usize::try_from(record.id).unwrap_or(usize::MAX),
            ours: record.comment.contains("arcwright"),
        }));
        all
    }

    fn text(&self, path: &str) -> Option<&String> {
        self.files.iter().find(|file| file.path == path)?.text.as_ref()
    }
}

/// Returns what puts the steps of `plan` where they outlive a boot; `note` says who and why.
///
/// # Errors
/// [`EditError`] when a file cannot be edited.
pub fn persist(plan: &Plan, places: &Places, note: &str) -> Result<Persistence, EditError> {
    let home = places.platform.home();
    let mut result = Persistence::default();
    let mut by_file: Vec<((&'static str, Syntax), Vec<Setting>)> = Vec::new();
    for step in &plan.steps {
        let setting = Setting {
            module: step.entry.module,
            name: step.name.clone(),
            value: step.new.to_string(),
            note: remark(
                step.current.as_ref().filter(|now| **now != step.new).map(ToString::to_string),
                &step.name,
                note,
            ),
        };
        match (&home, home.file(step.live)) {
            (_, Some(file)) => match by_file.iter_mut().find(|(other, _)| *other == file) {
                Some((_, settings)) => settings.push(setting),
                None => by_file.push((file, vec![setting])),
            },
            (ConfigLocation::Middleware, None) => {
                let kind = Change::kind_on(places.platform, step.live);
                let about = (note, places.records.as_deref().ok_or(EditError::Unasked)?);
                result.changes.push(Change::set(kind, &setting.name, &setting.value, about));
            }
            _ => result.instructions.push(by_hand(places.platform, &setting, step.live)),
        }
    }
    for ((path, syntax), settings) in by_file {
        let old = places.text(path).cloned();
        let new = set(old.as_deref().unwrap_or_default(), syntax, &settings)
            .map_err(|why| within(path, why))?;
        result.conflicts.extend(conflicts(places, (path, syntax), &settings, &new));
        result.edits.push(FileEdit { path: path.to_owned(), old, new: Some(new) });
    }
    finish(&mut result, &home, places);
    Ok(result)
}

fn within(path: &str, why: EditError) -> EditError {
    EditError::In { path: path.to_owned(), why: Box::new(why) }
}

/// Returns what takes our settings of these names out again; all of ours when `names` is none.
///
/// # Errors
/// [`EditError`] when a file cannot be edited.
pub fn unpersist(names: Option<&[String]>, places: &Places) -> Result<Persistence, EditError> {
    let home = places.platform.home();
    let mut result = Persistence::default();
    for live in [true, false] {
        let Some((path, _)) = home.file(live) else { continue };
        let Some(old) = places.text(path) else { continue };
        if result.edits.iter().any(|edit| edit.path == path) {
            continue;
        }
        let ours = settings_of(old).map_err(|why| within(path, why))?;
        let asked = |name: &&String| names.is_none_or(|names| names.contains(name));
        let out: Vec<String> = ours.iter().filter(asked).cloned().collect();
        if out.is_empty() {
            continue;
        }
        let new = unset(old, &out).map_err(|why| within(path, why))?;
        let new = Some(new).filter(|text| !text.is_empty());
        result.edits.push(FileEdit { path: path.to_owned(), old: Some(old.clone()), new });
    }
    if home == ConfigLocation::Middleware && places.records.is_none() {
        return Err(EditError::Unasked);
    }
    let records = places.records.iter().flatten();
    for record in records.filter(|record| record.comment.contains("arcwright")) {
        if names.is_none_or(|names| names.contains(&record.var)) {
            result.changes.push(Change {
                kind: record.kind.clone(),
                var: record.var.clone(),
                old: Some(record.clone()),
                new: None,
                comment: String::new(),
            });
        }
    }
    finish(&mut result, &home, places);
    Ok(result)
}

fn finish(result: &mut Persistence, home: &ConfigLocation, places: &Places) {
    if !result.edits.is_empty() {
        result.refresh = places.platform.refresh(&places.signs);
    }
    if let ConfigLocation::Instructions { how } = home
        && !result.instructions.is_empty()
    {
        result.instructions.insert(0, format!("{}: {how}:", places.platform.name()));
    }
    if let ConfigLocation::Nowhere { why } = home {
        result.instructions = vec![(*why).to_owned()];
    }
}

fn remark(current: Option<String>, name: &str, note: &str) -> String {
    let was = current.map(|value| format!(" (was {value})")).unwrap_or_default();
    format!("{name}{was}: {note}")
}

fn by_hand(platform: Platform, setting: &Setting, live: bool) -> String {
    let Setting { module, name, value, .. } = setting;
    match platform {
        Platform::Nixos => {
            let module = module.name();
            format!("boot.extraModprobeConfig = ''options {module} {name}={value}'';")
        }
        _ if live => format!("sysctl: {name}={value}"),
        _ => format!("loader: {name}=\"{value}\""),
    }
}

/// Returns the lines of others about the same parameters, with who is read last.
fn conflicts(
    places: &Places,
    (path, syntax): (&str, Syntax),
    settings: &[Setting],
    new: &str,
) -> Vec<Conflict> {
    let mut files = places.files.clone();
    let text = Some(new.to_owned());
    match files.iter_mut().find(|file| file.path == path) {
        Some(file) => file.text = text,
        None => files.push(ConfigFile { path: path.to_owned(), syntax, text }),
    }
    let after = scan(&files);
    let same = |line: &Persisted, name: &str| {
        line.name == name || crate::lookup(name).is_some_and(|entry| line.is_of(entry))
    };
    let mut found = Vec::new();
    for setting in settings {
        let of_it: Vec<&Persisted> =
            after.iter().filter(|line| same(line, &setting.name)).collect();
        let own = of_it.iter().position(|line| line.ours);
        for (index, line) in of_it.iter().enumerate().filter(|(_, line)| !line.ours) {
            let wins = own.is_none_or(|own| index > own);
            found.push(Conflict { line: (*line).clone(), wins });
        }
    }
    found
}

impl FileEdit {
    /// Returns the lines that go and come, with `-` and `+` before them, as `diff` writes them.
    #[must_use]
    pub fn diff(&self) -> Vec<String> {
        let lines = |text: &Option<String>| -> Vec<String> {
            let text = text.as_deref().unwrap_or_default();
            text.split_inclusive('\n').map(|line| line.trim_end_matches('\n').to_owned()).collect()
        };
        let (old, new) = (lines(&self.old), lines(&self.new));
        let same = |(one, other): &(&String, &String)| one == other;
        let head = old.iter().zip(&new).take_while(same).count();
        let room = old.len().min(new.len()) - head;
        let tail = old.iter().rev().zip(new.iter().rev()).take(room).take_while(same).count();
        let changed = |all: &[String], sign: char| -> Vec<String> {
            let middle = all.iter().skip(head).take(all.len() - head - tail);
            middle.map(|line| format!("{sign}{line}")).collect()
        };
        [changed(&old, '-'), changed(&new, '+')].concat()
    }
}

impl Platform {
    /// Returns the kernel it has.
    #[must_use]
    pub const fn kernel(self) -> Kernel {
        match self {
            Self::TruenasCore | Self::Freebsd | Self::Xigmanas => Kernel::Freebsd,
            _ => Kernel::Linux,
        }
    }
}
