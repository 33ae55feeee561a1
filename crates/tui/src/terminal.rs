//! The terminal's side: keys and the mouse in, pictures out, and the terminal as it was when it is over.
//!
//! Whatever ends it, the mouse is given back first: a shell that gets its reports would take them for keys.

use std::io;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEvent, KeyEventKind,
    KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::crossterm::execute;

use crate::dashboard::{Dashboard, Key, Reaction};
use crate::pointer::{Pointer, PointerAction};
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
    let result = ratatui::try_init().and_then(|mut terminal| {
        // Behind ratatui's own, so that it comes first: it puts the rest back.
        give_mouse_back_on_panic();
        execute!(io::stdout(), EnableMouseCapture)?;
        let mut session = Session { board, pace, has_mouse: true, is_over: false };
        session.go_on(&mut terminal, feed, stop)
    });
    let given_back = execute!(io::stdout(), DisableMouseCapture);
    ratatui::restore();
    result.and(given_back)
}

fn give_mouse_back_on_panic() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        // Nobody is left who could be told of a failure.
        let _given_back = execute!(io::stdout(), DisableMouseCapture);
        hook(info);
    }));
}

/// A dashboard on the terminal.
struct Session<'a> {
    board: &'a mut Dashboard,
    pace: Pace,
    /// Whether the mouse is ours.
    has_mouse: bool,
    is_over: bool,
}

impl Session<'_> {
    fn go_on(
        &mut self,
        terminal: &mut DefaultTerminal,
        feed: &Receiver<Update>,
        stop: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        let mut next = Instant::now();
        let mut is_new = true;
        tell_pace(self.board, self.pace);
        while !stop() && !self.is_over {
            if is_new {
                terminal.draw(|frame| self.board.draw(frame))?;
            }
            let wait = match self.pace {
                Pace::Live => LOOK_EVERY,
                Pace::PerSecond(_) => {
                    next.saturating_duration_since(Instant::now()).min(LOOK_EVERY)
                }
            };
            is_new = event::poll(wait)? && self.take_event(event::read()?, terminal)?;
            match self.pace {
                Pace::Live => {
                    while take(self.board, feed) {
                        is_new = true;
                    }
                }
                Pace::PerSecond(count) if Instant::now() >= next => {
                    next = Instant::now() + Duration::from_secs(1) / count.max(1);
                    is_new |= !self.board.is_held() && take(self.board, feed);
                }
                Pace::PerSecond(_) => {}
            }
        }
        Ok(())
    }

    /// Does what an event asks for; says whether there is anything new to draw.
    fn take_event(&mut self, event: Event, terminal: &DefaultTerminal) -> io::Result<bool> {
        let reaction = match event {
            Event::Key(key) if key.kind == KeyEventKind::Press => {
                key_of(key).map(|key| self.board.press(key))
            }
            Event::Mouse(mouse) => match pointer_of(mouse) {
                Some(pointer) => {
                    let size = terminal.size()?;
                    Some(self.board.point(pointer, (size.width, size.height)))
                }
                // It only moved.
                None => return Ok(false),
            },
            _ => None,
        };
        match reaction {
            Some(Reaction::Quit) => self.is_over = true,
            Some(Reaction::Faster) => self.pace = self.pace.times(2, 1),
            Some(Reaction::Slower) => self.pace = self.pace.times(1, 2),
            Some(Reaction::Mouse) => {
                self.has_mouse = !self.has_mouse;
                match self.has_mouse {
                    true => execute!(io::stdout(), EnableMouseCapture)?,
                    false => execute!(io::stdout(), DisableMouseCapture)?,
                }
            }
            Some(Reaction::Draw) | None => {}
        }
        tell_pace(self.board, self.pace);
        Ok(true)
    }
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
        KeyCode::Up => Some(Key::Up),
        KeyCode::Down => Some(Key::Down),
        KeyCode::PageUp => Some(Key::PageUp),
        KeyCode::PageDown => Some(Key::PageDown),
        KeyCode::Home => Some(Key::Home),
        KeyCode::End => Some(Key::End),
        KeyCode::Tab => Some(Key::Tab),
        KeyCode::BackTab => Some(Key::BackTab),
        KeyCode::Esc => Some(Key::Escape),
        _ => None,
    }
}

fn pointer_of(mouse: MouseEvent) -> Option<Pointer> {
    let action = match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) => PointerAction::Click,
        MouseEventKind::ScrollUp => PointerAction::WheelUp,
        MouseEventKind::ScrollDown => PointerAction::WheelDown,
        _ => return None,
    };
    Some(Pointer { column: mouse.column, row: mouse.row, action })
}
