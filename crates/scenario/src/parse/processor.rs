//! The processor: a profile that comes with the program, or a file beside the scenario.
//!
//! ```toml
//! title = "my NAS"
//! [processor]
//! cores = 4
//! checksum_bytes_per_sec = 4_300_000_000
//! copy_bytes_per_sec = 5_400_000_000
//! cipher_bytes_per_sec = 1_000_000_000 # where something is encrypted
//! call_ns = 8000
//! switch_ns = 4000
//! step_ns = 100
//! ```

use std::ops::RangeInclusive;

use arcwright_units::{Nanos, Rate};

use super::Fetch;
use super::beside::{is_path, text_of};
use super::section::Section;
use super::tree::Node;
use crate::error::Checked;
use crate::processor::{ProcessorFigures, processor, processor_names};

const KEYS: [&str; 6] =
    ["cores", "checksum_bytes_per_sec", "copy_bytes_per_sec", "call_ns", "switch_ns", "step_ns"];
/// What only encryption needs.
const CIPHER: &str = "cipher_bytes_per_sec";
/// Logical processors of the largest machines.
const CORES: RangeInclusive<f64> = 1.0..=65_536.0;
/// Rates of one core in bytes per second: of a home computer of 1985 and of a whole machine's memory.
const RATE: RangeInclusive<f64> = 1e6..=1e12;
/// Times in nanoseconds: up to a tenth of a second, which is a broken machine.
const TIME: RangeInclusive<f64> = 1.0..=1e8;

/// Reads `cpu`: the name, and what it says where it is a file.
pub(super) fn read(node: &Node, fetch: Fetch<'_>) -> Checked<(String, Option<ProcessorFigures>)> {
    let name = node.name_text()?;
    if !is_path(name) {
        return match processor(name) {
            Some(_) => Ok((name.to_owned(), None)),
            None => {
                let fault = node.fault(format!("no processor profile is called “{name}”"));
                let own = "; a file of your own ends in .toml";
                let known = processor_names();
                Err(match arcwright_units::nearest(name, known) {
                    Some(_) => fault.nearest(name, &known),
                    None => fault.help(format!("known are: {}{own}", known.join(", "))),
                })
            }
        };
    }
    let text = text_of(node, name, "processor", fetch)?;
    let figures = of_text(&text).map_err(|fault| {
        let there = fault.in_words(&text);
        let wrong = node.fault(format!("{name} is no processor file: {there}"));
        wrong.help(fault.help.unwrap_or("arcwright calibrate processor writes one".to_owned()))
    })?;
    Ok((name.to_owned(), Some(figures)))
}

/// Reads a processor file.
fn of_text(text: &str) -> Checked<ProcessorFigures> {
    let root = Node::parse(text)?;
    let file = root.section("the file", &["title", "processor"])?;
    file.maybe("title", Node::name_text)?;
    let section = file.need("processor", "[processor] with cores = 4")?;
    let section = section.section("[processor]", &[&KEYS[..], &[CIPHER]].concat())?;
    let [cores, checksum, copy, call, switch, step] = KEYS;
    Ok(ProcessorFigures {
        cores: u32::try_from(whole(&section, cores, "4", CORES)?).unwrap_or(u32::MAX),
        checksum: Rate(whole(&section, checksum, "4_300_000_000", RATE)?),
        copy: Rate(whole(&section, copy, "5_400_000_000", RATE)?),
        cipher: section.maybe(CIPHER, |node| within(node, RATE))?.map(Rate),
        call: Nanos(whole(&section, call, "8000", TIME)?),
        switch: Nanos(whole(&section, switch, "4000", TIME)?),
        step: Nanos(whole(&section, step, "100", TIME)?),
    })
}

/// Returns a value, rounded to a whole number, which lies within `range`.
fn whole(
    section: &Section<'_>,
    key: &str,
    example: &str,
    range: RangeInclusive<f64>,
) -> Checked<u64> {
    within(section.need(key, &format!("{key} = {example}"))?, range)
}

/// Returns the value of a node, as [`whole`] does.
fn within(node: &Node, range: RangeInclusive<f64>) -> Checked<u64> {
    let value = node.number()?;
    if !range.contains(&value) {
        let (least, most) = (range.start(), range.end());
        return Err(node.must(&format!("be from {least} to {most}, and is {value}")));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the range")]
    Ok(value.round() as u64)
}
