//! Which request gets which answer.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use arcwright_units::Nanos;
use arcwright_web::columns;
use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::response::Response;
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::answers;
use super::assets;
use super::guard::{self, Refused};
use super::history::TimeRange;
use super::questions::{self, Questions};
use super::shared::Shared;
use super::token::Access;
use super::tunables::Tunables;
use super::whatif::WhatIfRuns;
use crate::commands::server::{Hosts, Lifetime};

/// How long a connection goes on after a request.
pub(super) const REQUEST_TIME: Duration = Duration::from_secs(15);
/// How long a page may listen; its browser comes again by itself.
const LISTEN_TIME: Duration = Duration::from_secs(600);
/// How long an answer may be computed for.
const COMPUTE_TIME: Duration = Duration::from_secs(900);
/// Bytes of what is sent here, and how long they may take.
const BODY_BYTES_MAX: usize = 64 * 1024;
const BODY_TIME: Duration = Duration::from_secs(5);
/// The same of a body that may be large.
const LARGE_BODY_TIME: Duration = Duration::from_secs(15);
/// Points of a chart at most, and where nothing is asked for.
const POINTS_MAX: usize = 2000;
const POINTS: usize = 600;
/// The time over which datasets are shown.
const DATASETS_TIME: Nanos = Nanos::secs(60);

/// What every request is answered from.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) shared: Arc<Shared>,
    pub(super) hosts: Arc<Hosts>,
    pub(super) access: Arc<Access>,
    pub(super) tunables: Arc<Tunables>,
    pub(super) whatif: Arc<WhatIfRuns>,
    pub(super) questions: Arc<Questions>,
    /// For bodies that are large.
    pub(super) large: Arc<Semaphore>,
    /// For questions about the history.
    pub(super) turn: Arc<Semaphore>,
}

/// Answers a request, or says why not.
pub(super) async fn answer(
    State(server): State<Server>,
    request: Request,
) -> Result<Response, Infallible> {
    let (parts, body) = request.into_parts();
    let life = parts.extensions.get::<Lifetime>().cloned();
    let renew = |time: Duration| {
        if let Some(life) = &life {
            life.renew(time);
        }
    };
    renew(REQUEST_TIME);
    if let Err(Refused { status, why }) = guard::check(&server.hosts, &parts) {
        return Ok(answers::text(status, why));
    }
    let is_admitted = server.access.admits(&parts.headers);
    let path = parts.uri.path();
    let large = questions::bytes_max(path).filter(|_| is_admitted);
    if let Some(bytes_max) = large.filter(|_| parts.method == Method::POST) {
        renew(COMPUTE_TIME);
        return Ok(question(&server, (path, bytes_max), body).await);
    }
    let body = match taken(&parts.method, body, (BODY_BYTES_MAX, BODY_TIME)).await {
        Ok(body) => body,
        Err(Refused { status, why }) => return Ok(answers::text(status, why)),
    };
    if parts.method == Method::POST && path == "/api/login" {
        return Ok(login(&server.access, &body).await);
    }
    if parts.method == Method::GET
        && let Some(file) = page(path, is_admitted)
    {
        return Ok(file);
    }
    if !is_admitted {
        return Ok(answers::text(StatusCode::UNAUTHORIZED, "a token is needed"));
    }
    Ok(match (&parts.method, path) {
        (&Method::GET, "/api/live") => {
            renew(LISTEN_TIME);
            live(&server.shared)
        }
        (&Method::POST, "/api/whatif") => {
            renew(COMPUTE_TIME);
            server.whatif.run(&server.shared, &body)
        }
        (&Method::POST, "/api/plan") => server.tunables.plan(&body).await,
        (&Method::GET, path) => shown(&server, path, &parts.uri).await,
        _ => answers::text(StatusCode::NOT_FOUND, "there is nothing here"),
    })
}

/// Answers what the browser page's tabs ask; few of their bodies, which may be large, are in memory at a time.
async fn question(server: &Server, (path, bytes_max): (&str, usize), body: Body) -> Response {
    let Ok(_large) = server.large.acquire().await else {
        return answers::text(StatusCode::SERVICE_UNAVAILABLE, "the server ends");
    };
    match taken(&Method::POST, body, (bytes_max, LARGE_BODY_TIME)).await {
        Ok(body) => server.questions.answer(path, body).await,
        Err(Refused { status, why }) => answers::text(status, why),
    }
}

/// Returns the page or a file of it.
fn page(path: &str, is_admitted: bool) -> Option<Response> {
    match path {
        "/" => Some(assets::index(is_admitted)),
        _ => assets::find(path),
    }
}

/// Answers what only shows something.
async fn shown(server: &Server, path: &str, uri: &Uri) -> Response {
    let shared = &server.shared;
    match path {
        "/api/about" => of_json(shared.about_now()),
        "/api/history" => match HistoryQuery::of(uri.query().unwrap_or_default()) {
            Some(asked) => history(server, asked).await,
            None => answers::problem(
                StatusCode::BAD_REQUEST,
                "expected from_ms, to_ms and points as whole numbers",
                None,
            ),
        },
        "/api/findings" => match shared.judged() {
            Some(judged) => judged.page(),
            None => not_yet("the machine has not been looked at yet"),
        },
        "/api/datasets" => match shared.datasets(DATASETS_TIME) {
            Some(table) => answers::shown(&table),
            None => not_yet("there is only one reading yet"),
        },
        "/api/tunables" => server.tunables.list().await,
        "/api/tunable" => server.tunables.show(uri.query().unwrap_or_default()).await,
        "/api/whatif" => server.whatif.offers(shared),
        _ => answers::text(StatusCode::NOT_FOUND, "there is nothing here"),
    }
}

/// Computes the points of a range where it holds nothing up, one question at a time.
async fn history(server: &Server, HistoryQuery { range, points }: HistoryQuery) -> Response {
    let Ok(_turn) = server.turn.acquire().await else {
        return answers::text(StatusCode::SERVICE_UNAVAILABLE, "the server ends");
    };
    let shared = Arc::clone(&server.shared);
    let work = move || columns(&shared.points(range, points), points);
    match tokio::task::spawn_blocking(work).await {
        Ok(json) => of_json(json),
        Err(_) => answers::text(StatusCode::INTERNAL_SERVER_ERROR, "this stopped; that is a bug"),
    }
}

fn of_json<E: std::fmt::Display>(json: Result<String, E>) -> Response {
    match json {
        Ok(json) => answers::json(json),
        Err(error) => answers::problem(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string(), None),
    }
}

/// Says that something is there in a moment, which is no mistake.
pub(super) fn not_yet(why: &str) -> Response {
    answers::shown(&serde_json::json!({ "waiting": why }))
}

/// Begins to tell a page what happens.
fn live(shared: &Shared) -> Response {
    let mut first = String::from("retry: 1000\n\n");
    if let Some(point) = shared.point() {
        first.push_str("event: point\ndata: ");
        first.push_str(&point);
        first.push_str("\n\n");
    }
    match shared.hub.listen(Bytes::from(first)) {
        Some(stream) => answers::events(stream),
        None => answers::text(StatusCode::SERVICE_UNAVAILABLE, "too many pages are open"),
    }
}

/// Takes what is sent, which is nothing with GET.
async fn taken(
    method: &Method,
    body: Body,
    (bytes_max, time): (usize, Duration),
) -> Result<Bytes, Refused> {
    let refused = |status, why| Err(Refused { status, why });
    if *method == Method::GET {
        return match body.is_end_stream() {
            true => Ok(Bytes::new()),
            false => refused(StatusCode::PAYLOAD_TOO_LARGE, "GET has no body here"),
        };
    }
    let told = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if told > bytes_max {
        return refused(StatusCode::PAYLOAD_TOO_LARGE, "this is too large");
    }
    match timeout(time, to_bytes(body, bytes_max)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(_)) => refused(StatusCode::PAYLOAD_TOO_LARGE, "this is too large, or broke off"),
        Err(_) => refused(StatusCode::REQUEST_TIMEOUT, "this took too long"),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Login {
    token: String,
}

async fn login(access: &Access, body: &[u8]) -> Response {
    let Access::Token(access) = access else {
        return answers::json("{}".to_owned());
    };
    let Ok(Login { token }) = serde_json::from_slice(body) else {
        return answers::problem(StatusCode::BAD_REQUEST, "expected a token", None);
    };
    match access.enter(token.trim()).await {
        Ok(Some(cookie)) => {
            let mut response = answers::json("{}".to_owned());
            if let Ok(cookie) = HeaderValue::from_str(&cookie) {
                response.headers_mut().insert(SET_COOKIE, cookie);
            }
            response
        }
        Ok(None) => answers::problem(
            StatusCode::FORBIDDEN,
            "this is not the token",
            Some("arcwright serve prints it when it starts, or it is in the file of --token-file"),
        ),
        Err(error) => {
            answers::problem(StatusCode::INTERNAL_SERVER_ERROR, &format!("{error:#}"), None)
        }
    }
}

/// What is asked of the history.
#[derive(Debug, PartialEq, Eq)]
struct HistoryQuery {
    range: TimeRange,
    points: usize,
}

impl HistoryQuery {
    fn of(query: &str) -> Option<Self> {
        let (mut from, mut to, mut points) = (0, u64::MAX, POINTS);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=')?;
            match name {
                "from_ms" => from = value.parse().ok()?,
                "to_ms" => to = value.parse().ok()?,
                "points" => points = value.parse().ok()?,
                _ => return None,
            }
        }
        let nanos = |millis: u64| Nanos(millis.saturating_mul(1_000_000));
        let range = TimeRange { from: nanos(from), to: nanos(to) };
        Some(Self { range, points: points.clamp(1, POINTS_MAX) })
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{HistoryQuery, POINTS, POINTS_MAX, TimeRange};

    #[test]
    fn a_range_is_read_and_all_else_is_refused() {
        let check = |query: &str, expected: Option<(u64, u64, usize)>| {
            let asked = HistoryQuery::of(query).map(|asked| {
                let TimeRange { from, to } = asked.range;
                (from.0, to.0, asked.points)
            });
            assert_eq!(asked, expected, "{query}");
        };
        check("", Some((0, u64::MAX, POINTS)));
        let second = Nanos::secs(1).0;
        check("from_ms=1000&to_ms=2000&points=7", Some((second, 2 * second, 7)));
        check("points=99999999", Some((0, u64::MAX, POINTS_MAX)));
        check("points=0", Some((0, u64::MAX, 1)));
        for wrong in ["from_ms=-1", "from_ms=1.5", "from_ms", "points=a", "evil=1", "from_ms=1e9"] {
            check(wrong, None);
        }
    }
}
