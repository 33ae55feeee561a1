//! Captures: whatever bytes somebody sends, and archives that are built of an input.
//!
//! Bytes alone hardly ever make an archive whose checksums hold, so that one target builds archives: names
//! of all kinds, headers that lie, entries that are no files, cut anywhere, packed or not.

use std::io::Write as _;

use arcwright_host::capture::{FORMAT, Manifest, open_bytes, pack, pack_text};
use arcwright_machine::{Machine, Source, Sources};
use arcwright_recording::{Block, Tail};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::input::Input;

/// So many entries of one archive.
const ENTRIES_MAX: usize = 12;

/// Folders and files that entries are called by; an input may give others.
const NAMES: [&str; 20] = [
    "arcwright-capture/manifest.json",
    "arcwright-capture/commands/zpool-status",
    "arcwright-capture/commands/zpool-list",
    "arcwright-capture/sample-0/at",
    "arcwright-capture/sample-1/at",
    "arcwright-capture/sample-0/proc/spl/kstat/zfs/arcstats",
    "arcwright-capture/sample-1/proc/spl/kstat/zfs/arcstats",
    "arcwright-capture/proc/meminfo",
    "before/arcstats",
    "after/arcstats",
    "zfs/arcstats",
    "proc/spl/kstat/zfs/tank/txgs",
    "zpool_status.txt",
    "a/../b",
    "../x",
    "/etc/passwd",
    "./paste.txt",
    "sample-18446744073709551616/at",
    "manifest.json",
    "",
];
/// Texts of entries; an input may give others.
const TEXTS: [&str; 8] = [
    "",
    "13 1 0x01 1 272 5277612345 987654321987\nname type data\nhits                            4    12\n",
    "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME  STATE READ WRITE CKSUM\n\ttank  ONLINE 0 0 0\n\t  sda ONLINE 0 0 0\n",
    "{\"format\":1,\"program\":\"x\",\"window_s\":1.0,\"redacted\":false}",
    "{\"format\":2,\"program\":\"x\",\"window_s\":1.0,\"redacted\":false,\"missing\":[{\"name\":\"a\",\"reason\":\"denied\"}]}",
    "1000000000",
    "NAME SIZE ALLOC FREE\ntank 1T 1G 1023G\n",
    "\u{feff}MemTotal: 1 kB\n",
];

/// Any bytes: they are a capture, or an error says what they are.
pub fn bytes(bytes: &[u8]) {
    opened(bytes);
}

/// Bytes that are packed first, so that inputs reach what is within.
pub fn packed(bytes: &[u8]) {
    opened(&gzip(bytes));
}

/// An archive built of the input.
pub fn archive(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let how = input.byte();
    let cut = usize::from(input.byte());
    let mut archive = built(&mut input);
    if how & 1 == 1 {
        archive.truncate(archive.len().saturating_sub(cut * 16));
    }
    if how & 2 == 2 {
        archive = gzip(&archive);
    }
    if how & 4 == 4 {
        archive.truncate(archive.len().saturating_sub(cut));
    }
    opened(&archive);
}

fn built(input: &mut Input<'_>) -> Vec<u8> {
    let mut archive = Vec::new();
    for _ in 0..ENTRIES_MAX {
        if input.is_empty() {
            break;
        }
        entry(&mut archive, input);
    }
    archive.extend([0; 1024]);
    archive
}

/// Writes the header of an entry and what it holds, padded to whole blocks.
fn entry(archive: &mut Vec<u8>, input: &mut Input<'_>) {
    let choice = input.byte();
    let name = match choice & 3 {
        0 => input.bytes().to_vec(),
        _ => input.pick(&NAMES).as_bytes().to_vec(),
    };
    let text = match choice & 4 {
        0 => input.pick(&TEXTS).as_bytes().to_vec(),
        _ => input.bytes().to_vec(),
    };
    let mut header =
        if choice & 8 == 0 { tar::Header::new_gnu() } else { tar::Header::new_ustar() };
    if let Some(field) = header.as_old_mut().name.get_mut(..name.len().min(100)) {
        field.copy_from_slice(&name[..name.len().min(100)]);
    }
    let size = if choice & 0x70 == 0x70 { input.number() } else { text.len() as u64 };
    header.set_size(size);
    header.set_mode(0o644);
    let kinds = [b'0', 0, b'L', b'K', b'x', b'g', b'5', b'1', b'2', b'S', b'7', 200];
    let kind = if choice & 0x30 == 0x30 { kinds[input.below(kinds.len())] } else { b'0' };
    header.set_entry_type(tar::EntryType::new(kind));
    header.set_cksum();
    archive.extend(header.as_bytes());
    archive.extend(&text);
    archive.resize(archive.len().next_multiple_of(512), 0);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    let written = packer.write_all(bytes);
    assert!(written.is_ok(), "memory takes every write");
    packer.finish().expect("memory takes every write")
}

/// Opens bytes: what can be opened is read, and opens as the same again after it was packed.
fn opened(bytes: &[u8]) {
    let sources = match open_bytes("input", bytes) {
        Ok(sources) => sources,
        Err(error) => {
            let words = error.to_string();
            assert!(words.contains("input"), "an error names the file: {words}");
            return;
        }
    };
    assert!(sources.texts.values().any(|source| matches!(source, Source::Text(_))));
    let _machine = Machine::read(&sources);
    repacked(&sources);
}

/// A capture made of the sources opens as the same texts. Where lines of a paste stood, and what was typed in it, is not part
/// of a capture.
fn repacked(sources: &Sources) {
    // Names that a capture of ours has; others are arranged anew when it is opened.
    let known = |name: &String| {
        ["commands/", "proc/", "sys/", "etc/", "sample-"].iter().any(|root| name.starts_with(root))
            && !name.split('/').any(|part| matches!(part, "" | "." | ".."))
            && !name.contains('\u{fffd}')
    };
    // A text that begins with the mark of an encoding, or holds a zero, is no text of a machine.
    let plain = |source: &Source| match source {
        Source::Text(text) => !text.starts_with('\u{feff}') && !text.contains('\0'),
        Source::Unreadable(_) => false,
    };
    let whole = sources.texts.iter().all(|(name, source)| known(name) && plain(source));
    if !whole {
        return;
    }
    let manifest = Manifest {
        format: FORMAT,
        program: "fuzz".to_owned(),
        window_s: 1.0,
        redacted: false,
        machine: None,
        time_s: None,
        missing: Vec::new(),
    };
    if let Ok(text) = pack_text(sources, Some(&manifest)) {
        let again = open_bytes("again", text.as_bytes()).expect("what was packed is opened");
        assert_eq!(again.texts, sources.texts, "and is the same as text");
    }
    // A name may be longer than an archive takes.
    let Ok(packed) = pack(sources, &manifest) else { return };
    let again = open_bytes("again", &packed).expect("what was packed is opened");
    assert_eq!(again.texts, sources.texts, "and is the same");
}

/// A part of a recording, packed or not, and frames: what is read is written and read again the same, and cut frames are those
/// before the cut.
pub fn recording(bytes: &[u8]) {
    let _refused = Block::from_bytes(bytes);
    let mut part = b"ARCREC1\n".to_vec();
    part.extend(gzip(bytes));
    if let Ok(block) = Block::from_bytes(&part) {
        assert_eq!(Block::from_bytes(&block.to_bytes()), Ok(block.clone()));
        let thinned = block.thinned();
        assert!(thinned.len() <= block.len());
        let _counts = block.counts();
        let _last = block.reading(block.len().saturating_sub(1));
    }
    let (tail, whole) = Tail::read(bytes);
    assert!(whole <= bytes.len());
    let (again, same) = Tail::read(bytes.get(..whole).unwrap_or_default());
    assert_eq!((again, same), (tail, whole));
}
