//! From what was pasted or dropped to doctor's findings.

use arcwright_advice::{Advice, Estimate, advise};
use arcwright_capture::{Opened, assemble, is_tar, open_whole_bytes};
use arcwright_machine::{Machine, Sources};
use arcwright_report::{
    Detail, DoctorOptions, doctor_heading, doctor_json, doctor_text, harmless_json,
};
use serde::Serialize;

use crate::error::PageError;

/// What doctor says.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// As `arcwright doctor --json` prints it.
    pub json: String,
    /// For the page: heading, findings and the text of `arcwright doctor --explain`, hidden characters written out.
    pub page: String,
}

/// Findings as the page shows them.
#[derive(Debug, Serialize)]
struct FindingsPage<'a> {
    machine: String,
    basis: String,
    advice: &'a Advice,
    text: String,
}

/// Diagnoses pasted text.
///
/// # Errors
/// What is wrong with the text, in words.
pub fn diagnose_text(text: &str) -> Result<Diagnosis, PageError> {
    if text.trim().is_empty() {
        let hint = "paste the output of arc_summary, zpool status, zpool iostat -v 10 2, or the file \
                    /proc/spl/kstat/zfs/arcstats";
        return Err(PageError::new("there is no text yet").hint(hint));
    }
    diagnose(&opened(open_whole_bytes("the pasted text", text.as_bytes()))?.sources)
}

/// Diagnoses files of one machine: a capture, or texts by name.
///
/// # Errors
/// What is wrong with them, in words.
pub fn diagnose_files(files: Vec<(String, Vec<u8>)>) -> Result<Diagnosis, PageError> {
    if let [(name, bytes)] = files.as_slice() {
        return diagnose(&opened(open_whole_bytes(name, bytes))?.sources);
    }
    let is_archive = |bytes: &[u8]| bytes.starts_with(&[0x1f, 0x8b]) || is_tar(bytes);
    if files.iter().any(|(_, bytes)| is_archive(bytes)) {
        let hint = "drop one capture, or the files of one machine; arcwright doctor --from a.tar.gz \
                    b.tar.gz compares several machines";
        return Err(PageError::new("more than one file, and one of them is an archive").hint(hint));
    }
    let entries = files.into_iter().map(|(name, bytes)| (name, Ok(bytes))).collect();
    diagnose(&opened(assemble("the dropped files", entries))?.sources)
}

fn opened(result: Result<Opened, arcwright_capture::CaptureError>) -> Result<Opened, PageError> {
    result.map_err(PageError::from)
}

fn diagnose(sources: &Sources) -> Result<Diagnosis, PageError> {
    let advice = advise(&Machine::read(sources), Estimate::WithModel);
    Ok(Diagnosis { json: doctor_json(&advice, &[])?, page: findings_page(&advice)? })
}

/// Returns findings as a page shows them, hidden characters written out.
///
/// # Errors
/// None that is known: all of it is texts.
pub fn findings_page(advice: &Advice) -> Result<String, PageError> {
    let (machine, basis) = doctor_heading(&advice.reading);
    let options = DoctorOptions { width: 100, colour: false, detail: Detail::Full };
    let text = doctor_text(advice, &[], &options);
    let page = serde_json::to_string(&FindingsPage { machine, basis, advice, text })?;
    Ok(harmless_json(&page).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{diagnose_files, diagnose_text};

    const STATUS: &str = "\
  pool: NAME
 state: ONLINE
config:

\tNAME        STATE     READ WRITE CKSUM
\tNAME        ONLINE       0     0     0
\t  sda       ONLINE       3     0     2

errors: No known data errors
";

    #[test]
    fn a_paste_and_a_dropped_file_say_the_same() {
        let text = STATUS.replace("NAME", "tank");
        let pasted = diagnose_text(&text).unwrap();
        assert!(pasted.json.contains("device-errors"), "{}", pasted.json);
        let dropped = diagnose_files(vec![("status.txt".to_owned(), text.into_bytes())]).unwrap();
        assert_eq!(dropped, pasted);
    }

    #[test]
    fn what_a_name_hides_is_written_out() {
        let text = STATUS.replace("NAME", "ta\u{202e}nk<script>");
        let page = diagnose_text(&text).unwrap().page;
        assert!(!page.contains('\u{202e}'), "{page}");
    }

    #[test]
    fn what_is_no_machine_is_refused_in_words() {
        let check = |text: &str, expected: &str| {
            let said = diagnose_text(text).unwrap_err().to_string();
            assert!(said.contains(expected), "{said}");
        };
        check("  \n", "there is no text yet");
        check("what a day", "not a capture");
        let two = vec![
            ("a.tar.gz".to_owned(), vec![0x1f, 0x8b]),
            ("b.tar.gz".to_owned(), vec![0x1f, 0x8b]),
        ];
        assert!(diagnose_files(two).unwrap_err().hint.unwrap().contains("one capture"));
    }
}
