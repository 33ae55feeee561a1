//! Pasted screens of atop(1), of which the lines about memory are read.
//!
//! ```text
//! MEM | tot    31.2G | free  402.1M | cache   1.1G | buff  12.3M | slab   26.1G | slrec  1.0G |
//! SWP | tot     4.0G | free  512.4M | vmcom   9.1G | vmlim 19.6G |
//! ```
//!
//! What programs could get atop does not tell; of slabs it does, and from version 2.3 which part can be dropped.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::nicenum;

/// What lines begin with, each before a bar.
const LABELS: [&str; 16] = [
    "PRC", "CPU", "cpu", "CPL", "MEM", "SWP", "PAG", "PSI", "LVM", "MDD", "DSK", "NFM", "NFC",
    "NFS", "NET", "NUM",
];

/// Takes lines of a screen, from its head or one of its bars on.
pub(super) fn atop(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let first = lines.first()?.text.trim();
    (is_head(first) || is_row(first)).then_some(())?;
    let is_part = |line: &&Line| is_head(line.text.trim()) || is_row(line.text.trim());
    let rows: Vec<&Line> = lines.iter().take_while(is_part).collect();
    let text: String = rows.iter().filter_map(|line| memory(line.text.trim())).collect();
    let name = if text.is_empty() { "commands/top" } else { "commands/memory" }.to_owned();
    let texts = vec![Text { name, text, again: Again::More }];
    Some(Taken { lines: rows.len(), texts })
}

/// Returns whether a line is the first of a screen: `ATOP - nas   2026/11/10  21:04:11  …  10s elapsed`.
fn is_head(line: &str) -> bool {
    line.starts_with("ATOP - ") && line.ends_with(" elapsed")
}

fn is_row(line: &str) -> bool {
    const CELLS_MIN: usize = 2;
    let Some((label, rest)) = line.split_once('|') else { return false };
    let cells = rest.split('|').filter(|cell| !cell.trim().is_empty()).count();
    LABELS.contains(&label.trim()) && cells >= CELLS_MIN
}

/// Returns what a line tells of memory, as rows of `/proc/meminfo`.
fn memory(line: &str) -> Option<String> {
    let (label, rest) = line.split_once('|')?;
    let value = |name: &str| {
        let cell = rest.split('|').find_map(|cell| cell.trim().strip_prefix(name))?;
        cell.starts_with(' ').then(|| nicenum::binary(cell)).flatten()
    };
    let (total, free) = match label.trim() {
        "MEM" => ("MemTotal", "MemFree"),
        "SWP" => ("SwapTotal", "SwapFree"),
        _ => return None,
    };
    let kib = |name: &str, bytes: Option<f64>| {
        let kib = bytes.and_then(|bytes| nicenum::whole(bytes / 1024.0));
        kib.map_or_else(String::new, |kib| format!("{name}: {kib} kB\n"))
    };
    let held = value("slab").zip(value("slrec")).map(|(all, dropped)| (all - dropped).max(0.0));
    let text = kib(total, value("tot")) + &kib(free, value("free"));
    let slab = if total == "MemTotal" { kib("SUnreclaim", held) } else { String::new() };
    (!text.is_empty()).then(|| text + &slab)
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    #[test]
    fn lines_about_memory_are_read_and_others_known() {
        let text = "ATOP - store       2026/11/10  21:04:11       --------------       10s elapsed\n\
                    PRC | sys    8.31s | user   2.14s | #proc    412 | #zombie    0 | #exit      3 |\n\
                    MEM | tot    32.0G | free  512.0M | cache   1.1G | buff   12.3M | slab   26.0G | slrec   2.0G |\n\
                    SWP | tot     4.0G | free    1.0G |              | vmcom   9.1G | vmlim  19.6G |\n";
        let machine = Machine::read(&Sources::recognize(text));
        let memory = machine.memory.unwrap();
        assert_eq!((memory.total.0, memory.available), (32 << 30, None));
        assert_eq!(memory.free.unwrap().0, 512 << 20);
        assert_eq!(memory.swap_used.unwrap().0, 3 << 30);
        assert_eq!(memory.slab_held.unwrap().0, 24 << 30);
        assert!(machine.problems.is_empty(), "{:?}", machine.problems);
    }
}
