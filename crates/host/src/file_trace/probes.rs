//! Which functions of the kernel module are watched, and the program for the tracer that does so.
//!
//! ```text
//!   zpl_iter_read, zpl_iter_write   every call that reads or writes a file; needed
//!   zpl_fsync                       fsync, fdatasync
//!   zpl_readahead                   pages of mapped files, several at once; pages read ahead with them
//!   zpl_read_folio, zpl_readpage    one page of a mapped file
//!   zfs_putpage                     pages of mapped files that are written back
//!   block_bio_queue                 requests to volumes, by their major number; a tracepoint of the kernel's own
//! ```
//!
//! The tracer learns where a field lies from the kernel's own description of its types. It looks at calls when they begin,
//! so that none is missed while others wait; what a read gets is told by the file's size. It prints numbers alone.

use std::collections::BTreeSet;
use std::io::BufRead;
use std::time::Duration;

use super::volumes::MINORS;

/// Functions that are looked for.
const WATCHED: [&str; 7] =
    [READ, WRITE, "zpl_fsync", "zpl_readahead", "zpl_read_folio", "zpl_readpage", "zfs_putpage"];
const READ: &str = "zpl_iter_read";
const WRITE: &str = "zpl_iter_write";
/// File systems that the program itself tells apart; where more are wanted, all are traced and picked afterwards.
const DEVICES_MAX: usize = 32;
/// The longest line of the list of symbols that is looked at; others are of no use here.
const SYMBOL_BYTES_MAX: usize = 1024;

/// Functions of the running kernel module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileProbes {
    found: BTreeSet<&'static str>,
}

/// What a program for the tracer is to do.
#[derive(Debug, Clone)]
pub struct Traced {
    /// A process whose accesses are left out: the recorder.
    pub own: u32,
    /// File systems and volumes that are wanted; none: all.
    pub devices: Option<BTreeSet<u32>>,
    /// The major number of volumes, where there may be some.
    pub volumes: Option<u32>,
    /// When it ends by itself, whatever has become of the recorder.
    pub ends_after: Duration,
    /// Bytes of a page.
    pub page: u64,
}

impl FileProbes {
    /// Reads the kernel's list of symbols (`/proc/kallsyms`).
    ///
    /// # Errors
    /// The reader's.
    pub fn of_symbols(mut list: impl BufRead) -> std::io::Result<Self> {
        let mut found = BTreeSet::new();
        let mut line = Vec::new();
        while list.read_until(b'\n', &mut line)? > 0 {
            let text = std::str::from_utf8(&line).unwrap_or_default();
            if line.len() <= SYMBOL_BYTES_MAX {
                // Address, kind, name, module; a kernel with ZFS in it names no module.
                let name = text.split_whitespace().nth(2).unwrap_or_default();
                found.extend(WATCHED.iter().find(|watched| **watched == name));
            }
            line.clear();
        }
        Ok(Self { found })
    }

    /// Says whether calls that read and write can be seen at all.
    #[must_use]
    pub fn are_there(&self) -> bool {
        self.has(READ) && self.has(WRITE)
    }

    /// Returns what a recording does not have, a sentence each.
    #[must_use]
    pub fn not_covered(&self, has_volumes: bool) -> Vec<String> {
        let mut lacks = Vec::new();
        let mut lack = |is_there: bool, what: &str, function: &str| {
            if !is_there {
                lacks.push(format!("{what}: this kernel module has no {function}."));
            }
        };
        lack(self.has("zpl_fsync"), "Calls of fsync", "zpl_fsync");
        lack(self.one_page().is_some(), "Pages of mapped files that are read", "zpl_read_folio");
        lack(
            self.has("zpl_readahead"),
            "Pages of mapped files that are read ahead",
            "zpl_readahead",
        );
        lack(self.has("zfs_putpage"), "Pages of mapped files that are written", "zfs_putpage");
        lacks.push(match has_volumes {
            true => "What is discarded on volumes, and what `zfs send` and scrubs read.".to_owned(),
            false => "Volumes (zvols), and what `zfs send` and scrubs read.".to_owned(),
        });
        lacks.push(
            "Mapped files that the page cache has: neither OpenZFS nor this is asked.".to_owned(),
        );
        lacks
    }

    /// Returns the tracer's program.
    #[must_use]
    pub fn program(&self, traced: &Traced) -> String {
        const CALL: &str = "$k = (struct kiocb *)arg0; $i = $k->ki_filp->f_inode;";
        const COUNT: &str = "((struct iov_iter *)arg1)->count";
        let page = traced.page;
        let mut program = String::new();
        let mut probe = |function: &str, begin: &str, kind: char, more: &[String]| {
            program.push_str(&probe(traced, (function, begin), kind, more));
        };
        let place = |more: &[&str]| -> Vec<String> {
            let all = ["$k->ki_pos", COUNT, "$i->i_size"].iter().chain(more);
            all.map(|field| (*field).to_owned()).collect()
        };
        probe(READ, CALL, 'r', &place(&[]));
        probe(WRITE, CALL, 'w', &place(&["$k->ki_filp->f_flags"]));
        let pages = |index: &str, count: &str| {
            let shown = |pages: &str| format!("(uint64){pages} * {page}");
            [shown(index), shown(count), "$i->i_size".to_owned()]
        };
        if self.has("zpl_fsync") {
            probe("zpl_fsync", "$i = ((struct file *)arg0)->f_inode;", 'f', &[]);
        }
        if self.has("zpl_readahead") {
            let begin = "$a = (struct readahead_control *)arg0; $i = $a->mapping->host;";
            probe("zpl_readahead", begin, 'm', &pages("$a->_index", "$a->_nr_pages"));
        }
        if let Some((function, kind)) = self.one_page() {
            let begin = format!("$p = (struct {kind} *)arg1; $i = $p->mapping->host;");
            probe(function, &begin, 'm', &pages("$p->index", "1"));
        }
        if self.has("zfs_putpage") {
            // Kernels of folios may describe the index of a page by another name; both begin alike.
            let kind = self.one_page().map_or("page", |(_, kind)| kind);
            let begin = format!("$i = (struct inode *)arg0; $p = (struct {kind} *)arg1;");
            probe("zfs_putpage", &begin, 'p', &pages("$p->index", "1"));
        }
        if let Some(major) = traced.volumes {
            program.push_str(&volumes(traced, major));
        }
        let seconds = traced.ends_after.as_secs().max(1);
        // The first also ends it: nobody reads any more when the recorder is gone.
        program
            + "interval:s:1 { printf(\"t %llu\\n\", nsecs); }\n"
            + &format!("interval:s:{seconds} {{ exit(); }}\n")
    }

    /// Returns the function that reads one page, and what it is given; one may call the other.
    fn one_page(&self) -> Option<(&'static str, &'static str)> {
        let known = [("zpl_read_folio", "folio"), ("zpl_readpage", "page")];
        known.into_iter().find(|(function, _)| self.has(function))
    }

    fn has(&self, function: &str) -> bool {
        self.found.contains(function)
    }
}

/// One function, watched: the line `KIND TIME DEVICE INODE …` for each call, `begin` finds the inode.
fn probe(traced: &Traced, (function, begin): (&str, &str), kind: char, more: &[String]) -> String {
    let format: String = more.iter().map(|_| " %llu").collect();
    let fields: String = more.iter().map(|field| format!(", {field}")).collect();
    let print = format!(
        "printf(\"{kind} %llu %u %llu{format}\\n\", nsecs, $i->i_sb->s_dev, $i->i_ino{fields});"
    );
    let print = traced.if_wanted("$i->i_sb->s_dev", &print);
    format!("kprobe:{function} /pid != {}/ {{ {begin} {print} }}\n", traced.own)
}

/// Requests to volumes, with lines like those of a file whose number is 0. What a request does is told by letters: `F` before
/// the others flushes first, `R` reads, `W` writes (`WZ` zeroes and is left out), and an `F` after it waits for stable storage.
fn volumes(traced: &Traced, major: u32) -> String {
    const AT: &str = "args->sector * 512, (uint64)args->nr_sector * 512";
    let begins = |letters: &str| {
        let length = letters.len();
        format!("strncmp(args->rwbs, \"{letters}\", {length}) == 0")
    };
    let line = |is_so: &str, kind: char, fields: &str| {
        let format = " %llu".repeat(fields.matches(", ").count());
        format!("if ({is_so}) {{ printf(\"{kind} %llu %u 0{format}\\n\", nsecs, $d{fields}); }} ")
    };
    let has_data = "args->nr_sector > 0";
    let (flush, waits) = (begins("F"), [begins("WF"), begins("FWF")].join(" || "));
    let writes =
        format!("{has_data} && ({} || {}) && !({})", begins("W"), begins("FW"), begins("WZ"));
    let end = "(args->sector + args->nr_sector) * 512";
    let lines = line(&flush, 'f', "")
        + &line(&format!("{has_data} && {}", begins("R")), 'r', &format!(", {AT}, {end}"))
        + &line(&writes, 'w', &format!(", {AT}, {end}, 0"))
        + &line(&waits, 'f', "");
    let lines = traced.if_wanted("$d", lines.trim_end());
    let own = traced.own;
    let whole = !(MINORS - 1);
    format!(
        "tracepoint:block:block_bio_queue /pid != {own} && args->dev >> 20 == {major}/ {{ $d = (uint32)(args->dev & {whole}); {lines} }}\n"
    )
}

impl Traced {
    /// Returns what prints a line, for those alone that are wanted.
    fn if_wanted(&self, device: &str, print: &str) -> String {
        let wanted = self.devices.as_ref().filter(|devices| devices.len() <= DEVICES_MAX);
        let Some(wanted) = wanted else { return print.to_owned() };
        let each = wanted.iter().map(|wanted| format!("{device} == {wanted}"));
        let any = each.collect::<Vec<_>>().join(" || ");
        format!("if ({}) {{ {print} }}", if any.is_empty() { "0" } else { any.as_str() })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use super::{FileProbes, Traced};

    const NEW: &str = "ffffffffc0a01000 t zpl_iter_read\t[zfs]\nffffffffc0a01100 t zpl_iter_write\t[zfs]\n\
        ffffffffc0a01200 t zpl_fsync\t[zfs]\nffffffffc0a01300 t zpl_read_folio\t[zfs]\n\
        ffffffffc0a01350 t zpl_readpage\t[zfs]\nffffffffc0a01400 t zpl_readahead\t[zfs]\n\
        ffffffffc0a01500 T zfs_putpage\t[zfs]\nffffffff81000000 T _text\nnonsense\n";

    fn probes(symbols: &str) -> FileProbes {
        FileProbes::of_symbols(symbols.as_bytes()).unwrap()
    }

    fn traced(devices: Option<&[u32]>) -> Traced {
        let devices = devices.map(|devices| devices.iter().copied().collect::<BTreeSet<_>>());
        let ends_after = Duration::from_secs(90);
        Traced { own: 7, devices, volumes: None, ends_after, page: 4096 }
    }

    #[test]
    fn every_function_that_is_there_is_watched_once() {
        let program = probes(NEW).program(&traced(None));
        let watched: Vec<&str> =
            program.lines().map(|line| line.split(' ').next().unwrap()).collect();
        let expected = [
            "kprobe:zpl_iter_read",
            "kprobe:zpl_iter_write",
            "kprobe:zpl_fsync",
            "kprobe:zpl_readahead",
            "kprobe:zpl_read_folio",
            "kprobe:zfs_putpage",
            "interval:s:1",
            "interval:s:90",
        ];
        assert_eq!(watched, expected);
        let read = "kprobe:zpl_iter_read /pid != 7/ { $k = (struct kiocb *)arg0; $i = $k->ki_filp->f_inode; \
            printf(\"r %llu %u %llu %llu %llu %llu\\n\", nsecs, $i->i_sb->s_dev, $i->i_ino, $k->ki_pos, \
            ((struct iov_iter *)arg1)->count, $i->i_size); }";
        assert_eq!(program.lines().next(), Some(read));
    }

    #[test]
    fn only_what_is_wanted_is_printed() {
        let program = probes(NEW).program(&traced(Some(&[45, 46])));
        assert!(program.contains("if ($i->i_sb->s_dev == 45 || $i->i_sb->s_dev == 46) { printf("));
        assert!(probes(NEW).program(&traced(Some(&[]))).contains("if (0) { printf("));
        let many: Vec<u32> = (0..100).collect();
        assert!(!probes(NEW).program(&traced(Some(&many))).contains("if ("));
    }

    #[test]
    fn volumes_are_watched_by_their_major_number() {
        let of_volumes = |devices| {
            let program = probes(NEW).program(&Traced { volumes: Some(230), ..traced(devices) });
            program.lines().find(|line| line.starts_with("tracepoint")).unwrap().to_owned()
        };
        let all = of_volumes(None);
        let begin = "tracepoint:block:block_bio_queue /pid != 7 && args->dev >> 20 == 230/ \
            { $d = (uint32)(args->dev & 4294967280); if (strncmp(args->rwbs, \"F\", 1) == 0) \
            { printf(\"f %llu %u 0\\n\", nsecs, $d); } ";
        assert!(all.starts_with(begin), "{all}");
        let read = "if (args->nr_sector > 0 && strncmp(args->rwbs, \"R\", 1) == 0) { printf(\"r %llu %u 0 %llu %llu %llu\\n\", \
            nsecs, $d, args->sector * 512, (uint64)args->nr_sector * 512, (args->sector + args->nr_sector) * 512); }";
        assert!(all.contains(read), "{all}");
        assert!(of_volumes(Some(&[241_172_480])).contains("if ($d == 241172480) { if (strncmp("));
    }

    #[test]
    fn what_a_module_lacks_is_said() {
        let check = |without: &str, expected: &str| {
            let symbols: Vec<&str> = NEW.lines().filter(|line| !line.contains(without)).collect();
            let said = probes(&symbols.join("\n")).not_covered(true).join("\n");
            assert!(said.contains(expected), "{without}: {said}");
        };
        check("zpl_fsync", "Calls of fsync: this kernel module has no zpl_fsync.");
        check("zpl_readahead", "read ahead: this kernel module has no zpl_readahead.");
        check("zpl_read", "no zpl_read_folio.");
        check("zfs_putpage", "no zfs_putpage.");
        assert_eq!(probes(NEW).not_covered(true).len(), 2);
        assert!(probes(NEW).not_covered(false).concat().contains("Volumes (zvols), and"));
    }

    #[test]
    fn without_the_two_that_count_there_is_nothing_to_watch() {
        assert!(probes(NEW).are_there());
        assert!(!probes("").are_there());
        assert!(!probes("ffffffffc0a01000 t zpl_iter_read\t[zfs]\n").are_there());
        assert!(!probes("ffffffffc0a01000 t zpl_iter_reader\t[zfs]\n").are_there());
    }

    #[test]
    fn a_page_of_an_older_kernel_is_no_folio() {
        let old: Vec<&str> = NEW.lines().filter(|line| !line.contains("folio")).collect();
        let program = probes(&old.join("\n")).program(&traced(None));
        assert!(program.contains("kprobe:zpl_readpage /pid != 7/ { $p = (struct page *)arg1;"));
        assert!(!program.contains("folio"));
    }
}
