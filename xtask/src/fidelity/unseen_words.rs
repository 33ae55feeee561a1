//! Words of the language that came later, put into drawn cases: volumes, datasets, compression, links, shared devices,
//! small blocks on special vdevs, other files that fill the pool, encryption, shingled disks, dRAID.

use std::fmt::Write as _;

use super::unseen::{Draw, Kind, Words};

/// A word, as what it adds to a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Volume,
    Dataset,
    Compression,
    Link,
    Shared,
    SmallBlocks,
    Fill,
    Encryption,
    Shingled,
    Draid,
}

const ON_TREES: [Word; 3] = [Word::Compression, Word::Link, Word::SmallBlocks];
const ON_FILES: [Word; 5] =
    [Word::Volume, Word::Volume, Word::Dataset, Word::Compression, Word::Link];
const ON_LOGS: [Word; 5] =
    [Word::Volume, Word::Volume, Word::Dataset, Word::Shared, Word::Compression];

/// The last library without dRAID.
const WITHOUT_DRAID: &str = "2.0.3";
/// Parity, disks, and data disks of a group, with one spare.
const DRAIDS: [(u8, usize, usize); 4] = [(1, 6, 2), (1, 8, 4), (2, 8, 3), (2, 11, 4)];

/// Puts a word or two into a case.
pub(super) fn added(draw: &mut Draw, text: String, words: Words) -> String {
    let of_kind: &[Word] = match draw.kind {
        Kind::Trees => &ON_TREES,
        Kind::Synchronous => &ON_LOGS,
        Kind::Reads | Kind::Writes | Kind::Mixed => &ON_FILES,
    };
    let mut of_kind = of_kind.to_vec();
    if words != Words::WithoutFill {
        of_kind.extend([Word::Fill; 2]);
    }
    if words == Words::Latest {
        of_kind.extend([Word::Encryption, Word::Encryption, Word::Shingled]);
        of_kind.extend(
            (draw.version != WITHOUT_DRAID).then_some([Word::Draid; 2]).into_iter().flatten(),
        );
    }
    let first = draw.one(&of_kind);
    let second = Some(draw.one(&of_kind)).filter(|second| *second != first);
    let second = second.filter(|_| draw.chance.below(3) == 0);
    // A file is in a dataset or a volume, not in both.
    let is_place = |word: Word| matches!(word, Word::Volume | Word::Dataset);
    let second = second.filter(|second| !(is_place(first) && is_place(*second)));
    // The data disks are of one kind.
    let is_of_disks = |word: Word| matches!(word, Word::Shingled | Word::Draid);
    let second = second.filter(|second| !(is_of_disks(first) && is_of_disks(*second)));
    let mut case = Worded { text, links: String::new(), devices: String::new() };
    // A link is put before disks whose kind is known.
    let is_swapped = second.is_some_and(is_of_disks);
    let (first, second) =
        if is_swapped { (second.unwrap_or(first), Some(first)) } else { (first, second) };
    for word in std::iter::once(first).chain(second) {
        case.put(draw, word);
    }
    case.whole()
}

/// A case, and what is to stand at its end.
struct Worded {
    text: String,
    links: String,
    devices: String,
}

impl Worded {
    fn put(&mut self, draw: &mut Draw, word: Word) {
        match word {
            Word::Volume => self.volume(draw),
            Word::Dataset => {
                let own = draw.one(&[
                    "recordsize = \"64KiB\"",
                    "secondarycache = \"none\"",
                    "sync = \"always\"",
                    "logbias = \"throughput\"",
                ]);
                let dataset = format!("[[dataset]]\nname = \"d\"\n{own}\n");
                self.replace("[[file]]\n", &format!("{dataset}[[file]]\ndataset = \"d\"\n"));
            }
            Word::Compression => {
                self.pool("compression = \"lz4\"");
                let ratio = draw.one(&["1.3", "1.7", "2.2", "3.0"]);
                let name = if draw.kind == Kind::Trees { "\"t\"" } else { "\"f\"" };
                let name = format!("name = {name}\n");
                self.replace(&name, &format!("{name}compressratio = {ratio}\n"));
            }
            Word::Link => self.link(draw),
            Word::Fill => {
                let fill = draw.one(&["30%", "50%", "70%", "85%"]);
                self.pool(&format!("fill = \"{fill}\""));
            }
            Word::Shared => self.shared(draw),
            Word::Encryption => self.pool("encryption = \"on\""),
            Word::Shingled => {
                let disk = draw.one(&["hdd-smr-4tb", "hdd-smr-8tb"]);
                self.data(|data| {
                    let old = data.split('"').nth(1).unwrap_or_default();
                    data.replace(&format!("\"{old}\""), &format!("\"{disk}\""))
                });
            }
            Word::Draid => {
                let (parity, disks, data) = draw.one(&DRAIDS);
                self.data(|list| {
                    let disk = list.split('"').nth(1).unwrap_or_default();
                    let disks = vec![format!("\"{disk}\""); disks].join(", ");
                    format!("{{ draid{parity} = [{disks}], data = {data}, spares = 1 }}]")
                });
            }
            Word::SmallBlocks => {
                let most = draw.one(&["4KiB", "16KiB", "64KiB"]);
                self.pool(&format!(
                    "special = [{{ mirror = [\"2 x ssd-sata-plp\"] }}]\nspecial_small_blocks = \"{most}\""
                ));
            }
        }
    }

    /// Makes the file a volume; where the second arm has other records, it has other blocks.
    fn volume(&mut self, draw: &mut Draw) {
        let block = draw.one(&["8KiB", "16KiB", "16KiB", "64KiB"]);
        let (head, arm) = self.text.split_once("name = \"other\"\n").unwrap_or((&self.text, ""));
        let arm = match arm.strip_prefix("recordsize = ") {
            None => arm.to_owned(),
            Some(rest) => {
                let behind = rest.split_once('\n').map_or("", |(_, behind)| behind);
                format!("datasets = {{ f = {{ volblocksize = \"32KiB\" }} }}\n{behind}")
            }
        };
        self.text = format!("{head}name = \"other\"\n{arm}");
        self.replace("[[file]]\n", &format!("[[zvol]]\nvolblocksize = \"{block}\"\n"));
    }

    /// Puts the data disks behind a link.
    fn link(&mut self, draw: &mut Draw) {
        let rate = draw.one(&["150MB/s", "300MB/s", "600MB/s", "1200MB/s"]);
        let (one_way, most) = (
            draw.one(&["true", "false"]),
            draw.one(&["", "", ", requests_max = 1", ", requests_max = 8"]),
        );
        self.links = format!("link = {{ rate = \"{rate}\", one_way = {one_way}{most} }}\n");
        let listed = self.text.split_once("data = [");
        let Some(disk) = listed.and_then(|(_, data)| data.split('"').nth(1)).map(str::to_owned)
        else {
            return;
        };
        self.data(|data| data.replace(&format!("\"{disk}\""), "\"disk\""));
        // Writing into a string cannot fail.
        let _ = writeln!(self.devices, "disk = {{ device = \"{disk}\", link = \"link\" }}");
    }

    /// Puts a log and a cache device on one SSD.
    fn shared(&mut self, draw: &mut Draw) {
        let device = draw.one(&["ssd-sata-plp", "nvme-consumer"]);
        let is_kept = |line: &&str| !line.starts_with("log = ") && !line.starts_with("cache = ");
        self.text = self.text.lines().filter(is_kept).collect::<Vec<_>>().join("\n") + "\n";
        self.pool(
            "log = [{ device = \"spare\", size = \"2GiB\" }]\ncache = [{ device = \"spare\", size = \"4GiB\" }]",
        );
        let _ = writeln!(self.devices, "spare = {{ device = \"{device}\", shared = true }}");
    }

    /// Changes the list of the data vdevs, up to its bracket.
    fn data(&mut self, change: impl Fn(&str) -> String) {
        let Some((head, rest)) = self.text.split_once("data = [") else { return };
        let Some((data, behind)) = rest.split_once('\n') else { return };
        let data = change(data);
        self.text = format!("{head}data = [{data}\n{behind}");
    }

    /// Adds lines to the pool, in front of its record size.
    fn pool(&mut self, lines: &str) {
        self.replace("\nrecordsize = ", &format!("\n{lines}\nrecordsize = "));
    }

    fn replace(&mut self, what: &str, by: &str) {
        self.text = self.text.replacen(what, by, 1);
    }

    fn whole(self) -> String {
        let Self { mut text, links, devices } = self;
        for (name, lines) in [("links", links), ("devices", devices)] {
            if !lines.is_empty() {
                let _ = write!(text, "[{name}]\n{lines}");
            }
        }
        text
    }
}
