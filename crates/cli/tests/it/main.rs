//! The program as a user meets it: arguments in, text and exit code out.

mod advise;
mod arguments;
mod calibrate;
mod capture;
mod check;
mod doctor;
mod fleet;
mod hostile;
mod lab;
mod metrics;
mod old_lab;
mod page;
mod plugin;
mod questions;
mod reads;
mod record;
mod schema;
mod serve;
mod served;
mod show;
mod ssd;
mod start;
mod traces;
mod tune;
mod watch;
mod whatif;
mod who;

use std::path::PathBuf;

use snapbox::cmd::{Command, cargo_bin};

/// Returns the program, without the terminal and colours of whoever runs the tests.
fn arcwright() -> Command {
    Command::new(cargo_bin!("arcwright")).env("NO_COLOR", "1").env("COLUMNS", "100")
}

/// Returns the path of a file in `tests/it/fixtures`.
fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures").join(name)
}
