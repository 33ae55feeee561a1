//! Boots a guest with its drives and waits for its end, within a limit.
//!
//! The processor is emulated in software, so that every host can do it and none does it otherwise.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use super::cpio;
use super::image::Image;
use super::job::Job;
use super::layout::{Drive, GuestLayout};
use super::program::last_lines;
use super::qemu::Qemu;

/// How often the guest's output is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// The kernel's command line: no words of its own, end on a panic, and no test of the timer, which an
/// emulated one fails now and then on a busy host.
const KERNEL_LINE: &str =
    "console=ttyS0 quiet panic=-1 mitigations=off random.trust_cpu=on no_timer_check";

/// A guest that can be booted; a second boot finds its drives as the first left them.
#[derive(Debug)]
pub(super) struct Guest {
    pub(super) qemu: Qemu,
    pub(super) image: Image,
    pub(super) layout: GuestLayout,
    /// Where its drives and logs are.
    pub(super) folder: PathBuf,
    /// The time that a boot with its script may take.
    pub(super) limit: Duration,
    /// Whether its output is shown as it comes.
    pub(super) loud: bool,
    /// Whether it has `bpftrace`.
    pub(super) is_traced: bool,
}

/// What a guest left.
#[derive(Debug)]
pub(super) struct Answer {
    /// The script's exit code.
    pub(super) code: i32,
    /// What the script left in `/out`.
    pub(super) out: PathBuf,
}

impl Guest {
    /// Boots, runs the job's script, and brings its answer.
    pub(super) fn run(&self, job: &Job) -> anyhow::Result<Answer> {
        self.layout.make(&self.folder)?;
        job.pack(&self.layout)?;
        self.first_root()?;
        let output = self.folder.join("output.log");
        File::create(&output)?;
        let child = self.start()?;
        let in_time = self.wait(child, &output)?;
        let (out, code) = job.answer()?;
        match code {
            Some(code) => Ok(Answer { code, out }),
            None => bail!("{}", self.failure(in_time)),
        }
    }

    /// The image's root with today's init behind it; the kernel unpacks both.
    fn first_root(&self) -> anyhow::Result<()> {
        let added = self.folder.join("added");
        fs::create_dir_all(&added)?;
        let init = added.join("init");
        fs::copy(crate::root().join("vm/init"), &init)?;
        fs::set_permissions(&init, fs::Permissions::from_mode(0o755))?;
        let mut archive = fs::read(&self.image.root)
            .with_context(|| format!("failed to read {}", self.image.root.display()))?;
        archive.resize(archive.len().next_multiple_of(4), 0);
        cpio::write(&added, &mut archive)?;
        Ok(fs::write(self.folder.join("initrd"), archive)?)
    }

    fn start(&self) -> anyhow::Result<Child> {
        let mut command = leashed(self.qemu.command());
        command.args(["-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2"]);
        command.args(["-m", &self.layout.memory_mib.to_string(), "-nic", "none"]);
        command.args(["-display", "none", "-monitor", "none", "-no-reboot"]);
        command.args(["-serial", "file:console.log", "-serial", "file:output.log"]);
        command.arg("-kernel").arg(&self.image.kernel);
        command.args(["-initrd", "initrd", "-append", KERNEL_LINE]);
        for drive in &self.layout.drive {
            add_drive(&mut command, &drive.name, &limits(drive));
        }
        for name in ["job", "out", "state"] {
            add_drive(&mut command, name, "");
        }
        let errors = File::create(self.folder.join("qemu.log"))?;
        command.current_dir(&self.folder).stdin(Stdio::piped()).stdout(Stdio::null());
        command.stderr(errors).spawn().context("failed to start the emulator")
    }

    /// Waits for the guest's end or for the limit's; returns whether it ended by itself.
    fn wait(&self, child: Child, output: &Path) -> anyhow::Result<bool> {
        let mut running = Running(child);
        let (begun, mut shown) = (Instant::now(), 0);
        loop {
            let ended = running.0.try_wait()?.is_some();
            if self.loud {
                shown = show_from(output, shown)?;
            }
            if ended || begun.elapsed() > self.limit {
                return Ok(ended);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Says why there is no answer, with the last words of all who spoke.
    fn failure(&self, in_time: bool) -> String {
        let limit = self.limit.as_secs();
        let what = match in_time {
            true => "the guest ended before its script did".to_owned(),
            false => format!("the guest was stopped: its limit is {limit} s"),
        };
        let words = ["qemu.log", "console.log", "output.log"].map(|name| {
            let bytes = fs::read(self.folder.join(name)).unwrap_or_default();
            format!("  {name}:\n{}", last_lines(&String::from_utf8_lossy(&bytes)))
        });
        format!("{what}; see {}\n{}", self.folder.display(), words.concat())
    }
}

/// Puts a program on a leash: it is ended when its standard input closes, so also when this process
/// ends in a way that leaves it no time to do so.
fn leashed(program: Command) -> Command {
    const LEASH: &str = r#"exec 3<&0; "$@" </dev/null & it=$!
        (cat <&3 >/dev/null; kill -KILL $it 2>/dev/null) & exec 3<&-; wait $it"#;
    let mut command = Command::new("sh");
    command.args(["-c", LEASH, "leash"]).arg(program.get_program()).args(program.get_args());
    let set = program.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.envs(set);
    command
}

/// Ends the emulator when it goes out of sight, however that comes.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // It may have ended already, which is as good.
        let _reaped = self.0.wait();
    }
}

fn add_drive(command: &mut Command, name: &str, limits: &str) {
    // What is lost when the host fails is of no use to anyone.
    let file = format!("file={name}.img,if=none,id={name},format=raw,cache=unsafe{limits}");
    command.args(["-drive", &file]);
    command.args(["-device", &format!("virtio-blk-pci,drive={name},serial={name}")]);
}

fn limits(drive: &Drive) -> String {
    let bytes = drive.bytes_per_second.map(|value| format!(",throttling.bps-total={value}"));
    let operations =
        drive.operations_per_second.map(|value| format!(",throttling.iops-total={value}"));
    bytes.unwrap_or_default() + &operations.unwrap_or_default()
}

/// Prints what was added to a file since `from`, and returns its end.
fn show_from(path: &Path, from: u64) -> anyhow::Result<u64> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut added = Vec::new();
    file.read_to_end(&mut added)?;
    let mut stdout = std::io::stdout();
    stdout.write_all(&added)?;
    stdout.flush()?;
    Ok(from + added.len() as u64)
}
