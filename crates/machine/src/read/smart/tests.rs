//! What drives say of themselves, for programs and for people.

use proptest::prelude::*;

use super::{Machine, collect};
use crate::drive::DriveKind;
use crate::sources::{Source, Sources};

fn drive(json: &str) -> crate::Drive {
    let mut sources = Sources::default();
    sources.texts.insert("commands/smartctl-sda".to_owned(), Source::Text(json.to_owned()));
    let mut machine = Machine::default();
    collect(&sources, &mut machine);
    assert_eq!(machine.problems, []);
    machine.drives.remove(0)
}

#[test]
fn nvme_counts_in_units_of_half_a_million_bytes() {
    let nvme = drive(
        r#"{"device":{"protocol":"NVMe"},"model_name":"Samsung SSD 970 EVO 500GB","serial_number":"S1",
        "nvme_smart_health_information_log":{"percentage_used":7,"data_units_written":1000},
        "power_on_time":{"hours":12}}"#,
    );
    assert_eq!((nvme.wear_pct, nvme.power_on_hours), (Some(7), Some(12)));
    assert_eq!(nvme.written.map(|bytes| bytes.0), Some(512_000_000));
}

fn ata(rotation: u64, id: u64, name: &str, value: u64, raw: u64) -> crate::Drive {
    drive(&format!(
        r#"{{"device":{{"protocol":"ATA"}},"model_name":"X","rotation_rate":{rotation},
        "ata_smart_attributes":{{"table":[{{"id":{id},"name":"{name}","value":{value},
        "raw":{{"value":{raw}}}}}]}}}}"#
    ))
}

#[test]
fn ata_wear_is_what_is_missing_to_a_hundred() {
    assert_eq!(ata(0, 177, "Wear_Leveling_Count", 93, 60).wear_pct, Some(7));
    assert_eq!(ata(0, 233, "Media_Wearout_Indicator", 100, 0).wear_pct, Some(0));
    assert_eq!(ata(0, 202, "Percent_Lifetime_Remain", 60, 40).wear_pct, Some(40));
    assert_eq!(ata(0, 231, "Temperature_Celsius", 60, 40).wear_pct, None);
    assert_eq!(ata(7200, 202, "Data_Address_Mark_Errs", 100, 0).wear_pct, None);
}

#[test]
fn ata_writes_are_counted_in_what_the_name_says() {
    let written = |name, raw| ata(0, 241, name, 100, raw).written.map(|bytes| bytes.0);
    assert_eq!(written("Total_LBAs_Written", 2), Some(1024));
    assert_eq!(written("Host_Writes_32MiB", 2), Some(64 << 20));
    assert_eq!(written("Lifetime_Writes_GiB", 2), Some(2 << 30));
    assert_eq!(written("Unknown_Attribute", 2), None);
}

#[test]
fn a_drive_that_cannot_be_opened_is_a_problem_not_a_drive() {
    let text = r#"{"smartctl":{"messages":[{"string":"Smartctl open device: /dev/sda failed: Permission denied"}]}}"#;
    let mut sources = Sources::default();
    sources.texts.insert("commands/smartctl-sda".to_owned(), Source::Text(text.to_owned()));
    let mut machine = Machine::default();
    collect(&sources, &mut machine);
    assert!(machine.drives.is_empty());
    assert_eq!(machine.problems.len(), 1);
}

const ATA: &str = "\
smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)
Copyright (C) 2002-22, Bruce Allen, Christian Franke, www.smartmontools.org

=== START OF INFORMATION SECTION ===
Model Family:     Western Digital Red
Device Model:     WDC WD40EFRX-68N32N0
Serial Number:    WD-WCC7KTEST01
User Capacity:    4,000,787,030,016 bytes [4.00 TB]
Sector Sizes:     512 bytes logical, 4096 bytes physical
Rotation Rate:    5400 rpm
SATA Version is:  SATA 3.2, 6.0 Gb/s (current: 1.5 Gb/s)
SMART support is: Enabled

=== START OF READ SMART DATA SECTION ===
SMART overall-health self-assessment test result: PASSED

General SMART Values:
Offline data collection status:  (0x00)\tOffline data collection activity
\t\t\t\t\twas never started.
SMART Attributes Data Structure revision number: 16
Vendor Specific SMART Attributes with Thresholds:
ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
  5 Reallocated_Sector_Ct   0x0033   200   200   140    Pre-fail  Always       -       7
  9 Power_On_Hours          0x0032   050   050   000    Old_age   Always       -       36500 (1 2 3)
194 Temperature_Celsius     0x0022   117   100   000    Old_age   Always       -       33
197 Current_Pending_Sector  0x0032   200   200   000    Old_age   Always       -       2
198 Offline_Uncorrectable   0x0030   100   253   000    Old_age   Offline      -       1
199 UDMA_CRC_Error_Count    0x0032   200   200   000    Old_age   Always       -       40

SMART Error Log Version: 1
No Errors Logged
";

const NVME: &str = "\
=== START OF INFORMATION SECTION ===
Model Number:                       Samsung SSD 970 EVO 500GB
Serial Number:                      S466NTEST02
Total NVM Capacity:                 500,107,862,016 [500 GB]
Namespace 1 Formatted LBA Size:     512

=== START OF SMART DATA SECTION ===
SMART overall-health self-assessment test result: FAILED!
- media has been placed in read only mode

SMART/Health Information (NVMe Log 0x02)
Critical Warning:                   0x08
Percentage Used:                    107%
Data Units Written:                 1,000 [512 MB]
Power On Hours:                     12,345
Media and Data Integrity Errors:    3
";

const SCSI: &str = "\
=== START OF INFORMATION SECTION ===
Vendor:               SEAGATE
Product:              ST4000NM0023
User Capacity:        4,000,787,030,016 bytes [4.00 TB]
Logical block size:   512 bytes
Physical block size:  4096 bytes
Rotation Rate:        7200 rpm
Serial number:        Z1Z0TEST
SMART Health Status: OK
Accumulated power on time, hours:minutes 30123:25 [1807405 minutes]
Elements in grown defect list: 11
read:   3519021641        0         0  3519021641          0     262713.204           4
write:         0        0         3         3          3      33563.193           1
";

fn drives(texts: &[(&str, &str)]) -> Vec<crate::Drive> {
    let mut sources = Sources::default();
    for (name, text) in texts {
        let name = format!("commands/smartctl-{name}");
        sources.texts.insert(name, Source::Text((*text).to_owned()));
    }
    let mut machine = Machine::default();
    collect(&sources, &mut machine);
    assert_eq!(machine.problems, []);
    machine.drives
}

#[test]
fn texts_for_people_say_the_same() {
    let found = drives(&[("sda", ATA), ("nvme0", NVME), ("text", SCSI)]);
    let [nvme, ata, scsi] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((ata.name.as_str(), ata.serial.as_deref()), ("sda", Some("WD-WCC7KTEST01")));
    assert_eq!(ata.link_rates, Some([15, 60]));
    let counts = [ata.reallocated, ata.pending, ata.uncorrectable, ata.link_errors];
    assert_eq!(counts, [Some(7), Some(2), Some(1), Some(40)]);
    assert_eq!((ata.smart_passed, ata.power_on_hours), (Some(true), Some(36_500)));
    let sector = |size: Option<arcwright_units::Bytes>| size.map(|bytes| bytes.0);
    assert_eq!((sector(ata.sector_logical), sector(ata.sector_physical)), (Some(512), Some(4096)));
    assert_eq!((ata.kind, sector(ata.size)), (Some(DriveKind::Hdd), Some(4_000_787_030_016)));
    assert_eq!((nvme.wear_pct, sector(nvme.written)), (Some(107), Some(512_000_000)));
    assert_eq!((nvme.smart_passed, nvme.uncorrectable), (Some(false), Some(3)));
    assert_eq!((nvme.kind, nvme.power_on_hours), (Some(DriveKind::Nvme), Some(12_345)));
    assert_eq!((scsi.name.as_str(), scsi.model.as_deref()), ("Z1Z0TEST", Some("ST4000NM0023")));
    assert_eq!((scsi.reallocated, scsi.uncorrectable), (Some(11), Some(5)));
    assert_eq!((scsi.power_on_hours, scsi.pending), (Some(30_123), None));
}

#[test]
fn the_table_of_newer_options_has_fewer_columns() {
    let brief = "ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE\n\
                 197 Current_Pending_Sector  -O--CK   200   200   000    -    9\n";
    assert_eq!(drives(&[("sdb", brief)])[0].pending, Some(9));
}

#[test]
fn another_serial_number_is_another_drive() {
    let found = drives(&[("sda", &(ATA.to_owned() + NVME))]);
    let names: Vec<&str> = found.iter().map(|drive| drive.name.as_str()).collect();
    assert_eq!(names, ["sda", "S466NTEST02"]);
    assert_eq!((found[0].uncorrectable, found[1].uncorrectable), (Some(1), Some(3)));
}

#[test]
fn programs_are_told_of_faults_too() {
    let json = r#"{"model_name":"X","smart_status":{"passed":true},"logical_block_size":512,
        "physical_block_size":4096,"scsi_grown_defect_list":3,
        "scsi_error_counter_log":{"read":{"total_uncorrected_errors":2},"write":{"total_uncorrected_errors":1}}}"#;
    let found = drive(json);
    assert_eq!((found.smart_passed, found.reallocated), (Some(true), Some(3)));
    assert_eq!((found.uncorrectable, found.pending), (Some(3), None));
}

#[test]
fn every_line_of_a_text_is_known() {
    for line in [ATA, NVME, SCSI].iter().flat_map(|text| text.lines()) {
        let line = line.trim();
        assert!(line.is_empty() || line.starts_with('-') || super::is_line(line), "{line}");
    }
}

proptest! {
    #[test]
    fn any_part_of_a_text_is_read_without_panic(from in 0..ATA.len(), to in 0..ATA.len(), text in "([A-Z a-z:0-9%-]{0,12}\n){0,8}") {
        let part = ATA.get(from..).and_then(|rest| rest.get(..to)).unwrap_or_default();
        let _ignored = super::text::parts(&format!("{part}{text}{part}"));
    }
}

#[test]
fn a_value_below_its_threshold_is_a_verdict_where_its_failure_is_the_drives() {
    let check = |row: &str, expected: Option<bool>| {
        let text = format!("Vendor Specific SMART Attributes with Thresholds:\n{row}\n");
        let found = drives(&[("commands/smartctl-sda", &text)]);
        assert_eq!(found[0].smart_passed, expected, "{row}");
    };
    let failing = "  5 Reallocated_Sector_Ct 0x0033 035 035 036 Pre-fail Always FAILING_NOW 21480";
    check(failing, Some(false));
    check("  5 Reallocated_Sector_Ct PO--CK 035 035 036 NOW 21480", Some(false));
    check(&failing.replace("FAILING_NOW", "-"), None);
    check(&failing.replace("FAILING_NOW", "In_the_past"), None);
    check("190 Airflow_Temperature 0x0022 040 040 045 Old_age Always FAILING_NOW 60", None);
}

/// The verdict is made of these bits; that of the temperature is no failure.
#[test]
fn a_critical_warning_alone_is_a_verdict() {
    for (bits, passed) in [("0x00", true), ("0x02", true), ("0x04", false), ("0x0d", false)] {
        let text = format!(
            "SMART/Health Information (NVMe Log 0x02)\nCritical Warning:     {bits}\nPercentage Used:    100%\n"
        );
        let machine = Machine::read(&Sources::recognize(&text));
        assert_eq!(machine.drives[0].smart_passed, Some(passed), "{bits}");
    }
}

/// Returns the drives of one text for people, of a device that is named.
fn told(text: &str) -> Vec<crate::Drive> {
    let mut sources = Sources::default();
    sources.texts.insert("commands/smartctl-sdc".to_owned(), Source::Text(text.to_owned()));
    let mut machine = Machine::default();
    collect(&sources, &mut machine);
    machine.drives
}

/// Returns an output with these hours, if they are shown, and these counts of attributes 5 and 197.
fn output(hours: Option<u64>, replaced: u64, pending: u64) -> String {
    let row = |id: u64, name: &str, raw: u64| {
        format!(
            "{id:3} {name:23} 0x0032   200   200   140    Old_age   Always       -       {raw}\n"
        )
    };
    let hours = hours.map_or_else(String::new, |hours| row(9, "Power_On_Hours", hours));
    let verdict = "SMART overall-health self-assessment test result: PASSED\n";
    verdict.to_owned()
        + &row(5, "Reallocated_Sector_Ct", replaced)
        + &hours
        + &row(197, "Current_Pending_Sector", pending)
}

#[test]
fn of_several_outputs_the_later_one_counts_and_the_earlier_is_kept_beside_it() {
    for (first, second, now, earlier) in [
        ((None, 0, 8), (None, 0, 134), 134, Some(8)),
        ((None, 0, 134), (None, 0, 8), 8, Some(134)),
        // Hours tell which is older, and so does a count that never falls.
        ((Some(900), 0, 134), (Some(800), 0, 8), 134, Some(8)),
        ((None, 5, 134), (None, 0, 8), 134, Some(8)),
        ((None, 0, 8), (None, 0, 8), 8, None),
    ] {
        let text = output(first.0, first.1, first.2) + &output(second.0, second.1, second.2);
        let drives = told(&text);
        assert_eq!(drives.len(), 1, "{text}");
        assert_eq!((drives[0].pending, drives[0].earlier.pending), (Some(now), earlier), "{text}");
    }
}

#[test]
fn of_outputs_that_name_no_drive_the_worse_one_counts() {
    let text = output(None, 0, 134) + &output(None, 0, 0);
    let mut sources = Sources::default();
    sources.texts.insert("commands/smartctl-text".to_owned(), Source::Text(text));
    let mut machine = Machine::default();
    collect(&sources, &mut machine);
    assert_eq!(machine.drives.len(), 1);
    assert_eq!(machine.drives[0].pending, Some(134));
    assert_eq!(machine.drives[0].earlier, crate::SmartCounts::default());
}

#[test]
fn smart_that_cannot_be_read_is_told_with_its_reason() {
    use crate::SmartClosed::{Disabled, Unavailable};
    for (lines, expected) in [
        (
            "SMART support is: Available - device has SMART capability.\nSMART support is: Disabled\n",
            Some(Disabled),
        ),
        ("SMART support is:     Unavailable - device lacks SMART capability.\n", Some(Unavailable)),
        (
            "SMART support is: Available - device has SMART capability.\nSMART support is: Enabled\n",
            None,
        ),
    ] {
        let text = format!("=== START OF INFORMATION SECTION ===\nDevice Model: X\n{lines}");
        assert_eq!(told(&text)[0].smart_closed, expected, "{lines}");
    }
}
