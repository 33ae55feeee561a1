//! `arcwright tune` on copies of a machine's files.

#[cfg(test)]
pub(crate) mod tree;

use std::fs;
use std::path::Path;

use snapbox::str;
use tree::{MINE, parameter, text, tree, tune};

const OURS: &str = "etc/modprobe.d/zz-arcwright.conf";

#[test]
fn a_list_says_what_is_in_force_and_where_it_comes_from() {
    tune(&tree("2.1.11"), "list --changed").assert().code(0).stdout_eq(str![[r#"
NAME                CURRENT      DEFAULT  SOURCE
zfs_arc_max         0 (default)  derived  default; /etc/modprobe.d/zfs.conf:2 says 8589934592
l2arc_noprefetch    1            1        /etc/modprobe.d/zfs.conf:2
zfs_vdev_scheduler  unused       unused   default; /etc/modprobe.d/zfs.conf:3 says noop
zfs_scan_idle       -            -        not in this module; /etc/modprobe.d/zfs.conf:3 says 20

"#]]);
    tune(&tree("2.3.2"), "list -Hp prefetch").assert().code(0).stdout_eq(str![[r#"
...
zfetch_max_distance	67108864	67108864	default
...
"#]]);
    let result = tune(&tree("2.3.2"), "list disks").assert().code(2);
    let told = String::from_utf8_lossy(&result.get_output().stderr).into_owned();
    assert!(told.contains("no family is called “disks”; the families are arc, l2arc"), "{told}");
}

#[test]
fn a_parameter_is_told_with_its_versions_and_hazards() {
    tune(&tree("2.3.2"), "show vfs.zfs.l2arc.write_max").assert().code(0).stdout_eq(str![[r#"
l2arc_write_max
  Most bytes that one feed pass writes to a cache device; above what the SSD sustains the feed thread waits, and above the ARC's turnover it copies for nothing.
  here         32 MiB (33554432), the default
  default      32 MiB
  range        any from 1
  settable     at run time
  Linux        /sys/module/zfs/parameters/l2arc_write_max
  FreeBSD 13+  vfs.zfs.l2arc.write_max, and vfs.zfs.l2arc_write_max up to 2.4
  FreeBSD 8–12 vfs.zfs.l2arc_write_max
  versions     freebsd-8 to freebsd-12, 0.6.0 and later
               freebsd-8 to freebsd-12: 8 MiB
               0.6.0 to 2.2.6: 8 MiB
               2.2.7 to 2.4: 32 MiB
               master to later: 64 MiB
  hazard       set to 0 (ignored, up to 2.4): 0 is replaced by the default.
  hazard       set to 8388609 or more (wear): The cache device is written at up to this rate for as long as the ARC turns over.
  source       module/zfs/arc.c[..]

"#]]);
}

#[test]
fn names_that_are_wrong_or_gone_say_what_is_right() {
    let check = |words: &str, expected: &str| {
        let result = tune(&tree("2.3.2"), words).assert().code(2);
        let told = String::from_utf8_lossy(&result.get_output().stderr).into_owned();
        assert!(told.contains(expected), "{words}: {told}");
    };
    check("diff l2arc_write_mx=1", "did you mean “l2arc_write_max”?");
    check("show zfs_arc_mx", "did you mean “zfs_arc_max”?");
    check("diff zfs_arc_meta_limit=1GiB", "the last version with it is 2.1. Metadata has no limit");
    check("diff zil_slog_limit=1", "use zil_slog_bulk instead");
    check("diff dumb_lru", "the profiles are dumb-lru, metadata-first, prefetch-off, reset");
    check("diff l2arc_noprefetch=2", "at most 1");
    check("diff zfetch_max_distance=4GiB", "out of bounds: 1 to 4294967295");
    check("apply l2arc_noprefetch=0", "use --yes");
}

#[test]
fn a_change_is_applied_logged_verified_and_taken_back() {
    let tree = tree("2.1.11");
    tune(&tree, "apply dumb-lru --yes").assert().code(0).stdout_eq(str![[r#"
l2arc_noprefetch: 1 → 0
    default 1; takes effect immediately
    /etc/modprobe.d/zfs.conf:2 sets it to 1
    wear: Streaming reads are written to the cache device too: more terabytes a day, and they may push out what is read again.
l2arc_write_max: 8 MiB → 256 MiB
    default 8 MiB; takes effect immediately
    cost: at most 23.2 TB per day to the cache device if the ARC evicts that fast, more while the feed runs at shorter intervals
    wear: The cache device is written at up to this rate for as long as the ARC turns over.
zfetch_max_distance is 64 MiB already, the default of this version
l2arc_norw is 0 already, the default of this version
applied as operation 1, until the next boot
undo it: arcwright tune undo 1
keep it: arcwright tune persist dumb-lru

"#]]);
    assert_eq!(parameter(&tree, "l2arc_noprefetch"), "0");
    tune(&tree, "log -H").assert().code(0).stdout_eq(str![[r#"
1	[..] UTC	anna	dumb-lru	applied	l2arc_noprefetch: 1 → 0; l2arc_write_max: 8388608 → 268435456

"#]]);
    tune(&tree, "verify").assert().code(0);
    fs::write(tree.path().join("sys/module/zfs/parameters/l2arc_noprefetch"), "1\n").unwrap();
    tune(&tree, "verify").assert().code(1).stdout_eq(str![[r#"
        OP  WHAT              IS
ok      1   l2arc_write_max   is 268435456, as set
NOT OK  1   l2arc_noprefetch  is 1 again: a boot reverted the live change

"#]]);
    tune(&tree, "undo").assert().code(0).stdout_eq(str![[r#"
operation 1: l2arc_write_max: 268435456 → 8388608
operation 1: l2arc_noprefetch is 1 already

"#]]);
    assert_eq!(parameter(&tree, "l2arc_write_max"), "8388608");
    tune(&tree, "undo").assert().code(0).stdout_eq(str![[r#"
nothing to undo

"#]]);
    tune(&tree, "undo 7").assert().code(1);
}

#[test]
fn persisting_writes_nothing_until_told_to() {
    let tree = tree("2.3.2");
    tune(&tree, "persist l2arc_noprefetch=0").assert().code(0).stdout_eq(str![[r#"
l2arc_noprefetch: 1 → 0
    default 1; takes effect when the module is loaded
    /etc/modprobe.d/zfs.conf:2 sets it to 1
    wear: Streaming reads are written to the cache device too: more terabytes a day, and they may push out what is read again.
/etc/modprobe.d/zz-arcwright.conf (new)
    +# >>> arcwright tune: do not edit down to the end mark
    +# l2arc_noprefetch (was 1): l2arc_noprefetch=0, [..] UTC by anna, arcwright
    +options zfs l2arc_noprefetch=0
    +# <<< arcwright tune
note: /etc/modprobe.d/zfs.conf:2 sets l2arc_noprefetch to 1; arcwright’s file is read later and wins; the line is left as it is
nothing was written; --write writes it

"#]]);
    assert!(!tree.path().join(OURS).exists() && !tree.path().join("var").exists());
    tune(&tree, "persist l2arc_noprefetch=0 --write").assert().code(0).stdout_eq(str![[r#"
...
written as operation 1
undo it: arcwright tune undo 1
a module loaded from the initramfs uses the copy in there; run
  update-initramfs -u -k all

"#]]);
    assert!(text(&tree, OURS).contains("\noptions zfs l2arc_noprefetch=0\n"));
    assert_eq!(text(&tree, "etc/modprobe.d/zfs.conf"), MINE);
    tune(&tree, "persist l2arc_noprefetch=0").assert().code(0).stdout_eq(str![[r#"
nothing to do
l2arc_noprefetch is set to 0 already in /etc/modprobe.d/zz-arcwright.conf:3

"#]]);
    // The running module still has the old value: that is what verify is for.
    tune(&tree, "verify").assert().code(1);
    tune(&tree, "persist reset --write").assert().code(0);
    assert!(!tree.path().join(OURS).exists());
    tune(&tree, "undo last").assert().code(0);
    assert!(text(&tree, OURS).contains("\noptions zfs l2arc_noprefetch=0\n"));
    tune(&tree, "undo all").assert().code(0);
    assert!(!tree.path().join(OURS).exists());
}

#[test]
fn what_may_do_harm_is_done_only_when_confirmed_by_name() {
    let tree = tree("2.3.2");
    for verb in ["apply --yes", "persist --write"] {
        let words = format!("{verb} zfetch_max_distance=0");
        let result = tune(&tree, &words).assert().code(1);
        let told = String::from_utf8_lossy(&result.get_output().stderr).into_owned();
        assert!(told.contains("--accept zfetch_max_distance"), "{told}");
    }
    assert_eq!(parameter(&tree, "zfetch_max_distance"), "67108864");
    tune(&tree, "apply --yes zil_nocacheflush=1 --accept zil_nocacheflush").assert().code(0);
    assert_eq!(parameter(&tree, "zil_nocacheflush"), "1");
}

#[test]
fn json_carries_the_version_of_its_shape() {
    let tree = tree("2.3.2");
    for words in [
        "list --json",
        "show l2arc_norw --json",
        "diff dumb-lru --json",
        "apply l2arc_norw=1 --yes --json",
        "persist dumb-lru --json",
        "verify --json",
        "log --json",
        "undo --json",
    ] {
        let result = tune(&tree, words).assert().code(0);
        let json: serde_json::Value = serde_json::from_slice(&result.get_output().stdout).unwrap();
        let verb = words.split_whitespace().next().unwrap();
        assert_eq!(json["output_version"]["command"], format!("arcwright tune {verb}"));
        assert_eq!(json["output_version"]["vers_major"], 1);
    }
}

#[test]
fn without_a_module_it_says_so_and_still_persists() {
    let tree = tree("2.3.2");
    fs::remove_dir_all(tree.path().join("sys")).unwrap();
    tune(&tree, "list").assert().code(1).stderr_eq(str![[r#"
note: the zfs module is not loaded, so no value in force is known

"#]]);
    tune(&tree, "apply l2arc_norw=1 --yes").assert().code(1);
    tune(&tree, "persist l2arc_norw=1 --write").assert().code(0);
    assert!(text(&tree, OURS).contains("options zfs l2arc_norw=1"));
}

#[test]
#[ignore = "needs a user other than root, who may read and write everything: ./test"]
fn what_may_not_be_read_or_written_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let tree = tree("2.3.2");
    let closed = tree.path().join("etc/modprobe.d/zfs.conf");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
    fs::set_permissions(tree.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let result = tune(&tree, "list l2arc").assert().code(0);
    let told = String::from_utf8_lossy(&result.get_output().stderr).into_owned();
    assert!(told.contains("/etc/modprobe.d/zfs.conf could not be read"), "{told}");
    let result = tune(&tree, "apply l2arc_norw=1 --yes").assert().code(1);
    let told = String::from_utf8_lossy(&result.get_output().stderr).into_owned();
    assert!(told.contains("run it as root"), "{told}");
    fs::set_permissions(tree.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_half_written_journal_is_named_and_goes_on() {
    let tree = tree("2.3.2");
    tune(&tree, "apply l2arc_norw=1 --yes").assert().code(0);
    let journal = tree.path().join("var/lib/arcwright/journal.jsonl");
    let whole = fs::read_to_string(&journal).unwrap();
    // The machine stopped while the last line was written.
    fs::write(&journal, &whole[..whole.len() - 9]).unwrap();
    tune(&tree, "log -H").assert().code(1).stdout_eq(str![[r#"
1	[..]	planned	l2arc_norw: 0 → 1

"#]]);
    tune(&tree, "undo").assert().code(0);
    assert_eq!(parameter(&tree, "l2arc_norw"), "0");
    assert!(Path::new(&journal).exists());
}

#[expect(clippy::unwrap_used, reason = "a helper of tests; a failure here is a failed test")]
fn on_fixture(fixture: &str, words: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let sources = arcwright_fixtures::machine(fixture).unwrap();
    arcwright_fixtures::unpack(&sources, folder.path()).unwrap();
    let arguments = words.split_whitespace();
    let root = folder.path();
    let result = crate::arcwright().args(["tune", "--root"]).arg(root).args(arguments).assert();
    String::from_utf8_lossy(&result.code(0).get_output().stdout).into_owned()
}

#[test]
fn metadata_first_raises_the_limit_that_old_freebsd_has() {
    let text = on_fixture("freebsd-11-legacy", "diff metadata-first");
    assert!(text.starts_with("vfs.zfs.arc_meta_limit: "), "{text}");
    assert!(
        text.contains("gain of zfs_arc_meta_limit: not estimated: how much metadata"),
        "{text}"
    );
}

#[test]
fn a_diff_says_what_the_model_predicts_or_why_it_does_not() {
    for (fixture, words, expected) in [
        (
            "guest-2.3.2-healthy",
            "diff zfs_prefetch_disable=1",
            "), by the model, for one reader of a large file",
        ),
        ("guest-2.3.2-healthy", "diff zfs_prefetch_disable=1", " % slower (range "),
        (
            "guest-2.1.11-l2arc-idle",
            "diff l2arc_noprefetch=0 zfs_txg_timeout=10",
            "gain of zfs_txg_timeout: clients wait as long as before, by the model, under the load of this window of 22 s",
        ),
        (
            "guest-2.1.11-healthy",
            "diff l2arc_noprefetch=0",
            "not estimated: no pool shows a cache device",
        ),
    ] {
        let text = on_fixture(fixture, words);
        assert!(text.contains(expected), "{fixture}: {text}");
    }
    let text = on_fixture("guest-2.3.2-healthy", "diff l2arc_noprefetch=1");
    assert!(!text.contains("gain"), "nothing changes: {text}");
}

#[test]
fn a_copy_that_is_not_there_is_wrong_use() {
    crate::arcwright().args(["tune", "list", "--root", "nowhere"]).assert().code(2).stderr_eq(
        snapbox::str![[r#"
error: --root nowhere: no such folder

"#]],
    );
}
