//! Lines that are prompts, and lines that are none.

use super::Prompt;

#[test]
fn prompts_of_many_shells_tell_their_host() {
    let cases = [
        ("root@nas:~# zpool status", Some("nas")),
        ("[root@netdisk] ~# fio disk_perf.fio", Some("netdisk")),
        ("[anna@nas2.lan ~]$ sudo arc_summary", Some("nas2.lan")),
        ("root@truenas[~]# arcstat 1", Some("truenas")),
        ("root@pve1:/tank# ", Some("pve1")),
        ("# zpool status", None),
        ("zpool iostat -v 5", None),
        ("➜  ~ free -g", None),
        ("kfs01# dd if=/kfs01/DVD/rand.dat of=/dev/null bs=1M", None),
        ("# pv test.dat >/dev/null", None),
        ("λ arc_summary.py", None),
        ("# kstat zfs::arcstats:size", None),
        ("# echo ::memstat | mdb -k", None),
        ("ZPOOL_SCRIPTS_AS_ROOT=1 zpool status -c upath", None),
        ("time LC_ALL=C zpool status -x", None),
        ("nas » zpool list", None),
        ("[root@store1] /root", Some("store1")),
        ("[root@node1.example.org]", Some("node1.example.org")),
        ("λ uptime", None),
        ("#du -sh /tank", None),
        ("root@nas \u{e0b0} ~ \u{e0b0} zpool status", None),
        ("┌──(root㉿nas)-[~]", None),
        ("22:15:01 root@nas ~ # zpool status -x", None),
        ("anna@nas ~ sudo zpool detach tank replacing-1", Some("nas")),
        ("nas-2.lan:~#", Some("nas-2.lan")),
        ("zpool offline tank sda", None),
        ("top -bn1 | head", None),
        ("while :; do zpool list; sleep 1; done", None),
        ("$ for i in 1 2 3; do cat /proc/spl/kstat/zfs/arcstats; done", None),
        ("watch -n 1 'zpool iostat -v'", None),
        ("[~]-[root@store]-[0]-[10012]", Some("store")),
    ];
    for (line, host) in cases {
        let prompt = Prompt::of(line).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(prompt.host.as_deref(), host, "{line}");
    }
}

#[test]
fn prose_is_no_prompt() {
    for line in [
        "zpool is a great tool",
        "write to anna@example.com # or call",
        "cache 90 % full",
        "arcstat shows nothing",
        "    time  read  miss  miss%  dmis  dm%",
        "time goes by with zpool status",
        "while it scrubs; I do nothing",
        "for me zpool list does that",
        "watch out: zpool status",
        "X=1",
        "[see me@home.org] /tank is full",
        "#dd is slow",
        "┌────────┬───────┐",
        "# dd is no benchmark",
        "Cache hit ratio:   90.0 %       1.8M",
        "anna@nas ~ that is my machine",
        "see: #",
        "top - 17:56:49 up 7 days, 19:26,  3 users,  load average: 1.77",
    ] {
        assert_eq!(Prompt::of(line), None, "{line}");
    }
}

#[test]
fn what_is_repeated_is_the_command() {
    let check = |line: &str, expected: &[&str]| {
        let prompt = Prompt::of(line).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(prompt.words, expected, "{line}");
    };
    check("while true; do date; zpool list -v; sleep 5; done", &["zpool", "list", "-v"]);
    check("while :;do cat /a/arcstats | grep l2; done", &["cat", "/a/arcstats", "|", "grep", "l2"]);
    check("for i in a b; do echo $i; done", &[]);
    check("watch -n 0.5 -d \"zpool iostat -v\"", &["zpool", "iostat", "-v"]);
    check("watch -n1 zpool status", &["zpool", "status"]);
}
