//! What the owner says about findings: which do not count, and how much others matter.
//!
//! In this order: severities are replaced, what is ignored goes, then what a baseline accepted goes. A
//! selector with a subject counts more than one without, of two alike the last.

use std::path::Path;

use anyhow::anyhow;
use arcwright_advice::{Advice, Finding, Severity, known};
use arcwright_host::capture::read_text;
use arcwright_report::Hidden;
use arcwright_units::visible_path;

use super::baseline::{self, Accepted};
use super::selector::Selector;
use crate::arguments::PolicyArguments;
use crate::preferences::{self, Findings, preferences};
use crate::problem::Problem;

/// What the owner says about findings.
#[derive(Debug, Default)]
pub(in crate::commands) struct Policy {
    ignored: Vec<Selector>,
    severities: Vec<(Selector, Severity)>,
    accepted: Vec<Accepted>,
}

/// Advice after the owner's word.
#[derive(Debug)]
pub(in crate::commands) struct Judged {
    /// What is left of it.
    pub(in crate::commands) advice: Advice,
    /// What was left out.
    pub(crate) hidden: Vec<Hidden>,
    /// Whether the machine could be judged, before anything was left out.
    pub(in crate::commands) is_verdict: bool,
    /// How loud each finding of `advice` is, in the same order.
    pub(super) alarms: Vec<Alarm>,
}

/// How loud a finding is to who watches, the loudest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Alarm {
    Critical,
    Warning,
    Quiet,
}

impl Policy {
    /// Reads what the arguments and their files say.
    pub(in crate::commands) fn of(arguments: &PolicyArguments) -> Result<Self, Problem> {
        let mut policy = Self::default();
        let own = preferences::path().map(|path| visible_path(&path)).unwrap_or_default();
        policy.configure(&preferences().findings, &own)?;
        if let Some(path) = &arguments.config {
            let place = visible_path(path);
            let config: Findings = toml::from_str(&text_of(path)?).map_err(|error| {
                Problem::Usage(anyhow!("{place}: {}", error.to_string().trim()))
            })?;
            policy.configure(&config, &place)?;
        }
        if let Some(path) = &arguments.ignore_file {
            for (number, line) in text_of(path)?.lines().enumerate() {
                let line = line.split('#').next().unwrap_or_default().trim();
                if !line.is_empty() {
                    let place = || format!("{}:{}", visible_path(path), number + 1);
                    policy.ignored.push(parsed(line, place)?);
                }
            }
        }
        for text in &arguments.ignored {
            policy.ignored.push(parsed(text, || "--ignore".to_owned())?);
        }
        if let Some(path) = &arguments.baseline {
            policy.accepted = baseline::read(path, &text_of(path)?)?;
        }
        Ok(policy)
    }

    fn configure(&mut self, config: &Findings, place: &str) -> Result<(), Problem> {
        let place = || place.to_owned();
        for text in &config.ignore {
            self.ignored.push(parsed(text, place)?);
        }
        for (text, word) in &config.severity {
            let selector = parsed(text, place)?;
            match (word.as_str(), severity_of(word)) {
                ("ignore", _) => self.ignored.push(selector),
                (_, Some(severity)) => self.severities.push((selector, severity)),
                (_, None) => {
                    let why = "the severities are hurts-now, worth-a-look, note and ignore";
                    let what = format!("{}: {text}: “{word}” is not a severity; {why}", place());
                    return Err(Problem::Usage(anyhow!(what)));
                }
            }
        }
        // Those of one subject come last and win.
        self.severities.sort_by_key(|(selector, _)| selector.is_special());
        Ok(())
    }

    /// Returns advice as the owner wants it.
    pub(in crate::commands) fn applied(&self, mut advice: Advice) -> Judged {
        let is_verdict = advice.is_verdict();
        let (mut kept, mut hidden) = (Vec::new(), Vec::new());
        let mut accepted = self.accepted.clone();
        for mut finding in std::mem::take(&mut advice.findings) {
            let said = self.severity(&finding);
            let alarm = alarm(&finding, said);
            finding.severity = said.unwrap_or(finding.severity);
            if self.ignored.iter().any(|selector| selector.matches(&finding)) {
                hidden.push(Hidden::ignored(&finding));
            } else if baseline::takes(&mut accepted, &finding) {
                hidden.push(Hidden::accepted(&finding));
            } else {
                kept.push((finding, alarm));
            }
        }
        if !self.severities.is_empty() {
            kept.sort_by_key(|(finding, _)| finding.severity);
        }
        let alarms = kept.iter().map(|(_, alarm)| *alarm).collect();
        advice.findings = kept.into_iter().map(|(finding, _)| finding).collect();
        Judged { advice, hidden, is_verdict, alarms }
    }

    fn severity(&self, finding: &Finding) -> Option<Severity> {
        let said = self.severities.iter().rev().find(|(selector, _)| selector.matches(finding));
        said.map(|(_, severity)| *severity)
    }
}

/// Says how loud a finding is: as loud as its owner says, else critical only where data is at risk.
fn alarm(finding: &Finding, said: Option<Severity>) -> Alarm {
    let is_urgent = said.is_some() || known(finding.id).is_some_and(|known| known.is_urgent);
    match said.unwrap_or(finding.severity) {
        Severity::HurtsNow if is_urgent => Alarm::Critical,
        Severity::HurtsNow | Severity::WorthALook => Alarm::Warning,
        Severity::Note | Severity::Fine => Alarm::Quiet,
    }
}

/// Returns the severity that a word stands for, as in `--json`.
pub(super) fn severity_of(word: &str) -> Option<Severity> {
    let all = [Severity::HurtsNow, Severity::WorthALook, Severity::Note, Severity::Fine];
    all.into_iter().find(|severity| severity.label().replace(' ', "-") == word)
}

fn parsed(text: &str, place: impl Fn() -> String) -> Result<Selector, Problem> {
    Selector::parse(text).map_err(|why| Problem::Usage(anyhow!("{}: {why}", place())))
}

fn text_of(path: &Path) -> Result<String, Problem> {
    read_text(path).map_err(|error| Problem::Failed(error.into()))
}
