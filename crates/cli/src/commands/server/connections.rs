//! Takes connections within bounds: so many at a time, so much of a head, so long for it and for everything.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{timeout, timeout_at};

use super::lifetime::Lifetime;

/// Bytes of a request's head.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Lines of a request's head.
const HEADERS_MAX: usize = 64;
/// How often it is looked whether the program is to end.
const LOOK_AFTER: Duration = Duration::from_millis(50);
/// How long answers that are under way may still take at the end.
pub(super) const FAREWELL: Duration = Duration::from_millis(300);

/// The bounds of connections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Connections at a time; what comes beyond is closed at once.
    pub(crate) connections_max: u32,
    /// How long a head may take; between requests as well.
    pub(crate) head_time: Duration,
    /// How long a connection lives; [`Lifetime`], which every request has beside it, may renew that.
    pub(crate) life: Duration,
    /// Whether a connection takes more than one request.
    pub(crate) keeps_alive: bool,
}

/// Takes connections until it is over, then waits a moment for answers that are under way.
pub(crate) async fn accept(
    listener: &TcpListener,
    app: Router,
    limits: Limits,
    is_over: impl Fn() -> bool,
) {
    let most = usize::try_from(limits.connections_max).unwrap_or(usize::MAX);
    let slots = Arc::new(Semaphore::new(most));
    while !is_over() {
        let Ok(accepted) = timeout(LOOK_AFTER, listener.accept()).await else { continue };
        let Ok((stream, _)) = accepted else {
            // Out of handles, most likely: they come back as connections end.
            tokio::time::sleep(LOOK_AFTER).await;
            continue;
        };
        // Whoever comes when all slots are taken is let go, so that nobody waits in vain.
        if let Ok(slot) = Arc::clone(&slots).try_acquire_owned() {
            let connection = connection(stream, app.clone(), limits);
            tokio::spawn(async move {
                connection.await;
                drop(slot);
            });
        }
    }
    let _answered = timeout(FAREWELL, slots.acquire_many(limits.connections_max)).await;
}

/// Answers the requests of a connection. Who is too slow is let go without a word.
async fn connection(stream: TcpStream, app: Router, limits: Limits) {
    let life = Lifetime::of(limits.life);
    let (app, given) = (TowerToHyperService::new(app), life.clone());
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(given.clone());
        app.call(request)
    });
    let mut served = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head_time)
            .max_buf_size(HEAD_BYTES_MAX)
            .max_headers(HEADERS_MAX)
            .keep_alive(limits.keeps_alive)
            .serve_connection(TokioIo::new(stream), service)
    );
    loop {
        let end = life.end();
        let is_renewed = || life.end() > end;
        match timeout_at(end, &mut served).await {
            Err(_) if is_renewed() => {}
            // A client that broke off has nobody who would read about it.
            _ => return,
        }
    }
}
