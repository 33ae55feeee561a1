//! Links that disks share: `[links]`.

use arcwright_units::Rate;

use super::tree::{Kind, Node};
use crate::disk::LinkSpec;
use crate::error::{Checked, Fault};

/// Most links of a scenario.
const LINKS_MAX: usize = 255;
/// Most requests that a link may be said to take.
const REQUESTS_MAX: u64 = 65_536;
/// From a USB of 1998 to more than any machine's.
const RATE: std::ops::RangeInclusive<u64> = 1_000_000..=1_000_000_000_000;
const KEYS: [&str; 3] = ["rate", "one_way", "requests_max"];

/// Reads `[links]`: a rate, or a table, by name.
pub(crate) fn read(node: Option<&Node>) -> Checked<Vec<LinkSpec>> {
    let Some(node) = node else { return Ok(Vec::new()) };
    let Kind::Table(entries) = &node.kind else {
        let wrong = node.wrong("a table");
        return Err(wrong.help("write for example links = { hba = \"2400MB/s\" }"));
    };
    if entries.len() > LINKS_MAX {
        return Err(node.fault(format!("[links] has at most {LINKS_MAX} names")));
    }
    entries.iter().map(link).collect()
}

fn link(entry: &Node) -> Checked<LinkSpec> {
    let name = entry.name.clone();
    if name.trim().is_empty() {
        let fault = Fault::at(&entry.key_span, "a link needs a name");
        return Err(fault.help("write a plain word, such as hba"));
    }
    if !matches!(entry.kind, Kind::Table(_)) {
        return Ok(LinkSpec { name, rate: rate(entry)?, one_way: false, requests_max: None });
    }
    let section = entry.section("a link", &KEYS)?;
    let requests_max = section.maybe("requests_max", |node| {
        let number = node.whole_above_zero()?;
        let fits = u32::try_from(number).ok().filter(|_| number <= REQUESTS_MAX);
        fits.ok_or_else(|| node.must(&format!("not be above {REQUESTS_MAX}")))
    })?;
    Ok(LinkSpec {
        name,
        rate: rate(section.need("rate", "rate = \"2400MB/s\"")?)?,
        one_way: section.maybe("one_way", Node::flag)?.unwrap_or(false),
        requests_max,
    })
}

/// Reads what a link carries, within reason.
fn rate(node: &Node) -> Checked<Rate> {
    let rate = node.rate()?;
    match RATE.contains(&rate.0) {
        true => Ok(rate),
        false => Err(node.must("be from 1MB/s to 1000GB/s")),
    }
}

/// Returns the link that a device names.
pub(crate) fn named(node: &Node, links: &[LinkSpec]) -> Checked<LinkSpec> {
    let name = node.text()?;
    let found = links.iter().find(|link| link.name == name).cloned();
    found.ok_or_else(|| {
        let fault = node.fault(format!("no link is called “{name}”"));
        let known: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
        match known.is_empty() {
            true => fault.help(format!("write [links] with {name} = \"2400MB/s\"")),
            false => fault.nearest(name, &known),
        }
    })
}
