//! The disk model against measured drives.

#![expect(clippy::print_stdout, reason = "the figures are said")]
#![expect(clippy::disallowed_methods, reason = "tests read the traces; the crate does not")]

use std::path::Path;

use arcwright_device::validation::{compare, measured_drives, parse_trace};

/// Demerit figures in milliseconds that the model must not exceed; reached plus five per cent.
const BOUNDS_MS: [(&str, f64); 4] =
    [("atlas10k", 0.10), ("barracuda", 0.22), ("ibm18es", 0.08), ("hp_c2490a", 0.24)];

#[test]
fn the_model_stays_as_close_to_measured_drives_as_it_was() {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    for drive in measured_drives() {
        let path = traces.join(drive.trace_file);
        let text = std::fs::read_to_string(&path).unwrap();
        let (trace, bad) = parse_trace(&text);
        assert_eq!(bad, 0, "{}", drive.name);
        let demerit = compare(&drive.profile().unwrap(), &trace).demerit_ms;
        println!("{}: {demerit:.3} ms, DiskSim {} ms", drive.name, drive.disksim_demerit_ms);
        let bound = BOUNDS_MS.iter().find(|(name, _)| *name == drive.name).unwrap().1;
        assert!(demerit <= bound, "{}: {demerit:.3} ms, was within {bound}", drive.name);
    }
}
