//! Formats of lines.

mod blkparse;
mod columns;
mod field;
mod iolog;
mod lis;
mod pages;
mod presets;

pub(super) use blkparse::{Blkparse, is_event};
pub use columns::Columns;
pub(super) use columns::Table;
pub(super) use field::{cut, delimiter, fields, number};
pub(super) use iolog::Iolog;
pub(super) use lis::Lis;
pub(super) use pages::Pages;
pub(super) use presets::{ALIBABA, MSR, SPC, TENCENT};

use super::{Request, Volumes};

/// A line as a request; none where it says nothing of data.
pub(super) trait Line {
    /// Reads one line, without its end.
    fn request(&mut self, line: &[u8], volumes: &mut Volumes) -> Result<Option<Request>, String>;

    /// Says why a trace that gave no request gave none, where the format knows.
    fn why_none(&self) -> Option<String> {
        None
    }
}
