//! The read history of a pool: one line per read of the ARC, oldest first.
//!
//! The columns, releases and what the list does not have are on docs/model/counters.md, “Read history”. A record may be
//! garbage (openzfs#15068): one that no block can have is refused here.

/// One read of the ARC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRecord<'a> {
    /// Its number; numbers that are missing were lost.
    pub number: u64,
    /// When it was issued, in nanoseconds of the kernel's clock.
    pub at: u64,
    /// Its dataset's number; 0 is the pool's own.
    pub objset: u64,
    /// Its object's number.
    pub object: u64,
    /// How far from the data: 0 is data, above are indirect blocks, below the root, the log and dnodes.
    pub level: i8,
    /// The block's number in the object.
    pub block: u64,
    /// Whether it was read ahead of demand.
    pub is_prefetch: bool,
    /// Whether memory had it.
    pub is_hit: bool,
    /// The process that asked.
    pub pid: u32,
    /// Its name, as the kernel has it.
    pub process: &'a str,
}

const PREFETCH: u64 = 0x4;
const CACHED: u64 = 0x8;
/// No tree of blocks is higher.
const LEVELS: std::ops::RangeInclusive<i8> = -3..=20;
/// Objects of a dataset have numbers below this one.
const OBJECTS: u64 = 1 << 48;

impl<'a> ReadRecord<'a> {
    /// Reads a line; none where it is the head, or nothing that a block can have.
    #[must_use]
    pub fn parse(line: &'a str) -> Option<Self> {
        let mut fields = Fields(line);
        let number = fields.next()?.parse().ok()?;
        let at = fields.next()?.parse().ok()?;
        let objset = hexadecimal(fields.next()?)?;
        let object: i64 = fields.next()?.parse().ok()?;
        let level = fields.next()?.parse().ok().filter(|level| LEVELS.contains(level))?;
        let block: i64 = fields.next()?.parse().ok()?;
        let flags = hexadecimal(fields.next()?)?;
        // The place in the code that asked is blank since 0.7.
        let mut pid = fields.next()?;
        if pid.parse::<u32>().is_err() {
            pid = fields.next()?;
        }
        let object = u64::try_from(object).ok().filter(|object| *object < OBJECTS)?;
        Some(Self {
            number,
            at,
            objset: Some(objset).filter(|objset| *objset < OBJECTS)?,
            object,
            level,
            block: u64::try_from(block).ok()?,
            is_prefetch: flags & PREFETCH != 0,
            is_hit: flags & CACHED != 0,
            pid: pid.parse().ok()?,
            process: fields.0.trim(),
        })
    }
}

/// Fields of a line, one after the other; what is left stays a text.
struct Fields<'a>(&'a str);

impl<'a> Fields<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.trim_start();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (field, rest) = rest.split_at(end);
        self.0 = rest;
        (!field.is_empty()).then_some(field)
    }
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::ReadRecord;

    const HEAD: &str = "UID      start            objset   object   level    blkid    aflags   origin                   pid      process         ";
    const LINE: &str = "17       58211923311      0x51     128      0        3        0x1a                              4242     smbd: my files  ";

    #[test]
    fn a_line_is_read() {
        let expected = ReadRecord {
            number: 17,
            at: 58_211_923_311,
            objset: 0x51,
            object: 128,
            level: 0,
            block: 3,
            is_prefetch: false,
            is_hit: true,
            pid: 4242,
            process: "smbd: my files",
        };
        assert_eq!(ReadRecord::parse(LINE), Some(expected.clone()));
        let old =
            LINE.replace("                              4242", "  dbuf_read_impl            4242");
        assert_eq!(ReadRecord::parse(&old), Some(expected));
        let ahead = LINE.replace("0x1a  ", "0x800036");
        let ahead = ReadRecord::parse(&ahead).unwrap();
        assert!(ahead.is_prefetch && !ahead.is_hit);
    }

    #[test]
    fn what_no_block_can_have_is_no_record() {
        for line in [
            HEAD,
            "",
            &LINE.replace(" 0        3 ", " 77       3 "),
            &LINE.replace(" 128 ", " -128 "),
            &LINE.replace("0x51 ", "0xffff8881234567 "),
            &LINE.replace(" 3  ", " -3 "),
            &LINE[..60],
        ] {
            assert_eq!(ReadRecord::parse(line), None, "{line}");
        }
    }
}
