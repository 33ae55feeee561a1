//! The server under requests that mean no good, over plain TCP.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::served::{Served, exchange, machine_of_files, status};

/// How long an answer may take on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server of a machine of files.
struct Server {
    child: Served,
    address: SocketAddr,
    root: TempDir,
}

impl Server {
    fn begin(arguments: &[&str]) -> Self {
        let root = machine_of_files();
        let mut child = Command::new(env!("CARGO_BIN_EXE_arcwright"))
            .args(["metrics", "--listen", "127.0.0.1:0", "--interval", "1s", "--window", "0s"])
            .arg("--root")
            .arg(root.path())
            .args(arguments)
            // No zpool is asked: the machine is its files.
            .env("PATH", "/nonexistent")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap();
        let server = Self { child: Served(child), address: address.parse().unwrap(), root };
        server.until("arcwright_judged");
        server
    }

    /// Sends bytes and returns all that comes back; what is refused may be cut off.
    fn send(&self, request: &[u8]) -> String {
        exchange(self.address, request, PATIENCE)
    }

    fn get(&self, path: &str) -> String {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).as_bytes())
    }

    fn until(&self, text: &str) -> String {
        let begin = Instant::now();
        loop {
            let answer = self.get("/metrics");
            if answer.contains(text) {
                return answer;
            }
            assert!(begin.elapsed() < PATIENCE, "no {text} in\n{answer}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.0.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }
}

#[test]
fn a_scrape_gets_the_last_reading_with_its_age() {
    let server = Server::begin(&["--datasets"]);
    let plain = server.get("/metrics");
    for text in [
        "HTTP/1.1 200 OK",
        "content-type: text/plain; version=0.0.4",
        "x-content-type-options: nosniff",
        "arcwright_pool_state{pool=\"tank\",state=\"online\"} 1",
        "arcwright_pool_zil_commits_total{pool=\"tank\"} 1961",
        "arcwright_dataset_zil_commits_total{dataset=\"tank/database\",pool=\"tank\"} 1961",
        "arcwright_pool_txgs_total{pool=\"tank\"} 15",
        "arcwright_collection_age_seconds ",
        "arcwright_findings_timestamp_seconds ",
    ] {
        assert!(plain.contains(text), "no “{text}” in\n{plain}");
    }
    let open = server.send(
        b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: application/openmetrics-text;version=1.0.0\r\n\r\n",
    );
    assert!(open.contains("content-type: application/openmetrics-text; version=1.0.0"), "{open}");
    assert!(open.ends_with("# EOF\n"), "{open}");
    assert_eq!(open.matches("# EOF").count(), 1);
    assert_eq!(status(&server.get("/")), "200");
}

#[test]
fn a_row_that_goes_away_leaves_no_series_behind() {
    let server = Server::begin(&[]);
    let path = server.root.path().join("proc/spl/kstat/zfs/zil");
    assert!(server.get("/metrics").contains("arcwright_zil_commits_total 2001"));
    let text = fs::read_to_string(&path).unwrap();
    let changed = text.replace(
        "zil_commit_count                4    2001",
        "zil_commit_count                4    2002",
    );
    fs::write(&path, changed).unwrap();
    server.until("arcwright_zil_commits_total 2002");
    fs::remove_file(&path).unwrap();
    let begin = Instant::now();
    while server.get("/metrics").contains("arcwright_zil_commits_total") {
        assert!(begin.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
    // What the pool counted came from elsewhere, and is there.
    assert!(server.get("/metrics").contains("arcwright_pool_zil_commits_total"));
}

#[test]
fn names_of_pools_are_text_whatever_they_are() {
    let server = Server::begin(&["--datasets"]);
    let folder = server.root.path().join("proc/spl/kstat/zfs/tank");
    let text = fs::read_to_string(folder.join("objset-0x51")).unwrap();
    let hostile = text.replace("tank/database", "</pre><script>alert(1)</script>\"} 1\u{1b}[2J");
    fs::write(folder.join("objset-0x51"), hostile).unwrap();
    let answer = server.until("<script>");
    assert!(answer.contains("content-type: text/plain"), "{answer}");
    assert!(answer.contains("content-security-policy: default-src 'none'; sandbox"), "{answer}");
    assert!(
        answer.contains("dataset=\"</pre><script>alert(1)</script>\\\"} 1\\\\x1b[2J\""),
        "{answer}"
    );
    assert!(!answer.contains('\u{1b}'));
}

#[test]
fn requests_that_mean_no_good_are_refused() {
    let server = Server::begin(&["--host", "nas.lan"]);
    let long = "x".repeat(100_000);
    let many = "X-A: b\r\n".repeat(200);
    let cases = [
        ("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(), "421"),
        ("GET /metrics HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n".to_owned(), "421"),
        ("GET /metrics HTTP/1.1\r\nHost: 192.0.2.7\r\n\r\n".to_owned(), "421"),
        ("GET /metrics HTTP/1.1\r\n\r\n".to_owned(), "421"),
        ("GET /metrics HTTP/1.0\r\n\r\n".to_owned(), "421"),
        ("GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n".to_owned(), "421"),
        ("GET http://evil.example/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "421"),
        ("GET /metrics HTTP/1.1\r\nHost: nas.lan:9134\r\n\r\n".to_owned(), "200"),
        ("GET /metrics?a=b HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "200"),
        ("POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "405"),
        ("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "405"),
        ("DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "405"),
        ("CONNECT evil.example:80 HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "421"),
        ("GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n".to_owned(), "413"),
        ("POST /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffff\r\n".to_owned(), "413"),
        ("GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n".to_owned(), "400"),
        ("GET /../../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "404"),
        ("GET /metrics/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "404"),
        ("GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "404"),
        ("GET //metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "404"),
        ("GET /metrics%00 HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), "404"),
        (format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"), "431"),
        (format!("GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-A: {long}\r\n\r\n"), "431"),
        (format!("GET /metrics HTTP/1.1\r\nHost: localhost\r\n{many}\r\n"), "431"),
        ("\u{0}\u{1}\u{2} nonsense\r\n\r\n".to_owned(), "400"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), "nothing"),
        (String::new(), "nothing"),
    ];
    for (request, expected) in &cases {
        let stream_end = request.is_empty();
        let answer = if stream_end { closed(&server) } else { server.send(request.as_bytes()) };
        let start: String = request.chars().take(90).collect();
        assert_eq!(status(&answer), *expected, "{start}\n{answer}");
        assert!(!answer.contains("root:"), "{answer}");
        if *expected != "200" {
            assert!(!answer.contains("arcwright_arc"), "{start}\n{answer}");
        }
    }
    assert_eq!(status(&server.get("/metrics")), "200");
}

/// Opens a connection and ends it without a word.
fn closed(server: &Server) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    let _read = stream.read_to_string(&mut answer);
    answer
}

#[test]
fn slow_clients_hold_nobody_up_and_are_let_go() {
    let server = Server::begin(&[]);
    let slow: Vec<TcpStream> = (0..40)
        .map(|number| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            if number % 2 == 0 {
                stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: loc").unwrap();
            }
            stream
        })
        .collect();
    let begin = Instant::now();
    assert_eq!(status(&server.get("/metrics")), "200");
    assert!(begin.elapsed() < Duration::from_secs(4), "{:?}", begin.elapsed());
    for mut stream in slow {
        let mut answer = Vec::new();
        // It ends, with or without a word; what hangs fails by its time.
        match stream.read_to_end(&mut answer) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "{error}"),
        }
    }
    assert!(begin.elapsed() < PATIENCE, "{:?}", begin.elapsed());
    assert_eq!(status(&server.get("/metrics")), "200");
}

#[test]
fn more_connections_than_there_are_slots_are_closed_at_once() {
    let server = Server::begin(&[]);
    let open: Vec<TcpStream> =
        (0..200).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    let memory = resident_kib(&server);
    assert!(memory < 80 * 1024, "{memory} KiB");
    drop(open);
    server.until("arcwright_judged");
}

fn resident_kib(server: &Server) -> u64 {
    let text = fs::read_to_string(format!("/proc/{}/status", server.child.0.id())).unwrap();
    let line = text.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_signal_ends_it_cleanly() {
    for name in ["-INT", "-TERM"] {
        let mut server = Server::begin(&[]);
        let _idle = TcpStream::connect(server.address).unwrap();
        server.signal(name);
        let begin = Instant::now();
        let status = server.child.0.wait().unwrap();
        assert!(status.success(), "{name}: {status}");
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    }
}
