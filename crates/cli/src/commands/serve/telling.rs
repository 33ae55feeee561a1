//! Lines on their way to a page: how far a run is, then what came of it; a page that has gone ends the run.

use std::time::{Duration, Instant};

use arcwright_scenario::{Event, Watch};
use axum::body::Bytes;
use axum::response::Response;
use tokio::sync::mpsc::{Sender, channel};

use super::answers;
use super::events::TextStream;

/// Lines on their way to the page.
const ON_THE_WAY: usize = 8;

/// How far a run of several parts is.
#[derive(Debug)]
pub(super) struct Shares {
    /// The last share that was told, in hundredths.
    told: u64,
    /// Which part of the whole goes on, and of how many.
    part: (u64, u64),
}

impl Default for Shares {
    fn default() -> Self {
        Self { told: 0, part: (0, 1) }
    }
}

impl Shares {
    /// Counts from now on one part of several.
    pub(super) const fn begin_part(&mut self, number: u64, count: u64) {
        self.part = (number, count);
    }

    /// Returns the line that says how far it is, where that has changed.
    pub(super) fn line(&mut self, event: &Event) -> Option<String> {
        let Event::Progress { done, total, .. } = event else { return None };
        let (number, count) = self.part;
        let within = done.min(total).saturating_mul(100) / total.max(&1);
        let share = (number * 100 + within) / count.max(1);
        (share > self.told).then(|| {
            self.told = share;
            format!("{{\"progress\":{}.{:02}}}\n", share / 100, share % 100)
        })
    }
}

/// Tells the page how far a run is; a page that has gone ends it, and so does the time that it may take.
pub(super) struct Telling {
    pub(super) sender: Sender<Bytes>,
    shares: Shares,
    end: Instant,
}

impl Telling {
    /// Returns the sending side, and the answer that a page reads.
    pub(super) fn begin(time: Duration) -> (Self, Response) {
        let (sender, receiver) = channel(ON_THE_WAY);
        let telling = Self { sender, shares: Shares::default(), end: Instant::now() + time };
        (telling, answers::lines(TextStream(receiver)))
    }

    /// Says which of so many parts of the work is begun.
    pub(super) fn begin_part(&mut self, number: u64, count: u64) {
        self.shares.begin_part(number, count);
    }

    /// Sends the last line, which is JSON.
    pub(super) fn end(self, json: String) {
        // A page that has gone hears nothing.
        let _told = self.sender.blocking_send(Bytes::from(json + "\n"));
    }
}

impl Watch for Telling {
    fn event(&mut self, event: Event) {
        if let Some(line) = self.shares.line(&event) {
            // A page that reads slowly misses some.
            let _told = self.sender.try_send(Bytes::from(line));
        }
    }

    fn stop(&self) -> bool {
        self.sender.is_closed() || Instant::now() >= self.end
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use arcwright_scenario::{Event, Watch as _};

    use super::{Shares, Telling};

    #[test]
    fn a_page_that_has_gone_ends_a_run_and_so_does_time() {
        let (telling, answer) = Telling::begin(Duration::from_secs(3600));
        assert!(!telling.stop());
        drop(answer);
        assert!(telling.stop());
        let (telling, _answer) = Telling::begin(Duration::ZERO);
        assert!(telling.stop());
    }

    #[test]
    fn shares_are_of_all_parts_and_rise() {
        let mut shares = Shares::default();
        let progress = |done| Event::Progress { done, total: 10, left: None };
        for (part, done, expected) in [(0, 5, 25), (0, 4, 25), (1, 0, 50), (1, 10, 100)] {
            shares.begin_part(part, 2);
            let before = shares.told;
            let line = shares.line(&progress(done));
            assert_eq!((shares.told, line.is_some()), (expected, expected > before));
        }
    }
}
