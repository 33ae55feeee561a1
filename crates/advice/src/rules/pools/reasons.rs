//! What stands beside a refused import: features that the module lacks, what its log says of loading; not a rule itself.
//!
//! The versions are those whose zpool-features(7) has the feature first.

use arcwright_machine::Refusal;

use crate::format;

/// Features by the part of their names behind the colon, and the first OpenZFS that has them.
const FEATURES: [(&str, &str); 33] = [
    ("large_dnode", "0.7"),
    ("sha512", "0.7"),
    ("skein", "0.7"),
    ("edonr", "0.7"),
    ("userobj_accounting", "0.7"),
    ("allocation_classes", "0.8"),
    ("bookmark_v2", "0.8"),
    ("device_removal", "0.8"),
    ("encryption", "0.8"),
    ("obsolete_counts", "0.8"),
    ("project_quota", "0.8"),
    ("resilver_defer", "0.8"),
    ("spacemap_v2", "0.8"),
    ("zpool_checkpoint", "0.8"),
    ("bookmark_written", "2.0"),
    ("device_rebuild", "2.0"),
    ("livelist", "2.0"),
    ("log_spacemap", "2.0"),
    ("redacted_datasets", "2.0"),
    ("redaction_bookmarks", "2.0"),
    ("zstd_compress", "2.0"),
    ("draid", "2.1"),
    ("blake3", "2.2"),
    ("block_cloning", "2.2"),
    ("head_errlog", "2.2"),
    ("vdev_zaps_v2", "2.2"),
    ("zilsaxattr", "2.2"),
    ("fast_dedup", "2.3"),
    ("large_microzap", "2.3"),
    ("longname", "2.3"),
    ("raidz_expansion", "2.3"),
    ("redaction_list_spill", "2.3"),
    ("dynamic_gang_header", "2.4"),
];
/// Stands behind the features of a pool that can be read without them.
const READABLE: &str = "readonly=on";

/// Returns the features that a refusal names, without who made them.
fn features(refusal: &Refusal) -> Vec<String> {
    let words = refusal.beside.split_whitespace().filter(|word| *word != READABLE);
    words.filter_map(|word| Some(word.split_once(':')?.1.to_owned())).collect()
}

/// Returns whether the tool says that the pool can be read without the features.
pub(super) fn is_readable(refusal: &Refusal) -> bool {
    refusal.beside.ends_with(READABLE)
}

/// Returns what the features need, for a title: `: log_spacemap, from OpenZFS 2.0 on`.
pub(super) fn needs(refusal: &Refusal) -> String {
    let features = features(refusal);
    let known = |name: &String| FEATURES.iter().find(|(known, _)| known == name);
    let all: Option<Vec<&str>> =
        features.iter().map(|name| known(name).map(|(_, version)| *version)).collect();
    let from = all.and_then(|versions| versions.into_iter().max());
    match (features.is_empty(), from) {
        (true, _) => String::new(),
        (false, Some(version)) => {
            format!(": {}, from OpenZFS {version} on", format::list(&features))
        }
        (false, None) => format!(": {}", format::list(&features)),
    }
}

/// Returns why a pool is not imported whose features the module lacks.
pub(super) fn of_features(refusal: &Refusal) -> String {
    let readable = match is_readable(refusal) {
        true => {
            " By the words of the tool they are needed for writing alone, so that the pool can be read here as it is."
        }
        false => "",
    };
    let which = match features(refusal).as_slice() {
        [] => "A newer ZFS, or one of another system, has put something into the pool that this one does not know."
            .to_owned(),
        features => format!(
            "A newer ZFS, or one of another system, has put something into the pool that this one does not know: {}.",
            format::list(features)
        ),
    };
    format!("{which}{readable} The refusal says nothing against devices or what is stored.")
}

/// Returns what to do about a pool whose loading failed.
pub(super) fn step_of_loading(refusal: &Refusal) -> &'static str {
    match refusal.reason.contains("[error=52]") {
        true => {
            "test the memory, for errors in every copy at once are seldom the disks'; copy the disks before anything is \
             written to them; then try a read-only import, with OpenZFS 2.2 or newer, which reads no maps of free space \
             for that (openzfs issue 9095), and copy what matters off"
        }
        false => {
            "look for every device first; then try a read-only import, and copy what matters off before anything else"
        }
    }
}

/// Returns why loading failed, by the words of the module's log.
pub(super) fn of_loading(refusal: &Refusal) -> String {
    const MEANINGS: [(&str, &str); 3] = [
        (
            "[error=52]",
            " Error 52 is a checksum error there (EBADE, by which ZFS on Linux tells ECKSUM): metadata was \
                        read, and is wrong in every copy.",
        ),
        ("[error=5]", " Error 5 is one of reading: devices did not give what was asked for."),
        ("[error=6]", " Error 6 is a device that is not there."),
    ];
    let Refusal { reason, beside, .. } = refusal;
    let meaning = MEANINGS.iter().find(|(code, _)| reason.contains(code));
    let meaning = meaning.map_or_else(|| "", |(_, meaning)| *meaning);
    let (vdevs, tried) = match beside.split_once("; ") {
        Some((vdevs, tried)) => (vdevs, Some(tried)),
        None => (beside.as_str(), None),
    };
    let vdevs = match vdevs.is_empty() {
        true => String::new(),
        false => format!(" {vdevs}."),
    };
    let maps = match beside.contains("metaslab_init") {
        true => {
            " Metaslabs are described by maps of free space, which writing needs and reading does not."
        }
        false => "",
    };
    let tried = tried.map_or_else(String::new, |tried| {
        format!(" {tried}: going back further is no way out, as long as each ends alike.")
    });
    let reason = reason.trim_start_matches("loading failed: ");
    format!("The module's own log: {reason}.{vdevs}{meaning}{maps}{tried}")
}

#[cfg(test)]
mod tests {
    use arcwright_machine::Refusal;

    use super::needs;

    #[test]
    fn features_are_told_with_the_first_version_that_has_all_of_them() {
        for (beside, expected) in [
            ("com.delphix:log_spacemap readonly=on", ": log_spacemap, from OpenZFS 2.0 on"),
            (
                "org.openzfs:blake3 org.freebsd:zstd_compress",
                ": blake3, zstd_compress, from OpenZFS 2.2 on",
            ),
            ("com.example:own org.openzfs:blake3", ": own, blake3"),
            ("", ""),
        ] {
            let refusal = Refusal { beside: beside.to_owned(), ..Refusal::default() };
            assert_eq!(needs(&refusal), expected, "{beside}");
        }
    }
}
