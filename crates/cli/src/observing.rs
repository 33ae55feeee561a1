//! Shows on standard error how far a look at the machine is: a bar on a terminal, nothing elsewhere.

use std::time::Duration;

use arcwright_host::observe::ObserveProgress;
use arcwright_scenario::{Event, Watch as _};
use arcwright_units::Nanos;

use crate::interrupt::Interrupt;
use crate::progress::Progress;

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
