//! Ctrl-C: the first asks for an early end, the second ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;

use crate::exit::Exit;

/// Whether an early end was asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts to listen; called once.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let interrupt = Self::default();
        let asked = Self(Arc::clone(&interrupt.0));
        let heard = move || {
            if asked.0.swap(true, Ordering::Relaxed) {
                // The one exit outside main: main waits for the engine and cannot.
                std::process::exit(Exit::Killed as i32);
            }
        };
        ctrlc::set_handler(heard).context("failed to listen for Ctrl-C")?;
        Ok(interrupt)
    }

    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
