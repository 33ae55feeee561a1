//! How the lab runs it.

use super::tree::Node;
use crate::error::Checked;
use crate::experiment::{LabClock, LabSettings};

/// Above it nothing is left of any real pool.
const SCALE_MAX: u64 = 65_536;

/// Reads `[lab]`; full scale and calibrated when it is not there.
pub(crate) fn read(node: Option<&Node>) -> Checked<LabSettings> {
    let Some(node) = node else {
        return Ok(LabSettings::default());
    };
    let section = node.section("[lab]", &["scale", "clock", "motion", "openzfs"])?;
    let motion = section.maybe("motion", Node::number_above_zero)?;
    // Who says how fast real time runs means real time.
    let implied = if motion.is_some() { LabClock::Real } else { LabClock::Events };
    Ok(LabSettings {
        scale: section.maybe("scale", scale)?.unwrap_or(1),
        clock: section.maybe("clock", clock)?.unwrap_or(implied),
        motion,
        openzfs: section.maybe("openzfs", version)?,
    })
}

/// Returns the version of a library. A path would let a scenario from elsewhere name code to run; who
/// runs it names that.
fn version(node: &Node) -> Checked<String> {
    let text = node.name_text()?;
    let number = text.strip_prefix("zfs-fuse").map_or(text, |rest| rest.trim_start_matches('-'));
    let is_version = number.chars().all(|c| c.is_ascii_digit() || c == '.')
        && text.starts_with(|c: char| c.is_ascii_digit() || c == 'z');
    if is_version {
        Ok(text.to_owned())
    } else {
        Err(node.must("be a version such as “2.1.11”; --openzfs PATH names a library by path"))
    }
}

fn clock(node: &Node) -> Checked<LabClock> {
    node.choice(&[("events", LabClock::Events), ("real", LabClock::Real)])
}

fn scale(node: &Node) -> Checked<u64> {
    let scale = node.whole_above_zero()?;
    if scale <= SCALE_MAX {
        Ok(scale)
    } else {
        Err(node.must(&format!("not be above {SCALE_MAX}")))
    }
}
