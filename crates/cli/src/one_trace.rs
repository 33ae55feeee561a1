//! A trace that somebody named, ready for the scenario that plays it.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use arcwright_host::traces::replay;
use arcwright_scenario::{ArcLimits, Beside, Scenario, System, WantedTrace};
use arcwright_ssd::Doubts;
use arcwright_tunables::Version;
use arcwright_units::{Bytes, visible_path};
use arcwright_workload::{Action, Replay};

use crate::arguments::{EngineChoice, ExperimentArguments};
use crate::problem::Problem;

/// The record size of datasets of which nothing is known.
const RECORDSIZE: Bytes = Bytes::kib(128);
/// Requests that are simulated for each combination; a longer trace is thinned, so many times with other places.
const REQUESTS_MAX: u64 = 1_000_000;
const SAMPLES: u32 = 3;
/// A smaller ARC is mostly metadata.
const ARC_MIN: Bytes = Bytes::mib(256);

/// The record size of files, and of those of some datasets.
type Sizes = (Bytes, Vec<(String, Bytes)>);

/// A trace that was read.
#[derive(Debug)]
pub(crate) struct OneTrace {
    path: PathBuf,
    name: String,
    /// As it was played last, for record sizes.
    last: RefCell<(Sizes, Replay)>,
}

impl OneTrace {
    /// Reads a trace.
    pub(crate) fn open(path: &Path) -> Result<Self, Problem> {
        let name = visible_path(path);
        let wanted = WantedTrace {
            path: &name,
            format: None,
            columns: None,
            recordsize: RECORDSIZE,
            recordsizes: Vec::new(),
        };
        let replay = replay(path, &wanted).map_err(|why| Problem::Failed(anyhow!("{why}")))?;
        let last = RefCell::new(((RECORDSIZE, Vec::new()), replay));
        Ok(Self { path: path.to_owned(), name, last })
    }

    /// Returns what it is called.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns how much it touches.
    pub(crate) fn touched(&self) -> Bytes {
        self.last.borrow().1.files().iter().map(|file| file.size).sum()
    }

    /// Returns whether it says which writes wait for stable storage: one with flushes, or without writes.
    pub(crate) fn tells_waits(&self) -> bool {
        let replay = &self.last.borrow().1;
        !replay.writes() || replay.requests().iter().any(|request| request.flush)
    }

    /// Says what is taken as given where it is played.
    pub(crate) fn doubts(&self) -> Doubts {
        let replay = &self.last.borrow().1;
        let mut assumed = vec![
            "the second half of the trace counts, and the caches are as its first half left them"
                .to_owned(),
        ];
        let fresh = replay.first_reads();
        if fresh >= 0.005 {
            assumed.push(format!(
                "{:.0} % of what is read in that half was not asked for in the first, and is in no cache: on the machine it \
                 may have been there from before",
                fresh * 100.0
            ));
        }
        if !replay.is_timed() {
            assumed.push(
                "the trace has no times: each request is made as soon as there is room for it"
                    .to_owned(),
            );
        }
        if !self.tells_waits() {
            assumed.push(
                "the trace does not say which writes wait for stable storage: none does".to_owned(),
            );
        }
        let ((usual, others), _) = &*self.last.borrow();
        if !others.is_empty() && replay.named() == 0 {
            assumed.push(format!(
                "no name in the trace is that of a dataset of this machine, so that all of its files are taken to have records of {usual}"
            ));
        }
        Doubts { assumed, ..Doubts::default() }
    }

    /// Returns the scenario that plays it as one that is simulated in seconds, where nobody said a scale: a part of the places, and
    /// the same with other places.
    pub(crate) fn samples(&self, scenario: Scenario, experiment: &ExperimentArguments) -> Samples {
        let is_said = experiment.scale.is_some() || scenario.lab.scale > 1;
        let scale = match is_said || experiment.engine != EngineChoice::Model {
            true => 1,
            false => self.scale_for(&scenario.system),
        };
        if scale <= 1 {
            return Samples { scenario, also: Vec::new(), one_place_in: None };
        }
        let sampled = |sample: u32| {
            let mut other = scenario.clone();
            let clients = other.phases.iter_mut().flat_map(|phase| &mut phase.clients);
            for client in clients {
                if let Action::Trace { replay, .. } = &mut client.action {
                    *replay = replay.with_sample(sample);
                }
            }
            other
        };
        let also = (1..SAMPLES).map(sampled).collect();
        Samples { scenario, also, one_place_in: Some(scale) }
    }

    /// Returns by how much it is scaled down, so that all samples together have no more than so many requests, and the ARC stays
    /// large enough to be one.
    fn scale_for(&self, system: &System) -> u64 {
        let requests = self.last.borrow().1.requests().len() as u64;
        if requests <= REQUESTS_MAX {
            return 1;
        }
        let arc = ArcLimits::of(system, Version::parse(&system.zfs)).max;
        (requests * u64::from(SAMPLES)).div_ceil(REQUESTS_MAX).min(arc.0 / ARC_MIN.0)
    }
}

/// A trace's scenario, thinned, and the same with other places of it.
pub(crate) struct Samples {
    pub(crate) scenario: Scenario,
    pub(crate) also: Vec<Scenario>,
    pub(crate) one_place_in: Option<u64>,
}

impl Beside for OneTrace {
    fn text(&self, other: &str) -> Result<String, String> {
        Err(format!("{other}: this scenario names no files"))
    }

    fn replay(&self, wanted: &WantedTrace<'_>) -> Result<Replay, String> {
        let mut last = self.last.borrow_mut();
        let is_same = wanted.format.is_none() && wanted.columns.is_none();
        let sizes = (wanted.recordsize, wanted.recordsizes.clone());
        if !is_same || last.0 != sizes {
            *last = (sizes, replay(&self.path, wanted)?);
        }
        Ok(last.1.clone())
    }
}
