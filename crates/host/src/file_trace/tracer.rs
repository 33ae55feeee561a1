//! The tracer `bpftrace`: found in trusted folders, started, read line by line, and ended whatever happens.
//!
//! ```text
//!   it ends when    asked to (SIGTERM, as who was started in the background may ignore interrupts): it prints what it
//!                   has, and takes its probes out
//!                   nobody reads any more: it writes a line every second, and the pipe is broken then
//!                   its program's own time is over
//! ```

use std::io::Read;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use arcwright_machine::{LINE_BYTES_MAX, TracerLine};
use rustix::process::{Pid, Signal, kill_process_group};
use thiserror::Error;

/// The program's name, and its package's.
pub const TRACER: &str = "bpftrace";
/// Where it may stand: never where the search path or the current directory says.
const FOLDERS: [&str; 7] = [
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/bin",
    "/sbin",
    "/run/current-system/sw/bin",
];
/// Where the programs stand that it may want.
const SEARCH_PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";
/// Room for lines on each processor: 2 MiB with pages of 4 KiB. By default it has an eighth of that.
const BUFFER_PAGES: &str = "512";
/// Bytes that are read at once, and how many such pieces wait for whoever takes them.
const PIECE_BYTES: usize = 64 << 10;
const PIECES_MAX: usize = 64;
/// What is kept of its complaints.
const COMPLAINT_BYTES_MAX: usize = 4096;
/// How long it may take to print what it has.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// Why the tracer did not run.
#[derive(Debug, Error)]
pub enum TracerError {
    /// It is not installed, or not by root.
    #[error(
        "bpftrace is not in /usr/bin or another folder of the system: install the package bpftrace"
    )]
    Absent,
    /// Somebody else than root may change it.
    #[error("{}: others than root may change this program, so it is not run as root", .0.display())]
    Untrusted(PathBuf),
    /// The system could not start it.
    #[error("failed to start {}: {}", .0.display(), .1)]
    NotStarted(PathBuf, String),
}

/// Finds the tracer.
///
/// # Errors
/// [`TracerError::Absent`], [`TracerError::Untrusted`].
pub fn find_tracer() -> Result<PathBuf, TracerError> {
    let mut paths = FOLDERS.iter().map(|folder| Path::new(folder).join(TRACER));
    let path = paths.find(|path| path.is_file()).ok_or(TracerError::Absent)?;
    if is_roots_own(&path) { Ok(path) } else { Err(TracerError::Untrusted(path)) }
}

/// Says whether only root may change a file, where its links lead.
fn is_roots_own(path: &Path) -> bool {
    let metadata = std::fs::metadata(path);
    metadata.is_ok_and(|metadata| metadata.uid() == 0 && metadata.mode() & 0o022 == 0)
}

/// A tracer that runs.
#[derive(Debug)]
pub struct Tracer {
    child: Child,
    pieces: Receiver<Piece>,
    out: Lines,
    said: Lines,
    complaint: String,
}

/// What it printed.
enum Piece {
    Out(Vec<u8>),
    Said(Vec<u8>),
}

/// Whether there is more to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracing {
    /// There may be.
    Goes,
    /// It has ended.
    Ended,
}

impl Tracer {
    /// Starts it with a program of ours.
    ///
    /// # Errors
    /// [`TracerError::NotStarted`].
    pub fn start(path: &Path, program: &str) -> Result<Self, TracerError> {
        let failed = |why: String| TracerError::NotStarted(path.to_owned(), why);
        let mut child = Command::new(path)
            .args(["-e", program])
            .current_dir("/")
            // Its behaviour is ours to choose: BPFTRACE_… of whoever calls is not.
            .env_clear()
            .envs([("PATH", SEARCH_PATH), ("LC_ALL", "C")])
            .env("BPFTRACE_PERF_RB_PAGES", BUFFER_PAGES)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C goes to all of a terminal's foreground group, and is passed on once.
            .process_group(0)
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let (sender, pieces) = sync_channel(PIECES_MAX);
        let streams = child.stdout.take().zip(child.stderr.take());
        if let Some((out, said)) = streams {
            pass_on(out, Piece::Out, sender.clone());
            pass_on(said, Piece::Said, sender);
        }
        let complaint = String::new();
        Ok(Self { child, pieces, out: Lines::default(), said: Lines::default(), complaint })
    }

    /// Hands over the lines that have come, and waits so long for some.
    pub fn take(&mut self, wait: Duration, with: &mut dyn FnMut(TracerLine)) -> Tracing {
        match self.pieces.recv_timeout(wait) {
            Ok(Piece::Out(bytes)) => {
                self.out.split(&bytes, &mut |line| with(TracerLine::parse(line)));
            }
            Ok(Piece::Said(bytes)) => {
                let complaint = &mut self.complaint;
                self.said.split(&bytes, &mut |line| said(line, complaint, with));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Tracing::Ended,
        }
        Tracing::Goes
    }

    /// Asks it to end, hands over the rest, and waits for its end.
    pub fn end(mut self, with: &mut dyn FnMut(TracerLine)) {
        self.signal(Signal::TERM);
        let begin = Instant::now();
        while begin.elapsed() < LAST_WORDS {
            if self.take(Duration::from_millis(100), with) == Tracing::Ended {
                break;
            }
        }
    }

    /// Returns what it complained of: no more than a few lines.
    #[must_use]
    pub fn complaint(&self) -> &str {
        self.complaint.trim()
    }

    fn signal(&self, signal: Signal) {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        // It may have ended already, which is what is wanted.
        let _sent = group.map(|group| kill_process_group(group, signal));
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        // What was killed has ended or will.
        let _ended = self.child.wait();
    }
}

/// Takes a line of its complaints: lines about loss are counted, others are kept for people.
fn said(line: &[u8], complaint: &mut String, with: &mut dyn FnMut(TracerLine)) {
    match TracerLine::parse(line) {
        lost @ TracerLine::Lost(_) => with(lost),
        _ if complaint.len() + line.len() < COMPLAINT_BYTES_MAX => {
            complaint.push_str(&String::from_utf8_lossy(line));
            complaint.push('\n');
        }
        _ => {}
    }
}

/// Reads a stream in a thread of its own, until it ends or nobody listens any more.
fn pass_on(
    mut stream: impl Read + Send + 'static,
    piece: fn(Vec<u8>) -> Piece,
    to: SyncSender<Piece>,
) {
    thread::spawn(move || {
        let mut bytes = vec![0; PIECE_BYTES];
        while let Ok(count @ 1..) = stream.read(&mut bytes) {
            let read = bytes.get(..count).unwrap_or_default().to_vec();
            if to.send(piece(read)).is_err() {
                return;
            }
        }
    });
}

/// Cuts pieces of bytes into lines; of a line that is too long, no more is kept than tells that.
#[derive(Debug, Default)]
struct Lines {
    begun: Vec<u8>,
}

impl Lines {
    fn split(&mut self, bytes: &[u8], with: &mut dyn FnMut(&[u8])) {
        let mut parts = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            let room = (LINE_BYTES_MAX + 1).saturating_sub(self.begun.len());
            self.begun.extend_from_slice(part.get(..room).unwrap_or(part));
            if parts.peek().is_some() {
                with(&self.begun);
                self.begun.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;
    use std::time::Duration;

    use arcwright_machine::TracerLine;

    use super::{Lines, Tracer, Tracing, is_roots_own};

    /// A program that does what a script says instead of tracing.
    fn program(folder: &tempfile::TempDir, script: &str) -> PathBuf {
        let path = folder.path().join("tracer");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn lines_of(tracer: &mut Tracer, until: Option<TracerLine>) -> Vec<TracerLine> {
        let mut lines = Vec::new();
        while until.is_none_or(|until| !lines.contains(&until)) {
            let tracing = tracer.take(Duration::from_secs(10), &mut |line| lines.push(line));
            if tracing == Tracing::Ended {
                break;
            }
        }
        lines
    }

    #[test]
    fn lines_come_from_both_streams_and_complaints_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let script = "echo 'Lost 3 events' >&2; echo 'ERROR: no such probe' >&2; echo \"$2\"; echo t 5; printf 'Lost 4 events'";
        let path = program(&folder, script);
        let mut tracer = Tracer::start(&path, "t 4").unwrap();
        let lines = lines_of(&mut tracer, None);
        for expected in [TracerLine::Lost(3), TracerLine::Tick(4), TracerLine::Tick(5)] {
            assert!(lines.contains(&expected), "{expected:?}: {lines:?}");
        }
        // A line without an end was cut off.
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert_eq!(tracer.complaint(), "ERROR: no such probe");
    }

    #[test]
    fn it_ends_when_asked_and_its_last_words_are_heard() {
        let folder = tempfile::tempdir().unwrap();
        let path =
            program(&folder, "trap 'echo t 9; exit' TERM; echo t 1; while :; do sleep 0.1; done");
        let mut tracer = Tracer::start(&path, "").unwrap();
        assert_eq!(lines_of(&mut tracer, Some(TracerLine::Tick(1))), [TracerLine::Tick(1)]);
        let mut last = Vec::new();
        tracer.end(&mut |line| last.push(line));
        assert_eq!(last, [TracerLine::Tick(9)]);
    }

    #[test]
    fn its_environment_is_ours() {
        let folder = tempfile::tempdir().unwrap();
        let path = program(
            &folder,
            "env | grep -c HOME | sed 's/^/t /'; pwd | grep -cx / | sed 's/^/t /'",
        );
        let lines = lines_of(&mut Tracer::start(&path, "").unwrap(), None);
        assert_eq!(lines, [TracerLine::Tick(0), TracerLine::Tick(1)]);
    }

    #[test]
    fn a_program_that_others_may_change_is_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let path = program(&folder, "");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o757)).unwrap();
        assert!(!is_roots_own(&path));
        assert!(!is_roots_own(&folder.path().join("none")));
        assert!(is_roots_own("/bin/sh".as_ref()));
    }

    #[test]
    fn lines_are_cut_wherever_pieces_end_and_long_ones_are_not_kept() {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        let long = "x".repeat(100_000);
        for piece in ["t 1\nt", " 2\n", "\n", long.as_str(), long.as_str(), "\nt 3\nt 4"] {
            lines.split(piece.as_bytes(), &mut |line| found.push(TracerLine::parse(line)));
        }
        let expected = [
            TracerLine::Tick(1),
            TracerLine::Tick(2),
            TracerLine::Remark,
            TracerLine::Garbled,
            TracerLine::Tick(3),
        ];
        assert_eq!(found, expected);
    }
}
