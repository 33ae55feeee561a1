//! What files set, in the order in which it takes effect: the last line wins.
//!
//! `modprobe` reads the files of all its folders sorted by their names, a file hiding those of the
//! same name in folders further down, and the kernel's command line last (libkmod/libkmod-config.c,
//! kmod 30 to 34). A backslash at the end of a line joins the next one to it. FreeBSD's loader and
//! `sysctl.conf` take `name=value`, the loader with quotes.

use std::collections::BTreeSet;

use crate::{Kernel, Persisted, Value};

/// No file of settings holds more; those of a machine hold some lines.
pub const CONFIG_BYTES_MAX: usize = 1 << 20;

/// How a file spells settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// `options zfs name=value …`, as in modprobe.d.
    Modprobe,
    /// `name="value"`, as in loader.conf.
    Loader,
    /// `name=value`, as in sysctl.conf.
    Sysctl,
    /// `zfs.name=value` among other words, as on the kernel's command line.
    Cmdline,
}

/// A file that may set parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFile {
    /// Its path on the machine.
    pub path: String,
    /// How it spells settings.
    pub syntax: Syntax,
    /// Its text; none when there is no such file.
    pub text: Option<String>,
}

/// Returns every setting in `files`, which come in the order in which they take effect.
#[must_use]
pub fn scan(files: &[ConfigFile]) -> Vec<Persisted> {
    files.iter().flat_map(settings).collect()
}

/// Returns `text` with the lines alone that set parameters of ZFS, and our own block; all other lines are
/// empty, so that each line keeps its number.
#[must_use]
pub fn of_zfs(syntax: Syntax, text: &str) -> String {
    let ours = super::block::find(text).ok().flatten().map(|block| block.whole);
    let is_ours = |offset: usize| ours.as_ref().is_some_and(|range| range.contains(&offset));
    let sets = |lines: &str| match syntax {
        Syntax::Modprobe => !modprobe(lines).is_empty(),
        Syntax::Loader | Syntax::Sysctl => {
            !assignments(lines).is_empty() || lines.trim_start().starts_with("zfs_load")
        }
        Syntax::Cmdline => {
            lines.split_whitespace().any(|word| cmdline((0, word.to_owned())).is_some())
        }
    };
    let (mut kept, mut begin, mut at) = (String::with_capacity(text.len()), 0, 0);
    for line in text.split_inclusive('\n') {
        at += line.len();
        // modprobe joins the next line to one that ends so.
        let goes_on = syntax == Syntax::Modprobe && line.ends_with("\\\n") && at < text.len();
        if goes_on {
            continue;
        }
        let joined = text.get(begin..at).unwrap_or_default();
        let wanted = sets(joined);
        let mut offset = begin;
        for line in joined.split_inclusive('\n') {
            let whole = wanted || is_ours(offset);
            kept.push_str(if whole {
                line
            } else {
                line.get(code_end(line)..).unwrap_or_default()
            });
            offset += line.len();
        }
        begin = at;
    }
    kept
}

/// Returns where a line's own characters end, before its newline.
fn code_end(line: &str) -> usize {
    line.trim_end_matches(['\n', '\r']).len()
}

/// Sorts paths of modprobe.d folders, given from the strongest folder to the weakest, as modprobe
/// reads them.
#[must_use]
pub fn modprobe_order(paths: &[String]) -> Vec<String> {
    let base = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut names: BTreeSet<String> = BTreeSet::new();
    // kmod leaves out hidden ones, which drafts of editors and of ours are.
    let is_read = |path: &&String| path.ends_with(".conf") && !base(path).starts_with('.');
    let files = paths.iter().filter(is_read);
    let mut kept: Vec<&String> = files.filter(|path| names.insert(base(path))).collect();
    kept.sort_by_key(|path| base(path));
    kept.into_iter().cloned().collect()
}

fn settings(file: &ConfigFile) -> Vec<Persisted> {
    let Some(text) = &file.text else { return Vec::new() };
    let ours = super::block::find(text).ok().flatten().map(|block| block.body);
    let found: Vec<Found> = match file.syntax {
        Syntax::Modprobe => modprobe(text),
        Syntax::Loader | Syntax::Sysctl => assignments(text),
        Syntax::Cmdline => {
            let mut found = Vec::new();
            each_line(text, |line| found.extend(line_words(line).filter_map(cmdline)));
            found
        }
    };
    let ends: Vec<usize> = text.match_indices('\n').map(|(offset, _)| offset).collect();
    let persisted = |found: Found| Persisted {
        line: ends.partition_point(|end| *end < found.offset) + 1,
        ours: ours.as_ref().is_some_and(|range| range.contains(&found.offset)),
        value: Value::read(&found.value),
        name: found.name,
        path: file.path.clone(),
    };
    found.into_iter().map(persisted).collect()
}

/// A setting and where it begins in its text.
struct Found {
    name: String,
    value: String,
    offset: usize,
}

/// Reads the options of the modules zfs and spl.
fn modprobe(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    each_line(text, |line| {
        if line.first().is_some_and(|(_, c)| *c == '#') {
            return;
        }
        let mut words = line_words(line);
        let verb = words.next().map(|(_, word)| word);
        let module = words.next().map(|(_, word)| word);
        let is_ours = matches!(module.as_deref(), Some("zfs" | "spl"));
        if verb.as_deref() == Some("options") && is_ours {
            found.extend(words.filter_map(|(offset, word)| assignment(&word, offset)));
        }
    });
    found
}

fn cmdline((offset, word): (usize, String)) -> Option<Found> {
    let rest = word.strip_prefix("zfs.").or_else(|| word.strip_prefix("spl."))?;
    assignment(rest, offset)
}

fn assignment(word: &str, offset: usize) -> Option<Found> {
    let (name, value) = word.split_once('=')?;
    let value = value.trim_matches('"').to_owned();
    Some(Found { name: name.trim().to_owned(), value, offset })
}

/// Reads `name=value` lines, of ZFS only; what follows a `#` outside quotes is a remark.
fn assignments(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let mut quoted = false;
        let end = line.find(|c: char| {
            quoted ^= c == '"';
            c == '#' && !quoted
        });
        let code = line.get(..end.unwrap_or(line.len())).unwrap_or_default().trim();
        let setting =
            assignment(code, offset).filter(|setting| setting.name.starts_with("vfs.zfs."));
        found.extend(setting.map(|setting| Found {
            value: setting.value.trim().trim_matches('"').to_owned(),
            ..setting
        }));
        offset += line.len();
    }
    found
}

/// A line as modprobe sees it: its characters, and where each stands in the text.
type Line = Vec<(usize, char)>;

/// Does something with each line of `text`, those that end in a backslash joined to the next.
fn each_line(text: &str, mut take: impl FnMut(&Line)) {
    let mut line = Line::new();
    let mut chars = text.char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let joins = c == '\\' && chars.next_if(|(_, next)| *next == '\n').is_some();
        if c == '\n' {
            take(&line);
            line.clear();
        } else if !joins {
            line.push((offset, c));
        }
    }
    take(&line);
}

/// Returns the words of a line with their offsets; quotes hold blanks together.
fn line_words(line: &[(usize, char)]) -> impl Iterator<Item = (usize, String)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let (mut quoted, mut inside) = (false, false);
    for (offset, c) in line {
        quoted ^= *c == '"';
        if c.is_whitespace() && !quoted {
            inside = false;
        } else if let Some((_, word)) = words.last_mut().filter(|_| inside) {
            word.push(*c);
        } else {
            inside = true;
            words.push((*offset, c.to_string()));
        }
    }
    words.into_iter()
}

impl Syntax {
    /// Returns how the file at `path` spells settings; none for a file that sets no parameters.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        const PARTS: [(&str, Syntax); 4] = [
            ("modprobe.d", Syntax::Modprobe),
            ("cmdline", Syntax::Cmdline),
            ("loader.conf", Syntax::Loader),
            ("sysctl", Syntax::Sysctl),
        ];
        PARTS.iter().find(|(part, _)| path.contains(part)).map(|(_, syntax)| *syntax)
    }

    /// Returns the kernel whose files are written so.
    #[must_use]
    pub const fn kernel(self) -> Kernel {
        match self {
            Self::Modprobe | Self::Cmdline => Kernel::Linux,
            Self::Loader | Self::Sysctl => Kernel::Freebsd,
        }
    }
}
