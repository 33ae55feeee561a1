//! `gpart show` with its forms `-p` and `-l`, and `diskinfo -v`.
//!
//! ```text
//! =>       34  150994877  da6  GPT  (72G)
//!          34   41943040    1  freebsd-zfs  (20G)       1 is da6p1; with -p it says so,
//!    41943074  104857600    2  cache0       (50G)       with -l labels stand for kinds
//!   146800674    4194237       - free -  (2.0G)
//! ```

use arcwright_units::Bytes;

use super::{Found, sector};
use crate::nicenum;

/// What the kinds of partitions begin with; anything else in their place is a label.
const KINDS: [&str; 14] = [
    "freebsd",
    "efi",
    "bios-boot",
    "linux-",
    "ms-",
    "apple-",
    "netbsd",
    "openbsd",
    "dragonfly",
    "solaris",
    "vmware-",
    "ntfs",
    "fat",
    "mbr",
];

/// Reads `gpart show`.
pub(super) fn shown(text: &str, found: &mut Found) {
    let mut disk: Option<(String, char)> = None;
    for line in text.lines().map(str::trim) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["=>", start, sectors, name, scheme, size] = words.as_slice() {
            disk = Some(((*name).to_owned(), if *scheme == "MBR" { 's' } else { 'p' }));
            if let Some(drive) = found.drive(name) {
                drive.size = drive.size.or_else(|| whole(start, sectors, size));
            }
        } else if let [_, _, part, kind, ..] = words.as_slice() {
            let Some((disk, mark)) = &disk else { continue };
            let numbered = part.chars().all(|c| c.is_ascii_digit());
            let own = part.starts_with(disk.as_str()) && part.len() > disk.len();
            if !numbered && !own {
                continue;
            }
            let name = if numbered { format!("{disk}{mark}{part}") } else { (*part).to_owned() };
            found.link(&name, disk);
            let is_kind =
                KINDS.iter().any(|start| kind.starts_with(start)) || kind.starts_with('!');
            if !is_kind && *kind != "(null)" && *kind != "-" {
                found.link(&format!("gpt/{kind}"), &name);
            }
        }
    }
}

/// Returns the size of a disk: its sectors, of 512 bytes or of 4 KiB, whichever comes to the size in
/// brackets.
fn whole(start: &str, sectors: &str, size: &str) -> Option<Bytes> {
    /// How far a size of two digits may be from the whole one.
    const ROUNDED: f64 = 0.06;
    let start: u64 = start.parse().ok()?;
    let sectors: u64 = sectors.parse::<u64>().ok()?.checked_add(start)?;
    let told = nicenum::binary(size.trim_matches(['(', ')']))?;
    [512_u64, 4096].iter().find_map(|sector| {
        let bytes = sectors.checked_mul(*sector)?;
        let exact = nicenum::binary(&bytes.to_string())?;
        ((exact - told).abs() <= told * ROUNDED).then_some(Bytes(bytes))
    })
}

/// Reads `diskinfo -v`: a name, then values with what they are behind `#`.
pub(super) fn informed(text: &str, found: &mut Found) {
    let mut name: Option<String> = None;
    for line in text.lines().map(str::trim) {
        let Some((value, about)) = line.split_once('#') else {
            let word = line.strip_prefix("/dev/").unwrap_or(line);
            name = Some(word.to_owned()).filter(|word| !word.is_empty()).or(name);
            continue;
        };
        let Some(drive) = name.as_deref().and_then(|name| found.drive(name)) else { continue };
        let (value, about) = (value.trim(), about.trim());
        let known = || Some(value.to_owned()).filter(|value| !value.is_empty());
        match about {
            "sectorsize" => drive.sector_logical = sector(value).or(drive.sector_logical),
            "stripesize" => drive.sector_physical = sector(value).or(drive.sector_physical),
            "Disk descr." => drive.model = known().or_else(|| drive.model.take()),
            "Disk ident." => drive.serial = known().or_else(|| drive.serial.take()),
            "Rotation rate in RPM" => drive.kind = drive.kind.or_else(|| turns(value)),
            _ if about.starts_with("mediasize in bytes") => {
                drive.size = value.parse().ok().map(Bytes).or(drive.size);
            }
            _ => {}
        }
    }
}

fn turns(rate: &str) -> Option<crate::drive::DriveKind> {
    let rate: u64 = rate.parse().ok()?;
    Some(if rate == 0 { crate::drive::DriveKind::Ssd } else { crate::drive::DriveKind::Hdd })
}
