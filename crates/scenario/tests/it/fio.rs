//! Job files as clients of a scenario.

use arcwright_scenario::{Scenario, ScenarioError};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::Action;

use super::GOOD;

const CLIENT: &str = "{ read = \"test.dat\", io = \"1MiB\" }";
const JOBS: &str = "\
[global]
size=64m
bs=64k

[reader]
rw=randread
numjobs=2
ioengine=libaio
iodepth=8

[writer]
rw=write
runtime=60
";

/// Returns the scenario with one client taken from a job file of this text.
fn with(jobs: &str, client: &str) -> Result<Scenario, ScenarioError> {
    let text = GOOD.replacen(CLIENT, client, 1);
    let fetch = |path: &str| match path {
        "a.fio" => Ok(jobs.to_owned()),
        _ => Err("no such file".to_owned()),
    };
    Scenario::parse_with(&text, "good.toml", &fetch)
}

/// Expects a problem: its file, its line, and what it says.
fn refused(jobs: &str, client: &str, (file, line): (&str, usize), expected: &str) {
    let Err(error) = with(jobs, client) else { panic!("accepted: {client} with {jobs}") };
    let message = format!("{error} | {}", error.hint().unwrap_or_default());
    assert!(message.contains(expected), "{message} should say {expected}");
    assert_eq!((error.file(), error.line()), (file, line), "{message}");
}

/// The line of the client in the scenario.
const AT: (&str, usize) = ("good.toml", 36);

#[test]
fn a_job_becomes_clients_and_files() {
    let client = "{ fio = \"a.fio\", section = \"reader\", link = { rate = \"1Gbit/s\" } }";
    let scenario = with(JOBS, client).unwrap();
    let clients = &scenario.phases[0].clients;
    // Two clones, and the two mixed clients that stand beside them.
    assert_eq!(clients.len(), 4);
    assert_eq!((clients[1].name().as_str(), clients[1].file.as_str()), ("reader", "reader.1.0"));
    assert_eq!((clients[1].depth, clients[1].io), (8, Bytes::kib(64)));
    assert!(clients[0].link.is_some() && clients[2].link.is_none());
    let files: Vec<&str> = scenario.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(files, ["test.dat", "reader.0.0", "reader.1.0"]);
    assert!(
        scenario
            .phases
            .iter()
            .flat_map(|phase| &phase.clients)
            .all(|client| { !matches!(client.action, Action::Fio { .. }) })
    );
    assert!(scenario.notes.iter().any(|note| note.contains("libaio")), "{:?}", scenario.notes);
}

#[test]
fn a_runtime_ends_the_phase_when_all_agree() {
    let writer = "{ fio = \"a.fio\", section = \"writer\" }";
    let next = "[[phase]]\nname = \"b\"\nclients = [{ read = \"test.dat\" }";
    let alone = &format!("{writer}]\n{next}");
    let phase = &with(JOBS, alone).unwrap().phases[0];
    assert_eq!((phase.limit, phase.clients.len()), (Some(Nanos::secs(60)), 1));
    let beside = "{ fio = \"a.fio\", section = \"writer\" }";
    refused(JOBS, beside, AT, "the job a phase of its own");
    refused(JOBS, "{ fio = \"a.fio\" }", AT, "end at different times");
}

#[test]
fn jobs_share_the_files_they_name() {
    let jobs = "[global]\nsize=1m\nfilename=data\n[a]\n[b]\nrw=randread\n";
    let scenario = with(jobs, "{ fio = \"a.fio\" }, { fio = \"a.fio\" }").unwrap();
    assert_eq!(scenario.files.iter().filter(|file| file.name == "data").count(), 1);
    let other = jobs.replace("[b]", "[b]\nsize=2m");
    refused(&other, "{ fio = \"a.fio\" }", AT, "“data” with 1 MiB and with 2 MiB");
    let taken = jobs.replace("=data", "=test.dat");
    refused(&taken, "{ fio = \"a.fio\" }", AT, "are both called “test.dat”");
    let large = jobs.replace("=1m", "=900t");
    refused(&large, "{ fio = \"a.fio\" }", AT, "the pool has room for");
}

#[test]
fn a_mistake_is_shown_where_it_is() {
    let client = "{ fio = \"a.fio\" }";
    let one = "{ fio = \"a.fio\", section = \"raeder\" }";
    refused(JOBS, one, AT, "a.fio has no section “raeder” | did you mean “reader”?");
    refused(JOBS, "{ fio = \"b.fio\" }", AT, "no job file “b.fio”: no such file");
    refused(
        JOBS,
        "{ fio = \"a.fio\", io = \"4KiB\" }",
        AT,
        "the job file sets “io” of this client",
    );
    refused(JOBS, "{ fio = \"a.fio\", banana = 1 }", AT, "unknown key “banana” in a fio client");
    let broken = JOBS.replace("iodepth", "iodpeth");
    refused(&broken, client, ("a.fio", 9), "fio has no option “iodpeth” | did you mean “iodepth”?");
    let broken = JOBS.replace("rw=write", "rw=trim");
    refused(&broken, client, ("a.fio", 12), "“rw=trim” is unknown");
    let broken = JOBS.replace("[global]", "[gloabl]");
    refused(&broken, client, ("a.fio", 1), "did you mean “[global]”?");
}

#[test]
fn without_a_way_to_other_files_a_job_is_refused() {
    let text = GOOD.replacen(CLIENT, "{ fio = \"a.fio\" }", 1);
    let error = Scenario::parse(&text, "good.toml").unwrap_err();
    assert!(error.to_string().contains("cannot refer to other files"), "{error}");
}

#[test]
fn a_scaled_job_keeps_its_requests() {
    let small = with(JOBS, "{ fio = \"a.fio\", section = \"reader\" }").unwrap().scaled(4);
    let client = &small.phases[0].clients[0];
    assert_eq!((client.amount, client.io, client.depth), (Some(Bytes::mib(16)), Bytes::kib(64), 8));
    assert_eq!(small.files[1].size, Bytes::mib(16));
}
