//! `cargo xtask fuzz`: coverage-guided fuzzing of everything that reads what strangers send.
//!
//! The targets stand in `fuzz/`. They are compiled with the compiler's own coverage instrumentation and
//! linked with libFuzzer, which works on the stable compiler; only a C++ compiler is needed besides.
//! Inputs begin with the texts in `fixtures/`; what was found is kept in `target/fuzz/corpus` and is the
//! beginning of the next run. An input that fails stays in `target/fuzz/failures`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use arcwright_host::capture::open;
use arcwright_machine::Source;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Compile the targets.
    Build,
    /// Run them.
    Run {
        /// Targets: paste, sources; all when none is named.
        targets: Vec<String>,
        /// How long each of them runs.
        #[arg(long, default_value_t = 60)]
        seconds: u32,
    },
}

const TARGETS: [&str; 2] = ["paste", "sources"];
/// Coverage in counters and compared values, as libFuzzer wants it (LLVM's SanitizerCoverage).
const FLAGS: [&str; 8] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
    "-Clto=no",
    "--cfg=fuzzing",
];
/// Longer inputs make each run slow and find nothing that these do not.
const INPUT_BYTES_MAX: usize = 16_384;

pub(crate) fn run(verb: &Verb) -> anyhow::Result<()> {
    match verb {
        Verb::Build => build(),
        Verb::Run { targets, seconds } => {
            let all: Vec<String> = TARGETS.map(str::to_owned).to_vec();
            let targets = if targets.is_empty() { &all } else { targets };
            let handles: Vec<_> = targets
                .iter()
                .map(|target| {
                    let (target, seconds) = (target.clone(), *seconds);
                    std::thread::spawn(move || one(&target, seconds))
                })
                .collect();
            for handle in handles {
                handle.join().map_err(|_| anyhow::anyhow!("a runner stopped"))??;
            }
            Ok(())
        }
    }
}

fn folder() -> PathBuf {
    crate::root().join("target/fuzz")
}

/// Returns the compiler's name of this machine, which keeps the flags away from build scripts.
fn host() -> anyhow::Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("failed to ask rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not say what machine this is")
}

fn build() -> anyhow::Result<()> {
    let manifest = crate::root().join("fuzz/Cargo.toml");
    let status = Command::new("cargo")
        .args([
            "build",
            "--release",
            "--locked",
            "--quiet",
            "--target",
            &host()?,
            "--manifest-path",
        ])
        .arg(manifest)
        .arg("--target-dir")
        .arg(folder())
        .env("RUSTFLAGS", FLAGS.join(" "))
        .status()
        .context("failed to start cargo")?;
    if !status.success() {
        bail!("failed to build the fuzz targets; a C++ compiler is needed");
    }
    Ok(())
}

fn one(target: &str, seconds: u32) -> anyhow::Result<()> {
    if !TARGETS.contains(&target) {
        bail!("there is no target “{target}”; there are {}", TARGETS.join(", "));
    }
    let (corpus, failures) =
        (folder().join("corpus").join(target), folder().join("failures").join(target));
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&failures)?;
    seeds(target, &corpus)?;
    let program = folder().join(host()?).join("release").join(target);
    let output = Command::new(program)
        .arg(&corpus)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-max_len={INPUT_BYTES_MAX}"))
        .arg(format!("-artifact_prefix={}/", failures.display()))
        .args(["-seed=1", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"])
        .output()
        .context("failed to start the target; cargo xtask fuzz build makes it")?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let stat = |name: &str| {
        let line = told.lines().find_map(|line| line.strip_prefix(name));
        line.map_or("?", str::trim).to_owned()
    };
    if !output.status.success() {
        let from = told.len().saturating_sub(4000);
        let from = (from..=told.len()).find(|at| told.is_char_boundary(*at)).unwrap_or(told.len());
        println!("{}", told.get(from..).unwrap_or_default());
        bail!("fuzzing {target} failed; the input stands in {}", failures.display());
    }
    println!("fuzz {target}: {} inputs, none failed", stat("stat::number_of_executed_units:"));
    Ok(())
}

/// Puts the texts of the fixtures into the corpus.
fn seeds(target: &str, corpus: &Path) -> anyhow::Result<()> {
    let fixtures = crate::root().join("fixtures");
    if target == "paste" {
        for entry in fs::read_dir(fixtures.join("pastes")).into_iter().flatten().flatten() {
            if entry.path().extension().is_some_and(|kind| kind == "txt") {
                fs::copy(entry.path(), corpus.join(entry.file_name()))?;
            }
        }
    }
    for entry in fs::read_dir(&fixtures)?.flatten().filter(|entry| entry.path().is_dir()) {
        let Ok(sources) = open(&entry.path()) else { continue };
        let mut bundle = String::new();
        for (name, source) in &sources.texts {
            let Source::Text(text) = source else { continue };
            if text.len() > INPUT_BYTES_MAX / 2 || name.contains("objset-") {
                continue;
            }
            let seed = if target == "paste" { text.clone() } else { format!("=== {name}\n{text}") };
            let file =
                format!("{}-{}", entry.file_name().to_string_lossy(), name.replace('/', "-"));
            // One of each kind is enough to begin with; all of a machine together is another input.
            if !name.starts_with("sys/module") && !name.starts_with("sample-1") {
                fs::write(corpus.join(file), &seed)?;
            }
            if bundle.len() + seed.len() < INPUT_BYTES_MAX && name.starts_with("commands/zpool") {
                bundle.push_str(&seed);
            }
        }
        fs::write(corpus.join(format!("{}-pools", entry.file_name().to_string_lossy())), bundle)?;
    }
    Ok(())
}
