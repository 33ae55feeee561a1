//! The log of fio's `write_iolog`, and what `read_iolog` reads (fio 3.33, its manual's section on trace formats): a
//! first line that tells the version, then in version 2 `file action [offset length]`, where `wait` says how many
//! microseconds pass, and in version 3 `time file action [offset length]`.
//!
//! The manual of fio gives no unit for the times of version 3; fio 3.33 writes microseconds since its start.

use arcwright_units::Nanos;

use super::field::shown;
use super::{Line, fields, number};
use crate::traces::{Request, RequestKind, Volumes};

/// Reads lines of an iolog, the first among them.
#[derive(Debug)]
pub(in crate::traces) struct Iolog {
    timed: Option<bool>,
    now: Nanos,
}

impl Iolog {
    /// Returns whether times are told: by the version, or by waiting.
    pub(in crate::traces) fn has_times(&self) -> bool {
        self.timed == Some(true) || self.now > Nanos::ZERO
    }

    pub(in crate::traces) fn new() -> Self {
        Self { timed: None, now: Nanos::ZERO }
    }
}

impl Line for Iolog {
    fn request(&mut self, line: &[u8], volumes: &mut Volumes) -> Result<Option<Request>, String> {
        let Some(timed) = self.timed else {
            self.timed = Some(has_times(line)?);
            return Ok(None);
        };
        let mut fields = fields(line);
        if timed {
            let time = fields.next().ok_or("expected “time file action”")?;
            self.now = Nanos::micros(number(time, "time")?);
        }
        let (Some(file), Some(action)) = (fields.next(), fields.next()) else {
            return Err("expected “file action offset length”".to_owned());
        };
        let kind = match action {
            b"add" | b"open" | b"close" => return Ok(None),
            b"wait" => {
                let wait = number(fields.next().ok_or("expected “file wait µs”")?, "time")?;
                self.now += Nanos::micros(wait);
                return Ok(None);
            }
            b"read" => RequestKind::Read,
            b"write" => RequestKind::Write,
            b"sync" | b"datasync" => RequestKind::Flush,
            b"trim" => RequestKind::Trim,
            other => return Err(format!("“{}” is no action of fio", shown(other))),
        };
        let mut range = [0u64; 2];
        for (value, what) in range.iter_mut().zip(["offset", "length"]) {
            match fields.next() {
                Some(field) => *value = number(field, what)?,
                None if kind == RequestKind::Flush => {}
                None => return Err(format!("expected the {what} in bytes")),
            }
        }
        let [place, bytes] = range;
        let bytes = u32::try_from(bytes).map_err(|_| format!("a request of {bytes} bytes"))?;
        let volume = volumes.index(file)?;
        Ok(Some(Request { time: self.now, place, bytes, volume, kind }))
    }
}

fn has_times(line: &[u8]) -> Result<bool, String> {
    match line.trim_ascii() {
        b"fio version 2 iolog" => Ok(false),
        b"fio version 3 iolog" => Ok(true),
        other => {
            let shown = shown(other);
            Err(format!("“{shown}” is not the first line of an iolog of fio, version 2 or 3"))
        }
    }
}
