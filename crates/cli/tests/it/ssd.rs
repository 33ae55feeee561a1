//! `arcwright ssd`: what it refuses, and a plan from a scenario and from a capture.

use arcwright_fixtures::path;

use crate::arcwright;

/// Says what a wrong use of `ssd plan` is answered with.
fn refused(arguments: &[&str], code: i32, expected: &str) {
    let result = arcwright().args(["ssd", "plan"]).args(arguments).assert().code(code);
    let told = String::from_utf8_lossy(&result.get_output().stderr).into_owned();
    assert!(told.contains(expected), "{arguments:?}: {told}");
}

#[test]
fn what_is_no_plan_is_refused() {
    let scenario = ["--scenario", "spare-ssd"];
    let with = |more: &[&'static str]| [&scenario[..], more].concat();
    refused(&[], 2, "a plan is for one SSD or two, not 0; name each with --device or --profile");
    refused(&with(&[]), 2, "a plan is for one SSD or two, not 0");
    refused(
        &with(&["--profile", "nvme-plq"]),
        2,
        "no device profile nvme-plq (did you mean nvme-plp?)",
    );
    refused(&with(&["--profile", "hdd-nas-7200"]), 2, "hdd-nas-7200 is no SSD; SSDs are");
    refused(&with(&["--profile", "no.toml"]), 1, "failed to read no.toml");
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    refused(&with(&["--profile", own]), 2, "is no device file: line ");
    let three = ["--profile", "nvme-plp", "--profile", "nvme-plp", "--profile", "nvme-plp"];
    refused(&with(&three), 2, "one SSD or two, not 3");
    let plp = ["--profile", "nvme-plp"];
    let plp = |more: &[&'static str]| with(&[&plp[..], more].concat());
    refused(&plp(&["--size", "1GiB"]), 2, "nvme-plp has 1 GiB; less than 2 GiB is no use");
    refused(&plp(&["--size", "4TB"]), 2, "not 3.64 TiB");
    refused(&plp(&["--size", "-1"]), 2, "");
    refused(&plp(&["--phase", "dance"]), 2, "there is no phase dance; there is years of use, fio");
    refused(&plp(&["--hours-a-day", "25"]), 2, "a day has more than 0 and at most 24");
    refused(&plp(&["--hours-a-day", "NaN"]), 2, "a day has more than 0 and at most 24");
    refused(&plp(&["--blocks", "/dev/null"]), 1, "");
    refused(&plp(&["--blocks", "missing.txt"]), 1, "failed to read missing.txt");
    refused(&plp(&["--apply", "--confirm", "/dev/sdx"]), 2, "cannot be used with");
    let device = ["--device", "/dev/no-such-drive"];
    let apply = |more: &[&'static str]| [&device[..], &["--apply", "--confirm"], more].concat();
    refused(&apply(&["/dev/other"]), 2, "is written to only when it is named again");
    refused(&apply(&["/dev/no-such-drive"]), 1, "failed to look at /dev/no-such-drive");
    let null = ["--device", "/dev/null", "--apply", "--confirm", "/dev/null"];
    refused(&null, 1, "/dev/null is no block device; a whole drive is expected");
}

#[test]
fn a_drive_of_a_capture_is_known_or_not() {
    let capture = path("guest-2.3.2-sync");
    let from = ["--from", capture.to_str().unwrap(), "--device"];
    refused(&[&from[..], &["sdq"]].concat(), 2, "there is no drive sdq in what was read; drives: ");
    refused(&[&from[..], &["\u{1b}[2Jx"]].concat(), 2, "there is no drive \\x1b[2Jx");
    // The emulated drives of its pool.
    refused(&[&from[..], &["vda"]].concat(), 2, "vda is in use: pool tank has it as ");
}

#[test]
fn a_scenario_and_a_capture_have_a_plan() {
    // Which use is chosen, and that it says how it is carried out and taken back.
    let check = |arguments: &[&str], expected: &str| {
        let result = arcwright().args(["ssd", "plan", "--json"]).args(arguments).assert().code(0);
        let text = String::from_utf8_lossy(&result.get_output().stdout).into_owned();
        let plan: serde_json::Value = serde_json::from_str(&text).unwrap();
        let choice = plan["plan"]["choice"].as_u64().unwrap();
        let chosen = &plan["plan"]["uses"][usize::try_from(choice).unwrap()];
        assert_eq!(chosen["name"], expected, "{text}");
        assert!(chosen["saved"].as_f64().unwrap() > 0.5, "{chosen}");
        for list in ["look", "make", "undo"] {
            assert!(!plan["commands"][list].as_array().unwrap().is_empty(), "{list}");
        }
    };
    check(&["--scenario", "vm-sync-writes", "--profile", "nvme-plp", "--scale", "16"], "log");
    // Up to 2.1 the log is counted for the machine as a whole.
    let capture = path("guest-2.1.11-sync");
    check(&["--from", capture.to_str().unwrap(), "--profile", "nvme-plp"], "log");
}

#[test]
fn a_plan_of_a_capture_has_the_range_of_all_loads_that_fit() {
    let capture = path("guest-2.3.2-l2arc-idle");
    let arguments = ["--from", capture.to_str().unwrap(), "--profile", "nvme-plp"];
    let plan = |more: &[&str]| {
        let output = arcwright().args(["ssd", "plan"]).args(arguments).args(more).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let json: serde_json::Value = serde_json::from_str(&plan(&["--json"])).unwrap();
    assert!(json["plan"]["other_loads"].as_u64().unwrap() > 0);
    let uses = json["plan"]["uses"].as_array().unwrap();
    let tried: Vec<_> = uses.iter().filter(|one| one["name"] != "nothing").collect();
    assert!(!tried.is_empty());
    for one in tried {
        let [least, most] = [0, 1].map(|end| one["saved_range"][end].as_f64().unwrap());
        let saved = one["saved"].as_f64().unwrap();
        assert!(least <= saved && saved <= most, "{one}");
    }
    assert!(plan(&[]).contains("\nby other loads "), "{}", plan(&[]));
}
