//! Names that would steer a terminal are written out in every form of every command.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use arcwright_units::is_hidden;
use tempfile::TempDir;

/// An escape that repaints the screen, one that sets its title, marks that turn letters round, a lone
/// control of the second set, and what ends a line or a column.
const ODD: &str =
    "p\u{1b}[2J\u{1b}]0;x\u{7}\u{202e}q\u{2066}\u{200f}\u{61c}\u{9b}31m\u{200b}|r\u{0}";

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_arcwright")).args(arguments).output().unwrap()
}

/// Says that nothing hidden was printed but the ends of lines, and of columns where there are any.
fn check(arguments: &[&str]) -> Output {
    let output = run(arguments);
    for stream in [&output.stdout, &output.stderr] {
        let text = String::from_utf8(stream.clone()).unwrap();
        let odd = text.chars().find(|letter| is_hidden(*letter) && !"\n\t".contains(*letter));
        assert!(odd.is_none(), "{arguments:?}: {odd:?} in {text:?}");
    }
    output
}

/// A tree of a machine in which everything that can be named has an odd name.
fn machine() -> TempDir {
    let root = TempDir::new().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let odd = ODD.replace('\0', "");
    write(
        "commands/zpool-status",
        &format!(
            "  pool: {odd}\n state: DEGRADED\nstatus: {odd}\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n\
             \t{odd}        DEGRADED     0     0     0\n\t  mirror-0  DEGRADED     0     0     0\n\
             \t    a{odd}     ONLINE       3     0     7\n\t    b{odd}     FAULTED      0     9     0  {odd}\n\n\
             errors: Permanent errors have been detected in the following files:\n\n        /{odd}/file\n"
        ),
    );
    write(
        "commands/zpool-get",
        &format!("{odd}\tcapacity\t93\t-\n{odd}\tashift\t9\t-\n{odd}\tfragmentation\t70\t-\n"),
    );
    write(
        "commands/zfs-get",
        &format!(
            "{odd}/d\tsync\tdisabled\tlocal\n{odd}/d\tdedup\ton\tlocal\n{odd}/d\tatime\ton\tlocal\n"
        ),
    );
    write("etc/os-release", &format!("PRETTY_NAME=\"Debian {odd}\"\n"));
    write("etc/modprobe.d/zfs.conf", &format!("options zfs zfs_arc_max=1 zfs_{odd}=1\n"));
    write("sys/module/zfs/version", &format!("2.3.2-{odd}\n"));
    write("sys/module/zfs/parameters/zfs_arc_max", &format!("{odd}\n"));
    write("sys/module/zfs/parameters/l2arc_noprefetch", "1\n");
    write("proc/meminfo", &format!("MemTotal: {odd} kB\n"));
    write(
        "proc/spl/kstat/zfs/arcstats",
        &format!("13 1 0x01 2 544 1 2\nname type data\nhits 4 {odd}\n"),
    );
    root
}

#[test]
fn a_hostile_machine_cannot_steer_the_terminal() {
    let root = machine();
    let from = root.path().to_str().unwrap();
    for form in [&[][..], &["--explain"], &["-H"], &["--json"], &["--check"]] {
        let mut arguments = vec!["doctor", "--no-model", "--from", from];
        arguments.extend(form);
        let output = check(&arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        if form.contains(&"-H") {
            let columns = arcwright_report::DOCTOR_COLUMNS.len();
            for line in text.lines() {
                assert_eq!(line.split('\t').count(), columns, "{line}");
            }
        }
        if form.contains(&"--check") {
            assert_eq!(text.lines().count(), 1, "{text}");
            assert!(text.matches('|').count() <= 1, "{text}");
        }
    }
    for form in [&[][..], &["-H"], &["--json"], &["--check"]] {
        let mut arguments = vec!["doctor", "--from", from, from];
        arguments.extend(form);
        check(&arguments);
    }
}

#[test]
fn a_name_keeps_its_value_in_json() {
    let root = machine();
    let from = root.path().to_str().unwrap();
    let output = check(&["doctor", "--no-model", "--json", "--from", from]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let pools = json["doctor"]["reading"]["pools"].to_string();
    assert!(
        serde_json::from_str::<Vec<String>>(&pools).unwrap()[0].contains('\u{202e}'),
        "{pools}"
    );
}

#[test]
fn tune_and_watch_cannot_be_steered() {
    let root = machine();
    let from = root.path().to_str().unwrap();
    for words in [
        &["list"][..],
        &["list", "--all"],
        &["list", "-H", "--all"],
        &["list", "--json"],
        &["show", "zfs_arc_max"],
        &["diff", "l2arc_noprefetch=0"],
        &["persist", "l2arc_noprefetch=0"],
        &["log"],
        &["verify"],
    ] {
        let mut arguments = vec!["tune", "--root", from];
        arguments.extend(words);
        check(&arguments);
    }
    check(&["tune", "--root", from, "show", "zfs\u{1b}[2J\u{202e}"]);
    check(&["watch", "--picture", "100x40", "--from", from]);
}

#[test]
fn names_of_files_and_words_of_the_command_line_are_written_out() {
    let folder = TempDir::new().unwrap();
    let name = folder.path().join("a\u{1b}[31m\u{202e}\u{7}.txt");
    let name = name.to_str().unwrap();
    for arguments in [
        &["doctor", "--from", name][..],
        &["doctor", "--check", "--from", name],
        &["show", name],
        &["run", name],
        &["compare", name, name],
        &["watch", "--picture", "80x24", "--from", name],
        &["tune", "--root", name, "list"],
        &["doctor", "--ignore", "\u{1b}[31m\u{202e}"],
        &["doctor", "--\u{1b}[31m\u{202e}"],
        &["\u{1b}[31m"],
    ] {
        check(arguments);
    }
    fs::write(name, "zpool\u{1b}[2J\u{9b}\u{202e} nothing that is known\n").unwrap();
    check(&["doctor", "--from", name]);
    check(&["show", name]);
    check(&["run", name]);
    let scenario = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/steam-library.toml"),
    );
    let scenario = scenario.unwrap().replace("title = \"", "odd = \"\u{202e}\u{9b}\"\ntitle = \"");
    fs::write(name, scenario).unwrap();
    check(&["run", "--check", name]);
}

#[test]
fn bytes_that_are_no_text_are_no_controls() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("paste.txt");
    fs::write(&path, b"  pool: a\x9b31mb\x85\n state: ONLINE\r\n\rscan: \xffnone\n").unwrap();
    check(&["doctor", "--no-model", "--from", path.to_str().unwrap()]);
}
