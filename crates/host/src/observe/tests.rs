//! A machine of files and of tools that are small scripts, looked at as if it were alive.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arcwright_machine::{Class, DriveKind, Machine, Platform, Reason, Sources};
use tempfile::TempDir;

use super::{ObserveError, ObserveProgress, Options, Sampler, Tools, observe};

/// Stops after so many questions whether to.
struct Impatient(u32);

impl ObserveProgress for Impatient {
    fn step(&mut self, _what: &str) {}

    fn waited(&mut self, _done: Duration, _window: Duration) {
        self.0 = self.0.saturating_sub(1);
    }

    fn stop(&self) -> bool {
        self.0 == 0
    }
}

const PATIENT: Impatient = Impatient(u32::MAX);

const ARCSTATS: &str = "\
13 1 0x01 2 544 5277612345 987654321987
name                            type data
hits                            4    1234
misses                          4    66
";

/// Files of a machine with a pool and one SSD.
const FILES: [(&str, &str); 12] = [
    ("proc/spl/kstat/zfs/arcstats", ARCSTATS),
    ("proc/spl/kstat/zfs/dbufs", "large\n"),
    ("proc/spl/kstat/zfs/tank/state", "ONLINE\n"),
    ("proc/spl/kstat/zfs/tank/reads", "a trace\n"),
    ("proc/meminfo", "MemTotal:       16384 kB\n"),
    ("proc/cmdline", "root=UUID=secret zfs.zfs_arc_max=1 quiet\n"),
    ("proc/mounts", "/dev/sda1 / ext4 rw 0 0\ntank /tank zfs rw,noatime 0 0\n"),
    ("etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n"),
    ("etc/modprobe.d/zfs.conf", "options zfs zfs_arc_max=1\n"),
    ("etc/modprobe.d/sound.conf", "options snd index=0\n"),
    ("sys/module/zfs/parameters/zfs_arc_max", "0\n"),
    ("sys/block/sda/queue/rotational", "0\n"),
];

fn machine_of_files() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn tool(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

const STATUS: &str = "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME      STATE     READ WRITE CKSUM\n\ttank      ONLINE       0     0     0\n\t  sda     ONLINE       0     0     0\n\tcache\n\t  sdb     ONLINE       0     0     0\n\nerrors: No known data errors\n";

fn tools() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("status.txt"), STATUS).unwrap();
    let zpool = format!(
        "case \"$1 $2\" in\n'status -P') /bin/cat {0}/status.txt;;\n\
         'iostat -y') printf 'tank\\t1\\t1\\t7\\t2\\t3\\t4\\n';;\n\
         'iostat -lqHpvP') echo 'invalid option -- q' >&2; exit 2;;\n\
         'iostat -lqHpv') printf 'tank\\t1\\t1\\t5\\t2\\t3\\t4\\n';;\n\
         'list -HpvP') printf 'tank\\t100\\t50\\t50\\t-\\t-\\t0\\t50\\t1.00\\tONLINE\\t-\\n';;\n\
         *) echo 'must be run as root' >&2; exit 1;;\nesac",
        folder.path().display()
    );
    tool(folder.path(), "zpool", &zpool);
    folder
}

fn options(root: &Path, tools: &Path) -> Options {
    Options {
        root: root.to_owned(),
        tools: Tools::in_folders(vec![tools.to_owned()]),
        window: Duration::from_millis(300),
        ..Options::default()
    }
}

fn observed(root: &Path, tools: &Path) -> Sources {
    observe(&options(root, tools), &mut Impatient(PATIENT.0)).unwrap()
}

#[test]
fn files_and_tools_become_a_machine() {
    let (root, tools) = (machine_of_files(), tools());
    let sources = observed(root.path(), tools.path());
    let machine = Machine::read(&sources);
    assert_eq!(machine.platform, Some(Platform::Debian));
    assert_eq!(machine.samples.len(), 2);
    let window = machine.window().unwrap();
    assert_eq!(window.counted("zfs/arcstats", "hits"), Some(0));
    assert!(window.span.0 >= 300_000_000, "{}", window.span);
    let (first, last) = (&machine.samples[0], &machine.samples[1]);
    let reads = |sample: &arcwright_machine::Sample| sample.vdevs["tank"]["tank"].read_ops_per_s;
    assert_eq!((reads(first), reads(last)), (Some(5.0), Some(7.0)));
    assert_eq!((first.vdevs_since_import, last.vdevs_since_import), (true, false));
    assert_eq!(first.pool_states["tank"], "ONLINE");
    assert_eq!(machine.pools[0].of_class(Class::Cache).count(), 1);
    assert_eq!(machine.pools[0].number("capacity"), Some(50));
    assert_eq!(machine.drives[0].kind, Some(DriveKind::Ssd));
    assert_eq!(machine.parameters["zfs_arc_max"].writable, Some(true));
    let problem = |source: &str| {
        machine.problems.iter().find(|problem| problem.source == source).map(|p| p.reason.clone())
    };
    assert_eq!(problem("commands/zpool-get"), Some(Reason::Denied));
    assert_eq!(problem("commands/zfs-get"), Some(Reason::Absent));
    assert!(
        !machine.problems.iter().any(|p| matches!(p.reason, Reason::Garbled(_))),
        "{:?}",
        machine.problems
    );
}

#[test]
fn only_what_is_of_use_is_read() {
    let (root, tools) = (machine_of_files(), tools());
    let sources = observed(root.path(), tools.path());
    for name in ["dbufs", "tank/reads", "etc/modprobe.d/sound.conf"] {
        assert!(!sources.texts.keys().any(|key| key.ends_with(name)), "{name}");
    }
    assert_eq!(sources.text("proc/cmdline"), Some("zfs.zfs_arc_max=1\n"));
    assert_eq!(sources.text("proc/mounts"), Some("tank /tank zfs rw,noatime 0 0\n"));
}

#[test]
fn words_that_open_something_are_left_out_of_files_of_settings() {
    let check = |file: &str, text: &str, expected: &str| {
        let (root, tools) = (machine_of_files(), tools());
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        assert_eq!(observed(root.path(), tools.path()).text(file), Some(expected), "{file}");
    };
    let defaults = "ZFS_MOUNT='yes'\nZFS_KEY_PASSPHRASE=hunter2\nzpool_token=hunter2\nZFS_LOADPWD=hunter2\n\
                    SECRET=hunter2\nZPOOL_IMPORT_PATH=/dev\n";
    check("etc/default/zfs", defaults, "ZFS_MOUNT='yes'\n\n\n\n\nZPOOL_IMPORT_PATH=/dev\n");
    let modprobe = "options zfs zfs_arc_max=1\noptions wifi password=hunter2\n";
    check("etc/modprobe.d/zfs.conf", modprobe, "options zfs zfs_arc_max=1\n\n");
}

#[test]
fn what_may_not_be_read_is_named_with_its_path() {
    let (root, tools) = (machine_of_files(), tools());
    let path = root.path().join("etc/modprobe.d/secret.conf");
    fs::write(&path, "options zfs x=1\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        // Root may read everything, and then there is nothing to see here.
        return;
    }
    let machine = Machine::read(&observed(root.path(), tools.path()));
    let named = machine.problems.iter().find(|p| p.source == "etc/modprobe.d/secret.conf");
    assert_eq!(named.map(|problem| &problem.reason), Some(&Reason::Denied));
}

#[test]
fn a_machine_without_zfs_is_refused_in_words() {
    let (empty, none) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let error = observe(&options(empty.path(), none.path()), &mut Impatient(9)).unwrap_err();
    assert!(matches!(error, ObserveError::NoZfs { .. }));
    assert!(error.to_string().contains("proc/spl/kstat/zfs"), "{error}");
}

#[test]
fn whoever_stops_early_keeps_what_there_is() {
    let (root, tools) = (machine_of_files(), tools());
    let options =
        Options { window: Duration::from_secs(600), ..options(root.path(), tools.path()) };
    let begin = Instant::now();
    let sources = observe(&options, &mut Impatient(2)).unwrap();
    assert!(begin.elapsed() < Duration::from_secs(60));
    assert_eq!(Machine::read(&sources).samples.len(), 2);
}

#[test]
fn a_copy_of_files_is_one_sample_and_asks_nobody() {
    let (root, tools) = (machine_of_files(), tools());
    let options = Options { live: false, ..options(root.path(), tools.path()) };
    let sources = observe(&options, &mut Impatient(9)).unwrap();
    assert_eq!(Machine::read(&sources).samples.len(), 1);
    assert!(!sources.texts.keys().any(|name| name.contains("commands/")));
}

#[test]
fn nothing_outside_of_the_root_is_read() {
    let (root, tools, outside) = (machine_of_files(), tools(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("secret"), "hunter2\n").unwrap();
    let links = [
        ("etc/version", outside.path().join("secret")),
        ("etc/prd.name", PathBuf::from("../../../../../../../../etc/passwd")),
        ("proc/spl/kstat/zfs/other", outside.path().to_owned()),
        ("sys/block/sdq", outside.path().to_owned()),
        ("etc/prd.version", PathBuf::from("os-release")),
    ];
    for (name, target) in links {
        std::os::unix::fs::symlink(target, root.path().join(name)).unwrap();
    }
    let sources = observed(root.path(), tools.path());
    let all = format!("{sources:?}");
    assert!(!all.contains("hunter2") && !all.contains("root:"), "{all}");
    assert!(sources.text("etc/prd.version").is_some_and(|text| text.contains("Debian")));
    let problems = Machine::read(&sources).problems;
    let led = problems.iter().find(|problem| problem.source == "etc/version");
    assert_eq!(
        led.map(|led| &led.reason),
        Some(&Reason::Failed("it points outside the copy".to_owned()))
    );
}

#[test]
fn all_files_together_have_a_bound() {
    let (root, tools) = (machine_of_files(), tools());
    for number in 0..40 {
        let path = root.path().join(format!("sys/module/zfs/parameters/zfs_{number}"));
        fs::File::create(path).unwrap().set_len(15 << 20).unwrap();
    }
    let sources = observed(root.path(), tools.path());
    let bytes: usize =
        sources.texts.keys().filter_map(|name| sources.text(name)).map(str::len).sum();
    assert!(bytes < 70 << 20, "{bytes}");
    let last = sources.texts.get("sys/module/zfs/parameters/zfs_9").unwrap();
    assert!(format!("{last:?}").contains("all files together"), "{last:?}");
}

#[test]
fn a_sampler_follows_the_machine() {
    let root = machine_of_files();
    let mut sampler = Sampler::new(root.path(), &nothing()).unwrap();
    let first = sampler.sample();
    assert_eq!(first.get("zfs/arcstats", "hits"), Some(1234));
    let path: PathBuf = root.path().join("proc/spl/kstat/zfs/arcstats");
    fs::write(&path, ARCSTATS.replace(" 1234", " 1300")).unwrap();
    let second = sampler.sample();
    assert_eq!(second.get("zfs/arcstats", "hits"), Some(1300));
    assert!(second.at > first.at);
    fs::remove_file(&path).unwrap();
    assert_eq!(sampler.sample().get("zfs/arcstats", "hits"), None);
    assert!(Sampler::new(&root.path().join("nowhere"), &nothing()).is_err());
}

fn nothing() -> Tools {
    Tools::in_folders(Vec::new())
}

#[test]
fn freebsd_is_sampled_through_sysctl() {
    let (root, tools) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let machine = arcwright_fixtures::machine("freebsd-14-openzfs-2.2").unwrap();
    let counters = tools.path().join("counters");
    fs::write(&counters, machine.text("sample-0/commands/sysctl").unwrap()).unwrap();
    let script = format!("[ \"$*\" = kstat.zfs ] && /bin/cat {}", counters.display());
    tool(tools.path(), "sysctl", &script);
    let tools = Tools::in_folders(vec![tools.path().to_owned()]);
    let mut sampler = Sampler::new(root.path(), &tools).unwrap();
    let (one, other) = (sampler.sample(), sampler.sample());
    assert!(one.get("zfs/arcstats", "hits").is_some_and(|hits| hits > 0));
    assert_eq!(one.kstats.keys().collect::<Vec<_>>(), other.kstats.keys().collect::<Vec<_>>());
    assert!(one.at <= other.at);
}

#[test]
fn tools_that_speak_json_are_asked_in_it() {
    for (version, asked) in [("2.1.11-1", false), ("2.3.2-2~bpo12+2", true), ("nonsense", false)] {
        let (root, tools) = (machine_of_files(), tools());
        fs::write(root.path().join("sys/module/zfs/version"), version).unwrap();
        let script = "case \"$*\" in 'status -P -j') echo '{}';; *) exit 1;; esac";
        tool(tools.path(), "zpool", script);
        let sources = observed(root.path(), tools.path());
        assert_eq!(sources.text("commands/zpool-status-json").is_some(), asked, "{version}");
    }
}
