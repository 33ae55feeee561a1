//! Shows on standard error how far a run is: a bar on a terminal, notes elsewhere.
//!
//! ```text
//!    42 %  ━━━━━━━━╸             12 s left  arm “dumb LRU”, second read
//! ```
//!
//! The bar begins at nothing and never goes back, whatever an engine corrects. The time left is that which was taken,
//! carried on, unless the engine knows better.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use arcwright_scenario::{Event, Watch};
use arcwright_units::{Nanos, visible};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interrupt::Interrupt;
use crate::output;

/// Watches a run for the user.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    interrupt: Interrupt,
    begun: Instant,
    /// The most that was done so far, in steps.
    steps: u64,
}

/// Percent, bar, time left, stage: what is long comes last, where a narrow terminal cuts it.
const TEMPLATE: &str = "{percent:>3} %  {bar:20}  {msg:>12}  {prefix}";
const REDRAWS_PER_SECOND_MAX: u8 = 10;
/// The bar in steps, so that work of any unit is shown alike.
const STEPS: u64 = 1000;
/// From so many steps and so much time on the time left is worth saying.
const STEPS_MIN: u64 = 20;
const ELAPSED_MIN: Duration = Duration::from_secs(2);

impl Progress {
    pub(crate) fn new(interrupt: Interrupt) -> Self {
        let bar = std::io::stderr().is_terminal().then(bar);
        Self { bar, interrupt, begun: Instant::now(), steps: 0 }
    }

    /// Says something before the run begins, on a terminal.
    pub(crate) fn announce(&self, line: &str) {
        if let Some(bar) = &self.bar {
            bar.println(visible(line));
        }
    }

    fn note(&self, text: &str) {
        let line = format!("note: {text}");
        match &self.bar {
            Some(bar) => bar.println(visible(&line)),
            None => output::remark(&line),
        }
    }

    /// Moves the bar, and says how much time is left.
    fn advance(&mut self, done: u64, total: u64, left: Option<Nanos>) {
        self.steps = self.steps.max(steps(done, total));
        let Some(bar) = &self.bar else { return };
        bar.set_position(self.steps);
        let left = left.or_else(|| left_after(self.begun.elapsed(), self.steps));
        bar.set_message(left.map(|left| format!("{} left", in_words(left))).unwrap_or_default());
    }
}

/// Returns how many steps of the bar are done; none while nobody knows of how much.
fn steps(done: u64, total: u64) -> u64 {
    let steps = u128::from(done) * u128::from(STEPS) / u128::from(total.max(1));
    if total == 0 { 0 } else { u64::try_from(steps).unwrap_or(STEPS).min(STEPS) }
}

/// Returns the time left when so many steps took so long; none at the beginning, and at the end.
fn left_after(elapsed: Duration, steps: u64) -> Option<Nanos> {
    if elapsed < ELAPSED_MIN || !(STEPS_MIN..STEPS).contains(&steps) {
        return None;
    }
    let left = elapsed.as_nanos() * u128::from(STEPS - steps) / u128::from(steps);
    Some(Nanos(u64::try_from(left).unwrap_or(u64::MAX)))
}

/// Returns a time in whole seconds, minutes or hours: a guess has no digits behind the comma.
fn in_words(time: Nanos) -> String {
    match time.0.div_ceil(Nanos::SECOND.0) {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h", seconds.div_ceil(3600)),
    }
}

fn bar() -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(REDRAWS_PER_SECOND_MAX);
    let bar = ProgressBar::with_draw_target(Some(STEPS), target);
    if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
        bar.set_style(style.progress_chars("━╸ "));
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

impl Watch for Progress {
    fn event(&mut self, event: Event) {
        match (event, &self.bar) {
            (Event::Note(text), _) => self.note(&text),
            (Event::Stage(stage), Some(bar)) => bar.set_prefix(visible(&stage).into_owned()),
            (Event::Progress { done, total, left }, _) => self.advance(done, total, left),
            (Event::Finished { .. } | Event::Stage(_) | Event::Reading(_), _) => {}
        }
        if let Some(bar) = self.bar.as_ref().filter(|_| self.interrupt.asked()) {
            bar.set_message("stopping; press Ctrl-C again to end immediately");
        }
    }

    fn stop(&self) -> bool {
        self.interrupt.asked()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use arcwright_scenario::{Event, Watch as _};
    use arcwright_units::Nanos;

    use super::{Progress, in_words, left_after, steps};
    use crate::interrupt::Interrupt;

    #[test]
    fn the_bar_begins_at_nothing_and_never_goes_back() {
        let mut progress = Progress::new(Interrupt::default());
        let mut at = |done, total| {
            progress.event(Event::Progress { done, total, left: None });
            progress.steps
        };
        assert_eq!(at(0, 0), 0);
        assert_eq!(at(1, 4), 250);
        assert_eq!(at(1, 8), 250);
        assert_eq!(at(u64::MAX, 1), 1000);
        assert_eq!(steps(u64::MAX - 1, u64::MAX), 999);
    }

    #[test]
    fn the_time_left_is_the_time_taken_carried_on() {
        let check = |seconds: u64, steps: u64, expected: Option<u64>| {
            let left = left_after(Duration::from_secs(seconds), steps);
            assert_eq!(left, expected.map(Nanos::secs), "{steps} steps in {seconds} s");
        };
        check(10, 500, Some(10));
        check(10, 100, Some(90));
        check(1, 500, None);
        check(100, 19, None);
        check(100, 1000, None);
    }

    #[test]
    fn a_time_left_is_short() {
        for (time, text) in [(1, "1 s"), (119, "119 s"), (121, "3 min"), (7201, "3 h")] {
            assert_eq!(in_words(Nanos::secs(time)), text);
        }
        assert_eq!(in_words(Nanos(1)), "1 s");
    }
}
