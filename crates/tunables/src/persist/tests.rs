//! Laws of the edits on any text, then texts as people have them.

use proptest::prelude::*;

use super::place::Places;
use super::{
    ConfigFile, ConfigLocation, Persistence, Platform, PlatformProbe, Setting, Syntax,
    modprobe_order, of_zfs, persist, scan, set, settings_of, unpersist, unset,
};
use crate::plan::{Plan, Purpose};
use crate::sample::running;
use crate::{Kernel, Module, RequestedSetting};

fn setting(name: &str, value: &str) -> Setting {
    Setting {
        module: Module::Zfs,
        name: name.to_owned(),
        value: value.to_owned(),
        note: "for a test".to_owned(),
    }
}

/// Texts as they may be found: lines of several kinds, any ends of lines, backslashes, no last
/// newline.
fn texts() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("options zfs zfs_arc_max=8589934592".to_owned()),
        Just("options zfs zfs_arc_min=1 l2arc_norw=1 \\".to_owned()),
        Just("# a remark".to_owned()),
        Just(String::new()),
        Just("\\".to_owned()),
        Just("vfs.zfs.arc.max=\"8589934592\" # mine".to_owned()),
        "[ -~]{0,30}",
    ];
    let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\n\n")];
    (prop::collection::vec((line, end), 0..8), any::<bool>()).prop_map(|(lines, ends)| {
        let text: String = lines.iter().map(|(line, end)| format!("{line}{end}")).collect();
        if ends { text } else { text.trim_end_matches(['\r', '\n']).to_owned() }
    })
}

fn syntaxes() -> impl Strategy<Value = Syntax> {
    prop_oneof![Just(Syntax::Modprobe), Just(Syntax::Loader), Just(Syntax::Sysctl)]
}

fn some_settings() -> impl Strategy<Value = Vec<Setting>> {
    let names =
        prop::sample::subsequence(vec!["l2arc_norw", "zfs_arc_max", "zfetch_hole_shift"], 1..=3);
    (names, 0u64..9).prop_map(|(names, value)| {
        names.iter().map(|name| setting(name, &value.to_string())).collect()
    })
}

fn names(settings: &[Setting]) -> Vec<String> {
    settings.iter().map(|setting| setting.name.clone()).collect()
}

proptest! {
    #[test]
    fn taking_out_what_was_put_in_gives_the_text_back(
        text in texts(), syntax in syntaxes(), settings in some_settings()
    ) {
        let with = set(&text, syntax, &settings).unwrap();
        prop_assert_eq!(unset(&with, &names(&settings)).unwrap(), text);
    }

    #[test]
    fn putting_twice_is_putting_once(
        text in texts(), syntax in syntaxes(), settings in some_settings()
    ) {
        let once = set(&text, syntax, &settings).unwrap();
        prop_assert_eq!(set(&once, syntax, &settings).unwrap(), once);
    }

    #[test]
    fn every_line_of_others_stays_byte_for_byte(
        before in texts(), after in texts(), syntax in syntaxes(),
        first in some_settings(), second in some_settings()
    ) {
        let with = set(&before, syntax, &first).unwrap() + &after;
        let again = set(&with, syntax, &second).unwrap();
        prop_assert!(again.starts_with(&before) && again.ends_with(&after));
        let all: Vec<String> = settings_of(&again).unwrap();
        prop_assert_eq!(unset(&again, &all).unwrap(), before + &after);
    }

    #[test]
    fn what_was_put_in_is_read_back_and_wins(
        text in texts(), syntax in syntaxes(), value in 0u64..9
    ) {
        let name = if syntax == Syntax::Modprobe { "l2arc_norw" } else { "vfs.zfs.l2arc.norw" };
        let with = set(&text, syntax, &[setting(name, &value.to_string())]).unwrap();
        let file = ConfigFile { path: "f".to_owned(), syntax, text: Some(with) };
        let last = scan(&[file]).into_iter().rev().find(|line| line.name == name).unwrap();
        prop_assert!(last.ours && last.value.number() == Some(value), "{:?}", last);
    }

    #[test]
    fn with_lines_of_zfs_alone_the_same_is_set(
        text in texts(), syntax in syntaxes(), settings in some_settings()
    ) {
        let read = |text: &str| {
            scan(&[ConfigFile { path: "f".to_owned(), syntax, text: Some(text.to_owned()) }])
        };
        let whole = set(&text, syntax, &settings).unwrap();
        for text in [text, whole] {
            let alone = of_zfs(syntax, &text);
            prop_assert_eq!(read(&alone), read(&text), "{:?}", alone);
            prop_assert_eq!(alone.matches('\n').count(), text.matches('\n').count());
        }
    }

    #[test]
    fn no_text_makes_the_reader_fall(text in any::<String>(), syntax in syntaxes()) {
        let file = ConfigFile { path: "f".to_owned(), syntax, text: Some(text) };
        let lines = scan(std::slice::from_ref(&file));
        prop_assert!(lines.iter().all(|line| line.line >= 1));
    }
}

/// Checks what a text sets: `name=value@line`.
fn check_scan(syntax: Syntax, text: &str, expected: &[&str]) {
    let file = ConfigFile { path: "f".to_owned(), syntax, text: Some(text.to_owned()) };
    let got: Vec<String> = scan(&[file])
        .iter()
        .map(|line| format!("{}={}@{}", line.name, line.value, line.line))
        .collect();
    assert_eq!(got, expected, "{text}");
}

#[test]
fn options_are_read_as_modprobe_reads_them() {
    let check = |text, expected: &[&str]| check_scan(Syntax::Modprobe, text, expected);
    check("options zfs a=1 b=2\noptions zfs a=3", &["a=1@1", "b=2@1", "a=3@2"]);
    check("# options zfs a=1\n  options\tzfs  a=1\r\n", &["a=1@2"]);
    check("options zfs a=1 \\\n  b=2\noptions spl c=\"x y\"", &["a=1@1", "b=2@2", "c=x y@3"]);
    check("options zfs a=12\\\n34\n", &["a=1234@1"]);
    check("options nvidia a=1\ninstall zfs /bin/true\nalias zfs x=1", &[]);
    check("options zfs a=-1", &["a=18446744073709551615@1"]);
}

#[test]
fn what_is_not_of_zfs_goes() {
    let check = |syntax, text: &str, expected: &str| assert_eq!(of_zfs(syntax, text), expected);
    check(Syntax::Loader, "password=\"x\"\nvfs.zfs.arc.max=1\n", "\nvfs.zfs.arc.max=1\n");
    check(
        Syntax::Modprobe,
        "options wifi key=x\noptions zfs a=1 \\\n b=2\n# note",
        "\noptions zfs a=1 \\\n b=2\n",
    );
    check(Syntax::Sysctl, "net.key=x", "");
}

#[test]
fn assignments_are_read_as_freebsd_reads_them() {
    let text = "vfs.zfs.arc.max=\"8589934592\"\n#vfs.zfs.a=1\nkern.x=1\nvfs.zfs.b=2 # two\n";
    check_scan(Syntax::Loader, text, &["vfs.zfs.arc.max=8589934592@1", "vfs.zfs.b=2@4"]);
    let text = "quiet root=ZFS=rpool zfs.zfs_arc_max=1073741824 spl.x=1\n";
    check_scan(Syntax::Cmdline, text, &["zfs_arc_max=1073741824@1", "x=1@1"]);
}

#[test]
fn a_broken_block_is_refused_with_its_line() {
    let good = set("a\n", Syntax::Modprobe, &[setting("l2arc_norw", "1")]).unwrap();
    let check = |text: &str, part: &str| {
        let message = set(text, Syntax::Modprobe, &[setting("x", "1")]).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    };
    check(&good.replace("# <<< arcwright tune\n", ""), "line 2: arcwright’s block is broken");
    check(
        &good.replace("# >>> arcwright tune: do not edit down to the end mark\n", ""),
        "an end mark but no begin mark",
    );
    check(&format!("{good}{good}"), "a second begin mark");
    check(&good.replace("end mark", "end mark (joint 9)"), "begin mark was changed");
}

#[test]
fn what_somebody_wrote_into_our_block_stays_there() {
    const BLOCK: &str = "# >>> arcwright tune: do not edit down to the end mark\n";
    let text = |body: &str| format!("{BLOCK}{body}# <<< arcwright tune\n");
    let check = |body: &str, expected: &str| {
        let put = set(&text(body), Syntax::Sysctl, &[setting("zfs_arc_max", "2")]).unwrap();
        assert_eq!(put, text(expected));
        let out = unset(&put, &["zfs_arc_max".to_owned()]).unwrap();
        let words: Vec<&str> = body.lines().filter(|line| !line.contains("zfs_arc_max")).collect();
        for word in words {
            assert!(out.contains(word), "{word:?} in {out:?}");
        }
    };
    let ours = "# for a test\nzfs_arc_max=2\n";
    check("", ours);
    check("Ask Dirk\n", &format!("Ask Dirk\n{ours}"));
    check(
        "# ask Dirk\n\n# zfs_arc_max was 0\nzfs_arc_max=1\nthen\n",
        &format!("# ask Dirk\n\n{ours}then\n"),
    );
}

#[test]
fn no_note_is_taken_for_a_mark() {
    for note in ["<<< arcwright tune", ">>> arcwright tune: do not edit down to the end mark"] {
        let setting = Setting { note: note.to_owned(), ..setting("zfs_arc_max", "2") };
        let put = set("", Syntax::Sysctl, std::slice::from_ref(&setting)).unwrap();
        assert_eq!(set(&put, Syntax::Sysctl, &[setting]).as_ref(), Ok(&put));
    }
}

#[test]
fn values_that_would_break_the_file_are_refused() {
    for value in ["", "a\nb", "a\"b", "a\\", "1 # x"] {
        assert!(set("", Syntax::Modprobe, &[setting("x", value)]).is_err(), "{value:?}");
    }
    assert!(set("", Syntax::Loader, &[setting("x y", "1")]).is_err());
}

#[test]
fn files_are_in_modprobes_order_and_hide_each_other() {
    let paths = [
        "/etc/modprobe.d/zfs.conf",
        "/etc/modprobe.d/b.conf",
        "/etc/modprobe.d/a.txt",
        "/etc/modprobe.d/.arcwright-zz-arcwright.conf",
        "/usr/lib/modprobe.d/zfs.conf",
        "/usr/lib/modprobe.d/a.conf",
    ];
    let order = modprobe_order(&paths.map(str::to_owned));
    assert_eq!(
        order,
        ["/usr/lib/modprobe.d/a.conf", "/etc/modprobe.d/b.conf", "/etc/modprobe.d/zfs.conf"]
    );
}

fn signs(kernel: Kernel, os_release: &str, present: &[&str]) -> PlatformProbe {
    PlatformProbe {
        kernel,
        os_release: Some(os_release.to_owned()),
        product: None,
        present: present.iter().map(|path| (*path).to_owned()).collect(),
    }
}

#[test]
fn platforms_are_told_by_their_signs() {
    let check = |kernel, os_release, present: &[&str], expected| {
        assert_eq!(Platform::detect(&signs(kernel, os_release, present)), expected, "{present:?}");
    };
    check(Kernel::Linux, "NAME=x\nID=debian\n", &[], Platform::Debian);
    check(Kernel::Linux, "ID=ubuntu", &[], Platform::Ubuntu);
    check(Kernel::Linux, "ID=\"rhel\"", &[], Platform::Linux);
    check(Kernel::Linux, "ID=debian", &["/etc/pve"], Platform::Proxmox);
    check(Kernel::Linux, "ID=debian", &["/usr/bin/midclt"], Platform::TruenasScale);
    check(Kernel::Linux, "ID=nixos", &[], Platform::Nixos);
    check(Kernel::Linux, "ID=debian", &["/.dockerenv"], Platform::Container);
    check(Kernel::Freebsd, "ID=freebsd", &[], Platform::Freebsd);
    check(Kernel::Freebsd, "", &["/data/freenas-v1.db"], Platform::TruenasCore);
    let product = Some("XigmaNAS".to_owned());
    let signs = PlatformProbe { product, ..signs(Kernel::Freebsd, "", &[]) };
    assert_eq!(Platform::detect(&signs), Platform::Xigmanas);
}

fn places(platform: Platform, files: &[(&str, Syntax, &str)]) -> Places {
    let file = |(path, syntax, text): &(&str, Syntax, &str)| ConfigFile {
        path: (*path).to_owned(),
        syntax: *syntax,
        text: Some((*text).to_owned()),
    };
    Places {
        platform,
        signs: signs(platform.kernel(), "", &["/usr/sbin/update-initramfs"]),
        files: files.iter().map(file).collect(),
        records: Some(Vec::new()),
    }
}

fn persisted(places: &Places, requests: &[&str]) -> Persistence {
    let machine = running("2.1.11");
    let requests: Vec<RequestedSetting> =
        requests.iter().map(|w| RequestedSetting::parse(w, &machine).unwrap()).collect();
    let plan = Plan::new(Purpose::Persist, &requests, &machine, &places.persisted()).unwrap();
    persist(&plan, places, "a test").unwrap()
}

#[test]
fn on_debian_a_file_of_ours_is_written_and_others_are_reported() {
    let mine = "options zfs l2arc_noprefetch=1 zfs_arc_max=1073741824\n";
    let places = places(
        Platform::Debian,
        &[
            ("/etc/modprobe.d/zfs.conf", Syntax::Modprobe, mine),
            ("/proc/cmdline", Syntax::Cmdline, "zfs.l2arc_noprefetch=1"),
        ],
    );
    let mut places = places;
    // Ours is read after zfs.conf and before the command line, and is not there yet.
    places.files.insert(
        1,
        ConfigFile {
            path: "/etc/modprobe.d/zz-arcwright.conf".to_owned(),
            syntax: Syntax::Modprobe,
            text: None,
        },
    );
    let result = persisted(&places, &["l2arc_noprefetch=0"]);
    let edit = result.edits.first().unwrap();
    assert_eq!(edit.path, "/etc/modprobe.d/zz-arcwright.conf");
    assert!(edit.new.as_ref().unwrap().contains("\noptions zfs l2arc_noprefetch=0\n"));
    let told: Vec<(String, bool)> =
        result.conflicts.iter().map(|c| (c.line.place(), c.wins)).collect();
    let expected =
        [("/etc/modprobe.d/zfs.conf:1".to_owned(), false), ("/proc/cmdline:1".to_owned(), true)];
    assert_eq!(told, expected);
    assert_eq!(result.refresh.first().unwrap().to_string(), "update-initramfs -u -k all");
    places.files[1].text = edit.new.clone();
    let back = unpersist(None, &places).unwrap();
    assert_eq!(back.edits.first().unwrap().new, None);
}

#[test]
fn on_freebsd_what_is_live_goes_to_sysctl_and_the_rest_to_the_loader() {
    let mut machine = running("2.1.11");
    machine.kernel = Kernel::Freebsd;
    for (linux, freebsd) in [
        ("l2arc_noprefetch", "vfs.zfs.l2arc.noprefetch"),
        ("zfs_arc_average_blocksize", "vfs.zfs.arc.average_blocksize"),
    ] {
        let seen = machine.parameters.remove(linux).unwrap();
        machine.parameters.insert(freebsd.to_owned(), seen);
    }
    let requests = ["l2arc_noprefetch=0", "vfs.zfs.arc.average_blocksize=16KiB"];
    let requests: Vec<RequestedSetting> =
        requests.iter().map(|w| RequestedSetting::parse(w, &machine).unwrap()).collect();
    let plan = Plan::new(Purpose::Persist, &requests, &machine, &[]).unwrap();
    let places = places(Platform::Freebsd, &[("/boot/loader.conf", Syntax::Loader, "x=\"1\"")]);
    let result = persist(&plan, &places, "a test").unwrap();
    let text = |path: &str| {
        let edit = result.edits.iter().find(|edit| edit.path == path).unwrap();
        edit.new.clone().unwrap()
    };
    assert!(text("/etc/sysctl.conf").contains("\nvfs.zfs.l2arc.noprefetch=0\n"));
    assert!(text("/boot/loader.conf").starts_with("x=\"1\"\n# >>> arcwright"));
    assert!(text("/boot/loader.conf").contains("\nvfs.zfs.arc.average_blocksize=\"16384\"\n"));
}

#[test]
fn an_appliance_gets_calls_or_lines_and_no_file() {
    let scale = persisted(&places(Platform::TruenasScale, &[]), &["l2arc_noprefetch=0"]);
    assert!(scale.edits.is_empty() && scale.changes.len() == 1);
    let nixos = persisted(&places(Platform::Nixos, &[]), &["l2arc_noprefetch=0"]);
    let line = "boot.extraModprobeConfig = ''options zfs l2arc_noprefetch=0'';";
    assert_eq!(nixos.instructions.last().map(String::as_str), Some(line));
    assert!(nixos.edits.is_empty() && nixos.changes.is_empty());
    let xigmanas = persisted(&places(Platform::Xigmanas, &[]), &["l2arc_noprefetch=0"]);
    assert!(xigmanas.instructions.first().unwrap().contains("System > Advanced"));
    let container = persisted(&places(Platform::Container, &[]), &["l2arc_noprefetch=0"]);
    assert!(container.instructions.first().unwrap().contains("belongs to the host"));
    assert!(matches!(Platform::Container.home(), ConfigLocation::Nowhere { .. }));
}

#[test]
fn beside_what_cannot_be_seen_nothing_is_put() {
    let machine = running("2.1.11");
    let requests = [RequestedSetting::parse("l2arc_noprefetch=0", &machine).unwrap()];
    let plan = Plan::new(Purpose::Persist, &requests, &machine, &[]).unwrap();
    let unasked = Places { records: None, ..places(Platform::TruenasScale, &[]) };
    assert!(persist(&plan, &unasked, "a test").is_err());
    assert!(unpersist(None, &unasked).is_err());
}

#[test]
fn what_is_persisted_or_default_needs_nothing() {
    let machine = running("2.1.11");
    let file = "options zfs l2arc_noprefetch=0\n";
    let places = places(Platform::Debian, &[("/etc/modprobe.d/zfs.conf", Syntax::Modprobe, file)]);
    let requests = ["l2arc_noprefetch=0", "l2arc_norw=0"];
    let requests: Vec<RequestedSetting> =
        requests.iter().map(|w| RequestedSetting::parse(w, &machine).unwrap()).collect();
    let plan = Plan::new(Purpose::Persist, &requests, &machine, &places.persisted()).unwrap();
    assert!(plan.steps.is_empty(), "{plan:?}");
    let reasons: Vec<&str> = plan.left_out.iter().map(|left| left.why.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "is set to 0 already in /etc/modprobe.d/zfs.conf:1",
            "is 0 by default; nothing to persist"
        ]
    );
}
