//! Shows on standard error how far a look at the machine is: a bar on a terminal, nothing elsewhere.

use std::time::Duration;

use anyhow::anyhow;
use arcwright_host::observe::{ObserveError, ObserveProgress, Options, Tools, observe};
use arcwright_machine::{Reason, Sources};
use arcwright_scenario::{Event, Watch as _};
use arcwright_units::Nanos;

use crate::interrupt::Interrupt;
use crate::output;
use crate::preferences::preferences;
use crate::progress::Progress;

/// Looks at this machine for a time, or for the usual one; says when the user ended it early.
///
/// # Errors
/// What cannot be read, in words.
pub(crate) fn live(window: Option<Duration>, smart: bool) -> anyhow::Result<Sources> {
    let interrupt = Interrupt::listen_and_end()?;
    let options = Options {
        tools: Tools::default().until(interrupt.flag()),
        window: preferences().window(window),
        smart,
        ..Options::default()
    };
    let mut observing = Observing::new(interrupt);
    let found = observe(&options, &mut observing);
    if observing.finish() {
        output::remark("note: stopped early, the window is shorter than requested");
    }
    found.map_err(explained)
}

/// Returns the error with what to do about it.
pub(crate) fn explained(error: ObserveError) -> anyhow::Error {
    let hint = match &error {
        ObserveError::NoZfs { .. } => {
            "\nhint: run this where the pools are imported; in a container the host's kstats must \
             be visible; if only the module is missing, load it with `modprobe zfs`; text that \
             somebody pasted is read with `arcwright doctor --from -`"
        }
        ObserveError::Stopped => "",
    };
    anyhow!("{error}{hint}")
}

/// Returns why counters cannot be read again and again, with what to do about it.
pub(crate) fn no_counters(reason: &Reason) -> anyhow::Error {
    match reason {
        Reason::Denied => anyhow!("cannot read the counters in /proc/spl/kstat/zfs; run as root"),
        _ => anyhow!(
            "no ZFS on this machine: neither /proc/spl/kstat/zfs nor sysctl kstat.zfs can be read\n\
             hint: in a container the host's kstats must be visible, see --root"
        ),
    }
}

/// Watches for the user while the machine is looked at.
#[derive(Debug)]
pub(crate) struct Observing {
    progress: Progress,
    interrupt: Interrupt,
}

impl Observing {
    pub(crate) fn new(interrupt: Interrupt) -> Self {
        let mut progress = Progress::new(interrupt.clone());
        // Until the window begins nothing is known of how long it takes.
        progress.event(Event::Progress { done: 0, total: 1, left: None });
        Self { progress, interrupt }
    }

    /// Ends the bar; whether the user stopped it.
    pub(crate) fn finish(self) -> bool {
        self.interrupt.asked()
    }
}

impl ObserveProgress for Observing {
    fn step(&mut self, what: &str) {
        self.progress.event(Event::Stage(what.to_owned()));
    }

    fn waited(&mut self, done: Duration, window: Duration) {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let left = Some(window.saturating_sub(done).as_secs()).filter(|left| *left > 0);
        let (done, total) = (millis(done), millis(window));
        self.progress.event(Event::Progress { done, total, left: left.map(Nanos::secs) });
    }

    fn stop(&self) -> bool {
        self.interrupt.asked()
    }
}

/// Ends a look that shows nothing early when the program ends.
pub(crate) struct UntilTheEnd<'a>(pub(crate) &'a Interrupt);

impl ObserveProgress for UntilTheEnd<'_> {
    fn step(&mut self, _what: &str) {}

    fn waited(&mut self, _done: Duration, _window: Duration) {}

    fn stop(&self) -> bool {
        self.0.asked()
    }
}
