//! Partitions and labels of `FreeBSD`, each step of the way told by another tool.

use proptest::prelude::*;

use super::{Machine, collect};
use crate::drive::{Drive, DriveKind};
use crate::sources::{Source, Sources};

fn drives(texts: &[(&str, &str)]) -> Vec<Drive> {
    let text = |(name, text): &(&str, &str)| {
        (format!("commands/{name}"), Source::Text((*text).to_owned()))
    };
    let mut machine = Machine::default();
    collect(
        &Sources { texts: texts.iter().map(text).collect(), ..Sources::default() },
        &mut machine,
    );
    assert_eq!(machine.problems, []);
    machine.drives
}

const SHOW: &str = "\
=>       40  156301408  ada4  GPT  (75G)
         40   41943040     1  freebsd-zfs  (20G)
   41943080  104857600     2  freebsd-zfs  (50G)
  146800680    9500768        - free -  (4.5G)
";

fn label(part: &str, label: &str) -> String {
    format!(
        "Geom name: {part}\nProviders:\n1. Name: {label}\n   Mediasize: 21474836480 (20G)\n   \
         Sectorsize: 512\n   Mode: r0w0e0\nConsumers:\n1. Name: {part}\n   Mediasize: 21474836480 (20G)\n\n"
    )
}

#[test]
fn labels_of_two_partitions_lead_to_one_drive() {
    let list = label("ada4p1", "gptid/11aa") + &label("ada4p2", "gptid/22bb");
    let found = drives(&[("gpart-show", SHOW), ("geom-list", &list)]);
    let [drive] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((drive.name.as_str(), drive.size.unwrap().0), ("ada4", 156_301_448 * 512));
    for link in ["/dev/ada4", "/dev/ada4p1", "/dev/ada4p2", "/dev/gptid/11aa", "/dev/gptid/22bb"] {
        assert!(drive.links.iter().any(|known| known == link), "{link} in {:?}", drive.links);
    }
    let found = drives(&[("geom-list", &list)]);
    assert_eq!(found.len(), 1);
}

#[test]
fn partitions_say_their_labels_themselves() {
    let list = "Geom name: da6\nmodified: false\nscheme: GPT\nProviders:\n1. Name: da6p1\n   Mediasize: 5 (5B)\n   \
                rawuuid: a3d6\n   label: log0\n   type: freebsd-zfs\nConsumers:\n1. Name: da6\n   Mediasize: 80026361856 (75G)\n";
    let found = drives(&[("geom-list", list)]);
    assert_eq!(found[0].size.unwrap().0, 80_026_361_856);
    let shown = SHOW.replace("freebsd-zfs", "log0       ").replace("  1  ", "  ada4p1  ");
    for (found, link) in
        [(found, "/dev/gptid/a3d6"), (drives(&[("gpart-show", &shown)]), "/dev/gpt/log0")]
    {
        assert!(found[0].links.iter().any(|known| known == link), "{link} in {:?}", found[0].links);
    }
}

#[test]
fn an_encrypted_label_is_followed_through_all_steps() {
    let list = label("gpt/tank0", "gpt/tank0.eli") + &label("da2p1", "gpt/tank0");
    let found = drives(&[("geom-list", &list)]);
    assert!(found[0].links.iter().any(|link| link == "/dev/gpt/tank0.eli"), "{found:?}");
    assert_eq!((found.len(), found[0].name.as_str()), (1, "da2"));
}

#[test]
fn disks_are_described_by_whoever_was_asked() {
    let disk = "Geom name: ada0\nProviders:\n1. Name: ada0\n   Mediasize: 4000787030016 (3.6T)\n   Sectorsize: 512\n   \
                Stripesize: 4096\n   descr: WDC WD40EFRX\n   ident: W1\n   rotationrate: 5400\n";
    let info = "/dev/ada0\n\t512         \t# sectorsize\n\t4000787030016\t# mediasize in bytes (3.6T)\n\t4096        \t# stripesize\n\
                \tWDC WD40EFRX\t# Disk descr.\n\tW1\t# Disk ident.\n\t5400        \t# Rotation rate in RPM\n";
    let expected = drives(&[("geom-disk-list", disk)]);
    assert_eq!(expected, drives(&[("diskinfo", info)]));
    let drive = &expected[0];
    assert_eq!((drive.kind, drive.model.as_deref()), (Some(DriveKind::Hdd), Some("WDC WD40EFRX")));
    assert_eq!(drive.sector_physical.map(|bytes| bytes.0), Some(4096));
    let devices = "<WDC WD40EFRX 82.00A82>            at scbus0 target 0 lun 0 (ada0,pass0)\n\
                   <AHCI SGPIO Enclosure 2.00 0001>   at scbus6 target 0 lun 0 (ses0,pass6)\n";
    let found =
        drives(&[("camcontrol-devlist", devices), ("glabel-status", "gptid/x  N/A  ada0p2\n")]);
    assert_eq!((found.len(), found[0].model.as_deref()), (1, Some("WDC WD40EFRX")));
    assert!(found[0].links.iter().any(|link| link == "/dev/gptid/x"));
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "(Geom name: |[0-9]. Name: |=> |da6p1|ada0| # |[a-zé:<>(),/ ]{0,6}|\n){0,40}", at in 0..SHOW.len()) {
        let names = ["gpart-show", "glabel-status", "camcontrol-devlist", "diskinfo"];
        let cut = SHOW.get(..at).unwrap_or_default();
        names.iter().for_each(|name| drop(drives(&[(name, &text), ("gpart-show", cut)])));
        let list = format!("Geom name: x{text}");
        let _ignored = drives(&[("geom-list", &list)]);
    }
}
