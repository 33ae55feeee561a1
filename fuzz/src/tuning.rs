//! What `tune` reads: the journal, files that set parameters, a middleware's records, requested settings.

use std::collections::{BTreeMap, BTreeSet};

use arcwright_tunables::journal::{Action, Entry, Event, Journal, VERSION};
use arcwright_tunables::persist::{
    Change, ConfigFile, HOMES, Platform, PlatformProbe, Record, Setting, Syntax, adopt, scan, set,
    settings_of, unset,
};
use arcwright_tunables::persist::{Places, persist, unpersist};
use arcwright_tunables::{
    Kernel, Module, Plan, Purpose, RequestedSetting, Running, Seen, Version, entries,
};
use arcwright_units::Bytes;

use crate::input::Input;

const SYNTAXES: [Syntax; 4] = [Syntax::Modprobe, Syntax::Loader, Syntax::Sysctl, Syntax::Cmdline];
const EVENTS: [Event; 5] =
    [Event::Planned, Event::Done, Event::Failed, Event::Undoing, Event::Undone];
const PLATFORMS: [Platform; 10] = [
    Platform::Debian,
    Platform::Ubuntu,
    Platform::Proxmox,
    Platform::TruenasScale,
    Platform::TruenasCore,
    Platform::Freebsd,
    Platform::Xigmanas,
    Platform::Nixos,
    Platform::Container,
    Platform::Linux,
];

/// A journal's text: what is followed was checked, the next operation has a number of its own, and what
/// is written after it stands on its own.
pub fn journal(text: &str) {
    followed(&Journal::read(text), text);
}

/// A journal built of entries, so that most lines are followed: what is written is read back.
pub fn entries_of(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (mut text, mut sound) = (String::new(), Vec::new());
    while !input.is_empty() && sound.len() < 64 {
        let entry = entry(&mut input);
        text.push_str(&Journal::default().line(&entry));
        if entry.check().is_ok() {
            sound.push(entry);
        }
    }
    let journal = Journal::read(&text);
    assert_eq!(journal.entries, sound, "what is written and sound is read back");
    followed(&journal, &text);
}

fn followed(journal: &Journal, text: &str) {
    let lines = text.lines().count();
    assert!(journal.entries.len() + journal.problems.len() <= lines);
    assert!(journal.entries.iter().all(|entry| entry.check().is_ok() && entry.v <= VERSION));
    let operations = journal.operations();
    let next = journal.next_id();
    for operation in &operations {
        assert!(operation.id != next, "the next operation is another");
        assert!(operation.in_force().len() <= operation.steps.len());
        for step in &operation.steps {
            for made in [None, Some(false), Some(true)] {
                let settled = step.settled(made);
                assert_eq!(settled.is_some(), step.is_pending(), "what is pending is settled");
            }
        }
    }
    let mut after = live(next, 0, Event::Planned);
    after.why = "after".to_owned();
    let longer = Journal::read(&format!("{text}{}", journal.line(&after)));
    assert_eq!(longer.entries.last(), Some(&after), "a line that is added is read");
    assert_eq!(longer.entries.len(), journal.entries.len() + 1, "and takes no other away");
}

fn live(operation: u64, step: u32, event: Event) -> Entry {
    let action = Action::Live {
        name: "l2arc_noprefetch".to_owned(),
        module: "zfs".to_owned(),
        old: "1".to_owned(),
        new: "0".to_owned(),
        through: None,
        back_through: None,
    };
    let (who, why) = (String::new(), String::new());
    Entry { v: VERSION, operation, step, time: 7, who, why, event, reason: None, action }
}

fn entry(input: &mut Input<'_>) -> Entry {
    let choice = input.byte();
    let mut entry = live(u64::from(choice >> 5), u32::from(choice & 7), input.pick(&EVENTS));
    match input.below(8) {
        0 => entry.operation = input.number(),
        1 => (entry.who, entry.why) = (input.text(), input.text()),
        2 => entry.reason = Some(input.text()),
        3 => {
            let known = &entries()[input.below(256) % entries().len()];
            entry.action = Action::Live {
                name: known.name.clone(),
                module: known.module.name().to_owned(),
                old: input.text(),
                new: input.number().to_string(),
                through: Some(input.text()).filter(|text| !text.is_empty()),
                back_through: None,
            };
        }
        4 => {
            let digest = |byte: u8| char::from(b"0123456789abcdeg"[usize::from(byte & 15)]);
            let (old, new) = (digest(input.byte()), digest(input.byte()));
            entry.action = Action::File {
                path: input.pick(&HOMES).to_owned() + &input.text(),
                old: Some(old.to_string().repeat(64)),
                new: Some(new.to_string().repeat(64)).filter(|_| new != '0'),
                names: [vec![input.text()], Vec::new()],
            };
        }
        5 => entry.action = Action::Middleware { change: change(input) },
        _ => {}
    }
    entry
}

fn change(input: &mut Input<'_>) -> Change {
    let kind = ["ZFS", "SYSCTL", "LOADER", "RC"][input.below(4)].to_owned();
    let name = |input: &mut Input<'_>| ["l2arc_noprefetch", "zfs_arc_max", ""][input.below(3)];
    let var = name(input).to_owned();
    let old = (input.below(2) == 1).then(|| Record {
        id: input.number(),
        kind: kind.clone(),
        var: name(input).to_owned(),
        value: input.text(),
        comment: input.text(),
        enabled: input.below(2) == 1,
    });
    let new = (input.below(2) == 1).then(|| input.text());
    Change { kind, var, old, new, comment: input.text() }
}

/// A file that sets parameters, edited: without our block it is what it was, twice is once, and what is
/// put in and taken out again leaves no trace.
pub fn persisted(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let syntax = input.pick(&SYNTAXES);
    let settings: Vec<Setting> = (0..=input.below(3)).map(|_| wanted(&mut input)).collect();
    let text = input.remainder();
    scanned(&text, syntax);
    let Ok(before) = settings_of(&text) else {
        assert!(set(&text, syntax, &settings).is_err(), "a broken block is not written into");
        return;
    };
    let Ok(once) = set(&text, syntax, &settings) else { return };
    assert_eq!(set(&once, syntax, &settings).as_ref(), Ok(&once), "twice is once");
    let there = settings_of(&once).expect("our own block is whole");
    for setting in &settings {
        assert!(there.contains(&setting.name), "{} is put in", setting.name);
    }
    scanned(&once, syntax);
    let names: Vec<String> = there.iter().filter(|name| !before.contains(name)).cloned().collect();
    let back = unset(&once, &names).expect("our own block is whole");
    if before.is_empty() && !text.contains("arcwright tune") {
        assert_eq!(back, text, "what is put in and taken out leaves no trace");
    }
    let adopted = adopt(&text, &once).expect("both blocks are whole");
    let after: BTreeSet<String> = settings_of(&adopted).expect("whole").into_iter().collect();
    assert!(there.iter().all(|name| after.contains(name)), "all that is ours is taken over");
}

fn wanted(input: &mut Input<'_>) -> Setting {
    let choice = input.byte();
    let name = match choice & 7 {
        0 => input.text(),
        1 => "vfs.zfs.arc.max".to_owned(),
        2 => "l2arc_noprefetch".to_owned(),
        _ => "zfs_arc_max".to_owned(),
    };
    let value = if choice & 8 == 0 { input.number().to_string() } else { input.text() };
    let module = if choice & 16 == 0 { Module::Zfs } else { Module::Spl };
    let note = if choice & 32 == 0 { String::new() } else { input.text() };
    Setting { module, name, value, note }
}

fn scanned(text: &str, syntax: Syntax) {
    let lines = text.matches('\n').count() + 1;
    let file = ConfigFile { path: "/x".to_owned(), syntax, text: Some(text.to_owned()) };
    for found in scan(&[file]) {
        assert!((1..=lines).contains(&found.line), "a setting stands in a line of the file");
    }
}

/// What a middleware keeps, as it answers: a change that is made and taken back asks for what was there.
pub fn records(text: &str) {
    let Ok(there) = serde_json::from_str::<Vec<Record>>(text) else { return };
    for record in there.iter().take(8) {
        let change = Change::set(&record.kind, &record.var, "1", ("by arcwright", &there));
        assert!(!change.apply().to_string().is_empty());
        assert_eq!(change.undo(&there), None, "nothing was changed, so nothing goes back");
        let fewer: Vec<Record> =
            there.iter().filter(|other| other.var != record.var).cloned().collect();
        assert!(change.undo(&fewer).is_some(), "what was there comes back");
    }
}

/// Settings that a command line requests on machines of all kinds, planned, written into their files and
/// taken out again.
pub fn requested(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let platform = input.pick(&PLATFORMS);
    let running = running(platform.kernel(), &mut input);
    let mut requests = Vec::new();
    for _ in 0..=input.below(4) {
        let text = request_text(&mut input);
        requests.extend(RequestedSetting::parse(&text, &running).ok());
    }
    let Ok(live) = Plan::new(Purpose::Live, &requests, &running, &[]) else { return };
    assert!(live.steps.len() + live.left_out.len() == requests.len(), "every request is answered");
    let places = places(platform, &mut input);
    let there = places.persisted();
    let Ok(plan) = Plan::new(Purpose::Persist, &requests, &running, &there) else { return };
    let Ok(made) = persist(&plan, &places, "fuzz") else { return };
    let mut after = places.clone();
    for edit in &made.edits {
        let _lines = edit.diff();
        let file = after.files.iter_mut().find(|file| file.path == edit.path);
        match file {
            Some(file) => file.text.clone_from(&edit.new),
            None => {
                assert!(HOMES.contains(&edit.path.as_str()), "no other file is written");
                let path = edit.path.clone();
                after.files.push(ConfigFile {
                    path,
                    syntax: Syntax::Modprobe,
                    text: edit.new.clone(),
                });
            }
        }
    }
    let Ok(back) = unpersist(None, &after) else { return };
    for edit in &back.edits {
        let text = places.files.iter().find(|file| file.path == edit.path);
        let text = text.and_then(|file| file.text.as_deref()).unwrap_or_default();
        if !text.contains("arcwright tune") {
            assert_eq!(edit.new.as_deref().unwrap_or_default(), text, "back to what it was");
        }
    }
}

fn running(kernel: Kernel, input: &mut Input<'_>) -> Running {
    const VERSIONS: [&str; 8] =
        ["0.7.13", "0.8.6", "2.0.7", "2.1.11", "2.2.7", "2.3.2", "2.4.0", "freebsd-11"];
    let text = input.pick(&VERSIONS);
    let mut parameters = BTreeMap::new();
    for _ in 0..input.below(4) {
        let entry = &entries()[input.below(256) % entries().len()];
        let seen = Seen { value: input.text(), writable: Some(input.below(2) == 1) };
        parameters.insert(entry.name.clone(), seen);
    }
    Running {
        kernel,
        version: Version::parse(text),
        version_text: Some(text.to_owned()),
        memory: (input.below(4) > 0).then(|| Bytes(input.number())),
        arc_bounds: None,
        parameters,
    }
}

fn request_text(input: &mut Input<'_>) -> String {
    let entry = &entries()[input.below(256) % entries().len()];
    match input.below(4) {
        0 => input.text(),
        1 => format!("{}={}", entry.name, input.text()),
        2 => format!("{}=default", entry.name),
        _ => format!("{}={}", entry.name, input.number()),
    }
}

fn places(platform: Platform, input: &mut Input<'_>) -> Places {
    let files = HOMES.iter().zip([Syntax::Modprobe, Syntax::Sysctl, Syntax::Loader]);
    let files = files.map(|(path, syntax)| ConfigFile {
        path: (*path).to_owned(),
        syntax,
        text: Some(input.text()).filter(|text| !text.is_empty()),
    });
    let files: Vec<ConfigFile> = files.collect();
    let signs = PlatformProbe {
        kernel: platform.kernel(),
        os_release: None,
        product: None,
        present: BTreeSet::new(),
    };
    Places { platform, signs, files, records: Some(Vec::new()) }
}
