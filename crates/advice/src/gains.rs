//! Which gain a remedy has: the one under the machine's own load, or the one in the case that it is for.

use arcwright_whatif::Axis;

use crate::finding::Gain;
use crate::view::View;

/// Returns what a change brings under the machine's own load; where that is not known, or nothing changes, for the case that
/// the change is for.
pub(crate) fn gain(
    view: &View<'_>,
    axis: Axis,
    case: impl FnOnce() -> Result<Gain, String>,
) -> Gain {
    match view.saved(&axis) {
        Ok(saved) if !saved.is_nothing() => saved.gain(),
        Ok(saved) => match case() {
            Ok(Gain::Modelled { words, .. }) => Gain::Modelled {
                factor: 1.0,
                words: format!("{}. In the case that it is for: {words}", saved.sentence()),
            },
            _ => saved.gain(),
        },
        Err(why) => match case() {
            Ok(Gain::Modelled { factor, words }) => {
                let words = format!("{words} Your own load was not modelled: {why}.");
                Gain::Modelled { factor, words }
            }
            Ok(other) => other,
            Err(other) => Gain::NotEstimated(other),
        },
    }
}
