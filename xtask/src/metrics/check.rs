//! The readers of what is printed: promtool, the Python library's OpenMetrics parser, `node_exporter`.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use arcwright_lab::openzfs::apt::{Apt, BOOKWORM, unpack};

use super::load::{Ended, get};
use crate::guest;
use crate::guest::program::output;
use crate::systems::tool;

const PARSER: &str = "\
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
samples = sum(len(family.samples) for family in parse(sys.stdin.read()))
print(samples)
";
/// How long `node_exporter` may take to begin.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn run(program: &Path) -> anyhow::Result<()> {
    let machines = arcwright_fixtures::names()?;
    match tool::provide("promtool", "prometheus") {
        Ok(promtool) => with_promtool(program, &promtool, &machines)?,
        Err(error) => println!("SKIPPED  promtool on metrics and alert rules: {error:#}"),
    }
    match python() {
        Ok(library) => with_python(program, &library, &machines)?,
        Err(error) => println!("SKIPPED  the Python OpenMetrics parser: {error:#}"),
    }
    match tool::provide("prometheus-node-exporter", "prometheus-node-exporter") {
        Ok(exporter) => with_node_exporter(program, &exporter),
        Err(error) => {
            println!("SKIPPED  node_exporter's textfile collector: {error:#}");
            Ok(())
        }
    }
}

/// Returns what the program prints of a machine.
fn printed(program: &Path, machine: &str, format: &str) -> anyhow::Result<String> {
    let mut command = Command::new(program);
    command.args(["metrics", "--datasets", "--format", format, "--from"]);
    output(command.arg(arcwright_fixtures::path(machine)))
}

fn with_promtool(program: &Path, promtool: &Path, machines: &[String]) -> anyhow::Result<()> {
    for machine in machines {
        let text = printed(program, machine, "text")?;
        let said = fed(Command::new(promtool).args(["check", "metrics"]), &text)?;
        if !said.trim().is_empty() {
            bail!("promtool check metrics on {machine}: {said}");
        }
    }
    println!("ok: promtool check metrics on {} machines", machines.len());
    let folder = crate::root().join("packaging/prometheus");
    let rules = folder.join("arcwright.rules.yml");
    output(Command::new(promtool).args(["check", "rules"]).arg(&rules))?;
    output(Command::new(promtool).args(["test", "rules"]).arg(folder.join("arcwright.test.yml")))?;
    alerts_are_all_tested(&folder)?;
    println!("ok: promtool check rules, promtool test rules");
    dashboard(promtool)
}

/// Every alert has a test in which it fires, and one in which it does not.
fn alerts_are_all_tested(folder: &Path) -> anyhow::Result<()> {
    let rules = fs::read_to_string(folder.join("arcwright.rules.yml"))?;
    let tests = fs::read_to_string(folder.join("arcwright.test.yml"))?;
    for alert in rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")) {
        let ends: Vec<&str> = tests.split(&format!("alertname: {alert}\n")).skip(1).collect();
        let fires = |end: &&&str| end.trim_start().starts_with("exp_alerts:\n");
        let firing = ends.iter().filter(fires).count();
        if firing == 0 || firing == ends.len() {
            bail!("{alert} needs a test in which it fires and one in which it does not");
        }
    }
    Ok(())
}

/// Lets promtool read every expression of the dashboard, with Grafana's variables filled in.
fn dashboard(promtool: &Path) -> anyhow::Result<()> {
    let text = fs::read_to_string(crate::root().join("packaging/grafana/arcwright.json"))?;
    let dashboard: serde_json::Value = serde_json::from_str(&text)?;
    let panels = dashboard.get("panels").and_then(|panels| panels.as_array());
    let targets = panels.into_iter().flatten().filter_map(|panel| panel.get("targets")?.as_array());
    let exprs = targets.flatten().filter_map(|target| target.get("expr")?.as_str());
    let mut rules = Vec::new();
    for (index, expr) in exprs.enumerate() {
        let expr = expr.replace("$__rate_interval", "5m");
        let expr = expr.replace("$job", ".*").replace("$instance", ".*").replace("$pool", ".*");
        if expr.contains('$') {
            bail!("the dashboard has a variable that is not known: {expr}");
        }
        rules.push(serde_json::json!({"record": format!("panel:{index}"), "expr": expr}));
    }
    let count = rules.len();
    let file = serde_json::json!({"groups": [{"name": "dashboard", "rules": rules}]});
    let folder = tempfile::tempdir()?;
    // JSON is YAML.
    let path = folder.path().join("dashboard.yml");
    fs::write(&path, file.to_string())?;
    output(Command::new(promtool).args(["check", "rules"]).arg(&path))?;
    println!("ok: promtool on {count} expressions of the dashboard");
    Ok(())
}

/// Runs a program on a text and returns what it says on both outputs.
fn fed(command: &mut Command, text: &str) -> anyhow::Result<String> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("failed to start a reader")?;
    let mut input = child.stdin.take().context("the reader has no input")?;
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output()?;
    // A reader that broke off says why.
    let _written = writer.join();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    if output.status.success() { Ok(said) } else { bail!("a reader refuses it:\n{said}") }
}

/// Returns the folder of Debian's package of the library, for a Python that is there.
fn python() -> anyhow::Result<PathBuf> {
    output(Command::new("python3").arg("--version"))?;
    let package = "python3-prometheus-client";
    let place = guest::tools()?.join(package);
    let library = place.join("usr/lib/python3/dist-packages");
    if !library.exists() {
        let work = tempfile::tempdir()?;
        let packages = Apt::new(work.path(), &BOOKWORM)?.download(&[package.to_owned()])?;
        packages.iter().try_for_each(|package| unpack(package, &place))?;
    }
    Ok(library)
}

fn with_python(program: &Path, library: &Path, machines: &[String]) -> anyhow::Result<()> {
    let mut samples = 0_u64;
    for machine in machines {
        let text = printed(program, machine, "openmetrics")?;
        let mut python = Command::new("python3");
        python.args(["-c", PARSER]).env("PYTHONPATH", library);
        let said = fed(&mut python, &text).with_context(|| format!("on {machine}"))?;
        let found: u64 = said.trim().parse().with_context(|| format!("on {machine}: {said}"))?;
        let expected = text.lines().filter(|line| !line.starts_with('#')).count();
        if Some(found) != u64::try_from(expected).ok() {
            bail!("the parser found {found} samples of {expected} on {machine}");
        }
        samples = samples.saturating_add(found);
    }
    println!("ok: the Python OpenMetrics parser on {} machines, {samples} samples", machines.len());
    Ok(())
}

/// Lets `node_exporter` serve a file that the program wrote, and compares what it serves with the file.
fn with_node_exporter(program: &Path, exporter: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("arcwright.prom");
    let mut write = Command::new(program);
    write.args(["metrics", "--datasets", "--from"]);
    write.arg(arcwright_fixtures::path("guest-2.3.2-l2arc-filled")).arg("--textfile").arg(&file);
    output(&mut write)?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let directory = format!("--collector.textfile.directory={}", folder.path().display());
    let child = Command::new(exporter)
        .args(["--collector.disable-defaults", "--collector.textfile", &directory])
        .arg(format!("--web.listen-address=127.0.0.1:{port}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("failed to start node_exporter")?;
    let _exporter = Ended(child);
    let served = answered(port)?;
    let lines = |text: &str| -> Vec<String> {
        let own =
            text.lines().filter(|line| line.contains("arcwright_") && !line.starts_with("node_"));
        let own = own.filter(|line| !line.starts_with("# HELP"));
        let mut own: Vec<String> = own.map(in_one_way).collect();
        own.sort();
        own
    };
    let written = fs::read_to_string(&file)?;
    if lines(&served) != lines(&written) {
        bail!("node_exporter serves other series than the file has");
    }
    if !served.contains("node_textfile_scrape_error 0") {
        bail!("node_exporter could not read the file");
    }
    println!("ok: node_exporter serves the text file, {} lines with types", lines(&served).len());
    Ok(())
}

/// Writes a line in one way: `node_exporter` writes large numbers with an exponent, and labels that only others of the
/// family have as empty ones, which means the same.
fn in_one_way(line: &str) -> String {
    const OPTIONAL: [&str; 3] = ["pool", "subject", "top"];
    let told = |line: String, label: &str| line.replace(&format!("{label}=\"\","), "");
    let line = OPTIONAL.into_iter().fold(line.to_owned(), told);
    let split = line.rsplit_once(' ').filter(|_| !line.starts_with('#'));
    let number = split.and_then(|(series, number)| Some((series, number.parse::<f64>().ok()?)));
    let written = number.map(|(series, number)| format!("{series} {number:e}"));
    written.unwrap_or(line)
}

fn answered(port: u16) -> anyhow::Result<String> {
    let begin = Instant::now();
    loop {
        match get(port) {
            Ok(text) => return Ok(text),
            Err(error) if begin.elapsed() > PATIENCE => return Err(error),
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}
