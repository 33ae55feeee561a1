//! The charts, each a drawing of any width: on a page it stands in two, for wide windows and for telephones.

pub(crate) mod bars;
pub(crate) mod curve;
pub(crate) mod devices;
pub(crate) mod history;
pub(crate) mod latency;
pub(crate) mod legend;
pub(crate) mod pairs;
pub(crate) mod rows;
pub(crate) mod slots;
pub(crate) mod sources;
pub(crate) mod timeline;

/// Width of a drawing for a wide window.
pub(crate) const WIDE: f64 = 760.0;
/// Width of a drawing for a telephone, and of a panel beside others.
pub(crate) const NARROW: f64 = 336.0;
