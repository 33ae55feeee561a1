//! The terminal's side: keys in, pictures out, and the terminal as it was when it is over.

use std::io;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::dashboard::{Dashboard, Key, Reaction};
use crate::sample::Update;

/// Keys are answered within this time; between them nothing is done.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// How readings are taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As they come.
    Live,
    /// So many per second, and none while the window is held; whoever sends them waits.
    PerSecond(u32),
}

const PER_SECOND_MAX: u32 = 64;

/// Shows a dashboard on the terminal until its owner has seen enough, or `stop` says that it must end: the terminal
/// is given back as it was either way.
///
/// # Errors
/// When the terminal cannot be written to or read from.
pub fn show(
    board: &mut Dashboard,
    feed: &Receiver<Update>,
    pace: Pace,
    stop: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut terminal = ratatui::try_init()?;
    let result = go_on(&mut terminal, board, (feed, pace), stop);
    ratatui::restore();
    result
}

fn go_on(
    terminal: &mut DefaultTerminal,
    board: &mut Dashboard,
    (feed, mut pace): (&Receiver<Update>, Pace),
    stop: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut next = Instant::now();
    let mut is_new = true;
    tell_pace(board, pace);
    while !stop() {
        if is_new {
            terminal.draw(|frame| board.draw(frame))?;
        }
        let wait = match pace {
            Pace::Live => LOOK_EVERY,
            Pace::PerSecond(_) => next.saturating_duration_since(Instant::now()).min(LOOK_EVERY),
        };
        is_new = false;
        if event::poll(wait)? {
            is_new = true;
            match event::read()? {
                Event::Key(key) if key.kind == KeyEventKind::Press => {
                    match key_of(key).map(|key| board.press(key)) {
                        Some(Reaction::Quit) => return Ok(()),
                        Some(Reaction::Faster) => pace = pace.times(2, 1),
                        Some(Reaction::Slower) => pace = pace.times(1, 2),
                        Some(Reaction::Draw) | None => {}
                    }
                    tell_pace(board, pace);
                }
                _ => {}
            }
        }
        match pace {
            Pace::Live => {
                while take(board, feed) {
                    is_new = true;
                }
            }
            Pace::PerSecond(count) if Instant::now() >= next => {
                next = Instant::now() + Duration::from_secs(1) / count.max(1);
                is_new |= !board.is_held() && take(board, feed);
            }
            Pace::PerSecond(_) => {}
        }
    }
    Ok(())
}

fn tell_pace(board: &mut Dashboard, pace: Pace) {
    board.set_pace(match pace {
        Pace::Live => String::new(),
        Pace::PerSecond(count) => format!("{count} readings a second"),
    });
}

/// Takes the next update; says whether there was one.
fn take(board: &mut Dashboard, feed: &Receiver<Update>) -> bool {
    match feed.try_recv() {
        Ok(update) => {
            board.take(update);
            true
        }
        Err(TryRecvError::Empty | TryRecvError::Disconnected) => false,
    }
}

impl Pace {
    fn times(self, by: u32, of: u32) -> Self {
        match self {
            Self::Live => Self::Live,
            Self::PerSecond(count) => Self::PerSecond((count * by / of).clamp(1, PER_SECOND_MAX)),
        }
    }
}

fn key_of(key: KeyEvent) -> Option<Key> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return matches!(key.code, KeyCode::Char('c')).then_some(Key::Char('q'));
    }
    match key.code {
        KeyCode::Char(letter) => Some(Key::Char(letter)),
        KeyCode::Left => Some(Key::Left),
        KeyCode::Right => Some(Key::Right),
        KeyCode::Tab => Some(Key::Tab),
        KeyCode::BackTab => Some(Key::BackTab),
        KeyCode::Esc => Some(Key::Escape),
        _ => None,
    }
}
