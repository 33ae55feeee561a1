//! Events for pages that are open (server-sent events): each page has a short queue; who is too slow misses some.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Pages that listen at a time.
const PAGES_MAX: usize = 16;
/// Events that a page may be behind.
const BEHIND_MAX: usize = 8;

/// Whoever listens.
#[derive(Debug, Default)]
pub(super) struct Hub(Mutex<Vec<Sender<Bytes>>>);

impl Hub {
    /// Returns the events from now on; none where too many pages listen already.
    pub(super) fn listen(&self, first: Bytes) -> Option<TextStream> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|page| !page.is_closed());
        if pages.len() >= PAGES_MAX {
            return None;
        }
        let (sender, receiver) = channel(BEHIND_MAX);
        let _is_first = sender.try_send(first);
        pages.push(sender);
        Some(TextStream(receiver))
    }

    /// Tells every page; `data` is one line.
    pub(super) fn tell(&self, event: &str, data: &str) {
        let text = Bytes::from(format!("event: {event}\ndata: {data}\n\n"));
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|page| match page.try_send(text.clone()) {
            Ok(()) | Err(TrySendError::Full(_)) => true,
            Err(TrySendError::Closed(_)) => false,
        });
    }
}

/// An answer that goes on: each text as it comes.
#[derive(Debug)]
pub(super) struct TextStream(pub(super) Receiver<Bytes>);

impl Body for TextStream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|text| text.map(|text| Ok(Frame::data(text))))
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;

    use super::{BEHIND_MAX, Hub, PAGES_MAX};

    #[test]
    fn pages_are_bounded_and_who_is_slow_misses_events() {
        let hub = Hub::default();
        let mut pages: Vec<_> = (0..PAGES_MAX).map(|_| hub.listen(Bytes::new()).unwrap()).collect();
        assert!(hub.listen(Bytes::new()).is_none());
        for _ in 0..100 {
            hub.tell("point", "{}");
        }
        assert_eq!(pages[0].0.len(), BEHIND_MAX);
        assert_eq!(pages[0].0.try_recv().unwrap(), Bytes::new());
        assert_eq!(pages[0].0.try_recv().unwrap(), Bytes::from("event: point\ndata: {}\n\n"));
        pages.pop();
        assert!(hub.listen(Bytes::new()).is_some());
    }
}
