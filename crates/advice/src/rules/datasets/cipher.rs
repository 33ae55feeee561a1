//! Encryption without the processor's own instructions.
//!
//! The implementation of AES and GCM is a parameter that lists what this processor can and marks what
//! is used: `cycle [fastest] generic x86_64 aesni`, and `avx` or `pclmulqdq` for GCM
//! (module/icp/algs/aes/aes_impl.c, modes/gcm.c; 0.8 to 2.4, the module `icp` before 2.2). Without
//! `aesni` and a carry-less multiply a core encrypts some tens of MiB per second instead of some
//! thousand. On FreeBSD the kernel's own framework does the work and has no such list.

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Remedy, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether encryption uses the processor's AES instructions", judge };

const AES: &str = "icp_aes_impl";
const GCM: &str = "icp_gcm_impl";
/// Implementations that run on instructions made for it.
const QUICK: [(&str, &[&str]); 2] =
    [(AES, &["aesni"]), (GCM, &["avx", "avx2", "avx2-vaes", "avx512", "pclmulqdq"])];

/// How one cipher is computed.
struct Choice<'a> {
    parameter: &'static str,
    text: &'a str,
    /// Whether the processor has instructions for it that ZFS knows.
    has_quick: bool,
    /// Whether what is used is one of them.
    is_quick: bool,
}

fn judge(view: &View<'_>) -> Judged {
    let encrypted: Vec<String> = dataset_state::all(view)?
        .iter()
        .filter(|dataset| {
            dataset_state::property(dataset, "encryption")
                .is_some_and(|value| !["off", "-"].contains(&value))
        })
        .map(|dataset| dataset.name.clone())
        .collect();
    if encrypted.is_empty() || view.is_freebsd() {
        return Ok(Verdict::Silent);
    }
    let choices: Vec<Choice<'_>> = QUICK
        .iter()
        .filter_map(|(parameter, quick)| {
            let text = view.machine.parameters.get(*parameter)?.value.as_str();
            Some(choice(parameter, text, quick))
        })
        .collect();
    if choices.len() < QUICK.len() {
        return Err(NotJudged::NotRead(format!("{AES} and {GCM} were not read")));
    }
    let evidence: Vec<Evidence> =
        choices.iter().map(|one| Evidence::setting(one.parameter, one.text)).collect();
    let slow: Vec<&Choice<'_>> = choices.iter().filter(|one| !one.is_quick).collect();
    if slow.is_empty() {
        return Ok(Verdict::fine("Encryption uses the processor's AES instructions", evidence));
    }
    Ok(Verdict::one(finding(&encrypted, &slow, evidence)))
}

fn choice<'a>(parameter: &'static str, text: &'a str, quick: &[&str]) -> Choice<'a> {
    let bare = |word: &'a str| word.trim_start_matches('[').trim_end_matches(']');
    let has_quick = text.split_whitespace().any(|word| quick.contains(&bare(word)));
    let used = text.split_whitespace().find(|word| word.starts_with('[')).map(bare);
    // The fastest is that of the processor when it has one.
    let is_quick =
        used.is_some_and(|used| quick.contains(&used) || (used == "fastest" && has_quick));
    Choice { parameter, text, has_quick, is_quick }
}

fn finding(encrypted: &[String], slow: &[&Choice<'_>], evidence: Vec<Evidence>) -> Finding {
    let chosen = slow.iter().all(|one| one.has_quick);
    let title = match chosen {
        true => "Encryption does not use the processor's AES instructions",
        false => "Encryption runs in software: the processor shows no AES instructions",
    };
    let mut finding =
        Finding::new("crypto-slow", Severity::WorthALook, Area::Settings, title.to_owned());
    finding.subject = Some(format::list(encrypted));
    finding.evidence = evidence;
    finding.evidence.extend(
        encrypted.iter().take(4).map(|name| Evidence::setting(format!("{name}: encryption"), "on")),
    );
    finding.cause = match chosen {
        true => "A parameter selects an implementation other than the fastest.",
        false => {
            "Each block is encrypted and decrypted in software: some tens of MiB per second and \
             core. Old processors lack these instructions; in a virtual machine the host may hide \
             them."
        }
    }
    .to_owned();
    finding.remedy = Some(remedy(slow, chosen));
    finding.gain = Gain::NotEstimated("encrypted reads and writes are not counted".to_owned());
    finding.cost = "None.".to_owned();
    finding.risk = "None to data: all implementations give the same result.".to_owned();
    finding.confidence = Confidence::read("the modules' parameters");
    finding.sources = lines([
        "zfs(4) icp_aes_impl",
        "module/icp/algs/aes/aes_impl.c",
        "module/icp/algs/modes/gcm.c",
    ]);
    finding
}

fn remedy(slow: &[&Choice<'_>], chosen: bool) -> Remedy {
    if !chosen {
        let mut remedy = changes::by_hand(
            "in a virtual machine give it the host's processor type (Proxmox: CPU type host); on \
             an old processor encrypt less",
            &[],
        );
        remedy.verify = lines(["grep -m1 -o -w -E 'aes|pclmulqdq' /proc/cpuinfo"]);
        return remedy;
    }
    let set = slow.iter().map(|one| {
        format!(
            "echo fastest > /sys/module/{{zfs,icp}}/parameters/{}   # whichever is there",
            one.parameter
        )
    });
    let mut remedy = changes::by_hand("use the fastest implementation", &[]);
    remedy.now = set.collect();
    remedy.lasting = lines(["# remove its option from /etc/modprobe.d"]);
    remedy.verify =
        slow.iter().map(|one| format!("cat /sys/module/*/parameters/{}", one.parameter)).collect();
    remedy
}
