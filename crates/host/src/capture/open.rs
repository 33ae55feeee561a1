//! Opening whatever somebody sent: an archive, a folder, a pasted text, standard input.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use arcwright_machine::{Source, Sources};

use super::archive::{BYTES_MAX, is_tar, unpack};
use super::layout::{arrange, summary};
use super::{CaptureError, FORMAT, Manifest};

const FILES_MAX: usize = 100_000;
const DEPTH_MAX: usize = 16;
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

/// Opens a capture, a folder or a text; `-` is standard input.
///
/// # Errors
/// [`CaptureError`] with the place and what to do.
pub fn open(path: &Path) -> Result<Sources, CaptureError> {
    let place = path.display().to_string();
    let failed = |error| CaptureError::Read { path: place.clone(), error };
    if path == Path::new("-") {
        let bytes = read_limited(std::io::stdin().lock(), "standard input")?;
        return open_bytes("standard input", &bytes);
    }
    if fs::metadata(path).map_err(failed)?.is_dir() {
        let mut texts = Vec::new();
        walk(path, "", 0, &mut texts)?;
        return assemble(&place, texts);
    }
    let file = File::open(path).map_err(failed)?;
    let bytes = read_limited(file, &place)?;
    open_bytes(&place, &bytes)
}

/// Opens the bytes of a file that `place` names in errors.
///
/// # Errors
/// As [`open`].
pub fn open_bytes(place: &str, bytes: &[u8]) -> Result<Sources, CaptureError> {
    let not = |why: &str, hint| {
        Err(CaptureError::NotACapture { place: place.to_owned(), why: why.to_owned(), hint })
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return not("it is empty", EXPECTED);
    }
    if let Some((_, what)) = OTHERS.iter().find(|(start, _)| bytes.starts_with(start)) {
        return not(&format!("it is {what}"), UNPACK);
    }
    if bytes.starts_with(&[0x1f, 0x8b]) || is_tar(bytes) {
        let texts = unpack(place, bytes)?;
        return assemble(place, texts);
    }
    // Windows writes text in UTF-16.
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    if text.contains('\0') {
        return not("it is neither text nor an archive known here", EXPECTED);
    }
    assemble(place, vec![("paste".to_owned(), text.into_bytes())])
}

fn utf16(bytes: &[u8], pair: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).filter_map(|two| Some(pair([*two.first()?, *two.get(1)?])));
    String::from_utf16_lossy(&units.collect::<Vec<u16>>())
}

fn read_limited(stream: impl Read, place: &str) -> Result<Vec<u8>, CaptureError> {
    let mut bytes = Vec::new();
    let failed = |error| CaptureError::Read { path: place.to_owned(), error };
    stream.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > BYTES_MAX {
        let limit = format!("{} MiB", BYTES_MAX >> 20);
        return Err(CaptureError::TooLarge { place: place.to_owned(), limit });
    }
    Ok(bytes)
}

/// Reads the files of a folder; links are not followed, they may lead anywhere.
fn walk(
    folder: &Path,
    prefix: &str,
    depth: usize,
    texts: &mut Vec<(String, Vec<u8>)>,
) -> Result<(), CaptureError> {
    let failed = |error| CaptureError::Read { path: folder.display().to_string(), error };
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut total: u64 = 0;
    for entry in entries.filter_map(Result::ok) {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        let place = || path.display().to_string();
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        if meta.is_dir() && depth < DEPTH_MAX {
            walk(&path, &format!("{name}/"), depth + 1, texts)?;
        } else if meta.is_file() {
            let Ok(file) = File::open(&path) else { continue };
            let bytes = read_limited(file, &place())?;
            total = total.saturating_add(bytes.len() as u64);
            if texts.len() >= FILES_MAX || total > BYTES_MAX {
                let limit = format!("{FILES_MAX} files or {} MiB", BYTES_MAX >> 20);
                return Err(CaptureError::TooLarge { place: place(), limit });
            }
            texts.push((name, bytes));
        }
    }
    Ok(())
}

fn assemble(place: &str, texts: Vec<(String, Vec<u8>)>) -> Result<Sources, CaptureError> {
    if let Some((name, _)) = texts.iter().find(|(name, _)| name.split('/').any(|part| part == ".."))
    {
        let why = format!("it holds the path “{name}”");
        let hint = "captures have no such paths, do not unpack it";
        return Err(CaptureError::NotACapture { place: place.to_owned(), why, hint });
    }
    let texts: Vec<(String, String)> = texts
        .into_iter()
        .filter(|(_, bytes)| !bytes.contains(&0))
        .map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned()))
        .collect();
    let about = summary(&texts);
    let (mut sources, others) = arrange(texts);
    take_manifest(place, &mut sources)?;
    recognise(&mut sources, others);
    let found = sources.texts.values().any(|source| matches!(source, Source::Text(_)));
    match found {
        true => Ok(sources),
        false => {
            let why = match about.starts_with("paste") {
                true => unrecognised(&sources),
                false => format!("it holds {about}"),
            };
            Err(CaptureError::NotACapture { place: place.to_owned(), why, hint: EXPECTED })
        }
    }
}

/// Recognises texts whose name says nothing; what a name told already is not replaced.
fn recognise(sources: &mut Sources, others: Vec<(String, String)>) {
    let alone = others.len() == 1 && sources.texts.is_empty();
    for (_, text) in others {
        for (name, source) in Sources::recognize(&text).texts {
            // In a folder of many files, one that is about something else is no problem.
            if alone || matches!(source, Source::Text(_)) {
                sources.texts.entry(name).or_insert(source);
            }
        }
    }
}

/// Returns the first line that nothing was made of.
fn unrecognised(sources: &Sources) -> String {
    let first = sources.texts.iter().find_map(|(name, source)| match source {
        Source::Unreadable(arcwright_machine::Reason::Garbled(words)) => {
            Some(format!("{name}: {words}"))
        }
        _ => None,
    });
    first.unwrap_or_else(|| "no line of it is known".to_owned())
}

fn take_manifest(place: &str, sources: &mut Sources) -> Result<(), CaptureError> {
    let Some(Source::Text(text)) = sources.texts.remove("manifest.json") else { return Ok(()) };
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|error| CaptureError::Damaged {
            place: format!("{place}: manifest.json"),
            why: error.to_string(),
            hint: "the archive was cut or altered, copy it again",
        })?;
    if manifest.format > FORMAT {
        let (found, known) = (manifest.format, FORMAT);
        return Err(CaptureError::Newer { place: place.to_owned(), found, known });
    }
    for missing in manifest.missing {
        let source = Source::Unreadable(missing.reason());
        sources.texts.entry(missing.name).or_insert(source);
    }
    Ok(())
}
