//! What holds at every size of the screen, for every key and click, and the screens that were accepted.

use arcwright_units::Nanos;
use proptest::prelude::*;

use super::machine::{board, moment};
use crate::dashboard::Key;
use crate::pointer::{Pointer, PointerAction};
use crate::sample::{Notice, NoticeSeverity, Update};

/// Compares the screen of a size with the one that is kept; `SNAPSHOTS=overwrite` keeps the new one.
#[test]
fn the_whole_screen_is_as_it_was_accepted() {
    let mut board = board(100);
    let text = "sdc is five times as slow as its equals".to_owned();
    board.take(Update::Notices(vec![Notice { severity: NoticeSeverity::Hurts, text }]));
    for (columns, rows) in [(80, 24), (200, 60)] {
        let place =
            format!("{}/src/dashboard/tests/{columns}x{rows}.txt", env!("CARGO_MANIFEST_DIR"));
        let picture = board.picture((columns, rows));
        if std::env::var_os("SNAPSHOTS").is_some_and(|what| what == "overwrite") {
            std::fs::write(&place, &picture).unwrap();
        }
        let accepted = std::fs::read_to_string(&place).unwrap();
        assert!(accepted == picture, "not as in {place}:\n{picture}");
    }
}

/// Words that the screen of a size may have, with what follows a beginning of them.
const WHOLE: [&str; 25] = [
    "disks read",
    "disks written",
    "written",
    "read by programs",
    "written by programs",
    "demand metadata",
    "prefetch metadata",
    "accesses",
    "misses",
    "free or reclaimable",
    "target",
    "metadata",
    "headers",
    "commits",
    "to slog",
    "delayed",
    "holds",
    "on disk",
    "throughput",
    "datasets",
    "devices",
    "requests",
    "latency",
    "quiesce",
    "lost too early",
];

/// Says which words stand on the screen cut: their beginning at the edge of a panel or of the screen.
fn cut_words(picture: &str) -> Vec<String> {
    let ends = picture.lines().flat_map(|line| line.split('│')).map(str::trim_end);
    let is_cut = |end: &&str| {
        let is_whole = WHOLE.iter().any(|whole| end.ends_with(whole));
        let is_beginning = |word: &&str| {
            let mut beginnings = (4..word.len()).map(|count| format!(" {}", &word[..count]));
            beginnings.any(|beginning| format!(" {end}").ends_with(&beginning))
        };
        !is_whole && WHOLE.iter().any(is_beginning)
    };
    ends.filter(is_cut).map(str::to_owned).collect()
}

#[test]
fn no_word_is_cut_at_any_size_from_80_by_24() {
    let mut board = board(40);
    board.press(Key::Char('w'));
    let heights = [24, 40];
    let every_width = (80..=240).flat_map(|width| heights.map(|height| (width, height)));
    let every_height =
        (24..=70).flat_map(|height| [80, 100, 150, 240].map(|width| (width, height)));
    for size in every_width.chain(every_height) {
        let picture = board.picture(size);
        let cut = cut_words(&picture);
        assert!(cut.is_empty(), "{size:?}: {cut:?}\n{picture}");
        let has = |text: &str| picture.contains(text);
        assert!(has("demand metadata") && has("read by programs"), "{size:?}\n{picture}");
        let end = |text: &str| {
            let begin =
                picture.lines().find_map(|line| Some(line[..line.find(text)?].chars().count()));
            begin.map(|begin| begin + text.chars().count())
        };
        let (head, figure) = (end("accesses  misses     hits"), end("200/s   90.0 %"));
        assert!(head.is_some() && head == figure, "{size:?}: {head:?} {figure:?}\n{picture}");
        let last = picture.lines().nth(usize::from(size.1) - 2).unwrap();
        assert!(!last.trim().is_empty(), "{size:?} is not filled\n{picture}");
    }
}

#[test]
fn a_cut_word_is_noticed() {
    assert_eq!(cut_words("demand metad\n").len(), 1);
    assert_eq!(cut_words("│ comm│ x\n").len(), 1);
    assert!(cut_words("demand metadata\n│ commits│ x\n").is_empty());
}

proptest! {
    #[test]
    fn no_size_key_or_click_upsets_it(
        size in (0u16..250, 0u16..90),
        readings in 0u64..8,
        keys in prop::collection::vec(0usize..18, 0..12),
        clicks in prop::collection::vec((0u16..250, 0u16..90, 0usize..3), 0..6),
        jump in any::<u64>(),
    ) {
        let all = [
            Key::Char('w'), Key::Char(' '), Key::Char('?'), Key::Tab, Key::BackTab, Key::Left,
            Key::Right, Key::Char('3'), Key::Char('0'), Key::Char('+'), Key::Escape, Key::Char('x'),
            Key::Char('s'), Key::Char('r'), Key::Char('t'), Key::Down, Key::End, Key::PageUp,
        ];
        let mut board = board(readings);
        let mut odd = moment(3);
        odd.kstats.at = Nanos(jump);
        odd.dirty_bytes_max = Some(jump);
        odd.read_bytes = Some(jump);
        for device in &mut odd.devices {
            device.reads = jump;
            device.request_ns = Some(u64::MAX);
            device.name = "a-very-long-name-of-a-disk-by-id".repeat(3);
        }
        board.take(Update::Sample(Box::new(odd)));
        for key in keys {
            let _reaction = board.press(all[key]);
        }
        for (column, row, action) in clicks {
            let action = [PointerAction::Click, PointerAction::WheelUp, PointerAction::WheelDown][action];
            let _reaction = board.point(Pointer { column, row, action }, size);
        }
        let picture = board.picture(size);
        prop_assert_eq!(picture.lines().count(), usize::from(size.1));
        let is_harmless = !picture.contains(['\u{1b}', '\u{202e}']);
        prop_assert!(is_harmless);
    }
}
