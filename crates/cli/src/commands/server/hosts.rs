//! Which hosts a request may name.
//!
//! A page in a browser can be made to ask this server by a name of its own (“DNS rebinding”), and would read the
//! answer. A request is answered only under a name that nobody else can give to this machine: localhost, an address
//! that is listened on, a name that the owner gave. Ports are not compared, so that a forwarded one works.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::HOST;
use axum::http::{HeaderMap, Uri};

/// Hosts that requests may name.
#[derive(Debug, Clone)]
pub(crate) struct Hosts {
    listen: IpAddr,
    names: Vec<String>,
}

impl Hosts {
    pub(crate) fn new(listen: SocketAddr, names: &[String]) -> Self {
        let names = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        Self { listen: listen.ip(), names }
    }

    /// Says whether the text of a `Host` header names this server.
    pub(crate) fn allow(&self, host: &str) -> bool {
        let Some(name) = without_port(host) else { return false };
        let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        match address.unwrap_or(name).parse::<IpAddr>() {
            Ok(address) => self.has(address),
            Err(_) => {
                let name = name.to_ascii_lowercase();
                name == "localhost" || self.names.contains(&name)
            }
        }
    }

    fn has(&self, address: IpAddr) -> bool {
        address.is_loopback() || address == self.listen || self.listen.is_unspecified()
    }
}

/// Says whether a request is for this server: one `Host`, and the same where its line names a host.
pub(crate) fn is_for(hosts: &Hosts, uri: &Uri, headers: &HeaderMap) -> bool {
    let mut named = headers.get_all(HOST).iter();
    let (Some(host), None) = (named.next(), named.next()) else { return false };
    let is_allowed = |host: &str| hosts.allow(host);
    host.to_str().is_ok_and(is_allowed)
        && uri.authority().is_none_or(|authority| hosts.allow(authority.as_str()))
}

/// Returns the host without its port; none where what stands for a port is none.
fn without_port(host: &str) -> Option<&str> {
    let colon = host.rfind(':').filter(|at| host.rfind(']').is_none_or(|end| *at > end));
    let Some(at) = colon else { return Some(host) };
    let (name, port) = host.split_at_checked(at)?;
    let port = port.strip_prefix(':')?;
    (!port.is_empty() && port.parse::<u16>().is_ok()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::Hosts;

    #[test]
    fn only_names_that_lead_here_alone_are_answered() {
        let check = |listen: &str, host: &str, expected: bool| {
            let hosts = Hosts::new(listen.parse().unwrap(), &["NAS.lan".to_owned()]);
            assert_eq!(hosts.allow(host), expected, "{listen} {host:?}");
        };
        let loopback = "127.0.0.1:9134";
        for host in
            ["localhost", "LocalHost:9134", "127.0.0.1:80", "127.8.8.8", "[::1]:9134", "nas.LAN:1"]
        {
            check(loopback, host, true);
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "localhost:",
            "localhost:x",
            "localhost:99999",
            "192.0.2.1:9134",
            "::1:9134:",
            "[::1",
            "",
            " localhost",
            "localhost\\@evil",
            "user@localhost",
            "2130706433",
        ] {
            check(loopback, host, false);
        }
        check("192.0.2.1:9134", "192.0.2.1:9134", true);
        check("192.0.2.1:9134", "192.0.2.2:9134", false);
        check("0.0.0.0:9134", "192.0.2.2:9134", true);
        check("[::]:9134", "[2001:db8::1]:9134", true);
        check("0.0.0.0:9134", "evil.example", false);
    }
}
