//! Ctrl-C: the first asks for an early end; one that comes when a second has passed ends at once.
//!
//! Whoever stops a program may send the same signal twice, to the process and to its group (`timeout`): an end at once
//! would leave behind what is being cleared away.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::exit::Exit;

/// How often it is looked whether an end was asked for, and how long it may take then.
const LOOK_AFTER: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_millis(800);

/// So long the first is left to do its work, which takes less than this.
const ALONE: Duration = Duration::from_secs(1);

/// Whether an early end was asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

/// The one listener of the process: signals have one handler.
static LISTENER: OnceLock<Interrupt> = OnceLock::new();
/// Whether an end may take its time, as what is going on clears away behind itself.
static IS_PATIENT: AtomicBool = AtomicBool::new(true);

impl Interrupt {
    /// Starts to listen, or goes on to; what comes next takes its time to end.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        IS_PATIENT.store(true, Ordering::Relaxed);
        if let Some(listener) = LISTENER.get() {
            return Ok(listener.clone());
        }
        let interrupt = Self::default();
        let asked = interrupt.clone();
        let first = OnceLock::<Instant>::new();
        let heard = move || {
            asked.0.store(true, Ordering::Relaxed);
            if first.get_or_init(Instant::now).elapsed() > ALONE {
                // The one exit outside main: main waits for the engine and cannot.
                std::process::exit(Exit::Killed as i32);
            }
        };
        ctrlc::set_handler(heard).context("failed to listen for Ctrl-C")?;
        Ok(LISTENER.get_or_init(|| interrupt).clone())
    }

    /// Starts to listen where nothing is left half done at an end: until somebody listens who takes his time, the process
    /// ends a second after the first Ctrl-C, whatever it is at.
    pub(crate) fn listen_and_end() -> anyhow::Result<Self> {
        let interrupt = Self::listen()?;
        IS_PATIENT.store(false, Ordering::Relaxed);
        let asked = interrupt.clone();
        let is_patient = || IS_PATIENT.load(Ordering::Relaxed);
        std::thread::Builder::new()
            .spawn(move || {
                while !asked.asked() && !is_patient() {
                    std::thread::sleep(LOOK_AFTER);
                }
                if !is_patient() {
                    std::thread::sleep(PATIENCE);
                    std::process::exit(Exit::Killed as i32);
                }
            })
            .context("failed to start a thread")?;
        Ok(interrupt)
    }

    /// Returns what is set once an end was asked for.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
