//! Recorded traces, played on the real OpenZFS.

use arcwright_scenario::Outcome;

use super::texts::on_linux;
use super::{oldest_and_newest, phase, run_beside};

/// All of 128 MiB twice, a thousandth of a second apart, the second time in another order.
fn trace() -> String {
    let row = |number: u64| {
        let record = if number < 1024 { number } else { number * 389 % 1024 };
        format!("{number},{},131072,r\n", record * 131_072)
    };
    let rows: String = (0..2048).map(row).collect();
    format!("time:ms,offset,size,op\n{rows}")
}

/// Plays the trace, by a client.
fn played(engine: &str, client: &str, arguments: &[&str]) -> Outcome {
    let rest =
        format!("data = [\"ssd-sata-plp\"]\n[[phase]]\nname = \"played\"\nclients = [{client}]\n");
    let text = on_linux("256MiB", &rest);
    let arguments = [arguments, &["--json"]].concat();
    let output = run_beside((engine, &text), &[("trace.csv", &trace())], &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What a trace asks for is the same on both engines; how near the model
/// comes is measured in fidelity/REPLAYS.md, this tells only whether both play the same.
#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_trace_asks_the_real_openzfs_for_what_it_asks_the_model() {
    for version in oldest_and_newest() {
        for (client, requests) in [
            ("{ trace = \"trace.csv\" }", 2048),
            ("{ trace = \"trace.csv\", since = \"50%\", pace = \"full\", depth = 1 }", 1024),
        ] {
            let lab = played("lab", client, &["--repeat", "2", "--openzfs", version]);
            let model = played("model", client, &["--set", &format!("system.zfs={version}")]);
            let [lab, model] = [&lab, &model].map(|outcome| phase(outcome, "as is", "played"));
            let asked = [lab, model].map(|run| (run.operations, run.bytes.0));
            assert_eq!(asked, [(requests, requests * 131_072); 2], "{version}: {client}");
            let [found, predicted] = [lab, model].map(|run| run.arc_hit_ratio.unwrap());
            assert!((found - predicted).abs() < 0.05, "{version}: {client}: {found} {predicted}");
            let took = lab.duration_ns.as_secs_f64() / model.duration_ns.as_secs_f64();
            assert!((0.8..1.25).contains(&took), "{version}: {client}: {took}");
        }
    }
}
