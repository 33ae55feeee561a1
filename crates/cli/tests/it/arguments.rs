//! Help, usage errors, and the exit code 2.

use snapbox::{file, str};

use crate::arcwright;

#[test]
fn help_lists_the_commands() {
    arcwright().arg("--help").assert().code(0).stdout_eq(str![[r#"
Explains, predicts and tunes ZFS caches: what they do, what a change would gain, and what it costs

Usage: arcwright [OPTIONS]
       arcwright <COMMAND>

Commands:
  run        Run an experiment and compare its arms
  show       Show saved results
  compare    Show two saved results of one experiment side by side
  doctor     Diagnose this machine's caches and disks, and recommend changes
  capture    Collect everything needed to diagnose this machine in one archive
  watch      Watch throughput and caches second by second, of this machine or of a running
             experiment
  metrics    Print counters and findings for Prometheus, write them to a file, or answer scrapes
  serve      Show a page with this machine's caches, live and recorded, in a browser
  record     Record counters over hours and days in a bounded store, and show what is in it
  tune       Show OpenZFS's parameters, change them, and undo changes
  scenario   Write this machine, or a captured one, as a scenario, with its load
  ssd        Plan what an SSD should be for a pool
  whatif     Try memory, L2ARC, log devices and parameters in all combinations, and rank what they
             bring
  advise     Say what is worth changing on a machine: findings, a curve over memory, ranked changes,
             commands
  who        Say which datasets, processes and files read, write and wait
  calibrate  Measure this machine's processor or a disk, for scenarios
  trace      Look at a recorded trace, convert and cut it, and draw its miss-ratio curve
  scenarios  List the scenarios that come with the program, or print one
  init       Write a scenario with comments, to start an experiment of your own
  generate   Write man pages or shell completions of this program
  help       Print this message or the help of the given subcommand(s)

Options:
  -V, --version  Print the version: of this program, of the ZFS module that is loaded, of the
                 libraries for the lab
  -j, --json     Print the version as JSON
  -h, --help     Print help

First tries, which only read and need no root:
  arcwright doctor             where the pools are
  arcwright run steam-library  anywhere: a prediction, in seconds

"#]]);
}

#[test]
fn help_of_run_documents_the_columns() {
    arcwright().args(["run", "--help"]).assert().code(0).stdout_eq(file!["help-of-run.txt"]);
}

#[test]
fn no_command_is_wrong_use() {
    arcwright().assert().code(2);
}

#[test]
fn an_unknown_engine_is_wrong_use() {
    let result = arcwright().args(["run", "x.toml", "--engine", "labs"]).assert().code(2);
    result.stderr_eq(str![[r#"
error: invalid value 'labs' for '--engine <ENGINE>'
  [possible values: model, lab]

  tip: a similar value exists: 'lab'

For more information, try '--help'.

"#]]);
}

#[test]
fn an_override_without_a_value_is_wrong_use() {
    arcwright().args(["run", "x.toml", "--set", "memory"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value 'memory' for '--set <KEY=VALUE>': expected KEY=VALUE, such as system.memory=32GiB

For more information, try '--help'.

"#]]);
}

#[test]
fn two_forms_at_once_are_wrong_use() {
    arcwright().args(["show", "x.json", "--json", "-H"]).assert().code(2).stderr_eq(str![[r#"
error: the argument '--json' cannot be used with '-H'

Usage: arcwright show --json <FILE>...

For more information, try '--help'.

"#]]);
}

#[test]
fn a_file_that_is_not_there_ends_alike_everywhere() {
    for arguments in [
        &["run", "./missing"][..],
        &["show", "./missing"],
        &["doctor", "--from", "./missing"],
        &["doctor", "--config", "./missing"],
        &["doctor", "--ignore-file", "./missing"],
        &["doctor", "--baseline", "./missing"],
    ] {
        arcwright().args(arguments).assert().code(1).stderr_eq(str![[r#"
error: failed to read ./missing: No such file or directory (os error 2)

"#]]);
    }
}

#[test]
fn a_version_that_was_never_released_has_no_model() {
    let run = ["run", "steam-library", "--check", "--openzfs"];
    arcwright().args(run).arg("2.1.11-1").assert().code(0);
    for version in ["nonsense", "", "9.9"] {
        let said = arcwright().args(run).arg(version).assert().code(2).get_output().clone();
        assert!(said.stderr.starts_with(b"error: --openzfs"), "{version}: {said:?}");
    }
}

/// As root it would otherwise be the end of `/dev/null` for the whole machine.
#[test]
fn no_device_is_replaced_by_a_result() {
    let paste = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/pastes/fio-result.txt");
    let arguments = ["doctor", "--from", paste, "--write-baseline", "/dev/null"];
    arcwright().args(arguments).assert().code(1).stderr_eq(str![[r#"
error: /dev/null is a device; name a file, or one that is not there yet

"#]]);
}

#[test]
fn a_word_that_is_no_scenario_is_answered_with_where_they_are_listed() {
    arcwright().args(["run", "entirely-else"]).assert().code(1).stderr_eq(str![[r#"
error: failed to read entirely-else (arcwright scenarios lists those that need no file): No such file or directory (os error 2)

"#]]);
}

#[test]
fn a_recorded_run_is_watched_instead_of_a_machine_or_a_run() {
    arcwright().args(["watch", "--demo", "--from", "nas.tar.gz"]).assert().code(2).stderr_eq(str![
        [r#"
error: the argument '--demo' cannot be used with '--from <CAPTURE>'

Usage: arcwright watch --demo

For more information, try '--help'.

"#]
    ]);
    arcwright().args(["watch", "--demo", "--scenario", "nas.toml"]).assert().code(2).stderr_eq(
        str![[r#"
error: the argument '--demo' cannot be used with '--scenario <FILE>'

Usage: arcwright watch --demo

For more information, try '--help'.

"#]],
    );
}
