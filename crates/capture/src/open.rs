//! Opening whatever somebody sent: the bytes of an archive or a text, the files of a folder.

use std::cmp::Reverse;

use arcwright_machine::{Reason, Source, Sources};
use arcwright_units::{cut_before, visible};

use crate::archive::{COPY_AGAIN, is_tar, unpack};
use crate::layout::{arrange, summary};
use crate::manifest::MANIFEST;
use crate::text::{is_text_form, unpack_text};
use crate::{CaptureError, FORMAT, Manifest};

/// Beginnings of files that are packed in a way that is not read here.
const OTHERS: [(&[u8], &str); 5] = [
    (b"PK\x03\x04", "a zip archive"),
    (b"\xfd7zXZ", "packed with xz"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd"),
    (b"BZh", "packed with bzip2"),
    (b"7z\xbc\xaf", "a 7z archive"),
];
const UNPACK: &str = "unpack it and give the folder";
const EXPECTED: &str = "expected an archive of arcwright capture, a copy of /proc/spl/kstat/zfs, or \
                        pasted text of arc_summary, arcstats, zpool iostat or zpool status";

/// Lines of all texts together, without those of `zfs get`: what is made of a line takes a kilobyte.
const LINES_MAX: usize = 300_000;
const LINES_MAX_WORDS: &str = "300,000 lines";
/// Lines of `zfs get`: ten thousand datasets have 700,000.
const PROPERTIES_MAX: usize = 1_000_000;
const PROPERTIES_MAX_WORDS: &str = "1,000,000 properties of datasets";

/// The largest text in JSON, which takes fourteen times its length once it is read.
const JSON_BYTES_MAX: usize = 16 << 20;

/// The longest line of a text, and the longest string of one in JSON. A name has up to 255 bytes, a path
/// 4,096, a property 8,192; one as long as an archive would fill the memory, for a name stands in many sentences.
const LINE_BYTES_MAX: usize = 9 << 10;

/// What a capture says of itself names what could not be read, which is some hundred texts.
const MANIFEST_BYTES_MAX: usize = 1 << 20;
/// The longest name of a machine, and the longest complaint about a manifest, which quotes it.
const WORDS_BYTES_MAX: usize = 300;

/// Texts that no name tells are recognised line by line, which takes a second for so many bytes.
const RECOGNISED_BYTES_MAX: usize = 4 << 20;
const RECOGNISED_MAX_WORDS: &str = "of texts with unknown names only the first 4 MiB are read";

/// A file's name below its folder, and what it holds or why it could not be read.
pub type CapturedFile = (String, Result<Vec<u8>, Reason>);

/// What was opened.
#[derive(Debug, Clone, Default)]
pub struct Opened {
    /// The machine's texts.
    pub sources: Sources,
    /// What the capture says of itself; none of folders and texts from elsewhere.
    pub manifest: Option<Manifest>,
}

/// Opens the bytes of a file that `place` names in errors.
///
/// # Errors
/// [`CaptureError`] with the place and what to do.
pub fn open_bytes(place: &str, bytes: &[u8]) -> Result<Sources, CaptureError> {
    open_whole_bytes(place, bytes).map(|opened| opened.sources)
}

/// Opens like [`open_bytes`], with what a capture says of itself.
///
/// # Errors
/// As [`open_bytes`].
pub fn open_whole_bytes(place: &str, bytes: &[u8]) -> Result<Opened, CaptureError> {
    let not = |why: &str, hint| {
        Err(CaptureError::NotACapture { place: place.to_owned(), why: why.to_owned(), hint })
    };
    if let Some((_, what)) = OTHERS.iter().find(|(start, _)| bytes.starts_with(start)) {
        return not(&format!("it is {what}"), UNPACK);
    }
    if bytes.starts_with(&[0x1f, 0x8b]) || is_tar(bytes) {
        let texts = unpack(place, bytes)?;
        if let [(_, alone)] = texts.as_slice()
            && is_text_form(alone)
        {
            return opened_text(place, &String::from_utf8_lossy(alone));
        }
        return assemble(place, texts.into_iter().map(|(name, text)| (name, Ok(text))).collect());
    }
    match decoded(bytes) {
        None => not("it is neither text nor a known archive", EXPECTED),
        Some(text) if text.trim().is_empty() => not("it is empty", EXPECTED),
        Some(text) if is_text_form(text.as_bytes()) => opened_text(place, &text),
        Some(text) => assemble(place, vec![("paste".to_owned(), Ok(text.into_bytes()))]),
    }
}

/// Opens a capture in its text form.
fn opened_text(place: &str, text: &str) -> Result<Opened, CaptureError> {
    let texts = unpack_text(place, text)?;
    assemble(place, texts.into_iter().map(|(name, text)| (name, Ok(text))).collect())
}

/// Returns the text of a file, without the mark at its beginning that tells its encoding; none of bytes
/// that are no text. Windows writes text in UTF-16.
#[must_use]
pub fn decoded(bytes: &[u8]) -> Option<String> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    (!text.contains('\0')).then_some(text)
}

fn utf16(bytes: &[u8], pair: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).filter_map(|two| Some(pair([*two.first()?, *two.get(1)?])));
    String::from_utf16_lossy(&units.collect::<Vec<u16>>())
}

/// Opens the files of one machine, which `place` names in errors.
///
/// # Errors
/// [`CaptureError`] with the place and what to do.
pub fn assemble(place: &str, entries: Vec<CapturedFile>) -> Result<Opened, CaptureError> {
    if let Some((name, _)) =
        entries.iter().find(|(name, _)| name.split('/').any(|part| part == ".."))
    {
        let why = format!("it holds the path “{}”", visible(name));
        let hint = "captures have no such paths; do not unpack it";
        return Err(CaptureError::NotACapture { place: place.to_owned(), why, hint });
    }
    // Of pasted text the first lines are read, and it is said how many.
    let alone = entries.len() == 1 && entries.iter().all(|(name, _)| name == "paste");
    let ends = |of_properties: bool| {
        let counted =
            entries.iter().filter(|(name, _)| name.ends_with("/zfs-get") == of_properties);
        counted
            .filter_map(|(_, bytes)| bytes.as_ref().ok())
            .map(|bytes| lines(bytes))
            .sum::<usize>()
    };
    let too_large = |limit: &str| {
        Err(CaptureError::TooLarge { place: place.to_owned(), limit: limit.to_owned() })
    };
    if !alone && ends(false) > LINES_MAX {
        return too_large(LINES_MAX_WORDS);
    }
    if ends(true) > PROPERTIES_MAX {
        return too_large(PROPERTIES_MAX_WORDS);
    }
    let is_large = |(name, bytes): &&CapturedFile| {
        name.ends_with("json") && bytes.as_ref().is_ok_and(|bytes| bytes.len() > JSON_BYTES_MAX)
    };
    if let Some((name, _)) = entries.iter().find(is_large) {
        let limit = format!("{} MiB of JSON", JSON_BYTES_MAX >> 20);
        return Err(CaptureError::TooLarge { place: format!("{place}: {}", visible(name)), limit });
    }
    let texts: Vec<(String, Source)> = entries
        .into_iter()
        .filter_map(|(name, bytes)| match bytes {
            Ok(bytes) => decoded(&bytes).map(|text| (name, Source::Text(text))),
            Err(reason) => Some((name, Source::Unreadable(reason))),
        })
        .collect();
    let about = summary(&texts);
    let (mut sources, others) = arrange(texts);
    let manifest = take_manifest(place, &mut sources)?;
    refuse_overlong(&mut sources);
    recognise(place, &mut sources, others)?;
    let found = sources.texts.values().any(|source| matches!(source, Source::Text(_)));
    match found {
        true => Ok(Opened { sources, manifest }),
        false => {
            let why = match about.as_str() {
                "" => "it holds no file".to_owned(),
                about if about.starts_with("paste") => unrecognised(&sources),
                about => format!("it holds {}", visible(about)),
            };
            Err(CaptureError::NotACapture { place: place.to_owned(), why, hint: EXPECTED })
        }
    }
}

/// Takes texts out that have a line as no tool writes one: what they say is not known.
fn refuse_overlong(sources: &mut Sources) {
    for (name, source) in &mut sources.texts {
        let Source::Text(text) = source else { continue };
        let is_json = name.ends_with("json") || text.starts_with(['{', '[']);
        let (what, end) = if is_json { ("string", '"') } else { ("line", '\n') };
        if text.split(end).any(|piece| piece.len() > LINE_BYTES_MAX) {
            let words = format!("a {what} of it has more than {} KiB", LINE_BYTES_MAX >> 10);
            *source = Source::Unreadable(Reason::Garbled(words));
        }
    }
}

/// Returns the whole lines of a text that so many bytes have room for.
fn beginning(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max {
        return text;
    }
    let (head, _) = text.split_at(cut_before(text, bytes_max));
    head.rsplit_once('\n').map_or("", |(lines, _)| lines)
}

/// Counts the ends of lines.
fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// Recognises texts whose name says nothing; what a name told already is not replaced.
fn recognise(
    place: &str,
    sources: &mut Sources,
    others: Vec<(String, String)>,
) -> Result<(), CaptureError> {
    let alone = others.len() == 1 && sources.texts.is_empty();
    let mut bytes_left = RECOGNISED_BYTES_MAX;
    for (name, text) in others {
        let (whole_length, text) = (text.len(), beginning(&text, bytes_left));
        if text.len() < whole_length {
            let reason = Reason::Failed(RECOGNISED_MAX_WORDS.to_owned());
            sources.texts.entry(name.clone()).or_insert(Source::Unreadable(reason));
        }
        bytes_left -= text.len();
        let found = match Sources::recognize_one(text) {
            Ok(found) => found,
            Err(error) if alone => {
                return Err(CaptureError::Paste { place: place.to_owned(), error });
            }
            // In a folder one such text does not hide the others.
            Err(error) => {
                let reason = Reason::Garbled(error.to_string());
                sources.texts.entry(name).or_insert(Source::Unreadable(reason));
                continue;
            }
        };
        // Lines of one of many texts have numbers of their own.
        if alone {
            sources.passed_over = found.passed_over;
        }
        sources.typed.extend(found.typed);
        sources.creating.extend(found.creating);
        for (name, source) in found.texts {
            // In a folder of many files, one that is about something else is no problem.
            if alone || matches!(source, Source::Text(_)) {
                sources.texts.entry(name).or_insert(source);
            }
        }
    }
    Ok(())
}

/// Returns the first line that nothing was made of.
fn unrecognised(sources: &Sources) -> String {
    let garbled = sources.texts.iter().filter_map(|(name, source)| match source {
        Source::Unreadable(Reason::Garbled(words)) => Some((name, words)),
        _ => None,
    });
    // What looks like a report says more of what is missing here than prose does.
    let numbers = |words: &str| {
        let starts = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
        words.split_whitespace().filter(starts).count()
    };
    let shown = garbled.min_by_key(|(_, words)| Reverse(numbers(words)));
    shown.map_or_else(
        || "no line of it is recognised".to_owned(),
        |(name, words)| format!("{name}: {words}"),
    )
}

fn take_manifest(place: &str, sources: &mut Sources) -> Result<Option<Manifest>, CaptureError> {
    let Some(text) = sources.text(MANIFEST).map(str::to_owned) else { return Ok(None) };
    sources.texts.remove(MANIFEST);
    let damaged = |why: String| CaptureError::Damaged {
        place: format!("{place}: {MANIFEST}"),
        why,
        hint: COPY_AGAIN,
    };
    if text.len() > MANIFEST_BYTES_MAX {
        return Err(damaged(format!("it has more than {} KiB", MANIFEST_BYTES_MAX >> 10)));
    }
    let manifest: Manifest = serde_json::from_str(&text).map_err(|error| {
        let told = error.to_string();
        let (beginning, _) = told.split_at(cut_before(&told, WORDS_BYTES_MAX));
        damaged(beginning.to_owned())
    })?;
    if manifest.machine.as_ref().is_some_and(|name| name.len() > WORDS_BYTES_MAX) {
        return Err(damaged("the machine’s name is longer than any".to_owned()));
    }
    if manifest.format > FORMAT {
        let (found, known) = (manifest.format, FORMAT);
        return Err(CaptureError::Newer { place: place.to_owned(), found, known });
    }
    for missing in &manifest.missing {
        let source = Source::Unreadable(missing.reason());
        sources.texts.entry(missing.name.clone()).or_insert(source);
    }
    Ok(Some(manifest))
}
