//! A command to be run, as its words; no shell ever sees them.

use std::fmt;

use arcwright_units::shell_word;

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The words, the program first.
    pub words: Vec<String>,
}

impl Command {
    /// Makes a command of its words.
    #[must_use]
    pub fn new(words: &[&str]) -> Self {
        Self { words: words.iter().map(|word| (*word).to_owned()).collect() }
    }
}

/// The command as it would be typed.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" "))
    }
}
