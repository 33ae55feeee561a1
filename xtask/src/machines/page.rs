//! The page: the score, a table for each machine, causes, what was left out.

use super::compare::{Measured, OfMachine, Sums};
use super::reasons;

/// Returns the score as a sentence.
pub(super) fn sentence(sums: &Sums) -> String {
    let share = |part: usize| 100.0 * part as f64 / sums.ratios.max(1) as f64;
    format!(
        "In {} comparisons from {} published measurements of real machines, {} of {} ratios between arms \
         ({:.0} %) are within 20 % of the reported ones, {} ({:.0} %) have the right direction, and half of the absolute figures are off by less \
         than {:.0} %.\n",
        sums.machines,
        sums.sources,
        sums.within_20_pct,
        sums.ratios,
        share(sums.within_20_pct),
        sums.directions_right,
        share(sums.directions_right),
        sums.figure_median_error_pct,
    )
}

/// Returns the whole page.
pub(super) fn page(measured: &[Measured<'_>], sums: &Sums) -> String {
    let mut page = format!("# Against real machines\n\n{}{OPENING}{}", sentence(sums), score(sums));
    page.push_str(MACHINES);
    for of in &sums.each {
        let OfMachine { name, ratios, within_20_pct, directions_right } = of;
        page.extend([format!("| {name} | {ratios} | {within_20_pct} | {directions_right} |\n")]);
    }
    for measured in measured {
        page.push_str(&machine(measured));
    }
    page.push_str(LEFT_OUT);
    for (link, why) in reasons::LEFT_OUT {
        page.extend([format!("| <{link}> | {why} |\n")]);
    }
    page
}

fn score(sums: &Sums) -> String {
    let share = |part: usize| 100.0 * part as f64 / sums.ratios.max(1) as f64;
    format!(
        "\n| | share | every machine counted alike | goal |\n|---|---|---|---|\n\
         | ratios within 20 % | {:.0} % | {:.0} % | 70 % |\n\
         | those of an effect | {:.0} % | | |\n\
         | right direction | {:.0} % | {:.0} % | |\n\n\
         Half of the ratios are off by less than {:.0} %, half of the {} absolute figures by less than {:.0} %.\n",
        share(sums.within_20_pct),
        sums.within_20_pct_by_machine,
        100.0 * sums.effects_within_20_pct as f64 / sums.effects.max(1) as f64,
        share(sums.directions_right),
        sums.directions_right_by_machine,
        sums.ratio_median_error_pct,
        sums.figures,
        sums.figure_median_error_pct,
    )
}

/// Returns the tables of one machine.
pub(super) fn machine(measured: &Measured<'_>) -> String {
    let machine = measured.machine;
    let title = machine.layouts.first().map_or("", |scenario| &scenario.title);
    let mut text = format!("\n## {title}\n\n`{}`, from <{}>\n", machine.name, machine.link);
    let scale = machine.layouts.first().map_or(1, |scenario| scenario.lab.scale);
    if scale != 1 {
        text.extend([format!("\nRun at 1/{scale} of its size.\n")]);
    }
    if !measured.ratios.is_empty() {
        text.push_str(
            "\n| phase | arm, against | reported | model | off by | direction | within 20 % |\n",
        );
        text.push_str("|---|---|---|---|---|---|---|\n");
    }
    for ratio in &measured.ratios {
        let [first, other] = &ratio.arms;
        let direction = if ratio.is_right() { "right" } else { "**wrong**" };
        let near = if ratio.is_near() { "yes" } else { "**no**" };
        text.extend([format!(
            "| {} | {other}, {first} | {:.2} | {:.2} | {:+.0} % | {direction} | {near} |\n",
            ratio.phase,
            ratio.reported,
            ratio.model,
            ratio.off() * 100.0
        )]);
    }
    for (_, why) in reasons::MISSES.iter().filter(|(name, _)| *name == machine.name) {
        text.extend([format!("\nWhat misses: {why}\n")]);
    }
    text.extend([format!(
        "\n| phase | arm | reported, {0} | model, {0} | off by |\n",
        measured.unit
    )]);
    text.push_str("|---|---|---|---|---|\n");
    for figure in &measured.figures {
        text.extend([format!(
            "| {} | {} | {} | {} | {:+.0} % |\n",
            figure.phase,
            figure.arm,
            short(figure.reported),
            short(figure.model),
            figure.off() * 100.0
        )]);
    }
    text
}

/// Returns three digits or all in front of the point.
fn short(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{value:.2}"),
        value if value < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

const OPENING: &str = "
Made by `cargo xtask machines` from the scenarios in `fidelity/machines`; the head of each says what its source tells and
what is assumed. The model and the lab share the profiles of devices and processors, so that their agreement says
nothing about a real machine; this page does. Nothing is fitted on it: assumptions were made before the first run and
stayed. A profile is the nearest that there is, or made from the device's own published figures.

A ratio says how many times as fast an arm is as the first arm with a figure of the same phase. Its direction is faster,
slower or, below 5 %, no effect.
";
const MACHINES: &str =
    "\n| machine | ratios | within 20 % | right direction |\n|---|---|---|---|\n";
const LEFT_OUT: &str = "\n## Left out\n\n| source | why |\n|---|---|\n";
