//! Captures: what is packed comes back; what others send is read or refused in words.

mod bounds;
mod text;

use std::io::Write as _;
use std::path::Path;

use arcwright_machine::{Class, Machine, Reason, Source, Sources};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::{CaptureError, FORMAT, Manifest, open, open_bytes, pack, redact};
use crate::observe::smart_essentials;

const ARCSTATS: &str = "\
13 1 0x01 3 816 5277612345 987654321987
name                            type data
hits                            4    1234
misses                          4    66
c_max                           4    8589934592
";

fn sources(texts: &[(&str, &str)]) -> Sources {
    let text = |(name, text): &(&str, &str)| ((*name).to_owned(), Source::Text((*text).to_owned()));
    Sources { texts: texts.iter().map(text).collect(), ..Sources::default() }
}

fn whole() -> Sources {
    let mut all = sources(&[
        ("sample-0/at", "1000"),
        ("sample-0/proc/spl/kstat/zfs/arcstats", ARCSTATS),
        ("sample-1/at", "2000"),
        ("sample-1/proc/spl/kstat/zfs/arcstats", ARCSTATS),
        ("etc/modprobe.d/zfs.conf", "options zfs zfs_arc_max=1\n"),
    ]);
    let denied = Source::Unreadable(Reason::Denied);
    all.texts.insert("commands/zpool-get".to_owned(), denied);
    let failed = Source::Unreadable(Reason::Failed("no answer in 15 s".to_owned()));
    all.texts.insert("commands/zpool-status".to_owned(), failed);
    all
}

fn manifest(sources: &Sources) -> Manifest {
    Manifest {
        format: FORMAT,
        program: "0.1.0".to_owned(),
        window_s: 10.0,
        redacted: false,
        machine: None,
        time_s: None,
        missing: Manifest::missing(sources),
    }
}

fn packed() -> Vec<u8> {
    pack(&whole(), &manifest(&whole())).unwrap()
}

fn error(bytes: &[u8]) -> String {
    open_bytes("x.tar.gz", bytes).unwrap_err().to_string()
}

#[test]
fn what_is_packed_comes_back_with_what_was_missing() {
    assert_eq!(open_bytes("x.tar.gz", &packed()).unwrap(), whole());
}

#[test]
fn a_later_format_is_refused_and_an_unknown_field_is_not() {
    let later = Manifest { format: FORMAT + 1, ..manifest(&whole()) };
    let text = error(&pack(&whole(), &later).unwrap());
    assert!(text.contains("has format 2, this program reads 1"), "{text}");
    let text = r#"{"format":1,"program":"9","window_s":1,"redacted":false,"new":[1],
        "missing":[{"name":"a","reason":"eaten","words":"by a dog"}]}"#;
    let mut all = sources(&[("manifest.json", text)]);
    all.texts.extend(sources(&[("proc/spl/kstat/zfs/arcstats", ARCSTATS)]).texts);
    let read = open_bytes("x", &tar(&all)).unwrap();
    let reason = Source::Unreadable(Reason::Failed("by a dog".to_owned()));
    assert_eq!(read.texts.get("a"), Some(&reason));
}

/// Packs texts as somebody else would.
fn tar(sources: &Sources) -> Vec<u8> {
    let texts = sources.texts.iter().filter_map(|(name, source)| match source {
        Source::Text(text) => Some((name.as_str(), text.as_str())),
        Source::Unreadable(_) => None,
    });
    tar_of(&texts.collect::<Vec<_>>())
}

fn tar_of(texts: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, text) in texts {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        // Names that the library would refuse are written as they are.
        let bytes = name.as_bytes();
        header.as_old_mut().name[..bytes.len()].copy_from_slice(bytes);
        header.set_cksum();
        archive.append(&header, text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap()
}

fn hits(sources: &Sources) -> Vec<Option<u64>> {
    let machine = Machine::read(sources);
    machine.samples.iter().map(|sample| sample.kstats.get("zfs/arcstats", "hits")).collect()
}

#[test]
fn trees_are_recognised_however_deep_they_lie() {
    for folder in
        ["proc/spl/kstat/zfs/", "nas/proc/spl/kstat/zfs/", "a/b/kstat/zfs/", "zfs/", "", "./x/"]
    {
        let name = format!("{folder}arcstats");
        let pool = format!("{folder}tank/state");
        let bytes = tar_of(&[(name.as_str(), ARCSTATS), (pool.as_str(), "ONLINE\n")]);
        let sources = open_bytes("x.tar", &bytes).unwrap();
        assert_eq!(hits(&sources), [Some(1234)], "{folder}");
        let pools: Vec<String> =
            Machine::read(&sources).pools.into_iter().map(|p| p.name).collect();
        assert_eq!(pools, ["tank"], "{folder}");
    }
}

#[test]
fn trees_side_by_side_are_samples_in_the_order_of_their_time() {
    let early = ARCSTATS.replace(" 1234\n", " 1000\n").replace("987654321987", "887654321987");
    let bytes = tar_of(&[
        ("t/after/zfs/arcstats", ARCSTATS),
        ("t/before/zfs/arcstats", &early),
        ("t/zpool_status.txt", ""),
    ]);
    assert_eq!(hits(&open_bytes("x.tar", &bytes).unwrap()), [Some(1000), Some(1234)]);
}

#[test]
fn files_of_commands_are_known_by_name_or_content() {
    let status = "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME   STATE  READ WRITE CKSUM\n\ttank   ONLINE  0 0 0\n\t  sda  ONLINE  0 0 0\n";
    let bytes = tar_of(&[
        ("out/zpool_status.txt", status),
        ("out/notes.txt", ARCSTATS),
        ("out/readme.md", "Hello\n"),
    ]);
    let machine = Machine::read(&open_bytes("x.tar", &bytes).unwrap());
    assert_eq!(machine.pools[0].of_class(Class::Data).count(), 1);
    assert_eq!(machine.now().unwrap().get("zfs/arcstats", "hits"), Some(1234));
    assert_eq!(machine.problems, []);
}

#[test]
fn folders_and_texts_are_opened_as_well() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("deep/zfs")).unwrap();
    std::fs::write(folder.path().join("deep/zfs/arcstats"), ARCSTATS).unwrap();
    assert_eq!(hits(&open(folder.path()).unwrap()), [Some(1234)]);
    let file = folder.path().join("paste.txt");
    std::fs::write(&file, ARCSTATS).unwrap();
    assert_eq!(hits(&open(&file).unwrap()), [Some(1234)]);
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(ARCSTATS.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    assert_eq!(hits(&open_bytes("windows.txt", &wide).unwrap()), [Some(1234)]);
    assert_eq!(hits(&open_bytes("text.gz", &gzip(ARCSTATS.as_bytes())).unwrap()), [Some(1234)]);
    let missing = open(&folder.path().join("nowhere")).unwrap_err();
    assert!(matches!(missing, CaptureError::Read { .. }));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[test]
fn what_is_no_capture_is_said_with_what_to_do() {
    let cases: [(&[u8], &str); 6] = [
        (b"", "it is empty"),
        (b"  \n", "it is empty"),
        (b"PK\x03\x04rest", "a zip archive; unpack it"),
        (b"\x28\xb5\x2f\xfdrest", "packed with zstd; unpack it"),
        (b"\x7fELF\0\0\0", "neither text nor a known archive"),
        (b"Dear all,\n", "pasted line 1: not recognised: “Dear all,”"),
    ];
    for (bytes, expected) in cases {
        let text = error(bytes);
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let text = error(&tar_of(&[("photos/cat.txt", "meow\n")]));
    assert!(text.contains("it holds photos (1)") && text.contains("arcwright capture"), "{text}");
}

#[test]
fn a_name_that_no_line_can_hold_is_not_packed() {
    for name in ["", "etc/a\nb", "etc/a\0b"] {
        let mut sources = whole();
        sources.texts.insert(name.to_owned(), Source::Text("x".to_owned()));
        let told = super::pack_text(&sources, None).unwrap_err().to_string();
        assert!(told.contains("the name of a text"), "{name:?}: {told}");
    }
}

#[test]
fn tricks_with_paths_are_refused() {
    let text =
        error(&tar_of(&[("../../etc/passwd", "x"), ("proc/spl/kstat/zfs/arcstats", ARCSTATS)]));
    assert!(text.contains("it holds the path “../../etc/passwd”"), "{text}");
}

#[test]
fn bombs_are_not_unpacked() {
    // 300 MiB of zeros in some 300 KiB.
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![0_u8; 1 << 20];
    (0..300).for_each(|_| packer.write_all(&zeros).unwrap());
    let text = error(&packer.finish().unwrap());
    assert!(text.contains("more than 64 MiB"), "{text}");
    let mut header = tar::Header::new_gnu();
    header.set_path("proc/spl/kstat/zfs/arcstats").unwrap();
    header.set_size(1 << 40);
    header.set_cksum();
    let text = error(header.as_bytes());
    assert!(text.contains("more than 64 MiB"), "{text}");
}

#[test]
fn text_of_two_machines_is_refused_with_the_line() {
    let on = |host: &str| format!("root@{host}:~# cat /proc/spl/kstat/zfs/arcstats\n{ARCSTATS}");
    let both = format!("{}{}", on("nas"), on("backup"));
    let error = open_bytes("thread.txt", both.as_bytes()).unwrap_err().to_string();
    assert!(error.starts_with("thread.txt: this is text of two machines, nas and"), "{error}");
    assert!(error.contains("backup") && error.contains("split it there"), "{error}");
    assert!(open_bytes("thread.txt", on("nas").as_bytes()).is_ok());
}

#[test]
fn every_cut_of_an_archive_is_refused_or_whole() {
    let bytes = packed();
    for at in 1..bytes.len() {
        match open_bytes("x.tar.gz", &bytes[..at]) {
            Err(error) => {
                let text = error.to_string();
                assert!(
                    text.contains("copy it again") || text.contains("not a capture"),
                    "{at}: {text}"
                );
            }
            // The last bytes are a checksum and padding.
            Ok(read) => assert_eq!(read, whole(), "{at}"),
        }
    }
}

#[test]
fn names_go_and_structure_stays() {
    let status = "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME   STATE  READ WRITE CKSUM\n\ttank   ONLINE  0 0 0\n\t  mirror-0  ONLINE  0 0 0\n\t    /dev/disk/by-id/ata-WDC_W123-part1  ONLINE  0 0 0\n\t    sdb  ONLINE  0 0 0\n\tcache\n\t  nvme0n1p2  ONLINE  0 0 0\n";
    let objset = "41 1 0x01 2 544 1 2\nname                            type data\ndataset_name                    7    tank/anna/data\nwrites                          4    8\n";
    let secret = sources(&[
        ("commands/zpool-status", status),
        (
            "commands/zfs-get",
            "tank/anna/data\tmountpoint\t/srv/anna\tlocal\ntank/anna/data\trecordsize\t131072\tdefault\n",
        ),
        (
            "commands/smartctl-sda",
            r#"{"model_name":"WDC W","serial_number":"W123","rotation_rate":5400}"#,
        ),
        ("proc/mounts", "tank/anna/data /srv/anna zfs rw 0 0\n"),
        ("sample-0/proc/spl/kstat/zfs/arcstats", ARCSTATS),
        ("sample-0/proc/spl/kstat/zfs/tank/objset-0x36", objset),
    ]);
    let redacted = redact(&secret);
    let all: String =
        redacted.texts.iter().map(|(name, source)| format!("{name} {source:?}\n")).collect();
    for word in ["tank", "anna", "W123", "WDC_", "/srv"] {
        assert!(!all.contains(word), "{word} in {all}");
    }
    let (before, after) = (Machine::read(&secret), Machine::read(&redacted));
    assert_eq!(after.problems, before.problems);
    assert_eq!(after.pools[0].name, "pool-1");
    let leaves = |machine: &Machine| {
        machine.pools[0].vdevs.iter().map(|v| v.leaves().len()).collect::<Vec<_>>()
    };
    assert_eq!(leaves(&after), leaves(&before));
    assert_eq!(after.pools[0].of_class(Class::Cache).count(), 1);
    let names: Vec<&str> =
        after.pools[0].vdevs[0].children.iter().map(|leaf| leaf.name.as_str()).collect();
    assert_eq!(names[0].split('/').next_back().unwrap().split_once("-part"), Some(("disk-1", "1")));
    assert_eq!(names[1], "sdb");
    assert_eq!(after.datasets[0].name, "pool-1/fs-1/fs-2");
    assert_eq!(after.mounts[0].path, "/mount-1");
    let kstat = &after.now().unwrap().kstats["zfs/pool-1/objset-0x36"];
    assert_eq!(kstat.value("dataset_name").unwrap().to_string(), "pool-1/fs-1/fs-2");
    assert_eq!(kstat.get("writes"), Some(8));
}

#[test]
fn of_smart_only_what_is_of_use_is_kept() {
    let kept = smart_essentials(
        r#"{"model_name":"X","wwn":{"id":7},"local_time":1,"smartctl":{"argv":["a"],"messages":[]}}"#,
    );
    assert_eq!(kept, r#"{"model_name":"X","smartctl":{"messages":[]}}"#);
    assert_eq!(smart_essentials("not json"), "not json");
}

proptest! {
    #[test]
    fn any_bytes_are_opened_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), start in 0..3_usize) {
        let starts: [&[u8]; 3] = [b"", &[0x1f, 0x8b, 8, 0], b"PK"];
        let all = [starts[start], &bytes].concat();
        let _ignored = open_bytes("x", &all);
    }

    #[test]
    fn a_flipped_byte_never_panics(at in 0..1000_usize, value in any::<u8>()) {
        let mut bytes = packed();
        let at = at % bytes.len();
        bytes[at] = value;
        let _ignored = open_bytes("x", &bytes);
        let mut plain = tar(&whole());
        let at = at % plain.len();
        plain[at] = value;
        let _ignored = open_bytes("x", &plain);
    }
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("nowhere", &link).unwrap();
    let huge = folder.path().join("huge");
    std::fs::File::create(&huge).unwrap().set_len(300 << 20).unwrap();
    for (path, expected) in [
        (socket.as_path(), "is a socket, not a file; to read a program's output, pipe it"),
        (&pipe, "is a pipe, not a file"),
        (Path::new("/dev/zero"), "/dev/zero is a device, not a file"),
        (Path::new("/dev/null"), "/dev/null is a device, not a file"),
        (&link, "failed to read"),
        (&huge, "holds more than 64 MiB"),
    ] {
        let text = open(path).unwrap_err().to_string();
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_tree_with_a_pipe_a_socket_and_a_folder_too_deep_is_read_and_they_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let kstats = folder.path().join("nas/proc/spl/kstat/zfs");
    std::fs::create_dir_all(&kstats).unwrap();
    std::fs::write(kstats.join("arcstats"), ARCSTATS).unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(kstats.join("dbufs")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", kstats.join("link")).unwrap();
    let deep = folder.path().join("a/".repeat(20));
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(deep.join("arcstats"), "lost").unwrap();
    let sources = open(folder.path()).unwrap();
    assert_eq!(hits(&sources), [Some(1234)]);
    let dbufs = sources.texts.get("proc/spl/kstat/zfs/dbufs");
    let why = Reason::Failed("it is a socket, not read".to_owned());
    assert_eq!(dbufs, Some(&Source::Unreadable(why)));
    let unread = sources.texts.values().filter(|s| matches!(s, Source::Unreadable(_))).count();
    assert_eq!(unread, 2, "{:?}", sources.texts.keys());
}

#[test]
fn what_a_whole_tree_may_hold_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a/1", "b/2", "c/3"] {
        let path = folder.path().join(name);
        std::fs::create_dir(path.parent().unwrap()).unwrap();
        std::fs::write(path, "1234").unwrap();
    }
    assert_eq!(super::folder::Walk::through(folder.path(), 12).unwrap().len(), 3);
    assert!(super::folder::Walk::through(folder.path(), 11).is_err());
}

#[test]
fn files_without_text_are_called_empty() {
    for bytes in [&b""[..], b" \n", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff\n"] {
        assert!(error(bytes).contains("it is empty"), "{bytes:?}: {}", error(bytes));
    }
    let folder = tempfile::tempdir().unwrap();
    let text = open(folder.path()).unwrap_err().to_string();
    assert!(text.contains("it holds no file"), "{text}");
}
