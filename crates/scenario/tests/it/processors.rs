//! Processors: those that come with the program, and files beside the scenario.

use arcwright_scenario::{Scenario, processor, processor_names};
use arcwright_units::{Nanos, Rate};

use super::GOOD;

const OWN: &str = "title = \"my NAS\"\n[processor]\ncores = 4\n\
                   checksum_bytes_per_sec = 4_294_967_296\ncopy_bytes_per_sec = 5368709120.0\n\
                   cipher_bytes_per_sec = 1_048_576_000\n\
                   call_ns = 8000\nswitch_ns = 4000\nstep_ns = 100\n";

/// Parses a scenario with such a processor, beside which `my-cpu.toml` holds `file`.
fn with(cpu: &str, file: &str) -> Result<Scenario, String> {
    let text = GOOD.replace("memory =", &format!("cpu = \"{cpu}\"\nmemory ="));
    let fetch = |path: &str| match path {
        "my-cpu.toml" | "./my-cpu.toml" => Ok(file.to_owned()),
        other => Err(format!("{other}: not there")),
    };
    let read = Scenario::parse_with(&text, "own.toml", &fetch);
    read.map_err(|error| {
        format!("{}: {error} | {}", error.line(), error.hint().unwrap_or_default())
    })
}

#[test]
fn a_profile_stands_for_its_figures() {
    for name in processor_names() {
        let system = with(name, "").unwrap().system;
        assert_eq!((system.processor(), system.cpu_figures), (processor(name), None), "{name}");
    }
}

#[test]
fn a_file_beside_the_scenario_is_a_processor() {
    let system = with("./my-cpu.toml", OWN).unwrap().system;
    assert_eq!(system.cpu, "./my-cpu.toml");
    let (own, usual) = (system.processor().unwrap(), processor("nas-quad").unwrap());
    // A file does not say how fast a cold read is; that follows.
    assert_eq!(arcwright_scenario::Processor { read_rate: usual.read_rate, ..own }, usual);
    assert!(own.read_rate.0.abs_diff(usual.read_rate.0) < usual.read_rate.0 / 10, "{own:?}");
    let faster = OWN.replace("step_ns = 100", "step_ns = 40.4");
    let faster = with("my-cpu.toml", &faster).unwrap().system.processor().unwrap();
    assert_eq!((faster.step, faster.checksum), (Nanos(40), Rate(4 << 30)));
}

#[test]
fn a_processor_that_cannot_be_is_refused_with_its_place() {
    let check = |cpu: &str, file: &str, expected: &str| {
        let error = with(cpu, file).unwrap_err();
        assert!(error.contains(expected), "{cpu} {file}: {error} should say {expected}");
        assert!(error.starts_with("6:"), "{error} is not on the line of the processor");
    };
    check("nas-quat", "", "did you mean “nas-quad”?");
    check("abacus", "", "known are: nas-dual, nas-quad, desktop, server");
    check("", "", "“cpu” is empty");
    check("other.toml", OWN, "no processor file “other.toml”: not there");
    let changed = |from: &str, to: &str, expected: &str| {
        assert!(OWN.contains(from), "{from}");
        check("my-cpu.toml", &OWN.replace(from, to), expected);
    };
    changed("cores = 4", "cores = 0", "line 3: “cores” must be from 1 to 65536, and is 0");
    changed("cores = 4\n", "", "[processor] lacks “cores” | write for example cores = 4");
    changed("cores = 4", "core = 4", "unknown key “core” in [processor] | did you mean “cores”?");
    changed("cores = 4", "cores = \"4\"", "line 3: “cores” must be a number, not text");
    changed("= 8000", "= -1", "“call_ns” must be from 1 to 100000000, and is -1");
    changed("= 8000", "= 1e300", "“call_ns” must be from 1 to 100000000");
    changed("= 100\n", "= nan\n", "line 9: “step_ns” must be a number");
    changed("4_294_967_296", "4", "must be from 1000000 to 1000000000000, and is 4");
    changed("[processor]", "[processors]", "line 2: unknown key “processors” in the file");
    changed("my NAS", "", "line 1: “title” is empty");
    check("my-cpu.toml", "", "the file lacks “processor”");
    check("my-cpu.toml", &"#".repeat(20_000), "19.5 KiB, and a processor file at most 16 KiB");
    check("my-cpu.toml", include_str!("../../../device/profiles/nvme-plp.toml"), "unknown key");
}

#[test]
fn of_another_file_nothing_is_quoted() {
    let error = with("my-cpu.toml", "root:x:0:0:secret\n").unwrap_err();
    assert!(error.contains("line 1: the file is not TOML"), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

#[test]
fn what_encryption_costs_is_needed_where_something_is_encrypted() {
    let text = GOOD.replace("memory =", "cpu = \"my-cpu.toml\"\nmemory =");
    let text = text.replace("[system.pool]\n", "[system.pool]\nencryption = \"on\"\n");
    assert!(text.contains("encryption"), "{text}");
    let read = |file: String| {
        let fetch = |_: &str| Ok(file.clone());
        Scenario::parse_with(&text, "own.toml", &fetch).map_err(|error| error.to_string())
    };
    assert!(read(OWN.to_owned()).is_ok());
    let error = read(OWN.replace("cipher_bytes_per_sec = 1_048_576_000\n", "")).unwrap_err();
    assert!(error.contains("my-cpu.toml does not say what encryption costs"), "{error}");
    let error = read(OWN.replace("1_048_576_000", "7")).unwrap_err();
    assert!(error.contains("“cipher_bytes_per_sec” must be from 1000000"), "{error}");
}
