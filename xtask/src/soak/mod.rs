//! `cargo xtask soak`: what runs for ever must not grow, and what is killed must leave nothing behind.
//!
//! ```text
//!   observe   a machine of files that changes ─> readings, dashboard, doctor, captures, again and again;
//!             memory and file handles of this process are reported in twelve parts of the time
//!   kill      runs of the lab, each ended at another moment by SIGTERM, SIGINT or SIGKILL; then one more
//! ```

mod kill;
mod observe;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Look at a machine that changes, again and again.
    Observe {
        /// For how long.
        #[arg(long, default_value_t = 60)]
        minutes: u32,
    },
    /// Kill runs of the lab at random moments.
    Kill {
        /// How many.
        #[arg(long, default_value_t = 200)]
        times: u32,
        /// Library: 2.1.11 or 2.3.2.
        #[arg(long, default_value = "2.3.2")]
        openzfs: String,
    },
}

pub(crate) fn run(verb: &Verb) -> anyhow::Result<()> {
    match verb {
        Verb::Observe { minutes } => observe::run(*minutes),
        Verb::Kill { times, openzfs } => kill::run(*times, openzfs),
    }
}
