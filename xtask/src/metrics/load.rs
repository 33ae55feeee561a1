//! Many scrapes a second of a machine of files, and what they cost: latency, memory, readings that came late.
//!
//! Scrapes are sent at fixed times, whether the ones before are answered or not, so that a slow answer does not hide the
//! next one's wait.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use arcwright_machine::{Source, Sources};

use crate::process::status_kib;

const FIXTURE: &str = "guest-2.3.2-l2arc-filled";
/// Threads that scrape in turns.
const SCRAPERS: u32 = 8;
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// A program that is ended with whoever started it.
pub(super) struct Ended(pub(super) Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _killed = self.0.kill();
        let _waited = self.0.wait();
    }
}

/// A scrape: when it was to be sent, how long its answer took from then, the reading that it got.
struct Scrape {
    took: Duration,
    bytes: usize,
    reading: String,
}

pub(super) fn run(program: &Path, per_second: u32, seconds: u32) -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    unpacked(&arcwright_fixtures::machine(FIXTURE)?, root.path())?;
    let mut server = Command::new(program)
        .args([
            "metrics",
            "--listen",
            "127.0.0.1:0",
            "--interval",
            "1s",
            "--window",
            "0s",
            "--root",
        ])
        .arg(root.path())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("failed to start {}", program.display()))?;
    let stderr = server.stderr.take().context("the server has no standard error")?;
    let server = Ended(server);
    let mut first = String::new();
    BufReader::new(stderr).read_line(&mut first)?;
    let port = first.split("127.0.0.1:").nth(1).and_then(|rest| rest.split('/').next());
    let port: u16 = port.and_then(|port| port.parse().ok()).context("the server names no port")?;
    // Pools are asked in the first seconds.
    thread::sleep(Duration::from_secs(5));
    let pid = server.0.id();
    let before = status_kib(pid, "VmRSS")?;
    let (busy, begin) = (busy(pid)?, Instant::now());
    let scrapes = scraped(port, per_second, seconds)?;
    let cpu = (self::busy(pid)? - busy) / begin.elapsed().as_secs_f64();
    report(&scrapes, per_second, seconds);
    println!("processor                 {:.1} % of one core", cpu * 100.0);
    println!(
        "memory (resident)         {} KiB before, {} KiB after, {} KiB at most",
        before,
        status_kib(pid, "VmRSS")?,
        status_kib(pid, "VmHWM")?
    );
    Ok(())
}

/// Writes the last sample's files as the machine had them.
fn unpacked(sources: &Sources, root: &Path) -> anyhow::Result<()> {
    let mut now = Sources::default();
    for (name, source) in &sources.texts {
        let name = name.strip_prefix("sample-1/").unwrap_or(name);
        if let (Source::Text(_), false) = (source, name.starts_with("sample-")) {
            now.texts.insert(name.to_owned(), source.clone());
        }
    }
    Ok(arcwright_fixtures::unpack(&now, root)?)
}

fn scraped(port: u16, per_second: u32, seconds: u32) -> anyhow::Result<Vec<Scrape>> {
    let all = per_second.saturating_mul(seconds);
    let begin = Instant::now();
    let (tell, told) = mpsc::channel();
    for turn in 0..SCRAPERS {
        let tell = tell.clone();
        let _scraper = thread::spawn(move || {
            for number in
                (0..all).skip(usize::try_from(turn).unwrap_or(0)).step_by(SCRAPERS as usize)
            {
                let due = begin + Duration::from_secs(1) * number / per_second;
                thread::sleep(due.saturating_duration_since(Instant::now()));
                let scrape = get(port).and_then(|text| {
                    let line = text
                        .lines()
                        .find(|line| line.starts_with("arcwright_collection_timestamp"));
                    let reading = line.context("an answer without its time")?.to_owned();
                    Ok(Scrape { took: due.elapsed(), bytes: text.len(), reading })
                });
                if tell.send(scrape).is_err() {
                    return;
                }
            }
        });
    }
    drop(tell);
    told.into_iter().collect()
}

fn report(scrapes: &[Scrape], per_second: u32, seconds: u32) {
    let mut took: Vec<Duration> = scrapes.iter().map(|scrape| scrape.took).collect();
    took.sort();
    let at = |permille: usize| {
        let index = took.len().saturating_sub(1).saturating_mul(permille) / 1000;
        took.get(index).copied().unwrap_or_default()
    };
    let mut readings: Vec<f64> = Vec::new();
    for scrape in scrapes {
        let time = scrape.reading.rsplit(' ').next().and_then(|time| time.parse().ok());
        readings.extend(time.filter(|time| !readings.contains(time)));
    }
    readings.sort_by(f64::total_cmp);
    let gaps = readings.windows(2).filter_map(|pair| Some(pair.get(1)? - pair.first()?));
    let longest = gaps.fold(0.0_f64, f64::max);
    let bytes = scrapes.iter().map(|scrape| scrape.bytes).max().unwrap_or(0);
    println!(
        "scrapes                   {} of {bytes} bytes, {per_second} a second for {seconds} s, none refused",
        scrapes.len()
    );
    println!(
        "answered within           {:?} half of them, {:?} 99 of 100, {:?} the slowest",
        at(500),
        at(990),
        at(1000)
    );
    println!(
        "readings every second     {} in {seconds} s, {longest:.3} s between two at most",
        readings.len()
    );
}

/// Scrapes once; with HTTP/1.0 the answer comes in one piece.
pub(super) fn get(port: u16) -> anyhow::Result<String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let request = "GET /metrics HTTP/1.0\r\nHost: localhost\r\nAccept: text/plain\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    match answer.split_once("\r\n\r\n") {
        Some((head, body)) if head.split(' ').nth(1) == Some("200") => Ok(body.to_owned()),
        Some((head, _)) => bail!("{}", head.lines().next().unwrap_or_default()),
        None => bail!("no answer"),
    }
}

/// Returns the processor time of a process in seconds.
fn busy(pid: u32) -> anyhow::Result<f64> {
    /// Ticks of a second, the same on every Linux.
    const TICKS: f64 = 100.0;
    let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let rest = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let times = rest.split_whitespace().skip(11).take(2);
    Ok(times.filter_map(|time| time.parse::<f64>().ok()).sum::<f64>() / TICKS)
}
