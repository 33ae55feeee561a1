//! Captures of many trees, many files and many lines.

use arcwright_machine::{Reason, Source};

use super::{ARCSTATS, open_bytes, tar_of};

#[test]
fn of_many_trees_each_is_the_sample_of_its_time() {
    let tree = |number: u32| {
        let time = format!("{:012}", 900_000_000_000 - u64::from(number));
        let text =
            ARCSTATS.replace("987654321987", &time).replace(" 1234\n", &format!(" {number}\n"));
        (format!("t/{number:04}/zfs/arcstats"), text)
    };
    let trees: Vec<(String, String)> = (1..=300).map(tree).collect();
    let texts: Vec<(&str, &str)> =
        trees.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let opened = open_bytes("x.tar", &tar_of(&texts)).unwrap();
    let of = |sample: u32| {
        let text = opened.text(&format!("sample-{sample}/proc/spl/kstat/zfs/arcstats")).unwrap();
        text.lines().find_map(|line| line.strip_prefix("hits")?.split_whitespace().last()).unwrap()
    };
    assert_eq!((of(0), of(1), of(299)), ("300", "299", "1"));
    assert_eq!(opened.texts.len(), 300);
}

#[test]
fn what_an_archive_expands_to_is_bounded_in_all() {
    let texts = |count: usize, text: &str| {
        let names: Vec<String> = (0..count).map(|number| format!("etc/{number}")).collect();
        let texts: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text)).collect();
        open_bytes("x.tar", &tar_of(&texts)).map_err(|error| error.to_string())
    };
    let check = |count: usize, text: &str, expected: &str| {
        let text = texts(count, text).unwrap_err();
        assert!(text.contains(expected), "{text}");
    };
    let mib = ["x".repeat(1023), "\n".to_owned()].concat().repeat(1 << 10);
    assert!(texts(60, &mib).is_ok());
    check(65, &mib, "more than 64 MiB");
    assert!(texts(10, &"\n".repeat(29_000)).is_ok());
    check(11, &"\n".repeat(29_000), "more than 300,000 lines");
    let json = |length: usize| tar_of(&[("commands/zpool-status-json", &"[".repeat(length))]);
    let refused = |length: usize| {
        open_bytes("x.tar", &json(length))
            .is_err_and(|error| error.to_string().contains("16 MiB of JSON"))
    };
    assert!(!refused(16 << 20) && refused((16 << 20) + 1));
}

#[test]
fn a_line_that_no_tool_writes_makes_its_text_unknown() {
    let check = |name: &str, text: &dyn Fn(&str) -> String, what: &str| {
        let opened = |length: usize| {
            let text = text(&"a".repeat(length));
            let texts = [("proc/spl/kstat/zfs/arcstats", ARCSTATS), (name, text.as_str())];
            open_bytes("x.tar", &tar_of(&texts)).unwrap().texts.remove(name)
        };
        assert!(matches!(opened(9_000), Some(Source::Text(_))), "{name}");
        let words = match opened(9_300) {
            Some(Source::Unreadable(Reason::Garbled(words))) => words,
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(words, format!("a {what} of it has more than 9 KiB"));
    };
    check("commands/zpool-status", &|name| format!("  pool: {name}\n state: ONLINE\n"), "line");
    check("commands/zfs-get", &|name| format!("{name}\tsync\tdisabled\tlocal\n"), "line");
    check(
        "commands/zpool-status-json",
        &|name| format!("{{\"pools\":{{\"{name}\":1}}}}"),
        "string",
    );
}

/// It stands in every row of a table of machines.
#[test]
fn what_a_capture_says_of_itself_is_short() {
    let check = |manifest: &str, what: &str| {
        let texts = [("proc/spl/kstat/zfs/arcstats", ARCSTATS), ("manifest.json", manifest)];
        let error = open_bytes("x.tar", &tar_of(&texts)).unwrap_err().to_string();
        assert!(error.contains(what) && error.len() < 600, "{error:.700}");
    };
    let long = |length: usize| "m".repeat(length);
    let named = |name: &str| {
        format!(r#"{{"format":1,"program":"x","window_s":1,"redacted":false,"machine":"{name}"}}"#)
    };
    check(&named(&long(301)), "machine’s name");
    check(&named(&long(2 << 20)), "1024 KiB");
    check(&format!(r#"{{"format":"{}"}}"#, long(100_000)), "invalid type");
}

#[test]
fn of_text_that_no_name_tells_the_beginning_is_read_and_the_rest_is_said() {
    let status = "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME   STATE  READ WRITE CKSUM\n\ttank   \
                  ONLINE  0 0 0\n\t  sda  ONLINE  0 0 0\n";
    let prose = |lines: usize| "nothing that is known\n".repeat(lines);
    let is_cut = |text: &str| {
        let opened = open_bytes("x.txt", text.as_bytes()).unwrap();
        assert!(opened.texts.contains_key("commands/zpool-status"), "{:?}", opened.texts.keys());
        opened.texts.values().any(|source| {
            matches!(source, Source::Unreadable(Reason::Failed(why)) if why.contains("4 MiB"))
        })
    };
    assert!(!is_cut(&format!("{status}\n{}", prose(10_000))));
    assert!(is_cut(&format!("{status}\n{}", prose(200_000))));
}
