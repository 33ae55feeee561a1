//! The arguments of `arcwright serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use arcwright_units::Bytes;
use clap::Args;

use super::capture::window;

/// The least that a history may take, or nothing of use would be in it.
const LIMIT_MIN: Bytes = Bytes::mib(1);

#[derive(Debug, Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct ServeArguments {
    /// Address and port to listen on.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9135")]
    pub(crate) listen: SocketAddr,

    /// Allow an address that other machines can reach; everybody then needs the token that is printed.
    #[arg(long)]
    pub(crate) allow_remote: bool,

    /// Read the token from FILE instead of making one; a token is then needed on this machine, too.
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// Answer requests for this host name, too; addresses and localhost are answered as they are.
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,

    /// Time between two readings of the counters, from 1s to 1min.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval)]
    pub(crate) interval: Duration,

    #[command(flatten)]
    pub(crate) history: HistoryArguments,

    /// Show a recorded run of the lab, again and again, instead of this machine; needs no ZFS.
    #[arg(long, conflicts_with_all = ["root", "history", "no_history"])]
    pub(crate) demo: bool,

    /// Root of the machine's files, for a container that sees its host's below a folder.
    #[arg(long, value_name = "DIR", default_value = "/", hide_default_value = true)]
    pub(crate) root: PathBuf,
}

/// Where readings are kept.
#[derive(Debug, Args)]
pub(crate) struct HistoryArguments {
    /// Folder of the recorded history; by default /var/lib/arcwright/history for root, else in the user's state folder.
    #[arg(long, value_name = "DIR", conflicts_with = "no_history")]
    pub(crate) history: Option<PathBuf>,

    /// Size of the recorded history at most; the oldest goes first.
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = limit)]
    pub(crate) limit: Bytes,

    /// Record nothing on disk; the page has the last hour.
    #[arg(long)]
    pub(crate) no_history: bool,
}

const AFTER: &str = "\
Examples:
  arcwright serve --demo                 a recorded run, on any machine
  sudo arcwright serve                   this machine, at http://127.0.0.1:9135/
  ssh -L 9135:127.0.0.1:9135 nas         and the page of another machine is there as well

The page only shows: it prints plans and commands, and changes nothing on the machine.";

fn interval(text: &str) -> Result<Duration, String> {
    let interval = window(text)?;
    let bounds = Duration::from_secs(1)..=Duration::from_secs(60);
    if bounds.contains(&interval) { Ok(interval) } else { Err("expected 1s to 1min".to_owned()) }
}

fn limit(text: &str) -> Result<Bytes, String> {
    let size = super::ssd::size(text)?;
    if size < LIMIT_MIN { Err(format!("expected at least {LIMIT_MIN}")) } else { Ok(size) }
}
