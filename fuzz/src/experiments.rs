//! Scenarios, changes of them from the command line, job files of fio, and traces.

use arcwright_scenario::{Scenario, ScenarioError, apply_override};
use arcwright_units::Bytes;
use arcwright_workload::Recorded;
use arcwright_workload::fio::{FioError, JobFile};
use arcwright_workload::traces::{
    Addressing, BlockOptions, Blocks, ReadOptions, Request, TraceFormat, TraceReader,
};
use miette::Diagnostic as _;

use crate::input::Input;

/// So many files and clients of one job are made; more are the same again.
const EXPANDED_MAX: u32 = 4096;
/// A job file that a scenario may name.
const JOB: &str = "[global]\nbs=4k\n[a]\nrw=randread\nsize=1m\n[b]\nrw=write\nsize=2m\nfsync=4\n";

/// Values that a key of a scenario is given, right and wrong.
const VALUES: [&str; 32] = [
    "\"2.1.5\"",
    "\"16GiB\"",
    "\"128KiB\"",
    "\"1s\"",
    "\"nas-quad\"",
    "\"hdd-nas-7200\"",
    "\"nvme-consumer\"",
    "\"f\"",
    "\"t\"",
    "\"a\"",
    "\"p\"",
    "\"sequential\"",
    "\"linux\"",
    "\"all\"",
    "\"lz4\"",
    "\"none\"",
    "\"100%\"",
    "\"18446744073709551615\"",
    "\"16EiB\"",
    "\"\"",
    "0",
    "1",
    "-1",
    "64",
    "9223372036854775807",
    "0.5",
    "nan",
    "true",
    "[]",
    "{}",
    "[{ raidz1 = [\"hdd-nas-7200\", \"hdd-nas-7200\", \"hdd-nas-7200\"] }]",
    "{ l2arc_noprefetch = 0, zfetch_max_distance = \"2GiB\" }",
];
const SYSTEM: [&str; 6] = ["zfs", "os", "memory", "cpu", "tunables", "arc_max"];
const POOL: [&str; 11] = [
    "data",
    "cache",
    "log",
    "special",
    "recordsize",
    "compression",
    "primarycache",
    "secondarycache",
    "sync",
    "logbias",
    "ashift",
];
const ARM: [&str; 10] = [
    "name",
    "tunables",
    "zfs",
    "memory",
    "cache",
    "log",
    "special",
    "recordsize",
    "primarycache",
    "sync",
];
const CONTENT: [&str; 6] =
    ["name", "size", "recordsize", "files", "files_per_directory", "size_max"];
const CLIENT: [&str; 20] = [
    "read",
    "write",
    "sync-write",
    "mixed",
    "tree-stat",
    "tree-read",
    "tree-copy",
    "fio",
    "io",
    "io_max",
    "depth",
    "sync",
    "fsync",
    "pattern",
    "zipf",
    "amount",
    "rate",
    "link",
    "read_pct",
    "count",
];
const PHASE: [&str; 3] = ["name", "pause", "limit"];
const ANSWER: [&str; 8] =
    ["arm", "phase", "against", "against_phase", "better", "same", "worse", "alike"];
const LAB: [&str; 4] = ["scale", "clock", "motion", "openzfs"];

/// A scenario's text is read and survives being stored, or is refused with a place in it.
pub fn scenario(text: &str) {
    parsed(text);
}

/// A scenario built of its own words: sections and keys that exist, with values right and wrong.
pub fn experiment(bytes: &[u8]) {
    let mut draft = Draft { text: "title = \"x\"\n".to_owned(), input: Input::new(bytes) };
    draft.section("[system]", &SYSTEM, &["zfs = \"2.1.5\"", "memory = \"8GiB\""]);
    draft.section("[system.pool]", &POOL, &["data = [\"hdd-nas-7200\"]"]);
    for _ in 0..=draft.input.below(3) {
        draft.section("[[arm]]", &ARM, &["name = \"a\""]);
    }
    draft.section("[[file]]", &CONTENT, &["name = \"f\"", "size = \"1GiB\""]);
    if draft.input.below(2) == 1 {
        draft.section(
            "[[tree]]",
            &CONTENT,
            &["name = \"t\"", "files = 100", "size_max = \"8KiB\""],
        );
    }
    for _ in 0..=draft.input.below(3) {
        draft.section("[[phase]]", &PHASE, &["name = \"p\""]);
        draft.clients();
    }
    if draft.input.below(2) == 1 {
        draft.section("[[answer]]", &ANSWER, &["arm = \"a\"", "phase = \"p\""]);
    }
    draft.section("[lab]", &LAB, &[]);
    parsed(&draft.text);
}

/// A scenario's text so far, and what is left of the input that it is made of.
struct Draft<'a> {
    text: String,
    input: Input<'a>,
}

impl Draft<'_> {
    /// Writes a section: its usual keys, of which one may be left out, and some that the input gives.
    fn section(&mut self, head: &str, keys: &[&str], usual: &[&str]) {
        self.line(head);
        let choice = self.input.byte();
        let without = usize::from(choice >> 4);
        for (index, line) in usual.iter().enumerate() {
            if index + 1 != without {
                self.line(line);
            }
        }
        for _ in 0..choice & 3 {
            let pair = self.pair(keys);
            self.line(&pair);
        }
    }

    fn clients(&mut self) {
        let entries: Vec<String> = (0..self.input.below(4)).map(|_| self.client()).collect();
        self.line(&format!("clients = [{{ read = \"f\" }}, {}]", entries.join(", ")));
    }

    fn client(&mut self) -> String {
        let keys: Vec<String> = (0..=self.input.below(4)).map(|_| self.pair(&CLIENT)).collect();
        format!("{{ {} }}", keys.join(", "))
    }

    /// Makes a key of these with a value.
    fn pair(&mut self, keys: &[&str]) -> String {
        let key = keys[self.input.below(keys.len())];
        format!("{key} = {}", self.value())
    }

    fn value(&mut self) -> String {
        match self.input.below(VALUES.len() + 2) {
            at if at < VALUES.len() => VALUES[at].to_owned(),
            at if at == VALUES.len() => self.input.number().to_string(),
            _ => format!("{:?}", self.input.text()),
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

fn parsed(text: &str) {
    let read = Scenario::parse_with(text, "x.toml", &|_| Ok(JOB.to_owned()));
    match read {
        Ok(scenario) => sound(&scenario),
        Err(error) => placed(&error, text),
    }
}

fn sound(scenario: &Scenario) {
    assert!(!scenario.arms.is_empty() && !scenario.phases.is_empty());
    let clients = scenario.phases.iter().map(|phase| phase.clients.len());
    assert!(clients.clone().all(|count| (1..=1024).contains(&count)), "clients are bounded");
    for arm in &scenario.arms {
        let system = scenario.system_of(arm);
        assert!(system.tunables.len() <= scenario.system.tunables.len() + arm.tunables.len());
    }
    let stored = serde_json::to_string(scenario).expect("a scenario is JSON");
    let again: Scenario = serde_json::from_str(&stored).expect("what is stored is read back");
    assert_eq!(&again, scenario, "and is the same");
}

/// A refusal names a place within the file that it is about.
fn placed(error: &ScenarioError, text: &str) {
    assert!(!error.to_string().is_empty());
    let in_text = error.file() == "x.toml";
    let source = if in_text { text } else { JOB };
    assert!(error.line() >= 1 && error.column() >= 1);
    assert!(error.line() <= source.split('\n').count(), "the line is one of the file");
    // Of a long line an excerpt is shown, and the label stands in that.
    let shown = error.source_code().expect("a refusal shows the text");
    for label in error.labels().into_iter().flatten() {
        let part = shown.read_span(label.inner(), 0, 0).expect("the label is within what is shown");
        assert!(std::str::from_utf8(part.data()).is_ok(), "and begins and ends at a character");
    }
}

/// `--set KEY=VALUE`: what comes out is a document, and the same change again changes nothing.
pub fn setting(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (key, value, text) = (input.part(), input.part(), input.remainder());
    let Ok(once) = apply_override(&text, &key, &value) else { return };
    let twice = apply_override(&once, &key, &value);
    assert_eq!(twice.as_ref(), Ok(&once), "the same change again changes nothing");
    parsed(&once);
}

/// A job file is read as jobs of bounded size, or is refused with a place in it.
pub fn fio(text: &str) {
    let within = |error: &FioError| {
        assert!(error.span.start <= error.span.end && error.span.end <= text.len());
        assert!(text.is_char_boundary(error.span.start) && text.is_char_boundary(error.span.end));
    };
    let jobs = match JobFile::parse(text) {
        Ok(jobs) => jobs,
        Err(error) => return within(&error),
    };
    let names: Vec<&str> = jobs.names().collect();
    assert!(!names.is_empty(), "a job file has a job");
    let plan = match jobs.plan(None) {
        Ok(plan) => plan,
        Err(error) => return within(&error),
    };
    assert_eq!(plan.jobs.len(), names.len());
    for job in &plan.jobs {
        assert!((1..=1024).contains(&job.clones) && (1..=1024).contains(&job.depth));
        if job.clones.saturating_mul(job.amounts.files) <= EXPANDED_MAX {
            let (files, clients) = job.expand();
            assert_eq!(clients.len(), job.clones as usize);
            assert!(!files.is_empty(), "a job has a file");
        }
    }
}

/// A trace in any format; the first byte tells which, the second how it is cut into pieces, the third how large blocks
/// are. However it is cut, it says the same, and every access is to a block that there is, the first to each in order.
pub fn trace(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let formats = TraceFormat::ALL;
    let which = input.below(formats.len());
    let piece = input.below(64) + 1;
    let block = [None, Some(Bytes(512)), Some(Bytes::kib(128))][input.below(3)];
    let bytes = bytes.get(3..).unwrap_or_default();
    let _told = TraceFormat::recognize(bytes, "");
    let Some((format, _)) = formats.get(which) else { return };
    let whole = requests(bytes, *format, bytes.len());
    let pieces = requests(bytes, *format, piece);
    assert_eq!(whole, pieces, "pieces make no difference");
    let Ok(requests) = whole else { return };
    played(&requests, format.addressing().unwrap_or(Addressing::Bytes));
    let options = BlockOptions { block, times: true, accesses_max: 1 << 22 };
    let mut blocks = Blocks::new(options);
    if blocks.add(&requests).is_err() {
        return;
    }
    let trace = blocks.finish();
    let mut next = 0;
    for page in &trace.accesses {
        assert!(*page <= next, "blocks are named in the order of their first access");
        next = next.max(page + 1);
    }
    assert_eq!(next, trace.pages);
    assert_eq!(trace.bytes.len(), next as usize);
    assert_eq!(trace.millis.len(), trace.accesses.len());
}

/// Every request of a trace that is played lies in its file, in the order of times, also when the trace is thinned.
fn played(requests: &[Request], addressing: Addressing) {
    let mut recorded = Recorded::with_room(1 << 16);
    if recorded.add(requests).is_err() {
        return;
    }
    let Ok(whole) = recorded.replay((addressing, true), Bytes::kib(128)) else { return };
    for replay in [whole.thinned(7), whole.share(0.3, 0.8), whole] {
        let mut before = None;
        for number in 0..replay.requests().len() {
            let one = replay.get(number).expect("there are as many as are told");
            let file = replay.files()[usize::from(one.file)];
            assert!(one.size > 0 && one.offset + u64::from(one.size) <= file.size.0);
            assert!(before <= Some(one.at), "requests are in order");
            before = Some(one.at);
        }
        assert!((0.0..=1.0).contains(&replay.first_reads()));
    }
}

fn requests(bytes: &[u8], format: TraceFormat, piece: usize) -> Result<Vec<Request>, String> {
    let mut reader = TraceReader::new(format, &ReadOptions::default())?;
    let mut requests = Vec::new();
    for piece in bytes.chunks(piece.max(1)) {
        reader.push(piece, &mut requests).map_err(|error| error.to_string())?;
    }
    reader.finish(&mut requests).map_err(|error| error.to_string())?;
    Ok(requests)
}
