//! What tests of servers share: a machine of files to serve, requests over plain TCP.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Child;
use std::time::Duration;

use arcwright_machine::{Source, Sources};
use tempfile::TempDir;

/// A server that ends with its test.
pub(crate) struct Served(pub(crate) Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _killed = self.0.kill();
        let _waited = self.0.wait();
    }
}

/// Returns a folder with the files of a machine, as it was read last.
pub(crate) fn machine_of_files() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let sources = arcwright_fixtures::machine("guest-2.3.2-sync").unwrap();
    arcwright_fixtures::unpack(&last_sample(&sources), root.path()).unwrap();
    root
}

/// Returns the files of the last sample where the machine had them.
fn last_sample(sources: &Sources) -> Sources {
    let mut now = Sources::default();
    for (name, source) in &sources.texts {
        let name = name.strip_prefix("sample-1/").unwrap_or(name);
        if let (Source::Text(_), false) = (source, name.starts_with("sample-")) {
            now.texts.insert(name.to_owned(), source.clone());
        }
    }
    now
}

/// Sends bytes and returns all that comes back until the server closes; what is refused may be cut off.
pub(crate) fn exchange(address: SocketAddr, request: &[u8], patience: Duration) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(patience)).unwrap();
    // A server that refuses what it has read so far takes no more.
    let _sent = stream.write_all(request);
    let mut answer = Vec::new();
    let _read = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// Returns the status of an answer.
pub(crate) fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("nothing")
}
