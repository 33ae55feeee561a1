//! A finding: a claim about a machine, with what it rests on and what to do about it.

use arcwright_units::Nanos;
use serde::Serialize;

/// A claim about a machine, complete enough to be acted on and to be taken back.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Finding {
    /// Its name, never changed: `metadata-misses`.
    pub id: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What it is about.
    pub area: Area,
    /// The pool, dataset or drive it is about; absent when it is the whole machine.
    pub subject: Option<String>,
    /// The claim in one sentence.
    pub title: String,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// Why it is so, in plain words.
    pub cause: String,
    /// What to do; absent when there is nothing to do.
    pub remedy: Option<Remedy>,
    /// What that would bring.
    pub gain: Gain,
    /// What it costs: memory, wear, money.
    pub cost: String,
    /// What could go wrong.
    pub risk: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// Where the rule comes from: kernel files, documents, issues.
    pub sources: Vec<String>,
}

/// How much a finding matters, the worst first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It costs speed or puts data at risk today.
    HurtsNow,
    /// Likely worth a change; the owner decides.
    WorthALook,
    /// Good to know; no change is called for.
    Note,
    /// Looked at, and as it should be.
    Fine,
}

/// What a finding is about.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Area {
    /// The pool's health and what protects it.
    Safety,
    /// The ARC and the machine's memory.
    Arc,
    /// Metadata in the ARC.
    Metadata,
    /// The L2ARC.
    L2arc,
    /// Prefetch.
    Prefetch,
    /// Synchronous writes, ZIL and SLOG.
    Sync,
    /// Writing in general.
    Writing,
    /// Disks.
    Disks,
    /// How pools and datasets are laid out.
    Layout,
    /// Parameters and the files that set them.
    Settings,
    /// The reading itself.
    Reading,
}

/// One thing that was read.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Evidence {
    /// What OpenZFS calls it: `arcstats.demand_metadata_misses`, `zfs_arc_max`, `capacity`.
    pub name: String,
    /// Its value for people.
    pub value: String,
    /// Its value for programs, where it is a whole number.
    pub exact: Option<u64>,
    /// Over which time.
    pub over: Over,
}

/// The time over which something was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// From the first to the last sample.
    Window,
    /// Since the module was loaded, the pool imported or the counters reset.
    SinceLoad,
    /// As it is at the last sample.
    Now,
    /// As it is set.
    Setting,
}

/// What to do about a finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Remedy {
    /// The change in one sentence.
    pub what: String,
    /// Commands that make it until the next start; empty when there is no such way.
    pub now: Vec<String>,
    /// Commands or edits that make it last.
    pub lasting: Vec<String>,
    /// How to see that it works.
    pub verify: Vec<String>,
    /// How to take it back.
    pub undo: Vec<String>,
}

/// What a remedy would bring.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gain {
    /// The model was asked.
    Modelled {
        /// How many times as fast.
        factor: f64,
        /// What was run, and how sure it is.
        words: String,
    },
    /// Follows from counters.
    Counted(String),
    /// Not a number, and why not.
    NotEstimated(String),
    /// There is nothing to gain.
    Nothing,
}

/// How sure a finding is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Confidence {
    /// In a word.
    pub level: Level,
    /// What it rests on: the length of the window, the accesses counted.
    pub words: String,
    /// The time over which was counted; absent when nothing was.
    pub span_ns: Option<Nanos>,
    /// How many events were counted; absent when nothing was.
    pub events: Option<u64>,
}

/// How sure, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Look again over a longer window.
    Low,
    /// Good enough to try it.
    Fair,
    /// Well founded.
    High,
    /// Read, not inferred.
    Certain,
}

impl Severity {
    /// Returns it in words for a heading.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::HurtsNow => "hurts now",
            Self::WorthALook => "worth a look",
            Self::Note => "note",
            Self::Fine => "fine",
        }
    }
}

impl Level {
    /// Returns it in a word.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Fair => "fair",
            Self::High => "high",
            Self::Certain => "certain",
        }
    }
}

impl Confidence {
    /// Returns the confidence of what was read and needs no counting.
    #[must_use]
    pub fn read(what: &str) -> Self {
        Self {
            level: Level::Certain,
            words: format!("read, not estimated ({what}, or what shows the same)"),
            span_ns: None,
            events: None,
        }
    }
}

impl Confidence {
    /// Returns the confidence of what tells most of it, and not all: `words` say what it is.
    pub(crate) fn fair(words: &str) -> Self {
        Self { level: Level::Fair, words: words.to_owned(), span_ns: None, events: None }
    }
}

impl Finding {
    /// Returns a claim with nothing else to say yet; rules fill in the rest.
    pub(crate) fn new(id: &'static str, severity: Severity, area: Area, title: String) -> Self {
        Self {
            id,
            severity,
            area,
            subject: None,
            title,
            evidence: Vec::new(),
            cause: String::new(),
            remedy: None,
            gain: Gain::Nothing,
            cost: String::new(),
            risk: String::new(),
            confidence: Confidence::read("the configuration"),
            sources: Vec::new(),
        }
    }
}

impl Evidence {
    /// Returns a row of evidence that is a text, as of now.
    pub(crate) fn now(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), exact: None, over: Over::Now }
    }

    /// Returns a row of evidence that is a number, as of now, with how it is written.
    pub(crate) fn exactly(name: impl Into<String>, exact: u64, value: impl Into<String>) -> Self {
        Self { exact: Some(exact), ..Self::now(name, value) }
    }

    /// Returns a row of evidence that is a setting.
    pub(crate) fn setting(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { over: Over::Setting, ..Self::now(name, value) }
    }
}

/// Returns owned lines.
pub(crate) fn lines<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}
