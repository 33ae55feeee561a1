//! A machine with secrets in every source, and what is left of them in what was redacted.

use std::collections::BTreeMap;

use arcwright_machine::{Reason, Source, Sources};
use proptest::prelude::*;

use super::redact;

/// What a machine may carry that is nobody else's business; in every text below where it can stand.
#[derive(Debug, Clone)]
struct Secrets {
    name: String,
    serial: String,
    wwn: String,
    uuid: String,
    guid: String,
    address: String,
    mail: String,
    password: String,
}

impl Secrets {
    fn all(&self) -> [&str; 8] {
        let Self { name, serial, wwn, uuid, guid, address, mail, password } = self;
        [name, serial, wwn, uuid, guid, address, mail, password]
    }
}

fn secrets() -> impl Strategy<Value = Secrets> {
    (
        "[a-z]{3,6}q[a-z]{3,6}",
        "[A-Z]{2}[0-9]{2}[A-Z0-9]{6,10}",
        "[0-9a-f]{14}",
        "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}",
        "[1-8][1-9]{17,19}",
        (1..255_u8, 0..255_u8, 0..255_u8),
        "[a-z]{4,8}",
        "[a-zA-Z0-9!$%&]{9,16}",
    )
        .prop_map(|(name, serial, wwn, uuid, guid, (a, b, c), mail, password)| Secrets {
            address: format!("10.{a}.{b}.{c}"),
            mail: format!("{mail}.zq@{name}.example"),
            wwn: format!("5{wwn}f"),
            password: format!("Zq{password}"),
            name,
            serial,
            uuid,
            guid,
        })
        // A smaller secret is one that numbers hold by chance.
        .no_shrink()
}

/// A machine with the secrets wherever one can put them; `{n}` and so on stand for them.
fn planted(secrets: &Secrets) -> Sources {
    let filled = |text: &str| {
        let Secrets { name, serial, wwn, uuid, guid, address, mail, password } = secrets;
        [
            ("{n}", name),
            ("{s}", serial),
            ("{w}", wwn),
            ("{u}", uuid),
            ("{g}", guid),
            ("{a}", address),
            ("{m}", mail),
            ("{p}", password),
        ]
        .iter()
        .fold(text.to_owned(), |text, (mark, secret)| text.replace(mark, secret))
    };
    // A source per section: “== NAME”, then its text.
    let sections = include_str!("planted.txt").split("== ").skip(1);
    let mut texts: BTreeMap<String, Source> = sections
        .filter_map(|section| section.split_once('\n'))
        .map(|(name, text)| (filled(name), Source::Text(filled(text))))
        .collect();
    let failed = filled("cannot open '{n}': {p} of {m} at {a}, /dev/disk/by-id/{s}, {n}/{n}@x");
    for name in
        ["commands/smartctl-{s}", "proc/spl/kstat/zfs/{n}/io", "sample-1/commands/zpool-iostat-r"]
    {
        texts.insert(filled(name), Source::Unreadable(Reason::Failed(failed.clone())));
    }
    texts.insert("commands/smartctl-sdb".to_owned(), Source::Unreadable(Reason::Garbled(failed)));
    Sources { texts, ..Sources::default() }
}

/// All that somebody gets who gets the archive.
fn given(sources: &Sources) -> String {
    sources.texts.iter().map(|(name, source)| format!("{name} {source:?}\n")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_was_planted_is_left(secrets in secrets()) {
        let sources = planted(&secrets);
        let all = given(&redact(&sources)).to_lowercase();
        for secret in secrets.all() {
            // Cut too: its beginning and its end tell as much.
            let secret = secret.to_lowercase();
            let half = secret.len().min(7);
            for part in [&secret, &secret[..half], &secret[secret.len() - half..]] {
                let line = all.lines().find(|line| line.contains(part));
                prop_assert!(line.is_none(), "{part} of {secret} is left in {line:?}");
            }
        }
    }

    #[test]
    fn redacted_twice_is_redacted_once(secrets in secrets()) {
        let once = redact(&planted(&secrets));
        let twice = redact(&once);
        prop_assert_eq!(once.texts.keys().count(), twice.texts.keys().count());
    }

    #[test]
    fn no_text_makes_it_panic(text in "[ -~\n\tä]{0,200}", which in 0..60_usize) {
        let all = planted(&Secrets {
            name: "a".into(), serial: "b".into(), wwn: "c".into(), uuid: "d".into(), guid: "1".into(),
            address: "e".into(), mail: "f".into(), password: "g".into(),
        });
        let name = all.texts.keys().nth(which % all.texts.len()).unwrap().clone();
        let _redacted = redact(&Sources { texts: [(name, Source::Text(text))].into(), ..Sources::default() });
    }
}

/// A name that nobody looked up among those of its folder stays only where it is a usual one.
#[test]
fn files_of_settings_of_a_sample_keep_no_name() {
    let names = ["etc/modprobe.d/zfs.conf", "sample-1/etc/modprobe.d/annas-nas.conf"];
    let texts = names.map(|name| (name.to_owned(), Source::Text("options zfs\n".to_owned())));
    let kept = redact(&Sources { texts: texts.into(), ..Sources::default() });
    assert_eq!(kept.texts.keys().collect::<Vec<_>>(), ["etc/modprobe.d/zfs.conf"]);
}

#[test]
fn what_is_counted_keeps_the_names_that_its_makers_gave_it() {
    let named = |line: &str| match line.split_whitespace().collect::<Vec<_>>().as_slice() {
        [_, kind, count] => kind.len() == 1 && count.parse::<u64>().is_ok(),
        _ => false,
    };
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let mut compared = 0;
    for (machine, sources) in arcwright_fixtures::machines().unwrap() {
        let kept = redact(&sources);
        for (name, source) in &sources.texts {
            let (Source::Text(text), Some(left)) = (source, kept.text(name)) else { continue };
            if !name.contains("kstat/zfs/") {
                continue;
            }
            for (before, after) in text.lines().zip(left.lines()).filter(|(line, _)| named(line)) {
                assert_eq!(first(before), first(after), "{machine}: {name}");
                compared += 1;
            }
        }
    }
    assert!(compared > 1000, "{compared} counters");
    let attributes =
        ["Reallocated_Sector_Ct", "Spin_Up_Time", "End-to-End_Error", "Host_Writes_32MiB"];
    for name in attributes {
        assert!(super::vocabulary::is_identifier(name), "{name}");
    }
}

/// By default it is made from the host's address.
#[test]
fn the_number_of_a_host_stays_nowhere() {
    let texts = [
        ("etc/modprobe.d/spl.conf", "options spl spl_hostid=0x0a4d4237\n"),
        ("proc/cmdline", "zfs.zfs_arc_max=5 spl.spl_hostid=0x0a4d4237\n"),
        ("sys/module/spl/parameters/spl_hostid", "172835383\n"),
        ("etc/modprobe.d/zero.conf", "options spl spl_hostid=0\n"),
    ];
    let texts = texts.map(|(name, text)| (name.to_owned(), Source::Text(text.to_owned())));
    let kept = redact(&Sources { texts: texts.into(), ..Sources::default() });
    let kept: Vec<&str> = kept.texts.keys().filter_map(|name| kept.text(name)).collect();
    let all = kept.concat();
    assert!(!all.contains("4d4237") && !all.contains("172835383"), "{all}");
    assert!(all.contains("spl_hostid=x") && all.contains("spl_hostid=0\n"), "{all}");
}
