//! Who may see the page: everybody who reaches it, or whoever has the token.
//!
//! A browser gives the token once and gets a cookie that scripts cannot read and other sites' pages do not send
//! (`HttpOnly`, `SameSite=Strict`); a program sends it with each request (`Authorization: Bearer`).

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, anyhow, ensure};
use arcwright_host::plain::read_text;
use arcwright_units::visible_path;
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE};

/// Browsers that are let in at a time; the oldest goes first.
const SESSIONS_MAX: usize = 64;
/// Bytes of a token of our own, and of a session's name.
const RANDOM_BYTES: usize = 32;
/// Characters of a token that somebody else made.
const TOKEN_MIN: usize = 16;
const TOKEN_MAX: u64 = 4096;
/// How long a wrong token keeps whoever sent it, one after the other.
const WRONG_TAKES: Duration = Duration::from_millis(500);
/// How long a browser keeps its cookie.
const COOKIE_S: u32 = 30 * 24 * 3600;

/// Who may see the page.
#[derive(Debug)]
pub(super) enum Access {
    /// Whoever reaches it.
    Open,
    /// Whoever has the token.
    Token(TokenAccess),
}

/// The token, and browsers that gave it.
#[derive(Debug)]
pub(super) struct TokenAccess {
    token: String,
    cookie: String,
    sessions: Mutex<VecDeque<String>>,
    wrong: tokio::sync::Mutex<()>,
}

impl Access {
    /// Returns who may see the page at an address; a token comes from a file or is made.
    pub(super) fn at(address: SocketAddr, file: Option<&Path>) -> anyhow::Result<Self> {
        let token = match file {
            Some(path) => from_file(path)?,
            None if address.ip().is_loopback() => return Ok(Self::Open),
            None => random()?,
        };
        Ok(Self::Token(TokenAccess {
            token,
            // Cookies are of a host, whatever the port: two servers must not take each other's.
            cookie: format!("arcwright-{}", address.port()),
            sessions: Mutex::default(),
            wrong: tokio::sync::Mutex::default(),
        }))
    }

    /// Says whether a request may be answered.
    pub(super) fn admits(&self, headers: &HeaderMap) -> bool {
        match self {
            Self::Open => true,
            Self::Token(access) => access.has_session(headers) || access.has_token(headers),
        }
    }
}

impl TokenAccess {
    /// Returns the token, to be told to whoever started the server.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Lets a browser in that gave the right token: returns its cookie. A wrong one takes its time.
    pub(super) async fn enter(&self, token: &str) -> anyhow::Result<Option<String>> {
        if !is_same(token, &self.token) {
            let _turn = self.wrong.lock().await;
            tokio::time::sleep(WRONG_TAKES).await;
            return Ok(None);
        }
        let session = random()?;
        let cookie = format!(
            "{}={session}; Path=/; HttpOnly; SameSite=Strict; Max-Age={COOKIE_S}",
            self.cookie
        );
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.len() == SESSIONS_MAX {
            sessions.pop_front();
        }
        sessions.push_back(session);
        Ok(Some(cookie))
    }

    fn has_session(&self, headers: &HeaderMap) -> bool {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let cookies = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == self.cookie).then_some(value)
        });
        pairs.any(|value| sessions.iter().any(|session| is_same(value, session)))
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(AUTHORIZATION).and_then(|line| line.to_str().ok());
        let token = given.and_then(|line| line.strip_prefix("Bearer "));
        token.is_some_and(|token| is_same(token, &self.token))
    }
}

/// Compares in a time that does not tell how much of it is right.
fn is_same(given: &str, right: &str) -> bool {
    let differences =
        given.bytes().zip(right.bytes()).fold(0, |all, (one, other)| all | (one ^ other));
    given.len() == right.len() && differences == 0
}

fn from_file(path: &Path) -> anyhow::Result<String> {
    let name = visible_path(path);
    let text = read_text(path, TOKEN_MAX).with_context(|| format!("failed to read {name}"))?;
    let token = text.trim();
    ensure!(
        token.len() >= TOKEN_MIN && token.bytes().all(|byte| byte.is_ascii_graphic()),
        "{name}: expected one line of at least {TOKEN_MIN} letters and digits\n\
         hint: openssl rand -hex 32 > FILE; chmod 600 FILE"
    );
    Ok(token.to_owned())
}

/// Returns a name that nobody guesses.
fn random() -> anyhow::Result<String> {
    let mut bytes = [0; RANDOM_BYTES];
    File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(|error| anyhow!("failed to read /dev/urandom: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue};

    use super::{Access, SESSIONS_MAX, is_same};

    fn of_token() -> Access {
        Access::at("192.0.2.1:9135".parse().unwrap(), None).unwrap()
    }

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(
            axum::http::HeaderName::from_static(name),
            HeaderValue::from_str(value).unwrap(),
        )])
    }

    #[test]
    fn loopback_is_open_and_nothing_else_is() {
        let open = Access::at("127.0.0.1:9135".parse().unwrap(), None).unwrap();
        assert!(open.admits(&HeaderMap::new()));
        let closed = of_token();
        assert!(!closed.admits(&HeaderMap::new()));
        for (name, value) in [
            ("cookie", "arcwright-9135="),
            ("cookie", "arcwright-9135=0000; arcwright=1"),
            ("cookie", "=;=;;"),
            ("authorization", "Bearer "),
            ("authorization", "Bearer wrong"),
            ("authorization", "Basic YTpi"),
        ] {
            assert!(!closed.admits(&headers(name, value)), "{name}: {value}");
        }
    }

    #[test]
    fn the_token_and_the_cookie_made_from_it_let_in() {
        let access = of_token();
        let Access::Token(token) = &access else { panic!("a token is needed") };
        assert_eq!(token.token().len(), 64);
        assert!(access.admits(&headers("authorization", &format!("Bearer {}", token.token()))));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let first = runtime.block_on(token.enter(token.token())).unwrap().unwrap();
        assert!(first.contains("HttpOnly; SameSite=Strict"), "{first}");
        let cookie = first.split(';').next().unwrap().to_owned();
        assert!(access.admits(&headers("cookie", &format!("other=1; {cookie}"))));
        for _ in 0..SESSIONS_MAX {
            runtime.block_on(token.enter(token.token())).unwrap().unwrap();
        }
        assert!(!access.admits(&headers("cookie", &cookie)), "the oldest went");
    }

    #[test]
    fn only_the_same_is_the_same() {
        assert!(is_same("abc", "abc"));
        for other in ["", "ab", "abcd", "abd", "Abc"] {
            assert!(!is_same(other, "abc"), "{other}");
        }
    }
}
