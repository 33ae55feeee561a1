//! The format of the traces of the ARC paper (Megiddo and Modha, FAST 2003): `start count ignored
//! number` in each line, `count` pages of 512 bytes from `start` on.

use arcwright_units::Nanos;

use super::{Line, fields, number};
use crate::traces::{Request, RequestKind, Volumes};

/// Bytes of a page.
const PAGE: u64 = 512;
/// The most pages of one request: 512 MiB, and far more than any disk takes at once.
const PAGES_MAX: u64 = 1 << 20;

/// Reads lines of the ARC paper's traces.
#[derive(Debug)]
pub(in crate::traces) struct Lis;

impl Line for Lis {
    fn request(&mut self, line: &[u8], _: &mut Volumes) -> Result<Option<Request>, String> {
        let mut fields = fields(line);
        let (Some(start), Some(count)) = (fields.next(), fields.next()) else {
            return Err("expected “start count ignored number”".to_owned());
        };
        let (start, count) = (number(start, "page")?, number(count, "number of pages")?);
        if count > PAGES_MAX {
            return Err(format!("{count} pages in one request; at most {PAGES_MAX} are supported"));
        }
        let end = start.checked_add(count).and_then(|end| end.checked_mul(PAGE));
        if end.is_none() {
            return Err(format!("{count} pages from {start} on go beyond the last page"));
        }
        Ok((count > 0).then(|| Request {
            time: Nanos::ZERO,
            place: start * PAGE,
            // At most 512 MiB.
            bytes: u32::try_from(count * PAGE).unwrap_or(u32::MAX),
            volume: 0,
            kind: RequestKind::Read,
        }))
    }
}
