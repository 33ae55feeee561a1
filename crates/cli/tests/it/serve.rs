//! The served page: what it answers, what it refuses, over plain TCP.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::arcwright;
use crate::served::{Served, exchange, machine_of_files, status};

/// How long an answer may take on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(60);
/// A header of pages of the server, which a request that does something must have.
pub(crate) const OWN: &str = "X-Arcwright: 1\r\n";

/// A server, and what it said when it began.
pub(crate) struct Server {
    child: Served,
    address: SocketAddr,
    said: String,
    root: TempDir,
}

impl Server {
    /// Starts a server of a machine of files.
    pub(crate) fn of_files(arguments: &[&str]) -> Self {
        let root = machine_of_files();
        let folder = root.path().to_owned();
        let place = ["--root", folder.to_str().unwrap()];
        Self::begin(root, &[&place, arguments].concat())
    }

    fn begin(root: TempDir, arguments: &[&str]) -> Self {
        let listen = ["--listen", "127.0.0.1:0"];
        let is_named = arguments.contains(&"--listen");
        let mut child = Command::new(env!("CARGO_BIN_EXE_arcwright"))
            .arg("serve")
            .args(listen.iter().filter(|_| !is_named))
            .args(arguments)
            // No zpool is asked: the machine is its files.
            .env("PATH", "/nonexistent")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let said = lines.by_ref().map(Result::unwrap).find(|line| line.contains("http://"));
        let said = said.unwrap();
        // What it says later goes nowhere, and must not stop it.
        std::thread::spawn(move || lines.count());
        let address = said.split("http://").nth(1).unwrap().split('/').next().unwrap();
        let port = address.rsplit(':').next().unwrap();
        let address = format!("127.0.0.1:{port}").parse().unwrap();
        Self { child: Served(child), address, said, root }
    }

    /// Sends bytes and returns all that comes back until the server closes.
    fn send(&self, request: &[u8]) -> String {
        exchange(self.address, request, PATIENCE)
    }

    pub(crate) fn get(&self, path: &str, headers: &str) -> String {
        let host = self.address;
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n");
        self.send(head.as_bytes())
    }

    pub(crate) fn post(&self, path: &str, headers: &str, body: &str) -> String {
        let (host, length) = (self.address, body.len());
        self.send(
            format!(
                "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n\
                 {headers}\r\n{body}"
            )
            .as_bytes(),
        )
    }

    /// Asks until the answer has a text.
    fn until(&self, path: &str, text: &str) -> String {
        let begin = Instant::now();
        loop {
            let answer = self.get(path, "");
            if answer.contains(text) {
                return answer;
            }
            assert!(begin.elapsed() < PATIENCE, "no {text} in\n{answer}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

#[test]
fn the_page_and_what_it_shows_are_answered() {
    let server = Server::of_files(&[]);
    let page = server.get("/", "");
    for text in [
        "HTTP/1.1 200 OK",
        "content-type: text/html",
        "x-content-type-options: nosniff",
        "x-frame-options: DENY",
        "referrer-policy: no-referrer",
        "default-src 'none'; script-src 'self'; style-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ] {
        assert!(page.contains(text), "no “{text}” in\n{page}");
    }
    for path in ["/main.js", "/style.css", "/uPlot.iife.min.js", "/api/about", "/api/tunables"] {
        assert_eq!(status(&server.get(path, "")), "200", "{path}");
    }
    let about = server.get("/api/about", "");
    assert!(about.contains("\"demo\":null") && about.contains("\"interval_ms\":1000"), "{about}");
    // Counters of files stand still, so that rates are zero, and what is absent stays absent.
    let history = server.until("/api/history", "\"arc_size\":[");
    assert!(history.contains("\"at_ms\":["), "{history}");
    let tunables = server.get("/api/tunables", "");
    assert!(tunables.contains("\"name\":\"zfs_arc_max\""), "{tunables}");
    let one = server.get("/api/tunable?name=zfs_arc_max", "");
    assert!(one.contains("\"hazards\""), "{one}");
    let near = server.get("/api/tunable?name=zfs_arc_mx", "");
    assert!(near.contains("did you mean") && status(&near) == "400", "{near}");
}

#[test]
fn a_plan_is_what_tune_prints_and_changes_nothing() {
    let server = Server::of_files(&[]);
    let plan = server.post("/api/plan", OWN, r#"{"settings":"zfs_arc_max=512MiB"}"#);
    assert_eq!(status(&plan), "200", "{plan}");
    let printed = arcwright()
        .args(["tune", "--root"])
        .arg(server.root.path())
        .args(["persist", "zfs_arc_max=512MiB"])
        .output()
        .unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    // The times of both differ, in a comment.
    let first = printed.lines().next().unwrap();
    assert!(plan.contains(&first.replace('"', "\\\"")), "no “{first}” in\n{plan}");
    assert!(plan.contains("sudo arcwright tune apply zfs_arc_max=512MiB"), "{plan}");
    assert!(plan.contains("sudo arcwright tune persist zfs_arc_max=512MiB"), "{plan}");
    assert!(!server.root.path().join("var/lib/arcwright").exists());
    let wrong = server.post("/api/plan", OWN, r#"{"settings":"zfs_arc_max=lots --yes"}"#);
    assert!(wrong.contains("\"text\":null"), "{wrong}");
}

#[test]
fn requests_that_mean_no_good_are_refused() {
    let server = Server::of_files(&["--host", "nas.lan"]);
    let long = "x".repeat(100_000);
    let plan = r#"{"settings":"zfs_arc_max=512MiB"}"#;
    let get = |path: &str, headers: &str| {
        format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n")
    };
    let post = |headers: &str, body: &str| {
        let length = body.len();
        format!(
            "POST /api/plan HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        )
    };
    let here = "Host: localhost\r\n";
    let cases = [
        (get("/", here), "200"),
        (get("/", "Host: nas.lan:9135\r\n"), "200"),
        (get("/", "Host: evil.example\r\n"), "421"),
        (get("/main.js", "Host: evil.example\r\n"), "421"),
        (get("/api/about", "Host: 192.0.2.7\r\n"), "421"),
        (get("/api/about", ""), "421"),
        (get("/api/about", &format!("{here}Host: evil.example\r\n")), "421"),
        (get("http://evil.example/api/about", here), "421"),
        (get("/api/about", &format!("{here}Origin: http://evil.example\r\n")), "403"),
        (get("/api/live", &format!("{here}Origin: null\r\n")), "403"),
        (get("/api/about", &format!("{here}Sec-Fetch-Site: cross-site\r\n")), "403"),
        (get("/", &format!("{here}Sec-Fetch-Site: cross-site\r\n")), "200"),
        (post(OWN, plan), "200"),
        (post("", plan), "403"),
        (post(&format!("{OWN}Origin: http://evil.example\r\n"), plan), "403"),
        (post(&format!("{OWN}Origin: http://localhost:1\r\n"), plan), "403"),
        (post(&format!("{OWN}Origin: http://localhost\r\n"), plan), "200"),
        (post(OWN, &format!("{{\"settings\":\"{long}\"}}")), "413"),
        (post(OWN, "{\"settings\":\"a\",\"evil\":1}"), "400"),
        (post(OWN, "[[[[[[[["), "400"),
        (post(OWN, ""), "400"),
        (get("/api/plan", here), "404"),
        ("PUT /api/plan HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned(), "405"),
        ("OPTIONS / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_owned(), "405"),
        (get("/../../../etc/passwd", here), "404"),
        (get("/%2e%2e/%2e%2e/etc/passwd", here), "404"),
        (get("/vendor/../main.js", here), "404"),
        (get("//main.js", here), "404"),
        (get("/main.js%00", here), "404"),
        (get("/api/history?from_ms=evil", here), "400"),
        (get("/api/about", &format!("{here}Content-Length: 9999999999\r\n")), "413"),
        ("POST /api/plan HTTP/1.1\r\nHost: localhost\r\nX-Arcwright: 1\r\nContent-Length: 99999999999\r\n\r\n".to_owned(), "413"),
        (get(&format!("/{long}"), here), "431"),
        ("\u{0}\u{1}\u{2} nonsense\r\n\r\n".to_owned(), "400"),
    ];
    for (request, expected) in &cases {
        let answer = server.send(request.as_bytes());
        let shown: String = request.chars().take(200).collect();
        assert_eq!(status(&answer), *expected, "{shown}\n{answer}");
        assert!(!answer.contains("root:"), "{answer}");
    }
}

#[test]
fn who_is_slow_is_let_go_and_others_are_answered_meanwhile() {
    let server = Server::of_files(&[]);
    let mut slow: Vec<TcpStream> = Vec::new();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: lo").unwrap();
        slow.push(stream);
        let mut body = TcpStream::connect(server.address).unwrap();
        let head = format!(
            "POST /api/plan HTTP/1.1\r\nHost: {}\r\n{OWN}Content-Length: 100\r\n\r\n{{",
            server.address
        );
        body.write_all(head.as_bytes()).unwrap();
        slow.push(body);
    }
    let begin = Instant::now();
    assert_eq!(status(&server.get("/api/about", "")), "200");
    assert!(begin.elapsed() < Duration::from_secs(5));
    for mut stream in slow {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut rest = Vec::new();
        // The end of the stream, or a reset: it is over either way.
        let _ended = stream.read_to_end(&mut rest);
        let rest = String::from_utf8_lossy(&rest).into_owned();
        assert!(rest.is_empty() || status(&rest) == "408", "{rest}");
    }
}

#[test]
fn names_are_text_whatever_they_are() {
    let server = Server::of_files(&[]);
    let folder = server.root.path().join("proc/spl/kstat/zfs/tank");
    let text = std::fs::read_to_string(folder.join("objset-0x51")).unwrap();
    let hostile = text.replace("tank/database", "<img src=x onerror=alert(1)>\u{1b}[2J\u{202e}");
    std::fs::write(folder.join("objset-0x51"), hostile).unwrap();
    let answer = server.until("/api/datasets", "<img");
    assert!(answer.contains("content-type: application/json"), "{answer}");
    assert!(!answer.contains(['\u{1b}', '\u{202e}']), "{answer}");
    // What it does when such a name is in the address, it says as text.
    let wrong = server.get("/api/tunable?name=%3Cscript%3E", "");
    assert!(wrong.contains("content-type: application/json") && status(&wrong) == "400", "{wrong}");
}

#[test]
fn without_its_token_a_server_for_others_shows_nothing() {
    let server =
        Server::of_files(&["--listen", "0.0.0.0:0", "--allow-remote", "--host", "nas.lan"]);
    let token = server.said.split("#token=").nth(1).unwrap().split(';').next().unwrap().to_owned();
    assert_eq!(token.len(), 64);
    let page = server.get("/", "");
    assert!(status(&page) == "401" && page.contains("id=\"login\""), "{page}");
    for path in ["/api/about", "/api/live", "/api/findings", "/api/history", "/api/tunables"] {
        assert_eq!(status(&server.get(path, "")), "401", "{path}");
        assert_eq!(status(&server.get(path, "Authorization: Bearer wrong\r\n")), "401", "{path}");
        assert_eq!(status(&server.get(path, "Cookie: arcwright-9135=1\r\n")), "401", "{path}");
    }
    let plan = r#"{"settings":"zfs_arc_max=512MiB"}"#;
    assert_eq!(status(&server.post("/api/plan", OWN, plan)), "401");
    assert_eq!(status(&server.post("/api/page/choices", OWN, "{}")), "401");
    assert_eq!(status(&server.post("/api/login", OWN, r#"{"token":"wrong"}"#)), "403");
    assert_eq!(status(&server.post("/api/login", "", &format!(r#"{{"token":"{token}"}}"#))), "403");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(status(&server.get("/api/about", &bearer)), "200");
    let entered = server.post("/api/login", OWN, &format!(r#"{{"token":"{token}"}}"#));
    assert_eq!(status(&entered), "200", "{entered}");
    let cookie = entered.split("set-cookie: ").nth(1).unwrap();
    let (cookie, rest) = cookie.split_once(';').unwrap();
    assert!(rest.contains("HttpOnly") && rest.contains("SameSite=Strict"), "{entered}");
    assert!(!cookie.contains(&token));
    let cookie = format!("Cookie: {cookie}\r\n");
    assert_eq!(status(&server.get("/api/about", &cookie)), "200");
    // Who has the cookie, as a browser has, still is asked where a request comes from.
    let evil = format!("{cookie}Origin: http://evil.example\r\n");
    assert_eq!(status(&server.post("/api/plan", &format!("{evil}{OWN}"), plan)), "403");
}

#[test]
fn a_demo_needs_no_zfs_and_its_points_come_by_themselves() {
    let server = Server::begin(tempfile::tempdir().unwrap(), &["--demo"]);
    let about = server.get("/api/about", "");
    assert!(about.contains("recorded run of the lab"), "{about}");
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!("GET /api/live HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    stream.write_all(head.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let mut points = 0;
    while points < 3 {
        let line = lines.next().unwrap().unwrap();
        points += u32::from(line.starts_with("data: {\"at_ms\":"));
    }
    stream.shutdown(Shutdown::Both).unwrap();
    server.until("/api/findings", "\"machine\"");
}

#[test]
fn the_history_is_there_again_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history");
    let arguments = ["--history", history.to_str().unwrap(), "--limit", "1MiB"];
    let since = |server: &Server| {
        let about = server.until("/api/about", "\"from_ms\":1");
        about.split("\"from_ms\":").nth(1).unwrap().chars().take(13).collect::<String>()
    };
    let mut server = Server::of_files(&arguments);
    let first = since(&server);
    server.until("/api/history", "\"arc_size\":[");
    server.child.0.kill().unwrap();
    server.child.0.wait().unwrap();
    let again = Server::of_files(&arguments);
    assert_eq!(since(&again), first);
    // Two servers do not write one history.
    let refused = arcwright()
        .args(["serve", "--listen", "127.0.0.1:0", "--root"])
        .arg(again.root.path())
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("another recorder"));
}

#[test]
fn what_cannot_be_is_refused_with_a_way_out() {
    let check = |arguments: &[&str], code: i32, text: &str| {
        let output = arcwright().arg("serve").args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{said}");
        assert!(said.contains(text), "no “{text}” in\n{said}");
    };
    check(&["--demo", "--listen", "0.0.0.0:0"], 2, "--allow-remote allows it, with a token");
    check(&["--demo", "--interval", "0s"], 2, "expected 1s to 1min");
    check(&["--demo", "--history", "x"], 2, "cannot be used with");
    check(&["--demo", "--token-file", "/nonexistent"], 1, "failed to read /nonexistent");
    check(&["--root", "/nonexistent"], 1, "--demo shows a recorded run instead");
    check(&["--limit", "1KiB"], 2, "expected at least");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "short\n").unwrap();
    check(&["--demo", "--token-file", file_name(&file)], 1, "hint: openssl rand -hex 32");
}

fn file_name(path: &Path) -> &str {
    path.to_str().unwrap()
}
