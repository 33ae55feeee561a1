//! Chooses how fast time runs, so that this machine looks like the scenario's.
//!
//! A short cold read on disks that take no time shows how many bytes per second OpenZFS moves on
//! this processor. The scenario's processor is said to move `read_rate`. With time running at
//!
//! ```text
//!   dilation = scale * measured / read_rate        (virtual seconds per real second)
//! ```
//!
//! a block costs the library as large a part of a virtual second here as it costs there. The
//! factor is never above the scale: emulated devices then never have to be faster than real ones,
//! which a sleeping thread could not carry.

use arcwright_scenario::Phase;
use arcwright_units::{Bytes, Nanos, Rate};
use arcwright_workload::Client;

use crate::protocol::Environment;

/// The most that a calibration reads.
const AMOUNT_MAX: Bytes = Bytes::mib(256);

/// What the calibration does: one sequential reader of the largest file.
pub(crate) fn phase(file: &str, size: Bytes) -> Phase {
    Phase {
        name: "calibration".to_owned(),
        clients: vec![Client {
            amount: Some(size.min(AMOUNT_MAX)),
            ..Client::reader(file, Bytes::kib(128))
        }],
        pause: Nanos::ZERO,
        until_warm: None,
        limit: None,
    }
}

/// Where a calibration runs.
pub(crate) const ENVIRONMENT: Environment = Environment::Instant;

/// Returns the time dilation for a measured rate.
pub(super) fn dilation(scale: u64, measured: Rate, wanted: Rate) -> f64 {
    let scale = scale as f64;
    let factor = scale * measured.0 as f64 / (wanted.0 as f64).max(1.0);
    // Two digits are as much as the measurement is worth, and read better.
    let magnitude = 10f64.powf(factor.log10().floor() - 1.0);
    let rounded = (factor / magnitude).round() * magnitude;
    rounded.clamp(0.01, scale)
}

#[cfg(test)]
mod tests {
    use arcwright_units::Rate;

    use super::dilation;

    #[test]
    fn a_processor_a_quarter_as_fast_lets_time_run_a_quarter_as_fast() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(close(dilation(32, Rate(500), Rate(2000)), 8.0));
        assert!(close(dilation(1, Rate(500), Rate(2000)), 0.25));
        assert!(close(dilation(32, Rate(9000), Rate(2000)), 32.0), "never above the scale");
    }
}
