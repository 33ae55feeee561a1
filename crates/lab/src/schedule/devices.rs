//! Where events come from that no thread makes: devices that finish what they were asked for.

use arcwright_units::Nanos;

use super::thread::ThreadId;

/// Devices whose events drive time; they are numbered from zero.
///
/// The scheduler calls this with its own state locked: an implementor must not call back into it.
pub(crate) trait EventSource: Sync {
    /// Returns how many devices there are; their number never changes.
    fn count(&self) -> usize;

    /// Returns when device `number` has its next event; none while it has nothing to do.
    fn next_event(&self, number: usize) -> Option<Nanos>;

    /// Advances device `number` to `instant`, and appends which threads may go on from when.
    fn advance(&self, number: usize, instant: Nanos, ready: &mut Vec<(ThreadId, Nanos)>);
}

/// The devices, and when each has its next event.
pub(super) struct Devices<'a> {
    source: Option<&'a dyn EventSource>,
    /// Per device; never, while it has nothing to do.
    events: Vec<Nanos>,
}

impl<'a> Devices<'a> {
    pub(super) const fn none() -> Self {
        Self { source: None, events: Vec::new() }
    }

    pub(super) fn of(source: &'a dyn EventSource) -> Self {
        Self { source: Some(source), events: vec![Nanos::MAX; source.count()] }
    }

    /// Asks device `number` when its next event is.
    pub(super) fn ask(&mut self, number: usize) {
        let next = self.source.and_then(|source| source.next_event(number));
        if let Some(event) = self.events.get_mut(number) {
            *event = next.unwrap_or(Nanos::MAX);
        }
    }

    /// Returns the device with the first event, the lowest number of several, and its instant.
    pub(super) fn first(&self) -> (usize, Nanos) {
        let events = self.events.iter().copied().enumerate();
        events.min_by_key(|(_, event)| *event).unwrap_or((0, Nanos::MAX))
    }

    /// Advances device `number` to its event, and appends which threads may go on from when.
    pub(super) fn advance(
        &mut self,
        number: usize,
        event: Nanos,
        ready: &mut Vec<(ThreadId, Nanos)>,
    ) {
        if let Some(source) = self.source {
            source.advance(number, event, ready);
        }
        self.ask(number);
    }
}
