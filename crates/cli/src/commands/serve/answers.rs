//! Answers, with what a browser must know of each.

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde::Serialize;

use super::events::TextStream;

pub(super) const HTML: &str = "text/html; charset=utf-8";
pub(super) const CSS: &str = "text/css; charset=utf-8";
pub(super) const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
pub(super) const SVG: &str = "image/svg+xml";
pub(super) const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const LINES: &str = "application/x-ndjson";

/// What a page may load and do: files of this server, and nothing that stands within a page; text never becomes markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// A mistake, as a page shows it.
#[derive(Debug, Serialize)]
struct Told<'a> {
    message: &'a str,
    hint: Option<&'a str>,
}

pub(super) fn asset(
    status: StatusCode,
    media_type: &'static str,
    bytes: &'static [u8],
) -> Response {
    answer(status, media_type, Body::from(bytes))
}

pub(super) fn text(status: StatusCode, line: &str) -> Response {
    answer(status, TEXT, Body::from(format!("{line}\n")))
}

pub(super) fn json(body: String) -> Response {
    answer(StatusCode::OK, JSON, Body::from(body))
}

/// Returns something as JSON; texts in it have hidden characters written out.
pub(super) fn shown(body: &impl Serialize) -> Response {
    match serde_json::to_string(body) {
        Ok(text) => json(arcwright_report::harmless_json(&text).into_owned()),
        Err(error) => problem(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string(), None),
    }
}

/// Returns what is wrong.
pub(super) fn problem(status: StatusCode, message: &str, hint: Option<&str>) -> Response {
    let body = serde_json::to_string(&Told { message, hint }).unwrap_or_default();
    let body = arcwright_report::harmless_json(&body).into_owned();
    answer(status, JSON, Body::from(body))
}

pub(super) fn events(stream: TextStream) -> Response {
    answer(StatusCode::OK, EVENTS, Body::new(stream))
}

pub(super) fn lines(stream: TextStream) -> Response {
    answer(StatusCode::OK, LINES, Body::new(stream))
}

fn answer(status: StatusCode, media_type: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers: [(HeaderName, &'static str); 8] = [
        (CONTENT_TYPE, media_type),
        // What is text stays text, whatever a name looks like.
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
