//! The text form: every text comes back, and a file that was cut or altered is refused with the line.

use arcwright_machine::Sources;

use super::super::{captures_in, pack_text};
use super::{ARCSTATS, gzip, manifest, open_bytes, sources, tar_of, whole};

const SMALL: &str = "\
arcwright capture as text, format 1
=== etc/modprobe.d/zfs.conf
options zfs zfs_arc_max=1
=== etc/version
\\=== no mark
\\\\ no escape

=== links
=== sample-0/at
1000
\\ No newline at end of file
===
";

fn small() -> Sources {
    sources(&[
        ("etc/modprobe.d/zfs.conf", "options zfs zfs_arc_max=1\n"),
        ("etc/version", "=== no mark\n\\ no escape\n\n"),
        ("links", ""),
        ("sample-0/at", "1000"),
    ])
}

#[test]
fn a_file_looks_as_its_description_says() {
    assert_eq!(pack_text(&small(), None).unwrap(), SMALL);
    assert_eq!(open_bytes("x.txt", SMALL.as_bytes()).unwrap(), small());
}

#[test]
fn what_is_packed_comes_back_with_what_was_missing() {
    let text = pack_text(&whole(), Some(&manifest(&whole()))).unwrap();
    let windows = text.replace('\n', "\r\n");
    let with_mark = format!("\u{feff}{text}");
    let tar = tar_of(&[("nas.txt", &text)]);
    for bytes in [text.as_bytes(), windows.as_bytes(), with_mark.as_bytes(), &tar] {
        assert_eq!(open_bytes("x.txt", bytes).unwrap(), whole());
    }
    assert_eq!(open_bytes("x.txt.gz", &gzip(text.as_bytes())).unwrap(), whole());
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let check = |from: &str, to: &str, expected: &str| {
        let text = SMALL.replacen(from, to, 1);
        assert_ne!(text, SMALL);
        let error = open_bytes("x.txt", text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("x.txt: line ") && error.contains(expected), "{error}");
        assert!(error.ends_with("copy it again"), "{error}");
    };
    check("format 1", "format one", "line 1: expected “arcwright capture as text, format 1”");
    check("=== etc/modprobe", "etc/modprobe", "line 2: it belongs to no text");
    check("=== links", "=== ", "line 8: expected “=== NAME” or “===”");
    check("=== links", "====", "line 8: expected “=== NAME”");
    check("=== links", "=== etc/version", "line 8: “etc/version” exists already, in line 4");
    check("\\\\ no", "\\ no", "line 6: a line of a text begins with “\\\\”");
    check("1000\n", "", "line 10: no line precedes it");
    check("file\n", "file\n2000\n", "line 12: the text ended before it");
    check("===\n", "===\nthanks\n", "line 13: text follows the end");
    let later = SMALL.replace("format 1", "format 2");
    let error = open_bytes("x.txt", later.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("has format 2, this program reads 1"), "{error}");
}

#[test]
fn every_cut_is_refused() {
    let text = pack_text(&whole(), Some(&manifest(&whole()))).unwrap();
    for at in 0..text.len() {
        assert!(open_bytes("x.txt", &text.as_bytes()[..at]).is_err(), "{at}");
    }
}

#[test]
fn too_many_texts_are_refused() {
    let texts = |count: u32| (0..count).map(|number| format!("=== etc/{number}\n"));
    let file = |count| {
        ["arcwright capture as text, format 1\n".to_owned()]
            .into_iter()
            .chain(texts(count))
            .chain(["===\n".to_owned()])
            .collect::<String>()
    };
    assert!(open_bytes("x.txt", file(50_000).as_bytes()).is_ok());
    let error = open_bytes("x.txt", file(60_000).as_bytes()).unwrap_err().to_string();
    assert!(error.contains("more than 50000 texts"), "{error}");
}

#[test]
fn a_name_of_two_lines_is_not_packed() {
    assert!(pack_text(&sources(&[("etc/a\nb", "x")]), None).is_err());
}

#[test]
fn a_folder_of_them_is_many_machines() {
    let folder = tempfile::tempdir().unwrap();
    let text = pack_text(&sources(&[("proc/spl/kstat/zfs/arcstats", ARCSTATS)]), None).unwrap();
    std::fs::write(folder.path().join("one"), &text).unwrap();
    std::fs::write(folder.path().join("two.txt"), &text).unwrap();
    let found = captures_in(folder.path()).unwrap();
    assert_eq!(found, [folder.path().join("one"), folder.path().join("two.txt")]);
}
