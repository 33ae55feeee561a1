//! Device files that people write: whatever is accepted works, whatever is not is refused in words.

use arcwright_device::{Device, DeviceProfile, Io, Request};
use arcwright_units::{Bytes, Nanos};

use crate::driver::Random;

const DISK: &str = include_str!("../../profiles/hdd-nas-7200.toml");
const SSD: &str = include_str!("../../profiles/nvme-consumer.toml");

/// Numbers that people and others write in the place of the right one.
const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "-1",
    "0.001",
    "100",
    "512",
    "7200",
    "65536",
    "1e6",
    "1e9",
    "1e12",
    "1e15",
    "1e300",
    "nan",
    "inf",
    "18446744073709551615",
];

/// Replaces the value behind the equals sign of one line.
fn changed(text: &str, line: usize, value: &str) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (key, _) = lines.get(line)?.split_once(" = ")?;
    let new = format!("{key} = {value}");
    *lines.get_mut(line)? = new;
    Some(lines.join("\n"))
}

/// Uses a device a little.
fn use_it(profile: &DeviceProfile, random: &mut Random) {
    let size = profile.capacity();
    let mut device = Device::new(profile, size.max(Bytes::mib(1)), 1);
    let mut done = Vec::new();
    for ticket in 0..24 {
        let io = match random.below(3) {
            0 => Io::Read,
            1 => Io::Write,
            _ => Io::Flush,
        };
        let blocks = u32::try_from(random.below(64)).unwrap_or(0) + 1;
        let size = if io == Io::Flush { 0 } else { blocks * 4096 };
        let offset = random.below(profile.capacity().0 / 4096) * 4096;
        device.submit(Nanos::ZERO, ticket, Request { io, offset, size });
    }
    for _ in 0..10_000 {
        let Some(next) = device.next_event() else { break };
        device.advance(next, &mut done);
    }
    assert_eq!(done.len(), 24, "{}", profile.title());
}

#[test]
fn no_value_breaks_a_device() {
    let mut random = Random(7);
    let (mut good, mut bad) = (0, 0);
    for text in [DISK, SSD] {
        for line in 0..text.lines().count() {
            for value in NUMBERS {
                let Some(text) = changed(text, line, value) else { continue };
                match DeviceProfile::parse("own", &text) {
                    Ok(profile) => {
                        use_it(&profile, &mut random);
                        use_it(&profile.scaled(32), &mut random);
                        good += 1;
                    }
                    Err(error) => {
                        assert!(!error.reason.is_empty());
                        bad += 1;
                    }
                }
            }
        }
    }
    assert!(good > 50 && bad > 100, "{good} accepted, {bad} refused");
}

#[test]
fn a_text_that_is_no_file_is_refused_without_its_words() {
    for text in ["", "root:x:0:0:secret", "title = \"secret\nclass", "[hdd]\nsecret = 1\n"] {
        let error = DeviceProfile::parse("own", text).unwrap_err();
        assert!(error.reason.starts_with("line "), "{}", error.reason);
        assert!(!error.reason.contains("x:0:0"), "{}", error.reason);
    }
}
