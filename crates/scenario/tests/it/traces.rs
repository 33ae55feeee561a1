//! Recorded traces as clients of a scenario.

use arcwright_scenario::{Beside, Scenario, ScenarioError, WantedTrace};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::traces::{Addressing, Request, RequestKind, TraceFormat};
use arcwright_workload::{Action, Durability, Recorded, Replay};

use super::GOOD;

const CLIENT: &str = "{ read = \"test.dat\", io = \"1MiB\" }";
/// The line of the client in the scenario.
const LINE: usize = 36;

/// A folder with two traces: ten seconds of a large file, and three objects without times.
struct Folder;

impl Beside for Folder {
    fn text(&self, _: &str) -> Result<String, String> {
        Err("no texts here".to_owned())
    }

    fn replay(&self, wanted: &WantedTrace<'_>) -> Result<Replay, String> {
        let request = |second: u64, place: u64, kind: RequestKind| Request {
            time: Nanos(second * Nanos::SECOND.0),
            place,
            bytes: 64 << 10,
            volume: 0,
            kind,
        };
        let (requests, source): (Vec<Request>, _) = match wanted.path {
            "nas.csv" => {
                let writes = |second: u64| match second % 2 {
                    0 => RequestKind::Read,
                    _ => RequestKind::Write,
                };
                let place = |second: u64| second * (3 << 20);
                let all = (0..10).map(|second| request(second, place(second), writes(second)));
                let flush = request(9, 0, RequestKind::Flush);
                (all.chain([flush]).collect(), (Addressing::Bytes, true))
            }
            "objects" if wanted.format == Some(TraceFormat::Pages) => {
                let all = (0..3).map(|number| request(0, number, RequestKind::Read));
                (all.collect(), (Addressing::Objects, false))
            }
            _ => return Err("no such file".to_owned()),
        };
        let mut recorded = Recorded::with_room(100);
        recorded.add(&requests)?;
        recorded.replay(source, wanted.recordsize)
    }
}

fn with(clients: &str) -> Result<Scenario, ScenarioError> {
    Scenario::parse_beside(&GOOD.replacen(CLIENT, clients, 1), "good.toml", &Folder)
}

fn replay_of(scenario: &Scenario, number: usize) -> &Replay {
    let client = scenario.phases.first().and_then(|phase| phase.clients.get(number));
    match client.map(|client| &client.action) {
        Some(Action::Trace { replay, .. }) => replay,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_trace_becomes_a_client_and_files() {
    let scenario = with("{ trace = \"nas.csv\" }").unwrap();
    let client = &scenario.phases[0].clients[0];
    assert_eq!((client.name().as_str(), client.depth), ("trace nas.csv", 32));
    assert_eq!((client.io, client.amount), (Bytes::kib(64), Some(Bytes::kib(640))));
    assert_eq!(client.durability, Durability::Every(5));
    let sizes: Vec<_> = scenario.files.iter().map(|file| (file.name.as_str(), file.size)).collect();
    // Ten parts of a mebibyte; of the last one what was touched.
    assert_eq!(sizes[1], ("nas.csv#1", Bytes::mib(9) + Bytes::kib(128)));
    let said = "nas.csv: 10 requests in 9.00 s, played on 9.12 MiB of files";
    assert!(scenario.notes.iter().any(|note| note.starts_with(said)), "{:?}", scenario.notes);
}

#[test]
fn files_are_in_the_dataset_by_whose_name_they_are_called() {
    let sizes = ["tank/a", "tank/a/b", "tank/media"].map(str::to_owned);
    let sizes = sizes.into_iter().zip([Bytes::kib(16), Bytes::kib(8), Bytes::mib(1)]).collect();
    let wanted = WantedTrace {
        path: "nas.csv",
        format: None,
        columns: None,
        recordsize: Bytes::kib(128),
        recordsizes: sizes,
    };
    let check = |name: &str, expected: Option<Bytes>| {
        assert_eq!(wanted.recordsize_of(name), expected, "{name}");
    };
    check("tank/a/128", Some(Bytes::kib(16)));
    check("tank/a:/b/film", Some(Bytes::kib(16)));
    check("tank/a/b/128", Some(Bytes::kib(8)));
    check("tank/media", Some(Bytes::mib(1)));
    check("tank/ab/128", None);
    check("tank", None);
}

#[test]
fn record_sizes_that_help_nothing_or_are_none_are_said() {
    let scenario =
        with("{ trace = \"nas.csv\", recordsizes = { \"tank/db\" = \"16KiB\" } }").unwrap();
    let said = "none of its files is called by a dataset of “recordsizes”";
    assert!(scenario.notes.iter().any(|note| note.contains(said)), "{:?}", scenario.notes);
    let check = |sizes: &str, expected: &str| {
        let client = format!("{{ trace = \"nas.csv\", recordsizes = {sizes} }}");
        let error = with(&client).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check("{ \"tank/db\" = \"100KiB\" }", "power of two");
    check("\"16KiB\"", "a table");
}

#[test]
fn parts_of_a_trace_share_its_files() {
    let check = |first: &str, second: &str, expected: [usize; 2]| {
        let clients =
            format!("{{ trace = \"nas.csv\"{first} }}, {{ trace = \"nas.csv\"{second} }}");
        let scenario = with(&clients).unwrap();
        let counts = [0, 1].map(|number| replay_of(&scenario, number).requests().len());
        assert_eq!(counts, expected, "{clients}");
        let [one, two] = [0, 1].map(|number| &scenario.phases[0].clients[number].file);
        assert_eq!(one, two);
        assert_eq!(scenario.files.len(), 2);
    };
    check(", until = \"4s\"", ", since = \"4s\"", [4, 6]);
    check(", until = \"30%\"", ", since = \"30%\"", [3, 7]);
    check(", since = \"2s\", until = \"4s\"", ", pace = \"full\"", [2, 10]);
}

#[test]
fn a_scaled_trace_is_thinned() {
    let scenario = with("{ trace = \"nas.csv\" }").unwrap();
    let small = scenario.scaled(5);
    assert_eq!(replay_of(&small, 0).requests().len(), 2);
    assert_eq!(small.files[1].size, Bytes::mib(2));
    assert_eq!(small.phases[0].clients[0].amount, Some(Bytes::kib(128)));
}

#[test]
fn what_a_trace_cannot_do_is_refused_at_its_place() {
    let check = |client: &str, expected: &str| {
        let Err(error) = with(client) else { panic!("accepted: {client}") };
        let message = format!("{error} | {}", error.hint().unwrap_or_default());
        assert!(message.contains(expected), "{message} should say {expected}");
        assert_eq!(error.line(), LINE, "{message}");
    };
    let objects = |more: &str| format!("{{ trace = \"objects\", format = \"pages\"{more} }}");
    check("{ trace = \"nas.csx\" }", "cannot play the trace “nas.csx”: no such file");
    check("{ trace = \"objects\", format = \"page\" }", "did you mean “pages”?");
    check(
        "{ trace = \"nas.csv\", io = \"1MiB\" }",
        "“io” is not for a trace, which says it itself",
    );
    check("{ trace = \"nas.csv\", depht = 3 }", "depth");
    check("{ trace = \"nas.csv\", depth = 2000 }", "not be above 1024");
    check("{ trace = \"nas.csv\", since = \"1h\" }", "nas.csv has no request in this time");
    check("{ trace = \"nas.csv\", pace = \"slow\" }", "recorded");
    check("{ trace = \"nas.csv\", dataset = \"x\" }", "x");
    check(&objects(", pace = \"recorded\""), "objects has no times to keep to");
    check(&objects(", since = \"1s\""), "the trace has no times, and no part of them either");
    let other = Scenario::parse(&GOOD.replacen(CLIENT, "{ trace = \"nas.csv\" }", 1), "good.toml");
    let said = "a scenario that comes without its folder cannot play traces";
    assert!(other.unwrap_err().to_string().contains(said));
}

#[test]
fn a_saved_scenario_has_no_requests_and_is_whole_otherwise() {
    let scenario = with("{ trace = \"nas.csv\" }").unwrap();
    let text = serde_json::to_string(&scenario).unwrap();
    let again: Scenario = serde_json::from_str(&text).unwrap();
    assert!(replay_of(&again, 0).requests().is_empty());
    assert!(again.phases[0].clients[0].action.writes());
    assert_eq!(again.files, scenario.files);
}
