//! The ranges that the program gives with its predictions: the checks that they rest on, and whether they hold.

use anyhow::Context as _;
use arcwright_model::ranges::{Check, Directions, Figures, Table};
use arcwright_scenario::Scenario;

use super::board::{Board, DISK_BYTES_MIN, Line};
use super::cases::Case;
use super::record::mean;

/// Where the program reads them from.
pub(super) const PATH: &str = "crates/model/src/ranges/checked.csv";

/// What drawn cases found.
pub(super) struct Checks {
    /// Blocks that have been looked at.
    seen: Table,
    /// The newest block.
    unseen: Table,
    /// All of them, which the program carries.
    pub(super) all: Table,
}

impl Checks {
    /// Takes the boards of the seen and of the unseen cases, and the cases that have names.
    pub(super) fn of(boards: [(&Board, &[Case]); 2], named: &[Case]) -> anyhow::Result<Self> {
        let [seen, unseen] = boards;
        let mut all = table(&[seen, unseen])?;
        for case in named {
            all.also(&scenario(case)?);
        }
        Ok(Self { seen: table(&[seen])?, unseen: table(&[unseen])?, all })
    }

    /// Returns how well the ranges hold, as a part of the page.
    pub(super) fn section(&self) -> String {
        let mut page = String::from(
            "\n## Ranges\n\nBeside each figure `run` prints the range in which the truth lay in four of five comparable \
             checks. It is made of the errors of the forty most alike of the drawn cases (`crates/model/src/ranges`: how \
             alike two are is a judgement; how much of the errors a range spans is set so that each case, judged by all \
             others, lies within as often as it shall). Whether the ranges hold is judged by cases that had no part in \
             them. Where the range of a comparison leaves out “no difference”, the program says which arm is \
             faster.\n\n\
             | cases | judged by | throughputs within | comparisons of arms within | said which is faster | contradicted by more than 5 % |\n\
             |---|---|---|---|---|---|\n",
        );
        page.push_str(&row("never seen", &self.unseen, &self.seen));
        page.push_str(&row("all, each by the others", &self.all, &self.all));
        page
    }
}

/// Returns how well the ranges of `by` hold for other checks, as a line of a table.
fn row(label: &str, judged: &Table, by: &Table) -> String {
    let percent = |share: Option<f64>| {
        share.map_or("-".to_owned(), |share| format!("{:.1} %", share * 100.0))
    };
    let within = by.holds(judged);
    let Directions { said, contradicted } = by.directions(judged);
    let (cases, of) = (judged.cases(), by.cases());
    format!(
        "| {label}: {cases} | {of} | {} | {} | {said} | {contradicted} |\n",
        percent(within.singles),
        percent(within.pairs)
    )
}

fn scenario(case: &Case) -> anyhow::Result<Scenario> {
    Scenario::parse(&case.text, &case.name).with_context(|| format!("{} is no scenario", case.name))
}

/// Returns what cases found.
fn table(boards: &[(&Board, &[Case])]) -> anyhow::Result<Table> {
    let mut scenarios: Vec<(&str, Scenario)> = Vec::new();
    for case in boards.iter().flat_map(|(_, cases)| *cases) {
        scenarios.push((&case.name, scenario(case)?));
    }
    let check = |line| {
        let line: &Line = line;
        let (_, scenario) = scenarios.iter().find(|(name, _)| *name == line.case)?;
        let figures = figures(line);
        Some(Check { case: &line.case, scenario, arm: &line.arm, phase: &line.phase, figures })
    };
    let lines = boards.iter().flat_map(|(board, _)| &board.lines);
    Ok(Table::of(&lines.filter_map(check).collect::<Vec<_>>()))
}

fn figures(line: &Line) -> Figures {
    let both = |model: &[f64], lab: &[f64]| {
        (!model.is_empty() && !lab.is_empty()).then(|| (mean(model), mean(lab)))
    };
    let (model, lab) = (&line.model, &line.lab);
    let positive = |(model, lab): &(f64, f64)| *model > 0.0 && *lab > 0.0;
    let disk = both(&model.disk_bytes, &lab.disk_bytes);
    [
        both(&model.throughput, &lab.throughput).filter(positive),
        both(&model.arc_hit_ratio, &lab.arc_hit_ratio),
        both(&model.sync_p50_ns, &lab.sync_p50_ns).filter(positive),
        both(&model.sync_p99_ns, &lab.sync_p99_ns).filter(positive),
        disk.filter(|(model, lab)| *model > DISK_BYTES_MIN && *lab > DISK_BYTES_MIN),
        both(&model.metadata_hit_ratio, &lab.metadata_hit_ratio),
        None,
    ]
}
