//! Shows on standard error how far a run is: a bar on a terminal, notes elsewhere.

use std::io::IsTerminal as _;
use std::time::Duration;

use arcwright_scenario::{Event, Watch};
use arcwright_units::visible;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interrupt::Interrupt;
use crate::output;

/// Watches a run for the user.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    interrupt: Interrupt,
}

/// Stage, bar, percent, time left.
const TEMPLATE: &str = "{prefix}  {bar:30}  {percent:>3} %  {msg}";
const REDRAWS_PER_SECOND_MAX: u8 = 10;

impl Progress {
    pub(crate) fn new(interrupt: Interrupt) -> Self {
        let bar = std::io::stderr().is_terminal().then(bar);
        Self { bar, interrupt }
    }

    fn note(&self, text: &str) {
        let line = format!("note: {text}");
        match &self.bar {
            Some(bar) => bar.println(visible(&line)),
            None => output::remark(&line),
        }
    }
}

fn bar() -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(REDRAWS_PER_SECOND_MAX);
    let bar = ProgressBar::with_draw_target(Some(0), target);
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
            (Event::Progress { done, total, left }, Some(bar)) => {
                bar.set_length(total);
                bar.set_position(done.min(total));
                bar.set_message(left.map(|left| format!("{left} left")).unwrap_or_default());
            }
            (
                Event::Finished { .. }
                | Event::Stage(_)
                | Event::Progress { .. }
                | Event::Reading(_),
                _,
            ) => {}
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
