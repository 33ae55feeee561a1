//! What the screen shows, and that no size, key or reading upsets it.

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
use arcwright_machine::DeviceCount;
use arcwright_units::Nanos;
use proptest::prelude::*;

use super::{Dashboard, Key, Reaction};
use crate::palette::Palette;
use crate::sample::{DashboardSample, Notice, NoticeSeverity, Update};

fn kstat(name: &str, rows: &[(&str, u64)]) -> NamedKstat {
    let rows = rows.iter().map(|(row, value)| ((*row).to_owned(), KstatValue::U64(*value)));
    NamedKstat::of_rows(&format!("zfs/{name}"), rows.collect())
}

/// A machine after `n` busy seconds.
fn moment(n: u64) -> DashboardSample {
    let arc = [
        ("demand_data_hits", 1800 * n),
        ("demand_data_misses", 200 * n),
        ("demand_metadata_hits", 990 * n),
        ("demand_metadata_misses", 10 * n),
        ("prefetch_data_hits", 5 * n),
        ("prefetch_data_misses", 95 * n),
        ("mru_ghost_hits", 30 * n),
        ("mfu_ghost_hits", 0),
        ("size", 3 << 30),
        ("c", 4 << 30),
        ("c_max", 4 << 30),
        ("l2_hits", 100 * n),
        ("l2_misses", 105 * n),
        ("l2_read_bytes", (12 << 20) * n),
        ("l2_write_bytes", (8 << 20) * n),
        ("l2_size", 50 << 30),
        ("l2_asize", 40 << 30),
        ("l2_hdr_size", 38 << 20),
    ];
    let zil = [
        ("zil_commit_count", 40 * n),
        ("zil_itx_metaslab_normal_bytes", 0),
        ("zil_itx_metaslab_slog_bytes", (1 << 20) * n),
    ];
    let kstats = vec![kstat("arcstats", &arc), kstat("zil", &zil)];
    let disk = |name: &str, role: &str, each_ns: u64| DeviceCount {
        name: name.to_owned(),
        role: role.to_owned(),
        detail: String::new(),
        reads: 100 * n,
        writes: 10 * n,
        read_bytes: (13 << 20) * n,
        write_bytes: (1 << 20) * n,
        request_ns: Some(110 * each_ns * n),
        busy_ns: Some(600_000_000 * n),
    };
    DashboardSample {
        kstats: Snapshot::from_kstats(Nanos::secs(100 + n), kstats),
        devices: vec![
            disk("sda", "data", 8_000_000),
            disk("sdb", "data", 9_000_000),
            disk("sdc", "data", 42_000_000),
            disk("nvme0n1p2", "cache", 90_000),
        ],
        read_bytes: Some((250 << 20) * n),
        ..DashboardSample::default()
    }
}

fn board(readings: u64) -> Dashboard {
    let mut board = Dashboard::new("nas, OpenZFS 2.3.2".to_owned(), Palette::new(false));
    (1..=readings).for_each(|n| board.take(Update::Sample(Box::new(moment(n)))));
    board
}

/// Checks that the picture of 80 by 24 holds each text.
fn check(board: &Dashboard, expected: &[&str]) {
    let picture = board.picture((80, 24));
    for text in expected {
        assert!(picture.contains(text), "no “{text}” in\n{picture}");
    }
}

#[test]
fn a_busy_second_is_told_in_full_on_a_small_terminal() {
    let expected = [
        "nas, OpenZFS 2.3.2",
        "over 1 s",
        "demand data          90.0 %   2.00k/s",
        "demand metadata      99.0 %   1.00k/s",
        "prefetch data         5.0 %     100/s",
        "prefetch metadata         -         -",
        "size 3 GiB of 4 GiB, 30/s ghost hits",
        "ARC 199 MiB/s",
        "L2ARC 12 MiB/s",
        "disks 39 MiB/s",
        "holds 50 GiB in 40 GiB, headers 38 MiB",
        "hits 48.8 % of 205/s, read 12 MiB/s",
        "fed 8 MiB/s, 675 GiB per day",
        "40/s commits",
        "on log devices 1 MiB/s",
        "sdc",
        "42.0 ms",
        "q quit",
    ];
    check(&board(5), &expected);
}

#[test]
fn one_reading_says_that_it_waits_and_none_too() {
    check(&board(0), &["waiting for a second reading"]);
    check(&board(1), &["waiting for a second reading", "size 3 GiB of 4 GiB"]);
}

#[test]
fn findings_have_room_on_a_small_terminal_the_worst_first() {
    let mut board = board(3);
    let notice = |severity, text: &str| Notice { severity, text: text.to_owned() };
    board.take(Update::Notices(vec![
        notice(NoticeSeverity::Fine, "all else is well"),
        notice(NoticeSeverity::Hurts, "sdc is five times as slow as its equals"),
    ]));
    check(&board, &["! sdc is five times as slow as its equals"]);
    let picture = board.picture((80, 40));
    assert!(picture.find("sdc is five").unwrap() < picture.find("all else").unwrap());
}

#[test]
fn keys_do_what_the_footer_says() {
    let mut board = board(30);
    assert_eq!(board.press(Key::Char('q')), Reaction::Quit);
    board.press(Key::Char('w'));
    check(&board, &["over 10 s"]);
    board.press(Key::Left);
    check(&board, &["1 reading back"]);
    board.press(Key::Char(' '));
    board.take(Update::Sample(Box::new(moment(31))));
    check(&board, &["held", "2 readings back"]);
    board.press(Key::Char(' '));
    board.press(Key::Char('5'));
    let picture = board.picture((80, 24));
    assert!(picture.contains("5 devices") && !picture.contains("1 ARC"), "{picture}");
    board.press(Key::Escape);
    board.press(Key::Char('?'));
    check(&board, &["fed       written to cache devices"]);
    assert_eq!(board.press(Key::Escape), Reaction::Draw);
    assert_eq!(board.press(Key::Escape), Reaction::Quit);
}

#[test]
fn tab_goes_through_all_panels_and_back_to_the_whole() {
    let mut board = board(3);
    let whole = board.picture((80, 24));
    for title in ["1 ARC", "2 where", "3 L2ARC", "4 intent", "5 devices", "6 findings"] {
        board.press(Key::Tab);
        check(&board, &[title]);
    }
    board.press(Key::Tab);
    assert_eq!(board.picture((80, 24)), whole);
    board.press(Key::BackTab);
    check(&board, &["6 findings"]);
}

#[test]
fn colours_are_only_where_they_are_wanted() {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::style::Color;
    for wanted in [false, true] {
        let mut board = Dashboard::new("nas".to_owned(), Palette::new(wanted));
        (1..5).for_each(|n| board.take(Update::Sample(Box::new(moment(n)))));
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        terminal.draw(|frame| board.draw(frame)).unwrap();
        let cells = terminal.backend().buffer().content();
        assert_eq!(cells.iter().any(|cell| cell.fg != Color::Reset), wanted);
    }
}

proptest! {
    #[test]
    fn no_size_and_no_key_upsets_it(
        size in (0u16..250, 0u16..90),
        readings in 0u64..8,
        keys in prop::collection::vec(0usize..12, 0..12),
        jump in any::<u64>(),
    ) {
        let all = [
            Key::Char('w'), Key::Char(' '), Key::Char('?'), Key::Tab, Key::BackTab, Key::Left,
            Key::Right, Key::Char('3'), Key::Char('0'), Key::Char('+'), Key::Escape, Key::Char('x'),
        ];
        let mut board = board(readings);
        let mut odd = moment(3);
        odd.kstats.at = Nanos(jump);
        for device in &mut odd.devices {
            device.reads = jump;
            device.request_ns = Some(u64::MAX);
            device.name = "a-very-long-name-of-a-disk-by-id".repeat(3);
        }
        board.take(Update::Sample(Box::new(odd)));
        for key in keys {
            let _reaction = board.press(all[key]);
        }
        let picture = board.picture(size);
        prop_assert_eq!(picture.lines().count(), usize::from(size.1));
    }
}
