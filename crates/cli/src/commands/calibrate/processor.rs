//! `arcwright calibrate processor`: what work costs here, as a processor file.

use anyhow::{Context as _, anyhow};
use arcwright_host::calibrate::{ProcessorCosts, Spread, measure_processor};
use arcwright_scenario::{Event, Watch as _};
use arcwright_units::visible_path;

use super::{begun, complete};
use crate::arguments::ProcessorArguments;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output;
use crate::problem::Problem;
use crate::progress::Progress;

/// Quarters of the rounds that are further apart than this make a value doubtful.
const WIDTH_MAX: f64 = 0.25;

pub(super) fn processor(arguments: &ProcessorArguments) -> Result<Exit, Problem> {
    let pending = begun(arguments.output.as_deref())?;
    let interrupt = Interrupt::listen_and_end()?;
    let mut progress = Progress::new(interrupt.clone());
    progress.event(Event::Stage("measuring the processor".to_owned()));
    let costs = measure_processor(&interrupt.flag(), |share| {
        progress.event(super::watched::part(share));
    });
    drop(progress);
    let costs = costs.context("failed to measure the processor")?;
    let stopped = || Problem::Failed(anyhow!("stopped before the end; nothing is written"));
    let costs = costs.ok_or_else(stopped)?;
    let title = arguments.name.clone().or_else(|| costs.model.clone());
    let text = text(&costs, &title.unwrap_or_else(|| "this processor".to_owned()));
    complete(pending, &text)?;
    if let Some(file) = &arguments.output {
        let name = file.file_name().map(|name| visible_path(name.as_ref())).unwrap_or_default();
        output::print(&format!(
            "{}\nWrote {}. In a scenario beside it:\n  [system]\n  cpu = \"{name}\"\n",
            summary(&costs),
            visible_path(file)
        ))?;
    }
    doubts(&costs).iter().for_each(|line| output::remark(line));
    Ok(Exit::Fine)
}

/// Returns the values, one a line.
fn summary(costs: &ProcessorCosts) -> String {
    let row = |name: &str, value: String, spread: &Spread, unit: f64| {
        let (low, high) = (three_digits(spread.low / unit), three_digits(spread.high / unit));
        format!("{name:<9} {value:>10}   half of the rounds {low} to {high}\n")
    };
    let rate = |name, spread: &Spread| {
        row(name, format!("{} GiB/s", three_digits(spread.median / GIB)), spread, GIB)
    };
    let time = |name, spread: &Spread| {
        row(name, format!("{} ns", three_digits(spread.median * 1e9)), spread, 1e-9)
    };
    format!("cores     {:>10}\n", costs.cores)
        + &rate("checksum", &costs.checksum)
        + &rate("copy", &costs.copy)
        + &rate("cipher", &costs.cipher)
        + &time("call", &costs.call)
        + &time("switch", &costs.switch)
        + &time("step", &costs.step)
}

const GIB: f64 = (1_u64 << 30) as f64;

/// Returns a number of which no more than three digits are worth saying.
fn three_digits(value: f64) -> String {
    match value {
        _ if value >= 99.95 => format!("{value:.0}"),
        _ if value >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Returns what makes values doubtful.
fn doubts(costs: &ProcessorCosts) -> Vec<String> {
    let ProcessorCosts { checksum, copy, cipher, call, switch, step, .. } = costs;
    let all = [("checksum", checksum), ("copy", copy), ("call", call), ("switch", switch)];
    let more = [("cipher", cipher), ("step", step)];
    let wide = all.into_iter().chain(more).filter(|(_, it)| it.width() > WIDTH_MAX);
    let wide: Vec<&str> = wide.map(|(name, _)| name).collect();
    let mut lines = Vec::new();
    if !wide.is_empty() {
        let wide = wide.join(", ");
        lines.push(format!(
            "note: rounds differ by more than a quarter ({wide}); was the machine busy?"
        ));
    }
    if cfg!(debug_assertions) {
        lines.push("note: a build for tests, whose loops are slower than a release's".to_owned());
    }
    lines
}

/// Returns the processor file.
fn text(costs: &ProcessorCosts, title: &str) -> String {
    let ProcessorCosts { cores, checksum, copy, cipher, call, switch, step, rounds, .. } = costs;
    let rate = |spread: &Spread| format!("{:.2}e9 to {:.2}e9", spread.low / 1e9, spread.high / 1e9);
    let time = |spread: &Spread| format!("{:.0} to {:.0} ns", spread.low * 1e9, spread.high * 1e9);
    let by = match &costs.checksum_routine {
        Some(name) => {
            format!("the rate of {name}, which the\n# ZFS module chose by its own benchmark")
        }
        None => format!(
            "by portable code\n# ({}). The ZFS module chooses a routine for the\n# processor, which may be several times as fast; where \
             it is loaded, its own\n# benchmark is taken",
            rate(checksum)
        ),
    };
    let is_plain = |letter: &char| !letter.is_control() && !matches!(letter, '"' | '\\');
    let title: String = title.chars().filter(is_plain).take(100).collect();
    let title = if title.trim().is_empty() { "this processor".to_owned() } else { title };
    let nanos = |spread: &Spread| (spread.median * 1e9).max(1.0);
    format!(
        "# Measured by arcwright calibrate processor: medians of {rounds} rounds, beside them
# what half of the rounds lie within.
title = \"{title}\"

[processor]
cores = {cores} # logical processors that are online

# Fletcher's checksum of one core, {by}.
checksum_bytes_per_sec = {:.3}e9

# Records of 128 KiB copied from 64 MiB, one core ({}).
copy_bytes_per_sec = {:.3}e9

# AES-256-GCM of one core ({}), by a library that uses
# the processor's instructions for it. OpenZFS has code of its own; where that
# does not use them, it is some ten times as slow.
cipher_bytes_per_sec = {:.3}e9

# A system call that reads a little of a cached page ({}).
# A call into ZFS does more; the locks that it takes are charged beside it, the
# rest of its work is not in this figure.
call_ns = {:.0}

# From waking a thread until it runs ({}).
switch_ns = {:.0}

# A lock that nobody else wants, and the record behind it changed; every second
# time at another place of 32 MiB ({}). Stands for one lock operation
# of OpenZFS with the work around it, whose own code was not run here.
step_ns = {:.0}
",
        checksum.median / 1e9,
        rate(copy),
        copy.median / 1e9,
        rate(cipher),
        cipher.median / 1e9,
        time(call),
        nanos(call),
        time(switch),
        nanos(switch),
        time(step),
        nanos(step)
    )
}

#[cfg(test)]
mod tests {
    use arcwright_host::calibrate::{ProcessorCosts, Spread};
    use arcwright_scenario::Scenario;
    use arcwright_units::{Nanos, Rate};

    use super::{doubts, text};

    fn costs(routine: Option<&str>) -> ProcessorCosts {
        let spread = |median: f64| Spread { median, low: median * 0.9, high: median * 1.1 };
        ProcessorCosts {
            cores: 4,
            model: None,
            checksum: spread(5e9),
            checksum_routine: routine.map(str::to_owned),
            copy: spread(8e9),
            cipher: spread(1.5e9),
            call: spread(250e-9),
            switch: spread(4e-6),
            step: spread(0.2e-9),
            rounds: 21,
        }
    }

    #[test]
    fn what_is_written_is_a_processor_file() {
        for (routine, title) in [(None, "Xeon"), (Some("avx2"), "\u{1b}[31m\"\\\n"), (None, "")] {
            let file = text(&costs(routine), title);
            assert!(file.lines().all(|line| line.chars().count() <= 80), "{file}");
            let scenario = include_str!("../../gallery/template.toml");
            let scenario = scenario.replace("cpu = \"nas-quad\"", "cpu = \"own.toml\"");
            let read = Scenario::parse_with(&scenario, "x", &|_| Ok(file.clone()));
            let figures = read.unwrap().system.cpu_figures.unwrap();
            assert_eq!((figures.cores, figures.checksum), (4, Rate(5_000_000_000)));
            assert_eq!(figures.cipher, Some(Rate(1_500_000_000)));
            assert_eq!((figures.call, figures.step), (Nanos(250), Nanos(1)));
        }
    }

    #[test]
    fn rounds_that_differ_are_doubtful() {
        let doubtful =
            |costs: &ProcessorCosts| doubts(costs).iter().any(|it| it.contains("switch"));
        assert!(!doubtful(&costs(None)));
        let switch = Spread { median: 4e-6, low: 2e-6, high: 9e-6 };
        assert!(doubtful(&ProcessorCosts { switch, ..costs(None) }));
    }
}
