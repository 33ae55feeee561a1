//! Asking the machine's own tools, each with a time after which it is left behind.
//!
//! `zpool` waits for ever for a pool that lost its disks, in a state in which not even a signal ends
//! it: so nobody waits for the process itself, only for its answer.

use std::env;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use arcwright_machine::{Machine, Reason, Sources};
use arcwright_tunables::Version;
use rustix::process::{Pid, Signal, kill_process_group};

use super::System;
use super::files::note;

/// For what answers from memory.
pub(super) const QUICK: Duration = Duration::from_secs(15);
/// For a drive that may have to spin up.
const DRIVE: Duration = Duration::from_secs(30);
/// Where tools stand besides the search path, which leaves out sbin for ordinary users.
const FOLDERS: [&str; 6] =
    ["/sbin", "/usr/sbin", "/usr/local/sbin", "/bin", "/usr/bin", "/usr/local/bin"];
/// More than this no tool has to say.
const ANSWER_BYTES_MAX: u64 = 64 << 20;
/// What is said of a command that the user did not want to wait for.
const STOPPED: &str = "stopped";
/// How often it is looked whether the user wants to stop.
const LOOK_AFTER: Duration = Duration::from_millis(50);
/// Drives that are asked; more than this no machine has that one would wait for.
const DRIVES_MAX: usize = 256;

/// Where the machine's tools are looked for.
#[derive(Debug, Clone)]
pub struct Tools {
    folders: Vec<PathBuf>,
    /// Ends all of them when it is set.
    stop: Option<Arc<AtomicBool>>,
}

impl Default for Tools {
    /// Returns the search path, and the folders for administrators that it may leave out.
    fn default() -> Self {
        Self::on_path(&env::var_os("PATH").unwrap_or_default())
    }
}

impl Tools {
    /// Returns the tools on a search path. What of it is relative, or empty, would be the current directory, which may
    /// hold anybody's programs.
    fn on_path(path: &OsStr) -> Self {
        let named = env::split_paths(path).filter(|folder| folder.is_absolute());
        Self::in_folders(named.chain(FOLDERS.iter().map(PathBuf::from)).collect())
    }

    /// Returns tools that stand in these folders alone.
    #[must_use]
    pub fn in_folders(folders: Vec<PathBuf>) -> Self {
        Self { folders, stop: None }
    }

    /// Ends every tool that runs when `stop` is set.
    #[must_use]
    pub fn until(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Returns the same, which nobody stops.
    pub(super) fn to_the_end(&self) -> Self {
        Self { stop: None, ..self.clone() }
    }

    pub(super) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Command { path: self.find(program), arguments, lenient: false, stop: self.stop.clone() }
    }

    /// Returns where a program stands.
    pub(crate) fn find(&self, program: &str) -> Option<PathBuf> {
        let mut paths = self.folders.iter().map(|folder| folder.join(program));
        paths.find(|path| path.is_file())
    }
}

/// A command to be run.
#[derive(Debug, Clone)]
pub(super) struct Command {
    /// None when it is not installed.
    path: Option<PathBuf>,
    arguments: Vec<String>,
    /// Exit codes that carry an answer although they are not zero: smartctl's are bits of warnings.
    lenient: bool,
    stop: Option<Arc<AtomicBool>>,
}

impl Command {
    /// Takes the answer whatever the exit code is.
    fn lenient(self) -> Self {
        Self { lenient: true, ..self }
    }

    /// Ends when `stop` is set.
    pub(super) fn until(self, stop: &Arc<AtomicBool>) -> Self {
        Self { stop: Some(Arc::clone(stop)), ..self }
    }

    /// Runs it and returns what it printed.
    pub(super) fn run(&self, time: Duration) -> Result<String, Reason> {
        let path = self.path.as_ref().ok_or(Reason::Absent)?;
        if self.is_stopped() {
            return Err(Reason::Failed(STOPPED.to_owned()));
        }
        let mut child = std::process::Command::new(path)
            .args(&self.arguments)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // What it starts itself ends with it.
            .process_group(0)
            .spawn()
            .map_err(|error| super::files::reason(&error))?;
        let (out, err) = (answer(child.stdout.take()), answer(child.stderr.take()));
        let printed = self.wait(&out, &mut child, time)?;
        let complaint = err.recv_timeout(QUICK).unwrap_or_default();
        let fine = self.lenient || child.wait().is_ok_and(|status| status.success());
        let said = !printed.is_empty() || complaint.trim().is_empty();
        if fine && said {
            return Ok(printed);
        }
        Err(refusal(&complaint))
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn wait(
        &self,
        out: &Receiver<String>,
        child: &mut Child,
        time: Duration,
    ) -> Result<String, Reason> {
        let begin = Instant::now();
        loop {
            match out.recv_timeout(LOOK_AFTER) {
                Ok(printed) => return Ok(printed),
                Err(RecvTimeoutError::Disconnected) => return Ok(String::new()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let stopped = self.is_stopped();
            if stopped || begin.elapsed() > time {
                // It may not die of this; it is left behind either way.
                kill_all(child);
                let why = match stopped {
                    true => STOPPED.to_owned(),
                    false => format!("no answer in {} s; is a pool suspended?", time.as_secs()),
                };
                return Err(Reason::Failed(why));
            }
        }
    }
}

/// Kills a command and what it started.
fn kill_all(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let killed = group.map(|group| kill_process_group(group, Signal::KILL));
    if !matches!(killed, Some(Ok(()))) {
        child.kill().unwrap_or_default();
    }
}

/// Reads a stream in a thread of its own and sends all of it.
fn answer(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            let _read_so_far = stream.take(ANSWER_BYTES_MAX).read_to_end(&mut bytes);
        }
        // Nobody listens when the command took too long.
        let _unheard = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

/// Returns why a command refused, from its own words.
fn refusal(complaint: &str) -> Reason {
    let lower = complaint.to_ascii_lowercase();
    let denied = ["permission denied", "must be run as root", "not permitted", "requires root"];
    if denied.iter().any(|words| lower.contains(words)) {
        return Reason::Denied;
    }
    let line = complaint.lines().find(|line| !line.trim().is_empty());
    Reason::Failed(line.unwrap_or("it failed without a message").trim().to_owned())
}

/// Runs the first of several forms that works; old tools lack options.
pub(super) fn first_that_works(forms: &[Command], time: Duration) -> Result<String, Reason> {
    let mut result = Err(Reason::Absent);
    for form in forms {
        result = form.run(time);
        // Another form helps only against options that are not known.
        let unknown_option = matches!(&result, Err(Reason::Failed(why)) if !why.contains("no answer") && why != STOPPED);
        if !unknown_option {
            return result;
        }
    }
    result
}

/// Asks `zpool` and `zfs`, and what tells of disks.
pub(super) fn ask_pools(tools: &Tools, system: System, sources: &mut Sources) {
    let zpool = |arguments: &[&str]| tools.command("zpool", arguments);
    let status = [zpool(&["status", "-P"]), zpool(&["status"])];
    note("commands/zpool-status", first_that_works(&status, QUICK), sources);
    let list = [zpool(&["list", "-HpvP"]), zpool(&["list", "-Hpv"]), zpool(&["list", "-v"])];
    note("commands/zpool-list", first_that_works(&list, QUICK), sources);
    let get = [zpool(&["get", "-Hp", "all"]), zpool(&["get", "all"])];
    note("commands/zpool-get", first_that_works(&get, QUICK), sources);
    let zfs = tools.command("zfs", &["get", "-Hp", "-t", "filesystem,volume", "all"]);
    note("commands/zfs-get", zfs.run(QUICK).map(|text| without_own_properties(&text)), sources);
    ask_for_json(tools, sources);
    note_if_there("commands/zfs-version", tools.command("zfs", &["version"]), sources);
    let tunables = tools.command("midclt", &["call", "tunable.query"]);
    note_if_there("commands/midclt-tunable-query", tunables, sources);
    match system {
        System::Linux => {
            let lsblk = |columns| tools.command("lsblk", &["-J", "-b", "-o", columns]);
            let forms = [
                lsblk("NAME,KNAME,PATH,TYPE,SIZE,ROTA,MODEL,SERIAL,TRAN,PHY-SEC,LOG-SEC"),
                lsblk("NAME,KNAME,TYPE,SIZE,ROTA,MODEL"),
            ];
            note("commands/lsblk", first_that_works(&forms, QUICK), sources);
        }
        System::FreeBsd => {
            note_if_there(
                "commands/geom-disk-list",
                tools.command("geom", &["disk", "list"]),
                sources,
            );
            note_if_there(
                "commands/glabel-status",
                tools.command("glabel", &["status", "-s"]),
                sources,
            );
            note_if_there("commands/swapinfo", tools.command("swapinfo", &["-k"]), sources);
            note_if_there("commands/mount", tools.command("mount", &["-t", "zfs"]), sources);
            note_if_there("commands/uname", tools.command("uname", &["-srm"]), sources);
        }
    }
}

/// Asks for the shape of pools in JSON too, where the tools of the running module speak it (2.3 and later):
/// it is read where the text is not understood, as with names that hold blanks.
fn ask_for_json(tools: &Tools, sources: &mut Sources) {
    let version = sources.text("sys/module/zfs/version").map(str::trim).and_then(Version::parse);
    if version < Version::parse("2.3") {
        return;
    }
    if let Ok(text) = tools.command("zpool", &["status", "-P", "-j"]).run(QUICK) {
        note("commands/zpool-status-json", Ok(text), sources);
    }
}

/// Runs a tool that need not be installed.
fn note_if_there(name: &str, command: Command, sources: &mut Sources) {
    match command.run(QUICK) {
        Err(Reason::Absent) => {}
        result => note(name, result, sources),
    }
}

/// Drops properties that users made up (`com.sun:auto-snapshot`), which may say anything in any number of lines,
/// and where a key is fetched from, which may hold a password (`https://anna:secret@host/key`).
fn without_own_properties(text: &str) -> String {
    let is_kept = |line: &&str| match line.split('\t').collect::<Vec<_>>().as_slice() {
        [_, property, _, ..] => !property.contains(':') && *property != "keylocation",
        // The rest of a value of several lines; columns by blanks have no tab at all.
        _ => !text.contains('\t'),
    };
    text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect()
}

/// Asks every drive for its wear.
pub(super) fn ask_drives(tools: &Tools, sources: &mut Sources) {
    if tools.find("smartctl").is_none() {
        return note("commands/smartctl", Err(Reason::Absent), sources);
    }
    let machine = Machine::read(sources);
    for drive in machine.drives.iter().take(DRIVES_MAX) {
        let device = format!("/dev/{}", drive.name);
        // A sleeping disk is not woken up for this.
        let arguments = ["-j", "-i", "-H", "-A", "-n", "standby", device.as_str()];
        let answer = tools.command("smartctl", &arguments).lenient().run(DRIVE);
        let answer = answer.and_then(|text| match text.contains("Permission denied") {
            true => Err(Reason::Denied),
            false => Ok(super::smart_essentials(&text)),
        });
        note(&format!("commands/smartctl-{}", drive.name), answer, sources);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::{Duration, Instant};

    use arcwright_machine::Reason;

    use super::{Command, Tools, first_that_works, without_own_properties};

    const LONG: Duration = Duration::from_secs(10);

    fn command(program: &str, arguments: &[&str]) -> Command {
        Tools::default().command(program, arguments)
    }

    #[test]
    fn the_current_directory_is_no_place_for_tools_whatever_the_search_path_says() {
        for path in [".", "", ":", ".:/opt/tools", "/opt/tools:", "bin:../sbin:/opt/tools"] {
            let folders = Tools::on_path(path.as_ref()).folders;
            assert!(folders.iter().all(|folder| folder.is_absolute()), "{path}: {folders:?}");
            let named = folders.iter().filter(|folder| folder.ends_with("tools")).count();
            assert_eq!(named, path.matches("tools").count(), "{path}");
        }
    }

    #[test]
    fn an_answer_is_what_was_printed() {
        assert_eq!(command("echo", &["a b"]).run(LONG), Ok("a b\n".to_owned()));
        assert_eq!(command("no-such-tool", &[]).run(LONG), Err(Reason::Absent));
    }

    #[test]
    fn a_tool_that_hangs_is_left_behind() {
        let begin = Instant::now();
        let result = command("sleep", &["30"]).run(Duration::from_millis(200));
        assert!(matches!(result, Err(Reason::Failed(why)) if why.contains("no answer")));
        assert!(begin.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn no_tool_outlives_whoever_asked_for_its_end() {
        let stop = Arc::new(AtomicBool::new(true));
        let tools = Tools::default().until(stop);
        let touched =
            std::env::temp_dir().join(format!("arcwright-stopped-{}", std::process::id()));
        let forms = [(); 2].map(|()| tools.command("touch", &[&touched.display().to_string()]));
        let result = first_that_works(&forms, LONG);
        assert_eq!(result, Err(Reason::Failed("stopped".to_owned())));
        assert!(!touched.exists());
    }

    #[test]
    fn a_refusal_is_told_in_the_tools_own_words() {
        let denied = command("sh", &["-c", "echo 'open: Permission denied' >&2; exit 1"]);
        assert_eq!(denied.run(LONG), Err(Reason::Denied));
        let failed = command("sh", &["-c", "echo 'invalid option -- P' >&2; exit 2"]);
        assert_eq!(failed.run(LONG), Err(Reason::Failed("invalid option -- P".to_owned())));
        let forms = [failed, command("echo", &["old"])];
        assert_eq!(first_that_works(&forms, LONG), Ok("old\n".to_owned()));
    }

    #[test]
    fn properties_that_users_made_up_stay_at_home() {
        let text = "tank\tatime\ton\tdefault\ntank\torg.me:secret\tx\tlocal\n";
        assert_eq!(without_own_properties(text), "tank\tatime\ton\tdefault\n");
        let text = "tank\torg.me:secret\tx\nsecond secret\tlocal\n\ntank\tkeylocation\thttps://a:b@c/\tlocal\n";
        assert_eq!(without_own_properties(text), "");
    }
}
