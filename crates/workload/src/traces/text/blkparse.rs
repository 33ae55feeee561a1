//! What `blkparse` prints of a block device's trace: device, processor, number, seconds, process, action, kind, sector,
//! a plus sign, sectors, program (blkparse's manual, default format). One action is a request, by default `Q`: it was
//! asked of the device. Others say what became of it, and would count it again. The summary at the end is passed over.

use arcwright_units::Nanos;

use super::field::{digits, time};
use super::{Line, fields, number};
use crate::traces::{Request, RequestKind, Volumes};

/// Bytes of a sector.
const SECTOR: u64 = 512;

/// Reads lines of blkparse.
#[derive(Debug)]
pub(in crate::traces) struct Blkparse {
    action: u8,
    /// Events by the letter of their action.
    seen: [u64; 26],
}

impl Blkparse {
    /// Takes the events of one action, a capital letter.
    pub(in crate::traces) fn new(action: u8) -> Self {
        Self { action, seen: [0; 26] }
    }

    fn count(&mut self, action: u8) {
        let slot = usize::from(action.wrapping_sub(b'A'));
        if let Some(seen) = self.seen.get_mut(slot) {
            *seen += 1;
        }
    }
}

/// Returns whether a line is an event: it begins with `major,minor processor number seconds`.
pub(in crate::traces) fn is_event(line: &[u8]) -> bool {
    let mut fields = fields(line);
    let device = fields.next().is_some_and(|device| {
        let mut parts = device.split(|byte| *byte == b',').map(digits);
        parts.next().flatten().is_some() && parts.next().flatten().is_some()
    });
    let numbers =
        fields.next().and_then(digits).is_some() && fields.next().and_then(digits).is_some();
    let seconds = fields
        .next()
        .is_some_and(|field| field.contains(&b'.') && time(field, Nanos::SECOND).is_ok());
    device && numbers && seconds
}

impl Line for Blkparse {
    fn request(&mut self, line: &[u8], volumes: &mut Volumes) -> Result<Option<Request>, String> {
        if !is_event(line) {
            return Ok(None);
        }
        let mut fields = fields(line);
        let (Some(device), Some(seconds)) = (fields.next(), fields.nth(2)) else { return Ok(None) };
        let (Some(action), Some(kinds)) = (fields.nth(1), fields.next()) else {
            return Err("expected an action and a kind after the process".to_owned());
        };
        if let [letter] = action {
            self.count(*letter);
        }
        if action != [self.action] {
            return Ok(None);
        }
        let Some(mut kind) = kind(kinds) else { return Ok(None) };
        let (place, bytes) = match (fields.next(), fields.next(), fields.next()) {
            (Some(sector), Some(b"+"), Some(sectors)) => {
                (number(sector, "sector")?, number(sectors, "number of sectors")?)
            }
            // A flush alone has no place, whatever else its letters say.
            _ if kinds.contains(&b'F') => {
                kind = RequestKind::Flush;
                (0, 0)
            }
            _ => return Err("expected “sector + sectors”".to_owned()),
        };
        let place = place.checked_mul(SECTOR).ok_or("a sector behind the end of any disk")?;
        let bytes = bytes.checked_mul(SECTOR).and_then(|bytes| u32::try_from(bytes).ok());
        let bytes = bytes.ok_or("a request of more than 4 GiB")?;
        let time = time(seconds, Nanos::SECOND)?;
        Ok(Some(Request { time, place, bytes, volume: volumes.index(device)?, kind }))
    }

    fn why_none(&self) -> Option<String> {
        let wanted = char::from(self.action);
        let others = (b'A'..=b'Z').zip(self.seen).filter(|(_, seen)| *seen > 0);
        let others: Vec<String> =
            others.map(|(letter, seen)| format!("{} ({seen})", char::from(letter))).collect();
        let others = others.join(", ");
        (!others.is_empty())
            .then(|| format!("no event {wanted}; there are {others}: choose one with --event"))
    }
}

/// The kind is a row of letters: `R`, `W`, `D` (discard), `F` (flush) and what qualifies them.
fn kind(letters: &[u8]) -> Option<RequestKind> {
    let has = |letter: u8| letters.contains(&letter);
    match () {
        () if has(b'D') => Some(RequestKind::Trim),
        () if has(b'R') => Some(RequestKind::Read),
        () if has(b'W') => Some(RequestKind::Write),
        () if has(b'F') => Some(RequestKind::Flush),
        () => None,
    }
}
