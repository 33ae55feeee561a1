//! Recording counters: a reading every interval, a look at the machine once a day.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use arcwright_host::capture::{FORMAT, Manifest, pack};
use arcwright_host::observe::{Options, Tools, observe};
use arcwright_host::record::{RecordError, Recorder, Store};
use arcwright_scenario::{Event, Watch as _};
use arcwright_units::{Nanos, visible_path};

use super::folder;
use crate::arguments::RecordCountersArguments;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::observing::{UntilTheEnd, no_counters};
use crate::output;
use crate::pages::PendingPage;
use crate::problem::Problem;
use crate::progress::Progress;

/// How often the machine's settings, pools and drives are looked at.
const LOOK_EVERY: Nanos = Nanos::secs(24 * 3600);
/// How often somebody who waits looks whether the program is to end.
const TICK: Duration = Duration::from_millis(100);

pub(super) fn record(arguments: &RecordCountersArguments) -> Result<Exit, Problem> {
    let path = folder(arguments.folder.as_deref())?;
    let page = arguments.html.as_deref().map(PendingPage::begin).transpose()?;
    let interrupt = Interrupt::listen()?;
    let tools = Tools::default().until(interrupt.flag());
    let recorder = Recorder::new(&arguments.root, &tools)
        .map_err(|reason| Problem::Failed(no_counters(&reason)))?;
    let store = Store::open(&path, arguments.limit).map_err(anyhow::Error::from)?;
    let looks = Looks::new(&arguments.root, tools, !arguments.no_smart, &interrupt);
    let mut recording = Recording { recorder, store, looks, taken: 0, trouble: None };
    if arguments.once {
        recording.take();
        recording.look_and_wait();
        let exit = recording.end()?;
        return write_page(page, &path).map(|()| exit);
    }
    let shown = visible_path(&path);
    let every = arguments.interval.as_secs_f64();
    output::remark(&format!(
        "recording into {shown} every {every} s, at most {}; Ctrl-C ends it",
        arguments.limit
    ));
    recording.go_on(arguments, &interrupt);
    let taken = recording.taken;
    let exit = recording.end()?;
    write_page(page, &path)?;
    output::print(&format!(
        "{taken} readings taken. Next:\n  arcwright record show {shown}\n  arcwright advise --from {shown}\n"
    ))?;
    Ok(exit)
}

/// Writes the page that was asked for, of all that the folder has.
fn write_page(page: Option<PendingPage>, path: &Path) -> Result<(), Problem> {
    let Some(page) = page else { return Ok(()) };
    let recording = arcwright_host::record::Recording::open(path).map_err(anyhow::Error::from)?;
    let place = path.display().to_string();
    super::page::write(page, &recording, (&place, &recording.recorded()))
}

/// A recording that goes on.
struct Recording {
    recorder: Recorder,
    store: Store,
    looks: Looks,
    taken: u64,
    /// What the disk or the clock refused last, said once.
    trouble: Option<String>,
}

impl Recording {
    /// Takes readings until the time is over or the user ends it.
    fn go_on(&mut self, arguments: &RecordCountersArguments, interrupt: &Interrupt) {
        let mut progress = Progress::new(interrupt.clone());
        progress.event(Event::Stage("recording".to_owned()));
        let begin = Instant::now();
        let is_over = |at: Instant| {
            arguments.length.is_some_and(|length| at.saturating_duration_since(begin) > length)
        };
        let mut next = begin;
        while !interrupt.asked() && !is_over(next) {
            self.take();
            self.look();
            if let Some(length) = arguments.length {
                let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                let left = Nanos::secs(length.saturating_sub(begin.elapsed()).as_secs());
                let (done, total) = (millis(begin.elapsed()), millis(length).max(1));
                progress.event(Event::Progress { done: done.min(total), total, left: Some(left) });
            }
            // A machine that slept is not made up for by a burst.
            next = (next + arguments.interval).max(Instant::now());
            while Instant::now() < next && !interrupt.asked() && !is_over(next) {
                thread::sleep(TICK.min(next.saturating_duration_since(Instant::now())));
            }
        }
    }

    /// Takes a reading; trouble is said once, and again when it is over.
    fn take(&mut self) {
        let reading = self.recorder.reading();
        let trouble = self.store.append(&reading).err();
        let is_kept = !matches!(trouble, Some(RecordError::Clock { .. }));
        self.taken += u64::from(is_kept);
        let said = trouble.map(|error| match is_kept {
            true => format!("{error}; readings are kept in memory until the disk takes them"),
            false => "the clock is behind the last reading of the recording; readings are dropped \
                      until it has passed it"
                .to_owned(),
        });
        if said != self.trouble {
            let line = said.as_deref().unwrap_or("the recording goes on");
            output::remark(&format!("note: {line}"));
            self.trouble = said;
        }
    }

    /// Begins a look when one is due, and keeps one that is done.
    fn look(&mut self) {
        let now = self.store.last_at();
        if let Some(packed) = self.looks.done() {
            self.keep(&packed);
        }
        let is_due = self
            .store
            .last_look()
            .zip(now)
            .is_none_or(|(last, now)| now.saturating_sub(last) >= LOOK_EVERY);
        if is_due {
            self.looks.begin();
        }
    }

    fn look_and_wait(&mut self) {
        self.look();
        if let Some(packed) = self.looks.wait() {
            self.keep(&packed);
        }
    }

    fn keep(&mut self, packed: &[u8]) {
        let at = self.store.last_at().unwrap_or(Nanos::ZERO);
        if let Err(error) = self.store.look(at, packed) {
            output::remark(&format!("note: {error}"));
        }
    }

    /// Ends the recording; a disk that did not take all of it is a failure.
    fn end(mut self) -> Result<Exit, Problem> {
        // The first look may have only just begun.
        if let Some(packed) = self.looks.wait() {
            self.keep(&packed);
        }
        match self.trouble {
            Some(trouble) => Err(Problem::Failed(anyhow!(trouble))),
            None => Ok(Exit::Fine),
        }
    }
}

/// Looks at the machine, taken in a thread of their own: a tool that hangs holds up no reading.
struct Looks {
    options: Options,
    tell: Sender<Option<Vec<u8>>>,
    done: Receiver<Option<Vec<u8>>>,
    end: Interrupt,
    goes_on: bool,
}

impl Looks {
    fn new(root: &Path, tools: Tools, smart: bool, end: &Interrupt) -> Self {
        let (tell, done) = mpsc::channel();
        let options = Options {
            root: PathBuf::from(root),
            live: root == Path::new("/"),
            tools,
            window: Duration::ZERO,
            smart,
        };
        Self { options, tell, done, end: end.clone(), goes_on: false }
    }

    /// Begins a look, unless one goes on.
    fn begin(&mut self) {
        if self.goes_on {
            return;
        }
        let (options, tell, end) = (self.options.clone(), self.tell.clone(), self.end.clone());
        let look = move || {
            let packed = look(&options, &end);
            // Nobody waits any more when the program ends.
            let _told = tell.send(packed.inspect_err(note).ok());
        };
        self.goes_on = thread::Builder::new().name("look".to_owned()).spawn(look).is_ok();
    }

    /// Returns a look that is done.
    fn done(&mut self) -> Option<Vec<u8>> {
        let done = self.done.try_recv().ok()?;
        self.goes_on = false;
        done
    }

    /// Waits for the look that goes on, which ends soon after the user asks for that.
    fn wait(&mut self) -> Option<Vec<u8>> {
        let done = self.goes_on.then(|| self.done.recv().ok()).flatten();
        self.goes_on = false;
        done?
    }
}

fn note(error: &anyhow::Error) {
    output::remark(&format!("note: {error:#}"));
}

/// Takes a look at the machine and packs it as a capture.
fn look(options: &Options, end: &Interrupt) -> anyhow::Result<Vec<u8>> {
    let sources = observe(options, &mut UntilTheEnd(end)).context("no look at the machine")?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let manifest = Manifest {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        window_s: 0.0,
        redacted: false,
        machine: None,
        time_s: now.ok().map(|since| since.as_secs()),
        missing: Manifest::missing(&sources),
    };
    pack(&sources, &manifest).context("failed to pack a look at the machine")
}
