//! Recorded traces, played.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use arcwright_model::Model;
use arcwright_scenario::{
    Beside, Engine, Outcome, PhaseRun, RunRequest, Scenario, Unwatched, WantedTrace,
};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::traces::{Addressing, Request, RequestKind};
use arcwright_workload::{Accesses, Client, Pattern, Recorded, Replay};

const FILE: Bytes = Bytes::mib(64);
/// What tells the random order of the first client of a phase “p” from others.
const NAME: &str = "p client 0";

/// What a client asks for of a file of 64 MiB, every millisecond.
struct OfClient(Client);

impl Beside for OfClient {
    fn text(&self, path: &str) -> Result<String, String> {
        Err(format!("{path}: none"))
    }

    fn replay(&self, wanted: &WantedTrace<'_>) -> Result<Replay, String> {
        let accesses = Accesses::new(&self.0, FILE, 1, NAME);
        let requests = (0u64..).zip(accesses).map(|(number, access)| Request {
            time: Nanos::millis(number),
            place: access.offset,
            bytes: access.size,
            volume: 0,
            kind: if access.write { RequestKind::Write } else { RequestKind::Read },
        });
        let mut recorded = Recorded::with_room(1 << 20);
        recorded.add(&requests.collect::<Vec<_>>())?;
        recorded.replay((Addressing::Bytes, true), wanted.recordsize)
    }
}

fn ran(client: &Client, written: &str) -> Outcome {
    let text = format!(
        "title = \"t\"\n\
         system = {{ zfs = \"2.3.2\", memory = \"1GiB\", pool = {{ data = [\"ssd-sata-plp\"] }}, tunables = {{ zfs_arc_max = 67108864 }} }}\n\
         file = [{{ name = \"f\", size = \"64MiB\" }}]\n\
         phase = [{{ name = \"p\", clients = [{written}] }}]\n"
    );
    let scenario = Scenario::parse_beside(&text, "t.toml", &OfClient(client.clone())).unwrap();
    let request = RunRequest { scenario, repeats: 1 };
    Model::default().run(&request, &mut Unwatched).unwrap()
}

fn phase(outcome: &Outcome) -> &PhaseRun {
    outcome.arms.first().and_then(|arm| arm.phases.first()).unwrap()
}

/// Hits and misses of data that was asked for.
fn counted(outcome: &Outcome) -> [i64; 2] {
    let arcstats = phase(outcome).kstats.get("arcstats").unwrap();
    let of = |row: &str| *arcstats.get(row).unwrap();
    ["demand_data_hits", "demand_data_misses"].map(of)
}

/// Reads everything twice, at random.
fn client() -> Client {
    let amount = Some(FILE.saturating_mul(2));
    Client { pattern: Pattern::Shuffled, amount, ..Client::reader("f", Bytes::kib(128)) }
}

#[test]
fn a_trace_of_a_client_finds_what_the_client_found() {
    let client = client();
    let written = "{ read = \"f\", io = \"128KiB\", pattern = \"shuffled\", amount = \"128MiB\" }";
    let own = ran(&client, written);
    let played = ran(&client, "{ trace = \"t\", pace = \"full\", depth = 1 }");
    assert_eq!(phase(&own).bytes, phase(&played).bytes);
    assert_eq!(counted(&own), counted(&played));
}

#[test]
fn a_trace_keeps_to_its_times_where_the_pool_can() {
    let outcome = ran(&client(), "{ trace = \"t\" }");
    let duration = phase(&outcome).duration_ns;
    // 1024 requests, a millisecond apart.
    assert!((Nanos::millis(1023)..Nanos::millis(1035)).contains(&duration), "{duration}");
    let late = ran(&client(), "{ trace = \"t\", depth = 1, think = \"5ms\" }");
    assert!(phase(&late).duration_ns > Nanos::millis(5 * 1023));
    let begun = ran(&client(), "{ trace = \"t\", since = \"50%\" }");
    assert!(phase(&begun).duration_ns < Nanos::millis(530));
}

#[test]
fn a_limit_ends_a_trace_that_waits() {
    let text = "title = \"t\"\n\
         system = { zfs = \"2.3.2\", memory = \"1GiB\", pool = { data = [\"ssd-sata-plp\"] } }\n\
         phase = [{ name = \"p\", limit = \"100ms\", clients = [{ trace = \"t\" }] }]\n";
    let scenario = Scenario::parse_beside(text, "t.toml", &OfClient(client())).unwrap();
    let outcome =
        Model::default().run(&RunRequest { scenario, repeats: 1 }, &mut Unwatched).unwrap();
    let run = phase(&outcome);
    assert!(run.duration_ns <= Nanos::millis(110), "{}", run.duration_ns);
    assert_eq!(run.clients[0].operations, 100);
}

/// What all requests took has a range, and hits; throughput is the trace's own. Beside other clients nothing was checked.
#[test]
fn what_a_trace_waits_has_a_range() {
    let mut outcome = ran(&client(), "{ trace = \"t\" }");
    arcwright_model::ranges::add(&mut outcome);
    let latency = &phase(&outcome).latency;
    let wait = latency.mean_ns.0 as f64 * latency.count as f64;
    let place = &outcome.ranges.as_ref().unwrap().places[0];
    assert!(place.outside.is_empty(), "{:?}", place.outside);
    assert!(place.wait_ns.unwrap().holds(wait) && place.throughput_bytes_per_sec.is_none());
    assert!(place.arc_hit_ratio.unwrap().holds(phase(&outcome).arc_hit_ratio.unwrap()));
    let mut beside = ran(&client(), "{ trace = \"t\" }, { read = \"f\" }");
    arcwright_model::ranges::add(&mut beside);
    let place = &beside.ranges.as_ref().unwrap().places[0];
    assert_eq!((place.outside.len(), place.wait_ns), (1, None), "{:?}", place.outside);
}

#[test]
fn a_saved_trace_without_requests_is_refused() {
    let outcome = ran(&client(), "{ trace = \"t\" }");
    let text = serde_json::to_string(&outcome.scenario).unwrap();
    let scenario: Scenario = serde_json::from_str(&text).unwrap();
    let error = Model::default().run(&RunRequest { scenario, repeats: 1 }, &mut Unwatched);
    assert!(error.unwrap_err().to_string().contains("trace"));
}
