//! A probe in a thread of its own, so that a device that hangs keeps nobody.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use arcwright_device::probe::{DeviceFile, ProbeError, ProbePlan, probe};
use arcwright_host::calibrate::{DeviceLook, LookError, ProbedDevice, ReadLimits};
use arcwright_scenario::{Event, Watch as _};
use arcwright_units::Bytes;

use crate::interrupt::Interrupt;
use crate::progress::Progress;

/// A device beyond its time is waited for so long, in case that a last read ends.
const PATIENCE: Duration = Duration::from_secs(30);

/// What came out, and what was seen of the device.
pub(super) struct Probed {
    pub(super) file: Result<DeviceFile, ProbeError>,
    pub(super) is_direct: bool,
    pub(super) reads: u64,
}

/// Why nothing came out.
pub(super) enum Unprobed {
    /// It cannot be opened.
    Look(LookError),
    /// It does not answer.
    Hangs,
    /// No thread.
    Failed(std::io::Error),
}

enum Message {
    Part(String, f64),
    Done(Box<Probed>),
}

/// Measures a device in about `time`; `like` chooses the profile for its size.
pub(super) fn probed(
    look: &DeviceLook,
    time: Duration,
    like: impl FnOnce(Bytes) -> String,
) -> Result<Probed, Unprobed> {
    let interrupt = Interrupt::listen_and_end()
        .map_err(|error| Unprobed::Failed(std::io::Error::other(format!("{error:#}"))))?;
    let (sender, messages) = channel();
    let parts = sender.clone();
    // Nobody listens once the device took too long.
    let told = move |stage: &str, share: f64| {
        parts.send(Message::Part(stage.to_owned(), share)).unwrap_or_default();
    };
    let limits = ReadLimits { stop: interrupt.flag(), time: 2 * time };
    let mut device = ProbedDevice::open(look, limits, Box::new(told)).map_err(Unprobed::Look)?;
    let like = like(arcwright_device::probe::ProbeTarget::size(&device));
    let work = move || {
        let plan = ProbePlan { like: &like, seconds: time.as_secs(), seed: 1 };
        let file = probe(&mut device, &plan);
        let (is_direct, reads) = (device.is_direct(), device.reads());
        sender.send(Message::Done(Box::new(Probed { file, is_direct, reads }))).unwrap_or_default();
    };
    std::thread::Builder::new().spawn(work).map_err(Unprobed::Failed)?;
    let mut progress = Progress::new(interrupt);
    let begin = Instant::now();
    loop {
        let left = (2 * time + PATIENCE).saturating_sub(begin.elapsed());
        match messages.recv_timeout(left) {
            Ok(Message::Done(probed)) => return Ok(*probed),
            Ok(Message::Part(stage, share)) => {
                progress.event(Event::Stage(stage));
                progress.event(part(share));
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                return Err(Unprobed::Hangs);
            }
        }
    }
}

/// Returns the event that so much is done.
pub(super) fn part(share: f64) -> Event {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
    let done = (share.clamp(0.0, 1.0) * 1000.0) as u64;
    Event::Progress { done, total: 1000, left: None }
}
