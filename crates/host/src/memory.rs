//! How much memory a program may take on this machine: what the kernel says is free, and what is left of its
//! control group's limit. Not what ZFS holds: `/proc/meminfo` counts the ARC as used, which errs on the safe
//! side.

use std::path::Path;

use arcwright_units::Bytes;

use crate::plain::read_text;

/// No such text is longer.
const TEXT_BYTES_MAX: u64 = 64 << 10;

/// Returns the memory that is free; none where the system does not say.
#[must_use]
pub fn free_memory() -> Option<Bytes> {
    free_below(Path::new("/"))
}

fn free_below(root: &Path) -> Option<Bytes> {
    let read = |path: &str| read_text(&root.join(path), TEXT_BYTES_MAX).ok();
    let of_machine = available(&read("proc/meminfo")?)?;
    let of_group = read("proc/self/cgroup").and_then(|text| {
        let group = text.lines().find_map(|line| line.strip_prefix("0::/"))?;
        let file = |name: &str| format!("sys/fs/cgroup/{group}/{name}");
        let number = |name: &str| read(&file(name))?.trim().parse::<u64>().ok();
        Some(number("memory.max")?.saturating_sub(number("memory.current")?))
    });
    Some(of_group.map_or(of_machine, |left| of_machine.min(Bytes(left))))
}

/// Returns what `/proc/meminfo` calls available.
fn available(meminfo: &str) -> Option<Bytes> {
    let row = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib = row.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    Some(Bytes(kib.saturating_mul(1024)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use arcwright_units::Bytes;

    use super::free_below;

    fn check(files: &[(&str, &str)], expected: Option<Bytes>) {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        assert_eq!(free_below(root.path()), expected, "{files:?}");
    }

    #[test]
    fn what_is_free_is_the_least_that_anybody_grants() {
        let machine = ("proc/meminfo", "MemTotal: 16 kB\nMemAvailable:    8192 kB\n");
        let group = ("proc/self/cgroup", "0::/a/b\n");
        let limit = |text| ("sys/fs/cgroup/a/b/memory.max", text);
        let used = ("sys/fs/cgroup/a/b/memory.current", "1048576\n");
        check(&[machine], Some(Bytes::mib(8)));
        check(&[machine, group, limit("3145728\n"), used], Some(Bytes::mib(2)));
        check(&[machine, group, limit("1\n"), used], Some(Bytes::ZERO));
        check(&[machine, group, limit("max\n"), used], Some(Bytes::mib(8)));
        check(&[machine, group, limit("99999999999\n"), used], Some(Bytes::mib(8)));
        check(&[("proc/meminfo", "MemAvailable: 99999999999999999999 kB\n")], None);
        check(&[("proc/meminfo", "MemTotal: 1 kB\n")], None);
        check(&[], None);
    }
}
