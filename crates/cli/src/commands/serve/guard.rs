//! What a request must be to be answered at all.
//!
//! A page of another site can make a browser ask this server. Such a request is refused by what browsers say of it:
//! the host it names ([`Hosts`]), where it comes from (`Origin`, `Sec-Fetch-Site`), and a header that only pages of this
//! server can send without being asked first. Programs that are no browsers say nothing of this, and need not.

use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};

use crate::commands::server::{Hosts, is_for};

/// What a request that does something must have.
pub(super) const OWN_HEADER: &str = "x-arcwright";

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) status: StatusCode,
    pub(super) why: &'static str,
}

/// Refuses what another site's page may have asked for.
pub(super) fn check(hosts: &Hosts, parts: &Parts) -> Result<(), Refused> {
    let refused = |status, why| Err(Refused { status, why });
    if !is_for(hosts, &parts.uri, &parts.headers) {
        return refused(StatusCode::MISDIRECTED_REQUEST, "this server has another name");
    }
    if parts.method != Method::GET && parts.method != Method::POST {
        return refused(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST");
    }
    if !is_from_here(&parts.headers) {
        return refused(StatusCode::FORBIDDEN, "another site's page asks for this");
    }
    let site = parts.headers.get("sec-fetch-site").map(|site| site.as_bytes());
    let is_opened = parts.uri.path() == "/" && parts.method == Method::GET;
    match site {
        None | Some(b"same-origin" | b"none") => {}
        // A link to the page opens it.
        Some(_) if is_opened && !parts.headers.contains_key(ORIGIN) => {}
        Some(_) => return refused(StatusCode::FORBIDDEN, "another site's page asks for this"),
    }
    if parts.method == Method::POST && !parts.headers.contains_key(OWN_HEADER) {
        return refused(StatusCode::FORBIDDEN, "the header X-Arcwright is missing");
    }
    Ok(())
}

/// Says whether the page that asks, where a browser names it, is one of the host that is asked.
fn is_from_here(headers: &HeaderMap) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else { return true };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let origin = origin.to_str().ok();
    // A proxy that speaks TLS hands on requests of https pages.
    let of = origin.and_then(|text| text.strip_prefix("http://").or(text.strip_prefix("https://")));
    let is_same = of.zip(host).is_some_and(|(of, host)| of.eq_ignore_ascii_case(host));
    is_same && origins.next().is_none()
}

#[cfg(test)]
mod tests {
    use axum::http::{Method, Request, StatusCode};

    use super::check;
    use crate::commands::server::Hosts;

    /// Returns how a request is refused that is right but for one header.
    fn refused(method: &Method, path: &str, changed: &[(&str, &str)]) -> Option<StatusCode> {
        let mut request = Request::builder().method(method).uri(path);
        let mut headers = vec![
            ("host", "localhost:9135"),
            ("origin", "http://localhost:9135"),
            ("sec-fetch-site", "same-origin"),
            ("x-arcwright", "1"),
        ];
        for (name, value) in changed {
            headers.retain(|(other, _)| other != name);
            headers.push((name, value));
        }
        for (name, value) in headers.into_iter().filter(|(_, value)| !value.is_empty()) {
            request = request.header(name, value);
        }
        let hosts = Hosts::new("127.0.0.1:9135".parse().unwrap(), &[]);
        check(&hosts, &request.body(()).unwrap().into_parts().0).err().map(|refused| refused.status)
    }

    #[test]
    fn what_another_site_may_have_asked_for_is_refused() {
        let check = |method: Method, changed: &[(&str, &str)], expected: u16| {
            let found = refused(&method, "/api/plan", changed);
            let expected = StatusCode::from_u16(expected).ok().filter(|status| *status != 200);
            assert_eq!(found, expected, "{method} {changed:?}");
        };
        for method in [Method::GET, Method::POST] {
            check(method.clone(), &[], 200);
            check(method.clone(), &[("origin", ""), ("sec-fetch-site", "")], 200);
            check(method.clone(), &[("host", "evil.example")], 421);
            check(method.clone(), &[("host", "")], 421);
            check(method.clone(), &[("origin", "http://evil.example")], 403);
            check(method.clone(), &[("origin", "http://localhost:9136")], 403);
            check(method.clone(), &[("origin", "null")], 403);
            check(method.clone(), &[("origin", "file://localhost:9135")], 403);
            check(method.clone(), &[("sec-fetch-site", "cross-site")], 403);
            check(method, &[("sec-fetch-site", "same-site")], 403);
        }
        check(Method::POST, &[("x-arcwright", "")], 403);
        check(Method::GET, &[("x-arcwright", "")], 200);
        for method in [Method::PUT, Method::DELETE, Method::OPTIONS, Method::HEAD] {
            check(method, &[], 405);
        }
    }

    #[test]
    fn a_link_opens_the_page_and_nothing_else() {
        let linked = [("origin", ""), ("sec-fetch-site", "cross-site"), ("x-arcwright", "")];
        assert_eq!(refused(&Method::GET, "/", &linked), None);
        assert_eq!(refused(&Method::GET, "/api/findings", &linked), Some(StatusCode::FORBIDDEN));
        let asked = [("origin", "http://evil.example"), ("sec-fetch-site", "cross-site")];
        assert_eq!(refused(&Method::GET, "/", &asked), Some(StatusCode::FORBIDDEN));
    }
}
