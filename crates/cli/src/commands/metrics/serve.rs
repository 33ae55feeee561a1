//! Answers `GET /metrics` with the last reading, and refuses everything else in a line.
//!
//! Bounds: so many connections at a time, so much of a head, so long for it and for the whole answer; no body, no second
//! request on a connection. A scrape costs a copy of the text, never a reading.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use arcwright_metrics::{TextFormat, age};
use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use tokio::net::TcpListener;

use super::collect::{self, Board, Collecting};
use super::datasets;
use crate::arguments::MetricsArguments;
use crate::commands::doctor::policy::Policy;
use crate::commands::server::{Hosts, Judging, Limits, accept, is_for, nanos};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output;
use crate::problem::Problem;

/// The bounds of connections: a scrape is one request, answered at once.
const LIMITS: Limits = Limits {
    connections_max: 64,
    head_time: Duration::from_secs(5),
    life: Duration::from_secs(15),
    keeps_alive: false,
};
/// How long answers that are under way may still take at the end.
const FAREWELL: Duration = Duration::from_millis(300);
/// How often findings are judged at most.
const JUDGE_EVERY: Duration = Duration::from_secs(60);
/// The window of findings where none is asked for.
const WINDOW: Duration = Duration::from_secs(30);

/// What every request is answered from.
#[derive(Debug, Clone)]
struct Server {
    board: Board,
    hosts: Arc<Hosts>,
}

pub(super) fn serve(
    address: SocketAddr,
    arguments: &MetricsArguments,
    policy: Policy,
) -> Result<Exit, Problem> {
    if !address.ip().is_loopback() && !arguments.serving.public {
        return Err(Problem::Usage(anyhow!(
            "{address} can be reached from other machines, which could read the names of pools and disks; \
             --public allows that, 127.0.0.1:{} does not need it",
            address.port()
        )));
    }
    let interrupt = Interrupt::listen()?;
    let board = Board::default();
    let judging = Judging {
        root: arguments.root.clone(),
        window: arguments.window.unwrap_or(WINDOW),
        smart: arguments.smart,
        every: JUDGE_EVERY,
    };
    let collecting =
        Collecting { judging, interval: arguments.serving.interval, datasets: datasets(arguments) };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("failed to start the server")?;
    let listener = runtime
        .block_on(TcpListener::bind(address))
        .with_context(|| format!("failed to listen on {address}"))?;
    let collector = collect::begin(collecting, policy, &interrupt, &board)?;
    let local = listener.local_addr().context("failed to listen")?;
    output::remark(&format!("listening on http://{local}/metrics; Ctrl-C ends it"));
    let hosts = Arc::new(Hosts::new(local, &arguments.serving.hosts));
    let app = Router::new().fallback(answer).with_state(Server { board, hosts });
    let is_over = || interrupt.asked() || collector.is_finished();
    runtime.block_on(accept(&listener, app, LIMITS, is_over));
    runtime.shutdown_timeout(FAREWELL);
    match interrupt.asked() {
        true => Ok(Exit::Fine),
        false => {
            Err(Problem::Failed(anyhow!("the collector ended; this is a mistake of arcwright")))
        }
    }
}

/// Answers a request, or says why not.
async fn answer(State(server): State<Server>, request: Request) -> Result<Response, Infallible> {
    let (parts, body) = request.into_parts();
    let refused = |status: StatusCode, why: &str| Ok(page(status, TEXT, format!("{why}\n")));
    if !is_for(&server.hosts, &parts.uri, &parts.headers) {
        return refused(StatusCode::MISDIRECTED_REQUEST, "this server has another name");
    }
    if !body.is_end_stream() {
        return refused(StatusCode::PAYLOAD_TOO_LARGE, "a request has no body here");
    }
    if parts.method != Method::GET {
        let mut response = page(StatusCode::METHOD_NOT_ALLOWED, TEXT, "only GET\n".to_owned());
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
        return Ok(response);
    }
    match parts.uri.path() {
        "/metrics" => Ok(metrics(&server.board, wanted(&parts.headers))),
        "/" => Ok(page(StatusCode::OK, TEXT, FRONT.to_owned())),
        _ => refused(StatusCode::NOT_FOUND, "only /metrics is here"),
    }
}

const TEXT: &str = "text/plain; charset=utf-8";
const FRONT: &str = concat!(
    "arcwright ",
    env!("CARGO_PKG_VERSION"),
    ": metrics of this machine's ZFS caches, pools and findings are at /metrics\n"
);

/// Returns the form that a scraper takes: OpenMetrics where it names that.
fn wanted(headers: &HeaderMap) -> TextFormat {
    let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    match accepted.any(|value| value.contains("application/openmetrics-text")) {
        true => TextFormat::OpenMetrics,
        false => TextFormat::Plain,
    }
}

/// Returns the last reading, with its age.
fn metrics(board: &Board, format: TextFormat) -> Response {
    let Some(last) = board.last() else {
        let why = "there is no reading yet; ask again in a second\n";
        return page(StatusCode::SERVICE_UNAVAILABLE, TEXT, why.to_owned());
    };
    let body = match format {
        TextFormat::OpenMetrics => &last.open_metrics,
        TextFormat::Plain => &last.plain,
    };
    let age = age(nanos(Instant::now().saturating_duration_since(last.read_at)), format);
    page(StatusCode::OK, format.media_type(), [body, age.as_str(), format.end()].concat())
}

fn page(status: StatusCode, media_type: &'static str, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = [
        (CONTENT_TYPE, media_type),
        // What is text stays text, whatever a name looks like.
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
