//! Disks behind one link.
#![expect(clippy::indexing_slicing, reason = "phases and disks are those of the texts above")]

use arcwright_scenario::PhaseRun;

use super::{numbered, phases, run};

/// Eight disks, behind a link if `links` names one and `disk` says so, and a film read from all.
fn text(links: &str, disk: &str, work: &str) -> String {
    let phases = numbered(&[&format!("clients = [{work}]")]);
    format!(
        r#"
title = "test"
[links]
{links}
[devices]
disk = {disk}
[system]
zfs = "2.3.2"
memory = "1GiB"
[system.pool]
data = [{{ raidz2 = ["8 x disk"] }}]
recordsize = "1MiB"
[[file]]
name = "film"
size = "2GiB"
{phases}"#
    )
}

const READ: &str = "{ read = \"film\", io = \"1MiB\" }";
const BEHIND: &str = "{ device = \"hdd-nas-7200\", link = \"hba\" }";

/// Returns the megabytes per second that the film is read with.
fn rate(text: &str) -> u64 {
    phases(&run(text).unwrap())[0].throughput_bytes_per_sec.0 / 1_000_000
}

#[test]
fn disks_move_together_what_the_link_carries() {
    let alone = rate(&text("", "\"hdd-nas-7200\"", READ));
    let wide = rate(&text("hba = \"4800MB/s\"", BEHIND, READ));
    let narrow = rate(&text("hba = \"300MB/s\"", BEHIND, READ));
    assert!(alone > 900, "{alone}");
    assert!(wide * 100 > alone * 95 && wide <= alone, "{wide} of {alone}");
    // Of eight disks two hold parity, which is not read.
    assert!((280..=300).contains(&narrow), "{narrow}");
}

#[test]
fn with_one_request_at_a_time_only_one_disk_seeks() {
    let random =
        "{ read = \"film\", io = \"1MiB\", pattern = \"random\", depth = 8, amount = \"256MiB\" }";
    let link = "hba = { rate = \"400MB/s\", one_way = true, requests_max = 1 }";
    let one = rate(&text(link, BEHIND, random));
    let many = rate(&text("hba = { rate = \"400MB/s\", one_way = true }", BEHIND, random));
    assert!(one * 3 < many, "{one} and {many}");
}

fn busy(run: &PhaseRun) -> u64 {
    let link = run.devices[0].link.as_ref().unwrap();
    assert_eq!(link.name, "hba");
    link.read_busy_ns.0 * 100 / run.duration_ns.0
}

#[test]
fn a_link_that_is_full_is_named() {
    let outcome = run(&text("hba = \"300MB/s\"", BEHIND, READ)).unwrap();
    assert!(busy(&phases(&outcome)[0]) >= 95);
    let said = outcome.full_links().unwrap();
    assert!(said.contains("“hba” was busy for"), "{said}");
    let wide = run(&text("hba = \"4800MB/s\"", BEHIND, READ)).unwrap();
    assert!(busy(&phases(&wide)[0]) < 40);
    assert_eq!(wide.full_links(), None);
}
