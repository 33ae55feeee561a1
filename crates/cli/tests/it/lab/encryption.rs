//! Encrypted datasets on the real OpenZFS, whose own code encrypts, and what the model says of them.

use arcwright_scenario::Outcome;

use super::texts::on_linux;
use super::{outcome, phase, predicted, versions};

const TEXT: &str = r#"
data = ["nvme-plp"]
primarycache = "metadata"
[[dataset]]
name = "secret"
encryption = "on"
[[file]]
name = "plain"
size = "64MiB"
[[file]]
name = "encrypted"
size = "64MiB"
dataset = "secret"
[[phase]]
name = "plain"
clients = [{ read = "plain", io = "128KiB", pattern = "random", amount = "64MiB" }]
[[phase]]
name = "encrypted"
clients = [{ read = "encrypted", io = "128KiB", pattern = "random", amount = "64MiB" }]
[[phase]]
name = "plain log"
clients = [{ sync-write = "plain", io = "128KiB", amount = "16MiB" }]
[[phase]]
name = "encrypted log"
clients = [{ sync-write = "encrypted", io = "128KiB", amount = "16MiB" }]
"#;

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn encryption_takes_the_time_that_the_model_says() {
    let text = on_linux("1GiB", TEXT);
    // What a request of 128 KiB takes more, in microseconds.
    let more = |outcome: &Outcome, [plain, encrypted]: [&str; 2], requests: u64| {
        let time = |name: &str| phase(outcome, "as is", name).duration_ns.0;
        (time(encrypted).saturating_sub(time(plain))) / requests / 1000
    };
    for version in versions() {
        let lab = outcome(&text, &["--openzfs", version]);
        let model = predicted(&text.replace("2.1.11", version));
        for (names, requests) in
            [(["plain", "encrypted"], 512), (["plain log", "encrypted log"], 128)]
        {
            let [lab, model] = [&lab, &model].map(|of| more(of, names, requests));
            assert!(lab > 20, "{version} {names:?}: {lab} µs");
            let off = lab.abs_diff(model);
            assert!(
                off * 100 < lab.max(model) * 40,
                "{version} {names:?}: lab {lab}, model {model}"
            );
        }
    }
}
