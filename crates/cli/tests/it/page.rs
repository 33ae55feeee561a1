//! Pages and charts of results: `--html`, `--svg`.

use std::fs;

use snapbox::str;

use crate::{arcwright, fixture};

#[test]
fn a_page_is_written_beside_what_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        arcwright()
            .current_dir(folder.path())
            .args(["show"])
            .arg(fixture("steam.json"))
            .args(arguments)
            .assert()
    };
    let printed = arcwright().arg("show").arg(fixture("steam.json")).output().unwrap().stdout;
    run(&["--html", "a.html"]).code(0).stdout_eq(printed).stderr_eq(str![[r#"
wrote a.html

"#]]);
    let page = fs::read_to_string(folder.path().join("a.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("dumb LRU"));
    run(&["--svg", "a.svg", "--chart", "latency", "-H"]).code(0);
    assert!(fs::read_to_string(folder.path().join("a.svg")).unwrap().starts_with("<svg "));
    // The fixture is of before there were samples.
    run(&["--svg", "b.svg", "--chart", "time"]).code(1).stderr_eq(str![[r#"
error: no chart to write: the result has no samples over time; run it again

"#]]);
    assert!(!folder.path().join("b.svg").exists());
}

#[test]
fn a_page_is_replaced_and_another_file_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let compare = |file: &str| {
        let steam = fixture("steam.json");
        let pair = [&steam, &steam];
        arcwright()
            .current_dir(folder.path())
            .arg("compare")
            .args(pair)
            .args(["--html", file])
            .assert()
    };
    compare("a.html").code(0);
    let page = fs::read_to_string(folder.path().join("a.html")).unwrap();
    compare("a.html").code(0);
    assert_eq!(fs::read_to_string(folder.path().join("a.html")).unwrap(), page);
    fs::write(folder.path().join("mine.html"), "<!DOCTYPE html>\n<p>my own</p>").unwrap();
    compare("mine.html").code(2).stdout_eq(str![""]).stderr_eq(str![[r#"
error: mine.html is there already and is no report; name another file

"#]]);
    compare("/nonexistent/a.html").code(1);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn findings_are_a_page_and_those_of_many_machines_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let capture = arcwright_fixtures::path("guest-2.3.2-metadata");
    let doctor = |count: usize| {
        let doctor = arcwright().current_dir(folder.path()).args([
            "doctor",
            "--no-model",
            "--html",
            "a.html",
        ]);
        doctor.arg("--from").args(vec![&capture; count]).assert()
    };
    doctor(1).code(0);
    let page = fs::read_to_string(folder.path().join("a.html")).unwrap();
    assert!(page.contains("arcwright tune apply zfs_arc_max=384MiB"));
    doctor(2).code(2).stderr_eq(str![[r#"
error: --html shows one machine; give one capture

"#]]);
}
