//! What the screen shows, and what keys and the mouse do.

mod laws;
mod machine;

use std::sync::Arc;

use arcwright_kstat::KstatValue;
use arcwright_machine::{ProcessCount, ProcessMoment};
use arcwright_units::Nanos;

use self::machine::{board, moment};
use super::{Dashboard, Key, Reaction};
use crate::palette::Palette;
use crate::pointer::{Pointer, PointerAction};
use crate::sample::{DashboardSample, Notice, NoticeSeverity, Update};

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
        "━ read by programs 250 MiB/s",
        "━ written by programs 20 MiB/s",
        "▓ L2ARC 12 MiB/s",
        "▒ disks 39 MiB/s",
        "256 MiB/s┤",
        "0┤",
        "now",
        "accesses  misses     hits",
        "demand data        2.00k/s   200/s   90.0 %",
        "demand metadata    1.00k/s    10/s   99.0 %",
        "prefetch data        100/s    95/s    ahead",
        "prefetch metadata        -       -        -",
        "▒ programs 5 GiB",
        "█ ARC 3 GiB",
        "░ free or reclaimable 8 GiB",
        "target 4 GiB",
        "dirty 400 MiB of 4 GiB",
        "sync        182 ms",
        "commits       40/s",
        "to slog    1 MiB/s",
        "holds       50 GiB",
        "hits        48.8 %",
        "fed        8 MiB/s",
        "6 pools",
        "7 datasets",
        "8 devices",
        "1–3 of 4",
        "q quit",
        "? help",
    ];
    check(&board(5), &expected);
}

#[test]
fn one_reading_says_that_it_waits_and_none_too() {
    check(&board(0), &["waiting for a second reading"]);
    check(&board(1), &["waiting for a second reading", "█ ARC 3 GiB"]);
}

#[test]
fn parts_of_the_memory_that_are_more_than_the_whole_are_not_shown() {
    let mut board = board(1);
    let mut next = moment(2);
    let arc = next.kstats.kstats.get_mut("zfs/arcstats").unwrap();
    for (row, value) in &mut arc.rows {
        if row == "memory_free_bytes" {
            *value = KstatValue::U64((13 << 30) + 1);
        }
    }
    board.take(Update::Sample(Box::new(next)));
    check(&board, &["█ ARC 3 GiB"]);
    let picture = board.picture((80, 24));
    assert!(!picture.contains("▒ programs") && !picture.contains("reclaimable"), "{picture}");
}

#[test]
fn shares_of_hardly_any_accesses_are_counts() {
    let mut board = board(5);
    let mut next = moment(5);
    next.kstats.at = Nanos::secs(106);
    let arc = next.kstats.kstats.get_mut("zfs/arcstats").unwrap();
    for (row, value) in &mut arc.rows {
        if let (true, Some(count)) = (row.starts_with("demand_metadata_m"), value.as_u64()) {
            *value = KstatValue::U64(count + 3);
        }
    }
    board.take(Update::Sample(Box::new(next)));
    check(
        &board,
        &[
            "demand data            0/s     0/s        -",
            "demand metadata        3/s     3/s   0 of 3",
            "prefetch data          0/s     0/s        -",
        ],
    );
}

#[test]
fn findings_have_room_on_a_small_terminal_the_worst_first() {
    let mut board = board(3);
    let notice = |severity, text: &str| Notice { severity, text: text.to_owned() };
    board.take(Update::Notices(vec![
        notice(NoticeSeverity::Fine, "all else is well"),
        notice(NoticeSeverity::Look, "the pool is nearly full"),
        notice(NoticeSeverity::Hurts, "sdc is five times as slow as its equals"),
    ]));
    check(&board, &["! sdc is five times as slow as its equals (9: 2 more)"]);
    let picture = board.picture((80, 60));
    assert!(picture.find("sdc is five").unwrap() < picture.find("all else").unwrap());
    assert!(picture.contains("9 findings"), "{picture}");
}

#[test]
fn keys_do_what_the_footer_says() {
    let mut board = board(30);
    assert_eq!(board.press(Key::Char('q')), Reaction::Quit);
    assert_eq!(board.press(Key::Char('m')), Reaction::Mouse);
    board.press(Key::Char('w'));
    check(&board, &["over 10 s"]);
    board.press(Key::Left);
    check(&board, &["1 reading back", "then"]);
    board.press(Key::Char(' '));
    board.take(Update::Sample(Box::new(moment(31))));
    check(&board, &["paused", "2 readings back"]);
    board.press(Key::Char(' '));
    board.press(Key::Char('8'));
    let picture = board.picture((80, 24));
    assert!(picture.contains("8 devices") && !picture.contains("2 ARC"), "{picture}");
    board.press(Key::Escape);
    board.press(Key::Char('?'));
    check(&board, &["fed       written to cache devices", "-         unknown"]);
    assert_eq!(board.press(Key::Escape), Reaction::Draw);
    assert_eq!(board.press(Key::Escape), Reaction::Quit);
}

#[test]
fn help_fits_the_smallest_terminal() {
    let mut board = board(3);
    board.press(Key::Char('?'));
    let text = crate::panels::HELP_TEXT;
    assert!(text.lines().count() <= 22);
    text.lines().for_each(|line| check(&board, &[line]));
}

#[test]
fn tab_goes_through_all_panels_and_back_to_the_whole() {
    let mut board = board(3);
    let whole = board.picture((80, 24));
    for number in 1..=9 {
        board.press(Key::Tab);
        check(&board, &[&format!("\n{number} ")]);
    }
    board.press(Key::Tab);
    board.table = None;
    assert_eq!(board.picture((80, 24)), whole);
    board.press(Key::BackTab);
    check(&board, &["9 findings"]);
}

/// Returns where a text is on the screen of 80 by 24.
fn find(board: &Dashboard, text: &str) -> (u16, u16) {
    let picture = board.picture((80, 24));
    let at =
        picture.lines().enumerate().find_map(|(row, line)| Some((line.find(text)?, row, line)));
    let (begin, row, line) = at.unwrap_or_else(|| panic!("no “{text}” in\n{picture}"));
    (u16::try_from(line[..begin].chars().count()).unwrap(), u16::try_from(row).unwrap())
}

fn point(board: &mut Dashboard, text: &str, action: PointerAction) -> Reaction {
    let (column, row) = find(board, text);
    board.point(Pointer { column, row, action }, (80, 24))
}

#[test]
fn a_click_shows_another_table_sorts_it_and_the_wheel_scrolls() {
    let mut board = board(5);
    point(&mut board, "7 datasets", PointerAction::Click);
    check(&board, &["tank/media3", "1–3 of 5", "\\x1b[2J\\u{202e}4"]);
    // The name is sorted from its first letter, figures from the largest; again the other way round.
    point(&mut board, "name", PointerAction::Click);
    check(&board, &["name▲"]);
    point(&mut board, "read    reads", PointerAction::Click);
    check(&board, &["read▼"]);
    point(&mut board, "read▼", PointerAction::Click);
    check(&board, &["read▲", "tank/media0"]);
    point(&mut board, "tank/media0", PointerAction::WheelDown);
    check(&board, &["tank/media3", "3–5 of 5"]);
    point(&mut board, "tank/media3", PointerAction::WheelUp);
    check(&board, &["tank/media0", "1–3 of 5"]);
    point(&mut board, "2 ARC", PointerAction::Click);
    let picture = board.picture((80, 24));
    assert!(!picture.contains("7 datasets"), "{picture}");
    point(&mut board, "2 ARC", PointerAction::Click);
    check(&board, &["7 datasets"]);
    point(&mut board, "? help", PointerAction::Click);
    check(&board, &["mouse     click"]);
    assert_eq!(point(&mut board, "q quit", PointerAction::Click), Reaction::Quit);
}

#[test]
fn keys_sort_and_scroll_the_table_that_is_shown() {
    let mut board = board(5);
    board.press(Key::Char('t'));
    check(&board, &["ONLINE"]);
    board.press(Key::Char('t'));
    check(&board, &["tank/media3"]);
    board.press(Key::Char('s'));
    check(&board, &["name▲"]);
    board.press(Key::Char('r'));
    check(&board, &["name▼"]);
    board.press(Key::End);
    check(&board, &["3–5 of 5"]);
    board.press(Key::Up);
    board.press(Key::Home);
    check(&board, &["1–3 of 5"]);
    (0..6).for_each(|_| {
        board.press(Key::Char('s'));
    });
    assert_eq!(board.state(board.selected()).sort, None);
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

/// Processes of a machine that lists them: a table of their own, which the others do not lose room for.
#[test]
fn processes_are_a_table_where_the_system_lists_them() {
    let listed = |n: u64| {
        let process = |pid: u32, name: &str, bytes: u64| ProcessCount {
            pid,
            started: 1,
            name: name.to_owned(),
            read: Some(bytes * n),
            written: Some(0),
            waiting: 0,
        };
        let processes = vec![
            process(1, "smbd", 48 << 20),
            process(2, "smbd", 16 << 20),
            process(3, "a\u{1b}[2J", 1),
        ];
        let waits = [((1, 1), 3 * n)].into();
        let processes = Arc::new(ProcessMoment { processes, waits, looks: 4 * n });
        DashboardSample { processes: Some(processes), ..moment(n) }
    };
    let mut board = Dashboard::new("nas".to_owned(), Palette::new(false));
    (1..=3).for_each(|n| board.take(Update::Sample(Box::new(listed(n)))));
    let small = board.picture((80, 24));
    assert!(small.contains("8 devices") && small.contains("processes"), "{small}");
    board.press(Key::BackTab);
    let processes = board.picture((80, 24));
    for text in ["smbd", " 2 ", "64 MiB/s", "0.8", "waiting"] {
        assert!(processes.contains(text), "no “{text}” in\n{processes}");
    }
    assert!(!processes.contains('\u{1b}'), "{processes}");
    board.press(Key::BackTab);
    check(&board, &["9 findings"]);
    // Of long ago they are not kept, and that is said.
    (4..=90).for_each(|n| board.take(Update::Sample(Box::new(listed(n)))));
    for _ in 0..3 {
        board.press(Key::Char('w'));
    }
    board.press(Key::Tab);
    check(&board, &["processes", "of the last 60 readings alone"]);
}
