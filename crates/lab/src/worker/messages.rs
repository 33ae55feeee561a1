//! What the worker tells the engine: messages, a line each.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::sync::{Mutex, PoisonError};

use crate::protocol::Message;
use crate::{LabError, os};

/// The worker's side of the conversation.
///
/// Standard output is kept for messages: the library prints there too, so its own is moved aside.
pub(super) struct MessageWriter {
    out: Mutex<BufWriter<File>>,
}

impl MessageWriter {
    pub(super) fn new() -> Result<Self, LabError> {
        let failed = |source| LabError::Io { what: "setting aside the output".to_owned(), source };
        let out = os::set_output_aside().map_err(failed)?;
        Ok(Self { out: Mutex::new(BufWriter::new(out)) })
    }

    /// Sends a message; when nobody listens any more, the process ends.
    pub(super) fn send(&self, message: &Message) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let line = serde_json::to_string(message).unwrap_or_default();
        if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
            os::exit(1);
        }
    }
}
