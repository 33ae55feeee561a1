//! What a right job file means.

use arcwright_units::{Bytes, Nanos, Rate};
use arcwright_workload::fio::{Job, JobFile, Plan};
use arcwright_workload::{Action, Durability, Pattern};

use super::GOOD;

fn plan(text: &str) -> Plan {
    let file = JobFile::parse(text).unwrap();
    file.plan(None).unwrap_or_else(|error| panic!("{text}: {error} {:?}", error.hint))
}

/// Returns the job of a file that holds these lines, of 64 MiB unless they say otherwise.
fn job(lines: &str) -> Job {
    let text = format!("[j]\nsize=64m\n{}", lines.replace(", ", "\n"));
    plan(&text).jobs.into_iter().next().unwrap()
}

#[test]
fn options_of_global_hold_until_a_job_has_its_own() {
    let jobs = plan(GOOD).jobs;
    let [one, two] = jobs.as_slice() else { panic!("{jobs:?}") };
    assert_eq!((one.name.as_str(), one.requests.io, one.depth), ("one", Bytes::kib(8), 4));
    assert_eq!((one.clones, one.kind.pattern), (2, Pattern::Shuffled));
    assert_eq!((two.requests.io, two.depth, two.start), (Bytes::kib(128), 1, Nanos::secs(5)));
    assert_eq!((&two.kind.action, two.amounts.amount), (&Action::Write, Bytes::mib(64)));
    let later = plan(
        "[global]\nsize=1m\n[a]\n[global]\nsize=2m\nbs=16k\n[b]\nbs=8k\n[c]\nsize=4k\nbs=4k\n",
    );
    let sizes: Vec<u64> = later.jobs.iter().map(|job| job.amounts.amount.0).collect();
    assert_eq!(sizes, [1 << 20, 2 << 20, 4096]);
}

#[test]
fn clones_have_files_of_their_own_unless_they_are_named() {
    let (files, clients) = job("rw=randread, numjobs=2, nrfiles=2").expand();
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["j.0.0", "j.0.1", "j.1.0", "j.1.1"]);
    assert!(files.iter().all(|file| file.size == Bytes::mib(32)));
    assert_eq!(
        (clients[1].file.as_str(), clients[1].more_files.as_slice()),
        ("j.1.0", &["j.1.1".to_owned()][..])
    );
    assert_eq!((clients[1].amount, clients[1].label.as_deref()), (Some(Bytes::mib(64)), Some("j")));
    let (files, clients) = job("filename=a:b, numjobs=2").expand();
    assert_eq!(files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(clients.len() == 2 && clients.iter().all(|client| client.file == "a"));
}

#[test]
fn every_kind_of_job_has_its_order() {
    let check = |lines: &str, action: Action, pattern: Pattern| {
        let kind = job(lines).kind;
        assert_eq!((kind.action, kind.pattern), (action, pattern), "{lines}");
    };
    let mixed = |read_pct| Action::Mixed { read_pct };
    check("", Action::Read, Pattern::Sequential);
    check("readwrite=write", Action::Write, Pattern::Sequential);
    check("rw=rw", mixed(50), Pattern::SequentialApart);
    check("rw=randrw, rwmixread=70", mixed(70), Pattern::Shuffled);
    check("rw=randrw, rwmixread=70, rwmixwrite=60", mixed(40), Pattern::Shuffled);
    check("rw=randwrite, norandommap", Action::Write, Pattern::Random);
    check("rw=randread, norandommap=0", Action::Read, Pattern::Shuffled);
    check(
        "rw=randread, random_distribution=zipf:1.2",
        Action::Read,
        Pattern::Zipf { exponent: 1.2 },
    );
    check("rw=randrw, percentage_random=0", mixed(50), Pattern::SequentialApart);
    check("rw=randread:1", Action::Read, Pattern::Shuffled);
}

#[test]
fn amounts_are_those_that_fio_moves() {
    // Checked with fio 3.33: what it reads in KiB, and how large its files are.
    let check = |lines: &str, amount_kib: u64, file_kib: u64| {
        let amounts = job(lines).amounts;
        let expected = (Bytes::kib(amount_kib), Bytes::kib(file_kib));
        assert_eq!((amounts.amount, amounts.file_size), expected, "{lines}");
    };
    check("size=64k, filesize=16k", 16, 16);
    check("size=16k, filesize=64k", 16, 64);
    check("size=32k, io_size=64k", 64, 32);
    check("size=16k, rw=randread, loops=2", 32, 16);
    check("size=24k, nrfiles=3", 24, 8);
    check("filesize=16k, nrfiles=2, size=8k", 8, 16);
    check("size=14k", 12, 12);
    check("filesize=64k, size=50%", 32, 64);
    check("size=64k, io_size=25%", 16, 64);
    check("size=64000k, kb_base=1000, bs=1k", 62_500, 62_500);
    assert!(job("time_based, runtime=30").amounts.amount > Bytes::gib(1 << 19));
}

#[test]
fn requests_times_and_rates_have_their_units() {
    let check = |lines: &str, io: u64, io_max: Option<u64>| {
        let requests = job(lines).requests;
        assert_eq!((requests.io, requests.io_max), (Bytes(io), io_max.map(Bytes)), "{lines}");
    };
    check("", 4096, None);
    check("bs=4k,8k", 4096, None);
    check("bs=4k,8k, rw=write", 8192, None);
    check("bsrange=4k-16k", 4096, Some(16_384));
    check("blocksize_range=4k-4k", 4096, None);
    check("bs=512, bsrange=1k-2k", 1024, Some(2048));
    check("bssplit=64k/100", 65_536, None);
    let timed = job("runtime=2m, thinktime=500, startdelay=1500ms");
    assert_eq!(timed.limit, Some(Nanos::secs(120)));
    assert_eq!((timed.think, timed.start), (Nanos::micros(500), Nanos::millis(1500)));
    assert_eq!(job("rate=10m").rate, Some(Rate(10 << 20)));
    assert_eq!(job("rate=,10m").rate, None);
    assert_eq!(job("rate=1m,10m, rw=write").rate, Some(Rate(10 << 20)));
    assert_eq!(job("rate=1m,, rw=write").rate, None);
    assert_eq!(job("rate_iops=100").rate, Some(Rate(409_600)));
}

#[test]
fn what_is_waited_for() {
    let check = |lines: &str, expected: Durability| {
        assert_eq!(job(lines).durability, expected, "{lines}");
    };
    check("rw=write", Durability::Later);
    check("rw=write, sync=1", Durability::EachWrite);
    check("rw=write, sync=dsync", Durability::EachWrite);
    check("rw=write, sync=none, fsync=8", Durability::Every(8));
    check("rw=randrw, fdatasync=1", Durability::Every(1));
    check("rw=write, end_fsync=1", Durability::AtEnd);
    check("rw=write, fsync=0, fsync_on_close=1", Durability::AtEnd);
}

#[test]
fn the_way_of_asking_decides_how_many_are_under_way() {
    let check = |lines: &str, expected: u32| assert_eq!(job(lines).depth, expected, "{lines}");
    check("iodepth=16", 1);
    check("iodepth=16, ioengine=psync", 1);
    check("iodepth=16, ioengine=posixaio", 16);
    check("iodepth=16, ioengine=io_uring", 16);
}

#[test]
fn what_has_no_effect_is_told_and_what_is_no_load_is_not() {
    let notes = |lines: &str| {
        let text = format!("[j]\nsize=64m\n{}", lines.replace(", ", "\n"));
        plan(&text).notes.join("\n")
    };
    assert_eq!(notes("group_reporting, name=x, thread, write_bw_log=log, new_group"), "");
    assert!(notes("direct=1").contains("direct=1 has no effect: ZFS"));
    assert!(notes("buffered=0").contains("direct=1 has no effect"));
    assert!(notes("directory=/tank").contains("fio job “j”: “directory” has no effect"));
    assert!(notes("iodepth=4").contains("psync waits for every request"));
    assert!(notes("rw=write").contains("its files exist before it writes them"));
    assert_eq!(notes("rw=write, overwrite=1"), "");
    assert!(notes("rw=rw, end_fsync=1").contains("the sync at the end is left out"));
}

#[test]
fn one_job_can_be_taken_of_several() {
    let file = JobFile::parse(GOOD).unwrap();
    assert_eq!(file.names().collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(file.plan(Some("two")).unwrap().jobs.len(), 1);
    let staged = GOOD.replace("[two]", "[two]\nstonewall");
    let file = JobFile::parse(&staged).unwrap();
    assert!(file.plan(None).is_err() && file.plan(Some("two")).is_ok());
}
