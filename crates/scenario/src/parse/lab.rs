//! How the lab runs it.

use super::tree::Node;
use crate::error::Checked;
use crate::experiment::LabSettings;

/// Above it nothing is left of any real pool.
const SCALE_MAX: u64 = 65_536;

/// Reads `[lab]`; life-size and calibrated when it is not there.
pub(crate) fn read(node: Option<&Node>) -> Checked<LabSettings> {
    let Some(node) = node else {
        return Ok(LabSettings { scale: 1, motion: None, openzfs: None });
    };
    let section = node.section("[lab]", &["scale", "motion", "openzfs"])?;
    Ok(LabSettings {
        scale: section.maybe("scale", scale)?.unwrap_or(1),
        motion: section.maybe("motion", Node::number_above_zero)?,
        openzfs: section.maybe("openzfs", Node::name_text)?.map(str::to_owned),
    })
}

fn scale(node: &Node) -> Checked<u64> {
    let scale = node.whole_above_zero()?;
    if scale <= SCALE_MAX {
        Ok(scale)
    } else {
        Err(node.must(&format!("not be above {SCALE_MAX}")))
    }
}
