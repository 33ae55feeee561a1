//! Every mistake in a job file is found, with its place and what would help.

use arcwright_workload::fio::JobFile;

use super::GOOD;

/// Replaces `from` in the good file by `to` and expects the problem on the line of `place`.
fn check(from: &str, to: &str, place: &str, expected: &str) {
    assert_eq!(GOOD.matches(from).count(), 1, "“{from}” is there once");
    let text = GOOD.replace(from, to);
    let result = JobFile::parse(&text).and_then(|file| file.plan(None));
    let Err(error) = result else { panic!("accepted {to}, where it should say “{expected}”") };
    let message = format!("{error} | {}", error.hint.as_deref().unwrap_or_default());
    assert!(message.contains(expected), "{message} should say {expected}");
    assert_eq!(&text[error.span.clone()], place, "{message}");
}

/// Adds a line to the first job and expects the problem at its value.
fn refused(line: &str, expected: &str) {
    let place = line.split_once('=').map_or(line, |(_, value)| value);
    check("iodepth=4", line, place, expected);
}

#[test]
fn the_clean_case_is_clean() {
    assert!(JobFile::parse(GOOD).unwrap().plan(None).is_ok());
}

#[test]
fn a_section_that_is_not_there() {
    check(
        "[global]",
        "[gloabl]",
        "[gloabl]",
        "unknown section “gloabl” | did you mean “[global]”?",
    );
    check("[global]", "[Global]", "[Global]", "did you mean “[global]”?");
    check("[two]", "[two", "[two", "does not end in “]”");
    check("[two]", "[]", "[]", "has no name");
    check("; a comment", "bs=4k", "bs=4k", "precedes the first section | write [global] above it");
    let error = JobFile::parse(GOOD).unwrap().plan(Some("three")).unwrap_err();
    assert_eq!(error.hint.as_deref(), Some("the jobs are: one, two"));
    assert!(JobFile::parse("[global]\nbs=4k\n").unwrap_err().message.contains("has no job"));
}

#[test]
fn an_option_that_is_not_there() {
    let check = |line: &str, key: &str, expected: &str| check("iodepth=4", line, key, expected);
    check("iodpeth=4", "iodpeth", "fio has no option “iodpeth” | did you mean “iodepth”?");
    check("blocksiez=4k", "blocksiez", "did you mean “blocksize”?");
    check("banana", "banana", "fio has no option “banana”");
    check("BS=4k", "BS", "did you mean “bs”?");
}

#[test]
fn an_option_that_cannot_be_done_is_named() {
    let at_key = |line: &str, expected: &str| {
        let key = line.split_once('=').map_or(line, |(key, _)| key);
        check("iodepth=4", line, key, expected);
    };
    at_key("flow=8", "“flow” is not supported | clients do not wait");
    at_key("latency_target=10ms", "write iodepth");
    at_key("read_iolog=trace", "replays traces by itself");
    at_key("number_ios=10", "write io_size");
    at_key("hostname=nas", "for engines, devices or requests other than");
    refused("offset=1g", "“offset=1g” is not supported | a client uses its file from");
    refused(
        "verify=crc32c",
        "verification reads are not modelled; leave it out, or write verify=0",
    );
    refused("ramp_time=10", "is a phase of its own");
    refused("thinktime_blocks=8", "pauses after every request");
    check("iodepth=4", "exitall", "exitall", "give it a limit");
    check("startdelay=5", "stonewall", "stonewall", "write a phase per job, with section");
    check("startdelay=5", "wait_for=one", "wait_for", "jobs of one phase run side by side");
    check("iodepth=4", "include more.fio", "include more.fio", "is not supported");
}

#[test]
fn a_value_that_cannot_be() {
    refused("bs=4x", "must be a size such as 4k");
    refused("bs=0", "must be above zero");
    refused("bs=2g", "not be above 1 GiB");
    refused("size=-1", "must be a size");
    refused("size=99999999999999999999", "must be a size");
    refused("size=50%", "a part of an unknown size | write bytes, or set filesize");
    refused("size=4k", "must give every file a request of 8 KiB at least");
    refused("filesize=4k-8k", "sizes drawn at random are not modelled");
    refused("bsrange=4k-10k", "end at a multiple of its begin");
    refused("bsrange=8k", "a range such as 4k-16k");
    refused("bssplit=4k/50:8k/50", "size distributions are not modelled");
    refused("iodepth=0", "a whole number from 1");
    refused("startdelay=1-5", "times drawn at random");
    refused("thinktime=5 parsecs", "be a time such as");
    refused("thinktime=18446744073709551615h", "be a time such as");
    refused("norandommap=2", "be 0 or 1");
    refused("ioengine=mmap", "“ioengine=mmap” is unknown | known are: sync");
    refused("ioengine=libaoi", "did you mean “libaio”?");
    refused("sync=maybe", "must be none, sync or dsync");
    refused("fsync=-1", "a whole number");
    refused("random_distribution=pareto:0.9", "“random_distribution=pareto” is not modelled");
    refused("random_distribution=zipf:-1", "an exponent above zero");
    refused("percentage_random=30", "a client is random or sequential");
    refused("rate=banana", "must be a size");
    refused("filename=/dev/sda", "is a device | clients use files");
    refused("filename=a::b", "with “:” between them");
    refused("nrfiles=0", "a whole number from 1");
    refused("filesize=128m", "a part of larger files");
    refused("size=${SIZE}", "contains a variable that is not supported | write its value");
    refused("size=$mb_memory", "contains a keyword of fio");
    refused("size=(4*2)k", "is an expression");
    check("iodepth=4", "iodepth", "iodepth", "“iodepth” has no value");
    check("iodepth=4", "time_based", "time_based", "without a runtime");
    check("iodepth=4", "iodepth=4\nthinktime=10", "10", "write iodepth=1");
    check(
        "iodepth=4",
        "nrfiles=4\nfile_service_type=random",
        "random",
        "requests alternate between files",
    );
    check("size=64m\n", "", "[one]", "job “one” has no size");
}

#[test]
fn a_kind_of_job_that_cannot_be() {
    let rw = |value: &str, expected: &str| {
        check("rw=randread", &format!("rw={value}"), value, expected);
    };
    rw("randtrim", "read and written, not trimmed");
    rw("randraed", "did you mean “randread”?");
    rw("banana", "known are: read, write");
    rw("randread:8", "runs of requests are not modelled | write rw=randread");
    rw("read:4k", "holes between requests are not modelled");
    let mixed = |line: &str, place: &str, expected: &str| {
        check("rw=randread", &format!("rw=randrw\n{line}"), place, expected);
    };
    mixed("bs=4k,8k", "4k,8k", "write two jobs");
    mixed("rate=1m", "1m", "has different values for reads and writes");
    mixed("rwmixread=101", "101", "a share from 0 to 100");
}
