//! What people paste, as they paste it.

use proptest::prelude::*;

use crate::machine::{Machine, Reason};
use crate::pool::Class;
use crate::sources::{Source, Sources};

pub(super) fn machine(text: &str) -> Machine {
    Machine::read(&Sources::recognize(text))
}

/// Reads a paste of which every line must be known.
pub(super) fn known(text: &str) -> Machine {
    let machine = machine(text);
    assert_eq!(machine.problems, [], "{text}");
    machine
}

pub(super) fn arc(machine: &Machine, row: &str) -> Option<u64> {
    machine.now()?.get("zfs/arcstats", row)
}

pub(super) const ARCSTATS: &str = "\
13 1 0x01 98 26656 5277612345 987654321987
name                            type data
hits                            4    1234
misses                          4    66
c_max                           4    8589934592
memory_available_bytes          3    -4096
";

pub(super) const STATUS: &str = "  pool: tank
 state: ONLINE
  scan: none requested
config:

\tNAME        STATE     READ WRITE CKSUM
\ttank        ONLINE       0     0     0
\t  mirror-0  ONLINE       0     0     0
\t    sda     ONLINE       0     0     0
\t    sdb     ONLINE       0     0     0
\tcache
\t  sdc       ONLINE       0     0     0

errors: No known data errors
";

const IOSTAT: &str = "              capacity     operations     bandwidth
pool        alloc   free   read  write   read  write
----------  -----  -----  -----  -----  -----  -----
tank        1.20T   600G      1      2     3K     4K
  mirror-0  1.20T   600G      1      2     3K     4K
    sda         -      -      1      1     2K     2K
cache           -      -      -      -      -      -
  sdc         20G    30G      0      0      0      0
----------  -----  -----  -----  -----  -----  -----
";

pub(super) const SUMMARY: &str = "
------------------------------------------------------------------------
ZFS Subsystem Report                            Sun Nov 15 10:00:00 2026
Linux 5.15.0-1                                                  2.1.11-1
Machine: nas (x86_64)                                           2.1.11-1

ARC status:                                                      HEALTHY
        Memory throttle count:                                         0

ARC size (current):                                    98.2 %   15.4 GiB
        Max size (high water):                           16:1   15.7 GiB
ARC total accesses (hits + misses):                                 2.0M
        Cache hit ratio:                               90.0 %       1.8M
        Cache miss ratio:                              10.0 %     200.0k

L2ARC not detected, skipping section

Tunables:
        zfs_arc_max                                                    0
";

#[test]
fn an_arcstats_alone() {
    let machine = known(ARCSTATS);
    assert_eq!((arc(&machine, "hits"), arc(&machine, "misses")), (Some(1234), Some(66)));
    assert_eq!(machine.samples.len(), 1);
    assert_eq!(machine.now().unwrap().at.0, 987_654_321_987);
}

#[test]
fn two_arcstats_are_two_samples() {
    let later = ARCSTATS.replace(" 1234\n", " 2234\n").replace("987654321987", "997654321987");
    let machine = known(&format!("{ARCSTATS}\n{later}"));
    let window = machine.window().unwrap();
    assert_eq!(window.counted("zfs/arcstats", "hits"), Some(1000));
    assert_eq!(window.span.0, 10_000_000_000);
}

#[test]
fn rows_without_their_head_and_with_other_spaces() {
    known("hits 4 1234\nmisses 4 66\n");
    let odd = ARCSTATS.replace("     ", "\u{a0} ").replace('\n', "\r\n");
    let machine = known(odd.split_once("data\r\n").unwrap().1);
    assert_eq!(arc(&machine, "c_max"), Some(8 << 30));
}

#[test]
fn a_cut_kstat_gives_what_is_there() {
    let cut: String = ARCSTATS.split_inclusive('\n').take(4).collect();
    assert_eq!(arc(&known(&cut), "misses"), Some(66));
}

#[test]
fn several_outputs_below_their_prompts_in_a_quoted_mail() {
    let text = format!(
        "root@nas:~# cat /proc/spl/kstat/zfs/arcstats\n{ARCSTATS}root@nas:~# zpool status\n{STATUS}\
         root@nas:~# zpool iostat -v\n{IOSTAT}[anna@nas ~]$ sudo arc_summary\n{SUMMARY}"
    );
    let quoted: String = text.lines().map(|line| format!("> {line}\r\n")).collect();
    let fenced = format!("```\n{text}```\n");
    for text in [&text, &quoted, &fenced] {
        let machine = known(text);
        assert_eq!(arc(&machine, "hits"), Some(1234), "{text}");
        let tank = machine.pools.first().unwrap();
        assert_eq!(tank.of_class(Class::Cache).count(), 1);
        let sample = machine.samples.first().unwrap();
        assert_eq!(sample.vdevs["tank"].len(), 4, "{:?}", sample.vdevs);
        assert!(sample.vdevs_since_import);
        assert_eq!(machine.zfs.map(|v| v.to_string()).as_deref(), Some("2.1.11"));
        assert_eq!(machine.parameter("zfs_arc_max"), Some(0));
    }
}

#[test]
fn a_summary_alone_is_rounded() {
    let machine = known(SUMMARY);
    assert_eq!(arc(&machine, "hits"), Some(1_800_000));
    assert!(machine.rounded.is_some());
}

#[test]
fn a_report_goes_on_through_rows_of_all_kinds() {
    let text = "\
ARC status:
        Current size:                                 100.7 %   96.7 MiB
DMU predictive prefetcher calls:                                    1.2k
        Stream hits:                                   10.0 %        120
        Prefetches issued                                            210
Solaris Porting Layer (SPL):
        icp_aes_impl                cycle [fastest] generic x86_64 aesni
        spl_hostid                                                     0

Tunables:
        brt_zap_default_bs                                            12
        zfs_arc_max                                            100663296

VDEV cache disabled, skipping section

ZIL committed transactions:                                          99
        Commit requests:                                              42
";
    let machine = known(text);
    assert_eq!(machine.samples.len(), 1);
    let now = machine.now().unwrap();
    assert_eq!(now.get("zfs/zfetchstats", "io_issued"), Some(210));
    assert_eq!(now.get("zfs/zil", "zil_commit_count"), Some(42));
    assert_eq!(machine.parameter("zfs_arc_max"), Some(100_663_296));
    let raw = "ARCSTATS:\n        c               96\n        hits      7\n\nZFETCHSTATS:\n        future     3\n";
    let machine = known(raw);
    assert_eq!((arc(&machine, "c"), machine.samples.len()), (Some(96), 1));
}

#[test]
fn reports_of_windows_are_known_by_their_command() {
    let rows = "tank 1.2T 600G 9 2 3K 4K\n";
    let machine = known(&format!("# zpool iostat -y tank 5 1\n{IOSTAT}"));
    assert!(!machine.samples[0].vdevs_since_import);
    let machine = known(&format!("$ zpool iostat -H\n{rows}"));
    assert_eq!(machine.samples[0].vdevs["tank"]["tank"].read_ops_per_s, Some(9.0));
}

#[test]
fn a_sequence_of_reports_is_averaged_without_the_first() {
    let rows = "tank        1.20T   600G     11      2     3K     4K\n";
    let more = format!("{}{rows}{}", plain_iostat(1), rows.replace(" 11 ", " 21 "));
    let machine = known(&more);
    let tank = &machine.samples[0].vdevs["tank"]["tank"];
    assert_eq!(tank.read_ops_per_s, Some(16.0));
    assert!(!machine.samples[0].vdevs_since_import);
}

pub(super) fn plain_iostat(reads: u64) -> String {
    let lines = IOSTAT.lines().take(3).map(|line| format!("{line}\n"));
    lines.collect::<String>()
        + &format!("tank        1.20T   600G      {reads}      2     3K     4K\n")
}

#[test]
fn lines_that_a_page_ran_together_are_told_apart() {
    let text = "capacity operations bandwidth pool alloc free read write read write ---------- ----- \
                ----- ----- ----- ----- ----- zdata 4.56T 6.31T 5.65K 435 25.5M 4.94M zdata 4.56T 6.31T \
                7.43K 0 32.7M 0 zdata 4.56T 6.31T 5.44K 0 24.1M 0\n";
    let machine = known(text);
    let pool = &machine.samples[0].vdevs["zdata"]["zdata"];
    let reads = pool.read_ops_per_s.unwrap();
    assert!((reads - (7.43 + 5.44) / 2.0 * 1024.0).abs() < 1.0, "{reads}");
    assert!(!machine.samples[0].vdevs_since_import);
}

#[test]
fn an_arcstat_of_several_seconds_is_a_window() {
    let text = "    time  read  miss  miss%  dmis  dm%  pmis  pm%  mmis  mm%  arcsz     c
10:00:00   44K  1.1K      2   500    1   600   30   100    1    15G   16G
10:00:01   10K   100      1    50    1    50   30    10    1    15G   16G
10:00:02   30K   300      1    50    1    50   30    10    1    15G   16G
";
    let machine = known(text);
    let window = machine.window().unwrap();
    assert_eq!(window.counted("zfs/arcstats", "misses"), Some(400));
    assert_eq!(window.counted("zfs/arcstats", "hits"), Some(39_600));
    assert_eq!(window.span.0, 2_000_000_000);
    assert_eq!(arc(&machine, "size"), Some(15 << 30));
    assert_eq!(arc(&machine, "demand_data_misses"), None);
}

#[test]
fn one_line_of_arcstat_is_of_its_interval() {
    let text = "    time  read  ddread  ddh%  dmread  dmh%  pread  ph%   size      c  avail
10:00:01   200     100    90     100    50      0    0    15G    15G   1.2G
";
    let machine = known(text);
    let row = |row| arc(&machine, row);
    assert_eq!((row("demand_data_misses"), row("demand_metadata_misses")), (Some(10), Some(50)));
    assert_eq!((row("hits"), row("misses"), row("iohits")), (Some(140), Some(60), Some(0)));
    assert_eq!(machine.window().map(|window| window.span.0), Some(1_000_000_000));
}

#[test]
fn freebsd_sysctls_and_settings() {
    let text = "\
# sysctl kstat.zfs.misc.arcstats vfs.zfs
kstat.zfs.misc.arcstats.hits: 77
kstat.zfs.misc.arcstats.misses: 3
vfs.zfs.arc.max: 1073741824
vfs.zfs.l2arc_noprefetch: 1
# cat /boot/loader.conf
vfs.zfs.arc_max=\"4G\"
";
    let machine = known(text);
    assert_eq!(machine.os, Some(crate::Kernel::Freebsd));
    assert_eq!(arc(&machine, "hits"), Some(77));
    assert_eq!(machine.parameter("zfs_arc_max"), Some(1 << 30));
    assert_eq!(machine.parameters["l2arc_noprefetch"].name, "vfs.zfs.l2arc_noprefetch");
    assert_eq!(machine.config[0].path, "/boot/loader.conf");
}

#[test]
fn parameters_memory_and_versions() {
    let text = "\
/sys/module/zfs/parameters/zfs_arc_max:8589934592
/sys/module/zfs/parameters/l2arc_write_max:8388608
options zfs zfs_arc_min=1
MemTotal:       16384000 kB
zfs-2.2.7-1
zfs-kmod-2.2.7-1
$ cat /sys/module/zfs/parameters/zfs_prefetch_disable
1
Linux nas 6.1.0-28-amd64 #1 SMP PREEMPT_DYNAMIC x86_64 GNU/Linux
";
    let machine = known(text);
    assert_eq!(machine.parameter("zfs_arc_max"), Some(8 << 30));
    assert_eq!(machine.parameter("zfs_prefetch_disable"), Some(1));
    assert_eq!(machine.config[0].text, "options zfs zfs_arc_min=1\n");
    assert_eq!(machine.memory.map(|memory| memory.total.0), Some(16_384_000 * 1024));
    assert_eq!(machine.zfs.map(|v| v.to_string()).as_deref(), Some("2.2.7"));
    assert_eq!(machine.kernel.as_deref(), Some("6.1.0-28-amd64"));
}

#[test]
fn lists_and_properties() {
    let text = "\
NAME       SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT
tank      10.9T  9.50T  1.41T        -         -    45%    87%  1.00x    ONLINE  -

NAME  PROPERTY     VALUE    SOURCE
tank  recordsize   128K     default
tank  atime        on       default

NAME  PROPERTY     VALUE    SOURCE
tank  ashift       12       local
tank  capacity     87%      -
";
    let machine = known(text);
    let tank = &machine.pools[0];
    assert_eq!((tank.number("capacity"), tank.number("ashift")), (Some(87), Some(12)));
    assert_eq!(tank.number("fragmentation"), Some(45));
    assert_eq!(machine.datasets[0].properties["atime"].0, "on");
}

#[test]
fn a_list_without_titles_or_command_is_known_by_a_pools_row() {
    let machine = known(
        "tank    65T  30.3T  34.7T         -     9%    46%  1.00x  ONLINE  -\n\
         \x20 raidz2  32.5T  29.5T  3.02T         -    19%    90%\n\
         \x20   sda      -      -      -         -      -      -\n\
         backup  29T  19.6T  9.37T  -  39%  67%  1.00x  DEGRADED  -\n",
    );
    let pools: Vec<_> =
        machine.pools.iter().map(|pool| (pool.name.as_str(), pool.state.as_deref())).collect();
    assert_eq!(pools, [("tank", Some("ONLINE")), ("backup", Some("DEGRADED"))]);
    // Sizes alone are of any table.
    assert!(super::tests::machine("it had 29T 19.6T 9.37T of room\n").pools.is_empty());
}

#[test]
fn a_table_of_deduplication_is_known_without_its_label() {
    let machine = known("DDT entries 4096, size 512 on disk, 160 in core\n");
    assert_eq!(machine.pools[0].dedup.own.as_ref().unwrap().entries, Some(4096));
}

#[test]
fn what_is_not_recognised_is_named_with_its_line() {
    let text = format!("Hello,\nmy pool is slow. What can I do?\n\n{ARCSTATS}\nThanks!\n");
    let machine = machine(&text);
    assert_eq!(arc(&machine, "hits"), Some(1234));
    let named: Vec<&str> = machine.problems.iter().map(|problem| problem.source.as_str()).collect();
    assert_eq!(named, ["pasted line 11", "pasted lines 1 to 2"]);
    let reason = &machine.problems[1].reason;
    assert_eq!(*reason, Reason::Garbled("not recognised: “Hello,”".to_owned()));
}

#[test]
fn prose_alone_is_nothing() {
    let sources =
        Sources::recognize("zpool is a great tool: I like it.\nThe cache is 90 % full.\n");
    let texts = sources.texts.values().filter(|source| matches!(source, Source::Text(_)));
    assert_eq!(texts.count(), 0, "{sources:?}");
}

#[test]
fn what_somebody_typed_is_what_the_module_has() {
    let text = "\
$ cat /sys/module/zfs/parameters/l2arc_noprefetch
1
# make it a dumb cache
echo 0 > /sys/module/zfs/parameters/l2arc_noprefetch
root@nas:~# echo 2147483648 | sudo tee /sys/module/zfs/parameters/zfetch_max_distance
echo \"options zfs l2arc_noprefetch=0 l2arc_write_max=1073741824\" > /etc/modprobe.d/zfs.conf
";
    let machine = machine(text);
    assert_eq!(machine.parameter("l2arc_noprefetch"), Some(0));
    assert_eq!(machine.parameter("zfetch_max_distance"), Some(2_147_483_648));
    assert_eq!(machine.config[0].path, "/etc/modprobe.d/zfs.conf");
    let options = "options zfs l2arc_noprefetch=0 l2arc_write_max=1073741824\n";
    assert_eq!(machine.config[0].text, options);
}

#[test]
fn systems_are_known_by_what_they_say() {
    let check = |text: &str, platform: Option<crate::Platform>, kernel: Option<&str>| {
        let machine = machine(text);
        assert_eq!(machine.problems, [], "{text}");
        assert_eq!((machine.platform, machine.kernel.as_deref()), (platform, kernel), "{text}");
    };
    use crate::Platform::{Freebsd, Proxmox, TruenasCore};
    let pve = "pve-manager/8.1.4/ec5affc9e41f1d79 (running kernel: 6.5.11-8-pve)\n$ uname -r\n6.5.11-8-pve\n";
    check(pve, Some(Proxmox), Some("6.5.11-8-pve"));
    check("FreeBSD 11.0-RELEASE-p9\n", Some(Freebsd), Some("11.0-RELEASE-p9"));
    check("$ freebsd-version\n12.4-RELEASE\n", Some(Freebsd), Some("12.4-RELEASE"));
    let core = "# cat /etc/version\nTrueNAS-13.0-U6.1\n# uname -r\n13.1-RELEASE-p9\n";
    check(core, Some(TruenasCore), Some("13.1-RELEASE-p9"));
    let modinfo = machine("$ modinfo zfs | grep version\nversion:        2.1.5-1ubuntu6\n");
    assert_eq!(modinfo.zfs_text.as_deref(), Some("2.1.5-1ubuntu6"));
}

#[test]
fn what_acts_on_a_terminal_is_shown_and_not_replayed() {
    let machine = machine("a \u{1b}]0;title\u{7} \u{202e}b\n");
    let reason = &machine.problems[0].reason;
    let shown = "not recognised: “a \\x1b]0;title\\x07 \\u{202e}b”";
    assert_eq!(*reason, Reason::Garbled(shown.to_owned()));
}

proptest! {
    #[test]
    fn any_text_is_recognised_or_named(text in "(?s).{0,300}") {
        let _ignored = machine(&text);
    }

    #[test]
    fn parts_of_good_texts_put_together_anyhow_are_read(
        parts in prop::collection::vec((0..5_usize, 0..700_usize, 0..700_usize), 0..6),
    ) {
        let all = [ARCSTATS, STATUS, IOSTAT, SUMMARY, "kstat.zfs.misc.arcstats.hits: 7\n"];
        let part = |(which, from, to): &(usize, usize, usize)| {
            let text: String = all[*which].chars().skip(*from).take(*to).collect();
            text + "\n"
        };
        let _ignored = machine(&parts.iter().map(part).collect::<String>());
    }
}
