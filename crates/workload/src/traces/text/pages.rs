//! The simplest format: the number of a page in each line. A line of `*` marks a phase and is passed over, as in the
//! traces of LIRS.

use arcwright_units::Nanos;

use super::{Line, cut, number};
use crate::traces::{Request, RequestKind, Volumes};

/// Reads one number from each line.
#[derive(Debug)]
pub(in crate::traces) struct Pages;

impl Line for Pages {
    fn request(&mut self, line: &[u8], _: &mut Volumes) -> Result<Option<Request>, String> {
        let field = cut(line);
        if field == b"*" {
            return Ok(None);
        }
        Ok(Some(Request {
            time: Nanos::ZERO,
            place: number(field, "page")?,
            bytes: 0,
            volume: 0,
            kind: RequestKind::Read,
        }))
    }
}
