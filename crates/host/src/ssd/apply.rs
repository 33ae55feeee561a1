//! Applying a plan: partitions, vdevs, and a look at what came of it.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use arcwright_machine::{Machine, Source, Sources};
use arcwright_tunables::persist::Command;

use super::record::{Recorded, RecordedPart, State, load, store};
use super::{SsdHostError, look, undo};
use crate::tune::{AuditNote, Commands, Root, exclusive, text_of};

/// How long the kernel may take until a new partition is there.
const APPEARS: Duration = Duration::from_secs(15);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SsdRequest {
    /// The pool.
    pub pool: String,
    /// The drives with the sizes that the plan is for.
    pub drives: Vec<(String, u64)>,
    /// The commands, in order.
    pub make: Vec<Command>,
    /// The partitions of each role.
    pub parts: Vec<RecordedPart>,
}

/// Applies a plan, after each drive was seen to be empty and nobody's.
///
/// # Errors
/// [`SsdHostError`]; what had been done is taken back then, unless it says otherwise.
pub fn apply(
    root: &Root,
    commands: &dyn Commands,
    request: &SsdRequest,
    note: &AuditNote,
) -> Result<Recorded, SsdHostError> {
    let _lock = exclusive(root)?;
    let mut operations = load(root)?;
    for (path, planned) in &request.drives {
        let seen = look(path)?;
        if seen.bytes != *planned {
            let (path, found, planned) = (path.clone(), seen.bytes, *planned);
            return Err(SsdHostError::Size { path, found, planned });
        }
    }
    let is_checkpoint = |command: &Command| command.words.iter().any(|word| word == "checkpoint");
    let recorded = Recorded {
        state: State::Begun,
        time: note.time,
        who: note.who.clone(),
        pool: request.pool.clone(),
        drives: request.drives.clone(),
        parts: request.parts.clone(),
        labels: labels(&request.make),
        has_checkpoint: request.make.iter().any(is_checkpoint),
    };
    operations.push(recorded.clone());
    store(root, operations.clone())?;
    let made = make(commands, request);
    if let Err(why) = made {
        let why = Box::new(why);
        return Err(match undo::take_back(root, commands, operations) {
            Ok(_) => SsdHostError::TakenBack { why },
            Err(also) => SsdHostError::LeftOver { why, also: Box::new(also) },
        });
    }
    let done = Recorded { state: State::Done, ..recorded };
    if let Some(last) = operations.last_mut() {
        *last = done.clone();
    }
    store(root, operations)?;
    Ok(done)
}

/// Returns the names that the commands give to partitions: `--change-name=1:tank-log`.
fn labels(make: &[Command]) -> Vec<String> {
    let words = make.iter().flat_map(|command| &command.words);
    let named = words.filter_map(|word| word.strip_prefix("--change-name=")?.split_once(':'));
    named.map(|(_, name)| name.to_owned()).collect()
}

fn make(commands: &dyn Commands, request: &SsdRequest) -> Result<(), SsdHostError> {
    for command in &request.make {
        // udevadm may not be there; that the partitions are is looked at below.
        let is = |program: &str| command.words.first().is_some_and(|word| word == program);
        if is("udevadm") {
            let _may_be_absent = commands.run(command);
            continue;
        }
        let adds = is("zpool") && command.words.get(1).is_some_and(|word| word == "add");
        if adds {
            appear(&request.parts)?;
        }
        text_of(commands, command)?;
    }
    let names = names_in_pool(commands, &request.pool)?;
    for part in &request.parts {
        for partition in &part.partitions {
            if !names.iter().any(|(_, leaf)| is_same(leaf, partition)) {
                let what = format!("zpool status does not show {partition} in {}", request.pool);
                return Err(SsdHostError::NotThere { what });
            }
        }
    }
    Ok(())
}

/// Waits until the kernel shows all partitions.
fn appear(parts: &[RecordedPart]) -> Result<(), SsdHostError> {
    let until = Instant::now() + APPEARS;
    let all = || parts.iter().flat_map(|part| &part.partitions);
    loop {
        let Some(missing) = all().find(|partition| !Path::new(partition.as_str()).exists()) else {
            return Ok(());
        };
        if Instant::now() > until {
            let what = format!("{missing} did not appear after its partition was made");
            return Err(SsdHostError::NotThere { what });
        }
        sleep(LOOK_EVERY);
    }
}

/// Returns the leaves of a pool with the top-level vdev that each is of, by full paths.
pub(super) fn names_in_pool(
    commands: &dyn Commands,
    pool: &str,
) -> Result<Vec<(String, String)>, SsdHostError> {
    let text = text_of(commands, &Command::new(&["zpool", "status", "-P", pool]))?;
    let mut sources = Sources::default();
    sources.texts.insert("commands/zpool-status".to_owned(), Source::Text(text));
    let machine = Machine::read(&sources);
    let found = machine.pools.iter().find(|it| it.name == pool);
    let found = found.ok_or_else(|| SsdHostError::NotThere {
        what: format!("zpool status shows no pool {pool}"),
    })?;
    let of = |vdev: &arcwright_machine::Vdev| {
        let leaves = vdev.leaves().into_iter().map(|leaf| leaf.name.clone());
        leaves.map(|leaf| (vdev.name.clone(), leaf)).collect::<Vec<_>>()
    };
    Ok(found.vdevs.iter().flat_map(of).collect())
}

/// Says whether two paths lead to one device.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let real = |path: &str| std::fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| Some(one) == real(other))
}
