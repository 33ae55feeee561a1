//! Help, usage errors, and the exit code 2.

use snapbox::str;

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
  watch      Watch the caches second by second, of this machine or of a running experiment
  tune       Show OpenZFS's parameters, change them, and undo changes
  scenarios  List the scenarios that come with the program, or print one
  init       Write a scenario with comments, to start an experiment of your own
  generate   Write man pages or shell completions of this program
  help       Print this message or the help of the given subcommand(s)

Options:
  -V, --version  Print the version: of this program, of the ZFS module that is loaded, of the
                 libraries for the lab
  -j, --json     Print the version as JSON
  -h, --help     Print help

"#]]);
}

#[test]
fn help_of_run_documents_the_columns() {
    arcwright().args(["run", "--help"]).assert().code(0).stdout_eq(str![[r#"
Run an experiment and compare its arms

Usage: arcwright run [OPTIONS] <SCENARIO>

Arguments:
  <SCENARIO>
          The scenario file, or a name from arcwright scenarios

Options:
      --engine <ENGINE>
          Engine that runs the experiment

          Possible values:
          - model: A prediction, in seconds
          - lab:   The real OpenZFS in user space, on emulated disks
          
          [default: model]

      --arm <NAME>
          Run only this arm; may be given several times, the first in the file is the reference

      --set <KEY=VALUE>
          Replace a value of the scenario, such as system.memory=32GiB or 'arm."a=b".memory=8GiB'

      --openzfs <VERSION|PATH>
          OpenZFS version to model; for the lab 2.0.3 to 2.4.4, or the path of a libzpool

      --seed <N>
          Seed of every random stream, instead of the scenario's

      --scale <N>
          Scale the experiment down: sizes and rates divided by N, durations unchanged

      --allow-outside-files
          Allow job files outside the scenario's folder

      --max-memory <SIZE>
          Memory limit for a run, such as 8GiB; by default three quarters of the free memory

      --scratch <DIR>
          Folder for the lab's disk images

      --repeat <N>
          Run each arm N times and show medians and their spread: interleaved in the lab, with a
          seed each on the model
          
          [default: 1]

      --check
          Check the scenario and show what would run, without running it

      --save <FILE>
          Save the result as JSON, for arcwright show

      --json
          Print the whole result as JSON

  -H
          Print tab-separated lines without headers, one per arm and phase

  -p
          Print exact numbers: bytes, nanoseconds, ratios from 0 to 1

  -h, --help
          Print help (see a summary with '-h')

Columns of -H (- means absent):
   1  arm              name of the arm
   2  phase            name of the phase
   3  throughput       bytes moved per second
   4  change           throughput against the first arm, percent
   5  reported         the field report's figure in its own unit
   6  duration         virtual time of the phase
   7  bytes            bytes moved by all clients
   8  operations       requests of all clients
   9  arc_hit_ratio    ARC hits of ARC accesses
  10  l2arc_hit_ratio  L2ARC hits of ARC misses
  11  arc_bytes        bytes read but not delivered by devices; absent in phases that write
  12  l2arc_read       bytes read from cache devices
  13  l2arc_written    bytes written to cache devices
  14  disk_read        bytes read from data and special disks
  15  disk_written     bytes written to data and special disks
  16  seeks            seeks of data and special disks
  17  latency_p50      half of the requests took no longer
  18  latency_p99      99 % of the requests took no longer
  19  sync_p50         half of the synchronous writes took no longer
  20  sync_p99         99 % of the synchronous writes took no longer
  21  log_max          peak fill of the log devices
  22  metadata_ratio   hits of accesses to metadata

"#]]);
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
    for arguments in
        [&["run", "missing"][..], &["show", "missing"], &["doctor", "--from", "missing"]]
    {
        arcwright().args(arguments).assert().code(1).stderr_eq(str![[r#"
error: failed to read missing: No such file or directory (os error 2)

"#]]);
    }
}
