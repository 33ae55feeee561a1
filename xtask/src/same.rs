//! `cargo xtask same`: whether the model still does what it did, to the last digit.
//!
//! ```text
//!   scenarios × versions ┐
//!                        ├─> model ──> arms as JSON ──> digest ──> fidelity/same.txt
//!   fidelity cases       ┘
//! ```
//!
//! For changes of form that may change no behaviour. One that means to change behaviour saves new digests,
//! which says so in its commit.

use std::fs;

use anyhow::{Context as _, bail};
use arcwright_model::Model;
use arcwright_scenario::{Engine as _, RunRequest, Unwatched};
use sha2::{Digest as _, Sha256};

use crate::{fidelity, gallery, parallel};

/// One of every behaviour that the model knows.
const VERSIONS: [&str; 10] = [
    "freebsd-9",
    "freebsd-11",
    "0.7.13",
    "0.8.6",
    "2.0.7",
    "2.1.5",
    "2.1.11",
    "2.2.2",
    "2.3.2",
    "2.4.0",
];

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Keep the digests of today.
    #[arg(long)]
    save: bool,
    /// Only runs whose name holds this text.
    #[arg(long, value_name = "TEXT", conflicts_with = "save")]
    only: Option<String>,
}

/// A run: its name, the scenario's text, version, and whether it is compared with the lab.
struct Run {
    name: String,
    text: String,
    version: String,
    user_space: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut runs = runs()?;
    runs.retain(|run| options.only.as_deref().is_none_or(|only| run.name.contains(only)));
    let line = |run: &Run| format!("{}  {}\n", digest(run), run.name);
    let lines = parallel::map(&runs, line);
    let path = crate::root().join("fidelity/same.txt");
    if options.save {
        fs::write(&path, lines.concat()).context("failed to keep the digests")?;
        println!("{} digests kept in {}", lines.len(), path.display());
        return Ok(());
    }
    let saved = fs::read_to_string(&path).context("no digests are kept; --save keeps them")?;
    let differs = |line: &&String| !saved.contains(line.as_str());
    let others: Vec<&str> = lines.iter().filter(differs).map(|line| line.trim_end()).collect();
    let whole = options.only.is_none() && saved.lines().count() != lines.len();
    if !others.is_empty() || whole {
        bail!("{} of {} runs differ:\n{}", others.len(), lines.len(), others.join("\n"));
    }
    println!("{} runs are the same", lines.len());
    Ok(())
}

fn runs() -> anyhow::Result<Vec<Run>> {
    let mut runs = Vec::new();
    for (name, text) in gallery::texts()? {
        runs.extend(VERSIONS.map(|version| Run {
            name: format!("{name} on {version}"),
            text: text.clone(),
            version: version.to_owned(),
            user_space: false,
        }));
    }
    runs.extend(fidelity::texts().into_iter().map(|(name, text, version)| Run {
        name: format!("case {name} on {version}"),
        text,
        version,
        user_space: true,
    }));
    Ok(runs)
}

/// Returns the digest of all that a run found; a word where the model refuses it.
fn digest(run: &Run) -> String {
    let Ok(found) = outcome(run) else { return "refused".to_owned() };
    let digest = Sha256::digest(found.as_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn outcome(run: &Run) -> anyhow::Result<String> {
    let scenario = gallery::parse(&run.text, &run.name)?;
    let scale = Some(scenario.lab.scale);
    let version = Some(run.version.clone());
    let mut model = Model { version, scale, user_space: run.user_space, ..Model::default() };
    let outcome = model.run(&RunRequest { scenario, repeats: 1 }, &mut Unwatched)?;
    // Not the notes: a sentence is no behaviour. Nor what was added to the records since the digests were made.
    let mut arms = outcome.arms;
    let runs = arms.iter_mut().flat_map(|arm| {
        arm.phases.iter_mut().chain(arm.runs.iter_mut().flat_map(|run| &mut run.phases))
    });
    for run in runs {
        (run.reads_by_class, run.series) = (None, None);
        for client in &mut run.clients {
            (client.ended_ns, client.latency) = (None, None);
        }
    }
    Ok(serde_json::to_string(&arms)?)
}
