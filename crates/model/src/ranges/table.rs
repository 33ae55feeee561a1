//! The checks that ranges rest on: what the model said and what the real code did, arm by arm and phase by phase.
//!
//! `checked.csv` is made by `cargo xtask fidelity` from experiments that chance drew (fidelity/BOARD.md), `replayed.csv` by
//! `cargo xtask replays` from recorded traces (fidelity/REPLAYS.md).

use std::fmt::Write as _;
use std::sync::LazyLock;

use arcwright_scenario::{Arm, Scenario, Setting};

use super::extras::Extras;
use super::features::{self, Features};
use super::nearest::LEVEL;
use super::settings;

const TEXT: &str = include_str!("checked.csv");
const TEXT_OF_TRACES: &str = include_str!("replayed.csv");
const HEADS: &str = "case,arm,phase,series,device,layout,load,order,disks,record,request,in_flight,cache,log,\
     extras,settings,speed_model,speed_lab,arc_model,arc_lab,p50_model,p50_lab,p99_model,p99_lab,read_model,read_lab,metadata_model,metadata_lab,wait_model,wait_lab";

/// The table of this program.
#[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
pub(super) static CHECKED: LazyLock<Table> = LazyLock::new(|| {
    Table::parse(TEXT).expect("checked.csv is what `cargo xtask fidelity` writes")
});

/// The table of recorded traces.
#[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
pub(super) static REPLAYED: LazyLock<Table> = LazyLock::new(|| {
    Table::parse(TEXT_OF_TRACES).expect("replayed.csv is what `cargo xtask replays` writes")
});

/// A figure of a phase that ranges are given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Bytes per second, or files per second where no bytes are moved.
    Throughput,
    /// Hits of ARC accesses, 0 to 1.
    ArcHits,
    /// Half of the synchronous writes took no longer, nanoseconds.
    SyncP50,
    /// 99 % of the synchronous writes took no longer, nanoseconds.
    SyncP99,
    /// Bytes read from the data disks.
    DiskReads,
    /// Hits of accesses to metadata, 0 to 1.
    MetadataHits,
    /// What all requests of clients took, added up, nanoseconds.
    Wait,
}

impl Quantity {
    /// All, in the order of the table's columns.
    pub const ALL: [Self; 7] = [
        Self::Throughput,
        Self::ArcHits,
        Self::SyncP50,
        Self::SyncP99,
        Self::DiskReads,
        Self::MetadataHits,
        Self::Wait,
    ];

    /// Returns whether it is a share, whose errors are points and not parts of it.
    const fn is_share(self) -> bool {
        matches!(self, Self::ArcHits | Self::MetadataHits)
    }

    /// Returns a figure on the scale on which its errors are alike: shares as they are, all else as powers.
    pub(super) fn scaled(self, figure: f64) -> f64 {
        if self.is_share() { figure } else { libm::log(figure.max(f64::MIN_POSITIVE)) }
    }

    /// Returns the figure back from that scale.
    pub(super) fn figure(self, scaled: f64) -> f64 {
        if self.is_share() { scaled.clamp(0.0, 1.0) } else { libm::exp(scaled) }
    }
}

/// What the model and the real code found, by [`Quantity::ALL`].
pub type Figures = [Option<(f64, f64)>; 7];

/// One arm and phase that was checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) case: String,
    pub(super) arm: String,
    pub(super) phase: String,
    pub(super) features: Features,
    /// Parameters that are not at their defaults.
    pub(super) settings: Vec<Setting>,
    /// What the model said and what the real code did, by [`Quantity::ALL`].
    pub(super) figures: Figures,
}

/// A figure of the model and its error, both on the quantity's scale.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judged {
    pub(super) figure: f64,
    pub(super) error: f64,
}

impl Row {
    /// Returns the model's figure and its error.
    pub(super) fn judged(&self, quantity: Quantity) -> Option<Judged> {
        let at = Quantity::ALL.iter().position(|other| *other == quantity)?;
        let (model, lab) = (*self.figures.get(at)?)?;
        let (model, lab) = (quantity.scaled(model), quantity.scaled(lab));
        Some(Judged { figure: model, error: model - lab })
    }
}

/// All checks, and how wide ranges must be drawn for their share to hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    pub(super) rows: Vec<Row>,
    /// What checks set that are not in the table themselves.
    pub(super) also_set: Vec<Setting>,
    /// Part of the nearest errors that a range of one figure, and of a comparison, spans.
    pub(super) level: f64,
    pub(super) level_of_pairs: f64,
}

/// What the model and the real code found in one arm and phase.
#[derive(Debug, Clone, Copy)]
pub struct Check<'a> {
    /// Name of the case.
    pub case: &'a str,
    /// The experiment.
    pub scenario: &'a Scenario,
    /// Name of the arm.
    pub arm: &'a str,
    /// Name of the phase.
    pub phase: &'a str,
    /// Figures of the model and of the real code, by [`Quantity::ALL`].
    pub figures: Figures,
}

impl Table {
    /// Makes a table of checks; those that are like nothing an experiment can be asked about are left out.
    #[must_use]
    pub fn of(checks: &[Check<'_>]) -> Self {
        let rows = checks.iter().filter_map(row).collect();
        let mut table = Self { rows, also_set: Vec::new(), level: LEVEL, level_of_pairs: LEVEL };
        table.widen();
        table
    }

    /// Takes note of what further checked experiments set, whose errors shall not count.
    pub fn also(&mut self, scenario: &Scenario) {
        for arm in &scenario.arms {
            self.also_set.extend(settings::of(&scenario.system_of(arm)));
        }
        self.also_set.sort_by(|one, other| (&one.name, one.value).cmp(&(&other.name, other.value)));
        self.also_set.dedup();
    }

    /// Returns the number of experiments in it.
    #[must_use]
    pub fn cases(&self) -> usize {
        let mut names: Vec<&str> = self.rows.iter().map(|row| row.case.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names.len()
    }

    /// Returns it as text, which says what command made it.
    #[must_use]
    pub fn text(&self, made_by: &str) -> String {
        let mut text = format!(
            "# Made by `{made_by}`; read by crates/model/src/ranges/table.rs.\n\
             # level {:.3} of pairs {:.3}\n# also set: {}\n{HEADS}\n",
            self.level,
            self.level_of_pairs,
            written(&self.also_set)
        );
        for Row { case, arm, phase, features, settings, figures } in &self.rows {
            let Features { series, device, layout, load, order, .. } = features;
            let Features { disks, record, request, in_flight, has_cache, has_log, extras, .. } =
                features;
            // Writing into a string cannot fail.
            let _ = write!(
                text,
                "{case},{arm},{phase},{series},{device},{layout},{load},{order},{disks},{record},{},\
                 {in_flight:.3},{},{}",
                digits(*request),
                u8::from(*has_cache),
                u8::from(*has_log)
            );
            let _ = write!(text, ",{},{}", extras.text(), written(settings));
            for figure in figures {
                match figure {
                    Some((model, lab)) => {
                        let _ = write!(text, ",{},{}", digits(*model), digits(*lab));
                    }
                    None => text.push_str(",,"),
                }
            }
            text.push('\n');
        }
        text
    }

    /// Reads a table as [`Table::text`] writes it.
    ///
    /// # Errors
    /// The first line that is none of a table.
    pub(super) fn parse(text: &str) -> Result<Self, NotATable> {
        let mut table = Self { level: LEVEL, level_of_pairs: LEVEL, ..Self::default() };
        for line in text.lines().filter(|line| !line.is_empty() && *line != HEADS) {
            let unread = || NotATable { line: line.to_owned() };
            if let Some(levels) = line.strip_prefix("# level ") {
                let levels = levels
                    .split_once(" of pairs ")
                    .and_then(|(single, pairs)| Some((single.parse().ok()?, pairs.parse().ok()?)));
                (table.level, table.level_of_pairs) = levels.ok_or_else(unread)?;
            } else if let Some(also) = line.strip_prefix("# also set: ") {
                table.also_set = read(also);
            } else if !line.starts_with('#') {
                table.rows.push(parsed(line).ok_or_else(unread)?);
            }
        }
        Ok(table)
    }
}

/// A line of a table of checks that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotATable {
    pub(super) line: String,
}

fn row(check: &Check<'_>) -> Option<Row> {
    let scenario = check.scenario;
    let arm: &Arm = scenario.arms.iter().find(|arm| arm.name == check.arm)?;
    let phase = scenario.phases.iter().find(|phase| phase.name == check.phase)?;
    let system = scenario.system_of(arm);
    let features = features::of(scenario, &system, phase).ok()?;
    let [case, arm, phase] = [check.case, check.arm, check.phase].map(str::to_owned);
    Some(Row {
        case,
        arm,
        phase,
        features,
        settings: settings::of(&system),
        figures: check.figures,
    })
}

fn parsed(line: &str) -> Option<Row> {
    const DEVICES: [&str; 3] = ["hdd", "ssd", "nvme"];
    const LAYOUTS: [&str; 3] = ["disk", "mirror", "raidz"];
    const LOADS: [&str; 5] = ["read", "write", "mixed", "sync", "tree"];
    const ORDERS: [&str; 2] = ["sequential", "scattered"];
    let mut words = line.split(',');
    let (case, arm, phase) = (words.next()?, words.next()?, words.next()?);
    let [case, arm, phase] = [case, arm, phase].map(str::to_owned);
    let features = Features {
        series: words.next()?.parse().ok()?,
        device: one_of(&DEVICES, words.next()?)?,
        layout: one_of(&LAYOUTS, words.next()?)?,
        load: one_of(&LOADS, words.next()?)?,
        order: one_of(&ORDERS, words.next()?)?,
        disks: words.next()?.parse().ok()?,
        record: words.next()?.parse().ok()?,
        request: words.next()?.parse().ok()?,
        in_flight: words.next()?.parse().ok()?,
        has_cache: words.next()? == "1",
        has_log: words.next()? == "1",
        extras: Extras::parse(words.next()?)?,
    };
    let settings = read(words.next()?);
    let mut figure = || words.next().and_then(|word| word.parse::<f64>().ok());
    let figures = Quantity::ALL.map(|_| match (figure(), figure()) {
        (Some(model), Some(lab)) => Some((model, lab)),
        _ => None,
    });
    Some(Row { case, arm, phase, features, settings, figures })
}

fn written(settings: &[Setting]) -> String {
    let settings = settings.iter().map(|Setting { name, value }| format!("{name}={value}"));
    settings.collect::<Vec<_>>().join(" ")
}

fn read(settings: &str) -> Vec<Setting> {
    let setting = |word: &str| {
        let (name, value) = word.split_once('=')?;
        Some(Setting { name: name.to_owned(), value: value.parse().ok()? })
    };
    settings.split(' ').filter_map(setting).collect()
}

fn one_of(all: &[&'static str], word: &str) -> Option<&'static str> {
    all.iter().copied().find(|known| *known == word)
}

/// Prints with five digits, which is more than any check is worth.
fn digits(figure: f64) -> String {
    if figure == 0.0 {
        return "0".to_owned();
    }
    let size = figure.abs().log10().floor();
    let factor = 10_f64.powf(4.0 - size);
    let rounded = (figure * factor).round() / factor;
    // Whole from 10,000 on; what stays behind a division by a power of ten is cut off.
    let decimals = (4.0 - size).clamp(0.0, 9.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 9")]
    let text = format!("{rounded:.*}", decimals as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
